"""Several releases of the same baskets: every item of a record with the labels that it has in each of them.

Whoever knows an item of a person knows what stands for it in each release. So the releases tell exactly as much as one
in which every item has its labels of all releases side by side, and that is what is judged; see `several.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.data import Baskets
from shoal.data.lists import owners, take
from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.privacy.lookalikes import group
from shoal.privacy.several import MISSING, labels_of
from shoal.release import Forms, PublishedBaskets

__all__ = ["HeldItems", "SideBySide"]

_PAIRS = 1 << 22  # pairs of a record and an item looked at together
_AWAY = MISSING - 1  # of an item whose record is not in a release; MISSING: it was left out of its record


@dataclass(frozen=True, slots=True, repr=False)
class HeldItems(Discreet):
    """The items of one release.

    rows         : int64[n]  the original record of each row
    start, items : row i publishes the places items[start[i] : start[i + 1]] of `forms`
    forms        : what is published, and the item codes each form stands for
    """

    rows: I8
    start: I8
    items: I4
    forms: Forms


@dataclass(frozen=True)
class SideBySide:
    """The items of original baskets, each with its labels in all releases; every label must be true."""

    baskets: Baskets
    releases: tuple[HeldItems, ...]

    @cached_property
    def _labels(self) -> list[I8]:
        """For each release, what stands for each item of each record: equal numbers are equal sets of leaves."""
        return [self._labels_in(release) for release in self.releases]

    @cached_property
    def numbers(self) -> I8:
        """For each item of each record, one number for its labels in all releases; `MISSING` where none shows it."""
        number = group(self._labels)[0]
        shown = np.logical_or.reduce([labels >= 0 for labels in self._labels])
        return np.where(shown, number, MISSING)

    def published(self, place: int, sensitive: frozenset[int] = frozenset()) -> PublishedBaskets:
        """The rows of one release as a judge sees them who holds the others too.

        `sensitive` are the codes of the items that this release calls so; another may call others so.
        """
        start, numbers = take(self.baskets.start, self.numbers, self.releases[place].rows)
        width = int(self.numbers.max(initial=0)) + 1
        pairs = np.unique((owners(start) * width + numbers)[numbers >= 0])
        sizes = np.bincount(pairs // width, minlength=len(start) - 1)
        secret = np.isin(self.baskets.items, list(sensitive)) & (self.numbers >= 0)
        return PublishedBaskets(
            np.r_[0, np.cumsum(sizes)].astype(np.int64),
            pairs % width,
            frozenset(np.unique(self.numbers[secret]).tolist()),
            self._covers,
        )

    @cached_property
    def _covers(self) -> Mapping[str, frozenset[int]]:
        """For each item, the numbers whose labels may all stand for it."""
        inside = [
            _leaves_by_label(release, labels, self)
            for release, labels in zip(self.releases, self._labels, strict=True)
        ]
        found: dict[str, set[int]] = {}
        for number, at in zip(*np.unique(self.numbers, return_index=True), strict=True):
            sets = [
                held[int(labels[at])]
                for held, labels in zip(inside, self._labels, strict=True)
                if labels[at] >= 0
            ]
            for code in frozenset.intersection(*sets) if sets else ():
                found.setdefault(self.baskets.values[code], set()).add(int(number))
        return {item: frozenset(held) for item, held in found.items()}

    def _labels_in(self, release: HeldItems) -> I8:
        there = np.zeros(self.baskets.n, dtype=bool)
        there[release.rows] = True
        labels = labels_of(np.arange(len(self.baskets.items)), *self._covering(release))
        return np.where(there[owners(self.baskets.start)], labels, _AWAY)

    def _covering(self, release: HeldItems) -> tuple[I8, I8]:
        """Pairs of an item of a record, by its place, and a form of the record's row that stands for it."""
        width = max(len(self.baskets.values), 1)
        held = owners(self.baskets.start) * width + self.baskets.items  # rising, as items do within a record
        sets, row = release.forms.sets(), owners(release.start)
        places, kinds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for low, high in _blocks(np.diff(release.forms.start)[release.items]) if len(held) else ():
            begin, leaf = take(release.forms.start, release.forms.leaves, release.items[low:high])
            which = owners(begin) + low
            key = release.rows[row[which]] * width + leaf
            at = np.minimum(np.searchsorted(held, key), len(held) - 1)
            fits = held[at] == key
            places.append(at[fits])
            kinds.append(sets[release.items[which[fits]]])
        return np.concatenate(places), np.concatenate(kinds)


def _leaves_by_label(release: HeldItems, labels: I8, items: SideBySide) -> dict[int, frozenset[int]]:
    """For each label of a release, the items that it may stand for."""
    places, kinds = items._covering(release)
    forms = release.forms
    by_set = {
        number: frozenset(forms.leaves[a:b].tolist())
        for number, a, b in zip(
            forms.sets().tolist(), forms.start[:-1].tolist(), forms.start[1:].tolist(), strict=True
        )
    }
    found: dict[int, frozenset[int]] = {}
    for label, kind in zip(labels[places].tolist(), kinds.tolist(), strict=True):
        found[label] = found.get(label, frozenset()) | by_set[kind]
    return found


def _blocks(width: I8) -> list[tuple[int, int]]:
    """Entries low .. high-1 that stand for few enough items together."""
    ends = np.cumsum(width)
    cuts = np.searchsorted(ends, np.arange(_PAIRS, int(ends[-1]) if len(ends) else 0, _PAIRS))
    edges = np.unique(np.r_[0, cuts, len(width)])
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
