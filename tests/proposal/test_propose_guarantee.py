"""The numbers that a proposal promises, and what they cost."""

import re

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from shoal.base.errors import InfeasibleError, InputError
from shoal.cli import shoal as command_line
from shoal.io.config import load
from shoal.jobs.demo.example import write_stays
from shoal.proposal import propose as proposing

pytestmark = pytest.mark.usefixtures("untried")

RECORDS = 200
DRAWN = np.random.default_rng(5).integers(0, 5, RECORDS).tolist()
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 40 for i in range(RECORDS)],
        "sex": ["f", "m"] * (RECORDS // 2),
        "diagnosis": [("flu", "asthma", "angina", "gout", "none")[draw] for draw in DRAWN],
    }
)


@pytest.mark.parametrize(("audience", "k"), [("public", 11), ("partner", 5), ("team", 3)])
def test_k_follows_from_who_gets_the_release(audience, k):
    found = shoal.propose(PEOPLE.select("age", "sex"), audience=audience)
    assert found.guarantee == {"k": k}


def test_l_is_proposed_where_a_column_is_sensitive_and_never_above_its_values():
    assert shoal.propose(PEOPLE).guarantee == {"k": 11, "l": 3}
    two = PEOPLE.with_columns(hiv=pl.Series(["yes", "no"] * (RECORDS // 2)))
    found = shoal.propose(two, roles={"hiv": "sensitive"})
    assert found.guarantee == {"k": 11, "l": 2}


@pytest.mark.parametrize(
    ("values", "hidden", "others"),
    [
        (["yes", "no", "no", "no"], ("yes",), ()),
        (["0", "1", "1", "1"], ("0",), ()),
        (["true", "false", "false", "false", "false"], ("true",), ()),
        (["1", "2", "2", "3", "3", "3", "4", "4", "4", "4"] * 2 + ["5"], ("5",), ("1",)),
    ],
)
def test_the_rare_one_of_two_values_is_hidden_in_place_of_l(tmp_path, values, hidden, others):
    order = np.random.default_rng(3).permutation(RECORDS)
    with_hiv = PEOPLE.with_columns(hiv=pl.Series([values[i % len(values)] for i in order]))
    with_hiv.write_csv(tmp_path / "people.csv")
    found = shoal.propose(tmp_path / "people.csv")
    column = found["hiv"]
    assert (column.role, column.hidden, column.others_to_hide) == ("sensitive", hidden, others)
    assert "say whether it is the one to hide" in found.undecided["hiv"]
    assert hidden[0] not in found.undecided["hiv"].split()
    assert found.guarantee == {"k": 11, "l": 3}  # of the diagnosis
    assert found.config().columns["hiv"].hidden == hidden
    toml = found.save(tmp_path).read_text(encoding="utf-8")
    assert f'hiv = {{ role = "sensitive", hidden = ["{hidden[0]}"] }}\n' in toml
    assert '# hiv = "sensitive"  # instead, if no value is worse: write l = 2 into [guarantee]' in toml
    assert ('# hiv = { role = "sensitive", hidden = ["1"] }  # instead, if that' in toml) == bool(others)
    assert load(tmp_path / "shoal.toml").values_to_hide["hiv"] == hidden
    stated = shoal.propose(with_hiv, roles={"hiv": "sensitive"})
    assert stated["hiv"].hidden == hidden
    assert "say whether it is the one to hide" in stated["hiv"].advice
    assert "hiv" not in stated.undecided


def test_nothing_is_hidden_that_is_not_rare_or_where_cells_are_empty():
    for values in (["yes", "no"], ["1", "2", "3", "4"], ["yes", "no", None], ["flu", "gout", "none"]):
        drawn = pl.Series([values[i * 7 % len(values)] for i in range(RECORDS)])
        assert shoal.propose(PEOPLE.with_columns(hiv=drawn), roles={"hiv": "sensitive"})["hiv"].hidden == ()


def test_no_l_is_proposed_that_needs_far_larger_classes():
    rare = pl.Series(["none" if i % 100 else ("flu", "gout")[i // 100 % 2] for i in range(RECORDS)])
    assert shoal.propose(PEOPLE.with_columns(diagnosis=rare)).guarantee.get("l", 1) < 3


@pytest.mark.parametrize(
    ("labels", "asked"),
    [
        (["flu", "gout", "none"], {"k": 11, "l": 2}),
        (["flu", "none", "none"], {"k": 11, "m": 2}),  # more than every third row would carry one label
    ],
)
def test_l_of_a_label_is_proposed_where_labels_can_be_apart(labels, asked):
    baskets = [["milk", "tea", "nuts"][: 1 + i % 3] for i in range(90)]
    found = shoal.propose(pl.DataFrame({"items": baskets, "diagnosis": labels * 30}))
    assert found.shape == "baskets"
    assert found.guarantee == asked


@pytest.mark.parametrize(("ill", "l"), [(["flu", "gout", "none"], {"l": 2}), (["flu", "flu", "none"], {})])
def test_l_of_record_trees_is_proposed_where_no_value_is_too_frequent(ill, l):
    people = [
        {"age": 20 + i % 4, "visits": [{"ward": "ABC"[i % 3], "diagnosis": ill[i // 3 % 3]}]}
        for i in range(90)
    ]
    found = shoal.propose(people)
    assert found["visits.diagnosis"].role == "sensitive"
    assert found.guarantee == {"k": 11, "m": 2, "n": 1, **l}


def test_a_table_with_baskets_has_no_l():
    frame = PEOPLE.with_columns(
        items=pl.Series([["milk", "tea", "nuts"][: 1 + i % 3] for i in range(RECORDS)])
    )
    found = shoal.propose(frame)
    assert found.shape == "mixed"
    assert found.guarantee == {"k": 11, "m": 2}


def test_an_audience_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match=r"for: 'publik' is not an audience; did you mean 'public'"):
        shoal.propose(PEOPLE, audience="publik")


def test_what_k_and_l_cost_is_tried_on_a_sample(monkeypatch):
    monkeypatch.setattr(proposing, "is_compiled", lambda method: True)
    (said,) = shoal.propose(PEOPLE).costs
    assert said.startswith("tried on 200 of 200 records: k = 11 cost ")
    assert ", k = 11 and l = 3 cost " in said


def test_the_price_of_a_small_table_is_about_what_its_run_loses(monkeypatch, tmp_path):
    monkeypatch.setattr(proposing, "is_compiled", lambda method: True)
    write_stays(tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)
    for words in (["init", "people.csv"], ["run", "--as-proposed"]):
        done = CliRunner().invoke(command_line, words)
        assert done.exit_code == 0, done.output
    lost = re.search(r"([\d.]+)% of the detail is lost", done.output)
    told = re.search(r"k = 11 and l = 3 cost (\d+)% of the detail", (tmp_path / "shoal.toml").read_text())
    assert abs(float(told[1]) - float(lost[1])) < 4  # another order of the records makes other classes


@pytest.mark.parametrize(
    ("costs", "l"), [({2: 0.5, 3: 0.95}, 2), ({2: 0.95, 3: 1.0}, None), ({2: 0.5, 3: 0.6}, 3), ({}, None)]
)
def test_an_l_that_costs_nearly_everything_is_lowered_or_left_out(monkeypatch, costs, l):
    def cost(dataset, method, recode, numbers):
        if "l" not in numbers:
            return 0.2
        if numbers["l"] not in costs:
            raise InfeasibleError("no")
        return costs[numbers["l"]]

    monkeypatch.setattr(proposing, "is_compiled", lambda method: True)
    monkeypatch.setattr(proposing, "_cost_of", cost)
    found = shoal.propose(PEOPLE)
    assert found.guarantee == {"k": 11} | ({} if l is None else {"l": l})
    assert found.costs[0].endswith("so no l is proposed") == (l is None)


def test_nothing_is_compiled_to_tell_a_price(monkeypatch):
    monkeypatch.setattr(proposing, "is_compiled", lambda method: False)
    assert shoal.propose(PEOPLE).costs == (
        "shoal compare --methods default --k 2:20 shows what each k costs",
    )
