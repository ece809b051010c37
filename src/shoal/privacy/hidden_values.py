"""Hidden values: of those who look alike, at most a share may have any value that its owner wants hidden."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from shoal.base.errors import InputError
from shoal.data.arrays import B1, F8
from shoal.data.spelling import normalize_value, unify_spellings
from shoal.privacy.claim import NOT_COVERED, check_names, check_real, join_names
from shoal.privacy.equivalence_class import EquivalenceClasses, SensitiveValueClaim
from shoal.release import Published, Sensitive

__all__ = ["HIDDEN_SHARE", "HiddenValues", "check_hidden_values"]

HIDDEN_SHARE = 0.5
"""The alpha of columns that name values to hide, where none is given."""

_SLACK = 1e-9  # shares are quotients: exactly alpha must pass


@dataclass(frozen=True, slots=True)
class HiddenValues(SensitiveValueClaim):
    """In every class, at most a share `alpha` of the persons have any hidden value of a column.

    `hidden` names the values by column, and each column is judged on its own. All hidden values of a column are one
    event: a class that is half one illness and half another counts as all ill, where `AlphaKAnonymity`, which looks at
    one value at a time, sees two halves.

    Notes
    -----
    An empty cell may hide any value and counts as hidden. Several rows per person: a person counts when any of the rows
    has a hidden value. Values are compared in one spelling (`shoal.data.spelling`). Where a column is published in
    groups, `hidden` names the groups that cover a hidden value. Over several columns together nothing is claimed.
    Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    Examples
    --------
    >>> ill = Sensitive(np.array([0, 1, 2, 2]), ("flu", "hepatitis", "none"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> HiddenValues(0.5, {"disease": ["flu", "hepatitis"]}).check(release).witnesses
    (1, 2)
    """

    model: ClassVar[str] = "hidden values"
    keys: ClassVar[tuple[str, ...]] = ("hidden", "alpha")
    falls: ClassVar[tuple[str, ...]] = ("alpha",)
    meanings: ClassVar[Mapping[str, str]] = {
        "hidden": "By sensitive column, the values that no more than a share alpha of look-alikes may have, all of "
        "them counted together; a configuration names them in [columns].",
    }

    alpha: float
    hidden: tuple[tuple[str, tuple[str, ...]], ...]

    def __post_init__(self) -> None:
        given = self.hidden if isinstance(self.hidden, Mapping) else dict(self.hidden)
        self._set(alpha=check_real("alpha", self.alpha, 1e-9, 1, "a number above 0 and at most 1"))
        self._set(hidden=tuple(check_hidden_values(given).items()))
        if not self.hidden:
            raise InputError("hidden: it names no column; give at least one its list of values")

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns of which values are hidden."""
        return tuple(name for name, _ in self.hidden)

    @property
    def bounds(self) -> tuple[str, ...]:
        """The number by which the claim bounds what look-alikes tell of sensitive values."""
        return ("alpha",)

    @property
    def beyond(self) -> tuple[str, ...]:
        """What the claim does not promise, but for what can be inferred."""
        several = (_SEVERAL_COLUMNS,) if len(self.hidden) > 1 else ()
        names = join_names(self.columns)
        return (
            *NOT_COVERED,
            f"what records that look the same tell of values of {names} that are not hidden",
            *several,
        )

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            f"anyone who finds a person's class finds that at most a share of {self.alpha:g} of the people "
            f"there have a "
            f"hidden value {self._where('any one of ')}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        return (
            f"in no class have more than {self.alpha:.4g} of the people a hidden value "
            f"{self._where('any one of ')}"
        )

    def _where(self, each: str) -> str:
        """Name the columns in a sentence; `each` says that several are looked at one by one."""
        return f"in {each if len(self.hidden) > 1 else ''}{join_names(self.columns)}"

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        return {"alpha": self.alpha, "hidden": {name: list(values) for name, values in self.hidden}}

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another: hiding more values of the same columns does."""
        if name != "hidden":
            return SensitiveValueClaim._as_much(self, name, own, asked)
        own_values = {column: {*map(normalize_value, values)} for column, values in own}
        return all(
            column in own_values and own_values[column] >= {*map(normalize_value, values)}
            for column, values in asked
        )

    def restrict_to(self, published: Published) -> Self:
        """The same claim with only those hidden values that occur in a release, in the spellings of the release."""
        occurring = []
        for name, values in self.hidden:
            column = published.sensitive[name]
            is_present = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values)) > 0
            is_listed = is_present & _find_hidden(column.values, values)
            texts = [column.values[code] for code in np.flatnonzero(is_listed)]
            occurring.append((name, tuple(sorted(text for text in texts if normalize_value(text)))))
        return replace(self, hidden=tuple(occurring))

    def sensitive_columns(self, published: Published) -> Iterator[tuple[str, Sensitive]]:
        """Yield the columns that the claim speaks of, with every hidden value as an empty cell."""
        for name, values in self.hidden:
            column = published.sensitive[name]
            is_hidden = np.append(_find_hidden(column.values, values), True)  # -1 is an empty cell
            yield name, Sensitive(np.where(is_hidden[column.codes], -1, 0), ("not hidden",))

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes have too many persons with a hidden value, and the largest share of all."""
        share = self.shares(groups, column)
        return share > self.alpha + _SLACK, float(share.max())

    @staticmethod
    def shares(groups: EquivalenceClasses, column: Sensitive) -> F8:
        """The share of the persons of each class who have an empty cell in a column of `sensitive_columns`."""
        persons = groups.tally(np.where(column.codes < 0, 0, -1))
        count = np.zeros(len(groups.size), dtype=np.int64)
        count[persons.of] = persons.count
        return np.asarray(count / groups.size, dtype=np.float64)

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        sentence = f"no class has more than alpha={self.alpha:g} of its people with a hidden value"
        if many:
            sentence = f"{many} are in classes where more than alpha={self.alpha:g} have a hidden value"
        return f"{sentence}; the largest share is {figure:.4g}"

    def summarize_figures(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the largest share of persons with a hidden value."""
        return {"hidden share": max(figures)}


_SEVERAL_COLUMNS = (
    "how many people of a class have a hidden value in any of several columns: each column is bounded alone"
)


def check_hidden_values(hidden: object) -> dict[str, tuple[str, ...]]:
    """Return the values to hide by column, as they are kept.

    Raises
    ------
    InputError
        It is no mapping from columns to lists of values.
    """
    if not isinstance(hidden, Mapping) or not all(isinstance(name, str) for name in hidden):
        raise InputError(f"hidden: it must give columns a list of values each, {_EXAMPLE}")
    try:
        return {name: check_names("hidden", values) for name, values in hidden.items()}
    except InputError:
        raise InputError(f"hidden: it must give columns a list of texts each, {_EXAMPLE}") from None


_EXAMPLE = 'such as {"ill": ["yes"]}'


def _find_hidden(values: Sequence[str], hidden: Sequence[str]) -> B1:
    """Which values of a column are hidden ones in any spelling, or blank."""
    spellings = unify_spellings([*values, *hidden])
    hidden_spellings = {"", *spellings[len(values) :]}
    return np.array([text in hidden_spellings for text in spellings[: len(values)]], dtype=bool)
