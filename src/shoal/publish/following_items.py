"""What follows from items: columns beside baskets that whoever knows an item of a person knows too.

A column follows from an item where nearly all who hold the item have one value of the column, or one of those values
whose holders hold the item, and where that is no chance. Either dealing out values at random would hardly ever give
it, with the error rate of Benjamini and Hochberg among all pairs of an item and a value; or so many items tell the
column that dealing out values would make only a small part of them do so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # its parts come when they are used

from shoal.data import Baskets, Column
from shoal.data.arrays import B1, F8, I8, owners, runs
from shoal.publish.following import sure_of
from shoal.release import RecodedBaskets
from shoal.utility import class_ids

__all__ = ["ItemRule", "ItemSources", "item_rules", "rows_left"]

_CHANCE = 0.002  # of what is taken for a rule may be chance
_SEVERAL, _SHARE = 5, 0.05  # items that seem to tell; of so many, such a part may do so by chance
_PAIRS = 30_000_000  # pairs of items in rows that are counted


@dataclass(frozen=True, slots=True)
class ItemRule:
    """A column that follows from some items.

    items  : int64, ascending; one entry for each value that is expected with an item
    values : int64, the code of the value
    """

    column: Column
    items: I8
    values: I8

    def expected(self, items: I8, values: I8) -> B1:
        """Whether each value is one that the item beside it tells."""
        width = len(self.column.values)
        return np.isin(items * width + values, self.items * width + self.values)


def item_rules(baskets: Baskets, columns: Sequence[Column], secret: Sequence[int] = ()) -> list[ItemRule]:
    """The columns that follow from an item; nobody knows those items that are `secret`."""
    person = owners(baskets.start)
    open_items = ~np.isin(baskets.items, np.asarray(secret, dtype=np.int64))
    person, items = person[open_items], baskets.items[open_items].astype(np.int64)
    rules = (_rule(column, person, items, len(baskets.values)) for column in columns)
    return [rule for rule in rules if len(rule.items)]


def _rule(column: Column, person: I8, items: I8, width: int) -> ItemRule:
    values, n, sure = len(column.values), len(column.codes), sure_of([column])
    people, held = np.bincount(column.codes, minlength=values), np.bincount(items, minlength=width)
    pairs, both = np.unique(items * values + column.codes[person], return_counts=True)
    item, value = pairs // values, pairs % values
    one = (_gain(both, held[item], people[value], n) >= sure) & (held[item] > 1)
    chance = np.where(one, _chance(both, held[item], people[value], n), 1.0)
    most = 2 * both > people[value]  # the values whose holders hold the item, as far as one guesses
    with_it = np.bincount(item[most], both[most], width).astype(np.int64)
    of_them = np.bincount(item[most], people[value[most]], width).astype(np.int64)
    wrong, blind = held - with_it + of_them - with_it, np.minimum(held, n - held)
    several = (blind > 1) & (blind - wrong >= sure * blind) & (of_them < n)
    by_set = np.where(several, _chance(with_it, held, of_them, n), 1.0)
    limit = _limit(np.concatenate([chance, by_set]), len(pairs) + width)
    many = held >= _least_held(np.unique(item[one]), held, people, n, sure)
    found = (((chance <= limit) | many[item]) & one) | (((by_set <= limit) & several)[item] & most)
    return ItemRule(column, item[found], value[found])


def _least_held(telling: I8, held: I8, people: I8, n: int, sure: float) -> int:
    """How many people must hold an item so that, of the items so common that seem to tell, few do so by chance."""
    sizes, of = np.unique(held, return_inverse=True)
    base = people[None, :] / n
    needed = np.ceil(sizes[:, None] * (base + sure * (1 - base)) - 1e-9).astype(np.int64)
    wide = np.broadcast_to(sizes[:, None], needed.shape)
    alike = _chance(needed, wide, np.broadcast_to(people[None, :], needed.shape), n).sum(axis=1)
    for place in np.flatnonzero(sizes > 1):
        among = int((held[telling] >= sizes[place]).sum())
        by_chance = float(np.minimum(alike, 1.0)[of[held >= sizes[place]]].sum())
        if among >= _SEVERAL and by_chance <= _SHARE * among:
            return int(sizes[place])
    return n + 1


def _gain(both: I8, held: I8, people: I8, n: int) -> F8:
    """The share of wrong guesses that knowing an item avoids, of one value of a column."""
    base = people / n
    return np.asarray((both / held - base) / np.maximum(1 - base, 1 / (2 * n)))


def _chance(both: I8, held: I8, people: I8, n: int) -> F8:
    """At most how likely so many of the holders of an item have a value by chance: a hypergeometric tail."""
    more = np.minimum(held, people) - both + 1
    logs = _choose(people, both) + _choose(n - people, held - both) - _choose(np.full_like(held, n), held)
    return np.asarray(np.minimum(more * np.exp(logs), 1.0))


def _choose(n: I8, k: I8) -> F8:
    """The logarithm of n over k."""
    log = scipy.special.gammaln
    return np.asarray(np.where((k >= 0) & (k <= n), log(n + 1.0) - log(k + 1.0) - log(n - k + 1.0), -np.inf))


def _limit(chances: F8, tried: int) -> float:
    """The highest chance that is still taken for a rule."""
    line = np.sort(chances)
    under = line <= _CHANCE * np.arange(1, len(line) + 1) / max(tried, 1)
    return float(line[under][-1]) if under.any() else -1.0


@dataclass(frozen=True)
class ItemSources:
    """Released items beside the baskets that they stem from."""

    baskets: Baskets
    release: RecodedBaskets

    @cached_property
    def sets(self) -> I8:
        """For each form, a number that is equal where leaf sets are."""
        return self.release.forms.sets()

    @cached_property
    def form(self) -> I8:
        """The form of each published item."""
        return self.sets[self.release.items]

    @cached_property
    def row(self) -> I8:
        """The row of each published item."""
        return owners(self.release.start)

    def own_forms(self, row: I8, item: I8) -> tuple[I8, I8]:
        """In which form each row publishes an item of its person: the place among those given, and the form."""
        forms = self.release.forms
        kept = np.isin(forms.leaves, item)
        pairs = np.unique(
            np.stack([forms.leaves[kept], self.sets[owners(forms.start)[kept]]], axis=1), axis=0
        )
        first, last = (np.searchsorted(pairs[:, 0], item, side=side) for side in ("left", "right"))
        place = np.repeat(np.arange(len(item)), last - first)
        own = pairs[runs(first, last - first), 1].astype(np.int64)
        width = len(self.sets)
        there = np.isin(row[place] * width + own, self.row * width + self.form)
        return place[there], own[there]

    def alike(self, rules: Sequence[ItemRule], kind: I8, value: I8, told: I8, item: I8, own: I8) -> I8:
        """How many rows of a row's kind publish the form of a telling item and one of the values that it tells."""
        if len(rules) != 1:
            return _times(value[self.row], self.form, value[told], own)
        (rule,) = rules
        codes, width = rule.column.codes[self.release.rows].astype(np.int64), len(rule.column.values)
        first, last = (np.searchsorted(rule.items, item, side=side) for side in ("left", "right"))
        place = np.repeat(np.arange(len(item)), last - first)
        asked = kind[told][place] * width + rule.values[runs(first, last - first)]
        many = _times(kind[self.row] * width + codes[self.row], self.form, asked, own[place])
        return np.bincount(place, many, len(item)).astype(np.int64)


