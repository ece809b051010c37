"""What every built hierarchy begins with: a column's distinct values, and what they can be read as.

Numbers, and ends of them such as 95+. Bands of numbers as people write them, 18-29 or 65 and over: their order, and the
name of neighbours together. Dates: how they are written and read, which values are dates, the units of the calendar.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TypeVar

from shoal.base.errors import HierarchyError

__all__ = [
    "CENTURY_OPEN",
    "END_BEFORE",
    "END_BEHIND",
    "EPOCH",
    "FORMATS",
    "ROOT",
    "SERIAL",
    "UNITS",
    "alternation_pattern",
    "are_bands",
    "are_codes",
    "date_formats",
    "distinct_values",
    "first_year_of_century",
    "is_low_end",
    "join_bands",
    "parse_number",
    "parse_number_and_side",
    "parse_number_or_end",
    "parse_values",
    "read_date",
    "side_of",
    "sort_bands",
]


ROOT = "*"

_AT_MOST = ("<=", "=<", "≤", "up to", "bis", "bis zu", "max.", "jusqu'à", "hasta", "fino a", "tot")
"""What stands before the largest number that is meant."""
END_BEFORE = {
    -1: ("<", "under", "below", "less than", "unter", "weniger als", "moins de", "menos de", "meno di", "minder dan"),
    0: (*_AT_MOST, ">=", "=>", "≥", "at least", "from", "ab", "min.", "mindestens", "au moins", "à partir de", "desde",
        "vanaf"),
    1: (">", "over", "above", "more than", "über", "mehr als", "plus de", "más de", "oltre", "più di", "meer dan"),
}  # fmt: skip
"""What stands before a number that is only the end of what is meant, by the step from it to the nearest that fits."""
_END_BEHIND_LOW = (
    *(f"{word} {less}" for word in ("and", "or", "&") for less in ("under", "below", "less", "younger")),
    *(f"{word} {less}" for word in ("und", "oder") for less in ("jünger", "weniger")),
    "et moins", "ou moins", "y menos", "o menos", "以下",
)  # fmt: skip
"""What stands behind the largest number that is meant."""
END_BEHIND = (
    *_END_BEHIND_LOW,
    "+", "plus", *(f"{word} {more}" for word in ("and", "or", "&") for more in (
        "over", "above", "more", "older", "up")),
    *(f"{word} {more}" for word in ("und", "oder") for more in ("älter", "mehr", "darüber")),
    "et plus", "ou plus", "y más", "o más",
    "e oltre", "e più", "o più", "en ouder", "of meer", "of ouder", "ve üzeri", "ve üstü", "以上",
)  # fmt: skip
"""What stands behind a number that is only the end of what is meant; the number itself fits."""

T = TypeVar("T")


def alternation_pattern(words: Iterable[str]) -> str:
    """A pattern of some words, of which a longer one comes before those that it begins with."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


# Bounded, so that no text turns into an integer of a million digits.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")
_STEPS = {word: step for step, words in END_BEFORE.items() for word in words}
_LOW = frozenset((*END_BEFORE[-1], *_AT_MOST, *_END_BEHIND_LOW))
_END = re.compile(
    rf"(?:({alternation_pattern(_STEPS)})\s*)?({_NUMBER.pattern})(?:\s*({alternation_pattern(END_BEHIND)}))?",
    re.IGNORECASE,
)

_PADDED = re.compile(r"[+-]?0[0-9]")
_LONG = re.compile(r"[+-]?[0-9]{10,}|\+[0-9]{7,}")


def is_low_end(word: str) -> bool:
    """Whether a word beside a number says that less is meant, as "under" and "or less" do."""
    return word in _LOW


