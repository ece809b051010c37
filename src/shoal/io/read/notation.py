"""How writings that can be read in two ways are meant, what the cells of a column show of it, and what they are.

Numbers as people write them: thousands, decimals, money, units, times of an hour or an age.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from typing import Literal, NamedTuple

import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.naming import resource_table

__all__ = [
    "FEW",
    "LEAST",
    "ORDERS",
    "SOME",
    "THOUSANDS",
    "CellNotation",
    "Notation",
    "Votes",
    "is_unit",
    "read_amounts",
    "replace_at",
]


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
class CellNotation(SafeRepr):
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


def replace_at(old: pl.Series, where: pl.Series, new: pl.Series | str | int | None) -> pl.Series:
    """The series with other cells in some places."""
    new_cells = (
        new if isinstance(new, pl.Series) else pl.Series([new], dtype=old.dtype).new_from_index(0, len(old))
    )
    return new_cells.zip_with(where.fill_null(False), old)


_CELL = (
    r"^(\()?([+-])?\s*([^\d\s+\-.,()'\"/:]{1,4}\.?)?\s*([+-])?\s*"  # ( sign money sign
    r"([0-9][0-9., ']*|[.,][0-9]+)([eE][+-]?[0-9]{1,2})?\s*"  # number exponent
    r"([^\d\s()+\-.,':][^\d()+\-:]{0,14})?(-)?(\))?$"  # unit minus )
)
_GROUPED = {
    sign: rf"^[0-9]{{1,3}}(?:{re.escape(sign)}[0-9]{{3}})+$|^[0-9]{{1,3}}(?:{re.escape(sign)}[0-9]{{3}})+[.,][0-9]*$"
    for sign in THOUSANDS
}
_NO_CENTS = r"([0-9])[.,]\s?[-–—]{1,2}(\s*[^\d\s]{0,4})$"  # 12,- is no number below zero
_STROKE = r"[.,]\s?[-–—]"
_INDIAN = r"^[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]*)?$"
_LONG = 7  # digits; so many in every cell, in groups, are the number of somebody
_ALIKE = 10  # times as much, at most, are typical numbers of one unit
_UNITS = 60  # different words behind numbers; more are no units
_SPAN = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*([^\W\d_]+|\"|')\.?,?\s*")
_ISO_SPAN = re.compile(r"P(?=.)(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?")
_ISO_DAYS, _ISO_HOURS = re.compile(r"(\d+)([YMWD])"), re.compile(r"(\d+)([HMS])")
_BARE = re.compile(r"\d\d?")
_SMALLER = {"h": "min", "m": "cm", "ft": "in", "'": "in", "st": "lb", "lb": "oz"}
"""The unit of a number without one that stands behind another: 1h30, 1m72, 5'10."""
_ISO_UNITS = {"Y": "y", "W": "wk", "D": "d", "H": "h", "S": "s"}
_ASKED = (
    "a {name} before three digits may separate thousands or decimals; "
    'say thousands = "{sign}" or decimal = "{sign}" in [data]'
)
_CLOCK = r"^([0-9]{1,3}):([0-5][0-9])$"
_DAY, _SIXTY = "24", 60
_TRIED = 1_000  # cells that may be of several numbers; if none of them is, none is
_HOURS = re.compile(r"(\d+):([0-5]\d)(?::([0-5]\d))?")
_OF_DAY, _EITHER = "h", "h or min"
"""The units of times with one colon: hours of a day where all have two digits and some begin with 0; else either."""
Kind = Literal["number", "money", "share", "quantity", "span"]
_KINDS: dict[str, Kind] = {"money": "money", "share": "share", "time": "span"}
_CENT = Decimal("0.01")


class Unit(NamedTuple):
    """What a word beside a number measures, its name, and how often the first unit of its kind goes into it.

    `zero` is the number that is nought in the first unit of its kind: 32 of degrees Fahrenheit.
    """

    what: str
    name: str
    size: Decimal
    zero: Decimal = Decimal(0)


@cache
def _find_ambiguous_measures() -> frozenset[str]:
    """What is measured in several units: a number without one may be in any of them."""
    sizes: dict[str, set[Decimal]] = {}
    for unit in _load_units().values():
        sizes.setdefault(unit.what, set()).add(unit.size)
    measures = resource_table("shoal.io.read", "writings.toml")["units"]
    return frozenset({"share", *(measure for measure in measures if len(sizes[measure]) > 1)})


