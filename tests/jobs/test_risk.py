"""Risk in Python, of every shape: what the object says, by hand, and what it never says."""

import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.report.risk import sentences

pytestmark = pytest.mark.usefixtures("untried")

PEOPLE = pl.DataFrame(
    {
        "name": list("abcdefgh"),
        "age": [31, 31, 31, 40, 40, 52, 52, 52],
        "sex": ["f", "f", "m", "m", "m", "f", "f", "f"],
        "town": ["X", "Y", "X", "X", "X", "Y", "Y", "Y"],
        "ill": ["flu"] * 8,
    }
)
ROLES = {"name": "identifier", "age": "quasi", "sex": "quasi", "town": "quasi", "ill": "sensitive"}


@pytest.fixture
def found():
    return shoal.risk(shoal.read(PEOPLE, roles=ROLES), k=3, population=80)


def known(found):
    return {row["known"]: (row["alone"], row["fewer"]) for row in found.table().iter_rows(named=True)}


def test_a_table_by_hand(found):
    """By one column nobody is alone; (31, m), (31, Y) and (f, X) single out rows 2, 1 and 0."""
    assert known(found) == {
        "any 1 column": (0, 2 / 8),
        "any 2 columns": (3 / 8, 5 / 8),
        "all 3 columns": (3 / 8, 5 / 8),
    }
    facts = found.as_dict()
    assert (facts["people"], facts["rows"], facts["rows_per_person"]) == (8, 8, None)
    assert facts["prosecutor"] == {
        "highest": 1.0,
        "average": pytest.approx(5 / 8),
        "above": pytest.approx(5 / 8),
    }
    assert facts["threshold"] == 1 / 3
    assert facts["marketer"] == facts["journalist"]["average"]
    assert shoal.risk(shoal.read(PEOPLE, roles=ROLES)).as_dict()["marketer"] == pytest.approx(5 / 8)
    age = next(row for row in facts["columns"] if row["column"] == "age")
    assert age["values"] == 3
    assert age["distinction"] == 3 / 8
    assert age["separation"] == pytest.approx(1 - (3 + 1 + 3) / 28)


def test_minimal_sets_and_scores_by_hand(found):
    minimal = {tuple(row["columns"]): row["alone"] for row in found.as_dict()["minimal_sets"]}
    assert minimal == {("age", "sex"): 1 / 8, ("age", "town"): 1 / 8, ("sex", "town"): 1 / 8}
    assert found.scores.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    contribution = {row["column"]: row["contribution"] for row in found.as_dict()["columns"]}
    assert contribution == pytest.approx({"age": 2 / 3, "sex": 2 / 3, "town": 2 / 3})


def test_a_population_by_its_size(found):
    """Each of three is alone in a tenth of the population: ln 10 / 9 is the expected chance."""
    facts = found.as_dict()
    assert facts["population"]["fraction"] == 0.1
    assert facts["journalist"]["highest"] == pytest.approx(np.log(10) / 9)
    assert facts["journalist"]["absent"] is None
    same = shoal.risk(shoal.read(PEOPLE, roles=ROLES), k=3, fraction=0.1).as_dict()
    assert same["journalist"] == facts["journalist"]
    assert same["population"] == facts["population"] | {"source": "fraction"}


def test_a_population_by_its_records(tmp_path):
    """Of the population, three look like row 0, and nobody like row 1."""
    more = pl.DataFrame({"sex": ["f", "f", "x"], "age": [31, 31, 99], "town": ["X"] * 3})
    everybody = pl.concat([PEOPLE.select("sex", "age", "town").slice(2), more, more.slice(0, 1)])
    data = shoal.read(PEOPLE, roles=ROLES)
    from_frame = shoal.risk(data, population=everybody).as_dict()
    chances = [1 / 3, 1, 1, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3]
    assert from_frame["journalist"]["average"] == pytest.approx(np.mean(chances))
    assert from_frame["journalist"]["absent"] == 1 / 8
    everybody.write_csv(tmp_path / "all.csv")
    assert shoal.risk(data, population=tmp_path / "all.csv").as_dict() == from_frame


def test_persons_are_counted_not_rows():
    """Ann has two rows of one look, which nobody shares; Bo and Cem share theirs."""
    visits = pl.DataFrame({"who": ["Ann", "Ann", "Bo", "Cem"], "age": [31, 31, 40, 40], "sex": list("ffmm")})
    data = shoal.read(visits, roles={"age": "quasi", "sex": "quasi"}, person="who")
    found = shoal.risk(data, k=3)
    facts = found.as_dict()
    assert (facts["people"], facts["rows"], facts["rows_per_person"]) == (3, 4, {"1": 2, "2": 1})
    assert known(found)["all 2 columns"] == (1 / 3, 1)
    assert "rows" in found.html()


