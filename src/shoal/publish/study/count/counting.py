"""`count`: how many people each node of a column's hierarchy covers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shoal.data.types import I4, I8
from shoal.errors import HierarchyError, InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.editing import Editable
from shoal.hierarchy.files import BuiltFile
from shoal.io.config import Config, load
from shoal.naming import offered
from shoal.progress import Progress, silent
from shoal.publish.study.count.held import Held, held_in
from shoal.publish.study.count.result import Counted, Counts

__all__ = ["count"]


def count(
    config: str | Path | Config, *, columns: Sequence[str] | None = None, progress: Progress = silent
) -> Counts:
    """Count, for every column that has a hierarchy, how many people each of its nodes covers.

    A hierarchy that is built is counted as it would be used. Of items, people are counted whose basket holds an item of
    the node; of record trees, people whose tree holds such a value. A person with several rows is counted once.

    Parameters
    ----------
    config
        A configuration, or its path.
    columns
        Only these columns, items or fields.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        The data cannot be read, or a column that is asked for has no hierarchy. A hierarchy that is wrong is told
        beside its column.
    """
    if not isinstance(config, Config):
        config = load(config)
    progress("reading")
    found = {held.name: held for held in held_in(config)}
    for name in columns or ():
        if name not in found:
            raise InputError(f"count: no column '{name}' has a hierarchy; {offered(name, found)}")
    wanted = list(found.values()) if columns is None else [found[name] for name in dict.fromkeys(columns)]
    counted = []
    for place, held in enumerate(wanted):
        progress("counting people", place / len(wanted))
        counted.append(_counted(held, config.folder))
    return Counts(tuple(counted))


def _counted(held: Held, folder: Path) -> Counted:
    about = Counted(held.name, held.role, _file(held, folder), held.people)
    try:
        hierarchy = held.hierarchy()
    except HierarchyError as error:
        return about.with_error(str(error))
    leaves = hierarchy.look_up(held.values)[held.codes]
    strange, gone = leaves < 0, leaves == hierarchy.size
    known = ~strange & ~gone
    who, leaves = _pairs(held.who[known], leaves[known], hierarchy.size)
    adds_up = not len(who) or int(np.bincount(who).max()) == 1
    tree = Editable.of(hierarchy)
    people = (_sums if adds_up else _distinct)(tree, who, leaves)
    missing = len(np.unique(held.who[gone]))
    people[0] = len(np.unique(np.r_[who, held.who[gone]]))  # a missing cell is published as the root
    return about.with_tree(
        tree,
        people,
        public=hierarchy.public,
        adds_up=adds_up,
        missing=missing,
        uncovered=_uncovered(held, hierarchy),
        uncovered_people=len(np.unique(held.who[strange])),
    )


def _file(held: Held, folder: Path) -> str | None:
    """The hierarchy's file as the configuration names it, None where there is none."""
    path = held.spec.path if isinstance(held.spec, BuiltFile) else held.spec
    if not isinstance(path, Path):
        return None
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _uncovered(held: Held, hierarchy: Hierarchy) -> tuple[str, ...]:
    """The values that people hold and the hierarchy does not."""
    occur = np.unique(held.codes).tolist()
    values = [held.values[code] for code in occur]
    codes = hierarchy.look_up(values).tolist()
    return tuple(value for value, code in zip(values, codes, strict=True) if code < 0 and value is not None)


def _pairs(who: I8, leaves: I4, size: int) -> tuple[I8, I4]:
    """Each pair of a person and a leaf once."""
    keys = np.unique(who.astype(np.int64) * max(size, 1) + leaves)
    return keys // max(size, 1), (keys % max(size, 1)).astype(np.int32)


def _sums(tree: Editable, _who: I8, leaves: I4) -> I8:
    """Nobody holds two values, so that a node has as many people as its values have together."""
    before = np.r_[0, np.cumsum(np.bincount(leaves, minlength=tree.size))]
    return np.asarray(before[tree.nodes.high] - before[tree.nodes.low], dtype=np.int64)


def _distinct(tree: Editable, who: I8, leaves: I4) -> I8:
    """By node, how many different people hold one of its values."""
    people = np.zeros(len(tree.labels), dtype=np.int64)
    for level in range(tree.height + 1):
        keys = np.unique(who * len(tree.labels) + tree.up[leaves, level])
        held, many = np.unique(keys % len(tree.labels), return_counts=True)
        people[held] = many
    return people[tree.nodes.ids]
