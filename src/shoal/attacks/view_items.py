"""Baskets of generalized items, alone or beside a table, and their originals, as whoever knows some items sees both.

Record trees (`view_trees`) share what a fact is, and who has something sensitive.
"""

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from shoal.attacks.background import (
    Absences,
    Background,
    Entry,
    Lists,
    Secrets,
    check_fits,
    find_covering_entries,
    leaves_under,
    next_labels,
    pack_bits,
    stack_padded,
    union_bits,
)
from shoal.attacks.view_table import Dependency, TableView, find_fitting_classes
from shoal.base.discreet import SafeRepr
from shoal.data import Baskets, Trees
from shoal.data.arrays import B1, I4, I8, U8, prefix_sums, row_of_entry, take_rows
from shoal.hierarchy import Hierarchy

__all__ = [
    "FactView",
    "ItemView",
    "MixedView",
    "distinct_lists",
    "number_known_items",
    "sort_rare_first",
]


class FactView(SafeRepr, ABC):
    """A release of baskets or trees beside its originals, as attackers see both.

    A fact of a person is that a row may hold an item or a value; those that the same published ones stand for are one.

    original : of all people
    own      : int64[people], the released row of each person, or one that equals it; -1 where it was suppressed
    """

    original: Baskets | Trees
    own: I8

    @abstractmethod
    def knowledge(self, m: int, n: int = 0) -> str:
        """So many values of a person, and relations among them, in words."""

    @abstractmethod
    def absent(self, *, generalized: bool) -> Absences:
        """What people may be known not to have: values as they are, or groups of values."""

    @property
    @abstractmethod
    def claim_background(self) -> Background:
        """What the attackers of the claim can know of each person."""

    @property
    @abstractmethod
    def as_published(self) -> Self:
        """The same where people are known by the forms in which their own rows publish what they have.

        Somebody who knows the data of many others may find out which of these forms is a person's own.
        """

    @property
    @abstractmethod
    def _rows(self) -> tuple[I8, I4, int]:
        """Where each released row begins, what all of them publish, and how many different entries there are."""

    @property
    @abstractmethod
    def _covers(self) -> Lists:
        """For each value of the originals that is known to anybody, the published entries that stand for it."""

    @property
    @abstractmethod
    def _open_background(self) -> Background:
        """What can be known of each person that is not sensitive."""

    @property
    @abstractmethod
    def _secret_facts(self) -> tuple[U8, I8, I8]:
        """The rows that show each sensitive thing for certain, and every person, ascending, with each of these."""

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self._rows[0]) - 1

    @property
    def _fact_per_item(self) -> I8:
        """The fact of everything that people have; -1 where it is sensitive, or no row may hold it."""
        return self._fact_of[self.original.items]

    @cached_property
    def secrets(self) -> Secrets | None:
        """Who has something sensitive; None where nobody has, or no row shows it."""
        lines, person, hidden_index = self._secret_facts
        fact = hidden_index + len(self._open_background.bits) - 1
        return Secrets(self._open_background.with_lines(lines), person, fact) if len(person) else None

    @cached_property
    def secrets_by_form(self) -> Secrets | None:
        """The same to whoever knows in which form values were published, which claims about m values grant."""
        lines, person, hidden_index = self._secret_facts
        background = self.as_published._open_background
        fact = hidden_index + len(background.bits) - 1
        return Secrets(background.with_lines(lines), person, fact) if len(person) else None

    def as_if_inside(self, inside: Self, rng: np.random.Generator) -> Self:
        """The same people, who are not in the release, each with a row that could have been theirs.

        It is the row that shows most of what the person has, sensitive values not counted; of several, one is drawn.
        Whoever is shown by no row has none.
        """
        own_row = np.full(len(self.own), -1, dtype=np.int64)
        fact_per_item = self._fact_per_item
        for person, (first, end) in enumerate(pairwise(self.original.start.tolist())):
            facts = np.unique(fact_per_item[first:end])
            row_bits = self._lines[facts[facts >= 0]].view(np.uint8)
            fits = np.unpackbits(row_bits, axis=1, count=self.n, bitorder="little")  # [facts, rows]
            shown_counts = fits.sum(axis=0, dtype=np.int64)
            if shown_counts.any():
                own_row[person] = rng.choice(np.flatnonzero(shown_counts == shown_counts.max()))
        view: Any = self
        changed_view: Self = replace(view, own=own_row)
        return changed_view

    @cached_property
    def _shows(self) -> U8:
        """For each published entry, the rows that hold it."""
        start, entries, width = self._rows
        return pack_bits(row_of_entry(start), entries.astype(np.int64), width, self.n)

    @cached_property
    def _fact_of(self) -> I8:
        """For each value the fact "the row may hold it", equal where the same entries cover them; -1: no row may."""
        start, entries = self._covers
        fact_of_key: dict[bytes, int] = {}
        keys = (entries[a:b].tobytes() for a, b in pairwise(start.tolist()))
        return np.array(
            [fact_of_key.setdefault(key, len(fact_of_key)) if key else -1 for key in keys], dtype=np.int64
        )

    @cached_property
    def _first(self) -> I8:
        """One value of each fact."""
        _, values = np.unique(self._fact_of, return_index=True)
        return np.asarray(values[self._fact_of[values] >= 0])

    @cached_property
    def _lines(self) -> U8:
        """For each fact, the rows that fit it."""
        return union_bits(self._shows, *take_rows(*self._covers, self._first))

    def _fits_own_row(self, person: I8, fact: I8, bits: U8) -> B1:
        """Whether each person's own row fits the fact beside it."""
        row = self.own[person]
        visible = (row >= 0) & (fact >= 0)
        visible[visible] = check_fits(bits, fact[visible], row[visible])
        return visible


