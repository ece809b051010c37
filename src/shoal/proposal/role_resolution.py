"""What each column is, leaning to the safe side.

First each column alone: by its name, by the form of its values, by whom it separates. Then what columns say together:
whose rows are whose, which sensitive columns would show who people are, which column contains another, answers of one
questionnaire. Roles that somebody stated stand, whatever a column would have been taken for.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.data import ROLE_WORDS, Column, Role, Table
from shoal.data.arrays import I4
from shoal.data.column_names import (
    FREE_TEXT,
    OUTCOME,
    Meaning,
    is_open_question,
    match_column_name,
)
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.column_values import EPOCH, SERIAL, read_date
from shoal.hierarchy.rules import build
from shoal.hierarchy.suggest import Kind, kind_of
from shoal.io.read.source import Source
from shoal.proposal.detectors import (
    CONSTANT,
    Form,
    are_moments,
    detect_form,
    differs_within,
    fits_values,
    is_counted,
    is_duration,
    is_in_rows_of_persons,
    is_measured,
    is_named_by_numbers,
    is_numbering,
    kinds_of_values,
    settle_grade,
    settle_number,
    settle_weight,
    words_of_kinds,
)
from shoal.proposal.hierarchies import describe_levels, propose_hierarchy
from shoal.proposal.profile import ColumnProfile, determines
from shoal.proposal.proposal import ColumnProposal
from shoal.proposal.trial import find_telling_columns_in_trial
from shoal.shapes.guards import are_sentences, guard, guard_column

__all__ = [
    "FINDING",
    "MEASUREMENT",
    "NAMES",
    "UNNAMED",
    "WRITTEN",
    "RoleChoice",
    "check_overrides",
    "choose_role",
    "has_unique_values",
    "keep_a_quasi",
    "override_roles",
    "resolve_long_items",
    "resolve_persons",
    "resolve_sensitive",
    "resolve_survey",
]

_LOOKED_AT = 2000  # values whose form is looked at
NAMES = ("name", "first name", "last name")
"""What few people may have in common, and is theirs all the same: staff."""
_NUMBER_OF = re.compile(r"\d{5}")
_NUMBERED_NAME = re.compile(
    r"(?i:[a-z]id|[a-z]no|[a-z]num)$"
)  # jobid, caseno: where nearly all values differ
_NUMBERS_OF = ("code", "number")
_GROUPS, _CROWD = 3, 20  # so few values, each held by so many people, name nobody: a phone, yes or no
_SHORT = 20  # different texts; fewer may be a list to choose from
_MANY = 50  # people; among fewer, everybody has a value of their own by chance
_MOST = 0.9  # of the values have a form
_FIRST_YEAR, _FUTURE = 1908, 2050  # days outside are of nobody who is in records
_YEARLIKE = 1927  # days up to then have four digits, as years have

_KEY, _HOUSEHOLD = "record number", "household number"
MEASUREMENT = "measurement"
"""What a column of measured numbers is, of which the name does not say what was measured."""
FINDING = "finding"
"""What a column is that nobody seems to know without these data, and whose name does not say what was found."""
UNNAMED = (MEASUREMENT, FINDING)
"""What columns are that only their values, or their place in the table, speak for."""
_GAP = re.compile(r"[\s_]")
_PROSE = 2_000  # values that show whether a column is free text
_TOLD = 20_000  # records that show whether a column tells another

_DEATH, _MOST_ENDINGS = "date of death", 5  # different values that say whether somebody died, not when
_SHARED = 4  # people who share a value, on average
_COMES_BACK = 3  # times an item occurs, on average
_NUMBERS, _COUNTED_FACTS = frozenset({"number", "decimal", "amount"}), ("household", "marital status")
_FLAG = 2  # different values of what is there or not
_ANSWERS = 11  # different numbers at most that name answers

_OVERRIDE = "you say so"
_TRIAL_WORK = 60_000  # guesses, after which sensitive columns that would be refused are made coarser no more
_OF_FIELDS = ("identifier", "quasi", "sensitive", "text", "drop")
_OF_LISTS = ("items", "identifier", "drop")


@dataclass(frozen=True, slots=True)
class RoleChoice:
    """What a column is taken for, why, and what its values are.

    what   : what the name or the form says it is, in words; empty where neither says anything
    coded  : whether numbers are names here
    person : whether it tells who a person is, so that rows which share it are one person's
    sure   : whether it can be taken as it is; else somebody should look at it before anything is published
    contradiction : what the name says and the values do not; empty where they agree, or the name says nothing
    """

    role: Role
    why: str
    kind: Kind
    what: str = ""
    coded: bool = False
    person: bool = False
    sure: bool = True
    contradiction: str = ""


def choose_role(seen: ColumnProfile) -> RoleChoice:
    """Take a column for what it most likely is; in doubt it is a quasi-identifier.

    Its name proposes, or where that says nothing its label; its values must agree.
    """
    choice = _decide_role(seen)
    if seen.called == seen.name:
        return choice
    why, against = (
        sentence.replace("its name suggests", "its label suggests")
        for sentence in (choice.why, choice.contradiction)
    )
    return replace(choice, why=why, contradiction=against)


class _NameReading(NamedTuple):
    """What the name of a column means, once its values were asked.

    meaning       : None where the name says nothing, or the values contradict it
    kind          : what the values are
    contradiction : what the name says and the values do not
    is_flag       : whether the contradiction need not be asked about: a flag or a number of what others know
    """

    meaning: Meaning | None
    kind: Kind
    contradiction: str = ""
    is_flag: bool = False


def _decide_role(seen: ColumnProfile) -> RoleChoice:
    """Take a column for what its name, the form of its values and their kinds say together."""
    if not seen.distinct:
        return RoleChoice("drop", "it is empty", Kind("word"))
    kind = kind_of(seen.values)
    formed = detect_form(seen.values[:: max(1, len(seen.values) // _LOOKED_AT)][:_LOOKED_AT])
    if formed is not None and formed.role is None and formed.share < _MOST:
        formed = None
    kinds = kinds_of_values(seen, kind)
    if formed is not None and formed.kind == "date":
        kinds |= {"date"}
    meaning = _read_name(seen, kind, kinds)
    reading = _NameReading(None, kind) if meaning is None else _check_name(meaning, seen, kind, kinds)
    named, meaning, kind = meaning, reading.meaning, reading.kind

    coded = is_named_by_numbers(meaning, kinds)
    if coded and kind.name == "number" and seen.distinct <= _ANSWERS:
        kind, coded = Kind("word"), False
    measured = meaning is None and not reading.contradiction and is_measured(seen, kinds)
    choice = next(_candidate_roles(seen, kind, meaning, formed, measured=measured))
    if (
        reading.contradiction and choice.role == "quasi" and kind.name == "number"
        and named is not None and named.role == "sensitive"
    ):  # fmt: skip
        choice = replace(choice, role="sensitive", why="nobody should learn it", what=named.what)
    if reading.contradiction and choice.what != _KEY:
        asked = "" if reading.is_flag and choice.role == "quasi" else reading.contradiction
        return replace(choice, why=f"{reading.contradiction}; {choice.why}", contradiction=asked)
    return replace(choice, coded=choice.coded or coded)


def _read_name(seen: ColumnProfile, kind: Kind, kinds: frozenset[str]) -> Meaning | None:
    """What the name of a column means; words of several meanings take the one that its values have."""
    meaning = match_column_name(seen.called)
    if meaning is not None and meaning.what == _DEATH and seen.distinct <= _MOST_ENDINGS:
        meaning = OUTCOME
    if meaning is not None and meaning.weak and "word" not in kinds:
        meaning = None
    if meaning is not None and meaning.what == "date" and kind.name == "number" and is_duration(seen.called):
        meaning = None
    meaning = settle_grade(settle_weight(meaning, seen, kind), seen, kind)
    meaning = settle_number(meaning, seen, kind)
    are_answers = kind.name == "number" or "answer" in kinds  # of a scale, or yes and no
    return None if meaning == FREE_TEXT and are_answers and is_open_question(seen.called) else meaning


def _are_shares(seen: ColumnProfile) -> bool:
    """Whether numbers are shares of something, as of the people of a place."""
    try:
        return all(0 <= float(value) <= 1 for value in seen.values)
    except ValueError:
        return False


def _check_name(meaning: Meaning, seen: ColumnProfile, kind: Kind, kinds: frozenset[str]) -> _NameReading:
    """Whether the values of a column agree with what its name means."""
    fits = fits_values(meaning, kinds, seen.distinct)
    if kinds == {"date"} and not fits and _GAP.search(seen.name):
        # another word of the name may say so, in any language
        return _NameReading(Meaning("date", "quasi", "date"), kind)
    if meaning.kind == "date" and are_moments(seen.values):
        return _NameReading(meaning, Kind("date", EPOCH))
    if meaning.kind == "date" and _are_serials(seen, kind):
        days = "its numbers are taken for days counted from 1900, as spreadsheets do"
        contradiction = f"its name suggests {meaning.what}, and {days}"
        return _NameReading(meaning, Kind("date", SERIAL), contradiction)
    if not fits:
        contradiction = f"its name suggests {meaning.what}, but its values are {words_of_kinds(kinds)}"
        is_number = kinds <= _NUMBERS and meaning.what in _COUNTED_FACTS
        is_share = kinds == {"decimal"} and _are_shares(seen)
        is_flag = meaning.role == "quasi" and (seen.distinct <= _FLAG or is_number or is_share)
        return _NameReading(None, kind, contradiction, is_flag)
    return _NameReading(meaning, kind)


def _candidate_roles(
    seen: ColumnProfile, kind: Kind, meaning: Meaning | None, formed: Form | None, *, measured: bool
) -> Iterator[RoleChoice]:
    """What a column may be taken for, the riskiest first; there is always something."""
    suggested = "" if meaning is None else f"its name suggests {meaning.what}"
    is_prose = formed is not None and formed.role == "drop"
    if meaning is not None and meaning.role == "identifier":
        yield from _identifiers_by_name(seen, kind, meaning, formed)
    if meaning is not None and meaning.role == "drop" and kind.name != "number" and not is_prose:
        yield RoleChoice("drop", suggested, kind, meaning.what)
    if formed is not None:
        yield from _risks_of_form(seen, kind, formed)
    if not seen.listed and not seen.order and (is_prose or are_sentences(seen.values)):
        yield RoleChoice("drop", WRITTEN, kind, FREE_TEXT.what, sure=False)
    yield from _identifiers_by_number(seen, kind, meaning)
    is_code = formed is not None and formed.kind == "code"
    if meaning is not None and meaning.role in ("quasi", "sensitive", "weight"):
        is_code = is_code or (meaning.kind == "code" and kind.name != "date")
        yield RoleChoice(meaning.role, suggested, kind, meaning.what, is_code)
    if measured and formed is None:
        why = "its numbers look measured or computed, and nobody has them without these data"
        yield RoleChoice("sensitive", why, kind, MEASUREMENT)
    has_several = seen.distinct > 1
    why = "; it is treated as known to others, to be safe" if has_several else ", and it has one value only"
    form_words = "" if formed is None else formed.what
    yield RoleChoice(
        "quasi",
        f"its name does not say what it is{why}",
        kind,
        form_words,
        is_code,
        sure=seen.distinct < 3,
    )


def _are_shared_by_many(seen: ColumnProfile, most: int) -> bool:
    """Whether a column has at most so many values, each of which many people have."""
    return seen.distinct <= most and int(seen.holders.min()) >= _CROWD


def _identifiers_by_name(
    seen: ColumnProfile, kind: Kind, meaning: Meaning, formed: Form | None
) -> Iterator[RoleChoice]:
    """What a column may be whose name says that it is an identifier; one that many share may be a doctor's."""
    suggested = f"its name suggests {meaning.what}"
    if _are_shared_by_many(seen, _GROUPS):
        values = f"{seen.distinct} value{'' if seen.distinct == 1 else 's'}"
        is_numbered = any(map(_NUMBER_OF.search, seen.values))  # of a doctor; not yes or no
        role: Role = "identifier" if meaning.what in NAMES or is_numbered else "quasi"
        why = f"{suggested}, but it has {values} that many people share"
        yield RoleChoice(role, why, kind, meaning.what, sure=False)
    holds_names = formed is not None and formed.what == "name"  # which people have in common
    is_personal = meaning.what in _PERSONAL and not holds_names
    yield RoleChoice("identifier", suggested, kind, meaning.what, person=is_personal)


