"""How people write numbers, amounts and dates: one reader of a column of texts.

`read_writing` tells what the cells of a column are, gives each in one writing (1234.5, 2020-03-05), counts those that
cannot be read, and says what only the owner can decide. All of it is worked out on the different cells. A column that
is written in one plain way stays as it is. What can be read in two ways is never guessed: `Notation` answers it.
"""

from dataclasses import replace

import polars as pl

from shoal.io.read.amounts import read_amounts
from shoal.io.read.moments import MONTHS, read_moments
from shoal.io.read.notation import FEW, LEAST, SOME, Notation, Writing

__all__ = ["PLAIN", "read_values", "read_writing"]

PLAIN = Notation()
"""A decimal point, and nothing else that is known."""
_PLAIN = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?$"
_WHOLE = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]"  # a code
_BLANKS = "[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]"
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
    if not total:
        return Writing()
    found = [way(texts, times, notation) for way in (read_moments, read_amounts)]
    best = max(found, key=lambda one: _read_times(one, times))
    share = _read_times(best, times) / total
    if best.cells is None or share < SOME:
        return Writing(votes=best.votes)
    lost = total - _read_times(best, times)
    if best.doubt:
        return Writing(doubt=best.doubt, votes=best.votes)
    plain = texts.filter(best.cells.is_not_null()).str.contains(_PLAIN).all()
    strange = texts.filter(best.cells.is_null() & ~blank)
    if plain and lost and (strange.str.contains(_CODE).any() or raw.len() - strange.len() <= LEAST):
        return Writing()  # codes, or a list to choose from
    if share < 1 - FEW:
        what = "dates" if best.kind == "date" else "numbers"
        doubt = f"{lost:,} of {total:,} cells cannot be read as {what}; correct them, or name them in missing"
        return Writing(doubt=doubt, votes=best.votes)
    made = best.cells
    if not lost and not blank.any() and (made == raw).all():
        return replace(best, cells=None)
    return replace(best, cells=made, unreadable=lost)


def _are_months(raw: pl.Series) -> bool:
    """Whether whole numbers are months such as 202004: so many have no 13 at their end by chance."""
    first = raw.head(LEAST).str.contains(MONTHS)  # most columns are told by a few
    return len(first) == LEAST and bool(first.all()) and bool(raw.str.contains(MONTHS).all())


def _read_times(one: Writing, times: pl.Series) -> int:
    """How many cells were read; in doubt those that could be."""
    return 0 if one.cells is None else int(times.filter(one.cells.is_not_null()).sum())