@dataclass(frozen=True, repr=False)
class ItemView(FactView):
    """Released baskets beside their originals.

    original     : the baskets of all people
    start, items : int64[rows + 1], int32: row i publishes entries[e] for e in items[start[i] : start[i + 1]]
    entries      : the published items: an item, a label over items, or the list of the items it may stand for
    hierarchy    : what labels stand for; None where there are none
    own          : int64[people], the released row of each person, or one that equals it; -1 where it was suppressed
    exempt       : whether sensitive items stay as they are, and the claim's attackers do not know them
    left_out     : whether items were left out of released rows
    follows      : what follows from items in other published columns, as somebody found out: for each item of each
                   person the place of a list, -1 where nothing does; and the lists, of the rows that show it
    """

    original: Baskets
    start: I8
    items: I4
    entries: tuple[Entry, ...]
    hierarchy: Hierarchy | None
    own: I8
    exempt: bool = False
    left_out: bool = False
    follows: tuple[I8, Lists] | None = None

    @property
    def _rows(self) -> tuple[I8, I4, int]:
        return self.start, self.items, len(self.entries)

    @property
    def open_kind(self) -> str:
        """Which items the attackers of the claim know, in words behind "items"."""
        return " that are not sensitive" if self.exempt else ""

    def knowledge(self, m: int, n: int = 0) -> str:
        """So many items of a person, in words."""
        return f"any {m} item{'s' if m > 1 else ''}{self.open_kind} of a person"

    @cached_property
    def claim_background(self) -> Background:
        """What the attackers of the claim can know: all items, or all that are not sensitive."""
        return self._open_background if self.exempt else self._make_background(self._is_visible)

    @cached_property
    def _open_background(self) -> Background:
        return self._make_background(self._is_visible & ~self._is_sensitive[self.original.items])

    @property
    def _fact_per_item(self) -> I8:
        return np.where(self._is_sensitive[self.original.items], -1, self._fact_of[self.original.items])

    @cached_property
    def rule_background(self) -> Background | None:
        """The same where each item comes with what follows from it; None where nothing does."""
        if self.follows is None:
            return None
        list_of_item, (start, rows) = self.follows
        is_known = self._is_visible & (~self._is_sensitive[self.original.items] | (not self.exempt))
        fact, rule_list = self._fact_of[self.original.items[is_known]], list_of_item[is_known]
        pairs, pair_index = np.unique(np.stack([fact, rule_list], axis=1), axis=0, return_inverse=True)
        list_bits = stack_padded([pack_bits(rows, row_of_entry(start), len(start) - 1, self.n)], self.n)
        bits = stack_padded([self._lines[pairs[:, 0]] & list_bits[pairs[:, 1]]], self.n)
        often = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        person = row_of_entry(self.original.start)[is_known]
        return Background(*sort_rare_first(person, pair_index.reshape(-1), often, len(self.own)), bits)

    @cached_property
    def _secret_facts(self) -> tuple[U8, I8, I8]:
        """Sensitive items, where rows show them as they are."""
        code_of_entry = {entry: code for code, entry in enumerate(self.entries)}
        entry_of_value = np.array(
            [code_of_entry.get(value, -1) for value in self.original.values], dtype=np.int64
        )
        kinds = np.flatnonzero(self._is_sensitive & (entry_of_value >= 0))
        is_hidden = np.isin(self.original.items, kinds)
        kind_index = np.searchsorted(kinds, self.original.items[is_hidden])
        return self._shows[entry_of_value[kinds]], row_of_entry(self.original.start)[is_hidden], kind_index

    @cached_property
    def as_published(self) -> "ItemView":
        """The same where people are known by the forms in which items were published, equal if they mean the same."""
        forms = self._forms
        own_forms = forms.some(np.maximum(self.own, 0))
        return replace(
            self,
            original=own_forms,
            start=forms.start,
            items=forms.items,
            entries=forms.values,
            hierarchy=None,
            follows=None,
        )

    @cached_property
    def _forms(self) -> Baskets:
        """The rows as baskets of forms, which are equal if they mean the same."""
        leaf_sets = [frozenset(leaves_under(entry, self.hierarchy)) for entry in self.entries]
        number = {leaves: code for code, leaves in enumerate(dict.fromkeys(leaf_sets))}
        codes = np.array([number[leaves] for leaves in leaf_sets], dtype=np.int64)
        secret = {frozenset([self.original.values[code]]) for code in self.original.sensitive}
        hidden_codes = frozenset(number[leaf_set] for leaf_set in secret if leaf_set in number)
        names = tuple(str(code) for code in range(len(number)))
        start, items = distinct_lists(self.start, codes[self.items], len(number))
        return Baskets("items", names, start, items.astype(np.int32), hidden_codes)

    def sides(self, *, exempt: bool) -> tuple[Baskets, Baskets]:
        """Originals and rows by the items, and published forms, that may be known; if `exempt`, no sensitive ones."""
        people, rows = self.original, self._forms
        return (people.without(people.sensitive), rows.without(rows.sensitive)) if exempt else (people, rows)

    def absent(self, *, generalized: bool) -> Absences:
        """Items, or groups of items, that people may be known not to have."""
        values = self.original.values
        hidden_values = {values[code] for code in self.original.sensitive} if self.exempt else set[str]()
        of_entry, of_item, width = number_known_items(
            values, self.entries, self.hierarchy, generalized=generalized, hidden=hidden_values
        )
        shown_items = _drop_gaps(self.start, of_entry[self.items], width)
        return Absences(
            shown_items, _drop_gaps(self.original.start, of_item[self.original.items], width), width
        )

    @cached_property
    def sizes(self) -> tuple[U8, I8]:
        """Numbers of items: for each that occurs the rows that may be of such a basket, and each person's."""
        sizes, size_of_person = np.unique(np.diff(self.original.start), return_inverse=True)
        least = np.diff(self.start)
        items_of_entry = np.bincount(self._covers[1], minlength=len(self.entries))  # how many that occur
        items_before = prefix_sums(items_of_entry[self.items])
        most = items_before[self.start[1:]] - items_before[self.start[:-1]]
        is_enough = sizes[:, None] >= least[None, :]
        is_not_too_much = self.left_out | (sizes[:, None] <= most[None, :])
        size_index, row = np.nonzero(is_enough & is_not_too_much)
        row_bits = pack_bits(row, size_index, len(sizes), self.n)
        return row_bits, size_of_person.reshape(-1).astype(np.int64)

    def itemset_keys(self, itemset: Iterable[str]) -> I8:
        """What is known of each person by whoever knows all items of a listed set that the person has, as keys."""
        code_of_value = {value: code for code, value in enumerate(self.original.values)}
        codes = [code_of_value[item] for item in itemset if item in code_of_value]
        keys = np.full((len(self.own), max(len(codes), 1)), -1, dtype=np.int64)
        person, item = row_of_entry(self.original.start), self.original.items
        for column, code in enumerate(codes):
            holders = person[(item == code) & self._is_visible]
            keys[holders, column] = self._fact_of[code]
        return keys

    @cached_property
    def _is_sensitive(self) -> B1:
        secret = np.zeros(len(self.original.values), dtype=bool)
        secret[list(self.original.sensitive)] = True
        return secret

    @cached_property
    def _covers(self) -> Lists:
        return find_covering_entries(self.entries, self.original.values, self.hierarchy)

    @cached_property
    def _is_visible(self) -> B1:
        """For each item of each person, whether the person's own row shows it in some form."""
        return self._fits_own_row(
            row_of_entry(self.original.start), self._fact_of[self.original.items], self._lines
        )

    def _make_background(self, picked: B1) -> Background:
        """What can be known where `picked` items of people can."""
        person, fact = row_of_entry(self.original.start)[picked], self._fact_of[self.original.items[picked]]
        bits = stack_padded([self._lines], self.n)
        often = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        return Background(*sort_rare_first(person, fact, often, len(self.own)), bits)


