"""Which columns somebody must decide about before a proposal is run, and why: nothing is decided silently."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from types import MappingProxyType

import numpy as np

from shoal.base.naming import resource_table
from shoal.data.arrays import I4, I8
from shoal.data.column_names import FREE_TEXT, match_column_name, name_parts, split_words
from shoal.data.person_names import names_somebody, person_name_share
from shoal.hierarchy import Hierarchy
from shoal.io.read.source import Source, Variable
from shoal.io.read.total_rows import is_total
from shoal.privacy.presets import contact_forms
from shoal.proposal.detectors import YES_NO, are_moments
from shoal.proposal.profile import ColumnProfile, are_jointly_unique, determines
from shoal.proposal.proposal import ColumnProposal
from shoal.proposal.role_resolution import FINDING, NAMES, UNNAMED, WRITTEN, RoleChoice
from shoal.report.words import names_in_words
from shoal.shapes.guards import are_sentences

__all__ = [
    "ask_about_codebook",
    "ask_about_contacts",
    "ask_about_findings",
    "ask_about_rows",
    "ask_about_secrets",
    "doubt_about_groups",
    "hide_rare_values",
    "leave_out_contacts",
    "leave_out_twins",
    "list_known_candidates",
    "list_some",
    "mark_undecided",
    "may_number_persons",
    "offer_known_role",
]

_DISEASE = re.compile(r"[A-Za-z]\d\d\.?[0-9A-Za-z]{1,4}")
_TWICE = "one code stands with its dot and without it, and would count as two values; write all in one way"
_BLANK = "write what blank means into its cells, such as no, or leave it out"
_TICKED = f"it has one value beside blank cells, so l, which counts values, can protect no sensitive column; {_BLANK}"
_LIKE = (
    "some of its values are what others begin with, as of short forms and additions, and l counts each; write what "
    "means the same in one way"
)
_YEAR_LONG = 31_557_600  # seconds
_CALLED = "write the unit into its name"
_NO_DAY = re.compile(
    r"(?:1900-01-0[01]|1899-12-3[01]|1800-01-01|0001-01-01|1111-11-11|9999-12-31|2999-12-31)(?!\d)"
)
_RARE = 50  # rows for each that holds such a day, at most
_DASH = re.compile(r"\s*[-–—]\s*")
_BAND = re.compile(rf"\s*\d+{_DASH.pattern}\d+\s*")
_YES = 5  # letters of the words for yes and no
_OWN = (
    "hold a text of their own where others choose from a list, and would be published as they are; correct them, or "
    "leave it out"
)
_FEW = 20  # different values, which mean something to somebody
_CROWD = 10  # people for each of them
_INSTRUMENT = "redcap_repeat_instrument"  # REDCap's name for what says of which form a row is
_SIGNS_OF = frozenset(
    "label labels text txt desc description bez bezeichnung klartext wert value lib libelle intitule etiqueta "
    "descripcion descrizione etichetta word words short long kurz lang".split()
)  # what words of a name say only how its values are written
_NONE = frozenset[str]()
_TWO = 2  # different values of a flag
_GROUPS = 8  # different values; fewer need no group between them and all together
_ANSWERS, _DIGITS = 11, 2  # different whole numbers that show no amount, and how long they are
_PARTED = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_ACCOUNTS = ("user name or password", "bank account", "payment card", "phone number")
_SHAPES = 3  # ways in which nearly all codes of a list are written
_MOST = 0.95
_SIGNS = re.compile(r"\d ?[/,:$€£%]|[$€£] ?\d|\d\.\d\d?\.\d")  # of dates, times and amounts
_PERSONS, _REPEATED, _ROWS = 50, 1.2, 20  # different codes, and in how many rows each stands on average
_COUNTED = re.compile(
    r"(?i)(?:^|[\W_])(?:anzahl|fallzahl|häufigkeit|haeufigkeit|count|counts|freq|frequency|cases|persons|people|personen|"
    r"einwohner|effectif|effectifs|personnes|personas|casos|conteggio|liczba|aantal|antal|n)(?:$|[\W_])"
)
_CELLS, _FEWEST = 100, 12  # different values of a column by which people are counted, and of one of numbers
_MOSTLY_BLANK, _ONCE, _TABLE = 0.5, 1.2, 20  # of the rows at least; times each value is written; rows
_SEVEN = re.compile(r"\d(?:[ ./()-]{0,3}\d){6}")  # digits at least of a telephone number
_RARE_SHARE, _RARE_END = 0.3, 0.5  # of the people, at most; of its even share, of an end of several answers
_MOST_NAMES = 100  # of columns that one question is about
_IS_HIDDEN = "is hidden: at most half of those who look alike may have it"
_ONE_TO_HIDE = "say whether it is the one to hide"
_READ = 10_000  # characters of a cell; more are no value of a column
_IN_LIST, _VALUE_WORDS = 0.8, 3  # of the cells are of a list; words of what may be a value
_BEFORE = re.compile(r"[(,;:]|\W-\W")
_SHARED = 5  # cells
_PUBLISHED = ("quasi", "sensitive", "plain")
_MOST_ITEMS = 100  # items that are listed
_LISTED = 5  # names of columns in a question
_WIDE, _FEW_AT_ONCE = (
    12,
    2,
)  # quasi-identifiers of a wide table; other columns that somebody may know of a person
_REACHED, _NAMED = "a mail address or a telephone number", "the name of somebody"
_WRITTEN = "a text that somebody wrote"
_LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")


def mark_undecided(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: Mapping[str, RoleChoice],
    doubts: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Tell of each column that was not stated why somebody must decide about it; `doubts` are of its cells."""
    for name, column in columns.items():
        if name in choices and not column.stated:
            reasons = chain(
                _column_reasons(column, seen[name], choices[name]),
                _cell_reasons(column, seen, choices[name], doubts.get(name, "")),
            )
            column.ask(*next(reasons, (0, "")))


