"""Apriori Anonymization: k^m-anonymity by one cut through a hierarchy of items (Terrovitis et al.).

LRA and VPA find cuts for parts: one for each part of alike records, and for parts of the domain first.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets, find_needed_rows
from shoal.algorithms.itemsets.item_cuts import (
    CutSearch,
    HolderCounts,
    ItemCodes,
    SupportRequirement,
    Taxonomy,
    claim_numbers,
    code_items,
    code_vocabulary,
    count_holders,
    cut_forms,
    find_cut,
    not_in_hierarchy_error,
    publish_cut,
    publish_cuts,
    recode_items,
    require_countable,
    require_support,
    unite_baskets,
)
from shoal.algorithms.knobs import Many, Share, require_positive, suppression_limit
from shoal.algorithms.parts import BasketParts, PublishedParts, basket_part
from shoal.algorithms.ring.basket_order import gray_order
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Baskets
from shoal.data.arrays import I4, I8, prefix_sums, row_of_entry, take_rows
from shoal.hierarchy import Hierarchy
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.release import PublishedValues, RecodedBaskets, Result

__all__ = ["apriori", "lra", "vpa"]


def apriori(
    baskets: Baskets | BasketParts,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    suppress: Share = 0.0,
    progress: Progress = no_progress,
) -> Result[Any]:
    """Generalize items so that every combination of at most `m` of them is in at least `k` records, or in none.

    There is one cut for all records: if an item is published as a node of the hierarchy, so are all items below it.
    For sizes 1, 2, ..., m, each combination of nodes that 1 to k-1 records hold is replaced by the cheapest
    combination of its nodes and nodes above them that at least k records hold. Supports only grow when items are
    generalized, so a size that is done stays done unless items are left out.

    Parameters
    ----------
    baskets, hierarchy
        The baskets, or parts of them (`BasketParts`), and a hierarchy of at least the items that occur.
    claim
        `KmAnonymity`: every combination of at most m items is in at least k records; all items count, sensitive ones
        too. `LmDiversity`: no sensitive item may be in more than 1 of l of the records that share up to m others.
        Sensitive items are then published as they are, they never become part of a generalized item, and k counts
        the other items only.
    suppress
        The share of item occurrences that may be left out, 0 to below 1. It is used only where nothing but
        the root would help a combination: its rarest node is then left out instead.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result
        Of parts, what is published is written beside them.

        The release's rule is `{"cut": {item: node}}`; `apply_cut` applies it to other baskets.

    Raises
    ------
    HierarchyError
        Items are not in the hierarchy.
    InfeasibleError
        There are fewer than k records, or fewer than k records with items; a sensitive item is more frequent than
        1/l; records are so long that their combinations cannot be counted; or too many baskets of parts would have to
        be held.
    InputError
        A number makes no sense, or l is given and no item is sensitive.

    Notes
    -----
    *Guarantee*  The claim holds by construction: the search ends when no combination of the cut is rare. The share
    of a sensitive item may rise when items are generalized, and an item that was left out is published again when a
    node above it is. So with l, and with suppress, the search goes through all sizes again until nothing changes.

    *Cost of a replacement*  It is the increase of NCP over all item occurrences when the cut is raised. An occurrence
    costs the share of leaves below its published node, or nothing if that node is the item itself [3]_. If costs are
    equal, the nearest ancestors are taken, and later items are replaced first. (The public implementations of the
    method differ here.)

    *Order*  Combinations are met depth first, and nodes by rising number of occurrences. After a replacement the walk
    goes back to the longest prefix that is still in the cut. This order loses least in our trials. The paper's
    count-tree is never built, and only combinations of the current cut are counted.

    *Departures*  Where an itemset has more than 4,096 replacements, only those of one item are tried. If k records
    hold no replacement below the root, the root is taken; the paper leaves this case open.

    *Complexity*  Each pass counts the combinations in distinct records; two to four passes per size are usual.
    Memory is linear in the data for every m.

    *Parts*  The search asks two things of the records: how many hold each item, which is added over parts,
    and whether fewer than k hold some nodes at or above the cut. For the second, baskets are projected to the cut,
    equal ones are united, and a basket is left out when each of its combinations is in k others that are kept. If a
    basket that was left out holds some nodes, it holds a combination below them that k kept ones hold; if none was
    left out, all are there. So each answer is that of all records, whatever the order of parts. Shares of sensitive
    items (l) need all records, so there only equal baskets are united. There is one pass over the parts to count items
    and one for each size, where items may be left out as often as that changes the cut. What is held are the baskets
    with combinations that are rare, or were when they came: at most k for each combination.

    *Randomness*  None.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1, 2008.
    .. [2] Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
       VLDB Journal 20(1), 2011.
    .. [3] Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006.

    Examples
    --------
    >>> paths = [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"], ["jam", "food", "*"]]
    >>> hierarchy = Hierarchy.from_paths("items", paths)
    >>> sold = Baskets.of("items", [["ale", "pie"], ["rum", "pie"], ["ale", "pie"], ["jam"], ["pie"]])
    >>> apriori(sold, hierarchy, KmAnonymity(2, 2)).release.rule
    {'cut': {'ale': 'drink', 'jam': 'food', 'pie': 'food', 'rum': 'drink'}}
    """
    if isinstance(baskets, BasketParts):
        return _anonymize_parts(baskets, hierarchy, claim, suppress=suppress, progress=progress)
    k, m, l = claim_numbers("apriori", claim)
    item_codes = code_items("apriori", baskets, hierarchy, exempt=claim.exempts)
    spare = item_codes.allowance("apriori", suppress)
    require_support("apriori", count_holders(item_codes), k, l)
    taxonomy = Taxonomy.of(hierarchy)
    cut = find_cut(item_codes.distinct(), taxonomy, k=k, m=m, l=l, spare=spare, progress=progress)
    release = publish_cut(baskets, taxonomy, item_codes.place, cut.form)
    return Result(release, claim, trace={"mended": cut.mended, "passes": cut.passes})


_SLOTS = 1 << 25  # of the table that counts combinations: half a gigabyte
_KEY = 2**62
_MOST = 1 << 28  # items of distinct baskets that are held at all


def _count_part_items(place: I4, width: int, secrets: int, part: Path) -> tuple[I8, HolderCounts, set[int]]:
    """How many records of a part hold each open item, what they hold, and the items that occur and have no place."""
    start, items = open_arrays(part, "start", "items")
    coded = ItemCodes(start, place[items], width, secrets, place)
    use = np.bincount(coded.items[(coded.items >= 0) & (coded.items < width)], minlength=width)
    return use, count_holders(coded), set(items[coded.items < 0].tolist())


def _gather_parts(
    baskets: BasketParts, place: I4, canon: I4, secrets: int, *, size: int, k: int, exact: bool
) -> WeightedBaskets:
    """The distinct baskets of all parts, as far as they are needed.

    `canon` gives for each leaf the one that stands for its node of the cut. Unless `exact`, baskets are left out that
    no support below k of a combination of at most `size` items depends on (`find_needed_rows`).

    Raises
    ------
    InfeasibleError
        Too many baskets are needed, or records are so long that their combinations cannot be counted.
    """
    width = len(canon)
    sifted = not exact and (width + 1) ** size < _KEY
    keys, counts, used = np.full(1024, -1, dtype=np.int64), np.zeros(1024, dtype=np.int64), 0
    pieces: list[WeightedBaskets] = []
    for part_baskets in baskets.map(partial(_gather_part, place, canon, secrets, size), baskets.parts):
        if sifted:  # then none of them has secrets
            start, items, weight = part_baskets.start, part_baskets.items, part_baskets.weight
            marked, keys, counts, used = find_needed_rows(
                start, items, weight, width, size, k, _SLOTS, keys, counts, used
            )
            needed_rows = np.flatnonzero(marked)
            start, items = take_rows(start, items, needed_rows)
            part_baskets = part_baskets._replace(
                start=start, mid=start[1:], items=items, weight=weight[needed_rows]
            )
        pieces.append(part_baskets)
        if sum(len(piece.items) for piece in pieces) > _MOST:
            raise InfeasibleError(
                f"apriori: the baskets with rare combinations of {size} items are too many to be held; lower k or m, "
                "or give a hierarchy whose lower levels hold more items each"
            )
    sizes, item_lists, weights = zip(
        *((np.diff(piece.start), piece.items, piece.weight) for piece in pieces), strict=True
    )
    begins = prefix_sums(np.concatenate(sizes))
    return unite_baskets(begins, np.concatenate(item_lists), width, secrets, np.concatenate(weights))


def _gather_part(place: I4, canon: I4, secrets: int, size: int, part: Path) -> WeightedBaskets:
    """The distinct baskets of one part."""
    start, items = open_arrays(part, "start", "items")
    width = len(canon)
    total = max(width + secrets, 1)
    code = np.r_[canon, np.arange(width, total, dtype=np.int32)][place[items]]
    key = np.unique(row_of_entry(start) * total + code)
    begins = np.searchsorted(key // total, np.arange(len(start)))
    distinct_baskets = unite_baskets(begins.astype(np.int64), (key % total).astype(np.int32), width, secrets)
    require_countable("apriori", np.diff(distinct_baskets.start), size)
    return distinct_baskets


def _publish_parts(baskets: BasketParts, taxonomy: Taxonomy, place: I4, form: I4) -> PublishedParts:
    """Publish all parts under one cut; what they publish is written beside them."""
    published = cut_forms(baskets.outline, taxonomy, place, form, np.arange(len(baskets.outline.values)))
    task = partial(_publish_part, baskets.outline, place, published.by_code, published.forms)
    gone = sum(baskets.map(task, baskets.parts))
    none = np.zeros(0, dtype=np.int64)
    outline = RecodedBaskets(
        published.forms,
        np.zeros(1, dtype=np.int64),
        none.astype(np.int32),
        none,
        baskets.n,
        gone,
        published.rule,
    )
    return PublishedParts(outline, baskets.parts)


def _publish_part(outline: Baskets, place: I4, by_code: I8, forms: PublishedValues, part: Path) -> int:
    """Write what one part publishes; return how many items were left out."""
    baskets = basket_part(outline, part)
    recoded = recode_items(baskets, by_code[place[baskets.items]], forms)
    save_arrays(part, out_start=recoded.start, out_items=recoded.items, gone=np.array([recoded.suppressed]))
    return recoded.suppressed


def _anonymize_parts(
    baskets: BasketParts,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    suppress: float,
    progress: Progress,
) -> Result[PublishedParts]:
    """Publish baskets in parts as `apriori` publishes them in memory."""
    k, m, l = claim_numbers("apriori", claim)
    code_of_item, width = code_vocabulary(baskets.outline, hierarchy, exempt=claim.exempts)
    secrets = int((code_of_item >= width).sum())
    uses, counts, strange = zip(
        *baskets.map(partial(_count_part_items, code_of_item, width, secrets), baskets.parts), strict=True
    )
    if any(strange):
        raise not_in_hierarchy_error("apriori", baskets.outline, sorted(set().union(*strange)))
    use = np.sum(uses, axis=0)
    require_support(
        "apriori", HolderCounts(*(np.sum(count, axis=0) for count in zip(*counts, strict=True))), k, l
    )
    spare = suppression_limit("apriori", suppress, int(use.sum()), "item occurrences")
    taxonomy = Taxonomy.of(hierarchy)
    search = CutSearch(taxonomy, use, spare=spare, progress=progress)
    if l:
        search.look_at(_gather_parts(baskets, code_of_item, search.canon, secrets, size=m, k=k, exact=True))
        search.settle_sizes(m, k=k, l=l)
    else:
        search.settle_sizes(
            m,
            k=k,
            baskets=lambda size: _gather_parts(
                baskets, code_of_item, search.canon, 0, size=size, k=k, exact=False
            ),
        )
    release = _publish_parts(baskets, taxonomy, code_of_item, search.form)
    return Result(release, claim, trace={"mended": search.mended, "passes": search.passes})


def lra(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    parts: Many = 2,
    suppress: Share = 0.0,
    progress: Progress = no_progress,
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
    require_positive("lra", parts=parts)
    k, m, l = claim_numbers("lra", claim)
    item_codes = code_items("lra", baskets, hierarchy, exempt=claim.exempts)
    item_codes.allowance("lra", suppress)
    require_support("lra", count_holders(item_codes), k, l)
    taxonomy = Taxonomy.of(hierarchy)
    row_parts = list(_split_records(baskets, item_codes, parts, SupportRequirement(k, l)))
    part_of = np.zeros(baskets.n, dtype=np.int64)
    forms = np.zeros((len(row_parts), item_codes.width + item_codes.secrets), dtype=np.int32)
    mended, tell = 0, start_step(progress, "lra: parts")
    for number, rows in enumerate(row_parts):
        tell(number / len(row_parts))
        part = item_codes.take(rows)
        spare = part.allowance("lra", suppress)
        cut = find_cut(part.distinct(), taxonomy, k=k, m=m, l=l, spare=spare, method="lra")
        forms[number, : item_codes.width], mended = cut.form, mended + cut.mended
        part_of[rows] = number
    release = publish_cuts(baskets, taxonomy, item_codes, forms, part_of)
    return Result(release, claim, trace={"parts": len(row_parts), "mended": mended})


def _split_records(baskets: Baskets, found: ItemCodes, parts: int, need: SupportRequirement) -> Iterator[I8]:
    """Cut the Gray order of all records with open items into parts that lack nothing."""
    rank = np.argsort(np.argsort(np.bincount(baskets.items, minlength=len(baskets.values)), kind="stable"))
    opens = prefix_sums(found.items < found.width)
    order = gray_order(baskets, rank)
    order = order[opens[found.start[order + 1]] > opens[found.start[order]]]
    bounds = np.linspace(0, len(order), min(parts, max(len(order) // need.k, 1)) + 1).round().astype(np.int64)
    complete_parts: list[I8] = []
    pending = order[:0]
    for begin, end in pairwise(bounds.tolist()):
        pending = np.r_[pending, order[begin:end]]
        if not need.unmet(count_holders(found.take(pending)))[0]:
            complete_parts.append(pending)
            pending = order[:0]
    while len(pending) and complete_parts:
        pending = np.r_[complete_parts.pop(), pending]
        if not need.unmet(count_holders(found.take(pending)))[0]:
            break
    yield from complete_parts
    if len(pending):
        yield pending


def vpa(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    parts: Many = 5,
    suppress: Share = 0.0,
    progress: Progress = no_progress,
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
    require_positive("vpa", parts=parts)
    k, m, l = claim_numbers("vpa", claim)
    item_codes = code_items("vpa", baskets, hierarchy, exempt=claim.exempts)
    spare = item_codes.allowance("vpa", suppress)
    require_support("vpa", count_holders(item_codes), k, l)
    taxonomy = Taxonomy.of(hierarchy)
    tops = _choose_subtrees(item_codes, taxonomy, parts)
    parent = taxonomy.parent.copy()
    parent[tops] = 0  # within a part nothing stands between these and the root
    part_taxonomy = replace(taxonomy, parent=parent)
    form, bounds = taxonomy.leaves.copy(), _part_bounds(item_codes, taxonomy, tops, parts)
    mended, tell = 0, start_step(progress, "vpa: parts of the items")
    for number, (lo, hi) in enumerate(pairwise(bounds)):
        tell(number / (len(bounds) - 1))
        # The items of the part, and all secrets.
        inside = ((item_codes.items >= lo) & (item_codes.items < hi)) | (item_codes.items >= item_codes.width)
        part = item_codes.where(inside).distinct()
        cut = find_cut(part, part_taxonomy, k=k, m=m, l=l, top=False, method="vpa")
        form[lo:hi], mended = cut.form[lo:hi], mended + cut.mended
    last = find_cut(
        item_codes.distinct(),
        taxonomy,
        k=k,
        m=m,
        l=l,
        form=form,
        spare=spare,
        method="vpa",
        progress=progress,
    )
    release = publish_cut(baskets, taxonomy, item_codes.place, last.form)
    return Result(
        release, claim, trace={"parts": len(bounds) - 1, "mended": mended, "mended_last": last.mended}
    )


def _count_occurrences(found: ItemCodes, taxonomy: Taxonomy) -> I8:
    """For each node, the occurrences below it."""
    before = prefix_sums(np.bincount(found.items, minlength=found.width)[: found.width])
    return np.asarray(before[taxonomy.hi] - before[taxonomy.lo])


def _choose_subtrees(found: ItemCodes, taxonomy: Taxonomy, parts: int) -> I8:
    """Subtrees that together cover all leaves: the most used one is split until there are at least `parts`."""
    use = _count_occurrences(found, taxonomy)
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


def _part_bounds(found: ItemCodes, taxonomy: Taxonomy, tops: I8, parts: int) -> list[int]:
    """Leaf codes between which runs of subtrees lie, with about as many occurrences each."""
    total = np.cumsum(_count_occurrences(found, taxonomy)[tops])
    ends = np.searchsorted(total, np.arange(1, parts) * total[-1] / parts)
    inner = taxonomy.hi[tops[np.minimum(ends, len(tops) - 1)]].tolist()
    return sorted({0, *inner, found.width})
