"""The shapes of data, each with the class that says how its data are read, released and judged again."""

from shoal.base.errors import InputError
from shoal.io.config import Config
from shoal.io.read.source import Source
from shoal.release import Claim
from shoal.shapes.baskets.shape import BasketShape
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedShape
from shoal.shapes.shape import Shape
from shoal.shapes.table.shape import TableShape
from shoal.shapes.trees.shape import TreeShape
from shoal.shapes.votes import VoteShape

__all__ = ["SHAPES", "bind_source", "bind_to_claim", "open_dataset", "shape_of_claim", "shape_with_front"]

_ALL = (TableShape(), BasketShape(), MixedShape(), TreeShape())

SHAPES: dict[str, Shape] = {shape.name: shape for shape in _ALL}
"""Every shape of which something can be claimed, by its name."""

_VOTES = VoteShape()


def shape_of_claim(claim: Claim) -> Shape:
    """The shape that data are published in under a claim: what is published by vote is a shape of its own within."""
    return _VOTES if claim.votes else SHAPES[claim.shape]


def bind_to_claim(dataset: Dataset, claim: Claim) -> Dataset:
    """The same data in the shape that they are published in under a claim."""
    shape = _VOTES if claim.votes else SHAPES[dataset.shape]
    return shape.bind_dataset(dataset, claim)


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies that a configuration names, whatever their shape."""
    return SHAPES[config.shape].open_dataset(config)


def bind_source(config: Config, source: Source) -> Dataset:
    """Records that were read, as a configuration describes them; they are no trees."""
    return SHAPES[config.shape].bind_source(config, source)


def shape_with_front(name: str) -> Shape:
    """The shape of that name, if its losses can be traded against each other.

    Raises
    ------
    InputError
        They cannot.
    """
    shape = SHAPES[name]
    if not shape.fronts:
        shapes_with_front = " and of ".join(
            candidate.words for candidate in SHAPES.values() if candidate.fronts
        )
        raise InputError(
            f"pareto: there is no front of {shape.words} to trace; there is one of {shapes_with_front}"
        )
    return shape
