"""A page as a real browser draws it, from its file."""

import subprocess
from pathlib import Path

from lxml import html

from page_cases import BROWSER

QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=10000 --dump-dom"
).split()


def draw_in_browser(page: str, folder: Path, *more: str) -> tuple[html.HtmlElement, str]:
    """The document after its scripts ran, and what they said to the console."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    command = [str(BROWSER), *QUIET, *more, f"--user-data-dir={folder / 'profile'}", file.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    said = done.stderr.decode(errors="replace").splitlines()
    return html.fromstring(done.stdout.decode()), "\n".join(line for line in said if "CONSOLE" in line)
