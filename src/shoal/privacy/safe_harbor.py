"""HIPAA Safe Harbor: the identifiers of 45 CFR 164.514(b)(2), looked for in every released column.

A rule looks at values first and at names second. Each rule below asks every column, and answers no where a column holds
what is forbidden, and "cannot be told" where it may; it is kept only where neither is so. A name decides two things:
that a column is called like something forbidden, and that weak signs (a number of ten digits, a number of 95) are
something else. How things are written stands in safe_harbor.toml. A judge of names and forms is no reader: a rare name
in a column of few values is not found.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import inf
from typing import Any

from shoal.data.person_names import given_name_share, names_somebody, person_name_share
from shoal.hierarchy.vocabularies import vocabularies
from shoal.privacy.preset_rules import NO, UNTOLD, YES, Answer, Preset, ReleasedCells, Rule, merge_answers
from shoal.privacy.released_columns import (
    ReleasedColumn,
    Span,
    calendar_pattern,
    find_spans,
    is_calendar,
    list_ages,
    list_forms,
    preset_table,
)

__all__ = ["OUT", "contact_forms", "direct_identifiers", "safe_harbor"]

OUT = 'give the column the role "identifier" or "drop", or another name if it is none'
"""What to do with a column that names a person."""
_ADVICE = "if not, let the name of the column say what it holds"
Answers = Iterator[Answer]
Look = Callable[[ReleasedColumn], Answers]
"""What one rule finds in one column."""


def _deny(column: ReleasedColumn, what: str) -> Answer:
    return NO, f"column '{column.name}' {what}"


def _doubt(column: ReleasedColumn, what: str) -> Answer:
    return UNTOLD, f"column '{column.name}' may hold {what}"


def _rule_for_columns(look: Look, kept: str) -> Callable[[ReleasedCells], Answer]:
    """The rule that no column holds what `look` finds."""

    def check(released: ReleasedCells) -> Answer:
        return merge_answers((_first_answer(look(column)) for column in released.columns), kept, _ADVICE)

    return check


def _first_answer(answers: Answers) -> Answer:
    """What counts of all that is found in one column: a no, else the first that cannot be told."""
    untold = (YES, "")
    for verdict, sentence in answers:
        if verdict == NO:
            return NO, sentence
        untold = (verdict, sentence) if untold[0] == YES else untold
    return untold


def _is_meant(column: ReleasedColumn, concepts: Sequence[str], words: Sequence[str] = ()) -> bool:
    """Whether a column's name means one of some concepts, or nothing that is known and holds one of some words."""
    return column.concept in concepts if column.concept else column.is_called(words)


def _find_forms(rule: str, column: ReleasedColumn) -> Answers:
    """What the forms of a rule find."""
    for form in list_forms(rule):
        verdict = form.verdict(column)
        if verdict == "certain":
            yield _deny(column, f"holds {form.what}")
        elif verdict == "possible":
            yield _doubt(column, form.what)


# --- names

_PROSE = 5  # words of a text, on average
_MANY_WORDS = 20  # different ones, which are more than the groups of a list
_SHORT = 4  # words that a name has, at most
_FEW_NAMES = 2
_HALF = 0.5
_WORDED = re.compile(r"[^\W\d_][^\d,;:!?/\"]*")
_LISTED_NAME = re.compile(r"[^\W\d_][\w' -]*, ?([^\W\d_]+)(?: [^\W\d_]\.?)?")
_SHORTENED = re.compile(r"([^\W\d_][^\W\d_-]+),? [^\W\d_]\.?")
_INITIALS = re.compile(r"[A-ZÄÖÜ]\. ?[A-ZÄÖÜ]\.?")


