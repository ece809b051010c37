"""What judges a release together with earlier ones of the same people, before it is written and when it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.anonymization.several.judging import EarlierReleases, Part, link_tables, summarize_verdict
from shoal.base.discreet import SafeRepr
from shoal.privacy import LDiversity
from shoal.privacy.several import JointVerdict, find_exposed_people, judge_invariance
from shoal.release import Claim, Result, Verdict
from shoal.report.words import names_in_words
from shoal.shapes.dataset import Dataset

__all__ = ["ClaimsJudge", "InvarianceJudge", "find_columns_to_coarsen", "invariance_of", "signature_size"]


@dataclass(frozen=True, repr=False)
class ClaimsJudge(SafeRepr):
    """The judge of whether a release and earlier ones each keep their claim for whoever holds all of them."""

    earlier: EarlierReleases

    def judge_with_earlier(self, dataset: Dataset, result: Result[Any], frame: Any) -> Verdict:
        """Judge a release, as somebody read it; a no says which columns to coarsen."""
        joint = self.earlier.judged(dataset, result, frame)
        if not isinstance(joint, JointVerdict):
            return Verdict(False, joint, judged=False)
        parts = [*self.earlier.parts, self.earlier.part(dataset, result, frame)]
        verdict = summarize_verdict(joint, [part.name for part in parts])
        if verdict or not isinstance(frame, pl.DataFrame):
            return verdict
        return replace(verdict, sentence=f"{verdict.sentence}; {_advise(parts, joint)}")


@dataclass(frozen=True, repr=False)
class InvarianceJudge(SafeRepr):
    """The judge of whether a release and earlier ones are m-invariant."""

    earlier: EarlierReleases

    def judge_with_earlier(self, dataset: Dataset, result: Result[Any], frame: Any) -> Verdict:
        """Judge a release, as somebody read it."""
        return invariance_of([*self.earlier.parts, self.earlier.part(dataset, result, frame)])


def invariance_of(parts: Sequence[Part]) -> Verdict:
    """Whether releases of tables are m-invariant, each with the l that it promises."""
    return judge_invariance(link_tables(parts), [signature_size(part.claim) for part in parts])


def signature_size(claim: Claim) -> int:
    """How many sensitive values every class must hold: m."""
    return max([2, *(part.l for part in claim.parts if isinstance(part, LDiversity))])


def _advise(parts: Sequence[Part], joint: JointVerdict) -> str:
    """What to change in the last release."""
    columns = find_columns_to_coarsen(parts)
    if columns:
        quoted = [f"'{name}'" for name in columns]
        return f"coarsen {names_in_words(quoted, len(quoted))}"
    advice = "making a column coarser does not help"
    if joint.missing:
        advice += (
            f", because {joint.missing} people are in some of the releases and are missing from others; leave out the "
            "same people, or nobody"
        )
    return advice


def find_columns_to_coarsen(parts: Sequence[Part]) -> list[str]:
    """The quasi-identifiers of the last release that would have to be published as one value, one after the other.

    The column that helps most people comes first. None is named where all of them together do not help. Where no
    quasi-identifier says too much, the items do.
    """
    *earlier, last = parts
    candidates = [name for name, role in last.known.columns.items() if role == "quasi"]
    if not candidates or not _count_exposed(parts):
        return [name for name, role in last.known.columns.items() if role == "items"]
    coarsened: list[str] = []
    while candidates:
        exposed_counts = {
            name: _count_exposed([*earlier, _blank_columns(last, [*coarsened, name])]) for name in candidates
        }
        best = min(candidates, key=lambda name: exposed_counts[name])
        coarsened.append(best)
        candidates.remove(best)
        if not exposed_counts[best]:
            return coarsened
    return []


def _count_exposed(parts: Sequence[Part]) -> int:
    return len(find_exposed_people(link_tables(parts)))


def _blank_columns(part: Part, names: Sequence[str]) -> Part:
    """The same release with some columns published as one value."""
    cells = {name: np.zeros(len(part.frame), dtype=np.int8) for name in names}
    hierarchies = {name: hierarchy for name, hierarchy in part.known.hierarchies.items() if name not in names}
    return replace(
        part, frame=part.frame.with_columns(**cells), known=replace(part.known, hierarchies=hierarchies)
    )
