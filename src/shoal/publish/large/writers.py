"""How a release of data that are not in memory is written and judged, by the class of its dataset."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.base.errors import InputError
from shoal.io.formats import FORMER_TREE_FILES, NO_NODES_IN_CELLS
from shoal.publish.draft import Draft
from shoal.publish.large.baskets import (
    FragmentedBaskets,
    FragmentWriting,
    LargeBaskets,
    LargeBasketWriting,
)
from shoal.publish.large.mixed import FragmentedMixed, MixedFragmentWriting
from shoal.publish.large.table import CountedTable, CountedTableWriting
from shoal.publish.large.table_fragments import FragmentedTable, FragmentTableWriting
from shoal.publish.large.trees import LargeTrees, LargeTreeWriting
from shoal.publish.part_writing import PartWriting

__all__ = ["open_large_writing"]

Files = Mapping[str, str]


def open_large_writing(
    draft: Draft, public: Path, stage: Path, files: Files, format: str | None
) -> PartWriting | CountedTableWriting:
    """How a release of data that are not in memory is written into the folder `public`, and judged where it lies."""
    return _WRITERS[type(draft.dataset)](draft, public, stage, files, format)


def _open_table(
    draft: Draft, public: Path, stage: Path, files: Files, format: str | None
) -> CountedTableWriting:
    format = format or next(iter(files))
    return CountedTableWriting(draft, public / files[format], stage, format)


def _open_table_fragments(
    draft: Draft, public: Path, stage: Path, files: Files, format: str | None
) -> CountedTableWriting:
    format = format or next(iter(files))
    return FragmentTableWriting(draft, public / files[format], stage, format)


def _open_mixed(
    draft: Draft, public: Path, stage: Path, files: Files, format: str | None
) -> CountedTableWriting:
    format = format or next(iter(files))
    return MixedFragmentWriting(draft, public / files[format], stage, format)


def _open_baskets(draft: Draft, public: Path, stage: Path, files: Files, format: str | None) -> PartWriting:
    return LargeBasketWriting(draft, public / files[format or next(iter(files))], stage)


def _open_fragments(draft: Draft, public: Path, stage: Path, files: Files, format: str | None) -> PartWriting:
    return FragmentWriting(draft, public / files[format or next(iter(files))], stage)


def _open_trees(draft: Draft, public: Path, stage: Path, files: Files, format: str | None) -> PartWriting:
    """Without a format, nested as they came."""
    dataset: Any = draft.dataset
    if format in FORMER_TREE_FILES:
        raise InputError(f"release.format: {NO_NODES_IN_CELLS}")
    if format is None and (nesting := dataset.trees.nesting) is not None and nesting.strange is None:
        whole = not draft.result.release.rule["disassociations"]  # rows do not tell what was given up
        format = "nested" if whole or not dataset.trees.repeats else None
    if format == "nested" and dataset.trees.repeats:
        format = "nested rows"
    return LargeTreeWriting(draft, public / files[format or "nodes"], stage)


_WRITERS: Mapping[
    type, Callable[[Draft, Path, Path, Files, str | None], PartWriting | CountedTableWriting]
] = {
    CountedTable: _open_table,
    FragmentedTable: _open_table_fragments,
    FragmentedMixed: _open_mixed,
    LargeBaskets: _open_baskets,
    FragmentedBaskets: _open_fragments,
    LargeTrees: _open_trees,
}
