import numpy as np
import polars as pl
import pytest

import shoal
from shoal.publish.making import rehearse
from shoal.publish.study.useful.figures import model_figures, table_figures
from shoal.publish.study.useful.split import split


def people(n=100):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, size=n)
    frame = pl.DataFrame(
        {"age": age, "sex": ["fm"[a % 2] for a in age], "rich": ["yes" if a > 40 else "no" for a in age]}
    )
    roles = {"age": "quasi", "sex": "quasi", "rich": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [10, 20]}}, allow=("rich",))


def test_a_table_that_was_not_touched_is_as_useful_as_it_was():
    data = people()
    same = data.recode({"levels": {"age": 0, "sex": 0}}, shoal.KAnonymity(1), 0).release
    found = table_figures(data, same)
    assert set(found) == {"table_are", "association_change", "association_worst", "mean_width"}
    assert set(found.values()) == {0}


def test_a_table_that_was_hidden_tells_nothing_for_certain():
    data = people()
    gone = data.recode({"levels": {"age": 3, "sex": 1}}, shoal.KAnonymity(2), 0).release
    found = table_figures(data, gone)
    assert found["mean_width"] == 1
    assert found["association_worst"] > 0.7
    assert found["table_are"] > 0


def test_models_by_name():
    train, held = split(people())
    release = rehearse(train, method="mondrian", k=3).release
    found = model_figures(train, release, held, "rich")
    assert set(found) == {
        "majority_accuracy",
        *(f"{m}_{what}" for m in ("logistic", "boosted") for what in ("accuracy", "auc")),
        *(f"{m}_{what}_originals" for m in ("logistic", "boosted") for what in ("accuracy", "auc")),
    }
    assert found["boosted_accuracy_originals"] == pytest.approx(1, abs=0.1)


def test_baskets_have_no_figures_of_a_table():
    data = shoal.read(pl.DataFrame({"bought": [["a"], ["b"]] * 3}), roles={"bought": "items"})
    assert table_figures(data, None) == {}
