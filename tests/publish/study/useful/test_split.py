import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InputError
from shoal.publish.study.useful.split import some_records, split


def people(n=40, **options):
    frame = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": [20 + i % 30 for i in range(n)],
            "ill": ["flu", "gout"] * (n // 2),
        }
    )
    roles = {"id": "identifier", "age": "quasi", "ill": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [10, 20]}}, **options)


def baskets():
    frame = pl.DataFrame({"bought": [["a"], ["b"], ["a", "b"], ["c"]] * 5, "sex": ["f", "m"] * 10})
    return frame


def test_both_parts_hold_everybody_once():
    whole = people()
    train, held = split(whole, 0.7)
    assert (train.records, held.records) == (28, 12)
    names = [*train.source.frame["id"], *held.source.frame["id"]]
    assert sorted(names) == sorted(whole.source.frame["id"])
    for part in (train, held):
        ages = part.table.column("age")
        assert [int(ages.values[code]) for code in ages.codes] == part.source.frame["age"].to_list()


def test_the_same_seed_draws_the_same_parts_and_another_does_not():
    first, again, other = (split(people(), seed=seed)[0].source.frame["id"].to_list() for seed in (1, 1, 2))
    assert first == again != other


def test_all_rows_of_a_person_fall_into_one_part():
    frame = pl.DataFrame({"who": [f"p{i // 3}" for i in range(60)], "age": [20 + i % 30 for i in range(60)]})
    data = shoal.read(
        frame,
        roles={"who": "identifier", "age": "quasi"},
        hierarchies={"age": {"ranges": [10]}},
        person="who",
    )
    train, held = split(data)
    assert train.records == 42
    assert not set(train.source.frame["who"]) & set(held.source.frame["who"])


@pytest.mark.parametrize(
    "roles", [{"bought": "items", "sex": "sensitive"}, {"bought": "items", "sex": "quasi"}]
)
def test_baskets_go_with_their_records(roles):
    data = shoal.read(baskets(), roles=roles)
    part = some_records(data, np.array([3, 2]))
    found = [[part.baskets.values[code] for code in part.baskets.basket(i)] for i in range(2)]
    assert found == [["c"], ["a", "b"]]
    assert part.source.frame["sex"].to_list() == ["m", "f"]


def test_record_trees_are_split_too():
    data = shoal.read_trees([{"age": str(20 + i)} for i in range(10)], hierarchies={"age": {"ranges": [10]}})
    train, held = split(data)
    assert (train.records, held.records) == (7, 3)


def test_a_part_without_records_is_refused():
    with pytest.raises(InputError, match="leaves a part empty"):
        split(people(2), 0.1)
