"""Apriori Anonymization: k^m-anonymity by one cut through a hierarchy of items (Terrovitis et al.)."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets, needed
from shoal.algorithms.itemsets.item_codes import (
    Taxonomy,
    code_items,
    gather,
    not_in_hierarchy,
    numbers_of,
    places_of,
    recode_items,
    require,
    require_root,
    unite_parts,
)
from shoal.algorithms.itemsets.item_cuts import CutSearch, cut_forms, find_cut, publish_cut, require_countable
from shoal.algorithms.knobs import Share, allowance
from shoal.algorithms.parts import BasketParts, PublishedParts, basket_part
from shoal.data import Baskets
from shoal.data.arrays import I4, I8, owners, take
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchy
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.progress import Progress, silent
from shoal.release import Forms, RecodedBaskets, Result

__all__ = ["apriori", "apriori_by_parts", "survey"]


def apriori(
    baskets: Baskets | BasketParts,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    suppress: Share = 0.0,
    progress: Progress = silent,
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
        1/l; or records are so long that their combinations cannot be counted.
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
        return apriori_by_parts(baskets, hierarchy, claim, suppress=suppress, progress=progress)
    k, m, l = numbers_of("apriori", claim)
    found = code_items("apriori", baskets, hierarchy, exempt=claim.exempts)
    spare = found.allowance("apriori", suppress)
    weighted = found.weighted()
    require("apriori", weighted, k, l)
    taxonomy = Taxonomy.of(hierarchy)
    cut = find_cut(weighted, taxonomy, k=k, m=m, l=l, spare=spare, progress=progress)
    release = publish_cut(baskets, taxonomy, found.place, cut.form)
    return Result(release, claim, trace={"mended": cut.mended, "passes": cut.passes})


_SLOTS = 1 << 25  # of the table that counts combinations: half a gigabyte
_KEY = 2**62
_MOST = 1 << 28  # items of distinct baskets that are held at all


@dataclass(frozen=True, slots=True, repr=False)
class Survey(Discreet):
    """What is asked of all parts first.

    use     : int64[leaves]   records that hold each open item
    some    : records that hold an open item at all
    secrets : int64[secrets]  records that hold each sensitive item
    beside  : int64[secrets]  of these, those that hold an open item, too
    strange : items of the vocabulary that occur and have no place in the hierarchy
    """

    use: I8
    some: int
    secrets: I8
    beside: I8
    strange: frozenset[int]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records hold an item."""
        return {"records with items": self.some}

    def __add__(self, other: "Survey") -> "Survey":
        return Survey(
            self.use + other.use,
            self.some + other.some,
            self.secrets + other.secrets,
            self.beside + other.beside,
            self.strange | other.strange,
        )


def survey(baskets: BasketParts, place: I4, width: int, secrets: int) -> Survey:
    """Count the items of all parts."""
    nothing = np.zeros(secrets, dtype=np.int64)
    empty = Survey(np.zeros(width, dtype=np.int64), 0, nothing, nothing, frozenset())
    return sum(baskets.map(partial(_survey, place, width, secrets), baskets.parts), empty)


def _survey(place: I4, width: int, secrets: int, part: Path) -> Survey:
    start, items = open_arrays(part, "start", "items")
    codes = place[items]
    opens, secret = (codes >= 0) & (codes < width), codes >= width
    row = owners(start)
    holding = np.bincount(row[opens], minlength=len(start) - 1) > 0
    return Survey(
        np.bincount(codes[opens], minlength=width),
        int(holding.sum()),
        np.bincount(codes[secret] - width, minlength=secrets),
        np.bincount(codes[secret & holding[row]] - width, minlength=secrets),
        frozenset(np.unique(items[codes < 0]).tolist()),
    )


def _gather_parts(
    baskets: BasketParts, place: I4, canon: I4, secrets: int, *, size: int, k: int, exact: bool
) -> WeightedBaskets:
    """The distinct baskets of all parts, as far as they are needed.

    `canon` gives for each leaf the one that stands for its node of the cut. Unless `exact`, baskets are left out that
    no support below k of a combination of at most `size` items depends on (`needed`).

    Raises
    ------
    InfeasibleError
        Too many baskets are needed, or records are so long that their combinations cannot be counted.
    """
    width = len(canon)
    sieve = _Sieve(width, size, k) if not exact and (width + 1) ** size < _KEY else None
    held: list[WeightedBaskets] = []
    for some in baskets.map(partial(_gather, place, canon, secrets, size), baskets.parts):
        held.append(some if sieve is None else sieve.sifted(some))
        if sum(len(one.items) for one in held) > _MOST:
            raise InfeasibleError(
                f"apriori: the baskets with rare combinations of {size} items are too many to be held; lower k or m, "
                "or give a hierarchy whose lower levels hold more items each"
            )
    return unite_parts(held)


