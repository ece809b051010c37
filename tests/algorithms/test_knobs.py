"""What is said of the parameters of makers is what the makers take."""

import re
from pathlib import Path

import pytest

import shoal
from knob_cases import NUMBERS, dataset
from shoal.algorithms import METHODS
from shoal.algorithms.derive_knobs import derive_knobs, derived
from shoal.algorithms.knobs import KNOBS, Knob, knobs
from shoal.errors import InputError, ShoalError

DOCS = Path(__file__).parents[2] / "docs"
EVERY = [pytest.param(name, knob, id=f"{name}-{knob.name}") for name in METHODS for knob in knobs(name)]


def test_the_file_is_what_the_makers_say():
    assert KNOBS.read_text(encoding="utf-8") == derived(), "run python -m shoal.algorithms.derive_knobs"


def test_reading_gives_back_what_was_written():
    for name in METHODS:
        assert knobs(name) == derive_knobs(name)


@pytest.mark.parametrize(("name", "knob"), EVERY)
def test_each_one_says_what_it_does_and_takes(name, knob):
    assert re.fullmatch(r"[A-Za-z\"].*\.", knob.about)
    assert "`" not in knob.about
    assert knob.takes
    if "word" in knob.kinds:
        assert knob.default is None or knob.default in knob.words


@pytest.mark.parametrize(("name", "knob"), EVERY)
def test_each_one_is_documented_with_its_maker(name, knob):
    rows = (
        line for page in DOCS.glob("makers-*.md") for line in page.read_text(encoding="utf-8").splitlines()
    )
    row = next(line for line in rows if line.startswith(f"| `{name}` |"))
    assert f"`{knob.name}`" in row


def refused(name, knob, value):
    """What the maker says to a value; it must say something."""
    shape = METHODS[name].shape
    with pytest.raises(ShoalError) as caught:
        shoal.anonymize(dataset(shape), method=name, **{**NUMBERS[name], knob.name: value})
    return str(caught.value)


@pytest.mark.parametrize(("name", "knob"), [case for case in EVERY if case.values[1].words])
def test_the_words_are_those_that_the_maker_knows(name, knob):
    said = refused(name, knob, "nonsense")
    assert all(word in said for word in knob.words)


@pytest.mark.parametrize(("name", "knob"), [case for case in EVERY if case.values[1].least is not None])
def test_the_range_is_the_makers(name, knob):
    refused(name, knob, knob.least - 1)
    if knob.most is not None:
        refused(name, knob, knob.most if knob.below else knob.most + 0.5)


def test_what_people_type_is_read_as_the_configuration_has_it():
    delta = Knob("delta", ("number", "word"), "knee", "", ("knee",), 0, 1)
    assert (delta.read("knee"), delta.read(" 0.25 ")) == ("knee", 0.25)
    assert Knob("utility", ("list",), None, "").read('[["milk", "bread"]]') == [["milk", "bread"]]
    assert Knob("target", ("text",), None, "").read("age") == "age"
    with pytest.raises(InputError, match="delta: this cannot be read; give a number from 0 to 1, or knee"):
        delta.read("secret")


def test_a_typed_line_is_one_value():
    with pytest.raises(InputError, match="cannot be read"):
        Knob("g", ("whole",), 2, "").read("2\nnext = 3")
