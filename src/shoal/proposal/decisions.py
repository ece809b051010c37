"""Which columns somebody must decide about before a proposal is run, and why: nothing is decided silently."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from types import MappingProxyType

import numpy as np

from shoal.base.naming import resource_table
from shoal.data.arrays import I4, I8
from shoal.data.column_names import FREE_TEXT, match_column_name, sorts, split
from shoal.data.person_names import names_somebody, person_names
from shoal.hierarchy import Hierarchy
from shoal.io.read.record_rows import is_total
from shoal.io.read.source import Source, Variable
from shoal.privacy.presets import contact_forms
from shoal.proposal.detectors import YES_NO
from shoal.proposal.profile import ColumnProfile, follows, meets_once
from shoal.proposal.proposal import ColumnProposal
from shoal.proposal.role_resolution import NAMES, WRITTEN, RoleChoice
from shoal.report.words import names_in_words
from shoal.shapes.guards import are_sentences

__all__ = [
    "ask_about_codebook",
    "ask_about_contacts",
    "ask_about_rows",
    "doubt_about_groups",
    "leave_out_contacts",
    "leave_out_twins",
    "mark_undecided",
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
_FROM, _UNTIL, _DAY = 946_684_800, 2_208_988_800, 86_400  # seconds since 1970
_SIGNS_OF = frozenset(
    "label labels text txt desc description bez bezeichnung klartext wert value lib libelle intitule etiqueta "
    "descripcion descrizione etichetta word words short long kurz lang".split()
)  # what words of a name say only how its values are written
_NONE = frozenset[str]()
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
_READ = 10_000  # characters of a cell; more are no value of a column
_IN_LIST, _VALUE_WORDS = 0.8, 3  # of the cells are of a list; words of what may be a value
_BEFORE = re.compile(r"[(,;:]|\W-\W")
_SHARED = 5  # cells
_PUBLISHED = ("quasi", "sensitive", "plain")
_MOST_ITEMS = 100  # items that are listed
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
    for name, one in columns.items():
        if name in choices and not one.stated:
            reasons = chain(
                _of_column(one, seen[name], choices[name]),
                _of_cells(one, seen, choices[name], doubts.get(name, "")),
            )
            one.ask(*next(reasons, (0, "")))


Reason = tuple[int, str]
"""How bad it is that nobody has decided, 1 is worst, and why somebody must, in a clause that holds no value."""


def _of_cells(
    one: ColumnProposal, every: Mapping[str, ColumnProfile], choice: RoleChoice, doubt: str
) -> Iterator[Reason]:
    """What is open of its cells, and why l would count values of a sensitive column that are none, or could not."""
    seen = every[one.name]
    if not choice.sure and _may_number_persons(one, every):
        yield 1, _are_of_persons("number" if one.type == "number" else "value", seen)
    if doubt and one.role in ("quasi", "sensitive"):
        yield 2, doubt
    if one.role in ("sensitive", "plain") and one.level is None and (many := seen.cells(_remarks(seen))):
        yield 2, f"{many:,} of {seen.people:,} cells {_OWN}"
    if one.role == "sensitive":
        if _written_twice(seen.values):
            yield 2, _TWICE
        if seen.distinct == 1 and seen.missing:
            yield 2, _TICKED
        if _begin_like_others(seen.values):
            yield 2, _LIKE


def _begin_like_others(values: Sequence[str]) -> list[str]:
    """Words that another begins with as a whole, or is short for: positiv and "positiv (bestätigt)", pos. and positiv.

    >>> _begin_like_others(["positiv", "Positiv (bestätigt)", "pos.", "negativ", "N", "Nein", "Nervenleiden"])
    ['N', 'pos.', 'positiv']
    """
    if len(values) > _FEW:
        return []
    words = {value: value.casefold().strip() for value in values if not _DIGIT.search(value)}
    found = set()
    for (short, one), (_, other) in permutations(words.items(), 2):
        stem = one.rstrip(".")
        if not stem or stem == other or not other.startswith(stem) or not other[len(stem) :].strip("+- "):
            continue  # B and B+ are two grades
        whole = not other[len(stem)].isalpha()
        if whole or one.endswith(".") or (len(stem) == 1 and len(other.split()[0]) <= _YES):
            found.add(short)
    return sorted(found)


def _written_twice(values: Sequence[str]) -> bool:
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
    found: dict[str, str] = {}
    quasi = [name for name in choices if columns[name].role == "quasi" and not columns[name].stated]
    worth = {
        name: (isinstance(columns[name].hierarchy, Mapping), any(map(_LETTER.search, seen[name].values)))
        for name in quasi
    }
    for pair in combinations(quasi, 2):
        kept, gone = sorted(pair, key=worth.__getitem__, reverse=True)
        if found.keys() & set(pair) or not 1 < seen[kept].distinct == seen[gone].distinct:
            continue
        if (
            2 * seen[kept].distinct > seen[kept].people
        ):  # where hardly a value is repeated, each tells all others
            continue
        if _is_one_thing(*pair) and follows(seen[kept], seen[gone]) and follows(seen[gone], seen[kept]):
            one = columns[gone]
            found[gone] = (
                f"it says the same as {kept} in every record, and is left out; keep that, or leave out {kept}"
            )
            one.role, one.why, one.look, one.hierarchy = "drop", found[gone], "", None
    return found


def _is_one_thing(one: str, other: str) -> bool:
    """Whether names mean the same, or differ only in what says that one is a code or a label."""
    first, second = (
        {
            word
            for word in split(name)
            if word not in _SIGNS_OF and not sorts().get(word, _NONE) & {"number", "name"}
        }
        for name in (one, other)
    )
    told = match_column_name(one)
    return first == second != set() or (
        told is not None and told.what == getattr(match_column_name(other), "what", None)
    )


def _of_column(one: ColumnProposal, seen: ColumnProfile, choice: RoleChoice) -> Iterator[Reason]:
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
        yield 1, f"{choice.contradiction}; say what it is"
    if quasi and not choice.sure and _may_be_of_persons(one, seen):
        yield 1, _are_of_persons("code", seen)
    if (gone or one.role == "drop") and choice.what in NAMES and not choice.sure:
        yield 2, f"{choice.why}; it is left out; say what it is if these are no people's names"
    if quasi and choice.what in _ODD:
        odd, seem = _ODD[choice.what]
        if many := seen.cells(odd(seen.values)):
            yield 2, f"{many:,} {cells} {seem}"
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
    if quasi and (many := seen.cells(_placeholders(seen))):
        yield 2, f"{many:,} {cells} hold a day that stands for no day; name it in missing"
    if (quasi or secret) and seen.ended:
        yield (
            2,
            f"{seen.ended:,} {cells} say only above or below which number it is, and stay as they are; beside others "
            "each counts as the nearest number that fits: keep that, or write groups into the whole column",
        )
    if (quasi or secret) and seen.unreadable:
        what = "dates" if seen.kind == "date" else "numbers"
        yield (
            2,
            f"{seen.unreadable:,} {cells} cannot be read as {what} and would count as missing; correct them, or name "
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
        yield 2, _are_of_persons("value", seen)
    if gone and not choice.what and _are_moments(seen.values):
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


def _placeholders(seen: ColumnProfile) -> list[str]:
    """Days that programs write where none is known, or something has no end; several rows have them, and none is near.

    A person may be born on one, or two; hardly in every fiftieth row.
    """
    found = [value for value in seen.values if _NO_DAY.match(value)]
    return found if seen.cells(found) * _RARE > max(seen.people, _CROWD * _RARE) else []


def _shortened(values: Sequence[str]) -> set[str]:
    """Codes of digits that have fewer of them than the longest."""
    codes = {value: code[1] for value in values if (code := _ZIP.fullmatch(value.strip()))}
    longest = max(map(len, codes.values()), default=0)
    return {value for value, code in codes.items() if len(code) < longest and 2 * len(codes) > len(values)}


def _no_ages(values: Sequence[str]) -> set[str]:
    """Ages below 0, and what spreadsheets make of bands: 06. Okt of 6-10."""
    months = "|".join(chain(*resource_table("shoal.io.read", "writings.toml")["months"].values()))
    month = rf"(?:{months})[^\W\d_]*\.?"
    no_age = re.compile(rf"{_BELOW_0.pattern}|\d{{1,2}}\.?[ -]?{month}|{month}[ -]?\d{{1,2}}")
    return {value for value in values if no_age.fullmatch(value.strip().casefold())}


def _respelled(values: Sequence[str]) -> set[str]:
    """All words of a sex that is written in several ways."""
    found = [[value for value in values if value.strip().casefold() in words] for words in _SEXES]
    return {value for some in found if len(some) > 1 for value in some}


_ZIP, _BELOW_0 = re.compile(r"(\d{3,})(?:-\d{4})?"), re.compile(r"[-−]\s?\d*[1-9]\d*(?:[.,]\d+)?")
_SEXES = (
    frozenset(
        "f female females woman w weiblich frau femme féminin mujer femenino donna femmina vrouw kadın".split()
    ),
    frozenset("m male males man männlich mann h homme masculin hombre masculino uomo maschio erkek".split()),
)
_ODD: Mapping[str, tuple[Callable[[Sequence[str]], set[str]], str]] = {
    "postal code": (
        _shortened,
        "have fewer digits than the others, as where zeros in front were lost; write these again, or other places get "
        "into one group",
    ),
    "age": (
        _no_ages,
        "are ages below 0, or days, as spreadsheets make of bands such as 6-10; correct them, or name them in missing",
    ),
    "sex": (
        _respelled,
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


def _are_moments(values: tuple[str, ...]) -> bool:
    """Whether whole numbers are seconds, or thousandths of them, of a moment between 2000 and 2040."""
    if not values or not all(value.isdecimal() and len(value) in (9, 10, 12, 13) for value in values):
        return False
    seconds = [int(value) // (1000 if len(value) > 10 else 1) for value in values]
    return min(seconds) >= _FROM and max(seconds) < _UNTIL and max(seconds) - min(seconds) > _DAY * 2


def _may_be_of_persons(one: ColumnProposal, seen: ColumnProfile) -> bool:
    """Whether many codes stand in several rows each, as the number of a card does that somebody has for years."""
    return (
        one.type == "code"
        and isinstance(one.hierarchy, Hierarchy)  # codes of a vocabulary are of things
        and _repeats_as_persons_do(seen)
        and _are_codes(seen.values)
    )


def _are_of_persons(what: str, seen: ColumnProfile) -> str:
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
    made = one.hierarchy
    return isinstance(made, Hierarchy) and seen.distinct > _GROUPS and len(made.labels[1]) == 1


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


def _may_number_persons(one: ColumnProposal, seen: Mapping[str, ColumnProfile]) -> bool:
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


def _repeats_as_persons_do(seen: ColumnProfile) -> bool:
    """Whether many values stand in several rows each, as the number of a card does that somebody has for years."""
    present = seen.people - seen.missing
    return seen.distinct >= _PERSONS and _REPEATED * seen.distinct <= present <= _ROWS * seen.distinct


def ask_about_codebook(columns: Mapping[str, ColumnProposal], source: Source) -> str:
    """Ask who numbered labels that are in alphabetical order; return why, and nothing where there is nothing to ask.

    One column is asked about for all: the answer is a key of [data].
    """
    numbered = [
        one
        for name, one in columns.items()
        if one.role in _PUBLISHED and source.variables.get(name, Variable()).numbered
    ]
    first = next((one for one in numbered if not one.undecided), None)
    if first is None:
        return ""
    others = [one.name for one in numbered if one is not first]
    beside = f", and so are those of {names_in_words(others)}" if others else ""
    first.ask(
        3,
        f"its labels are numbered in alphabetical order{beside}, as by a program that numbers what the rows hold, so "
        'what is released is numbered anew; write codebook = "public" into [data] where they stand in a questionnaire, '
        'or "built"',
    )
    told = names_in_words([one.name for one in numbered])
    return (
        f"Labels of {told} are numbered in alphabetical order; if a questionnaire has them, keep their codes"
    )


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
        if told and _are_whole(seen[one.name]) and (told[0] == one.name or meets_once(others)):
            one.ask(
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
    if person_names([one.name for one in published]) is not None:
        for one in published:
            one.ask(
                1,
                "names of people seem to stand over the columns; turn the table, so that each of them has a row",
            )


def doubt_about_groups(
    seen: Mapping[str, ColumnProfile], choices: Mapping[str, RoleChoice], *, summed: bool
) -> str:
    """Ask whether rows are groups of people, and numbers say how many are in each: they add up, or so the heads say.

    `summed` is whether totals stood below the columns of numbers. "" where nothing speaks for it.
    """
    profiles = [one for one in seen.values() if len(one.codes)]
    if len(profiles) < max(len(seen), _LEAST_COLUMNS) or profiles[0].people > _MOST_GROUPS:
        return ""
    counted = [one for one in profiles[1:] if _are_whole_numbers(one)]
    labels = [one for one in profiles if one not in counted]
    if len(labels) > _MOST_LABELS or any(_names_persons(one, choices) for one in labels):
        return ""
    groups = np.unique(np.stack([one.codes for one in labels], axis=1), axis=0)
    if len(groups) < profiles[0].people or profiles[0].people < _LEAST_GROUPS:
        return ""
    numbers = [np.array([*map(int, one.values), 0], dtype=np.int64)[one.codes] for one in counted]
    heads = [one.name.strip().casefold() for one in counted]
    across = len(counted) > 1 and (
        _add_up(numbers) or _are_categories(heads) or (summed and len(counted) > 1)
    )
    down = any(_holds_totals(label, some) for label in labels for some in numbers)
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
        np.array_equal(2 * one, every)
        and len(np.unique(one)) > 1
        and min(other.max() for other in numbers) > 0
        for one in numbers
    )


def _are_categories(heads: Sequence[str]) -> bool:
    """Whether the heads of columns are the values of one thing: sexes, bands of age, years, yes and no."""
    rest = [head for head in heads if not is_total(head)]
    words = any(len({head for head in rest if head in sexes}) == 1 for sexes in _SEXES)
    both = words and all(any(head in sexes for sexes in _SEXES) for head in rest) and len(rest) > 1
    return (
        both
        or ({*rest} <= YES_NO and len(rest) > 1)
        or (len(rest) > 1 and any(all(map(form.fullmatch, rest)) for form in _HEADS))
    )


def _holds_totals(label: ColumnProfile, numbers: I8) -> bool:
    """Whether rows called total, or the like, hold as much together as all others."""
    totals = np.array([*map(is_total, label.values), False])[label.codes]
    whole = int(numbers.sum())
    return 0 < totals.sum() < len(totals) - 1 and 2 * int(numbers[totals].sum()) == whole > 0


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


def _remarks(seen: ColumnProfile) -> set[str]:
    """Texts of a few people that somebody wrote where most cells hold one of a list: longer, or behind one of those."""
    shared = {
        value for value, held in zip(seen.values, seen.holders.tolist(), strict=True) if held >= _SHARED
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


def _naming(held: ColumnProfile) -> set[str]:
    """The values that name somebody; what many hold is a disease called after a person, or a work of theirs."""
    return {
        value
        for value, people in zip(held.values, held.holders.tolist(), strict=True)
        if people < _SHARED and names_somebody(value)
    }


def _reaches(value: str) -> bool:
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
    found: dict[str, str] = {}
    for name, one in columns.items():
        if one.role not in (*_PUBLISHED, "items") or name not in seen or seen[name].kind:
            continue
        listed = one.role == "items"
        held = seen[name].in_items(one.separator) if listed and one.separator else seen[name].held_by(persons)
        told, does = set(filter(_reaches, held.values)), _REACHED
        if not told and one.role != "quasi":
            told, does = _naming(held), _NAMED
        if listed:
            does = does if told else _WRITTEN
            told |= _remarks(held)
        if told and listed:
            found[name] = f"{len(told):,} of {held.distinct:,} items hold what looks like {does}"
            if len(told) <= _MOST_ITEMS:
                one.own_missing = (*one.own_missing, *sorted(told))
        elif told:
            found[name] = (
                f"{seen[name].cells(told):,} of {seen[name].people:,} cells hold what looks like {does}"
            )
            one.role, one.why = "drop", f"some cells tell who somebody is; {one.why}"
    return found


def ask_about_contacts(columns: Mapping[str, ColumnProposal], found: Mapping[str, str]) -> None:
    """Ask about what `leave_out_contacts` found, before all else, even where somebody stated what the column is.

    Names of columns are published as well: questionnaires ask about people by name.
    """
    for name, one in columns.items():
        if one.role in _PUBLISHED and names_somebody(name):
            one.ask(1, f"its own name holds what looks like {_NAMED}; call it something else")
    for name, why in found.items():
        one = columns[name]
        if one.role in ("drop", "identifier"):
            why += ", so it is left out; correct them, and say what it is"
        elif one.role == "items" and one.own_missing:
            why += ", so missing leaves them out; look at the rest"
        else:
            why += "; correct them, or leave it out"
        one.ask(1, why)