_Reason = tuple[int, str]
"""How bad it is that nobody has decided, 1 is worst, and why somebody must, in a clause that holds no value."""


def _cell_reasons(
    one: ColumnProposal, every: Mapping[str, ColumnProfile], choice: RoleChoice, doubt: str
) -> Iterator[_Reason]:
    """What is open of its cells, and why l would count values of a sensitive column that are none, or could not."""
    profile = every[one.name]
    if not choice.sure and may_number_persons(one, every):
        yield 1, _person_question("number" if one.type == "number" else "value", profile)
    if doubt and one.role in ("quasi", "sensitive"):
        yield 2, doubt
    if (
        one.role in ("sensitive", "plain")
        and one.level is None
        and (count := profile.cells(_find_remarks(profile)))
    ):
        yield 2, f"{count:,} of {profile.people:,} cells {_OWN}"
    if one.role == "sensitive":
        if _has_both_code_forms(profile.values):
            yield 2, _TWICE
        if profile.distinct == 1 and profile.missing:
            yield 2, _TICKED
        if _find_abbreviations(profile.values):
            yield 2, _LIKE


def _find_abbreviations(values: Sequence[str]) -> list[str]:
    """Words that another begins with as a whole, or is short for: positiv and "positiv (bestätigt)", pos. and positiv.

    >>> _find_abbreviations(["positiv", "Positiv (bestätigt)", "pos.", "negativ", "N", "Nein", "Nervenleiden"])
    ['N', 'pos.', 'positiv']
    """
    if len(values) > _FEW:
        return []
    words = {value: value.casefold().strip() for value in values if not _DIGIT.search(value)}
    abbreviations = set()
    for (short, word), (_, other_word) in permutations(words.items(), 2):
        stem = word.rstrip(".")
        if (
            not stem
            or stem == other_word
            or not other_word.startswith(stem)
            or not other_word[len(stem) :].strip("+- ")
        ):
            continue  # B and B+ are two grades
        is_whole_word = not other_word[len(stem)].isalpha()
        first_word = other_word.split()[0]
        is_letter = len(stem) == 1 and (
            first_word in YES_NO or 2 < len(first_word) <= _YES
        )  # nk is not known
        if is_whole_word or word.endswith(".") or is_letter:
            abbreviations.add(short)
    return sorted(abbreviations)


def _has_both_code_forms(values: Sequence[str]) -> bool:
    """Whether a code of diseases stands with its dot and without: E11.9 and E119 are one, and would count as two."""
    codes = {value.strip().upper() for value in values if _DISEASE.fullmatch(value.strip())}
    return any("." in code and code.replace(".", "") in codes for code in codes)


def leave_out_twins(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: Mapping[str, RoleChoice],
) -> dict[str, str]:
    """Of two quasi-identifiers that say the same, as a code and its word do, leave one out; why, by column.

    What a vocabulary knows stays before words, and words before codes.
    """
    why_left_out: dict[str, str] = {}
    quasi = [name for name in choices if columns[name].role == "quasi" and not columns[name].stated]
    worth = {
        name: (isinstance(columns[name].hierarchy, Mapping), any(map(_LETTER.search, seen[name].values)))
        for name in quasi
    }
    for pair in combinations(quasi, 2):
        kept_name, gone = sorted(pair, key=worth.__getitem__, reverse=True)
        if why_left_out.keys() & set(pair) or not 1 < seen[kept_name].distinct == seen[gone].distinct:
            continue
        if (
            2 * seen[kept_name].distinct > seen[kept_name].people
        ):  # where hardly a value is repeated, each tells all others
            continue
        if (
            _have_same_meaning(*pair)
            and determines(seen[kept_name], seen[gone])
            and determines(seen[gone], seen[kept_name])
        ):
            column = columns[gone]
            why_left_out[gone] = (
                f"it says the same as {kept_name} in every record, and is left out; keep that, or leave out {kept_name}"
            )
            column.role, column.why, column.advice, column.hierarchy = "drop", why_left_out[gone], "", None
    return why_left_out


