"""Released record trees beside their originals, as whoever knows some values and relations of a person sees both."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from shoal.attacks.background import (
    Absences,
    Background,
    Lists,
    find_covering_entries,
    pack_bits,
    stack_padded,
    transpose,
    union_bits,
)
from shoal.attacks.view_items import FactView, number_known_items, sort_rare_first
from shoal.data import Trees
from shoal.data.arrays import I4, I8, U8, concatenate_ranges, index_of, prefix_sums, row_of_entry, take_rows
from shoal.data.spelling import normalize_value
from shoal.data.trees import ancestry
from shoal.hierarchy import Hierarchies

__all__ = ["TreeView", "_list_value_relations"]


@dataclass(frozen=True, repr=False)
class TreeView(FactView):
    """Released trees beside their originals.

    original    : the trees of all people
    released    : the published trees
    hierarchies : by field, what published values stand for; values of other fields stand for themselves
    own         : int64[people], the released row of each person, or one that equals it; -1 where it was suppressed
    hidden      : the field whose values nobody knows, None where there is none
    negations   : fields of which the attackers of the claim may know what a person lacks, in published values
    often       : up to how many nodes alike somebody may know; None: whether there are any. Then facts are exact where
                  values are published in one form each and at most one relation is known; else, more rows may fit
    """

    original: Trees
    released: Trees
    hierarchies: Hierarchies
    own: I8
    hidden: str | None = None
    negations: tuple[str, ...] = ()
    often: int | None = None

    @property
    def _rows(self) -> tuple[I8, I4, int]:
        return self.released.start, self.released.items, len(self.released.values)

    def knowledge(self, m: int, n: int = 0) -> str:
        """So many values of a person, and relations among them, in words."""
        relations = f" and {n} relation{'s' if n > 1 else ''} among them" if n else ""
        subject = f"any {m} {'value' if self.often is None else 'node'}{'s' if m > 1 else ''} of a person"
        return f"{subject}{relations}" if self.often is None else f"{subject}, equal ones counted,{relations}"

    @cached_property
    def claim_background(self) -> Background:
        """What can be known of each person: values that are not sensitive, and which of them stand above which."""
        lines, of_thing, (person, thing_id), links = self._facts
        lacks, values = self._lacks, len(of_thing)
        bits = stack_padded([lines, links.lines, lacks[0]], self.n)
        first_lack = len(lines) + len(links.lines)
        of_thing = np.r_[of_thing, first_lack + np.arange(len(lacks[0]))]  # what may be lacked comes last
        often = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)[of_thing]
        has = np.r_[person, lacks[1]], np.r_[thing_id, lacks[2] + values]
        start, ordered_ids = sort_rare_first(*has, often, len(self.own))
        facts, squares = of_thing[ordered_ids], self._squares(start, ordered_ids, links, len(lines))
        base = (
            None
            if self.often is None
            else np.where(ordered_ids < values, facts - ordered_ids % self.often, facts)
        )
        return Background(start, facts, bits, *squares, base=base)

    @property
    def _facts(self) -> tuple[U8, I8, tuple[I8, I8], "_Links"]:
        """Lines of facts, the fact of each thing, every person with each thing, and relations: of values, or nodes."""
        if self.often is None:
            return self._lines, self._fact_of, self._visible_values, self._links
        lines = self._lines_of_nodes
        return lines, np.arange(len(lines)), self._visible_nodes, self._node_links

    @property
    def _open_background(self) -> Background:
        return self.claim_background

    @cached_property
    def _secret_facts(self) -> tuple[U8, I8, I8]:
        """Values of the hidden field, where rows show them."""
        published_words = spellings(self.released, self.hidden)
        original_words = spellings(self.original, self.hidden)
        number_of_word = {
            word: number
            for number, word in enumerate(sorted({*published_words.values()} & {*original_words.values()}))
        }
        row, fact = _values_by_record(
            self.released, _encode_words(len(self.released.values), published_words, number_of_word)
        )
        secret = _encode_words(len(self.original.values), original_words, number_of_word)
        return pack_bits(row, fact, len(number_of_word), self.n), *_values_by_record(self.original, secret)

    @cached_property
    def as_published(self) -> "TreeView":
        """The same where people are known by the values that their own rows publish, as they stand there."""
        published = self.released.take(np.maximum(self.own, 0))
        return replace(self, original=published, hierarchies={}, negations=())

    def absent(self, *, generalized: bool) -> Absences:
        """Values, or groups of values, that people may be known not to have."""
        of_shown = np.full(len(self.released.values), -1, dtype=np.int64)
        of_mine = np.full(len(self.original.values), -1, dtype=np.int64)
        width = 0
        for name in self.original.classes:
            if name == self.hidden:
                continue
            tree, (original_codes, values) = (
                self.hierarchies.get(name),
                _select_class_values(self.original, name),
            )
            published_codes, labels = _select_class_values(self.released, name)
            of_entry, of_value, group_count = number_known_items(
                values, labels, tree, generalized=generalized
            )
            of_shown[published_codes] = np.where(of_entry < 0, -1, of_entry + width)
            of_mine[original_codes] = np.where(of_value < 0, -1, of_value + width)
            width += group_count
        return Absences(
            _group_by_record(self.released, of_shown), _group_by_record(self.original, of_mine), width
        )

    def lines_by_number(self, of_row: I8) -> tuple[U8, I8]:
        """A number that each row has: for each that occurs the rows that have it, and the one of each person's row."""
        kinds, kind_of_row = np.unique(of_row, return_inverse=True)
        kind_of_row = np.append(kind_of_row, 0).astype(np.int64)  # the last one is for whoever has no row
        return pack_bits(np.arange(self.n), kind_of_row[:-1], len(kinds), self.n), kind_of_row[self.own]

    @property
    def nodes(self) -> I8:
        """How many nodes each row has."""
        return np.diff(self.released.start)

    @property
    def fan_out(self) -> I8:
        """How many nodes stand under the root of each row, or under the node that has most."""
        row = row_of_entry(self.released.start)
        parent = np.where(self.released.parents < 0, -1, self.released.start[row] + self.released.parents)
        most = np.bincount(row[parent < 0], minlength=self.n)
        child_counts = np.bincount(parent[parent >= 0], minlength=len(row))
        np.maximum.at(most, row, child_counts)
        return most

    @property
    def visits(self) -> list[I8]:
        """How many nodes of each field each row has."""
        row, kind = row_of_entry(self.released.start), self.released.kinds[self.released.items]
        fields = (number for number, name in enumerate(self.released.classes) if name != self.hidden)
        return [np.bincount(row[kind == field], minlength=self.n) for field in fields]

    @cached_property
    def _covers(self) -> Lists:
        """For each value of the originals, the published values that stand for it."""
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for name in self.original.classes:
            if name == self.hidden:
                continue
            original_codes, values = _select_class_values(self.original, name)
            published_codes, labels = _select_class_values(self.released, name)
            start, entries = find_covering_entries(labels, values, self.hierarchies.get(name))
            pairs.append(np.stack([original_codes[row_of_entry(start)], published_codes[entries]], axis=1))
        matches = np.concatenate(pairs)
        matches = matches[np.lexsort((matches[:, 1], matches[:, 0]))]
        sizes = np.bincount(matches[:, 0], minlength=len(self.original.values))
        return prefix_sums(sizes), matches[:, 1]

    @cached_property
    def _counts(self) -> tuple[tuple[I8, I8, I8], tuple[I8, I8, I8]]:
        """For each fact, the rows with nodes that fit it, and the people with nodes of such values; and how many."""
        start, labels = take_rows(*self._covers, self._first)
        width = max(len(self._first), 1)
        of_label = transpose((start, labels), len(self.released.values))
        begin, fact = take_rows(*of_label, self.released.items.astype(np.int64))
        row_keys = row_of_entry(self.released.start)[row_of_entry(begin)] * width + fact
        own_facts = self._fact_of[self.original.items]
        has = row_of_entry(self.original.start)[own_facts >= 0] * width + own_facts[own_facts >= 0]
        key_counts = [np.unique(keys, return_counts=True) for keys in (row_keys, has)]
        rows, people = ((keys // width, keys % width, counts.astype(np.int64)) for keys, counts in key_counts)
        return rows, people

    @cached_property
    def _lines_of_nodes(self) -> U8:
        """For each fact, as many lines as nodes may be known: the rows in which 1, 2, .. nodes at least fit it."""
        row, line = self._expand_lines(*self._counts[0])
        return pack_bits(row, line, len(self._first) * (self.often or 1), self.n)

    @cached_property
    def _visible_nodes(self) -> tuple[I8, I8]:
        """Every person with each line of nodes that the person has and the person's own row shows."""
        person, line = self._expand_lines(*self._counts[1])
        visible = self._fits_own_row(person, line, self._lines_of_nodes)
        return person[visible], line[visible]

    def _expand_lines(self, owner: I8, fact: I8, many: I8) -> tuple[I8, I8]:
        """Rows or people, each with the lines of the nodes that it has of a fact, as far as nodes may be known."""
        often = self.often or 1
        up_to = np.minimum(many, often)
        return np.repeat(owner, up_to), np.repeat(fact * often, up_to) + concatenate_ranges(
            np.zeros_like(up_to), up_to
        )

    @cached_property
    def _node_links(self) -> "_Links":
        """The same relations, among all nodes that a row shows of both facts: of nodes alike, it may be any."""
        often, links = self.often or 1, self._links
        ends = links.person, self._fact_of[links.high], self._fact_of[links.low], links.link
        person, high, low, link = np.unique(np.stack(ends), axis=1)
        visible_nodes, width = self._visible_nodes, len(self._lines_of_nodes)
        visible_keys = visible_nodes[0] * width + visible_nodes[1]
        parts = [(person[:0],) * 4]
        for upper_rank, lower_rank in product(range(often), repeat=2):
            upper_node, lower_node = high * often + upper_rank, low * often + lower_rank
            is_linked = np.isin(person * width + upper_node, visible_keys) & np.isin(
                person * width + lower_node, visible_keys
            )
            parts.append((person[is_linked], upper_node[is_linked], lower_node[is_linked], link[is_linked]))
        return _Links(links.lines, *(np.concatenate(part) for part in zip(*parts, strict=True)))

    @cached_property
    def _lacks(self) -> tuple[U8, I8, I8]:
        """Published values that may be known to be lacked: the rows that lack each, and every person with each."""
        by_field = [_select_class_values(self.released, name)[0] for name in self.negations]
        values = np.concatenate([np.zeros(0, dtype=np.int64), *by_field])
        everyone = pack_bits(np.arange(self.n), np.zeros(self.n, dtype=np.int64), 1, self.n)
        lines = np.asarray(everyone & ~self._shows[values])
        start, labels = take_rows(*self._covers, self.original.items.astype(np.int64))
        has = np.zeros((len(self.own), len(self.released.values)), dtype=bool)
        has[row_of_entry(self.original.start)[row_of_entry(start)], labels] = True
        person, value = np.nonzero(~has[:, values] & (self.own >= 0)[:, None])
        return lines, person, value

    @cached_property
    def _visible_values(self) -> tuple[I8, I8]:
        """Every person with each value that the person's own row shows in some form; both may repeat."""
        person, value = row_of_entry(self.original.start), self.original.items.astype(np.int64)
        visible = self._fits_own_row(person, self._fact_of[value], self._lines)
        return person[visible], value[visible]

    @cached_property
    def _links(self) -> "_Links":
        """Relations of values that a row shows."""
        width = max(len(self._first), 1)
        person, high, low = _list_value_relations(self.original)
        upper, lower = self._fact_of[high], self._fact_of[low]
        is_known = (upper >= 0) & (lower >= 0)
        kinds, link = np.unique(upper[is_known] * width + lower[is_known], return_inverse=True)
        row, upper_value, lower_value = _list_value_relations(self.released)
        published_links, link_of_row = np.unique(
            upper_value * len(self.released.values) + lower_value, return_inverse=True
        )
        lines = pack_bits(row, link_of_row.astype(np.int64), len(published_links), self.n)
        lines = union_bits(lines, *self._find_shown_links(kinds // width, kinds % width, published_links))
        positions = np.flatnonzero(is_known)
        visible = self._fits_own_row(person[positions], link, lines)
        return _Links(
            lines,
            person[positions[visible]],
            high[positions[visible]],
            low[positions[visible]],
            link[visible].astype(np.int64),
        )

    def _find_shown_links(self, upper: I8, lower: I8, shown: I8) -> Lists:
        """For each relation of facts, those published relations that stand for it, as places in `shown`."""
        upper_start, upper_values = take_rows(*self._covers, self._first[upper])
        lower_start, lower_values = take_rows(*self._covers, self._first[lower])
        wide = np.diff(lower_start)[row_of_entry(upper_start)]  # each value above is paired with all below
        pair = np.repeat(np.arange(len(upper_values)), wide)
        relation = row_of_entry(upper_start)[pair]
        inside = np.arange(len(pair)) - (np.cumsum(wide) - wide)[pair]
        keys = upper_values[pair] * len(self.released.values) + lower_values[lower_start[relation] + inside]
        position = index_of(shown, keys)
        sizes = np.bincount(relation[position >= 0], minlength=len(upper))
        return prefix_sums(sizes), position[position >= 0]

    def _squares(self, start: I8, things: I8, links: "_Links", first: int) -> tuple[I8, I8]:
        """For each person a square of what can be known: the relation of each two; see `Background`.

        Lines of relations begin with the `first`.
        """
        sizes, width = np.diff(start), int(things.max(initial=0)) + 1
        square = prefix_sums(sizes**2)
        related = np.full(int(square[-1]), -1, dtype=np.int64)
        keys = row_of_entry(start) * width + things
        order = np.argsort(keys)
        ends = (links.person * width + value for value in (links.high, links.low))
        positions = [order[np.searchsorted(keys[order], end)] - start[links.person] for end in ends]
        cell = np.minimum(*positions) * sizes[links.person] + np.maximum(*positions)
        related[square[links.person] + cell] = links.link + first
        return square[:-1], related


@dataclass(frozen=True, slots=True)
class _Links:
    """Relations of facts, and who has them.

    lines            : the rows that show each relation
    person           : every person with each relation of values that the person's own row shows
    high, low, link  : the values, and the relation of facts that it is
    """

    lines: U8
    person: I8
    high: I8
    low: I8
    link: I8


# Values of record trees: by record, by field, and which stand above which.


def _list_value_relations(trees: Trees) -> tuple[I8, I8, I8]:
    """Records, each with every two values of which the first stands above the second."""
    record = row_of_entry(trees.start)
    none = np.zeros(0, dtype=np.int64)
    parts = [(none, none, none)]
    if len(trees.items):
        for low, high in ancestry(trees.start, trees.parents):
            parts.append((record[low], trees.items[high].astype(np.int64), trees.items[low].astype(np.int64)))
    records, upper_values, lower_values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return records, upper_values, lower_values


def _select_class_values(trees: Trees, name: str) -> tuple[I8, tuple[str, ...]]:
    """The values of one field: their numbers and their texts."""
    if name not in trees.classes:
        return np.zeros(0, dtype=np.int64), ()
    items = np.flatnonzero(trees.kinds == trees.classes.index(name))
    return items, tuple(trees.values[item] for item in items.tolist())


def spellings(trees: Trees, name: str | None) -> dict[int, str]:
    """The values of one field in one spelling, by their numbers."""
    items, texts = (
        _select_class_values(trees, name) if name is not None else (np.zeros(0, dtype=np.int64), ())
    )
    return dict(zip(items.tolist(), map(normalize_value, texts), strict=True))


def _encode_words(values: int, words: dict[int, str], place: dict[str, int]) -> I8:
    """For each of so many values the number of its word, -1 where it has none."""
    numbers = np.full(values, -1, dtype=np.int64)
    for item, word in words.items():
        numbers[item] = place.get(word, -1)
    return numbers


def _values_by_record(trees: Trees, of_value: I8) -> tuple[I8, I8]:
    """Records, ascending, each with the numbers of its values, each once; values without a number are left out."""
    numbers = of_value[trees.items]
    is_present = numbers >= 0
    width = max(int(of_value.max(initial=-1)) + 1, 1)
    keys = np.unique(row_of_entry(trees.start)[is_present] * width + numbers[is_present])
    return keys // width, keys % width


def _group_by_record(trees: Trees, of_value: I8) -> Lists:
    """For each record the numbers of its values, each once; see `held`."""
    record, numbers = _values_by_record(trees, of_value)
    return prefix_sums(np.bincount(record, minlength=trees.n)), numbers
