"""Equivalence classes of a table: records with equal quasi-identifiers, how many persons each holds, and what values.

It holds the grouping that all judges of tables start from, k-anonymity, and what claims about the sensitive values of
classes have in common; the claims themselves are in `sensitive_values`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.data.arrays import B1, F8, I8, count_codes, sum_counts
from shoal.data.spelling import unify_spellings
from shoal.privacy.claim import (
    BaseClaim,
    ClassClaim,
    Protection,
    check_choice,
    check_names,
    check_real,
    join_names,
    verdict_from_rows,
)
from shoal.release import Published, Sensitive, Verdict

__all__ = [
    "HOUSEHOLDS",
    "EquivalenceClasses",
    "KAnonymity",
    "SensitiveValueClaim",
    "ValueTally",
    "compare_shares",
    "equivalence_classes",
    "explain_vacuous",
    "least_k",
    "number_groups",
    "refuse_ragged",
    "sensitive_codes",
]

_WIDEST = 2**62


@dataclass(frozen=True, slots=True)
class ValueTally:
    """How many persons of a class have a value: one entry for each pair that occurs.

    of    : int64[pairs]  the class
    value : int64[pairs]  the value
    count : int64[pairs]  the persons; distinct ones where rows name them, else rows
    """

    of: I8
    value: I8
    count: I8


@dataclass(frozen=True, slots=True)
class EquivalenceClasses:
    """The classes of records whose quasi-identifiers are equal.

    of      : int64[n]        the class of each row
    size    : int64[classes]  persons in each class: distinct ones where rows name them, else rows
    persons : int64[n]        whom each row belongs to; None when every row is a person
    counts  : int64[n]        how many records each row stands for; None when each is one
    """

    of: I8
    size: I8
    persons: I8 | None
    counts: I8 | None = None

    def share(self, rows: B1) -> str:
        """How many of all records the picked rows stand for, in words."""
        return f"{sum_counts(rows, self.counts)} of {sum_counts(np.ones(len(rows), dtype=bool), self.counts)} records"

    @property
    def word(self) -> str:
        """What `size` counts."""
        return "records" if self.persons is None else "persons"

    def tally(self, values: I8) -> ValueTally:
        """Count the persons of every class with every value; negative values are left out."""
        return self._tally(self.of, values)

    def tally_all(self, values: I8) -> ValueTally:
        """The same of all records together, as if they were one class."""
        return self._tally(np.zeros_like(values), values)

    def _tally(self, of: I8, values: I8) -> ValueTally:
        rows = np.flatnonzero(values >= 0)
        if self.persons is not None:
            _, heads = number_groups((of[rows], values[rows], self.persons[rows]))
            rows = rows[heads]
        pair, heads = number_groups((of[rows], values[rows]))
        counts = count_codes(pair, None if self.counts is None else self.counts[rows], len(heads))
        return ValueTally(of[rows][heads], values[rows][heads], counts)


def equivalence_classes(published: Published) -> EquivalenceClasses:
    """Group the rows of a release by equality of all quasi-identifiers."""
    refuse_ragged(published)
    class_of_row, heads = number_groups(tuple(published.quasi.values()))
    if published.persons is None:
        return EquivalenceClasses(
            class_of_row, count_codes(class_of_row, published.counts, len(heads)), None, published.counts
        )
    _, rows = number_groups((class_of_row, published.persons))
    return EquivalenceClasses(
        class_of_row, np.bincount(class_of_row[rows], minlength=len(heads)), published.persons
    )


def number_groups(columns: Sequence[NDArray[np.integer]]) -> tuple[I8, I8]:
    """Number the rows 0, 1, ... so that exactly the equal rows get equal numbers.

    Columns are packed into one mixed-radix 64-bit key; a key that would overflow is renumbered first, so the
    answer is exact whatever the columns hold.

    Returns
    -------
    of : int64[n]
        The number of each row.
    heads : int64[numbers]
        One row of each number.
    """
    key, width = _shift_to_zero(columns[0])
    for column in columns[1:]:
        digit, radix = _shift_to_zero(column)
        if width * radix > _WIDEST:
            key, width = _renumber(key, width)
        key, width = key * radix + digit, width * radix
    group_of_row, width = _renumber(key, width)
    heads = np.empty(width, dtype=np.int64)
    heads[group_of_row] = np.arange(len(group_of_row))
    return group_of_row, heads


def _shift_to_zero(column: NDArray[np.integer]) -> tuple[I8, int]:
    """Numbers 0 .. width-1 that are equal where the column's are; width is O(n)."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low <= _counting_limit(column):
        return column.astype(np.int64) - low, high - low + 1
    return _renumber(column, _WIDEST)


def _renumber(key: NDArray[np.integer], width: int) -> tuple[I8, int]:
    """Close the gaps: by counting where the key space is small, by sorting where it is not."""
    if width <= _counting_limit(key):
        is_used = np.bincount(key, minlength=width) > 0
        return (np.cumsum(is_used) - 1)[key], int(is_used.sum())
    values, codes = np.unique(key, return_inverse=True)
    return codes.astype(np.int64), len(values)


