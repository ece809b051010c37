"""The one count of who fits: how many people look like each person to somebody who knows some things about them.

Every figure on how exposed people are comes from here, before a release (`shoal risk`, `shoal init`) and after it
(audit, report, `shoal compare`), so that no two of them can contradict each other. Judges and attackers count on their
own, from what was published, because they check what is counted here.

What is known (`PersonKnowledge`) decides how it is counted:

- *all columns*: everybody has one class of look-alikes (`count_classes`; `count_fits` where a blank fits every value);
- *a few items, or values of a tree*: everybody has many crowds of look-alikes, which overlap, one for each choice of
  what is known; the smallest of them counts (`fewest_look_alikes`), or those who fit are listed (`knowledge_fits`);
- *the whole basket or tree*: everybody has those who are equal (`equal_look_alikes`).

Sets of some of the columns are walked in `shoal.risks.column_sets`, each counted from a smaller one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.data import Baskets, Trees
from shoal.data.arrays import (
    B1,
    F8,
    I4,
    I8,
    concatenate_ranges,
    number_rows,
    persons_per_code,
    prefix_sums,
    row_of_entry,
    sort_distinct,
    sum_counts,
)
from shoal.data.trees import ancestry, preorder
from shoal.utility.classes import class_ids

__all__ = [
    "MOST_ITEMS",
    "ClassCounts",
    "KnowledgeFits",
    "LookAlikes",
    "PersonKnowledge",
    "count_choices",
    "count_classes",
    "count_equal_records",
    "count_fits",
    "describe_classes",
    "equal_look_alikes",
    "fewest_look_alikes",
    "fit_tree_values",
    "knowledge_fits",
    "min_per_person",
    "summarize_risks",
    "uniqueness_by_class",
]

MOST_SETS = 1 << 34
"""Sets of items beyond which nothing is counted rather than for hours."""

MOST_ITEMS = 3
"""Items, or values of a tree, that are known at most where not all of a record is."""


@dataclass(frozen=True, slots=True)
class PersonKnowledge:
    """What an attacker knows of a person, beside being told which records there are.

    columns   : whether all quasi-identifiers are known
    items     : how many items, or values of a tree
    relations : how many relations among the values
    whole     : whether the whole basket or tree is known
    """

    columns: bool = False
    items: int = 0
    relations: int = 0
    whole: bool = False


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """How many people fit what is known of each person.

    knowledge : what is known
    fewest    : int64[n], of each record, or of each person where persons were told apart, the fewest who fit some
                choice of what is known, itself among them; None where there are too many choices to count
    counts    : int64[n], how many people each entry stands for; None where each is one
    """

    knowledge: PersonKnowledge
    fewest: I8 | None
    counts: I8 | None = None

    @property
    def people(self) -> int:
        """How many people there are."""
        return (
            0 if self.fewest is None else len(self.fewest) if self.counts is None else int(self.counts.sum())
        )

    def count_below(self, limit: int) -> int | None:
        """How many people have fewer than `limit` look-alikes; None where that was not counted.

        >>> LookAlikes(PersonKnowledge(columns=True), np.array([1, 2, 2])).count_below(2)
        1
        """
        return None if self.fewest is None else sum_counts(self.fewest < limit, self.counts)

    def share_below(self, limit: int) -> float | None:
        """The share of people who have fewer than `limit` look-alikes; None where that was not counted."""
        count = self.count_below(limit)
        return None if count is None else count / max(self.people, 1)

    def chances(self) -> F8:
        """float64[n]: the chance of picking the right one of those who fit; empty where they were not counted."""
        return np.empty(0) if self.fewest is None else 1 / self.fewest

    def summarize(self, k: int) -> dict[str, float]:
        """What somebody with this knowledge achieves, as `summarize_risks` tells; nothing where nobody was counted."""
        return summarize_risks(self.chances(), k) if self.people else {}


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The class of each record, and who fits each class.

    of     : int64[n], the class of each record
    fits   : int64[classes], how many people fit it, its own among them
    people : float64[classes], what their sampling weights sum to; without weights `fits`
    """

    of: I8
    fits: I8
    people: F8

    def look_alikes(self, persons: NDArray[np.integer] | None = None, counts: I8 | None = None) -> LookAlikes:
        """For each record, or each of the `persons` it belongs to, the people in the smallest of their classes."""
        fits = self.fits[self.of]
        fewest = fits if persons is None else min_per_person(fits, persons)
        return LookAlikes(PersonKnowledge(columns=True), fewest, None if persons is not None else counts)