@cache
def _load_units() -> dict[str, Unit]:
    """For each word behind a number what it measures, in which unit, and how often the first unit goes into it."""
    table = resource_table("shoal.io.read", "writings.toml")
    unit_of_word = {word: Unit("money", sign, Decimal(1)) for word, sign in table["money"].items()}
    for measure, units in table["units"].items():
        zeros = table["zeros"]
        unit_of_word |= {
            word: Unit(measure, word, Decimal(str(size)), Decimal(str(zeros.get(word, 0))))
            for word, size in units.items()
        }
    multiples = {word: Decimal(size) for word, size in table["multiples"].items()}
    joined = {
        f"{word}{blank}{money}": Unit("money", sign, size)
        for word, size in multiples.items()
        for blank in ("", " ")
        for money, sign in table["money"].items()
    }
    bare = {word: Unit("", "", size) for word, size in multiples.items() if word not in unit_of_word}
    return joined | bare | unit_of_word


def _find_unit(word: str) -> Unit | None:
    """What a word behind a number says; capitals matter only where two units differ by them."""
    units = _load_units()
    bare = word.strip()
    return units.get(bare) or units.get(bare.lower()) or units.get(bare.rstrip("."))


def is_unit(text: str) -> bool:
    """Whether a text is a unit or money, or units with strokes between them.

    >>> is_unit("kg"), is_unit("mg/dl"), is_unit("EUR"), is_unit("Anna")
    (True, True, True, False)
    """
    return all(word.strip() and _find_unit(word) is not None for word in text.split("/"))


def read_amounts(texts: pl.Series, times: pl.Series, notation: Notation) -> CellNotation:
    """Numbers with points, as far as the different `texts` are numbers; `times` says in how many cells each stands."""
    if texts.str.contains(_STROKE).any():
        texts = texts.str.replace(_NO_CENTS, "$1$2")
    parts = texts.str.extract_groups(_CELL).struct.unnest()
    parts.columns = ["open", "sign", "money", "inner", "number", "exponent", "unit", "minus", "close"]
    parts = parts.with_columns(pl.col("number").str.strip_chars_end(" '"), times=times)
    numeric = parts.filter(pl.col("number").is_not_null())
    total = int(times.sum())
    if int(numeric["times"].sum()) < SOME * total:
        if int(times.filter(texts.str.contains(r"\d")).sum()) < (1 - FEW) * total:
            return CellNotation()
        if int(times.filter(texts.str.contains(_CLOCK)).sum()) > SOME * total:
            return _read_clock(texts)
    digits, doubt, votes = _normalize_digits(parts["number"], parts["money"].is_not_null().any(), notation)
    before = {word: _find_unit(word) for word in numeric["money"].drop_nulls().unique()}
    behind = {word: _find_unit(word) for word in numeric["unit"].drop_nulls().unique().head(_UNITS)}
    _adopt_common_word(behind, numeric)
    good_before = [
        word for word, word_unit in before.items() if word_unit is not None and word_unit[0] == "money"
    ]
    good_behind = [word for word, word_unit in behind.items() if word_unit is not None]
    brackets = parts["open"].is_null() == parts["close"].is_null()
    minus = (
        parts["sign"].fill_null("+") + parts["inner"].fill_null("+") + parts["minus"].fill_null("+")
    ).str.count_matches("-", literal=True) + parts["open"].is_not_null().cast(pl.UInt32)
    fits = (
        brackets
        & (minus <= 1)
        & (parts["money"].is_null() | parts["money"].is_in(good_before))
        & (parts["unit"].is_null() | parts["unit"].is_in(good_behind))
    )
    cells = replace_at(
        pl.Series([None] * len(texts), dtype=pl.String), fits, (digits + parts["exponent"].fill_null(""))
    )
    cells = replace_at(cells, (minus == 1) & cells.is_not_null(), "-" + cells)
    measured = _convert_units(texts, parts, cells, before, behind)
    cells, kind, unit, unit_doubt = measured
    numbers = cells.drop_nulls()
    if numbers.str.contains(r"^-?0[0-9]").any() or _are_names(parts, numeric):
        return CellNotation(votes=votes)  # codes
    short_cells = (
        cells.str.replace(r"(\.[0-9]*?)0+$", "$1").str.strip_suffix(".").str.replace(r"^(-?)\.", "${1}0.")
    )
    if short_cells.n_unique() < cells.n_unique():
        cells = short_cells  # the same number in two writings is one value
    return CellNotation(kind, cells, unit, 0, doubt or unit_doubt, votes)


