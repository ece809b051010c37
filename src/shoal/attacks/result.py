"""What came of playing one attacker against a release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import F8

__all__ = ["ABOUT_CRITERIA", "CRITERIA", "Control", "Criterion", "Outcome", "Rate"]

# --- What attackers speak to, and how a control group tells what people learn of anybody from what a release leaks.
#
# The three criteria are those of the Article 29 Working Party [1]_. An attacker is played on people who are in a
# release and on people who are not, with the same knowledge and the same guess [2]_: what it learns of the latter is
# science.
#
# References
# ----------
# .. [1] Article 29 Data Protection Working Party. Opinion 05/2014 on Anonymisation Techniques. WP216, 2014.
# .. [2] Giomi, Boenisch, Wehmeyer, Tasnádi. A unified framework for quantifying privacy risk in synthetic data. PoPETs
#        2023(2).

SINGLING_OUT, LINKABILITY, INFERENCE = "singling out", "linkability", "inference"

ABOUT_CRITERIA: Mapping[str, str] = {
    SINGLING_OUT: "whether somebody can describe exactly one person in the data",
    LINKABILITY: "whether somebody can tell which row belongs to a person, or that a person is in the data",
    INFERENCE: "whether somebody can learn a value about a person",
}
"""The three criteria, each with the question that it asks."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """The criterion that an attacker speaks to; `alone` says why it has no control, "" where it has one."""

    name: str
    alone: str = ""


_LINKS, _INFERS = Criterion(LINKABILITY), Criterion(INFERENCE)
_RULES = Criterion(LINKABILITY, "the rules that it uses were learned from the people in the release")
_MATCHES = (
    "it matches all rows to all people at once, and people outside the release have no row to be matched with"
)
_POPULATION = "it asks who in a population is in the release, and nobody in a control group is"
_RISES = Criterion(INFERENCE, "its figure is how much a chance rises, not how often a guess is right")
_ANEW = Criterion(INFERENCE, "it makes the release again from the people in it")

CRITERIA: Mapping[str, Criterion] = {
    "lowest-labels": Criterion(
        SINGLING_OUT,
        "labels are only as wide as the people in the release require; others play no part in them",
    ),
    "singling-out": Criterion(SINGLING_OUT),
    "linked-rows": Criterion(LINKABILITY, "people outside the release have no pseudonym in it"),
    **dict.fromkeys(("in-register", "from-outside", "in-population"), Criterion(LINKABILITY, _POPULATION)),
    **dict.fromkeys(
        (
            "all-quasi-identifiers",
            "own-class",
            "known-columns",
            "shown-columns",
            "several-rows",
            "plain-column",
            "sensitive-column",
            "m-items",
            "m-published-items",
            "own-class-m-items",
            "listed-items",
            "one-more-item",
            "sensitive-item",
            "whole-basket",
            "m-values-n-relations",
            "m-published-values",
            "m-nodes-n-relations",
            "m-published-nodes",
            "one-more-node",
            "one-more-value",
            "one-more-relation",
            "whole-record",
            "record-size",
            "fan-out",
            "visits",
            *(f"absent-{things}-{many}" for things in ("items", "values", "groups") for many in range(1, 5)),
        ),
        _LINKS,
    ),
    "columns-that-follow": _RULES,
    **dict.fromkeys(("every-basket", "insiders"), Criterion(LINKABILITY, _MATCHES)),
    "label-within-l": Criterion(INFERENCE, _MATCHES),
    "known-neighbours": Criterion(
        LINKABILITY,
        "it knows which other rows belong to whom, and that only makes sense for people in the release",
    ),
    **dict.fromkeys(
        (
            "value-within-l",
            "value-within-beta",
            "value-within-delta",
            "value-within-alpha",
            "hidden-value-within-alpha",
            "sensitive-items-within-l",
            "sensitive-values-within-l",
            "sensitive-values-by-nodes-within-l",
            "homogeneity",
            "inference",
            "prediction",
        ),
        _INFERS,
    ),
    "value-within-t": _RISES,
    "skewness": _RISES,
    "knows-method": _ANEW,
    "replays-cells": _ANEW,
}
"""The criterion of each attacker, by its name: the one table of it."""

_Z = 1.959963984540054  # of 95%


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a guess is right: so many hits, on average over the guess, of so many people played.

    `low` and `high` are the ends of Wilson's 95% interval: what other people of the same kind would show.

    >>> few = Rate(2.0, 8)
    >>> few.rate, round(few.low, 4), round(few.high, 4)
    (0.25, 0.0715, 0.5907)
    """

    hits: float
    played: int

    @classmethod
    def of(cls, chances: F8) -> "Rate":
        """The rate of an attacker whose guess about each person is right with some chance."""
        return cls(float(chances.sum()), len(chances))

    @property
    def rate(self) -> float:
        """The share of guesses that are right."""
        return self.hits / self.played if self.played else 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return max(self._centre - self._half_width, 0.0)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return min(self._centre + self._half_width, 1.0)

    @property
    def _centre(self) -> float:
        return (self.hits + _Z**2 / 2) / (self.played + _Z**2)

    @property
    def _half_width(self) -> float:
        misses = max(self.played - self.hits, 0.0)
        return _Z / (self.played + _Z**2) * sqrt(self.hits * misses / max(self.played, 1) + _Z**2 / 4)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {"rate": self.rate, "low": self.low, "high": self.high, "played": self.played}


@dataclass(frozen=True, slots=True)
class Control:
    """An attacker played on people who are in a release, and on people who are not.

    >>> found = Control(Rate(60, 100), Rate(50, 100))
    >>> round(found.residual, 9), round(found.low, 2), round(found.high, 2)
    (0.2, -0.05, 0.44)
    """

    attack: Rate
    control: Rate

    @property
    def residual(self) -> float:
        """What the attack reaches of what the control leaves; below 0 where the control does better."""
        headroom = 1 - self.control.rate
        return (self.attack.rate - self.control.rate) / headroom if headroom > 0 else 0.0

    @property
    def low(self) -> float:
        """The lower end of its 95% interval: the ends of both rates, as the residual risk carries them on."""
        return self.residual - self._margin(
            self.attack.rate - self.attack.low, self.control.high - self.control.rate
        )

    @property
    def high(self) -> float:
        """The upper end of that interval; 1 at most."""
        margin = self._margin(self.attack.high - self.attack.rate, self.control.rate - self.control.low)
        return min(self.residual + margin, 1.0)

    def _margin(self, attack: float, control: float) -> float:
        headroom = 1 - self.control.rate
        if headroom <= 0:
            return 1.0
        return sqrt((attack / headroom) ** 2 + (control * (1 - self.attack.rate) / headroom**2) ** 2)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data; the residual risk unclipped."""
        residual = {"risk": self.residual, "low": self.low, "high": self.high}
        return {"attack": self.attack.as_dict(), "control": self.control.as_dict(), "residual": residual}


_SLACK = 1e-9  # a chance is a quotient: exactly the bound must pass


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(SafeRepr):
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
