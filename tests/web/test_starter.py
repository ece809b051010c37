"""The page without a terminal: it opens by itself, prints nothing, and is ended by its button."""

import configparser
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from page_cases import BROWSER
from shoal.base.errors import ExtraError
from shoal.web import starter
from web_cases import WHERE

ROOT = Path(__file__).parents[2]


def test_the_entries_of_the_package_start_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["gui-scripts"] == {"shoal-page": "shoal.web.starter:main"}
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert all((ROOT / name).is_file() for name in shared)
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(ROOT / "recipe" / "shoal.desktop", encoding="utf-8")
    assert dict(entry["Desktop Entry"])["exec"] == "shoal-page"
    assert "shoal-page = shoal.web.starter:main" in (ROOT / "recipe" / "meta.yaml").read_text()


def test_what_keeps_it_from_starting_is_shown_in_the_browser(monkeypatch):
    def refuse(*_place, **_more):
        raise ExtraError.of("serve", "NiceGUI", "web")

    shown = []
    monkeypatch.setattr("shoal.web.serve.serve", refuse)
    monkeypatch.setattr(starter.webbrowser, "open", shown.append)
    with pytest.raises(SystemExit):
        starter._serve_page()
    page = Path(shown[0].removeprefix("file://"))
    try:
        assert "NiceGUI" in page.read_text(encoding="utf-8")
    finally:
        page.unlink()


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None or os.name == "nt", reason="no chromium or chrome on this machine")
def test_it_opens_the_page_and_the_page_ends_it(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    told = tmp_path / "told"
    fake = tmp_path / "browser"
    fake.write_text(f'#!/bin/sh\ncat "${{1#file://}}" > {told}.part\nmv {told}.part {told}\n')
    fake.chmod(0o700)
    environment = {**WHERE, "TMPDIR": str(tmp_path), "BROWSER": f"{fake} %s"}
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal.web.starter"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    )
    try:
        began = time.monotonic()
        while not told.exists() and time.monotonic() - began < 60:
            time.sleep(0.1)
        address = re.search(r'href="([^"]+)"', told.read_text()).group(1)
        with sync_api.sync_playwright() as started:
            browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
            page = browser.new_page()
            page.set_default_timeout(60_000)
            page.goto(address)
            page.get_by_role("button", name="End shoal").click()
            page.get_by_role("button", name="End shoal now").click()
            assert process.wait(30) == 0
            browser.close()
        assert process.stdout.read() == b""
        assert not list(tmp_path.glob("shoal-serve-*"))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
