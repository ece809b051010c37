"""Closeness of the values of each class to those of the whole release: t-closeness, beta-likeness, delta-disclosure.

Claims that look at a class alone are in `diversity`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import B1, F8, I8
from shoal.data.spelling import alike
from shoal.hierarchy.column_values import number_or_end
from shoal.privacy.claim import Number, Protection, Word, one_of, real
from shoal.privacy.equivalence_class import EquivalenceClasses, SensitiveValueClaim, ValueTally, cells, shares
from shoal.release import Sensitive

__all__ = ["BetaLikeness", "DeltaDisclosure", "TCloseness"]

_SLACK = 1e-9  # distances and gains are sums and quotients of fractions: exactly t or beta must pass, delta must not


@dataclass(frozen=True, slots=True)
class TCloseness(SensitiveValueClaim):
    """In every class the sensitive values are distributed as in the whole release, up to a distance `t`.

    With P the shares of the m released values in a class and Q those in the whole release, the earth mover's
    distance between them is

    - `equal` ground distance (any two values are 1 apart): sum |p_i - q_i| / 2,
    - `ordered` (neighbours in order are 1/(m-1) apart): sum_i |(p_1 - q_1) + ... + (p_i - q_i)| / (m - 1).

    Ordered values stand by number when all of them are numbers (equal numbers are one value), else as text; both are
    read in one spelling (`shoal.data.spelling`), so that capitals and blanks move no value.
    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    Empty cells are a value of their own: nobody learns from a class in which they are as frequent as
    elsewhere. In an order they have no place, so they are put before all values and behind all, and the
    larger distance counts. With several rows per person, shares are of distinct persons by value. Without
    quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian. t-closeness: privacy beyond k-anonymity and l-diversity. ICDE 2007,
       Sec. 4.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> TCloseness(0.2).check(release).reached
    {'t': 0.25}
    """

    model: ClassVar[str] = "t-closeness"
    keys: ClassVar[tuple[str, ...]] = ("t", "distance")
    falls: ClassVar[tuple[str, ...]] = ("t",)
    meanings: ClassVar[Mapping[str, str]] = {
        "t": "Shares of sensitive values among look-alikes differ from those of all by at most this; 0 is not at all.",
        "distance": "How the spreads of sensitive values are compared.",
    }
    protection: ClassVar[Protection] = Protection(
        "t",
        "Nobody may learn more from look-alikes than from all of the data: their values are spread alike",
        "sensitive column",
        "t-closeness",
        (
            Number(
                "t",
                "How far look-alikes may be from the whole: 0 is not at all, 1 is any distance",
                0.3,
                0,
                1,
                whole=False,
            ),
        ),
        (
            Word(
                "distance",
                "How distance is measured",
                {
                    "equal": "any two different values are equally far apart",
                    "ordered": "values have an order, and neighbours are near to each other",
                },
            ),
        ),
    )

    t: float
    distance: str = "equal"
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set(t=real("t", self.t, 0, 1, "a number from 0 to 1"))
        one_of("distance", self.distance, ("equal", "ordered"))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever finds a person's class sees sensitive values distributed as in the whole release, up to an "
            f"earth mover's distance ({self.distance}) of {self.t:g}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        near = f"within a distance of {self.t:g}"
        return f"in every class {self.whom(sensitive)} is spread as in the whole release, {near}"

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes are too far from the whole, and how far the furthest one is."""
        measured = _equal(groups, column) if self.distance == "equal" else _ordered(groups, column)
        return measured > self.t + _SLACK, max(0.0, float(measured.max()))  # sums of fractions may miss 0

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the smallest t that all columns keep."""
        return {"t": max(figures)}

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        if many:
            found = f"{many} are in classes further than t={self.t:g} from the whole release"
        else:
            found = f"every class is within t={self.t:g} of the whole release"
        return f"{found} ({self.distance} distance); the furthest class is at {figure:.4g}"


@dataclass(frozen=True, slots=True)
class BetaLikeness(SensitiveValueClaim):
    """No sensitive value becomes likelier in a class by more than `beta` times what it is in the whole release.

    With p the share of a value in the whole release and q its share in a class, the gain of every value with q > p
    is at most

    - `basic`: (q - p) / p <= beta,
    - `enhanced`: (q - p) / p <= min(beta, -ln p), so that a frequent value never becomes certain.

    Values that become rarer are not bounded. Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    An empty cell is a value of its own: nobody learns from a class in which it is as frequent as elsewhere. With
    several rows per person, shares are of distinct persons who have the value. Without quasi-identifiers, records
    or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Cao, Karras. Publishing microdata with a robust privacy guarantee. PVLDB 5(11), 2012, Def. 2-3.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> BetaLikeness(0.5).check(release).witnesses, BetaLikeness(1).check(release).reached
    ((1, 2), {'beta': 1.0})
    """

    model: ClassVar[str] = "beta-likeness"
    keys: ClassVar[tuple[str, ...]] = ("beta", "likeness")
    falls: ClassVar[tuple[str, ...]] = ("beta",)
    meanings: ClassVar[Mapping[str, str]] = {
        "beta": "Among look-alikes the share of a sensitive value grows by at most this many times its share among "
        "all.",
        "likeness": "Whether that growth is also bounded by how rare the value is.",
    }
    protection: ClassVar[Protection] = Protection(
        "beta",
        "No sensitive value may be much likelier among look-alikes than among all",
        "sensitive column",
        "beta-likeness",
        (Number("beta", "How much likelier it may be: 1 is twice as likely", 1, 0.01, 1000, whole=False),),
        (
            Word(
                "likeness",
                "How it is limited",
                {
                    "basic": "every value in the same way",
                    "enhanced": "frequent values more, so that none becomes certain",
                },
            ),
        ),
    )

    beta: float
    likeness: str = "basic"
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set(beta=real("beta", self.beta, 1e-9, 1e9, "a number above 0"))
        one_of("likeness", self.likeness, ("basic", "enhanced"))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        enhanced = ", and less where a value is frequent" if self.likeness == "enhanced" else ""
        return (
            "whoever finds a person's class finds no sensitive value there likelier than in the whole release by more "
            f"than {self.beta:g} times what it is there{enhanced}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        often = f"more than {1 + self.beta:g} times as frequent in a class as in the whole release"
        return f"no value of {self.whom(sensitive)} is {often}"

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another; enhanced likeness is also basic."""
        return (name == "likeness" and asked == "basic") or SensitiveValueClaim._as_much(
            self, name, own, asked
        )

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes hold a value that gained too much, and the largest gain of all."""
        counted, inside, whole = shares(groups, column)
        there = whole[counted.value]
        gain = np.maximum((inside - there) / there, 0)
        allowed = np.full(len(gain), self.beta)
        if self.likeness == "enhanced":
            allowed = np.minimum(allowed, -np.log(there))
        over = np.zeros(len(groups.size), dtype=bool)
        over[counted.of[gain > allowed + _SLACK]] = True
        return over, float(gain.max())

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        found = f"no value is more than beta={self.beta:g} likelier in a class than in the whole release"
        if many:
            found = f"{many} are in classes with a value likelier than beta={self.beta:g} allows"
        return f"{found} ({self.likeness}); the largest gain is {figure:.4g}"

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the smallest beta that all columns keep."""
        return {"beta": max(figures)}


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(SensitiveValueClaim):
    """In every class, every sensitive value of the release has a share within a factor of e^delta of its share in all.

    With p the share of a value in the whole release and q its share in a class: |ln(q / p)| < `disclosure` for every
    value of the release, the natural logarithm being meant. A value that a class lacks has q = 0 and breaks the claim:
    so the definition says, though some tools leave absent values out, whose claim is then weaker.

    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    An empty cell is a value of its own. With several rows per person, shares are of distinct persons who have the
    value. Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing.
       KDD 2008, Def. 1.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> DeltaDisclosure(2).check(release).witnesses
    (3, 4)
    """

    model: ClassVar[str] = "delta-disclosure privacy"
    keys: ClassVar[tuple[str, ...]] = ("disclosure",)
    falls: ClassVar[tuple[str, ...]] = ("disclosure",)
    meanings: ClassVar[Mapping[str, str]] = {
        "disclosure": "How much likelier or less likely a value is among look-alikes; its logarithm stays below this.",
    }
    protection: ClassVar[Protection] = Protection(
        "disclosure",
        "No sensitive value may be much likelier or much rarer among look-alikes than among all",
        "sensitive column",
        "delta-disclosure privacy",
        (
            Number(
                "disclosure",
                "How much, as a natural logarithm: 0.7 is twice or half",
                1.5,
                0.01,
                1000,
                whole=False,
            ),
        ),
    )

    disclosure: float
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        words = "a number above 0 and at most 1000"
        self._set(disclosure=real("disclosure", self.disclosure, 1e-6, 1e3, words))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever finds a person's class finds every sensitive value there less than e^delta times as frequent, "
            f"and more than 1/e^delta times as frequent, as in the whole release, with delta = {self.disclosure:g}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        near = f"within a factor of e^{self.disclosure:g}"
        return (
            f"every class holds every value of {self.whom(sensitive)} as often as the whole release, {near}"
        )

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes tell too much, and how much the one that tells most tells."""
        told = _largest_ratio(groups, column)
        return told >= self.disclosure - _SLACK, float(told.max())

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        found = f"every value of every class is within disclosure={self.disclosure:g} of the whole release"
        if many:
            found = (
                f"{many} are in classes that differ from the whole release by more than "
                f"disclosure={self.disclosure:g}"
            )
        worst = (
            "a class lacks a value altogether" if figure == inf else f"the largest difference is {figure:.4g}"
        )
        return f"{found}; {worst}"

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the smallest disclosure that all columns keep; nothing where a class lacks a value."""
        return {"disclosure": max(figures)} if max(figures) < inf else {}