def _risks_of_form(seen: ColumnProfile, kind: Kind, formed: Form) -> Iterator[RoleChoice]:
    """What a column may be by the form of its values: an identifier, or free text that was not chosen from a list."""
    if formed.role == "identifier":
        checked = ", with check digits that are right" if formed.checked else ""
        several = f"{formed.what}es" if formed.what.endswith("s") else f"{formed.what}s"
        why = f"its values look like {several}{checked}"
        yield RoleChoice("identifier", why, kind, formed.what, person=formed.what not in _IMPERSONAL)
    if formed.role == "drop" and not _are_shared_by_many(seen, _SHORT):
        why = "it is free text, which can reveal anything about anybody"
        yield RoleChoice("text", why, kind, formed.what)


def _identifiers_by_number(seen: ColumnProfile, kind: Kind, meaning: Meaning | None) -> Iterator[RoleChoice]:
    """What a column may be of which nearly everybody has a value of their own, or whose numbers count something."""
    is_numbered = is_numbering(seen, kind) or (
        seen.nearly_unique and _NUMBERED_NAME.search(seen.name) is not None
    )
    if (
        (meaning is None or seen.nearly_unique)
        and seen.distinct > _MANY
        and is_numbered
        and kind.name in _NUMBERS_OF
    ):
        why = "its name suggests that it numbers something, so it may tell people apart"
        yield RoleChoice("identifier", why, kind, _KEY, sure=False)
    # Postal codes are many, and their first signs are few.
    is_postal = meaning is not None and (meaning.role, meaning.kind) == ("quasi", "code")
    is_unique = seen.people >= _MANY and seen.nearly_unique and kind.name != "date" and not is_postal
    if is_unique and (kind.name != "number" or (meaning is None and is_counted(seen))):
        yield RoleChoice("identifier", "nearly everybody has a value of their own", kind, sure=False)


