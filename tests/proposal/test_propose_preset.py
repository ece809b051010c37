"""A proposal that follows a preset: what it writes can be run, and the release keeps the preset."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from shoal.io.config import load
from shoal.jobs.options import JOBS
from shoal.privacy.presets import PRESETS
from shoal.proposal.propose import propose

pytestmark = pytest.mark.usefixtures("untried")

FORMS = ["%m/%d/%Y", "%d-%b-%Y", "%Y-%m-%dT%H:%M:%S-05:00"]


def patients(form="%Y-%m-%d", records=80):
    random = np.random.default_rng(5)
    days = [
        date(1921 + int(random.integers(0, 85)), int(random.integers(1, 13)), int(random.integers(1, 29)))
        for _ in range(records)
    ]
    zips = random.choice(["02139", "10001", "03601", "98101"], records)
    return pl.DataFrame(
        {
            "MRN": [f"MR{number}" for number in random.permutation(records) + 1000],
            "birth_date": [day.strftime(form) for day in days],
            "age": [2026 - day.year for day in days],
            "zip": [f"{code}-{1000 + place}" for place, code in enumerate(zips)],
            "county": random.choice(["Cook", "King"], records),
            "state": random.choice(["IL", "WA"], records),
            "admit_date": [f"2025-{random.integers(1, 13):02}-{random.integers(1, 29):02}" for _ in range(records)],
            "diagnosis": random.choice(["asthma", "gout", "flu"], records),
            "income": [f"2034.{place % 12 + 1:02}" if place % 3 else f"{place * 97}.50" for place in range(records)],
        }
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_safe_harbor_keeps_years_states_three_digits_and_90_and_over(form):
    found = propose(patients(form), preset="hipaa-safe-harbor")
    assert {one.name: one.role for one in found.columns.values()} == {
        "MRN": "identifier",
        "birth_date": "quasi",
        "age": "quasi",
        "zip": "quasi",
        "county": "drop",
        "state": "quasi",
        "admit_date": "quasi",
        "diagnosis": "sensitive",
        "income": "sensitive",
    }
    assert {one.name for one in found.columns.values() if one.role == "quasi" and one.level == 1} == {
        "birth_date",
        "age",
        "zip",
        "admit_date",
    }
    assert found["birth_date"].hierarchy["bottom"] == date.today().year - 89
    assert found["age"].hierarchy["top"] == 90
    assert found["zip"].hierarchy == {"vocabulary": "us-zip-safe-harbor"}


def test_what_is_stated_stays():
    found = propose(patients(), preset="hipaa-safe-harbor", roles={"county": "quasi"})
    assert (found["county"].role, found["county"].level) == ("quasi", None)


@pytest.mark.parametrize(("preset", "k"), [("hipaa-expert", 12), ("ema-health-canada", 12), ("wp29", 11)])
def test_what_is_written_says_the_preset_and_asks_for_enough(tmp_path, preset, k):
    patients().write_csv(tmp_path / "patients.csv")
    config = load(propose(tmp_path / "patients.csv", preset=preset).save(tmp_path))
    assert {name: one.role for name, one in config.columns.items() if one.role != "quasi"} == {
        "MRN": "identifier",
        "diagnosis": "sensitive",
        "income": "sensitive",
    }
    assert (config.preset, config.guarantee["k"]) == (preset, k)
    assert f"It follows the preset {preset}: " in (tmp_path / "shoal.toml").read_text()


def test_undecided_columns_stay_undecided():
    people = patients().with_columns(
        pl.lit("x").alias("slot") + pl.int_range(80).cast(str).str.zfill(4) + "/7"
    )
    without, beside = propose(people), propose(people, preset="hipaa-safe-harbor")
    assert without.undecided
    assert without.undecided.keys() <= beside.undecided.keys()


def test_what_the_preset_cannot_tell_of_a_column_is_to_be_looked_at():
    people = patients().with_columns(v3=pl.Series([str(20 + place % 40 * 2) for place in range(80)]))
    found = propose(people, preset="hipaa-safe-harbor")
    assert "column 'v3' may hold ages over 89" in found["v3"].advice
    assert not found["diagnosis"].advice
    assert "89" not in propose(people)["v3"].advice


def test_a_record_tree_leaves_out_what_no_level_can_hold_back():
    people = [
        {
            "id": place,
            "sex": "fm"[place % 2],
            "visits": [{"date": f"2025-03-{1 + place % 28:02}", "ward": "ICU"}],
        }
        for place in range(60)
    ]
    found = propose(people, preset="hipaa-safe-harbor")
    assert found["visits.date"].role == "drop"
    assert found["sex"].role == "quasi"


def test_presets_are_offered_by_name():
    option = next(one for one in JOBS["propose"].options if one.name == "preset")
    assert all(name in option.help for name in PRESETS)
