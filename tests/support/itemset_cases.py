"""Small random baskets with hierarchies, and methods and releases as tests of k^m look at them."""

import inspect

import numpy as np
from hypothesis import strategies as st

import naive_itemsets as naive
import strategies
from claiming import claimed
from shoal.algorithms import METHODS
from shoal.algorithms.itemsets.item_cuts import Taxonomy
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.release import PublishedBaskets, PublishedValues, RecodedBaskets

ITEMS = ("a", "b", "c", "d", "e", "f")
GOODS = [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"], ["jam", "food", "*"]]
TREE = Hierarchy.from_paths("items", GOODS)
MAKERS = [name for name, found in METHODS.items() if found.kind == "itemsets"]


@st.composite
def cases(draw, max_rows=10, sensitive=False):
    """Baskets over ITEMS, many of them alike, and a hierarchy over these and an item that never occurs."""
    kinds = draw(strategies.several(strategies.subsets(ITEMS, 5), draw(st.integers(1, 6))))
    rows = draw(strategies.several(tuple(kinds), draw(st.integers(1, max_rows))))
    secret = draw(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=2)) if sensitive else ()
    tree = Hierarchy.from_paths("items", draw(strategies.hierarchies(leaves=(*ITEMS, "g"))))
    return Baskets.of("items", rows, secret), tree


def make(maker, baskets, tree, **options):
    """Call a method with what it takes."""
    takes = inspect.signature(maker).parameters
    given = {"hierarchy": tree} if "hierarchy" in takes else {}
    if "suppress" not in takes:
        options.pop("suppress", None)
    return claimed(maker, baskets, **given, **options)


def seen(release, baskets):
    """The release as a judge sees it."""
    numbers = release.forms.sets()
    members = list(zip(release.forms.start[:-1], release.forms.start[1:], strict=True))
    held = [set(release.forms.leaves[a:b].tolist()) for a, b in members]
    secret = {int(numbers[f]) for f, leaves in enumerate(held) if leaves and leaves <= baskets.sensitive}
    covers = {
        value: frozenset(int(numbers[f]) for f, leaves in enumerate(held) if code in leaves)
        for code, value in enumerate(baskets.values)
    }
    return PublishedBaskets(release.start, numbers[release.items], frozenset(secret), covers)


def baskets(baskets):
    """The baskets as sets of texts."""
    return [{baskets.values[code] for code in baskets.basket(record)} for record in range(baskets.n)]


def optimum(sold, tree, k, m):
    """The least NCP of any cut that keeps the claim, by looking at all of them."""
    taxonomy = Taxonomy.of(tree)
    parents = {
        label: None if node == 0 else taxonomy.labels[taxonomy.parent[node]]
        for node, label in enumerate(taxonomy.labels)
    }
    span = dict(zip(taxonomy.labels, (taxonomy.hi - taxonomy.lo).tolist(), strict=True))
    rows, best = baskets(sold), None
    for cut in naive.cuts(parents):
        shown = [{cut[item] for item in row} for row in rows]
        if not naive.rare(shown, k, m):
            paid = naive.ncp([[span[cut[item]] for item in row] for row in rows], tree.size)
            best = paid if best is None else min(best, paid)
    return best


def published(release, baskets):
    """What every released record publishes, each item as the set of items it may stand for."""
    forms = release.forms
    members = [
        frozenset(baskets.values[leaf] for leaf in forms.leaves[a:b])
        for a, b in zip(forms.start[:-1], forms.start[1:], strict=True)
    ]
    rows = zip(release.start[:-1], release.start[1:], strict=True)
    return [[members[form] for form in release.items[a:b]] for a, b in rows]


def untouched(baskets):
    """The baskets, every item published as it is."""
    every = np.arange(len(baskets.values))
    forms = PublishedValues(baskets.values, np.arange(len(every) + 1), every.astype(np.int32))
    return RecodedBaskets(forms, baskets.start, baskets.items, np.arange(baskets.n), baskets.n)
