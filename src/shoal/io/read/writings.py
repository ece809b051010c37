"""How people write numbers, amounts and dates: one reader of a column of texts.

`read_writing` tells what the cells of a column are, gives each in one writing (1234.5, 2020-03-05), counts those that
cannot be read, and says what only the owner can decide. All of it is worked out on the different cells. A column that
is written in one plain way stays as it is. What can be read in two ways is never guessed: `Notation` answers it.

Dates as people write them: days, with a time of day or without, months, quarters, weeks.
"""

from dataclasses import replace
from functools import cache
from itertools import chain

import polars as pl

from shoal.base.naming import resource_table
from shoal.hierarchy.column_values import (
    CENTURY_OPEN,
    END_BEFORE,
    END_BEHIND,
    alternation_pattern,
    first_year_of_century,
)
from shoal.hierarchy.suggest import kind_of
from shoal.io.read.notation import (
    FEW,
    LEAST,
    ORDERS,
    SOME,
    CellNotation,
    Notation,
    Votes,
    read_amounts,
    replace_at,
)

__all__ = ["PLAIN", "read_moments", "read_values", "read_writing"]


_ZONE = r"\s?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?"
_TIME = r"(?:[T ,]+([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)(?:[.,][0-9]+)?\s?([AaPp]\.?[Mm]\.?)?" + _ZONE + ")?$"
_WORD = r"([^\W\d_]{3,12})\.?"
_DAY_NAME = r"^(?:[^\W\d_]{2,10}\.?,? )?"
_MONTHS = r"^((?:19|20)[0-9]{2})(0[1-9]|1[0-2])$"
"""Months without a sign between year and month; a number that looks so may be any other."""
_FORMS: dict[str, tuple[str, str]] = {  # what the groups are, before the time of day
    "iso": (r"^([0-9]{4})[-/.年]([0-9]{1,2})[-/.月]([0-9]{1,2})日?" + _TIME, "ymd"),
    "dots": (r"^([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4}|[0-9]{2})" + _TIME, "dmy"),
    "pairs": (r"^([0-9]{1,2})[/-]([0-9]{1,2})[/-]([0-9]{4}|[0-9]{2})" + _TIME, "?"),
    "worded": (
        _DAY_NAME + r"([0-9]{1,2})(?:st|nd|rd|th|er|\.)?[ -]?(?:de |of )?" + _WORD
        + r"[ ,-]{0,2}(?:de )?([0-9]{4}|[0-9]{2})" + _TIME,
        "dMy",
    ),
    "american": (_DAY_NAME + _WORD + r" ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})" + _TIME, "Mdy"),
    "compact": (r"^((?:19|20)[0-9]{2})(0[1-9]|1[0-2])([0-3][0-9])(?:T([0-9]{2}:?[0-9]{2}(?::?[0-9]{2})?))?()$", "ymd"),
    "month": (r"^([0-9]{4})[-/.年]([0-9]{1,2})月?$", "ym"),
    "compact month": (_MONTHS, "ym"),
    "month last": (r"^([0-9]{1,2})[-/.]([0-9]{4})$", "my"),
    "month word": (r"^" + _WORD + r"[ -](?:de )?([0-9]{4})$", "My"),
    "quarter": (r"^([0-9]{4})[ /-]?(?:Q|T|Ç)([1-4])$", "yq"),
    "quarter first": (r"^(?:Q|T|Ç)([1-4])[ /-]?([0-9]{4})$", "qy"),
    "quarter word": (r"^([1-4])(?:\. ?Quartal|Q|T)[ /-]?([0-9]{4})$", "qy"),
    "week": (r"^([0-9]{4})[ -]?(?:W|KW|CW|S)([0-9]{1,2})$", "yw"),
    "week first": (r"^(?:W|KW|CW|S) ?([0-9]{1,2})[ /-]([0-9]{4})$", "wy"),
    "year": (r"^((?:18|19|20)[0-9]{2})$", "y"),
}  # fmt: skip
_PADDED_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$"
)
_MIDNIGHT = "T00:00:00"
_SAMPLE = 200  # dates that show whether one format reads all
_YEARS = 1500, 2199


