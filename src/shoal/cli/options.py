"""What commands are given: passwords of databases, places for pages and plots."""

import os
import sys
from pathlib import Path

import click

from shoal.errors import InputError

__all__ = ["ask_for_config", "ask_for_url", "check_page"]

# The password of a database, asked for where somebody can answer.


def ask_for_url(url: str) -> None:
    """Ask for the password of a database's URL that names a user and no password; an empty answer is none."""
    if "://" not in url or not sys.stdin.isatty():
        return
    from shoal.io.settings import PASSWORD, lacks_password

    if lacks_password(url):
        said = click.prompt(
            "Password of the database", hide_input=True, default="", show_default=False, err=True
        )
        if said:
            os.environ[PASSWORD] = said


def ask_for_config(path: Path) -> None:
    """Ask for the password of the database that a configuration names; a faulty configuration is told later."""
    if not sys.stdin.isatty():
        return
    from shoal.errors import ShoalError
    from shoal.io.config import load

    try:
        url = load(path).data.url
    except ShoalError:
        return
    if url is not None:
        ask_for_url(url)


# Pages and plots that a command writes beside what it prints.


def check_page(page: Path, force: bool) -> None:
    """Refuse a place for a page or a plot where something else stands."""
    from shoal.io.write.folders import refuse_existing

    refuse_existing(page, force)
    if page.exists() and not (
        page.is_file() and page.read_bytes().lstrip()[:64].lower().startswith((b"<html", b"<!doctype html"))
    ):
        raise InputError(f"{page}: not a plot, so it is not replaced; choose another place")
    if not page.parent.is_dir():
        raise InputError(f"{page.parent}: not a directory; create it or choose another place")
