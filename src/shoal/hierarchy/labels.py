"""Labels of published values: written, read again, and made anew after records were left out.

A published form that is no node of a hierarchy is a range of numbers (`intervals.interval` writes it), closed as
`[20, 34]` or open at one end as `>= 85` and `<= 17`, or a set, the JSON list of its values in order of text,
`["Bachelors", "Masters"]`. Labels are read as hostile text: bounded, nothing is evaluated, and what cannot be read
stands for no leaf.

A label that was built may tell something of values that nobody may see: a mask is as long as the longest value, groups
are numbered, and round bounds lie between values. After records were left out, nodes get the labels that the values
still there call for.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from shoal.data.arrays import B1, I4
from shoal.errors import HierarchyError
from shoal.hierarchy.column_values import are_codes, number, number_and_side, number_or_end
from shoal.hierarchy.intervals import bounds_around, interval
from shoal.hierarchy.tree import Hierarchy, Labels, Naming

__all__ = [
    "BoundNaming",
    "MaskNaming",
    "OrdinalNaming",
    "leaves_of",
    "numbers_of",
    "open_sides",
    "read_range",
    "refuse_lookalikes",
    "set_label",
    "tail_of",
]

_LONGEST = 1_000_000
_RANGE = re.compile(r"\[([^\s,\[\]]{1,100}), ([^\s,\[\]]{1,100})\]")
_OPEN = re.compile(r"(>=|<=) ([^\s,\[\]]{1,100})")
_TAIL = re.compile(r"(>=|<) ([^\s,\[\]]{1,100})")
_ENDLESS = Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class MaskNaming(Naming):
    """Stars up to the longest value, at one end."""

    side: str

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """The same masks, as long as the longest value that is held."""
        lengths = [len(leaf) for leaf in hierarchy.leaves]
        spare = max(lengths) - max(length for length, seen in zip(lengths, held, strict=True) if seen)

        def shorter(label: str) -> str:
            if label == hierarchy.root or "*" not in label:
                return label
            return label[: len(label) - spare] if self.side == "right" else label[spare:]

        return tuple(tuple(map(shorter, level)) for level in hierarchy.labels)


@dataclass(frozen=True, slots=True)
class OrdinalNaming(Naming):
    """Groups that are numbered in order."""

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """The groups in which somebody is, numbered anew."""
        found = [list(level) for level in hierarchy.labels]
        for level in range(1, hierarchy.height):
            inside = _visible_nodes(hierarchy, level, held)
            for place, node in enumerate(inside, start=1):
                found[level][node] = f"group {place} of {len(inside)}"
        return tuple(map(tuple, found))


@dataclass(frozen=True, slots=True)
class BoundNaming(Naming):
    """Groups of numbers between round bounds."""

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """Bounds between and around the numbers that are held."""
        found = [list(level) for level in hierarchy.labels]
        if hierarchy.height < 2:
            return hierarchy.labels
        lowest = _visible_nodes(hierarchy, 1, held)
        bound = bounds_around([_visible_leaves(hierarchy, 1, node, held) for node in lowest])
        first = {node: place for place, node in enumerate(lowest)}
        for level in range(1, hierarchy.height):
            for node in _visible_nodes(hierarchy, level, held):
                lo, hi = hierarchy.spans[level][node].tolist()
                under = [first[n] for n in np.unique(hierarchy.up[lo:hi, 1]).tolist() if n in first]
                found[level][node] = bound(under[0], under[-1] + 1)
        return tuple(map(tuple, found))


def _visible_nodes(hierarchy: Hierarchy, level: int, held: B1) -> list[int]:
    """The nodes of a level that have a leaf which is held."""
    nodes: list[int] = np.unique(hierarchy.up[: hierarchy.size, level][held]).tolist()
    return [node for node in nodes if hierarchy.labels[level][node] != hierarchy.root]


def _visible_leaves(hierarchy: Hierarchy, level: int, node: int, held: B1) -> list[str]:
    """The leaves of a node that are held."""
    lo, hi = hierarchy.spans[level][node].tolist()
    return [hierarchy.leaves[code] for code in range(lo, hi) if held[code]]


def set_label(values: Iterable[str]) -> str:
    """Write a set of values.

    >>> set_label(["Masters", "Bachelors"])
    '["Bachelors", "Masters"]'
    """
    return json.dumps(sorted(values), ensure_ascii=False)


def read_range(label: str) -> tuple[Decimal, Decimal] | None:
    """The ends of a written range, None if the label is none.

    >>> read_range("[20, 34.5]")
    (Decimal('20'), Decimal('34.5'))
    """
    beyond = _OPEN.fullmatch(label)
    if beyond is not None:
        end = number(beyond[2])
        return None if end is None else (end, _ENDLESS) if beyond[1] == ">=" else (-_ENDLESS, end)
    found = _RANGE.fullmatch(label)
    if found is None:
        return None
    low, high = number(found[1]), number(found[2])
    return (low, high) if low is not None and high is not None and low <= high else None


def tail_of(hierarchy: Hierarchy, leaf: int) -> str | None:
    """The label that a value has in place of a range because of top or bottom coding; None where it has none.

    >>> from shoal.hierarchy.rules import build
    >>> ages = build("age", {"ranges": [10], "top": 90}, ["17", "95"])
    >>> tail_of(ages, 0), tail_of(ages, 1)
    (None, '>= 90')
    """
    if hierarchy.height < 2:
        return None
    label = hierarchy.labels[1][hierarchy.up[leaf, 1]]
    return label if _TAIL.fullmatch(label) else None


def leaves_of(label: str | None, hierarchy: Hierarchy, *, blanks: bool = False) -> I4:
    """The leaf codes a published label stands for, rising; none at all where it cannot be read.

    A node of the hierarchy comes first, then a range, then a set, each as it is written here: another order, number or
    blank makes it no label. The code D is among the root's: it also stands for
    missing cells that no leaf covers. None, an empty cell, is the leaf that covers missing cells; with `blanks` it is
    a cell that was left out, and stands for whatever there is.
    """
    if label is None and blanks:
        return _run(0, hierarchy.size + 1)
    if label is None:
        return _run(*((0, 0) if hierarchy.missing is None else (hierarchy.missing, hierarchy.missing + 1)))
    if label in hierarchy.places:
        low, high = hierarchy.places[label]
        return _run(low, high + (label == hierarchy.root))
    return _outside_the_hierarchy(label, hierarchy)


@lru_cache(maxsize=64)
def numbers_of(hierarchy: Hierarchy) -> tuple[Decimal | None, ...] | None:
    """The leaves as numbers, None where they are names.

    They are numbers if every leaf, but the one for missing cells, spells one or its end (95+) and they rise in leaf
    order: so do ages in a file, while codes such as 01069 are names. The leaf for missing cells is None, and so are
    leaves beside it.
    """
    own = hierarchy.leaves[: hierarchy.size - hierarchy.strangers]
    leaves = [None if code == hierarchy.missing else leaf for code, leaf in enumerate(own)]
    if not hierarchy.ordered and are_codes(leaves):  # a rule that orders codes was told that they are numbers
        return None
    numbers = tuple(None if leaf is None else number_or_end(leaf) for leaf in leaves)
    if any(value is None and leaf is not None for value, leaf in zip(numbers, leaves, strict=True)):
        return None
    known = [value for value in numbers if value is not None]
    return (*numbers, *[None] * hierarchy.strangers) if known and known == sorted(known) else None


@lru_cache(maxsize=64)
def open_sides(hierarchy: Hierarchy) -> tuple[int, ...]:
    """For each leaf that is a number 1 where it is only the lower end of what is meant (95+), -1 the upper, else 0."""
    read = [number_and_side(leaf) for leaf in hierarchy.leaves]
    return tuple(0 if found is None else found[1] for found in read)


def refuse_lookalikes(hierarchy: Hierarchy) -> None:
    """Refuse a hierarchy with a label that reads like a range or a set but stands for other leaves.

    Raises
    ------
    HierarchyError
        There is such a label; it travels in the error's `value`.
    """
    for label, (low, high) in hierarchy.places.items():
        read = _outside_the_hierarchy(label, hierarchy)
        if len(read) and not np.array_equal(read, np.arange(low, high)):
            raise HierarchyError(
                f"hierarchy '{hierarchy.name}': a label reads like a written range or set of other leaves; rename it, "
                'or use recode = "hierarchy"',
                value=label,
            )


def _outside_the_hierarchy(label: str, hierarchy: Hierarchy) -> I4:
    """The leaves of a label read as a range, a mask or a set."""
    if isinstance(hierarchy.naming, MaskNaming) and "*" in label:
        return _read_mask(label, hierarchy.naming.side, hierarchy)
    half_open = isinstance(hierarchy.naming, BoundNaming) and (label.endswith(")") or label.startswith("< "))
    closed = label.replace("< ", "<= ").replace(")", "]") if half_open else label
    ends = read_range(closed)
    if ends is None:
        return _read_set(label, hierarchy)
    if closed != _written(*ends):
        return _run(0, 0)
    numbers = numbers_of(hierarchy)
    if numbers is None:
        return _run(0, 0)
    low, high = ends
    inside = [  # what is only an end may be anything beyond it: a range holds it that is open there
        code
        for code, (value, side) in enumerate(zip(numbers, open_sides(hierarchy), strict=True))
        if value is not None
        and low <= value <= high
        and not (half_open and value == high)
        and (side == 0 or (high == _ENDLESS if side > 0 else low == -_ENDLESS))
    ]
    return np.array(inside, dtype=np.int32)


def _written(low: Decimal, high: Decimal) -> str:
    """The one way in which a range is written: any other could mark whose row it is."""
    return interval(None if low == -_ENDLESS else low, None if high == _ENDLESS else high, closed=True)


def _read_mask(label: str, side: str, hierarchy: Hierarchy) -> I4:
    """The leaves that a mask hides: longer than what it shows, and the same there."""
    shown = label.rstrip("*") if side == "right" else label.lstrip("*")
    if not shown or "*" in shown:
        return _run(0, 0)
    inside = [
        code
        for code, leaf in enumerate(hierarchy.leaves)
        if len(leaf) > len(shown) and (leaf.startswith(shown) if side == "right" else leaf.endswith(shown))
    ]
    return np.array(inside, dtype=np.int32)


def _read_set(label: str, hierarchy: Hierarchy) -> I4:
    """The leaves of a label read as a JSON list of leaves."""
    values: object = None
    if label.startswith('["') and len(label) <= _LONGEST:
        try:
            values = json.loads(label)
        except (ValueError, RecursionError):
            values = None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return _run(0, 0)
    codes = np.unique(hierarchy.look_up(values))
    one_way = len(codes) == len(values) and set_label(values) == label
    return codes if one_way and len(codes) and codes[0] >= 0 else _run(0, 0)


def _run(low: int, high: int) -> I4:
    return np.arange(low, high, dtype=np.int32)
