"""What a row stands for: one person, one of many rows of a person, several people, or part of a group named above it.

Names of columns often do not say it. Rows do: those of one person agree in what stays with a person; numbers of people
stand beside combinations of which none comes twice; what is written once for a group leaves the cells below it blank.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from shoal.publish.study.propose.identifying_text import person_names
from shoal.publish.study.propose.profile import ColumnProfile
from shoal.publish.study.propose.proposal import ColumnProposal

__all__ = [
    "ask_about_rows",
    "follows",
    "is_in_rows_of_persons",
    "may_number_persons",
    "repeats_as_persons_do",
]

_SLIPS = 0.02  # of persons have a row that says otherwise
_CHANCE = 14.0  # rows agree by chance once in a million times, or so many pairs would meet
_FOLLOWED = 10  # different values; fewer are groups of people
_PERSONS, _REPEATED, _ROWS = 50, 1.2, 20  # different codes, and in how many rows each stands on average
_FEW = 20  # different values, which mean something to somebody
_COUNTED = re.compile(
    r"(?i)(?:^|[\W_])(?:anzahl|fallzahl|häufigkeit|haeufigkeit|count|counts|freq|frequency|cases|persons|people|personen|"
    r"einwohner|effectif|effectifs|personnes|personas|casos|conteggio|liczba|aantal|antal|n)(?:$|[\W_])"
)
_CELLS, _FEWEST = 100, 12  # different values of a column by which people are counted, and of one of numbers
_BLANK, _ONCE, _TABLE = 0.5, 1.2, 20  # of the rows at least; times each value is written; rows


def is_in_rows_of_persons(
    own: ColumnProfile,
    births: Iterable[ColumnProfile],
    sexes: Iterable[ColumnProfile],
    times: Iterable[ColumnProfile],
) -> bool:
    """Whether each value is one person's: its rows agree in birthday or age, and sex; or no two are of one time."""
    if own.distinct < _FOLLOWED or not len(own.codes):
        return False
    stays = any(_agree_within(own, other) for other in births)
    if stays and all(_agree_within(own, other) for other in sexes):
        return True
    return any(_meets_once([own, other]) for other in times)


def _agree_within(person: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether nearly all rows with one value of `person` agree in `other`, which chance would not bring about."""
    if not 1 < other.distinct < person.distinct or len(other.codes) != len(person.codes):
        return False
    pairs = np.unique(person.codes.astype(np.int64) * (len(other.values) + 1) + other.codes)
    persons = np.unique(person.codes)
    often = np.bincount(other.codes).max() / len(other.codes)
    repeats = len(person.codes) - len(persons)
    return len(pairs) <= (1 + _SLIPS) * len(persons) and repeats * -np.log(often) > _CHANCE


def _meets_once(columns: Sequence[ColumnProfile]) -> bool:
    """Whether no two rows have the same values in all of these columns, where by chance many would."""
    rows = {len(one.codes) for one in columns}
    if len(rows) != 1 or not all(rows):
        return False
    together, chance = np.zeros(max(rows), dtype=np.int64), float(max(rows)) ** 2 / 2
    for one in columns:
        _, together = np.unique(together * (len(one.values) + 1) + one.codes, return_inverse=True)
        chance *= float(((np.bincount(one.codes) / max(rows)) ** 2).sum())
    return int(together.max(initial=-1)) + 1 == max(rows) and chance > _CHANCE


def may_number_persons(one: ColumnProposal, seen: Mapping[str, ColumnProfile]) -> bool:
    """Whether rows with one value agree in two other columns, of which neither tells the other: as a person's do."""
    own = seen[one.name]
    if not (one.shared or (one.role == "quasi" and one.type in ("number", "code"))):
        return False
    if not len(own.codes) or own.distinct < _FEW or _REPEATED * own.distinct > own.people - own.missing:
        return False
    if one.type == "number" and not all(map(str.isdecimal, own.values)):
        return False
    if isinstance(one.hierarchy, Mapping):
        return False  # codes of a vocabulary are of things
    told = [other for other in seen.values() if 1 < other.distinct < own.distinct and follows(own, other)]
    return any(not follows(a, b) and not follows(b, a) for a, b in combinations(told, 2))


def repeats_as_persons_do(seen: ColumnProfile) -> bool:
    """Whether many values stand in several rows each, as the number of a card does that somebody has for years."""
    present = seen.people - seen.missing
    return seen.distinct >= _PERSONS and _REPEATED * seen.distinct <= present <= _ROWS * seen.distinct


def follows(inside: ColumnProfile, outside: ColumnProfile) -> bool:
    """Whether the value of one column tells that of another in every record."""
    pairs = np.unique(inside.codes.astype(np.int64) * (outside.distinct + 1) + outside.codes)
    values = np.unique(inside.codes)
    return len(pairs) == len(values) and len(values) >= inside.distinct


def ask_about_rows(columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile]) -> None:
    """Ask where rows do not seem to be people, whatever else there is to ask about a column."""
    open_to = [one for one in columns.values() if not one.stated and one.name in seen]
    published = [one for one in open_to if one.role in ("quasi", "sensitive", "plain")]
    for one in published:
        others = [
            other
            for name, other in seen.items()
            if name != one.name and other.distinct <= (_FEWEST if columns[name].type == "number" else _CELLS)
        ]
        told = _COUNTED.search(one.name)
        if told and _are_whole(seen[one.name]) and (told[0] == one.name or _meets_once(others)):
            one.severity, one.undecided = 1, (
                "it seems to say how many people each row stands for, but every row is taken for one person; give a "
                "table with a row for each person"
            )  # fmt: skip
    first = next(iter(columns.values()), None)
    if first in open_to and _is_written_once(seen[first.name]):
        first.severity, first.undecided = 1, (
            "it is blank in most rows and holds another value each time, as where a group is named once; write it into "
            "every row of the group"
        )  # fmt: skip
    if person_names([one.name for one in published]) is not None:
        for one in published:
            one.severity, one.undecided = 1, (
                "names of people seem to stand over the columns; turn the table, so that each of them has a row"
            )  # fmt: skip


def _are_whole(seen: ColumnProfile) -> bool:
    """Whether all are whole numbers, and rows are not just numbered."""
    if seen.distinct < 2 or not all(map(str.isdecimal, seen.values)):
        return False
    numbers = [*map(int, seen.values)]
    return seen.alone < seen.distinct or max(numbers) - min(numbers) >= len(numbers)


def _is_written_once(seen: ColumnProfile) -> bool:
    """Whether most rows of a column are blank, and hardly a value comes again."""
    filled = seen.people - seen.missing
    blank = seen.people >= _TABLE and seen.missing >= _BLANK * seen.people
    return blank and seen.distinct > 1 and filled <= _ONCE * seen.distinct