@cache
def _month_names() -> dict[str, int]:
    table: dict[str, list[str]] = resource_table("shoal.io.read", "writings.toml")["months"]
    return {name: int(number) for number, names in table.items() for name in names}


def _month_of(word: str) -> int | None:
    """The month that a word begins like."""
    bare = word.lower()
    prefixes = {bare[:size] for size in (4, 3)} & _month_names().keys()
    return _month_names()[max(prefixes, key=len)] if prefixes else None


def read_moments(texts: pl.Series, times: pl.Series, notation: Notation) -> CellNotation:
    """Dates as ISO 8601 writes them, as far as the different `texts` are dates."""
    if not texts.str.contains(r"^[0-9]{4}|[0-9]{2}$|[0-9]{2}[: ]|日$").any():
        return CellNotation()
    cells = pl.Series([None] * len(texts), dtype=pl.String)
    form = pl.Series(["" for _ in range(len(texts))], dtype=pl.String)
    doubt, votes = "", Votes()
    has_short_year = pl.Series([False], dtype=pl.Boolean).new_from_index(0, len(texts))
    expressions = [pl.first().str.contains(regex).any().alias(name) for name, (regex, _) in _FORMS.items()]
    matches = texts.to_frame().select(
        expressions
    )  # all at once: hardly a column has dates of more than one form
    for name, (regex, order) in _FORMS.items():
        if not matches[name][0]:
            continue
        parts = texts.str.extract_groups(regex).struct.unnest()
        parts.columns = [f"c{index}" for index in range(parts.width)]
        is_match = parts["c0"].is_not_null() & cells.is_null()
        if not is_match.any():
            continue
        if order == "?":
            order, doubt, votes = _find_order(parts.filter(is_match), times.filter(is_match), notation)
        iso = _format_iso(parts, order)
        fresh = is_match & iso.is_not_null()
        has_short_year |= fresh & (parts[f"c{order.index('y')}"].str.len_chars() == 2)
        cells = replace_at(cells, fresh, iso)
        form = replace_at(form, fresh, name)
    if not (cells.str.contains("T", literal=True) & ~cells.str.ends_with(_MIDNIGHT)).any():
        cells = cells.str.strip_suffix(
            _MIDNIGHT
        )  # a spreadsheet's way to write a day, beside days written as text
    cells, century_doubt = _complete_years(cells, has_short_year)
    doubt = doubt or century_doubt
    cells, form, mixed = _unify_precision(cells, form, times)
    used_forms = set(form.filter(cells.is_not_null()).unique())
    if used_forms == {"year"}:
        return CellNotation()  # a number, as any other of four digits
    clear = "pairs" not in used_forms or any(votes.dates.values())  # else the notation answers
    if (
        len(used_forms) == 1
        and clear
        and not has_short_year.any()
        and not doubt
        and _has_one_format(texts.filter(cells.is_not_null()))
    ):
        cells = replace_at(texts, cells.is_null(), None)
    return CellNotation("date", cells, "", 0, doubt or mixed, votes)


def _complete_years(made: pl.Series, short: pl.Series) -> tuple[pl.Series, str]:
    """Dates whose years had two digits with the century that the other dates of the column tell, and what is open."""
    if not short.any():
        return made, ""
    year = made.str.slice(0, 4).cast(pl.Int64, strict=False)
    known_years = year.filter(~short & made.is_not_null()).drop_nulls().to_list()
    first_year = first_year_of_century((year.filter(short).drop_nulls() % 100).to_list(), known_years)
    if first_year is None:
        return made, CENTURY_OPEN
    settled = (first_year + (year - first_year) % 100).cast(pl.String) + made.str.slice(4)
    real = settled.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return replace_at(replace_at(made, short, settled), short & real.is_null(), None), ""


