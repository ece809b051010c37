"""Whoever has a register with everybody of the data and others concludes who is certainly in the data.

By labels alone: a class of s rows whose labels fit just s people of the register holds them all; in general, whoever is
needed in every way of giving each row a person of its own. By narrow labels as well: a part of a label that must be
inhabited, and in which the register knows one person, holds that person. No row is found, and no claim covers this.

Whoever has a population and knows of nobody whether they are in the data guesses among those whom a row fits: k-map and
delta-presence bound this.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.attacks.engine import Chances
from shoal.attacks.view_table import ALL, ENDS, TWO, Register, TableView, find_fitting_classes
from shoal.data.arrays import B1, F8, I4, I8

__all__ = ["count_missing_people", "play_from_outside", "play_in_population", "play_in_register"]

_PAIRS = 1 << 22  # kinds of people times classes that are compared at once
_STEPS = 500  # of the search for another way to fill a class
_WILD = (
    -1
)  # the part of a person whose cell is missing, or unknown to the hierarchy: all labels may be due to it


def play_in_register(view: TableView, register: Register, records: I8) -> Chances | None:
    """Find out who is certainly in the data; None where somebody of a released row is not in the register.

    Returns
    -------
    Chances
        1 for whoever is certainly in the data; for others the chance where each class draws its rows evenly from the
        people of the register whom its labels fit. Of the figures, `register` is how many people that has, `rows` how
        many of them are released, `by labels` how many are certainly in the data by labels alone, and
        `by narrow labels` how many more where labels are as narrow as possible; it is not there where they are not.
    """
    kinds, kind_counts, of_record = _number_kinds(view, register)
    is_released = view.of_record >= 0
    if (
        is_released.sum() != len(view.forms)
        or (np.bincount(of_record[is_released], minlength=len(kind_counts)) > kind_counts).any()
    ):
        return None
    world = _World(view, kinds, kind_counts, of_record, register)
    chances = _sum_class_shares(world, view, of_record[records])
    by_labels = world.settle()
    figures = {
        "register": len(register.values),
        "rows": len(view.forms),
        "by labels": int(kind_counts[by_labels].sum()),
    }
    is_certain = by_labels
    if register.parts:
        is_certain = world.settle_narrow() | by_labels
        figures["by narrow labels"] = int(kind_counts[is_certain].sum()) - figures["by labels"]
    chances[is_certain[of_record[records]] & is_released[records]] = 1.0
    return Chances(chances, view.people, figures=figures)


def count_missing_people(view: TableView, register: Register) -> int:
    """How many released people have nobody of their own in a register who has their values."""
    _, kind_counts, of_record = _number_kinds(view, register)
    released_counts = np.bincount(of_record[view.of_record >= 0], minlength=len(kind_counts))
    return int(np.maximum(released_counts - kind_counts, 0).sum())


def play_from_outside(view: TableView, register: Register, records: I8) -> Chances:
    """The chance that a row is taken for its own person's, of all people of a population whom its labels fit."""
    people = _count_people(*_view_population(view, register, register.covers), view.labels)
    return _take_own_class_chances(
        view, records, np.divide(1, people, out=np.zeros(len(people)), where=people > 0)
    )


def play_in_population(view: TableView, register: Register, records: I8) -> Chances:
    """The chance that a person is in the data: the share of those who are, of all whose cells have the same labels.

    The label of everything, beside others in its column, is that of a missing cell alone.
    """
    covers = list(register.covers)
    for j, cover in enumerate(covers):
        missing = view.covers[j].shape[1] - 1
        wide = np.asarray(view.covers[j].all(axis=1))
        if len(np.unique(view.labels[:, j])) > 1:
            covers[j] = np.where(wide[:, None], np.arange(cover.shape[1]) == missing, cover)
    people = _count_people(*_view_population(view, register, covers), view.labels)
    return _take_own_class_chances(
        view, records, np.where(people > 0, view.size / np.maximum(people, 1), 1.0)
    )


def _take_own_class_chances(view: TableView, records: I8, chances: F8) -> Chances:
    """The chance of each record's own class; 0 for whoever was left out."""
    class_of_record = view.of_record[records]
    return Chances(np.where(class_of_record >= 0, chances[class_of_record], 0.0), view.people)


def _view_population(view: TableView, register: Register, covers: Sequence[B1]) -> tuple[TableView, I8]:
    """The different people of a population beside the labels of classes, and how many there are of each."""
    kinds, many = np.unique(register.values, axis=0, return_counts=True)
    return TableView(kinds, tuple(covers), view.labels, np.zeros(len(kinds), dtype=np.int64)), many


def _count_people(seen: TableView, many: I8, labels: I4) -> F8:
    """How many people each class fits."""
    people = np.zeros(len(labels))
    for block, kind_index, class_ids in find_fitting_classes(seen, np.arange(len(many))):
        people += np.bincount(class_ids, weights=many[block][kind_index], minlength=len(people))
    return people


