"""LRA: local recoding, a cut for each part of alike records (Terrovitis et al.)."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from shoal.algorithms.itemsets.item_codes import (
    ItemCodes,
    Taxonomy,
    code_items,
    numbers_of,
    recode_items,
    require,
    root_is_good,
)
from shoal.algorithms.itemsets.item_cuts import find_cut, node_forms
from shoal.algorithms.knobs import Many, Share
from shoal.algorithms.ring.basket_order import gray_order
from shoal.data import Baskets
from shoal.data.arrays import I8, owners
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedBaskets, Result

__all__ = ["lra"]


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
    opens = np.r_[0, np.cumsum(found.items < found.width)]
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
