"""How many people hold each value of a column, a list of items or a field, in data of any shape."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import HierarchyError, InputError
from shoal.base.naming import RECODED, suggest_name
from shoal.base.progress import Progress, no_progress
from shoal.data.arrays import I4, I8, prefix_sums, row_of_entry
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.edit import Editable
from shoal.hierarchy.files import BuiltFile
from shoal.hierarchy.suggest import BY_FREQUENCY, is_by_frequency
from shoal.io.config import Config, load
from shoal.io.read.cells import cell_texts, clean_cells, factorize, normalize_names
from shoal.io.read.records import read_records, settle_roles
from shoal.io.read.source import Source, column_error
from shoal.shapes.baskets.data import NEIGHBOURS, baskets_by_column
from shoal.shapes.hierarchies import Spec, hierarchy_of, spec_for
from shoal.shapes.trees.data import trees_of, values_of

__all__ = ["Counts", "count"]

# What was counted: for each column its tree, node by node, with the people that each node covers.


@dataclass(frozen=True, repr=False)
class ColumnCounts(SafeRepr):
    """One column's tree and its people.

    role      : the column's role, `field` for one of record trees
    file      : the hierarchy's file as the configuration names it, None where a rule builds it
    people    : how many people there are
    tree      : None where the hierarchy is wrong; then `error` says how
    counts    : the people of each node, in the order of `tree.nodes`
    public    : whether its labels were declared, not made from the data
    adds_up   : nobody holds two values, so that a group's people are the sum of its values' people
    missing   : how many people have a missing value that no leaf covers; the root counts them
    uncovered : values that occur and are no leaves; `uncovered_people` hold one
    """

    name: str
    role: str
    file: str | None
    people: int
    error: str | None = None
    tree: Editable | None = None
    counts: I8 | None = None
    public: bool = False
    adds_up: bool = True
    missing: int = 0
    uncovered: tuple[str, ...] = ()
    uncovered_people: int = 0

    def as_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Return plain JSON data; labels that come from cells only where asked for.

        `nodes` has a list for each fact, root first and each group before what is in it.
        """
        facts: dict[str, Any] = {
            "column": self.name,
            "role": self.role,
            "file": self.file,
            "public": self.public,
            "people": self.people,
            "adds_up": self.adds_up,
            "missing": self.missing,
            "uncovered": len(self.uncovered),
            "uncovered_people": self.uncovered_people,
            "uncovered_values": list(self.uncovered) if values else None,
            "error": self.error,
            "height": None,
            "by_frequency": False,
            "nodes": None,
        }
        if self.tree is None or self.counts is None:
            return facts
        nodes = self.tree.nodes
        named = values or self.public
        labels = [self.tree.labels[node] for node in nodes.ids.tolist()] if named else [None] * len(nodes.ids)
        return facts | {
            "height": self.tree.height,
            "by_frequency": self.by_frequency,
            "nodes": {
                "label": labels,
                "level": nodes.levels.tolist(),
                "depth": nodes.depths.tolist(),
                "leaves": (nodes.high - nodes.low).tolist(),
                "people": self.counts.tolist(),
            },
        }

    @property
    def by_frequency(self) -> bool:
        """Whether its groups are those that only use has brought together."""
        return self.tree is not None and is_by_frequency(self.tree.hierarchy())

    def sentence(self) -> str:
        """The column in one line, without a value."""
        if self.tree is None:
            return f"{self.name}: {self.error}"
        lacking = (
            f"; {len(self.uncovered):,} value(s) of {self.uncovered_people:,} people are not in it"
            if self.uncovered
            else ""
        )
        note = f"{lacking}; {BY_FREQUENCY}" if self.by_frequency else lacking
        return (
            f"{self.name}: {self.people:,} people, {self.tree.size:,} leaves, height {self.tree.height}{note}"
        )

    def drawn(self, *, limit: int = 40, values: bool = False) -> Iterator[str]:
        """The tree, indented, as deep as fits in about `limit` lines; labels from cells only where asked for."""
        if self.tree is None or self.counts is None:
            return
        nodes = self.tree.nodes
        fits = np.cumsum(np.bincount(nodes.depths)) <= limit
        rows = np.flatnonzero(nodes.depths <= max(int(fits.sum()) - 1, 1))
        for row in rows[:limit].tolist():
            level, people = nodes.levels[row], int(self.counts[row])
            label = self.tree.labels[nodes.ids[row]] or "(empty)"
            text = label if values or self.public else "group" if level else "value"
            yield f"{'  ' * int(nodes.depths[row])}{text} ({people:,} {'person' if people == 1 else 'people'})"
        if len(rows) > limit:
            yield f"... {len(rows) - limit:,} more"


