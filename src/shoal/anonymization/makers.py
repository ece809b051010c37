"""Makers: what made a release, so that it can be made again of other records or of those who stay."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from shoal.algorithms import find_method
from shoal.anonymization.methods import k_for_front, make_result, split_options, trace_points
from shoal.base.discreet import SafeRepr
from shoal.base.progress import Progress, no_progress
from shoal.privacy import require_protection
from shoal.release import Claim, Recoded, Result
from shoal.shapes.dataset import Dataset
from shoal.shapes.maker import Maker
from shoal.shapes.registry import bind_to_claim
from shoal.shapes.table.data import TableData

__all__ = ["MethodMaker", "PointMaker", "RuleMaker", "trial_maker"]

_REHEARSAL = 0  # a seed, so that what is measured is the same each time; what it makes is never published


@dataclass(frozen=True, repr=False)
class MethodMaker(SafeRepr):
    """A method with the claim that it keeps and its options.

    `binds` says whether the records are bound to the claim first, as those of others must be.
    """

    method: str
    claim: Claim
    options: Mapping[str, Any]
    seed: int | None = None
    progress: Progress = no_progress
    binds: bool = False

    def make(self, dataset: Dataset) -> Result[Any]:
        """Run the method on these records; what follows from known columns is what follows in them."""
        records = bind_to_claim(dataset, self.claim) if self.binds else dataset
        claim = records.close_claim(self.claim) if isinstance(records, TableData) else self.claim
        result: Result[Any] = make_result(self.method, records, claim, self.options, self.progress, self.seed)
        return result

    def keeping_everybody(self) -> Self | None:
        """The same, leaving nobody out; None where hierarchies are public, which tell nothing of those left out."""
        if find_method(self.method).public:
            return None
        return replace(self, options={**self.options, "suppress": 0.0})


@dataclass(frozen=True, repr=False)
class PointMaker(SafeRepr):
    """The point of a table's front that reaches k."""

    method: str
    k: int
    options: Mapping[str, Any]

    def make(self, dataset: Dataset) -> Result[Any]:
        """Trace the front of these records and release the point."""
        points = trace_points(dataset, self.method, self.options, no_progress)
        result: Result[Any] = points.release(points.pick(self.k), self.k)
        return result


@dataclass(frozen=True, repr=False)
class RuleMaker(SafeRepr):
    """A stored recoding of a table, applied to records of whom nobody is left out."""

    recoding: Mapping[str, Any]
    claim: Claim

    def make(self, dataset: TableData) -> Result[Recoded]:
        """Recode these records; their hierarchies may be lower than those that the rule was made with."""
        if "levels" not in self.recoding:
            return dataset.recode(self.recoding, self.claim, 0.0)
        heights = {name: hierarchy.height for name, hierarchy in dataset.hierarchies.items()}
        levels = {name: min(level, heights[name]) for name, level in self.recoding["levels"].items()}
        return dataset.recode({**self.recoding, "levels": levels}, self.claim, 0.0)


def trial_maker(
    dataset: Dataset, method: str, options: Mapping[str, Any], claim: Claim | None = None
) -> Maker:
    """What makes releases as `anonymize` does, to be measured and thrown away: none is judged, and none leaves.

    `claim` is the one that the options make, where it was made already. No guard asks about these data: what it would
    refuse to publish is not published here.
    """
    stated, method_options = split_options(options, method)
    claim = claim or require_protection(dataset.claim(stated))
    if find_method(method).fronts:
        return PointMaker(method, k_for_front(method, claim), method_options)
    return MethodMaker(method, claim, method_options, _REHEARSAL, binds=True)
