"""Numbers, amounts and dates as people write them: written in any supported way, they are read back the same."""

from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io.read.notation import Notation
from shoal.io.read.writings import read_writing

_BLANKS = (" ", "\u00a0", "\u202f", "\u2009")
_STYLES = [(",", "."), (".", ","), ("'", "."), *((blank, sign) for blank in _BLANKS for sign in ",.")]
_MONTHS = {
    "en": ["Jan", "February", "Mar.", "April", "May", "June", "July", "Aug", "September", "Oct", "Nov", "December"],
    "de": ["Januar", "Feb", "März", "April", "Mai", "Juni", "Juli", "August", "Sept", "Okt", "November", "Dez"],
    "fr": ["janv", "février", "mars", "avr", "mai", "juin", "juillet", "août", "sept", "oct", "nov", "déc"],
    "es": ["enero", "feb", "marzo", "abril", "mayo", "junio", "julio", "agosto", "sept", "oct", "nov", "diciembre"],
    "it": ["gennaio", "feb", "marzo", "aprile", "maggio", "giugno", "luglio", "ago", "settembre", "ott", "nov", "dic"],
    "tr": ["Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kas", "Aralık"],
}  # fmt: skip


def _grouped(digits: str, sign: str) -> str:
    first = len(digits) % 3 or 3
    return sign.join([digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))])


def _written(cents: int, style: tuple[str, str], minus: str, sign: str) -> str:
    thousands, decimal = style
    whole, part = divmod(abs(cents), 100)
    text = f"{_grouped(str(whole), thousands)}{decimal}{part:02}"
    text = sign.replace("n", text)
    if cents >= 0:
        return text
    return {"before": f"-{text}", "behind": f"{text}-", "brackets": f"({text})"}[minus]


_AMOUNTS = st.lists(
    st.tuples(
        st.integers(-(10**11), 10**11), st.sampled_from(_STYLES), st.sampled_from(["before", "behind", "brackets"])
    ),
    min_size=1,
    max_size=20,
)  # fmt: skip


@settings(max_examples=40)
@given(_AMOUNTS, st.sampled_from(["n", "$n", "€ n", "n €", "n kr", "CHF n", "n kg", "£n"]))
def test_amounts_in_any_writings_are_read_back(amounts, sign):
    cells = [_written(cents, style, minus, sign) for cents, style, minus in amounts]
    read = read_writing(pl.Series(cells))
    assert not read.doubt
    made = cells if read.cells is None else read.cells.to_list()
    assert [Decimal(text) for text in made] == [Decimal(cents) / 100 for cents, _, _ in amounts]


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 999), min_size=1, max_size=12), st.lists(st.integers(1000, 999_999), max_size=12)
)
def test_a_comma_before_three_digits_is_read_as_thousands_or_asked(small, large):
    cells = [str(n) for n in small] + [_grouped(str(n), ",") for n in large]
    read = read_writing(pl.Series(cells))
    if not read.doubt:
        made = cells if read.cells is None else read.cells.to_list()
        assert [int(text) for text in made] == [*small, *large]
    assert read_writing(pl.Series(cells), Notation(thousands=",")).doubt == ""
    alone = read_writing(pl.Series(cells[len(small) :], dtype=pl.String))
    assert bool(alone.doubt) == bool(large)
    assert alone.cells is None


def _day(day: date, form: str, language: str) -> str:
    month = _MONTHS[language][day.month - 1]
    return {
        "iso": day.isoformat(),
        "slashes": f"{day.year}/{day.month}/{day.day}",
        "dots": f"{day.day}.{day.month}.{day.year}",
        "worded": f"{day.day}. {month} {day.year}",
        "dashed": f"{day.day:02}-{month}-{day.year}",
        "american": f"{month} {day.day}, {day.year}",
        "chinese": f"{day.year}年{day.month}月{day.day}日",
        "compact": f"{day:%Y%m%d}",
        "day first": f"{day.day}/{day.month}/{day.year}",
        "month first": f"{day.month}/{day.day}/{day.year}",
        "timed": f"{day.isoformat()} 00:00",
    }[form]


