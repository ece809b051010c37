"""The password of a database, asked for where somebody can answer."""

import os
import sys
from pathlib import Path

import click

__all__ = ["ask_for_config", "ask_for_url"]


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