# --- t: distances ------------------------------------------------------------------------------------------------


def _equal(groups: EquivalenceClasses, column: Sensitive) -> F8:
    """For each class, half the sum of |p - q|; as p and q both sum to 1, that is the sum where p exceeds q."""
    part, whole = _tallies(groups, cells(column) + 1)
    excess = np.maximum(_shares(part) - _shares(whole)[part.value], 0)
    return np.asarray(np.bincount(part.of, weights=excess, minlength=len(groups.size)), dtype=np.float64)


def _ordered(groups: EquivalenceClasses, column: Sensitive) -> F8:
    """For each class, the distance along the order, empty cells at whichever end hurts more."""
    values = cells(column)
    known = np.unique(values[values >= 0])
    place = np.full(len(column.values) + 1, -1, dtype=np.int64)  # its last entry is the empty cell's
    place[known] = _ranks([alike(column.values[code]) for code in known])
    ranks = place[values]
    if ranks.min() >= 0:
        return _along(groups, ranks)
    behind = np.where(ranks < 0, ranks.max() + 1, ranks)
    return np.maximum(_along(groups, ranks + 1), _along(groups, behind))


def _ranks(texts: list[str]) -> I8:
    """The place of each text in order: by number when all are numbers or ends of them (95+), else as text."""
    numbers = [_number(text) for text in texts]
    keys: list[Any] = list(texts if None in numbers else numbers)
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        end = number_or_end(text)
        return None if end is None else float(end)
    return number if isfinite(number) else None


