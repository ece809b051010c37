"""PCTA: items united into sets, without a hierarchy (Gkoulalas-Divanis and Loukides).

COAT unites them under privacy and utility constraints that the user states (Loukides et al.).
`find_groups` takes plain arrays and is cheap on few baskets, so that a method may call it once per cluster.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets, invert_index, publish_items
from shoal.algorithms.itemsets._kernels.unions import (
    FOCUSED,
    NCP,
    THOROUGH,
    UL,
    GroupOrder,
    Groups,
    collect_rare,
    repair_rare_itemsets,
)
from shoal.algorithms.itemsets.item_cuts import (
    claim_numbers,
    code_items,
    count_holders,
    count_open_items,
    list_open_items,
    ranges_with_progress,
    recode_items,
    require_support,
)
from shoal.algorithms.knobs import OneOf, Share
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, Tell, no_progress, round_shares, scale_share, start_step
from shoal.data import Baskets
from shoal.data.arrays import B1, F8, I4, I8
from shoal.privacy import ItemsetAnonymity, KmAnonymity, LmDiversity
from shoal.release import PublishedValues, RecodedBaskets, Result

__all__ = ["apply_groups", "coat", "find_groups", "pcta", "utility_group_of", "weights_of_items"]

LOSSES = {"ul": UL, "ncp": NCP}
AT_ONCE = 2**18  # rare itemsets looked at between two counts of all
_BLOCK = 2**12  # and between two words of progress
_FIRST = 0.85  # of the time is for the first round, and as much of the rest for the second
_FINDING = 0.1  # of the time of a round: the rest is for uniting


class ItemGroups(NamedTuple):
    """For each item, the group it is published in, named by a member, -1 left out; and how many steps that took."""

    of: I4
    steps: int


def find_groups(
    weighted: WeightedBaskets,
    *,
    k: int,
    m: int,
    l: int = 0,
    ward: I4 | None = None,
    worth: F8 | None = None,
    loss: str = "ul",
    style: int = THOROUGH,
    rarest_first: bool = True,
    spare: int = 0,
    method: str = "pcta",
    progress: Progress = no_progress,
) -> ItemGroups:
    """Unite items until no itemset of at most m groups is rare or crowded.

    Parameters
    ----------
    weighted
        What `gather` returned. With l it has secrets. The caller made sure that one group of all items would keep
        the claim (`require_support`).
    k, m, l
        The claim; l = 0 asks for no diversity.
    ward
        int32[items]: only items of the same ward are united; an item of ward -1 is united with none. Unless it is
        given, all items may be united.
    worth
        float64[items], the weight of each item in the loss.
    loss, style, rarest_first
        What a union is charged, which unions are looked at (see the kernel), and whether rare itemsets come first.
    spare
        Item occurrences that may be left out where no union may help.

    Raises
    ------
    InfeasibleError
        What may be united and left out is not enough, or there are too many combinations to be counted.
    """
    groups = _single_groups(weighted, ward, worth, spare)
    steps = 0
    turns: dict[int, Iterator[Tell]] = {}  # by size, who hears of each round of finding and repairing
    while True:
        steps_before = steps
        for size in range(1, m + 1):
            if size not in turns:
                tell = start_step(progress, f"{method}: combinations of {size} items")
                turns[size] = round_shares(tell, _FIRST)
            for tell in turns[size]:
                rare_itemsets = _find_rare_itemsets(
                    weighted, groups, size, k, l, rarest_first, method, scale_share(tell, 0.0, _FINDING)
                )
                if not len(rare_itemsets):
                    break
                for begin in range(0, len(rare_itemsets), _BLOCK):
                    block = rare_itemsets[begin : begin + _BLOCK]
                    tell(_FINDING + (1 - _FINDING) * begin / len(rare_itemsets))
                    steps += _repair_itemsets(method, weighted, groups, block, k, l, style, loss)
        if (
            not l or steps == steps_before
        ):  # supports only grow as groups unite, but shares of secrets may too
            return ItemGroups(groups.of, steps)


def _single_groups(
    weighted: WeightedBaskets, ward: I4 | None = None, worth: F8 | None = None, spare: int = 0
) -> Groups:
    """Every item in a group of its own."""
    width = weighted.width
    row, opens = list_open_items(weighted)
    support = count_open_items(weighted)
    post_start, post = invert_index(opens, width)
    return Groups(
        of=np.arange(width, dtype=np.int32),
        next=np.arange(width, dtype=np.int32),
        size=np.ones(width, dtype=np.int32),
        worth=np.ones(width) if worth is None else worth.astype(np.float64),
        support=support,
        ward=np.zeros(width, dtype=np.int32) if ward is None else ward,
        alive=support > 0,
        used=support.copy(),
        spare=np.array([spare], dtype=np.int64),
        post_start=post_start,
        post=row[post],
        stamp=np.zeros(len(weighted.weight) + 1, dtype=np.int64),
    )


def _find_rare_itemsets(
    weighted: WeightedBaskets,
    groups: Groups,
    size: int,
    k: int,
    l: int,
    rarest_first: bool,
    method: str,
    tell: Tell,
) -> I4:
    """The rare or crowded itemsets of groups, in the order in which they must be repaired."""
    published = publish_items(weighted, groups.of, weighted.width)
    itemsets, supports = np.empty((AT_ONCE, size), dtype=np.int32), np.empty(AT_ONCE, dtype=np.int64)
    itemset, filled = np.zeros(size, dtype=np.int32), 0
    for first, last in ranges_with_progress(method, published, itemset, tell):
        filled += collect_rare(
            weighted, published, groups, itemset, k, l, first, last, itemsets[filled:], supports[filled:]
        )
        if filled == AT_ONCE:
            break
    by_support = supports[:filled] if rarest_first else -supports[:filled]
    return itemsets[:filled][np.argsort(by_support, kind="stable")]


def _repair_itemsets(
    method: str,
    weighted: WeightedBaskets,
    groups: Groups,
    itemsets: I4,
    k: int,
    l: int,
    style: int,
    loss: str,
) -> int:
    """Unite groups, or leave some out, until these itemsets are neither rare nor crowded; return the steps."""
    steps, excess = repair_rare_itemsets(
        weighted, groups, _order_groups(groups), itemsets, k, l, style, LOSSES[loss]
    )
    if excess:
        raise InfeasibleError(
            f"{method}: with the unions that utility allows, {excess} item occurrences more than suppress allows would "
            "have to be left out; allow more unions or raise suppress"
        )
    return int(steps)


def _order_groups(groups: Groups) -> GroupOrder:
    """The groups by what they cost beside others."""
    names = np.flatnonzero(groups.alive).astype(np.int32)
    order = names[np.lexsort((groups.support[names], groups.size[names], groups.ward[names]))]
    # With weights there is no such order.
    ordered_count = len(order) if np.array_equal(groups.worth, groups.size) else 0
    return GroupOrder(order, groups.size[order[:ordered_count]], groups.support[order[:ordered_count]])


def _publish_groups(baskets: Baskets, place: I4, of: I4) -> RecodedBaskets:
    """Publish every item as the set of its group; single items as themselves."""
    width = len(of)
    first_member = np.full(width + 1, width, dtype=np.int32)
    np.minimum.at(first_member, of, np.arange(width, dtype=np.int32))
    of = np.where(of >= 0, first_member[of], of)  # a group is named by its first member, whatever united it
    codes = place[baskets.items]
    names = np.unique(of[codes[codes < width]])
    names = names[names >= 0]
    form_of_name = np.full(width + 1, -1, dtype=np.int64)
    form_of_name[names] = np.arange(len(names))

    exempt = np.flatnonzero(place >= width)
    group_of_value = np.where(place < width, of[np.minimum(place, width - 1)], -1) if width else place
    by_group = np.argsort(group_of_value, kind="stable")
    sorted_groups = group_of_value[by_group]
    first, end = np.searchsorted(sorted_groups, names), np.searchsorted(sorted_groups, names, side="right")
    members = [*(by_group[a:b] for a, b in zip(first, end, strict=True)), *exempt[:, None]]
    labels = [baskets.values[values[0]] if len(values) == 1 else None for values in members]
    forms = PublishedValues.of_sets(labels, [values.astype(np.int32) for values in members])
    form_of_code = np.r_[form_of_name[of], len(names) + np.arange(len(exempt))]

    sets = [[baskets.values[value] for value in values] for values in members if len(values) > 1]
    left_out = [
        baskets.values[value]
        for value in np.unique(baskets.items)
        if place[value] < width and of[place[value]] < 0
    ]
    rule = {"sets": sets, **({"suppress": left_out} if left_out else {})}
    return recode_items(baskets, form_of_code[codes], forms, rule)


def apply_groups(
    baskets: Baskets, groups: Sequence[Sequence[str]], suppress: Sequence[str] = (), *, exempt: bool = False
) -> RecodedBaskets:
    """Publish baskets under stored sets of items; items in none of them stay as they are.

    Parameters
    ----------
    baskets
        Baskets, perhaps others than the sets were made from.
    groups, suppress
        The rule of `pcta` or `coat`: items published together, and items left out.
    exempt
        Whether sensitive items stay as they are, as under l^m-diversity.

    Examples
    --------
    >>> new = apply_groups(Baskets.of("items", [["rum", "ale"], ["rum", "pie"]]), [["ale", "gin", "rum"]])
    >>> new.forms.labels, new.forms.leaves.tolist(), new.items.tolist()
    ((None, 'pie'), [0, 2, 1], [0, 0, 1])
    """
    code_of_value = {value: code for code, value in enumerate(baskets.values)}
    group_of_item = np.arange(len(baskets.values), dtype=np.int32)
    listed_items = [item for group in groups for item in group] + list(suppress)
    if len(set(listed_items)) < len(listed_items):
        raise InputError("recoding: an item stands in two of its sets; use the file as it was written")
    for group in groups:
        codes = [code_of_value[item] for item in group if item in code_of_value]
        group_of_item[codes] = min(codes, default=0)
    group_of_item[[code_of_value[item] for item in suppress if item in code_of_value]] = -1
    return _publish_groups(baskets, code_items("recoding", baskets, None, exempt=exempt).place, group_of_item)


def _look_up_codes(
    method: str, word: str, baskets: Baskets, lists: Sequence[Sequence[str]]
) -> list[list[int]]:
    """The codes of items that a user lists.

    Raises
    ------
    InputError
        It is no list of lists, or names items that the data do not have; they travel in the error's `value`.
    """
    if isinstance(lists, str) or any(isinstance(items, str) or not len(items) for items in lists):
        raise InputError(f"{method}: {word} must be lists of items, none of them empty")
    code_of_value = {value: code for code, value in enumerate(baskets.values)}
    unknown = tuple(sorted({item for items in lists for item in items if item not in code_of_value}))
    if unknown:
        raise InputError(
            f"{method}: {word} names {len(unknown)} item(s) that the data do not have; correct the names",
            value=unknown,
        )
    return [[code_of_value[item] for item in items] for items in lists]


def utility_group_of(
    method: str, baskets: Baskets, place: I4, width: int, utility: Sequence[Sequence[str]] | None
) -> I4 | None:
    """The ward of every open item: which list of `utility` it is in, -1 in none."""
    if utility is None:
        return None
    ward = np.full(width, -1, dtype=np.int32)
    for number, codes in enumerate(_look_up_codes(method, "utility", baskets, utility)):
        opens = place[codes][place[codes] < width]
        if (ward[opens] >= 0).any():
            raise InputError(f"{method}: utility lists an item twice; put each item in one list only")
        ward[opens] = number
    return ward


def weights_of_items(
    method: str, baskets: Baskets, place: I4, width: int, weights: Mapping[str, float] | None
) -> F8 | None:
    """The weight of every open item, 1 where none is given."""
    if weights is None:
        return None
    codes = _look_up_codes(method, "weights", baskets, [[item] for item in weights])
    worth = np.ones(width)
    for (code,), weight in zip(codes, weights.values(), strict=True):
        if not 0 <= weight <= 1:  # also refuses what is not a number
            raise InputError(f"{method}: weights must be numbers from 0 to 1")
        if place[code] < width:
            worth[place[code]] = weight
    return worth


def pcta(
    baskets: Baskets,
    claim: KmAnonymity | LmDiversity,
    *,
    utility: Sequence[Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    loss: Annotated[str, OneOf(tuple(LOSSES))] = "ul",
    suppress: Share = 0.0,
    progress: Progress = no_progress,
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
    k, m, l = claim_numbers("pcta", claim)
    if loss not in LOSSES:
        raise InputError(f"pcta: loss={loss!r}; {suggest_name(loss, LOSSES, 'give one of')}")
    item_codes = code_items("pcta", baskets, None, exempt=claim.exempts)
    spare = item_codes.allowance("pcta", suppress)
    ward = utility_group_of("pcta", baskets, item_codes.place, item_codes.width, utility)
    worth = weights_of_items("pcta", baskets, item_codes.place, item_codes.width, weights)
    require_support("pcta", count_holders(item_codes), k, l)
    union = find_groups(
        item_codes.distinct(),
        k=k,
        m=m,
        l=l,
        ward=ward,
        worth=worth,
        loss=loss,
        spare=spare,
        progress=progress,
    )
    return Result(_publish_groups(baskets, item_codes.place, union.of), claim, trace={"steps": union.steps})


def coat(
    baskets: Baskets,
    claim: KmAnonymity | ItemsetAnonymity,
    *,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    progress: Progress = no_progress,
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
    item_codes = code_items("coat", baskets, None, exempt=False)
    spare = item_codes.allowance("coat", suppress)
    ward = utility_group_of("coat", baskets, item_codes.place, item_codes.width, utility)
    require_support("coat", count_holders(item_codes), claim.k, 0)
    weighted = item_codes.distinct()
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
            np.array(sorted(set(codes)))
            for codes in _look_up_codes("coat", "privacy", baskets, claim.itemsets)
        ]
        union = _protect_itemsets(
            weighted, _single_groups(weighted, ward, None, spare), listed, claim.k, progress
        )
    return Result(_publish_groups(baskets, item_codes.place, union.of), claim, trace={"steps": union.steps})


def _protect_itemsets(
    weighted: WeightedBaskets, groups: Groups, listed: list[I8], k: int, progress: Progress
) -> ItemGroups:
    """Go through the itemsets, the most frequent first, until no part of any is rare."""
    steps, before = 0, -1
    turns = round_shares(start_step(progress, "coat: itemsets"), _FIRST)
    while steps != before:
        before, tell = steps, next(turns)
        order = sorted(
            range(len(listed)),
            key=lambda p: (-_match_parts(weighted, groups, listed[p])[1].max(initial=0), p),
        )
        for number, p in enumerate(order):
            tell(number / len(order))
            while len(rare := _rare_parts(weighted, groups, listed[p], k)):
                steps += _repair_itemsets("coat", weighted, groups, rare, k, 0, FOCUSED, "ul")
    return ItemGroups(groups.of, steps)


def _match_parts(weighted: WeightedBaskets, groups: Groups, items: I8) -> tuple[B1, I8]:
    """Which parts of an itemset records match, and how many match all of each: bool[parts, items], int64[parts]."""
    matched = np.zeros((len(weighted.weight), len(items)), dtype=bool)
    for j, name in enumerate(groups.of[items].tolist()):
        for member in np.flatnonzero(groups.of == name) if name >= 0 else ():
            matched[groups.post[groups.post_start[member] : groups.post_start[member + 1]], j] = True
    has_match = matched.any(axis=1)
    parts, part_of_row = np.unique(matched[has_match], axis=0, return_inverse=True)
    records = np.bincount(
        part_of_row.ravel(), weights=weighted.weight[has_match], minlength=len(parts)
    ).astype(np.int64)
    within = np.array([records[(parts | ~part).all(axis=1)].sum() for part in parts], dtype=np.int64)
    return parts, within


def _rare_parts(weighted: WeightedBaskets, groups: Groups, items: I8, k: int) -> I4:
    """The parts that too few match, the most frequent first, as rows of items; short ones repeat their first."""
    parts, within = _match_parts(weighted, groups, items)
    rare = np.flatnonzero(within < k)
    rare = rare[np.argsort(-within[rare], kind="stable")]
    rows = [items[np.where(part, np.arange(len(items)), np.argmax(part))] for part in parts[rare]]
    return np.array(rows, dtype=np.int32).reshape(len(rows), len(items))
