"""A proposal that follows a preset: what its rules ask of each column, and of the numbers.

Roles that need a decision still need it: a preset says what must go, not what a column is.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from shoal.data.column_names import meaning
from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.dates import date_formats
from shoal.hierarchy.rules import build
from shoal.privacy.equivalence_class import least_k
from shoal.privacy.presets import check_preset, preset_named
from shoal.privacy.rules import NO, ReleasedCells
from shoal.publish.study.propose.hierarchies import levels_shown
from shoal.publish.study.propose.profile import ColumnProfile
from shoal.publish.study.propose.proposal import ColumnProposal

__all__ = ["follow_preset", "least_k_of"]

_PUBLISHED = ("quasi", "sensitive", "plain")
_YEAR = re.compile(r"\d{4}")
_EIGHTY_NINE = 89
_CROWD = 1_000_000  # look-alikes: no column alone can break a rule of these


def follow_preset(
    name: str, columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], *, nested: bool
) -> None:
    """Have each column that a rule of the preset would refuse made coarse enough from the start, or left out.

    Whether a rule would is asked of its judge, with the values as they are. What somebody stated stays.
    """
    for one in columns.values():
        if one.role not in _PUBLISHED or one.name not in seen or one.stated:
            continue
        profile = seen[one.name]
        broken = _broken(name, one, dict.fromkeys(_published(one, profile), 1))
        if not broken:
            continue
        made = (
            None
            if nested
            else next(filter(None, (_COARSER.get(rule, _none)(profile) for rule in broken)), None)
        )
        levels = None if made is None else _tried(name, one, profile, made)
        asks = f"{name} asks for it (rule {broken[0]})"
        if made is None or levels is None:
            one.role, one.hierarchy, one.level, one.levels = "drop", None, None, ""
            one.why = f"{one.why}; {asks}, so it is left out"
        else:
            one.hierarchy, one.level, one.levels, one.look = made, 1, levels, ""
            one.why += f"; nothing below level 1 is published, {asks}"


def _published(one: ColumnProposal, seen: ColumnProfile) -> tuple[str, ...]:
    """What is published of a column at its fixed level, or at the least one: its values where it has none."""
    if one.level is None or one.hierarchy is None:
        return seen.values
    made = one.hierarchy
    hierarchy = made if isinstance(made, Hierarchy) else build(one.name, made, seen.values)
    return tuple(label for level in hierarchy.labels[one.level :] for label in level)


def _broken(name: str, one: ColumnProposal, cells: Mapping[str, int]) -> list[str]:
    """The rules that a column with such cells breaks by itself."""
    released = ReleasedCells({one.name: cells}, {one.name: one.role}, (), date.today().year, crowd=_CROWD)
    return [found.rule.name for found in check_preset(name, released) if found.verdict == NO]


def _tried(name: str, one: ColumnProposal, seen: ColumnProfile, made: Mapping[str, Any]) -> str | None:
    """What its levels are, where such a hierarchy can be built and they keep every rule; else None."""
    try:
        hierarchy = build(one.name, made, seen.values)
    except HierarchyError:
        return None
    return (
        None if _broken(name, one, dict.fromkeys(hierarchy.labels[1], 1)) else levels_shown(hierarchy, seen)
    )


def _years(seen: ColumnProfile) -> dict[str, Any] | None:
    """Years, and of births all who may be over 89 in one group."""
    told, levels = meaning(seen.called), ["year", "decade"]
    births = told is not None and told.what.startswith("birth")
    years = all(map(_YEAR.fullmatch, seen.values))
    formats = ["%Y"] if years else date_formats(seen.values)
    if not formats:
        return None
    written = levels if formats[0] is None else {"format": formats[0], "levels": levels}
    return {"dates": written, **({"bottom": date.today().year - _EIGHTY_NINE} if births else {})}


def _ages(seen: ColumnProfile) -> dict[str, Any] | None:
    if all(map(_YEAR.fullmatch, seen.values)):
        return _years(seen)
    return {"ranges": [1, 5, 10, 20], "top": _EIGHTY_NINE + 1}


def _zips(seen: ColumnProfile) -> dict[str, Any] | None:
    told = meaning(seen.called)
    return {"vocabulary": "us-zip-safe-harbor"} if told is None or told.what == "postal code" else None


def _none(seen: ColumnProfile) -> None:
    return None


_COARSER: Mapping[str, Callable[[ColumnProfile], dict[str, Any] | None]] = {
    "places": _zips,
    "dates": _years,
    "ages": _ages,
}
"""By rule, how a column that breaks it is made coarse enough."""


def least_k_of(name: str | None) -> int:
    """The k below which no release can keep the preset; 2 where it asks for no number."""
    risk = None if name is None else preset_named(name).risk
    return 2 if risk is None else least_k(risk)
