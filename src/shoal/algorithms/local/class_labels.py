"""How a class is written: the closest common node, a range of numbers, or the set of values present."""

from collections.abc import Sequence

import numpy as np

from shoal.algorithms.local.column_prices import Scale
from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.wording import leaves_of, range_label, set_label
from shoal.kernels.local.class_prices import RANGE
from shoal.release import Forms

__all__ = ["write"]


def write(
    hierarchies: Sequence[Hierarchy], scales: Sequence[Scale], recode: str, codes: I4, walk: I8, starts: I8
) -> tuple[tuple[Forms, ...], I4]:
    """The forms of every column, and int32[classes, d]: which one each class has.

    Class c is the records walk[starts[c] : starts[c + 1]]; `codes` are their places.
    """
    forms, written = [], []
    for j, (tree, scale) in enumerate(zip(hierarchies, scales, strict=True)):
        places = codes[walk, j]
        if recode == "span" and scale.kind != RANGE:
            found, form = _sets(tree, scale, places, starts)
        else:
            low, high = np.minimum.reduceat(places, starts[:-1]), np.maximum.reduceat(places, starts[:-1])
            found, form = (_ranges if recode == "span" else _nodes)(tree, scale, low, high)
        forms.append(found)
        written.append(form)
    return tuple(forms), np.stack(written, axis=1).astype(np.int32)


def _nodes(tree: Hierarchy, scale: Scale, low: I4, high: I4) -> tuple[Forms, I8]:
    """Each class as the lowest node over its lowest and highest leaf."""
    bottom, top = scale.leaf[low], scale.leaf[high]
    level = np.zeros(len(low), dtype=np.int64)
    for l in range(tree.height):
        level += tree.up[bottom, l] != tree.up[top, l]
    widest = max(map(len, tree.labels))
    found, form = np.unique(level * widest + tree.up[bottom, level], return_inverse=True)
    nodes = [divmod(number, widest) for number in found.tolist()]
    spans = np.array([tree.spans[level][node] for level, node in nodes], dtype=np.int32)
    return Forms.of_spans(tree, [tree.labels[level][node] for level, node in nodes], spans), form.reshape(-1)


def _ranges(tree: Hierarchy, scale: Scale, low: I4, high: I4) -> tuple[Forms, I8]:
    """Each class as a range with ends on the grid; a value alone as itself, with a missing cell as the root."""
    size = len(scale.leaf)
    pairs, form = np.unique(low.astype(np.int64) * size + high, return_inverse=True)
    labels = [_range(tree, scale, *divmod(pair, size)) for pair in pairs.tolist()]
    return _numbered(tree, labels, form.reshape(-1))


def _range(tree: Hierarchy, scale: Scale, low: int, high: int) -> str | None:
    ends = scale.ends or ()
    first, last = ends[low], ends[high]
    if low == high:
        return _alone(tree, int(scale.leaf[low]))
    return tree.root if first is None or last is None else range_label(first[0], last[1])


def _sets(tree: Hierarchy, scale: Scale, places: I4, starts: I8) -> tuple[Forms, I8]:
    """Each class as the set of its values; a value alone as itself, with a missing cell as the root."""
    size = len(scale.leaf)
    of = owners(starts)
    present = np.unique(of * size + places)
    inside, value = np.divmod(present, size)
    cuts = np.flatnonzero(np.diff(inside)) + 1
    packed = scale.leaf[value].astype(np.int32)
    begin, end = np.r_[0, cuts], np.r_[cuts, len(packed)]
    seen: dict[bytes, int] = {}
    form = np.array(
        [
            seen.setdefault(packed[a:b].tobytes(), len(seen))
            for a, b in zip(begin.tolist(), end.tolist(), strict=True)
        ]
    )
    labels = [_set(tree, np.frombuffer(key, dtype=np.int32)) for key in seen]
    return _numbered(tree, labels, form)


def _set(tree: Hierarchy, leaves: I4) -> str | None:
    if len(leaves) == 1:
        return _alone(tree, int(leaves[0]))
    return tree.root if leaves[-1] == tree.size else set_label(tree.leaves[leaf] for leaf in leaves)


def _alone(tree: Hierarchy, leaf: int) -> str | None:
    """One value: its leaf, an empty cell where that covers missing ones, the root where none does."""
    if leaf == tree.missing:
        return None
    return tree.root if leaf == tree.size else tree.leaves[leaf]


def _numbered(tree: Hierarchy, labels: Sequence[str | None], form: I8) -> tuple[Forms, I8]:
    """One form a label: other extents may be written alike."""
    place = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    forms = Forms.of_sets(tuple(place), [leaves_of(label, tree) for label in place])
    return forms, np.array([place[label] for label in labels], dtype=np.int64)[form]
