"""The pages on the race and on growth say what the result files say, and the measures of the race are right."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
try:
    from benchmarks import growth_page
    from benchmarks.peers import measure
    from benchmarks.peers import page as race
finally:
    sys.path.remove(str(ROOT))

SEX = {"m": frozenset("m"), "f": frozenset("f"), "*": frozenset("mf")}
AGE = {
    **{str(age): frozenset([str(age)]) for age in range(1, 6)},
    "*": frozenset("12345"),
    "low": frozenset("12"),
}


@pytest.mark.parametrize(("page", "path"), [(race, "beside/race.md"), (growth_page, "growth.md")])
def test_the_page_is_what_the_results_say(page, path):
    kept = page.kept()
    assert kept == json.loads(page.RESULTS.read_text(encoding="utf-8"))
    assert (ROOT / "docs" / path).read_text(encoding="utf-8") == page.page(kept)


def test_what_a_cell_covers():
    there = frozenset("1245")
    assert measure.covered("4", AGE, there) == {"4"}
    assert measure.covered("low", AGE, there) == {"1", "2"}
    assert measure.covered("2-4", AGE, there) == {"2", "4"}
    assert measure.covered("5,1", AGE, there) == {"5", "1"}
    assert measure.covered("[2, 4]", AGE, there) == {"2", "4"}
    assert measure.covered('["5", "1"]', AGE, there) == {"5", "1"}
    with pytest.raises(ValueError, match="no value, label, range or list"):
        measure.covered("what", AGE, there)


def test_one_loss_and_one_group_by():
    people = pl.DataFrame({"age": list("1245"), "sex": list("mmff")})
    released = pl.DataFrame({"age": ["low", "low", "4-5"], "sex": ["m", "m", "*"]})
    found = measure.judge(people, released, ["age", "sex"], {"age": AGE, "sex": SEX})
    assert found["out"] == 1
    assert found["smallest"] == 1
    assert found["loss"] == pytest.approx(((1 / 3 * 3 + 1) + (0 + 0 + 1 + 1)) / 8)
    nobody = measure.judge(people, released[:0], ["age", "sex"], {"age": AGE, "sex": SEX})
    assert nobody == {"loss": 1.0, "out": 4, "smallest": 0}


def test_the_classifier_learns_from_cells_that_cover_several_values():
    learnt = pl.DataFrame({"age": ["1-2"] * 4 + ["4-5"] * 4, "paid": ["no"] * 4 + ["yes"] * 4})
    asked = pl.DataFrame({"age": list("1245"), "paid": ["no", "no", "yes", "yes"]})
    assert measure.accuracy(learnt, asked, ["age"], "paid", {"age": AGE}) == 1.0
    blurred = learnt.with_columns(age=pl.lit("*"))
    assert measure.accuracy(blurred, asked, ["age"], "paid", {"age": AGE}) == 0.5


def test_where_shoal_loses_is_said():
    whole = {"case": [10, 2, 2], "out": 0, "smallest": 2, "kept": True}
    runs = [
        {"racer": "shoal mstk", "cpu": 2.0, "peak": 9.0, "loss": 0.1, **whole},
        {"racer": "other", "cpu": 1.0, "peak": 9.5, "loss": 0.2, **whole},
        {"racer": "liar", "cpu": 0.1, "peak": 1.0, "loss": 0.0, **whole, "smallest": 1, "kept": False},
        {"racer": "late", "case": [10, 2, 2], "ended": "not done in 3 CPU s"},
    ]
    racers = {run["racer"]: {"about": "", "version": "1"} for run in runs}
    said = race.page({"machine": "here", "racers": racers, "runs": runs})
    assert "| 10 people, 2 quasi-identifiers, k = 2 | CPU | other: 1.00 | shoal mstk: 2.00 |" in said
    assert "| memory |" not in said.split("## 10 people")[0].split("Where shoal loses")[1]
    assert "liar: " not in said
    assert "| liar | 0.10 | 1 | 0.0000 | 0 | **no**, 1 |" in said
    assert "| late | not done in 3 CPU s |" in said


def test_what_got_slower_or_steeper_is_shown():
    before = {"k": [{"at": 1, "seconds": 0.1}, {"at": 2, "seconds": 0.1}]}
    now = {"k": [{"at": 1, "seconds": 0.1}, {"at": 2, "seconds": 0.4}]}
    assert growth_page.slope(now["k"]) == 2.0
    (line,) = growth_page.compared("maker", before, now)
    assert "0.00 ->   2.00" in line
    assert line.endswith("SLOWER   STEEPER")
    (calm,) = growth_page.compared("maker", now, now)
    assert "SLOWER" not in calm
    assert "STEEPER" not in calm
    assert growth_page.slope([{"at": 1, "seconds": 0.001}, {"at": 2, "seconds": 0.004}]) is None
