"""Records of a table before and after, and what each column loses."""

from collections.abc import Sequence

from shoal.data.types import I8
from shoal.publish.cells_in_words import Cells, read, source_words
from shoal.publish.shapes.table.dataset import TableData
from shoal.release import Recoded, Result
from shoal.utility import ncp_by_column

__all__ = ["loss_by", "original_cells", "released_cells"]


def released_cells(data: TableData, result: Result[Recoded], places: I8) -> dict[str, Cells]:
    """The columns of some released rows."""
    frame = data.assemble(data.shuffled(result, places).release)
    return dict(zip(frame.columns, read(frame, data.roles(frame)), strict=True))


def original_cells(data: TableData, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
    """The same columns of some originals."""
    return {name: source_words(data.source, name, rows) for name in columns}


def loss_by(data: TableData, result: Result[Recoded]) -> tuple[str, dict[str, float]]:
    """The loss of each column alone."""
    return "column", ncp_by_column(result.release, data.hierarchies)
