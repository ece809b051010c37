"""Whoever singles people out: describes somebody by the labels alone, so that exactly one original person fits.

A predicate is the box of a class, narrowed in one column: "in this class's box, and born in this part of its label".
Cohen and Nissim call it singling out; no claim about k covers it. How sure the attacker is follows from the number of
rows of the class, the shares of the values, and what narrow labels tell (`players_labels`).

References
----------
.. [1] Cohen, Nissim. Towards formalizing the GDPR's notion of singling out. PNAS 117(15), 2020.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations

import numpy as np

from shoal.attacks.engine import Chances
from shoal.attacks.result import Control, Rate
from shoal.attacks.view_table import ALL, ENDS, TWO, TableView
from shoal.data.arrays import B1, F8, I4, I8
from shoal.discreet import Discreet

__all__ = ["Predicates", "best_predicates", "by_chance", "singles_out", "singling_out", "value_shares"]

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
class Predicates(Discreet):
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
        found = (fits if person is None else np.unique(person[fits]) for fits in self.fitting(values))
        return np.array([len(fits) for fits in found], dtype=np.int64)


def _one_of(fits: int, people: int, many: int) -> float:
    """The chance that `many` of some people, of whom so many fit, hold exactly one who fits.

    >>> _one_of(1, 10, 5), round(_one_of(2, 10, 5), 4), _one_of(2, 10, 10), _one_of(1, 10, 10)
    (0.5, 0.5556, 0.0, 1.0)
    """
    left = people - many
    if not fits or left < fits - 1:
        return 0.0
    place = np.arange(fits - 1)
    return fits * many / people * float(np.prod((left - place) / (people - 1 - place)))


def by_chance(people: int) -> float:
    """The most that somebody reaches who never saw the release: a predicate of which one person is expected.

    >>> round(by_chance(1000), 3)
    0.368
    """
    return (1 - 1 / people) ** (people - 1) if people > 1 else 1.0


# How likely exactly one of the rows of a class fits.


def _worlds(says: int | None, parts: int, free: int) -> tuple[I8, B1]:
    """What a label says, as sums over worlds in which all rows lie in some of its parts.

    Returns signs, and for each the parts that may be inhabited: the sum of sign * share ** rows is the chance of what
    the label says. `free` of the parts, the last ones, are no reason for a label of its own.
    """
    own = parts - free
    everywhere = np.ones(parts, dtype=bool)
    bound = {ENDS: (0, own - 1), ALL: tuple(range(own))}.get(-1 if says is None else says, ())
    if own < 2 or len(bound) > _LISTED:
        bound = ()
    signs, masks = [], []
    for some in chain.from_iterable(combinations(bound, size) for size in range(len(bound) + 1)):
        mask = everywhere.copy()
        mask[list(some)] = False
        signs.append((-1) ** len(some))
        masks.append(mask)
    return np.array(signs), np.array(masks)


def singles_out(inside: F8, share: F8, rows: int, says: int | None, free: int = 0) -> F8:
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
    >>> singles_out(np.array([[0.0, 0.1]]), share, 2, TWO).tolist(), singles_out(np.array([[0.0, 0.5]]), share, 2, None)
    ([1.0], array([0.5]))
    """
    own = len(share) - free
    if says == TWO and own > 1:  # everywhere, but not in one part alone
        signs = np.r_[1, np.full(own, -1)]
        whole, some = np.r_[share.sum(), share[:own]], np.c_[inside.sum(axis=1), inside[:, :own]]
    else:
        signs, masks = _worlds(says, len(share), free)
        whole, some = masks @ share, inside @ masks.T
    said = float(signs @ whole**rows)
    if said < 1e-12:
        return np.zeros(len(inside))
    return np.asarray(
        np.clip(rows * (some * np.maximum(whole - some, 0.0) ** (rows - 1)) @ signs / said, 0.0, 1.0)
    )