def _find_names(column: ReleasedColumn) -> Answers:
    table = preset_table()["names"]
    if _is_meant(column, table["concepts"]):
        yield _deny(column, "is called like one")
    texts = column.values
    named = sum(names_somebody(text) or _is_listed_name(text) for text in texts) / len(texts)
    if named >= _HALF or (person_name_share(column.sample) is not None and not column.is_listed):
        yield _deny(column, "holds names of people")
    elif named:
        yield _doubt(column, "the name of somebody")
    elif len(texts) >= _FEW_NAMES and given_name_share(column.sample) >= _HALF and not column.is_listed:
        yield _doubt(column, "given names")
    elif sum(text.casefold() in _surname_words() for text in texts) / len(texts) >= _KNOWN:
        yield _doubt(column, "family names")
    elif all(map(_INITIALS.fullmatch, texts)) or _are_short_names(texts):
        yield _doubt(column, "initials of names")
    elif column.is_called(table["employers"]):
        yield _doubt(column, "names of employers, which the rule counts")
    elif column.is_called(table["hints"]) and _are_capitalized(column):
        yield _doubt(column, "names of people")
    elif _are_many_words(column):
        yield _doubt(column, "names of people or places: it has many different words")
    elif column.role != "items" and _mean_word_count(column) >= _PROSE:
        yield UNTOLD, f"column '{column.name}' holds sentences, in which a name may stand"


def _is_listed_name(text: str) -> bool:
    """Whether a text is a name as lists have it: Koch, Anna."""
    match = _LISTED_NAME.fullmatch(text)
    return match is not None and given_name_share([match[1]]) == 1


def _are_short_names(texts: Sequence[str]) -> bool:
    """Whether texts are different words with a letter behind each: Koch A., Lange P.; type A and type B are none."""
    heads = [match[1] for text in texts if (match := _SHORTENED.fullmatch(text))]
    return len(heads) > _FEW_NAMES and len(heads) == len(texts) and len(set(heads)) >= _OWN * len(heads)


@cache
def _surname_words() -> frozenset[str]:
    return frozenset(preset_table()["names"]["surnames"].split())


def _are_capitalized(column: ReleasedColumn) -> bool:
    """Whether most values of a column are words with a capital, and of no public list; Chinese has none."""
    words = [text for text in column.values if _WORDED.fullmatch(text) and text[0] != text[0].lower()]
    is_known = column.is_explained or column.is_listed or column.role == "items"
    return len(words) >= _HALF * len(column.values) and not is_known


def _are_many_words(column: ReleasedColumn) -> bool:
    """Whether a column holds words of any meaning, more of them than a list of groups has."""
    if column.is_explained or column.concept or column.role == "items":
        return False
    worded = [text for text in column.texts if _WORDED.fullmatch(text) and len(text.split()) <= _SHORT]
    return len(worded) >= max(_MANY_WORDS, _HALF * len(column.texts)) and not column.is_listed


def _lists_values(column: ReleasedColumn, text: str) -> bool:
    """Whether a text is the label of a group that lists its values."""
    return column.role in (None, "quasi") and (" or " in text or text.startswith('["'))


def _mean_word_count(column: ReleasedColumn) -> float:
    """How many words a cell has, on average, but for labels of groups."""
    word_cells = {
        text: count
        for text, count in column.cells.items()
        if text.strip("* ") and not _lists_values(column, text)
    }
    return sum(len(text.split()) * count for text, count in word_cells.items()) / max(
        1, sum(word_cells.values())
    )


# --- places

_FIVE, _THREE = re.compile(r"\d{5}"), re.compile(r"\d{3}")
_MASKED_ZIP = re.compile(r"(\d{3})(?:\*\*|XX|xx|--|##)")
_ZIP_RUN = re.compile(r"(?<![\w*])(\d+)([*Xx#?-]*)")
_COUNTY = re.compile(r"\d{4,5}")
_STATES, _COUNTIES, _ODD = 56, 840, 0.95  # codes of the census, of which those of counties are odd
_FEWEST = 5
_KNOWN = 0.3  # of the different texts are cities