def _have_same_meaning(one: str, other: str) -> bool:
    """Whether names mean the same, or differ only in what says that one is a code or a label."""
    first, second = (
        {
            word
            for word in split_words(name)
            if word not in _SIGNS_OF and not name_parts().get(word, _NONE) & {"number", "name"}
        }
        for name in (one, other)
    )
    meaning = match_column_name(one)
    return first == second != set() or (
        meaning is not None and meaning.what == getattr(match_column_name(other), "what", None)
    )


def _column_reasons(one: ColumnProposal, seen: ColumnProfile, choice: RoleChoice) -> Iterator[_Reason]:
    """What does not fit of its name, its values and the role that it was given."""
    quasi, secret, gone = (one.role == role for role in ("quasi", "sensitive", "identifier"))
    cells = f"of {seen.people:,} cells"
    if seen.doubt and not (gone and choice.what):  # addresses need not be read as numbers
        yield 1, seen.doubt
    if seen.name == _INSTRUMENT and seen.distinct:
        yield (
            1,
            "rows of several instruments stand here, each with columns of its own; export every instrument by itself, "
            "and give a folder of these tables",
        )
    if choice.contradiction:
        yield 1, f"{choice.contradiction}; say what it is, most likely {one.role}"
    if quasi and not choice.sure and _may_be_of_persons(one, seen):
        yield 1, _person_question("code", seen)
    if (gone or one.role == "drop") and choice.what in NAMES and not choice.sure:
        yield 2, f"{choice.why}; it is left out; say what it is if these are no people's names"
    if quasi and choice.what in _ODD:
        odd, seem = _ODD[choice.what]
        if count := seen.cells(odd(seen.values)):
            yield 2, f"{count:,} {cells} {seem}"
    if choice.what == "income" and seen.distinct > _ANSWERS and all(map(_PARTED.fullmatch, seen.values)):
        yield (
            1,
            "all its numbers have three digits behind the point; if it parts thousands, the decimal sign is a comma: "
            'write decimal = "," into [data]',
        )
    times = resource_table("shoal.io.read", "writings.toml")["units"]["time"]
    if quasi and seen.kind == "span" and choice.what == "age" and times.get(seen.unit) != _YEAR_LONG:
        yield (
            2,
            f"its ages are published as numbers in {seen.unit}, and readers would take them for years; {_CALLED}",
        )
    if (quasi or secret) and _are_banded_twice(seen.values):
        yield (
            2,
            "one band stands in several spellings, and would count as several values; write all in one way",
        )
    if quasi and (count := seen.cells(_find_placeholders(seen))):
        yield 2, f"{count:,} {cells} hold a day that stands for no day; name it in missing"
    if (quasi or secret) and seen.ended:
        yield (
            2,
            f"{seen.ended:,} {cells} say only above or below which number it is, and stay as they are; beside others "
            "each counts as the nearest number that fits: keep that, or write groups into the whole column",
        )
    if (quasi or secret) and seen.unreadable:
        kind_words = "dates" if seen.kind == "date" else "numbers"
        yield (
            2,
            f"{seen.unreadable:,} {cells} cannot be read as {kind_words} and would count as missing; correct "
            "them, or name "
            "them in missing",
        )
    masked = one.type == "code" and not choice.coded and (quasi or one.level is not None)
    if masked and not _are_codes(seen.values):
        yield (
            2,
            "its values would be masked character by character, but they are not codes; give it a hierarchy",
        )
    if gone and not choice.what and any(map(_SIGNS.search, seen.values)):
        yield (
            2,
            "nearly everybody has a value of their own, but it looks like a date or an amount; say what it is",
        )
    if one.shared and choice.what in _ACCOUNTS and _repeats_as_persons_do(seen):
        yield 2, _person_question("value", seen)
    if gone and not choice.what and are_moments(seen.values):
        yield 2, "it looks like times counted from 1970; write them as dates, or say what it is"
    if gone and choice.what == NAMES[0] and match_column_name(seen.called) is None and _are_staff(seen):
        yield (
            3,
            "its values look like names, but only a few that many rows share, such as staff; say what it is",
        )
    if one.role == "drop" and choice.why == WRITTEN:
        yield 2, f"{WRITTEN}, so it is left out; read them, and say what it is"
    written = choice.what == FREE_TEXT.what and are_sentences(seen.values)
    if (gone or one.role == "drop") and choice.what not in NAMES and not written and _has_few(seen):
        yield 3, f"it would be left out, but it has only {seen.distinct:,} different values; say what it is"
    if quasi and seen.distinct == 1 and seen.missing:
        yield 3, f"it has one value beside blank cells, and nothing of it would be published; {_BLANK}"
    if quasi and _is_flat(one, seen):
        yield 4, f"its {seen.distinct:,} values can only be grouped all together; give it a hierarchy"
    measured = choice.role == "sensitive" and choice.what in ("income", "medical measurement")
    if measured and _has_answers(seen, one):
        yield (
            5,
            f"only its name suggests {choice.what}: {seen.distinct:,} whole numbers do not look like amounts; say what "
            "it is",
        )


