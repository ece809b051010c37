"""What a claim about a table asks of every class: read from the claim, and counted as the kernels count it.

`anonymize_without_sensitive` defends against minimality attacks: it asks it of whole releases only, so that their
classes do not follow sensitive values. This reading belongs to the methods: it shares no code with the judges, and
agrees with them on every class.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from math import ceil, isfinite
from typing import Any, TypeVar, cast

import numpy as np

from shoal.algorithms._kernels import (
    CLOSE,
    DISTINCT,
    DIVERSE,
    ENTROPY,
    RECURSIVE,
    SHARES,
    TOP,
    ClassConstraint,
    ClassTally,
    empty_tally,
    would_keep_constraint,
)
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8
from shoal.data.spelling import normalize_value, unify_spellings
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.column_values import parse_number_or_end
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    HiddenValues,
    KAnonymity,
    KMap,
    LDiversity,
    TCloseness,
)
from shoal.release import Claim, Recoded, Result

__all__ = [
    "SLACK",
    "Bound",
    "Constraint",
    "OverallCounts",
    "anonymize_without_sensitive",
    "average_risk",
    "claim_covers",
    "compile_constraint",
    "constraint_for_k",
    "count_people",
    "keeps_average",
    "number_persons",
    "parse_float",
    "raise_k",
    "refusal",
    "refuse_crowd",
    "refuse_hidden_share",
    "require_k_alone",
    "search_least_k",
]

SLACK = 1e-9  # sums of fractions and logarithms: exactly l, t, beta or alpha must pass
_LARGEST = 500.0  # e to this is above every quotient of counts, and its inverse still above 0: no value may be absent


@dataclass(frozen=True, slots=True)
class Bound:
    """The shares that the values of a sensitive column may have in a class.

    columns : the columns that are meant; where none is named, all are
    limits  : from the share of each value in the whole, the least and the largest share in a class
    any_value : whether an empty cell may hide any value; otherwise it is a value of its own
    words   : what is asked for, in a message
    hidden  : by column, its hidden values, which count as one, and an empty cell as well; empty where none are
    most    : the largest share of all hidden values together
    """

    columns: tuple[str, ...]
    limits: Callable[[F8], tuple[F8, F8]]
    any_value: bool
    words: str
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most: float = 1.0

    def is_hidden(self, column: Column) -> B1:
        """Which values of a column's vocabulary count as hidden: hidden ones in any spelling, and empty cells."""
        hidden = self.hidden[column.name]
        spellings = unify_spellings([*column.values, *hidden])
        covered = {"", *spellings[len(column.values) :]}
        return np.array([text in covered for text in spellings[: len(column.values)]], dtype=bool)


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
                case BetaLikeness() | DeltaDisclosure() | AlphaKAnonymity() | HiddenValues():
                    bounds.append(_BOUNDS[type(part)](part))
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
        sensitive_names = [column.name for column in table.role("sensitive")]
        if self.sensitive and not sensitive_names:
            raise InputError(
                f"{method}: the claim is about a sensitive column, and there is none; give one column the role "
                "sensitive"
            )
        named = [part.columns for part in (self.diversity, self.closeness, *self.bounds) if part is not None]
        for name in (name for names in named for name in names):
            if name not in sensitive_names:
                raise InputError(
                    f"{method}: the claim names column '{name}', which is not among the sensitive ones; give it "
                    "the role sensitive"
                )


def refusal(method: str, claim: Claim) -> InputError:
    """The error for a claim that a method cannot keep."""
    return InputError(
        f"{method}: it cannot make a release that keeps {claim.parts[-1].named}; see `shoal methods`"
    )


def count_people(who: I8, records: int) -> tuple[int, str]:
    """How many people there are, and the word for them: persons numbered from 0, or records where `who` is empty."""
    return (int(who.max()) + 1, "persons") if len(who) else (records, "records")


