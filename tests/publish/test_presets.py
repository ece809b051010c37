"""A preset at the door: kept rules are printed and judged again, a broken one leaves nothing."""

import html
import json

import numpy as np
import polars as pl
import pytest

from shoal.base.errors import InfeasibleError, InputError
from shoal.cli.show import print_saved
from shoal.io.config import load
from shoal.jobs.configured import run_config, verify
from shoal.privacy import LDiversity
from shoal.publish.preset import describe_broken_rule, judge_preset
from shoal.shapes.table.verification import published_table

CONFIG = """
[data]
path = "people.csv"
[columns]
name = "identifier"
zip  = { role = "quasi", hierarchy = { vocabulary = "us-zip-safe-harbor" }, level = 1 }
age  = { role = "quasi", hierarchy = { ranges = [5, 10, 50], top = 90 }LEVEL }
born = { role = "quasi", hierarchy = { dates = ["year"] }, level = 1 }
ill  = "sensitive"
[guarantee]
k = 2
[method]
name = "mondrian"
[release]
preset = "PRESET"
"""


@pytest.fixture
def room(tmp_path):
    random = np.random.default_rng(4)
    ages = random.integers(30, 96, 80)
    people = pl.DataFrame(
        {
            "name": [f"Ann {number}" for number in range(80)],
            "zip": random.choice(["10001", "10003", "60601", "03601"], 80),
            "age": ages,
            "born": [f"{2026 - min(age, 88)}-03-{random.integers(1, 28):02}" for age in ages],
            "ill": random.choice(["flu", "gout"], 80),
        }
    )  # fmt: skip
    people.write_csv(tmp_path / "people.csv")
    return tmp_path


def configured(room, level="", preset="hipaa-safe-harbor"):
    (room / "shoal.toml").write_text(CONFIG.replace("LEVEL", level).replace("PRESET", preset))
    return room / "shoal.toml"


def test_kept_rules_are_listed_printed_and_judged_again(room):
    run_config(configured(room, ", level = 1"), room / "out")
    assert verify(room / "out")
    assert verify(room / "out", config=room / "shoal.toml", against=room / "people.csv")
    manifest = json.loads((room / "out" / "manifest.json").read_text())
    stated = manifest["preset"]
    assert stated["name"] == "hipaa-safe-harbor"
    assert not any(rule["verdict"] == "no" for rule in stated["rules"])
    report = (room / "out" / "report.html").read_text()
    assert all(rule["source"] in report for rule in stated["rules"])
    assert {
        cell.partition("-")[0][:2] for cell in pl.read_csv(room / "out" / "data.csv")["zip"].unique()
    } <= {"10", "60", "00", "*"}
    for spoiled in (
        stated["rules"][1:],
        [{**rule, "verdict": "yes", "found": "all is well"} for rule in stated["rules"]],
    ):
        changed = manifest | {"preset": stated | {"rules": spoiled}}
        (room / "out" / "manifest.json").write_text(json.dumps(changed))
        assert not verify(room / "out")
    (room / "out" / "manifest.json").write_text(
        json.dumps({key: manifest[key] for key in manifest if key != "preset"})
    )
    assert not verify(room / "out", config=room / "shoal.toml", against=room / "people.csv")


def test_a_broken_rule_leaves_nothing(room):
    text = configured(room).read_text().replace("ranges = [5, 10, 50], top = 90", "ranges = [5, 10, 50]")
    (room / "shoal.toml").write_text(text)
    with pytest.raises(InfeasibleError, match=r"^preset hipaa-safe-harbor, rule .*; nothing was written; "):
        run_config(room / "shoal.toml", room / "out")
    assert not list(room.glob("*out*"))


def test_an_unknown_preset_is_one_sentence(room):
    with pytest.raises(InputError, match="preset"):
        run_config(configured(room, preset="hippa"), room / "out")


