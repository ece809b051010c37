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
from shoal.hierarchy.column_values import CENTURY_OPEN, END_BEFORE, END_BEHIND, any_of, first_of_hundred
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
MONTHS = r"^((?:19|20)[0-9]{2})(0[1-9]|1[0-2])$"
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
    "compact month": (MONTHS, "ym"),
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
    found = {bare[:size] for size in (4, 3)} & _month_names().keys()
    return _month_names()[max(found, key=len)] if found else None


def read_moments(texts: pl.Series, times: pl.Series, notation: Notation) -> CellNotation:
    """Dates as ISO 8601 writes them, as far as the different `texts` are dates."""
    if not texts.str.contains(r"^[0-9]{4}|[0-9]{2}$|[0-9]{2}[: ]|日$").any():
        return CellNotation()
    made = pl.Series([None] * len(texts), dtype=pl.String)
    form = pl.Series(["" for _ in range(len(texts))], dtype=pl.String)
    doubt, votes = "", Votes()
    short = pl.Series([False], dtype=pl.Boolean).new_from_index(0, len(texts))
    shows = [pl.first().str.contains(regex).any().alias(name) for name, (regex, _) in _FORMS.items()]
    there = texts.to_frame().select(shows)  # all at once: hardly a column has dates of more than one form
    for name, (regex, order) in _FORMS.items():
        if not there[name][0]:
            continue
        parts = texts.str.extract_groups(regex).struct.unnest()
        parts.columns = [f"c{place}" for place in range(parts.width)]
        here = parts["c0"].is_not_null() & made.is_null()
        if not here.any():
            continue
        if order == "?":
            order, doubt, votes = _order(parts.filter(here), times.filter(here), notation)
        iso = _iso(parts, order)
        fresh = here & iso.is_not_null()
        short |= fresh & (parts[f"c{order.index('y')}"].str.len_chars() == 2)
        made = replace_at(made, fresh, iso)
        form = replace_at(form, fresh, name)
    if not (made.str.contains("T", literal=True) & ~made.str.ends_with(_MIDNIGHT)).any():
        made = made.str.strip_suffix(
            _MIDNIGHT
        )  # a spreadsheet's way to write a day, beside days written as text
    made, open_ = _with_centuries(made, short)
    doubt = doubt or open_
    made, form, mixed = _one_precision(made, form, times)
    used = set(form.filter(made.is_not_null()).unique())
    if used == {"year"}:
        return CellNotation()  # a number, as any other of four digits
    clear = "pairs" not in used or any(votes.dates.values())  # else the notation answers
    if (
        len(used) == 1
        and clear
        and not short.any()
        and not doubt
        and _stays(texts.filter(made.is_not_null()))
    ):
        made = replace_at(texts, made.is_null(), None)
    return CellNotation("date", made, "", 0, doubt or mixed, votes)


def _with_centuries(made: pl.Series, short: pl.Series) -> tuple[pl.Series, str]:
    """Dates whose years had two digits with the century that the other dates of the column tell, and what is open."""
    if not short.any():
        return made, ""
    year = made.str.slice(0, 4).cast(pl.Int64, strict=False)
    known = year.filter(~short & made.is_not_null()).drop_nulls().to_list()
    first = first_of_hundred((year.filter(short).drop_nulls() % 100).to_list(), known)
    if first is None:
        return made, CENTURY_OPEN
    settled = (first + (year - first) % 100).cast(pl.String) + made.str.slice(4)
    real = settled.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return replace_at(replace_at(made, short, settled), short & real.is_null(), None), ""