def refuse_crowd(method: str, k: int, heads: int, word: str) -> None:
    """Refuse a k for which there are too few records or persons."""
    if k > heads:
        raise InfeasibleError(f"{method}: k={k} but the table has {heads} {word}; lower k or add {word}")


def require_k_alone(method: str, claim: Claim) -> int:
    """The k of a claim that asks for nothing else.

    Raises
    ------
    InputError
        It asks for more, which this method does not keep.
    """
    if not isinstance(claim, KAnonymity):
        raise refusal(method, claim)
    return claim.k


def refuse_hidden_share(method: str, constraint: Constraint, table: Table, rows: I8) -> None:
    """Refuse a share of hidden values that one person of k exceeds, or all records together.

    Raises
    ------
    InfeasibleError
        No class can keep it, or not all of them.
    """
    person_of_row = number_persons(table, rows)
    everybody, word = count_people(person_of_row, len(rows))
    if table.counts is not None:
        everybody = int(table.counts[rows].sum())
    for bound in (bound for bound in constraint.bounds if bound.hidden):
        if bound.most < 1 / constraint.k - SLACK:
            raise InfeasibleError(
                f"{method}: {bound.words} is below 1/k={1 / constraint.k:.4g}, so no class of k could hold one hidden "
                "value; raise alpha or k"
            )
        for column in (column for column in table.role("sensitive") if column.name in bound.hidden):
            hidden_rows = rows[bound.is_hidden(column)[column.codes[rows]]]
            hidden_people = (
                len(np.unique(table.persons[hidden_rows]))
                if table.persons is not None
                else (len(hidden_rows) if table.counts is None else int(table.counts[hidden_rows].sum()))
            )
            if hidden_people > (bound.most + SLACK) * everybody:
                raise InfeasibleError(
                    f"{method}: {bound.words} but in column '{column.name}' {hidden_people / everybody:.4g} of all "
                    f"{word} have a hidden value or an empty cell; raise alpha, or hide fewer values"
                )


def claim_covers(columns: tuple[str, ...], column: Column) -> bool:
    """Whether a claim about `columns` is about this column; no `columns` means all of them."""
    return not columns or column.name in columns


def parse_float(text: str) -> float | None:
    """Read a text as a number, or the end of one as the nearest that fits; None if it is not a finite number."""
    try:
        number = float(text)
    except ValueError:
        end = parse_number_or_end(text)
        return None if end is None else float(end)
    return number if isfinite(number) else None


def _likeness_bound(claim: BetaLikeness) -> Bound:
    def limits(whole: F8) -> tuple[F8, F8]:
        gain = np.full(len(whole), claim.beta)
        if claim.likeness == "enhanced":
            gain = np.minimum(gain, -np.log(np.maximum(whole, 1e-300)))
        return np.zeros(len(whole)), whole * (1 + gain + SLACK)

    return Bound(claim.columns, limits, False, f"beta={claim.beta:g} ({claim.likeness})")


def _disclosure_bound(claim: DeltaDisclosure) -> Bound:
    factor = np.exp(min(claim.disclosure - SLACK, _LARGEST))

    def limits(whole: F8) -> tuple[F8, F8]:
        return whole / factor, whole * factor

    return Bound(claim.columns, limits, False, f"disclosure={claim.disclosure:g}")


def _alpha_bound(claim: AlphaKAnonymity) -> Bound:
    def limits(whole: F8) -> tuple[F8, F8]:
        return np.zeros(len(whole)), np.full(len(whole), claim.alpha + SLACK)

    return Bound(claim.columns, limits, True, f"alpha={claim.alpha:g}")


def _hidden_bound(claim: HiddenValues) -> Bound:
    def limits(whole: F8) -> tuple[F8, F8]:
        high = np.full(len(whole), np.inf)
        high[1] = claim.alpha + SLACK  # 0 is any other value, 1 a hidden one
        return np.zeros(len(whole)), high

    words = f"alpha={claim.alpha:g}"
    return Bound(claim.columns, limits, False, words, dict(claim.hidden), claim.alpha)