_DAYS = st.dates(date(1901, 1, 1), date(2029, 12, 31))
_CLEAR = ["iso", "slashes", "dots", "worded", "dashed", "american", "chinese", "compact", "timed"]


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(_DAYS, st.sampled_from(_CLEAR), st.sampled_from(list(_MONTHS))), min_size=2, max_size=20
    ),
    st.sampled_from(["day first", "month first"]),
    st.lists(_DAYS, max_size=6),
)
def test_dates_in_any_writings_are_read_back(days, order, paired):
    cells = [_day(*one) for one in days] + [_day(day, order, "en") for day in paired]
    read = read_writing(pl.Series(cells), Notation(dates=order))
    assert (read.doubt, read.unreadable) == ("", 0)
    if read.cells is not None:
        assert [text[:10] for text in read.cells] == [
            day.isoformat() for day in [*(d for d, _, _ in days), *paired]
        ]


@settings(max_examples=40)
@given(st.lists(_DAYS.filter(lambda day: day.day <= 12), min_size=1, max_size=20), st.booleans())
def test_dates_without_evidence_are_asked_never_guessed(days, shows):
    cells = [_day(day, "day first", "en") for day in days] + (["25/1/1999"] if shows else [])
    open_ = not shows and any(day.day != day.month for day in days)
    assert bool(read_writing(pl.Series(cells)).doubt) == open_


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(1900, 2029), st.integers(1, 4), st.booleans()), min_size=1, max_size=9))
def test_quarters_are_read_back(quarters):
    cells = [f"{year}-Q{n}" if first else f"Q{n} {year}" for year, n, first in quarters]
    read = read_writing(pl.Series(cells))
    made = cells if read.cells is None else read.cells.to_list()
    assert made == [f"{year}-Q{n}" for year, n, _ in quarters]


@pytest.mark.parametrize(
    ("cells", "made", "kind", "unit"),
    [
        (["34y", "6 mo", "2 years", "18 months"], ["34", "0.5", "2", "1.5"], "span", "y"),
        (["1h30", "1 h 30 min", "2 hours"], ["1.5", "1.5", "2"], "span", "h"),
        (["P1Y6M", "P2Y"], ["1.5", "2"], "span", "y"),
        (["72 kg", "1200 g", "80kg"], ["72", "1.2", "80"], "quantity", "kg"),
        (["5 ft 10 in", "6 ft"], ["5.83", "6"], "quantity", "ft"),
        (["12%", "3,5 %"], ["12", "3.5"], "share", "%"),
        (["12k", "1.5M", "800"], ["12000", "1500000", "800"], "number", ""),
        (["3,5 Mio. €", "12 k€"], ["3500000", "12000"], "money", "€"),
        (["$9,358", "$12,001"], ["9358", "12001"], "money", "$"),
        (["KW 5/2020", "2020-W06"], ["2020-W05", "2020-W06"], "date", ""),
        (["März 2020", "04/2020", "2020-05"], ["2020-03", "2020-04", "2020-05"], "date", ""),
        (["01.02.45", "3.4.99", "05.06.01"], ["1945-02-01", "1999-04-03", "2001-06-05"], "date", ""),
        (
            ["01.02.24", "3.4.99", "05.06.03", "1.1.35"],
            ["1924-02-01", "1999-04-03", "2003-06-05"],
            "date",
            "",
        ),
        (["1.5.21", "3.4.22", "31.12.25"], ["2021-05-01", "2022-04-03", "2025-12-31"], "date", ""),
        (["1.2.1930", "3.4.2001", "5.6.30"], ["1930-02-01", "2001-04-03", "1930-06-05"], "date", ""),
        (["72 kg", "176.37 lb", "80kg"], ["72", "80", "80"], "quantity", "kg"),
        (["98.6 °F", "37.2°C", "38 °C"], ["37", "37.2", "38"], "quantity", "°C"),
        (["1m72", "1,80 m", "172 cm", "5 ft 10"], ["1.72", "1.80", "1.72", "1.78"], "quantity", "m"),
        (["7 lb 3 oz", "3400 g", "3.2 kg", "3 kg"], ["3.26", "3.4", "3.2", "3"], "quantity", "kg"),
        (["120 mmHg", "118", "110 mmHg"], ["120", "118", "110"], "quantity", "mmHg"),
        (["12 €", "1200", "0"], ["12", "1200", "0"], "money", "€"),
        (["2020-03-05 14:30", "5.3.2020 2:30 pm"], ["2020-03-05T14:30:00"] * 2, "date", ""),
        (["1,50", "1,5", "2"], ["1.5", "1.5", "2"], "number", ""),
        (["2:09:00", "0:58:30", *["1:00:00"] * 40, "DNF"], ["129", "58.5", "60"], "span", "min"),
        ([f"2'68{n}'229.{n}" for n in range(9)], ["2680229.0", "2681229.1", "2682229.2"], "number", ""),
        (["01OCT2018", "03APR1999", "31dec2001"], ["2018-10-01", "1999-04-03", "2001-12-31"], "date", ""),
        ([f"20{20 + n}{1 + n:02}" for n in range(9)], ["2020-01", "2021-02", "2022-03"], "date", ""),
    ],
)
def test_other_writings(cells, made, kind, unit):
    read = read_writing(pl.Series(cells))
    assert (read.cells.to_list()[: len(made)], read.kind, read.unit, read.doubt) == (made, kind, unit, "")