def _gather(place: I4, canon: I4, secrets: int, size: int, part: Path) -> WeightedBaskets:
    """The distinct baskets of one part."""
    start, items = open_arrays(part, "start", "items")
    width = len(canon)
    total = max(width + secrets, 1)
    code = np.r_[canon, np.arange(width, total, dtype=np.int32)][place[items]]
    key = np.unique(owners(start) * total + code)
    begins = np.searchsorted(key // total, np.arange(len(start)))
    found = gather(begins.astype(np.int64), (key % total).astype(np.int32), width, secrets)
    require_countable("apriori", np.diff(found.start), size)
    return found


class _Sieve:
    """Lets only those baskets pass that are needed beside the ones that passed before (`needed`)."""

    def __init__(self, width: int, size: int, k: int) -> None:
        self._asked = width, size, k, _SLOTS
        self._table = np.full(1024, -1, dtype=np.int64), np.zeros(1024, dtype=np.int64), 0

    def sifted(self, baskets: WeightedBaskets) -> WeightedBaskets:
        """The baskets that are needed; none of them has secrets."""
        rows = baskets.start, baskets.items, baskets.weight
        marked, keys, counts, used = needed(*rows, *self._asked, *self._table)
        self._table = keys, counts, used
        kept = np.flatnonzero(marked)
        start, items = take(baskets.start, baskets.items, kept)
        return baskets._replace(start=start, mid=start[1:], items=items, weight=baskets.weight[kept])


def _publish_parts(baskets: BasketParts, taxonomy: Taxonomy, place: I4, form: I4) -> PublishedParts:
    """Publish all parts under one cut; what they publish is written beside them."""
    published = cut_forms(baskets.outline, taxonomy, place, form, np.arange(len(baskets.outline.values)))
    task = partial(_publish, baskets.outline, place, published.by_code, published.forms)
    gone = sum(baskets.map(task, baskets.parts))
    none = np.zeros(0, dtype=np.int32)
    outline = RecodedBaskets(
        published.forms,
        np.zeros(1, dtype=np.int64),
        none,
        np.zeros(0, dtype=np.int64),
        baskets.n,
        gone,
        published.rule,
    )
    return PublishedParts(outline, baskets.parts)


def _publish(outline: Baskets, place: I4, by_code: I8, forms: Forms, part: Path) -> int:
    """Write what one part publishes; return how many items were left out."""
    baskets = basket_part(outline, part)
    made = recode_items(baskets, by_code[place[baskets.items]], forms)
    save_arrays(part, out_start=made.start, out_items=made.items, gone=np.array([made.suppressed]))
    return made.suppressed


def apriori_by_parts(
    baskets: BasketParts,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    suppress: float = 0.0,
    progress: Progress = silent,
) -> Result[PublishedParts]:
    """Publish baskets in parts as `apriori` publishes them in memory.

    Parameters are those of `apriori`. What is published is written beside the original records of each part.

    Notes
    -----
    *The same answer*  The search asks two things of the records: how many hold each item, which is added over parts,
    and whether fewer than k hold some nodes at or above the cut. For the second, baskets are projected to the cut,
    equal ones are united, and a basket is left out when each of its combinations is in k others that are kept. If a
    basket that was left out holds some nodes, it holds a combination below them that k kept ones hold; if none was
    left out, all are there. So each answer is that of all records, whatever the order of parts. Shares of sensitive
    items (l) need all records, so there only equal baskets are united.

    *Complexity*  One pass to count items and one for each size, where items may be left out as often as that changes
    the cut. What is held are the baskets with combinations that
    are rare, or were when they came: at most k for each combination.

    Raises
    ------
    InputError, InfeasibleError, HierarchyError
        As `apriori` does; also where too many baskets would have to be held.
    """
    k, m, l = numbers_of("apriori", claim)
    place, width = places_of(baskets.outline, hierarchy, exempt=claim.exempts)
    secrets = int((place >= width).sum())
    seen = survey(baskets, place, width, secrets)
    _require(baskets, claim, k, l, seen)
    spare = allowance("apriori", suppress, int(seen.use.sum()), "item occurrences")
    taxonomy = Taxonomy.of(hierarchy)
    search = CutSearch(taxonomy, seen.use, spare=spare, progress=progress)
    if l:
        _settle_all(search, baskets, place, secrets, k, m, l)
    else:
        _settle_sizes(search, baskets, place, k, m, again=spare > 0)
    cut = search.found()
    release = _publish_parts(baskets, taxonomy, place, cut.form)
    return Result(release, claim, trace={"mended": cut.mended, "passes": cut.passes})


def _require(baskets: BasketParts, claim: KmAnonymity | LmDiversity, k: int, l: int, seen: Survey) -> None:
    if seen.strange:
        raise not_in_hierarchy("apriori", baskets.outline, sorted(seen.strange))
    everybody, most = int(seen.secrets.max(initial=0)), int(seen.beside.max(initial=0))
    require_root("apriori", k, l, baskets.n, seen.some, everybody, most, len(seen.secrets))


def _settle_sizes(search: CutSearch, baskets: BasketParts, place: I4, k: int, m: int, *, again: bool) -> None:
    """Go through all sizes, `again` until nothing changes: what was left out may come back under a node above it."""
    before = -1
    while search.mended != before:
        before = search.mended
        for size in range(1, m + 1):
            found = _gather_parts(baskets, place, search.canon, 0, size=size, k=k, exact=False)
            search.look_at(found)
            search.settle(size, k=k)
        if not again:
            return


def _settle_all(
    search: CutSearch, baskets: BasketParts, place: I4, secrets: int, k: int, m: int, l: int
) -> None:
    """Go through all sizes until nothing changes: shares of sensitive items may rise."""
    found = _gather_parts(baskets, place, search.canon, secrets, size=m, k=k, exact=True)
    search.look_at(found)
    before = -1
    while before != search.mended:
        before = search.mended
        for size in range(1, m + 1):
            search.settle(size, k=k, l=l)
