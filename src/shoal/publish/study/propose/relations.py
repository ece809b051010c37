"""What columns say of each other: one that contains another, and answers of one questionnaire."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.data.types import I4
from shoal.hierarchy.suggest import NAMED
from shoal.io.source import Source
from shoal.publish.study.propose.ladder import Groups
from shoal.publish.study.propose.proposal import Proposed
from shoal.publish.study.propose.roles import Choice
from shoal.publish.study.propose.seen import Seen

__all__ = ["containers", "settle_answers", "settle_long_items"]

_FEWER = 0.75  # as many values
_COMES_BACK = 3  # times an item occurs, on average
_NUMBERED = re.compile(r"(.*?[^0-9])([0-9]{1,3})[a-z]?")
_SERIES, _ANSWERS = 5, 11  # columns of one questionnaire, and different answers


def containers(
    columns: Mapping[str, Proposed], seen: Mapping[str, Seen], choices: Mapping[str, Choice]
) -> dict[str, Groups]:
    """For columns of words, the groups that another column makes of them: districts by their province.

    The other column follows from it in every record, has clearly fewer values, and of several such it is the
    one with most.
    """
    words = [
        name for name, one in columns.items() if one.role == "quasi" and choices[name].kind.name == "word"
    ]
    found = {}
    for name in words:
        inside = seen[name]
        larger = [
            seen[other]
            for other in words
            if other != name
            and 1 < seen[other].distinct <= _FEWER * inside.distinct
            and _follows(inside, seen[other])
        ]
        if larger:
            found[name] = _groups(inside, max(larger, key=lambda one: one.distinct))
    return found


def _follows(inside: Seen, outside: Seen) -> bool:
    pairs = np.unique(inside.codes.astype(np.int64) * (outside.distinct + 1) + outside.codes)
    values: I4 = np.unique(inside.codes)
    return len(pairs) == len(values) and len(values) >= inside.distinct


def _groups(inside: Seen, outside: Seen) -> Groups:
    """The group of each value; those that few people are in are one."""
    often = {place for place, people in enumerate(outside.holders.tolist()) if people >= NAMED}
    above = dict(zip(inside.codes.tolist(), outside.codes.tolist(), strict=True))
    groups = {}
    for place, value in enumerate(inside.values):
        owner = above.get(place, -1)
        label = outside.values[owner] if owner in often else "others"
        groups[value] = (f"{label} ({outside.name})" if label in inside.values else label,)
    return groups


def settle_long_items(
    source: Source, person: str | None, columns: dict[str, Proposed], choices: Mapping[str, Choice]
) -> None:
    """Where rows of a person differ in one column of words or codes alone, they are a basket of its values."""
    if person is None:
        return
    there = [name for name, one in columns.items() if one.role in ("quasi", "sensitive") and name in choices]
    if not there or any(one.role == "items" for one in columns.values()):
        return
    different = source.frame.group_by(person).agg(pl.col(name).n_unique().alias(name) for name in there)
    varying = [name for name in there if (different[name] > 1).any()]
    if len(varying) != 1 or choices[varying[0]].kind.name not in ("word", "code"):
        return
    one = columns[varying[0]]
    if one.distinct * _COMES_BACK > source.frame.height:
        return
    one.role, one.level, one.separator = "items", None, None
    one.why = (
        f"the rows of a {person} differ in it alone: each row is an item, and a person's rows are a basket"
    )
    one.look = "whether each row is an item of a person"


def settle_answers(columns: dict[str, Proposed], choices: dict[str, Choice]) -> None:
    """Take numbered columns of a few values for the answers of a questionnaire: sensitive, for few people know them."""
    series: dict[str, list[str]] = {}
    for name, one in columns.items():
        numbered = _NUMBERED.fullmatch(name)
        if numbered and one.role == "quasi" and not choices[name].what and one.distinct <= _ANSWERS:
            series.setdefault(numbered[1], []).append(name)
    for names in series.values():
        if len(names) < _SERIES:
            continue
        for name in names:
            one = columns[name]
            one.role = "sensitive"
            one.why = (
                f"one of {len(names)} numbered columns of few values, like the answers to a questionnaire"
            )
            one.look = "whether others may know answers of somebody: then it is quasi"
            choices[name] = replace(choices[name], role="sensitive")
