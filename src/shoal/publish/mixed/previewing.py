"""Records of a table with baskets before and after, and what each column and the items lose."""

from collections.abc import Sequence

from shoal.data.types import I8
from shoal.publish.cells_in_words import Cells, item_words, read, source_words
from shoal.publish.mixed.dataset import MixedData
from shoal.release import RecodedMixed, Result
from shoal.utility import ncp_by_column
from shoal.utility.items import ncp_items

__all__ = ["loss_by", "original_cells", "released_cells"]


def released_cells(data: MixedData, result: Result[RecodedMixed], places: I8) -> dict[str, Cells]:
    """The columns of some released rows."""
    frame = data.assemble(data.shuffled(result, places).release)
    return dict(zip(frame.columns, read(frame, data.roles(frame)), strict=True))


def original_cells(data: MixedData, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
    """The same columns of some originals."""
    items = data.baskets.name
    return {
        name: item_words(data.baskets, rows)
        if name == items
        else source_words(data.people.source, name, rows)
        for name in columns
    }


def loss_by(data: MixedData, result: Result[RecodedMixed]) -> tuple[str, dict[str, float]]:
    """The loss of each column alone, the items as one of them."""
    case = data.case(result, {"parameters": {}})
    items = case.items
    lost = ncp_items(items.recoded, data.baskets, items.sizes, items.domain, exempt=items.exempt)
    return "column", ncp_by_column(result.release.table, data.people.hierarchies) | {data.baskets.name: lost}
