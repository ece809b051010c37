"""How people write numbers, amounts and dates: one reader of a column of texts.

`read_writing` tells what the cells of a column are, gives each in one writing (1234.5, 2020-03-05), counts those that
cannot be read, and says what only the owner can decide. All of it is worked out on the different cells. A column that
is written in one plain way stays as it is. What can be read in two ways is never guessed: `Notation` answers it.
"""

import re
from dataclasses import replace
from itertools import chain

import polars as pl

from shoal.hierarchy.column_values import END_BEFORE, END_BEHIND
from shoal.io.read.amounts import read_amounts
from shoal.io.read.moments import MONTHS, read_moments
from shoal.io.read.notation import FEW, LEAST, SOME, Notation, Writing, put

__all__ = ["PLAIN", "read_values", "read_writing"]

PLAIN = Notation()
"""A decimal point, and nothing else that is known."""
_PLAIN = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?$"
_WHOLE = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]"  # a code
_BLANKS = "[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]"
_BEFORE, _BEHIND = (
    "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    for words in (chain.from_iterable(END_BEFORE.values()), END_BEHIND)
)
_ENDED = rf"(?i)^(?:({_BEFORE})\s*)?([^0-9\s]{{0,4}}\s?[0-9].*?)(?:\s*({_BEHIND}))?$"
_BETTER, _WORSE = r"^[1-6]\+$", r"^[1-6]-$"  # marks at school: 2+ is no end, and 2- not below zero
_CODE = r"^(?:[A-Za-z]{1,3}[0-9]|[0-9]+[A-Za-z])[A-Za-z0-9.]*$"


def read_writing(cells: pl.Series, notation: Notation = PLAIN) -> Writing:
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


def read_values(raw: pl.Series, times: pl.Series, notation: Notation = PLAIN) -> Writing:
    """The same for the different cells of a column, none of them null; `times` says how often each stands there."""
    pointed = notation.decimal == "." and notation.thousands != "."
    number = _PLAIN if pointed else _WHOLE  # whichever sign decimals have, whole numbers have none
    if not len(raw) or (raw.str.contains(number).all() and not _are_months(raw)):
        codes = raw.str.contains(_PADDED).any() if len(raw) else False
        return Writing("number" if len(raw) and not codes else "")
    texts = (
        raw.str.replace_all(_BLANKS, " ")
        .str.strip_chars()
        .str.replace_all("−", "-")
        .str.replace_all("’", "'")
    )
    blank = texts == ""
    total = int(times.filter(~blank).sum())
    if not total or (texts.str.contains(_BETTER).any() and texts.str.contains(_WORSE).any()):
        return Writing()
    found = [way(texts, times, notation) for way in (read_moments, read_amounts)]
    best = max(found, key=lambda one: _read_times(one, times))
    best, open_ = _with_ends(best, texts, times, notation)
    share = _read_times(best, times) / total
    if best.cells is None or share < SOME:
        return Writing(votes=best.votes)
    lost = total - _read_times(best, times)
    if best.doubt:
        return Writing(doubt=best.doubt, votes=best.votes)
    plain = texts.filter(best.cells.is_not_null() & ~open_).str.contains(_PLAIN).all()
    strange = texts.filter(best.cells.is_null() & ~blank)
    if plain and lost and (strange.str.contains(_CODE).any() or raw.len() - strange.len() <= LEAST):
        return Writing()  # codes, or a list to choose from
    if share < 1 - FEW:
        what = "dates" if best.kind == "date" else "numbers"
        doubt = f"{lost:,} of {total:,} cells cannot be read as {what}; correct them, or name them in missing"
        return Writing(doubt=doubt, votes=best.votes)
    made = best.cells
    ended = int(times.filter(open_).sum())
    if not lost and not blank.any() and (made == raw).all():
        return replace(best, cells=None, ended=ended)
    return replace(best, cells=made, unreadable=lost, ended=ended)


def _with_ends(
    read: Writing, texts: pl.Series, times: pl.Series, notation: Notation
) -> tuple[Writing, pl.Series]:
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
    again = read_amounts(put(texts, ended, parts["number"].str.strip_chars()), times, notation)
    if again.cells is None:
        return read, none
    ended = ended & again.cells.is_not_null()
    signed = r"(^\W+) | (\W+$)"  # >=95, so that it is no label of a group, which is written >= 95
    whole = parts.with_columns(number=again.cells).select(
        pl.concat_str(pl.all(), separator=" ", ignore_nulls=True).str.replace(signed, "$1$2")
    )
    return replace(again, cells=put(again.cells, ended, whole.to_series())), ended


def _are_months(raw: pl.Series) -> bool:
    """Whether whole numbers are months such as 202004: so many have no 13 at their end by chance."""
    first = raw.head(LEAST).str.contains(MONTHS)  # most columns are told by a few
    return len(first) == LEAST and bool(first.all()) and bool(raw.str.contains(MONTHS).all())


def _read_times(one: Writing, times: pl.Series) -> int:
    """How many cells were read; in doubt those that could be."""
    return 0 if one.cells is None else int(times.filter(one.cells.is_not_null()).sum())
