"""Cuts through a hierarchy of items: found by Apriori Anonymization, and applied.

`find_cut` takes plain arrays and is cheap on few baskets, so that a maker may call it once per cluster.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np

from shoal.algorithms.itemsets.coded_baskets import coded, recoded
from shoal.algorithms.itemsets.taxonomy import Taxonomy
from shoal.data import Baskets
from shoal.data.lists import owners_by_size
from shoal.data.types import F8, I4
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from shoal.kernels.itemsets.generalize_items import Cut, Tree, climb
from shoal.kernels.itemsets.rare_itemsets import Held, WeightedBaskets, hold, invert
from shoal.progress import Progress, Tell, nobody, rising, rounds, silent, watching
from shoal.release import Forms, RecodedBaskets

__all__ = ["Found", "apply_cut", "find_cut", "node_forms", "publish_cut", "ranges", "watched"]


MOST = 2**31  # combinations of one size that are counted; a judge takes as long for as many
AT_ONCE = 2**26  # combinations counted in one call of a kernel


class Found(NamedTuple):
    """A cut as int32[leaves] nodes of the taxonomy, -1 where a leaf is left out, and how the search went."""

    form: I4
    mended: int
    passes: int


def find_cut(
    weighted: WeightedBaskets,
    taxonomy: Taxonomy,
    *,
    k: int,
    m: int,
    l: int = 0,
    form: I4 | None = None,
    top: bool = True,
    spare: int = 0,
    maker: str = "apriori",
    progress: Progress = silent,
) -> Found:
    """Generalize from a cut (the leaves unless given) until no itemset of at most m nodes is rare or crowded.

    Parameters
    ----------
    baskets
        What `gather` returned; its open items are leaf codes of the taxonomy. With l it has secrets.
    taxonomy, k, m, l
        The nodes, and the claim; l = 0 asks for no diversity.
    form
        int32[leaves], the cut to start from.
    top
        Whether the root may be used. If so, the caller made sure that the root keeps the claim (`require`), and so
        does the result. If not, itemsets that only the root would repair are left as they are.
    spare
        Item occurrences that may be left out where only the root would do otherwise.
    maker, progress
        The name for errors, and a listener that is told how far the work is.

    Raises
    ------
    InfeasibleError
        The records are so long that their combinations cannot be counted.
    """
    tree, cut, order = _begin(weighted, taxonomy, taxonomy.leaves if form is None else form, spare)
    mended = passes = 0
    turns: dict[int, Iterator[Tell]] = {}
    while True:
        before = mended
        for size in range(1, m + 1):
            fixed, left = -1, 0
            itemset = np.zeros(size, dtype=np.int32)
            if size not in turns:
                turns[size] = rounds(rising(progress, f"{maker}: combinations of {size} items"))
            while fixed:
                held = hold(weighted, cut.form, len(tree.parent))
                fixed = left = 0
                for first, last in watched(maker, held, itemset, next(turns[size])):
                    done, undone = climb(weighted, held, tree, cut, itemset, k, l, first, last, top)
                    fixed, left = fixed + done, left + undone
                mended, passes = mended + fixed, passes + 1
            if left:  # larger itemsets around those left are as rare
                break
        if not l or mended == before:  # supports only grow as items generalize, but shares of secrets may too
            return Found(np.where(cut.form < 0, np.int32(-1), order[cut.form]), mended, passes)


def watched(maker: str, held: Held, itemset: I4, tell: Tell) -> Iterator[tuple[int, int]]:
    """Yield the ranges of first items; as long as each is worked on, tell how far `itemset` shows the kernel to be."""
    parts = ranges(maker, held, len(itemset))
    if tell is nobody:
        yield from parts
        return
    work = _work(held, len(itemset))
    whole = max(float(work[-1]), 1.0)
    for first, last in parts:
        itemset[0] = first
        with watching(tell, lambda: float(work[itemset[0]]) / whole):
            yield first, last
        tell(float(work[last]) / whole)


def _begin(weighted: WeightedBaskets, taxonomy: Taxonomy, form: I4, spare: int) -> tuple[Tree, Cut, I4]:
    """Number the nodes by rising use, so that rare ones are mended first, and set up the cut."""
    row = owners_by_size(weighted.mid - weighted.start[:-1]).astype(np.int32)
    opens = weighted.items[weighted.items < weighted.width] if weighted.secrets else weighted.items
    leaf_use = np.bincount(opens, weights=weighted.weight[row], minlength=weighted.width).astype(np.int64)
    before = np.r_[0, np.cumsum(leaf_use)]
    use, leaves = before[taxonomy.hi] - before[taxonomy.lo], taxonomy.hi - taxonomy.lo
    order = np.lexsort((taxonomy.lo, leaves, use)).astype(np.int32)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    tree = Tree(rank[taxonomy.parent[order]], taxonomy.lo[order], taxonomy.hi[order])
    own = rank[form]
    alive = np.zeros(len(order), dtype=np.bool_)
    alive[own] = True
    covers = leaves[form].astype(np.int64)
    paid = np.r_[0, np.cumsum(np.where(covers > 1, leaf_use * covers, 0))]
    post_start, post = invert(opens, weighted.width)
    stamp = np.zeros(len(weighted.weight) + 1, dtype=np.int64)
    below = paid[tree.hi] - paid[tree.lo]
    allowed = np.array([spare], dtype=np.int64)
    return tree, Cut(own, alive, use[order], below, leaf_use, allowed, post_start, row[post], stamp), order


def ranges(maker: str, held: Held, size: int) -> Iterator[tuple[int, int]]:
    """Split the published items so that the combinations beginning in each range are few enough to wait for.

    Raises
    ------
    InfeasibleError
        There are too many to be counted at all.
    """
    width = len(held.post_start) - 1
    lengths, rows = np.unique(np.diff(held.start), return_counts=True)
    total = sum(
        count * comb(length, size) for length, count in zip(lengths.tolist(), rows.tolist(), strict=True)
    )
    if total > MOST:
        raise InfeasibleError(
            f"{maker}: records of up to {lengths[-1]} items hold {total:.1e} combinations of {size} items, more than "
            "can be counted; lower m or leave the longest records out"
        )
    if total <= AT_ONCE:
        if total:
            yield 0, width
        return
    edges = np.searchsorted(_work(held, size)[1:], np.arange(AT_ONCE, total, AT_ONCE))
    bounds = np.unique(np.r_[0, edges + 1, width]).tolist()
    yield from pairwise(bounds)


def _work(held: Held, size: int) -> F8:
    """How many combinations of a size begin with an item before each one: float64[items + 1]."""
    width = len(held.post_start) - 1
    behind = held.start[held.row + 1] - np.arange(len(held.row)) - 1
    table = np.array([float(comb(length, size - 1)) for length in range(int(behind.max(initial=0)) + 1)])
    found = np.bincount(held.items, weights=table[behind], minlength=width)
    return np.concatenate([[0.0], np.cumsum(found)])


def node_forms(baskets: Baskets, taxonomy: Taxonomy, place: I4, nodes: I4) -> Forms:
    """The forms of some nodes, then of every exempt item; a node stands for the vocabulary's items below it."""
    width = int(taxonomy.hi[0])
    known = np.flatnonzero((place >= 0) & (place < width))
    known = known[np.argsort(place[known], kind="stable")]
    lo, hi = (np.searchsorted(place[known], bound[nodes]) for bound in (taxonomy.lo, taxonomy.hi))
    exempt = np.flatnonzero(place >= width)
    parts = [np.sort(known[a:b]) for a, b in zip(lo, hi, strict=True)] + [
        exempt[i : i + 1] for i in range(len(exempt))
    ]
    labels = (*(taxonomy.labels[node] for node in nodes), *(baskets.values[code] for code in exempt))
    start = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    leaves = np.concatenate(parts).astype(np.int32) if parts else np.empty(0, dtype=np.int32)
    return Forms(labels, start, leaves)


