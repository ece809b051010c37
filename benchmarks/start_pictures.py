"""The pictures of the tutorials: `python benchmarks/start_pictures.py [SHAPE ...]`.

It follows each page of docs/start as its reader would, then takes the report and the audit that came out, light
and 1000 pixels wide, into docs/pictures.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from docs_blocks import Reader  # noqa: E402

PICTURES = {
    "table": ("report", "audit"),
    "baskets": ("report",),
    "mixed": ("report",),
    "trees": ("report",),
}
FOLDERS = {"report": "release", "audit": "release.private"}


def take(browser: Browser, page: Path, path: Path) -> None:
    """The upper part of a written page."""
    seen = browser.new_page(viewport={"width": 1000, "height": 760}, color_scheme="light")
    seen.goto(page.as_uri())
    seen.wait_for_timeout(600)
    seen.screenshot(path=path)
    seen.close()
    print(path)


def main(shapes: list[str]) -> None:
    """Follow the pages and take the pictures."""
    with TemporaryDirectory() as room, sync_playwright() as started:
        subprocess.run([sys.executable, "-m", "shoal", "demo"], cwd=room, check=True, capture_output=True)
        (Path(room) / "printed").touch()
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for shape in shapes:
            folder = Path(room) / "reader" / shape
            folder.mkdir(parents=True)
            reader = Reader(ROOT / "docs" / "start" / f"{shape}.md", folder, Path(room))
            with pytest.MonkeyPatch.context() as patch:
                reader.follow(patch)
            for kind in PICTURES[shape]:
                page = reader.folder / FOLDERS[kind] / f"{kind}.html"
                take(browser, page, ROOT / "docs" / "pictures" / f"start-{shape}-{kind}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(PICTURES))
