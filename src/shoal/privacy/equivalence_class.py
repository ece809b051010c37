"""Grouping equal rows, exactly and with numpy alone; what every judge of a table starts from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.data.counting import how_many, times
from shoal.data.spelling import alike
from shoal.data.types import B1, F8, I8
from shoal.errors import InputError
from shoal.privacy.claim import BaseClaim, join_names, whole
from shoal.release import Claim, Published, Sensitive, Verdict

__all__ = [
    "NOT_COVERED",
    "SHOWN",
    "Breaches",
    "ClassClaim",
    "EquivalenceClasses",
    "Every",
    "KAnonymity",
    "SensitiveValueClaim",
    "ValueTally",
    "at_least",
    "cells",
    "empty",
    "equivalence_classes",
    "group",
    "merge_verdicts",
    "ruling",
    "shares",
    "tally",
]

NOT_COVERED = (
    "several releases about the same people: together they may show what each of them hides",
    "an attacker who reasons from how the method picks its release (minimality attacks)",
    "an attacker who knows several records of one person, where the data hold them",
    "an attacker who also knows a person's sensitive values or columns published as they are",
    "what can be inferred about a person's attributes beyond the stated l and t; k alone does not limit this",
)
"""What no claim about a table covers, for the report to print."""

SHOWN = 100
"""How many witnesses a verdict names."""
_WIDEST = 2**62


class Breaches(NamedTuple):
    """How many records break a claim, of how many, and the first of them, counted from 1."""

    broken: int
    records: int
    witnesses: tuple[int, ...]


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
        return f"{how_many(rows, self.counts)} of {how_many(np.ones(len(rows), dtype=bool), self.counts)} records"

    @property
    def word(self) -> str:
        """What `size` counts."""
        return "records" if self.persons is None else "persons"


def equivalence_classes(published: Published) -> EquivalenceClasses:
    """Group the rows of a release by equality of all quasi-identifiers."""
    _refuse_ragged(published)
    of, heads = group(tuple(published.quasi.values()))
    if published.persons is None:
        return EquivalenceClasses(of, times(of, published.counts, len(heads)), None, published.counts)
    _, rows = group((of, published.persons))
    return EquivalenceClasses(of, np.bincount(of[rows], minlength=len(heads)), published.persons)


def group(columns: Sequence[NDArray[np.integer]]) -> tuple[I8, I8]:
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
    key, width = _dense(columns[0])
    for column in columns[1:]:
        digit, radix = _dense(column)
        if width * radix > _WIDEST:
            key, width = _renumber(key, width)
        key, width = key * radix + digit, width * radix
    of, width = _renumber(key, width)
    heads = np.empty(width, dtype=np.int64)
    heads[of] = np.arange(len(of))
    return of, heads


def _dense(column: NDArray[np.integer]) -> tuple[I8, int]:
    """Numbers 0 .. width-1 that are equal where the column's are; width is O(n)."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low <= _few(column):
        return column.astype(np.int64) - low, high - low + 1
    return _renumber(column, _WIDEST)


def _renumber(key: NDArray[np.integer], width: int) -> tuple[I8, int]:
    """Close the gaps: by counting where the key space is small, by sorting where it is not."""
    if width <= _few(key):
        used = np.bincount(key, minlength=width) > 0
        return (np.cumsum(used) - 1)[key], int(used.sum())
    values, place = np.unique(key, return_inverse=True)
    return place.astype(np.int64), len(values)


def _few(column: NDArray[np.integer]) -> int:
    """The largest key space for which counting beats sorting."""
    return 4 * len(column) + 1024


def empty(published: Published) -> Verdict | None:
    """Say no to a claim that would hold only because nothing could break it."""
    if not published.quasi:
        return Verdict(False, "no quasi-identifier is given, so the claim is empty")
    if not len(next(iter(published.quasi.values()))):
        return Verdict(False, "the release holds no record, so the claim is empty")
    return None


def ruling(broken: B1, sentence: str, reached: dict[str, float], counts: I8 | None = None) -> Verdict:
    """Turn the rows that break a claim into a verdict; rows that stand for several records are no witnesses."""
    rows = np.flatnonzero(broken)
    witnesses = () if counts is not None else tuple((rows[:SHOWN] + 1).tolist())
    return Verdict(not len(rows), sentence, True, how_many(broken, counts), witnesses, reached)


