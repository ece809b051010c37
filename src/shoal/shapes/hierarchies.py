"""Hierarchies as they are given (a file, a recipe), made into hierarchies; labels made anew after suppression.

Columns that are published as they are can be made coarser by one before anything else looks at them. Labels of built
hierarchies tell of what is published alone, nothing of suppressed records and items.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.naming import RECODED
from shoal.data import Baskets, Column, Table
from shoal.data.arrays import I4, I8
from shoal.data.spelling import unify_spellings
from shoal.hierarchy import Hierarchies, Hierarchy, files, rules
from shoal.hierarchy.files import BuiltFile
from shoal.hierarchy.suggest import wants_groups
from shoal.hierarchy.vocabularies import outside_vocabulary
from shoal.io.config import ColumnSpec, Config, hierarchy_spec
from shoal.io.read.cells import cell_texts, clean_cells, factorize
from shoal.io.read.source import Source
from shoal.release import PublishedValues, Recoded, RecodedBaskets

__all__ = [
    "Coarse",
    "Given",
    "Spec",
    "apply_least_levels",
    "coarsen_columns",
    "collect_hidden_labels",
    "hierarchies_in_files",
    "hierarchies_over",
    "hierarchy_in_file",
    "hierarchy_of",
    "hierarchy_over",
    "is_built",
    "relabel_items",
    "relabel_table",
    "spec_for",
    "specs_of",
    "warn_unlisted",
]

_FANOUT = 5

Spec = Path | BuiltFile | Hierarchy | Mapping[str, Any]
"""A file's path, a file that was made from the data, one that is built, or the recipe to build one."""

Given = str | os.PathLike[str] | Hierarchy | Mapping[str, Any]
"""The same as users of Python give it, where a text is a path."""


def hierarchy_of(name: str, spec: Spec, values: Sequence[str | None]) -> Hierarchy:
    """The hierarchy of a column or class: as given, read from its file, or built over its values."""
    if isinstance(spec, Hierarchy):
        return spec
    if isinstance(spec, Path | BuiltFile):
        return hierarchy_in_file(spec)
    return rules.build(name, spec, values)


def is_built(spec: Spec | None) -> bool:
    """Whether a hierarchy is made of the values that a column has; where nothing is given it is."""
    return spec is None or (isinstance(spec, Mapping) and rules.rule_of(spec) is not None)


def warn_unlisted(name: str, spec: Spec | None, values: Sequence[str | None]) -> None:
    """Say how many of all values the vocabulary of a column does not know.

    Raises
    ------
    HierarchyError
        It knows none of them.
    """
    if isinstance(spec, Mapping) and rules.rule_of(spec) == "vocabulary":
        sentence = outside_vocabulary(name, str(spec["vocabulary"]), values)
        if sentence:
            warnings.warn(sentence, ShoalWarning, stacklevel=2)


def hierarchy_over(column: Column, spec: Spec | None, missing: Sequence[str]) -> Hierarchy:
    """The hierarchy of a quasi-identifier's values, as given or by what fits them; it covers missing cells."""
    hierarchy = hierarchy_of(column.name, spec_for(column.name, column.values, spec), column.values)
    return hierarchy.covering(missing)


def hierarchies_over(
    people: Table, rules: Mapping[str, Spec | None], missing: Sequence[str]
) -> dict[str, Hierarchy]:
    """Of the columns whose hierarchies rules make: those made of public people, which tell nothing of the data."""
    return {
        column.name: replace(hierarchy_over(column, rule, missing), public=True, naming=None)
        for column in people.columns
        if is_built(rule := rules.get(column.name))
    }


def spec_for(name: str, values: Sequence[str | None], spec: Spec | None) -> Spec:
    """What is given for a column; where nothing is, groups of numbers, or all or nothing."""
    if spec is not None:
        return spec
    return {"fanout": _FANOUT} if wants_groups(values) else rules.flat(name, values)


def hierarchy_in_file(spec: Path | BuiltFile) -> Hierarchy:
    """Read a hierarchy file; one that was made from the data is not public."""
    return files.read(spec.path, built=True) if isinstance(spec, BuiltFile) else files.read(spec)


def hierarchies_in_files(config: Config) -> Hierarchies:
    """The hierarchies that need no data to be known; values of a sensitive class of trees mean themselves."""
    if config.tree is not None:
        return _read_hierarchies(
            {k: spec for k, spec in config.tree.hierarchies.items() if k != config.tree.sensitive}
        )
    hierarchies = _read_hierarchies({name: column.recoded_by for name, column in config.columns.items()})
    return {name: hierarchy.covering(config.data.missing) for name, hierarchy in hierarchies.items()}