def _along(groups: EquivalenceClasses, ranks: I8) -> F8:
    """For each class, the mean over places of |F_class - F_whole|, F the cumulated shares; ranks are 0 .. m-1.

    A class's F is constant from one of its values to the next and F_whole rises, so each such stretch is two
    differences of prefix sums around the place where they cross: no class x value matrix is built.
    """
    part, whole = _tallies(groups, ranks)
    steps = np.cumsum(_shares(whole))
    if len(steps) == 1:
        return np.zeros(len(groups.size))
    order = np.lexsort((part.value, part.of))
    of, value, count = part.of[order], part.value[order], part.count[order]
    starts = np.r_[True, of[1:] != of[:-1]]
    ends = np.r_[starts[1:], True]
    total = np.bincount(of, weights=count)[of]
    before = np.cumsum(count) - count
    level = (before + count - np.maximum.accumulate(np.where(starts, before, 0))) / total
    upto = np.where(ends, len(steps), np.r_[value[1:], 0])
    sums = np.r_[0.0, np.cumsum(steps)]
    cross = np.clip(np.searchsorted(steps, level, side="right"), value, upto)
    above = level * (cross - value) - (sums[cross] - sums[value])
    below = (sums[upto] - sums[cross]) - level * (upto - cross)
    ahead = np.where(starts, sums[value], 0.0)  # places before the class's first value: F_class is 0
    return np.bincount(of, weights=above + below + ahead) / (len(steps) - 1)


def _tallies(groups: EquivalenceClasses, values: I8) -> tuple[ValueTally, ValueTally]:
    """Count the values in each class and in the whole release; the latter has one entry per value, in order."""
    whole = groups.tally_all(values)
    count = np.zeros(int(values.max()) + 1, dtype=np.int64)
    count[whole.value] = whole.count
    every = np.arange(len(count))
    return groups.tally(values), ValueTally(np.zeros_like(every), every, count)


def _shares(counted: ValueTally) -> F8:
    """Each count as a share of its class."""
    total = np.bincount(counted.of, weights=counted.count)
    return np.asarray(counted.count / total[counted.of], dtype=np.float64)


# --- delta: ratios -----------------------------------------------------------------------------------------------


def _largest_ratio(groups: EquivalenceClasses, column: Sensitive) -> F8:
    """For each class, the largest |ln(q / p)| of any value of the release; infinite where it lacks one."""
    counted, inside, whole = shares(groups, column)
    told = np.zeros(len(groups.size))
    np.maximum.at(told, counted.of, np.abs(np.log(inside / whole[counted.value])))
    held = np.bincount(counted.of, minlength=len(told))
    return np.where(held < int((whole > 0).sum()), inf, told)
