"""Releases as attackers sit before them, and the same as plain Python data for the slow twins."""

import numpy as np
import pytest

from shoal.attacks.view_items import ItemView
from shoal.attacks.view_trees import TreeView
from shoal.attacks.votes import VoteView
from shoal.data import Trees
from shoal.release import PublishedBits, Sensitive


def near(found, wanted):
    """Whether an attacker's chances are those of its twin."""
    return found.chances.tolist() == pytest.approx([float(chance) for chance in wanted])


def lists(sets):
    """Sets of numbers, one after the other."""
    numbers = [one for some in sets for one in sorted(some)]
    return np.cumsum([0, *map(len, sets)]), np.array(numbers, dtype=np.int64)


def own_rows(rows, records):
    """The released row of each record, -1 where there is none."""
    own = np.full(records, -1, dtype=np.int64)
    own[rows] = np.arange(len(rows))
    return own


def item_view(baskets, release, tree, exempt=False):
    """Generalized baskets beside their originals."""
    forms = release.forms
    members = zip(forms.labels, forms.start[:-1], forms.start[1:], strict=True)
    entries = tuple(
        tuple(baskets.values[leaf] for leaf in forms.leaves[a:b]) if label is None else label
        for label, a, b in members
    )
    own = own_rows(release.rows, baskets.n)
    left_out = release.suppressed > 0
    return ItemView(baskets, release.start, release.items, entries, tree, own, exempt, left_out)


def plain_items(view):
    """Baskets and rows as sets of texts, a published item as all it may stand for, and whose row is whose."""
    baskets = [
        {view.original.values[code] for code in view.original.basket(record)}
        for record in range(view.original.n)
    ]
    meant = [_meant(entry, view.hierarchy) for entry in view.entries]
    rows = [[meant[e] for e in view.items[a:b]] for a, b in zip(view.start[:-1], view.start[1:], strict=True)]
    return baskets, rows, whose(view)


def _meant(entry, tree):
    if isinstance(entry, tuple):
        return frozenset(entry)
    low, high = tree.places.get(entry, (0, 0))
    return frozenset(tree.leaves[low:high]) or frozenset([entry])


def whose(view):
    """The row of each person, None where it was suppressed."""
    return [None if row < 0 else int(row) for row in view.own]


def vote_view(baskets, release, label=None):
    """Baskets by vote beside their originals."""
    labels = {}
    if label is not None:
        values = tuple(value for value in label.values if value is not None)
        place = [-1 if value is None else values.index(value) for value in label.values]
        codes = np.array(place, dtype=np.int64)[label.codes]
        labels = {"label": Sensitive(codes[release.rows], values), "original_label": Sensitive(codes, values)}
    bits = PublishedBits(
        release.start,
        release.items.astype(np.int64),
        release.maybe_start,
        release.maybe.astype(np.int64),
        release.errors.astype(np.int64),
        original_start=baskets.start,
        original_items=baskets.items.astype(np.int64),
        **labels,
    )
    return VoteView(bits, own_rows(release.rows, baskets.n))


def plain_votes(published):
    """Baskets, and rows as (items, uncertain, errors)."""
    lists = [
        [set(numbers[a:b].tolist()) for a, b in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]
        for start, numbers in (
            (published.original_start, published.original_items),
            (published.start, published.items),
            (published.maybe_start, published.maybe),
        )
    ]
    return lists[0], list(zip(*lists[1:], published.errors.tolist(), strict=True))


def tree_view(trees, release, hierarchies, hidden=None, negations=()):
    """Released trees beside their originals."""
    shown = release.trees
    known = {name: tree for name, tree in hierarchies.items() if name != hidden}
    return TreeView(trees, shown, known, own_rows(release.rows, trees.n), hidden, tuple(negations))


def as_trees(records, secret=None, *, repeats=False):
    """Nested records as trees; the secret class is none where nobody has it."""
    kinds = Trees.of(records).classes
    return Trees.of(records, secret if secret in kinds else None, repeats=repeats)