@dataclass(frozen=True, repr=False)
class Counts(SafeRepr):
    """The trees of all columns that have one."""

    columns: tuple[ColumnCounts, ...]

    def as_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Return plain JSON data; labels that come from cells only where asked for."""
        return {"columns": [column.as_dict(values=values) for column in self.columns]}


# Who holds which value of a column, a list of items or a field, in data of any shape.


@dataclass(frozen=True, repr=False)
class PersonValues(SafeRepr):
    """Each pair, a person of `who` and a code of `codes`, says that this person holds that one of the values.

    spec    : the hierarchy that is given, None where none is
    people  : how many people there are
    missing : texts that mean a missing value
    """

    name: str
    role: str
    spec: Spec | None
    values: Sequence[str | None]
    who: I8
    codes: I4
    people: int
    missing: tuple[str, ...] = ()

    def hierarchy(self) -> Hierarchy:
        """The hierarchy as it would be used."""
        spec = spec_for(self.name, self.values, self.spec)
        return hierarchy_of(self.name, spec, self.values).covering(self.missing)


def _read_person_values(config: Config) -> Iterator[PersonValues]:
    """What people hold of everything that has a hierarchy.

    Raises
    ------
    InputError
        The data cannot be read.
    """
    return _read_fields(config) if config.tree is not None else _read_columns(config)


def _read_columns(config: Config) -> Iterator[PersonValues]:
    config, source = settle_roles(config, read_records(config))
    names = [name for name, spec in config.columns.items() if spec.role == "items"]
    items = baskets_by_column(config, source)[0] if names else {}
    person_ids, people = _read_persons(config, source)
    for name, spec in config.columns.items():
        if name in items:
            baskets, rule = items[name], NEIGHBOURS if spec.hierarchy is None else spec.hierarchy
            yield PersonValues(
                name, "items", rule, baskets.values, row_of_entry(baskets.start), baskets.items, baskets.n
            )
        elif name in source.frame.columns and (spec.role in RECODED or spec.hierarchy is not None):
            values, codes = factorize(clean_cells(cell_texts(source.frame[name]), source.missing))
            yield PersonValues(
                name, spec.role, spec.hierarchy, values, person_ids, codes, people, source.missing
            )


def _read_persons(config: Config, source: Source) -> tuple[I8, int]:
    """Whom each row belongs to, and how many people there are."""
    person = config.data.person
    if person is None:
        return np.arange(source.frame.height), source.frame.height
    if person not in source.frame.columns:
        raise column_error(source, person, [person])
    names, person_ids = factorize(
        normalize_names(clean_cells(cell_texts(source.frame[person]), source.missing))
    )
    return person_ids.astype(np.int64), len(names)


def _read_fields(config: Config) -> Iterator[PersonValues]:
    assert config.tree is not None
    trees = trees_of(config)
    for kind in trees.classes:
        spec = config.tree.hierarchies.get(kind)
        if spec is not None and kind != trees.sensitive:
            is_of_kind = trees.kinds == trees.classes.index(kind)
            code_of_node, inside = np.cumsum(is_of_kind, dtype=np.int32) - 1, is_of_kind[trees.items]
            person_ids, codes = (
                row_of_entry(trees.start)[inside],
                code_of_node[trees.items[inside]].astype(np.int32),
            )
            yield PersonValues(kind, "field", spec, values_of(trees, kind), person_ids, codes, trees.n)


# `count`: how many people each node of a column's hierarchy covers.


def count(
    config: str | Path | Config, *, columns: Sequence[str] | None = None, progress: Progress = no_progress
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
    values_by_name = {column_values.name: column_values for column_values in _read_person_values(config)}
    for name in columns or ():
        if name not in values_by_name:
            raise InputError(
                f"count: no column '{name}' has a hierarchy; {suggest_name(name, values_by_name)}"
            )
    wanted = (
        list(values_by_name.values())
        if columns is None
        else [values_by_name[name] for name in dict.fromkeys(columns)]
    )
    counts = []
    for index, column_values in enumerate(wanted):
        progress("counting people", index / len(wanted))
        counts.append(_count_column(column_values, config.folder))
    return Counts(tuple(counts))


def _count_column(held: PersonValues, folder: Path) -> ColumnCounts:
    about = ColumnCounts(held.name, held.role, _hierarchy_file(held, folder), held.people)
    try:
        hierarchy = held.hierarchy()
    except HierarchyError as error:
        return replace(about, error=str(error))
    leaves = hierarchy.look_up(held.values)[held.codes]
    strange, gone = leaves < 0, leaves == hierarchy.size
    is_known = ~strange & ~gone
    person_ids, leaves = _unique_pairs(held.who[is_known], leaves[is_known], hierarchy.size)
    adds_up = not len(person_ids) or int(np.bincount(person_ids).max()) == 1
    tree = Editable.of(hierarchy)
    people = (_sum_leaves if adds_up else _count_distinct)(tree, person_ids, leaves)
    missing = len(np.unique(held.who[gone]))
    people[0] = len(np.unique(np.r_[person_ids, held.who[gone]]))  # a missing cell is published as the root
    return replace(
        about,
        tree=tree,
        counts=people,
        public=hierarchy.public,
        adds_up=adds_up,
        missing=missing,
        uncovered=_find_uncovered(held, hierarchy),
        uncovered_people=len(np.unique(held.who[strange])),
    )


def _hierarchy_file(held: PersonValues, folder: Path) -> str | None:
    """The hierarchy's file as the configuration names it, None where there is none."""
    path = held.spec.path if isinstance(held.spec, BuiltFile) else held.spec
    if not isinstance(path, Path):
        return None
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _find_uncovered(held: PersonValues, hierarchy: Hierarchy) -> tuple[str, ...]:
    """The values that people hold and the hierarchy does not."""
    occur = np.unique(held.codes).tolist()
    values = [held.values[code] for code in occur]
    codes = hierarchy.look_up(values).tolist()
    return tuple(value for value, code in zip(values, codes, strict=True) if code < 0 and value is not None)


def _unique_pairs(who: I8, leaves: I4, size: int) -> tuple[I8, I4]:
    """Each pair of a person and a leaf once."""
    keys = np.unique(who.astype(np.int64) * max(size, 1) + leaves)
    return keys // max(size, 1), (keys % max(size, 1)).astype(np.int32)


def _sum_leaves(tree: Editable, _who: I8, leaves: I4) -> I8:
    """Nobody holds two values, so that a node has as many people as its values have together."""
    before = prefix_sums(np.bincount(leaves, minlength=tree.size))
    return np.asarray(before[tree.nodes.high] - before[tree.nodes.low], dtype=np.int64)


def _count_distinct(tree: Editable, who: I8, leaves: I4) -> I8:
    """By node, how many different people hold one of its values."""
    people = np.zeros(len(tree.labels), dtype=np.int64)
    for level in range(tree.height + 1):
        keys = np.unique(who * len(tree.labels) + tree.up[leaves, level])
        node_ids, counts = np.unique(keys % len(tree.labels), return_counts=True)
        people[node_ids] = counts
    return people[tree.nodes.ids]
