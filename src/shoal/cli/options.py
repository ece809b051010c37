"""What commands are given: options from the table of jobs, those that several commands share, and what they check."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shoal.base.errors import InputError, ShoalError
from shoal.jobs.options import JOBS, JobOption, job_option

if TYPE_CHECKING:
    from shoal.io.config import Config

__all__ = [
    "FILE",
    "as_json",
    "as_proposed",
    "ask_for_config",
    "ask_for_url",
    "check_page",
    "collect_options",
    "config_argument",
    "force",
    "job_options",
    "key",
    "open_config",
    "out",
    "pdf",
    "preview",
]

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
config_argument = click.argument("config", type=FILE, default=Path("shoal.toml"))
out = click.option(
    "--out",
    type=FILE,
    default=Path("release"),
    show_default=True,
    help="The folder to write the release to.",
)
preview = click.option(
    "--preview",
    is_flag=True,
    help="Show some records before and after, and what is lost; write nothing. It shows originals.",
)
pdf = click.option("--pdf", is_flag=True, help="Print report and audit as PDF too; needs Chromium or Chrome.")
as_proposed = click.option("--as-proposed", is_flag=True, help=job_option("run", "as_proposed").help)
as_json = click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")


def _take_key(ctx: click.Context, _option: click.Parameter, path: Path | None) -> None:
    """Put the key of a file where whatever opens data looks for one, until the command ends."""
    if path is None or ctx.resilient_parsing:
        return
    from shoal.io.keys import VARIABLE, read_key

    old_key = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = read_key(path, "a pseudonym").hex()
    ctx.call_on_close(
        lambda: os.environ.pop(VARIABLE) if old_key is None else os.environ.update({VARIABLE: old_key})
    )


key = click.option(
    "--key",
    type=FILE,
    callback=_take_key,
    expose_value=False,
    help="The key that makes pseudonyms and shifts dates, from `shoal key`; by default that in SHOAL_KEY.",
)


def force(what: str) -> Callable[[F], F]:
    """The option that lets a command replace what it wrote before."""
    return click.option("--force", is_flag=True, help=f"Replace {what}.")


def job_options(kind: str, *names: str, without: tuple[str, ...] = ()) -> Callable[[F], F]:
    """The options of a kind of job, in the order of its table; with `names`, those only."""
    options = [
        part
        for option in JOBS[kind].options
        if option.typed and option.name not in without and (not names or option.name in names)
        for part in option.parts or (option,)
    ]

    def decorated(command: F) -> F:
        for option in reversed(options):
            command = _click_option(option)(command)
        return command

    return decorated


def collect_options(kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """What a command was given of the options of a job, as the function of that job takes it."""
    options: dict[str, Any] = {}
    for option in JOBS[kind].options:
        value = values.get(option.name)
        if option.parts:
            value = {part.name: values[part.name] for part in option.parts if values[part.name] is not None}
        if value is not None and value != ():
            options[option.name] = value
    return options


def _click_option(one: JobOption) -> Callable[[F], F]:
    several = one.takes in ("files", "texts", "roles")
    word = (one.flag or one.name).replace("_", "-")
    return click.option(
        f"--{word}/--no-{word}" if one.takes == "truth" else f"--{word}",
        one.name,
        type=_click_type(one),
        metavar=one.metavar,
        help=one.help,
        multiple=several,
        required=one.required,
        callback=_READERS.get(one.takes),
        **({} if one.default is None else {"default": one.default, "show_default": True}),
        **({"default": None} if one.takes == "truth" else {}),  # neither yes nor no
    )


def _click_type(one: JobOption) -> click.ParamType[Any] | None:
    """What click reads the option as."""
    match one.takes:
        case "whole" | "seed" if one.least is not None:
            return click.IntRange(int(one.least), None if one.most is None else int(one.most))
        case "whole":
            return click.INT
        case "number" if one.least is not None:
            return click.FloatRange(one.least, one.most, min_open=one.excluded)
        case "number":
            return click.FLOAT
        case "file" | "files":
            return FILE
    return None


def _parse_size(_ctx: click.Context, _option: click.Parameter, text: str | None) -> int | Path | None:
    """A number of people, or a file."""
    if text is None:
        return None
    bare = text.replace(",", "").replace("_", "")
    return int(bare) if bare.isascii() and bare.isdigit() else Path(text)


def _parse_list(_ctx: click.Context, _option: click.Parameter, text: str | None) -> list[str] | None:
    """Names with commas between them."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _parse_roles(
    _ctx: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """Roles by column; a column's name may hold the sign, a role cannot."""
    parts = [text.rpartition("=") for text in texts]
    if not all(sign for _, sign, _ in parts):
        raise InputError("--role: write it as COLUMN=ROLE, such as zip=quasi")
    return {column.strip(): role.strip() for column, _, role in parts} or None


_READERS: Mapping[str, Callable[..., Any]] = {"size": _parse_size, "list": _parse_list, "roles": _parse_roles}


def ask_for_url(url: str) -> None:
    """Ask for the password of a database's URL that names a user and no password; an empty answer is none."""
    if "://" not in url or not sys.stdin.isatty():
        return
    from shoal.io.settings import PASSWORD, lacks_password

    if lacks_password(url):
        password = click.prompt(
            "Password of the database", hide_input=True, default="", show_default=False, err=True
        )
        if password:
            os.environ[PASSWORD] = password


def open_config(path: Path) -> "Config":
    """A configuration that was read and checked; the password of a database that it names is asked for."""
    from shoal.io.config import load

    config = load(path)
    if config.data.url is not None:
        ask_for_url(config.data.url)
    return config


def ask_for_config(path: Path) -> None:
    """Ask for the password of the database that a configuration names; where it is faulty, its job says so."""
    with suppress(ShoalError):
        open_config(path)


def check_page(page: Path, force: bool, begins: tuple[bytes, ...] = (b"<html", b"<!doctype html")) -> None:
    """Refuse a place for a page or a plot, or for what else begins so, where something else stands."""
    from shoal.io.write.folders import refuse_existing

    refuse_existing(page, force)
    if page.exists() and not (page.is_file() and page.read_bytes().lstrip()[:64].lower().startswith(begins)):
        raise InputError(f"{page}: it holds something else, so it is not replaced; choose another place")
    if not page.parent.is_dir():
        raise InputError(f"{page.parent}: not a directory; create it or choose another place")
