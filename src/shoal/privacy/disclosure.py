"""delta-disclosure privacy of a table: every sensitive value is about as frequent in every class as in the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from shoal.data.types import B1, F8
from shoal.privacy.about_classes import AboutValues
from shoal.privacy.checked_numbers import names, real
from shoal.privacy.lookalikes import Classes
from shoal.privacy.sensitive_values import shares
from shoal.release import Sensitive

__all__ = ["DeltaDisclosure"]

_SLACK = 1e-9  # a strict inequality must be clear of rounding


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(AboutValues):
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

    disclosure: float
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        number = real("disclosure", self.disclosure, 1e-6, 1e3, "a number above 0 and at most 1000")
        object.__setattr__(self, "disclosure", number)
        object.__setattr__(self, "columns", names("columns", self.columns))

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

    def weigh(self, groups: Classes, column: Sensitive) -> tuple[B1, float]:
        """Return which classes tell too much, and how much the one that tells most tells."""
        told = _told(groups, column)
        return told >= self.disclosure - _SLACK, float(told.max())

    def found(self, many: str | None, figure: float) -> str:
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


def _told(groups: Classes, column: Sensitive) -> F8:
    """For each class, the largest |ln(q / p)| of any value of the release; infinite where it lacks one."""
    counted, inside, whole = shares(groups, column)
    told = np.zeros(len(groups.size))
    np.maximum.at(told, counted.of, np.abs(np.log(inside / whole[counted.value])))
    held = np.bincount(counted.of, minlength=len(told))
    return np.where(held < int((whole > 0).sum()), inf, told)