@pytest.mark.parametrize(
    ("preset", "numbers", "broken"),
    [
        ("ema-health-canada", "k = 4", "highest risk"),
        ("ema-health-canada", "k = 12", None),
        ("hipaa-expert", "k = 4", None),
        ("wp29", "k = 2", "inference"),
        ("wp29", "k = 2\nl = 2", None),
    ],
)
def test_presets_of_risk_are_judged_on_the_classes_of_the_release(room, preset, numbers, broken):
    text = configured(room, ", level = 1", preset).read_text().replace("k = 2", numbers)
    (room / "shoal.toml").write_text(text)
    if broken is not None:
        with pytest.raises(InfeasibleError, match=f"^preset {preset}, rule {broken} "):
            run_config(room / "shoal.toml", room / "out")
        return
    run_config(room / "shoal.toml", room / "out")
    assert verify(room / "out")
    audit = (room / "out.private" / "audit.html").read_text()
    assert "What the audit shows" in audit


SPELLINGS = {
    "one word": ["hiv", "HIV", "hiv ", "h\u200biv"],
    "one number": ["1", "1.0", "1e0", "+1"],
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_two_spellings_of_one_sensitive_value_are_one_value_for_inference(spelled):
    frame = pl.DataFrame({"sex": ["f"] * 4 + ["m"] * 4, "ill": [*spelled, *spelled[:3], "gout"]})
    manifest = {
        "columns": {"sex": "quasi", "ill": "sensitive"},
        "claim": {"model": "k-anonymity", "k": 4},
        "shape": "table",
    }
    found = {rule["rule"]: rule for rule in judge_preset("wp29", frame, manifest, {})["rules"]}
    assert found["inference"]["verdict"] == "no"
    assert not LDiversity(2).check(
        published_table(frame, manifest["columns"])
    )  # one rule of spelling for both
    other = frame.with_columns(pl.Series("ill", ["hiv", "gout"] * 4))
    found = {rule["rule"]: rule for rule in judge_preset("wp29", other, manifest, {})["rules"]}
    assert found["inference"]["verdict"] == "yes"


def test_blank_cells_are_no_sensitive_value_for_inference():
    frame = pl.DataFrame({"sex": ["f"] * 4, "ill": ["hiv", None, " ", "\u200b"]})
    manifest = {
        "columns": {"sex": "quasi", "ill": "sensitive"},
        "claim": {"model": "k-anonymity", "k": 4},
        "shape": "table",
    }
    found = {rule["rule"]: rule["verdict"] for rule in judge_preset("wp29", frame, manifest, {})["rules"]}
    assert found["inference"] == "no"
    nothing = judge_preset("wp29", frame.with_columns(ill=pl.lit(None, pl.String)), manifest, {})
    assert {rule["rule"]: rule["verdict"] for rule in nothing["rules"]}["inference"] == "no"


def test_a_rule_that_cannot_be_told_stands_in_the_first_lines_of_page_verify_and_terminal(room, capsys):
    people = pl.read_csv(room / "people.csv", infer_schema_length=0).with_columns(
        v3=pl.Series([str(30 + 65 * (place % 2)) for place in range(80)])
    )
    people.write_csv(room / "people.csv")
    text = (
        configured(room, ", level = 1")
        .read_text()
        .replace('ill  = "sensitive"', 'ill  = "sensitive"\nv3 = "sensitive"')
    )
    (room / "shoal.toml").write_text(text)
    made = run_config(room / "shoal.toml", room / "out")
    said = "ages (column 'v3' may hold ages over 89"
    verdict = verify(room / "out")
    assert verdict
    assert said in verdict.sentence
    report = html.unescape((room / "out" / "report.html").read_text())
    assert 0 < report.index(said) < report.index("About this release")
    print_saved(made, room / "out", room / "shoal.toml", load(room / "shoal.toml"))
    assert said in capsys.readouterr().out


def test_a_release_whose_classes_were_made_smaller_breaks_its_preset(room):
    text = configured(room, ", level = 1", "ema-health-canada").read_text().replace("k = 2", "k = 12")
    (room / "shoal.toml").write_text(text)
    run_config(room / "shoal.toml", room / "out")
    manifest = json.loads((room / "out" / "manifest.json").read_text())
    judged = judge_preset("ema-health-canada", pl.read_csv(room / "out" / "data.csv")[:11], manifest, {})
    assert describe_broken_rule(judged).startswith("preset ema-health-canada, rule highest risk ")