def _find_places(census: str) -> Look:
    table = preset_table()
    restricted, rows = frozenset(table["restricted"][census].split()), table["places"]
    shared = "shows first digits shared by at most 20,000 people, which must be 000"
    small = "shows a place that is neither a state nor a country"

    def look(column: ReleasedColumn) -> Answers:
        if _is_meant(column, rows["zips"], rows["zip_words"]):
            runs = [match.groups() for value in column.values for match in _ZIP_RUN.finditer(value)]
            if any(len(run) > 3 for run, _ in runs):
                yield _deny(column, "shows more than three digits of a zip code")
            if any((run.zfill(3) if not mask else run) in restricted for run, mask in runs):
                yield _deny(column, shared)  # 36 is 036, which lost its zero; 36*** is all from 360 to 369
            if any(any(map(str.isalpha, text)) for text in column.texts):
                yield _deny(column, "shows postal codes that are not US zip codes")
            return
        if any(match[1] in restricted for value in column.values if (match := _MASKED_ZIP.fullmatch(value))):
            yield _deny(column, shared)
        region = column.concept in rows["regions"]
        if region or _is_meant(column, rows["concepts"], rows["words"]):
            strange = [text for text in column.texts if not _is_large(text)]
            if strange and not _are_states(column):
                codes = region and all(map(str.isdecimal, strange))
                yield (
                    _doubt(column, "codes of regions smaller than a state") if codes else _deny(column, small)
                )
        yield from _find_forms("places", column)
        if not column.is_explained and column.role != "items":
            yield from _find_coded_places(column)
        cities = sum(text.casefold() in _city_names() for text in column.values) / len(column.values)
        if cities >= _KNOWN:
            yield _deny(column, "holds names of cities")
        elif cities:
            yield _doubt(column, "names of cities")
        elif column.is_called(rows["hints"]) and not column.concept and _are_capitalized(column):
            if not all(map(_is_large, column.texts)):
                yield _doubt(column, "names of places")

    return look


def _find_coded_places(column: ReleasedColumn) -> Answers:
    """Codes that are places by what they have in common."""
    values = column.values
    if any(value[0] == "0" for value in values):  # as numbers have not
        if all(map(_FIVE.fullmatch, values)):
            yield _deny(column, "holds cells that are written like zip codes")
        elif all(map(_THREE.fullmatch, values)):
            yield _doubt(column, "beginnings of zip codes, or counties")
    elif len(values) >= _FEWEST and all(map(_COUNTY.fullmatch, values)):
        parts = [divmod(int(value), 1000) for value in values]
        odd_share = sum(county % 2 for _, county in parts) / len(parts)
        if odd_share >= _ODD and all(
            1 <= state <= _STATES and county <= _COUNTIES for state, county in parts
        ):
            yield _deny(column, "holds numbers of counties")
    nuts = vocabularies()["nuts"]
    if all(len(value) > 2 and nuts.read(value) is not None for value in values):
        yield _doubt(column, "codes of regions smaller than a state")


@cache
def _city_names() -> frozenset[str]:
    return frozenset(city.casefold() for city in preset_table()["places"]["cities"])


def _is_large(text: str) -> bool:
    """Whether a text is a state of the US, a country, or larger."""
    vocabulary_by_name = vocabularies()
    return text.casefold() in preset_table()["large"]["places"] or any(
        vocabulary_by_name[kind].read(text) is not None for kind in ("us-states", "countries")
    )


def _are_states(column: ReleasedColumn) -> bool:
    """Whether a column is called after states and holds numbers of two digits, as the census gives them."""
    called = "state" in column.name.lower() or column.words in (("fips",), ("fips", "code"))
    return called and all(value.isdecimal() and len(value) <= 2 for value in column.values)


# --- dates

_YEARS = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?:s\b)?(?!\d)")
_AROUND = re.compile(
    r"(?:[\[\](){}<>=≤≥ ,;|\"-]|to|and|or|before|earlier|later|bis|vor|und|et|avant|y|e|ve)*"
)
_FULL = (12, 31, 52, 53)
_NUMBERED = 1000  # visits and types of admission; days since some day are more


def _find_dates(column: ReleasedColumn) -> Answers:
    table = preset_table()["dates"]
    yield from _find_forms("dates", column)
    if is_calendar(column):
        yield _deny(column, "holds months or days of the week")
    if _is_meant(column, table["concepts"], table["words"]):
        strange = [text for text in column.texts if not _tells_years(text)]
        if strange and not all(text.casefold() in table["answers"] for text in column.texts):
            numbers = all(text.isdecimal() and int(text) < _NUMBERED for text in strange)
            if numbers and column.concept in ("date", ""):
                yield _doubt(column, "parts of dates: it is named like one and shows small numbers")
            else:
                yield _deny(column, "is named like a date and shows something other than years")
    yield from _find_date_parts(column)
    if _is_open(column) and _is_full_calendar(column.values):
        yield _doubt(column, "months, weeks or days of a month: it has all numbers of them and no other")


