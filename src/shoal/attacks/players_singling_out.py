"""Whoever singles people out: describes somebody by the labels alone, so that exactly one original person fits.

A predicate is the box of a class, narrowed in one column: "in this class's box, and born in this part of its label".
Cohen and Nissim call it singling out; no claim about k covers it. How sure the attacker is follows from the number of
rows of the class, the shares of the values, and what narrow labels tell.

Whoever knows that labels are as narrow as possible concludes from a label that several parts of it are inhabited. A
class of s rows is written as the lowest node over its values: then at least two children of the node are inhabited. As
a set: then every value of it is. As a range: then both of its ends are.

Items and values of trees are written as nodes of a cut, which is no higher than it must be: then at least two children
of a node are inhabited somewhere among the rows that show it.

References
----------
.. [1] Cohen, Nissim. Towards formalizing the GDPR's notion of singling out. PNAS 117(15), 2020.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations
from math import comb, inf, log2
from typing import NamedTuple

import numpy as np

from shoal.attacks.background import Entry, leaves_under
from shoal.attacks.engine import Chances
from shoal.attacks.result import Control, Rate
from shoal.attacks.view_table import ALL, ENDS, TWO, LabelParts, TableView
from shoal.base.discreet import SafeRepr
from shoal.data.arrays import B1, F8, I4, I8
from shoal.hierarchy import Hierarchy

__all__ = [
    "Predicates",
    "_baseline_chance",
    "_count_cut_worlds",
    "_count_worlds",
    "_find_best_predicates",
    "_single_out_chances",
    "_value_shares",
    "label_parts",
    "list_children",
    "play_lowest_cut",
    "play_lowest_labels",
    "play_singling_out",
]

BEST = 100
"""How many predicates are counted: those of which the attacker is most sure."""

_ROUNDS = 60  # of estimating shares from labels
_KEPT = 3  # ways to narrow one label that are looked at again beside all other classes
_PAIRS = 60_000_000  # predicates times classes that are compared: a few seconds
_BLOCK = 1 << 21
_LISTED = 8  # parts of which every choice is looked at
_TRIED = 64  # parts of a label that are looked at one by one
_POOLED = 3.0  # people for whom the shares of everybody count beside the people of one box
_AGAIN = 6  # times the best classes are looked at again, each with its own people


@dataclass(frozen=True, slots=True, repr=False)
class Predicates(SafeRepr):
    """What somebody says of one person each.

    holds      : for each column bool[predicates, leaves + 1]: the values that fit; the last is a value of no leaf
    confidence : float64[predicates], how sure the attacker is that exactly one person fits, highest first
    """

    holds: tuple[B1, ...]
    confidence: F8

    def fitting(self, values: I4) -> Iterator[I8]:
        """For each predicate the records that fit; `values` is int32[records, d], -1 where no leaf has the value."""
        for p in range(len(self.confidence)):
            fits = np.arange(len(values))
            for j, holds in enumerate(self.holds):
                fits = fits[holds[p][values[fits, j]]]
            yield fits

    def people(self, values: I4, person: I8 | None = None) -> I8:
        """int64[predicates]: how many people of these records each fits."""
        record_lists = (fits if person is None else np.unique(person[fits]) for fits in self.fitting(values))
        return np.array([len(fits) for fits in record_lists], dtype=np.int64)


def _single_fit_chance(fits: int, people: int, many: int) -> float:
    """The chance that `many` of some people, of whom so many fit, hold exactly one who fits.

    >>> [round(_single_fit_chance(fits, 10, asked), 4) for fits, asked in ((1, 5), (2, 5), (2, 10), (1, 10))]
    [0.5, 0.5556, 0.0, 1.0]
    """
    remaining = people - many
    if not fits or remaining < fits - 1:
        return 0.0
    index = np.arange(fits - 1)
    return fits * many / people * float(np.prod((remaining - index) / (people - 1 - index)))


def _baseline_chance(people: int) -> float:
    """The most that somebody reaches who never saw the release: a predicate of which one person is expected.

    >>> round(_baseline_chance(1000), 3)
    0.368
    """
    return (1 - 1 / people) ** (people - 1) if people > 1 else 1.0


# How likely exactly one of the rows of a class fits.


def _label_worlds(says: int | None, parts: int, free: int) -> tuple[I8, B1]:
    """What a label says, as sums over worlds in which all rows lie in some of its parts.

    Returns signs, and for each the parts that may be inhabited: the sum of sign * share ** rows is the chance of what
    the label says. `free` of the parts, the last ones, are no reason for a label of its own.
    """
    own_count = parts - free
    everywhere = np.ones(parts, dtype=bool)
    required = {ENDS: (0, own_count - 1), ALL: tuple(range(own_count))}.get(-1 if says is None else says, ())
    if own_count < 2 or len(required) > _LISTED:
        required = ()
    signs, masks = [], []
    for subset in chain.from_iterable(combinations(required, size) for size in range(len(required) + 1)):
        mask = everywhere.copy()
        mask[list(subset)] = False
        signs.append((-1) ** len(subset))
        masks.append(mask)
    return np.array(signs), np.array(masks)


def _single_out_chances(inside: F8, share: F8, rows: int, says: int | None, free: int = 0) -> F8:
    """How likely exactly one of the rows of a class lies in a set of values, given what its label suggests.

    Parameters
    ----------
    inside
        float64[sets, parts], the share of people of the label who are in each part and in the set.
    share
        float64[parts], the share of those in each part.
    rows
        How many rows the class has.
    says
        TWO, ALL or ENDS; None where a label says nothing but itself.
    free
        How many of the parts, the last ones, widen a label whoever else is there: missing cells.

    >>> share = np.array([0.9, 0.1])
    >>> _single_out_chances(np.array([[0.0, 0.1]]), share, 2, TWO).tolist()
    [1.0]
    >>> _single_out_chances(np.array([[0.0, 0.5]]), share, 2, None).tolist()
    [0.5]
    """
    own_count = len(share) - free
    if says == TWO and own_count > 1:  # everywhere, but not in one part alone
        signs = np.r_[1, np.full(own_count, -1)]
        totals, inside_totals = (
            np.r_[share.sum(), share[:own_count]],
            np.c_[inside.sum(axis=1), inside[:, :own_count]],
        )
    else:
        signs, masks = _label_worlds(says, len(share), free)
        totals, inside_totals = masks @ share, inside @ masks.T
    label_chance = float(signs @ totals**rows)
    if label_chance < 1e-12:
        return np.zeros(len(inside))
    # One of the rows in the set, all others of the label outside it; summed over the worlds of the label.
    one_inside = rows * (inside_totals * np.maximum(totals - inside_totals, 0.0) ** (rows - 1))
    return np.asarray(np.clip(one_inside @ signs / label_chance, 0.0, 1.0))


def _value_shares(view: TableView, known: I4 | None = None) -> tuple[F8, ...]:
    """For each column float64[leaves], the share of people who have each value, as the attacker takes it.

    By public people who are `known`, else by the labels of the release (expectation and maximization).
    """
    if known is not None:
        leaves = [cover.shape[1] for cover in view.covers]
        counts = [
            np.bincount(cells[cells >= 0], minlength=leaf_count) + 1 / leaf_count
            for cells, leaf_count in zip(known.T, leaves, strict=True)
        ]
        return tuple(np.asarray(shares / shares.sum()) for shares in counts)
    return tuple(_estimate_shares(view.forms[:, j], cover) for j, cover in enumerate(view.covers))


def _estimate_shares(forms: I4, cover: B1) -> F8:
    wide, leaves = cover.astype(np.float64), cover.shape[1]
    rows, share = np.bincount(forms, minlength=len(cover)), np.full(leaves, 1 / leaves)
    for _ in range(_ROUNDS):
        share = share * ((rows / np.maximum(wide @ share, 1e-300)) @ wide) + 1 / leaves
        share /= share.sum()
    return share


@dataclass(frozen=True, slots=True)
class _Label:
    """One label of a column.

    leaves : int64[n], what it stands for
    place  : int64[n], the part in which each of them lies
    says   : what is known of its parts; None is nothing
    free   : 1 where the last part is a missing cell
    """

    leaves: I8
    place: I8
    says: int | None
    free: int

    @classmethod
    def of(cls, view: TableView, j: int, form: int) -> "_Label":
        leaves = np.flatnonzero(view.covers[j][form])
        if not view.parts:
            return cls(leaves, np.zeros(len(leaves), dtype=np.int64), None, 0)
        part = view.parts[j].part[form, leaves]
        part_of_leaf = np.where(part < 0, part.max() + 1, part).astype(np.int64)
        return cls(leaves, part_of_leaf, int(view.parts[j].says[form]), int((part < 0).any()))

    def ways(self, share: F8, rows: int) -> tuple[B1, F8]:
        """The best sets of leaves for one row to be alone in, and how likely exactly one is, by the leaves' shares.

        Tried are the parts, all but one part, and sets in which one row is expected. Of very many parts only those are
        tried in which about one row is expected, and those at the ends.
        """
        share = share / share.sum()
        part_shares = np.bincount(self.place, share).astype(np.float64)
        part_count = len(part_shares)
        distance = np.abs(np.log(np.maximum(part_shares * rows, 1e-300)))  # from one expected row
        closest = np.argsort(distance, kind="stable")[:_TRIED]
        last_own = max(part_count - 1 - self.free, 0)
        tried = np.unique(np.r_[closest, 0, last_own, part_count - 1])
        parts = self.place == tried[:, None]  # bool[tried, leaves]
        surroundings = [np.ones(len(share), dtype=bool), *(parts if len(parts) > 1 else ())]
        proposals = [
            *parts,
            *~parts,
            *(_fill_target(share, mask, target / rows) for mask in surroundings for target in (1.0, 0.5)),
        ]
        mask_of_key = {mask.tobytes(): mask for mask in proposals}  # each once, in an order of their own
        sets = np.array([mask_of_key[key] for key in sorted(mask_of_key)])
        sets = sets[sets.any(axis=1) & ~sets.all(axis=1)]
        inside = np.array(
            [np.bincount(self.place[mask], share[mask], part_count) for mask in sets], dtype=np.float64
        )
        chances = _single_out_chances(inside.reshape(-1, part_count), part_shares, rows, self.says, self.free)
        best = np.argsort(-chances, kind="stable")[:_KEPT]
        return sets[best], chances[best]


def _fill_target(share: F8, among: B1, target: float) -> B1:
    """Some of the leaves that have about the `target` together, large ones first; at least the smallest of them."""
    mask, budget = np.zeros(len(share), dtype=bool), 1.2 * target
    order = np.flatnonzero(among)[np.argsort(-share[among], kind="stable")]
    for leaf in order.tolist():
        if share[leaf] <= budget:
            mask[leaf], budget = True, budget - share[leaf]
    mask[order[-1]] |= not mask.any()
    return mask


@dataclass(frozen=True, slots=True)
class _PredicateWords:
    """Predicates that may be said.

    of     : int64[ways], the class
    column : int64[ways], the column in which its box is narrowed
    leaves : for each way bool[leaves] of that column
    chance : float64[ways], how likely exactly one row of the class fits
    """

    of: I8
    column: I8
    leaves: list[B1]
    chance: F8

    @classmethod
    def of_all(cls, found: Collection[tuple[int, int, B1, float]]) -> "_PredicateWords":
        """Class, column, leaves and chance of each; the likeliest come first."""
        classes, column, leaves, chance = (
            zip(*sorted(found, key=lambda way: -way[3]), strict=True) if found else [()] * 4
        )
        return cls(
            np.array(classes, dtype=np.int64),
            np.array(column, dtype=np.int64),
            list(leaves),
            np.array(chance),
        )

    @classmethod
    def by_shares(cls, view: TableView, shares: Sequence[F8]) -> "_PredicateWords":
        """The best ways to narrow every class in every column, where all boxes are alike."""
        entries = []
        for j, share in enumerate(shares):
            pairs, pair_of_class = np.unique(
                np.stack([view.labels[:, j], view.size], axis=1), axis=0, return_inverse=True
            )
            ways = [list(_narrow_label(view, j, form, rows, share)) for form, rows in pairs.tolist()]
            entries += [
                (c, j, *way)
                for c, pair in enumerate(pair_of_class.reshape(-1).tolist())
                for way in ways[pair]
            ]
        return cls.of_all(entries)

    @classmethod
    def by_people(cls, view: TableView, shares: Sequence[F8], known: I4, classes: I8) -> "_PredicateWords":
        """The same for some classes, each by the public people in its own box.

        Of these, rows of other classes in that box are taken off: who is left is in this class.
        """
        entries = []
        for j, box_shares in enumerate(_estimate_left_in_boxes(view, shares, known, classes)):
            for c, share in zip(classes.tolist(), box_shares, strict=True):
                entries += [
                    (c, j, *way)
                    for way in _narrow_label(view, j, view.labels[c, j], int(view.size[c]), share)
                ]
        return cls.of_all(entries)

    def boxes(self, view: TableView, some: slice) -> list[B1]:
        """For each column bool[ways, leaves], the values that fit."""
        masks = [cover[view.labels[self.of[some], j]] for j, cover in enumerate(view.covers)]
        for index, (j, leaves) in enumerate(zip(self.column[some].tolist(), self.leaves[some], strict=True)):
            masks[j][index] = leaves
        return masks


def _narrow_label(view: TableView, j: int, form: int, rows: int, share: F8) -> Iterator[tuple[B1, float]]:
    label = _Label.of(view, j, form)
    if len(label.leaves) < 2 or rows < 2:
        return
    for mask, chance in zip(*label.ways(share[label.leaves], rows), strict=True):
        leaves = np.zeros(len(share), dtype=bool)
        leaves[label.leaves[mask]] = True
        yield leaves, float(chance)


def _estimate_left_in_boxes(view: TableView, shares: Sequence[F8], known: I4, classes: I8) -> Iterator[F8]:
    """For each column float64[classes, leaves]: how many people of each value are expected to be left in each box."""
    boxes = [cover[view.labels[classes, j]] for j, cover in enumerate(view.covers)]
    fits_box = np.logical_and.reduce(
        [np.pad(box, ((0, 0), (0, 1)))[:, known[:, j]] for j, box in enumerate(boxes)]
    )
    box_index, person = np.nonzero(fits_box)
    # float64[labels, leaves]: how likely somebody of a label has each of its values.
    leaf_shares = [cover * share for cover, share in zip(view.covers, shares, strict=True)]
    leaf_shares = [wide / np.maximum(wide.sum(axis=1, keepdims=True), 1e-300) for wide in leaf_shares]
    inside_chances = [  # [classes, all classes]: that a row of a class lies in a box, in each column
        (box @ wide.T)[:, view.labels[:, j]]
        for j, (box, wide) in enumerate(zip(boxes, leaf_shares, strict=True))
    ]
    other_rows = np.tile(view.size.astype(np.float64), (len(classes), 1))
    other_rows[np.arange(len(classes)), classes] = 0.0
    # Rows of other classes that are expected in a box by all columns but one: by those behind it and those before it.
    by_later_columns = list(accumulate(inside_chances[:0:-1], np.multiply, initial=other_rows))
    by_earlier_columns = np.ones_like(other_rows)
    for j, (box, share, wide) in enumerate(zip(boxes, shares, leaf_shares, strict=True)):
        leaf_count = box.shape[1]
        known_counts = np.bincount(box_index * leaf_count + known[person, j], minlength=box.size)
        expected = known_counts.reshape(box.shape) * (view.people / len(known))
        rows_of_class = by_earlier_columns * by_later_columns[-1 - j]
        rows_of_label = np.zeros((len(classes), len(wide)))
        np.add.at(rows_of_label.T, view.labels[:, j], rows_of_class.T)
        remaining = np.maximum(expected - rows_of_label @ wide, 0.0)
        pooled = box * share
        yield remaining + _POOLED * pooled / pooled.sum(axis=1, keepdims=True)
        by_earlier_columns = by_earlier_columns * inside_chances[j]


def _nobody_else_chances(view: TableView, shares: Sequence[F8], of: I8, boxes: Sequence[B1]) -> F8:
    """How likely nobody of other classes, and nobody who was left out, is in each box; class `of` is not counted."""
    inside = np.ones((len(of), len(view.labels)))
    anywhere = np.ones(len(of))
    for j, (share, cover, box) in enumerate(zip(shares, view.covers, boxes, strict=True)):
        wide = cover * share
        inside *= ((box @ wide.T) / np.maximum(wide.sum(axis=1), 1e-300))[:, view.labels[:, j]]
        anywhere *= box @ share
    inside[np.arange(len(of)), of] = 0.0
    box_index, other_class = np.nonzero(inside)
    log = _log_outside(inside[box_index, other_class]) * view.size[other_class]
    suppressed_log = _log_outside(anywhere) * (view.own < 0).sum()
    return np.asarray(np.exp(np.bincount(box_index, weights=log, minlength=len(of)) + suppressed_log))


def _log_outside(inside: F8) -> F8:
    return np.asarray(np.log1p(-np.minimum(inside, 1 - 1e-12)))


def _find_best_predicates(view: TableView, known: I4 | None = None, best: int = BEST) -> Predicates:
    """The predicates of which the attacker is most sure, at most one for each class; `known` are public people."""
    shares = _value_shares(view, known)
    ways = _PredicateWords.by_shares(view, shares)
    if known is not None:
        _, first_ways = np.unique(ways.of, return_index=True)
        ways = _PredicateWords.by_people(view, shares, known, ways.of[np.sort(first_ways)[: _AGAIN * best]])
    confidence = _estimate_confidence(view, shares, ways, best)
    order = np.argsort(-confidence, kind="stable")
    order = order[confidence[order] > 0]
    _, first_ways = np.unique(ways.of[order], return_index=True)
    picks = order[np.sort(first_ways)[:best]]
    best_ways = _PredicateWords(
        ways.of[picks], ways.column[picks], [ways.leaves[p] for p in picks.tolist()], confidence[picks]
    )
    holds = [np.pad(box, ((0, 0), (0, 1))) for box in best_ways.boxes(view, slice(None))]
    return Predicates(tuple(holds), confidence[picks])


def _estimate_confidence(view: TableView, shares: Sequence[F8], ways: _PredicateWords, best: int) -> F8:
    """How likely each way fits exactly one person; 0 for those that cannot be among the best, one for each class."""
    classes, confidence, top = len(view.labels), np.zeros(len(ways.chance)), np.zeros(len(view.labels))
    step = max(_BLOCK // max(classes, 1), 1)
    for a in range(0, min(len(confidence), max(_PAIRS // max(classes, 1), best)), step):
        if classes > best and np.partition(top, classes - best)[classes - best] >= ways.chance[a]:
            break
        block = slice(a, a + step)
        confidence[block] = ways.chance[block] * _nobody_else_chances(
            view, shares, ways.of[block], ways.boxes(view, block)
        )
        np.maximum.at(top, ways.of[block], confidence[block])
    return confidence


def play_singling_out(view: TableView) -> Chances | None:
    """Count how many of the best predicates fit exactly one person of the originals.

    Where there are public people, as many of them as there are originals, at most half, are kept apart: how many
    predicates fit exactly one of these tells what is known without the data. The attacker learns shares from the rest,
    or from labels alone: the way that hits more counts. Of a control group it is how many fit exactly one of as many
    people as there are originals, drawn from it; of all of them where they are fewer.
    """
    known_people, other_people = (
        (view.public, view.others)
        if view.others is not None
        else _split_public_people(view.public, view.people)
    )
    person = None if view.persons is None else view.person
    tried = [
        _find_best_predicates(view, people)
        for people in ([None] if known_people is None else [known_people, None])
    ]
    fits = [predicates.people(view.values, person) == 1 for predicates in tried]
    predicates, hits = max(zip(tried, fits, strict=True), key=lambda way: int(way[1].sum()))
    if not len(hits):
        return None
    figures = {"predicates": len(hits), "hits": int(hits.sum()), "by chance": _baseline_chance(view.people)}
    if other_people is None:
        return Chances(hits.astype(np.float64), len(hits), figures=figures)
    sample_size = min(view.people, len(other_people))  # people who repeat would hardly ever be alone
    fresh = Rate(
        float(
            sum(
                _single_fit_chance(fit_count, len(other_people), sample_size)
                for fit_count in predicates.people(other_people).tolist()
            )
        ),
        len(hits),
    )
    figures |= {"others": sample_size, "on others": fresh.hits}
    control = Control(Rate(float(hits.sum()), len(hits)), fresh)
    return Chances(hits.astype(np.float64), len(hits), figures=figures, control=control)


def _split_public_people(people: I4 | None, many: int) -> tuple[I4 | None, I4 | None]:
    """Public people whom the attacker knows, and others, at most so many."""
    if people is None or len(people) < 2:
        return None, None
    order = np.random.default_rng(0).permutation(len(people))
    most = min(many, len(people) // 2)
    return people[order[most:]], people[order[:most]]


# --- narrow labels ------------------------------------------------------------------------------------------


_FEW = 5  # possible worlds that one can list


def _count_worlds(says: int, sizes: I8, s: int) -> int:
    """In how many ways s rows can take the leaves of a label, rows not told apart.

    >>> _count_worlds(TWO, np.array([1, 1]), 2), _count_worlds(TWO, np.array([2, 1]), 2)
    (1, 2)
    >>> _count_worlds(ALL, np.array([1, 1, 1]), 4)
    3
    >>> _count_worlds(ENDS, np.array([1, 3, 1]), 3)
    5
    """
    leaves = int(sizes.sum())
    if says == TWO:
        return comb(s + leaves - 1, s) - sum(comb(s + size - 1, s) for size in sizes.tolist())
    if says == ALL:
        return comb(s - 1, len(sizes) - 1)
    return comb(s + leaves - 3, s - 2)


def _label_bits(says: int, shares: F8, s: int) -> float:
    """What the label says, in bits: minus the logarithm of its chance where s rows follow the shares of its parts."""
    if says == TWO:
        chance = 1.0 - float((shares**s).sum())
    elif says == ENDS:
        low, high = float(shares[0]), float(shares[-1])
        chance = 1.0 - (1 - low) ** s - (1 - high) ** s + max(1 - low - high, 0.0) ** s
    else:
        ways = np.zeros(s + 1)  # the chance, up to s!, that so many rows inhabit all parts so far
        ways[0] = 1.0
        for share in shares.tolist():
            steps = np.cumprod(np.r_[1.0, np.full(s, share) / np.arange(1, s + 1)])
            steps[0] = 0.0
            ways = np.convolve(ways, steps)[: s + 1]
        chance = float(ways[s]) * float(np.prod(np.arange(1.0, s + 1)))
    return -log2(chance) if chance > 0 else inf


def play_lowest_labels(view: TableView, records: I8, parts: tuple[LabelParts, ...]) -> Chances:
    """Look at every class and column whose label has several parts.

    Parameters
    ----------
    view
        The release beside its originals.
    records
        The records of the people who are played.
    parts
        The labels of each column.

    Returns
    -------
    Chances
        1 for whoever is alone outside the part of a label that holds all others of the class: that there is one such
        person describes nobody else. Of the figures, `labels` is how many pairs of a class and a column have a label of
        several parts, `one world` and `few worlds` how many of them leave one way, and two to five, to fill them;
        `bits` is what a cell says beyond its label, on average over the cells of these labels, where rows follow the
        shares of all records.
    """
    rows = np.flatnonzero(view.of_record >= 0)
    is_alone = np.zeros(len(view.own), dtype=bool)
    tally = _WorldTally()
    for j, column in enumerate(parts):
        label_rows = _LabelRows.of(view, j, column, rows)
        is_alone[rows[label_rows.is_alone()]] = True
        value_counts = np.bincount(view.values[:, j], minlength=column.part.shape[1]).astype(np.float64)
        measured: dict[tuple[int, int], tuple[int, float]] = {}  # by label and number of rows
        row_counts = label_rows.counts.sum(axis=1)
        for label, row_count in zip(view.labels[:, j].tolist(), row_counts.tolist(), strict=True):
            if not row_count:
                continue
            if (label, row_count) not in measured:
                measured[label, row_count] = _measure_label(column, label, value_counts, row_count)
            worlds, bits = measured[label, row_count]
            tally.add(worlds, bits, row_count)
    people = np.unique(view.person[records])
    alone_people = np.zeros(view.people)
    np.maximum.at(alone_people, view.person, is_alone.astype(np.float64))
    return Chances(alone_people[people], view.people, figures=tally.figures())


@dataclass(slots=True)
class _WorldTally:
    """How much is said by labels of several parts, each of a class or of all rows that show it.

    cells : the rows that have these labels
    bits  : what the rows say beyond their labels, in all
    """

    labels: int = 0
    single_worlds: int = 0
    few_worlds: int = 0
    cells: int = 0
    bits: float = 0.0

    def add(self, worlds: float, bits: float, rows: int) -> None:
        """Count a label: in how many ways its rows can fill it, and what it says."""
        self.labels += 1
        self.single_worlds += worlds == 1
        self.few_worlds += 1 < worlds <= _FEW
        self.cells += rows
        self.bits += bits

    def figures(self) -> dict[str, float]:
        """The figures of an attacker, by their names."""
        return {
            "labels": self.labels,
            "one world": self.single_worlds,
            "few worlds": self.few_worlds,
            "bits": self.bits / max(self.cells, 1),
        }


@dataclass(frozen=True, slots=True)
class _LabelRows:
    """The released rows in one column, by their class and the part of its label in which they lie.

    class_of_row : int64[rows]
    part         : int64[rows]
    counts_row   : bool[rows], whether the label has several parts and is not widened by a missing cell
    counts       : int64[classes, parts], how many such rows lie in each part
    """

    class_of_row: I8
    part: I8
    counts_row: B1
    counts: I8

    @classmethod
    def of(cls, view: TableView, j: int, column: LabelParts, rows: I8) -> "_LabelRows":
        """Place `rows` in the labels of their classes in column j."""
        class_of_row, label_of_class = view.of_record[rows], view.labels[:, j]
        part = column.part[label_of_class[class_of_row], view.values[rows, j]]
        has_several = (column.part >= 0).any(axis=1) & (column.part.max(axis=1) > 0)
        has_missing = np.bincount(class_of_row[part < 0], minlength=len(label_of_class)) > 0
        counts_row = (has_several[label_of_class] & ~has_missing)[class_of_row]
        width = int(column.part.max(initial=0)) + 1
        class_and_part = class_of_row[counts_row] * width + part[counts_row]
        counts = np.bincount(class_and_part, minlength=len(label_of_class) * width)
        return cls(class_of_row, part, counts_row, counts.reshape(-1, width))

    def is_alone(self) -> B1:
        """bool[rows]: whether all other rows of the row's class lie in one other part."""
        sizes, commonest_part = self.counts.sum(axis=1), self.counts.argmax(axis=1)
        all_but_one = (sizes > 1) & (self.counts.max(axis=1) == sizes - 1)
        is_elsewhere = self.part != commonest_part[self.class_of_row]
        is_one_of_two = sizes[self.class_of_row] == 2  # then either of them is the one
        return np.asarray(self.counts_row & all_but_one[self.class_of_row] & (is_elsewhere | is_one_of_two))