def value_shares(view: TableView, known: I4 | None = None) -> tuple[F8, ...]:
    """For each column float64[leaves], the share of people who have each value, as the attacker takes it.

    By public people who are `known`, else by the labels of the release (expectation and maximization).
    """
    if known is not None:
        return tuple(
            _counted(cells, cover.shape[1]) for cells, cover in zip(known.T, view.covers, strict=True)
        )
    return tuple(_estimated(view.forms[:, j], cover) for j, cover in enumerate(view.covers))


def _counted(known: I4, leaves: int) -> F8:
    counts = np.bincount(known[known >= 0], minlength=leaves) + 1 / leaves
    return np.asarray(counts / counts.sum())


def _estimated(forms: I4, cover: B1) -> F8:
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
        place = np.where(part < 0, part.max() + 1, part).astype(np.int64)
        return cls(leaves, place, int(view.parts[j].says[form]), int((part < 0).any()))

    def ways(self, share: F8, rows: int) -> tuple[B1, F8]:
        """The best sets of leaves for one row to be alone in, and how likely exactly one is, by the leaves' shares.

        Tried are the parts, all but one part, and sets in which one row is expected. Of very many parts only those are
        tried in which about one row is expected, and those at the ends.
        """
        share = share / share.sum()
        of_parts = np.bincount(self.place, share).astype(np.float64)
        many = len(of_parts)
        near = np.argsort(np.abs(np.log(np.maximum(of_parts * rows, 1e-300))), kind="stable")[:_TRIED]
        parts = self.place == np.unique(np.r_[near, 0, max(many - 1 - self.free, 0), many - 1])[:, None]
        among = [np.ones(len(share), dtype=bool), *(parts if len(parts) > 1 else ())]
        found = [
            *parts,
            *~parts,
            *(_worth(share, some, part / rows) for some in among for part in (1.0, 0.5)),
        ]
        different = {some.tobytes(): some for some in found}
        sets = np.array([different[key] for key in sorted(different)])
        sets = sets[sets.any(axis=1) & ~sets.all(axis=1)]
        inside = [np.bincount(self.place[some], share[some], many) for some in sets]
        chances = singles_out(
            np.array(inside, dtype=np.float64).reshape(-1, many), of_parts, rows, self.says, self.free
        )
        best = np.argsort(-chances, kind="stable")[:_KEPT]
        return sets[best], chances[best]


def _worth(share: F8, among: B1, target: float) -> B1:
    """Some of the leaves that have about the `target` together, large ones first; at least the smallest of them."""
    found, left = np.zeros(len(share), dtype=bool), 1.2 * target
    order = np.flatnonzero(among)[np.argsort(-share[among], kind="stable")]
    for leaf in order.tolist():
        if share[leaf] <= left:
            found[leaf], left = True, left - share[leaf]
    found[order[-1]] |= not found.any()
    return found


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
        of, column, leaves, chance = (
            zip(*sorted(found, key=lambda way: -way[3]), strict=True) if found else [()] * 4
        )
        return cls(
            np.array(of, dtype=np.int64), np.array(column, dtype=np.int64), list(leaves), np.array(chance)
        )

    @classmethod
    def by_shares(cls, view: TableView, shares: Sequence[F8]) -> "_PredicateWords":
        """The best ways to narrow every class in every column, where all boxes are alike."""
        found = []
        for j, share in enumerate(shares):
            pairs, where = np.unique(
                np.stack([view.labels[:, j], view.size], axis=1), axis=0, return_inverse=True
            )
            ways = [list(_narrowed(view, j, form, rows, share)) for form, rows in pairs.tolist()]
            found += [(c, j, *way) for c, pair in enumerate(where.reshape(-1).tolist()) for way in ways[pair]]
        return cls.of_all(found)

    @classmethod
    def by_people(cls, view: TableView, shares: Sequence[F8], known: I4, classes: I8) -> "_PredicateWords":
        """The same for some classes, each by the public people in its own box.

        Of these, rows of other classes in that box are taken off: who is left is in this class.
        """
        found = []
        for j, left in enumerate(_left_in_boxes(view, shares, known, classes)):
            for c, share in zip(classes.tolist(), left, strict=True):
                found += [
                    (c, j, *way) for way in _narrowed(view, j, view.labels[c, j], int(view.size[c]), share)
                ]
        return cls.of_all(found)

    def boxes(self, view: TableView, some: slice) -> list[B1]:
        """For each column bool[ways, leaves], the values that fit."""
        found = [cover[view.labels[self.of[some], j]] for j, cover in enumerate(view.covers)]
        for place, (j, leaves) in enumerate(zip(self.column[some].tolist(), self.leaves[some], strict=True)):
            found[j][place] = leaves
        return found


