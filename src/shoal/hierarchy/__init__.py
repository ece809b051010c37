"""Trees over a column's values: how far up each value may be published."""

from collections.abc import Mapping

from shoal.hierarchy.tree import Hierarchy

__all__ = ["Hierarchies", "Hierarchy"]

Hierarchies = Mapping[str, Hierarchy]
