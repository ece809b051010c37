import numpy as np
import polars as pl

import shoal
from shoal.publish.study.useful.reading import other_originals, read_originals, read_release
from shoal.publish.study.useful.split import some_records

CITY = [["Ulm", "south", "*"], ["Kiel", "north", "*"], ["Bonn", "west", "*"], ["Jena", "east", "*"]]


AGES = ["31", "47", None, "22", "58", "63", "35", "41", "29", "74"]
INCOMES = ["100", "50", "", "70", "60", "80", "90", "110", "120", "130"]


def data():
    frame = pl.DataFrame(
        {
            "age": AGES * 2,
            "city": ["Ulm", "Kiel", "Bonn", "Jena"] * 5,
            "income": INCOMES * 2,
            "ill": ["flu", "gout", "flu", "hiv"] * 5,
            "sex": ["1", "2"] * 10,
        }
    )
    hierarchies = {"age": {"ranges": [10, 20]}, "city": shoal.Hierarchy.from_paths("city", CITY)}
    roles = {"age": "quasi", "city": "quasi", "income": "sensitive", "ill": "sensitive", "sex": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies=hierarchies, allow=("income", "ill", "sex"))


def told(cells, row):
    """The leaves that a cell stands for, as text."""
    form = cells.codes[row]
    leaves = cells.forms.leaves[cells.forms.start[form] : cells.forms.start[form + 1]]
    return [cells.forms.labels[leaf] if len(leaves) == 1 else leaf for leaf in leaves]


def test_originals_stand_for_themselves():
    age, city, income, ill, sex = read_originals(data())
    assert (told(age, 0), told(age, 2), told(city, 1), told(ill, 3)) == (["31"], [], ["Kiel"], ["hiv"])
    assert (told(income, 1), told(income, 2)) == (["50"], [])
    assert (age.ordered, city.ordered, ill.ordered) == (True, False, False)
    assert sorted(age.numbers) == [22, 29, 31, 35, 41, 47, 58, 63, 74]
    assert sorted(income.numbers) == [50, 60, 70, 80, 90, 100, 110, 120, 130]
    assert ill.numbers is sex.numbers is None  # 1 and 2 are codes


def test_many_values_are_put_into_few_groups():
    age, city, income, ill, _ = read_originals(data(), most=2)
    assert city.names == ("Ulm to Kiel", "Bonn to Jena")  # no level between four groups and the root
    assert ill.names == ("flu", "all others")
    assert income.names == ("50 to 90", "100 to 130")
    assert income.groups[[income.forms.labels.index(v) for v in ("50", "90", "100")]].tolist() == [0, 0, 1]
    assert len(age.names) == 2
    assert read_originals(data(), most=5)[0].names == ("[20, 40)", "[40, 60)", "[60, 80)")


def test_a_release_is_read_by_the_same_groups():
    people = data()
    release = shoal.anonymize(people, k=3, method="optimal", seed=1).result.release
    before = read_originals(people)
    for old, new in zip(before, read_release(release, before), strict=True):
        assert (new.names, new.size) == (old.names, old.size)
        for row, origin in enumerate(release.rows):
            mine = old.codes[origin]
            form = new.codes[row]
            stands = new.forms.leaves[new.forms.start[form] : new.forms.start[form + 1]]
            assert mine in stands or (mine == old.size and not len(stands))


def test_other_records_have_the_same_groups():
    people = data()
    part = some_records(people, np.array([2, 1]))
    whole = read_originals(people)
    for old, new in zip(whole, other_originals(part, whole), strict=True):
        assert new.codes.tolist() == old.codes[[2, 1]].tolist()