def _number_kinds(view: TableView, register: Register) -> tuple[I4, I8, I8]:
    """The different people of data and register, how many of each the register has, and of which each record is."""
    values = np.concatenate([register.values, view.values])
    kinds, kind_of_row = np.unique(values, axis=0, return_inverse=True)
    kind_of_row, people = kind_of_row.reshape(-1).astype(np.int64), len(register.values)
    return kinds, np.bincount(kind_of_row[:people], minlength=len(kinds)), kind_of_row[people:]


def _sum_class_shares(world: "_World", view: TableView, of: I8) -> F8:
    """For people of some kinds the chance to be in a class, where each draws its rows evenly from those it fits."""
    people, chances = _count_people(world.seen, world.many, view.labels), np.zeros(len(world.many))
    kinds, share = np.unique(of), view.size / np.maximum(people, 1)
    for block, kind_index, class_ids in find_fitting_classes(world.seen, kinds):
        np.add.at(chances, kinds[block][kind_index], share[class_ids])
    return np.minimum(
        chances[of], 1 - 1 / max(int(world.many.sum()), 1)
    )  # who is certain is found out elsewhere


class _World:
    """Who may be whom: classes with free rows, and people who are not settled yet.

    seen  : the kinds of people as records beside the labels of classes
    many  : int64[kinds], people of the register who are not settled
    rows  : int64[classes], rows that are not settled
    times : int64[pairs], how many people of `kind` have rows in `of`: one way to give each row a person, the true one.
            Which of the ways one starts with does not matter for what all of them have in common.
    fixed : for each class the people who are certainly in it, though it has other rows
    """

    def __init__(self, view: TableView, kinds: I4, many: I8, of_record: I8, register: Register) -> None:
        self.seen = TableView(kinds, register.covers, view.labels, np.zeros(len(kinds), dtype=np.int64))
        self.many, self.rows, self.parts = many.copy(), view.size.copy(), register.parts
        is_released = view.of_record >= 0
        pairs, self.times = np.unique(
            np.stack([view.of_record[is_released], of_record[is_released]], axis=1),
            axis=0,
            return_counts=True,
        )
        self.of, self.kind = pairs[:, 0].copy(), pairs[:, 1].copy()
        self.start = np.searchsorted(self.of, np.arange(len(self.rows) + 1))
        self.fixed: dict[int, list[int]] = {}

    def settle(self) -> B1:
        """Settle whoever is needed in every way of giving each row a person of its own; bool[kinds].

        Somebody can be spared whose row another can take who is free, or whose own row a third can take, and so on
        (Dulmage and Mendelsohn). Classes that nobody can leave hold all people whom they fit.
        """
        load = np.bincount(self.kind, weights=self.times, minlength=len(self.many))
        is_spared, moving = np.zeros(len(self.many), dtype=bool), np.zeros(len(self.rows), dtype=bool)
        new = np.flatnonzero(self.many > load)
        while len(new):
            is_spared[new] = True
            touched = np.zeros(len(self.rows), dtype=bool)
            for _, _, class_ids in find_fitting_classes(self.seen, new):
                touched[class_ids] = True
            fresh = touched & ~moving & (self.rows > 0)
            moving |= fresh
            new = np.unique(self.kind[fresh[self.of] & (self.times > 0)])
            new = new[~is_spared[new]]
        is_needed = (self.many > 0) & ~is_spared
        self.many[is_needed], self.rows[~moving] = 0, 0
        self.times[is_needed[self.kind]] = 0
        return is_needed

    def settle_narrow(self) -> B1:
        """Settle as well whoever must be in a class because else its labels would have been narrower; bool[kinds].

        Each class is looked at by itself, with everybody whom it fits and who is not settled elsewhere.
        """
        settled_kinds = np.zeros(len(self.many), dtype=bool)
        looked = np.flatnonzero(self.rows > 0)
        while len(looked):
            pairs = [(c, kind) for c, fit in self._fitting(looked) for kind in self._find_needed(c, fit)]
            for c, kind in pairs:
                self.fixed.setdefault(c, []).append(kind)
                self.many[kind], self.rows[c] = 0, self.rows[c] - 1
                self.times[self.kind == kind] = 0
            settled = np.zeros(len(self.many), dtype=bool)
            settled[[kind for _, kind in pairs]] = True
            settled |= self.settle()
            settled_kinds |= settled
            looked = self._find_touched(settled)
        return settled_kinds

    def _find_touched(self, settled: B1) -> I8:
        """The classes that have free rows, and fit somebody who was settled."""
        touched = np.zeros(len(self.rows), dtype=bool)
        for _, _, class_ids in find_fitting_classes(self.seen, np.flatnonzero(settled)):
            touched[class_ids] = True
        return np.flatnonzero(touched & (self.rows > 0))

    def _fitting(self, classes: I8) -> Iterator[tuple[int, I8]]:
        """Some classes, each with the kinds of people whom it fits and who are not settled."""
        alive = np.flatnonzero(self.many > 0)
        step = max(_PAIRS // max(len(alive), 1), 1)
        for a in range(0, len(classes), step):
            block = classes[a : a + step]
            part = TableView(self.seen.values, self.seen.covers, self.seen.labels[block], self.seen.own)
            matches = [
                (alive[span][kind_index], class_index)
                for span, kind_index, class_index in find_fitting_classes(part, alive)
            ]
            kind, class_index = (
                (np.concatenate(side) for side in zip(*matches, strict=True)) if matches else (alive, alive)
            )
            order = np.argsort(class_index, kind="stable")
            ends = np.searchsorted(class_index[order], np.arange(len(block) + 1))
            for i, c in enumerate(block.tolist()):
                yield c, kind[order[ends[i] : ends[i + 1]]]

    def _find_needed(self, c: int, fit: I8) -> Iterator[int]:
        """The kinds of one person in a class without whom its labels would be narrower, whoever of `fit` is in it."""
        own_pairs = slice(self.start[c], self.start[c + 1])
        once, members = self.times[own_pairs] == 1, self.kind[own_pairs]
        members, once = members[self.times[own_pairs] > 0], once[self.times[own_pairs] > 0]
        fixed = np.array(self.fixed.get(c, []), dtype=np.int64)
        demands, columns = self._demands(c, np.concatenate([members, fixed]))
        if not demands:
            return
        member_signs, signs = self._locate_parts(c, columns, members), self._locate_parts(c, columns, fit)
        fixed_parts = _find_inhabited(self._locate_parts(c, columns, fixed), len(demands))
        for i in np.flatnonzero(
            once & (self.many[members] == 1)
        ).tolist():  # else an equal person does as well
            other_parts = _find_inhabited([*member_signs[:i], *member_signs[i + 1 :]], len(demands))
            other_parts = [inhabited | two for inhabited, two in zip(other_parts, fixed_parts, strict=True)]
            if all(
                demand.met(inhabited_parts)
                for demand, inhabited_parts in zip(demands, other_parts, strict=True)
            ):
                continue
            other_signs = {sign for sign, kind in zip(signs, fit.tolist(), strict=True) if kind != members[i]}
            swapped = _can_fill([*other_signs], demands, other_parts, 1, [_STEPS])
            if not swapped and not _can_fill(
                [*other_signs], demands, fixed_parts, int(self.rows[c]), [_STEPS]
            ):
                yield int(members[i])

    def _demands(self, c: int, members: I8) -> tuple[list["_Demand"], list[int]]:
        """What the labels of a class say, and of which columns; nothing that its own people do not keep."""
        demands, columns = [], []
        for j, column in enumerate(self.parts):
            form = int(self.seen.labels[c, j])
            top, says = int(column.part[form].max(initial=0)), int(column.says[form])
            inhabited_parts = {*column.part[form, self.seen.values[members, j]].tolist()}
            parts = {TWO: [None], ALL: [*range(top + 1)], ENDS: [0, top]}[says] if top > 0 else []
            for demand in map(_Demand, parts):
                if demand.met(inhabited_parts):
                    demands.append(demand)
                    columns.append(j)
        return demands, columns

    def _locate_parts(self, c: int, columns: Sequence[int], kinds: I8) -> list[tuple[int, ...]]:
        """For some people the part of each label in which they are."""
        sides = [
            self.parts[j].part[self.seen.labels[c, j], self.seen.values[kinds, j]].tolist() for j in columns
        ]
        return list(zip(*sides, strict=True))


def _find_inhabited(signs: Sequence[tuple[int, ...]], many: int) -> list[set[int]]:
    """For each of so many labels the parts that some people inhabit."""
    return [{sign[i] for sign in signs} for i in range(many)]


@dataclass(frozen=True, slots=True)
class _Demand:
    """What a label says: that a part is inhabited, or two of them where it is None."""

    part: int | None

    def met(self, there: set[int]) -> bool:
        """Whether it is so where these parts are inhabited."""
        return _WILD in there or (len(there) > 1 if self.part is None else self.part in there)

    def helped(self, part: int, there: set[int]) -> bool:
        """Whether somebody of a part brings it nearer."""
        return part not in there if self.part is None else part in (self.part, _WILD)

    def people(self, there: set[int]) -> int:
        """How many people it takes at most."""
        return 2 - len(there) if self.part is None else 1


def _can_fill(
    choices: Sequence[tuple[int, ...]],
    demands: Sequence[_Demand],
    there: Sequence[set[int]],
    rows: int,
    steps: list[int],
) -> bool:
    """Whether so many people more can meet what labels say; yes where that takes too many `steps` to find out."""
    unmet = [i for i, demand in enumerate(demands) if not demand.met(there[i])]
    if not all(demands[i].met({*there[i], *(choice[i] for choice in choices)}) for i in unmet):
        return False
    if rows >= sum(demands[i].people(there[i]) for i in unmet):
        return True
    steps[0] -= 1
    if not rows or steps[0] < 0:
        return steps[0] < 0
    able = [[choice for choice in choices if demands[i].helped(choice[i], there[i])] for i in unmet]
    useful = [*dict.fromkeys(choice for helpers in able for choice in helpers)]  # nobody else helps later on
    return any(
        _can_fill(
            useful,
            demands,
            [{*inhabited, part} for inhabited, part in zip(there, choice, strict=True)],
            rows - 1,
            steps,
        )
        for choice in min(able, key=len)
    )