def _rule(baskets: Baskets, taxonomy: Taxonomy, place: I4, form: I4) -> dict[str, Any]:
    """The cut as plain data: by item of the vocabulary that is generalized the label of its node, None if left out."""
    changed = form != taxonomy.leaves
    label = (*taxonomy.labels, None)  # form -1 is the last
    return {
        "cut": {
            value: label[form[code]]
            for value, code in zip(baskets.values, place.tolist(), strict=True)
            if 0 <= code < len(changed) and changed[code]
        }
    }


def publish_cut(baskets: Baskets, taxonomy: Taxonomy, place: I4, form: I4) -> RecodedBaskets:
    """Publish all baskets under one cut."""
    codes = place[baskets.items]
    nodes = np.unique(form[codes[codes < len(form)]])
    nodes = nodes[nodes >= 0]
    number = np.full(len(taxonomy.lo) + 1, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    exempt = np.flatnonzero(place >= len(form))
    by_code = np.r_[number[form], len(nodes) + np.arange(len(exempt))]
    forms = node_forms(baskets, taxonomy, place, nodes)
    return recoded(baskets, by_code[codes], forms, _rule(baskets, taxonomy, place, form))


def apply_cut(
    baskets: Baskets, hierarchy: Hierarchy, cut: Mapping[str, str | None], *, exempt: bool = False
) -> RecodedBaskets:
    """Publish baskets under a stored cut; items that it does not name and no node of it covers stay as they are.

    Parameters
    ----------
    baskets, hierarchy
        Baskets, perhaps others than the cut was made from, and the hierarchy it was made with.
    cut
        For each item, the label of the node it is published as, None where it is left out; all items below a node
        follow it.
    exempt
        Whether sensitive items stay as they are, as under l^m-diversity.

    Raises
    ------
    HierarchyError
        Items are not in the hierarchy.
    InputError
        The cut does not fit the hierarchy: a label is unknown, an item is not below its node, nodes overlap.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_paths("x", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "pie", "*"]])
    >>> fresh = Baskets.of("items", [["rum", "ale"], ["rum", "pie"]])
    >>> new = apply_cut(fresh, hierarchy, {"ale": "drink"})
    >>> new.forms.labels, new.start.tolist(), new.items.tolist()
    (('drink', 'pie'), [0, 1, 3], [0, 0, 1])
    """
    found = coded("recoding", baskets, hierarchy, exempt=exempt)
    taxonomy = Taxonomy.of(hierarchy)
    node_at = {
        span: node for node, span in enumerate(zip(taxonomy.lo.tolist(), taxonomy.hi.tolist(), strict=True))
    }
    form = taxonomy.leaves.copy()
    for item, label in cut.items():
        leaf = int(hierarchy.look_up([item])[0])
        lo, hi = (leaf, leaf + 1) if label is None else hierarchy.places.get(label, (0, 0))
        if not 0 <= lo <= leaf < hi:
            raise InputError(
                "recoding: its cut does not fit the hierarchy; use the hierarchy it was made with", value=item
            )
        form[lo:hi] = -1 if label is None else node_at[lo, hi]
    covered = np.bincount(form[form >= 0], minlength=len(taxonomy.lo))
    if ((covered > 0) & (covered < taxonomy.hi - taxonomy.lo)).any():
        raise InputError("recoding: two nodes of its cut overlap; use the file as it was written")
    return publish_cut(baskets, taxonomy, found.place, form)