def count_classes(
    classes: I8,
    persons: NDArray[np.integer] | None = None,
    *,
    counts: I8 | None = None,
    weights: F8 | None = None,
) -> ClassCounts:
    """Count the people of each class; a person with several rows in a class is counted once.

    Parameters
    ----------
    classes
        int64[n], the class of each row, as `class_ids` numbers them.
    persons
        int[n], whom each row belongs to; None when every row is a person.
    counts
        int64[n], how many records each row stands for, each a person; None when each is one. Not with `persons`.
    weights
        float64[n], how many people of the population each person stands for; None where every one counts 1.

    Raises
    ------
    InputError
        `persons` is not as long as `classes`.

    Examples
    --------
    >>> count_classes(np.array([0, 0, 1]), np.array([7, 7, 9]), weights=np.array([4.0, 4.0, 3.0])).people.tolist()
    [4.0, 3.0]
    """
    if persons is not None and len(persons) != len(classes):
        raise InputError(f"risk: {len(persons)} persons for {len(classes)} rows; give one per row")
    width = int(classes.max(initial=-1)) + 1
    fits = persons_per_code(classes, persons, counts, width)
    if weights is None:
        return ClassCounts(classes, fits, fits.astype(np.float64))
    first_rows: NDArray[np.integer] = np.arange(len(classes))
    if persons is not None:
        first_rows = np.unique(class_ids([classes, persons]), return_index=True)[1]
    people = np.bincount(classes[first_rows], weights=weights[first_rows], minlength=width)
    return ClassCounts(classes, fits, people.astype(np.float64))


def count_equal_records(columns: Sequence[NDArray[np.integer]], others: Sequence[NDArray[np.integer]]) -> I8:
    """int64[n]: how many records of another table, in the same codes, are equal to each record in all columns.

    >>> count_equal_records([np.array([1, 2])], [np.array([1, 1, 3])]).tolist()
    [2, 0]
    """
    ids = class_ids([np.r_[own, other] for own, other in zip(columns, others, strict=True)])
    record_ids, other_ids = np.split(ids, [len(columns[0])])
    return np.bincount(other_ids, minlength=int(ids.max(initial=-1)) + 1)[record_ids]


_THRESHOLDS = (2, 5, 10, 20)