def _is_full_calendar(values: Sequence[str]) -> bool:
    """Whether values are all numbers of months, weeks or days of a month, from 1."""
    return len(values) in _FULL and {*values} == {str(number) for number in range(1, len(values) + 1)}


def _find_date_parts(column: ReleasedColumn) -> Answers:
    """Whether a column is called after months, weeks or the like, and holds nothing but their numbers."""
    if _is_age(column) or column.is_called(preset_table()["dates"]["durations"]):
        return
    for part in preset_table()["part"]:
        low, high = part["range"]
        if not column.is_called(part["words"]) or not column.spans:
            continue
        if all(low <= begin and end <= high + 1 for begin, end in column.spans):
            if part["certain"] and not column.is_explained:
                yield _deny(column, f"holds {part['what']}")
            elif part["certain"] or not column.is_explained:
                yield _doubt(column, part["what"])


def _tells_years(text: str) -> bool:
    """Whether a text of a column that is called like a date tells years, or words that are no part of a date."""
    if not any(map(str.isdecimal, text)):
        return calendar_pattern().search(text) is None
    return _AROUND.fullmatch(_YEARS.sub("", text.casefold())) is not None


# --- ages

_OLDEST, _NOBODY = 89, 125
_TOPS = {"year": 90, "month": 90 * 12, "week": 90 * 52, "day": 90 * 365}
"""By unit, from where on an age is over 89."""
_NO_AGE = frozenset(
    (-1, -7, -8, -9, -77, -88, -99, -777, -888, -999, 777, 888, 997, 998, 999, 7777, 8888, 9999)
)
"""Numbers that stand for no answer."""
_NUMBERS = re.compile(r"[\d\s.,+<>=≤≥()\[\]-]+|\d+ (?:and|or|to|und|bis|et|à|y|o|a|ve|e) (?:\d+|\w+)")
_YEAR_SPAN = (1850, 2100)
_IN = ("in", "of", "en", "a", "at")


def _judge_ages(released: ReleasedCells) -> Answer:
    """89 is told, 90 is not; whoever was born so early that they may be 90 in the year of the release is one group."""
    oldest_year = released.year - _OLDEST

    def look(column: ReleasedColumn) -> Answers:
        yield from _find_forms("ages", column)
        if any(map(_tells_age_over, column.texts_with_digits)):
            yield _deny(column, _OVER)
        if _is_age(column):
            yield from _find_named_ages(column)
        elif _is_meant(column, preset_table()["dates"]["births"]):
            if not all(
                low >= oldest_year or (low == -inf and high >= oldest_year) for low, high in column.spans
            ):
                yield _deny(column, f"shows years of birth before {oldest_year}, of people over {_OLDEST}")
        elif _is_open(column):
            if _may_be_ages(column) or _may_be_age_spans(column):
                yield _doubt(column, f"ages over {_OLDEST}")
            elif _are_years(column) and any(low < oldest_year for low, _ in column.spans if low != -inf):
                yield _doubt(column, f"years before {oldest_year} of people who are over {_OLDEST}")

    return _rule_for_columns(look, f"no column shows what may be an age over {_OLDEST}")(released)


def _is_open(column: ReleasedColumn) -> bool:
    """Whether the name of a column leaves open whether it holds ages, or years that reveal them."""
    is_known = column.is_explained or column.concept not in ("", "date", "year")
    return not is_known and column.role != "items" and not column.is_called(_thing_words())


_OVER = f"shows an age over {_OLDEST} that is not in one group of 90 and over"


def _is_age(column: ReleasedColumn) -> bool:
    """Whether a column is called an age of people, maybe among other words: age_surgery is no surgery."""
    called = column.concept == "age" or not set(column.words).isdisjoint(preset_table()["ages"]["words"])
    return called and not column.is_called(_thing_words())


def _thing_words() -> Sequence[str]:
    """Words for what has an age and is no person."""
    words: Sequence[str] = preset_table()["ages"]["things"]
    return words


def _find_named_ages(column: ReleasedColumn) -> Answers:
    """What a column shows that is called an age, in the unit that its name says and its values bear out."""
    unit = _unit_in_name(column)
    beyond = max((low for low, _ in column.spans), default=0) > _NOBODY
    if not _are_below(column.spans, _TOPS[unit if beyond else "year"]):
        in_years = unit == "year" or beyond
        yield _deny(column, _OVER) if in_years else _doubt(column, f"ages in years, some over {_OLDEST}")
    if any(not any(map(str.isdecimal, text)) for text in column.texts):
        yield UNTOLD, f"column '{column.name}' is called an age and holds words"


