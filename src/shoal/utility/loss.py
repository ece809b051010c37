"""What the table of losses is made of: a loss, and how it is computed for each shape that has it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shoal.utility.cases import BasketCase, MixedCase, TableCase, TreeCase, VoteCase

__all__ = ["Loss", "Way", "of_baskets", "of_mixed", "of_table", "of_trees", "of_votes"]


@dataclass(frozen=True, slots=True)
class Way:
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
    ways: dict[str, Way] = field(default_factory=dict)
    headline: bool = False

    @classmethod
    def of(cls, words: str, *ways: Way, headline: bool = False) -> "Loss":
        """A loss of the shapes of these ways."""
        return cls(words, {way.shape: way for way in ways}, headline)


def of_table(price: Callable[[TableCase], float | None], *needs: str) -> Way:
    """A loss of tables."""
    return Way("table", price, frozenset(needs))


def of_baskets(price: Callable[[BasketCase], float | None], *needs: str) -> Way:
    """A loss of baskets with generalized items."""
    return Way("baskets", price, frozenset(needs))


def of_votes(price: Callable[[VoteCase], float | None], *needs: str) -> Way:
    """A loss of baskets published by vote."""
    return Way("votes", price, frozenset(needs))


def of_mixed(price: Callable[[MixedCase], float | None], *needs: str) -> Way:
    """A loss of tables with baskets; they have those of tables too."""
    return Way("mixed", price, frozenset(needs))


def of_trees(price: Callable[[TreeCase], float | None], *needs: str) -> Way:
    """A loss of record trees."""
    return Way("trees", price, frozenset(needs))
