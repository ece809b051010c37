"""What columns say of each other: one that contains another, and answers of one questionnaire."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from shoal.data.types import I4
from shoal.publish.study.propose.ladder import Groups
from shoal.publish.study.propose.proposal import Proposed
from shoal.publish.study.propose.roles import Choice
from shoal.publish.study.propose.seen import Seen

__all__ = ["containers", "settle_answers"]

_FEWER = 0.75  # as many values
_NAMED = 20  # people who hold a value that a group is named after
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
    often = {place for place, people in enumerate(outside.holders.tolist()) if people >= _NAMED}
    above = dict(zip(inside.codes.tolist(), outside.codes.tolist(), strict=True))
    groups = {}
    for place, value in enumerate(inside.values):
        owner = above.get(place, -1)
        label = outside.values[owner] if owner in often else "others"
        groups[value] = (f"{label} ({outside.name})" if label in inside.values else label,)
    return groups


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
