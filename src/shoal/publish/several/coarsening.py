"""Which columns of a release say too much beside earlier ones."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.privacy.several import breaking
from shoal.publish.several.judging import Part, held_tables

__all__ = ["columns_to_coarsen"]


def columns_to_coarsen(parts: Sequence[Part]) -> list[str]:
    """The quasi-identifiers of the last release that would have to be published as one value, one after the other.

    The column that helps most people comes first. None is named where all of them together do not help. Where no
    quasi-identifier says too much, the items do.
    """
    *earlier, last = parts
    left = [name for name, role in last.known.columns.items() if role == "quasi"]
    if not left or not _broken(parts):
        return [name for name, role in last.known.columns.items() if role == "items"]
    named: list[str] = []
    while left:
        many = {name: _broken([*earlier, _without(last, [*named, name])]) for name in left}
        best = min(left, key=lambda name: many[name])
        named.append(best)
        left.remove(best)
        if not many[best]:
            return named
    return []


def _broken(parts: Sequence[Part]) -> int:
    return len(breaking(held_tables(parts)))


def _without(part: Part, names: Sequence[str]) -> Part:
    """The same release with some columns published as one value."""
    cells = {name: np.zeros(len(part.frame), dtype=np.int8) for name in names}
    hierarchies = {name: found for name, found in part.known.hierarchies.items() if name not in names}
    return replace(
        part, frame=part.frame.with_columns(**cells), known=replace(part.known, hierarchies=hierarchies)
    )
