"""What means no value, and how numbers and dates are meant, by evidence."""

from random import Random

import polars as pl
import pytest

import shoal
from shoal.io.read.source import Source
from shoal.proposal.notation_detection import detect_notation

pytestmark = pytest.mark.usefixtures("untried")

_WORDS = [
    "n/a",
    "N/A",
    "null",
    "?",
    ".",
    "-",
    "unknown",
    "unbekannt",
    "k. A.",
    "ns/nr",
    "inconnu",
    "non disponibile",
]
_WORDS += ["belirtilmemiş", "不详", "Keine Angabe", " "]


def _found(**columns):
    return detect_notation(Source(pl.DataFrame(columns)))


@pytest.mark.parametrize("word", _WORDS)
def test_words_for_no_value_in_any_column(word):
    assert word in _found(town=["Bern", "Chur", word, "Genf"]).missing


@pytest.mark.parametrize("word", ["refused", "none", "verweigert", "missing", "无"])
def test_answers_are_missing_among_numbers_alone(word):
    assert word in _found(age=["31", word, "47", "52"]).missing
    assert word not in _found(answer=["yes", word, "perhaps"]).missing
    found = _found(age=["31", word, "47"], answer=["yes", word, "no"])
    assert word not in found.missing
    assert found.own == {"age": (word,)}


def test_signs_and_codes_that_are_values_stay():
    assert _found(rhesus=["+", "-", "+"]).missing == ("",)
    assert _found(country=["NA", "DE", "FR"]).missing == ("",)
    assert _found(country=["NA", "Germany", "France"]).missing == ("", "NA")
    assert _found(children=["0", "1", "2", "#NV"]).missing == ("", "#NV")  # in German


def test_a_code_may_have_decimals():
    cells = [f"{18 + n / 10:.1f}" for n in range(200)]
    assert _found(bmi=[*cells, *cells, "99.9", "99.9"]).missing == ("", "99.9")


@pytest.mark.parametrize(
    ("rest", "code"), [(range(1, 6), "99"), (range(18, 90), "-9"), (range(100, 900), "9999")]
)
def test_a_repeated_number_far_from_the_others_is_a_code(rest, code):
    cells = [str(n) for n in rest] * 9
    found = _found(x=[*cells, code, code])
    assert found.missing == ("", code)
    assert "far from all other numbers of x" in found.evidence["missing"]
    assert _found(x=[*cells, code]).missing == ("",)  # once is somebody's number
    assert _found(x=[int(cell) for cell in [*cells, code, code]]).missing == ("", code)  # numbers as they are


def test_a_narrow_gap_is_enough_in_several_columns_and_asked_in_one():
    ages = [str(n) for n in range(18, 88)] * 2 + ["99"] * 5
    alone = _found(age=ages)
    assert (alone.missing, list(alone.doubts)) == (("",), ["age"])
    assert _found(age=ages, other=ages[::-1]).missing == ("", "99")


def test_a_number_like_any_other_in_one_column_is_a_code_in_those_with_a_wide_gap_alone():
    likert = ["1", "2", "3", "4", "5"] * 20 + ["99"] * 9
    found = _found(q=likert, pulse=[str(60 + n % 60) for n in range(109)])
    assert (found.missing, found.doubts, found.own) == (("",), {}, {"q": ("99",)})


def test_na_is_namibia_beside_a_column_where_it_is_no_value():
    found = _found(iso=["NA", "DE", "FR"], grade=["1.5", "NA", "2.0"])
    assert (found.missing, found.own) == (("",), {"grade": ("NA",)})


def test_a_nought_far_from_all_places_means_that_nobody_measured():
    found = _found(lat=[47 + n / 100 for n in range(30)] + [0.0] * 3, cost=[float(n) for n in range(33)])
    assert (found.missing, found.own) == (("",), {"lat": ("0",)})


def test_a_code_of_noughts_alone_is_no_code():
    codes = ["01067", "20095", "80331", "99084", "10115"]
    assert _found(plz=[*codes, "00000", "00000"]).own == {"plz": ("00000",)}
    assert _found(plz=[*codes, "00000"]).own == {}
    assert _found(pin=["0", "17", "20095", "0000", "0000", "31"]).own == {}


def test_a_number_that_is_much_too_frequent_needs_a_decision():
    found = _found(pay=[str(500 + 37 * n % 9500) for n in range(300)] + ["8888"] * 40)
    assert (found.missing, list(found.doubts)) == (("",), ["pay"])


def test_a_refusal_is_no_answer_where_it_is_seldom_among_several():
    parts = ["red", "blue", "green", "grey"] * 10
    assert "refused" in _found(colour=[*parts, "refused"]).missing
    assert "refused" not in _found(colour=[*parts, *["refused"] * 20]).missing
    assert "refused" not in _found(state=[*["granted", "withdrawn"] * 20, "refused"]).missing


def test_a_word_alone_among_the_numbers_of_several_columns_is_no_value():
    marks = ["1", "2", "3", "4"] * 8
    found = _found(maths=[*marks, "xx"], sport=[*marks, "xx"])
    assert "xx" in found.missing
    assert "xx: the only word among the numbers of 2 columns" in found.evidence["missing"]
    assert "xx" not in _found(maths=[*marks, "xx"], sport=[*marks, "3"]).missing
    assert "3+" not in _found(maths=[*marks, "3+"], sport=[*marks, "3+"]).missing