WRITTEN = "its values are sentences, and neither a codebook nor an order of answers lists them"
"""Why a column of a few texts is left out until somebody has read them."""


_PERSONAL = frozenset(
    {
        "mail address",
        "person number",
        "social security number",
        "tax number",
        "identity card or passport",
        "insurance number",
    }
)
"""What tells one person from another, in every row about that person: by name."""

_IMPERSONAL = frozenset(
    {
        "IBAN",
        "IP address",
        "MAC address",
        "UUID",
        "coordinate pair",
        "long token",
        "name",
        "payment card",
        "phone number",
        "street address",
        "vehicle number",
        "vehicle plate",
        "web page",
    }
)
"""Forms of what several people may share, or one may have several of."""


def _are_serials(seen: ColumnProfile, kind: Kind) -> bool:
    """Whether all numbers are days of our time, counted as spreadsheets do."""
    days = [read_date(value, SERIAL) for value in seen.values] if kind.name == "number" else []
    recent_days = [day for day in days if day is not None and _FIRST_YEAR <= day.year < _FUTURE]
    return (
        len(recent_days) == len(days) > 0
        and sum(day.year > _YEARLIKE for day in recent_days) > len(recent_days) / 2
    )


def has_unique_values(seen: ColumnProfile) -> bool:
    """Whether no two people share a value, and at most one has none."""
    return seen.alone == seen.distinct and seen.missing <= 1


