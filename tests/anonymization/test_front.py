"""The front of a table trades k alone: where more is asked for it says so, and releases no point."""

import random

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.jobs.configured import front_config

CONFIG = """[data]
path = "people.csv"
[columns]
age = {{ role = "quasi", hierarchy = {{ ranges = [5, 10, 20] }} }}
ill = {ill}
[guarantee]
k = 3
{more}
"""


@pytest.fixture
def config(tmp_path):
    """Writes a configuration that asks for more than k, or hides values, and tells where it is."""
    rng = random.Random(2)
    rows = [f"{rng.randrange(20, 60)},{rng.choice(['flu', 'gout', 'none'])}" for _ in range(80)]
    (tmp_path / "people.csv").write_text("\n".join(["age,ill", *rows]) + "\n", encoding="utf-8")

    def write(more="", ill='"sensitive"'):
        path = tmp_path / "shoal.toml"
        path.write_text(CONFIG.format(more=more, ill=ill), encoding="utf-8")
        return path

    return write


ASKED = [
    ("l = 2", '"sensitive"', "l is asked for"),
    ("l = 2\nt = 0.5", '"sensitive"', "l and t are asked for"),
    ("alpha = 0.6", '"sensitive"', "alpha is asked for"),
    ("", '{ role = "sensitive", hidden = ["gout"] }', "hidden values are asked for"),
]


@pytest.mark.parametrize(("more", "ill", "words"), ASKED)
def test_a_point_that_drops_what_is_asked_for_is_not_released(config, more, ill, words):
    path = config(more, ill)
    with pytest.raises(InputError, match=f"pareto: a point of the front keeps k alone, and {words} too"):
        front_config(path, picked=True)
    front, _ = front_config(path)
    assert f"every point keeps k alone, and {words} too" in front.summary()
    with pytest.raises(InputError, match=words):
        front.pick(4)


@pytest.mark.parametrize("more", ["", "risk = 0.34"])
def test_k_and_its_risk_are_what_a_front_is_about(config, more):
    front, _ = front_config(config(more), picked=True)
    assert "keeps k alone" not in front.summary()
    assert front.pick(4).claim == shoal.KAnonymity(4)
    assert "with one level per column" in front.printable_table()[0]


def test_hidden_values_that_python_named_are_not_dropped():
    frame = pl.DataFrame(
        {"age": [str(20 + i // 4) for i in range(40)], "ill": ["yes", "no", "no", "no"] * 10}
    )
    roles = {"age": "quasi", "ill": "sensitive"}
    data = shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [5, 10]}}, hidden={"ill": ["yes"]})
    front = shoal.pareto(data)
    with pytest.raises(InputError, match="hidden values are asked for"):
        front.pick(4)
