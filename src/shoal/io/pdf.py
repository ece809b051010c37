"""Pages on paper: an installed browser prints an html file of ours as PDF."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from shoal.base.errors import InputError

__all__ = ["find_browser", "print_page"]

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "chromium-headless-shell",
)
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_QUIET = (
    "--headless --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --disable-extensions --no-pdf-header-footer --virtual-time-budget=20000 --user-agent=shoal"
).split()  # the file names who made it: shoal, not the machine
_SECONDS = 300


def find_browser() -> str:
    """The browser that prints.

    Raises
    ------
    InputError
        None is installed.
    """
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    browser_path = executable or next((path for path in _PLACES if Path(path).is_file()), None)
    if browser_path is None:
        raise InputError(
            "pdf: no Chromium or Chrome is installed to print with; install one, or leave the option out and print "
            "report.html from any browser"
        )
    return browser_path


def print_page(page: Path, place: Path) -> None:
    """Print an html file as the PDF file `place`; the browser keeps nothing and asks no network.

    Raises
    ------
    InputError
        No browser is installed, or it fails.
    """
    with TemporaryDirectory(prefix="shoal-print-") as profile:
        command = [find_browser(), *_QUIET, f"--user-data-dir={profile}"]
        if (
            getattr(os, "geteuid", lambda: 1)() == 0
        ):  # for root, mostly a container's only user, there is no sandbox
            command.append("--no-sandbox")
        command += [f"--print-to-pdf={place.resolve()}", page.resolve().as_uri()]
        try:
            process = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            process = None
    if process is None or process.returncode or not place.is_file():
        raise InputError(
            f"pdf: the browser did not print {page.name}; leave the option out, open the page in a browser and print it"
        )
