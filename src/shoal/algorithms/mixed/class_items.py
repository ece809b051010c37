"""The last phase: the items of every class generalized on their own, and what that loses.

form : int32[width + secrets]  by code, what a class publishes an item as: a form's number, -1 for nothing at all;
       exempt items, codes from `width` on, have no form: any number from 0 on lets them stand
"""

from typing import Literal, NamedTuple, Protocol

import numpy as np

from shoal.algorithms.itemsets.coded_baskets import Coded, recoded
from shoal.algorithms.itemsets.item_cuts import find_cut, node_forms
from shoal.algorithms.itemsets.item_unions import find_groups
from shoal.algorithms.itemsets.taxonomy import Taxonomy
from shoal.algorithms.mixed.clusters import Need
from shoal.algorithms.mixed.mixed_records import Records, part_of, where
from shoal.data import Baskets
from shoal.data.lists import owners
from shoal.data.types import B1, I4, I8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.build import fanout
from shoal.kernels.itemsets.subset_loss import subset_loss
from shoal.naming import offered
from shoal.progress import Tell, nobody
from shoal.release import Forms, RecodedBaskets

__all__ = ["Cuts", "Generalizer", "Items", "Unions", "Way", "generalizer"]

Way = Literal["apriori", "pcta"]

_FANOUT = 5


class Generalizer(Protocol):
    """A maker of k^m-anonymity, as it is used inside a class."""

    forms: int
    """How many forms its numbers may name."""

    def find(self, part: Coded, need: Need, m: int) -> I4:
        """For each open item, the number of the form that these baskets publish it as."""

    def sizes(self, form: I4) -> I8:
        """For each open item, how many items its form stands for, in the hierarchy or in the data."""

    def release(self, baskets: Baskets, coded: Coded, form: I4, of: I8) -> RecodedBaskets:
        """Publish original records, those of class of[i] as form[of[i]] says."""


class Items:
    """The items of all records under one claim; what was found for a class is kept."""

    def __init__(self, records: Records, generalizer: Generalizer, need: Need, m: int) -> None:
        self._records, self._generalizer, self._need, self._m = records, generalizer, need, m
        self._known: dict[int, tuple[I4, float]] = {}

    def loss(self, nodes: I8, of: I8, tell: Tell = nobody) -> float:
        """The mean UL of all records when each class is generalized on its own; see `Merges.after`."""
        return sum(lost for _, lost in self._classes(nodes, of, tell)) / self._records.n

    def release(self, baskets: Baskets, nodes: I8, of: I8) -> RecodedBaskets:
        """Publish every class as it was found."""
        form = np.stack([found for found, _ in self._classes(nodes, of)])
        original = np.empty_like(of)
        original[self._records.local.rows] = of
        return self._generalizer.release(baskets, self._records.coded, form, original)

    def together(self, rows: I8) -> float:
        """The UL of some records if they were a class."""
        return self._found(rows)[1]

    def _classes(self, nodes: I8, of: I8, tell: Tell = nobody) -> list[tuple[I4, float]]:
        walk = np.argsort(of, kind="stable")
        ends = np.searchsorted(of[walk], np.arange(len(nodes) + 1))
        for place, node in enumerate(nodes.tolist()):
            if node not in self._known:
                self._known[node] = self._found(walk[ends[place] : ends[place + 1]])
                tell(float(ends[place + 1]) / self._records.n)
        return [self._known[node] for node in nodes.tolist()]

    def _found(self, rows: I8) -> tuple[I4, float]:
        """What a class publishes, and the sum of its records' UL."""
        part = part_of(self._records.coded, rows)
        form = np.zeros(part.width + part.secrets, dtype=np.int32)
        kept = _kept(part, self._need)
        form[part.width :][~kept.secret] = -1
        if kept.known:
            stays = np.r_[np.ones(part.width, dtype=bool), kept.secret][part.items]
            form[: part.width] = self._generalizer.find(where(part, stays), self._need, self._m)
            size = self._generalizer.sizes(form[: part.width])
        else:
            form[: part.width] = -1
            size = np.zeros(part.width, dtype=np.int64)
        known = where(part, part.items < part.width)
        return form, float(subset_loss(known.start, known.items, form, size, self._generalizer.forms))


class _Kept(NamedTuple):
    """What can be published of a class: the items that may be known, and the sensitive ones."""

    known: bool
    secret: B1


