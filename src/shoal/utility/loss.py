"""What a loss is: its words, how it is computed for each shape, and the case that it is computed from.

A case is a release beside what is known of it, one class for each shape. `has` names what is at hand: a loss is told
where all that it needs is. `public` gives the same case with nothing at hand that a reader of the release
does not have.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.data import Baskets, Mixed, Trees
from shoal.data.arrays import B1, F8, I4, I8, count_codes
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.release import Recoded, RecodedBaskets, RecodedMixed, RecodedTrees, VotedBaskets
from shoal.utility.baskets import ABSENT, find_open_forms, form_sizes, has_lost_items
from shoal.utility.classes import class_of_rows
from shoal.utility.queries import Query, draw_mixed_workload, draw_workload
from shoal.utility.table import are_levels_visible

if TYPE_CHECKING:
    from shoal.utility.subtree_mining import MiningLoss

__all__ = [
    "BasketCase",
    "Case",
    "Loss",
    "LossByShape",
    "MixedCase",
    "TableCase",
    "TreeCase",
    "VoteCase",
    "loss_for_case",
]

_NOTHING = frozenset[str]()
_MOST_NODES = 1 << 20
_MOST_SUBTREES = 1 << 18


class Case(SafeRepr):
    """A release of some shape beside what is known of it; whoever adds a shape brings its case."""

    shape: ClassVar[str]
    """The shape's name, as losses have it."""

    @property
    def has(self) -> frozenset[str]:
        """What is at hand."""
        raise NotImplementedError

    @property
    def parts(self) -> "tuple[Case, ...]":
        """The cases that it is made of, if it is."""
        return ()

    def public(self) -> "Case":
        """The same, without what a reader of the release does not have."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class TableCase(Case):
    """A released table.

    weights : what `ncp` multiplies each column by, at any scale; None weighs all columns alike
    k       : the claimed k, for `c_avg`
    target  : int[N], one number per original record, equal where the target column is equal: for `ce`. It counts as
              public: give it only where the column is released as it is
    leaves  : int32[N, d], the original records as leaf codes
    counts  : int64[N], how many records each of these stands for; None when each is one
    hidden  : what is not at hand, whatever is given
    """

    shape: ClassVar[str] = "table"

    recoded: Recoded
    hierarchies: Hierarchies
    weights: Mapping[str, float] | None = None
    k: int | None = None
    target: NDArray[np.integer] | None = None
    leaves: I4 | None = None
    counts: I8 | None = None
    hidden: frozenset[str] = _NOTHING

    @cached_property
    def has(self) -> frozenset[str]:
        """What is at hand: hierarchies, levels, k, target, originals; all classes, those of suppressed records too."""
        by_levels = "levels" in self.recoded.rule
        conditions = {
            "hierarchies": True,
            "levels": by_levels,
            "k": self.k is not None,
            "target": self.target is not None,
            "originals": self.leaves is not None,
            "all classes": self.recoded.suppressed == 0 or (by_levels and self.leaves is not None),
        }
        return frozenset(name for name, is_met in conditions.items() if is_met) - self.hidden

    def public(self) -> "TableCase":
        """Hide the originals, hierarchies that were built from them, and levels that the released cells do not show."""
        hidden = {"originals"}
        shows_ranges = not any(
            forms.centre for forms in self.recoded.forms
        )  # a mean does not tell its class's range
        if not shows_ranges or not all(self.hierarchies[name].public for name in self.recoded.names):
            hidden.add("hierarchies")
        elif "levels" in self.recoded.rule and not are_levels_visible(self.recoded, self.hierarchies):
            hidden.add("levels")
        return replace(self, leaves=None, hidden=frozenset(hidden))

    @cached_property
    def classes(self) -> I8:
        """The class of each released record."""
        return class_of_rows(self.recoded)

    @cached_property
    def sizes(self) -> I8:
        """How many records each class has."""
        return count_codes(self.classes, self.recoded.counts)


@dataclass(frozen=True, repr=False)
class BasketCase(Case):
    """Released baskets of generalized items.

    baskets   : the originals
    hierarchy : where the items of a published one are counted, if they were generalized along one
    weights   : float64[values], the importance of every item, 0 to 1
    exempt    : codes of items that no loss counts: the sensitive ones under l^m-diversity
    queries   : what `are` asks; by default a hundred pairs of items that occur together
    """

    shape: ClassVar[str] = "baskets"

    recoded: RecodedBaskets
    baskets: Baskets
    hierarchy: Hierarchy | None = None
    weights: F8 | None = None
    exempt: Collection[int] = ()
    queries: Collection[Query] | None = None
    hidden: frozenset[str] = _NOTHING

    @cached_property
    def has(self) -> frozenset[str]:
        """What is at hand: hierarchies, originals; and all items, those left out too."""
        is_complete = not self.recoded.suppressed and len(self.recoded.rows) == self.recoded.records
        names = {"hierarchies", "originals", *(["all items"] if is_complete else [])} - self.hidden
        return frozenset(names | ({"all items"} if "originals" in names else _NOTHING))

    def public(self) -> "BasketCase":
        """Hide the originals, and a hierarchy that was built from them; without one the vocabulary must be public."""
        built = self.hierarchy is not None and not self.hierarchy.public
        return replace(
            self, weights=None, hidden=frozenset({"originals", *(["hierarchies"] if built else [])})
        )

    @cached_property
    def sizes(self) -> I8:
        """How many items each form may stand for."""
        return form_sizes(self.recoded.forms, self.hierarchy)

    @property
    def domain(self) -> int:
        """How many items there are."""
        return len(self.baskets.values) if self.hierarchy is None else self.hierarchy.size

    @cached_property
    def counted(self) -> B1:
        """Forms that stand for more than exempt items."""
        return find_open_forms(self.recoded.forms, self.exempt)

    @cached_property
    def lost(self) -> B1 | None:
        """Released records of which items were left out; None where none were, or readers cannot know."""
        return has_lost_items(self.recoded, self.baskets, self.exempt) if "originals" in self.has else None

    @cached_property
    def asked(self) -> Collection[Query]:
        """The queries of `are`."""
        return draw_workload(self.baskets, seed=0) if self.queries is None else self.queries


@dataclass(frozen=True, repr=False)
class VoteCase(Case):
    """Baskets published by vote; all that they lose is told by the originals.

    absent : how many items are absent that a query of `qe-absent` asks for
    """

    shape: ClassVar[str] = "votes"

    release: VotedBaskets
    baskets: Baskets
    absent: int = ABSENT
    hidden: frozenset[str] = _NOTHING

    @property
    def has(self) -> frozenset[str]:
        """The originals are at hand, or nothing."""
        return frozenset({"originals"}) - self.hidden

    def public(self) -> "VoteCase":
        """Hide the originals."""
        return replace(self, hidden=frozenset({"originals"}))


@dataclass(frozen=True, repr=False)
class MixedCase(Case):
    """A released table with baskets: what is told of its table, of its items, and of both together.

    table, items : the two parts
    queries      : what `are` asks; by default a hundred of two cells and two items each
    """

    shape: ClassVar[str] = "mixed"

    recoded: RecodedMixed
    mixed: Mixed
    table: TableCase
    items: BasketCase
    queries: Collection[Query] | None = None

    @property
    def has(self) -> frozenset[str]:
        """What is at hand: the table's hierarchies, the item hierarchy, all items, originals."""
        items = {"item hierarchy" if name == "hierarchies" else name for name in self.items.has}
        return frozenset(items | self.table.has & {"hierarchies"})

    def public(self) -> "MixedCase":
        """Hide in both parts what readers do not have."""
        return replace(self, table=self.table.public(), items=self.items.public())

    @property
    def parts(self) -> tuple[Case, ...]:
        """What else a table loses is told of this one too."""
        return (self.table,)

    @cached_property
    def asked(self) -> Collection[Query]:
        """The queries of `are`."""
        return draw_mixed_workload(self.mixed, seed=0) if self.queries is None else self.queries


