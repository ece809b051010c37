"""Known columns in classes by the core: what is made keeps the claim, and loses less than where all know all."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import METHODS, default_method
from shoal.algorithms.local.core import core
from shoal.algorithms.local.mondrian import mondrian
from shoal.base.errors import InfeasibleError, InputError
from shoal.io.config import check
from shoal.privacy import AllOf, AverageRisk, CoreAnonymity, KAnonymity
from shoal.utility import ncp


def people_with_visits(n=300, seed=3):
    random = np.random.default_rng(seed)
    cells = {
        "town": random.choice(["Bonn", "Oslo", "Rome"], n),
        "age": (20 + random.integers(0, 50, n)).astype(str),
        "visits": random.poisson(2, n).astype(str),
        "weight": (50 + random.integers(0, 40, n)).astype(str),
        "smoker": random.choice(["yes", "no"], n),
    }
    return pl.DataFrame(cells)


ROLES = {"town": "quasi", "age": "quasi", "visits": "known", "weight": "known", "smoker": "known"}


def test_less_is_lost_than_where_everybody_knows_all_columns():
    dataset = shoal.read(people_with_visits(), roles=ROLES)
    claim = CoreAnonymity(5, 1)
    made = core(dataset.table, dataset.hierarchies, claim, rng=np.random.default_rng(1)).release
    all_known = mondrian(dataset.table, dataset.hierarchies, KAnonymity(5)).release
    assert ncp(made, dataset.hierarchies) < 0.7 * ncp(all_known, dataset.hierarchies)


@pytest.mark.parametrize("m", [1, 2])
def test_a_release_is_judged_and_verified_from_its_folder(tmp_path, m):
    frame = people_with_visits().with_columns(stones=(pl.col("weight").cast(pl.Int64) * 2).cast(pl.String))
    people = shoal.read(frame, roles={**ROLES, "stones": "known"})
    release = shoal.anonymize(people, k=5, known_at_once=m, seed=1)
    assert release.manifest["method"]["name"] == "core"
    claim = release.claim
    assert {(("weight",), "stones"), (("stones",), "weight")} <= set(claim.follows)
    assert release.verdict.reached["k"] >= 5
    release.save(tmp_path / "out")
    assert shoal.verify(tmp_path / "out")
    quasi, known = ["town", "age"], ["visits", "weight", "smoker", "stones"]
    assert shoal.judge(release.data, claim, quasi=quasi, known=known)
    assert shoal.judge(release.data, KAnonymity(5), quasi=quasi)
    assert release.manifest["claim"]["known_at_once"] == m
    assert release.manifest["classes"] == release.data.select(quasi).n_unique()


def with_odd_people(number):
    """People with visits, and the last so many of a place and an age that nobody else has."""
    frame = people_with_visits(300 + number)
    odd = np.arange(len(frame)) >= 300
    far = np.array([str(200 + 37 * place) for place in range(len(frame))])
    return frame.with_columns(
        age=pl.Series(np.where(odd, far, frame["age"].to_numpy())),
        town=pl.Series(np.where(odd, "Nome", frame["town"].to_numpy())),
    )


def test_whoever_stands_out_is_left_out_where_that_loses_less():
    dataset = shoal.read(with_odd_people(4), roles=ROLES)
    claim = CoreAnonymity(5, 1)
    kept, left_out = (
        core(dataset.table, dataset.hierarchies, claim, suppress=share, rng=np.random.default_rng(1)).release
        for share in (0.0, 0.05)
    )
    assert len(kept.rows) == 304
    assert left_out.rows.tolist() == list(range(300))
    assert ncp(left_out, dataset.hierarchies) < ncp(kept, dataset.hierarchies)
    few = core(dataset.table, dataset.hierarchies, claim, suppress=0.01, rng=np.random.default_rng(1)).release
    assert len(few.rows) >= 301


def test_nobody_is_left_out_for_nothing():
    dataset = shoal.read(people_with_visits(), roles=ROLES)
    made = core(
        dataset.table, dataset.hierarchies, CoreAnonymity(5, 1), suppress=0.2, rng=np.random.default_rng(1)
    ).release
    assert len(made.rows) == 300


def test_l_is_kept_in_every_group_that_somebody_can_see():
    random = np.random.default_rng(5)
    frame = people_with_visits().with_columns(ill=pl.Series(random.choice(["flu", "gout", "no"], 300)))
    people = shoal.read(frame, roles=ROLES | {"ill": "sensitive"})
    release = shoal.anonymize(people, k=5, l=2, known_at_once=1, seed=1)
    assert release.verdict.reached["l"] >= 2
    assert release.manifest["method"]["name"] == "core"
    with pytest.raises(InputError, match="core keeps known_at_once, and average risk does not go with it"):
        shoal.anonymize(people, k=5, average_risk=0.1, known_at_once=1)


def test_whoever_knows_the_core_is_played_against_the_core():
    people = shoal.read(people_with_visits(), roles=ROLES)
    release = shoal.anonymize(people, k=5, known_at_once=1, seed=1)
    attack = shoal.attack(release)
    assert attack


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_known_columns_go_with_known_at_once(role):
    roles = {**ROLES, "smoker": role}
    with pytest.raises(InputError, match="columns have the role known"):
        shoal.anonymize(shoal.read(people_with_visits(), roles=roles), k=5)
    none = dict.fromkeys(ROLES, "quasi")
    with pytest.raises(InputError, match="known_at_once is about known columns, and there is none"):
        shoal.anonymize(shoal.read(people_with_visits(), roles=none), k=5, known_at_once=1)


def test_what_is_refused():
    frame = people_with_visits()
    twice = frame.with_columns(id=pl.Series([str(i // 2) for i in range(len(frame))]))
    people = shoal.read(twice, roles=ROLES | {"id": "identifier"}, person="id")
    with pytest.raises(InputError, match="150 rows repeat a person"):
        shoal.anonymize(people, k=5, known_at_once=1)
    copied = frame.with_columns(city=pl.col("town").str.to_uppercase())
    with pytest.raises(InputError, match="'city': its value reveals the value of quasi-identifier 'town'"):
        shoal.anonymize(shoal.read(copied, roles={**ROLES, "city": "known"}), k=5, known_at_once=1)
    people = shoal.read(frame, roles=ROLES)
    with pytest.raises(InfeasibleError, match="k=301 but the table has 300 records"):
        shoal.anonymize(people, k=301, known_at_once=1)
    for claim in (KAnonymity(5), AllOf((CoreAnonymity(5, 1), AverageRisk(0.1)))):
        with pytest.raises(InputError, match="it cannot make a release that keeps"):
            core(people.table, people.hierarchies, claim)
    with pytest.raises(InputError, match="mondrian cannot make a release that keeps k-anonymity with known"):
        shoal.anonymize(people, k=5, known_at_once=1, method="mondrian")


def test_a_plain_column_that_tells_a_known_one_is_refused():
    copied = people_with_visits().with_columns(calls=pl.col("visits").cast(pl.Int64) * 7)
    people = shoal.read(copied, roles={**ROLES, "calls": "plain"})
    with pytest.raises(InputError, match="'calls': its value reveals"):
        shoal.anonymize(people, k=5, known_at_once=1)


@pytest.mark.parametrize(
    ("columns", "guarantee", "message"),
    [
        ({"visits": "known"}, {"k": 5}, "lacks known_at_once"),
        ({"visits": "quasi"}, {"k": 5, "known_at_once": 1}, "no column has the role known"),
        (
            {"visits": "known", "id": "pseudonym"},
            {"k": 5, "known_at_once": 1},
            "without items and pseudonyms",
        ),
        ({"visits": "known", "seen": "items"}, {"k": 5, "known_at_once": 1}, "without items and pseudonyms"),
    ],
)
def test_a_configuration_says_both_or_neither(tmp_path, columns, guarantee, message):
    raw = {"data": {"path": "x.csv"}, "columns": {"age": "quasi", **columns}, "guarantee": guarantee}
    with pytest.raises(InputError, match=message):
        check(raw, folder=tmp_path)


def test_it_is_the_usual_method_of_known_columns():
    assert default_method("table", {"k": 5, "known_at_once": 2}) == "core"
    assert METHODS["core"].has_floor
