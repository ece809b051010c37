"""PCTA: k^m-anonymity by uniting items into sets, without a hierarchy (Gkoulalas-Divanis and Loukides)."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from shoal.algorithms.itemsets.item_codes import code_items, numbers_of, require
from shoal.algorithms.itemsets.item_unions import LOSSES, find_groups, publish_groups, wards, worths
from shoal.algorithms.knobs import OneOf, Share
from shoal.data import Baskets
from shoal.errors import InputError
from shoal.naming import offered
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.progress import Progress, silent
from shoal.release import RecodedBaskets, Result

__all__ = ["pcta"]


def pcta(
    baskets: Baskets,
    claim: KmAnonymity | LmDiversity,
    *,
    utility: Sequence[Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    loss: Annotated[str, OneOf(tuple(LOSSES))] = "ul",
    suppress: Share = 0.0,
    progress: Progress = silent,
) -> Result[RecodedBaskets]:
    """Unite items until every combination of at most `m` of them is in at least `k` records, or in none.

    Each item starts in a group of its own. While 1 to k-1 records hold some combination of groups, one of its
    groups is united with the group that makes the cheapest union, for all records. A group of several items is
    published as the set of its members and read as any non-empty subset of them.

    Parameters
    ----------
    baskets, claim, progress
        As in `apriori`.
    utility
        Lists of items that may unite, each item in at most one; items in no list stay as they are. None lets all
        unite.
    weights
        For each item, how much its generalization matters, 0 to 1; 1 where none is given. A group weighs the mean.
    loss
        What a union g costs: with `"ul"` it is (2^|g| - 1) w(g) sup(g), as in the paper; with `"ncp"` it is
        |g| w(g) sup(g), which generalizes rare items much rather than all items a little.
    suppress
        The share of item occurrences that may be left out, 0 to below 1. It is used only where `utility` allows no
        union: the combination's least used group is then left out.

    Returns
    -------
    Result
        Its rule is `{"sets": [[item, ...], ...]}`; `apply_groups` applies it to other baskets.

    Raises
    ------
    InfeasibleError
        As in `apriori`; or what may be united and left out is not enough.
    InputError
        A number makes no sense; or `utility` or `weights` names unknown items, or an item twice.

    Notes
    -----
    *Guarantee*  `KmAnonymity(k, m)`, or with l `LmDiversity(l, m, k)`, holds by construction: the search ends when no
    combination of groups is rare. It must end, since each step leaves fewer groups, and one group of all items keeps
    the claim.

    *Departures*  We did not have the paper's text; this follows descriptions of it and the published pseudocode
    of the similar method CBA [3]_. Not all combinations are listed: they are found as they become rare. The rarest
    combinations are settled first, where the paper goes by decreasing support. Unions that lift a combination to k
    come first, then unions that only help, then the rest, where the paper goes by price alone. In our trials both
    changes lose less. If prices are equal, the first item in the order of codes is taken.

    *Complexity*  Each union scans the records of the groups that it looks at.

    *Randomness*  None.

    References
    ----------
    .. [1] Gkoulalas-Divanis, Loukides. PCTA: privacy-constrained clustering-based transaction data anonymization.
       PAIS 2011.
    .. [2] Gkoulalas-Divanis, Loukides. Utility-guided clustering-based transaction data anonymization.
       Trans. Data Privacy 5(1), 2012.
    .. [3] CBA: clustering-based anonymization of diagnosis codes. ITAB 2010 (PMC4286186).

    Examples
    --------
    >>> sold = Baskets.of("items", [["ale", "pie"], ["rum", "pie"], ["ale"], ["rum"], ["pie"], ["pie"]])
    >>> pcta(sold, KmAnonymity(2, 2)).release.rule
    {'sets': [['ale', 'rum']]}
    """
    k, m, l = numbers_of("pcta", claim)
    if loss not in LOSSES:
        raise InputError(f"pcta: loss={loss!r}; {offered(loss, LOSSES, 'give one of')}")
    found = code_items("pcta", baskets, None, exempt=claim.exempts)
    spare = found.allowance("pcta", suppress)
    ward = wards("pcta", baskets, found.place, found.width, utility)
    worth = worths("pcta", baskets, found.place, found.width, weights)
    weighted = found.weighted()
    require("pcta", weighted, k, l)
    union = find_groups(
        weighted, k=k, m=m, l=l, ward=ward, worth=worth, loss=loss, spare=spare, progress=progress
    )
    return Result(publish_groups(baskets, found.place, union.of), claim, trace={"steps": union.steps})