def _stays(texts: pl.Series) -> bool:
    """Whether one format reads all of the dates, so that they stay as they are written."""
    kind = kind_of(texts.gather_every(max(1, len(texts) // _SAMPLE)).to_list())
    if kind.name != "date":
        return False
    if kind.format is None:
        return bool(texts.str.contains(_PADDED_MOMENT).all())
    timed = pl.Datetime() if "%H" in kind.format else pl.Date()
    cells, format = (texts, kind.format) if "%d" in kind.format else ("01 " + texts, f"%d {kind.format}")
    return not cells.str.strptime(timed, format, strict=False).null_count()


def _order(parts: pl.DataFrame, times: pl.Series, notation: Notation) -> tuple[str, str, Votes]:
    """Whether the day or the month comes first in dates of two small numbers, and what is open."""
    first, second = (parts[name].cast(pl.Int64) for name in ("c0", "c1"))
    days, months = int(times.filter(first > 12).sum()), int(times.filter(second > 12).sum())
    votes = Votes(dates={ORDERS[0]: days, ORDERS[1]: months})
    few = FEW * int(times.sum())
    if days and months and min(days, months) > few:
        return "dmy", "some of its dates have the day first, others the month; write them all alike", votes
    if days or months:
        return "dmy" if days > months else "mdy", "", votes
    if notation.dates is not None:
        return "dmy" if notation.dates == ORDERS[0] else "mdy", "", votes
    if (first == second).all():
        return "dmy", "", votes
    return (
        "dmy",
        'day and month cannot be told apart in its dates; say dates = "day first" or "month first" in [data]',
        votes,
    )


def _iso(parts: pl.DataFrame, order: str) -> pl.Series:
    """The dates in the writing of ISO 8601, null where there is no such day; quarters as 2020-Q3, weeks as 2020-W05."""
    column = {letter: parts[f"c{place}"] for place, letter in enumerate(order)}
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
        named = {word: f"{number:02}" for word, number in words.items() if number is not None}
        month = column["M"].replace_strict(
            [*named, ""], [*named.values(), ""], default=None, return_dtype=pl.String
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
    clock, half = parts["c3"], parts["c4"].str.to_lowercase().str.slice(0, 1)
    if not clock.is_not_null().any():
        return day
    hour = clock.str.extract(r"^([0-9]{1,2})").cast(pl.Int64)
    hour = replace_at(
        replace_at(hour, (half == "p") & (hour < 12), hour + 12), (half == "a") & (hour == 12), 0
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


def _one_precision(made: pl.Series, form: pl.Series, times: pl.Series) -> tuple[pl.Series, pl.Series, str]:
    """Days, months, quarters, weeks or years alone: a few others cannot be read, and of many somebody decides."""
    kinds = form.replace_strict(list(_PRECISION), list(_PRECISION.values()), default="day")
    tally = {kind: int(times.filter((kinds == kind) & made.is_not_null()).sum()) for kind in kinds.unique()}
    most = max(tally, key=tally.__getitem__)
    total = sum(tally.values())
    if tally[most] == total:
        return made, form, ""
    if tally[most] < (1 - FEW) * total:
        return made, form, "some of its dates include the day and others do not; write them all alike"
    return replace_at(made, kinds != most, None), form, ""


PLAIN = Notation()
"""A decimal point, and nothing else that is known."""
_PLAIN = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?$"
_WHOLE = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]"  # a code
_BLANKS = "[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]"
_BEFORE = any_of(chain.from_iterable(END_BEFORE.values()))
_ENDED = rf"(?i)^(?:({_BEFORE})\s*)?([^0-9\s]{{0,4}}\s?[0-9].*?)(?:\s*({any_of(END_BEHIND)}))?$"
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
    found = read_values(raw, counts["times"], notation)
    if found.cells is None:
        return found
    mapped = cells.replace_strict(raw, found.cells, default=None, return_dtype=pl.String)
    return replace(found, cells=mapped)


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
    found = [way(texts, times, notation) for way in (read_moments, read_amounts)]
    best = max(found, key=lambda one: _read_times(one, times))
    best, open_ = _with_ends(best, texts, times, notation)
    share = _read_times(best, times) / total
    if best.cells is None or share < SOME:
        return CellNotation(votes=best.votes)
    lost = total - _read_times(best, times)
    if best.doubt:
        return CellNotation(doubt=best.doubt, votes=best.votes)
    plain = texts.filter(best.cells.is_not_null() & ~open_).str.contains(_PLAIN).all()
    strange = texts.filter(best.cells.is_null() & ~blank)
    if plain and lost and (strange.str.contains(_CODE).any() or raw.len() - strange.len() <= LEAST):
        return CellNotation()  # codes, or a list to choose from
    if share < 1 - FEW:
        what = "dates" if best.kind == "date" else "numbers"
        doubt = f"{lost:,} of {total:,} cells cannot be read as {what}; correct them, or name them in missing"
        return CellNotation(doubt=doubt, votes=best.votes)
    made = best.cells
    ended = int(times.filter(open_).sum())
    if not lost and not blank.any() and (made == raw).all():
        return replace(best, cells=None, ended=ended)
    return replace(best, cells=made, unreadable=lost, ended=ended)


def _with_ends(
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
    again = read_amounts(replace_at(texts, ended, parts["number"].str.strip_chars()), times, notation)
    if again.cells is None:
        return read, none
    ended = ended & again.cells.is_not_null()
    signed = r"(^\W+) | (\W+$)"  # >=95, so that it is no label of a group, which is written >= 95
    whole = parts.with_columns(number=again.cells).select(
        pl.concat_str(pl.all(), separator=" ", ignore_nulls=True).str.replace(signed, "$1$2")
    )
    return replace(again, cells=replace_at(again.cells, ended, whole.to_series())), ended


def _are_months(raw: pl.Series) -> bool:
    """Whether whole numbers are months such as 202004: so many have no 13 at their end by chance."""
    first = raw.head(LEAST).str.contains(MONTHS)  # most columns are told by a few
    return len(first) == LEAST and bool(first.all()) and bool(raw.str.contains(MONTHS).all())


def _read_times(one: CellNotation, times: pl.Series) -> int:
    """How many cells were read; in doubt those that could be."""
    return 0 if one.cells is None else int(times.filter(one.cells.is_not_null()).sum())
