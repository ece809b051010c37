"""Released trees on disk for certain, and back: what is judged is what was written.

As ndjson, csv and parquet (nodes as JSON text), xml, a folder with one csv table per class, or in the nesting that
they came in.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import polars as pl

from shoal.data import Trees
from shoal.errors import InputError
from shoal.io.as_written import Comparing, odd_file
from shoal.io.class_tables import require_table_names, tables_of, trees_of_tables
from shoal.io.formats import TREE_FILES
from shoal.io.nested_trees import read_nested_trees, write_nested_trees
from shoal.io.tree_files import node_texts, read_lines, read_xml, trees_of_texts, write_lines, write_xml
from shoal.io.write import as_csv, on_disk, read_back, sync, write
from shoal.naming import offered

__all__ = ["frame_of", "odd_trees", "read_released", "write_trees"]

_BATCH = 1 << 16
_GROUP = 1 << 14  # rows packed at once: a group takes several times its text


def write_trees(trees: Trees, folder: Path, format: str) -> None:
    """Write released trees into `folder`, and wait until they are on disk.

    No format holds all the text in memory but parquet. In tables, cells that a spreadsheet would run as a formula
    are escaped, see `write`; JSON text never looks like one.

    Raises
    ------
    InputError
        The format is unknown or cannot hold these trees, or the disk is full.
    """
    path = folder / _known(format)
    if format == "tables":
        _write_tables(trees, path)
    else:
        with on_disk(path) as file:
            _WRITERS[format](trees, file)


def read_released(folder: Path, format: str) -> Trees:
    """Read released trees; the files may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        The files are not what `write_trees` writes; the message names the place.
    """
    path = folder / _known(format)
    match format:
        case "ndjson":
            return read_lines(path)
        case "xml":
            return read_xml(path)
        case "nested":
            return read_nested_trees(path)
        case "tables":
            return trees_of_tables(_Tables(path), path.name)
        case "csv":
            with path.open("rb") as file:
                return trees_of_texts(_cells(file, path.name), path.name)
        case _:
            frame = read_back(path, format)
            if frame.columns != ["nodes"]:
                raise InputError(f"{path.name}: columns other than nodes; give it as it was released")
            return trees_of_texts(frame["nodes"], path.name)


def odd_trees(trees: Trees, folder: Path, format: str) -> str | None:
    """What files have that no release of the trees, which were read from them, has; None where there is nothing."""
    path = folder / _known(format)
    if format == "parquet":
        same = pl.read_parquet(path, glob=False, hive_partitioning=False).equals(frame_of(trees))
        return odd_file(path, format) or (None if same else _FORM)
    if format == "tables":
        tables = tables_of(trees)
        same = {f"{name}.csv" for name in tables} == {file.name for file in path.iterdir()}
        return None if same and all(_same_table(path, *table) for table in tables.items()) else _FORM
    with path.open("rb") as file:
        again = Comparing(file)
        try:
            _WRITERS[format](trees, again)
        except InputError:
            return _FORM
        return None if again.same else _FORM


def _same_table(folder: Path, name: str, frame: pl.DataFrame) -> bool:
    with (folder / f"{name}.csv").open("rb") as file:
        again = Comparing(file)
        as_csv(frame).write_csv(again)
        return again.same


def frame_of(trees: Trees) -> pl.DataFrame:
    """The trees as a frame of one column, `nodes`, in JSON text."""
    batches = [pl.DataFrame({"nodes": texts}, schema={"nodes": pl.String}) for texts in _batches(trees)]
    return pl.concat(batches) if batches else pl.DataFrame(schema={"nodes": pl.String})


class _Tables(Mapping[str, pl.DataFrame]):
    """The tables of a folder, each read when it is asked for: all together are larger than the trees."""

    def __init__(self, folder: Path) -> None:
        self.files = {file.name.removesuffix(".csv"): file for file in sorted(_inside(folder))}

    def __getitem__(self, name: str) -> pl.DataFrame:
        return read_back(self.files[name], "csv")

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


def _inside(folder: Path) -> list[Path]:
    """The files of a folder of tables, which holds nothing else."""
    files = list(folder.iterdir()) if folder.is_dir() else []
    if not files or any(file.suffix != ".csv" or not file.is_file() for file in files):
        raise InputError(f"{folder.name}: not a folder of csv tables and nothing else; it was changed")
    return files


def _batches(trees: Trees) -> Iterator[list[str]]:
    """The texts of some records at a time: as objects of Python they are many times larger."""
    texts = node_texts(trees)
    while batch := list(islice(texts, _BATCH)):
        yield batch


def _write_csv(trees: Trees, file: BinaryIO) -> None:
    file.write(b"nodes\n")
    for text in node_texts(trees):
        quoted = text.replace('"', '""')
        file.write(f'"{quoted}"\n'.encode())


def _cells(file: BinaryIO, name: str) -> Iterator[str]:
    """The cells of a csv file with one column: JSON text holds no line ends, so a line is a cell."""
    if file.readline() != b"nodes\n":
        raise InputError(f"{name}: columns other than nodes; give it as it was released")
    for number, line in enumerate(file, 2):
        text = line[1:-2].replace(b'""', b"")
        if not (line.startswith(b'"') and line.endswith(b'"\n')) or b'"' in text:
            raise InputError(f"{name}, line {number}: not one quoted cell; give it as it was released")
        try:
            yield line[1:-2].replace(b'""', b'"').decode()
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: not UTF-8; give it as it was released") from None


def _write_parquet(trees: Trees, file: BinaryIO) -> None:
    frame_of(trees).write_parquet(file, row_group_size=_GROUP)


_FORM = "records that are not in the one form in which shoal writes them"
_WRITERS: dict[str, Callable[[Trees, BinaryIO], None]] = {
    "ndjson": write_lines,
    "csv": _write_csv,
    "parquet": _write_parquet,
    "xml": write_xml,
    "nested": write_nested_trees,
}


def _write_tables(trees: Trees, path: Path) -> None:
    require_table_names(trees.classes)
    path.mkdir()
    for name, frame in tables_of(trees).items():
        write(frame, path / f"{name}.csv", "csv")
    sync(path)


def _known(format: str) -> str:
    if format not in TREE_FILES:
        raise InputError(f"release.format: '{format}' is unknown; {offered(format, TREE_FILES)}")
    return TREE_FILES[format]
