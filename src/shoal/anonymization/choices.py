"""What other choices would cost: the whole front, and a method that loses far less.

A release can be true, judged and needlessly coarse. What another choice loses is looked at where that takes no time; it
needs the originals, so it is for the owner alone: terminal and audit. `shoal compare` looks at every method and k.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.algorithms import METHODS
from shoal.anonymization.compiling import is_compiled
from shoal.anonymization.makers import MethodMaker
from shoal.anonymization.methods import trace_points
from shoal.base.discreet import SafeRepr
from shoal.base.errors import ShoalError
from shoal.base.progress import with_prefix
from shoal.privacy import KAnonymity
from shoal.publish.draft import Choices
from shoal.release import Recoded, Result
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedData
from shoal.shapes.registry import SHAPES
from shoal.shapes.released_values import find_overlaps
from shoal.shapes.table.data import TableData
from shoal.utility import find_headline

__all__ = ["Alternatives"]

_LEVELS = "optimal"
_QUICK = 300_000  # cells or items, which other methods take about a second for
_AUDIT_LATTICE = 50_000
_AUDIT_SECONDS = 10.0
_AUDIT_RECORDS = 10_000


@dataclass(frozen=True, repr=False)
class Alternatives(SafeRepr):
    """A result before anything of it was relabelled, what made it of which data, and the options that were stated."""

    dataset: Dataset
    result: Result[Any]
    maker: MethodMaker
    options: Mapping[str, Any]

    def find_choices(self) -> Choices:
        """Find out what other choices would cost."""
        release = self.result.release
        is_local = isinstance(release, Recoded) and not METHODS[self.maker.method].is_disjoint
        overlapping = find_overlaps(release) if is_local else ()
        one_level = self._price_one_level() if overlapping else None
        return Choices(self._trace_front(), self._find_cheaper_method(), overlapping, one_level)

    def _price_one_level(self) -> float | None:
        """What one level per column would lose, where that is known within a second or so."""
        maker, dataset = self.maker, self.dataset
        if (
            not isinstance(dataset, TableData)
            or dataset.linked
            or dataset.cells > _QUICK
            or not is_compiled(_LEVELS)
            or any(part.named not in METHODS[_LEVELS].claims for part in maker.claim.parts)
            or np.prod([hierarchy.height + 1.0 for hierarchy in dataset.hierarchies.values()])
            > _AUDIT_LATTICE
        ):
            return None
        options = {
            "loss": "ncp",
            **{key: maker.options[key] for key in ("suppress",) if key in maker.options},
        }
        progress = with_prefix(maker.progress, "to compare")
        try:
            result = replace(maker, method=_LEVELS, options=options, progress=progress).make(dataset)
        except ShoalError:  # what cannot be made is not worth a word
            return None
        return _headline_loss(dataset, result)

    def _trace_front(self) -> Mapping[str, Any] | None:
        """The whole trade-off, where tracing it is cheap beside the run."""
        dataset, options, method = self.dataset, self.options, METHODS[self.maker.method]
        progress = with_prefix(self.maker.progress, "for the audit")
        fronts = SHAPES[dataset.shape].fronts
        if isinstance(dataset, MixedData) and method.front and dataset.records <= _AUDIT_RECORDS:
            if not dataset.in_memory:
                return None
            front: Mapping[str, Any] = trace_points(dataset, fronts[0], options, progress).as_dict()
            return front
        if not isinstance(dataset, TableData) or dataset.linked or options.get("loss") == "c_avg":
            return None  # no front can compare these
        if dataset.table.counts is not None or KAnonymity.model not in method.claims:
            return None  # the records are many: whoever wants the front asks for it
        if np.prod([hierarchy.height + 1.0 for hierarchy in dataset.hierarchies.values()]) > _AUDIT_LATTICE:
            return None
        if method.theme.local and not is_compiled(fronts[0]):
            return None  # the method needs other kernels, and compiling these takes far longer than it
        shared = {key: options[key] for key in ("suppress", "loss", "target") if key in options}
        table_front: Mapping[str, Any] = trace_points(
            dataset, fronts[0], {**shared, "seconds": _AUDIT_SECONDS}, progress
        ).as_dict()
        return table_front

    def _find_cheaper_method(self) -> Mapping[str, float]:
        """The method, if there is one, that loses less than half as much, and its headline loss."""
        maker = self.maker
        name = METHODS[maker.method].finer
        if (
            not name
            or self.dataset.cells > _QUICK
            or not is_compiled(name)
            or hasattr(self.result.release, "parts")
        ):
            return {}  # records in parts are not in memory, where the other method would need them
        if any(part.named not in METHODS[name].claims for part in maker.claim.parts):
            return {}
        cheaper = replace(maker, method=name, options={}, progress=with_prefix(maker.progress, "to compare"))
        try:
            result = cheaper.make(self.dataset)
        except ShoalError:  # what it cannot do is not worth a word
            return {}
        loss, cheaper_loss = (_headline_loss(self.dataset, candidate) for candidate in (self.result, result))
        return {name: cheaper_loss} if 2 * cheaper_loss < loss else {}


def _headline_loss(dataset: Dataset, result: Result[Any]) -> float:
    """The headline loss of a release."""
    name_and_loss = find_headline(dataset.losses(result, {"parameters": {}}, public=False))
    return 0.0 if name_and_loss is None else name_and_loss[1]
