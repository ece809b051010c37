"""k^(m,n)-anonymity of record trees in parts."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from shoal.data import Trees
from shoal.data.types import I8
from shoal.privacy.kmn import MOST_SETS, KMNAnonymity, Scales, unjudged
from shoal.privacy.knowledge import Facts, facts, values_of_records
from shoal.privacy.parted_judging import Asked, Mapped, Seen, judge_parts, surveyed
from shoal.release import Verdict

__all__ = ["check_tree_parts"]


class _Reading(NamedTuple):
    """Reads the trees of a part."""

    claim: KMNAnonymity
    load: Callable[[Any], Trees]

    def seen(self, place: int, part: Any) -> Seen:
        """What there is in a part."""
        trees = self.load(part)
        each, often = values_of_records(trees)
        cells = int((each**2).sum()) if self.claim.n else 0
        return Seen(place, trees.n, len(trees.items), cells, int(each.max(initial=0)), often)

    def facts(self, part: Any, often: I8) -> Facts:
        """What can be known of its records."""
        claim = self.claim
        return facts(self.load(part), claim.sensitive, claim.negations, claim.n > 0, often)


def check_tree_parts(
    claim: KMNAnonymity, outline: Trees, parts: Sequence[Any], load: Callable[[Any], Trees], mapped: Mapped
) -> Verdict:
    """Judge a release whose records lie in parts; the verdict is that of `claim.check` on all of them together.

    Parameters
    ----------
    claim
        What to judge.
    outline
        Classes and values of all records, without any record.
    parts
        What `load` makes the trees of; they have the classes, values and codes of `outline`.
    load, mapped
        The first is handed to the second, who runs tasks: `mapped(task, parts)` gives one answer per part.
    """
    reading = _Reading(claim, load)
    seen = surveyed(reading, parts, mapped)
    refusal = claim.refusal(outline, sum(one.entries for one in seen), sum(one.cells for one in seen))
    if refusal is not None:
        return refusal
    scales = Scales(claim, sum(one.records for one in seen))
    asked = Asked(claim.m, claim.n > 0, bool(claim.negations), claim.l is not None, MOST_SETS)
    found = judge_parts(asked, reading, scales, seen, parts, mapped)
    if scales.unseen and not found.broken:
        return unjudged(scales.unseen)
    return claim.verdict(found, scales.least)
