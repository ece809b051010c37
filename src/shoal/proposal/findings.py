"""What these data found out about people: answers, what became of them, and what only the table's owner has.

A name that says nothing leaves a column among what others know, to be safe. What stands around the column says more:
the facts that anybody has of a person are few and have well-known names. Where age or sex and more of these are there
under theirs, other numbers, and answers of yes and no, are most likely what somebody asked or measured. It is asked
once for all of them.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from shoal.data.column_names import split_words, tells_person_fact
from shoal.hierarchy.answers import is_aside
from shoal.hierarchy.vocabularies import find_scale
from shoal.proposal.decisions import may_number_persons
from shoal.proposal.detectors import CONSTANT, YES_NO, holds_years, is_duration, is_named_by_signs
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.proposal import ColumnProposal
from shoal.proposal.role_resolution import FINDING, UNNAMED, RoleChoice

__all__ = ["resolve_answers", "resolve_findings", "resolve_follow_up"]

_TIMES = frozenset(
    "time times day days month months week weeks year years duration tstop tte surv survt fup".split()
)
_TIME_ENDING = "time"  # of a name in one piece: rtime, futime
_ENDINGS = frozenset(
    "status stat event events cens censor delta dead death died fail failed failure state recur relapse".split()
)
"""What the last word of a name is where how long somebody was followed stands beside how that ended."""
_SHORT_STATUS = re.compile(r"[a-z]{1,2}(?:stat|event|cens|death)")
_FATES = ("outcome", "crime")
_SHORTEST_FOLLOW_UP, _MOST_ENDINGS = 12, 5  # different times at least, and different endings at most
_NUMBERED = re.compile(r"(.*?[^0-9])([0-9]{1,3})[a-z]?")
_PLACEHOLDERS = frozenset(
    "x y z v var variable col column field feature attr attribute spalte merkmal".split()
)
_SERIES, _ANSWERS = 5, 11  # columns of one questionnaire, and different answers
_YES_OR_NO = 2  # answers
_FACTS = 2  # that a table of people has under their names, one of them age, sex or birth
_MORE_FACTS = 3  # of persons, where none of them is
_OF_PERSONS = frozenset(
    {
        "marital status",
        "household",
        "ethnic group",
        "nationality or language",
        "job",
        "education",
        "housing",
        "region",
        "service in the army",
        "insurer",
        "school",
        "income",
        "year",
    }
)
"""What tables of people say of each, and tables of other things seldom: three of these make rows people."""
_ASKED = frozenset(
    "amount severity frequency quality agreement satisfaction importance likelihood degree period change enough "
    "smoking result".split()
)
"""Scales on which people answer, or on which somebody judged or measured them; not schools, sizes and places."""


def resolve_answers(
    columns: dict[str, ColumnProposal], seen: Mapping[str, ColumnProfile], choices: dict[str, RoleChoice]
) -> None:
    """Take numbered columns for the answers of a questionnaire, which few people know, where they share a scale.

    Yes and no, and columns called x1 or z2 whatever they hold, may be anything: nobody published them unasked.
    """
    series: dict[str, list[str]] = {}
    for name, column in columns.items():
        numbered = _NUMBERED.fullmatch(name)
        if (
            numbered
            and column.role == "quasi"
            and not choices[name].what
            and column.distinct <= _ANSWERS
            and seen[name].listed
            and numbered[1].strip("_. -").casefold() not in _PLACEHOLDERS
        ):
            series.setdefault(numbered[1], []).append(name)
    for names in series.values():
        if len(names) < _SERIES:
            continue
        for name in names:
            column = columns[name]
            column.role = "sensitive"
            column.why = (
                f"one of {len(names)} numbered columns of few values, like the answers to a questionnaire"
            )
            column.advice = "whether others may know somebody's answers; if so, it is quasi"
            choices[name] = replace(choices[name], role="sensitive")


def resolve_follow_up(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: dict[str, RoleChoice],
) -> None:
    """Take a time beside a status for how long somebody was followed and how that ended: an outcome, both of them."""
    unnamed = [
        name
        for name, column in columns.items()
        if name in choices and not column.stated and column.role in ("quasi", "sensitive")
        and choices[name].what in ("", *UNNAMED)
    ]  # fmt: skip
    times = [
        name
        for name in unnamed
        if choices[name].kind.name == "number"
        and seen[name].distinct >= _SHORTEST_FOLLOW_UP
        and _is_time(name)
        and not holds_years(seen[name])
    ]
    endings = [name for name in unnamed if 2 <= seen[name].distinct <= _MOST_ENDINGS and _is_ending(name)]
    if not endings:  # it may be called by its own name, as relapse or arrest
        endings = [
            name
            for name, choice in choices.items()
            if choice.what in _FATES
            and columns[name].role == "sensitive"
            and seen[name].distinct == _YES_OR_NO
        ]
    if not times or not endings:
        return
    for name in (*times, *(name for name in endings if name in unnamed)):
        columns[name].role, columns[name].advice = "sensitive", ""
        columns[name].why = (
            f"beside {endings[0]} it looks like how long somebody was followed"
            if name in times
            else f"beside {times[0]} it looks like how somebody fared"
        )
        choices[name] = replace(choices[name], role="sensitive", what="outcome", sure=True)


def _is_time(name: str) -> bool:
    """Whether the last word of a name says how long: survival_days, futime."""
    last_words = split_words(name)[-1:]
    return bool(_TIMES.intersection(last_words)) or any(word.endswith(_TIME_ENDING) for word in last_words)


def _is_ending(name: str) -> bool:
    """Whether the last word of a name says how something ended: vital_status, pstat."""
    last_words = split_words(name)[-1:]
    return bool(_ENDINGS.intersection(last_words)) or any(map(_SHORT_STATUS.fullmatch, last_words))


def resolve_findings(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: dict[str, RoleChoice],
) -> None:
    """Take numbers and answers whose names say nothing for what these data found out, in a table of people.

    Years, codes and what may be a fact that anybody has of a person stay quasi-identifiers; so does whatever is called
    x7, which may be anything.
    """
    facts = [
        name
        for name, choice in choices.items()
        if choice.what and columns[name].role in ("quasi", "sensitive")
    ]
    persons = [name for name in facts if choices[name].what in CONSTANT] if len(facts) >= _FACTS else []
    if not persons:
        persons = [name for name in facts if choices[name].what in _OF_PERSONS]
        if len({choices[name].what for name in persons}) < _MORE_FACTS:
            return
    beside = persons[0]
    for name, column in columns.items():
        if name not in choices or column.role != "quasi" or column.stated or choices[name].what:
            continue
        if choices[name].contradiction or not _may_be_found_out(seen[name], choices[name]):
            continue
        if may_number_persons(column, seen):
            continue
        column.role, column.advice = "sensitive", ""
        column.why = (
            f"its name does not say what it is; beside {beside} it looks like what these data found out"
        )
        choices[name] = replace(choices[name], role="sensitive", what=FINDING, sure=True)


def _may_be_found_out(seen: ColumnProfile, choice: RoleChoice) -> bool:
    """Whether values look like what somebody asked, counted or measured, and not like a fact that anybody has."""
    if seen.distinct < 2 or (tells_person_fact(seen.called) and not is_duration(seen.called)):
        return False
    if choice.kind.name == "number":
        is_code = choice.coded or holds_years(seen) or _are_equally_long(seen)
        return not is_code and not is_named_by_signs(seen.called, seen.distinct)
    return not is_named_by_signs(seen.called) and (
        _are_answers(seen) or bool(seen.order) or _are_on_scale(seen)
    )


def _are_on_scale(seen: ColumnProfile) -> bool:
    """Whether values are the answers of a scale that people are asked or judged on, beside words for none."""
    answers = [value for value in seen.values if not is_aside(value)]
    return _YES_OR_NO <= len(answers) <= _ANSWERS and find_scale(answers) in _ASKED


def _are_answers(seen: ColumnProfile) -> bool:
    """Whether values say yes and no, beside at most one word for not known."""
    answers = YES_NO.intersection(value.strip().casefold() for value in seen.values)
    return len(answers) == _YES_OR_NO <= seen.distinct <= _YES_OR_NO + 1


def _are_equally_long(seen: ColumnProfile) -> bool:
    """Whether numbers are written as codes are, all with the same three digits or more."""
    lengths = {len(value) for value in seen.values}
    return len(lengths) == 1 and lengths.pop() > 2 and seen.distinct > _ANSWERS