def _counting_limit(column: NDArray[np.integer]) -> int:
    """The largest key space for which counting beats sorting."""
    return 4 * len(column) + 1024


def explain_vacuous(published: Published) -> Verdict | None:
    """Say no to a claim that would hold only because nothing could break it."""
    if not published.quasi:
        return Verdict(False, "no quasi-identifier is given, so the claim promises nothing")
    if not len(next(iter(published.quasi.values()))):
        return Verdict(False, "the release holds no record, so the claim promises nothing")
    return None


def refuse_ragged(published: Published) -> None:
    """Refuse columns of different lengths."""
    cells = {f"column '{name}'": len(codes) for name, codes in published.quasi.items()}
    cells |= {f"column '{name}'": len(codes) for name, codes in published.known.items()}
    cells |= {f"column '{name}'": len(column.codes) for name, column in published.sensitive.items()}
    if published.persons is not None:
        cells["the person column"] = len(published.persons)
    if published.counts is not None:
        cells["the column of counts"] = len(published.counts)
    rows = next(iter(cells.values()))
    for title, length in cells.items():
        if length != rows:
            raise InputError(
                f"judge: {title} has {length} cells, but others have {rows}; give one cell per record"
            )


HOUSEHOLDS = "households"
"""What k may count in place of people."""


def least_k(risk: object) -> int:
    """The smallest k of which 1/k is at most a risk.

    >>> least_k(0.09), least_k(0.2), least_k(1 / 3)
    (12, 5, 3)
    """
    return ceil(1 / check_real("risk", risk, 1e-9, 1, "a number above 0 and at most 1") - 1e-9)