def _narrowed(view: TableView, j: int, form: int, rows: int, share: F8) -> Iterator[tuple[B1, float]]:
    label = _Label.of(view, j, form)
    if len(label.leaves) < 2 or rows < 2:
        return
    for some, likely in zip(*label.ways(share[label.leaves], rows), strict=True):
        leaves = np.zeros(len(share), dtype=bool)
        leaves[label.leaves[some]] = True
        yield leaves, float(likely)


def _left_in_boxes(view: TableView, shares: Sequence[F8], known: I4, classes: I8) -> Iterator[F8]:
    """For each column float64[classes, leaves]: how many people of each value are expected to be left in each box."""
    boxes = [cover[view.labels[classes, j]] for j, cover in enumerate(view.covers)]
    there = np.logical_and.reduce(
        [np.pad(box, ((0, 0), (0, 1)))[:, known[:, j]] for j, box in enumerate(boxes)]
    )
    place, who = np.nonzero(there)
    inside = [cover * share for cover, share in zip(view.covers, shares, strict=True)]
    inside = [wide / np.maximum(wide.sum(axis=1, keepdims=True), 1e-300) for wide in inside]
    fits = [
        (box @ wide.T)[:, view.labels[:, j]] for j, (box, wide) in enumerate(zip(boxes, inside, strict=True))
    ]
    above = list(accumulate(fits[:0:-1], np.multiply, initial=_rows_of_others(view, classes)))
    below = np.ones_like(above[0])
    for j, (box, share, wide) in enumerate(zip(boxes, shares, inside, strict=True)):
        leaves = box.shape[1]
        expected = np.bincount(place * leaves + known[who, j], minlength=box.size).reshape(box.shape)
        others = below * above[-1 - j]
        forms = np.zeros((len(classes), len(wide)))
        np.add.at(forms.T, view.labels[:, j], others.T)
        left = np.maximum(expected * (view.people / len(known)) - forms @ wide, 0.0)
        own = box * share
        yield left + _POOLED * own / own.sum(axis=1, keepdims=True)
        below = below * fits[j]


def _rows_of_others(view: TableView, classes: I8) -> F8:
    rows = np.tile(view.size.astype(np.float64), (len(classes), 1))
    rows[np.arange(len(classes)), classes] = 0.0
    return rows


def _nobody_else(view: TableView, shares: Sequence[F8], of: I8, boxes: Sequence[B1]) -> F8:
    """How likely nobody of other classes, and nobody who was left out, is in each box; class `of` is not counted."""
    inside = np.ones((len(of), len(view.labels)))
    anywhere = np.ones(len(of))
    for j, (share, cover, box) in enumerate(zip(shares, view.covers, boxes, strict=True)):
        wide = cover * share
        inside *= ((box @ wide.T) / np.maximum(wide.sum(axis=1), 1e-300))[:, view.labels[:, j]]
        anywhere *= box @ share
    inside[np.arange(len(of)), of] = 0.0
    place, other = np.nonzero(inside)
    log = _log_outside(inside[place, other]) * view.size[other]
    gone = _log_outside(anywhere) * (view.own < 0).sum()
    return np.asarray(np.exp(np.bincount(place, weights=log, minlength=len(of)) + gone))


