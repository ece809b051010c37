"""Codes by their prefixes: zip codes, diagnoses, drugs, branches of trade. Leading zeros are part of a code."""

import re
from collections.abc import Iterator, Sequence

from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.tree import Hierarchy

__all__ = ["code_ladder"]

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
    (('E10*', 'E11*', 'I10*', '*'), ('E1*', 'I1*', '*'))
    """
    codes = sorted(set(values))
    width = max(map(len, codes), default=0)
    if len(codes) < 3 or not 1 < width <= LONGEST or any("*" in code for code in codes):
        return None
    levels: list[list[str]] = []
    before = [*codes]
    for here in _labels(codes, width):
        if len(set(here)) <= _FEWER * len(set(before)):
            levels.append(here)
            before = here
    if not levels:
        return None
    paths = [[code, *labels, ROOT] for code, *labels in zip(codes, *levels, strict=True)]
    return Hierarchy.from_paths(name, paths, public=False)


def _labels(codes: Sequence[str], width: int) -> Iterator[list[str]]:
    """What codes begin with, level by level; those in two parts are cut between them, then behind their letters.

    A code that is shorter than what a level shows stands as it is there.
    """
    if all(_TWO_PARTS.fullmatch(code) for code in codes):
        yield [f"{code.partition(' ')[0]} *" for code in codes]
        yield [f"{_LETTERS.findall(code)[0]}*" for code in codes]
        return
    same = len({len(code) for code in codes}) == 1
    for length in range(width - 1, 0, -1):
        stars = "*" * (width - length) if same else "*"
        yield [code if len(code) < length else code[:length] + stars for code in codes]
