"""What a claim about a table asks of every class: read from the claim, and counted as the kernels count it.

`unsteered` defends against minimality attacks: it asks it of whole releases only, so that their classes do not follow
sensitive values. This reading belongs to the methods: it shares no code with the judges, and agrees with them on every
class.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import ceil, isfinite
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from shoal.algorithms._kernels import (
    CLOSE,
    DISTINCT,
    DIVERSE,
    ENTROPY,
    RECURSIVE,
    SHARES,
    TOP,
    Ask,
    ClassTally,
    fits,
    label,
    tally_of,
)
from shoal.data import Column, Table
from shoal.data.arrays import F8, I4, I8, holders, times
from shoal.data.table import alike
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.column_values import number_or_end
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    Every,
    KAnonymity,
    KMap,
    LDiversity,
    TCloseness,
)
from shoal.release import Claim, Recoded, Result

__all__ = [
    "SLACK",
    "Constraint",
    "CountedColumn",
    "SensitiveCells",
    "Whole",
    "ask_for_k",
    "ask_of",
    "counted_columns",
    "heads_of",
    "hides",
    "keeps_average",
    "mean_risk",
    "only_k",
    "persons_of",
    "refusal",
    "refuse_crowd",
    "unsteered",
]

SLACK = 1e-9  # sums of fractions and logarithms: exactly l, t, beta or alpha must pass
_LARGEST = 500.0  # e to this is above every quotient of counts, and its inverse still above 0: no value may be absent


Bound = BetaLikeness | DeltaDisclosure | AlphaKAnonymity
"""A part of a claim that says which shares the values of a sensitive column may have in a class."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """What every class must meet: persons, well-represented values, closeness to the whole, bounded shares.

    `average` is the largest average risk of all classes together; None where nothing is asked of it. `mapped` is how
    many people of a population each class must fit, `presence` from which share to which of these is in the data.
    """

    k: int = 1
    diversity: LDiversity | None = None
    closeness: TCloseness | None = None
    bounds: tuple[Bound, ...] = ()
    average: float | None = None
    mapped: int = 0
    presence: tuple[float, float] | None = None

    @classmethod
    def of(cls, method: str, claim: Claim, table: Table, *, people: bool = False) -> "Constraint":
        """Read a claim part by part; with `people` the method counts those of a population.

        Raises
        ------
        InputError
            The claim is not one that methods of tables keep, or it names sensitive columns that are not there.
        """
        diversity, closeness, bounds, average, mapped, presence = None, None, [], None, 0, None
        for part in claim.parts:
            match part:
                case KAnonymity():
                    pass
                case LDiversity():
                    diversity = part
                case TCloseness():
                    closeness = part
                case AverageRisk():
                    average = part.average_risk
                case KMap() if people:
                    mapped = part.k_map
                case DeltaPresence() if people:
                    presence = part.presence
                case _ if isinstance(part, Bound):
                    bounds.append(part)
                case _:
                    raise refusal(method, part)
        constraint = cls(claim.crowd, diversity, closeness, tuple(bounds), average, mapped, presence)
        constraint._require_columns(method, table)
        return constraint

    @property
    def sensitive(self) -> bool:
        """Whether anything is asked of sensitive values."""
        return self.diversity is not None or self.closeness is not None or bool(self.bounds)

    def _require_columns(self, method: str, table: Table) -> None:
        there = [column.name for column in table.role("sensitive")]
        if self.sensitive and not there:
            raise InputError(
                f"{method}: the claim is about a sensitive column, and there is none; give one column the role "
                "sensitive"
            )
        named = [part.columns for part in (self.diversity, self.closeness, *self.bounds) if part is not None]
        for name in (name for names in named for name in names):
            if name not in there:
                raise InputError(
                    f"{method}: the claim names column '{name}', which is not among the sensitive ones; give it "
                    "the role sensitive"
                )


def refusal(method: str, claim: Claim) -> InputError:
    """The error for a claim that a method cannot keep."""
    return InputError(
        f"{method}: it cannot make a release that keeps {claim.parts[-1].named}; see `shoal methods`"
    )


def heads_of(who: I8, records: int) -> tuple[int, str]:
    """How many people there are, and the word for them: persons numbered from 0, or records where `who` is empty."""
    return (int(who.max()) + 1, "persons") if len(who) else (records, "records")


def refuse_crowd(method: str, k: int, heads: int, word: str) -> None:
    """Refuse a k for which there are too few records or persons."""
    if k > heads:
        raise InfeasibleError(f"{method}: k={k} but the table has {heads} {word}; lower k or add {word}")


def only_k(method: str, claim: Claim) -> int:
    """The k of a claim that asks for nothing else.

    Raises
    ------
    InputError
        It asks for more, which this method does not keep.
    """
    if not isinstance(claim, KAnonymity):
        raise refusal(method, claim)
    return claim.k


def _meant(columns: tuple[str, ...], column: Column) -> bool:
    """Whether a claim about `columns` is about this column; no `columns` means all of them."""
    return not columns or column.name in columns


def _number_of(text: str) -> float | None:
    """Read a text as a number, or the end of one as the nearest that fits; None if it is not a finite number."""
    try:
        number = float(text)
    except ValueError:
        end = number_or_end(text)
        return None if end is None else float(end)
    return number if isfinite(number) else None


def hides(bound: Bound) -> bool:
    """Whether an empty cell may hide any value; otherwise it is a value of its own."""
    return isinstance(bound, AlphaKAnonymity)


def _share_limits(bound: Bound, whole: F8) -> tuple[F8, F8]:
    """From the share of each value in the whole, the least and the largest share in a class."""
    match bound:
        case BetaLikeness():
            gain = np.full(len(whole), bound.beta)
            if bound.likeness == "enhanced":
                gain = np.minimum(gain, -np.log(np.maximum(whole, 1e-300)))
            return np.zeros(len(whole)), whole * (1 + gain + SLACK)
        case DeltaDisclosure():
            factor = np.exp(min(bound.disclosure - SLACK, _LARGEST))
            return whole / factor, whole * factor
        case AlphaKAnonymity():
            return np.zeros(len(whole)), np.full(len(whole), bound.alpha + SLACK)


_KINDS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


@dataclass(frozen=True, slots=True)
class CountedColumn:
    """A sensitive column as one part of a claim counts it; it is counted once for each part that speaks of it.

    what   : which part of the claim
    number : int64[values]  each value of the vocabulary; `size`, behind them all, is an empty cell
    bound  : the shares that values may have, where the part is about them
    """

    name: str
    what: int
    number: I8
    size: int
    bound: Bound | None = None


def counted_columns(table: Table, constraint: Constraint) -> list[CountedColumn]:
    """The sensitive columns of all rows of `table` as the constraint counts them."""
    found = []
    for column in table.role("sensitive"):
        texts = _numbered(column.values, column.codes)
        if constraint.diversity is not None and _meant(constraint.diversity.columns, column):
            found.append(CountedColumn(column.name, DIVERSE, *texts))
        if constraint.closeness is not None and _meant(constraint.closeness.columns, column):
            ranked = _ranked(column) if constraint.closeness.distance == "ordered" else texts
            found.append(CountedColumn(column.name, CLOSE, *ranked))
        for bound in constraint.bounds:
            if _meant(bound.columns, column):
                found.append(CountedColumn(column.name, TOP if hides(bound) else SHARES, *texts, bound))
    return found


class SensitiveCells(NamedTuple):
    """The sensitive cells of some rows, as they are counted.

    who, value, pair : see `Ask`
    times : how many records each row stands for; None where each is one
    """

    counted: Sequence[CountedColumn]
    who: I8
    value: I8
    pair: I8
    times: I8 | None

    @classmethod
    def of(cls, table: Table, counted: Sequence[CountedColumn]) -> "SensitiveCells":
        """The cells of all rows of `table`."""
        value = np.array([one.number[table.column(one.name).codes] for one in counted], dtype=np.int64)
        value = value.reshape(len(counted), table.n)
        if table.persons is None:
            nobody = np.empty((len(counted), 0), dtype=np.int64)
            return cls(counted, np.empty(0, dtype=np.int64), value, nobody, table.counts)
        who, _ = label(table.persons[None, :])
        pair = [label((who * (values.max(initial=0) + 1) + values)[None, :])[0] for values in value]
        return cls(counted, who, value, np.array(pair, dtype=np.int64).reshape(value.shape), table.counts)


@dataclass(frozen=True, slots=True)
class Whole:
    """What all records have in the sensitive columns: what every class is compared with, in a part of them too.

    empties : int64[s]  1 where any record has an empty cell
    share, low, high : float64[s, values + 1]  see `Ask`
    """

    counted: Sequence[CountedColumn]
    empties: I8
    share: F8
    low: F8
    high: F8

    @classmethod
    def of(cls, cells: SensitiveCells) -> "Whole":
        """Count all of these rows."""
        counted, who, value, pair, many = cells
        widest = max((found.size for found in counted), default=0) + 1
        share, low, high = (np.full((len(counted), widest), fill) for fill in (0.0, 0.0, np.inf))
        empties = np.zeros(len(counted), dtype=np.int64)
        for s, found in enumerate(counted):
            if len(who):
                # the first row of each person with each value, for pairs are numbered as they appear
                new = np.diff(np.maximum.accumulate(pair[s]), prepend=-1) > 0
                held, people = np.bincount(value[s, new], minlength=widest), int(who.max()) + 1
            else:
                held = times(value[s], many, widest)
                people = held.sum()
            share[s] = held / max(held.sum(), 1)
            empties[s] = held[found.size] > 0
            if found.bound is not None:  # it is about persons who have a value; more than one may be theirs
                low[s], high[s] = _share_limits(found.bound, held / max(people, 1))
        return cls(counted, empties, share, low, high)

    def ask(self, cells: SensitiveCells, constraint: Constraint) -> Ask:
        """What is asked of every class of these rows."""
        asked, near = constraint.diversity, constraint.closeness
        return Ask(
            constraint.k,
            0 if asked is None else asked.l,
            DISTINCT if asked is None else _KINDS[asked.diversity],
            3.0 if asked is None else asked.c,
            2.0 if near is None else near.t,
            int(near is not None and near.distance == "ordered"),
            cells.who,
            cells.value,
            cells.pair,
            np.array([found.what for found in self.counted], dtype=np.int64),
            np.array([found.size for found in self.counted], dtype=np.int64),
            self.empties,
            self.share,
            self.low,
            self.high,
        )


def ask_of(
    method: str, table: Table, rows: I8, constraint: Constraint, whole: Whole | None = None
) -> tuple[Ask, ClassTally | None]:
    """What is asked of every class of the records `rows`, and an empty tally for it.

    `whole` is what classes are compared with; None where `rows` are all records that are published.

    Raises
    ------
    InfeasibleError
        Not even all records together in one class keep it; the message says which column allows how much.
    """
    some = table.some(rows)
    cells = SensitiveCells.of(some, counted_columns(some, constraint) if whole is None else whole.counted)
    ask = (Whole.of(cells) if whole is None else whole).ask(cells, constraint)
    refuse_crowd(method, ask.k, *heads_of(ask.who, len(rows)))
    for s, counted in enumerate(cells.counted):
        _refuse_unreachable(method, _alone(ask, s), counted)
    tally = tally_of(ask)
    if whole is not None and not fits(np.arange(len(rows)), ask, tally):
        raise InfeasibleError(
            f"{method}: one part of the records differs too much from the whole; make parts larger"
        )
    return ask, tally


def ask_for_k(k: int, who: I8 | None = None) -> Ask:
    """What k alone asks; `who` are the persons, None where every record is one."""
    none, pairs, shares = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64), np.empty((0, 1))
    persons = none if who is None else who
    return Ask(k, 0, 0, 3.0, 2.0, 0, persons, pairs, pairs, none, none, none, shares, shares, shares)


def persons_of(table: Table, rows: I8 | slice = slice(None)) -> I8:
    """Whom the records belong to, numbered from 0; empty where every record is a person."""
    if table.persons is None:
        return np.empty(0, dtype=np.int64)
    return np.unique(table.persons[rows], return_inverse=True)[1].astype(np.int64)


def _ranked(column: Column) -> tuple[I8, int]:
    """As `_numbered`, but in order: as numbers if all values are numbers, otherwise as text in one spelling."""
    texts = [None if text is None else alike(text) for text in column.values]
    present = {texts[code] for code in np.unique(column.codes).tolist()} - {None, ""}
    numbers = {text: _number_of(text) for text in present if text is not None}
    if None in numbers.values():
        return _numbered(texts, column.codes)
    keys = [None if text not in numbers else numbers[text] for text in texts]
    return _numbered(keys, column.codes)


def _numbered(keys: Sequence[str | float | None], codes: I4) -> tuple[I8, int]:
    """For each key its place among the sorted keys that occur; None and the empty text behind all."""
    present = {keys[code] for code in np.unique(codes).tolist()} - {None, ""}
    place = {key: at for at, key in enumerate(sorted(present))}
    return np.array([place.get(key, len(place)) for key in keys], dtype=np.int64), len(place)


def _alone(ask: Ask, s: int) -> Ask:
    """What is asked of one counted column, whatever the number of persons."""
    counted = ("value", "pair", "what", "values", "empties", "share", "low", "high")
    return ask._replace(k=1, **{name: getattr(ask, name)[s : s + 1] for name in counted})


def _refuse_unreachable(method: str, ask: Ask, counted: CountedColumn) -> None:
    """Refuse what not even all records together reach: an l, or a largest share."""
    records, tally = np.arange(ask.value.shape[1]), tally_of(ask)
    if ask.what[0] == DIVERSE:
        most = min(ask.l, int(ask.values[0]))
        reached = bisect_left(
            range(1, most + 1), True, key=lambda l: not fits(records, ask._replace(l=l), tally)
        )
        if reached < ask.l:
            raise InfeasibleError(
                f"{method}: l={ask.l} but column '{counted.name}' allows at most {reached}, all records together; "
                "lower l, or ask for another kind of diversity"
            )
    elif isinstance(counted.bound, AlphaKAnonymity) and not fits(records, ask, tally):
        raise InfeasibleError(
            f"{method}: alpha={counted.bound.alpha:g} but column '{counted.name}' has a value that is more frequent in "
            "all records together; ask for less"
        )


Local = TypeVar("Local", bound=Callable[..., Result[Recoded]])


def keeps_average(make: Local) -> Local:
    """Let a method that keeps what is asked of single classes keep an average risk as well, by larger classes.

    It is run for the k of the claim, and where the average is too high for others up to that of which 1/k is the
    average, which always suffices; the smallest k that does among those of a search by halves is taken.
    """
    name = make.__name__

    @wraps(make)
    def kept(table: Table, hierarchies: Hierarchies, claim: Claim, **options: Any) -> Result[Recoded]:
        asked = next((part for part in claim.parts if isinstance(part, AverageRisk)), None)
        if asked is None:
            return make(table, hierarchies, claim, **options)
        low, high = claim.crowd, ceil(1 / asked.average_risk - SLACK)
        heads, _ = heads_of(persons_of(table), table.n)
        if high > heads:
            raise InfeasibleError(
                f"{name}: average_risk={asked.average_risk:g} but of {heads} records one class has "
                f"{1 / max(heads, 1):.4g}; ask for less or add records"
            )

        def run(k: int) -> tuple[Result[Recoded], bool]:
            made = make(table, hierarchies, _without_average(claim, k), **options)
            return made, average_risk(table, made.release) <= asked.average_risk + SLACK

        best, held = run(low)
        if not held:
            best, tried = run(high)[0], high
            while high - low > 1:
                middle = (low + high) // 2
                made, held = run(middle)
                low, high = (low, middle) if held else (middle, high)
                best, tried = (made, middle) if held else (best, tried)
            best = replace(best, trace={**best.trace, "k that was asked of the method": tried})
        return replace(best, claim=claim)

    return cast(Local, kept)


def _without_average(claim: Claim, k: int) -> Claim:
    """The other parts of a claim, with at least this k."""
    parts: list[Any] = [part for part in claim.parts if not isinstance(part, AverageRisk)]
    bare = [part for part in parts if not isinstance(part, KAnonymity | AlphaKAnonymity)]
    held = [
        replace(part, k=max(part.k, k)) for part in parts if isinstance(part, KAnonymity | AlphaKAnonymity)
    ]
    every = (*(held or [KAnonymity(k)]), *bare)
    return every[0] if len(every) == 1 else Every(every)


def average_risk(table: Table, release: Recoded) -> float:
    """The mean over the released persons of 1 / (persons in the smallest of their classes); 0 where nobody is left."""
    if not len(release.rows):
        return 0.0
    of = np.unique(release.codes, axis=0, return_inverse=True)[1].reshape(-1)
    return mean_risk(of, None if table.persons is None else table.persons[release.rows], release.counts)


def mean_risk(of: I8, persons: I8 | None, counts: I8 | None) -> float:
    """The average risk of rows in the classes `of`, of which there is at least one."""
    size = holders(of, persons, counts)
    if persons is None:
        return float((size > 0).sum() / size.sum())
    who = np.unique(persons, return_inverse=True)[1].reshape(-1)
    risk = np.zeros(int(who.max()) + 1)
    np.maximum.at(risk, who, 1 / size[of])
    return float(risk.mean())


def unsteered(
    method: str, table: Table, claim: Claim, make: Callable[[KAnonymity], Result[Recoded]]
) -> Result[Recoded]:
    """Make releases for k, 2k, 4k, ... until one keeps the whole claim, against minimality attacks.

    A method that is asked for l, t, beta, delta or alpha stops generalizing where the claim is just kept, and whoever
    knows that can conclude what would have broken it. Here the method sees k alone; all that sensitive values decide is
    how often it is doubled.

    Parameters
    ----------
    method
        Its name, for messages.
    table
        The records.
    claim
        What must be kept.
    make
        The method, which sees k alone.

    Raises
    ------
    InfeasibleError
        Not even all records in one class keep the claim.
    """
    constraint = Constraint.of(method, claim, table)
    k, (heads, _) = constraint.k, heads_of(persons_of(table), table.n)
    while True:
        made = make(KAnonymity(k))
        if _kept(method, table, made.release, constraint):
            return replace(made, claim=claim, trace={**made.trace, "k that was asked of the method": k})
        if k >= heads:
            raise InfeasibleError(
                f"{method}: with minimal = false no k keeps the claim, not even one class of all records; ask for less"
            )
        k = min(2 * k, heads)


def _kept(method: str, table: Table, release: Recoded, constraint: Constraint) -> bool:
    if not len(release.rows):
        return True
    if constraint.average is not None and average_risk(table, release) > constraint.average + SLACK:
        return False
    ask, tally = ask_of(method, table, release.rows, constraint)
    return all(fits(rows, ask, tally) for rows in _classes(release))


def _classes(release: Recoded) -> Iterator[I8]:
    """The places of each class's rows."""
    _, of = np.unique(release.codes, axis=0, return_inverse=True)
    order = np.argsort(of.reshape(-1), kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(of.reshape(-1)))[:-1])