@dataclass(frozen=True, repr=False)
class TreeCase(Case):
    """Released record trees.

    original : the trees that came in
    nodes    : the nodes of their hierarchies
    declared : whether all hierarchies were declared, so that readers have them
    """

    shape: ClassVar[str] = "trees"

    release: RecodedTrees
    original: Trees
    nodes: Nodes
    declared: bool = True
    hidden: frozenset[str] = _NOTHING

    @property
    def has(self) -> frozenset[str]:
        """What is at hand: hierarchies, originals."""
        return frozenset({"hierarchies", "originals"}) - self.hidden

    def public(self) -> "TreeCase":
        """Hide the originals, and hierarchies that were built from them."""
        return replace(self, hidden=frozenset({"originals", *([] if self.declared else ["hierarchies"])}))

    @cached_property
    def mined(self) -> "MiningLoss | None":
        """What mining loses; None where it would take longer than all else.

        That is where the originals hold more than a million nodes, or a level more than a quarter of a million frequent
        subtrees.
        """
        if len(self.original.items) > _MOST_NODES:
            return None
        from shoal.utility.subtree_mining import mining_loss  # kernels are heavy, and verifying needs none

        try:
            return mining_loss(self.release, self.original, self.nodes, most=_MOST_SUBTREES)
        except InputError:  # there are too many frequent subtrees
            return None


C = TypeVar("C", bound=Case)

# --- losses -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LossByShape:
    """How a loss is computed for one shape.

    price : from a case of the shape to the loss; None where this case has no such loss
    needs : what must be at hand, by the names of the case's `has`
    """

    shape: str
    price: Callable[[Any], float | None]
    needs: frozenset[str]

    @property
    def public(self) -> str:
        """Whether it may be public: `never`, `always`, or `declared`, where all hierarchies are."""
        if "originals" in self.needs:
            return "never"
        return "declared" if self.needs & {"hierarchies", "item hierarchy"} else "always"


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: its words for people, and the shapes that have it.

    words    : what it says, and what its ends mean
    ways     : by shape how it is computed
    headline : whether it is the one that its shapes are judged by: a share of 0 to 1, shown as a percentage
    """

    words: str
    ways: dict[str, LossByShape] = field(default_factory=dict)
    headline: bool = False

    @classmethod
    def of(cls, words: str, *ways: LossByShape, headline: bool = False) -> "Loss":
        """A loss of the shapes of these ways."""
        return cls(words, {way.shape: way for way in ways}, headline)


def loss_for_case(kind: type[C], price: Callable[[C], float | None], *needs: str) -> LossByShape:
    """A loss of the shape that a case is of; tables with baskets have those of tables, too."""
    return LossByShape(kind.shape, price, frozenset(needs))