_BOUNDS: dict[type, Callable[..., Bound]] = {
    BetaLikeness: _likeness_bound,
    DeltaDisclosure: _disclosure_bound,
    AlphaKAnonymity: _alpha_bound,
    HiddenValues: _hidden_bound,
}


_KINDS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


@dataclass(frozen=True, slots=True)
class OverallCounts:
    """What all records have in the sensitive columns: what every class is compared with, in a part of them too.

    A sensitive column is counted once for each part of the claim that speaks of it.

    names   : the column
    what    : which part of the claim
    words   : what that part asks for, in a message
    numbers : int64[values]  each value of the column's vocabulary; the last number is an empty cell
    sizes   : how many values there are, the empty cell not counted
    empties : 1 where any record has an empty cell
    share, low, high : float64[s, values + 1]  see `ClassConstraint`
    """

    names: tuple[str, ...]
    what: tuple[int, ...]
    words: tuple[str, ...]
    numbers: tuple[I8, ...]
    sizes: tuple[int, ...]
    empties: tuple[int, ...]
    share: F8
    low: F8
    high: F8

    @classmethod
    def of(cls, table: Table, rows: I8, constraint: Constraint) -> "OverallCounts":
        """Count the records `rows`: all that are published."""
        person_of_row = number_persons(table, rows)
        column_counts = [
            column_count
            for column in table.role("sensitive")
            for column_count in _column_counts(column, rows, constraint)
        ]
        sizes = [column_count.size for column_count in column_counts]
        value = _value_matrix(
            table,
            rows,
            [column_count.name for column_count in column_counts],
            [column_count.number for column_count in column_counts],
        )
        low, high = _share_limits(column_counts, _overall_shares(value, person_of_row, sizes, by_person=True))
        return cls(
            tuple(column_count.name for column_count in column_counts),
            tuple(column_count.what for column_count in column_counts),
            tuple(
                "" if column_count.bound is None else column_count.bound.words
                for column_count in column_counts
            ),
            tuple(column_count.number for column_count in column_counts),
            tuple(sizes),
            tuple(int((values == size).any()) for values, size in zip(value, sizes, strict=True)),
            _overall_shares(value, person_of_row, sizes),
            low,
            high,
        )


def compile_constraint(
    method: str, table: Table, rows: I8, constraint: Constraint, whole: OverallCounts | None = None
) -> tuple[ClassConstraint, ClassTally | None]:
    """What is asked of every class of the records `rows`, and an empty tally for it.

    `whole` is what classes are compared with; None where `rows` are all records that are published.

    Raises
    ------
    InfeasibleError
        Not even all records together in one class keep it; the message says which column allows how much.
    """
    person_of_row = number_persons(table, rows)
    overall = OverallCounts.of(table, rows, constraint) if whole is None else whole
    if whole is None:
        refuse_hidden_share(method, constraint, table, rows)
    value = _value_matrix(table, rows, overall.names, overall.numbers)
    diversity, near = constraint.diversity, constraint.closeness
    compiled = ClassConstraint(
        constraint.k,
        0 if diversity is None else diversity.l,
        DISTINCT if diversity is None else _KINDS[diversity.diversity],
        3.0 if diversity is None else diversity.c,
        2.0 if near is None else near.t,
        int(near is not None and near.distance == "ordered"),
        person_of_row,
        value,
        _person_value_pairs(person_of_row, value),
        np.array(overall.what, dtype=np.int64),
        np.array(overall.sizes, dtype=np.int64),
        np.array(overall.empties, dtype=np.int64),
        overall.share,
        overall.low,
        overall.high,
    )
    refuse_crowd(method, compiled.k, *count_people(person_of_row, len(rows)))
    for s in range(len(overall.names)):
        _refuse_unreachable(method, _single_column(compiled, s), overall.names[s], overall.words[s])
    tally = empty_tally(compiled)
    if whole is not None and not would_keep_constraint(np.arange(len(rows)), compiled, tally):
        raise InfeasibleError(
            f"{method}: one part of the records differs too much from the whole; make parts larger"
        )
    return compiled, tally


