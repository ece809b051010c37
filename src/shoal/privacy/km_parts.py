"""k^m-anonymity and l^m-diversity of baskets in parts."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from shoal.data.lists import owners
from shoal.data.types import B1, I8
from shoal.privacy.itemsets import MOST
from shoal.privacy.km import KmAnonymity, LmDiversity
from shoal.privacy.knowledge import Facts, item_facts
from shoal.privacy.knowledge_tables import KnowledgeTable
from shoal.privacy.parted_judging import Asked, Mapped, Seen, judge_parts, surveyed
from shoal.release import PublishedBaskets, Verdict

__all__ = ["check_basket_parts"]


class _Reading(NamedTuple):
    """Reads the baskets of a part; their items are below `width`."""

    load: Callable[[Any], PublishedBaskets]
    hidden: B1

    def seen(self, place: int, part: Any) -> Seen:
        """What there is in a part."""
        baskets = self.load(part)
        width = len(self.hidden)
        held = np.unique(owners(baskets.start) * width + baskets.items)
        n = len(baskets.start) - 1
        shown = held[~self.hidden[held % width]]
        longest = int(np.bincount(shown // width, minlength=1).max())
        return Seen(place, n, len(held), 0, longest, np.bincount(held % width, minlength=width))

    def facts(self, part: Any, often: I8) -> Facts:
        """What can be known of its records."""
        baskets = self.load(part)
        return item_facts(baskets.start, baskets.items.astype(np.int64), self.hidden, often)


class _Scales:
    """Weighs combinations: too few records hold them, or too many of these hold one sensitive item."""

    def __init__(self, k: int, l: int, records: int) -> None:
        self.k, self.l, self.k_least, self.l_least = k, l, records, inf
        self.unseen = ""

    def broken(self, table: KnowledgeTable) -> B1:
        """Which combinations break the claim; all of a table are different ones."""
        bad = np.asarray(table.fits < self.k)
        self.k_least = min(self.k_least, int(table.fits.min()))
        if len(table.row):
            support = table.fits[table.row]
            bad[table.row[self.l * table.having > support]] = True
            self.l_least = min(self.l_least, float((support / table.having).min()))
        return bad


def check_basket_parts(
    claim: KmAnonymity | LmDiversity,
    parts: Sequence[Any],
    load: Callable[[Any], PublishedBaskets],
    width: int,
    sensitive: frozenset[int],
    mapped: Mapped,
) -> Verdict:
    """Judge a release whose records lie in parts; the verdict is that of `claim.check` on all of them together.

    Parameters
    ----------
    claim
        What to judge.
    parts
        What `load` makes the baskets of; equal numbers are equal leaf sets in all parts.
    load
        It is handed to `mapped`.
    width, sensitive
        All numbers are below `width`; these are sensitive items.
    mapped
        Who runs tasks: `mapped(task, parts)` gives one answer per part, in any order.
    """
    diverse = isinstance(claim, LmDiversity)
    hidden = np.zeros(max(width, 1), dtype=bool)
    hidden[list(sensitive) if diverse else []] = True
    reading = _Reading(load, hidden)
    seen = surveyed(reading, parts, mapped)
    records, entries = sum(one.records for one in seen), sum(one.entries for one in seen)
    if not records or (not diverse and not entries):
        what = "no record" if diverse else "no record with an item"
        return Verdict(False, f"the release holds {what}, so the claim is empty")
    if diverse and not sum(int(one.often[hidden].sum()) for one in seen):
        return Verdict(False, "no sensitive item occurs, so the claim is empty")
    scales = _Scales(claim.k, claim.l if isinstance(claim, LmDiversity) else 0, records)
    asked = Asked(claim.m, related=False, negated=False, secrets=diverse, most=MOST)
    found = judge_parts(asked, reading, scales, seen, parts, mapped)
    if scales.unseen:
        return Verdict(False, f"not judged: {scales.unseen}; lower m", judged=False)
    if isinstance(claim, LmDiversity):
        return claim.verdict(found, scales.k_least, scales.l_least)
    return claim.verdict(found, scales.k_least)