def _are_below(spans: Sequence[Span], top: int) -> bool:
    """Whether spans show no number over `top` - 1, but in groups without an end that begin there or below."""
    return all(low <= top if high == inf else high <= top and low <= top - 1 for low, high in spans)


def _unit_in_name(column: ReleasedColumn) -> str:
    """The unit that stands beside the word for age in a name: age_months, age in days."""
    table = preset_table()["ages"]
    units = {word: unit for unit, words in table["units"].items() for word in words}
    words = [word for word in column.words if word not in _IN]
    pairs = [
        pair
        for word_before, word_after in pairwise(words)
        for pair in ((word_before, word_after), (word_after, word_before))
    ]
    joined = [
        (age, word.removeprefix(age))
        for word in words
        for age in ("alters", *table["words"])
        if word.startswith(age)
    ]
    named = [
        units[unit] for age, unit in (*pairs, *joined) if unit in units and age in ("alters", *table["words"])
    ]
    return next((unit for unit in named if unit != "year"), "year")


def _tells_age_over(text: str) -> bool:
    """Whether a text says an age over 89 with its unit, as 92 years or 1092 months, and not as the end of a group."""
    over = [
        unit for value, unit in list_ages(text) if _TOPS[unit] - 1 < value <= _TOPS[unit] * _NOBODY / _OLDEST
    ]
    spans = find_spans(text) if over else []
    return bool(over) and not (len(spans) == 1 and _are_below(spans, _TOPS[over[0]]))


def _may_be_ages(column: ReleasedColumn) -> bool:
    """Whether the numbers of a column are no larger than ages, and some are over 89 outside of one last group."""
    numbers = [text for text in column.texts if _NUMBERS.fullmatch(text)]
    spans = [span for text in numbers for span in find_spans(text) if span[0] not in _NO_AGE]
    inside = all((low == -inf or low >= 0) and (high == inf or high <= _NOBODY + 1) for low, high in spans)
    return inside and 2 * len(numbers) >= len(column.texts) and not _are_below(spans, _OLDEST + 1)


def _may_be_age_spans(column: ReleasedColumn) -> bool:
    """Whether a column is called after months, weeks or days, and shows more of them than 90 years have."""
    units = {word: unit for unit, words in preset_table()["ages"]["units"].items() for word in words}
    named = {units[word] for word in column.words if word in units} - {"year"}
    largest = max((low for low, _ in column.spans), default=0)
    return any(_TOPS[unit] <= largest <= _TOPS[unit] * _NOBODY / _OLDEST for unit in named)


def _are_years(column: ReleasedColumn) -> bool:
    low, high = _YEAR_SPAN
    ends = [end for span in column.spans for end in span if abs(end) != inf]
    return bool(ends) and all(low <= end <= high + 1 for end in ends)


# --- numbers, addresses, marks and codes


def _identifier_rule(row: Mapping[str, Any]) -> Callable[[ReleasedCells], Answer]:
    """The rule that no column is called so, and that no cell is written so."""
    form = "".join(row.get("form", "").split("\n"))
    written = re.compile(form, re.IGNORECASE) if form else None

    def look(column: ReleasedColumn) -> Answers:
        if _is_meant(column, row["concepts"], row.get("words", ())):
            yield _deny(column, "is called like one")
        if written is not None and any(map(written.search, column.texts)):
            yield _deny(column, "has a cell that is written like one")
        yield from _find_forms(row["name"], column)

    forms = form or list_forms(row["name"])
    return _rule_for_columns(
        look, f"no column is called like one{', and no cell is written like one' if forms else ''}"
    )


@cache
def contact_forms() -> tuple[re.Pattern[str], ...]:
    """How that stands in a cell, maybe among other words, by which one reaches a person or an office knows them."""
    forms = {row["name"]: row.get("form", "") for row in preset_table()["identifier"]}
    patterns = (re.compile(forms[name], re.IGNORECASE) for name in ("mail", "phone", "social security"))
    return (*patterns, list_forms("phone")[0].regex)


_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9/_-]{3,}")
_MANY, _OWN = 20, 0.9  # records, and the share of them with a value of their own