def _are_banded_twice(values: Sequence[str]) -> bool:
    """Whether 70-74 stands beside 70 - 74, or with a longer dash."""
    bands = [value for value in values if _BAND.fullmatch(value)]
    return len({_DASH.sub("-", value) for value in bands}) < len(bands)


def _find_placeholders(seen: ColumnProfile) -> list[str]:
    """Days that programs write where none is known, or something has no end; several rows have them, and none is near.

    A person may be born on one, or two; hardly in every fiftieth row.
    """
    days = [value for value in seen.values if _NO_DAY.match(value)]
    return days if seen.cells(days) * _RARE > max(seen.people, _CROWD * _RARE) else []


def _find_shortened(values: Sequence[str]) -> set[str]:
    """Codes of digits that have fewer of them than the longest."""
    codes = {value: code[1] for value in values if (code := _ZIP.fullmatch(value.strip()))}
    longest = max(map(len, codes.values()), default=0)
    return {value for value, code in codes.items() if len(code) < longest and 2 * len(codes) > len(values)}


def _find_wrong_ages(values: Sequence[str]) -> set[str]:
    """Ages below 0, and what spreadsheets make of bands: 06. Okt of 6-10."""
    months = "|".join(chain(*resource_table("shoal.io.read", "writings.toml")["months"].values()))
    month = rf"(?:{months})[^\W\d_]*\.?"
    no_age = re.compile(rf"{_BELOW_0.pattern}|\d{{1,2}}\.?[ -]?{month}|{month}[ -]?\d{{1,2}}")
    return {value for value in values if no_age.fullmatch(value.strip().casefold())}


def _find_respelled(values: Sequence[str]) -> set[str]:
    """All words of a sex that is written in several ways."""
    groups = [[value for value in values if value.strip().casefold() in words] for words in _SEXES]
    return {value for spellings in groups if len(spellings) > 1 for value in spellings}


_ZIP, _BELOW_0 = re.compile(r"(\d{3,})(?:-\d{4})?"), re.compile(r"[-−]\s?\d*[1-9]\d*(?:[.,]\d+)?")
_SEXES = (
    frozenset(
        "f female females woman w weiblich frau femme féminin mujer femenino donna femmina vrouw kadın".split()
    ),
    frozenset("m male males man männlich mann h homme masculin hombre masculino uomo maschio erkek".split()),
)
_ODD: Mapping[str, tuple[Callable[[Sequence[str]], set[str]], str]] = {
    "postal code": (
        _find_shortened,
        "have fewer digits than the others, as where zeros in front were lost; write these again, or other places get "
        "into one group",
    ),
    "age": (
        _find_wrong_ages,
        "are ages below 0, or days, as spreadsheets make of bands such as 6-10; correct them, or name them in missing",
    ),
    "sex": (
        _find_respelled,
        "write one sex in several ways, and groups would mix the sexes; write each in one way",
    ),
}
"""By what a quasi-identifier is, which of its values look wrong and what they seem to be."""


def _are_codes(values: tuple[str, ...]) -> bool:
    """Whether values are written in a few ways, with none of the signs of dates and amounts."""
    if any(map(_SIGNS.search, values)):
        return False
    shapes: dict[str, int] = {}
    for value in values:
        shape = _DIGIT.sub("9", _LETTER.sub("a", value))
        shapes[shape] = shapes.get(shape, 0) + 1
    return sum(sorted(shapes.values())[-_SHAPES:]) >= _MOST * len(values)


def _may_be_of_persons(one: ColumnProposal, seen: ColumnProfile) -> bool:
    """Whether many codes stand in several rows each, as the number of a card does that somebody has for years."""
    return (
        one.type == "code"
        and isinstance(one.hierarchy, Hierarchy)  # codes of a vocabulary are of things
        and _repeats_as_persons_do(seen)
        and _are_codes(seen.values)
    )


def _person_question(what: str, seen: ColumnProfile) -> str:
    return (
        f"its {seen.distinct:,} {what}s repeat in {seen.people - seen.missing:,} rows; if rows with the same {what} "
        "are one person's, name it in person, or persons are not protected; else say what it is"
    )


def _are_staff(seen: ColumnProfile) -> bool:
    """Whether so few names stand in so many rows that they are of people who served those of the rows."""
    return seen.distinct <= 2 * _FEW and 2 * (seen.people - seen.missing) >= _CROWD * seen.distinct


