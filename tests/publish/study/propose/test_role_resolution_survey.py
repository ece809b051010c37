"""What `init` takes for a sampling weight and for a household: by name, where values agree."""

import polars as pl
import pytest

import shoal
from shoal.io.config import load

pytestmark = pytest.mark.usefixtures("untried")

N = 240
PEOPLE = pl.DataFrame(
    {
        "hid": [f"{1000 + i // 3}" for i in range(N)],
        "age": [18 + i * 7 % 60 for i in range(N)],
        "sex": ["f" if i % 2 else "m" for i in range(N)],
        "wt": [1500 + i * 13 % 97 + 0.25 for i in range(N)],
    }
)


def roles(frame):
    proposal = shoal.propose(frame)
    return {name: one.role for name, one in proposal.columns.items()}


@pytest.mark.parametrize("name", ["hid", "household_id", "hhid", "Haushaltsnummer"])
def test_who_lives_together_is_a_household(name):
    assert roles(PEOPLE.rename({"hid": name}))[name] == "household"


def test_that_k_can_count_households_is_written_down(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    path = shoal.propose(tmp_path / "people.csv").save(tmp_path)
    written = path.read_text(encoding="utf-8")
    assert '# of = "households"' in written
    path.write_text(written.replace('# of = "households"', 'of = "households"'), encoding="utf-8")
    assert load(path).guarantee["of"] == "households"


def test_a_household_of_everybodys_own_is_an_identifier():
    alone = PEOPLE.with_columns(hid=pl.Series([f"{7000 + 3 * i}" for i in range(N)]))
    assert roles(alone)["hid"] == "identifier"


@pytest.mark.parametrize(
    ("cells", "role"),
    [
        ([1500 + i * 13 % 97 + 0.25 for i in range(N)], "weight"),
        ([0.4 + i * 13 % 97 / 50 for i in range(N)], "drop"),  # scaled
        ([None if i == 3 else 300 + i * 13 % 97 + 0.5 for i in range(N)], "drop"),
        ([50.5 + i * 13 % 60 for i in range(N)], "quasi"),  # a body's
    ],
)
def test_a_weight_counts_people(cells, role):
    assert roles(PEOPLE.with_columns(wt=pl.Series(cells)))["wt"] == role


def test_one_weight_is_enough():
    two = PEOPLE.with_columns(pweight=pl.col("wt") * 2)
    assert sorted(role for name, role in roles(two).items() if "w" in name) == ["drop", "weight"]


def test_what_is_proposed_can_be_measured():
    risk = shoal.risk(shoal.propose(PEOPLE)).as_dict()
    assert risk["household"]["largest"] == 3
    assert 0 < risk["individual"]["expected"] < N
