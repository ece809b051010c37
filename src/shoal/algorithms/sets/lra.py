"""LRA: local recoding, a cut for each part of alike records (Terrovitis et al.)."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.sets.coding import Coded, allowance, coded, recoded, require, root_is_good
from shoal.algorithms.sets.cuts import find_cut, node_forms
from shoal.algorithms.sets.order import gray_order
from shoal.algorithms.sets.taxonomy import Taxonomy
from shoal.data import Sets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import claim_of
from shoal.progress import Progress, silent
from shoal.release import RecodedSets, Result

__all__ = ["lra"]

I8 = NDArray[np.int64]


def lra(
    sets: Sets,
    hierarchy: Hierarchy,
    *,
    k: int | None = None,
    m: int = 2,
    l: int | None = None,
    parts: int = 2,
    suppress: float = 0.0,
    progress: Progress = silent,
) -> Result[RecodedSets]:
    """Sort alike records together, cut the order into parts, and run Apriori Anonymization in each.

    An item may stay as it is in one part and be generalized in another; its readers must accept both.

    Parameters
    ----------
    sets, hierarchy, k, m, l, suppress, progress
        As in `apriori`; `suppress` is a share of the occurrences of each part.
    parts
        Into how many parts the records are cut, of one size but for rounding. Parts are united where one is too
        small for k or holds a sensitive item too often for l.

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
    *Guarantee*  As in `apriori`: a combination that occurs in some part occurs there in at least k records, and
    in each part where it occurs a sensitive item is in at most 1/l of them, so it is overall.

    *Order*  Records are sorted by the Gray rank of their baskets, the rarest item being the highest digit: so
    records with rare items, which must be generalized, come together.

    *Departures*  That parts are of equal size and how infeasible ones are united is ours; the paper's text was
    not at hand [1]_.

    *Randomness*  None.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
       VLDB Journal 20(1), 2011.

    Examples
    --------
    >>> tree = Hierarchy.from_paths("items", [["ale", "*"], ["rum", "*"], ["pie", "*"]])
    >>> sold = Sets.of("items", [["ale"], ["ale"], ["rum"], ["pie"]])
    >>> local = lra(sold, tree, k=2, m=1, parts=2).release
    >>> [local.forms.labels[form] for form in local.items]
    ['ale', 'ale', '*', '*']
    """
    if isinstance(parts, bool) or parts < 1:
        raise InputError(f"lra: parts={parts}; give a whole number of at least 1")
    claim = claim_of(k=k, l=l, m=m)
    found = coded("lra", sets, hierarchy, exempt=l is not None)
    allowance("lra", found, suppress)
    require("lra", found.baskets(), k or 1, l or 0)
    taxonomy = Taxonomy.of(hierarchy)
    node = np.full(len(found.items), -1, dtype=np.int64)
    row = np.repeat(np.arange(sets.n), np.diff(sets.start))
    codes = found.place[sets.items]
    opens = codes < found.width
    made = list(_parts(sets, found, parts, k or 1, l or 0))
    part_of = np.zeros(sets.n, dtype=np.int64)
    forms = np.empty((len(made), found.width), dtype=np.int32)
    mended = 0
    for number, rows in enumerate(made):
        progress("lra: parts", number / len(made))
        baskets = found.baskets(rows)
        spare = int(suppress * int((baskets.weight * (baskets.mid - baskets.start[:-1])).sum()))
        cut = find_cut(baskets, taxonomy, k=k or 1, m=m, l=l or 0, spare=spare, maker="lra")
        forms[number], mended = cut.form, mended + cut.mended
        part_of[rows] = number
    node[opens] = forms[part_of[row[opens]], codes[opens]]
    nodes = np.unique(node[node >= 0]).astype(np.int32)
    shown = np.searchsorted(nodes, node)
    shown[node < 0] = -1
    shown[~opens] = len(nodes) + codes[~opens] - found.width
    release = recoded(sets, shown, node_forms(sets, taxonomy, found.place, nodes))
    return Result(release, claim, trace={"parts": len(made), "mended": mended})


def _parts(sets: Sets, found: Coded, parts: int, k: int, l: int) -> Iterator[I8]:
    """Cut the Gray order of all records with open items into parts whose root is good."""
    rank = np.argsort(np.argsort(np.bincount(sets.items, minlength=len(sets.values)), kind="stable"))
    opens = np.r_[0, np.cumsum(found.items < found.width)]
    order = gray_order(sets, rank)
    order = order[opens[found.start[order + 1]] > opens[found.start[order]]]
    bounds = np.linspace(0, len(order), min(parts, max(len(order) // k, 1)) + 1).round().astype(np.int64)
    good: list[I8] = []
    rest = order[:0]
    for begin, end in pairwise(bounds.tolist()):
        rest = np.r_[rest, order[begin:end]]
        if root_is_good(found.baskets(rest), k, l):
            good.append(rest)
            rest = order[:0]
    while len(rest) and good:
        rest = np.r_[good.pop(), rest]
        if root_is_good(found.baskets(rest), k, l):
            break
    yield from good
    if len(rest):
        yield rest
