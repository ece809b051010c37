"""Diversity of the sensitive values of each class: l-diversity, and (alpha,k)-anonymity, which limits the frequent.

Both look at a class alone; claims that compare it with the whole release are in `closeness`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import B1, F8, I8, times
from shoal.privacy.claim import Number, Protection, Word, merge_verdicts, one_of, real
from shoal.privacy.equivalence_class import (
    EquivalenceClasses,
    KAnonymity,
    SensitiveValueClaim,
    ValueTally,
    cells,
    group,
)
from shoal.release import Claim, Published, Sensitive, Verdict

__all__ = ["AlphaKAnonymity", "LDiversity"]

_SLACK = 1e-9  # for quotients and sums of logarithms: exactly alpha, or l equally frequent values, must pass


_WORDS = {
    "distinct": "whoever finds a person's class still faces at least {l} different sensitive values there",
    "entropy": "whoever finds a person's class is left with at least the doubt of {l} equally likely "
    "sensitive values",
    "recursive": "whoever finds a person's class finds its most frequent sensitive value less than {c:g} "
    "times as often as all values beyond the {fewer} most frequent together",
}


@dataclass(frozen=True, slots=True)
class LDiversity(SensitiveValueClaim):
    """Every class of equal quasi-identifiers has at least `l` well-represented sensitive values.

    With r_1 >= r_2 >= ... >= r_m the counts of a class's values and p_i = r_i / sum(r), a class is

    - `distinct` l-diverse when m >= l,
    - `entropy` l-diverse when -sum(p_i log p_i) >= log l,
    - `recursive` (c, l)-diverse when r_1 < c (r_l + ... + r_m).

    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    *Empty cells* may hide any value, and a yes must be right whatever they hide. So they never count as a
    value, and in r_1 each counts for the most frequent value: of all ways to fill them in, this one gives the
    least entropy, the largest r_1 and the smallest tail. A class of empty cells only is 0-diverse.

    *Several rows per person*: r_i counts distinct persons. Then a class can have many values and still give
    one away, because everybody in it has that one. So a class is also at most l-diverse when for some value
    only l - 1 of its persons surely lack it. With one row per person the definitions above imply this.

    Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity.
       TKDD 1(1), 2007, Sec. 4.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> LDiversity(2).check(release).witnesses
    (3, 4)
    """

    model: ClassVar[str] = "l-diversity"
    keys: ClassVar[tuple[str, ...]] = ("l", "diversity", "c")
    rises: ClassVar[tuple[str, ...]] = ("l",)
    falls: ClassVar[tuple[str, ...]] = ("c",)
    meanings: ClassVar[Mapping[str, str]] = {
        "c": "The most frequent sensitive value of look-alikes is less than c times as frequent as the rare ones "
        "together.",
        "diversity": "How different sensitive values are counted.",
    }
    protection: ClassVar[Protection] = Protection(
        "l",
        "Nobody may learn the sensitive value from a person's look-alikes: their values differ",
        "sensitive column",
        "l-diversity",
        (Number("l", "There must be at least this many different sensitive values among look-alikes", 2, 2),),
        (
            Word(
                "diversity",
                "How differences are counted",
                {
                    "distinct": "the values are different",
                    "entropy": "no value stands out: the entropy is at least log l",
                    "recursive": "the most frequent value is less than c times as frequent as the rare ones together",
                },
            ),
            Number("c", "With recursive: how often the most frequent value may occur", 3, 0.1, whole=False),
        ),
    )

    l: int
    diversity: str = "distinct"
    c: float = 3.0
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set_whole("l")
        one_of("diversity", self.diversity, tuple(_WORDS))
        self._set(c=real("c", self.c, 1e-9, 1e9, "a number above 0"))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return _WORDS[self.diversity].format(l=self.l, c=self.c, fewer=self.l - 1)

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `c` only where it means something."""
        found = SensitiveValueClaim.numbers(self)
        return found if self.diversity == "recursive" else {key: found[key] for key in found if key != "c"}

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        kind = {"entropy": " sufficiently evenly spread", "recursive": " well spread"}.get(self.diversity, "")
        return f"every class holds at least {self.l:,}{kind} values of {self.whom(sensitive)}"

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other: values that are spread are also different."""
        if isinstance(other, LDiversity) and other.diversity == "distinct":
            other = replace(other, diversity=self.diversity, c=self.c)
        return SensitiveValueClaim.implies(self, other)

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes are not diverse enough, and how diverse the least diverse one is."""
        reached = self._diversity(groups, column)
        return reached < self.l * (1 - _SLACK), float(reached.min())

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the largest l that all columns reach."""
        return {"l": min(figures)}

    def _diversity(self, groups: EquivalenceClasses, column: Sensitive) -> F8:
        """For each class, the largest l for which the definition holds."""
        values = cells(column)
        counted = groups.tally(values)
        empty = values < 0
        many = None if groups.counts is None else groups.counts[empty]
        nulls = times(groups.of[empty], many, len(groups.size))
        if self.diversity == "distinct":
            reached = np.bincount(counted.of, minlength=len(nulls)).astype(np.float64)
        elif self.diversity == "entropy":
            reached = _entropy(counted, nulls)
        else:
            reached = _recursive(counted, nulls, self.c)
        if groups.persons is None:
            return reached
        surely_lack = groups.size - _may_share(groups, values)
        return np.asarray(np.minimum(reached, surely_lack + 1), dtype=np.float64)

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        kind = f"recursive with c={self.c:g}" if self.diversity == "recursive" else self.diversity
        if many:
            found = f"{many} are in classes under l={self.l} ({kind})"
        else:
            found = f"every class is at least l={self.l} diverse ({kind})"
        return f"{found}; the least diverse class reaches {figure:.4g}"


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(SensitiveValueClaim):
    """Every class holds at least `k` persons, and no sensitive value is that of more than a share `alpha` of them.

    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    An empty cell may hide any value, and a yes must be right whatever it hides: persons with an empty cell count as
    if they had the value in question. Several rows per person: a person has a value when any of the rows has it.
    Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Wong, Li, Fu, Wang. (alpha, k)-anonymity: an enhanced k-anonymity model for privacy-preserving data
       publishing. KDD 2006, Def. 2-3.

    Examples
    --------
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> AlphaKAnonymity(0.5, 2).check(release).witnesses
    (3, 4)
    """

    model: ClassVar[str] = "(alpha,k)-anonymity"
    keys: ClassVar[tuple[str, ...]] = ("alpha", "k")
    rises: ClassVar[tuple[str, ...]] = ("k",)
    falls: ClassVar[tuple[str, ...]] = ("alpha",)
    meanings: ClassVar[Mapping[str, str]] = {
        "alpha": "No sensitive value has a larger share than this among look-alikes.",
    }
    protection: ClassVar[Protection] = Protection(
        "alpha",
        "No sensitive value may be that of too large a part of the look-alikes",
        "sensitive column",
        "(alpha,k)-anonymity",
        (
            Number(
                "alpha",
                "The largest part of them that may share a value: 0.5 is one half",
                0.5,
                0.01,
                1,
                False,
            ),
        ),
        instead=True,
    )

    alpha: float
    k: int
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set(alpha=real("alpha", self.alpha, 1e-9, 1, "a number above 0 and at most 1"))
        self._set_whole("k")
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows all quasi-identifiers of a person cannot tell that person's record from those of at least "
            f"{self.k - 1} others, and finds no sensitive value with more than a share of {self.alpha:g} of them"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        share = (
            f"no class has more than {self.alpha:.4g} of its records with one value of {self.whom(sensitive)}"
        )
        return f"every record looks the same as at least {self.k - 1:,} others, and {share}"

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other: it holds k as well."""
        return KAnonymity(self.k).implies(other) or SensitiveValueClaim.implies(self, other)

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every class, and those with its most frequent value."""
        shares = SensitiveValueClaim.check(self, published)
        return (
            shares
            if self.absent(published) is not None
            else merge_verdicts([KAnonymity(self.k).check(published), shares])
        )

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes hold a value too often, and the largest share of all."""
        top = _may_share(groups, cells(column)) / groups.size
        return top > self.alpha + _SLACK, float(top.max())

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        found = f"no value has more than alpha={self.alpha:g} of a class"
        if many:
            found = f"{many} are in classes where a value has more than alpha={self.alpha:g}"
        return f"{found}; the largest share is {figure:.4g}"

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the smallest alpha that all columns keep."""
        return {"alpha": max(figures)}


def _may_share(groups: EquivalenceClasses, values: I8) -> I8:
    """For each class, the largest number of persons who may have one and the same value; an empty cell may be it."""
    unsure = _unsure(groups, values)
    sure = groups.tally(np.where(unsure, -1, values))
    having = np.zeros(len(groups.size), dtype=np.int64)
    np.maximum.at(having, sure.of, sure.count)
    return having + _persons(groups, unsure)


def _unsure(groups: EquivalenceClasses, values: I8) -> B1:
    """Whether each row belongs to a person who has an empty cell in the row's class."""
    if groups.persons is None:
        return values < 0
    who, heads = group((groups.of, groups.persons))
    return np.asarray((np.bincount(who[values < 0], minlength=len(heads)) > 0)[who])


