"""The data files of a release folder: how they are named, written, read back, and what no release of shoal holds."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.codebooks import NO_BOOKS, Codebook
from shoal.io.formats import FORMATS, FORMER_TREE_FILES, TREE_FILES
from shoal.io.read.source import Variable
from shoal.io.read.table import read
from shoal.io.write.form import noncanonical_cells, noncanonical_file
from shoal.io.write.groups import NO_GROUPS, Groups, has_groups, noncanonical_groups, read_groups
from shoal.io.write.json_text import read_lists
from shoal.io.write.table import read_back, write
from shoal.io.write.trees import noncanonical_trees, read_released, write_trees

__all__ = [
    "FormerFormatError",
    "data_file",
    "frame_shape",
    "noncanonical_data",
    "read_data",
    "read_missing_codes",
    "read_release_groups",
    "whole_numbers",
    "write_data",
]


_WHOLE = r"^(0|[1-9][0-9]*)$"


class FormerFormatError(InputError):
    """A release is written in a form that earlier versions had and this one has not."""


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
        write(frame, folder / f"data.{format}", format, nested=_nested_columns(columns), variables=variables)


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
    format = next(format for format, file_name in files.items() if file_name == name)
    if files is TREE_FILES:
        return read_released(folder, format)
    json_columns, data_path = _nested_columns(columns), folder / name
    if not data_path.is_dir():
        return read_back(data_path, format, nested=json_columns, books=books)
    parts = [read_back(path, format, nested=json_columns) for path in _list_part_files(data_path)]
    if len({tuple(part.columns) for part in parts}) != 1:
        raise InputError(f"{name}: its files have different columns; it was changed")
    return pl.concat(parts)


def read_missing_codes(
    folder: Path, files: Mapping[str, str], books: Mapping[str, Codebook] | None
) -> dict[str, pl.Series]:
    """By column the codes that mean no value in a released file with labels, one for each empty cell that has one."""
    if not books:
        return {}
    variables = read(folder / data_file(folder, files), released=books).variables
    gaps = {name: variables[name].missing_codes for name in books if name in variables}
    return {
        name: codes for name, codes in gaps.items() if codes is not None and codes.null_count() < len(codes)
    }


def read_release_groups(folder: Path, columns: Mapping[str, str]) -> Groups:
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
    data_path, json_columns = folder / name, _nested_columns(columns)
    format = next(format for format, file_name in files.items() if file_name == name)
    if isinstance(frame, Trees):
        fault = noncanonical_trees([frame], folder, format)
    else:
        parts = _list_part_files(data_path) if data_path.is_dir() else [data_path]
        odds = (noncanonical_file(part, format, nested=json_columns, old=old, books=books) for part in parts)
        fault = next((fault for fault in odds if fault is not None), None) or noncanonical_cells(
            frame, json_columns
        )
        if fault is None and "uncertain" in json_columns and not whole_numbers(frame["errors"]):
            fault = "numbers that are not in the one form in which shoal writes them"
    if fault is None and has_groups(columns) and (groups or not old):
        (items,) = json_columns
        return noncanonical_groups(folder, groups, read_lists(frame[items])[2])
    return None if fault is None else f"{name} holds {fault}; it was changed"


def whole_numbers(cells: pl.Series) -> bool:
    """Whether all cells are whole numbers in the one form in which shoal writes them."""
    return bool(cells.str.contains(_WHOLE).all())


def data_file(folder: Path, files: Mapping[str, str]) -> str:
    """The name of the one data file, or folder of tables or of parts, in a release folder.

    Raises
    ------
    InputError
        There is none, or there are several.
    FormerFormatError
        An earlier version wrote it in a form that is not read any more.
    """
    file_names = list(dict.fromkeys(files.values()))
    present_names = [name for name in file_names if (folder / name).exists()]
    former_names = FORMER_TREE_FILES.values() if files is TREE_FILES else ()
    present_former = [name for name in former_names if (folder / name).exists()]
    if len(present_former) == 1 and not present_names:
        raise FormerFormatError(
            f"{folder.name}: {present_former[0]} holds record trees as nodes in cells, which versions before 0.3 wrote "
            "and this one does not read; judge it with shoal 0.2, or publish the records again in another format"
        )
    present_names += present_former
    if len(present_names) != 1:
        names = ", ".join(file_names)
        raise InputError(
            f"{folder.name}: {len(present_names)} data files; a release folder holds one of {names}"
        )
    data_path, tables = (
        folder / present_names[0],
        present_names[0] in (TREE_FILES["tables"], TREE_FILES["linked tables"]),
    )
    is_intact = (
        data_path.is_dir()
        if tables
        else data_path.is_file() or (files is not TREE_FILES and bool(_list_part_files(data_path)))
    )
    if data_path.is_symlink() or not is_intact:
        raise InputError(
            f"{folder.name}: {present_names[0]} is not the file or folder that a release has; it was changed"
        )
    return present_names[0]


def _list_part_files(place: Path) -> list[Path]:
    """The files of a folder of parts, in which nothing else is; none where it is no such folder."""
    entries = sorted(place.iterdir()) if place.is_dir() else []
    part = re.compile(rf"part-[0-9]{{5,}}{re.escape(place.suffix)}")
    plain = all(part.fullmatch(path.name) and path.is_file() and not path.is_symlink() for path in entries)
    return entries if plain else []


def frame_shape(frame: Any) -> tuple[list[str], int]:
    """The columns of what is released, and how many records it has."""
    return (["nodes"], frame.n) if isinstance(frame, Trees) else (list(frame.columns), len(frame))


def _nested_columns(columns: Mapping[str, str]) -> list[str]:
    """The columns whose cells are JSON."""
    return [name for name, role in columns.items() if role == "items"]
