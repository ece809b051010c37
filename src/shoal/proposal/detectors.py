"""What the values of a column look like: mail addresses, numbers of persons, dates, codes, names, free text.

They are the second witness of what a column means. Its name proposes a meaning; words.toml says which kinds of values
each meaning can have. Where the values are of none of these kinds the name does not count: an employer is not a column
of amounts.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from random import Random
from typing import Any

import numpy as np
import polars as pl

from shoal.base.naming import resource_table
from shoal.data import Role
from shoal.data.arrays import F8
from shoal.data.column_names import (
    FREE_TEXT,
    Meaning,
    concepts,
    may_be_remarks,
    split_words,
    tells_person_fact,
)
from shoal.data.person_names import person_name_share
from shoal.hierarchy.column_values import parse_number_or_end
from shoal.hierarchy.suggest import Kind
from shoal.io.read.writings import PLAIN, read_moments
from shoal.proposal.profile import CHANCE, ColumnProfile, are_jointly_unique

__all__ = [
    "CONSTANT",
    "YES_NO",
    "Form",
    "are_moments",
    "detect_form",
    "differs_within",
    "fits_values",
    "grid_rule",
    "has_weight_form",
    "holds_years",
    "is_counted",
    "is_duration",
    "is_in_rows_of_persons",
    "is_measured",
    "is_named_by_numbers",
    "is_named_by_signs",
    "is_numbering",
    "kinds_of_values",
    "settle_grade",
    "settle_number",
    "settle_weight",
    "words_of_kinds",
]


_HOUSEHOLDS, _TOGETHER = 20, 15  # different households at least, and people in one on average at most
_BARE_HOUSEHOLD = (
    "household", "hh", "family", "fam", "famille", "familie", "familia", "famiglia", "haushalt", "menage", "foyer",
    "hogar", "aile", "hane",
)  # fmt: skip
_BARE_MOTHER = ("mother", "mom", "mum", "mutter", "mere", "madre", "anne")
_CHILDREN = 4  # of a mother, on average at most
_HOUSEHOLD = Meaning("household", "quasi", "amount")
_HOUSEHOLD_NUMBER = Meaning("household number", "identifier", "")
_NUMBERED = 50  # different numbers, of which nearly everybody has one
_DIFFERING = ("postal code", "code of a place")
_LARGE = 1000  # numbers below are counts, ages or answers of a list
_LISTED = 200  # different whole numbers that a list of answers may have
_LENGTHS = 4  # different lengths of whole numbers that are amounts, not codes
_MANY = 500  # different ones
_SIGNED = 3  # different numbers below zero; one or two may stand for a missing value
_DECIMALS = 0.02  # of the values, which are no slips
_UNORDERED = ("word", "place")  # kinds of meanings whose numbers are names
_MEASURED = ("amount", "age", "coordinate")
_LIGHT, _SCATTERED = (
    100.0,
    0.7,
)  # what most people weigh less than in kilograms; standard deviations by the mean
_GROWN, _NO_BODY = 350.0, 10_000.0  # kilograms or pounds; grams
_SCALED, _AROUND = (
    2.0,
    0.02,
)  # the middle of weights that are scaled, and by how much their mean may differ from 1
_EQUAL, _UNEVEN, _TAIL = (
    0.1,
    0.4,
    10.0,
)  # deviations by the mean; times the middle that the largest weights are
_DEGREES = (0.01, 0.1, 1, 10)
YES_NO = frozenset("yes no y n ja nein j oui non o si sí sì s true false evet hayır e h 是 否 t f".split())
"""Answers that say yes or no."""
_WEIGHT = frozenset(
    "weight wt wts wgt wgts wght dwt hwt pwt gew gewicht poids peso weights gewichte ağırlık gewichten".split()
)
"""Names that say weight and nothing more, or as little: dwt is a design weight, or a father's."""
_KIND_WORDS = {
    "answer": "yes or no",
    "date": "dates",
    "decimal": "numbers with decimals",
    "amount": "amounts",
    "number": "small whole numbers",
    "code": "codes",
    "word": "words",
}
CONSTANT = ("birth date", "birth year", "sex", "age")
"""What rows of one person have in common, but for years in which somebody is followed."""
_FOLLOWED = 15.0  # years, at most
_HALF = 0.5
_SLIPS = 0.02  # of persons have a row that says otherwise
_DIFFERENT = 10  # different values; fewer are groups of people
_NUMBERING = re.compile(
    r"^(?i:n[°o]|nr)(?![^\W_])|[a-z](?:Nr|No|ID|Id)\.?$|(?:^|[\s_.-])(?i:nr|no|id|num|key)\.?$|(?i:nummer)$"
)
_FROM, _UNTIL, _DAY = 946_684_800, 2_208_988_800, 86_400  # seconds since 1970
_REPEATS = 20  # twice as many pairs of equal amounts as one would find by chance
_METRES = (1_000, 10_000, 100_000, 1_000_000)
_MARKS = 0.8  # of the values are grades
_MARK = re.compile(
    r"[+-]?\d{1,3}(?:[.,]\d{1,2})?\s?[+-]{0,2}|[a-gu]\*?\s?[+-]{0,3}|\d{1,2}-\d{1,2}"  # 2-3 is between two marks
    r"|\d{1,3}(?:[.,]\d{1,2})?\s?(?:/|%|von|of|out of|sur|su|de|üzerinden|points?|punkte?|pts?|puan|分)\s?(?:\d{1,3})?"
)
_IN_BRACKETS = re.compile(r"[(\[].*[)\]]|[.]$")


