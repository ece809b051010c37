"""Cuts for parts (Terrovitis et al.): LRA, one for each part of alike records; VPA, for parts of the domain first."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets
from shoal.algorithms.itemsets.item_codes import (
    ItemCodes,
    Taxonomy,
    code_items,
    gather,
    numbers_of,
    recode_items,
    require,
    root_is_good,
)
from shoal.algorithms.itemsets.item_cuts import find_cut, node_forms, publish_cut
from shoal.algorithms.knobs import Many, Share
from shoal.algorithms.ring.basket_order import gray_order
from shoal.data import Baskets
from shoal.data.arrays import I4, I8, owners, prefix_sums
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedBaskets, Result

__all__ = ["lra", "vpa"]


def lra(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    parts: Many = 2,
    suppress: Share = 0.0,
    progress: Progress = silent,
) -> Result[RecodedBaskets]:
    """Sort similar records together, cut the order into parts, and run Apriori Anonymization in each.

    An item may stay as it is in one part and be generalized in another; readers must accept both.

    Parameters
    ----------
    baskets, hierarchy, claim, progress
        As in `apriori`.
    suppress
        The share of the item occurrences of each part that may be left out, 0 to below 1. It is used only where
        nothing but the root would help a combination: its rarest node is then left out instead.
    parts
        Into how many parts the records are cut. All parts have the same size, except for rounding. Parts are united
        where one is too small for k or holds a sensitive item too often for l.

    Returns
    -------
    Result
        The recoding is local: the release has no rule.

    Raises
    ------
    HierarchyError, InfeasibleError, InputError
        As in `apriori`.

    Notes
    -----
    *Guarantee*  It is the same as in `apriori`. A combination that occurs in some part occurs there in at least k
    records. In each part where it occurs, a sensitive item is in at most 1/l of these records, so the same is true
    for all parts together.

    *Order*  Records are sorted by the Gray rank of their baskets, and the rarest item is the highest digit. So
    records with rare items, which must be generalized, come together.

    *Departures*  We did not have the paper's text [1]_. That all parts have the same size, and how parts that cannot
    keep the claim are united, was decided here.

    *Randomness*  None.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
       VLDB Journal 20(1), 2011.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_paths("items", [["ale", "*"], ["rum", "*"], ["pie", "*"]])
    >>> sold = Baskets.of("items", [["ale"], ["ale"], ["rum"], ["pie"]])
    >>> local = lra(sold, hierarchy, KmAnonymity(2, 1), parts=2).release
    >>> [local.forms.labels[form] for form in local.items]
    ['ale', 'ale', '*', '*']
    """
    if isinstance(parts, bool) or parts < 1:
        raise InputError(f"lra: parts={parts}; give a whole number of at least 1")
    k, m, l = numbers_of("lra", claim)
    found = code_items("lra", baskets, hierarchy, exempt=claim.exempts)
    found.allowance("lra", suppress)
    require("lra", found.weighted(), k, l)
    taxonomy = Taxonomy.of(hierarchy)
    node = np.full(len(found.items), -1, dtype=np.int64)
    row = owners(baskets.start)
    codes = found.place[baskets.items]
    opens = codes < found.width
    made = list(_parts(baskets, found, parts, k, l))
    part_of = np.zeros(baskets.n, dtype=np.int64)
    forms = np.empty((len(made), found.width), dtype=np.int32)
    mended, tell = 0, rising(progress, "lra: parts")
    for number, rows in enumerate(made):
        tell(number / len(made))
        weighted = found.weighted(rows)
        spare = found.allowance("lra", suppress, rows)
        cut = find_cut(weighted, taxonomy, k=k, m=m, l=l, spare=spare, method="lra")
        forms[number], mended = cut.form, mended + cut.mended
        part_of[rows] = number
    node[opens] = forms[part_of[row[opens]], codes[opens]]
    nodes = np.unique(node[node >= 0]).astype(np.int32)
    shown = np.searchsorted(nodes, node)
    shown[node < 0] = -1
    shown[~opens] = len(nodes) + codes[~opens] - found.width
    release = recode_items(baskets, shown, node_forms(baskets, taxonomy, found.place, nodes))
    return Result(release, claim, trace={"parts": len(made), "mended": mended})


def _parts(baskets: Baskets, found: ItemCodes, parts: int, k: int, l: int) -> Iterator[I8]:
    """Cut the Gray order of all records with open items into parts whose root is good."""
    rank = np.argsort(np.argsort(np.bincount(baskets.items, minlength=len(baskets.values)), kind="stable"))
    opens = prefix_sums(found.items < found.width)
    order = gray_order(baskets, rank)
    order = order[opens[found.start[order + 1]] > opens[found.start[order]]]
    bounds = np.linspace(0, len(order), min(parts, max(len(order) // k, 1)) + 1).round().astype(np.int64)
    good: list[I8] = []
    rest = order[:0]
    for begin, end in pairwise(bounds.tolist()):
        rest = np.r_[rest, order[begin:end]]
        if root_is_good(found.weighted(rest), k, l):
            good.append(rest)
            rest = order[:0]
    while len(rest) and good:
        rest = np.r_[good.pop(), rest]
        if root_is_good(found.weighted(rest), k, l):
            break
    yield from good
    if len(rest):
        yield rest


def vpa(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    parts: Many = 5,
    suppress: Share = 0.0,
    progress: Progress = silent,
) -> Result[RecodedBaskets]:
    """Split the items along the hierarchy, run Apriori Anonymization on each part's items, then on all.

    The last run starts from the cuts that were found; it repairs the combinations that span several parts.

    Parameters
    ----------
    baskets, hierarchy, claim, suppress, progress
        As in `apriori`.
    parts
        Into how many parts the items are split. Each part is a run of neighbouring subtrees of the hierarchy, and all
        parts have about the same number of occurrences.

    Returns
    -------
    Result
        Its rule is one cut, as in `apriori`.

    Raises
    ------
    HierarchyError, InfeasibleError, InputError
        As in `apriori`.

    Notes
    -----
    *Guarantee*  It is the same as in `apriori`, because of the last run.

    *Departures*  Within a part nothing becomes the root, because the root reaches beyond the part: a combination that
    only the root would repair waits for the last run. We did not have the paper's text [1]_; how subtrees form parts
    was decided here.

    *Randomness*  None.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
       VLDB Journal 20(1), 2011.

    Examples
    --------
    >>> paths = [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"], ["jam", "food", "*"]]
    >>> hierarchy = Hierarchy.from_paths("items", paths)
    >>> sold = Baskets.of("items", [["ale", "pie"], ["ale", "jam"], ["rum", "pie"], ["rum", "jam"]])
    >>> vpa(sold, hierarchy, KmAnonymity(2, 2), parts=2).release.rule
    {'cut': {'jam': 'food', 'pie': 'food'}}
    """
    if isinstance(parts, bool) or parts < 1:
        raise InputError(f"vpa: parts={parts}; give a whole number of at least 1")
    k, m, l = numbers_of("vpa", claim)
    found = code_items("vpa", baskets, hierarchy, exempt=claim.exempts)
    spare = found.allowance("vpa", suppress)
    weighted = found.weighted()
    require("vpa", weighted, k, l)
    taxonomy = Taxonomy.of(hierarchy)
    tops = _tops(found, taxonomy, parts)
    parted = replace(taxonomy, parent=_parents_of_parts(taxonomy, tops))
    form, bounds = taxonomy.leaves.copy(), _bounds(found, taxonomy, tops, parts)
    mended, tell = 0, rising(progress, "vpa: parts of the items")
    for number, (lo, hi) in enumerate(pairwise(bounds)):
        tell(number / (len(bounds) - 1))
        cut = find_cut(_within(found, lo, hi), parted, k=k, m=m, l=l, top=False, method="vpa")
        form[lo:hi], mended = cut.form[lo:hi], mended + cut.mended
    last = find_cut(
        weighted, taxonomy, k=k, m=m, l=l, form=form, spare=spare, method="vpa", progress=progress
    )
    release = publish_cut(baskets, taxonomy, found.place, last.form)
    return Result(
        release, claim, trace={"parts": len(bounds) - 1, "mended": mended, "mended_last": last.mended}
    )


def _use(found: ItemCodes, taxonomy: Taxonomy) -> I8:
    """For each node, the occurrences below it."""
    before = prefix_sums(np.bincount(found.items, minlength=found.width)[: found.width])
    return np.asarray(before[taxonomy.hi] - before[taxonomy.lo])


def _tops(found: ItemCodes, taxonomy: Taxonomy, parts: int) -> I8:
    """Subtrees that together cover all leaves: the most used one is split until there are at least `parts`."""
    use = _use(found, taxonomy)
    tops = [0]
    while len(tops) < max(parts, 2):
        split = max(
            (node for node in tops if taxonomy.hi[node] - taxonomy.lo[node] > 1),
            key=lambda a: use[a],
            default=-1,
        )
        if split < 0:
            break
        below = np.flatnonzero(taxonomy.parent == split)
        tops = [node for node in tops if node != split] + below[below != split].tolist()
    return np.array(sorted(tops, key=lambda node: int(taxonomy.lo[node])), dtype=np.int64)


def _parents_of_parts(taxonomy: Taxonomy, tops: I8) -> I4:
    """The parents, those of `tops` being the root."""
    parent = taxonomy.parent.copy()
    parent[tops] = 0
    return parent


def _bounds(found: ItemCodes, taxonomy: Taxonomy, tops: I8, parts: int) -> list[int]:
    """Leaf codes between which runs of subtrees lie, with about as many occurrences each."""
    total = np.cumsum(_use(found, taxonomy)[tops])
    ends = np.searchsorted(total, np.arange(1, parts) * total[-1] / parts)
    inner = taxonomy.hi[tops[np.minimum(ends, len(tops) - 1)]].tolist()
    return sorted({0, *inner, found.width})


def _within(found: ItemCodes, lo: int, hi: int) -> WeightedBaskets:
    """The baskets with only the open items of one part, and all secrets."""
    kept = ((found.items >= lo) & (found.items < hi)) | (found.items >= found.width)
    before = prefix_sums(kept)
    return gather(before[found.start], found.items[kept], found.width, found.secrets)
