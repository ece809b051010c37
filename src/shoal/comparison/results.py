"""The private folder of a comparison, written once at its end.

results.csv   one line per point
compare.html  the page
"""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.base.errors import InputError
from shoal.base.stopping import atomic_write, signals_deferred
from shoal.io.write.table import write_text

__all__ = ["check_folder", "write_results"]

RESULTS, PAGE = "results.csv", "compare.html"
_PLAN = "plan.json"  # what versions before 0.3.0 kept to go on with an interrupted comparison
_HEADER = b"maker,"  # how the results begin


def check_folder(folder: Path, *, force: bool) -> None:
    """Refuse a place where the results of a comparison cannot be written.

    Raises
    ------
    InputError
        Its name does not end in `.private`, its parent is no folder, or something stands there that is not to be
        replaced.
    """
    if not folder.name.endswith(".private"):
        raise InputError(
            f"{folder}: a comparison shows figures of the originals; give its folder a name that ends in .private"
        )
    if not folder.absolute().parent.is_dir():
        raise InputError(f"{folder.parent}: not a directory; create it or choose another place")
    if not os.path.lexists(folder):
        return
    if not _is_comparison(folder):
        raise InputError(f"{folder}: not a comparison, so it is not replaced; choose another place")
    if any(folder.iterdir()) and not force:
        raise InputError(
            f"{folder}: a comparison is there already, and none is continued since version 0.3.0; choose another place "
            "with --out, or replace it: --force, in Python force=True"
        )


def _is_comparison(folder: Path) -> bool:
    """Whether a folder is empty, or holds the results or the plan of a comparison."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    results, plan = folder / RESULTS, folder / _PLAN
    if results.is_file() and not results.is_symlink():
        with results.open("rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    return (plan.is_file() and not plan.is_symlink()) or not any(folder.iterdir())


def write_results(folder: Path, rows: Sequence[Mapping[str, Any]], page: str, *, force: bool) -> None:
    """Write the rows and the page, readable by their owner alone.

    Raises
    ------
    InputError
        As `check_folder` does: another comparison may have been faster.
    """
    check_folder(folder, force=force)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        with (
            atomic_write(folder / RESULTS) as results_part,
            atomic_write(folder / PAGE) as page_part,
        ):
            write_text(results_part, _format_csv(rows))
            write_text(page_part, page)
        with signals_deferred:
            (folder / _PLAN).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror}); choose another place") from None


def _format_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    header = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(header)
    lines.writerows([_format_cell(row.get(name)) for name in header] for row in rows)
    return text.getvalue()


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value).replace("\n", " ")