def resolve_persons(
    columns: dict[str, ColumnProposal], seen: Mapping[str, ColumnProfile], choices: Mapping[str, RoleChoice]
) -> str | None:
    """Find the column whose repeats show that several rows are one person's; leave out other names that repeat."""
    named = [name for name, column in columns.items() if column.role == "identifier"]
    repeated = [name for name in named if not has_unique_values(seen[name])]
    constant = {name: choice.what for name, choice in choices.items() if choice.what in CONSTANT}
    steady = [
        name
        for name in repeated
        if not seen[name].missing
        and not any(
            differs_within(seen[name], seen[constant_name], concept)
            for constant_name, concept in constant.items()
        )
    ]
    # a record number by itself may be a visit's; rows that agree in all that stays with a person are a second witness
    records = [name for name in steady if constant and choices[name].what == _KEY]
    persons = (
        [name for name in steady if choices[name].person]
        or records
        or _find_person_columns(columns, seen, choices)
    )
    if any(choices[name].person for name in named if name not in repeated):
        persons = []  # every row has a person's number of its own
    person = min(persons, key=lambda name: seen[name].distinct, default=None)
    for name in repeated:
        if name != person and person is None:
            columns[name].shared = True
            columns[name].why += f"; {_explain_shared(seen[name])}, so it does not identify one row"
            if choices[name].what == _KEY:
                columns[
                    name
                ].advice = "whether rows with the same value belong to one person; if so, name it as person"
    if person is not None:
        column, profile = columns[person], seen[person]
        if column.role == "quasi":
            column.role = "identifier"
            column.why = (
                "its name does not say what it is, but its rows look like those of one person for each value"
            )
        rows = profile.people / max(profile.distinct, 1)
        column.why += f"; its values repeat, {rows:.1f} rows per person, so persons are counted, not rows"
        column.advice = "whether rows with the same value belong to one person"
    return person