def kinds_of_values(seen: ColumnProfile, kind: Kind) -> frozenset[str]:
    """What the values of a column can be, in the words of words.toml; numbers are often several.

    >>> from shoal.hierarchy.suggest import kind_of
    >>> ages = tuple(map(str, range(18, 90)))
    >>> seen = ColumnProfile("age", ages, np.ones(72, dtype=np.int64), 72, 0, 72, 72)
    >>> sorted(kinds_of_values(seen, kind_of(ages)))
    ['code', 'number']
    """
    if kind.name == "date":
        years = all(len(value) == 4 and value.isdecimal() for value in seen.values)
        return frozenset({"date", "number", "code", "amount"} if years else {"date"})
    if kind.name != "number":
        spelled = any(map(str.isalpha, "".join(seen.values[:_MANY])))
        answers = {value.strip().casefold() for value in seen.values} <= YES_NO
        return frozenset({kind.name, "word"} | ({"answer"} if answers else set()) if spelled else {kind.name})
    numbers = _parse_numbers(seen.values)
    if np.mean(numbers != np.floor(numbers)) > _DECIMALS:
        return frozenset({"decimal"})
    if len(np.unique(numbers[numbers < 0])) >= _SIGNED and numbers.min() < -_SIGNED:
        return frozenset({"amount"})
    lengths = {len(value) for value in seen.values}
    kinds = set()
    if np.abs(numbers).max(initial=0) < _LARGE or seen.distinct <= _LISTED:
        kinds.add("number")
    if numbers.max(initial=0) >= _LARGE:
        kinds.add("amount")
    if not (seen.distinct > _MANY and len(lengths) >= _LENGTHS):
        kinds.add("code")
    return frozenset(kinds)


_BETWEEN = frozenset(
    "since until to from before after seit bis nach vor depuis jusqu desde hasta da fino until".split()
)
_UNITS_OF_TIME = frozenset(
    "days weeks months years hours minutes tage wochen monate jahre jours semaines mois annees ans dias semanas meses "
    "anos giorni settimane mesi anni gun hafta".split()
)
"""Words of a name that tell how long something took, where the one stands before the other."""
_MEASURES, _YEARS = 12, (1900, 2100)  # different numbers at least; what lies between may be dates
_DISTANCES = frozenset(
    "distance distances dist entfernung distanz distancia distanza mesafe commute kilometers".split()
)
"""Words of names of numbers that somebody can find out who knows where a person lives."""
_SHORTEST = 3  # letters of a word that says what is measured: x7 and Z2 say nothing
_MORE_THAN_AGES = 90  # different numbers: neither ages nor years of anything
_MOST_SIZES = 60  # different heights, or years of school, of one's family


