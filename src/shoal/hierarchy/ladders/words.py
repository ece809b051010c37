"""Words in groups that read well: scales in their order, other words by how many people hold them.

A label names only values that many people hold. The others are counted ("tea, milk and 3 others"), or told by the
letters they begin with.
"""

from collections.abc import Sequence
from itertools import chain

from shoal.data.types import I8
from shoal.hierarchy.built_labels import Listed
from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.ladders.scales import in_order
from shoal.hierarchy.tree import Hierarchy

__all__ = ["NAMED", "word_ladder"]

NAMED = 20
"""How many people must hold a value that a label names."""

_FEW = 4  # so many values are a group already
_GROUP = 3  # words, or groups, that are joined on each level
_NAME = 28  # characters of a value where several are named
_LETTERS = 8  # rare values; more are told by their first letters


def word_ladder(name: str, values: Sequence[str], holders: I8) -> Hierarchy:
    """Values in groups of about three, groups in groups of three, `*` on top.

    >>> import numpy as np
    >>> drinks = ["tea", "milk", "juice", "beer", "cola", "mead"]
    >>> word_ladder("drink", drinks, np.array([50, 90, 40, 70, 30, 2])).labels[1:-1]
    (('milk, beer or tea', 'juice, cola and 1 other', '*'),)
    >>> word_ladder("pain", ["high", "low", "middle", "none", "very high"], np.full(5, 30)).labels[1:-1]
    (('none to middle', 'high to very high', '*'),)
    """
    held = dict(zip(values, holders.tolist(), strict=True))
    scale = in_order(values)
    if scale is not None:
        lines = [_run(scale, held, size) for size in _sizes(len(scale), even=True)]
        ordered = list(scale)
    else:
        ordered, groups = _grouped(held)
        lines = []
        while len(groups) > 1 and len(groups) < len(ordered):
            lines.append(_listed(groups, held, names=_GROUP + len(lines)))
            groups = [list(chain(*groups[at : at + _GROUP])) for at in range(0, len(groups), _GROUP)]
    paths = [[value, *(line[value] for line in lines), ROOT] for value in ordered]
    return Hierarchy.from_paths(name, paths, public=False, ordered=scale is not None, naming=Listed())


def _sizes(count: int, *, even: bool) -> list[int]:
    """How many neighbours of a scale make a group on each level."""
    sizes, size = [], _GROUP if even and count > _FEW else count
    while size < count:
        sizes.append(size)
        size *= 2
    return sizes


def _run(scale: Sequence[str], held: dict[str, int], size: int) -> dict[str, str]:
    """Neighbours on a scale, told by the first and the last of them that many people hold."""
    line: dict[str, str] = {}
    for at in range(0, len(scale), size):
        group = scale[at : at + size]
        line |= dict.fromkeys(group, _between(group, held))
    return line


def _between(group: Sequence[str], held: dict[str, int]) -> str:
    known = [value for value in group if held[value] >= NAMED]
    if len(known) < 2 or known[0] != group[0] or known[-1] != group[-1]:
        return _label(group, known[:_GROUP])
    return f"{known[0]} to {known[-1]}"


def _grouped(held: dict[str, int]) -> tuple[list[str], list[list[str]]]:
    """The values in order, and the first groups: frequent values by how many hold them, then the rare ones."""
    frequent = sorted(
        (value for value in held if held[value] >= NAMED), key=lambda value: (-held[value], value)
    )
    rare = sorted((value for value in held if held[value] < NAMED), key=str.casefold)
    groups = [frequent[at : at + _GROUP] for at in range(0, len(frequent), _GROUP)]
    if len(held) <= _FEW:
        return [*frequent, *rare], [[value] for value in held]
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    if not rare:
        return frequent, groups
    if len(rare) <= _LETTERS and groups:
        if len(groups[-1]) < _GROUP:
            groups[-1] = groups[-1] + rare
        else:
            groups.append(rare)
    else:
        groups += _by_letters(rare)
    return [*frequent, *rare], groups


def _by_letters(rare: list[str]) -> list[list[str]]:
    """Rare values in alphabetical groups, each of whole initials."""
    groups: list[list[str]] = []
    size = max(_LETTERS // 2, len(rare) // 12)
    for value in rare:
        same = bool(groups) and _initial(groups[-1][-1]) == _initial(value)
        if groups and (same or len(groups[-1]) < size):
            groups[-1].append(value)
        else:
            groups.append([value])
    return groups


def _initial(value: str) -> str:
    return value.strip()[:1].casefold()


def _listed(groups: Sequence[Sequence[str]], held: dict[str, int], names: int) -> dict[str, str]:
    """For each value the label of its group."""
    line: dict[str, str] = {}
    taken: set[str] = set()
    for group in groups:
        known = sorted(
            (value for value in group if held[value] >= NAMED), key=lambda value: (-held[value], value)
        )
        label = group[0] if len(group) == 1 and known else _label(group, known[:names])
        while label in taken:  # the same letters, the same number
            label = f"{label} more"
        taken.add(label)
        line |= dict.fromkeys(group, label)
    return line


def _cut(value: str) -> str:
    """A value short enough to be one of several names."""
    return value if len(value) <= _NAME else f"{value[: _NAME - 1].rstrip()}…"


def _label(group: Sequence[str], known: Sequence[str]) -> str:
    """The names of a group: `a, b or c`, `a, b and 3 others`, or where none may be named `3 rare values, A to C`."""
    others = len(group) - len(known)
    known = [_cut(value) for value in known] if len(group) > 1 else known
    if not known:
        first, last = _initial(group[0]).upper(), _initial(group[-1]).upper()
        letters = first if first == last else f"{first} to {last}"
        return f"{others} rare value{'s' if others > 1 else ''}, {letters}"
    if others:
        return f"{', '.join(known)} and {others} other{'s' if others > 1 else ''}"
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} or {known[-1]}"
