"""Attack against control: rates counted by hand, a throw-away release that leaves no trace, and every shape."""

import json

import numpy as np
import polars as pl
import pytest

import shoal
from release_cases import CONFIGS, write_originals
from shoal.anonymization.run import anonymize
from shoal.io.config import load
from shoal.jobs.attack import attack
from shoal.shapes.registry import open_dataset

pytestmark = pytest.mark.usefixtures("hasty")

ROLES = {"age": "quasi", "ill": "sensitive"}


def _table(ages, ills):
    people = pl.DataFrame({"age": ages, "ill": ills})
    return shoal.read(people, roles=ROLES, hierarchies={"age": {"ranges": [10, 50]}})


def test_rates_and_residual_risk_of_a_tiny_table_are_those_counted_by_hand():
    """30s: flu flu gout; 40s: flu gout gout. Others: 35 flu, 37 pox, 42 gout, 60 flu, which no row fits."""
    inside = _table([31, 33, 38, 41, 44, 47], ["flu", "flu", "gout", "flu", "gout", "gout"])
    outside = _table([35, 37, 42, 60], ["flu", "pox", "gout", "flu"])
    made = shoal.anonymize(inside, k=3, method="optimal", suppress=0.0)
    assert sorted(made.data["age"].unique()) == ["[30, 40)", "[40, 50)"]
    found = attack(made, control=outside)
    told = found.outcome_of("inference").control
    assert told.attack.rate == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 / 3 + 2 / 3 + 2 / 3) / 6)
    assert told.control.rate == pytest.approx((2 / 3 + 0 + 2 / 3 + 0) / 4)
    assert told.residual == pytest.approx((5 / 9 - 1 / 3) / (1 - 1 / 3))
    linked = found.outcome_of("all-quasi-identifiers").control
    assert (linked.attack.rate, linked.control.rate) == pytest.approx((1 / 3, (3 / 3) / 4))
    assert found.outcome_of("skewness").control is None


def test_a_throw_away_release_leaves_no_trace_in_public(tmp_path):
    table = _table(
        np.random.default_rng(1).integers(20, 60, 80).tolist(),
        np.random.default_rng(2).choice(["flu", "gout"], 80).tolist(),
    )
    for name, control in (("plain", None), ("held", 0.3)):
        shoal.anonymize(table, k=3, seed=1).save(tmp_path / name, control=control, seed=1)
    files = [
        {one.name: one.read_bytes() for one in (tmp_path / name).iterdir()} for name in ("plain", "held")
    ]
    assert files[0] == files[1]
    assert {one.name for one in tmp_path.iterdir()} == {"plain", "plain.private", "held", "held.private"}
    assert {one.name for one in (tmp_path / "held.private").iterdir()} == {
        one.name for one in (tmp_path / "plain.private").iterdir()
    }
    told = json.loads((tmp_path / "held.private" / "audit.json").read_text())["attack"]
    assert told["control"].startswith("24 of 80 records were held back")
    beside = {found["name"]: found["control"] for found in told["attackers"]}
    assert (beside["inference"]["attack"]["played"], beside["inference"]["control"]["played"]) == (56, 24)
    page = (tmp_path / "held.private" / "audit.html").read_text()
    assert "Three criteria" in page
    assert "Residual risk" in page


@pytest.mark.parametrize("kind", [kind for kind in CONFIGS if kind != "table"])
def test_every_shape_has_a_control(tmp_path, kind):
    write_originals(tmp_path)
    (tmp_path / "shoal.toml").write_text(CONFIGS[kind])
    config = load(tmp_path / "shoal.toml")
    made = anonymize(open_dataset(config), seed=1, **config.guarantee)
    found = attack(made, control=0.3, seed=1, attacker="own-class")  # nobody makes the release again
    beside = [one for one in found.attackers if one.control is not None]
    assert found.control
    assert {"linkability"} <= {one.criterion for one in beside}
    assert all(0 <= one.control.control.rate <= 1 for one in beside)


@pytest.mark.parametrize("share", [0, 1, -0.1, True, "x"])
def test_a_control_group_is_a_share(tmp_path, share):
    table = _table([31, 33, 38], ["flu", "flu", "gout"])
    with pytest.raises(shoal.InputError, match="control"):
        shoal.anonymize(table, k=2, allow_empty=True).save(tmp_path / "out", control=share)
    assert not (tmp_path / "out").exists()


def test_of_baskets_by_vote_prediction_is_played_on_others_and_the_rest_say_why_not():
    """Labels follow from one item here, so whoever is not in the release is guessed as well as those who are."""
    chance = np.random.default_rng(2)
    labels = chance.choice(list("pqrs"), 80)
    baskets = [[f"item of {label}", str(chance.choice(["x", "y"]))] for label in labels]
    frame = pl.DataFrame({"items": baskets, "faith": labels})
    data = shoal.read(frame, roles={"items": "items", "faith": "sensitive"}, allow=("faith",))
    found = attack(shoal.anonymize(data, k=2, method="nonreciprocal", seed=1), control=0.3, seed=1)
    both = found.outcome_of("prediction").control
    assert both.control.rate > 0.5
    assert abs(both.residual) < 0.3
    lone = {one.name for one in found.attackers if one.control is None}
    told = {name: why for one in found.as_dict()["criteria"] for name, why in one["no_control"].items()}
    assert told.keys() == lone >= {"every-basket", "homogeneity", "inference", "skewness"}
    assert all(told.values())