def _find_unique_codes(column: ReleasedColumn) -> Answers:
    """Whether a column is called like a number of persons, holds pseudonyms, or what hardly anybody shares."""
    if _is_meant(column, preset_table()["codes"]["concepts"], preset_table()["codes"]["words"]):
        yield _deny(column, "is called like one")
    if column.role == "pseudonym":
        yield _deny(column, "holds pseudonyms, which are derived from what they stand for")
    yield from _find_forms("other codes", column)
    records = sum(column.cells.values())
    is_unique = records >= _MANY and len(column.cells) >= _OWN * records
    if not is_unique or column.is_explained or column.role in ("quasi", "items"):
        return
    is_numeric = all(map(str.isdecimal, column.values))
    if is_numeric and len(set(map(len, column.values))) > 1:  # amounts, or numbers in a row
        numbers = sorted(map(int, column.values))
        if numbers[-1] - numbers[0] < 2 * len(numbers):
            yield _doubt(column, "numbers of its rows or of people")
    elif sum(map(bool, map(_CODE.fullmatch, column.values))) >= _OWN * len(column.values):
        yield _deny(column, "holds codes that hardly anybody shares")
    elif any(map(str.isalpha, "".join(column.values))):
        yield _doubt(column, "marks of people: hardly anybody shares a value")


def _identifier_rules() -> list[Rule]:
    """Names, numbers, addresses and marks, each with its letter."""
    rows = preset_table()["identifier"]
    none = "no column is called like one, and no column holds what may be one"
    return [
        Rule("names", "No names", _cite_paragraph("A"), _rule_for_columns(_find_names, none), OUT),
        *(
            Rule(row["name"], row["asks"], _cite_paragraph(row["letter"]), _identifier_rule(row), OUT)
            for row in rows
        ),
        Rule(
            "other codes",
            "No other unique number, mark or code",
            _cite_paragraph("R"),
            _rule_for_columns(_find_unique_codes, none),
            OUT,
        ),
    ]


def _cite_paragraph(letter: str) -> str:
    return f"45 CFR 164.514(b)(2)(i)({letter})"


def direct_identifiers(released: ReleasedCells) -> Answer:
    """What Safe Harbor's list finds of identifiers; places, dates and ages apart."""
    answers = [(rule.name, *rule.check(released)) for rule in _identifier_rules()]
    for verdict in (NO, UNTOLD):
        for name, rule_verdict, sentence in answers:
            if rule_verdict == verdict:
                return verdict, f"{name}: {sentence}"
    return YES, "no column is called like one, and no cell is written like one"


def safe_harbor(census: str) -> Preset:
    """The rules of 45 CFR 164.514(b)(2), the restricted zip codes by one census."""
    names, *numbers = _identifier_rules()
    return Preset(
        f"HIPAA Safe Harbor, zip codes by the census of {census}",
        "It is a list of what must go, and no k: it promises nobody a look-alike.",
        (
            names,
            Rule(
                "places",
                "No place smaller than a state but the first three digits of a zip code, and 000 where at most 20,000 "
                "people share these",
                _cite_paragraph("B"),
                _rule_for_columns(
                    _find_places(census),
                    f"no smaller place by name or form; restricted zip codes by the census of {census}",
                ),
                'zip codes take hierarchy = { vocabulary = "us-zip-safe-harbor" } and level = 1, other places the role '
                '"drop"',
            ),
            Rule(
                "dates",
                "Of dates about a person, the year alone",
                _cite_paragraph("C"),
                _rule_for_columns(_find_dates, "no cell looks like a date, and date columns show only years"),
                'give it hierarchy = { dates = ["year"] } and level = 1, or the role "drop"',
            ),
            Rule(
                "ages",
                "Ages over 89, and years that reveal them, in one group of 90 and over",
                _cite_paragraph("C"),
                _judge_ages,
                "ages take hierarchy = { ranges = [1, 5], top = 90 } and level = 1; years and dates of birth a bottom "
                "instead of the top, the year of the release less 89",
            ),
            *numbers,
            Rule(
                "knowledge",
                "The publisher does not know that what is left could identify somebody",
                "45 CFR 164.514(b)(2)(ii)",
                lambda released: (UNTOLD, "only the publisher can say so"),
            ),
        ),
    )