@dataclass(frozen=True, slots=True)
class _ColumnCount:
    """A sensitive column as one part of a claim counts it.

    what   : which part of the claim
    number : int64[values]  each value of the vocabulary; `size`, behind them all, is an empty cell
    bound  : the shares that values may have, where the part is about them
    """

    name: str
    what: int
    number: I8
    size: int
    bound: Bound | None = None


def _column_counts(column: Column, rows: I8, constraint: Constraint) -> Iterator[_ColumnCount]:
    """A sensitive column once for each part of the claim that speaks of it."""
    texts = _number_values(column.values, column.codes[rows])
    if constraint.diversity is not None and claim_covers(constraint.diversity.columns, column):
        yield _ColumnCount(column.name, DIVERSE, *texts)
    if constraint.closeness is not None and claim_covers(constraint.closeness.columns, column):
        ranked = _rank_values(column, rows) if constraint.closeness.distance == "ordered" else texts
        yield _ColumnCount(column.name, CLOSE, *ranked)
    for bound in constraint.bounds:
        if claim_covers(bound.columns, column):
            counted = (bound.is_hidden(column).astype(np.int64), 1) if bound.hidden else texts
            yield _ColumnCount(column.name, TOP if bound.any_value else SHARES, *counted, bound)


def _value_matrix(table: Table, rows: I8, names: Sequence[str], numbers: Sequence[I8]) -> I8:
    """int64[s, n]: for each counted column, each record's value."""
    values = [number[table.column(name).codes[rows]] for name, number in zip(names, numbers, strict=True)]
    return np.array(values, dtype=np.int64).reshape(len(names), len(rows))


def _share_limits(counted: Sequence[_ColumnCount], whole: F8) -> tuple[F8, F8]:
    """For each counted column and value, the least and the largest share that a class may have."""
    low, high = np.zeros_like(whole), np.full_like(whole, np.inf)
    for s, column_count in enumerate(counted):
        if column_count.bound is not None:
            low[s], high[s] = column_count.bound.limits(whole[s])
    return low, high


def constraint_for_k(k: int, who: I8 | None = None) -> ClassConstraint:
    """What k alone asks; `who` are the persons, None where every record is one."""
    none, pairs, shares = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64), np.empty((0, 1))
    persons = none if who is None else who
    return ClassConstraint(
        k, 0, 0, 3.0, 2.0, 0, persons, pairs, pairs, none, none, none, shares, shares, shares
    )


def number_persons(table: Table, rows: I8 | slice = slice(None)) -> I8:
    """Whom the records belong to, numbered from 0; empty where every record is a person."""
    if table.persons is None:
        return np.empty(0, dtype=np.int64)
    return np.unique(table.persons[rows], return_inverse=True)[1].astype(np.int64)


def _rank_values(column: Column, rows: I8) -> tuple[I8, int]:
    """As `_number_values`, but in order: as numbers if all values are numbers, otherwise as text in one spelling."""
    texts = unify_spellings(column.values)
    present = {texts[code] for code in np.unique(column.codes[rows]).tolist()} - {""}
    numbers = {text: parse_float(text) for text in present}
    if None in numbers.values():
        return _number_values([normalize_value(text) if text else None for text in texts], column.codes[rows])
    keys = [None if text not in numbers else numbers[text] for text in texts]
    return _number_values(keys, column.codes[rows])


