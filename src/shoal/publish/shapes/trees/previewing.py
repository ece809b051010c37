"""Record trees before and after, and what each field loses."""

from collections.abc import Sequence

from shoal.data.types import I8
from shoal.publish.cells_in_words import Cells, tree_words
from shoal.publish.shapes.trees.dataset import TreeData
from shoal.release import RecodedTrees, Result
from shoal.utility.trees import tree_ncp_by_class

__all__ = ["loss_by", "original_cells", "released_cells"]

_RECORD = "record"
"""The one column: the whole tree."""


def released_cells(data: TreeData, result: Result[RecodedTrees], places: I8) -> dict[str, Cells]:
    """Some released trees."""
    return {_RECORD: tree_words(result.release.trees.take(places))}


def original_cells(data: TreeData, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
    """Some original trees."""
    return {_RECORD: tree_words(data.trees.take(rows))}


def loss_by(data: TreeData, result: Result[RecodedTrees]) -> tuple[str, dict[str, float]]:
    """The loss of each field alone."""
    return "field", tree_ncp_by_class(result.release, data.trees, data.nodes)
