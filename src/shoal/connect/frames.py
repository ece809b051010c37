"""`frame.shoal`: what shoal does, as methods of pandas and polars frames. `import shoal` registers it."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from shoal.anonymization.front import Front, MixedFront
from shoal.anonymization.release import Release
from shoal.base.frame_accessor import register_accessors
from shoal.comparison.comparison import Comparison
from shoal.jobs.api import anonymize, compare, judge, pareto, read
from shoal.jobs.risk import Risk, risk
from shoal.proposal.proposal import Proposal
from shoal.proposal.propose import propose
from shoal.release import Verdict

__all__ = ["FrameMethods"]

Function = TypeVar("Function", bound=Callable[..., Any])


def _like(function: Callable[..., Any]) -> Callable[[Function], Function]:
    """Give a method the parameters and the documentation of the function that it calls with the frame."""
    signature = inspect.signature(function)
    _, *parameters = signature.parameters.values()
    frame = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)

    def copy_signature(method: Function) -> Function:
        method.__doc__ = function.__doc__
        vars(method)["__signature__"] = signature.replace(parameters=[frame, *parameters])
        return method

    return copy_signature


class FrameMethods:
    """What shoal does with one frame: each method is the function of that name, with this frame as its data.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 34, 62, 65], "ill": ["flu", "gout", "flu", "asthma"]})
    >>> release = people.shoal.anonymize(k=2, quasi="age", sensitive="ill", hierarchies={"age": {"ranges": [10]}})
    >>> release.data["age"].n_unique()
    2
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @_like(propose)
    def propose(self, **options: Any) -> Proposal:  # noqa: D102  # `shoal.propose` documents it, and so the others
        return propose(self._frame, **options)

    @_like(read)
    def read(self, **options: Any) -> Any:  # noqa: D102
        return read(self._frame, **options)

    @_like(risk)
    def risk(self, **options: Any) -> Risk:  # noqa: D102
        return risk(self._frame, **options)

    @_like(anonymize)
    def anonymize(self, *k: int, **options: Any) -> Release:  # noqa: D102
        return anonymize(self._frame, *k, **options)

    @_like(pareto)
    def pareto(self, **options: Any) -> Front | MixedFront:  # noqa: D102
        return pareto(self._frame, **options)

    @_like(compare)
    def compare(self, **options: Any) -> Comparison:  # noqa: D102
        return compare(self._frame, **options)

    @_like(judge)
    def judge(self, *claim: Any, **options: Any) -> Verdict:  # noqa: D102
        return judge(self._frame, *claim, **options)


register_accessors()  # also where a library was imported by a loader that could not be watched
