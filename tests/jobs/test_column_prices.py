"""What columns cost the others, held against releases that are made one by one."""

import random
from dataclasses import replace

import numpy as np
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.io.config import check
from shoal.jobs import column_prices
from shoal.jobs.column_prices import price_columns

COLUMNS = {
    "age": {"role": "quasi", "hierarchy": {"ranges": [5, 10, 20]}},
    "sex": "quasi",
    "zip": {"role": "quasi", "hierarchy": {"mask": "right"}, "weight": 3},
    "illness": "sensitive",
}


@pytest.fixture
def people(tmp_path):
    draw = random.Random(3)
    rows = [
        f"{draw.randint(20, 60)},{draw.choice('fm')},{10110 + draw.randint(0, 30)},{draw.choice('abcd')}"
        for _ in range(160)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,zip,illness", *rows, ""]))

    def config(columns=COLUMNS, **guarantee):
        raw = {"data": {"path": "people.csv"}, "columns": columns, "guarantee": guarantee or {"k": 4}}
        return check(raw | {"method": {"name": "mondrian"}}, folder=tmp_path)

    return config


def lose(config, names):
    """What some columns lose in a release that is made the long way."""
    specs = config.columns
    read = shoal.read(
        str(config.data.path),
        roles={name: spec.role for name, spec in specs.items()},
        hierarchies={name: spec.hierarchy for name, spec in specs.items() if spec.hierarchy is not None},
        weights={name: spec.weight for name, spec in specs.items() if spec.role == "quasi"},
    )
    losses = shoal.anonymize(read, k=4, method="mondrian", allow_empty=True).losses_by_column
    weights = [specs[name].weight for name in names]
    return sum(losses[name] * weight for name, weight in zip(names, weights, strict=True)) / sum(weights)


def test_a_column_left_out_brings_what_releases_without_it_keep(people):
    config = people()
    found = price_columns(config)
    assert (found.records, found.sample, found.untried) == (160, None, ())
    left_out = {price.name: price for price in found.prices if price.change == "left out"}
    assert set(left_out) == {"age", "sex", "zip"}
    for name, price in left_out.items():
        others = [other for other in ("age", "sex", "zip") if other != name]
        spec = replace(config.columns[name], role="drop", hierarchy=None, weight=1.0)
        without = replace(config, columns={**config.columns, name: spec})
        assert price.before == pytest.approx(lose(config, others))
        assert price.after == pytest.approx(lose(without, others))
    assert [price.gain for price in found.prices] == sorted((p.gain for p in found.prices), reverse=True)


def test_only_labels_that_do_not_depend_on_all_values_can_be_coarser(people):
    coarser = [price for price in price_columns(people()).prices if price.change == "coarser"]
    assert [(price.name, price.level) for price in coarser] == [("age", 1)]
    higher = {**COLUMNS, "age": {**COLUMNS["age"], "level": 2}}
    [price] = [price for price in price_columns(people(higher)).prices if price.change == "coarser"]
    assert price.level == 3


def test_where_no_release_can_be_made_a_change_may_help(people):
    found = price_columns(people(k=4, l=5))
    assert found.prices == ()
    assert all(price.before is not None for price in price_columns(people(k=4, l=2)).prices)


def test_a_sample_is_told_and_time_is_kept(people, monkeypatch):
    found = price_columns(people(), sample=100)
    assert (found.records, found.sample) == (160, 100)
    late = price_columns(people(), seconds=1e-9)
    assert late.prices == ()
    assert late.untried == ("age", "sex", "zip")
    monkeypatch.setattr(column_prices, "_FEWEST", 10)
    assert price_columns(people(), seconds=1e-9).sample == 20  # too slow for all of them, fewer are tried


def test_persons_are_drawn_with_all_their_rows(people, tmp_path):
    rows = [f"{number // 4},{20 + number % 30},{'fm'[number % 2]}" for number in range(200)]
    (tmp_path / "visits.csv").write_text("\n".join(["who,age,sex", *rows, ""]))
    columns = {"who": "identifier", "age": "quasi", "sex": "quasi"}
    raw = {"data": {"path": "visits.csv", "person": "who"}, "columns": columns, "guarantee": {"k": 2}}
    source = column_prices.read_records(check(raw, folder=tmp_path))
    drawn = column_prices._draw_rows(source, "who", 60)
    assert len(drawn) == 60
    assert set(np.bincount(drawn // 4)) == {0, 4}


def test_what_has_no_columns_to_leave_out_is_refused(people):
    for columns in ({"age": "quasi", "sex": "plain", "zip": "drop", "illness": "drop"},):
        with pytest.raises(InputError, match="two quasi-identifiers or more"):
            price_columns(people(columns))
