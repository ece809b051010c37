"""What the page costs in a real browser: the first page, an idle server, Adult's front after the click, 500 MB sent.

Run `python benchmarks/bench_serve.py ADULT.CSV`; it needs Chromium, playwright and psutil. Seconds are of the clock, as
a person waits them; kernels are compiled already where they were used before.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from playwright.sync_api import sync_playwright

from common import show

FIRST, FRONT, IDLE = 3.0, 5.0, 300.0
LARGE = 500 * 10**6


def large(folder):
    """A table of 500 MB."""
    path = folder / "large.csv"
    lines = b"".join(b"%d,%d,%s,%05d\n" % (i, i % 90, b"fm"[i % 2 :][:1], i % 7919) for i in range(100_000))
    with path.open("wb") as file:
        file.write(b"row,age,sex,zip\n")
        while file.tell() < LARGE:
            file.write(lines)
    return path


def seconds(since):
    return time.monotonic() - since


def main(adult):
    rows = []
    with TemporaryDirectory() as room, sync_playwright() as started:
        begun = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal", "serve", "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        address = process.stdout.readline().strip()
        listening = seconds(begun)
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        opened = time.monotonic()
        page.goto(address)
        page.get_by_role("heading", name="What do you want to publish?").wait_for()
        rows.append(["from the start of `shoal serve` to its address", listening, None])
        rows.append(["from the address to the first page", seconds(opened), FIRST])
        page.wait_for_timeout(5000)
        rows.append(["an idle server with a page open, MB", _megabytes(process.pid), IDLE])

        sent = time.monotonic()
        page.set_input_files("input[data-send=file]", adult)
        page.get_by_text("taken for").wait_for(timeout=120_000)
        rows.append(["Adult from the choice of the file to its proposal", seconds(sent), None])
        home = page.url.rpartition("/")[0]
        for again in ("first", "second"):
            page.goto(f"{home}/attacker")
            page.get_by_role("heading", level=1).wait_for()
            clicked = time.monotonic()
            page.get_by_role("link", name="Trade-off", exact=True).click()
            page.locator("main .empty button, main .working, main .js-plotly-plot").first.wait_for(
                timeout=60_000
            )
            button = page.locator("main .empty button")
            if button.count():
                clicked = time.monotonic()
                button.first.click()
            page.locator("main .js-plotly-plot path.point").first.wait_for(state="attached", timeout=60_000)
            rows.append([f"Adult's front after the click, {again} time", seconds(clicked), FRONT])

        page.goto(address.partition("/#")[0])
        page.get_by_role("heading", name="What do you want to publish?").wait_for()
        path = large(Path(room))
        sent = time.monotonic()
        page.set_input_files("input[data-send=file]", path)
        page.wait_for_url("**/project/**", timeout=300_000)
        rows.append(["500 MB sent", seconds(sent), None])
        rows.append(["the server after that, MB", _megabytes(process.pid), IDLE])
        page.get_by_text("taken for").wait_for(timeout=600_000)
        rows.append(["500 MB from the choice of the file to its proposal", seconds(sent), None])
        browser.close()
        process.terminate()
        process.wait()
    show(
        "The page",
        [(what, f"{figure:.1f}", f"{target:g}" if target else "") for what, figure, target in rows],
    )


def _megabytes(pid):
    """What the server itself holds; what is compiled beside it ends by itself."""
    return psutil.Process(pid).memory_info().rss / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]))