def _kept(part: Coded, need: Need) -> _Kept:
    """Leave out what `Need` forbids: known items that too few records hold, then sensitive ones that too many hold."""
    record = owners(part.start)
    secret = part.items >= part.width
    holds = np.bincount(record[~secret], minlength=part.n) > 0
    holding = int(holds.sum())
    known = holding >= need.k
    counts = np.bincount(part.items[secret] - part.width, minlength=part.secrets)
    beside = np.bincount(part.items[secret & holds[record]] - part.width, minlength=part.secrets)
    if not known:
        beside[:] = 0
    return _Kept(known, (need.l * counts <= part.n) & (need.l * beside <= holding))


class Cuts:
    """Apriori Anonymization: a cut through the hierarchy of items for every class."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._taxonomy = Taxonomy.of(hierarchy)
        self.forms = len(self._taxonomy.lo)

    def find(self, part: Coded, need: Need, m: int) -> I4:
        """See `Generalizer`."""
        return find_cut(part.weighted(), self._taxonomy, k=need.k, m=m, l=need.l, maker="bound").form

    def sizes(self, form: I4) -> I8:
        """See `Generalizer`."""
        return (self._taxonomy.hi - self._taxonomy.lo).astype(np.int64)[form]

    def release(self, baskets: Baskets, coded: Coded, form: I4, of: I8) -> RecodedBaskets:
        """See `Generalizer`."""
        row = owners(baskets.start)
        code = coded.place[baskets.items]
        node = form[of[row], code]
        exempt = code >= coded.width
        nodes = np.unique(node[(node >= 0) & ~exempt])
        shown = np.where(exempt, len(nodes) + code - coded.width, np.searchsorted(nodes, node))
        shown[node < 0] = -1
        return recoded(baskets, shown, node_forms(baskets, self._taxonomy, coded.place, nodes))


class Unions:
    """PCTA: items of a class united into sets, without a hierarchy."""

    def __init__(self, baskets: Baskets) -> None:
        self.forms = len(baskets.values)

    def find(self, part: Coded, need: Need, m: int) -> I4:
        """See `Generalizer`; a set is named by one of its members."""
        return find_groups(part.weighted(), k=need.k, m=m, l=need.l, maker="bound").of

    def sizes(self, form: I4) -> I8:
        """See `Generalizer`."""
        return np.bincount(form, minlength=len(form))[form].astype(np.int64)

    def release(self, baskets: Baskets, coded: Coded, form: I4, of: I8) -> RecodedBaskets:
        """See `Generalizer`; sets with the same members are one form, whatever classes they are of."""
        codes = form.shape[1]
        number = np.where(form >= 0, np.arange(codes), -1)  # an item alone, also an exempt one, is itself
        known: dict[bytes, int] = {}
        for c, names in enumerate(form[:, : coded.width]):
            for group in _groups(names):
                number[c, group] = codes + known.setdefault(group.tobytes(), len(known))
        row = owners(baskets.start)
        shown = number[of[row], coded.place[baskets.items]]
        used = np.unique(shown[shown >= 0])
        item = np.empty(codes, dtype=np.int32)
        item[coded.place] = np.arange(len(baskets.values))
        united = [item[np.frombuffer(group, dtype=np.int64)] for group in known]
        parts = [item[[name]] if name < codes else united[name - codes] for name in used.tolist()]
        labels = [baskets.values[part[0]] if len(part) == 1 else None for part in parts]
        forms = Forms.of_sets(labels, parts)
        return recoded(baskets, np.where(shown >= 0, np.searchsorted(used, shown), -1), forms)


def _groups(names: I4) -> list[I8]:
    """The codes of every group of several items."""
    order = np.argsort(names, kind="stable")
    cuts = np.flatnonzero(np.diff(names[order])) + 1
    return [part for part in np.split(order, cuts) if len(part) > 1 and names[part[0]] >= 0]


def generalizer(
    maker: str, way: Way | None, baskets: Baskets, hierarchy: Hierarchy | None
) -> tuple[Generalizer, Hierarchy | None]:
    """What generalizes the items of a class, and the hierarchy whose codes it takes."""
    way = way or ("pcta" if hierarchy is None else "apriori")
    if way == "apriori":
        known = hierarchy or fanout(baskets.name, _FANOUT, baskets.values)
        return Cuts(known), known
    if way == "pcta":
        return Unions(baskets), None
    raise InputError(f"{maker}: items={way!r}; {offered(way, ('apriori', 'pcta'), 'use one of')}")