def _measure_label(column: LabelParts, label: int, value_counts: F8, rows: int) -> tuple[int, float]:
    """In how many ways so many rows can fill a label, and what it says in bits where they follow all records."""
    inside = column.part[label] >= 0
    part_of_leaf = column.part[label][inside]
    part_sizes = np.bincount(part_of_leaf)
    shares = np.bincount(part_of_leaf, weights=value_counts[inside])
    statement = int(column.says[label])
    worlds = _count_worlds(statement, part_sizes, rows)
    return worlds, _label_bits(statement, shares / shares.sum(), rows)


def label_parts(labels: Sequence[str | None], covers: B1, hierarchy: Hierarchy, *, exact: bool) -> LabelParts:
    """The parts of some labels: the children of a node, the values of a set, the ends of a range that are `exact`.

    Parameters
    ----------
    labels
        What is written.
    covers
        bool[forms, leaves + 1]: whether each stands for each leaf; the last is a missing cell that no leaf covers.
    """
    part = np.where(covers, 0, -1).astype(np.int64)
    part[:, -1] = -1
    says = np.full(len(labels), TWO, dtype=np.int64)
    nodes = {label for level in hierarchy.labels for label in level}
    for f, label in enumerate(labels):
        leaves = np.flatnonzero(covers[f, :-1])
        if len(leaves) < 2:
            continue
        if label in nodes:
            ways = hierarchy.up[leaves]
            level = int(np.flatnonzero((ways == ways[0]).all(axis=0))[0]) - 1
            part[f, leaves] = np.unique(ways[:, level], return_inverse=True)[1].reshape(-1)
        elif label is not None and label.startswith('["'):
            part[f, leaves], says[f] = np.arange(len(leaves)), ALL
        elif exact:
            part[f, leaves], says[f] = 1, ENDS
            part[f, leaves[0]], part[f, leaves[-1]] = 0, 2 if len(leaves) > 2 else 1
    return LabelParts(part, says)