@dataclass(frozen=True, slots=True)
class KAnonymity(ClassClaim):
    """Every class of equal quasi-identifiers holds at least `k` persons.

    Rows are persons unless the release says whom each row belongs to; then distinct persons are counted. With
    `of = "households"` that is the household, of which a class then holds at least `k` different ones. A highest `risk`
    is kept by k: 1/k is at most it.
    Empty cells are equal to each other. A release without quasi-identifiers or without records does not
    pass: nothing in it could break the claim, so the claim says nothing.

    References
    ----------
    .. [1] Sweeney. k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002.

    Examples
    --------
    >>> import numpy as np
    >>> zips = Published({"zip": np.array([7, 7, 8, 7])})
    >>> KAnonymity(2).check(zips).witnesses
    (3,)
    """

    model: ClassVar[str] = "k-anonymity"
    keys: ClassVar[tuple[str, ...]] = ("k", "of", "risk")
    rises: ClassVar[tuple[str, ...]] = ("k",)
    meanings: ClassVar[Mapping[str, str]] = {
        "of": "What k counts, where it is not people: different households.",
        "risk": "The highest chance with which a person's record may be picked; 1/k is at most that.",
    }

    k: int
    of: str | None = field(default=None, repr=False)
    risk: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._set_whole("k")
        if self.of is not None:
            self._set(of=check_choice("of", self.of, (HOUSEHOLDS,)))
        if self.risk is not None and self.k < least_k(self.risk):
            raise InputError(
                f"guarantee: k={self.k} leaves a risk of {1 / self.k:.4g}, above risk={self.risk:g}; take "
                f"k={least_k(self.risk)}"
            )

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `of` and `risk` only where they are asked for."""
        return {name: value for name, value in BaseClaim.numbers(self).items() if value is not None}

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another: k households are k people, and k bears the risk."""
        if name in ("of", "risk"):
            return name == "risk" or asked is None or own == asked
        return BaseClaim._as_much(self, name, own, asked)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        crowd = f"those of at least {self.k - 1} others"
        if self.of is not None:
            crowd = f"those of people of at least {self.k - 1} other households"
        words = f"anyone who knows all quasi-identifiers of a person cannot tell that person's record from {crowd}"
        return words if self.risk is None else f"{words}; {self._risk_words(self.risk)}"

    def _risk_words(self, risk: float) -> str:
        """How k follows from a highest risk."""
        sentence = f"the highest risk is at most 1/{self.k} = {1 / self.k:.3g}, as risk={risk:g} asks"
        least = least_k(risk)
        near = round(1 / risk)
        return (
            sentence if near >= least else f"{sentence} (some offices take {near}, which is {1 / near:.3g})"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        crowd = self.k - 1
        if not crowd:
            return "a record may stand alone"
        if self.of is not None:
            return f"every record looks the same as those of people of at least {crowd:,} other households"
        return f"every record looks the same as at least {crowd:,} other{'' if crowd == 1 else 's'}"

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every class."""
        vacuous = explain_vacuous(published)
        if vacuous is not None:
            return vacuous
        if self.of is not None and published.persons is None:
            return Verdict(
                False, "it is not known who lives together, so households cannot be counted", False
            )
        groups = equivalence_classes(published)
        smallest, word = int(groups.size.min()), self.of or groups.word
        broken = (groups.size < self.k)[groups.of]
        if smallest >= self.k:
            sentence = f"every class has at least k={self.k} {word}"
        else:
            sentence = f"{groups.share(broken)} are in classes under k={self.k} {word}"
        return verdict_from_rows(
            broken, f"{sentence}; the smallest class has {smallest}", {"k": smallest}, groups.counts
        )


def sensitive_codes(column: Sensitive) -> I8:
    """Codes that are equal exactly where values are, however spelled; an empty cell, None or only blanks, is -1."""
    spelled = unify_spellings(column.values)
    first_code = {text: code for code, text in reversed(list(enumerate(spelled)))}
    codes = [first_code[text] if text else -1 for text in spelled]
    return np.array([*codes, -1], dtype=np.int64)[np.maximum(column.codes, -1)]


def compare_shares(groups: EquivalenceClasses, column: Sensitive) -> tuple[ValueTally, F8, F8]:
    """Count the values of a sensitive column, an empty cell being a value like any other, and compare with the whole.

    Returns
    -------
    counted : ValueTally
        The persons with each value in each class, for each pair that occurs.
    inside : float64[pairs]
        The same as a share of the persons of the class.
    whole : float64[values]
        The share of each value among all persons; 0 where it does not occur.
    """
    values = sensitive_codes(column) + 1
    tally, everywhere = groups.tally(values), groups.tally_all(values)
    everybody = int(groups.size.sum()) if groups.persons is None else len(np.unique(groups.persons))
    overall = np.zeros(int(values.max(initial=0)) + 1)
    overall[everywhere.value] = everywhere.count / everybody
    return tally, tally.count / groups.size[tally.of], overall


class SensitiveValueClaim(ClassClaim):
    """A claim about the sensitive values of every class: those of `columns`, or of every sensitive column."""

    __slots__ = ()

    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    protection: ClassVar[Protection]
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        self._set(columns=check_names("columns", self.columns))

    @property
    def bounds(self) -> tuple[str, ...]:
        """The number by which the claim bounds what look-alikes tell of sensitive values."""
        return self.keys[:1]

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `columns` only where some are named."""
        settings = BaseClaim.numbers(self)
        settings.pop("columns")
        return settings | ({"columns": list(self.columns)} if self.columns else {})

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another; no columns are all columns."""
        if name == "columns":
            return not own or (bool(asked) and set(own) >= set(asked))
        return BaseClaim._as_much(self, name, own, asked)

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that the claim speaks of."""
        seen_names = BaseClaim.sees(self, columns)
        return [
            name
            for name in seen_names
            if columns[name] == "quasi" or not self.columns or name in self.columns
        ]

    def whom(self, sensitive: Sequence[str]) -> str:
        """Name the sensitive columns in a sentence."""
        return join_names(list(self.columns or sensitive)) or "the sensitive column"

    def check(self, published: Published) -> Verdict:
        """Judge a release: weigh the sensitive values of every class, one column after the other."""
        vacuous = self.absent(published)
        if vacuous is not None:
            return vacuous
        groups = equivalence_classes(published)
        broken = np.zeros(len(groups.of), dtype=bool)
        sentences, figures = [], []
        for name, column in self.sensitive_columns(published):
            bad, figure = self.weigh(groups, column)
            rows = bad[groups.of]
            breaking_share = groups.share(rows) if rows.any() else None
            sentences.append(f"column '{name}': {self.finding(breaking_share, figure)}")
            broken |= rows
            figures.append(figure)
        return verdict_from_rows(broken, "; ".join(sentences), self.summarize_figures(figures), groups.counts)

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes break the claim in a column, and the figure of the class that is nearest to it."""
        raise NotImplementedError

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence: how many records break it, and that figure."""
        raise NotImplementedError

    def summarize_figures(self, figures: Sequence[float]) -> dict[str, float]:
        """Return the number of the claim that all columns keep; nothing where they keep none."""
        (name, *_) = self.keys
        figure = min(figures) if name in self.rises else max(figures)
        return {name: figure} if figure < inf else {}

    def absent(self, published: Published) -> Verdict | None:
        """Say no to an empty claim, and to one about sensitive columns that are not there."""
        vacuous = explain_vacuous(published)
        if vacuous is not None:
            return vacuous
        if not published.sensitive:
            return Verdict(False, "no sensitive column is given, so the claim promises nothing")
        for name in self.columns:
            if name not in published.sensitive:
                return Verdict(
                    False, f"column '{name}' is not among the sensitive ones, so it cannot be judged", False
                )
        return None

    def sensitive_columns(self, published: Published) -> Iterator[tuple[str, Sensitive]]:
        """Yield the sensitive columns that the claim speaks of."""
        for name in self.columns or published.sensitive:
            yield name, published.sensitive[name]
