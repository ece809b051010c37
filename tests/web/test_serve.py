"""NiceGUI behind the guard: its page and its socket are for whoever has the key, and the interface stays itself."""

import json
import subprocess
import sys

import pytest

from web_cases import WHERE

pytest.importorskip("nicegui", reason="the extra web is not installed")
pytestmark = pytest.mark.process

SERVER = """
import asyncio, json, os, re, sys
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


async def socket(url, door="", **headers):
    place = url.replace("http", "ws") + door + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    try:
        async with connect(place, additional_headers=headers) as found:
            return (await found.recv())[:7]
    except InvalidStatus as refused:
        return refused.response.status_code


os.environ["NICEGUI_STORAGE_PATH"] = sys.argv[1]
with running(Path(sys.argv[1]), pages=pages) as served, httpx.Client(base_url=served.url) as browser:
    said["before"] = browser.get("/").status_code
    keys, own = served.server.keys, {"Origin": served.url}
    token = browser.post("/token", content=keys.invite(), headers=own)
    said["token"] = token.status_code
    key = {"X-Shoal-Key": token.text}
    ticket = browser.post("/ticket", content="/", headers={**own, **key}).text
    page = browser.get("/", params={"ticket": ticket})
    said["page"] = [page.status_code, "hello" in page.text]
    said["again"] = browser.get("/", params={"ticket": ticket}).status_code
    files = set(re.findall(r'"(/[^"]*/_nicegui/[^"]*[^"/])"', page.text))
    said["files"] = [len(files) > 5, sorted({browser.get(file).status_code for file in files})]
    door = "/" + keys.door
    said["bare"] = sorted({browser.get(file.removeprefix(door)).status_code for file in files})
    said["unknown"] = browser.get("/api/v1/nothing", headers=key).json()["error"]["exit"]
    said["socket"] = asyncio.run(socket(served.url, door, **own))
    cookie = {"Cookie": f"shoal-{served.url.rpartition(':')[2]}={token.text}; session={keys.door}"}
    said["refused"] = [
        asyncio.run(socket(served.url, **own)),
        asyncio.run(socket(served.url, **own, **cookie)),
        asyncio.run(socket(served.url, door)),
        asyncio.run(socket(served.url, door, Origin="http://evil.example")),
    ]
    said["cookies"] = len(browser.cookies)
    said["heavy"] = sorted({"numpy", "polars", "numba"} & set(sys.modules))
said["left"] = [path.name for path in Path(sys.argv[1]).glob("shoal-serve-*")]
print(json.dumps(said))
"""


def test_a_page_of_nicegui_is_guarded(tmp_path):
    code = [sys.executable, "-c", SERVER, tmp_path]
    got = subprocess.run(code, capture_output=True, text=True, check=True, timeout=60, env=WHERE)
    assert json.loads(got.stdout.splitlines()[-1]) == {
        "before": 401,
        "token": 200,
        "page": [200, True],
        "again": 401,
        "files": [True, [200]],
        "bare": [401],
        "unknown": 2,
        "socket": '0{"sid"',
        "refused": [403, 403, 403, 403],
        "cookies": 0,
        "heavy": [],
        "left": [],
    }
