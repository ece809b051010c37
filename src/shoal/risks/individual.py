"""Equivalence classes, and how exposed they leave people to someone who knows all quasi-identifiers of a person.

What a few known things tell of a sensitive value without finding anybody: what those have who fit the knowledge.

Of a table everybody has one class of look-alikes. Of baskets and trees everybody has many, which overlap: one for each
choice of known items or values.

From a sample to its population: a record with f look-alikes in the sample, itself among them, whose sampling weights
sum to F, is one of N people of the population. N given f is negative binomial with p = f / F (N >= f), and the
individual risk is the expectation of 1 / N.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lgamma
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Table, Trees
from shoal.data.arrays import (
    B1,
    F8,
    I4,
    I8,
    concatenate_ranges,
    count_codes,
    number_rows,
    persons_per_code,
    prefix_sums,
    row_of_entry,
    sum_counts,
)
from shoal.data.trees import preorder
from shoal.utility.classes import class_ids

__all__ = [
    "KnowledgeFits",
    "Missing",
    "RecordRisks",
    "SensitiveValues",
    "_approximate_risk",
    "_household_risk",
    "_household_sizes",
    "attribute_disclosure",
    "collect_sensitive_values",
    "correct_match_rate",
    "count_equal_baskets",
    "count_equal_trees",
    "count_fits",
    "individual_risk",
    "knowledge_fits",
    "min_per_person",
    "persons_per_class",
    "pitman",
    "population_size",
    "record_columns",
    "refuse_light_classes",
    "risk",
    "summarize_expectation",
    "summarize_risks",
    "survey_facts",
    "zayatz",
]


_THRESHOLDS = (2, 5, 10, 20)


def risk(
    classes: NDArray[np.integer],
    persons: NDArray[np.integer] | None = None,
    *,
    below: Sequence[int] = _THRESHOLDS,
    counts: I8 | None = None,
) -> dict[str, Any]:
    """Describe the classes of a table, before (original quasi-identifiers) or after (released ones).

    A class's size is how many persons it holds. A person with rows in several classes is as exposed as the
    row in the smallest of them. The risk of a person is 1/size: the odds with which someone who knows the
    person's quasi-identifiers, and that the person is in the table, picks the right record (the prosecutor).

    Parameters
    ----------
    classes
        int[n], the class of each row, as `class_ids` gives it.
    persons
        int[n], whom each row belongs to; None when every row is a person.
    below
        Thresholds, each at least 1.
    counts
        int64[n], how many records each row stands for, each a person; None when each is one. Not with `persons`.

    Returns
    -------
    dict
        `records` (persons) and `classes`, how many; `unique`, how many records are alone in their class;
        `below`, by threshold the share of records in classes smaller than it; `highest` and `average` risk
        (without `persons` the average is classes/records); `smallest` and `median` class
        size. All 0 without rows.

    Raises
    ------
    InputError
        `persons` is not as long as `classes`.

    Examples
    --------
    >>> after = risk(np.array([0, 0, 0, 1, 1, 2]), below=[2, 3])
    >>> after["unique"], after["below"], after["average"]
    (1, {'2': 0.16666666666666666, '3': 0.5}, 0.5)
    """
    ids = class_ids([classes])
    if counts is None:
        sizes, exposed = persons_per_class(ids, persons)
        average = float(np.mean(1 / exposed)) if len(exposed) else 0.0
    else:
        sizes = count_codes(ids, counts)
        exposed, average = sizes[ids], len(sizes) / max(int(counts.sum()), 1)
    n = len(exposed) if counts is None else int(counts.sum())
    return {
        "records": n,
        "classes": len(sizes),
        "unique": sum_counts(exposed == 1, counts),
        "below": {str(limit): sum_counts(exposed < limit, counts) / max(n, 1) for limit in below},
        "highest": float(1 / exposed.min()) if n else 0.0,
        "average": average,
        "smallest": int(sizes.min()) if n else 0,
        "median": float(np.median(sizes)) if n else 0.0,
    }


def count_equal_baskets(baskets: Baskets, classes: NDArray[np.integer] | None = None) -> I8:
    """For each record, how many have the same basket, and are in the same class; int64[n]."""
    basket_ids = number_rows(baskets.start, baskets.items)
    ids = basket_ids if classes is None else class_ids([basket_ids, classes])
    return np.bincount(ids, minlength=1)[ids]


def count_equal_trees(trees: Trees) -> I8:
    """For each record, how many have the same tree but for values of the sensitive class; int64[n]."""
    start, items, parents = trees.start, trees.items, trees.parents
    if trees.sensitive is not None:
        start, items, parents = _drop_sensitive_nodes(trees)
    ids = number_rows(
        start, np.stack([items, parents], axis=1)
    )  # in one order, items and parents are the tree
    return np.bincount(ids, minlength=1)[ids]


def _drop_sensitive_nodes(trees: Trees) -> tuple[I8, I4, I4]:
    """The nodes that are not sensitive, in the order of `Trees`; an item says how many left-out nodes are over it."""
    base = np.repeat(trees.start[:-1], np.diff(trees.start))
    parent_nodes = np.where(trees.parents < 0, -1, base + trees.parents)
    is_shown = trees.kinds[trees.items] != trees.classes.index(str(trees.sensitive))
    hidden = np.zeros(len(parent_nodes), dtype=np.int64)
    while len(skip := np.flatnonzero((parent_nodes >= 0) & ~is_shown[parent_nodes])):
        hidden[skip] += 1
        parent_nodes[skip] = parent_nodes[parent_nodes[skip]]
    shown_before = prefix_sums(is_shown)  # of the nodes before each
    start = shown_before[trees.start]
    width = max(len(trees.values), 1)
    items = (trees.items + width * hidden)[is_shown]
    parents = np.where(parent_nodes < 0, -1, shown_before[np.maximum(parent_nodes, 0)] - shown_before[base])[
        is_shown
    ]
    most = width * (int(hidden.max(initial=0)) + 1)
    sizes, ordered, above = preorder(start, items, parents.astype(np.int32), most, repeats=True)
    return prefix_sums(sizes), ordered, above


def persons_per_class(ids: I8, persons: NDArray[np.integer] | None) -> tuple[I8, I8]:
    """The persons in each class, and for each person the persons in the smallest of their classes.

    `ids` numbers the classes as `class_ids` does. Without `persons` every row is one.
    """
    if persons is not None and len(persons) != len(ids):
        raise InputError(f"risk: {len(persons)} persons for {len(ids)} rows; give one per row")
    sizes = persons_per_code(ids, persons)
    return sizes, sizes[ids] if persons is None else min_per_person(sizes[ids], persons)


def min_per_person(numbers: I8, persons: NDArray[np.integer]) -> I8:
    """For each person, the smallest number of their rows.

    >>> min_per_person(np.array([4, 2, 3]), np.array([7, 7, 9])).tolist()
    [2, 3]
    """
    person_ids = class_ids([persons])
    smallest = np.full(int(person_ids.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(smallest, person_ids, numbers)
    return smallest


@dataclass(frozen=True, slots=True)
class KnowledgeFits:
    """Who fits which knowledge: int64[entries], record[e] fits the knowledge of[e]; each pair stands once."""

    of: I8
    record: I8


@dataclass(frozen=True, slots=True)
class SensitiveValues:
    """The sensitive values of each record, each once: codes[start[i] : start[i + 1]]; -1 alone means none."""

    start: I8
    codes: I8


def collect_sensitive_values(record: I8, codes: I8, n: int) -> SensitiveValues:
    """The values of n records, from pairs of a record and a code; a record without any gets -1.

    >>> collect_sensitive_values(np.array([0, 0, 2, 0]), np.array([7, 3, 3, 7]), 3)
    SensitiveValues(start=array([0, 2, 3, 4]), codes=array([ 3,  7, -1,  3]))
    """
    empty_records = np.setdiff1d(np.arange(n), record)
    record, codes = np.r_[record, empty_records], np.r_[codes, np.full(len(empty_records), -1)]
    _, first = np.unique(class_ids([record, codes]), return_index=True)  # by record, then by code
    return SensitiveValues(np.searchsorted(record[first], np.arange(n + 1)), codes[first])


def knowledge_fits(
    start: I8, items: NDArray[np.integer], m: int, classes: NDArray[np.integer] | None = None, *, most: int
) -> KnowledgeFits | None:
    """Who fits each choice of up to m items (1 or 2), nothing known among them; None where there are too many pairs.

    `items` are different from each other within a record, ascending. `classes` are known beside them.

    >>> found = knowledge_fits(np.array([0, 2, 3, 3]), np.array([4, 5, 4]), 2, most=99)
    >>> list(zip(found.of.tolist(), found.record.tolist()))
    [(0, 0), (0, 1), (0, 2), (1, 0), (3, 0), (1, 1), (2, 0)]
    """
    n, size = len(start) - 1, np.diff(start)
    pairs = int((size * (size - 1) // 2).sum()) if m > 1 else 0
    if n + len(items) + pairs > most:
        return None
    owner, item = row_of_entry(start), items.astype(np.int64)
    none = np.full(n + len(items), -1)
    first, second, record = np.r_[none[:n], item], none, np.r_[np.arange(n), owner]
    if pairs:
        later = start[owner + 1] - np.arange(len(items)) - 1
        first = np.r_[first, np.repeat(item, later)]
        second = np.r_[second, item[concatenate_ranges(np.arange(1, len(items) + 1), later)]]
        record = np.r_[record, np.repeat(owner, later)]
    class_columns = [] if classes is None else [classes[record]]
    return KnowledgeFits(class_ids([*class_columns, first, second]), record)


def attribute_disclosure(
    fitting: KnowledgeFits, held: SensitiveValues
) -> tuple[dict[str, float], NDArray[np.bool_]]:
    """What is reached in all knowledge, and which knowledge tells a value for certain.

    l     : the fewest different values among those who fit
    t     : how far the spread of their values is from that of all, at most; half the sum of differences
    share : the largest share of them that has one value

    >>> labels = collect_sensitive_values(np.arange(4), np.array([0, 0, 0, 1]), 4)
    >>> attribute_disclosure(KnowledgeFits(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])), labels)
    ({'l': 1.0, 't': 0.25, 'share': 1.0}, array([ True, False]))
    """
    knowledge_count = int(fitting.of.max(initial=-1)) + 1
    value_counts = np.diff(held.start)[fitting.record]
    knowledge, value = (
        np.repeat(fitting.of, value_counts),
        held.codes[concatenate_ranges(held.start[fitting.record], value_counts)],
    )
    width = int(held.codes.max(initial=-1)) + 2
    pair, count = np.unique(knowledge * width + value + 1, return_counts=True)
    knowledge, value = pair // width, pair % width - 1
    has_value = value >= 0
    codes, often = np.unique(held.codes, return_counts=True)
    overall_share = (often / often.sum())[np.searchsorted(codes, value)]
    spread = count / np.bincount(knowledge, weights=count, minlength=knowledge_count)[knowledge]
    distance = np.bincount(
        knowledge, weights=np.maximum(spread - overall_share, 0), minlength=knowledge_count
    )
    share = count[has_value] / np.bincount(fitting.of, minlength=knowledge_count)[knowledge[has_value]]
    certain = np.zeros(knowledge_count, dtype=bool)
    certain[knowledge[has_value][share == 1]] = True
    distinct = np.bincount(knowledge[has_value], minlength=knowledge_count)
    return {
        "l": float(distinct.min()),
        "t": float(distance.max()),
        "share": float(share.max(initial=0)),
    }, certain


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
    class_of_record = class_ids(cells)
    heads = np.unique(class_of_record, return_index=True)[1]
    records = np.bincount(class_of_record).astype(np.float64)
    sums = records if weights is None else np.bincount(class_of_record, weights=weights)
    distinct = np.stack([codes[heads] for codes in cells])
    pattern = class_ids(list((distinct < 0).astype(np.int64)))
    pattern_groups = [
        np.flatnonzero(pattern == pattern_id) for pattern_id in range(int(pattern.max(initial=-1)) + 1)
    ]
    fits, people = np.zeros(len(heads)), np.zeros(len(heads))
    for group in pattern_groups:
        for other_group in pattern_groups:
            comparable = (distinct[:, group[0]] >= 0) & (distinct[:, other_group[0]] >= 0)
            ids = class_ids([np.zeros(len(group) + len(other_group), dtype=np.int64),
                             *(np.r_[codes[group], codes[other_group]] for codes in distinct[comparable])])  # fmt: skip
            group_ids, other_ids = ids[: len(group)], ids[len(group) :]
            width = int(ids.max()) + 1
            fits[group] += np.bincount(other_ids, weights=records[other_group], minlength=width)[group_ids]
            people[group] += np.bincount(other_ids, weights=sums[other_group], minlength=width)[group_ids]
    return class_of_record, np.rint(fits).astype(np.int64), people


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
            classes = class_ids(codes)
            counts, people = _count_classes(classes, table.persons, table.weights)
        elif table.persons is not None:
            raise InputError(
                'risk: missing = "any" counts rows that fit, and persons have several rows here; take "own"'
            )
        else:
            none = np.zeros(table.n, dtype=bool)
            classes, counts, people = count_fits(codes, [*blanks, *(none for _ in beside)], table.weights)
        if table.weights is None:
            return cls(classes, counts, people, 1 / counts)
        return cls(classes, counts, people, individual_risk(counts, np.minimum(counts / people, 1.0)))

    @property
    def approximate(self) -> "RecordRisks":
        """The same by the common approximation."""
        risk = _approximate_risk(self.counts, np.minimum(self.counts / self.people, 1.0))
        return replace(self, risk=risk)

    def of_persons(self, table: Table) -> F8:
        """For each person the highest risk of their rows."""
        risk = self.risk[self.classes]
        if table.persons is None:
            return risk
        person_ids = class_ids([table.persons])
        highest = np.zeros(int(person_ids.max(initial=-1)) + 1)
        np.maximum.at(highest, person_ids, risk)
        return highest


def summarize_risks(chance: F8, k: int) -> dict[str, float]:
    """What somebody achieves who finds each person with a chance: the highest, the average, the share above 1/k."""
    return {
        "highest": float(chance.max(initial=0)),
        "average": float(chance.mean()) if len(chance) else 0.0,
        "above": int((chance > 1 / k).sum()) / max(len(chance), 1),
    }


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
        "look_alikes": found.counts[found.classes],
        "risk": found.risk[found.classes],
    }
    if table.weights is not None:
        columns["people"] = found.people[found.classes]
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
    class_of_row = class_ids([column.codes for column in table.quasi])
    counts, people = _count_classes(class_of_row, table.persons, table.weights)
    light = (people < counts * (1 - _SLACK))[class_of_row]
    if light.any():
        raise InputError(
            f"{name}, record {int(light.argmax()) + 1}: the sampling weights of the records with its quasi-identifiers "
            "sum to less than these records, and a weight says how many people a record stands for; scale weights to "
            "the population, or drop the column"
        )


def _count_classes(classes: I8, persons: I8 | None, weights: F8 | None) -> tuple[I8, F8]:
    """For each class, how many persons it holds and what their weights sum to; each is counted once.

    >>> _count_classes(np.array([0, 0, 1]), np.array([7, 7, 9]), np.array([4.0, 4.0, 3.0]))[1].tolist()
    [4.0, 3.0]
    """
    once = np.arange(len(classes))
    if persons is not None:
        once = np.unique(class_ids([classes, persons]), return_index=True)[1]
    width = int(classes.max(initial=-1)) + 1
    counts = np.bincount(classes[once], minlength=width)
    people = counts if weights is None else np.bincount(classes[once], weights=weights[once], minlength=width)
    return counts, people.astype(np.float64)


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


# --- uniques of the population ------------------------------------------------------------------------------


_CLIMBS, _LEVEL = 60, 1e-10  # Newton's steps, and how small the last one is


def population_size(sample: int, fraction: float) -> int:
    """How many people there are where a sample is this fraction of them, to the next whole number.

    >>> population_size(30, 0.1)
    300
    """
    if not 0 < fraction <= 1:
        raise InputError(
            f"fraction={fraction}: the sample is a share of the population; give one above 0 and up to 1"
        )
    return max(sample, int(sample / fraction + 0.5))


def zayatz(sizes: NDArray[np.integer], population: int) -> float:
    """The share of the population that is unique in it, estimated from the class sizes of a sample.

    Sizes of classes in the population are taken to be spread as in the sample; of a class of size s a simple random
    sample of n of N people holds one person with the hypergeometric probability P(s). With c1 classes of size 1 and c
    classes, the share of sample uniques that are unique in the population is c1 P(1) / sum of P(s) over all classes.

    Parameters
    ----------
    sizes
        The classes' sizes in the sample.
    population
        N, at least the sum of the sizes.

    References
    ----------
    .. [1] Zayatz. Estimation of the percent of unique population elements on a microdata file using the sample. US
       Bureau of the Census, 1991.

    Examples
    --------
    >>> zayatz(np.array([1, 1, 2]), 4), round(zayatz(np.array([1, 1, 2]), 40), 6)
    (0.5, 0.26)
    """
    sample = int(sizes.sum())
    size, times = np.unique(sizes, return_counts=True)
    unique_count = int(times[size == 1].sum())
    if not unique_count:
        return 0.0
    single_chance = _single_draw_chance(size, sample, population)
    return unique_count * float(unique_count * single_chance[size == 1][0] / (times @ single_chance)) / sample


def _single_draw_chance(size: I8, sample: int, population: int) -> F8:
    """For each class size in the population, the chance that the sample holds exactly one of its people."""
    index = np.arange(int(size.max()) - 1)
    remaining = population - sample - index
    room = np.maximum(remaining, 0) / (population - 1 - index)
    with np.errstate(divide="ignore"):
        no_other_chance = np.exp(np.r_[0.0, np.cumsum(np.log(room))])  # nobody of the class but one was drawn
    single_chance: F8 = size * (sample / population) * no_other_chance[size - 1]
    return single_chance


def pitman(sizes: NDArray[np.integer], population: int) -> float | None:
    """The share of the population that is unique in it, by Pitman's sampling formula fitted to a sample.

    Theta and alpha are those of the greatest likelihood; of N people then Gamma(theta + 1) / Gamma(theta + alpha)
    N^alpha are unique. None where the likelihood has no such maximum, or where it leads to more than N.

    Parameters
    ----------
    sizes
        The classes' sizes in the sample.
    population
        N, at least the sum of the sizes.

    References
    ----------
    .. [1] Hoshino. Applying Pitman's sampling formula to microdata disclosure risk assessment. J. of Official
       Statistics 17(4), 2001.

    Examples
    --------
    >>> round(pitman(np.repeat([1, 2, 3, 7, 20], [40, 10, 5, 2, 1]), 5000), 6)
    0.07636
    """
    sample = int(sizes.sum())
    if not (sizes == 1).any():
        return 0.0
    solved = _Likelihood(sizes, sample).greatest()
    if solved is None:
        return None
    theta, alpha = solved
    share = float(np.exp(lgamma(theta + 1) - lgamma(theta + alpha) + (alpha - 1) * np.log(population)))
    return share if share <= 1 else None


class _Likelihood:
    """The slope of the log-likelihood of Pitman's formula, and its bend."""

    def __init__(self, sizes: NDArray[np.integer], sample: int) -> None:
        self.sample, self.classes = sample, len(sizes)
        self.one, self.two = int((sizes == 1).sum()), int((sizes == 2).sum())
        self.class_number = np.arange(1, self.classes, dtype=np.float64)
        self.row_number = np.arange(1, sample, dtype=np.float64)
        counts = np.bincount(sizes)
        self.place = np.arange(1, len(counts) - 1, dtype=np.float64)
        self.larger = (
            counts[::-1].cumsum()[::-1][2:].astype(np.float64)
        )  # classes of more than 1, 2, ... people

    def greatest(self) -> tuple[float, float] | None:
        """Theta and alpha where the slope is 0; None where Newton's steps find none.

        Whole steps from Hoshino's moments come first; steps that are cut short so as to stay inside may begin anywhere.
        """
        if self.one == self.classes:
            return None  # everybody differs: the likelihood rises towards alpha = 1
        estimate = self._climb(*self._estimate_by_moments(), whole=True)
        for theta in (0.01, 0.1, 1.0):
            estimate = self._climb(self.classes * theta, 0.5, whole=False) if estimate is None else estimate
        return estimate

    def _estimate_by_moments(self) -> tuple[float, float]:
        """Hoshino's moments."""
        n, u, uniques = self.sample, self.classes, self.one
        c = uniques * (uniques - 1) / max(self.two, 1)
        denominator = 2 * uniques * u + uniques * c - n * c
        theta = (n * u * c - uniques * (n - 1) * (2 * u + c)) / denominator if denominator else 1.0
        return theta, (theta * (uniques - n) + (n - 1) * uniques) / (n * u)

    def _climb(self, theta: float, alpha: float, *, whole: bool) -> tuple[float, float] | None:
        for _ in range(_CLIMBS):
            if not self._allowed(theta, alpha):
                return None
            (a, b), (c, d, e) = self._derivatives(theta, alpha)
            bend = c * e - d * d
            if not np.isfinite(bend) or bend == 0:
                return None
            theta_step, alpha_step = (a * e - b * d) / bend, (b * c - a * d) / bend
            if abs(theta_step) <= _LEVEL * max(theta, 1) and abs(alpha_step) <= _LEVEL:
                return theta, alpha
            while (
                not whole
                and abs(alpha_step) > _LEVEL
                and not self._allowed(theta - theta_step, alpha - alpha_step)
            ):
                theta_step, alpha_step = theta_step / 2, alpha_step / 2
            theta, alpha = theta - theta_step, alpha - alpha_step
        return None

    def _allowed(self, theta: float, alpha: float) -> bool:
        """Whether every factor of the likelihood is positive, and the number of uniques a number."""
        return theta >= 0 and alpha < 1 and alpha != 0 and theta + alpha * max(self.classes - 1, 1) > 0

    def _derivatives(
        self, theta: float, alpha: float
    ) -> tuple[tuple[float, float], tuple[float, float, float]]:
        """The first and second derivatives: by theta and alpha; twice by theta, by both, twice by alpha."""
        classes = 1 / (theta + self.class_number * alpha)
        numbered = self.class_number * classes
        rows = 1 / (theta + self.row_number)
        inside = 1 / (self.place - alpha)
        slope = (classes.sum() - rows.sum(), numbered.sum() - (self.larger * inside).sum())
        bend = (
            (rows**2).sum() - (classes**2).sum(),
            -(classes * numbered).sum(),
            -(numbered**2).sum() - (self.larger * inside**2).sum(),
        )
        return slope, bend


def correct_match_rate(sizes: I8, fraction: float) -> float | None:
    """The chance that somebody of the population who matches one record alone is the person of that record.

    The data intrusion simulation: of the classes of size 1 and 2 in a sample of the fraction f, U f / (U f + R (1 - f))
    with U records alone and R records in pairs. None where there is nobody alone.

    References
    ----------
    .. [1] Skinner, Elliot. A measure of disclosure risk for microdata. J. of the Royal Statistical Society B 64(4),
       2002.

    Examples
    --------
    >>> correct_match_rate(np.array([1, 1, 1, 2, 5]), 0.5)
    0.6
    """
    unique_count, paired = int((sizes == 1).sum()), 2 * int((sizes == 2).sum())
    if not unique_count:
        return None
    return unique_count * fraction / (unique_count * fraction + paired * (1 - fraction))
