"""Dates as people write them: days, with a time of day or without, months, quarters, weeks."""

from functools import cache

import polars as pl

from shoal.hierarchy.suggest import kind_of
from shoal.io.read.notation import FEW, ORDERS, Notation, Votes, Writing, put
from shoal.resources import resource_table

__all__ = ["MONTHS", "read_moments"]

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
_PADDED = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$"
)
_SHORT = r"^[0-9]{1,2}[^0-9]+(?:[0-9]{1,2}|[^\W\d_]+\.?)[^0-9]+[0-9]{2}(?:[ ,T]|$)"  # a year of two digits
_MIDNIGHT = "T00:00:00"
_SAMPLE = 200  # dates that show whether one format reads all
_YEARS = 1500, 2199
_TWO_DIGITS = 30  # a year of two digits up to this is of this century


@cache
def _month_names() -> dict[str, int]:
    table: dict[str, list[str]] = resource_table("shoal.io.read", "writings.toml")["months"]
    return {name: int(number) for number, names in table.items() for name in names}


def _month_of(word: str) -> int | None:
    """The month that a word begins like."""
    bare = word.lower()
    found = {bare[:size] for size in (4, 3)} & _month_names().keys()
    return _month_names()[max(found, key=len)] if found else None


def read_moments(texts: pl.Series, times: pl.Series, notation: Notation) -> Writing:
    """Dates as ISO 8601 writes them, as far as the different `texts` are dates."""
    if not texts.str.contains(r"^[0-9]{4}|[0-9]{2}$|[0-9]{2}[: ]|日$").any():
        return Writing()
    made = pl.Series([None] * len(texts), dtype=pl.String)
    form = pl.Series(["" for _ in range(len(texts))], dtype=pl.String)
    doubt, votes = "", Votes()
    short = False
    for name, (regex, order) in _FORMS.items():
        parts = texts.str.extract_groups(regex).struct.unnest()
        parts.columns = [f"c{place}" for place in range(parts.width)]
        here = parts["c0"].is_not_null() & made.is_null()
        if not here.any():
            continue
        if order == "?":
            order, doubt, votes = _order(parts.filter(here), times.filter(here), notation)
        iso = _iso(parts, order)
        fresh = here & iso.is_not_null()
        short = short or bool((fresh & texts.str.contains(_SHORT)).any())
        made = put(made, fresh, iso)
        form = put(form, fresh, name)
    if not (made.str.contains("T", literal=True) & ~made.str.ends_with(_MIDNIGHT)).any():
        made = made.str.strip_suffix(
            _MIDNIGHT
        )  # a spreadsheet's way to write a day, beside days written as text
    made, form, mixed = _one_precision(made, form, times)
    used = set(form.filter(made.is_not_null()).unique())
    if used == {"year"}:
        return Writing()  # a number, as any other of four digits
    clear = "pairs" not in used or any(votes.dates.values())  # else the notation answers
    if len(used) == 1 and clear and not short and not doubt and _stays(texts.filter(made.is_not_null())):
        made = put(texts, made.is_null(), None)
    return Writing("date", made, "", 0, doubt or mixed, votes)


def _stays(texts: pl.Series) -> bool:
    """Whether one format reads all of the dates, so that they stay as they are written."""
    kind = kind_of(texts.gather_every(max(1, len(texts) // _SAMPLE)).to_list())
    if kind.name != "date":
        return False
    if kind.format is None:
        return bool(texts.str.contains(_PADDED).all())
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
    recent = year.cast(pl.Int64, strict=False).fill_null(0) <= _TWO_DIGITS
    century = pl.Series(["19", "20"]).gather(recent.cast(pl.UInt32))
    year = put(year, year.str.len_chars() == 2, century + year)
    if "d" not in column:  # codes and fractions look like months and quarters of other ages
        year = put(year, ~year.cast(pl.Int64, strict=False).is_between(*_YEARS).fill_null(False), None)
    if "q" in column:
        return year + "-Q" + column["q"]
    if "w" in column:
        week = column["w"].str.zfill(2)
        return put((year + "-W" + week), ~week.cast(pl.Int64).is_between(1, 53).fill_null(False), None)
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
        return put((year + "-" + month), ~month.cast(pl.Int64).is_between(1, 12).fill_null(False), None)
    day = year + "-" + month + "-" + column["d"].str.zfill(2)
    real = day.str.to_date("%Y-%m-%d", strict=False)
    day = put(day, real.is_null(), None)
    clock, half = parts["c3"], parts["c4"].str.to_lowercase().str.slice(0, 1)
    if not clock.is_not_null().any():
        return day
    hour = clock.str.extract(r"^([0-9]{1,2})").cast(pl.Int64)
    hour = put(put(hour, (half == "p") & (hour < 12), hour + 12), (half == "a") & (hour == 12), 0)
    digits = clock.str.replace_all(":", "")
    minutes = put(digits.str.slice(-2), digits.str.len_chars() > 4, digits.str.slice(-4, 2))
    seconds = put(
        pl.Series(["00"]).new_from_index(0, len(digits)), digits.str.len_chars() > 4, digits.str.slice(-2)
    )
    valid = (hour < 24) & (minutes.cast(pl.Int64) < 60) & (seconds.cast(pl.Int64) < 60)
    stamp = "T" + hour.cast(pl.String).str.zfill(2) + ":" + minutes + ":" + seconds
    moment = day + stamp
    return put(put(day, clock.is_not_null(), moment), clock.is_not_null() & ~valid.fill_null(False), None)


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
    return put(made, kinds != most, None), form, ""