def _has_few(seen: ColumnProfile) -> bool:
    return 0 < seen.distinct <= _FEW and seen.people - seen.missing >= _CROWD * seen.distinct


def _is_flat(one: ColumnProposal, seen: ColumnProfile) -> bool:
    """Whether the first step of a hierarchy is its last."""
    hierarchy = one.hierarchy
    return isinstance(hierarchy, Hierarchy) and seen.distinct > _GROUPS and len(hierarchy.labels[1]) == 1


def _has_answers(seen: ColumnProfile, one: ColumnProposal) -> bool:
    """Whether few small whole numbers may be answers to choose from."""
    return (
        one.type == "number"
        and 2 < seen.distinct <= _ANSWERS
        and all(value.isdecimal() and len(value) <= _DIGITS for value in seen.values)
    )


# What a row stands for: one person, one of many rows of a person, several people, or part of a group named above it.
#
# Names of columns often do not say it. Rows do: numbers of people stand beside combinations of which none comes twice;
# what is written once for a group leaves the cells below it blank.


def may_number_persons(one: ColumnProposal, seen: Mapping[str, ColumnProfile]) -> bool:
    """Whether rows with one value agree in two other columns, of which neither tells the other: as a person's do."""
    profile = seen[one.name]
    if not (one.shared or (one.role == "quasi" and one.type in ("number", "code"))):
        return False
    if (
        not len(profile.codes)
        or profile.distinct < _FEW
        or _REPEATED * profile.distinct > profile.people - profile.missing
    ):
        return False
    if one.type == "number" and not all(map(str.isdecimal, profile.values)):
        return False
    if isinstance(one.hierarchy, Mapping):
        return False  # codes of a vocabulary are of things
    dependents = [
        candidate
        for candidate in seen.values()
        if 1 < candidate.distinct < profile.distinct and determines(profile, candidate)
    ]
    return any(not determines(a, b) and not determines(b, a) for a, b in combinations(dependents, 2))


def _repeats_as_persons_do(seen: ColumnProfile) -> bool:
    """Whether many values stand in several rows each, as the number of a card does that somebody has for years."""
    present = seen.people - seen.missing
    return seen.distinct >= _PERSONS and _REPEATED * seen.distinct <= present <= _ROWS * seen.distinct


def ask_about_codebook(columns: Mapping[str, ColumnProposal], source: Source) -> str:
    """Ask who numbered labels that are in alphabetical order; return why, and nothing where there is nothing to ask.

    One column is asked about for all: the answer is a key of [data].
    """
    numbered = [
        column
        for name, column in columns.items()
        if column.role in _PUBLISHED and source.variables.get(name, Variable()).numbered
    ]
    first = next((column for column in numbered if not column.undecided), None)
    if first is None:
        return ""
    other_names = [column.name for column in numbered if column is not first]
    addition = f", and so are those of {names_in_words(other_names)}" if other_names else ""
    first.ask(
        3,
        f"its labels are numbered in alphabetical order{addition}, as by a program that numbers what the rows hold, so "
        'what is released is numbered anew; write codebook = "public" into [data] where they stand in a questionnaire, '
        'or "built"',
    )
    names = names_in_words([column.name for column in numbered])
    return (
        f"Labels of {names} are numbered in alphabetical order; if a questionnaire has them, keep their codes"
    )


def ask_about_findings(
    columns: Mapping[str, ColumnProposal], choices: Mapping[str, RoleChoice], hidden: Mapping[str, str]
) -> None:
    """Ask once, and of one column, what only the table's owner can say of all: what nobody else knows, what to hide.

    Others' knowledge needs k, so it is asked whether nobody else knows what these data seem to have found out, of the
    column about which that is least certain. `hidden` are the columns of which a value is hidden, and which.
    """
    findings = sorted(
        (
            column
            for name, column in columns.items()
            if column.role == "sensitive"
            and not column.stated
            and name in choices
            and choices[name].what in UNNAMED
        ),
        key=lambda column: (choices[column.name].what != FINDING, column.distinct > _TWO),
    )
    first = next((column for column in findings if not column.undecided), None)
    if first is None:
        if hidden:
            name, which = next(iter(hidden.items()))
            columns[name].ask(4, f"{which} {_IS_HIDDEN}{_and_so_for([*hidden][1:])}; {_ONE_TO_HIDE}")
        return
    names = [column.name for column in findings if column is not first]
    if names:
        others = names_in_words(names, _MOST_NAMES)
        words = f"it and {others} look like what only these data tell; if others can know one of them"
    else:
        words = "it looks like what only these data tell; if others can know it"
    words += " of a person, make it quasi"
    if hidden:
        ends = [name for name, which in hidden.items() if which.startswith("the rarer end")]
        both = [name for name in hidden if name not in ends]
        parts = [
            f"the rarer {what} of {names_in_words(listed, _MOST_NAMES)}"
            for what, listed in (("value", both), ("end of the answers", ends))
            if listed
        ]
        words += f"; {' and '.join(parts)} {_IS_HIDDEN}; {_ONE_TO_HIDE}"
    first.ask(3, words)


