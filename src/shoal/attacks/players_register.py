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
_WILD = -1
"""The part of a person whose cell is missing, or unknown to the hierarchy: all labels may be due to it."""


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
    released_counts = np.bincount(of_record[is_released], minlength=len(kind_counts))
    if is_released.sum() != len(view.forms) or (released_counts > kind_counts).any():
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


def _sum_class_shares(world: "_World", view: TableView, kind_of_person: I8) -> F8:
    """For some people the chance to be in a class, where each draws its rows evenly from those it fits."""
    people, chances = _count_people(world.seen, world.many, view.labels), np.zeros(len(world.many))
    kinds, share = np.unique(kind_of_person), view.size / np.maximum(people, 1)
    for block, kind_index, class_ids in find_fitting_classes(world.seen, kinds):
        np.add.at(chances, kinds[block][kind_index], share[class_ids])
    below_certain = 1 - 1 / max(int(world.many.sum()), 1)  # `settle` finds out who is certain
    return np.minimum(chances[kind_of_person], below_certain)


class _World:
    """Who may be whom: classes with free rows, and people who are not settled yet.

    seen  : the kinds of people as records beside the labels of classes
    many  : int64[kinds], people of the register who are not settled
    rows  : int64[classes], rows that are not settled
    times : int64[pairs], how many people of `kind` have rows in `of`: one way to give each row a person, the true one.
            The way one starts with does not affect what all ways have in common.
    fixed : for each class the people who are certainly in it, though it has other rows
    """

    def __init__(self, view: TableView, kinds: I4, many: I8, of_record: I8, register: Register) -> None:
        self.seen = TableView(kinds, register.covers, view.labels, np.zeros(len(kinds), dtype=np.int64))
        self.many, self.rows, self.parts = many.copy(), view.size.copy(), register.parts
        is_released = view.of_record >= 0
        class_and_kind = np.stack([view.of_record[is_released], of_record[is_released]], axis=1)
        pairs, self.times = np.unique(class_and_kind, axis=0, return_counts=True)
        self.of, self.kind = pairs[:, 0].copy(), pairs[:, 1].copy()
        self.start = np.searchsorted(self.of, np.arange(len(self.rows) + 1))
        self.fixed: dict[int, list[int]] = {}

    def settle(self) -> B1:
        """Settle whoever is needed in every way of giving each row a person of its own; bool[kinds].

        A person can be spared if a free person fits the row, or somebody whose own row a third can take, and so on
        (Dulmage and Mendelsohn). Classes that nobody can leave hold all people whom they fit.
        """
        people_with_rows = np.bincount(self.kind, weights=self.times, minlength=len(self.many))
        is_spared = np.zeros(len(self.many), dtype=bool)
        can_be_left = np.zeros(len(self.rows), dtype=bool)
        newly_spared = np.flatnonzero(self.many > people_with_rows)
        while len(newly_spared):
            is_spared[newly_spared] = True
            touched = np.zeros(len(self.rows), dtype=bool)
            for _, _, class_ids in find_fitting_classes(self.seen, newly_spared):
                touched[class_ids] = True
            newly_left = touched & ~can_be_left & (self.rows > 0)
            can_be_left |= newly_left
            replaceable = np.unique(self.kind[newly_left[self.of] & (self.times > 0)])
            newly_spared = replaceable[~is_spared[replaceable]]
        is_needed = (self.many > 0) & ~is_spared
        self.many[is_needed] = 0
        self.rows[~can_be_left] = 0
        self.times[is_needed[self.kind]] = 0
        return is_needed

    def settle_narrow(self) -> B1:
        """Settle as well whoever must be in a class because else its labels would have been narrower; bool[kinds].

        Each class is looked at by itself, with everybody whom it fits and who is not settled elsewhere.
        """
        settled_kinds = np.zeros(len(self.many), dtype=bool)
        open_classes = np.flatnonzero(self.rows > 0)
        while len(open_classes):
            needed = [
                (class_id, kind)
                for class_id, fitting_kinds in self._list_fitting_kinds(open_classes)
                for kind in self._find_needed(class_id, fitting_kinds)
            ]
            for class_id, kind in needed:
                self._fix(class_id, kind)
            newly_settled = np.zeros(len(self.many), dtype=bool)
            newly_settled[[kind for _, kind in needed]] = True
            newly_settled |= self.settle()
            settled_kinds |= newly_settled
            open_classes = self._find_touched(newly_settled)
        return settled_kinds

    def _fix(self, class_id: int, kind: int) -> None:
        """Settle the one person of a kind, with a row of a class."""
        self.fixed.setdefault(class_id, []).append(kind)
        self.many[kind] = 0
        self.rows[class_id] -= 1
        self.times[self.kind == kind] = 0

    def _find_touched(self, settled: B1) -> I8:
        """The classes that have free rows, and fit somebody who was settled."""
        touched = np.zeros(len(self.rows), dtype=bool)
        for _, _, class_ids in find_fitting_classes(self.seen, np.flatnonzero(settled)):
            touched[class_ids] = True
        return np.flatnonzero(touched & (self.rows > 0))

    def _list_fitting_kinds(self, classes: I8) -> Iterator[tuple[int, I8]]:
        """Some classes, each with the kinds of people whom it fits and who are not settled."""
        free_kinds = np.flatnonzero(self.many > 0)
        step = max(_PAIRS // max(len(free_kinds), 1), 1)
        for first in range(0, len(classes), step):
            block = classes[first : first + step]
            view = TableView(self.seen.values, self.seen.covers, self.seen.labels[block], self.seen.own)
            kind_parts, class_parts = [free_kinds[:0]], [free_kinds[:0]]
            for kind_span, kind_index, class_index in find_fitting_classes(view, free_kinds):
                kind_parts.append(free_kinds[kind_span][kind_index])
                class_parts.append(class_index)
            class_of_pair = np.concatenate(class_parts)
            by_class = np.argsort(class_of_pair, kind="stable")
            fitting_kinds = np.concatenate(kind_parts)[by_class]
            ends = np.searchsorted(class_of_pair[by_class], np.arange(1, len(block)))
            yield from zip(block.tolist(), np.split(fitting_kinds, ends), strict=True)

    def _find_needed(self, class_id: int, fitting_kinds: I8) -> Iterator[int]:
        """The kinds of one person that a class certainly holds, whoever else of `fitting_kinds` is in it.

        Without such a person its labels would be narrower, in the way that is known to give each row a person, and in
        every other way to fill the class.
        """
        pairs = slice(self.start[class_id], self.start[class_id + 1])
        is_member = self.times[pairs] > 0
        members = self.kind[pairs][is_member]
        is_one_row = self.times[pairs][is_member] == 1
        fixed = np.array(self.fixed.get(class_id, []), dtype=np.int64)
        demands, columns = self._list_demands(class_id, np.concatenate([members, fixed]))
        if not demands:
            return
        parts_of_members = self._locate_parts(class_id, columns, members)
        parts_of_fitting = self._locate_parts(class_id, columns, fitting_kinds)
        fixed_parts = _list_inhabited(self._locate_parts(class_id, columns, fixed), len(demands))
        is_alone = is_one_row & (self.many[members] == 1)  # else an equal person does as well
        for i in np.flatnonzero(is_alone).tolist():
            without_member = _list_inhabited(parts_of_members[:i] + parts_of_members[i + 1 :], len(demands))
            inhabited = [others | fixed for others, fixed in zip(without_member, fixed_parts, strict=True)]
            if all(demand.is_met(parts) for demand, parts in zip(demands, inhabited, strict=True)):
                continue
            substitutes = {
                parts
                for parts, kind in zip(parts_of_fitting, fitting_kinds.tolist(), strict=True)
                if kind != members[i]
            }
            # One other person may take the row, or all rows that are not settled may be given away anew.
            if _can_meet([*substitutes], demands, inhabited, 1, [_STEPS]):
                continue
            if not _can_meet([*substitutes], demands, fixed_parts, int(self.rows[class_id]), [_STEPS]):
                yield int(members[i])

    def _list_demands(self, class_id: int, members: I8) -> tuple[list["_Demand"], list[int]]:
        """What the labels of a class say, and of which columns; nothing that its own people do not keep."""
        demands, columns = [], []
        for j, column in enumerate(self.parts):
            label = int(self.seen.labels[class_id, j])
            last_part, statement = int(column.part[label].max(initial=0)), int(column.says[label])
            inhabited = {*column.part[label, self.seen.values[members, j]].tolist()}
            parts = {TWO: [None], ALL: [*range(last_part + 1)], ENDS: [0, last_part]}[statement]
            for demand in map(_Demand, parts if last_part > 0 else []):
                if demand.is_met(inhabited):
                    demands.append(demand)
                    columns.append(j)
        return demands, columns

    def _locate_parts(self, class_id: int, columns: Sequence[int], kinds: I8) -> list[tuple[int, ...]]:
        """For each of some people, the part of the class's label in which they are, in each of some columns."""
        part_lists = [
            self.parts[j].part[self.seen.labels[class_id, j], self.seen.values[kinds, j]].tolist()
            for j in columns
        ]
        return list(zip(*part_lists, strict=True))


def _list_inhabited(parts_of_people: Sequence[tuple[int, ...]], labels: int) -> list[set[int]]:
    """For each of so many labels the parts that some people inhabit."""
    return [{parts[label] for parts in parts_of_people} for label in range(labels)]


@dataclass(frozen=True, slots=True)
class _Demand:
    """What a label says: that a part is inhabited, or two of them where it is None."""

    part: int | None

    def is_met(self, inhabited: set[int]) -> bool:
        """Whether it is so where these parts are inhabited."""
        if _WILD in inhabited:
            return True
        return len(inhabited) > 1 if self.part is None else self.part in inhabited

    def is_helped_by(self, part: int, inhabited: set[int]) -> bool:
        """Whether somebody of a part brings it nearer."""
        return part not in inhabited if self.part is None else part in (self.part, _WILD)

    def count_needed(self, inhabited: set[int]) -> int:
        """How many people it takes at most."""
        return 2 - len(inhabited) if self.part is None else 1


def _can_meet(
    candidates: Sequence[tuple[int, ...]],
    demands: Sequence[_Demand],
    inhabited: Sequence[set[int]],
    rows: int,
    steps: list[int],
) -> bool:
    """Whether people for so many rows more can meet all demands; yes where that takes too long to find out.

    Parameters
    ----------
    candidates
        The parts in which people are, one for each demand; any number of people may be there.
    inhabited
        For each demand, the parts that are inhabited already.
    steps
        How many steps of the search are left; what is called by this one counts on.
    """
    unmet = [i for i, demand in enumerate(demands) if not demand.is_met(inhabited[i])]
    if not all(demands[i].is_met({*inhabited[i], *(parts[i] for parts in candidates)}) for i in unmet):
        return False
    if rows >= sum(demands[i].count_needed(inhabited[i]) for i in unmet):
        return True
    steps[0] -= 1
    if not rows or steps[0] < 0:
        return steps[0] < 0
    helpers_of_unmet = [
        [parts for parts in candidates if demands[i].is_helped_by(parts[i], inhabited[i])] for i in unmet
    ]
    useful = [*dict.fromkeys(parts for helpers in helpers_of_unmet for parts in helpers)]
    # Somebody must help with the demand that fewest can help with.
    for parts in min(helpers_of_unmet, key=len):
        with_helper = [{*there, part} for there, part in zip(inhabited, parts, strict=True)]
        if _can_meet(useful, demands, with_helper, rows - 1, steps):
            return True
    return False
