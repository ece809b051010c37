"""Roles that are known already stand, and the rest is proposed beside them."""

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.io.config import load

pytestmark = pytest.mark.usefixtures("untried")


def people(n=300):
    return pl.DataFrame(
        {
            "patient_id": range(1000, 1000 + n),
            "age": [20 + i % 50 for i in range(n)],
            "zip": [f"10{i % 9}10" for i in range(n)],
            "bought": [" ".join(("tea", "milk", "rice")[: 1 + i % 3]) for i in range(n)],
            "diagnosis": [("flu", "asthma", "angina")[i % 3] for i in range(n)],
        }
    )


def roles_of(proposal):
    return {one.name: one.role for one in proposal.columns.values()}


def test_a_stated_role_stands_and_the_others_are_proposed():
    found = shoal.propose(people(), roles={"diagnosis": "quasi", "zip": "drop"})
    assert roles_of(found) | {"bought": ""} == {
        "patient_id": "identifier", "age": "quasi", "zip": "drop", "bought": "", "diagnosis": "quasi"
    }  # fmt: skip
    assert found["diagnosis"].why == "you say so"
    assert found["diagnosis"].hierarchy is not None
    assert found["zip"].hierarchy is None


def test_the_role_that_was_proposed_may_be_stated_as_well():
    plain = shoal.propose(people())
    said = shoal.propose(people(), roles={one.name: one.role for one in plain.columns.values()})
    assert roles_of(said) == roles_of(plain)
    assert {one.name for one in said.columns.values() if one.advice} == {"zip"}
    assert said["zip"].advice.startswith(
        "which kind of code it holds"
    )  # a role does not say whose postal codes they are


def test_what_would_name_people_is_published_only_with_a_look():
    found = shoal.propose(people(), roles={"patient_id": "plain"})
    assert found["patient_id"].role == "plain"
    assert found["patient_id"].advice.startswith("you publish it, though its name suggests")


def test_cells_said_to_be_baskets_are_split_where_a_sign_is_in_them():
    found = shoal.propose(people(), roles={"bought": "items"})
    assert (found["bought"].role, found["bought"].separator, found.shape) == ("items", " ", "mixed")
    assert shoal.anonymize(found.read(), k=2, m=1).claim.k == 2


def test_stated_roles_are_written_and_run(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    found = shoal.propose(tmp_path / "people.csv", roles={"bought": "drop", "diagnosis": "quasi"})
    found.save(tmp_path)
    text = (tmp_path / "shoal.toml").read_text()
    assert "# quasi: you say so." in text
    assert 'bought = "drop"' in text


def test_fields_of_trees_have_stated_roles():
    rows = [
        {
            "id": str(i),
            "town": ("A", "B")[i % 2],
            "visits": [{"ward": ("x", "y", "z")[i % 3], "year": "2020"}],
        }
        for i in range(60)
    ]
    found = shoal.propose(rows, roles={"town": "drop", "visits.ward": "sensitive"})
    assert (found["town"].role, found["visits.ward"].role) == ("drop", "sensitive")
    with pytest.raises(InputError, match=r"roles, town: 'items' is not a role"):
        shoal.propose(rows, roles={"town": "items"})


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        ({"agee": "quasi"}, r"roles: there is no column 'agee'; did you mean 'age'"),
        ({"age": "quasy"}, r"roles, age: 'quasy' is not a role that it can have; did you mean 'quasi'"),
        ({"age": "items"}, r"roles, age: no sign separates items in its cells"),
    ],
)
def test_a_role_that_does_not_fit_is_refused(roles, sentence):
    with pytest.raises(InputError, match=sentence):
        shoal.propose(people(), roles=roles)


# What is taken for a sampling weight and for a household: by name, where values agree.

N = 240
PEOPLE = pl.DataFrame(
    {
        "hid": [f"{1000 + i // 3}" for i in range(N)],
        "age": [18 + i * 7 % 60 for i in range(N)],
        "sex": ["f" if i % 2 else "m" for i in range(N)],
        "wt": [1500 + i * 13 % 97 + 0.25 for i in range(N)],
    }
)


@pytest.mark.parametrize("name", ["hid", "household_id", "hhid", "Haushaltsnummer"])
def test_who_lives_together_is_a_household(name):
    assert shoal.propose(PEOPLE.rename({"hid": name}))[name].role == "household"


def test_that_k_can_count_households_is_written_down(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    path = shoal.propose(tmp_path / "people.csv").save(tmp_path)
    written = path.read_text(encoding="utf-8")
    assert '# of = "households"' in written
    path.write_text(written.replace('# of = "households"', 'of = "households"'), encoding="utf-8")
    assert load(path).guarantee["of"] == "households"


def test_a_household_of_everybodys_own_is_an_identifier():
    alone = PEOPLE.with_columns(hid=pl.Series([f"{7000 + 3 * i}" for i in range(N)]))
    assert shoal.propose(alone)["hid"].role == "identifier"


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
    assert shoal.propose(PEOPLE.with_columns(wt=pl.Series(cells)))["wt"].role == role


def test_one_weight_is_enough():
    two = PEOPLE.with_columns(pweight=pl.col("wt") * 2)
    assert sorted(role for name, role in roles_of(shoal.propose(two)).items() if "w" in name) == [
        "drop",
        "weight",
    ]


def test_what_is_proposed_can_be_measured():
    risk = shoal.risk(shoal.propose(PEOPLE)).as_dict()
    assert risk["household"]["largest"] == 3
    assert 0 < risk["individual"]["expected"] < N