def _and_so_for(names: Sequence[str]) -> str:
    return f", and so for {names_in_words(names, _MOST_NAMES)}" if names else ""


def ask_about_secrets(columns: Mapping[str, ColumnProposal], choices: Mapping[str, RoleChoice]) -> None:
    """Ask once about a table in which nothing seems worth learning about a person, where a column may be just that."""
    if any(column.role in ("sensitive", "items", "text") for column in columns.values()):
        return
    unsure = [
        column
        for name, column in columns.items()
        if column.role == "quasi"
        and not column.stated
        and name in choices
        and choices[name].what in ("", *UNNAMED)
        and column.distinct > 1
    ]
    last = next((column for column in reversed(unsure) if not column.undecided), None)
    if last is not None:
        last.ask(
            4,
            "no column of this table is taken for something worth learning about a person; if this one or another is, "
            "make it sensitive",
        )


def list_known_candidates(
    columns: Mapping[str, ColumnProposal], choices: Mapping[str, RoleChoice]
) -> tuple[str, ...]:
    """The quasi-identifiers of a wide table that only those near a person may know, a few at a time.

    These are the ones that nothing but caution made quasi-identifiers. None where all are, or where a table holds
    baskets, which have no such claim.
    """
    quasi = [column for column in columns.values() if column.role == "quasi"]
    unnamed = tuple(
        column.name
        for column in quasi
        if column.name in choices and choices[column.name].what in ("", *UNNAMED) and not column.stated
    )
    if len(quasi) < _WIDE or not 1 < len(unnamed) < len(quasi):
        return ()
    return () if any(column.role == "items" for column in columns.values()) else unnamed


def offer_known_role(columns: Mapping[str, ColumnProposal], unnamed: Sequence[str]) -> str:
    """What a wide table would gain from where nobody knows all of a person.

    It is offered, not proposed, for it assumes more of attackers than quasi-identifiers do.
    """
    quasi = [column for column in columns.values() if column.role == "quasi"]
    return (
        f"{len(quasi)} columns are taken for known to everybody; where nobody knows more than one of "
        f"{list_some(unnamed)} of a person, less is lost with the role known for them and known_at_once = 1 in "
        "[guarantee]"
    )


def list_some(names: Sequence[str]) -> str:
    """The first names in words, and how many more there are."""
    more = len(names) - _LISTED
    return names_in_words([*names[:_LISTED], *([f"{more} more"] if more > 0 else [])])


def ask_about_rows(columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile]) -> None:
    """Ask where rows do not seem to be people, whatever else there is to ask about a column."""
    open_to = [column for column in columns.values() if not column.stated and column.name in seen]
    published = [column for column in open_to if column.role in ("quasi", "sensitive", "plain")]
    for column in published:
        other_profiles = [
            profile
            for name, profile in seen.items()
            if name != column.name
            and profile.distinct <= (_FEWEST if columns[name].type == "number" else _CELLS)
        ]
        hit = _COUNTED.search(column.name)
        if (
            hit
            and _are_whole(seen[column.name])
            and (hit[0] == column.name or are_jointly_unique(other_profiles))
        ):
            column.ask(
                1,
                "it seems to say how many people each row stands for, but every row is taken for one person; give a "
                "table with a row for each person",
            )
    first = next(iter(columns.values()), None)
    if first in open_to and _is_written_once(seen[first.name]):
        first.ask(
            1,
            "it is blank in most rows and holds another value each time, as where a group is named once; write it into "
            "every row of the group",
        )
    if person_name_share([column.name for column in published]) is not None:
        for column in published:
            column.ask(
                1,
                "names of people seem to stand over the columns; turn the table, so that each of them has a row",
            )


def doubt_about_groups(
    seen: Mapping[str, ColumnProfile], choices: Mapping[str, RoleChoice], *, summed: bool
) -> str:
    """Ask whether rows are groups of people, and numbers say how many are in each: they add up, or so the heads say.

    `summed` is whether totals stood below the columns of numbers. "" where nothing speaks for it.
    """
    profiles = [profile for profile in seen.values() if len(profile.codes)]
    if len(profiles) < max(len(seen), _LEAST_COLUMNS) or profiles[0].people > _MOST_GROUPS:
        return ""
    count_columns = [profile for profile in profiles[1:] if _are_whole_numbers(profile)]
    labels = [profile for profile in profiles if profile not in count_columns]
    if len(labels) > _MOST_LABELS or any(_names_persons(profile, choices) for profile in labels):
        return ""
    groups = np.unique(np.stack([profile.codes for profile in labels], axis=1), axis=0)
    if len(groups) < profiles[0].people or profiles[0].people < _LEAST_GROUPS:
        return ""
    numbers = [
        np.array([*map(int, profile.values), 0], dtype=np.int64)[profile.codes] for profile in count_columns
    ]
    heads = [profile.name.strip().casefold() for profile in count_columns]
    across = len(count_columns) > 1 and (
        _add_up(numbers) or _are_categories(heads) or (summed and len(count_columns) > 1)
    )
    down = any(_holds_totals(label, amounts) for label in labels for amounts in numbers)
    return GROUPS if across or down else ""


