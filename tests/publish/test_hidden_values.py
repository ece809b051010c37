"""Hidden values from a configuration, or from Python, to the written folder and back; what is refused on the way."""

import csv
import json
from collections import Counter

import polars as pl
import pytest

import shoal
from shoal.base.errors import InfeasibleError, InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.privacy import HiddenValues
from shoal.publish.verify import verify

ILLS = ["hiv", "HIV ", "hepatitis", "flu", "flu", "none", "none", "none", "none", ""]
GROUPS = 'hierarchy = { infection = ["hiv", "HIV ", "hepatitis", "flu"], "no illness" = ["none"] }'
CONFIG = """[data]
path = "people.csv"
[columns]
age = {{ role = "quasi", hierarchy = {{ ranges = [5, 10, 20] }} }}
ill = {{ role = "sensitive"{ill} }}
job = {{ role = "{job}" }}
[guarantee]
k = 3
{guarantee}
[method]
name = "{method}"
"""


@pytest.fixture
def write(tmp_path):
    """Writes the data and a configuration, and tells where it is."""
    rows = [f"{20 + i % 25},{ILLS[i * 7 % 10]},{'ab'[i % 2]}" for i in range(100)]
    (tmp_path / "people.csv").write_text("\n".join(["age,ill,job", *rows]) + "\n", encoding="utf-8")

    def write(ill=', hidden = ["hiv", "hepatitis", "gout"]', guarantee="", job="plain", method="mondrian"):
        path = tmp_path / "shoal.toml"
        text = CONFIG.format(ill=ill, guarantee=guarantee, job=job, method=method)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def read_manifest(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def exposed_shares(folder, hidden, ill="ill"):
    """By class the share of rows with a hidden value or none, read from the folder with nothing of ours."""
    rows = list(csv.DictReader((folder / "data.csv").read_text(encoding="utf-8").splitlines()))
    size, exposed = Counter(), Counter()
    for row in rows:
        size[row["age"]] += 1
        exposed[row["age"]] += row[ill].strip().casefold() in {*hidden, ""}
    return [exposed[label] / size[label] for label in size]


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("method", ["optimal", "mstk", "mondrian", "kmember", "boxes", "column-cut"])
def test_a_release_keeps_them_and_lists_those_that_occur(write, tmp_path, method):
    config = write(method=method)
    run_config(config, tmp_path / "out")
    assert max(exposed_shares(tmp_path / "out", {"hiv", "hepatitis"})) <= 0.5
    facts = read_manifest(tmp_path / "out")
    (claim,) = (part for part in facts["claim"]["claims"] if part["model"] == "hidden values")
    assert claim == {"model": "hidden values", "alpha": 0.5, "hidden": {"ill": ["HIV ", "hepatitis", "hiv"]}}
    assert "gout" not in json.dumps(facts)
    for known in ({}, {"config": load(config)}, {"config": load(config), "against": tmp_path / "people.csv"}):
        assert verify(tmp_path / "out", **known)[1]


@pytest.mark.usefixtures("bare")
def test_a_folder_that_lists_less_is_found_out(write, tmp_path):
    config = write()
    run_config(config, tmp_path / "out")
    facts = read_manifest(tmp_path / "out")
    (claim,) = (part for part in facts["claim"]["claims"] if "hidden" in part)
    claim["hidden"]["ill"] = ["hepatitis"]
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    assert verify(tmp_path / "out")[1]  # nobody knows better
    said = verify(tmp_path / "out", config=load(config))[1]
    assert not said
    assert "hidden values of the configuration that manifest.json does not list" in said.sentence
    claim["hidden"]["ill"] = ["hepatitis", "hiv", "HIV ", "gout"]
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    assert "in other words than the data" in verify(tmp_path / "out")[1].sentence
    claim["hidden"] = {"ill": ["flu", "none"]}
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    assert "more than alpha=0.5 have a hidden value" in verify(tmp_path / "out")[1].sentence


@pytest.mark.usefixtures("bare")
def test_a_weaker_share_is_not_what_was_asked_for(write, tmp_path):
    run_config(write(), tmp_path / "out")
    assert verify(tmp_path / "out", config=load(write(guarantee="alpha = 0.6")))[1]
    assert not verify(tmp_path / "out", config=load(write(guarantee="alpha = 0.45")))[1]


@pytest.mark.usefixtures("bare")
def test_a_label_that_covers_a_hidden_value_is_hidden(write, tmp_path):
    ill = f', level = 1, {GROUPS}, hidden = ["Hiv"]'
    config = write(ill, "alpha = 0.7")
    run_config(config, tmp_path / "out")
    facts = read_manifest(tmp_path / "out")
    (claim,) = (part for part in facts["claim"]["claims"] if "hidden" in part)
    assert claim["hidden"] == {"ill": ["infection"]}
    assert "hiv" not in json.dumps(facts).casefold()
    assert max(exposed_shares(tmp_path / "out", {"infection"})) <= 0.7
    assert verify(tmp_path / "out", config=load(config), against=tmp_path / "people.csv")[1]
    with pytest.raises(InfeasibleError, match=r"alpha=0\.55 but in column 'ill' 0\.6 of all records"):
        run_config(write(ill, "alpha = 0.55"), tmp_path / "more")
    with pytest.raises(InputError, match="hidden values need groups that you declare"):
        run_config(write(', level = 1, hierarchy = { mask = "right" }, hidden = ["hiv"]'), tmp_path / "more")


@pytest.mark.usefixtures("bare")
def test_other_columns_keep_l(write, tmp_path):
    run_config(write(guarantee="l = 2", job="sensitive"), tmp_path / "out")
    claims = read_manifest(tmp_path / "out")["claim"]["claims"]
    assert [(part["model"], part.get("columns")) for part in claims][1:2] == [("l-diversity", ["job"])]
    assert verify(tmp_path / "out", config=load(write(guarantee="l = 2", job="sensitive")))[1]
    assert not verify(tmp_path / "out", config=load(write(ill="", guarantee="l = 2", job="sensitive")))[1]
    with pytest.raises(InputError, match="l and hidden values exclude each other on one column"):
        run_config(write(guarantee="l = 2"), tmp_path / "more")


@pytest.mark.parametrize(
    ("ill", "guarantee", "message"),
    [
        (", hidden = []", "", "'hidden' lists no value"),
        (', hidden = "hiv"', "", "'hidden'"),
        ("", 'hidden = { ill = ["hiv"] }', "'hidden' is said of a column; write it into"),
    ],
)
def test_what_a_configuration_says_wrongly_is_told(write, ill, guarantee, message):
    with pytest.raises(InputError, match=message):
        load(write(ill, guarantee))


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ({"ill": ["gout"]}, "column 'ill': no record has any of its hidden values"),
        ({"ill": ["HIV", "hepatitis", "flu", "none"]}, "column 'ill': every value that occurs is hidden"),
        ({"job": ["a"]}, "'job' is not a sensitive column"),
        ({"ill": "hiv"}, "it must give columns a list of texts each"),
        (["ill"], "it must give columns a list of values each"),
    ],
)
def test_what_python_is_given_wrongly_is_told(hidden, message):
    frame = pl.DataFrame({"age": [str(20 + i) for i in range(20)], "ill": 2 * ILLS, "job": ["a", "b"] * 10})
    data = shoal.read(frame, roles={"age": "quasi", "ill": "sensitive", "job": "drop"})
    with pytest.raises(InputError, match=message) as caught:
        shoal.anonymize(data, k=2, hidden=hidden)
    assert "gout" not in str(caught.value)


