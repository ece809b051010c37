"""A stored recoding, applied to other records of the same shape."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.knobs import suppression_limit
from shoal.base.errors import InputError
from shoal.data import Baskets, Table, Trees
from shoal.data.arrays import I4, I8, persons_per_code
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, PublishedValues, Recoded, RecodedBaskets, RecodedTrees
from shoal.utility import class_ids

__all__ = ["read_recoding", "recode_baskets", "recode_table", "recode_trees"]

_LARGEST = 256 * 2**20


def read_recoding(path: Path, shape: str) -> dict[str, Any]:
    """A stored recoding, read as a hostile file."""
    if not path.is_file() or path.stat().st_size > _LARGEST:
        raise InputError(f"{path.name}: this is not a recoding; give the recoding.json of an earlier run")
    try:
        rule = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        rule = None
    if not isinstance(rule, dict) or rule.get("shape") != shape:
        raise InputError(
            f"{path.name}: this is not a recoding of {shape}; give the recoding.json of a run on the same kind of data"
        )
    return rule


def recode_table(
    recoding: Mapping[str, Any],
    table: Table,
    hierarchies: Hierarchies,
    leaves: I4,
    claim: Claim,
    suppress: float,
) -> Recoded:
    """Publish each quasi-identifier at the level, or in the groups, that the recoding gives it.

    Classes below k are left out if they are within the share `suppress`; if not, all stay, and the judge says no.
    """
    names = [column.name for column in table.quasi]
    all_rows = np.arange(table.n)
    if "cuts" in recoding:
        cuts = _read_cuts(recoding, names)
        unsuppressed = _recode_by_cuts(cuts, hierarchies, leaves, all_rows)
    else:
        levels = _read_levels(recoding, names, hierarchies)
        unsuppressed = Recoded.of_levels(names, hierarchies, leaves, levels, all_rows)
    classes = class_ids(list(unsuppressed.codes.T))
    small = persons_per_code(classes, table.persons)[classes] < claim.crowd
    if small.sum() > suppression_limit("recoding", suppress, table.n):
        return unsuppressed
    if "cuts" in recoding:
        return _recode_by_cuts(cuts, hierarchies, leaves, all_rows[~small])
    return Recoded.of_levels(names, hierarchies, leaves, levels, all_rows[~small])


def _read_cuts(recoding: Mapping[str, Any], names: list[str]) -> dict[str, list[str | None]]:
    """The rule's groups for each quasi-identifier."""
    cuts = recoding["cuts"]
    if not isinstance(cuts, dict) or not all(
        isinstance(labels, list) and all(isinstance(label, str | None) for label in labels)
        for labels in cuts.values()
    ):
        raise InputError("recoding: its cuts are no lists of groups; use the file as it was written")
    _require_columns(cuts, names)
    return {name: cuts[name] for name in names}


def _recode_by_cuts(
    cuts: Mapping[str, list[str | None]], hierarchies: Hierarchies, leaves: I4, rows: I8
) -> Recoded:
    """Publish each column of some rows in the groups of its cut."""
    forms, codes = [], []
    for j, (name, labels) in enumerate(cuts.items()):
        hierarchy = hierarchies[name]
        levels = _levels_in_cut(hierarchy, labels)[leaves[rows, j]]
        nodes = hierarchy.up[leaves[rows, j], levels]
        pairs, form_of_row = np.unique(np.stack([levels, nodes]), axis=1, return_inverse=True)
        groups = pairs.T.tolist()
        spans = np.array([hierarchy.spans[level][node] for level, node in groups], dtype=np.int32)
        shown = [hierarchy.labels[level][node] for level, node in groups]
        forms.append(PublishedValues.of_spans(hierarchy, shown, spans.reshape(-1, 2)))
        codes.append(form_of_row.reshape(-1))
    stacked = np.stack(codes, axis=1).astype(np.int32)
    rule = {"cuts": {name: list(labels) for name, labels in cuts.items()}}
    return Recoded(tuple(cuts), tuple(forms), stacked, rows, len(leaves), rule)


def _levels_in_cut(hierarchy: Hierarchy, labels: Sequence[str | None]) -> I8:
    """The level at which each leaf is published; the last is for cells that no leaf covers.

    A value below none of the groups is in the widest node that holds no group.
    """
    missing = hierarchy.missing
    places = {
        (missing, missing + 1) if label is None and missing is not None else hierarchy.places.get(label or "")
        for label in labels
    }
    begins = np.array(sorted(place[0] for place in places if place is not None), dtype=np.int64)
    levels = np.full(hierarchy.size + 1, hierarchy.height, dtype=np.int64)
    for leaf in range(hierarchy.size):
        spans = [
            tuple(hierarchy.spans[level][hierarchy.up[leaf, level]].tolist())
            for level in range(hierarchy.height + 1)
        ]
        groups = [level for level, span in enumerate(spans) if span in places]
        free = [
            level
            for level, (low, high) in enumerate(spans)
            if np.searchsorted(begins, low) == np.searchsorted(begins, high)
        ]
        levels[leaf] = groups[0] if groups else max(free, default=0)
    return levels


