"""The numbers that are proposed: k by who gets the release, l where something is sensitive, and what they cost.

What the rules of a preset ask of each column stands here, too. Roles that need a decision still need it: a preset says
what must go, not what a column is.
"""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Literal, get_args

from shoal.data.column_names import meaning
from shoal.errors import HierarchyError, InputError, ShoalError, ShoalWarning
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.column_values import date_formats
from shoal.hierarchy.rules import build
from shoal.io.read.source import Source
from shoal.naming import offered
from shoal.privacy.attackers import ATTACKERS, AUDIENCES, guarantee
from shoal.privacy.equivalence_class import least_k
from shoal.privacy.presets import check_preset, preset_named
from shoal.privacy.rules import NO, ReleasedCells
from shoal.publish.making import compiled
from shoal.publish.study.propose.hierarchies import levels_shown
from shoal.publish.study.propose.profile import ColumnProfile
from shoal.publish.study.propose.proposal import ColumnProposal, Proposal

__all__ = ["Audience", "follow_preset", "guarantee_for", "k_for", "least_k_of", "tried_costs"]

Audience = Literal["public", "partner", "team"]

_L = 3  # different values of a table's sensitive column, to start with
_ONE_OF = 2  # records that fit, or rows, elsewhere: a value may be in one of so many
_TRIED = 1_000  # records of a table that are anonymized to see the price
_COLUMNS = 12  # quasi-identifiers, at most
_PUBLISHED = ("quasi", "sensitive", "plain")
_YEAR = re.compile(r"\d{4}")
_EIGHTY_NINE = 89
_ALIKE = 1_000_000  # look-alikes: no column alone can break a rule of these


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
    released = ReleasedCells({one.name: cells}, {one.name: one.role}, (), date.today().year, crowd=_ALIKE)
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


def k_for(audience: str) -> int:
    """The k for those who get the release.

    Raises
    ------
    InputError
        Nobody knows such an audience.
    """
    if audience not in AUDIENCES:
        raise InputError(f"for: {audience!r} is not an audience; {offered(audience, get_args(Audience))}")
    return AUDIENCES[audience].k


def guarantee_for(proposal: Proposal, k: int) -> dict[str, int]:
    """The numbers to start with: k against the usual attacker, and l where something is sensitive and l can be kept.

    The l of a table is 3, or as many as the sensitive column of fewest values has. In record trees no sensitive value
    may be in more than every second record, beside baskets no label in more than every third; with a label the attacker
    is the one who knows whole baskets, for no other claim covers it. A table with baskets has no such claim.
    """
    shape, secret = proposal.shape, [one for one in proposal.columns.values() if one.role == "sensitive"]
    usual, l = ATTACKERS[shape][0].name, 1
    if shape == "table":
        l = min([_L, *(one.meant or one.distinct for one in secret)])
    elif shape == "trees" and all(one.most * _ONE_OF <= proposal.records for one in secret):
        l = _ONE_OF
    elif shape == "baskets" and all(one.most * (2 * _ONE_OF - 1) <= proposal.records for one in secret):
        usual, l = "basket" if secret else usual, _ONE_OF
    return guarantee(shape, usual, {"k": k, "l": l}, ("l",) if secret and l > 1 else ())


def tried_costs(proposal: Proposal, source: Source | None) -> tuple[str, ...]:
    """What k alone and k with l cost, in words: tried on a thousand records of a table of few columns, by `mondrian`.

    No clock decides whether it is tried: where the method was never used on this machine, compiling would take longer
    than all else, so the command that tells is named. Nothing is said where such a release would be refused.
    """
    quasi = [one for one in proposal.columns.values() if one.role == "quasi"]
    if proposal.shape != "table" or source is None or not 0 < len(quasi) <= _COLUMNS or proposal.data.person:
        return ()
    if not compiled("mondrian"):
        return ("shoal compare --methods default --k 2:20 shows what each k costs",)
    from shoal.publish.making import anonymize
    from shoal.publish.shapes.base import dataset_of

    some = source.frame.sample(min(_TRIED, source.frame.height), shuffle=True)
    both: dict[str, Any] = dict(proposal.guarantee)
    found = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # what reading tells is told where the file is read
            dataset = dataset_of(proposal.config(), replace(source, frame=some))
            for numbers in ({"k": both["k"]}, both) if len(both) > 1 else (both,):
                release = anonymize(dataset, method="mondrian", **numbers)
                asked = " and ".join(f"{key} = {value}" for key, value in numbers.items())
                found.append(f"{asked} cost {next(iter(release.loss.values())):.0%} of the detail")
    except ShoalError:
        return ()
    return (f"tried on {some.height:,} of {proposal.records:,} records: {', '.join(found)}",)