def rows_left(
    rules: Sequence[ItemRule], held: ItemSources, kind: I8, m: int, secret: Sequence[int] = ()
) -> I8:
    """For each released row, the fewest rows that whoever knows up to m items of its person is left with.

    `kind` numbers the rows by what else is known; without a rule, items are looked at beside that alone. Of further
    items one is looked at, where pairs are not too many. Where no item tells a column rightly, all rows are left.
    """
    release, rows = held.release, held.release.rows
    least = np.full(len(rows), len(rows) + 1, dtype=np.int64)
    for some in _subsets(rules, len(held.baskets.values)):
        told, item = _told(some, held.baskets, rows, secret)
        place, own = held.own_forms(told, item)
        told, item = told[place], item[place]
        value = class_ids([kind, *(rule.column.codes[rows] for rule in some)])
        np.minimum.at(least, told, held.alike(some, kind, value, told, item, own))
        if m > 1:
            np.minimum.at(least, *_with_another(value, held.row, held.form, told, own, release.start))
    return least


def _subsets(rules: Sequence[ItemRule], width: int) -> list[tuple[ItemRule, ...]]:
    """Each rule alone, and all those together that some item makes known together; none where there is none."""
    if not rules:
        return [()]
    of = np.stack([np.isin(np.arange(width), rule.items) for rule in rules])
    found: set[tuple[int, ...]] = {(place,) for place in range(len(rules))}
    found |= {tuple(np.flatnonzero(line).tolist()) for line in np.unique(of.T, axis=0) if line.any()}
    return [tuple(rules[place] for place in some) for some in sorted(found)]


def _told(rules: Sequence[ItemRule], baskets: Baskets, rows: I8, secret: Sequence[int]) -> tuple[I8, I8]:
    """Released rows, and known items of their persons that tell all columns of some rules rightly."""
    size = baskets.start[rows + 1] - baskets.start[rows]
    row = np.repeat(np.arange(len(rows)), size)
    item = baskets.items[runs(baskets.start[rows], size)].astype(np.int64)
    right = ~np.isin(item, np.asarray(secret, dtype=np.int64))
    for rule in rules:
        right &= rule.expected(item, rule.column.codes[rows[row]].astype(np.int64))
    return row[right], item[right]


def _with_another(value: I8, row: I8, form: I8, told: I8, own: I8, start: I8) -> tuple[I8, I8]:
    """How many rows with the same values publish the form of a telling item and one more form of the row."""
    telling = np.isin(form, own)
    size = np.diff(start)[row[telling]]
    if not len(told) or size.sum() > _PAIRS:
        return told[:0], told[:0]
    beside = form[runs(start[row[telling]], size)]
    of, one = np.repeat(row[telling], size), np.repeat(form[telling], size)
    width = int(form.max(initial=0)) + 1
    line = np.isin(of * width + one, told * width + own)
    pair = one * width + beside
    return of[line], _times(value[of], pair, value[of[line]], pair[line])


def _times(first: I8, second: I8, asked: I8, beside: I8) -> I8:
    """How often two numbers stand together, for each pair that is asked for."""
    both = class_ids([np.concatenate([first, asked]), np.concatenate([second, beside])])
    counts = np.bincount(both[: len(first)], minlength=int(both.max(initial=-1)) + 1)
    return np.asarray(counts[both[len(first) :]])
