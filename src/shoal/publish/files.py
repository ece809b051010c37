"""The data files of a release folder: how they are named, written, read back, and what no release of shoal holds."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.codebooks import NO_BOOKS, Codebook
from shoal.io.formats import FORMATS, TREE_FILES
from shoal.io.read.source import Variable
from shoal.io.read.table import read
from shoal.io.write.form import noncanonical_cells, noncanonical_file
from shoal.io.write.groups import NO_GROUPS, Groups, has_groups, noncanonical_groups, read_groups
from shoal.io.write.json_text import read_lists
from shoal.io.write.table import read_back, write
from shoal.io.write.trees import odd_trees, read_released, write_trees

__all__ = [
    "data_file",
    "frame_shape",
    "groups_beside",
    "noncanonical_data",
    "read_data",
    "read_missing_codes",
    "whole_numbers",
    "write_data",
]


_WHOLE = r"^(0|[1-9][0-9]*)$"


def write_data(
    frame: Any,
    folder: Path,
    format: str | None,
    columns: Mapping[str, str],
    variables: Mapping[str, Variable] | None = None,
) -> None:
    """Write what is released into `folder`; `columns` are the roles of its columns.

    `variables` say what a file with labels tells of them.
    Without a format, record trees are written as they came, and cells in the usual one.
    """
    if isinstance(frame, Trees):
        write_trees(frame, folder, format)
    else:
        format = format or FORMATS[0]
        write(frame, folder / f"data.{format}", format, nested=_nested(columns), variables=variables)


def read_data(
    folder: Path,
    files: Mapping[str, str],
    columns: Mapping[str, str],
    books: Mapping[str, Codebook] | None = NO_BOOKS,
) -> Any:
    """Read what a release folder holds; it may be anyone's, so nothing is trusted.

    `files` are the formats of the data's shape, each with the name of its file, `books` the public codebooks.

    Raises
    ------
    InputError
        There is not one data file, or it is malformed.
    """
    name = data_file(folder, files)
    format = next(format for format, own in files.items() if own == name)
    if files is TREE_FILES:
        return read_released(folder, format)
    nested, place = _nested(columns), folder / name
    if not place.is_dir():
        return read_back(place, format, nested=nested, books=books)
    parts = [read_back(path, format, nested=nested) for path in _parts(place)]
    if len({tuple(part.columns) for part in parts}) != 1:
        raise InputError(f"{name}: its files have different columns; it was changed")
    return pl.concat(parts)


def read_missing_codes(
    folder: Path, files: Mapping[str, str], books: Mapping[str, Codebook] | None
) -> dict[str, pl.Series]:
    """By column the codes that mean no value in a released file with labels, one for each empty cell that has one."""
    if not books:
        return {}
    told = read(folder / data_file(folder, files), released=books).variables
    gaps = {name: told[name].missing_codes for name in books if name in told}
    return {
        name: codes for name, codes in gaps.items() if codes is not None and codes.null_count() < len(codes)
    }


def groups_beside(folder: Path, columns: Mapping[str, str]) -> Groups:
    """Read the groups of items that a release folder holds; none of a shape that has none.

    Raises
    ------
    InputError
        The file is malformed.
    """
    return read_groups(folder) if has_groups(columns) else NO_GROUPS


def noncanonical_data(
    folder: Path,
    files: Mapping[str, str],
    columns: Mapping[str, str],
    frame: Any,
    *,
    groups: Groups = NO_GROUPS,
    old: bool = False,
    books: Mapping[str, Codebook] | None = NO_BOOKS,
) -> str | None:
    """A sentence where the data are not written in the one way in which shoal writes them: rows could be marked so.

    `frame` is what was read of them, or of a large table some of it, and `groups` what was read beside it; `old` says
    that an earlier version wrote them. `books` are the public codebooks; None where that version knew none.
    """
    name = data_file(folder, files)
    place, nested = folder / name, _nested(columns)
    format = next(format for format, own in files.items() if own == name)
    if isinstance(frame, Trees):
        odd = odd_trees([frame], folder, format)
    else:
        parts = _parts(place) if place.is_dir() else [place]
        odds = (noncanonical_file(part, format, nested=nested, old=old, books=books) for part in parts)
        odd = next((odd for odd in odds if odd is not None), None) or noncanonical_cells(frame, nested)
        if odd is None and "uncertain" in nested and not whole_numbers(frame["errors"]):
            odd = "numbers that are not in the one form in which shoal writes them"
    if odd is None and has_groups(columns) and (groups or not old):
        (items,) = nested
        return noncanonical_groups(folder, groups, read_lists(frame[items])[2])
    return None if odd is None else f"{name} holds {odd}; it was changed"


def whole_numbers(cells: pl.Series) -> bool:
    """Whether all cells are whole numbers in the one form in which shoal writes them."""
    return bool(cells.str.contains(_WHOLE).all())


def data_file(folder: Path, files: Mapping[str, str]) -> str:
    """The name of the one data file, or folder of tables or of parts, in a release folder.

    Raises
    ------
    InputError
        There is none, or there are several.
    """
    own = list(dict.fromkeys(files.values()))
    found = [name for name in own if (folder / name).exists()]
    if len(found) != 1:
        names = ", ".join(own)
        raise InputError(f"{folder.name}: {len(found)} data files; a release folder holds one of {names}")
    place, tables = folder / found[0], found[0] in (TREE_FILES["tables"], TREE_FILES["linked tables"])
    whole = place.is_dir() if tables else place.is_file() or (files is not TREE_FILES and bool(_parts(place)))
    if place.is_symlink() or not whole:
        raise InputError(
            f"{folder.name}: {found[0]} is not the file or folder that a release has; it was changed"
        )
    return found[0]


def _parts(place: Path) -> list[Path]:
    """The files of a folder of parts, in which nothing else is; none where it is no such folder."""
    found = sorted(place.iterdir()) if place.is_dir() else []
    part = re.compile(rf"part-[0-9]{{5,}}{re.escape(place.suffix)}")
    plain = all(part.fullmatch(path.name) and path.is_file() and not path.is_symlink() for path in found)
    return found if plain else []


def frame_shape(frame: Any) -> tuple[list[str], int]:
    """The columns of what is released, and how many records it has."""
    return (["nodes"], frame.n) if isinstance(frame, Trees) else (list(frame.columns), len(frame))


def _nested(columns: Mapping[str, str]) -> list[str]:
    """The columns whose cells are JSON."""
    return [name for name, role in columns.items() if role == "items"]