def is_measured(seen: ColumnProfile, kinds: frozenset[str]) -> bool:
    """Whether numbers look measured or computed, as laboratory values and scores: nobody has them without the data.

    They have decimals, or are amounts of many sizes, and no number is that of most people. Places, ages, codes and
    dates of life are whole numbers within bounds, and a name that is no word may hide anything.

    >>> doses = tuple(f"{number / 8:.3f}" for number in range(9, 90))
    >>> kappa, x7 = (ColumnProfile(name, doses, np.ones(81), 81, 0, 81, 81) for name in ("kappa", "x7"))
    >>> is_measured(kappa, frozenset({"decimal"})), is_measured(x7, frozenset({"decimal"}))
    (True, False)
    """
    if kinds not in (frozenset({"decimal"}), frozenset({"amount"})) or seen.distinct < _MEASURES:
        return False
    if is_named_by_signs(seen.called, seen.distinct) or not _DISTANCES.isdisjoint(split_words(seen.called)):
        return False
    if seen.distinct <= _MOST_SIZES and tells_person_fact(seen.called):
        return False  # a father's height, a mother's years of school
    return not holds_years(seen) and 2 * int(seen.holders.max()) <= int(seen.holders.sum())


def is_named_by_signs(name: str, distinct: int = 0) -> bool:
    """Whether a name holds no word, as x7 and Z2 do: such a column may be anything.

    Of numbers that are too many for ages and years of school two letters are a word: hr, er, V3.PD.

    >>> is_named_by_signs("hr"), is_named_by_signs("hr", 105), is_named_by_signs("x7", 105)
    (True, False, True)
    """
    shortest = _SHORTEST - (distinct > _MORE_THAN_AGES)
    return not any(len(word) >= shortest for word in split_words(name))


def is_duration(name: str) -> bool:
    """Whether a name says how long it is from one date to another: months_since_last_claim, Tage bis Aufnahme.

    >>> is_duration("months_since_last_claim"), is_duration("month_of_claim"), is_duration("days_to_discharge")
    (True, False, True)
    """
    words = split_words(name)
    between = [index for index, word in enumerate(words) if word in _BETWEEN]
    return bool(between) and not _UNITS_OF_TIME.isdisjoint(words[: between[0]])


def holds_years(seen: ColumnProfile) -> bool:
    """Whether all numbers lie where years do."""
    numbers = _parse_numbers(seen.values)
    return bool(numbers.min() >= _YEARS[0] and numbers.max() < _YEARS[1])


@cache
def _values_by_concept() -> dict[str, frozenset[str]]:
    """By what a column is about, the kinds of values that it can have."""
    return {concept.what: concept.values for concept in concepts()}


def fits_values(told: Meaning, kinds: frozenset[str], distinct: int) -> bool:
    """Whether a column of such values can be what its name suggests; so many words are no bands of an amount."""
    if told.kind in _MEASURED and kinds <= {"word", "code"} and distinct > _LISTED:
        return False
    if told.kind == "place" and "answer" in kinds:
        return False  # free school meals, yes or no
    return not _values_by_concept().get(told.what, kinds).isdisjoint(kinds)


def words_of_kinds(kinds: frozenset[str]) -> str:
    """What values are, for people."""
    return next(words for kind, words in _KIND_WORDS.items() if kind in kinds)


def is_named_by_numbers(told: Meaning | None, kinds: frozenset[str]) -> bool:
    """Whether whole numbers stand for names, so that a range of them means nothing: 1 is a woman, 2 a man."""
    return told is not None and told.kind in _UNORDERED and "code" in kinds and "date" not in kinds


