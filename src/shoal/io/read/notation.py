"""How writings that can be read in two ways are meant, what the cells of a column show of it, and what they are."""

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from shoal.discreet import Discreet

__all__ = ["FEW", "LEAST", "ORDERS", "SOME", "THOUSANDS", "CellNotation", "Notation", "Votes", "put"]

THOUSANDS = (",", ".", " ", "'")
"""What may stand between groups of three digits; any blank is a blank."""
ORDERS = ("day first", "month first")
"""Which of two numbers of a date is the day."""
FEW = 0.05
"""Of the cells may be unreadable, and become missing; of more somebody has to decide."""
SOME = 0.5
"""Of the cells are of a kind: then the rest is worth a question."""
LEAST = 8
"""Different values; of fewer, words beside numbers are a list to choose from."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How the writings of a file that can be read in two ways are meant.

    decimal   : the sign before decimals
    thousands : the sign between groups of three digits; None where nobody says it
    dates     : "day first" or "month first"; None where nobody says it
    """

    decimal: str = "."
    thousands: str | None = None
    dates: str | None = None


@dataclass(frozen=True, slots=True)
class Votes:
    """What the cells that can be read in one way only show: in how many different ones each sign is what."""

    decimal: dict[str, int] = field(default_factory=dict)
    thousands: dict[str, int] = field(default_factory=dict)
    dates: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class CellNotation(Discreet):
    """What the cells of a column are.

    kind       : number, money, share, quantity (a number with a unit), span (an age, or another time), date; empty
                 where they are something else, or nobody can tell
    cells      : each cell in one writing, null where it is missing or cannot be read; None where they stay as they are
    unit       : the unit or money of the numbers; empty where there is none
    unreadable : how many cells cannot be read, and are missing
    ended      : how many cells say only above or below which number they lie, and count as the nearest that fits
    doubt      : what somebody has to decide before the cells can be read; empty where nothing is open
    votes      : what the cells show of the notation
    """

    kind: Literal["", "number", "money", "share", "quantity", "span", "date"] = ""
    cells: pl.Series | None = None
    unit: str = ""
    unreadable: int = 0
    doubt: str = ""
    votes: Votes = field(default_factory=Votes)
    ended: int = 0


def put(old: pl.Series, where: pl.Series, new: pl.Series | str | int | None) -> pl.Series:
    """The series with other cells in some places."""
    other = (
        new if isinstance(new, pl.Series) else pl.Series([new], dtype=old.dtype).new_from_index(0, len(old))
    )
    return other.zip_with(where.fill_null(False), old)
