"""COAT: items united under privacy and utility constraints that the user states (Loukides et al.)."""

from collections.abc import Sequence

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets
from shoal.algorithms.itemsets._kernels.unions import FOCUSED, Groups
from shoal.algorithms.itemsets.item_codes import code_items, require
from shoal.algorithms.itemsets.pcta import (
    FIRST,
    Union,
    codes_of,
    find_groups,
    publish_groups,
    settle,
    start,
    wards,
)
from shoal.algorithms.knobs import Share
from shoal.data import Baskets
from shoal.data.arrays import B1, I4, I8
from shoal.privacy import ItemsetAnonymity, KmAnonymity
from shoal.progress import Progress, rising, rounds, silent
from shoal.release import RecodedBaskets, Result

__all__ = ["coat"]


def coat(
    baskets: Baskets,
    claim: KmAnonymity | ItemsetAnonymity,
    *,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    progress: Progress = silent,
) -> Result[RecodedBaskets]:
    """Unite items until every listed itemset, and every part of it, is in at least `k` records, or in none.

    While 1 to k-1 records match a part of a listed itemset, the rarest of its groups that may be united is
    united with the group that loses least utility, for all records. Where `utility` leaves nothing to unite, the
    part's least used group is left out.

    Parameters
    ----------
    baskets
        The baskets.
    claim
        `ItemsetAnonymity`: the listed itemsets are protected, and no others. `KmAnonymity`: all itemsets of at most m
        items are. In a configuration the itemsets are given as `privacy`.
    utility
        Lists of items that may unite, each item in at most one; items in no list stay as they are. None lets all
        unite.
    suppress
        The share of item occurrences that may be left out, 0 to below 1.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result
        Its rule is `{"sets": [[item, ...], ...]}`; `apply_groups` applies it to other baskets.

    Raises
    ------
    InfeasibleError
        There are fewer than k records, or fewer than k with items; what may be united and left out is not enough;
        or records are so long that their combinations cannot be counted.
    InputError
        The claim or `utility` names unknown items, or `utility` names an item twice.

    Notes
    -----
    *Guarantee*  The claim holds by construction. A union may let more records match a part of another itemset, so
    all itemsets are looked at until none of them changes anything.

    *Departures*  We did not have the paper's text; this follows descriptions of it [1]_. They limit how many items
    of each utility constraint are left out; here one share of all occurrences is the limit, as in the other methods.

    *Randomness*  None.

    References
    ----------
    .. [1] Loukides, Gkoulalas-Divanis, Malin. COAT: constraint-based anonymization of transactions. KAIS 28, 2011.

    Examples
    --------
    >>> sold = Baskets.of("items", [["ale", "pie"], ["rum", "pie"], ["ale"], ["jam"], ["jam"]])
    >>> coat(sold, ItemsetAnonymity(2, [["ale", "pie"]]), utility=[["ale", "rum", "jam"], ["pie"]]).release.rule
    {'sets': [['ale', 'rum']]}
    """
    if not isinstance(claim, KmAnonymity | ItemsetAnonymity):
        raise refusal("coat", claim)
    found = code_items("coat", baskets, None, exempt=False)
    spare = found.allowance("coat", suppress)
    ward = wards("coat", baskets, found.place, found.width, utility)
    weighted = found.weighted()
    require("coat", weighted, claim.k, 0)
    if isinstance(claim, KmAnonymity):
        union = find_groups(
            weighted,
            k=claim.k,
            m=claim.m,
            ward=ward,
            style=FOCUSED,
            rarest_first=False,
            spare=spare,
            method="coat",
            progress=progress,
        )
    else:
        listed = [
            np.array(sorted(set(codes))) for codes in codes_of("coat", "privacy", baskets, claim.itemsets)
        ]
        union = _protect(weighted, start(weighted, ward, None, spare), listed, claim.k, progress)
    return Result(publish_groups(baskets, found.place, union.of), claim, trace={"steps": union.steps})


def _protect(
    weighted: WeightedBaskets, groups: Groups, listed: list[I8], k: int, progress: Progress
) -> Union:
    """Go through the itemsets, the most frequent first, until no part of any is rare."""
    steps, before = 0, -1
    turns = rounds(rising(progress, "coat: itemsets"), FIRST)
    while steps != before:
        before, tell = steps, next(turns)
        order = sorted(
            range(len(listed)), key=lambda p: (-_parts(weighted, groups, listed[p])[1].max(initial=0), p)
        )
        for number, p in enumerate(order):
            tell(number / len(order))
            while len(rare := _rare_parts(weighted, groups, listed[p], k)):
                steps += settle("coat", weighted, groups, rare, k, 0, FOCUSED, "ul")
    return Union(groups.of, steps)


def _parts(weighted: WeightedBaskets, groups: Groups, items: I8) -> tuple[B1, I8]:
    """Which parts of an itemset records match, and how many match all of each: bool[parts, items], int64[parts]."""
    matched = np.zeros((len(weighted.weight), len(items)), dtype=bool)
    for j, name in enumerate(groups.of[items].tolist()):
        for member in np.flatnonzero(groups.of == name) if name >= 0 else ():
            matched[groups.post[groups.post_start[member] : groups.post_start[member + 1]], j] = True
    some = matched.any(axis=1)
    parts, of = np.unique(matched[some], axis=0, return_inverse=True)
    records = np.bincount(of.ravel(), weights=weighted.weight[some], minlength=len(parts)).astype(np.int64)
    within = np.array([records[(parts | ~part).all(axis=1)].sum() for part in parts], dtype=np.int64)
    return parts, within


def _rare_parts(weighted: WeightedBaskets, groups: Groups, items: I8, k: int) -> I4:
    """The parts that too few match, the most frequent first, as rows of items; short ones repeat their first."""
    parts, within = _parts(weighted, groups, items)
    rare = np.flatnonzero(within < k)
    rare = rare[np.argsort(-within[rare], kind="stable")]
    rows = [items[np.where(part, np.arange(len(items)), np.argmax(part))] for part in parts[rare]]
    return np.array(rows, dtype=np.int32).reshape(len(rows), len(items))
