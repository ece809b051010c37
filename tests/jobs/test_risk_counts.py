"""How many people each node covers, in data of every shape, against a count from the definition."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from shoal.base.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.edit import Editable
from shoal.io.config import check
from shoal.jobs.risk_counts import _count_distinct, _sum_leaves, _unique_pairs, count

COLUMNS = {
    "name": "identifier",
    "age": {"role": "quasi", "hierarchy": {"ranges": [10, 20]}},
    "sex": "quasi",
    "job": {"role": "quasi", "hierarchy": "job.csv"},
    "pay": {"role": "sensitive", "hierarchy": {"ranges": [1000]}, "level": 1},
    "ward": "plain",
}
PEOPLE = """name,age,sex,job,pay,ward
a,17,f,nurse,900,A
b,23,m,nurse,1900,A
c,28,f,clerk,,B
d,31,,clerk,1200,B
"""
JOBS = "nurse;care;*\ndoctor;care;*\nclerk;office;*\n"


@pytest.fixture
def counted(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "job.csv").write_text(JOBS)

    def made(columns=None, data=None, only=None, **sections):
        raw = {"data": {"path": "people.csv", **(data or {})}, **sections}
        raw |= {} if "tree" in sections else {"columns": columns or COLUMNS}
        found = count(check(raw, folder=tmp_path), columns=only)
        return {one.name: one.as_dict(values=True) for one in found.columns}

    return made


def nodes(facts):
    """Label and people of each node."""
    return dict(zip(facts["nodes"]["label"], facts["nodes"]["people"], strict=True))


def test_every_column_with_a_hierarchy_is_counted(counted):
    found = counted()
    assert list(found) == ["age", "sex", "job", "pay"]
    assert nodes(found["age"]) == {
        **{"*": 4, "[0, 20)": 1, "[10, 20)": 1, "17": 1},
        **{"[20, 40)": 3, "[20, 30)": 2, "23": 1, "28": 1, "[30, 40)": 1, "31": 1},
    }
    assert nodes(found["job"]) == {"*": 4, "care": 2, "nurse": 2, "doctor": 0, "office": 2, "clerk": 2}
    assert nodes(found["sex"]) == {"*": 4, "f": 2, "m": 1}
    assert found["sex"]["missing"] == 1
    assert nodes(found["pay"])["[1000, 2000)"] == 2
    assert {name: (one["file"], one["public"]) for name, one in found.items()} == {
        "age": (None, False),
        "sex": (None, False),
        "job": ("job.csv", True),
        "pay": (None, False),
    }


def test_the_list_of_nodes_is_the_tree(counted):
    job = counted(only=["job"])["job"]
    assert job["nodes"]["level"] == [2, 1, 0, 0, 1, 0]
    assert job["nodes"]["leaves"] == [3, 2, 1, 1, 1, 1]
    listed = (job["nodes"][key] for key in ("label", "level", "depth"))
    tree = Editable.from_nodes("job", *listed, job["height"])
    assert "".join(";".join(row) + "\n" for row in tree.rows()) == JOBS


def test_a_file_that_was_made_from_the_data_is_not_public(counted):
    columns = {**COLUMNS, "job": {"role": "quasi", "hierarchy": {"file": "job.csv", "built": True}}}
    found = counted(columns)["job"]
    assert (found["file"], found["public"]) == ("job.csv", False)


def test_a_person_with_several_rows_is_counted_once(counted, tmp_path):
    (tmp_path / "people.csv").write_text("who,job\na,nurse\na,doctor\nb,nurse\nb,nurse\n")
    found = counted({"job": {"role": "quasi", "hierarchy": "job.csv"}}, {"person": "who"})["job"]
    assert (found["people"], found["adds_up"]) == (2, False)
    assert nodes(found) == {"*": 2, "care": 2, "nurse": 2, "doctor": 1, "office": 0, "clerk": 0}


def test_baskets_that_hold_an_item_are_counted(counted, tmp_path):
    (tmp_path / "people.csv").write_text("age,items\n20,nurse doctor\n30,nurse clerk nurse\n40,\n")
    items = {"role": "items", "hierarchy": "job.csv"}
    for columns in ({"age": "quasi", "items": items}, {"age": "drop", "items": items}):
        found = counted(columns)["items"]
        assert (found["people"], found["adds_up"], found["role"]) == (3, False, "items")
        assert nodes(found) == {"*": 2, "care": 2, "nurse": 2, "doctor": 1, "office": 1, "clerk": 1}


def test_items_without_a_rule_are_shown_as_they_would_be_grouped(counted, tmp_path):
    (tmp_path / "people.csv").write_text("items\na b\nb c d e f\n")
    found = counted({"items": "items"})["items"]
    assert nodes(found)["group 1 of 2"] == 2
    assert nodes(found)["group 2 of 2"] == 1


def test_people_whose_tree_holds_a_value_are_counted(counted, tmp_path):
    people = [
        {"town": "Bern", "visits": [{"job": "nurse"}, {"job": "doctor"}]},
        {"town": "Bern", "visits": [{"job": "nurse"}, {"job": "nurse"}]},
        {"town": "Chur"},
    ]
    (tmp_path / "people.ndjson").write_text("".join(json.dumps(one) + "\n" for one in people))
    trees = {"hierarchies": {"visits.job": "job.csv", "town": {"fanout": 2}}}
    found = counted(data={"path": "people.ndjson"}, tree=trees)
    assert nodes(found["visits.job"]) == {"*": 2, "care": 2, "nurse": 2, "doctor": 1, "office": 0, "clerk": 0}
    assert nodes(found["town"]) == {"*": 3, "Bern": 2, "Chur": 1}
    assert (found["town"]["adds_up"], found["visits.job"]["adds_up"]) == (True, False)
    assert found["visits.job"]["role"] == "field"


def test_a_wrong_hierarchy_is_told_beside_its_column(counted, tmp_path):
    (tmp_path / "job.csv").write_text("nurse;care;*\n")
    found = counted()["job"]
    assert (found["uncovered"], found["uncovered_people"], nodes(found)["*"]) == (1, 2, 2)
    (tmp_path / "job.csv").write_text("nurse;care;*\nclerk;care;x\n")
    found = counted()
    assert "does not end in the root" in found["job"]["error"]
    assert found["job"]["nodes"] is None
    assert found["age"]["nodes"]
    (tmp_path / "people.csv").write_text(PEOPLE.replace("f", "").replace("m,", ","))
    assert "no value to build from" in counted()["sex"]["error"]


def test_a_column_without_a_hierarchy_is_named(counted):
    with pytest.raises(InputError, match="no column 'ages' has a hierarchy; did you mean 'age'"):
        counted(only=["ages"])


def test_labels_from_cells_are_shown_only_on_demand(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "job.csv").write_text(JOBS)
    found = count(check({"data": {"path": "people.csv"}, "columns": COLUMNS}, folder=tmp_path))
    ages, jobs = found.columns[0], found.columns[2]
    assert set(ages.as_dict()["nodes"]["label"]) == {None}
    assert list(ages.drawn(limit=3)) == ["group (4 people)", "  group (1 person)", "  group (3 people)"]
    assert list(ages.drawn(limit=2, values=True)) == ["* (4 people)", "  [0, 20) (1 person)", "... 1 more"]
    assert list(jobs.drawn())[:3] == ["* (4 people)", "  care (2 people)", "    nurse (2 people)"]
    assert "nurse" not in repr(jobs)
    assert jobs.sentence() == "job: 4 people, 3 leaves, height 2"


@given(
    strategies.hierarchies(),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, len(strategies.VALUES) - 1)), max_size=12),
)
def test_counts_are_those_of_the_definition(paths, held):
    import numpy as np

    tree = Editable.of(Hierarchy.from_paths("h", paths))
    pairs = np.array(held, dtype=np.int64).reshape(-1, 2)
    who, leaves = _unique_pairs(pairs[:, 0], pairs[:, 1], tree.size)
    by_node = [
        {person for person, leaf in held if low <= leaf < high}
        for low, high in zip(tree.nodes.low, tree.nodes.high, strict=True)
    ]
    assert _count_distinct(tree, who, leaves).tolist() == list(map(len, by_node))
    if len(set(who.tolist())) == len(who):
        assert _sum_leaves(tree, who, leaves).tolist() == list(map(len, by_node))


@pytest.mark.parametrize(("jobs", "by_use"), [(JOBS, False), (JOBS.replace("care", "nurse or doctor"), True)])
def test_groups_by_frequency_are_told(counted, tmp_path, jobs, by_use):
    (tmp_path / "job.csv").write_text(jobs)
    assert counted()["job"]["by_frequency"] is by_use
    found = count(check({"data": {"path": "people.csv"}, "columns": COLUMNS}, folder=tmp_path))
    told = {one.name: one.sentence() for one in found.columns}
    assert ("grouped by frequency, not by meaning" in told["job"]) is by_use
    assert "frequency" not in told["age"]
