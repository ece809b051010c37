"""Record trees in, part by part: nested ndjson, json or xml becomes folders of arrays, and is never held as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.data.trees import Nesting, standing_above
from shoal.discreet import Discreet
from shoal.io.array_files import keep
from shoal.io.grow import Grower
from shoal.io.tree_spec import TreeSpec
from shoal.io.trees import add_record, rows_of
from shoal.io.unpack import LIMIT, unzipped

__all__ = ["RawTrees", "read_tree_parts"]

PART = 1 << 18
"""Records of one part: enough that a task is worth its start, few enough for any memory."""


@dataclass(frozen=True, slots=True, repr=False)
class RawTrees(Discreet):
    """Records as they were read, in parts.

    parts : folders with the arrays raw_start, raw_items, raw_parents: codes are places in `pairs`
    n     : how many records there are
    nodes : how many nodes they have
    pairs : class and value behind each code
    over  : pairs of classes of which the first stands above the second somewhere
    """

    parts: tuple[Path, ...]
    n: int
    nodes: int
    pairs: tuple[tuple[str, str], ...]
    over: frozenset[tuple[str, str]]
    sensitive: str | None
    nesting: Nesting

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.n, "parts": len(self.parts)}


def read_tree_parts(
    path: Path,
    folder: Path,
    spec: TreeSpec | None = None,
    *,
    records: int = PART,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
    limit: int = LIMIT,
) -> RawTrees:
    """Read a file of nested records into parts of at most so many records below `folder`.

    Parameters and errors are those of `read_trees`; names of persons are held until all were compared.
    """
    spec = spec or TreeSpec()
    grower = Grower(spec.drop, spec.heads, missing, spec.identifier)
    parts: list[Path] = []
    nodes = 0
    over: set[tuple[str, str]] = set()
    with unzipped(path, limit) as plain:
        for place, record in rows_of(plain, path.name, encoding):
            add_record(grower, record, f"{path.name}, {place}")
            if grower.records - grower.done == records:
                nodes += len(grower.items)
                parts.append(_written(grower, folder, len(parts), over))
    if grower.records > grower.done:
        nodes += len(grower.items)
        parts.append(_written(grower, folder, len(parts), over))
    grower.require(path.name)
    pairs = tuple(spec.spelled(grower.pairs))
    return RawTrees(
        tuple(parts), grower.done, nodes, pairs, frozenset(over), spec.sensitive, grower.nesting()
    )


def _written(grower: Grower, folder: Path, number: int, over: set[tuple[str, str]]) -> Path:
    """Write the records that a grower holds, and note which classes stand above which."""
    before = grower.done
    start, items, parents = grower.handed_over()
    names = sorted({kind for kind, _ in grower.pairs})
    place = {name: code for code, name in enumerate(names)}
    kinds = np.array([place[kind] for kind, _ in grower.pairs], dtype=np.int32)
    above = standing_above(names, kinds[items], start, parents, before)
    over.update((names[high], names[low]) for high, low in np.argwhere(above).tolist())
    part = folder / f"part-{number:05}"
    part.mkdir(parents=True)
    keep(part, raw_start=start, raw_items=items, raw_parents=parents)
    return part