def test_the_order_of_dates_is_learned_from_a_sibling():
    found = _found(came=["01/02/2020", "03/04/2020"], left=["01/25/2020", "03/04/2020"])
    assert (found.notation.dates, found.evidence["dates"]) == ("month first", "days above 12 in left")
    assert _found(came=["01/02/2020", "03/04/2020"]).notation.dates is None
    both = _found(came=["01/02/2020", "03/04/2020"], left=["25/01/2020"] * 2, back=["01/25/2020"] * 2)
    assert both.notation.dates is None


def test_thousands_are_learned_from_a_sibling():
    assert _found(pay=["1,234", "2,345"], cost=["1,234.50", "7.25"]).notation.thousands == ","
    assert _found(pay=["1,234", "2,345"], cost=["1,5", "7,25"]).notation.decimal == ","
    assert _found(pay=["1,234", "2,345"]).notation.thousands is None


def test_an_office_file_is_read_and_run_without_an_edit(tmp_path):
    draw = Random(3)
    rows = ["born;came;left;pay;weight;age;town"]
    for n in range(200):
        born = [f"19{40 + n % 50}-0{1 + n % 9}-1{n % 9}", f"1{n % 9}.0{1 + n % 9}.19{40 + n % 50}"][n % 2]
        pay = "ask Ann" if n == 7 else f"${draw.randint(10, 99)},{draw.randint(100, 999)}.50"
        came, left = f"0{1 + n % 9}/0{1 + n % 8}/2020", f"0{1 + n % 9}/{13 + n % 9}/2020"
        rows.append(
            f"{born};{came};{left};{pay};{50 + n % 40} kg;{n % 80 + 1}y;{draw.choice(['Bern', 'k. A.', 'Chur'])}"
        )
    (tmp_path / "office.csv").write_text("\n".join(rows) + "\n")
    proposal = shoal.propose(tmp_path / "office.csv", roles={"pay": "quasi"})
    assert {one.name: one.type for one in proposal.columns.values()} == {
        **dict.fromkeys(["born", "came", "left"], "date"),
        **dict.fromkeys(["pay", "weight", "age"], "number"),
        "town": "word",
    }
    assert proposal["pay"].missing == 1
    toml = proposal.save(tmp_path)
    words = toml.read_text()
    assert '# days above 12 in left.\ndates = "month first"' in words
    assert '# k. A.: words for no value.\nmissing = ["", "k. A."]' in words
    with pytest.warns(shoal.ShoalWarning, match="1 cell cannot be read"):
        table = proposal.read().table
    assert table.column("born").cells()[:2] == ["1940-01-10", "1941-02-11"]
    assert table.column("came").cells()[0] == "2020-01-01"
    assert table.column("pay").cells()[7] is None


def test_what_nobody_can_read_is_left_out_and_named():
    frame = pl.DataFrame(
        {"came": ["01/02/2020", "03/04/2021"] * 20, "pay": ["1,234", "5,678"] * 20, "sex": ["f", "m"] * 20}
    )
    proposal = shoal.propose(frame)
    assert (proposal["came"].role, proposal["pay"].role) == ("drop", "drop")
    assert 'say dates = "day first" or "month first"' in proposal["came"].advice
    assert 'say thousands = "," or decimal = ","' in proposal["pay"].advice


_STATES = ["NY", "OH", "TX", "CA", "WA"]
_PROVINCES = ["ON", "QC", "BC", "AB", "NL", "PE"]
_NORDIC = ["SE", "FI", "NO", "IS"]


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("NC", _STATES),
        ("ND", [*_STATES, "Guam"]),
        ("NB", _PROVINCES),
        ("NS", _PROVINCES),
        ("DK", _NORDIC),
        ("DK", ["NO", "SE"]),  # a vocabulary knows all three
        ("dk", [state.lower() for state in _NORDIC]),
        ("NR", ["CR", "PR", "SD", "PD"]),
        ("Na", ["K", "Cl", "Ca", "Mg"]),
        ("NAN", ["LHR", "SYD", "ZRH"]),
    ],
)
def test_a_word_that_is_written_as_the_others_are_is_a_value(word, others):
    cells = others * 60 + [word] * 3
    found = _found(column=cells)
    assert word not in found.missing
    assert not found.own


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("NR", ["never", "once", "twice", "daily"]),
        ("DK", ["Yes", "No", "Perhaps", "Rather not"]),
        ("nd", ["Roma", "Napoli", "Bari"]),
        ("NA", ["SI", "NO"]),
        ("ND", ["SI", "NO"]),
        ("Na", ["Yes", "No"]),
        ("NA", ["A", "B", "AB", "0"]),
        ("NC", ["bleu", "vert", "rouge", "noir"]),
    ],
)
def test_a_word_that_is_written_unlike_the_others_means_no_value(word, others):
    found = _found(column=others * 60 + [word] * 3)
    assert word in found.missing


def test_a_word_that_one_column_explains_is_missing_in_the_other_alone():
    states, answers = _STATES * 40 + ["NC"] * 5, ["agree", "neutral", "disagree", "strongly agree"] * 50
    found = _found(state=states, answer=[*answers, *["NC"] * 5])
    assert "NC" not in found.missing
    assert found.own == {"answer": ("NC",)}