def _has_one_format(texts: pl.Series) -> bool:
    """Whether one format reads all of the dates, so that they stay as they are written."""
    kind = kind_of(texts.gather_every(max(1, len(texts) // _SAMPLE)).to_list())
    if kind.name != "date":
        return False
    if kind.format is None:
        return bool(texts.str.contains(_PADDED_MOMENT).all())
    timed = pl.Datetime() if "%H" in kind.format else pl.Date()
    cells, format = (texts, kind.format) if "%d" in kind.format else ("01 " + texts, f"%d {kind.format}")
    return not cells.str.strptime(timed, format, strict=False).null_count()


def _find_order(parts: pl.DataFrame, times: pl.Series, notation: Notation) -> tuple[str, str, Votes]:
    """Whether the day or the month comes first in dates of two small numbers, and what is open."""
    first_numbers, second_numbers = (parts[name].cast(pl.Int64) for name in ("c0", "c1"))
    days, months = int(times.filter(first_numbers > 12).sum()), int(times.filter(second_numbers > 12).sum())
    votes = Votes(dates={ORDERS[0]: days, ORDERS[1]: months})
    tolerance = FEW * int(times.sum())
    if days and months and min(days, months) > tolerance:
        return "dmy", "some of its dates have the day first, others the month; write them all alike", votes
    if days or months:
        return "dmy" if days > months else "mdy", "", votes
    if notation.dates is not None:
        return "dmy" if notation.dates == ORDERS[0] else "mdy", "", votes
    if (first_numbers == second_numbers).all():
        return "dmy", "", votes
    return (
        "dmy",
        'day and month cannot be told apart in its dates; say dates = "day first" or "month first" in [data]',
        votes,
    )


def _format_iso(parts: pl.DataFrame, order: str) -> pl.Series:
    """The dates in the writing of ISO 8601, null where there is no such day; quarters as 2020-Q3, weeks as 2020-W05."""
    column = {letter: parts[f"c{index}"] for index, letter in enumerate(order)}
    year = column["y"]
    year = replace_at(
        year, year.str.len_chars() == 2, "20" + year
    )  # until the century is known; 2000 has every day
    if "d" not in column:  # codes and fractions look like months and quarters of other ages
        year = replace_at(year, ~year.cast(pl.Int64, strict=False).is_between(*_YEARS).fill_null(False), None)
    if "q" in column:
        return year + "-Q" + column["q"]
    if "w" in column:
        week = column["w"].str.zfill(2)
        return replace_at((year + "-W" + week), ~week.cast(pl.Int64).is_between(1, 53).fill_null(False), None)
    if order == "y":
        return year
    if "M" in column:
        words = {word: _month_of(word) for word in column["M"].drop_nulls().unique()}
        number_of_word = {word: f"{number:02}" for word, number in words.items() if number is not None}
        month = column["M"].replace_strict(
            [*number_of_word, ""], [*number_of_word.values(), ""], default=None, return_dtype=pl.String
        )
    else:
        month = column["m"].str.zfill(2)
    if "d" not in column:
        return replace_at(
            (year + "-" + month), ~month.cast(pl.Int64).is_between(1, 12).fill_null(False), None
        )
    day = year + "-" + month + "-" + column["d"].str.zfill(2)
    real = day.str.to_date("%Y-%m-%d", strict=False)
    day = replace_at(day, real.is_null(), None)
    clock, day_half = parts["c3"], parts["c4"].str.to_lowercase().str.slice(0, 1)
    if not clock.is_not_null().any():
        return day
    hour = clock.str.extract(r"^([0-9]{1,2})").cast(pl.Int64)
    hour = replace_at(
        replace_at(hour, (day_half == "p") & (hour < 12), hour + 12), (day_half == "a") & (hour == 12), 0
    )
    digits = clock.str.replace_all(":", "")
    minutes = replace_at(digits.str.slice(-2), digits.str.len_chars() > 4, digits.str.slice(-4, 2))
    seconds = replace_at(
        pl.Series(["00"]).new_from_index(0, len(digits)), digits.str.len_chars() > 4, digits.str.slice(-2)
    )
    valid = (hour < 24) & (minutes.cast(pl.Int64) < 60) & (seconds.cast(pl.Int64) < 60)
    stamp = "T" + hour.cast(pl.String).str.zfill(2) + ":" + minutes + ":" + seconds
    moment = day + stamp
    return replace_at(
        replace_at(day, clock.is_not_null(), moment), clock.is_not_null() & ~valid.fill_null(False), None
    )


_PRECISION = {
    "month": "month", "compact month": "month", "month last": "month", "month word": "month",
    "quarter": "quarter", "quarter first": "quarter", "quarter word": "quarter",
    "week": "week", "week first": "week", "year": "year",
}  # fmt: skip


def _unify_precision(made: pl.Series, form: pl.Series, times: pl.Series) -> tuple[pl.Series, pl.Series, str]:
    """Days, months, quarters, weeks or years alone: a few others cannot be read, and of many somebody decides."""
    kinds = form.replace_strict(list(_PRECISION), list(_PRECISION.values()), default="day")
    tally = {kind: int(times.filter((kinds == kind) & made.is_not_null()).sum()) for kind in kinds.unique()}
    main_kind = max(tally, key=tally.__getitem__)
    total = sum(tally.values())
    if tally[main_kind] == total:
        return made, form, ""
    if tally[main_kind] < (1 - FEW) * total:
        return made, form, "some of its dates include the day and others do not; write them all alike"
    return replace_at(made, kinds != main_kind, None), form, ""


PLAIN = Notation()
"""A decimal point, and nothing else that is known."""
_PLAIN = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?$"
_WHOLE = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]"  # a code
_BLANKS = "[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]"
_BEFORE = alternation_pattern(chain.from_iterable(END_BEFORE.values()))
_ENDED = rf"(?i)^(?:({_BEFORE})\s*)?([^0-9\s]{{0,4}}\s?[0-9].*?)(?:\s*({alternation_pattern(END_BEHIND)}))?$"
_BETTER, _WORSE = r"^[1-6]\+$", r"^[1-6]-$"  # marks at school: 2+ is no end, and 2- not below zero
_CODE = r"^(?:[A-Za-z]{1,3}[0-9]|[0-9]+[A-Za-z])[A-Za-z0-9.]*$"


def read_writing(cells: pl.Series, notation: Notation = PLAIN) -> CellNotation:
    """What the cells of a column of texts are; missing ones are null.

    >>> read_writing(pl.Series(["$1,200.50", "$7", "(12)", "3k"])).cells.to_list()
    ['1200.50', '7', '-12', '3000']
    >>> read_writing(pl.Series(["31.12.1999", "Jan 5, 2001", "2002-02-03"])).cells.to_list()
    ['1999-12-31', '2001-01-05', '2002-02-03']
    >>> read_writing(pl.Series(["01/02/1999", "03/04/2001"])).doubt
    'day and month cannot be told apart in its dates; say dates = "day first" or "month first" in [data]'
    """
    counts = cells.rename("cell").drop_nulls().value_counts(name="times")
    raw = counts["cell"]
    notation_of_values = read_values(raw, counts["times"], notation)
    if notation_of_values.cells is None:
        return notation_of_values
    mapped = cells.replace_strict(raw, notation_of_values.cells, default=None, return_dtype=pl.String)
    return replace(notation_of_values, cells=mapped)


def read_values(raw: pl.Series, times: pl.Series, notation: Notation = PLAIN) -> CellNotation:
    """The same for the different cells of a column, none of them null; `times` says how often each stands there."""
    pointed = notation.decimal == "." and notation.thousands != "."
    number = _PLAIN if pointed else _WHOLE  # whichever sign decimals have, whole numbers have none
    if not len(raw) or (raw.str.contains(number).all() and not _are_months(raw)):
        codes = raw.str.contains(_PADDED).any() if len(raw) else False
        return CellNotation("number" if len(raw) and not codes else "")
    if not raw.str.contains(r"\d").any():
        return CellNotation()  # neither an amount nor a date
    texts = (
        raw.str.replace_all(_BLANKS, " ")
        .str.strip_chars()
        .str.replace_all("−", "-")
        .str.replace_all("’", "'")
    )
    blank = texts == ""
    total = int(times.filter(~blank).sum())
    if not total or (texts.str.contains(_BETTER).any() and texts.str.contains(_WORSE).any()):
        return CellNotation()
    readings = [way(texts, times, notation) for way in (read_moments, read_amounts)]
    best = max(readings, key=lambda one: _count_readable(one, times))
    best, is_open_end = _read_open_ends(best, texts, times, notation)
    share = _count_readable(best, times) / total
    if best.cells is None or share < SOME:
        return CellNotation(votes=best.votes)
    unread_count = total - _count_readable(best, times)
    if best.doubt:
        return CellNotation(doubt=best.doubt, votes=best.votes)
    plain = texts.filter(best.cells.is_not_null() & ~is_open_end).str.contains(_PLAIN).all()
    unread_texts = texts.filter(best.cells.is_null() & ~blank)
    if (
        plain
        and unread_count
        and (unread_texts.str.contains(_CODE).any() or raw.len() - unread_texts.len() <= LEAST)
    ):
        return CellNotation()  # codes, or a list to choose from
    if share < 1 - FEW:
        noun = "dates" if best.kind == "date" else "numbers"
        doubt = f"{unread_count:,} of {total:,} cells cannot be read as {noun}; correct them, or name them in missing"
        return CellNotation(doubt=doubt, votes=best.votes)
    new_cells = best.cells
    ended = int(times.filter(is_open_end).sum())
    if not unread_count and not blank.any() and (new_cells == raw).all():
        return replace(best, cells=None, ended=ended)
    return replace(best, cells=new_cells, unreadable=unread_count, ended=ended)


def _read_open_ends(
    read: CellNotation, texts: pl.Series, times: pl.Series, notation: Notation
) -> tuple[CellNotation, pl.Series]:
    """What was read, with cells such as <20, 95+ or 90 and over, their number in one writing; which they are.

    Beside few different numbers they are groups of a list to choose from, and stay as they are.
    """
    none = pl.Series([False]).new_from_index(0, len(texts))
    if read.kind == "date" or read.cells is None or read.cells.is_not_null().sum() <= LEAST:
        return read, none
    parts = texts.str.extract_groups(_ENDED).struct.unnest()
    parts.columns = ["before", "number", "behind"]
    ended = (
        read.cells.is_null()
        & parts["number"].is_not_null()
        & (parts["before"].is_null() != parts["behind"].is_null())
    )
    if not ended.any():
        return read, none
    reading = read_amounts(replace_at(texts, ended, parts["number"].str.strip_chars()), times, notation)
    if reading.cells is None:
        return read, none
    ended = ended & reading.cells.is_not_null()
    signed = r"(^\W+) | (\W+$)"  # >=95, so that it is no label of a group, which is written >= 95
    labels = parts.with_columns(number=reading.cells).select(
        pl.concat_str(pl.all(), separator=" ", ignore_nulls=True).str.replace(signed, "$1$2")
    )
    return replace(reading, cells=replace_at(reading.cells, ended, labels.to_series())), ended


def _are_months(raw: pl.Series) -> bool:
    """Whether whole numbers are months such as 202004: so many have no 13 at their end by chance."""
    first_values = raw.head(LEAST).str.contains(_MONTHS)  # most columns are told by a few
    return len(first_values) == LEAST and bool(first_values.all()) and bool(raw.str.contains(_MONTHS).all())


def _count_readable(one: CellNotation, times: pl.Series) -> int:
    """How many cells were read; in doubt those that could be."""
    return 0 if one.cells is None else int(times.filter(one.cells.is_not_null()).sum())