def _read_clock(texts: pl.Series) -> CellNotation:
    """Times such as 11:38 as numbers of what stands before the colon, hours or minutes: their order is the same.

    >>> _read_clock(pl.Series(["08:15", "13:30"])).cells.to_list(), _read_clock(pl.Series(["9:30", "71:15"])).unit
    (['8.25', '13.5'], 'h or min')
    """
    parts = texts.str.extract_groups(_CLOCK).struct.unnest()
    parts.columns = ["first", "second"]
    first, second = parts["first"].cast(pl.Int64), parts["second"].cast(pl.Int64)
    present = parts["first"].drop_nulls()
    is_of_day = (
        (present.str.len_chars() == 2).all() and (present < _DAY).all() and present.str.starts_with("0").any()
    )
    numbers = (first + second / _SIXTY).round(4)
    return CellNotation(
        "span", numbers.cast(pl.String).str.strip_suffix(".0"), _OF_DAY if is_of_day else _EITHER
    )


def _adopt_common_word(behind: dict[str, Unit | None], known: pl.DataFrame) -> None:
    """Take a word that nearly all numbers have behind them for their unit, whatever it is."""
    for word, unit in behind.items():
        count = int(known.filter(pl.col("unit") == word)["times"].sum())
        if unit is None and count >= (1 - FEW) * int(known["times"].sum()) and known.height > LEAST:
            behind[word] = Unit("other", word.strip(), Decimal(1))


def _are_names(parts: pl.DataFrame, known: pl.DataFrame) -> bool:
    """Whether groups of digits are the numbers of somebody: all of one length, with nothing that amounts have."""
    bare = known.filter(
        pl.all_horizontal(pl.col("money", "unit", "open", "minus", "sign", "inner").is_null())
    )
    grouped = bare["number"].str.contains(r"^[0-9]+(?:[ '.][0-9]+)+$")
    lengths = bare["number"].str.count_matches("[0-9]")
    return bool(
        bare.height == known.height
        and bare.height > 2
        and grouped.all()
        and bare["number"].str.contains("[ ']|[.].*[.]").all()
        and not bare["number"].str.contains(r"^[0-9]{1,3}(?:'[0-9]{3})+\.[0-9]+$").all()
        and lengths.n_unique() == 1
        and int(lengths[0]) >= _LONG
    )


