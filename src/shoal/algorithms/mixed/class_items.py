"""The last phase: the items of every class generalized on their own, and what that loses.

form : int32[width + secrets]  by code, what a class publishes an item as: a form's number, -1 for nothing at all;
       exempt items, codes from `width` on, have no form: any number from 0 on lets them stand
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

import numpy as np

from shoal.algorithms.itemsets._kernels.unions import FOCUSED, THOROUGH
from shoal.algorithms.itemsets.item_cuts import (
    ItemCodes,
    SupportRequirement,
    Taxonomy,
    count_holders,
    find_cut,
    publish_cuts,
    recode_items,
)
from shoal.algorithms.itemsets.pcta import find_groups, utility_group_of, weights_of_items
from shoal.algorithms.mixed._kernels import subset_loss
from shoal.algorithms.mixed.clusters import MixedRecords
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.naming import suggest_name
from shoal.base.progress import Tell, no_share
from shoal.data import Baskets
from shoal.data.arrays import F8, I4, I8, prefix_sums, row_of_entry
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import fanout
from shoal.release import PublishedValues, RecodedBaskets

__all__ = ["ItemRules", "Items", "Way", "hierarchy_for", "make_generalizer"]

Way = Literal["apriori", "pcta", "coat"]

_FANOUT = 5


@dataclass(frozen=True, slots=True)
class ItemRules:
    """How the items of a class are generalized and what that costs, as the user asks for it; see `bound`."""

    way: Way | None = None
    utility: Sequence[Sequence[str]] | None = None
    suppress: float = 0.0
    weights: Mapping[str, float] | None = None


class Items:
    """The items of all records under one claim; what was found for a class is kept."""

    def __init__(
        self,
        records: MixedRecords,
        generalizer: "Cuts | Unions",
        need: SupportRequirement,
        m: int,
        whole: int,
    ) -> None:
        self._records, self._generalizer, self._need, self._m = records, generalizer, need, m
        self._whole = whole  # what is left out may be any of so many items
        self._known: dict[int, tuple[I4, float]] = {}

    def loss(self, nodes: I8, of: I8, tell: Tell = no_share) -> float:
        """The mean UL of all records when each class is generalized on its own; see `Merges.after`.

        Where a class cannot be, as when too little may be united, it is infinite; to publish it says why.
        """
        try:
            return sum(class_loss for _, class_loss in self._classes(nodes, of, tell)) / self._records.n
        except InfeasibleError:
            return inf

    def release(self, baskets: Baskets, nodes: I8, of: I8) -> RecodedBaskets:
        """Publish every class as it was found."""
        form = np.stack([class_form for class_form, _ in self._classes(nodes, of)])
        original = np.empty_like(of)
        original[self._records.local.rows] = of
        return self._generalizer.release(baskets, self._records.item_codes, form, original)

    def together(self, rows: I8) -> float:
        """The UL of some records if they were a class; infinite where they cannot be one."""
        try:
            return self._publish_items(rows)[1]
        except InfeasibleError:
            return inf

    def _classes(self, nodes: I8, of: I8, tell: Tell = no_share) -> list[tuple[I4, float]]:
        walk = np.argsort(of, kind="stable")
        ends = np.searchsorted(of[walk], np.arange(len(nodes) + 1))
        for index, node in enumerate(nodes.tolist()):
            if node not in self._known:
                self._known[node] = self._publish_items(walk[ends[index] : ends[index + 1]])
                tell(float(ends[index + 1]) / self._records.n)
        return [self._known[node] for node in nodes.tolist()]

    def _publish_items(self, rows: I8) -> tuple[I4, float]:
        """What a class publishes, and the sum of its records' UL.

        What `SupportRequirement` forbids is left out: known items that too few records hold, then sensitive ones that
        too many hold.
        """
        part = self._records.item_codes.take(rows)
        form = np.zeros(part.width + part.secrets, dtype=np.int32)
        (n,), (holder_count,), (secret_counts,), (joint_count,) = count_holders(part)
        is_known = holder_count >= self._need.k  # else what may be known is left out
        is_published = (self._need.l * secret_counts <= n) & (
            self._need.l * joint_count <= holder_count if is_known else True
        )
        form[part.width :][~is_published] = -1
        if is_known:
            published_part = part.where(np.r_[np.ones(part.width, dtype=bool), is_published][part.items])
            form[: part.width] = self._generalizer.find(published_part, self._need, self._m)
            size = self._generalizer.sizes(form[: part.width])
        else:
            form[: part.width] = -1
            size = np.zeros(part.width, dtype=np.int64)
        worth = self._generalizer.worths(form[: part.width])
        open_part, forms = part.where(part.items < part.width), self._generalizer.forms
        return form, float(
            subset_loss(open_part.start, open_part.items, form, size, worth, forms, self._whole)
        )


class Cuts:
    """Apriori Anonymization: a cut through the hierarchy of items for every class.

    forms : how many forms the numbers of a class may name
    """

    def __init__(self, method: str, hierarchy: Hierarchy, coded: ItemCodes, worth: F8 | None) -> None:
        self._method, self._taxonomy = method, Taxonomy.of(hierarchy)
        self.forms = len(self._taxonomy.lo)
        self._worth = self._node_weights(coded, worth)

    def _node_weights(self, coded: ItemCodes, worth: F8 | None) -> F8:
        """How much each node matters."""
        lo, hi = self._taxonomy.lo, self._taxonomy.hi
        if worth is None:
            return np.ones(len(lo))
        is_present = np.zeros(coded.width)
        is_present[coded.place[(coded.place >= 0) & (coded.place < coded.width)]] = 1
        weight_sums, item_sums = prefix_sums(is_present * worth), prefix_sums(is_present)
        return np.asarray((weight_sums[hi] - weight_sums[lo]) / np.maximum(item_sums[hi] - item_sums[lo], 1))

    def find(self, part: ItemCodes, need: SupportRequirement, m: int) -> I4:
        """For each open item, the number of the form that these baskets publish it as."""
        return find_cut(part.distinct(), self._taxonomy, k=need.k, m=m, l=need.l, method=self._method).form

    def sizes(self, form: I4) -> I8:
        """For each open item, how many items its form stands for, in the hierarchy or in the data."""
        return (self._taxonomy.hi - self._taxonomy.lo).astype(np.int64)[form]

    def worths(self, form: I4) -> F8:
        """For each open item, how much its form matters: the mean weight of the items of the data in it."""
        return self._worth[form]

    def release(self, baskets: Baskets, coded: ItemCodes, form: I4, of: I8) -> RecodedBaskets:
        """Publish original records, those of class of[i] as form[of[i]] says."""
        return publish_cuts(baskets, self._taxonomy, coded, form, of)


class Unions:
    """PCTA or COAT: items of a class united into sets, without a hierarchy; it is asked as `Cuts` are."""

    def __init__(
        self, method: str, baskets: Baskets, ward: I4 | None, worth: F8 | None, rules: ItemRules
    ) -> None:
        self.forms = len(baskets.values)
        self._method, self._ward, self._worth, self._suppress = method, ward, worth, rules.suppress
        self._focused = rules.way == "coat"

    def find(self, part: ItemCodes, need: SupportRequirement, m: int) -> I4:
        """A set is named by one of its members, and what is left out by -1."""
        return find_groups(
            part.distinct(),
            k=need.k,
            m=m,
            l=need.l,
            ward=self._ward,
            worth=self._worth,
            style=FOCUSED if self._focused else THOROUGH,
            rarest_first=not self._focused,
            spare=part.allowance(self._method, self._suppress),
            method=self._method,
        ).of

    def sizes(self, form: I4) -> I8:
        """See `Cuts`."""
        return np.bincount(form[form >= 0], minlength=len(form))[form].astype(np.int64)

    def worths(self, form: I4) -> F8:
        """See `Cuts`."""
        if self._worth is None:
            return np.ones(len(form))
        has_form = form >= 0
        weight_sums = np.bincount(form[has_form], weights=self._worth[has_form], minlength=len(form))
        return np.asarray(weight_sums[form] / np.maximum(self.sizes(form), 1))

    def release(self, baskets: Baskets, coded: ItemCodes, form: I4, of: I8) -> RecodedBaskets:
        """Sets with the same members are one form, whatever classes they are of."""
        codes = form.shape[1]
        number = np.where(form >= 0, np.arange(codes), -1)  # an item alone, also an exempt one, is itself
        number_of_set: dict[bytes, int] = {}
        for c, names in enumerate(form[:, : coded.width]):
            for group in _split_groups(names):
                number[c, group] = codes + number_of_set.setdefault(group.tobytes(), len(number_of_set))
        row = row_of_entry(baskets.start)
        form_of_entry = number[of[row], coded.place[baskets.items]]
        form_ids = np.unique(form_of_entry[form_of_entry >= 0])
        item = np.empty(codes, dtype=np.int32)
        item[coded.place] = np.arange(len(baskets.values))
        united = [item[np.frombuffer(group, dtype=np.int64)] for group in number_of_set]
        parts = [item[[name]] if name < codes else united[name - codes] for name in form_ids.tolist()]
        labels = [baskets.values[part[0]] if len(part) == 1 else None for part in parts]
        forms = PublishedValues.of_sets(labels, parts)
        return recode_items(
            baskets, np.where(form_of_entry >= 0, np.searchsorted(form_ids, form_of_entry), -1), forms
        )


def _split_groups(names: I4) -> list[I8]:
    """The codes of every group of several items."""
    order = np.argsort(names, kind="stable")
    cuts = np.flatnonzero(np.diff(names[order])) + 1
    return [part for part in np.split(order, cuts) if len(part) > 1 and names[part[0]] >= 0]


def hierarchy_for(
    method: str, rules: ItemRules, baskets: Baskets, hierarchy: Hierarchy | None
) -> Hierarchy | None:
    """The hierarchy whose codes the items of a class are generalized in; None where they are united into sets."""
    way = rules.way or ("pcta" if hierarchy is None else "apriori")
    if way not in get_args(Way):
        raise InputError(f"{method}: items={way!r}; {suggest_name(way, get_args(Way), 'use one of')}")
    if way != "apriori":
        return None
    if rules.utility is not None or rules.suppress:
        raise InputError(
            f'{method}: utility and suppress are about sets of items; use items = "pcta" or "coat"'
        )
    return hierarchy or fanout(baskets.name, _FANOUT, baskets.values)


def make_generalizer(
    method: str, rules: ItemRules, baskets: Baskets, hierarchy: Hierarchy | None, coded: ItemCodes
) -> Cuts | Unions:
    """What generalizes the items of a class; `hierarchy` and the codes are those of `hierarchy_for`."""
    coded.allowance(method, rules.suppress)  # says what is wrong with such a share
    worth = weights_of_items(method, baskets, coded.place, coded.width, rules.weights)
    if hierarchy is not None:
        return Cuts(method, hierarchy, coded, worth)
    ward = utility_group_of(method, baskets, coded.place, coded.width, rules.utility)
    return Unions(method, baskets, ward, worth, rules)
