"""(alpha,k)-anonymity of a table: k persons in every class, and no sensitive value too frequent there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.data.counting import times
from shoal.data.types import B1, F8, I8
from shoal.privacy.about_classes import AboutValues
from shoal.privacy.checked_numbers import names, real, whole
from shoal.privacy.kanon import KAnonymity
from shoal.privacy.lookalikes import Classes, group, merged
from shoal.privacy.sensitive_values import cells, tally
from shoal.release import Claim, Published, Sensitive, Verdict

__all__ = ["AlphaKAnonymity"]

_SLACK = 1e-9  # a share is a quotient: exactly alpha must pass


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(AboutValues):
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

    alpha: float
    k: int
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "alpha", real("alpha", self.alpha, 1e-9, 1, "a number above 0 and at most 1")
        )
        object.__setattr__(self, "k", whole("k", self.k))
        object.__setattr__(self, "columns", names("columns", self.columns))

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
        return KAnonymity(self.k).implies(other) or AboutValues.implies(self, other)

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every class, and those with its most frequent value."""
        shares = AboutValues.check(self, published)
        return (
            shares
            if self.absent(published) is not None
            else merged([KAnonymity(self.k).check(published), shares])
        )

    def weigh(self, groups: Classes, column: Sensitive) -> tuple[B1, float]:
        """Return which classes hold a value too often, and the largest share of all."""
        top = _top(groups, column)
        return top > self.alpha + _SLACK, float(top.max())

    def found(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        found = f"no value has more than alpha={self.alpha:g} of a class"
        if many:
            found = f"{many} are in classes where a value has more than alpha={self.alpha:g}"
        return f"{found}; the largest share is {figure:.4g}"

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the smallest alpha that all columns keep."""
        return {"alpha": max(figures)}


def _top(groups: Classes, column: Sensitive) -> F8:
    """For each class, the largest share of persons who may have one and the same value."""
    values = cells(column)
    unsure = _unsure(groups, values)
    sure = tally(groups.of, np.where(unsure, -1, values), groups.persons, groups.counts)
    having = np.zeros(len(groups.size), dtype=np.int64)
    np.maximum.at(having, sure.of, sure.count)
    return np.asarray((having + _persons(groups, unsure)) / groups.size, dtype=np.float64)


def _unsure(groups: Classes, values: I8) -> B1:
    """Whether each row belongs to a person who has an empty cell in the row's class."""
    if groups.persons is None:
        return values < 0
    who, heads = group((groups.of, groups.persons))
    return np.asarray((np.bincount(who[values < 0], minlength=len(heads)) > 0)[who])


def _persons(groups: Classes, rows: B1) -> I8:
    """How many persons of each class some rows belong to."""
    of = groups.of[rows]
    if groups.persons is not None and len(of):
        _, heads = group((of, groups.persons[rows]))
        of = of[heads]
    return times(of, None if groups.counts is None else groups.counts[rows], len(groups.size))
