"""What there is to say about a hierarchy, alone and beside its column: facts in numbers, and a picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data import Column
from shoal.discreet import Discreet
from shoal.hierarchy.suggest import BY_FREQUENCY, is_by_frequency
from shoal.hierarchy.tree import Hierarchy

__all__ = ["Fit", "problems", "show"]


@dataclass(frozen=True, slots=True, repr=False)
class Fit(Discreet):
    """The shape of a hierarchy, and how a column fits it.

    `nodes` counts the nodes of each level, leaves first. `uncovered` are the values of the column that are
    no leaves, separate from the facts because they are cells; `uncovered_records` is how many records
    hold them and `first` the first of those records, counted from 1. `unused` counts leaves that do not
    occur. `missing` counts records without a value, and `missing_covered` says whether a leaf stands for them.
    """

    name: str
    nodes: tuple[int, ...]
    uncovered: tuple[str, ...] = ()
    uncovered_records: int = 0
    first: int | None = None
    unused: int = 0
    missing: int = 0
    missing_covered: bool = False

    def __bool__(self) -> bool:
        return not self.uncovered

    def as_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Return plain JSON data; the uncovered values themselves only where asked for."""
        facts: dict[str, Any] = {
            "hierarchy": self.name,
            "fits": bool(self),
            "leaves": self.nodes[0],
            "height": len(self.nodes) - 1,
            "nodes": list(self.nodes),
            "uncovered": len(self.uncovered),
            "uncovered_records": self.uncovered_records,
            "first": self.first,
            "unused": self.unused,
            "missing": self.missing,
            "missing_covered": self.missing_covered,
        }
        return facts | {"uncovered_values": list(self.uncovered)} if values else facts


def problems(hierarchy: Hierarchy, column: Column | None = None) -> Fit:
    """Find what would keep `column` from being published through `hierarchy`; truthy when nothing does.

    >>> hierarchy = Hierarchy.from_paths("sex", [["F", "*"], ["M", "*"]])
    >>> fit = problems(hierarchy, Column.of("sex", "quasi", ["F", "x", None, "x"]))
    >>> bool(fit), fit.uncovered_records, fit.first, fit.unused, fit.missing
    (False, 2, 2, 1, 1)
    """
    nodes = tuple(int(count) for count in hierarchy.up[:-1].max(axis=0) + 1)
    if column is None:
        return Fit(hierarchy.name, nodes)
    codes = hierarchy.look_up(column.values)[column.codes]
    strange = np.flatnonzero(codes < 0)
    cells = (column.values[code] for code in np.unique(column.codes[strange]))
    gone = [code for code, value in enumerate(column.values) if value is None]
    return Fit(
        hierarchy.name,
        nodes,
        tuple(cell for cell in cells if cell is not None),
        len(strange),
        int(strange[0]) + 1 if len(strange) else None,
        hierarchy.size - len(np.unique(codes[(codes >= 0) & (codes < hierarchy.size)])),
        int(np.isin(column.codes, gone).sum()),
        hierarchy.missing is not None,
    )


def show(hierarchy: Hierarchy, *, limit: int = 40, values: bool = False) -> str:
    """Draw the hierarchy from the root down, as many whole levels as fit in about `limit` lines.

    The labels of a public hierarchy are its user's own words. Those of a built one come from cells, so
    only their leaf counts are shown unless `values` asks for more.

    >>> paths = [["cod", "fish", "*"], ["eel", "fish", "*"], ["kelp", "kelp", "*"]]
    >>> print(show(Hierarchy.from_paths("sea", paths)))
    * (3 leaves)
      fish (2 leaves)
        cod
        eel
      kelp
    """
    named = values or hierarchy.public
    level = hierarchy.height
    while (
        level > 0
        and sum(int(hierarchy.up[:-1, up].max()) + 1 for up in range(level - 1, hierarchy.height)) < limit
    ):
        level -= 1
    level = min(level, hierarchy.height - 1)
    lines = list(_lines(hierarchy, hierarchy.height, 0, 0, level, named))
    kept = lines[: max(limit, 1)]
    more = [] if len(kept) == len(lines) else [f"... {len(lines) - len(kept)} more"]
    return "\n".join([*kept, *more, *([BY_FREQUENCY] if is_by_frequency(hierarchy) else [])])


def _lines(
    hierarchy: Hierarchy, level: int, node: int, depth: int, lowest: int, named: bool
) -> Iterator[str]:
    """One node and, down to `lowest`, those below it; a label repeated straight down is one node."""
    low, high = hierarchy.spans[level][node].tolist()
    label = hierarchy.labels[level][node]
    while level > 0 and hierarchy.labels[level - 1][hierarchy.up[low, level - 1]] == label:
        level -= 1
    count = f"({high - low} {'leaf' if high - low == 1 else 'leaves'})"
    shown = label if named else ("leaf" if level == 0 else "group")
    yield "  " * depth + (shown if level == 0 else f"{shown} {count}")
    if level > lowest:
        for child in range(int(hierarchy.up[low, level - 1]), int(hierarchy.up[high - 1, level - 1]) + 1):
            yield from _lines(hierarchy, level - 1, child, depth + 1, lowest, named)