def test_python_takes_them_with_roles_or_with_the_guarantee():
    frame = pl.DataFrame({"age": [str(20 + i // 4) for i in range(40)], "ill": 4 * ILLS})
    roles, rules = {"age": "quasi", "ill": "sensitive"}, {"age": {"ranges": [5, 10]}}
    named = shoal.read(frame, roles=roles, hierarchies=rules, hidden={"ill": ["hiv"]})
    told = shoal.read(frame, roles=roles, hierarchies=rules)
    first = shoal.anonymize(named, k=2, alpha=0.6)
    second = shoal.anonymize(told, k=2, alpha=0.6, hidden={"ill": ["hiv"]})
    assert first.claim == second.claim
    assert first.claim.parts[1] == HiddenValues(0.6, {"ill": ["HIV ", "hiv"]})
    with pytest.raises(InputError, match="hidden values, which are those of sensitive columns"):
        shoal.read(frame, roles=roles, hidden={"age": ["20"]})
    with pytest.raises(InputError, match="names 'sick', and there is no such column"):
        shoal.read(frame, roles=roles, hidden={"sick": ["hiv"]})


@pytest.mark.usefixtures("bare")
def test_the_audit_tells_the_share_of_people_with_any_of_them(write, tmp_path):
    text = write(guarantee="alpha = 0.7").read_text(encoding="utf-8")
    both = text.replace('{ role = "plain" }', '{ role = "sensitive", hidden = ["a"] }')
    (tmp_path / "shoal.toml").write_text(both, encoding="utf-8")
    run_config(tmp_path / "shoal.toml", tmp_path / "out")
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text(encoding="utf-8"))
    found = {one["column"]: one["after"] for one in audit["learned"] if "hidden" in one["after"]}
    assert found.keys() == {"ill", "job", "ill or job"}
    assert found["ill or job"]["hidden"] >= max(found[name]["hidden"] for name in ("ill", "job"))
    assert found["ill"]["hidden_overall"] == pytest.approx(0.4)