def test_baskets_by_hand():
    sold = pl.DataFrame({"items": [["a", "b"], ["a", "c"], ["a", "b", "c"], ["a"], ["a"]]})
    found = shoal.risk(shoal.read(sold, roles={"items": "items"}), k=3)
    assert known(found) == {
        "any 1 item": (0, 3 / 5),
        "any 2 items": (1 / 5, 3 / 5),
        "any 3 items": (1 / 5, 3 / 5),
        "the whole basket": (3 / 5, 1),
    }
    assert found.as_dict()["items_per_person"] == {"fewest": 1, "average": 1.8, "most": 3}
    with pytest.raises(InputError, match="no sets of columns"):
        found.sets()


def test_a_table_with_baskets_by_hand():
    sold = pl.DataFrame({"age": [1, 1, 2, 2], "items": [["a", "b"], ["a"], ["b"], ["b"]]})
    found = shoal.risk(shoal.read(sold, roles={"age": "quasi", "items": "items"}), k=2)
    assert {what: alone for what, (alone, _) in known(found).items()} == {
        "the column": 0,
        "any 1 item": 0,
        "any 2 items": 1 / 4,
        "any 3 items": 1 / 4,
        "the whole basket": 2 / 4,
        "the column and any 1 item": 1 / 4,
        "the column and any 2 items": 1 / 4,
        "the column and any 3 items": 1 / 4,
        "the column and the whole basket": 2 / 4,
    }


def test_trees_by_hand():
    people = [
        {"visits": [{"ward": w, "ill": i} for w, i in pairs]}
        for pairs in (["Af", "Bg"], ["Ag", "Bf"], ["Af"])
    ]
    flat = {"visits.ward": {"fanout": 2}, "visits.ill": {"fanout": 2}}
    found = shoal.risk(shoal.read_trees(people, hierarchies=flat), k=3)
    assert {what: alone for what, (alone, _) in known(found).items()} == {
        "any 1 value": 0,
        "any 2 values": 0,
        "any 3 values": 0,
        "any 2 values and 1 relation among them": 2 / 3,
        "any 3 values and 1 relation among them": 2 / 3,
        "the whole tree": 1,
    }
    fields = {row["field"]: (row["values"], row["fewer"]) for row in found.as_dict()["fields"]}
    assert fields == {"visits.ward": (2, 2 / 3), "visits.ill": (2, 2 / 3)}


def test_a_sample_is_told(found):
    data = shoal.read(PEOPLE, roles=ROLES)
    some = shoal.risk(data, sample=4)
    assert (some.as_dict()["people"], some.as_dict()["sampled_from"]) == (4, 8)
    assert some.as_dict() == shoal.risk(data, sample=4).as_dict()
    assert "drawn at random" in some.html()
    assert shoal.risk(data, k=3, population=80, sample=8).as_dict() == found.as_dict()


def test_a_sample_of_persons_keeps_all_their_rows():
    visits = pl.DataFrame({"who": list("aabbccdd"), "age": list(range(8))})
    data = shoal.read(visits, roles={"age": "quasi"}, person="who")
    assert shoal.risk(data, sample=2).as_dict()["rows_per_person"] == {"2": 2}


def test_samples_of_baskets_and_of_trees():
    sold = shoal.read(pl.DataFrame({"items": [["a", "b"]] * 9}), roles={"items": "items"})
    some = shoal.risk(sold, sample=3).as_dict()
    assert (some["people"], some["items_per_person"]["average"]) == (3, 2)
    assert [row["fewer"] for row in some["found"]] == [1, 1, 1, 1]
    trees = shoal.read_trees([{"ill": "flu"}] * 9, hierarchies={"ill": {"fanout": 2}})
    assert [row["fewer"] for row in shoal.risk(trees, sample=5).as_dict()["found"]] == [0] * 6


def test_a_configuration_and_its_path_tell_the_same(people):
    path = people / "shoal.toml"
    with_path = shoal.risk(path).as_dict()
    assert with_path == shoal.risk(str(path)).as_dict() == shoal.risk(load(path)).as_dict()
    assert [row["column"] for row in with_path["columns"]] == ["age", "sex", "job"]


def test_data_that_nobody_has_described(people):
    """A file, a frame and a proposal for them tell the same, and say that the roles were guessed."""
    path = people / "people.csv"
    found = shoal.risk(path).as_dict()
    assert found["proposed"]
    assert found["people"] == 60
    assert {"age", "sex"} <= {row["column"] for row in found["columns"]}
    assert shoal.risk(shoal.propose(path)).as_dict() == found
    assert shoal.risk(pl.read_csv(path, infer_schema=False)).as_dict()["found"] == found["found"]