def _number_values(keys: Sequence[str | float | None], codes: I4) -> tuple[I8, int]:
    """For each key its place among the sorted keys that occur; None and the empty text behind all."""
    present = {keys[code] for code in np.unique(codes).tolist()} - {None, ""}
    number_of_key = {key: index for index, key in enumerate(sorted(present))}
    return np.array([number_of_key.get(key, len(number_of_key)) for key in keys], dtype=np.int64), len(
        number_of_key
    )


def _person_value_pairs(who: I8, value: I8) -> I8:
    """For each counted column, (person, value) as one number."""
    if not len(who):
        return np.empty((len(value), 0), dtype=np.int64)
    return np.array(
        [np.unique(who * (values.max() + 1) + values, return_inverse=True)[1] for values in value],
        dtype=np.int64,
    ).reshape(len(value), len(who))


def _overall_shares(value: I8, who: I8, sizes: Sequence[int], *, by_person: bool = False) -> F8:
    """The share of each value in the whole, of distinct persons where rows name them.

    With `by_person` it is the share of persons who have the value; more than one may be theirs.
    """
    share = np.zeros((len(value), max(sizes, default=0) + 1))
    everybody = int(who.max()) + 1 if len(who) else value.shape[1]
    for s, values in enumerate(value):
        person_values = (
            np.unique(who * (values.max() + 1) + values) % (values.max() + 1) if len(who) else values
        )
        count = np.bincount(person_values, minlength=sizes[s] + 1)
        share[s, : sizes[s] + 1] = count / (max(everybody, 1) if by_person else len(person_values))
    return share


def _single_column(ask: ClassConstraint, s: int) -> ClassConstraint:
    """What is asked of one counted column, whatever the number of persons."""
    field_names = ("value", "pair", "what", "values", "empties", "share", "low", "high")
    return ask._replace(k=1, **{name: getattr(ask, name)[s : s + 1] for name in field_names})


def _refuse_unreachable(method: str, ask: ClassConstraint, column: str, words: str) -> None:
    """Refuse what not even all records together reach: an l, or a largest share."""
    records, tally = np.arange(ask.value.shape[1]), empty_tally(ask)
    if ask.what[0] == DIVERSE:
        limit = min(ask.l, int(ask.values[0]))
        reached = bisect_left(
            range(1, limit + 1),
            True,
            key=lambda l: not would_keep_constraint(records, ask._replace(l=l), tally),
        )
        if reached < ask.l:
            raise InfeasibleError(
                f"{method}: l={ask.l} but column '{column}' allows at most {reached}, all records together; "
                "lower l, or ask for another kind of diversity"
            )
    elif ask.what[0] == TOP and not would_keep_constraint(records, ask, tally):
        raise InfeasibleError(
            f"{method}: {words} but column '{column}' has a value that is more frequent in all records together; "
            "ask for less"
        )


Local = TypeVar("Local", bound=Callable[..., Result[Recoded]])


def keeps_average(make: Local) -> Local:
    """Let a method that keeps what is asked of single classes keep an average risk as well, by larger classes.

    It is run for the k of the claim, and where the average is too high for others up to that of which 1/k is the
    average, which always suffices; the smallest k that does among those of a search by halves is taken.
    """
    name = make.__name__

    @wraps(make)
    def keep_average(table: Table, hierarchies: Hierarchies, claim: Claim, **options: Any) -> Result[Recoded]:
        risk_claim = next((part for part in claim.parts if isinstance(part, AverageRisk)), None)
        if risk_claim is None:
            return make(table, hierarchies, claim, **options)
        low, high = claim.crowd, ceil(1 / risk_claim.average_risk - SLACK)
        heads, _ = count_people(number_persons(table), table.n)
        if high > heads:
            raise InfeasibleError(
                f"{name}: average_risk={risk_claim.average_risk:g} but of {heads} records one class has "
                f"{1 / max(heads, 1):.4g}; ask for less or add records"
            )

        def run(k: int) -> tuple[Result[Recoded], bool]:
            candidate = make(table, hierarchies, _drop_average(claim, k), **options)
            return candidate, average_risk(table, candidate.release) <= risk_claim.average_risk + SLACK

        return replace(search_least_k(run, low, high)[0], claim=claim)

    return cast(Local, keep_average)


