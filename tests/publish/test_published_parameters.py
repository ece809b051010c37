"""Of the parameters that a method was given, the public folder tells those alone that hold no data."""

import json

import pytest

import knob_cases
import shoal
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import Knob, knobs
from shoal.base.errors import InputError

pytestmark = pytest.mark.usefixtures("bare")

PLANTED = "Zebedee"
MARK = 0.734219  # a number that stands nowhere else
TAKES = [(name, knob) for name in METHODS for knob in knobs(name)]


def published(release, folder):
    """All that a release folder holds, as text."""
    release.save(folder)
    return "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())


def planted(knob):
    """Values of a parameter that hold a cell, where it can take any."""
    if "list" in knob.kinds:
        yield [[PLANTED, "a"], ["b", "c", "d"]]
    if "table" in knob.kinds:
        yield {PLANTED: MARK}


@pytest.mark.parametrize(("name", "knob"), TAKES, ids=[f"{name} {knob.name}" for name, knob in TAKES])
def test_no_parameter_shows_a_cell(name, knob):
    """The law, for every method and parameter: what is planted is not shown, whatever the method would say to it."""
    columns = {"age": "quasi", "items": "items"}
    for value in (PLANTED, [[PLANTED]], [PLANTED], {PLANTED: 1}, {"age": PLANTED}, {"age": {PLANTED: 1}}):
        assert PLANTED not in json.dumps(knob.publishable_value(value, columns))
    for word in knob.words:
        assert knob.publishable_value(word, columns) == word
    if {"number", "whole"} & {*knob.kinds}:
        assert knob.publishable_value(MARK, columns) == MARK
    if "truth" in knob.kinds:
        assert knob.publishable_value(False, columns) is False
    assert knob.publishable_value("age", columns) == ("age" if "text" in knob.kinds else None)


# `core` needs known columns; what it takes is what `mstk` takes.
CELLS = [(name, knob.name, value) for name, knob in TAKES for value in planted(knob) if name != "core"]


@pytest.mark.parametrize(("name", "key", "value"), CELLS, ids=[f"{name} {key}" for name, key, _ in CELLS])
def test_nothing_planted_leaves(tmp_path, name, key, value):
    data = knob_cases.dataset(METHODS[name].shape)
    options = dict(knob_cases.NUMBERS[name])
    if METHODS[name].shape == "mixed":
        options |= {"items": "pcta"} if key in ("utility", "weights") else {"recode": "span"}
    if key == "grid":
        options |= {"recode": "span"}
    try:
        release = shoal.anonymize(data, method=name, seed=1, **options, **{key: value})
    except InputError:  # an item or a column that is not there: nothing is written at all
        known = {
            "utility": [["a", "b"], ["c", "d"]],
            "weights": {"a": MARK},
            "grid": {"age": MARK},
            "levels": {"age": 1},
        }
        release = shoal.anonymize(data, method=name, seed=1, **options, **{key: known.get(key, [["a"]])})
        value = None
    text = published(release, tmp_path / "out")
    assert PLANTED not in text
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())["method"]
    assert told["name"] == name
    assert key not in told["parameters"] or (
        key in ("grid", "levels") and set(told["parameters"][key]) <= {"age", "sex"}
    )
    kept = json.loads((tmp_path / "out.private" / "recoding.json").read_text())["method"]["parameters"]
    assert key in kept


def test_what_holds_no_data_is_told(tmp_path):
    data = knob_cases.dataset("table")
    asked = {"k": 2, "l": 2, "diversity": "entropy", "suppress": 0.125, "loss": "ce", "target": "ill"}
    release = shoal.anonymize(data, method="optimal", seed=1, **asked)
    release.save(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())["method"]
    assert told == {"name": "optimal", "parameters": asked}


@pytest.mark.parametrize("method", ["optimal", "incognito", "poka", "pareto"])
@pytest.mark.parametrize("target", ["name", "sx", "Zebedee"])
def test_a_target_is_a_published_column(method, target):
    frame = knob_cases.TABLE.with_columns(name=knob_cases.TABLE["age"] + "x", sx=knob_cases.TABLE["sex"])
    frame = frame.with_columns(name=frame["name"].rank("ordinal").cast(str))
    roles = knob_cases.ROLES | {"name": "identifier", "sx": "drop"}
    data = shoal.read(frame, roles=roles, hierarchies={"age": knob_cases.RULES["age"]})
    for loss in ("glm", "ce"):
        with pytest.raises(
            InputError, match=f"target: no published column '{target}'; .*there are age, sex, ill"
        ):
            shoal.anonymize(data, k=2, method=method, loss=loss, target=target)
        with pytest.raises(InputError, match="target: no published column"):
            shoal.pareto(data, loss=loss, target=target)


def test_numbers_in_the_place_of_tables():
    grid = Knob("grid", ("number", "table"), None, "")
    assert grid.publishable_value(5, {"age"}) == 5
    assert grid.publishable_value({"age": 5, "name": 3}, {"age"}) == {"age": 5}
