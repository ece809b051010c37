"""Sampling weights and households in `shoal risk`, the audit and the door: figures by hand, and bad cells."""

import json

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.jobs.configured import run_config
from shoal.risks.individual import individual_risk

SURVEY = pl.DataFrame(
    {
        "home": ["a", "a", "b", "c", "c", "d"],
        "age": ["30", "30", "30", "40", None, "40"],
        "wt": [10.0, 20.0, 10.0, 5.0, 4.0, 3.0],
    }
)
ROLES = {"home": "household", "age": "quasi", "wt": "weight"}


def measure(frame=SURVEY, roles=ROLES, **more):
    return shoal.risk(shoal.read(frame, roles=roles), **more)


def test_individual_risk_by_hand():
    found = measure(k=5)
    rows = found.records()
    risk = [
        float(r) for r in individual_risk([3, 3, 3, 2, 1, 2], [3 / 40, 3 / 40, 3 / 40, 2 / 8, 1 / 4, 2 / 8])
    ]
    assert rows["people"].to_list() == [40, 40, 40, 8, 4, 8]
    assert rows["risk"].to_list() == pytest.approx(risk)
    facts = found.as_dict()
    assert facts["individual"]["expected"] == pytest.approx(sum(risk))
    assert facts["individual"]["above"] == pytest.approx(sum(r > 0.2 for r in risk) / 6)
    assert facts["individual"]["population"] == 52
    assert facts["sets"][0]["expected"] == pytest.approx(sum(risk))
    pair = [1 - (1 - risk[0]) * (1 - risk[1]), 1 - (1 - risk[3]) * (1 - risk[4])]
    assert rows["household_risk"].to_list() == pytest.approx(
        [pair[0]] * 2 + [risk[2]] + [pair[1]] * 2 + [risk[5]]
    )


def test_blanks_fit_every_value_if_asked():
    rows = measure(missing="any").records()
    assert rows["look_alikes"].to_list() == [4, 4, 4, 3, 6, 3]
    assert rows["people"].to_list() == [44, 44, 44, 12, 52, 12]


def test_the_size_of_a_household_is_knowledge():
    """Without weights risk is 1 / look-alikes; with the size of the household only two pairs look alike."""
    facts = measure(SURVEY.drop("wt"), {"home": "household", "age": "quasi"}).as_dict()
    known = facts["household"]["size_known"]["individual"]
    assert facts["household"]["households"] == 4
    assert facts["individual"] is None
    assert known["expected"] == pytest.approx(1 / 2 + 1 / 2 + 1 + 1 + 1 + 1)


def test_several_rows_of_a_person_count_once():
    twice = pl.concat([SURVEY.with_columns(who=pl.Series(range(6)))] * 2)
    data = shoal.read(twice, roles={**ROLES, "who": "identifier"}, person="who")
    once, facts = measure().as_dict(), shoal.risk(data).as_dict()
    assert facts["individual"] == pytest.approx(once["individual"])
    assert facts["household"]["size_known"] == once["household"]["size_known"]
    with pytest.raises(InputError, match="persons have several rows"):
        shoal.risk(data, missing="any")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"wt": [10.0, 20.0, None, 5.0, 4.0, 3.0]}, "first record 3, have no sampling weight"),
        ({"wt": [10.0, 20.0, 1.0, 0.0, 4.0, -3.0]}, "2 record.*, first record 4, have no sampling weight"),
        ({"wt": ["10", "20", "x", "1", "4", "3"]}, "first record 3, have no sampling weight"),
        ({"wt": [10.0, 20.0, 1.0, 1.2, 4.0, 0.5]}, "record 4: the sampling weights .* sum to less"),
        ({"home": ["a", "a", None, "c", "c", "d"]}, "first record 3, name no household"),
        ({"second": [1, 2, 3, 4, 5, 6]}, "'wt' and 'second': both have the role weight"),
    ],
)
def test_bad_cells_are_told_with_their_record(cells, words):
    frame = SURVEY.with_columns(pl.Series(name, values) for name, values in cells.items())
    with pytest.raises(InputError, match=words):
        shoal.read(frame, roles=ROLES | {name: "weight" for name in cells if name == "second"})


def test_a_household_never_leaves_and_the_audit_tells_both(tmp_path):
    pl.concat([SURVEY] * 4).write_csv(tmp_path / "people.csv")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\nhome = "household"\nage = "quasi"\nwt = "weight"\n'
        '[guarantee]\nk = 4\n[audit]\nmissing = "any"\n'
    )
    run_config(tmp_path / "shoal.toml", tmp_path / "release")
    assert pl.read_csv(tmp_path / "release/data.csv").columns == ["age"]
    shown = json.loads((tmp_path / "release/manifest.json").read_text())
    assert shown["columns"] == {"age": "quasi"}
    audit = json.loads((tmp_path / "release.private/audit.json").read_text())
    before, after = audit["risk_before"], audit["risk_after"]
    counts, people = [16] * 12 + [12] * 8 + [24] * 4, [176] * 12 + [48] * 8 + [208] * 4
    expected = sum(float(individual_risk(f, f / all_of)) for f, all_of in zip(counts, people, strict=True))
    assert before["expected"] == pytest.approx(expected)
    assert after["expected"] == pytest.approx(expected)  # every class has four
    assert shoal.verify(tmp_path / "release", config=tmp_path / "shoal.toml").holds
