"""Words in groups that read well: scales in their order, other words by how many people hold them.

A label names only values that many people hold, and tells nothing of the others, neither how many there are nor how
they are spelled: some of them may be of people who are left out of a release. Rare values are told apart by fixed
parts of the alphabet.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from string import ascii_lowercase
from typing import TypeVar
from unicodedata import normalize

from shoal.data.types import I8
from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.ladders.scales import in_order
from shoal.hierarchy.tree import Hierarchy

__all__ = ["NAMED", "word_ladder"]

T = TypeVar("T")
Line = dict[str, str]
"""For each value its label on one level."""

NAMED = 20
"""How many people must hold a value that a label names."""

_GROUP = 3  # words, or groups, that are joined on each level
_NAME = 28  # characters of a value where several are named
_PARTS = (1, 2, 4, 13)  # of the alphabet
_RARE = 8  # rare values for each part
_OTHER = len(ascii_lowercase)  # the place of whatever is no letter from a to z


def word_ladder(name: str, values: Sequence[str], holders: I8) -> Hierarchy:
    """Values in groups of at most three, groups in groups of three, `*` on top.

    >>> import numpy as np
    >>> drinks = ["tea", "milk", "juice", "beer", "cola", "mead"]
    >>> word_ladder("drink", drinks, np.array([50, 90, 40, 70, 30, 2])).labels[1:-1]
    (('milk or beer', 'tea, juice, cola and others', '*'),)
    >>> word_ladder("pain", ["high", "low", "middle", "none", "very high"], np.full(5, 30)).labels[1:-1]
    (('none to low', 'middle to very high', '*'),)
    """
    held = dict(zip(values, holders.tolist(), strict=True))
    scale = in_order(values)
    ordered = _by_holders(held) if scale is None else scale
    lines: list[Line] = []
    for line in _by_frequency(held, ordered) if scale is None else _along(scale, held):
        before = set(lines[-1].values()) if lines else set(ordered)
        if 1 < len(set(line.values())) < len(before):
            lines.append(line)
    paths = [[value, *(line[value] for line in lines), ROOT] for value in ordered]
    return Hierarchy.from_paths(name, paths, public=False, ordered=scale is not None)


def _even(things: Sequence[T]) -> list[list[T]]:
    """Neighbours in groups of at most three, all of about one size."""
    count = -(-len(things) // _GROUP)
    ends = [len(things) * place // count for place in range(count + 1)]
    return [list(things[low:high]) for low, high in pairwise(ends)]


def _coarser(groups: list[list[str]]) -> Iterator[list[list[str]]]:
    """The groups, and groups of them, down to a single one."""
    yield groups
    while len(groups) > 1:
        groups = [list(chain(*some)) for some in _even(groups)]
        yield groups


def _along(scale: Sequence[str], held: Mapping[str, int]) -> Iterator[Line]:
    """Neighbours on a scale, told by the first and the last of them."""
    if len(scale) > _GROUP:
        for groups in _coarser(_even(scale)):
            yield {value: _between(group, held) for group in groups for value in group}


def _between(group: Sequence[str], held: Mapping[str, int]) -> str:
    known = [value for value in group if held[value] >= NAMED]
    if len(known) < 2 or known[0] != group[0] or known[-1] != group[-1]:
        return _label(known[:_GROUP], more=len(known) < len(group))
    return f"{known[0]} to {known[-1]}"


def _by_holders(held: Mapping[str, int]) -> list[str]:
    """Frequent values by how many people hold them, then the rare ones by the alphabet."""
    rare = {value: held[value] < NAMED for value in held}
    return sorted(
        held, key=lambda value: (rare[value], _letter(value) if rare[value] else -held[value], value)
    )


def _by_frequency(held: Mapping[str, int], ordered: Sequence[str]) -> Iterator[Line]:
    """Frequent values in groups of three; rare ones by parts of the alphabet, then as one group."""
    if len(ordered) <= _GROUP:
        return
    frequent = [value for value in ordered if held[value] >= NAMED]
    rare = list(ordered[len(frequent) :])
    groups = _even(frequent) if frequent else []
    if groups and len(rare) <= _GROUP:  # too few to be a group
        groups[-1], rare = groups[-1] + rare, []
    parts = next((parts for parts in _PARTS if len(rare) <= _RARE * parts), _PARTS[-1])
    for level, some in enumerate(_coarser(groups)):
        line = {value: _rare_label(value, parts if level == 0 else 1) for value in rare}
        for group in some:
            known = sorted((v for v in group if held[v] >= NAMED), key=lambda v: (-held[v], v))
            shown = known[: _GROUP + level]
            line |= dict.fromkeys(group, _label(shown, more=len(shown) < len(group)))
        yield line


def _rare_label(value: str, parts: int) -> str:
    """The part of the alphabet that a value begins in; signs of other kinds are a part of their own."""
    if parts == 1:
        return "rare values"
    if _letter(value) == _OTHER:
        return "rare values, other signs"
    part = _letter(value) * parts // _OTHER
    low, high = -(-part * _OTHER // parts), -(-(part + 1) * _OTHER // parts) - 1
    return f"rare values, {ascii_lowercase[low].upper()} to {ascii_lowercase[high].upper()}"


def _letter(value: str) -> int:
    """The place of the first letter in the alphabet, without its accents."""
    bare = normalize("NFKD", value.strip()[:1].casefold())[:1]
    place = ascii_lowercase.find(bare) if bare else -1
    return _OTHER if place < 0 else place


def _label(known: Sequence[str], *, more: bool) -> str:
    """The names of a group: `a, b or c`, or where there are more `a, b and others`."""
    if not known:
        return "rare values"
    names = [value if len(value) <= _NAME else f"{value[: _NAME - 1].rstrip()}…" for value in known]
    if len(known) == 1 and not more:
        return known[0]
    return f"{', '.join(names)} and others" if more else f"{', '.join(names[:-1])} or {names[-1]}"