def specs_of(given: str | os.PathLike[str] | Mapping[str, Given] | None, names: list[str]) -> dict[str, Spec]:
    """What is given for each of some columns or classes: by name, or as the folder that holds their files."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {name: _as_spec(name, spec) for name, spec in given.items()}
    if not isinstance(given, str | os.PathLike):
        raise InputError("hierarchies: give a folder of files, or for each column a file or a rule")
    return _find_hierarchy_files(Path(given), names)


def _as_spec(name: str, given: Given) -> Spec:
    if isinstance(given, str | os.PathLike):
        return Path(given)
    if not isinstance(given, Hierarchy | Mapping):
        raise InputError(
            f"column '{name}': its hierarchy is not a file, a Hierarchy or a rule; give one of them"
        )
    return hierarchy_spec(name, given, Path())


def _find_hierarchy_files(folder: Path, names: list[str]) -> dict[str, Spec]:
    """A hierarchy file for each name that has one: `<name>.csv`, or ARX's `..._hierarchy_<name>.csv`."""
    if not folder.is_dir():
        raise InputError(
            f"hierarchies: '{folder.name}' is not a folder; give the folder that holds <column>.csv files"
        )
    paths = sorted(
        path for path in folder.iterdir() if path.name.removesuffix(".gz").endswith((".csv", ".txt"))
    )
    stems = {path: path.name.removesuffix(".gz").rpartition(".")[0] for path in paths}
    path_by_name: dict[str, Spec] = {}
    for name in names:
        for path, stem in stems.items():
            if stem == name or stem.endswith(f"_hierarchy_{name}"):
                path_by_name.setdefault(name, path)
    if names and not path_by_name:
        raise InputError(
            f"hierarchies: '{folder.name}' has no file for any of {', '.join(names)}; name files <column>.csv"
        )
    return path_by_name


def _read_hierarchies(specs: Mapping[str, Spec | None]) -> Hierarchies:
    return {
        name: hierarchy_in_file(spec) for name, spec in specs.items() if isinstance(spec, Path | BuiltFile)
    }