def list_children(entry: Entry, hierarchy: Hierarchy | None) -> list[list[str]]:
    """What a published item or value stands for, by the children of its node; of a set every item by itself.

    >>> fruit = Hierarchy.from_paths("item", [["fig", "fruit", "*"], ["pear", "fruit", "*"], ["nut", "dry", "*"]])
    >>> list_children("*", fruit), list_children("fig", fruit), list_children(("fig", "nut"), None)
    ([['fig', 'pear'], ['nut']], [['fig']], [['fig'], ['nut']])
    """
    leaves = leaves_under(entry, hierarchy)
    if hierarchy is None or not isinstance(entry, str) or len(leaves) < 2:
        return [[leaf] for leaf in leaves]
    ways = hierarchy.up[hierarchy.look_up(leaves)]
    level = int(np.flatnonzero((ways == ways[0]).all(axis=0))[0]) - 1
    children = defaultdict[int, list[str]](list)
    for leaf, node in zip(leaves, ways[:, level].tolist(), strict=True):
        children[node].append(leaf)
    return list(children.values())


def _count_cut_worlds(sizes: Sequence[int], s: int) -> float:
    """In how many ways s rows can hold leaves of a label, each at least one, so that two of its parts are inhabited.

    >>> _count_cut_worlds([1, 1], 1), _count_cut_worlds([1, 1], 2), _count_cut_worlds([40, 1], 3)
    (1, 4, inf)
    """
    if sum(sizes) > _FEW or s > _FEW:  # more than anybody lists
        return inf
    return comb(s + 2 ** sum(sizes) - 2, s) - sum(comb(s + 2**size - 2, s) for size in sizes)


