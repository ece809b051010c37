"""What another maker would lose, found out where it takes no time: a release can be true, judged and needlessly coarse.

It needs the originals, so it is for its owner alone: terminal and audit. `shoal compare` looks at every maker and k.
"""

from collections.abc import Callable
from typing import Any

from shoal.algorithms import METHODS
from shoal.errors import ShoalError
from shoal.publish.first_run import compiled
from shoal.publish.protocols import Dataset
from shoal.release import Claim, Result
from shoal.utility import headline

__all__ = ["losing_less"]

_OTHER = {"optimal": "mondrian", "incognito": "mondrian", "apriori": "pcta", "lra": "pcta", "vpa": "pcta"}
"""For makers that keep to one level or one cut: the maker that is quick and does not."""
_QUICK = 300_000  # cells or items, which the others take about a second for


def losing_less(
    dataset: Dataset, name: str, claim: Claim, result: Result[Any], make: Callable[[str], Result[Any]]
) -> dict[str, float]:
    """The maker, if there is one, that loses less than half of what `result` does, and its headline loss."""
    other = _OTHER.get(name, "")
    if not other or dataset.cells > _QUICK or not compiled(other) or hasattr(result.release, "parts"):
        return {}  # records in parts are not in memory, where the other maker would need them
    if any(part.named not in METHODS[other].claims for part in claim.parts):
        return {}
    try:
        made = make(other)
    except ShoalError:  # what it cannot do is not worth a word
        return {}
    own, less = (_share(dataset, one) for one in (result, made))
    return {other: less} if 2 * less < own else {}


def _share(dataset: Dataset, result: Result[Any]) -> float:
    """The headline loss of a release."""
    found = headline(dataset.losses(result, {"parameters": {}}, public=False))
    return 0.0 if found is None else found[1]
