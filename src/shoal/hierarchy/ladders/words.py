"""Words in groups that read well: scales in their order, other words by how many people hold them.

A label names only values that many people hold. The others are counted ("tea, milk and 3 others"), or told by the
letters they begin with.
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TypeVar

from shoal.data.types import I8
from shoal.hierarchy.built_labels import Listed
from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.ladders.scales import in_order
from shoal.hierarchy.tree import Hierarchy

__all__ = ["NAMED", "word_ladder"]

T = TypeVar("T")

NAMED = 20
"""How many people must hold a value that a label names."""

_GROUP = 3  # words, or groups, that are joined on each level
_NAME = 28  # characters of a value where several are named
_LETTERS = 8  # rare values; more are told by their first letters


def word_ladder(name: str, values: Sequence[str], holders: I8) -> Hierarchy:
    """Values in groups of about three, groups in groups of three, `*` on top.

    >>> import numpy as np
    >>> drinks = ["tea", "milk", "juice", "beer", "cola", "mead"]
    >>> word_ladder("drink", drinks, np.array([50, 90, 40, 70, 30, 2])).labels[1:-1]
    (('milk or beer', 'tea, juice, cola and 1 other', '*'),)
    >>> word_ladder("pain", ["high", "low", "middle", "none", "very high"], np.full(5, 30)).labels[1:-1]
    (('none to low', 'middle to very high', '*'),)
    """
    held = dict(zip(values, holders.tolist(), strict=True))
    scale = in_order(values)
    ordered, groups = _grouped(held) if scale is None else (scale, _even(scale))
    lines: list[dict[str, str]] = []
    while 1 < len(groups) < len(ordered):
        if scale is None:
            lines.append(_listed(groups, held, names=_GROUP + len(lines)))
        else:
            lines.append({value: _between(group, held) for group in groups for value in group})
        groups = [list(chain(*some)) for some in _even(groups)] if len(groups) > _GROUP else [ordered]
    paths = [[value, *(line[value] for line in lines), ROOT] for value in ordered]
    return Hierarchy.from_paths(name, paths, public=False, ordered=scale is not None, naming=Listed())


def _even(things: Sequence[T]) -> list[list[T]]:
    """Neighbours in groups of at most three, all of about one size."""
    count = -(-len(things) // _GROUP)
    ends = [len(things) * place // count for place in range(count + 1)]
    return [list(things[low:high]) for low, high in pairwise(ends)]


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
    if len(held) <= _GROUP:
        return [*frequent, *rare], [[value] for value in held]
    groups = _even(frequent) if frequent else []
    if not rare:
        return frequent, groups
    if len(rare) <= _GROUP and groups:
        groups[-1] = groups[-1] + rare
    else:
        groups += [rare] if len(rare) <= _LETTERS else _by_letters(rare)
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