@dataclass(frozen=True, repr=False)
class MixedView(SafeRepr):
    """A released table with baskets beside its originals.

    table          : the part that is a table
    start, items   : int64[n + 1], int32: the items of each record
    shown, entries : int64[rows + 1], int32: what each released row publishes of its basket
    covers         : bool[entries, items]: whether a published item stands for an item
    sensitive      : the items that are sensitive
    left_out       : whether items were left out of released rows
    absent         : the items, and the groups of items, that people may be known not to have, by that word
    follows        : what follows from items in other published columns, as somebody found out: for each item of each
                     record the place of a list, -1 where nothing does; and the lists, of the rows that show it
    """

    table: TableView
    start: I8
    items: I4
    shown: I8
    entries: I4
    covers: B1
    sensitive: frozenset[int] = frozenset()
    left_out: bool = False
    absent: Mapping[str, Absences] = field(default_factory=dict)
    follows: tuple[I8, Lists] | None = None

    @property
    def own(self) -> I8:
        """int64[n]: the released row of each record, as the table has it."""
        return self.table.own

    @cached_property
    def rows(self) -> tuple[I8, I8]:
        """The released rows of each class: where each class begins, and the rows, class by class."""
        order = np.argsort(self.table.of_row, kind="stable")
        return prefix_sums(self.table.size), order

    def as_if_inside(self, inside: "MixedView", rng: np.random.Generator) -> "MixedView":
        """The same people, who are not in the release, each with a row that could have been theirs.

        Of the rows that fit all quasi-identifiers it is the one that shows most items of the basket in some form; of
        several, one is drawn. See `TableView.as_if_inside`.
        """
        class_start, rows_by_class = self.rows
        own_row = np.full(len(self.table.own), -1, dtype=np.int64)
        records = np.arange(len(own_row), dtype=np.int64)
        for block, record_index, class_ids in find_fitting_classes(self.table, records):
            cuts = np.searchsorted(record_index, np.arange(block.stop - block.start + 1))
            for record, (first, end) in enumerate(pairwise(cuts.tolist()), block.start):
                if first == end:
                    continue
                _, rows = take_rows(class_start, rows_by_class, class_ids[first:end])
                shown_counts = self._count_shown_items(record, rows)
                own_row[record] = rng.choice(rows[shown_counts == shown_counts.max()])
        return replace(self, table=replace(self.table, own=own_row, row_person=inside.table.person_of_row))

    def _count_shown_items(self, record: int, rows: I8) -> I8:
        """How many items of a record's basket, that are not sensitive, each of some rows shows in some form."""
        items = self.items[self.start[record] : self.start[record + 1]]
        items = items[~np.isin(items, list(self.sensitive))]
        entry_start, entries = take_rows(self.shown, self.entries, rows)
        entry_index, item_index = np.nonzero(self.covers[entries][:, items])
        width = max(len(items), 1)
        row_and_item = np.unique(row_of_entry(entry_start)[entry_index] * width + item_index)
        return np.bincount(row_and_item // width, minlength=len(rows))

    @cached_property
    def sizes(self) -> tuple[I8, I8]:
        """For each released row, how many items its basket has at least and at most."""
        width = prefix_sums(self.covers.sum(axis=1)[self.entries])
        return np.diff(self.shown), width[self.shown[1:]] - width[self.shown[:-1]]

    def sides(self, *, exempt: bool) -> tuple[Baskets, Baskets]:
        """Originals and rows by the items, and published forms, that may be known; if `exempt`, no sensitive ones."""
        number: dict[bytes, int] = {}
        codes = np.array(
            [number.setdefault(line.tobytes(), len(number)) for line in self.covers], dtype=np.int64
        )
        start, entries = distinct_lists(self.shown, codes[self.entries], len(number))
        single = self.covers.sum(axis=1) == 1
        secret = np.flatnonzero(single & self.covers[:, list(self.sensitive)].any(axis=1))
        forms, hidden_forms = tuple(map(str, range(len(number)))), frozenset(codes[secret].tolist())
        rows = Baskets("items", forms, start, entries.astype(np.int32), hidden_forms)
        names = tuple(map(str, range(self.covers.shape[1])))
        people = Baskets("items", names, self.start.copy(), self.items.copy(), self.sensitive)
        return (people.without(people.sensitive), rows.without(rows.sensitive)) if exempt else (people, rows)

    @cached_property
    def showing(self) -> U8:
        """For each list of `follows`, its rows as bits."""
        start, rows = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        if self.follows is not None:
            start, rows = self.follows[1]
        return pack_bits(rows, row_of_entry(start), len(start) - 1, len(self.shown) - 1)

    @cached_property
    def rules(self) -> list[tuple[Dependency, Dependency]]:
        """What follows from quasi-identifiers, by record, and the same by released row."""
        released = np.flatnonzero(self.table.own >= 0)
        record = np.zeros(len(self.shown) - 1, dtype=np.int64)
        record[self.table.own[released]] = released
        return [(rule, rule.some(record)) for rule in self.table.rules]


def distinct_lists(start: I8, numbers: I8, width: int) -> Lists:
    """Lists of numbers below `width`, each number once and ascending.

    >>> distinct_lists(np.array([0, 3, 3, 4]), np.array([2, 0, 2, 1]), 3)
    (array([0, 2, 2, 3]), array([0, 2, 1]))
    """
    width = max(width, 1)
    keys = np.sort(row_of_entry(start) * width + numbers)  # sorting beats np.unique here
    keys = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    return np.searchsorted(keys, np.arange(len(start)) * width), keys % width


def sort_rare_first(person: I8, thing: I8, often: I8, people: int) -> Lists:
    """What each person has, each thing once, those that the fewest rows fit first; `often` says how many do."""
    width = max(len(often), 1)
    order = np.argsort(often, kind="stable")
    rank = np.empty(len(often), dtype=np.int64)
    rank[order] = np.arange(len(often))
    keys = np.unique(person * width + rank[thing])
    sizes = np.bincount(keys // width, minlength=people)
    return prefix_sums(sizes), order[keys % width]


def number_known_items(
    values: tuple[str, ...],
    entries: Sequence[Entry],
    hierarchy: Hierarchy | None,
    *,
    generalized: bool,
    hidden: Container[str] = (),
) -> tuple[I8, I8, int]:
    """Number the things that can be known to be absent: values that are not `hidden`, or groups of them.

    Returns which one each published entry shows for certain, because all values that it may stand for belong to it;
    which one each value belongs to; both -1 where there is none; and how many things there are.
    """
    all_leaves = () if hierarchy is None else hierarchy.leaves
    names = tuple(name for name in dict.fromkeys((*all_leaves, *values)) if name not in hidden)
    thing_of_value: dict[str, str | None] = dict(zip(names, names, strict=True))
    if generalized:
        thing_of_value = dict(zip(names, next_labels(names, hierarchy), strict=True))
        item_lists = (entry for entry in entries if isinstance(entry, tuple))
        thing_of_value |= {
            leaf: "\0".join(items) for items in item_lists for leaf in items if leaf not in hidden
        }
    things = dict.fromkeys(thing for thing in thing_of_value.values() if thing is not None)
    number: dict[str | None, int] = {thing: code for code, thing in enumerate(things)}

    entry_codes = []
    for entry in entries:
        entry_things = {thing_of_value.get(leaf) for leaf in leaves_under(entry, hierarchy)}
        entry_codes.append(number.get(entry_things.pop(), -1) if len(entry_things) == 1 else -1)
    value_codes = [number.get(thing_of_value.get(value), -1) for value in values]
    return np.array(entry_codes, dtype=np.int64), np.array(value_codes, dtype=np.int64), len(number)


def _drop_gaps(start: I8, numbers: I8, width: int) -> Lists:
    """Lists of numbers below `width`, each number once, without those that are -1."""
    is_present = numbers >= 0
    return distinct_lists(prefix_sums(is_present)[start].astype(np.int64), numbers[is_present], width)
