"""How exposed people are, before and after: the sections of the audit that attackers who look for somebody's row fill.

One count serves them all. How few records share some choice of what the claim says may be known is counted for every
original and for every released row, both as attackers read them: originals are a release of themselves. `exposed` tells
both sides, the attackers inside the claim are handed the same count (`attack`), and `beyond` counts who is found by
attackers beyond the claim. So no two of these sections can contradict each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import comb
from typing import Any

import numpy as np

from shoal.attacks.result import Outcome
from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_trees import TreeView
from shoal.data import Baskets, Trees
from shoal.data.arrays import I8
from shoal.release import Claim
from shoal.report.facts import IdentityRisk
from shoal.utility.risk import class_ids

__all__ = [
    "MANY_SETS",
    "Crowds",
    "beyond_claim",
    "by_whole_baskets",
    "crowd_of_claim",
    "crowds_of_items",
    "crowds_of_mixed",
    "crowds_of_values",
    "identity_risks",
]

MANY_SETS = (
    "how likely people are found by what the claim says may be known was not counted: the records hold too many "
    "choices of it; `shoal risk` takes the time to count those of the originals"
)
_MOST_SETS = 1 << 27  # sets of items that are counted in seconds
_MOST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class Crowds:
    """How few records share some choice of what may be known with each record.

    known            : what that is, in words
    items, relations : how many items or values, and relations among them
    before, after    : int64[records], int64[rows]: how few, the record itself among them
    """

    known: str
    items: int
    relations: int
    before: I8
    after: I8


def crowds_of_items(view: ItemView, claim: Claim) -> Iterator[Crowds]:
    """Count for whoever knows up to m items, or in which form they were published."""
    return _by_items(view.sides, claim)


def crowds_of_mixed(view: MixedView, claim: Claim) -> Iterator[Crowds]:
    """Count for whoever knows up to m items beside all quasi-identifiers."""
    classes = class_ids(list(view.table.values.T)), class_ids(list(view.table.forms.T))
    return _by_items(view.sides(exempt=claim.exempts), claim, classes)


def _by_items(
    sides: tuple[Baskets, Baskets], claim: Claim, classes: tuple[I8, I8] | None = None
) -> Iterator[Crowds]:
    from shoal.utility.identity_disclosure import by_items  # kernels are heavy; tables need none

    m = min(getattr(claim, "m", None) or 1, _MOST_ITEMS)
    if max(_sets(side.start, m) for side in sides) > _MOST_SETS:
        return
    beside = "" if classes is None else "all quasi-identifiers and "
    counts = (by_items(side, kind) for side, kind in zip(sides, classes or (None, None), strict=True))
    for before, after in islice(zip(*counts, strict=True), m):
        if before.least is not None and after.least is not None:
            known = f"{beside}any {before.items} item{'' if before.items == 1 else 's'}"
            yield Crowds(known, before.items, 0, before.least, after.least)


def crowds_of_values(view: TreeView, claim: Claim) -> Iterator[Crowds]:
    """Count for whoever knows up to m values of a tree, and up to one relation among them, as the claim says."""
    from shoal.utility.identity_disclosure import by_values

    m, n = min(getattr(claim, "m", 1), _MOST_ITEMS), getattr(claim, "n", 0)
    sides = [_hiding(trees, view.hidden) for trees in (view.original, view.released)]
    if max(_sets(side.start, m) for side in sides) > _MOST_SETS:
        return
    for before, after in zip(*map(by_values, sides), strict=True):
        if before.items > m:
            return
        if before.relations <= n and before.least is not None and after.least is not None:
            values = f"any {before.items} value{'' if before.items == 1 else 's'}"
            known = f"{values}{' and a relation among them' if before.relations else ''}"
            yield Crowds(known, before.items, before.relations, before.least, after.least)


def _hiding(trees: Trees, field: str | None) -> Trees:
    """The same trees, the values of one field being nobody's to know."""
    return replace(trees, sensitive=field if field in trees.classes else None)


def _sets(start: I8, m: int) -> int:
    """How many sets of m items the records hold."""
    return sum(
        int(many) * comb(size, m) for size, many in enumerate(np.bincount(np.diff(start), minlength=1))
    )


def crowd_of_claim(found: Sequence[Crowds], claim: Claim) -> I8 | None:
    """How few rows share with each row as much as the claim says may be known; None where that was not counted."""
    asked: Mapping[str, Any] = next(
        (part.as_dict() for part in claim.parts if "m" in part.as_dict()), {"m": 0}
    )
    m, n = int(asked["m"]), int(asked.get("n", 0))
    relations = min(n, comb(m, 2))
    return next((one.after for one in found if (one.items, one.relations) == (m, relations)), None)


def identity_risks(found: Sequence[Crowds], claim: Claim) -> list[IdentityRisk]:
    """How likely people are found by each thing that may be known, in the originals and in the release."""
    k = max(claim.crowd, 2)
    return [IdentityRisk(one.known, 1 / k, _chances(one.before, k), _chances(one.after, k)) for one in found]


def by_whole_baskets(
    baskets: Baskets, claim: Claim, played: Sequence[Outcome], reached: float
) -> IdentityRisk:
    """Whoever knows whole baskets, which were published by vote.

    Of the release it is what came of whoever knows all of them; where nobody was played, the judge found `reached` rows
    for each person at least.
    """
    from shoal.utility.identity_disclosure import whole_baskets

    k = max(claim.crowd, 2)
    chances = next((one.chances for one in played if one.name == "every-basket"), None)
    rows = None if chances is None else np.rint(1 / chances[chances > 0]).astype(np.int64)
    after = {"highest": 1 / max(reached, 1)} if rows is None else _chances(rows, k)
    return IdentityRisk("the whole basket", 1 / k, _chances(whole_baskets(baskets), k), after)


def _chances(crowd: I8, k: int) -> dict[str, float]:
    """What an attacker achieves for whom each person hides among so many."""
    if not len(crowd):
        return {}
    return {
        "highest": float(1 / crowd.min()),
        "average": float((1 / crowd).mean()),
        "above": float((crowd < k).mean()),
    }


_BEYOND = {
    "one-more-item": "one item more is known than the claim allows",
    "one-more-value": "one value more is known than the claim allows",
    "whole-basket": "the whole basket is known",
    "whole-record": "the whole tree is known",
    "record-size": "its size is known beside what the claim allows",
    "sensitive-column": "a sensitive column is known too",
    "known-neighbours": "it is known whose some other rows are",
}
"""Attackers just beyond a claim, and what they know."""


def beyond_claim(played: Sequence[Outcome], claim: Claim) -> dict[str, int]:
    """For each attacker just beyond the claim, in words, how many people are found with a chance above one in k.

    No claim covers these attackers. The figures say how sharply its protection ends.
    """
    k, found = max(claim.crowd, 2), dict[str, int]()
    for one in played:
        if one.name in _BEYOND and not one.inside:
            of = "" if one.played == one.people else f", of {one.played:,} who were drawn"
            words = f"people found with a chance above 1 in {k} if {_BEYOND[one.name]}{of}"
            found[words] = int((one.chances > 1 / k + 1e-9).sum())
    return found