@pytest.mark.parametrize(
    "cells",
    [
        ["17", "42.5"],
        ["2001-01-31", "1999-12-31"],
        ["31.12.1999", "01.02.2000"],
        ["12/31/1999", "01/02/2000"],
        ["01069", "80331"],
        ["red", "blue"],
        ["250", "401", "V58", "E812", *(str(n) for n in range(500, 600))],
        ["171 123 456", "171 123 457", "171 999 456"],
        ["1987", "2001"],
        ["192.168.0.1", "10.0.0.7"],
        ["1", "2", "other"],
        [],
        [""],
    ],
)
def test_what_has_one_writing_or_is_something_else_stays(cells):
    read = read_writing(pl.Series(cells, dtype=pl.String))
    assert read.cells is None
    assert not read.doubt


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["$ 5", "€ 6", "$ 7", "€ 8"], "do not match"),
        (["12%", "0.3"], "others do not"),
        (["1.79 m", "185 cm", "181"], "others do not"),
        (["1.79 m", "1.85 m", "181", "177"], "others do not"),
        ([f"01.02.{year:02}" for year in range(100)], "may be of either century"),
        (["01.02.24", "01.02.00"], "may be of either century"),
        (["03.04.1916", "25.06.2021", "07.08.57", "09.10.15"], "may be of either century"),
        (["13/1/2020", "1/13/2020"], "others the month"),
        (["2020-03-05", "2021"], "others do not"),
        (["$1,000.50"] * 6 + ["n.v.", "see file"], "2 of 8 cells cannot be read as numbers"),
    ],
)
def test_what_only_the_owner_knows_is_asked(cells, words):
    read = read_writing(pl.Series(cells))
    assert words in read.doubt
    assert read.cells is None
    assert not read.kind


def test_a_few_cells_that_cannot_be_read_are_missing_and_counted():
    cells = [f"${n},500" for n in range(1, 41)] + ["see file", None]
    read = read_writing(pl.Series(cells))
    assert (read.unreadable, read.cells.to_list()[-2:], read.cells[0]) == (1, [None, None], "1500")


def test_a_mixture_does_not_depend_on_the_order_of_the_cells():
    start = date(1990, 1, 1)
    cells = [_day(start + timedelta(days=7 * n), form, "de") for n, form in enumerate(_CLEAR * 5)]
    pairs = dict(zip(cells, read_writing(pl.Series(cells)).cells, strict=True))
    back = read_writing(pl.Series(cells[::-1])).cells.to_list()
    assert back == [pairs[cell] for cell in cells[::-1]]


def test_a_stroke_for_no_cents_is_no_minus():
    cells = pl.Series(["48,-", "EUR 7,--", "12,50", "€ 153,-", "9,– €", "48.-", "5-"])
    assert read_writing(cells).cells.to_list() == ["48", "7", "12.50", "153", "9", "48", "-5"]