def _normalize_digits(numbers: pl.Series, money: bool, notation: Notation) -> tuple[pl.Series, str, Votes]:
    """Numbers with points and without thousands; what cannot be told; what the signs are elsewhere.

    One sign before three digits may part thousands or decimals: others in the column tell, then the notation. Money
    has no three decimals. A point before three digits is a decimal point unless something says otherwise.
    """
    if not numbers.str.contains(r"[., ']").any():  # whole numbers, or none, as in dates and codes
        return numbers, "", Votes(dict.fromkeys(".,", 0), dict.fromkeys(".,' ", 0))
    has_both_signs = numbers.str.contains(r"[0-9][., '].*[.,][0-9]*$")
    last_sign = numbers.str.extract(r"([.,])[0-9]*$")
    has_repeated_sign = numbers.str.contains(r"([.].*[.])|(,.*,)") & (numbers.str.count_matches("[.,]") > 1)
    has_one_sign = numbers.str.contains(r"^[0-9 ']*[.,][0-9]*$")
    is_ambiguous = has_one_sign & numbers.str.contains(r"^[1-9][0-9]{0,2}[.,][0-9]{3}$")
    grouped = {sign: numbers.str.contains(form) for sign, form in _GROUPED.items()}
    grouped[","] = grouped[","] | numbers.str.contains(_INDIAN)
    decimal, thousands = {}, {}
    for sign, other_sign in ((".", ","), (",", ".")):
        clear = has_one_sign & ~is_ambiguous & (last_sign == sign)
        mixed = (
            has_both_signs
            & (last_sign == sign)
            & (numbers.str.contains(other_sign, literal=True))
            & grouped[other_sign]
        )
        decimal[sign] = int((clear | mixed).sum())
        repeated = has_repeated_sign & grouped[sign] & ~numbers.str.contains(other_sign, literal=True)
        before = (
            has_both_signs
            & (last_sign == other_sign)
            & grouped[sign]
            & numbers.str.contains(sign, literal=True)
        )
        thousands[sign] = int((repeated | before).sum())
    for sign in (" ", "'"):
        thousands[sign] = int(grouped[sign].sum())
    small = bool(numbers.str.contains(r"^[0-9]{1,3}$").any())
    cells = pl.Series([None] * len(numbers), dtype=pl.String)
    bare = numbers.str.contains(r"^[0-9]+$")
    cells = replace_at(cells, bare, numbers)
    doubt = ""
    for sign, other_sign in ((".", ","), (",", ".")):
        clear = (
            has_one_sign
            & ~is_ambiguous
            & (last_sign == sign)
            & numbers.str.contains(r"^[0-9]*[.,]|^[0-9]{1,3}(?:[ '][0-9]{3})+[.,]")
        )
        is_only_sign = numbers.str.count_matches(sign, literal=True) == 1
        mixed = (
            (last_sign == sign)
            & ~has_one_sign
            & grouped[other_sign]
            & is_only_sign
            & numbers.str.contains(other_sign, literal=True)
        )
        indian = numbers.str.contains(_INDIAN) & (last_sign == sign) if sign == "." else bare & ~bare
        is_decimal = clear | mixed | indian
        cells = replace_at(cells, is_decimal, _convert_point(numbers, sign))
        is_integer = (
            grouped[sign]
            & ~numbers.str.contains(other_sign, literal=True)
            & (has_repeated_sign | (has_both_signs & ~has_one_sign))
        )
        cells = replace_at(cells, is_integer & cells.is_null(), numbers.str.replace_all(r"[., ']", ""))
        undecided = is_ambiguous & (last_sign == sign)
        if not undecided.any():
            continue
        parts = _parts_thousands(
            sign, decimal, thousands, notation, money, small and int(undecided.sum()) >= 3
        )
        if parts is None:
            doubt = _ASKED.format(sign=sign, name="comma" if sign == "," else "point")
        cells = replace_at(
            cells, undecided, numbers.str.replace_all(r"[.,]", "") if parts else _convert_point(numbers, sign)
        )
    for sign in (" ", "'"):
        is_integer = grouped[sign] & ~numbers.str.contains("[.,]")
        cells = replace_at(cells, is_integer, numbers.str.replace_all(r"[ ']", ""))
    return cells.str.strip_suffix("."), doubt, Votes(decimal, thousands)


def _convert_point(numbers: pl.Series, decimal: str) -> pl.Series:
    """Numbers whose decimals stand behind this sign, with a point."""
    other_sign = "," if decimal == "." else "."
    return numbers.str.replace_all(rf"[{other_sign} ']", "").str.replace(decimal, ".", literal=True)


def _parts_thousands(
    sign: str, decimal: dict[str, int], thousands: dict[str, int], notation: Notation, money: bool, small: bool
) -> bool | None:  # fmt: skip
    """Whether a sign before three digits parts thousands; None where nobody can tell."""
    other_sign = "," if sign == "." else "."
    for_it, against = thousands[sign] + decimal[other_sign], decimal[sign] + thousands[other_sign]
    if for_it or against:
        return None if for_it and against else for_it > 0
    if notation.thousands == sign or (notation.decimal == other_sign and other_sign == ","):
        return True
    if notation.decimal == sign == "," or notation.thousands == other_sign:
        return False
    if money:
        return True
    if sign == ".":
        return False
    return True if small else None


