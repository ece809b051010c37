"""NiceGUI behind the guard: its page and its socket are for whoever has the cookie, and the interface stays itself."""

import json
import subprocess
import sys

import pytest

from web_cases import WHERE

pytest.importorskip("nicegui", reason="the extra web is not installed")

SERVER = """
import asyncio, json, os, sys
from pathlib import Path

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from web_cases import running

said = {}


def pages(whole):
    from nicegui import ui

    @ui.page("/")
    def first():
        ui.label("hello")

    ui.run_with(whole)


async def socket(url, **headers):
    place = url.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    try:
        async with connect(place, additional_headers=headers) as found:
            return (await found.recv())[:7]
    except InvalidStatus as refused:
        return refused.response.status_code


os.environ["NICEGUI_STORAGE_PATH"] = sys.argv[1]
with running(Path(sys.argv[1]), pages=pages) as served, httpx.Client(base_url=served.url) as browser:
    said["before"] = browser.get("/").status_code
    token = served.server.keys.invite()
    said["token"] = browser.post("/token", content=token, headers={"Origin": served.url}).status_code
    page = browser.get("/")
    said["page"] = [page.status_code, "hello" in page.text]
    said["unknown"] = browser.get("/api/v1/nothing").json()["error"]["exit"]
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    said["socket"] = asyncio.run(socket(served.url, Cookie=cookie, Origin=served.url))
    said["refused"] = [
        asyncio.run(socket(served.url, Origin=served.url)),
        asyncio.run(socket(served.url, Cookie=cookie)),
        asyncio.run(socket(served.url, Cookie=cookie, Origin="http://evil.example")),
    ]
    said["heavy"] = sorted({"numpy", "polars", "numba"} & set(sys.modules))
said["left"] = [path.name for path in Path(sys.argv[1]).glob("shoal-serve-*")]
print(json.dumps(said))
"""


def test_a_page_of_nicegui_is_guarded(tmp_path):
    code = [sys.executable, "-c", SERVER, tmp_path]
    got = subprocess.run(code, capture_output=True, text=True, check=True, timeout=60, env=WHERE)
    assert json.loads(got.stdout.splitlines()[-1]) == {
        "before": 401,
        "token": 204,
        "page": [200, True],
        "unknown": 2,
        "socket": '0{"sid"',
        "refused": [403, 403, 403],
        "heavy": [],
        "left": [],
    }