@dataclass(frozen=True, slots=True, repr=False)
class Coarse(SafeRepr):
    """A plain or sensitive column that is published at a fixed level of its hierarchy.

    cells : every record's cell as it came, as text; missing ones are null
    lost  : the share of the detail that is lost
    """

    name: str
    spec: Spec
    level: int
    cells: pl.Series
    missing: tuple[str, ...]
    lost: float = 0.0

    @property
    def built(self) -> bool:
        """Whether its labels depend on which values there are."""
        return is_built(self.spec)

    def labels(self, rows: I8 | None = None, *, anew: bool = True) -> pl.Series:
        """The label that stands for each cell; missing cells stay missing.

        A hierarchy that is built is made of the values of some `rows` alone, where it is made `anew`; else its nodes
        are named by them. What nobody of them holds is its root.

        Raises
        ------
        InputError
            The level is higher than the hierarchy of all values.
        """
        values, codes = factorize(self.cells)
        used_values = values if rows is None else factorize(self.cells.gather(pl.Series(rows)))[0]
        hierarchy = self._hierarchy(used_values if self.built and anew else values)
        if rows is not None:
            hierarchy = hierarchy.relabel(np.isin(np.arange(hierarchy.size), hierarchy.look_up(used_values)))
        elif not 0 <= self.level <= hierarchy.height:
            raise InputError(
                f"column '{self.name}': level={self.level}; give one of the levels 0 to {hierarchy.height} of its "
                "hierarchy"
            )
        level = min(self.level, hierarchy.height)
        if rows is None:  # a value that its hierarchy lacks is an error
            leaves = hierarchy.encode(Column(self.name, "plain", values, codes))
        else:  # and here it is one that is not published
            leaf_codes = hierarchy.look_up(values)
            leaves = np.where(leaf_codes < 0, hierarchy.size, leaf_codes)[codes]
        nodes = hierarchy.up[leaves, level]
        labels = pl.Series(self.name, hierarchy.labels[level], dtype=pl.String).gather(pl.Series(nodes))
        return labels.set(self.cells.is_null(), None)

    def labels_covering(self, values: Sequence[str]) -> tuple[str, ...]:
        """The labels of the level that cover any of some values, in whatever spelling these are.

        Raises
        ------
        InputError
            The hierarchy is made of the values of the data, so that its labels may change with who is left out.
        """
        if self.built:
            raise InputError(
                f"column '{self.name}': hidden values need groups that you declare, and its hierarchy is made of its "
                "values; give a file or groups, or leave out level and hierarchy"
            )
        hierarchy = self._hierarchy((*factorize(self.cells.drop_nulls())[0], *values))
        spellings = unify_spellings([*hierarchy.leaves, *values])
        covered = {*spellings[len(hierarchy.leaves) :]}
        leaves = [leaf for leaf, text in enumerate(spellings[: len(hierarchy.leaves)]) if text in covered]
        level = min(self.level, hierarchy.height)
        return tuple(
            sorted(
                {
                    label
                    for node in hierarchy.up[leaves, level].tolist()
                    if (label := hierarchy.labels[level][node]) is not None
                }
            )
        )

    def above(self, rows: I8 | None = None) -> Hierarchy:
        """The hierarchy of the labels themselves: of the values of all rows or of some, or as it was declared."""
        cells = self.cells if rows is None else self.cells.gather(pl.Series(rows))
        values = factorize(cells.drop_nulls())[0]
        hierarchy = self._hierarchy(values)
        leaves = hierarchy.look_up(values).tolist() if self.built else range(hierarchy.size)
        levels = range(self.level, hierarchy.height + 1)
        paths = {
            tuple(hierarchy.labels[level][hierarchy.up[leaf, level]] for level in levels): None
            for leaf in leaves
            if leaf != hierarchy.missing
        }
        upper_hierarchy = Hierarchy.from_paths(
            self.name, [list(path) for path in paths], public=hierarchy.public, ordered=hierarchy.ordered
        )
        return upper_hierarchy.covering(self.missing)

    def floor(self, rows: I8) -> tuple[pl.Series, Hierarchy]:
        """The labels of some `rows`, made of their values alone, and the hierarchy above them.

        Labels of other rows stay; those that are a group of that hierarchy become missing, for they are no leaf of it.
        """
        upper_hierarchy, full_labels = self.above(rows), self.labels()
        groups = [label for label in upper_hierarchy.places if label not in upper_hierarchy.leaves]
        is_selected = np.zeros(len(self.cells), dtype=bool)
        is_selected[rows] = True
        other_labels = full_labels.set(full_labels.is_in(groups), None)
        return self.labels(rows).zip_with(pl.Series(is_selected), other_labels), upper_hierarchy

    def only(self, rows: I8) -> "Coarse":
        """The same column of some of the records."""
        return replace(self, cells=self.cells.gather(pl.Series(rows)))

    def loss(self, counts: I8 | None = None) -> float:
        """The share of the detail that is lost: what a label may stand for beside the cell (ncp), on average.

        `counts` are how many records have each cell, where it is not one.
        """
        values, codes = factorize(self.cells.drop_nulls())
        hierarchy = self._hierarchy(values)
        if hierarchy.size < 2 or not len(codes):
            return 0.0
        nodes = hierarchy.up[:, min(self.level, hierarchy.height)]
        wide = (np.bincount(nodes[: hierarchy.size]) - 1) / (hierarchy.size - 1)
        weights = None if counts is None else counts[self.cells.is_not_null().to_numpy()]
        return float(np.average(wide[nodes[hierarchy.look_up(values)[codes]]], weights=weights))

    def _hierarchy(self, values: tuple[str | None, ...]) -> Hierarchy:
        return hierarchy_of(self.name, self.spec, values).covering(self.missing)


def coarsen_columns(source: Source, columns: Mapping[str, ColumnSpec]) -> tuple[Source, dict[str, Coarse]]:
    """The records, every plain or sensitive column that has a fixed level at that level; and those columns.

    Raises
    ------
    InputError
        A level without a hierarchy, for a role that has none, or higher than its hierarchy; or a value that its
        file lacks.
    """
    coarse_columns = {}
    for name, spec in columns.items():
        _check_level(name, spec)
        if spec.level is not None and spec.hierarchy is not None and name in source.frame.columns:
            cells = clean_cells(cell_texts(source.frame[name]), source.missing)
            coarse_columns[name] = Coarse(name, spec.hierarchy, spec.level, cells, source.missing)
    if not coarse_columns:
        return source, coarse_columns
    frame = source.frame.with_columns(c.labels() for c in coarse_columns.values())
    return replace(source, frame=frame), {
        name: replace(coarse, lost=coarse.loss()) for name, coarse in coarse_columns.items()
    }


def collect_hidden_labels(config: Config) -> dict[str, tuple[str, ...]]:
    """Every sensitive column of a configuration with its hidden values; empty where no column names any.

    Of a column at a fixed level these are the labels that cover a hidden value.
    """
    missing = config.data.missing
    return {
        name: values
        if not values or (spec := config.columns[name]).level is None or spec.hierarchy is None
        else Coarse(name, spec.hierarchy, spec.level, pl.Series(dtype=pl.String), missing).labels_covering(
            values
        )
        for name, values in config.values_to_hide.items()
    }