def _find_person_columns(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: Mapping[str, RoleChoice],
) -> list[str]:
    """Columns whose name says nothing, but whose rows show that a value is one person's."""
    sexes = [seen[name] for name, choice in choices.items() if choice.what == "sex"]
    births = [
        seen[name]
        for name, choice in choices.items()
        if choice.what in CONSTANT and choice.what != "sex" and choice.kind.name in ("number", "date")
    ]
    times = [
        seen[name]
        for name, choice in choices.items()
        if (choice.kind.name == "date" or choice.what == "year") and choice.what not in CONSTANT
    ]
    return [
        name
        for name, choice in choices.items()
        if (
            columns[name].role == "identifier"
            or (columns[name].role == "quasi" and not choice.sure and not choice.what)
        )
        and not (
            columns[name].stated or seen[name].kind or seen[name].missing or has_unique_values(seen[name])
        )
        and choice.kind.name != "date"
        and choice.what not in NAMES
        and is_in_rows_of_persons(seen[name], births, sexes, times)
    ]


def resolve_survey(
    columns: dict[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: Mapping[str, RoleChoice],
    person: str | None,
) -> None:
    """Take one column that counts people for the sampling weight, and one that people share for the household.

    Where persons have several rows neither is taken: they might differ from row to row.
    """
    weighted = False
    for name, column in columns.items():
        choice = choices.get(name)
        if column.role == "weight":
            fault = (
                "another column is taken for it" if weighted
                else "persons have several rows" if person is not None
                else "some records have none" if seen[name].missing
                else "it is scaled, and does not count people" if _smallest_number(seen[name]) < 1
                else ""
            )  # fmt: skip
            weighted = weighted or not fault
            if fault:
                column.role, column.why = (
                    "drop",
                    f"{column.why}, but {fault}, so risk cannot be weighed by it",
                )
        elif column.role == "identifier" and choice is not None and choice.what == _HOUSEHOLD:
            has_household = any(candidate.role == "household" for candidate in columns.values())
            if (
                person is None
                and not has_household
                and not seen[name].missing
                and not has_unique_values(seen[name])
            ):
                column.role, column.shared = "household", False
                column.why = (
                    f"its name suggests {_HOUSEHOLD}, and people share its values; it is never published"
                )
                column.advice = "whether people with the same value live together"


def _smallest_number(seen: ColumnProfile) -> float:
    """The smallest number of a column; 0 where a cell is none."""
    try:
        return min(float(value) for value in seen.values)
    except ValueError:
        return 0.0


def _explain_shared(seen: ColumnProfile) -> str:
    """Why values do not tell people apart."""
    if seen.alone < seen.distinct:
        return f"{seen.people - seen.missing - seen.alone:,} people share a value with others"
    return f"{seen.missing:,} people have no value"


def resolve_sensitive(
    columns: dict[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: Mapping[str, RoleChoice],
    k: int = 5,
    persons: I4 | None = None,
) -> bool:
    """A sensitive column that would show who people are is made coarser, or taken for a quasi-identifier.

    So is one for which a release with this k would be refused; `persons` says whose each row is. Return whether all
    were looked at until none would be: of wide tables those that would be at last are taken for quasi-identifiers.
    """
    quasi = [seen[name] for name, column in columns.items() if column.role == "quasi"]
    for name, column in columns.items():
        if column.role != "sensitive":
            continue
        known = next((one.name for one in quasi if not column.stated and _gives(one, seen[name])), None)
        if known is not None:
            _make_quasi(column, f"anyone who knows {known} of a person knows it, too")
            continue
        if not _can_publish(seen[name], seen[name].codes, persons):
            hierarchy = propose_hierarchy(seen[name], choices[name].kind, coded=choices[name].coded)
            column.level, column.meant = (
                (None, 0) if hierarchy is None else _lowest_level(seen[name], hierarchy, persons)
            )
            if hierarchy is None or column.level is None:
                _make_quasi(column, "published as it is, it would show who people are")
                continue
            column.hierarchy, column.levels = hierarchy, describe_levels(hierarchy, seen[name])
            column.why += f"; exact values would show who people are, so level {column.level} is published"
        elif quasi and _reveals_quasi(seen[name], quasi):
            _make_quasi(column, "published as it is, it would reveal a quasi-identifier")
    asked: Collection[str] = columns
    work = 0
    while True:
        telling_names, guesses = find_telling_columns_in_trial(columns, seen, k, persons, asked)
        work += guesses
        if not telling_names and asked is columns:
            return True
        is_last = work > _TRIAL_WORK
        is_coarser = [
            not is_last and _make_coarser(columns[name], seen[name], choices[name]) for name in telling_names
        ]
        for name in (name for name, done in zip(telling_names, is_coarser, strict=True) if not done):
            column = columns[name]
            column.level, column.hierarchy, column.levels = None, None, ""
            _make_quasi(column, "published beside the quasi-identifiers, it would tell look-alikes apart")
        if is_last:
            return False
        # Beside the same quasi-identifiers, only those that were made coarser are asked about again; at last all are.
        asked = telling_names if telling_names and all(is_coarser) else columns


def _gives(known: ColumnProfile, secret: ColumnProfile) -> bool:
    """Whether values that several people share tell the few of another column, as chapters of causes tell who died."""
    values = secret.distinct + (secret.missing > 0)
    is_shared = _SHARED * known.distinct <= known.people
    return 1 < values <= _ANSWERS and is_shared and determines(known, secret)


def _make_coarser(column: ColumnProposal, seen: ColumnProfile, choice: RoleChoice) -> bool:
    """Publish a sensitive column of numbers one level higher; False where there is none below the root."""
    if column.level is None:
        hierarchy = propose_hierarchy(seen, choice.kind, coded=choice.coded)
        column.hierarchy = hierarchy if isinstance(hierarchy, Hierarchy) else None
        if column.hierarchy is not None:
            column.levels = describe_levels(column.hierarchy, seen)
    tree, level = column.hierarchy, (column.level or 0) + 1
    if choice.kind.name not in ("number", "date") or not isinstance(tree, Hierarchy) or level >= tree.height:
        return False
    told = "; exact values would tell look-alikes apart, so level "
    column.why = f"{column.why.partition(told)[0]}{told}{level} is published"
    places = tree.look_up((*seen.values, None))[seen.codes]
    published_codes = tree.up[places[seen.codes < len(seen.values)], level]
    column.level, column.meant = level, len(np.unique(published_codes))
    return True


def _make_quasi(one: ColumnProposal, why: str) -> None:
    one.role, one.why, one.advice = "quasi", f"{one.why}, but {why}", "whether it should be published at all"


def _lowest_level(
    seen: ColumnProfile, made: Hierarchy | Mapping[str, Any], persons: I4 | None
) -> tuple[int | None, int]:
    """The lowest level at which a column may be published, and how many values it has there (0 where nobody knows).

    A rule for very many values has few classes.
    """
    if isinstance(made, Mapping) and "vocabulary" in made:
        made = build(seen.name, made, seen.values)
    if not isinstance(made, Hierarchy):
        return (1 if "ranges" in made or "dates" in made else None), 0
    if not seen.whole:
        return None, 0  # no row tells where its value stands
    places = made.look_up((*seen.values, None))[seen.codes]
    for level in range(1, made.height):
        if _can_publish(seen, made.up[places, level], persons):
            published_codes = made.up[places[seen.codes < len(seen.values)], level]
            return level, len(np.unique(published_codes))
    return None, 0


def _can_publish(seen: ColumnProfile, codes: I4, persons: I4 | None) -> bool:
    """Whether a column may be published as it is; `persons` says whose each row is."""
    owners = None if persons is None else persons.astype(np.int64)
    try:
        guard_column(Column(seen.name, "sensitive", (*seen.values[:_PROSE], None), codes), owners)
    except InputError:
        return False
    return True


def _reveals_quasi(seen: ColumnProfile, quasi: Sequence[ColumnProfile]) -> bool:
    columns = [Column(profile.name, "quasi", (None,), profile.codes[:_TOLD]) for profile in quasi]
    secret_column = Column(seen.name, "sensitive", (None,), seen.codes[:_TOLD])
    leaves = np.stack([column.codes for column in columns], axis=1)
    try:
        guard(Table((*columns, secret_column)), leaves, frozenset(), None)
    except InputError:
        return True
    return False


def keep_a_quasi(columns: dict[str, ColumnProposal]) -> None:
    """Without anything that others may know, sensitive columns are taken for it; beside baskets all but one label."""
    roles = [column.role for column in columns.values()]
    if "quasi" in roles:
        return
    labels = [column for column in columns.values() if column.role == "sensitive"]
    for column in labels["items" in roles :]:
        column.level, column.hierarchy = None, None
        _make_quasi(column, "no other column could be known to others")


def resolve_long_items(
    source: Source, person: str | None, columns: dict[str, ColumnProposal], choices: Mapping[str, RoleChoice]
) -> None:
    """Where rows of a person differ in one column of words or codes alone, they are a basket of its values."""
    if person is None:
        return
    candidates = [
        name for name, column in columns.items() if column.role in ("quasi", "sensitive") and name in choices
    ]
    if not candidates or any(column.role == "items" for column in columns.values()):
        return
    different = source.frame.group_by(person).agg(pl.col(name).n_unique().alias(name) for name in candidates)
    varying = [name for name in candidates if (different[name] > 1).any()]
    if len(varying) != 1 or choices[varying[0]].kind.name not in ("word", "code"):
        return
    column = columns[varying[0]]
    if column.distinct * _COMES_BACK > source.frame.height:
        return
    column.role, column.level, column.separator = "items", None, None
    column.why = (
        f"the rows of a {person} differ only in it: each row is an item, and a person's rows are a basket"
    )
    column.advice = "whether each row is an item of a person"


def check_overrides(roles: Mapping[str, Role], names: Collection[str], *, trees: bool = False) -> None:
    """Refuse a role that is none, or of a column that is not there.

    Raises
    ------
    InputError
        The sentence names the column and what it may be.
    """
    allowed_roles = _OF_FIELDS if trees else get_args(Role)
    for name, role in roles.items():
        if name not in names:
            raise InputError(
                f"roles: there is no {'field' if trees else 'column'} {name!r}; {suggest_name(name, names)}"
            )
        if role not in allowed_roles:
            near = suggest_name(role, allowed_roles, spoken=ROLE_WORDS)
            raise InputError(f"roles, {name}: {role!r} is not a role that it can have; {near}")


def override_roles(columns: Mapping[str, ColumnProposal], roles: Mapping[str, Role]) -> None:
    """Give columns the roles that were stated; what was made for another role goes. It may be done again.

    Raises
    ------
    InputError
        Cells that are lists can be no single values, and single values no baskets.
    """
    for name, role in roles.items():
        column = columns[name]
        if column.type == "list" and role not in _OF_LISTS:
            raise InputError(f"roles, {name}: its cells are lists, so give it one of {', '.join(_OF_LISTS)}")
        if column.type != "list" and role == "items":
            raise InputError(
                f"roles, {name}: no sign separates items in its cells; write them as lists, or with | between them"
            )
        stated, column.stated = column.why.startswith(_OVERRIDE), True
        if not stated:
            publishes = role in ("plain", "sensitive") and column.role in (
                "identifier",
                "quasi",
                "text",
                "drop",
            )
            column.advice = f"you publish it, though {column.why}" if publishes else ""
        if column.role != role or not stated:  # what was found out about a stated role stays
            column.role, column.why = role, _OVERRIDE
        if role not in ("quasi", "sensitive", "items"):
            column.hierarchy, column.levels, column.separator = None, "", None
        if role != "sensitive":
            column.level = None
        if role != "identifier":
            column.shared = False
