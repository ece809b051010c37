"""Every screen of the page as a picture: `python benchmarks/page_pictures.py FOLDER [SHAPE ...]`.

It starts `shoal serve`, sends the data of the demo, walks through all screens of each shape, and takes each at 1280 and
400 pixels, light and dark. With `--docs` only the pictures of docs/pictures are taken: light, 1280 pixels, not longer
than a window.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright

from shoal.web.pages.frame import STEPS

LOOKS = [(width, scheme) for width in (1280, 400) for scheme in ("light", "dark")]
FILES = {
    "table": "patients.csv",
    "baskets": "purchases.csv",
    "mixed": "patients.csv",
    "trees": "patients.ndjson",
}
DOCS = {
    "table": ("data", "roles", "hierarchies", "attacker", "risk", "tradeoff", "run", "result", "compare"),
    "baskets": ("attacker",),
    "mixed": ("tradeoff",),
    "trees": ("result",),
}
PATIENCE = 300_000  # milliseconds: a busy machine is slow


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that runs for as long as the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", "serve", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def settled(page: Page) -> None:
    """Wait until nothing on the page is under way, and its figures are drawn."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(700)
    page.wait_for_function("!document.querySelector('.working:not([hidden])')", timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    drawn = "[...document.querySelectorAll('.js-plotly-plot')].every(one => one.querySelector('.main-svg'))"
    page.wait_for_function(drawn, timeout=PATIENCE)
    page.wait_for_timeout(2_000)


def begun(page: Page) -> None:
    """Press the one button of an empty screen, where there is one, until its job is under way or done."""
    page.locator("main h1").wait_for()
    button = page.locator("main .empty button, main button:has-text('Compare them')").first
    for _ in range(5):  # a page that is not connected yet does not hear a click
        if not button.is_visible():
            break
        button.click()
        with suppress(TimeoutError):
            page.locator(".working:not([hidden])").first.wait_for(timeout=10_000)
            break
    settled(page)


def walk(browser: Browser, address: str, data: Path, state: dict | None, steps) -> tuple[str, dict]:
    """Send data and begin whatever these screens begin; give the address of the project and the cookies."""
    context = browser.new_context(storage_state=state)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("heading", name="What do you want to publish?").wait_for()
    page.set_input_files("input[data-send=file]", data)
    page.get_by_text("taken for").wait_for()
    home = page.url.rpartition("/")[0]
    for step in steps:
        page.goto(f"{home}/{step}")
        begun(page)
    kept = context.storage_state()
    context.close()
    return home, kept


def take(
    browser: Browser, url: str, state: dict, width: int, scheme: str, path: Path, *, whole: bool
) -> None:
    """One picture of a page."""
    context = browser.new_context(
        storage_state=state, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(url)
    settled(page)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, full_page=whole)
    print(path)
    context.close()


def main(folder: Path, shapes: list[str], *, docs: bool) -> None:
    """Take the pictures."""
    with TemporaryDirectory() as room, sync_playwright() as started, serving() as address:
        demo = Path(room) / "demo"
        subprocess.run(
            [sys.executable, "-m", "shoal", "demo", "--out", demo], check=True, capture_output=True
        )
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        state: dict | None = None
        for shape in shapes:
            steps = (*DOCS[shape], "run") if docs else STEPS
            home, state = walk(browser, address, demo / shape / FILES[shape], state, steps)
            address = home.partition("/project")[0]
            if docs:
                for step in DOCS[shape]:
                    path = folder / f"{shape}-{step}.png"
                    take(browser, f"{home}/{step}", state, 1280, "light", path, whole=False)
                continue
            for step in STEPS:
                for width, scheme in LOOKS:
                    path = folder / shape / f"{step}-{width}-{scheme}.png"
                    take(browser, f"{home}/{step}", state, width, scheme, path, whole=True)
        browser.close()


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--docs"]
    main(Path(given[0]), given[1:] or list(FILES), docs="--docs" in sys.argv)