def parse_number(text: str) -> Decimal | None:
    """The number a text spells, None if it spells none."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def parse_number_or_end(text: str) -> Decimal | None:
    """The number a text spells, or where it is only the end of what is meant the nearest that fits.

    >>> [str(parse_number_or_end(text)) for text in ("42", "95+", "<20", "over 0.5", "90 und älter", "18-29")]
    ['42', '95', '19', '0.6', '90', 'None']
    """
    parsed_pair = parse_number_and_side(text)
    return None if parsed_pair is None else parsed_pair[0]


def parse_number_and_side(text: str) -> tuple[Decimal, int] | None:
    """The same number, and where it is only an end to which side more is meant: 1 above it, -1 below; else 0.

    >>> [(str(n), side) for n, side in map(parse_number_and_side, ("42", "95+", "<20", "20 or less"))]
    [('42', 0), ('95', 1), ('19', -1), ('20', -1)]
    """
    if (plain := parse_number(text)) is not None:
        return plain, 0
    match = _END.fullmatch(text)
    if match is None or (match[1] is None) == (match[3] is None):
        return None
    limit, side_word = Decimal(match[2]), (match[1] or match[3]).lower()
    nearest = limit + Decimal(_STEPS.get(side_word, 0)).scaleb(min(0, int(limit.as_tuple().exponent)))
    return nearest, -1 if side_word in _LOW else 1


def are_codes(values: Iterable[str | None]) -> bool:
    """Whether values of digits are names, not amounts: one has leading zeros, or most have ten digits and more.

    >>> are_codes(["01069", "99999"]), are_codes(["4029357733"]), are_codes(["7", "0.5", "1400000000"])
    (True, True, False)
    """
    present = [value for value in values if value is not None]
    long_count = sum(_LONG.fullmatch(value) is not None for value in present)
    return 2 * long_count > len(present) or any(_PADDED.match(value) for value in present)


def distinct_values(name: str, values: Sequence[str | None]) -> list[str]:
    """Each value once, in order of first appearance; the missing value is left out."""
    different = list(dict.fromkeys(value for value in values if value is not None))
    if not different:
        raise HierarchyError(
            f"hierarchy '{name}': the column has no value to build from; give a file or drop the column"
        )
    return different


def parse_values(
    name: str, values: Sequence[str | None], parse: Callable[[str], T | None], what: str, more: str = ""
) -> list[tuple[T, str]]:
    """Every distinct value with what it reads as, in ascending order; refuse values that do not parse.

    `what` says what they are not, `more` what else could be done.
    """
    pairs = [(parse(value), value) for value in distinct_values(name, values)]
    strange = tuple(value for parsed_value, value in pairs if parsed_value is None)
    if strange:
        raise HierarchyError(
            f"hierarchy '{name}': {len(strange)} of {len(pairs)} distinct values are not {what}, the first is "
            f"value {values.index(strange[0]) + 1}; correct them, mark them as missing, {more}or give a file",
            value=strange,
        )
    return sorted((parsed_value, value) for parsed_value, value in pairs if parsed_value is not None)


_LEAST = 3  # words of a scale; of two, either order is as good
_LONGEST = 100  # different bands
_BAND_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_THOUSANDS = re.compile(r"\b([1-9][0-9]{0,2})[.,]([0-9]{3})(?![0-9])")
_UNIT = r"(?:\s*(?:years?|yrs?|jahren?|ans|años|anni|jaar|yaş|岁|k?m|min|h|kg|[€$£]))?"
_BAND = re.compile(
    rf"(?P<before>{alternation_pattern(_STEPS)})?\s*(?:[€$£]\s*)?(?P<low>[0-9][0-9.,]*){_UNIT}\s*"
    rf"(?:(?:-|–|to|bis|à|a|tot)\s*(?P<last>(?:[€$£]\s*)?(?P<high>[0-9][0-9.,]*))|(?P<more>{alternation_pattern(END_BEHIND)}))?{_UNIT}"
    rf"(?:\s*(?P<behind>{alternation_pattern(END_BEHIND)}))?",
    re.IGNORECASE,
)  # 18-29, 65+, < 18, 30 to 39 years, £40,000 and over
_BELOW = re.compile(
    rf"(?:{alternation_pattern((*END_BEFORE[-1], *_AT_MOST))})(?![^\W\d])"
    rf"|.*(?:{alternation_pattern(_END_BEHIND_LOW)})$",
    re.IGNORECASE,
)


def sort_bands(values: Sequence[str]) -> list[str] | None:
    """The values in the order of numbers where all are bands of them; None where one is not.

    >>> sort_bands(["65+", "18-29", "30-64", "<18"]), sort_bands(["65+", "18-29", "young"])
    (['<18', '18-29', '30-64', '65+'], None)
    """
    bare = {value: _normalize_band(value) for value in values}
    if len(bare) < _LEAST or not all(map(_BAND.fullmatch, bare.values())):
        return None
    return sorted(bare, key=lambda value: (_band_ends(bare[value])[0], not _BELOW.match(bare[value])))


def are_bands(values: Sequence[str]) -> bool:
    """Whether values are bands of numbers that follow one another, so that they have no parts to mask as codes have."""
    order = sort_bands(values) if len(values) <= _LONGEST else None
    ends = [end for value in order or () for end in _band_ends(value)]
    return bool(ends) and ends == sorted(ends)


def join_bands(first: str, last: str, scale: Sequence[str]) -> str | None:
    """The name of all from one band to another by their ends, in the words that they have; None where it has none.

    The whole scale tells whether the next band begins where one ends, or with the next whole number.

    >>> ages = ["Under 20", "20-29", "30-39", "40 and over"]
    >>> join_bands("20-29", "30-39", ages), join_bands("Under 20", "20-29", ages), join_bands("30-39", ages[-1], ages)
    ('20-39', 'Under 30', '30 and over')
    >>> join_bands("< 5 km", "5-10 km", ["< 5 km", "5-10 km", "10-20 km", "> 20 km"])
    '< 10 km'
    """
    lower, upper = _BAND.fullmatch(_normalize_band(first)), _BAND.fullmatch(_normalize_band(last))
    if lower is None or upper is None or (lower["high"] is None and upper["high"] is None):
        return None
    if lower["high"] is not None and upper["high"] is not None:
        if lower["before"] or upper["before"]:
            return None
        return lower.string[: lower.start("last")] + upper.string[upper.start("last") :]
    open_, end = (lower, upper["high"]) if lower["high"] is None else (upper, lower["low"])
    words = _open_words(open_)
    if words is None or (_BELOW.match(words) is not None) != (open_ is lower):
        return None
    step = next((step for step, end_words in END_BEFORE.items() if words.casefold() in end_words), 0)
    if step and (gaps := _band_gaps(scale)) != {0.0}:
        if gaps != {1.0} or not end.isdecimal():
            return None
        end = str(int(end) - step)
    return open_.string[: open_.start("low")] + end + open_.string[open_.end("low") :]


def side_of(band: str) -> int:
    """1 where a band has no upper end, -1 where it has no lower one, else 0.

    >>> side_of("65 years and over"), side_of("< 18"), side_of("18-29"), side_of("young")
    (1, -1, 0, 0)
    """
    match = _BAND.fullmatch(_normalize_band(band))
    words = None if match is None else _open_words(match)
    return 0 if words is None else -1 if _BELOW.match(words) else 1


def _open_words(band: re.Match[str]) -> str | None:
    return band["before"] or band["more"] or band["behind"]


def _band_gaps(scale: Sequence[str]) -> set[float]:
    """How far behind the end of a band the next one begins."""
    ends = [_band_ends(band) for band in scale if _BAND.fullmatch(_normalize_band(band))]
    return {next_[0] - band_end[1] for band_end, next_ in pairwise(ends) if len(band_end) > 1}


def _normalize_band(band: str) -> str:
    return " ".join(band.replace("_", " ").split())


def _band_ends(band: str) -> list[float]:
    """The numbers of a band; a sign between thousands is none of them."""
    plain = _THOUSANDS.sub(r"\1\2", band).replace(",", ".")
    return [float(band_number) for band_number in _BAND_NUMBER.findall(plain)]


FORMATS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y",
    "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y%m%d", "%m/%Y", "%Y-%m",
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S", "%Y年%m月%d日",
)  # fmt: skip
"""How dates are written where they are not ISO 8601, for `strptime`; of two that fit the first is taken."""

SERIAL = "excel"
"""The format of dates that are days counted as spreadsheets do: 1 is the first of January 1900."""
_NOUGHT = datetime(1899, 12, 30)  # for every day since March 1900; there was no 29 February
_SERIALS = re.compile(r"[0-9]{4,5}(?:\.[0-9]+)?")  # of 1902 to 2173

EPOCH = "unix"
"""The format of moments that are seconds since 1970, or thousandths of them where they have 12 digits or more."""
_SECONDS = re.compile(r"[0-9]{9,10}(?:\.[0-9]+)?|[0-9]{12,13}")
_BEGINNING, _THOUSANDTHS = datetime(1970, 1, 1), 12

_PROBE = 20  # values; only formats that these have are tried on all
_DATED = re.compile(r"(?=.*\d).{6}", re.DOTALL)  # no format that is tried reads less than this
_QUARTER = re.compile(r"([1-9][0-9]{3})-Q([1-4])")


def _week_label(day: datetime) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


UNITS: dict[str, Callable[[datetime], str]] = {
    "day": lambda day: day.date().isoformat(),
    "week": _week_label,
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
}


def read_date(text: str, format: str | None = None) -> datetime | None:
    """The moment that a text tells, on the day it is written with; None where it tells none. No format means ISO 8601.

    >>> read_date("2020-03-05"), read_date("05.03.2020", "%d.%m.%Y"), read_date("5 March")
    (datetime.datetime(2020, 3, 5, 0, 0), datetime.datetime(2020, 3, 5, 0, 0), None)
    >>> read_date("44927", SERIAL)
    datetime.datetime(2023, 1, 1, 0, 0)
    >>> read_date("1672531200", EPOCH) == read_date("1672531200000", EPOCH) == read_date("44927", SERIAL)
    True
    """
    if format == EPOCH:
        if not _SECONDS.fullmatch(text):
            return None
        is_fine = len(text.partition(".")[0]) >= _THOUSANDTHS
        return _BEGINNING + timedelta(seconds=float(text) / (1000 if is_fine else 1))
    if format == SERIAL:
        return _NOUGHT + timedelta(days=float(text)) if _SERIALS.fullmatch(text) else None
    if format is None and (quarter := _QUARTER.fullmatch(text)):
        return datetime(int(quarter[1]), 3 * int(quarter[2]) - 2, 1)
    try:
        moment = datetime.fromisoformat(text) if format is None else datetime.strptime(text, format)
    except ValueError:
        return None
    return moment.replace(tzinfo=None)


CENTURY_OPEN = "its years have two digits, and some may be of either century; write them with four"
_RECENT = 30  # a year of two digits up to this may be of this century
_APART = 15  # years without a date between the last of this century and the first of the one before


def first_year_of_century(years: Iterable[int], known: Collection[int] = ()) -> int | None:
    """The first of the hundred years in which years of two digits lie; None where both centuries are possible.

    They lie where `known` years do, of four digits, or near them. By themselves they end with a year of this century,
    if only one can be the last: years without a date follow it. Years of birth may be of both.

    >>> first_year_of_century([98, 99, 0, 1]), first_year_of_century([21, 25]), first_year_of_century(range(100))
    (1902, 1926, None)
    >>> first_year_of_century([57, 10], [1940, 2005]), first_year_of_century([57, 15], [1916, 2021])
    (1922, None)
    """
    sorted_years = sorted(set(years))
    if known:
        first_year = (min(known) + max(known)) // 2 - 50
        low, high = min(known) - _APART, max(max(known), min(max(known) + _APART, 2000 + _RECENT))
        resolved_years = [first_year + (year - first_year) % 100 for year in sorted_years]
        return None if any(year - 100 >= low or year + 100 <= high for year in resolved_years) else first_year
    if sorted_years[0] > _RECENT:
        return 1900
    next_years = [*sorted_years[1:], sorted_years[0] + 100]
    ends = [
        end_year
        for end_year, later in zip(sorted_years, next_years, strict=True)
        if end_year <= _RECENT and later - end_year >= _APART
    ]
    return 1901 + ends[0] if len(ends) == 1 else None


def date_formats(
    values: Sequence[str], least: float = 1.0, years: range = range(1, 10_000)
) -> list[str | None]:
    """The formats in which at least that share of the values can be read as dates of these years; None is ISO 8601.

    >>> date_formats(["05.03.2020", "31.12.1999"]), date_formats(["2020-03-05"]), date_formats(["3/4/2020", "x"])
    (['%d.%m.%Y'], [None], [])
    """

    def fits(format: str | None, some: Sequence[str]) -> bool:
        days = (read_date(value, format) for value in some if _DATED.match(value))
        return sum(day is not None and day.year in years for day in days) >= least * len(some)

    probe = values[:: max(len(values) // _PROBE, 1)]
    return [format for format in (None, *FORMATS) if values and fits(format, probe) and fits(format, values)]