GROUPS = (
    "its rows look like groups of people, and its numbers like how many are in each; give a table with a row for each "
    "person"
)
"""What is asked about a table of counts."""
_LEAST_COLUMNS, _LEAST_GROUPS, _MOST_GROUPS, _MOST_LABELS = 2, 3, 1_000, 3
_HEADS = (
    re.compile(r"[<>≤≥]?\s?\d{1,3}(?:\s?[-–]\s?\d{1,3}|\s?\+)?(?:\s?\w{1,10})?"),
    re.compile(r"(?:19|20)\d\d"),
)
"""Heads of columns that are bands of age, or years."""


def _are_whole_numbers(one: ColumnProfile) -> bool:
    return (
        one.distinct > 0 and one.whole and all(map(str.isdecimal, one.values)) and one.kind in ("", "number")
    )


def _names_persons(label: ColumnProfile, choices: Mapping[str, RoleChoice]) -> bool:
    """Whether a column tells who a row is of, or only numbers the rows."""
    choice = choices.get(label.name)
    numbered = (
        _are_whole_numbers(label)
        and label.distinct == label.people
        and not _HEADS[1].fullmatch(label.values[0])
    )
    return numbered or (choice is not None and choice.role == "identifier" and choice.what != "")


def _add_up(numbers: Sequence[I8]) -> bool:
    """Whether one column is the sum of two others or more, which are not all nought, in every row."""
    every = np.sum(numbers, axis=0)
    return len(numbers) > 2 and any(
        np.array_equal(2 * column, every)
        and len(np.unique(column)) > 1
        and min(addend.max() for addend in numbers) > 0
        for column in numbers
    )


def _are_categories(heads: Sequence[str]) -> bool:
    """Whether the heads of columns are the values of one thing: sexes, bands of age, years, yes and no."""
    categories = [head for head in heads if not is_total(head)]
    words = any(len({head for head in categories if head in sexes}) == 1 for sexes in _SEXES)
    both = (
        words and all(any(head in sexes for sexes in _SEXES) for head in categories) and len(categories) > 1
    )
    return (
        both
        or ({*categories} <= YES_NO and len(categories) > 1)
        or (len(categories) > 1 and any(all(map(form.fullmatch, categories)) for form in _HEADS))
    )


def _holds_totals(label: ColumnProfile, numbers: I8) -> bool:
    """Whether rows called total, or the like, hold as much together as all others."""
    totals = np.array([*map(is_total, label.values), False])[label.codes]
    total = int(numbers.sum())
    return 0 < totals.sum() < len(totals) - 1 and 2 * int(numbers[totals].sum()) == total > 0


def _are_whole(seen: ColumnProfile) -> bool:
    """Whether all are whole numbers, and rows are not just numbered."""
    if seen.distinct < 2 or not all(map(str.isdecimal, seen.values)):
        return False
    numbers = [*map(int, seen.values)]
    return seen.alone < seen.distinct or max(numbers) - min(numbers) >= len(numbers)


def _is_written_once(seen: ColumnProfile) -> bool:
    """Whether most rows of a column are blank, and hardly a value comes again."""
    filled = seen.people - seen.missing
    blank = seen.people >= _TABLE and seen.missing >= _MOSTLY_BLANK * seen.people
    return blank and seen.distinct > 1 and filled <= _ONCE * seen.distinct


# Text in cells that tells who somebody is: names, how to reach people, and what somebody wrote beside a value.


def _find_remarks(seen: ColumnProfile) -> set[str]:
    """Texts of a few people that somebody wrote where most cells hold one of a list: longer, or behind one of those."""
    shared = {
        value for value, count in zip(seen.values, seen.holders.tolist(), strict=True) if count >= _SHARED
    }
    if seen.kind or not shared or seen.cells(shared) < _IN_LIST * int(seen.holders.sum()):
        return set()
    longest = max(len(value.split()) for value in shared)
    return {
        value
        for value in seen.values
        if value not in shared
        and (len(value.split()) > max(_VALUE_WORDS, longest) or _BEFORE.split(value)[0].strip() in shared)
    }


def _find_names(held: ColumnProfile) -> set[str]:
    """The values that name somebody; what many hold is a disease called after a person, or a work of theirs."""
    return {
        value
        for value, people in zip(held.values, held.holders.tolist(), strict=True)
        if people < _SHARED and names_somebody(value)
    }


