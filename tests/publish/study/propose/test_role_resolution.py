"""Roles that are known already stand, and the rest is proposed beside them."""

from hashlib import md5

import polars as pl
import pytest

import shoal
from shoal.errors import InputError

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
    assert {one.name for one in said.columns.values() if one.look} == {"zip"}
    assert said["zip"].look.startswith(
        "which kind of code it holds"
    )  # a role does not say whose postal codes they are


def test_what_would_name_people_is_published_only_with_a_look():
    found = shoal.propose(people(), roles={"patient_id": "plain"})
    assert found["patient_id"].role == "plain"
    assert found["patient_id"].look.startswith("you publish it, though its name suggests")


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


# Several rows of one person under a name that says nothing: what the rows have in common shows it.


def visits(**more):
    """60 people with 15 visits each."""
    rows = [(who, visit) for who in range(60) for visit in range(15)]
    columns = {
        "key": [f"v{who:02}" for who, _ in rows],
        "browser": [("fox", "owl", "elk")[who % 3] for who, _ in rows],
        "page": [("sport", "health", "games", "news")[(who * visit) % 4] for who, visit in rows],
    }
    return pl.DataFrame(columns | {name: [value(*row) for row in rows] for name, value in more.items()})


@pytest.mark.parametrize(
    "key", ["h", "account", "Zählpunkt", "card"], ids=["hash", "account", "meter", "card"]
)
def test_rows_that_share_a_birthday_by_a_code_are_one_persons(key):
    frame = visits(birth_year=lambda who, _: 1950 + who % 40).rename({"key": key})
    if key == "h":
        frame = frame.with_columns(
            pl.col("h").map_elements(lambda code: md5(code.encode()).hexdigest(), pl.String)
        )
    found = shoal.propose(frame)
    assert found.data.person == key
    assert found[key].role == "identifier"
    assert found[key].look == "whether rows with the same value belong to one person"


def test_rows_of_which_no_two_are_of_one_time_are_one_persons():
    found = shoal.propose(visits(read=lambda _, visit: f"2024-03-{1 + visit:02}"))
    assert found.data.person == "key"


@pytest.mark.parametrize(
    "more",
    [
        {"birth_year": lambda who, visit: 1950 + (who * 7 + visit * 3) % 40},
        {"birth_year": lambda who, _: 1950 + who % 40, "sex": lambda who, visit: "fm"[(who + visit) % 2]},
        {"read": lambda who, visit: f"2024-03-{1 + (who * visit) % 28:02}"},
    ],
    ids=["other birthdays", "other sexes", "other times"],
)
def test_rows_that_differ_in_what_stays_with_a_person_are_several_peoples(more):
    assert shoal.propose(visits(**more)).data.person is None


def test_who_a_person_is_not_may_be_stated():
    found = shoal.propose(visits(birth_year=lambda who, _: 1950 + who % 40), roles={"key": "quasi"})
    assert (found.data.person, found["key"].role) == (None, "quasi")


def test_codes_whose_rows_agree_in_two_things_are_asked_about():
    found = shoal.propose(visits(plan=lambda who, _: ("small", "large", "huge")[who // 7 % 3]))
    assert found.data.person is None
    assert "if rows with the same value are one person's" in found["key"].undecided
