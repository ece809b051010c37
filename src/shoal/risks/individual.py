"""How exposed each record of a table is to someone who knows all quasi-identifiers of its person.

From a sample to its population: a record with f look-alikes in the sample, itself among them, whose sampling weights
sum to F, is one of N people of the population. N given f is negative binomial with p = f / F (N >= f), and the
individual risk is the expectation of 1 / N.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.base.errors import InputError
from shoal.data import Column, Table
from shoal.data.arrays import F8, I8
from shoal.risks.look_alikes import ClassCounts, LookAlikes, count_classes, count_fits, summarize_risks
from shoal.utility.classes import class_ids

__all__ = [
    "Missing",
    "RecordRisks",
    "_approximate_risk",
    "_household_risk",
    "_household_sizes",
    "individual_risk",
    "record_columns",
    "refuse_light_classes",
    "summarize_expectation",
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
    risk[short] = _risk_by_recursion(f[short], p[short])
    risk[~short] = _risk_by_series(f[~short], p[~short])
    return risk


def _risk_by_recursion(f: I8, p: F8) -> F8:
    odds = p / (1 - p)
    value = -odds * np.log(p)
    expected_risk = value.copy()
    for size in range(1, int(f.max(initial=1))):
        value = odds * (1 / size - value)
        expected_risk[f == size + 1] = value[f == size + 1]
    return expected_risk


def _risk_by_series(f: I8, p: F8) -> F8:
    term = np.ones(len(p))
    total = term.copy()
    for n in range(_TERMS):
        term = term * (n + 1) / (f + n + 1) * (1 - p)
        total += term
        if term.max(initial=0) < _CLOSE:
            break
    return np.asarray(p / f * total)


def _approximate_risk(counts: ArrayLike, fractions: ArrayLike) -> F8:
    """The approximation that sdcMicro and mu-Argus print: exact for f of 1 and 2, and p / (f - (1 - p)) beyond.

    >>> _approximate_risk([1, 2, 3], 0.1).round(6).tolist()
    [0.255843, 0.082684, 0.047619]
    """
    f, p = np.broadcast_arrays(np.asarray(counts, dtype=np.int64), np.asarray(fractions, dtype=np.float64))
    return np.where(f > 2, p / (f - (1 - p)), individual_risk(np.minimum(f, 2), p))


@dataclass(frozen=True, slots=True)
class RecordRisks:
    """How exposed each record is to whoever knows some columns of its person.

    classes : the class of each record, and the people in the data who fit each class
    risk    : float64[classes], its individual risk; without weights 1 / people who fit
    """

    classes: ClassCounts
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
            classes = count_classes(class_ids(codes), table.persons, weights=table.weights)
        elif table.persons is not None:
            raise InputError(
                'risk: missing = "any" counts rows that fit, and persons have several rows here; take "own"'
            )
        else:
            none = np.zeros(table.n, dtype=bool)
            classes = count_fits(codes, [*blanks, *(none for _ in beside)], table.weights)
        if table.weights is None:
            return cls(classes, 1 / classes.fits)
        return cls(classes, individual_risk(classes.fits, _sampling_fractions(classes)))

    @property
    def approximate(self) -> "RecordRisks":
        """The same by the common approximation."""
        return replace(self, risk=_approximate_risk(self.classes.fits, _sampling_fractions(self.classes)))

    def look_alikes(self, table: Table) -> LookAlikes:
        """How few people look like each person in the data."""
        return self.classes.look_alikes(table.persons)

    def of_persons(self, table: Table) -> F8:
        """For each person the highest risk of their rows."""
        risk = self.risk[self.classes.of]
        if table.persons is None:
            return risk
        person_ids = class_ids([table.persons])
        highest = np.zeros(int(person_ids.max(initial=-1)) + 1)
        np.maximum.at(highest, person_ids, risk)
        return highest


def _sampling_fractions(classes: ClassCounts) -> F8:
    """float64[classes]: which share of the people of the population who fit a class is in the data, at most 1."""
    return np.minimum(classes.fits / classes.people, 1.0)


def summarize_expectation(risk: F8, k: int) -> dict[str, float]:
    """The same, and how many people are expected to be found."""
    return {**summarize_risks(risk, k), "expected": float(risk.sum())}


def survey_facts(table: Table, found: RecordRisks, k: int, missing: Missing = "own") -> dict[str, Any]:
    """How exposed people are who stand for others, and households; None where no column tells of them.

    `individual` has the figures by sampling weights, the common approximation of what is expected, and how many people
    the weights sum to. `household` has the risk that anybody of a person's household is found, and under `size_known`
    both risks for whoever knows, beside the columns, how many people live there.
    """
    first_rows = slice(None) if table.persons is None else np.unique(table.persons, return_index=True)[1]
    facts: dict[str, Any] = {"individual": None, "household": None}
    if table.weights is not None:
        facts["individual"] = {
            **summarize_expectation(found.of_persons(table), k),
            "approximate": float(found.approximate.of_persons(table).sum()),
            "population": float(table.weights[first_rows].sum()),
        }
    if table.households is not None:
        living = table.households[first_rows]
        sizes = _household_sizes(living)
        size_known_risk = RecordRisks.of(
            table, table.quasi, missing, [_repeat_for_rows(sizes, table)]
        ).of_persons(table)
        facts["household"] = {
            "households": len(np.unique(living)),
            "largest": int(sizes.max(initial=0)),
            **summarize_expectation(_household_risk(found.of_persons(table), living), k),
            "size_known": {
                "individual": summarize_expectation(size_known_risk, k),
                "household": summarize_expectation(_household_risk(size_known_risk, living), k),
            },
        }
    return facts


def record_columns(table: Table, found: RecordRisks) -> dict[str, NDArray[Any]]:
    """What there is to say of each record, by name; people and households only where columns tell of them."""
    columns: dict[str, NDArray[Any]] = {
        "look_alikes": found.classes.fits[found.classes.of],
        "risk": found.risk[found.classes.of],
    }
    if table.weights is not None:
        columns["people"] = found.classes.people[found.classes.of]
    if table.households is not None:
        once = slice(None) if table.persons is None else np.unique(table.persons, return_index=True)[1]
        risk = _household_risk(found.of_persons(table), table.households[once])
        columns["household_risk"] = _repeat_for_rows(risk, table)
    return columns


def _repeat_for_rows(of_persons: NDArray[Any], table: Table) -> NDArray[Any]:
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
    classes = count_classes(
        class_ids([column.codes for column in table.quasi]), table.persons, weights=table.weights
    )
    light = (classes.people < classes.fits * (1 - _SLACK))[classes.of]
    if light.any():
        raise InputError(
            f"{name}, record {int(light.argmax()) + 1}: the sampling weights of the records with its quasi-identifiers "
            "sum to less than these records, and a weight says how many people a record stands for; scale weights to "
            "the population, or drop the column"
        )


def _household_risk(risk: F8, households: I8) -> F8:
    """The risk that anybody of a person's household is found: 1 - prod(1 - r) over its members, for each member.

    >>> _household_risk(np.array([0.5, 0.5, 0.1]), np.array([4, 4, 9])).round(6).tolist()
    [0.75, 0.75, 0.1]
    """
    household_ids = class_ids([households])
    with np.errstate(divide="ignore"):
        logs = np.bincount(household_ids, weights=np.log1p(-np.minimum(risk, 1.0)))
    return np.asarray(-np.expm1(logs))[household_ids]


def _household_sizes(households: I8) -> I8:
    """How many members the household of each member has.

    >>> _household_sizes(np.array([4, 4, 9])).tolist()
    [2, 2, 1]
    """
    household_ids = class_ids([households])
    return np.bincount(household_ids)[household_ids]
