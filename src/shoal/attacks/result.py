"""What came of playing one attacker against a release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from shoal.attacks.criteria import CRITERIA, Control
from shoal.data.arrays import F8
from shoal.discreet import Discreet

__all__ = ["Outcome"]

_SLACK = 1e-9  # a chance is a quotient: exactly the bound must pass


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Discreet):
    """An attacker, and how likely each person is found who was played.

    name     : the attacker, in plain words joined by hyphens
    inside   : whether the claim of the release covers this attacker
    bound    : the highest chance that the claim allows; None beyond it
    chances  : float64[played], for each person played the chance that the attacker's guess is right. Whoever looks for
               a row guesses evenly among the rows that fit what is known: 1 / how many fit, and 0 where the person's
               own row is not among them or was suppressed. Of whoever wants a sensitive value, it is the chance that
               the attacker gives to the person's own value. Of whoever describes people, it is 1 for each description
               that fits exactly one; these are then what is played
    people   : how many people there are; where fewer were played, these were drawn evenly and without repeats
    sentence : what the attacker knows and wants, as one sentence without a full stop
    bounds   : float64[played], for each person played the highest chance allowed, where the claim allows some more than
               others; `bound` is then the largest of them
    most     : float64[played], the highest chance that each person may have, where what is known was a random choice of
               the many that could be; None where the worst choice was found
    figures  : what else came of it, by name
    control  : the same attacker on people who are in a release and on people who are not; None where it has no control

    Examples
    --------
    >>> import numpy as np
    >>> found = Outcome("all-quasi-identifiers", True, 0.5, np.array([0.5, 0.25, 0.0, 0.25]), 4, "it knows all columns")
    >>> found.success, found.highest, found.kept, (found.low, found.high)
    (0.25, 0.5, True, (0.25, 0.25))
    """

    name: str
    inside: bool
    bound: float | None
    chances: F8
    people: int
    sentence: str
    bounds: F8 | None = None
    most: F8 | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    control: Control | None = None

    @property
    def criterion(self) -> str | None:
        """The criterion that the attacker speaks to."""
        return CRITERIA[self.name].name if self.name in CRITERIA else None

    @property
    def played(self) -> int:
        """How many people were tried."""
        return len(self.chances)

    @property
    def success(self) -> float:
        """The chance of the attacker on average over the people played."""
        return float(self.chances.mean()) if self.played else 0.0

    @property
    def low(self) -> float:
        """The lower end of the 95% confidence interval of the average over all people."""
        if not self.played:
            return 0.0
        return max(self.success - _margin(self.chances, self.people), 0.0)

    @property
    def high(self) -> float:
        """The upper end of that interval."""
        if not self.played:
            return 1.0 if self.people else 0.0
        tops = self.chances if self.most is None else self.most
        return min(float(tops.mean()) + _margin(tops, self.people), 1.0)

    @property
    def highest(self) -> float:
        """The highest chance of anybody who was played."""
        return float(self.chances.max(initial=0.0))

    @property
    def certain(self) -> int:
        """How many of the people played are found for certain."""
        return int((self.chances >= 1 - _SLACK).sum())

    @property
    def kept(self) -> bool | None:
        """Whether nobody who was played has a higher chance than the claim allows; None beyond the claim."""
        if not self.inside or self.bound is None:
            return None
        allowed = self.bound if self.bounds is None else self.bounds
        return bool((self.chances <= allowed + _SLACK).all())

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, chances unrounded."""
        return {
            "name": self.name,
            "inside": self.inside,
            "bound": self.bound,
            "success": self.success,
            "low": self.low,
            "high": self.high,
            "highest": self.highest,
            "certain": self.certain,
            "kept": self.kept,
            "played": self.played,
            "people": self.people,
            "criterion": self.criterion,
            "control": None if self.control is None else self.control.as_dict(),
            **({"figures": dict(self.figures)} if self.figures else {}),
        }


def _margin(chances: F8, people: int) -> float:
    """How far the average over all people may lie from that of a sample, at 95% confidence.

    0 where everybody was played. Otherwise the smaller of two margins for numbers from 0 to 1 drawn without
    repeats, each at 97.5%: that of Hoeffding and Serfling, and the empirical one of Bernstein and Serfling [1]_.

    References
    ----------
    .. [1] Bardenet, Maillard. Concentration inequalities for sampling without replacement. Bernoulli 21(3), 2015.
    """
    n = len(chances)
    if n >= people:
        return 0.0
    left = 1 - (n - 1) / people if 2 * n <= people else (1 - n / people) * (1 + 1 / n)
    plain = sqrt((1 - (n - 1) / people) * log(2 / 0.025) / (2 * n))
    rare = log(5 / 0.0125)
    spread = float(chances.std()) * sqrt(2 * left * rare / n) + (7 / 3 + 3 / sqrt(2)) * rare / n
    return min(plain, spread)
