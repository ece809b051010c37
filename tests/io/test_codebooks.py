"""Codebooks: values keep their codes, groups get codes that nothing else has, missing codes stay missing."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.io.codebooks import FIRST, Codebook, columns_numbered_by_program, number_words

FORMATS = ["sav", "zsav", "dta"]
labels = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=4)
codes = st.one_of(
    st.integers(-50, 3000).map(str), st.sampled_from(["0.5", "2.25", "-3.5", "100000", ".a", ".c"])
)
ranges = st.lists(
    st.sampled_from(["97 to 99", "999", "-9", "2000 to highest", "lowest to -1"]), max_size=2, unique=True
)
books = st.builds(
    Codebook,
    st.dictionaries(codes, labels, max_size=8),
    ranges.map(tuple).filter(lambda kinds: sum(" to " in kind for kind in kinds) < 2),
)


def numbers_among(words):
    found = {}
    for word in words:
        for part in (word, word.partition(" (")[0]):
            number = pl.Series([part]).cast(pl.Float64, strict=False)[0]
            if number is not None and (
                part == str(int(number)) if number.is_integer() else part == str(number)
            ):
                found[part] = number
    return found


@given(books)
def test_words_tell_the_codes_of_a_column_apart(book):
    assert len({*book.words.values()}) == len(book.words)
    every = [*book.words, *(str(number) for number in range(-3, 60))]
    told = [book.word(code) for code in dict.fromkeys(every) if not book.is_missing(code)]
    assert len({*told}) == len(told)
    assert all(book.code(book.word(code)) == code for code in every if not book.is_missing(code))


@given(books, st.data(), st.sampled_from(FORMATS))
def test_values_keep_their_codes_and_groups_get_codes_of_their_own(book, data, format):
    values = data.draw(st.lists(st.sampled_from([*book.words, "7", "41.5", "8000"]), max_size=5, unique=True))
    values = [code for code in values if not book.is_missing(code)]
    groups = data.draw(st.lists(labels.map(lambda word: f"[{word}]"), max_size=4, unique=True))
    missing = data.draw(st.lists(st.sampled_from([*book.labels, ".b"]), max_size=2, unique=True))
    missing = [code for code in missing if book.is_missing(code)]
    words = [*(book.word(code) for code in values), *groups]
    made = number_words(words, book, missing, format, numbers_among(words))
    if made is None:
        assert format == "dta"
        return
    assert [made.codes[book.word(code)] for code in values] == [float(code) for code in values]
    assert all(made.labels[float(code)] == book.labels[code] for code in values if code in book.labels)
    new = [made.codes[word] for word in groups]
    known = {float(code) for code in (*book.labels, *values) if not code.startswith(".")}
    assert len({*new} - known) == len(groups)
    assert not any(book.declares(code) for code in new)
    assert [made.labels[code] for code in new] == groups
    for code, written in made.missing.items():
        assert isinstance(written, str) == (format == "dta")
        assert format == "dta" or any(low <= written <= high for low, high in made.ranges)
        assert made.labels.get(written) == book.labels.get(code)
    assert not {*made.missing.values()} & {*made.codes.values()}


@given(books, st.data())
def test_codes_follow_from_what_is_released_and_the_codebook_alone(book, data):
    words = data.draw(st.lists(labels, max_size=6, unique=True))
    made = number_words(words, book, [], "sav", numbers_among(words))
    assert made is not None
    again = number_words(words, Codebook.from_dict(book.as_dict()), [], "sav", numbers_among(words))
    assert again is not None
    assert (again.codes, again.labels) == (made.codes, made.labels)


def test_words_without_a_codebook_are_numbered_beyond_all_usual_codes():
    made = number_words(["low", "high"], None, [], "sav", {})
    assert made is not None
    assert made.codes == {"low": FIRST, "high": FIRST + 1}
    assert made.labels == {FIRST: "low", FIRST + 1: "high"}


def test_groups_stand_above_the_highest_code_and_outside_what_is_missing():
    book = Codebook({"1": "a", "5000": "b"}, ("10001 to 10003",))
    made = number_words(["a", "a or b", "b or c"], book, [], "sav", {})
    assert made is not None
    assert made.codes == {"a": 1.0, "a or b": 100_001.0, "b or c": 100_002.0}
    beyond = number_words(["a or b"], Codebook({"1": "a"}, ("97 to highest",)), [], "sav", {})
    assert beyond is not None
    assert beyond.codes == {"a or b": -1001.0}


def test_a_group_that_is_called_as_a_code_gets_a_code_of_its_own():
    made = number_words(
        ["one", "2", "3"], Codebook({"1": "one", "2": "two"}), [], "sav", {"2": 2.0, "3": 3.0}
    )
    assert made is not None
    assert made.codes == {"one": 1.0, "2": 1001.0, "3": 3.0}


def test_texts_stay_texts_and_groups_never_take_one_of_the_codebook():
    book = Codebook({"M": "Male", "F": "Female"}, ("N",), text=True)
    made = number_words(["Male", "x", "F", "g1"], book, ["N"], "sav", {})
    assert made is not None
    assert made.codes == {"Male": "M", "x": "x", "F": "g2", "g1": "g1"}
    assert made.labels == {"M": "Male", "g2": "F"}
    assert number_words(["Male"], book, [], "dta", {}) is None


def test_missing_codes_of_another_program_get_its_own_kind():
    spss = Codebook({"1": "yes", "98": "don't know", "99": "refused"}, ("97 to 99",))
    made = number_words(["yes"], spss, ["99", "98", "97"], "dta", {})
    assert made is not None
    assert made.missing == {"99": "b", "98": "a"}  # nobody says what 97 is, and Stata has no ranges
    stata = Codebook({"1": "yes", ".a": "refused"})
    made = number_words(["yes"], stata, [".a", ".c"], "sav", {})
    assert made is not None
    assert (made.missing, made.ranges) == ({".a": -1001.0, ".c": -1003.0}, ((-1026.0, -1001.0),))


@pytest.mark.parametrize(
    "facts",
    [
        [],
        {"labels": {"one": "yes"}},
        {"labels": {"1": ""}},
        {"labels": {"1": 2}},
        {"labels": {"1": "yes", "1.0": "no"}},
        {"missing": "99"},
        {"missing": ["1 to"]},
        {"text": 1},
        {"note": "of somebody"},
    ],
)
def test_what_is_no_codebook_is_none(facts):
    assert Codebook.from_dict(facts) is None


def test_a_program_is_suspected_by_labels_that_are_hardly_in_order_by_chance():
    towns = Codebook({"1": "Aachen", "2": "bonn", "3": "Celle"})
    sex, pain = Codebook({"1": "female", "2": "male"}), Codebook({"1": "no", "2": "yes"})
    marital = Codebook({"1": "single", "2": "married"})
    gaps = Codebook({"1": "Aachen", "3": "Bonn", "4": "Celle"})
    assert columns_numbered_by_program({"town": towns, "marital": marital, "sex": sex}) == ["town"]
    assert columns_numbered_by_program({"sex": sex}) == []
    assert columns_numbered_by_program({"sex": sex, "pain": pain, "ill": pain}) == ["sex", "pain", "ill"]
    assert columns_numbered_by_program({"gaps": gaps, "none": None}) == []
    asked = Codebook({"1": "Aachen", "2": "Bonn", "3": "Celle", "99": "refused"}, ("99",))
    assert columns_numbered_by_program({"town": asked}) == []
