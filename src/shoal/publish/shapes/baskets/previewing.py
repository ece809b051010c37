"""Baskets before and after, and which items lose most."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.data.types import F8, I8
from shoal.publish.cells_in_words import Cells, item_words, read, source_words
from shoal.publish.shapes.baskets.dataset import BasketData
from shoal.publish.shapes.baskets.vote_cells import rows_of_bits
from shoal.release import Bitmaps, Result
from shoal.utility import BasketCase
from shoal.utility.items import ncp_by_item
from shoal.utility.votes import flips_by_item

__all__ = ["loss_by", "original_cells", "released_cells"]

_MOST = 20  # items are told of


def released_cells(data: BasketData, result: Result[Any], places: I8) -> dict[str, Cells]:
    """The columns of some released rows."""
    if isinstance(result.release, Bitmaps):
        some = rows_of_bits(result.release, places)
    else:
        some = data.shuffled(result, places).release
    frame = data.assemble(some)
    return dict(zip(frame.columns, read(frame, data.roles(frame)), strict=True))


def original_cells(data: BasketData, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
    """The same columns of some originals; nothing in them is uncertain."""
    own: dict[str, Cells] = {
        "items": item_words(data.baskets, rows),
        **dict.fromkeys(("uncertain", "errors"), [None] * len(rows)),
    }
    return {name: own[name] if name in own else source_words(data.source, name, rows) for name in columns}


def loss_by(data: BasketData, result: Result[Any]) -> tuple[str, dict[str, float]]:
    """The loss of the items that lose most in all, each as a share of the times that originals hold it."""
    if isinstance(result.release, Bitmaps):
        held, lost, added = flips_by_item(result.release, data.baskets)
        return "item", _most(data, (lost + added).astype(np.float64), held)
    case = data.case(result, {"parameters": {}})
    assert isinstance(case, BasketCase)
    paid, held = ncp_by_item(case.recoded, data.baskets, case.sizes, case.domain, exempt=case.exempt)
    return "item", _most(data, paid, held)


def _most(data: BasketData, paid: F8, held: I8) -> dict[str, float]:
    heavy = np.argsort(-paid, kind="stable")[:_MOST]
    return {data.baskets.values[i]: float(paid[i] / max(held[i], 1)) for i in heavy if paid[i]}
