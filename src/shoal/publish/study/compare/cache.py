"""The private folder of a comparison: results as they come, so that an interrupted one goes on where it was.

plan.json     the version and a fingerprint of data and configuration
results.csv   one line per point
compare.html  the page, written at the end
"""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal import __version__
from shoal.errors import InputError
from shoal.io.read.source import Source
from shoal.io.write.folders import hold, is_ours
from shoal.io.write.table import write_text
from shoal.stopping import in_one_piece, undone, whole

__all__ = ["Kept", "fingerprint", "keeping", "parts_of", "plan_of"]

PLAN, RESULTS, PAGE = "plan.json", "results.csv", "compare.html"
_TEXTS = ("maker", "status", "message")


class Kept:
    """What is kept of a comparison in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = _read(folder / RESULTS)
        self._header = list(dict.fromkeys(name for row in self.rows for name in row))
        if self.rows:
            self._write_all()  # without the line that a killed run left in half

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a point, a whole line or nothing."""
        self.rows.append(dict(row))
        new = [name for name in row if name not in self._header]
        if new:
            self._header += new
            self._write_all()
            return
        line = _lines([[_cell(row.get(name)) for name in self._header]])
        with whole:
            handle = os.open(self.folder / RESULTS, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)

    def _write_all(self) -> None:
        rows = [[_cell(row.get(name)) for name in self._header] for row in self.rows]
        with in_one_piece(self.folder / RESULTS) as part:
            write_text(part, _lines([self._header, *rows]))

    def write_page(self, page: str) -> Path:
        """Write the page, and say where it is."""
        with in_one_piece(self.folder / PAGE) as part:
            write_text(part, page)
        return self.folder / PAGE


def plan_of(folder: Path) -> dict[str, Any]:
    """The plan that stands in a folder; empty where there is none.

    Raises
    ------
    InputError
        The folder holds something else.
    """
    if not os.path.lexists(folder):
        return {}
    if not is_ours(folder, PLAN):
        raise InputError(f"{folder}: not a comparison, so it is not replaced; choose another place")
    try:
        plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        plan = None
    held = plan if isinstance(plan, dict) else {"fingerprint": None}
    return held if any(folder.iterdir()) else {}


@contextmanager
def keeping(folder: Path, plan: Mapping[str, Any], *, force: bool) -> Iterator[Kept]:
    """What is kept in a folder, to be added to; nobody else may meanwhile.

    Raises
    ------
    InputError
        The folder cannot be written, holds something else or a comparison of other data, or somebody is at work there.
    """
    _check_place(folder)
    before = plan_of(folder)
    if before and before.get("fingerprint") != plan["fingerprint"] and not force:
        version = before.get("shoal")
        other = (
            f"version {version} of shoal" if version != __version__ else "other data or another configuration"
        )
        raise InputError(
            f"{folder}: a comparison of {other} is there already; choose another place with --out, or replace it: "
            "--force, in Python force=True"
        )
    folder.mkdir(mode=0o700, exist_ok=True)
    if not before:
        _write_plan(folder, plan)
    lock = folder / ".lock"
    with hold(lock) as held:
        if not held:
            raise InputError(
                f"{folder}: another comparison is at work there; wait for it, or choose another place"
            )
        with undone(lambda: lock.unlink(missing_ok=True)):
            try:
                _clear(folder, everything=force)
                if force:
                    _write_plan(folder, plan)
                yield Kept(folder)
            finally:
                with suppress(OSError):
                    lock.unlink()


def _clear(folder: Path, *, everything: bool) -> None:
    """Remove what a killed comparison left in half, or all results."""
    for path in folder.glob(".*.shoal-*"):
        path.unlink(missing_ok=True)
    for name in (RESULTS, PAGE) if everything else ():
        (folder / name).unlink(missing_ok=True)


def _write_plan(folder: Path, plan: Mapping[str, Any]) -> None:
    with in_one_piece(folder / PLAN) as part:
        write_text(part, json.dumps({"shoal": __version__, **plan}, indent=2) + "\n")


def _check_place(folder: Path) -> None:
    if not folder.name.endswith(".private"):
        raise InputError(
            f"{folder}: a comparison shows figures of the originals; give its folder a name that ends in .private"
        )
    if not folder.absolute().parent.is_dir():
        raise InputError(f"{folder.parent}: not a directory; create it or choose another place")


def _read(path: Path) -> list[dict[str, Any]]:
    """The whole lines of the results; one without an end is left out."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    whole_lines = text[: text.rfind("\n") + 1]
    rows = csv.DictReader(io.StringIO(whole_lines, newline=""))
    return [
        {name: _value(name, cell) for name, cell in row.items()} for row in rows if None not in row.values()
    ]


def _lines(rows: list[list[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value).replace("\n", " ")


def _value(name: str, cell: str) -> Any:
    """What a cell was before it was written."""
    if name in _TEXTS:
        return cell
    if cell in ("", "yes", "no"):
        return None if not cell else cell == "yes"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(cell)
    return cell


# A fingerprint of data and configuration: the same where a finished point need not be made again.
#
# It is a hash of everybody's cells, so it stays in the private folder.


def fingerprint(*things: object) -> str:
    """A hash of what these things hold: codes, values, hierarchies and settings.

    >>> fingerprint({"k": 5, "m": 2}) == fingerprint({"m": 2, "k": 5}) != fingerprint({"k": 5, "m": 3})
    True
    """
    found = hashlib.sha256()
    for thing in things:
        for part in parts_of(thing):
            found.update(len(part).to_bytes(8, "big"))
            found.update(part)
    return found.hexdigest()


def parts_of(thing: Any) -> Iterator[bytes]:
    """What a thing holds, as bytes; a `Source` is left out, for what counts of it is coded in the table."""
    yield type(thing).__name__.encode()
    if isinstance(thing, Source):
        return
    if isinstance(thing, np.ndarray):
        yield f"{thing.dtype} {thing.shape}".encode()
        yield np.ascontiguousarray(thing).tobytes()
    elif isinstance(thing, Mapping):
        for key in sorted(thing, key=repr):
            yield repr(key).encode()
            yield from parts_of(thing[key])
    elif isinstance(thing, set | frozenset):
        yield repr(sorted(thing, key=repr)).encode()
    elif isinstance(thing, list | tuple):
        yield from _listed(thing)
    elif is_dataclass(thing):
        for field in fields(thing):
            yield field.name.encode()
            yield from parts_of(getattr(thing, field.name))
    else:
        yield repr(thing).encode("utf-8", "surrogatepass")


def _listed(thing: list[Any] | tuple[Any, ...]) -> Iterator[bytes]:
    if all(one is None or isinstance(one, str) for one in thing):
        yield json.dumps(thing).encode()
        return
    for one in thing:
        yield from parts_of(one)
