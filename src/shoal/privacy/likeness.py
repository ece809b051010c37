"""beta-likeness of a table: no sensitive value becomes much likelier in a class than it is in the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.data.types import B1
from shoal.privacy.about_classes import AboutValues
from shoal.privacy.checked_numbers import names, one_of, real
from shoal.privacy.lookalikes import Classes
from shoal.privacy.sensitive_values import shares
from shoal.release import Sensitive

__all__ = ["BetaLikeness"]

_SLACK = 1e-9  # gains are quotients of fractions: exactly beta must pass


@dataclass(frozen=True, slots=True)
class BetaLikeness(AboutValues):
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

    beta: float
    likeness: str = "basic"
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", real("beta", self.beta, 1e-9, 1e9, "a number above 0"))
        one_of("likeness", self.likeness, ("basic", "enhanced"))
        object.__setattr__(self, "columns", names("columns", self.columns))

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
        return (name == "likeness" and asked == "basic") or AboutValues._as_much(self, name, own, asked)

    def weigh(self, groups: Classes, column: Sensitive) -> tuple[B1, float]:
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

    def found(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        found = f"no value is more than beta={self.beta:g} likelier in a class than in the whole release"
        if many:
            found = f"{many} are in classes with a value likelier than beta={self.beta:g} allows"
        return f"{found} ({self.likeness}); the largest gain is {figure:.4g}"

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the smallest beta that all columns keep."""
        return {"beta": max(figures)}
