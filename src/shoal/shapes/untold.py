"""Releases that protect by telling nothing: refused unless somebody wants one, for a yes to them would mislead.

A record tells nothing where every quasi-identifier, every item and every node of it stands for all values there are, or
is left out. Values that are published as they are, such as sensitive ones, do not count: whose they are is not told.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shoal.base.errors import InfeasibleError
from shoal.data import Baskets, Trees
from shoal.data.arrays import B1, I8, row_of_entry, sum_counts, sum_rows
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import (
    Claim,
    PublishedValues,
    Recoded,
    RecodedBaskets,
    RecodedMixed,
    RecodedTrees,
    Result,
    VotedBaskets,
)
from shoal.report.words import names_in_words

__all__ = ["count_untold", "find_uninformative_baskets", "find_uninformative_trees", "refuse_untold"]

_MOST = 0.9  # of the people may be published with nothing told of them


def refuse_untold(dataset: Any, result: Result[Any]) -> None:
    """Refuse a release in which nothing is told of more than nine people in ten.

    Raises
    ------
    InfeasibleError
        So little is left; the message says why, and what would help.
    """
    release = result.release
    if not dataset.records:
        return
    empty, released_count = dataset.count_untold(release)
    if empty > _MOST * released_count or not released_count:
        raise InfeasibleError(
            f"nothing is left: in {empty:,} of {released_count:,} released records all that may be known is hidden; "
            f"{_suggest_remedy(dataset, release, result.claim)}, or publish it all the same with --allow-empty "
            "(allow_empty=True in Python)"
        )


def count_untold(dataset: Any, release: Any) -> tuple[int, int]:
    """How many released records in memory tell nothing, and how many there are."""
    rows = _UNTOLD[type(release)](dataset, release)
    counts = getattr(release, "counts", None)
    return sum_counts(rows, counts), sum_counts(np.ones(len(rows), dtype=bool), counts)


def _find_untold_rows(dataset: Any, release: Recoded) -> B1:
    """Which released rows tell nothing in any quasi-identifier."""
    hierarchies: Hierarchies = getattr(dataset, "people", dataset).hierarchies
    rows: B1 = np.ones(len(release.codes), dtype=bool)
    for j, (name, forms) in enumerate(zip(release.names, release.forms, strict=True)):
        hierarchy = hierarchies[name]
        rows &= _are_roots(forms, hierarchy.size, hierarchy)[release.codes[:, j]]
    return rows


def _are_roots(forms: PublishedValues, size: int, hierarchy: Hierarchy) -> B1:
    """Which forms stand for all of several leaves, as the root, a blank, or a range or set that is no node.

    Where everybody is between 30 and 39, [30, 40) tells it: it is a node below the root. A mean is a number.
    """
    if forms.centre or size < 2:
        return np.zeros(len(forms.labels), dtype=bool)
    is_below_root = [label != hierarchy.root and label in hierarchy.places for label in forms.labels]
    return np.asarray((forms.counts(size) >= size) & ~np.array(is_below_root, dtype=bool))


def _find_untold_baskets(dataset: Any, release: RecodedBaskets) -> B1:
    return find_uninformative_baskets(dataset.baskets, release, dataset.hierarchy)


def find_uninformative_baskets(baskets: Baskets, release: RecodedBaskets, hierarchy: Hierarchy) -> B1:
    """Which released baskets held something, and tell nothing of it."""
    had_items = np.diff(baskets.start)[release.rows] > 0
    is_informative = ~_are_roots(release.forms, len(baskets.values), hierarchy)
    return np.asarray(had_items & (sum_rows(release.start, is_informative[release.items]) == 0))


def _find_untold_votes(dataset: Any, release: VotedBaskets) -> B1:
    """Which baskets by vote held something, and have no item that stands in every possible world."""
    had_items = np.diff(dataset.baskets.start)[release.rows] > 0
    owner, item_count = row_of_entry(release.start), len(release.values)
    is_uncertain = np.isin(
        owner * item_count + release.items, row_of_entry(release.maybe_start) * item_count + release.maybe
    )
    list_sizes = np.diff(release.start)
    wrong_counts = np.minimum(np.bincount(owner[is_uncertain], minlength=len(list_sizes)), release.errors)
    return np.asarray(had_items & (list_sizes - wrong_counts <= 0))


def _find_untold_mixed_rows(dataset: Any, release: RecodedMixed) -> B1:
    """Which released rows tell nothing in their quasi-identifiers, and nothing of any item."""
    empty = np.diff(release.baskets.start) == 0
    rows: B1 = _find_untold_rows(dataset, release.table) & (
        empty | _find_untold_baskets(dataset, release.baskets)
    )
    return rows


def _find_untold_trees(dataset: Any, release: RecodedTrees) -> B1:
    return find_uninformative_trees(release.trees, dataset.hierarchies)


def find_uninformative_trees(trees: Trees, hierarchies: Hierarchies) -> B1:
    """Which released trees have nodes, all of which stand for every value of their field."""
    hierarchy_of_item = [hierarchies.get(trees.classes[kind]) for kind in trees.kinds.tolist()]
    root = np.array(
        [
            hierarchy is not None and hierarchy.size > 1 and value == hierarchy.root
            for hierarchy, value in zip(hierarchy_of_item, trees.values, strict=True)
        ],
        dtype=bool,
    )
    nodes: I8 = np.diff(trees.start)
    informative_counts = np.bincount(row_of_entry(trees.start)[~root[trees.items]], minlength=len(nodes))
    return np.asarray((nodes > 0) & (informative_counts == 0))


_UNTOLD: Mapping[type, Callable[[Any, Any], B1]] = {
    Recoded: _find_untold_rows,
    RecodedBaskets: _find_untold_baskets,
    VotedBaskets: _find_untold_votes,
    RecodedMixed: _find_untold_mixed_rows,
    RecodedTrees: _find_untold_trees,
}
"""By kind of release, which of its records tell nothing."""


def _suggest_remedy(dataset: Any, release: Any, claim: Claim) -> str:
    """What would leave more: a smaller k only where k alone leaves room for one class."""
    k, records = claim.crowd, dataset.records
    if 2 * k > records:
        return f"k = {k} leaves room for one class of {records:,} records: ask for a smaller k, or give more records"
    ways = []
    table = release.table if isinstance(release, RecodedMixed) else release
    if isinstance(table, Recoded):
        hierarchies = getattr(dataset, "people", dataset).hierarchies
        steep = [f"'{name}'" for name in table.names if hierarchies[name].height < 2 < hierarchies[name].size]
        if steep:
            column_names = names_in_words(steep)
            ways.append(f"give {column_names} a hierarchy with levels between the values and the root")
        if len(table.names) > 1:
            ways.append(f"make fewer than these {len(table.names)} columns quasi-identifiers")
    if len(claim.parts) > 1 or not claim.crowd > 1:
        ways.append(f"ask for less than {' and '.join(part.named for part in claim.parts)}")
    if not ways or not isinstance(table, Recoded):
        ways.append("allow more records to be left out (suppress), or ask for less")
    return ", or ".join(ways)
