"""Record trees: nested values per record, of which others may know some, and what belongs to what."""

from collections.abc import Mapping
from typing import ClassVar

from shoal.io.config import Config
from shoal.io.formats import TREE_FILES
from shoal.io.read.source import Source
from shoal.shapes.shape import Shape
from shoal.shapes.trees.data import TreeData, trees_from_config
from shoal.shapes.trees.verification import TreeVerification

__all__ = ["TreeShape"]


class TreeShape(Shape):
    """Record trees."""

    name = "trees"
    jointly = "equality"
    roles = ("tree",)
    verification = TreeVerification()
    files = TREE_FILES
    columns: ClassVar[Mapping[str, str]] = {"nodes": "tree"}

    def open_dataset(self, config: Config) -> TreeData:
        """Read the trees and the hierarchies of their classes."""
        return trees_from_config(config)

    def bind_source(self, config: Config, source: Source) -> TreeData:
        """Refuse: rows of cells make no record trees."""
        raise NotImplementedError

    def find_column_fault(self, columns: Mapping[str, str]) -> str:
        """What is wrong with the columns; "" where there is the one of nodes."""
        return "" if list(columns) == ["nodes"] else "record trees have one column, 'nodes'"