def configured(folder, columns):
    PEOPLE.with_columns(
        badge=pl.Series([1, 1, 2, 3, 4, 5, 6, 7]), nick=pl.Series(["x", "x", "y", "y", "z", "z", "u", "u"])
    ).write_csv(folder / "people.csv")
    roles = {"age": "quasi", **dict.fromkeys(columns, "identifier"), "*": "drop"}
    lines = [f'"{name}" = "{role}"' for name, role in roles.items()]
    (folder / "shoal.toml").write_text('[data]\npath = "people.csv"\n[columns]\n' + "\n".join(lines))
    return folder / "shoal.toml"


def test_an_identifier_that_repeats_tells_whose_rows_they_are(tmp_path):
    path = configured(tmp_path, ["badge", "nick"])
    with pytest.warns(shoal.ShoalWarning, match="values of 'badge' repeat"):
        found = shoal.risk(path).as_dict()
    assert (found["people"], found["rows_per_person"]) == (7, {"1": 6, "2": 1})


def test_a_unique_identifier_keeps_rows_apart(tmp_path):
    """Two people may share a nickname: then the data are refused as everywhere."""
    with pytest.raises(InputError, match="8 records share an identifier"):
        shoal.risk(configured(tmp_path, ["name", "nick"]))
    assert shoal.risk(configured(tmp_path, ["name"])).as_dict()["rows_per_person"] is None


def test_nothing_that_is_shown_holds_a_cell(people):
    """Cells are names of people, jobs, diseases: none is in the repr, the notebook, JSON or the page."""
    found = shoal.risk(people / "shoal.toml", population=1000)
    for shown in (repr(found), found._repr_html_(), json.dumps(found.as_dict()), found.html()):
        for cell in ("person1", "nurse", "lawyer", "asthma"):
            assert cell not in shown


def test_the_kind_of_frame_that_came_in():
    data = shoal.read(PEOPLE.to_pandas(), roles=ROLES)
    assert type(shoal.risk(data).sets()).__module__.startswith("pandas")


def test_json_is_unrounded_and_plain(found):
    text = json.dumps(found.as_dict())
    assert json.loads(text) == found.as_dict()
    assert found.sets().height == len(found.as_dict()["sets"]) == 7


def test_the_page_is_private_and_offline(found, tmp_path):
    page = found.save(tmp_path / "risk.html").read_text(encoding="utf-8")
    assert "Private: do not publish" in page
    assert 'src="http' not in page
    assert found.plot().layout.title.text == "Who can be found, and by what"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"sample": 0}, "sample must be a whole number of at least 1"),
        ({"population": 7}, "a population of 7, and the data hold 8 people"),
        ({"population": 80, "fraction": 0.1}, "leave one out"),
        ({"fraction": 1.5}, "above 0 and up to 1"),
        ({"fraction": "half"}, "fraction is not a number"),
        ({"population": PEOPLE.drop("sex")}, "no column 'sex'"),
    ],
)
def test_wrong_numbers_are_told(options, said):
    with pytest.raises(InputError, match=said):
        shoal.risk(shoal.read(PEOPLE, roles=ROLES), **options)


def test_data_without_anything_to_know_are_refused():
    with pytest.raises(InputError, match="no column has the role quasi"):
        shoal.risk(shoal.read(PEOPLE.select("ill"), roles={"ill": "sensitive"}))
    with pytest.raises(InputError):
        shoal.risk(5)
    sold = pl.DataFrame({"items": [["a"], ["b"]]})
    with pytest.raises(InputError, match="the data have none"):
        shoal.risk(shoal.read(sold, roles={"items": "items"}), fraction=0.5)


def test_known_columns_are_known_a_few_at_a_time_beside_all_quasi_identifiers():
    """A twin by sets of tuples, on average over the choices."""
    draw = np.random.default_rng(3)
    codes = {"age": draw.integers(0, 4, 60), **{f"visits_{j}": draw.integers(0, 3, 60) for j in range(4)}}
    known_names = list(codes)[1:]
    data = shoal.read(
        pl.DataFrame(codes), roles={"age": "quasi", **dict.fromkeys(known_names, "known")},
        hierarchies={name: {"fanout": 2} for name in codes},
    )  # fmt: skip
    found = shoal.risk(data, k=5)
    facts = found.as_dict()["known"]
    assert facts["columns"] == 4
    for row in facts["rows"]:
        shares = []
        for names in combinations(known_names, row["size"]):
            people = list(zip(codes["age"].tolist(), *(codes[name].tolist() for name in names), strict=True))
            shares += [people.count(one) < 5 for one in people]
        assert row["fewer"] == pytest.approx(np.mean(shares))
    assert [row["size"] for row in facts["rows"]] == [1, 2, 3, 4]
    assert "4 columns may be known a few at a time" in dict(sentences(found.as_dict()))["known"]