def play_lowest_cut(
    labels: Mapping[int, Sequence[Sequence[int]]], people: Iterable[tuple[Iterable[int], Iterable[int]]]
) -> Chances | None:
    """What narrow labels of items, or of values of trees, tell: of one label a row may hold several values.

    Parameters
    ----------
    labels
        For each label, by its number, its parts, each as the numbers of its values.
    people
        For each person the labels of the own row, none where it was suppressed, and the values that the person has.

    Returns
    -------
    Chances
        1 for whoever alone of all rows with a label holds something outside one of its parts. The figures are those of
        `play_lowest_labels`; rows follow the shares of those who hold only one part. None where no label has two parts.
    """
    part_of_value = {
        label: {value: part for part, values in enumerate(parts) for value in values}
        for label, parts in labels.items()
        if len(parts) > 1
    }
    if not part_of_value:
        return None
    rows_of_label = defaultdict[int, list[_LabelledRow]](list)
    person_count = 0
    for person, (shown_labels, values) in enumerate(people):
        person_count, own_values = person + 1, set(values)
        for label in part_of_value.keys() & set(shown_labels):
            parts = part_of_value[label]
            if inhabited := frozenset(parts[value] for value in own_values & parts.keys()):
                rows_of_label[label].append(_LabelledRow(person, inhabited))
    is_alone, tally = np.zeros(person_count), _WorldTally()
    for label, rows in rows_of_label.items():
        inhabited = frozenset[int]().union(*(row.inhabited for row in rows))
        if len(inhabited) < 2:
            continue
        is_alone[_find_lone_outsiders(rows, inhabited)] = 1.0
        shares = [sum(row.inhabited == {part} for row in rows) / len(rows) for part in inhabited]
        bits = -log2(1 - sum(share ** len(rows) for share in shares))
        tally.add(_count_cut_worlds([len(part) for part in labels[label]], len(rows)), bits, len(rows))
    return Chances(is_alone, person_count, figures=tally.figures())


class _LabelledRow(NamedTuple):
    """A person whose row shows a label, and the parts of the label in which the person's values lie."""

    person: int
    inhabited: frozenset[int]


def _find_lone_outsiders(rows: Sequence[_LabelledRow], parts: Iterable[int]) -> list[int]:
    """The persons who alone of several hold something outside one of the parts."""
    outsiders_of_parts = [[row.person for row in rows if row.inhabited - {part}] for part in parts]
    return [outsiders[0] for outsiders in outsiders_of_parts if len(outsiders) == 1 and len(rows) > 1]