def _persons(groups: EquivalenceClasses, rows: B1) -> I8:
    """How many persons of each class some rows belong to."""
    of = groups.of[rows]
    if groups.persons is not None and len(of):
        _, heads = group((of, groups.persons[rows]))
        of = of[heads]
    return times(of, None if groups.counts is None else groups.counts[rows], len(groups.size))


def _worst(counted: ValueTally, nulls: I8) -> tuple[ValueTally, I8]:
    """Sort the counts of each class, largest first, and give its empty cells to the largest.

    Returns the tally and where each class that has values starts in it.
    """
    order = np.lexsort((-counted.count, counted.of))
    of, count = counted.of[order], counted.count[order].copy()
    first = np.flatnonzero(np.r_[True, of[1:] != of[:-1]][: len(of)])
    count[first] += nulls[of[first]]
    return ValueTally(of, counted.value[order], count), first


def _entropy(counted: ValueTally, nulls: I8) -> F8:
    """For each class, the exponential of the entropy: the number of equally likely values in as much doubt."""
    worst, _ = _worst(counted, nulls)
    total = np.bincount(worst.of, weights=worst.count, minlength=len(nulls))
    share = worst.count / total[worst.of]
    entropy = np.bincount(worst.of, weights=-share * np.log(share), minlength=len(nulls))
    return np.where(total > 0, np.exp(entropy), 0.0)


def _recursive(counted: ValueTally, nulls: I8, c: float) -> F8:
    """For each class, the number of places l at which r_1 < c (r_l + ... + r_m): the tail shrinks with l."""
    worst, first = _worst(counted, nulls)
    total = np.bincount(worst.of, weights=worst.count, minlength=len(nulls))
    before = np.cumsum(worst.count) - worst.count
    top, start = np.zeros_like(nulls), np.zeros_like(nulls)
    top[worst.of[first]], start[worst.of[first]] = worst.count[first], before[first]
    tail = (total + start)[worst.of] - before
    # A strict inequality must be clear of rounding: 2.2 * 25 exceeds 55.
    return np.bincount(worst.of[top[worst.of] < c * tail - _SLACK], minlength=len(nulls)).astype(np.float64)
