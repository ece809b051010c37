"""How a class is written: the closest common node, a range of numbers, or the set of values present."""

from collections.abc import Sequence

import numpy as np

from shoal.algorithms._kernels import RANGE, SET
from shoal.algorithms.local.column_prices import Scale
from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.intervals import interval
from shoal.hierarchy.labels import leaves_of, set_label, tail_of
from shoal.release import Forms

__all__ = ["write"]


def write(
    hierarchies: Sequence[Hierarchy], scales: Sequence[Scale], recode: str, codes: I4, walk: I8, starts: I8
) -> tuple[tuple[Forms, ...], I4]:
    """The forms of every column, and int32[classes, d]: which one each class has.

    Class c is the records walk[starts[c] : starts[c + 1]]; `codes` are their places.
    """
    forms, written = [], []
    for j, (hierarchy, scale) in enumerate(zip(hierarchies, scales, strict=True)):
        places = codes[walk, j]
        if recode == "span" and scale.kind != RANGE:
            found, form = _sets(hierarchy, scale, places, starts)
        else:
            low, high = np.minimum.reduceat(places, starts[:-1]), np.maximum.reduceat(places, starts[:-1])
            found, form = (_ranges if recode == "span" else _nodes)(hierarchy, scale, low, high)
        forms.append(found)
        written.append(form)
    return tuple(forms), np.stack(written, axis=1).astype(np.int32)


def _nodes(hierarchy: Hierarchy, scale: Scale, low: I4, high: I4) -> tuple[Forms, I8]:
    """Each class as the lowest node over its lowest and highest leaf."""
    bottom, top = scale.leaf[low], scale.leaf[high]
    level = np.zeros(len(low), dtype=np.int64)
    for l in range(hierarchy.height):
        level += hierarchy.up[bottom, l] != hierarchy.up[top, l]
    widest = max(map(len, hierarchy.labels))
    found, form = np.unique(level * widest + hierarchy.up[bottom, level], return_inverse=True)
    nodes = [divmod(number, widest) for number in found.tolist()]
    spans = np.array([hierarchy.spans[level][node] for level, node in nodes], dtype=np.int32)
    return Forms.of_spans(
        hierarchy, [hierarchy.labels[level][node] for level, node in nodes], spans
    ), form.reshape(-1)


def _ranges(hierarchy: Hierarchy, scale: Scale, low: I4, high: I4) -> tuple[Forms, I8]:
    """Each class as a range with ends on the grid; a value alone as itself, with a missing cell as the root."""
    size = len(scale.leaf)
    pairs, form = np.unique(low.astype(np.int64) * size + high, return_inverse=True)
    labels = [_range(hierarchy, scale, *divmod(pair, size)) for pair in pairs.tolist()]
    return _numbered(hierarchy, labels, form.reshape(-1))


def _range(hierarchy: Hierarchy, scale: Scale, low: int, high: int) -> str | None:
    ends = scale.ends or ()
    first, last = ends[low], ends[high]
    if low == high:
        return _alone(hierarchy, int(scale.leaf[low]))
    if first is None or last is None:
        return hierarchy.root
    # Top and bottom coding: how far values go beyond is not told.
    under, over = tail_of(hierarchy, int(scale.leaf[low])), tail_of(hierarchy, int(scale.leaf[high]))
    if under is not None and under == over:
        return under
    low_end = None if under is not None else first[0]
    high_end = None if over is not None else last[1]
    return (
        hierarchy.root if low_end is None and high_end is None else interval(low_end, high_end, closed=True)
    )


def _sets(hierarchy: Hierarchy, scale: Scale, places: I4, starts: I8) -> tuple[Forms, I8]:
    """Each class as the set of its values, or where one of them must not be named as the node that it is priced as."""
    size = len(scale.leaf)
    of = owners(starts)
    present = np.unique(of * size + places)
    inside, value = np.divmod(present, size)
    cuts = np.flatnonzero(np.diff(inside)) + 1
    packed = value.astype(np.int32)
    begin, end = np.r_[0, cuts], np.r_[cuts, len(packed)]
    seen: dict[bytes, int] = {}
    form = np.array(
        [
            seen.setdefault(packed[a:b].tobytes(), len(seen))
            for a, b in zip(begin.tolist(), end.tolist(), strict=True)
        ]
    )
    labels = [_set(hierarchy, scale, np.frombuffer(key, dtype=np.int32)) for key in seen]
    return _numbered(hierarchy, labels, form)


def _set(hierarchy: Hierarchy, scale: Scale, places: I4) -> str | None:
    leaves = scale.leaf[places]
    if len(leaves) == 1:
        return _alone(hierarchy, int(leaves[0]))
    if not scale.unnamed[places].any():
        return set_label(hierarchy.leaves[leaf] for leaf in leaves)
    if scale.kind == SET:
        return hierarchy.root
    level = int((hierarchy.up[leaves.min(), :-1] != hierarchy.up[leaves.max(), :-1]).sum())
    return hierarchy.labels[level][int(hierarchy.up[leaves[0], level])]


def _alone(hierarchy: Hierarchy, leaf: int) -> str | None:
    """One value: its leaf, an empty cell where that covers missing ones, the root where none does."""
    if leaf == hierarchy.missing:
        return None
    return hierarchy.root if leaf == hierarchy.size else hierarchy.leaves[leaf]


def _numbered(hierarchy: Hierarchy, labels: Sequence[str | None], form: I8) -> tuple[Forms, I8]:
    """Give each label one form: different extents may be written with the same label."""
    place = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    forms = Forms.of_sets(tuple(place), [leaves_of(label, hierarchy) for label in place])
    return forms, np.array([place[label] for label in labels], dtype=np.int64)[form]