def _convert_units(
    texts: pl.Series,
    parts: pl.DataFrame,
    made: pl.Series,
    before: Mapping[str, Unit | None],
    behind: Mapping[str, Unit | None],
) -> tuple[pl.Series, Kind, str, str]:
    """The numbers in the unit that most cells have, what they measure, the unit, and what is open."""
    spans = _find_spans(texts, made)
    if not any(behind.values()) and not any(before.values()) and not spans:
        return made, "number", "", ""
    columns = (parts["unit"], parts["money"], made)
    unit_of_cell = [
        _unit_of(behind.get(unit or ""), before.get(sign or ""), text)
        for unit, sign, text in zip(*columns, strict=True)
    ]
    for index, (span_unit, _) in spans.items():
        unit_of_cell[index] = span_unit
    tally: dict[str, dict[Decimal | str, int]] = {}
    names: dict[tuple[str, Decimal | str], str] = {}
    total = bare = 0
    for unit, times in zip(unit_of_cell, parts["times"].to_list(), strict=True):
        if unit is None:
            continue
        if not unit.what:
            bare += times
            continue
        key: Decimal | str = unit.name if unit.what in ("money", "other") else unit.size
        sizes = tally.setdefault(unit.what, {})
        sizes[key] = sizes.get(key, 0) + times
        names[unit.what, key] = min(unit.name, names.get((unit.what, key), unit.name))
        total += times
    if not total:
        return _scale_amounts(made, unit_of_cell, Unit("", "", Decimal(1))), "number", "", ""
    measure = max(sorted(tally), key=lambda one: sum(tally[one].values()))
    main_unit = max(  # of ties the largest unit
        sorted(tally[measure], key=str),
        key=lambda one: (tally[measure][one], one if isinstance(one, Decimal) else Decimal(0)),
    )
    main_count = tally[measure][main_unit] if measure == "money" else sum(tally[measure].values())
    doubt = ""
    if main_count < (1 - FEW) * total:
        doubt = "its cells have units that do not match; write them in one unit"
    elif bare > FEW * (total + bare) and (
        measure in _find_ambiguous_measures()
        or (measure not in ("money", "other") and _differ_in_size(made, unit_of_cell))
    ):
        doubt = "some of its numbers have a unit and others do not; write the unit after each"
    guessed = measure in _find_ambiguous_measures() and (
        len(tally[measure]) > 1 or _differ_in_size(made, unit_of_cell)
    )
    fits = [
        unit is None
        or (not unit.what and not guessed)  # else a few numbers without a unit cannot be read
        or (unit.what == measure and (measure != "money" or unit.name == main_unit))
        for unit in unit_of_cell
    ]
    if spans:
        listed = made.to_list()
        for index, (_, amount) in spans.items():
            listed[index] = format(amount, "f")
            unit_of_cell[index] = Unit(measure, "", Decimal(1)) if fits[index] else None
        made = pl.Series(listed, dtype=pl.String)
    base = (
        Unit(measure, "", Decimal(1))
        if isinstance(main_unit, str)
        else _load_units()[names[measure, main_unit]]
    )
    made = _scale_amounts(replace_at(made, ~pl.Series(fits), None), unit_of_cell, base)
    return made, _KINDS.get(measure, "quantity"), names[measure, main_unit], doubt


def _differ_in_size(made: pl.Series, own: Sequence[Unit | None]) -> bool:
    """Whether numbers without a unit are of another size than those with one: 181 beside 1.79 m."""
    amounts = made.cast(pl.Float64, strict=False).abs().replace(0.0, None)
    middles = [
        amounts.filter(
            pl.Series([unit is not None and bool(unit.what) is with_unit for unit in own])
        ).median()
        for with_unit in (False, True)
    ]
    without_unit, with_unit = (middle if isinstance(middle, float) else 0.0 for middle in middles)
    return min(without_unit, with_unit) > 0 and max(without_unit, with_unit) > _ALIKE * min(
        without_unit, with_unit
    )


def _unit_of(behind: Unit | None, before: Unit | None, text: str | None) -> Unit | None:
    """The unit of one cell: of a number without any, nothing; of a cell that is no number, None."""
    if text is None:
        return None
    if before is not None and (behind is None or not behind.what or behind.what == "money"):
        return before._replace(size=Decimal(1) if behind is None else behind.size)
    return behind or Unit("", "", Decimal(1))


