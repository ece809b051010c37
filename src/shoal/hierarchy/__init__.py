"""Hierarchies: how each value of a column can be made coarser, step by step."""

from collections.abc import Mapping

from shoal.hierarchy.tree import Hierarchy

__all__ = ["Hierarchies", "Hierarchy"]

Hierarchies = Mapping[str, Hierarchy]