def is_numbering(seen: ColumnProfile, kind: Kind) -> bool:
    """Whether a column is called a number of something, as BonNr or rx_no, and has codes or whole numbers."""
    if kind.name not in ("code", "number") or _NUMBERING.search(seen.name) is None:
        return False
    return not any("." in value for value in seen.values)


def are_moments(values: Sequence[str]) -> bool:
    """Whether whole numbers are seconds, or thousandths of them, of a moment between 2000 and 2040."""
    if not values or not all(value.isdecimal() and len(value) in (9, 10, 12, 13) for value in values):
        return False
    seconds = [int(value) // (1000 if len(value) > 10 else 1) for value in values]
    return min(seconds) >= _FROM and max(seconds) < _UNTIL and max(seconds) - min(seconds) > _DAY * 2


def differs_within(person: ColumnProfile, other: ColumnProfile, what: str) -> bool:
    """Whether most who have several rows would have several sexes, birthdays, or ages far apart: then it names nobody.

    `what` is one of CONSTANT.
    """
    if len(other.codes) != len(person.codes) or not other.whole:
        return False
    here = other.codes < other.distinct
    places, far = np.arange(other.distinct, dtype=np.float64), 0.0
    if what == "age":
        places, far = _parse_numbers(other.values), _FOLLOWED
        if np.isnan(places).any():
            return False  # groups of ages
    person_ids, rows = np.unique(person.codes[here], return_inverse=True)
    low, high = np.full(len(person_ids), np.inf), np.full(len(person_ids), -np.inf)
    np.minimum.at(low, rows, places[other.codes[here]])
    np.maximum.at(high, rows, places[other.codes[here]])
    several = np.bincount(rows, minlength=len(person_ids)) > 1
    return bool(several.any() and np.mean((high - low > far)[several]) > _HALF)


def is_in_rows_of_persons(
    own: ColumnProfile,
    births: Iterable[ColumnProfile],
    sexes: Iterable[ColumnProfile],
    times: Iterable[ColumnProfile],
) -> bool:
    """Whether each value is one person's: its rows agree in birthday or age, and sex; or no two are of one time."""
    if own.distinct < _DIFFERENT or not len(own.codes):
        return False
    stays = any(_agree_within(own, profile) for profile in births)
    if stays and all(_agree_within(own, profile) for profile in sexes):
        return True
    return any(are_jointly_unique([own, profile]) for profile in times)


def _agree_within(person: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether nearly all rows with one value of `person` agree in `other`, which chance would not bring about."""
    if not 1 < other.distinct < person.distinct or len(other.codes) != len(person.codes):
        return False
    pairs = np.unique(person.codes.astype(np.int64) * (len(other.values) + 1) + other.codes)
    persons = np.unique(person.codes)
    often = np.bincount(other.codes).max() / len(other.codes)
    repeats = len(person.codes) - len(persons)
    return len(pairs) <= (1 + _SLIPS) * len(persons) and repeats * -np.log(often) > CHANCE


def is_counted(seen: ColumnProfile) -> bool:
    """Whether numbers are those of a list: whole, and hardly one is left out between the least and the largest."""
    try:
        numbers = [int(value) for value in seen.values]
    except ValueError:
        return False
    span = max(numbers) - min(numbers)
    if seen.alone == seen.distinct and len(numbers) ** 2 > _REPEATS * span:
        return True  # so many amounts between these would not all differ
    return span < 2 * len(numbers) or all(len(value) >= 6 for value in seen.values)


def settle_weight(told: Meaning | None, seen: ColumnProfile, kind: Kind) -> Meaning | None:
    """A column called weight is a body's or a sample's, by the form of its values."""
    if told is None or kind.name != "number" or told.what not in ("body", "sampling weight"):
        return told
    is_ambiguous = "".join(filter(str.isalpha, seen.name.casefold())) in _WEIGHT
    if not is_ambiguous:  # a birth weight or a height is a body's
        below_zero = told.what == "sampling weight" and (_parse_numbers(seen.values) < 0).any()
        return None if below_zero else told
    if has_weight_form(seen):
        return Meaning("sampling weight", "weight", "amount")
    return Meaning("body", "quasi", "amount")


def has_weight_form(seen: ColumnProfile) -> bool:
    """Whether numbers are spread as the weights of a sample are, and not as those of bodies.

    They are scaled to lie around 1, or larger than any body, or nearly all equal, or above what grown bodies weigh and
    more uneven than births in grams are, or with a few that are far above the rest, or more uneven than the weights of
    children and grown people together are.
    """
    numbers = _parse_numbers(seen.values)
    people = seen.holders[~np.isnan(numbers)].astype(np.float64)
    numbers = numbers[~np.isnan(numbers)]
    if not len(numbers) or numbers.min() < 0:
        return False
    mean = float(np.average(numbers, weights=people))
    spread = float(np.sqrt(np.average((numbers - mean) ** 2, weights=people))) / max(mean, 1e-9)
    order = np.argsort(numbers)
    shares = np.cumsum(people[order]) / people.sum()
    low, middle, high = (float(numbers[order][np.searchsorted(shares, share)]) for share in (0.01, 0.5, 0.99))
    return (
        (middle < _SCALED and low < 1)
        or abs(mean - 1) <= _AROUND
        or middle > _NO_BODY
        or spread < _EQUAL
        or (middle > _GROWN and spread > _UNEVEN)
        or high > _TAIL * middle
        or (middle > _LIGHT and spread > _SCATTERED)
    )


def settle_number(told: Meaning | None, seen: ColumnProfile, kind: Kind) -> Meaning | None:
    """Numbers are of households where few people share each, and number things where nearly everybody has an own one.

    A column `household` of a few values counts people or judges them; job numbers that differ are no jobs. Postal codes
    may differ in small files, too.
    """
    is_numbered = kind.name in ("number", "code") and not any("." in value for value in seen.values)
    present = seen.people - seen.missing
    if told is None and is_numbered and split_words(seen.name)[-1:] in ([word] for word in _BARE_MOTHER):
        are_mothers = seen.distinct >= _HOUSEHOLDS and present <= _CHILDREN * seen.distinct
        return _HOUSEHOLD_NUMBER if are_mothers and is_counted(seen) else None
    if _is_bare_household(seen.name) and (
        told is None or told.what in (_HOUSEHOLD.what, _HOUSEHOLD_NUMBER.what)
    ):
        if is_numbered and seen.distinct >= _HOUSEHOLDS and present <= _TOGETHER * seen.distinct:
            return _HOUSEHOLD_NUMBER
        return _HOUSEHOLD if kind.name == "number" else None
    if (
        told is None
        or told.role != "quasi"
        or told.kind not in (*_UNORDERED, "code")
        or told.what in _DIFFERING
    ):
        return told
    if is_numbered and seen.distinct >= _NUMBERED and seen.nearly_unique and is_counted(seen):
        return Meaning("record number", "identifier", "")
    return told


def _is_bare_household(name: str) -> bool:
    """Whether a name says household and not number, so that it may count or judge."""
    return split_words(name)[-1:] in ([word] for word in _BARE_HOUSEHOLD)


def settle_grade(told: Meaning | None, seen: ColumnProfile, kind: Kind) -> Meaning | None:
    """A column of words called note, nota or the like is of grades only where nearly all of its values are some."""
    if told is None or told.what != "grade or judgement" or kind.name == "number":
        return told
    marks = sum(_is_mark(value) for value in seen.values)
    return FREE_TEXT if may_be_remarks(seen.called) and marks < _MARKS * seen.distinct else told


def _is_mark(value: str) -> bool:
    """Whether a value is a grade: 2+, B-, 12/20, 1,7, sehr gut.

    >>> [_is_mark(value) for value in ("2+", "B-", "12/20", "1,7 (gut)", "Sehr gut", "D", "ill", "3 times late")]
    [True, True, True, True, True, True, False, False]
    """
    words = frozenset(resource_table("shoal.data", "words.toml")["marks"])
    bare = _IN_BRACKETS.sub("", value).strip().casefold()
    return bare in words or _MARK.fullmatch(bare) is not None


def grid_rule(columns: Mapping[str, ColumnProfile], name: str | None = None) -> dict[str, Any]:
    """The rule that makes coordinates coarser, one for all columns of one unit so that they make one grid.

    Numbers within 180 are degrees, larger ones metres; steps that would leave one cell are left out. It is that of
    column `name`, or of the first.
    """
    numbers = {one: _parse_numbers(profile.values) for one, profile in columns.items()}
    are_degrees = {one: bool(np.abs(values).max(initial=0) <= 180) for one, values in numbers.items()}
    degrees = are_degrees[next(iter(columns)) if name is None else name]
    span = max(
        float(values.max() - values.min()) for one, values in numbers.items() if are_degrees[one] == degrees
    )
    steps = [step for step in (_DEGREES if degrees else _METRES) if step < span]
    return {"ranges": steps or [_DEGREES[0] if degrees else _METRES[0]]}


_VAST = 1e40  # what is as large is read as labels are, which bound it


def _parse_numbers(values: Sequence[str]) -> F8:
    """The numbers that texts spell, or are an end of; what is none is no number."""
    numbers = pl.Series(values, dtype=pl.String).cast(pl.Float64, strict=False).to_numpy().astype(np.float64)
    for index in np.flatnonzero(~(np.abs(numbers) < _VAST)).tolist():
        read = parse_number_or_end(values[index])
        numbers[index] = np.nan if read is None else float(read)
    return numbers


_MOST = 2000  # values that are looked at
_LONG = 200  # signs of a value that are read
_PROBE = 60  # values that decide which patterns are tried on all
_GLANCE = 8  # values of which one must have a form that nearly all shall have
_ALL = 0.98  # nearly all
_NEARLY, _MOSTLY = 0.9, 0.5  # shares of dates, of all values and of the first look
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_CHECKED = 200  # values whose checksums are computed, or whose words are read
# No identifier looks like this: a short number, a decimal number, a word.
_SMALL = re.compile(r"[-+]?\d{1,8}(?:[.,]\d*)?|[-+]?\d*[.,]\d+(?:[eE][-+]?\d+)?|[^\W\d_]+")
_FLOAT = re.compile(r"\d{9,}\.0")  # a long number that went through a table with gaps
_PADDED = re.compile(r"\d{4,6}|\d\d(?:\.\d\d?){1,2}")
_LETTERS = re.compile(r"[^A-Z]")  # to be left out
_VARIED = 0.2  # different letters per value

_WORDS = re.compile(r"[^\W\d_]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SENTENCE = re.compile(
    r"(?i:\b(?:the|is|was|has|had|not|with|for|this|that|no|der|die|das|ist|war|hat|nicht|mit|und|seit|est|pas|avec"
    r"|les|une|était|el|los|que|es|con|por|una|il|che|per|non|ha|ve|bir|ile|için|var|yok)\b)"
    r"|[的了在于未伴]|[.!?。！？，]\s*$|[.!?] [^\W\d_]"
)
_FEW = 5  # texts below which nothing is said
_SOME = 20  # texts; fewer may be the long names of a few groups
_LONG_TEXT, _LONGER = 6.0, 8.0  # words per text, on average

Check = Callable[[str], bool]
_BARE = ("luhn", "iso7064.mod_11_2")  # checks of digits alone, whatever they are the number of


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """One way of writing something; patterns.toml says what each field means."""

    what: str
    regex: re.Pattern[str]
    kind: str
    check: Sequence[str]
    alone: bool
    share: float
    least: int
    some: re.Pattern[str] | None
    varied: bool


@cache
def patterns() -> tuple[Pattern, ...]:
    """How identifiers and codes are written, in the order in which the writings are tried."""
    table = resource_table("shoal.proposal", "patterns.toml")
    return tuple(
        Pattern(
            row["what"],
            _compile_pieces(row["regex"], table["pieces"]),
            row.get("kind", ""),
            row.get("check", ()),
            row.get("alone", True),
            row.get("share", 0.9),
            row.get("least", 1),
            re.compile(row["some"]) if "some" in row else None,
            row.get("varied", False),
        )
        for row in table["pattern"]
    )


def _compile_pieces(regex: str | Sequence[str], pieces: dict[str, str]) -> re.Pattern[str]:
    """A regular expression, or several of which one must match, with the pieces that they are made of."""
    text = regex if isinstance(regex, str) else "|".join(regex)
    for name in reversed(pieces):  # a piece is made of earlier ones
        text = text.replace(f"{{{name}}}", pieces[name])
    return re.compile(text)


@dataclass(frozen=True, slots=True)
class Form:
    """What values look like; `role` is None where the form alone decides nothing, as with dates."""

    what: str
    role: Role | None
    kind: str
    share: float
    checked: bool


def detect_form(values: Sequence[str]) -> Form | None:
    """The form that nearly all `values` share, or None; they are distinct or sampled cells, none of them missing.

    >>> detect_form(["anna@example.org", "bob@example.com"]).what, detect_form(["2001-01-31"]).kind
    ('mail address', 'date')
    >>> detect_form(["1", "2", "3"]) is None
    True
    """
    cells = [text for value in _sample(values, _MOST) if (text := value.strip()[:_LONG])]
    if not cells:
        return None
    if all(map(_FLOAT.fullmatch, cells)):
        cells = [value.removesuffix(".0") for value in cells]
    probe = _sample(cells, _PROBE)
    return (
        _detect_date(cells, probe) or _match_patterns(cells, probe) or _detect_words(_sample(cells, _CHECKED))
    )


def _sample(values: Sequence[str], most: int) -> Sequence[str]:
    """At most `most` values, always the same ones; not every n-th, for values may come in turns."""
    return values if len(values) <= most else Random(most).sample(values, most)


def _detect_date(cells: Sequence[str], probe: Sequence[str]) -> Form | None:
    if _moment_share(probe) >= _MOSTLY and (share := _moment_share(cells)) >= _NEARLY:
        return Form("date", None, "date", share, False)
    years = sum(map(bool, map(_YEAR.fullmatch, cells))) / len(cells)  # other numbers have four digits too
    return Form("year", None, "date", years, False) if years > _ALL else None


def _moment_share(cells: Sequence[str]) -> float:
    """The share of cells that the reader of dates takes for dates, also where it cannot tell day and month apart."""
    texts = pl.Series(cells, dtype=pl.String)
    moments = read_moments(texts, pl.ones(len(texts), dtype=pl.Int64, eager=True), PLAIN).cells
    return 0.0 if moments is None else 1 - moments.null_count() / len(texts)


def _match_patterns(cells: Sequence[str], probe: Sequence[str]) -> Form | None:
    """The first pattern that enough values have."""
    if all(map(_SMALL.fullmatch, probe)):
        return _detect_padded_code(cells) if all(map(_PADDED.fullmatch, probe)) else None
    for pattern in patterns():
        matched_form = _try_pattern(pattern, cells) if _is_likely(pattern, probe) else None
        if matched_form is not None:
            return matched_form
    return _detect_padded_code(cells)


def _is_likely(pattern: Pattern, probe: Sequence[str]) -> bool:
    if pattern.share >= 0.6 and not any(map(pattern.regex.fullmatch, probe[:_GLANCE])):
        return False
    having = [value for value in probe if pattern.regex.fullmatch(value)]
    if len(having) < 0.5 * pattern.share * len(probe):
        return False
    passing = None if pattern.alone else _checksum_share(pattern, having[: 2 * _GLANCE])
    return pattern.alone or (passing is not None and passing >= 0.5 * pattern.share)


def _try_pattern(pattern: Pattern, cells: Sequence[str]) -> Form | None:
    having = [value for value in cells if pattern.regex.fullmatch(value)]
    share = len(having) / len(cells)
    if share < pattern.share or len(set(having)) < pattern.least:
        return None
    if pattern.some and not any(map(pattern.some.fullmatch, having)):
        return None
    if pattern.varied and len({_LETTERS.sub("", value) for value in having}) < _VARIED * len(set(having)):
        return None
    passing = _checksum_share(pattern, having)
    checked = passing is not None and share * passing >= pattern.share
    if not checked and not pattern.alone:
        return None
    role: Role | None = None if pattern.kind == "code" else "identifier"
    return Form(pattern.what, role, pattern.kind, share, checked)


def _checksum_share(pattern: Pattern, values: Sequence[str]) -> float | None:
    """The share of values whose checksum fits; None where there is no checksum."""
    if not pattern.check:
        return None
    checks = [_checker(name) for name in pattern.check]
    sample = _sample(values, _CHECKED)
    return sum(any(check(value) for check in checks) for value in sample) / len(sample)


def _detect_padded_code(cells: Sequence[str]) -> Form | None:
    """Digits of one writing, some with a leading zero: a code, most often a postal code."""
    if not all(map(_PADDED.fullmatch, cells)) or not any(value[0] == "0" for value in cells):
        return None
    if any("." in value for value in cells):  # as of NACE; a time has no hour 25
        return Form("code", None, "code", 1.0, False) if any(value > "25" for value in cells) else None
    lengths = set(map(len, cells))
    if len(lengths) > 1:
        return None
    return Form("postal code" if lengths == {5} else "code", None, "code", 1.0, False)


def _detect_words(cells: Sequence[str]) -> Form | None:
    """Names of people, or free text."""
    named = person_name_share(cells)
    if named is not None:
        return Form("name", "identifier", "", named, False)
    return Form("free text", "drop", "text", 1.0, False) if _is_prose(cells) else None


def _is_prose(values: Sequence[str]) -> bool:
    """Whether `values` are sentences that somebody wrote.

    >>> _is_prose([f"The patient came in with pain in the left knee since {i} days." for i in range(9)])
    True
    >>> _is_prose([f"Acetaminophen {i} MG / Oxycodone Hydrochloride 5 MG Oral Tablet" for i in range(30)])
    False
    """
    distinct = set(values)
    if len(distinct) < _FEW or len(distinct) < 0.8 * len(values):
        return False
    words = sum(map(_count_words, distinct)) / len(distinct)
    spoken = sum(_SENTENCE.search(value) is not None for value in distinct)
    return words >= (_LONG_TEXT if len(distinct) >= _SOME else _LONGER) and (
        spoken >= len(distinct) / 2 or words > 2 * _LONG_TEXT
    )


def _count_words(value: str) -> float:
    """The words of a text; two Chinese signs count as one."""
    return len(_WORDS.findall(_HAN.sub(" ", value))) + len(_HAN.findall(value)) / 2


@cache
def _checker(name: str) -> Check:
    """Whether check digits fit: by a module of python-stdnum, or of German health insurance, which it does not know.

    Of an account only what all countries share is checked, and of a Chinese number nothing but its last sign: invented
    ones, as in data for trying things out, seldom keep the rules of a single bank, or name a district of their year.

    >>> _checker("iban")("GB82 WEST 1234 5698 7654 32"), _checker("es.dni")("12345678A"), _checker("kvnr")("A123456780")
    (True, False, True)
    """
    if name == "kvnr":
        return _is_kvnr
    module = import_module(f"stdnum.{name}")
    if name == "iban":
        return partial(module.is_valid, check_country=False)
    valid: Check = module.is_valid
    return (lambda value: valid(re.sub("[ -]", "", value).upper())) if name in _BARE else valid


def _is_kvnr(value: str) -> bool:
    """Whether the check digit of a German health insurance number fits."""
    number = f"{ord(value[0].upper()) - 64:02d}{value[1:]}"
    sums = [sum(divmod(int(sign) * (1 + index % 2), 10)) for index, sign in enumerate(number[:-1])]
    return sum(sums) % 10 == int(number[-1])