def _log_outside(inside: F8) -> F8:
    return np.asarray(np.log1p(-np.minimum(inside, 1 - 1e-12)))


def best_predicates(view: TableView, known: I4 | None = None, best: int = BEST) -> Predicates:
    """The predicates of which the attacker is most sure, at most one for each class; `known` are public people."""
    shares = value_shares(view, known)
    ways = _PredicateWords.by_shares(view, shares)
    if known is not None:
        _, first = np.unique(ways.of, return_index=True)
        ways = _PredicateWords.by_people(view, shares, known, ways.of[np.sort(first)[: _AGAIN * best]])
    sure = _sure(view, shares, ways, best)
    order = np.argsort(-sure, kind="stable")
    order = order[sure[order] > 0]
    _, first = np.unique(ways.of[order], return_index=True)
    picked = order[np.sort(first)[:best]]
    chosen = _PredicateWords(
        ways.of[picked], ways.column[picked], [ways.leaves[p] for p in picked.tolist()], sure[picked]
    )
    holds = [np.pad(box, ((0, 0), (0, 1))) for box in chosen.boxes(view, slice(None))]
    return Predicates(tuple(holds), sure[picked])


def _sure(view: TableView, shares: Sequence[F8], ways: _PredicateWords, best: int) -> F8:
    """How likely each way fits exactly one person; 0 for those that cannot be among the best, one for each class."""
    classes, sure, top = len(view.labels), np.zeros(len(ways.chance)), np.zeros(len(view.labels))
    step = max(_BLOCK // max(classes, 1), 1)
    for a in range(0, min(len(sure), max(_PAIRS // max(classes, 1), best)), step):
        if classes > best and np.partition(top, classes - best)[classes - best] >= ways.chance[a]:
            break
        some = slice(a, a + step)
        sure[some] = ways.chance[some] * _nobody_else(view, shares, ways.of[some], ways.boxes(view, some))
        np.maximum.at(top, ways.of[some], sure[some])
    return sure


def singling_out(view: TableView) -> Chances | None:
    """Count how many of the best predicates fit exactly one person of the originals.

    Where there are public people, as many of them as there are originals, at most half, are kept apart: how many
    predicates fit exactly one of these tells what is known without the data. The attacker learns shares from the rest,
    or from labels alone: the way that hits more counts. Of a control group it is how many fit exactly one of as many
    people as there are originals, drawn from it; of all of them where they are fewer.
    """
    known, others = (
        (view.public, view.others) if view.others is not None else _apart(view.public, view.people)
    )
    person = None if view.persons is None else view.person
    tried = [best_predicates(view, people) for people in ([None] if known is None else [known, None])]
    fits = [said.people(view.values, person) == 1 for said in tried]
    said, hits = max(zip(tried, fits, strict=True), key=lambda way: int(way[1].sum()))
    if not len(hits):
        return None
    figures = {"predicates": len(hits), "hits": int(hits.sum()), "by chance": by_chance(view.people)}
    if others is None:
        return Chances(hits.astype(np.float64), len(hits), figures=figures)
    many = min(view.people, len(others))  # people who repeat would hardly ever be alone
    fresh = Rate(
        float(sum(_one_of(one, len(others), many) for one in said.people(others).tolist())), len(hits)
    )
    figures |= {"others": many, "on others": fresh.hits}
    beside = Control(Rate(float(hits.sum()), len(hits)), fresh)
    return Chances(hits.astype(np.float64), len(hits), figures=figures, control=beside)


def _apart(people: I4 | None, many: int) -> tuple[I4 | None, I4 | None]:
    """Public people whom the attacker knows, and others, at most so many."""
    if people is None or len(people) < 2:
        return None, None
    order = np.random.default_rng(0).permutation(len(people))
    most = min(many, len(people) // 2)
    return people[order[most:]], people[order[:most]]
