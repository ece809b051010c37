"""Codes by their prefixes: zip codes, diagnoses, drugs, branches of trade. Leading zeros are part of a code."""

import re
from collections.abc import Iterator, Sequence

from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.tree import Hierarchy

__all__ = ["code_ladder"]

_SIGNS = " .-/_"
_LETTERS = re.compile(r"^[^\W\d_]+")
_TWO_PARTS = re.compile(r"[^\W\d_]+[0-9]\w* \w+")  # SW1A 2AB
_FEWER = 0.95  # of the groups of the level below: a level that joins less is left out
LONGEST = 16


def code_ladder(name: str, values: Sequence[str]) -> Hierarchy | None:
    """One level per prefix that brings codes together; None where no prefix does, or a code is no code.

    Codes of one length keep it, as in 812**; a group of others is its prefix and one star.

    >>> code_ladder("zip", ["01067", "01069", "04103", "04109"]).labels[1:-1]
    (('0106*', '0410*', '*'), ('0****', '*'))
    >>> code_ladder("icd", ["E11", "E11.9", "E10.1", "I10"]).labels[1:-1]
    (('E10*', 'E11*', 'I10', '*'), ('E1*', 'I1*', '*'))
    """
    codes = sorted(set(values))
    width = max(map(len, codes), default=0)
    if len(codes) < 3 or not 1 < width <= LONGEST or any("*" in code for code in codes):
        return None
    same = len({len(code) for code in codes}) == 1
    levels: list[list[str]] = []
    before = [*codes]
    for stems in _stems(codes, width):
        here = [_label(stem, width, group, same=same) for stem, group in _groups(stems, codes)]
        if len(set(here)) <= _FEWER * len(set(before)):
            levels.append(here)
            before = here
    if not levels:
        return None
    paths = [[code, *labels, ROOT] for code, *labels in zip(codes, *levels, strict=True)]
    return Hierarchy.from_paths(name, paths, public=False)


def _stems(codes: Sequence[str], width: int) -> Iterator[list[str]]:
    """What codes begin with, level by level; those in two parts are cut between them, then behind their letters."""
    if all(_TWO_PARTS.fullmatch(code) for code in codes):
        yield [code.partition(" ")[0] for code in codes]
        yield [_LETTERS.findall(code)[0] for code in codes]
        return
    for length in range(width - 1, 0, -1):
        yield [code[:length].rstrip(_SIGNS) or code[:length] for code in codes]


def _groups(stems: Sequence[str], codes: Sequence[str]) -> list[tuple[str, list[str]]]:
    """For each code its stem and all codes of that stem."""
    members: dict[str, list[str]] = {}
    for stem, code in zip(stems, codes, strict=True):
        members.setdefault(stem, []).append(code)
    return [(stem, members[stem]) for stem in stems]


def _label(stem: str, width: int, group: Sequence[str], *, same: bool) -> str:
    if group == [stem]:
        return stem
    return stem + "*" * (width - len(stem) if same else 1)
