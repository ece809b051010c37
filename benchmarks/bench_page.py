"""Whether the page stays quick and small: a hierarchy of 20,000 values edited, 200 loads of a page, 60 cancelled jobs.

Run `python benchmarks/bench_page.py`; it needs Chromium, playwright and psutil. Seconds are of the clock, as a person
waits them.
"""

import random
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from playwright.sync_api import sync_playwright

from common import show

VALUES, LOADS, CANCELS = 20_000, 200, 60


@contextmanager
def opened():
    """A server, and a window that was let in."""
    with sync_playwright() as started:
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal", "serve", "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(process.stdout.readline().strip())
        page.get_by_role("heading", name="What do you want to publish?").wait_for()
        try:
            yield page, psutil.Process(process.pid)
        finally:
            browser.close()
            process.terminate()
            process.wait()


def give(page, path):
    page.goto(page.url.split("/project/")[0])
    page.set_input_files("input[data-send=file]", path)
    page.get_by_text("taken for").wait_for()
    return page.url.rpartition("/")[0]


def write(path, n, values):
    lines = [
        f"{18 + number % 70},{'fm'[number % 2]},{1000 + 3 * (number % values):05}" for number in range(n)
    ]
    path.write_text("age,sex,zip\n" + "\n".join(lines) + "\n")
    return path


def edits(page, folder):
    """Each thing that is done to a large tree, with its seconds."""
    home = give(page, write(folder / "big.csv", 3 * VALUES, VALUES))
    tree = page.get_by_role("treegrid")
    last = f"{1000 + 3 * (VALUES - 1):05}"

    def draw():
        page.goto(f"{home}/hierarchies")
        column = page.locator("#tree-column")
        column.wait_for()
        column.select_option(
            label=next(one for one in column.locator("option").all_inner_texts() if one.startswith("zip"))
        )
        page.get_by_role("treegrid", name="hierarchy of zip").get_by_role("row").nth(2).wait_for()

    def open_all():
        page.get_by_role("button", name="Open all").click()
        page.wait_for_function(f"Number(document.querySelector('[role=treegrid]').ariaRowCount) > {VALUES}")

    def rename():
        tree.get_by_role("row").nth(2).dblclick()
        page.get_by_label("New name of").fill("the first")
        page.keyboard.press("Enter")
        tree.get_by_text("the first").wait_for()

    def undo():
        page.get_by_role("button", name="Undo").click()
        tree.get_by_text("the first").wait_for(state="detached")

    def search():
        page.get_by_label("Search in zip").fill(last)
        tree.get_by_text(last, exact=True).wait_for()

    for what, do in (
        ("drawn", draw),
        ("opened whole", open_all),
        ("a node renamed", rename),
        ("that undone", undo),
        ("a value searched for", search),
    ):
        begun = time.monotonic()
        do()
        yield f"a tree of {VALUES:,} values: {what}, s", time.monotonic() - begun


def loads(page, server, home):
    """The server's memory before and after many loads of a page."""
    yield "the server before, MB", megabytes(server)
    for number in range(LOADS):
        page.goto(f"{home}/{('roles', 'attacker', 'risk', 'run')[number % 4]}")
        page.get_by_role("heading", level=1).wait_for()
        if number in (LOADS // 2 - 1, LOADS - 1):
            yield f"the server after {number + 1} loads, MB", megabytes(server)


def cancels(page, server, home):
    """Jobs that are cancelled at random moments: the longest wait, and what is left of them."""
    draw, waits = random.Random(14), []
    page.goto(f"{home}/run")
    for _ in range(CANCELS):
        page.get_by_role("button", name="Make the release").click()
        cancel = page.get_by_role("button", name="Cancel")
        cancel.wait_for()
        page.wait_for_timeout(1000 * draw.uniform(0, 3))
        if not cancel.is_visible():
            page.reload()
            continue  # it was done before
        begun = time.monotonic()
        cancel.click()
        page.get_by_text("This was cancelled").wait_for()
        waits.append(time.monotonic() - begun)
    waits.sort()
    yield "jobs cancelled", len(waits)
    yield "from the click to its end, median, s", waits[len(waits) // 2]
    yield "from the click to its end, longest, s", waits[-1]
    left = [one for one in server.children(recursive=True) if one.status() != psutil.STATUS_ZOMBIE]
    workers = [one for one in left if "shoal.web.server.worker" in " ".join(one.cmdline())]
    yield "processes left of them", len(workers)
    yield "the server after them, MB", megabytes(server)


def megabytes(server):
    return server.memory_info().rss / 1e6


def main():
    with TemporaryDirectory() as room, opened() as (page, server):
        found = list(edits(page, Path(room)))
        home = give(page, write(Path(room) / "people.csv", 20_000, 60))
        found += [*loads(page, server, home), *cancels(page, server, home)]
    show("The page over time", [(what, f"{figure:.1f}", "") for what, figure in found])


if __name__ == "__main__":
    main()
