"""One spelling for what is one value: whatever way it is written, and never for two that are not."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from shoal.data.spelling import normalize_value, unify_spellings
from strategies import decorated, rewritten, written_numbers

WORDS = st.lists(st.sampled_from(["non", "hiv", "smoker", "Crohn", "x", "é"]), min_size=1, max_size=3)
NUMBERS = st.decimals(-99_999, 9_999_999, places=2, allow_nan=False, allow_infinity=False)


@given(words=WORDS, data=st.data())
def test_words_are_one_however_they_are_joined_and_quoted(words, data):
    plain = " ".join(words)
    other = data.draw(rewritten(plain))
    assert normalize_value(other) == normalize_value(plain) == normalize_value(normalize_value(plain))
    assert len(set(unify_spellings([plain, other]))) == 1


@given(number=NUMBERS, data=st.data())
def test_a_number_is_one_in_every_writing(number, data):
    ways = [data.draw(written_numbers(number)) for _ in range(3)]
    assert len(set(unify_spellings([f"{number:f}", *ways]))) == 1


@given(numbers=st.lists(NUMBERS, min_size=2, max_size=6, unique=True), data=st.data())
def test_different_numbers_in_plain_writing_are_never_one(numbers, data):
    numbers = list({Decimal(number).normalize() for number in numbers})
    texts = [f"{number:f}" for number in numbers]
    assert len(set(unify_spellings(texts))) == len(texts) == len(set(map(normalize_value, texts)))
    units = [f"{text} mg" for text in texts]
    assert len(set(unify_spellings(units))) == len(texts)


@given(text=st.text(max_size=12), data=st.data())
def test_one_spelling_is_one_again_and_nothing_that_is_seen_is_lost(text, data):
    (first,) = unify_spellings([text])
    assert unify_spellings([first]) == [first]
    assert normalize_value(first) == normalize_value(text)
    assert bool(first) == bool(normalize_value(text))
    masked = data.draw(decorated("HIV"))
    assert unify_spellings([masked, "hiv"]) == ["hiv", "hiv"]


@given(
    texts=st.lists(st.sampled_from(["1.500", "1500", "1,5", "1.5", "15", "007", "7", "B-", "B", "5", "-5"]))
)
def test_the_order_of_the_texts_decides_nothing(texts):
    found = dict(zip(texts, unify_spellings(texts), strict=True))
    assert found == dict(zip(texts[::-1], unify_spellings(texts[::-1]), strict=True))


def test_what_looks_alike_but_is_not_stays_apart():
    apart = [
        "-5",
        "5",
        "B-",
        "B",
        "B+",
        "007",
        "7",
        "10-20",
        "1020",
        "temp -6",
        "temp 6",
        "5 μg",
        "5 mg",
        "F32.1",
        "F3.21",
    ]
    assert len(set(unify_spellings(apart))) == len(apart)


def test_writings_that_contradict_each_other_are_one_only_where_both_are_there():
    assert len(set(unify_spellings(["1.5", "1500"]))) == 2
    assert len(set(unify_spellings(["1.5", "1.500", "1500"]))) == 1
    assert len(set(unify_spellings(["1", "1,000", "1000"]))) == 1
    assert len(set(unify_spellings(["0.125", "125", "0,125"]))) == 2