def _require_columns(named: Collection[str], names: list[str]) -> None:
    """Refuse a rule of other columns."""
    if set(named) != set(names):
        raise InputError(
            f"recoding: its columns are not the quasi-identifiers {', '.join(names)}; use the file of "
            "a run with the same columns"
        )


def _read_levels(recoding: Mapping[str, Any], names: list[str], hierarchies: Hierarchies) -> list[int]:
    """The rule's level for each quasi-identifier, checked against the hierarchies."""
    levels = recoding.get("levels")
    if not isinstance(levels, dict):
        raise InputError(
            "recoding: it was local, and a local recoding has no rule for other records; run a method on them, or "
            "start again with the method optimal or column-cut, which have one"
        )
    _require_columns(levels, names)
    for name in names:
        height = hierarchies[name].height
        if type(levels[name]) is not int or not 0 <= levels[name] <= height:
            raise InputError(
                f"recoding: the level of column '{name}' is not between 0 and {height}; use the file as it was written"
            )
    return [levels[name] for name in names]


def recode_baskets(
    recoding: Mapping[str, Any], baskets: Baskets, hierarchy: Hierarchy, claim: Claim
) -> RecodedBaskets:
    """Publish baskets under a stored cut or stored sets; under l^m-diversity sensitive items stay as they are."""
    from shoal.algorithms.itemsets.item_cuts import apply_cut  # kernels are heavy: only this job needs them
    from shoal.algorithms.itemsets.pcta import apply_groups

    exempt = claim.exempts
    stored_cut, groups, suppressed_items = (
        recoding.get("cut"),
        recoding.get("sets"),
        recoding.get("suppress", []),
    )
    if isinstance(stored_cut, dict) and all(isinstance(label, str | None) for label in stored_cut.values()):
        return apply_cut(baskets, hierarchy, stored_cut, exempt=exempt)
    if (
        isinstance(groups, list)
        and all(_is_text_list(group) for group in groups)
        and _is_text_list(suppressed_items)
    ):
        return apply_groups(baskets, groups, suppressed_items, exempt=exempt)
    raise InputError(
        "recoding: it holds neither a cut nor sets of items, so it cannot be applied to other baskets; run a "
        "method on them"
    )


def recode_trees(recoding: Mapping[str, Any], trees: Trees, hierarchies: Hierarchies) -> RecodedTrees:
    """Publish trees under a stored cut and the stored sequence of disassociations.

    Raises
    ------
    InputError
        It is a local recoding, malformed, or made for other classes.
    """
    from shoal.algorithms.trees.recoding import (
        apply_tree_recoding,  # kernels are heavy, and only this job needs them
    )

    stored_cut, cut_relations = recoding.get("cut"), recoding.get("disassociations")
    if stored_cut is None and cut_relations is None:
        raise InputError(
            "recoding: it was local, and a local recoding cannot be applied to other records; run a method instead"
        )
    if not _is_cut(stored_cut) or not _is_sequence(cut_relations):
        raise InputError(
            "recoding: its cut or its disassociations are malformed; use the file as it was written"
        )
    limits = recoding.get("limits", [])
    if not _is_limits(limits):
        raise InputError("recoding: its limits are malformed; use the file as it was written")
    rule = {"cut": stored_cut, "disassociations": cut_relations, **({"limits": limits} if limits else {})}
    return apply_tree_recoding("recoding", trees, hierarchies, rule)


def _is_cut(found: object) -> bool:
    return isinstance(found, dict) and all(
        labels is None or _is_text_list(labels) for labels in found.values()
    )


def _is_limits(found: object) -> bool:
    return isinstance(found, list) and all(
        isinstance(entry, list)
        and len(entry) == 2
        and _is_text_list(entry[0])
        and len(entry[0]) == 2
        and type(entry[1]) is int
        and entry[1] >= 0
        for entry in found
    )


def _is_sequence(found: object) -> bool:
    return isinstance(found, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(_is_end(end) for end in pair) for pair in found
    )


def _is_end(found: object) -> bool:
    """A class, or one value of a class."""
    return isinstance(found, str) or (isinstance(found, list) and len(found) == 2 and _is_text_list(found))


def _is_text_list(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(text, str) for text in found)