def _scale_amounts(made: pl.Series, own: Sequence[Unit | None], base: Unit) -> pl.Series:
    """The numbers in the unit `base`, times what words such as thousand say; most stay as they are."""
    cells = []
    for text, unit in zip(made, own, strict=True):
        if text is None or unit is None:
            cells.append(text)
            continue
        amounts = unit.what in ("", "money")
        scale, zero = (unit.size, Decimal(0)) if amounts else (unit.size / base.size, unit.zero)
        shift = Decimal(0) if amounts else base.zero
        is_unchanged = scale == 1 and zero == shift
        cells.append(text if is_unchanged else _format_number((Decimal(text) - zero) * scale + shift))
    return pl.Series(cells, dtype=pl.String)


def _format_number(number: Decimal) -> str:
    """A number with two decimals at most where it is not whole."""
    integer = number.to_integral_value()
    text = format(integer if number == integer else number.quantize(_CENT, ROUND_HALF_EVEN), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


class _Span(NamedTuple):
    """A cell of several numbers in one unit."""

    unit: Unit
    amount: Decimal


_Piece = tuple[str, str]
"""A number, and the word for its unit."""


def _find_spans(texts: pl.Series, made: pl.Series) -> dict[int, _Span]:
    """Cells of several numbers, each with its unit, by their rows: 1 h 30 min, 1:30:00, 5 ft 10 in, P1Y6M."""
    spans: dict[int, _Span] = {}
    likely = made.is_null() & texts.str.contains(
        r"^P?T?[0-9]+[.,]?[0-9]*\s*[^\s0-9/:.-]+[\s,]*[0-9]|^PT?[0-9]|^[0-9]+:[0-5][0-9]"
    )
    cells = zip(likely.arg_true().to_list(), texts.filter(likely).to_list(), strict=True)
    for tried, (index, text) in enumerate(cells):
        if tried == _TRIED and not spans:
            break  # codes, of digits and letters
        span = _read_span(text)
        if span is not None:
            spans[index] = span
    return spans


def _read_span(text: str) -> _Span | None:
    """The sum of the numbers of a cell; None where they are no amounts of one kind."""
    clock = _HOURS.match(text)
    if clock is not None:
        remainder = text[clock.end() :]
        if clock[3] or remainder.strip() == "h":
            seconds = 3600 * int(clock[1]) + 60 * int(clock[2]) + int(clock[3] or 0)
            return None if remainder.strip(" h") else _Span(_load_units()["min"], Decimal(seconds))
    pieces = _split_iso_span(text) if _ISO_SPAN.fullmatch(text) else _split_amounts(text)
    amounts = [
        (unit, Decimal(number.replace(",", "."))) for number, word in pieces if (unit := _find_unit(word))
    ]
    kinds = {unit.what for unit, _ in amounts}
    if not amounts or len(amounts) < len(pieces) or len(kinds) > 1 or not kinds <= {"time", "length", "mass"}:
        return None
    total = sum((unit.size * number for unit, number in amounts), Decimal(0))
    return _Span(amounts[0][0], total)


def _split_iso_span(text: str) -> list[_Piece]:
    """The numbers of a span as ISO 8601 writes it; M are months before T and minutes behind it.

    >>> _split_iso_span("P1Y6MT5M")
    [('1', 'y'), ('6', 'mo'), ('5', 'min')]
    """
    days, _, hours = text[1:].partition("T")
    return [
        *((number, "mo" if sign == "M" else _ISO_UNITS[sign]) for number, sign in _ISO_DAYS.findall(days)),
        *((number, "min" if sign == "M" else _ISO_UNITS[sign]) for number, sign in _ISO_HOURS.findall(hours)),
    ]


def _split_amounts(text: str) -> list[_Piece]:
    """The numbers of a span as people write it, the last of which needs no unit; empty where something else is there.

    >>> _split_amounts("1 h 30"), _split_amounts("1h about")
    ([('1', 'h'), ('30', 'min')], [])
    """
    pieces: list[_Piece] = _SPAN.findall(text)
    remainder = _SPAN.sub("", text)
    if not remainder:
        return pieces
    last_word = pieces[-1][1] if pieces else ""
    is_smaller_unit = (
        _BARE.fullmatch(remainder) is not None
        and last_word in _SMALLER
        and (last_word != "m" or len(remainder) == 2)
    )
    return [*pieces, (remainder, _SMALLER[last_word])] if is_smaller_unit else []