def describe_classes(
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
    >>> after = describe_classes(np.array([0, 0, 0, 1, 1, 2]), below=[2, 3])
    >>> after["unique"], after["below"], after["average"]
    (1, {'2': 0.16666666666666666, '3': 0.5}, 0.5)
    """
    groups = count_classes(class_ids([classes]), persons, counts=counts)
    alike = groups.look_alikes(persons, counts)
    people, chances = alike.people, alike.chances()
    average = (
        len(groups.fits) / max(people, 1) if counts is not None else float(chances.mean()) if people else 0.0
    )
    return {
        "records": people,
        "classes": len(groups.fits),
        "unique": alike.count_below(2),
        "below": {str(limit): alike.share_below(limit) for limit in below},
        "highest": float(chances.max()) if people else 0.0,
        "average": average,
        "smallest": int(groups.fits.min()) if people else 0,
        "median": float(np.median(groups.fits)) if people else 0.0,
    }


def summarize_risks(chance: F8, k: int) -> dict[str, float]:
    """What somebody achieves who finds each person with a chance: the highest, the average, the share above 1/k."""
    return {
        "highest": float(chance.max(initial=0)),
        "average": float(chance.mean()) if len(chance) else 0.0,
        "above": int((chance > 1 / k).sum()) / max(len(chance), 1),
    }


def min_per_person(numbers: I8, persons: NDArray[np.integer]) -> I8:
    """For each person, the smallest number of their rows.

    >>> min_per_person(np.array([4, 2, 3]), np.array([7, 7, 9])).tolist()
    [2, 3]
    """
    person_ids = class_ids([persons])
    smallest = np.full(int(person_ids.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(smallest, person_ids, numbers)
    return smallest


def count_fits(
    columns: Sequence[NDArray[np.integer]], blanks: Sequence[B1], weights: F8 | None = None
) -> ClassCounts:
    """Count who fits each class of equal records where a blank fits every value, as mu-Argus does.

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

    Examples
    --------
    >>> age, none = np.array([1, 1, 2, 0]), np.array([False, False, False, True])
    >>> found = count_fits([age], [none], np.array([10.0, 5.0, 2.0, 1.0]))
    >>> found.fits[found.of].tolist(), found.people[found.of].tolist()
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
    return ClassCounts(class_of_record, np.rint(fits).astype(np.int64), people)


# --- a few items of a basket, or values of a tree


def fewest_look_alikes(
    data: Baskets | Trees, classes: NDArray[np.integer] | None = None, *, most: int = MOST_ITEMS
) -> Iterator[LookAlikes]:
    """For 1, 2 .. `most` items, or values of a tree: how few records share some choice of those of each record.

    A choice has at most so many, so that a small record counts as well. Of trees each size comes without a relation
    among the values and, from 2 values on, with one; the values of the sensitive class are not known to anybody.
    `classes` numbers the baskets by what else is known, all quasi-identifiers; then only records of one class are
    alike.

    >>> baskets = Baskets.of("items", [["a", "b"], ["a", "c"], ["b", "a", "c"], []])
    >>> [alike.fewest.tolist() for alike in fewest_look_alikes(baskets)]
    [[2, 2, 2, 4], [2, 2, 1, 4], [2, 2, 1, 4]]
    """
    return _fewest_by_values(data, most) if isinstance(data, Trees) else _fewest_by_items(data, classes, most)


def equal_look_alikes(data: Baskets | Trees, classes: NDArray[np.integer] | None = None) -> LookAlikes:
    """How many records have the same basket and are in the same class, or the same tree but for sensitive values.

    >>> equal_look_alikes(Baskets.of("items", [["a"], ["b", "a"], ["a"]])).fewest.tolist()
    [2, 1, 2]
    """
    if isinstance(data, Trees):
        return LookAlikes(PersonKnowledge(whole=True), _count_equal_trees(data))
    return LookAlikes(PersonKnowledge(classes is not None, whole=True), _count_equal_baskets(data, classes))


def count_choices(sizes: I8, m: int) -> int:
    """How many choices of m there are of lists of these sizes, in all.

    >>> count_choices(np.array([3, 4, 1]), 2)
    9
    """
    return sum(int(lists) * comb(size, m) for size, lists in enumerate(np.bincount(sizes, minlength=1)))


def _fewest_by_items(
    baskets: Baskets, classes: NDArray[np.integer] | None, most: int
) -> Iterator[LookAlikes]:
    """For 1, 2 and 3 items: how few records share some choice of a record's items."""
    n = baskets.n
    ends, rows = _group_rows(np.zeros(n, dtype=np.int64) if classes is None else class_ids([classes]))
    least: I8 | None = np.full(n, n, dtype=np.int64)
    rare = _sort_rare_first(baskets.start, baskets.items, len(baskets.values))
    for size in range(1, most + 1):
        if least is not None:
            least = _lower_crowds(ends, rows, baskets.start, rare, len(baskets.values), size, least)
        yield LookAlikes(PersonKnowledge(classes is not None, size), least)


def _fewest_by_values(trees: Trees, most: int) -> Iterator[LookAlikes]:
    """For 1, 2 and 3 values, without a relation among them and with one: how few records share some choice.

    The values of the sensitive class are not known to anybody. A relation is a pair of values of which one stands
    above the other; it may stand anywhere in a record.
    """
    n, width = trees.n, max(len(trees.values), 1)
    start, items = _list_known_values(trees)
    rare = _sort_rare_first(start, items, width)
    ends, rows = _find_relations(trees)
    least: I8 | None = np.full(n, n, dtype=np.int64)
    one_group = np.array([0, n]), np.arange(n)
    for size in range(1, most + 1):
        if least is not None:
            least = _lower_crowds(*one_group, start, rare, width, size, least)
        yield LookAlikes(PersonKnowledge(items=size), least)
        if size > 1:
            least_with_one = (
                None if least is None else _lower_crowds(ends, rows, start, rare, width, size - 2, least)
            )
            yield LookAlikes(PersonKnowledge(items=size, relations=1), least_with_one)


def _list_known_values(trees: Trees) -> tuple[I8, I4]:
    """The values of each record that may be known, each once, ascending: where they start, and the values."""
    width = max(len(trees.values), 1)
    keys = row_of_entry(trees.start) * width + trees.items
    return _build_lists(keys, _find_knowable_values(trees)[trees.items], trees.n, width)


def _find_knowable_values(trees: Trees) -> NDArray[np.bool_]:
    """The values that are not of the sensitive class."""
    mask = np.ones(max(len(trees.values), 1), dtype=bool)
    if trees.sensitive is not None:
        mask[: len(trees.kinds)] = trees.kinds != trees.classes.index(trees.sensitive)
    return mask


def uniqueness_by_class(trees: Trees, k: int) -> Iterator[tuple[int, int, int]]:
    """For each class: how many values it has, and how many records one of them leaves alone, and with fewer than k.

    >>> list(uniqueness_by_class(Trees.of([[("ward", "A", ("ill", "flu"))], [("ward", "A"), ("ward", "B")]]), 3))
    [(2, 1, 2), (1, 1, 1)]
    """
    width, kinds = max(len(trees.values), 1), len(trees.classes)
    keys = sort_distinct(row_of_entry(trees.start) * width + trees.items)
    record, item = keys // width, keys % width
    often = np.bincount(item, minlength=width)
    counts = [np.bincount(trees.kinds, minlength=kinds)]
    for most in (1, k - 1):
        rare = often[item] <= most
        pairs = sort_distinct(record[rare] * kinds + trees.kinds[item[rare]])
        counts.append(np.bincount(pairs % max(kinds, 1), minlength=kinds))
    yield from zip(*(count.tolist() for count in counts), strict=True)


def _group_rows(ids: I8) -> tuple[I8, I8]:
    """The rows of each number: where they begin, and the rows."""
    order = np.argsort(ids, kind="stable")
    return prefix_sums(np.bincount(ids, minlength=1)), order


def _build_lists(keys: I8, shown: NDArray[np.bool_], n: int, width: int) -> tuple[I8, I4]:
    """Keys row * width + item as ragged lists without repeats."""
    distinct = sort_distinct(keys[shown])
    return np.searchsorted(distinct, np.arange(n + 1) * width), (distinct % width).astype(np.int32)


def _sort_rare_first(start: I8, items: I4, width: int) -> I4:
    """The items renumbered, rare ones first, and sorted in each row: rare items settle most rows early."""
    often = np.bincount(items, minlength=max(width, 1))
    rank = np.empty(len(often), dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(len(often))
    keys = np.sort(row_of_entry(start) * len(often) + rank[items])
    return (keys % len(often)).astype(np.int32)


def _find_relations(trees: Trees) -> tuple[I8, I8]:
    """For each pair of values of which one stands above the other, and both may be known, the records that show it."""
    width, record, knowable = (
        max(len(trees.values), 1),
        row_of_entry(trees.start),
        _find_knowable_values(trees),
    )
    pairs, records = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for low, high in ancestry(trees.start, trees.parents):
        mask = knowable[trees.items[high]] & knowable[trees.items[low]]
        pairs.append((trees.items[high].astype(np.int64) * width + trees.items[low])[mask])
        records.append(record[low][mask])
    keys = sort_distinct(class_ids([np.concatenate(pairs)]) * trees.n + np.concatenate(records))
    edges = np.flatnonzero(np.diff(keys // max(trees.n, 1))) + 1
    return np.r_[0, edges, len(keys)].astype(np.int64), keys % max(trees.n, 1)


def _lower_crowds(ends: I8, rows: I8, start: I8, items: I4, width: int, more: int, least: I8) -> I8 | None:
    """What `more` items beside the group leave of each record's crowd; None where there are too many choices."""
    if not (least > 1).any():
        return least
    if count_choices(np.diff(start)[rows], more) > MOST_SETS:
        return None
    from shoal.utility._kernels import lower_least  # kernels are heavy, and columns need none

    lower, start = least.copy(), np.require(start, requirements="W")  # else the kernel is compiled twice
    lower_least(ends, rows, start, items, max(width, 1), more, lower)
    return lower


# --- whole baskets and trees


def _count_equal_baskets(baskets: Baskets, classes: NDArray[np.integer] | None) -> I8:
    """For each record, how many have the same basket, and are in the same class; int64[n]."""
    basket_ids = number_rows(baskets.start, baskets.items)
    ids = basket_ids if classes is None else class_ids([basket_ids, classes])
    return np.bincount(ids, minlength=1)[ids]


def _count_equal_trees(trees: Trees) -> I8:
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


# --- who fits each choice, one by one


@dataclass(frozen=True, slots=True)
class KnowledgeFits:
    """Who fits which knowledge: int64[entries], record[e] fits the knowledge of[e]; each pair stands once."""

    of: I8
    record: I8


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


def fit_tree_values(trees: Trees, values: int, *, related: bool, most: int) -> KnowledgeFits | None:
    """Who fits each choice of up to so many values (1 or 2), and where `related` each relation between two of them.

    None where there are more than `most` pairs of a choice and a record.
    """
    fits = knowledge_fits(*_list_known_values(trees), values, most=most)
    if fits is None or not related:
        return fits
    ends, rows = _find_relations(trees)
    relation = row_of_entry(ends) + fits.of.max(initial=-1) + 1
    return KnowledgeFits(np.r_[fits.of, relation], np.r_[fits.record, rows])