def search_least_k(
    run: Callable[[int], tuple[Result[Recoded], bool]], low: int, high: int
) -> tuple[Result[Recoded], bool]:
    """Search by halves for the smallest k from `low` to `high` whose release is good enough, as `run` says.

    Returns
    -------
    result : Result
        The release of the smallest k that was tried and is good enough; that of `high` where not even this one is.
    is_enough : bool
    """
    best, is_enough = run(low)
    if is_enough or high <= low:
        return best, is_enough
    best, is_enough = run(high)
    tried = high
    while is_enough and high - low > 1:
        middle = (low + high) // 2
        result, is_middle_enough = run(middle)
        low, high = (low, middle) if is_middle_enough else (middle, high)
        best, tried = (result, middle) if is_middle_enough else (best, tried)
    return replace(best, trace={**best.trace, "k that was asked of the method": tried}), is_enough


def _drop_average(claim: Claim, k: int) -> Claim:
    """The other parts of a claim, with at least this k."""
    parts = [part for part in claim.parts if not isinstance(part, AverageRisk)]
    return raise_k(parts, k)


def raise_k(parts: Sequence[Any], k: int) -> Claim:
    """The claim of these parts, with at least this k."""
    other_parts = [part for part in parts if not isinstance(part, KAnonymity | AlphaKAnonymity)]
    crowd_parts = [
        replace(part, k=max(part.k, k)) for part in parts if isinstance(part, KAnonymity | AlphaKAnonymity)
    ]
    claims = (*(crowd_parts or [KAnonymity(k)]), *other_parts)
    return claims[0] if len(claims) == 1 else AllOf(claims)


def average_risk(table: Table, release: Recoded) -> float:
    """The mean over the released persons of 1 / (persons in the smallest of their classes); 0 where nobody is left."""
    if not len(release.rows):
        return 0.0
    class_of_row = np.unique(release.codes, axis=0, return_inverse=True)[1].reshape(-1)
    if table.persons is None:
        row_counts = np.ones(len(class_of_row)) if release.counts is None else release.counts
        return float((int(class_of_row.max()) + 1) / row_counts.sum())
    person_of_row = number_persons(table, release.rows)
    pairs = np.unique(np.stack([class_of_row, person_of_row]), axis=1)
    size = np.bincount(pairs[0])
    risk = np.zeros(int(person_of_row.max()) + 1)
    np.maximum.at(risk, person_of_row, 1 / size[class_of_row])
    return float(risk.mean())


def anonymize_without_sensitive(
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
    k, (heads, _) = constraint.k, count_people(number_persons(table), table.n)
    while True:
        result = make(KAnonymity(k))
        if _keeps_claim(method, table, result.release, constraint):
            return replace(result, claim=claim, trace={**result.trace, "k that was asked of the method": k})
        if k >= heads:
            raise InfeasibleError(
                f"{method}: with minimal = false no k keeps the claim, not even one class of all records; ask for less"
            )
        k = min(2 * k, heads)


def _keeps_claim(method: str, table: Table, release: Recoded, constraint: Constraint) -> bool:
    if not len(release.rows):
        return True
    if constraint.average is not None and average_risk(table, release) > constraint.average + SLACK:
        return False
    ask, tally = compile_constraint(method, table, release.rows, constraint)
    return all(would_keep_constraint(rows, ask, tally) for rows in _rows_by_class(release))


def _rows_by_class(release: Recoded) -> Iterator[I8]:
    """The places of each class's rows."""
    _, class_of_row = np.unique(release.codes, axis=0, return_inverse=True)
    order = np.argsort(class_of_row.reshape(-1), kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(class_of_row.reshape(-1)))[:-1])