def _has_contact(value: str) -> bool:
    """Whether a cell tells how to reach somebody; what can hold no address is not searched for one."""
    text = value[:_READ]
    return ("@" in text or _SEVEN.search(text) is not None) and any(
        form.search(text) for form in contact_forms()
    )


def leave_out_contacts(
    columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], persons: I4 | None = None
) -> dict[str, str]:
    """Leave out columns of which some cells tell how to reach a person, or name one; how many do what, by column.

    A column of mail addresses is known as such. But what somebody wrote beside a diagnosis, in one cell of a hundred,
    would be published as it is. Of lists only such items go, and what somebody wrote beside those that many choose, for
    the public list of groups names all items. Names are looked for where cells are published as they are: groups hide a
    street called after somebody. `persons` says whose each row is.
    """
    reasons: dict[str, str] = {}
    for name, column in columns.items():
        if column.role not in (*_PUBLISHED, "items") or name not in seen or seen[name].kind:
            continue
        listed = column.role == "items"
        profile = (
            seen[name].in_items(column.separator)
            if listed and column.separator
            else seen[name].held_by(persons)
        )
        hits, does = set(filter(_has_contact, profile.values)), _REACHED
        if not hits and column.role != "quasi":
            hits, does = _find_names(profile), _NAMED
        if listed:
            does = does if hits else _WRITTEN
            hits |= _find_remarks(profile)
        if hits and listed:
            reasons[name] = f"{len(hits):,} of {profile.distinct:,} items hold what looks like {does}"
            if len(hits) <= _MOST_ITEMS:
                column.own_missing = (*column.own_missing, *sorted(hits))
        elif hits:
            reasons[name] = (
                f"{seen[name].cells(hits):,} of {seen[name].people:,} cells hold what looks like {does}"
            )
            column.role, column.why = "drop", f"some cells tell who somebody is; {column.why}"
    return reasons


def hide_rare_values(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    choices: Mapping[str, RoleChoice],
    persons: I4 | None = None,
) -> dict[str, str]:
    """Propose to hide the rare one of two values, or the rare end of ordered answers; which, by column to ask about.

    l would need every class to hold such a value. It is told of each; where somebody stated the role it is not asked
    about. `persons` says whose each row is.
    """
    hidden: dict[str, str] = {}
    for name, column in columns.items():
        if column.role != "sensitive" or column.level is not None or name not in seen or column.own_missing:
            continue
        profile = seen[name].held_by(persons)
        order = _order_answers(profile)
        if len(order) < 2 or (
            len(order) > 2 and choices[name].what in ("", *UNNAMED)
        ):  # counts have no bad end
            continue
        people = dict(zip(profile.values, profile.holders.tolist(), strict=True))
        rare, common = sorted((order[0], order[-1]), key=lambda value: people.get(value, 0))
        everybody = profile.people if persons is None else len(np.unique(persons))
        most = _RARE_SHARE if len(order) == 2 else min(_RARE_SHARE, _RARE_END / len(order))
        if not 0 < people.get(rare, 0) <= most * everybody:
            continue
        if profile.missing + people[rare] > _RARE_SHARE * everybody:
            continue  # empty cells count as hidden
        column.hidden, column.others_to_hide = (rare,), (common,) if len(order) > 2 else ()
        which = "the rarer of its two values" if len(order) == 2 else "the rarer end of its answers"
        column.advice = "; ".join(filter(None, (column.advice, f"{which} {_IS_HIDDEN}", _ONE_TO_HIDE)))
        if not column.undecided and not column.stated:
            hidden[name] = which
    return hidden


def _order_answers(profile: ColumnProfile) -> Sequence[str]:
    """Two values, or answers in their order: as a file has them, or small whole numbers; empty for anything else."""
    if not profile.whole:
        return ()
    if profile.order:
        held = set(profile.values)
        return [value for value in profile.order if value in held]
    if profile.distinct == 2:
        return profile.values
    numbered = 2 < profile.distinct <= _ANSWERS and all(
        value.isdecimal() and len(value) <= _DIGITS for value in profile.values
    )
    return sorted(profile.values, key=int) if numbered else ()


def ask_about_contacts(columns: Mapping[str, ColumnProposal], found: Mapping[str, str]) -> None:
    """Ask about what `leave_out_contacts` found, before all else, even where somebody stated what the column is.

    Names of columns are published as well: questionnaires ask about people by name.
    """
    for name, column in columns.items():
        if column.role in _PUBLISHED and names_somebody(name):
            column.ask(1, f"its own name holds what looks like {_NAMED}; call it something else")
    for name, why in found.items():
        column = columns[name]
        if column.role in ("drop", "identifier"):
            why += ", so it is left out; correct them, and say what it is"
        elif column.role == "items" and column.own_missing:
            why += ", so missing leaves them out; look at the rest"
        else:
            why += "; correct them, or leave it out"
        column.ask(1, why)
