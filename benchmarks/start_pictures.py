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
sys.path.insert(0, str(ROOT / "tests" / "support"))

from docs_blocks import Reader, obtained  # noqa: E402

PICTURES = {
    "table": ("report", "signature", "audit"),
    "baskets": ("report",),
    "mixed": ("report",),
    "trees": ("report",),
}
PAGES = {
    "report": "release/report.html",
    "signature": "release/report.html#signed",
    "audit": "release.private/audit.html",
}
MARGIN = 24


def take(browser: Browser, page: Path, path: Path) -> None:
    """The upper part of a written page, or the section that its address names."""
    seen = browser.new_page(viewport={"width": 1000, "height": 760}, color_scheme="light")
    place, _, part = page.as_posix().partition("#")
    seen.goto(Path(place).as_uri(), timeout=300_000)
    seen.wait_for_timeout(600)
    if part:
        box = seen.locator(f"section[aria-labelledby={part}]").bounding_box()
        assert box is not None
        clip = {"x": 0, "y": box["y"] - MARGIN, "width": 1000, "height": box["height"] + 2 * MARGIN}
        seen.screenshot(path=path, full_page=True, clip=clip)
    else:
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
            followed = ROOT / "docs" / "start" / f"{shape}.md"
            if missing := obtained(followed, folder):
                raise SystemExit(missing)
            reader = Reader(followed, folder, Path(room))
            with pytest.MonkeyPatch.context() as patch:
                reader.follow(patch)
            for kind in PICTURES[shape]:
                take(
                    browser,
                    reader.folder / PAGES[kind],
                    ROOT / "docs" / "pictures" / f"start-{shape}-{kind}.png",
                )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(PICTURES))
