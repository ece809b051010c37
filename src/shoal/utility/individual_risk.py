"""The risk of single records of a survey: look-alikes in the sample, the people they stand for, households.

A record with f look-alikes in the sample, itself among them, whose sampling weights sum to F, is one of N people of the
population. N given f is negative binomial with p = f / F (N >= f), and the individual risk is the expectation of 1 / N.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I8
from shoal.errors import InputError
from shoal.utility.risk import class_ids

__all__ = [
    "Missing",
    "RecordRisks",
    "approximate_risk",
    "chances",
    "count_classes",
    "count_fits",
    "expectation",
    "household_risk",
    "household_sizes",
    "individual_risk",
    "record_columns",
    "refuse_light_classes",
    "survey_facts",
]

Missing = Literal["own", "any"]
"""Whether a blank cell is a value of its own, or fits every value, as in mu-Argus."""

_STEPS = 16  # sample counts below which the recursion is short; from it on the series is
_TERMS = 400
_CLOSE = 1e-17
_SLACK = 1e-9  # sums of fractions: weights of 1 in all must pass


def individual_risk(counts: ArrayLike, fractions: ArrayLike) -> F8:
    """The expected 1 / N of records with so many look-alikes f in a sample, drawn with these fractions p = f / F.

    With q = 1 - p it is the integral of t^(f-1) (p / (1 - q t))^f over t from 0 to 1. Euler's transformation makes that
    (p / f) 2F1(1, 1; f + 1; q), a series of positive terms: it is summed where f is large or q at most 1/2. For other
    records the recursion r(f + 1) = p / q (1 / f - r(f)) from r(1) = p / q ln(1 / p) is short, and p / q below 1 makes
    its errors smaller.

    Parameters
    ----------
    counts
        f, whole numbers of at least 1.
    fractions
        p, above 0 and up to 1, one for all or one for each.

    Returns
    -------
    float64
        1 / f where p is 1.

    References
    ----------
    .. [1] Benedetti, Franconi. Statistical and technological solutions for controlled data dissemination. NTTS, 1998.
    .. [2] Franconi, Polettini. Individual risk estimation in mu-Argus: a review. PSD 2004.

    Examples
    --------
    >>> individual_risk([1, 2, 3], 0.1).round(6).tolist()
    [0.255843, 0.082684, 0.046368]
    """
    f, p = np.broadcast_arrays(np.asarray(counts, dtype=np.int64), np.asarray(fractions, dtype=np.float64))
    short = (f < _STEPS) & (p < 0.5)
    risk = np.empty(f.shape)
    risk[short] = _by_recursion(f[short], p[short])
    risk[~short] = _by_series(f[~short], p[~short])
    return risk


def _by_recursion(f: I8, p: F8) -> F8:
    odds = p / (1 - p)
    value = -odds * np.log(p)
    found = value.copy()
    for size in range(1, int(f.max(initial=1))):
        value = odds * (1 / size - value)
        found[f == size + 1] = value[f == size + 1]
    return found


def _by_series(f: I8, p: F8) -> F8:
    term = np.ones(len(p))
    total = term.copy()
    for n in range(_TERMS):
        term = term * (n + 1) / (f + n + 1) * (1 - p)
        total += term
        if term.max(initial=0) < _CLOSE:
            break
    return np.asarray(p / f * total)


def approximate_risk(counts: ArrayLike, fractions: ArrayLike) -> F8:
    """The approximation that sdcMicro and mu-Argus print: exact for f of 1 and 2, and p / (f - (1 - p)) beyond.

    >>> approximate_risk([1, 2, 3], 0.1).round(6).tolist()
    [0.255843, 0.082684, 0.047619]
    """
    f, p = np.broadcast_arrays(np.asarray(counts, dtype=np.int64), np.asarray(fractions, dtype=np.float64))
    return np.where(f > 2, p / (f - (1 - p)), individual_risk(np.minimum(f, 2), p))


def count_fits(
    columns: Sequence[NDArray[np.integer]], blanks: Sequence[B1], weights: F8 | None = None
) -> tuple[I8, I8, F8]:
    """The class of equal records that each is of, and for each class how many fit it and what their weights sum to.

    Two records fit if in every column they are equal or one of them is blank. Equal records are counted once; then
    those of each pattern of blanks are looked up among those of each other pattern by the columns that neither lacks.

    Parameters
    ----------
    columns
        One integer array per column, all of one length n.
    blanks
        For each column, which cells are blank.
    weights
        float64[n]; None where every record counts 1.

    Returns
    -------
    int64[n], int64[classes], float64[classes]

    Examples
    --------
    >>> age, none = np.array([1, 1, 2, 0]), np.array([False, False, False, True])
    >>> of, counts, people = count_fits([age], [none], np.array([10.0, 5.0, 2.0, 1.0]))
    >>> counts[of].tolist(), people[of].tolist()
    ([3, 3, 2, 4], [16.0, 16.0, 3.0, 18.0])
    """
    cells = [np.where(blank, -1, codes) for codes, blank in zip(columns, blanks, strict=True)]
    of = class_ids(cells)
    heads = np.unique(of, return_index=True)[1]
    records = np.bincount(of).astype(np.float64)
    sums = records if weights is None else np.bincount(of, weights=weights)
    distinct = np.stack([codes[heads] for codes in cells])
    pattern = class_ids(list((distinct < 0).astype(np.int64)))
    places = [np.flatnonzero(pattern == one) for one in range(int(pattern.max(initial=-1)) + 1)]
    fits, people = np.zeros(len(heads)), np.zeros(len(heads))
    for mine in places:
        for others in places:
            both = (distinct[:, mine[0]] >= 0) & (distinct[:, others[0]] >= 0)
            ids = class_ids([np.zeros(len(mine) + len(others), dtype=np.int64),
                             *(np.r_[codes[mine], codes[others]] for codes in distinct[both])])  # fmt: skip
            own, theirs = ids[: len(mine)], ids[len(mine) :]
            width = int(ids.max()) + 1
            fits[mine] += np.bincount(theirs, weights=records[others], minlength=width)[own]
            people[mine] += np.bincount(theirs, weights=sums[others], minlength=width)[own]
    return of, np.rint(fits).astype(np.int64), people


@dataclass(frozen=True, slots=True)
class RecordRisks:
    """How exposed each record is to whoever knows some columns of its person.

    classes : int64[n]       the class of each record; what follows is known of classes
    counts : int64[classes]  persons in the data who fit it, its own among them
    people : float64[classes]  what their sampling weights sum to; without weights `counts`
    risk   : float64[classes]  its individual risk; without weights 1 / counts
    """

    classes: I8
    counts: I8
    people: F8
    risk: F8

    @classmethod
    def of(
        cls, table: Table, columns: Sequence[Column], missing: Missing = "own", beside: Sequence[I8] = ()
    ) -> Self:
        """Measure the records of a table by some of its columns, and by what else is known `beside` them.

        Raises
        ------
        InputError
            Blanks shall fit every value, and persons have several rows.
        """
        codes: list[NDArray[np.integer]] = [*(column.codes for column in columns), *beside]
        blanks = [np.array([value is None for value in column.values])[column.codes] for column in columns]
        if missing == "own" or not any(blank.any() for blank in blanks):
            of = class_ids(codes)
            counts, people = count_classes(of, table.persons, table.weights)
        elif table.persons is not None:
            raise InputError(
                'risk: missing = "any" counts rows that fit, and persons have several rows here; take "own"'
            )
        else:
            none = np.zeros(table.n, dtype=bool)
            of, counts, people = count_fits(codes, [*blanks, *(none for _ in beside)], table.weights)
        if table.weights is None:
            return cls(of, counts, people, 1 / counts)
        return cls(of, counts, people, individual_risk(counts, np.minimum(counts / people, 1.0)))

    @property
    def approximate(self) -> "RecordRisks":
        """The same by the common approximation."""
        risk = approximate_risk(self.counts, np.minimum(self.counts / self.people, 1.0))
        return replace(self, risk=risk)

    def of_persons(self, table: Table) -> F8:
        """For each person the highest risk of their rows."""
        risk = self.risk[self.classes]
        if table.persons is None:
            return risk
        who = class_ids([table.persons])
        highest = np.zeros(int(who.max(initial=-1)) + 1)
        np.maximum.at(highest, who, risk)
        return highest


def chances(chance: F8, k: int) -> dict[str, float]:
    """What somebody achieves who finds each person with a chance: the highest, the average, the share above 1/k."""
    return {
        "highest": float(chance.max(initial=0)),
        "average": float(chance.mean()) if len(chance) else 0.0,
        "above": int((chance > 1 / k).sum()) / max(len(chance), 1),
    }


def expectation(risk: F8, k: int) -> dict[str, float]:
    """The same, and how many people are expected to be found."""
    return {**chances(risk, k), "expected": float(risk.sum())}


def survey_facts(table: Table, found: RecordRisks, k: int, missing: Missing = "own") -> dict[str, Any]:
    """How exposed people are who stand for others, and households; None where no column tells of them.

    `individual` has the figures by sampling weights, the common approximation of what is expected, and how many people
    the weights sum to. `household` has the risk that anybody of a person's household is found, and under `size_known`
    both risks for whoever knows, beside the columns, how many people live there.
    """
    once = slice(None) if table.persons is None else np.unique(table.persons, return_index=True)[1]
    facts: dict[str, Any] = {"individual": None, "household": None}
    if table.weights is not None:
        facts["individual"] = {
            **expectation(found.of_persons(table), k),
            "approximate": float(found.approximate.of_persons(table).sum()),
            "population": float(table.weights[once].sum()),
        }
    if table.households is not None:
        living = table.households[once]
        sizes = household_sizes(living)
        known = RecordRisks.of(table, table.quasi, missing, [_of_rows(sizes, table)]).of_persons(table)
        facts["household"] = {
            "households": len(np.unique(living)),
            "largest": int(sizes.max(initial=0)),
            **expectation(household_risk(found.of_persons(table), living), k),
            "size_known": {
                "individual": expectation(known, k),
                "household": expectation(household_risk(known, living), k),
            },
        }
    return facts


def record_columns(table: Table, found: RecordRisks) -> dict[str, NDArray[Any]]:
    """What there is to say of each record, by name; people and households only where columns tell of them."""
    columns: dict[str, NDArray[Any]] = {
        "look_alikes": found.counts[found.classes],
        "risk": found.risk[found.classes],
    }
    if table.weights is not None:
        columns["people"] = found.people[found.classes]
    if table.households is not None:
        once = slice(None) if table.persons is None else np.unique(table.persons, return_index=True)[1]
        risk = household_risk(found.of_persons(table), table.households[once])
        columns["household_risk"] = _of_rows(risk, table)
    return columns


def _of_rows(of_persons: NDArray[Any], table: Table) -> NDArray[Any]:
    """What is known of persons, for each of their rows."""
    return of_persons if table.persons is None else of_persons[class_ids([table.persons])]


def refuse_light_classes(name: str, table: Table) -> None:
    """Refuse weights that cannot say how many people records stand for: of look-alikes they sum to less than these.

    Raises
    ------
    InputError
        It is so, in the data that are called `name`.
    """
    if table.weights is None or not table.quasi:
        return
    of = class_ids([column.codes for column in table.quasi])
    counts, people = count_classes(of, table.persons, table.weights)
    light = (people < counts * (1 - _SLACK))[of]
    if light.any():
        raise InputError(
            f"{name}, record {int(light.argmax()) + 1}: the sampling weights of the records with its quasi-identifiers "
            "sum to less than these records, and a weight says how many people a record stands for; scale weights to "
            "the population, or drop the column"
        )


def count_classes(classes: I8, persons: I8 | None, weights: F8 | None) -> tuple[I8, F8]:
    """For each class, how many persons it holds and what their weights sum to; each is counted once.

    >>> count_classes(np.array([0, 0, 1]), np.array([7, 7, 9]), np.array([4.0, 4.0, 3.0]))[1].tolist()
    [4.0, 3.0]
    """
    once = np.arange(len(classes))
    if persons is not None:
        once = np.unique(class_ids([classes, persons]), return_index=True)[1]
    width = int(classes.max(initial=-1)) + 1
    counts = np.bincount(classes[once], minlength=width)
    people = counts if weights is None else np.bincount(classes[once], weights=weights[once], minlength=width)
    return counts, people.astype(np.float64)


def household_risk(risk: F8, households: I8) -> F8:
    """The risk that anybody of a person's household is found: 1 - prod(1 - r) over its members, for each member.

    >>> household_risk(np.array([0.5, 0.5, 0.1]), np.array([4, 4, 9])).round(6).tolist()
    [0.75, 0.75, 0.1]
    """
    of = class_ids([households])
    with np.errstate(divide="ignore"):
        logs = np.bincount(of, weights=np.log1p(-np.minimum(risk, 1.0)))
    return np.asarray(-np.expm1(logs))[of]


def household_sizes(households: I8) -> I8:
    """How many members the household of each member has.

    >>> household_sizes(np.array([4, 4, 9])).tolist()
    [2, 2, 1]
    """
    of = class_ids([households])
    return np.bincount(of)[of]
