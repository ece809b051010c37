"""The hierarchy that a column is proposed to have: by a mapping that was given, or by what its values are."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import HierarchyError, InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.intervals import is_number, round_step
from shoal.hierarchy.rules import flat
from shoal.hierarchy.suggest import (
    NAMED,
    Kind,
    calendar_units,
    code_hierarchy,
    date_hierarchy,
    number_hierarchy,
    word_hierarchy,
)
from shoal.io.read.table import read
from shoal.publish.study.propose.profile import ColumnProfile

__all__ = ["Groups", "levels_shown", "propose_hierarchy", "read_mapping"]

Groups = Mapping[str, tuple[str, ...]]
"""For each value, the groups above it, the smallest first."""

_LARGE = 20_000  # values; of more numbers or dates a rule is written, not a file
_LONGEST = 1000  # characters of a value that a file of hierarchies takes
_STEPS = 20  # classes of the first level of such a rule
_COVERED = 0.9  # of a column's values are in a mapping that fits it


def propose_hierarchy(
    seen: ColumnProfile, kind: Kind, *, coded: bool, mappings: Sequence[Groups] = ()
) -> Hierarchy | dict[str, Any] | None:
    """A hierarchy over a column's values, or the rule to build one where they are too many for a file.

    `coded` says that numbers are names here. None where a value reads like a label, so that no hierarchy can tell them
    apart, or where values are too many or too long for a file and no rule fits them.
    """
    for groups in mappings:
        if seen.distinct and sum(value in groups for value in seen.values) >= _COVERED * seen.distinct:
            return _mapped(seen, groups)
    if seen.distinct > _LARGE and (rule := _rule(seen, kind, coded)) is not None:
        return rule
    if len(seen.values) < seen.distinct or max(map(len, seen.values), default=0) > _LONGEST:
        return None
    try:
        return _by_kind(seen, kind, coded) or word_hierarchy(seen.name, seen.values, seen.holders)
    except HierarchyError:
        return _flat(seen)


def _flat(seen: ColumnProfile) -> Hierarchy | None:
    """Each value as it is or not at all; None where one reads like the root."""
    try:
        return flat(seen.name, seen.values)
    except HierarchyError:
        return None


def _by_kind(seen: ColumnProfile, kind: Kind, coded: bool) -> Hierarchy | None:
    """The hierarchy of dates, codes or numbers; None where there is none, or values get into its way."""
    try:
        if kind.name == "date":
            return date_hierarchy(seen.name, seen.values, seen.holders, kind.format)
        if coded or kind.name == "code":
            return code_hierarchy(seen.name, seen.values)
        return number_hierarchy(seen.name, seen.values, seen.holders) if kind.name == "number" else None
    except HierarchyError:
        return None


def _rule(seen: ColumnProfile, kind: Kind, coded: bool) -> dict[str, Any] | None:
    """The rule for a column of very many values."""
    if kind.name == "date":
        units = calendar_units(seen.name, seen.values[:: seen.distinct // 1000], kind.format)
        return (
            {"dates": units} if kind.format is None else {"dates": {"format": kind.format, "levels": units}}
        )
    if kind.name != "number" or coded:
        return None
    numbers = np.array([float(value) for value in seen.values])
    low, high = np.quantile(numbers, [0.01, 0.99])
    step = round_step(Decimal(repr(float(high - low))) / _STEPS)
    ends = {"top": high} if numbers.min() >= 0 else {"bottom": low, "top": high}
    rounded = {end: (Decimal(repr(float(at))) / step).to_integral_value() * step for end, at in ends.items()}
    steps = [_plain(step * 2**level) for level in range(4)]
    return {"ranges": steps, **{end: _plain(at) for end, at in rounded.items()}}


def _plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _mapped(seen: ColumnProfile, groups: Groups) -> Hierarchy:
    """The groups of a mapping above each value; values that it does not know are a group of their own."""
    height = max(len(groups[value]) for value in seen.values if value in groups)
    paths = []
    for value in seen.values:
        above = groups.get(value, ("not in the mapping",) * height)
        paths.append([value, *above, *above[-1:] * (height - len(above)), ROOT])
    return Hierarchy.from_paths(seen.name, paths, public=False)


def read_mapping(path: Path) -> Groups:
    """Read a table of values and their groups: the value first, then its group, then larger ones.

    Raises
    ------
    InputError
        It has fewer than two columns, or a value stands twice with different groups.
    """
    frame = read(path).frame
    if frame.width < 2:
        raise InputError(
            f"{path.name}: a mapping has a value and its groups in each row; give two columns or more"
        )
    found: dict[str, tuple[str, ...]] = {}
    rows = [
        tuple(frame.columns),
        *frame.iter_rows(),
    ]  # whether the first line is a header cannot be told: it does no harm
    for place, row in enumerate(rows, start=1):
        value, *above = (str(cell) for cell in row if cell not in (None, "", ROOT))
        if above and found.setdefault(value, tuple(above)) != tuple(above):
            raise InputError(
                f"{path.name}, line {place}: a value that stood before has other groups here; keep one"
            )
    return found


def levels_shown(hierarchy: Hierarchy | Mapping[str, Any], seen: ColumnProfile) -> str:
    """One value and what stands for it on each level; of values that few people hold, only from the first level on."""
    if not isinstance(hierarchy, Hierarchy):
        return ""
    shown = _example(seen, ordered=hierarchy.ordered)
    code = hierarchy.look_up([seen.values[shown]])[0]
    path = [hierarchy.labels[level][hierarchy.up[code, level]] for level in range(hierarchy.height + 1)]
    return " > ".join(dict.fromkeys(path if seen.holders[shown] >= NAMED else path[1:]))


def _example(seen: ColumnProfile, *, ordered: bool) -> int:
    """A value that many people hold; of an order one from its middle."""
    often = np.flatnonzero(seen.holders >= NAMED)
    if not ordered or not len(often):
        return int(np.argmax(seen.holders))
    if all(map(is_number, seen.values)):
        often = often[np.argsort([float(seen.values[place]) for place in often])]
    return int(often[len(often) // 2])
