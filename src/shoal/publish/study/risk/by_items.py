"""What a few items of a basket, alone or beside the table, and a few values of a tree tell of a person."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.data import Baskets, Trees
from shoal.data.types import I8
from shoal.utility.found_by import by_class, by_items, by_values, whole_baskets, whole_trees

__all__ = ["field_facts", "items_found", "values_found"]

Row = dict[str, Any]


def items_found(baskets: Baskets, k: int, classes: I8 | None = None, columns: int = 0) -> Iterator[Row]:
    """Whom any 1, 2, 3 items and the whole basket find; beside all `columns` where `classes` are given."""
    for known in by_items(baskets, classes):
        yield _row(known.least, k, columns=columns, items=known.items)
    yield _row(whole_baskets(baskets, classes), k, columns=columns, whole=True)


def values_found(trees: Trees, k: int) -> Iterator[Row]:
    """Whom any values, any values with a relation among them, and the whole tree find."""
    found = [_row(known.least, k, items=known.items, relations=known.relations) for known in by_values(trees)]
    yield from sorted(found, key=lambda row: (row["relations"], row["items"]))
    yield _row(whole_trees(trees), k, whole=True)


def field_facts(trees: Trees, k: int) -> list[Row]:
    """What one value of each field tells; nobody knows those of the sensitive one."""
    told = zip(trees.classes, by_class(trees, k), strict=True)
    return [
        {"field": name, "values": values, "alone": alone / max(trees.n, 1), "fewer": fewer / max(trees.n, 1)}
        for name, (values, alone, fewer) in told
        if name != trees.sensitive
    ]


def _row(
    least: I8 | None, k: int, *, columns: int = 0, items: int = 0, relations: int = 0, whole: bool = False
) -> Row:
    """What is known, and the shares of people whom it finds; None where there are too many choices to count."""
    shares = (None, None) if least is None else (float(np.mean(least < 2)), float(np.mean(least < k)))
    return {
        "columns": columns,
        "items": items,
        "relations": relations,
        "whole": whole,
        "alone": shares[0],
        "fewer": shares[1],
    }
