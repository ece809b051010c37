"""What follows from known columns is found, and what only looks so in few people is not."""

import numpy as np
import polars as pl

import shoal
from shoal.risks.closures import find_closures, tells_column

N = 400
DRAW = np.random.default_rng(5)
BEFORE = DRAW.integers(50, 110, N)
GAIN = DRAW.integers(-9, 10, N)
FRAME = {
    "town": DRAW.choice(["Bonn", "Oslo", "Rome"], N),
    "before": BEFORE,
    "after": BEFORE + GAIN,
    "gain": GAIN,
    "visits": DRAW.poisson(3, N),
    "income": DRAW.permutation(N),
    "smoker": DRAW.choice(["yes", "no"], N),
}


def rules(**more):
    frame = pl.DataFrame({name: [str(cell) for cell in cells] for name, cells in {**FRAME, **more}.items()})
    roles = {name: "quasi" if name == "town" else "known" for name in frame.columns}
    data = shoal.read(frame, roles=roles)
    return set(find_closures(data.table, data.leaves, data.hierarchies))


def test_of_three_numbers_that_add_up_two_tell_the_third():
    assert rules() == {
        (("after", "before"), "gain"),
        (("after", "gain"), "before"),
        (("before", "gain"), "after"),
    }


def test_copies_follow_from_each_other_also_on_another_scale_and_coarser_ones_from_the_finer():
    found = rules(
        calls=FRAME["visits"] * 7 + 1,
        often=np.where(FRAME["visits"] > 2, "often", "seldom"),
        wage=(FRAME["income"] + 1) ** 2,
    )
    assert {(("visits",), "calls"), (("calls",), "visits")} <= found
    assert (("visits",), "often") in found
    assert (("often",), "visits") not in found
    assert {(("income",), "wage"), (("wage",), "income")} <= found


def test_what_follows_from_the_core_is_known_to_all():
    country = np.array([{"Bonn": "DE", "Oslo": "NO", "Rome": "IT"}[town] for town in FRAME["town"]])
    assert ((), "country") in rules(country=country)


def test_values_of_few_people_are_no_evidence():
    given = np.arange(N, dtype=np.int32) // 2
    assert not tells_column(given, (given % 3).astype(np.int32))
    shared = (np.arange(N) % 20).astype(np.int32)
    assert tells_column(shared, (shared % 3).astype(np.int32))


def test_without_known_columns_nothing_follows():
    data = shoal.read(pl.DataFrame({"town": ["x", "y"]}), roles={"town": "quasi"})
    assert find_closures(data.table, data.leaves, data.hierarchies) == ()