def merge_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Return several verdicts on one release as one: all must be yes.

    Witnesses are the first hundred of all; `broken` is exact while no verdict has more of them, and else a lower bound.
    """
    witnesses = sorted({row for verdict in verdicts for row in verdict.witnesses})
    return Verdict(
        holds=all(verdict.holds for verdict in verdicts),
        sentence="; ".join(verdict.sentence for verdict in verdicts),
        judged=all(verdict.judged for verdict in verdicts),
        broken=max(len(witnesses), *(verdict.broken for verdict in verdicts)),
        witnesses=tuple(witnesses[:SHOWN]),
        reached={key: value for verdict in verdicts for key, value in verdict.reached.items()},
    )


def _refuse_ragged(published: Published) -> None:
    cells = {f"column '{name}'": len(codes) for name, codes in published.quasi.items()}
    cells |= {f"column '{name}'": len(column.codes) for name, column in published.sensitive.items()}
    if published.persons is not None:
        cells["the person column"] = len(published.persons)
    if published.counts is not None:
        cells["the column of counts"] = len(published.counts)
    rows = next(iter(cells.values()))
    for what, length in cells.items():
        if length != rows:
            raise InputError(
                f"judge: {what} has {length} cells, but others have {rows}; give one cell per record"
            )


# The sensitive values of each class: what claims about them count.


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


def tally(of: I8, values: I8, persons: I8 | None, counts: I8 | None = None) -> ValueTally:
    """Count the persons of every class with every value; negative values are left out."""
    rows = np.flatnonzero(values >= 0)
    if persons is not None:
        _, heads = group((of[rows], values[rows], persons[rows]))
        rows = rows[heads]
    pair, heads = group((of[rows], values[rows]))
    many = times(pair, None if counts is None else counts[rows], len(heads))
    return ValueTally(of[rows][heads], values[rows][heads], many)


def cells(column: Sensitive) -> I8:
    """Codes that are equal exactly where values are, however spelled; an empty cell, None or only blanks, is -1."""
    spelled = [alike(text or "") for text in column.values]
    first = {text: code for code, text in reversed(list(enumerate(spelled)))}
    place = [first[text] if text else -1 for text in spelled]
    return np.array([*place, -1], dtype=np.int64)[np.maximum(column.codes, -1)]


def shares(groups: EquivalenceClasses, column: Sensitive) -> tuple[ValueTally, F8, F8]:
    """Count the values of a sensitive column, an empty cell being a value like any other, and compare with the whole.

    Returns
    -------
    counted : Tally
        The persons with each value in each class, for each pair that occurs.
    inside : float64[pairs]
        The same as a share of the persons of the class.
    whole : float64[values]
        The share of each value among all persons; 0 where it does not occur.
    """
    values = cells(column) + 1
    counted = tally(groups.of, values, groups.persons, groups.counts)
    everywhere = tally(np.zeros_like(values), values, groups.persons, groups.counts)
    everybody = int(groups.size.sum()) if groups.persons is None else len(np.unique(groups.persons))
    whole = np.zeros(int(values.max(initial=0)) + 1)
    whole[everywhere.value] = everywhere.count / everybody
    return counted, counted.count / groups.size[counted.of], whole


# What claims about the classes of a table have in common: their headline, and the sensitive columns they judge.


class ClassClaim(BaseClaim):
    """A claim about the records that share all quasi-identifiers."""

    __slots__ = ()

    shape: ClassVar[str] = "table"
    roles: ClassVar[tuple[str, ...]] = ("quasi",)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return NOT_COVERED

    def promise(self, sensitive: Sequence[str]) -> str:
        """Return what every class keeps, as part of a sentence."""
        raise NotImplementedError

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        return class_headline([self], quasi, sensitive)


class SensitiveValueClaim(ClassClaim):
    """A claim about the sensitive values of every class: those of `columns`, or of every sensitive column."""

    __slots__ = ()

    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    columns: tuple[str, ...]

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `columns` only where some are named."""
        found = BaseClaim.numbers(self)
        found.pop("columns")
        return found | ({"columns": list(self.columns)} if self.columns else {})

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another; no columns are all columns."""
        if name == "columns":
            return not own or (bool(asked) and set(own) >= set(asked))
        return BaseClaim._as_much(self, name, own, asked)

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that the claim speaks of."""
        found = BaseClaim.sees(self, columns)
        return [
            name for name in found if columns[name] == "quasi" or not self.columns or name in self.columns
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
        for name, column in self.chosen(published):
            bad, figure = self.weigh(groups, column)
            rows = bad[groups.of]
            many = groups.share(rows) if rows.any() else None
            sentences.append(f"column '{name}': {self.found(many, figure)}")
            broken |= rows
            figures.append(figure)
        return ruling(broken, "; ".join(sentences), self.reached(figures), groups.counts)

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes break the claim in a column, and the figure of the class that is nearest to it."""
        raise NotImplementedError

    def found(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence: how many records break it, and that figure."""
        raise NotImplementedError

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return what all columns together reach."""
        raise NotImplementedError

    def absent(self, published: Published) -> Verdict | None:
        """Say no to an empty claim, and to one about sensitive columns that are not there."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        if not published.sensitive:
            return Verdict(False, "no sensitive column is given, so the claim is empty")
        for name in self.columns:
            if name not in published.sensitive:
                return Verdict(
                    False, f"column '{name}' is not among the sensitive ones, so it cannot be judged", False
                )
        return None

    def chosen(self, published: Published) -> Iterator[tuple[str, Sensitive]]:
        """Yield the sensitive columns that the claim speaks of."""
        for name in self.columns or published.sensitive:
            yield name, published.sensitive[name]


def class_headline(claims: Sequence[ClassClaim], quasi: Sequence[str], sensitive: Sequence[str]) -> str:
    """Return several claims about classes as one sentence."""
    promised = ", and ".join(claim.promise(sensitive) for claim in claims)
    sentence = f"in {join_names(quasi)}, {promised}." if quasi else f"{promised}."
    return sentence[:1].upper() + sentence[1:]


# k-anonymity of a table.


@dataclass(frozen=True, slots=True)
class KAnonymity(ClassClaim):
    """Every class of equal quasi-identifiers holds at least `k` persons.

    Rows are persons unless the release says whom each row belongs to; then distinct persons are counted.
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
    keys: ClassVar[tuple[str, ...]] = ("k",)
    rises: ClassVar[tuple[str, ...]] = ("k",)

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows all quasi-identifiers of a person cannot tell that person's record "
            f"from those of at least {self.k - 1} others"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        others = self.k - 1
        if not others:
            return "a record may stand alone"
        return f"every record looks the same as at least {others:,} other{'' if others == 1 else 's'}"

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every class."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        groups = equivalence_classes(published)
        smallest = int(groups.size.min())
        broken = (groups.size < self.k)[groups.of]
        if smallest >= self.k:
            found = f"every class has at least k={self.k} {groups.word}"
        else:
            found = f"{groups.share(broken)} are in classes under k={self.k} {groups.word}"
        return ruling(broken, f"{found}; the smallest class has {smallest}", {"k": smallest}, groups.counts)


# Several claims about a table at once.


@dataclass(frozen=True, slots=True)
class Every:
    """Several claims about the classes of a table: each must hold.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> Every((KAnonymity(5), LDiversity(2))).as_dict()["model"]
    'all'
    """

    model: ClassVar[str] = "all"
    shape: ClassVar[str] = "table"
    exempts: ClassVar[bool] = False

    claims: tuple[BaseClaim, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "claims", tuple(self.claims))
        if not self.claims:
            raise InputError("claim: none is given; give at least one of k, l, t")
        if not all(isinstance(claim, ClassClaim) for claim in self.claims):
            raise InputError(
                "claim: only claims about the classes of a table can be made together; give one claim"
            )
        seen: dict[str, Any] = {}
        for claim in self.claims:
            for key, value in claim.numbers().items():
                if seen.setdefault(key, value) != value:
                    raise InputError(f"claim: two claims differ in {key}; make one release for each")
        if len({claim.named for claim in self.claims}) < len(self.claims):
            raise InputError("claim: one model occurs twice; give each one once")

    @property
    def named(self) -> str:
        """The name that manifests give to several claims."""
        return self.model

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns the claims see, by role."""
        return tuple(dict.fromkeys(role for claim in self.claims for role in claim.roles))

    @property
    def crowd(self) -> int:
        """How many records of the release look alike at least, as far as these claims say."""
        return max(claim.crowd for claim in self.claims)

    @property
    def parts(self) -> tuple[Claim, ...]:
        """The single claims."""
        return self.claims

    @property
    def attacker(self) -> str:
        """Whom the claims protect against, and how far."""
        return "; ".join(claim.attacker for claim in self.claims)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What none of the claims promises."""
        return tuple(dict.fromkeys(line for claim in self.claims for line in claim.not_covered))

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps these claims keeps the other."""
        return at_least(self, other)

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return all claims as one sentence for people, about columns of these names."""
        return class_headline(
            [claim for claim in self.claims if isinstance(claim, ClassClaim)], quasi, sensitive
        )

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that a claim speaks of."""
        seen = {name for claim in self.claims for name in claim.sees(columns)}
        return [name for name in columns if name in seen]

    def as_dict(self) -> dict[str, Any]:
        """Return the claims as the manifest holds them: one after the other, the words of all together."""
        return {
            "model": self.model,
            "claims": [{"model": claim.named, **claim.numbers()} for claim in self.claims],
            "attacker": self.attacker,
            "not_covered": list(self.not_covered),
        }

    def check(self, published: Published) -> Verdict:
        """Judge every claim and merge the verdicts."""
        return merge_verdicts([claim.check(published) for claim in self.claims])


def at_least(stated: Claim, asked: Claim) -> bool:
    """Whether a claim promises all that is asked for: each part of it follows from one of its own.

    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> both = Every((KAnonymity(5), LDiversity(2)))
    >>> at_least(both, KAnonymity(4)), at_least(KAnonymity(9), both)
    (True, False)
    """
    return all(any(part.implies(want) for part in stated.parts) for want in asked.parts)