def test_numbers_like_months_with_a_thirteenth_are_numbers():
    assert read_writing(pl.Series(["202013", *(f"20200{1 + n}" for n in range(9))])).kind == "number"


@pytest.mark.parametrize(
    ("cells", "numbers", "unit"),
    [
        (["0:45", "1:30", "2:15", "12:05"], ["0.75", "1.5", "2.25", "12.0833"], "h or min"),
        (["11:38", "71:15"], ["11.6333", "71.25"], "h or min"),
        (["08:15", "13:30", "23:59"], ["8.25", "13.5", "23.9833"], "h"),
        (["08:15", "37:30"], ["8.25", "37.5"], "h or min"),  # no day has so many hours
    ],
)
def test_times_of_two_parts_are_numbers_of_the_first(cells, numbers, unit):
    read = read_writing(pl.Series(cells * 9))
    assert (read.kind, read.unit, read.doubt) == ("span", unit, "")
    assert read.cells.to_list()[: len(cells)] == numbers


@pytest.mark.parametrize("cells", [["3:99", "4:75"], ["a:15", "b:30"], ["1:2:3", "4:5:6"]])
def test_what_is_no_time_stays_a_text(cells):
    assert read_writing(pl.Series(cells * 9)).kind != "span"


@pytest.mark.parametrize(
    "notation", [Notation(), Notation(decimal=","), Notation(decimal=",", thousands=".")]
)
@pytest.mark.parametrize(
    "cells", [["20095", "22047"], ["2 8049", "3 1200"], ["1T3417", "2T1234"], ["6/1340", "7/9876"]]
)
def test_codes_are_no_quarters_or_months_of_other_ages(cells, notation):
    """Postal codes of Hamburg were taken for the second quarter of the year 95 where decimals have a comma."""
    assert read_writing(pl.Series(cells), notation).kind in ("", "number")


_AGES = [str(age) for age in range(20, 90)]


@pytest.mark.parametrize(
    ("cells", "made"),
    [
        (["<20", "95+", "> 100", ">= 100", "≤ 5"], ["<20", "95+", ">100", ">=100", "≤5"]),
        (
            ["Under 5", "90 and over", "90 und älter", "unter 18"],
            ["Under 5", "90 and over", "90 und älter", "unter 18"],
        ),
        (
            ["moins de 20", "80 et plus", "menos de 18", "65 o más"],
            ["moins de 20", "80 et plus", "menos de 18", "65 o más"],
        ),
        (["1,000.50 and over"], ["1000.50 and over"]),
        (["< 0.5", "<0.05"], ["<0.5", "<0.05"]),
    ],
)
def test_a_number_that_is_only_an_end_stays_one(cells, made):
    raw = [*_AGES, *cells]
    read = read_writing(pl.Series(raw))
    assert (raw if read.cells is None else read.cells.to_list()) == [*_AGES, *made]
    assert (read.ended, read.unreadable) == (len(cells), 0)


def test_ends_may_be_most_of_the_cells_and_have_units():
    read = read_writing(pl.Series([*(f"{x / 10} mg" for x in range(10, 40)), *["<1 mg"] * 60]))
    assert read.cells.to_list()[-1] == "<1"
    assert read.ended == 60
    assert not read.doubt


@pytest.mark.parametrize(
    "cells",
    [
        ["0", "1", "2", "3+"],
        ["<10000", "10000-20000", ">20000"],
        [f"{mark}{sign}" for mark in range(1, 7) for sign in ("", "+", "-")],
    ],
)
def test_groups_of_a_list_and_marks_at_school_are_no_ends(cells):
    read = read_writing(pl.Series(cells * 9))
    assert read.cells is None
    assert not read.ended
    assert not read.doubt


def test_days_of_a_spreadsheet_beside_days_as_text_are_days():
    read = read_writing(pl.Series(["1973-10-26 00:00:00", "21.10.1943", "1951-02-28 00:00:00"]))
    assert read.cells.to_list() == ["1973-10-26", "1943-10-21", "1951-02-28"]
    timed = read_writing(pl.Series(["1973-10-26 00:00:00", "21.10.1943", "1951-02-28 08:30:00"]))
    assert timed.cells.to_list()[2] == "1951-02-28T08:30:00"