def _check_level(name: str, spec: ColumnSpec) -> None:
    is_fixed_role = spec.role in ("plain", "sensitive")
    if is_fixed_role and (spec.hierarchy is None) != (spec.level is None):
        raise InputError(
            f"column '{name}': a {spec.role} column takes a hierarchy and a level together, or neither"
        )
    if spec.level is not None and not is_fixed_role:
        raise InputError(
            f"column '{name}': level is for quasi-identifiers, plain and sensitive columns, not for {spec.role}; "
            "leave it out"
        )


def apply_least_levels(
    source: Source, columns: Mapping[str, ColumnSpec]
) -> tuple[Source, dict[str, ColumnSpec], dict[str, Coarse]]:
    """The records, every quasi-identifier that has a least level at that level, with what of its hierarchy is above.

    So no method can publish anything below it. The last are these columns as they came: where rules make their labels,
    labels are made again without whoever is left out. Groups that have numbers for names would then be other groups.

    Raises
    ------
    InputError
        A level without such a hierarchy, or higher than it; or a value that its file lacks.
    """
    specs, floors, cells = dict(columns), {}, []
    for name, spec in columns.items():
        if spec.role not in RECODED or spec.level is None or name not in source.frame.columns:
            continue
        rule = rules.rule_of(spec.hierarchy) if isinstance(spec.hierarchy, Mapping) else None
        if spec.hierarchy is None or isinstance(spec.hierarchy, BuiltFile) or rule in ("mask", "fanout"):
            raise InputError(
                f"column '{name}': the least level of a quasi-identifier needs dates, ranges, a vocabulary or groups "
                "that you declare: labels of other hierarchies depend on all values"
            )
        clean = clean_cells(cell_texts(source.frame[name]), source.missing)
        floors[name] = Coarse(name, spec.hierarchy, spec.level, clean, source.missing)
        cells.append(floors[name].labels())
        specs[name] = replace(spec, level=None, hierarchy=floors[name].above())
    return replace(source, frame=source.frame.with_columns(cells)) if cells else source, specs, floors


def relabel_table(
    table: Table, hierarchies: Hierarchies, leaves: I4, release: Recoded
) -> tuple[Hierarchies, Recoded]:
    """The hierarchies and the recoded table, their labels made from the kept records' values."""
    if len(release.rows) in (0, table.n):
        return hierarchies, release
    relabelled = dict(hierarchies)
    for j, column in enumerate(table.quasi):
        hierarchy = hierarchies[column.name]
        times = np.bincount(leaves[release.rows, j], minlength=hierarchy.size + 1)
        relabelled[column.name] = hierarchy.relabel(times[: hierarchy.size] > 0)
    forms = tuple(
        _relabel_forms(form, hierarchies[name], relabelled[name])
        for name, form in zip(release.names, release.forms, strict=True)
    )
    return relabelled, replace(release, forms=forms)


def relabel_items(
    baskets: Baskets, hierarchy: Hierarchy, release: RecodedBaskets
) -> tuple[Hierarchy, RecodedBaskets]:
    """The item hierarchy and the recoded baskets, their labels made from the items that are published."""
    if not release.suppressed and len(release.rows) == release.records:
        return hierarchy, release
    forms = release.forms
    published_leaves = [
        forms.leaves[forms.start[form] : forms.start[form + 1]] for form in np.unique(release.items)
    ]
    codes = hierarchy.look_up(baskets.values)[
        np.concatenate([np.empty(0, dtype=np.int32), *published_leaves])
    ]
    is_published = np.zeros(hierarchy.size, dtype=bool)
    is_published[codes[(codes >= 0) & (codes < hierarchy.size)]] = True
    relabelled = hierarchy.relabel(is_published)
    return relabelled, replace(release, forms=_relabel_forms(forms, hierarchy, relabelled))


def _relabel_forms(forms: PublishedValues, old: Hierarchy, new: Hierarchy) -> PublishedValues:
    """The same forms under their new labels; a range or a set of values keeps its own."""
    if new is old or forms.centre:
        return forms
    name = {
        old_label: new_label
        for befores, afters in zip(old.labels, new.labels, strict=True)
        for old_label, new_label in zip(befores, afters, strict=True)
    }
    return replace(
        forms, labels=tuple(None if label is None else name.get(label, label) for label in forms.labels)
    )
