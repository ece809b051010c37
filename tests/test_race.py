"""The pages on the race and on growth say what the result files say, and the measures of the race are right."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
try:
    from benchmarks import growth_page
    from benchmarks.peers import beside, measure, racing
    from benchmarks.peers import page as race
    from benchmarks.real import page as real_page
finally:
    sys.path.remove(str(ROOT))

SEX = {"m": frozenset("m"), "f": frozenset("f"), "*": frozenset("mf")}
AGE = {
    **{str(age): frozenset([str(age)]) for age in range(1, 6)},
    "*": frozenset("12345"),
    "low": frozenset("12"),
}


@pytest.mark.parametrize(("page", "path"), [(race, "evidence/race.md"), (growth_page, "evidence/growth.md")])
def test_the_page_is_what_the_results_say(page, path):
    kept = page.kept()
    assert kept == json.loads(page.RESULTS.read_text(encoding="utf-8"))
    assert (ROOT / "docs" / path).read_text(encoding="utf-8") == page.page(kept)


def test_the_page_on_real_tables_is_what_was_measured():
    assert (ROOT / "docs" / "evidence" / "real.md").read_text(encoding="utf-8") == real_page.page()


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
    assert found["glm"] == pytest.approx(((1 / 4 * 3 + 1) + (0 + 0 + 1 + 1)) / 8)
    nobody = measure.judge(people, released[:0], ["age", "sex"], {"age": AGE, "sex": SEX})
    assert nobody == {"loss": 1.0, "glm": 1.0, "out": 4, "smallest": 0}


def test_the_classifier_learns_from_cells_that_cover_several_values():
    learnt = pl.DataFrame({"age": ["1-2"] * 4 + ["4-5"] * 4, "paid": ["no"] * 4 + ["yes"] * 4})
    asked = pl.DataFrame({"age": list("1245"), "paid": ["no", "no", "yes", "yes"]})
    assert measure.accuracy(learnt, asked, ["age"], "paid", {"age": AGE}) == 1.0
    blurred = learnt.with_columns(age=pl.lit("*"))
    assert measure.accuracy(blurred, asked, ["age"], "paid", {"age": AGE}) == 0.5


def test_blanked_cells_are_counted_both_ways():
    people = pl.DataFrame({"zip": list("1222"), "sex": list("mmmf")})
    released = pl.DataFrame({"zip": [None, "2", "2", "2"], "sex": ["m", "m", "m", None]})
    assert measure.blanked(people, released, 2) == {"cells": 2, "fits": 4, "alike": 1}
    assert measure.blanked(people, released[1:3], 1) == {"cells": 4, "fits": 2, "alike": 2}
    with pytest.raises(ValueError, match="more often than it was"):
        measure.blanked(people, released.with_columns(zip=pl.lit("1")), 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_count_of_fitting_rows_is_its_definition(seed):
    codes = np.random.default_rng(seed).integers(0, 3, (12, 3))
    fits = [
        sum(all(a == b or not a or not b for a, b in zip(x, y, strict=True)) for y in codes) for x in codes
    ]
    rows = pl.DataFrame([[str(cell) if cell else None for cell in row] for row in codes], orient="row")
    originals = rows.fill_null("1")
    assert measure.blanked(originals, rows, 3)["fits"] == min(fits)


def test_spread_that_means_hide():
    points = np.array([[0.0], [2.0], [4.0], [6.0]])
    assert measure.averaged(points, np.array([[1.0], [1.0], [5.0], [5.0]])) == {"lost": 20.0, "alike": 2}


WHOLE = {"case": ["drawn", 10, 2, 2], "out": 0, "smallest": 2, "kept": True}


def test_where_shoal_loses_is_said():
    runs = [
        {"racer": "shoal mstk", "cpu": 2.0, "peak": 9.0, "loss": 0.1, **WHOLE},
        {"racer": "other", "cpu": 1.0, "peak": 9.5, "loss": 0.2, **WHOLE},
        {"racer": "elsewhere", "cpu": 0.5, "peak": 9.5, "loss": 0.09, **WHOLE},
        {"racer": "liar", "cpu": 0.1, "peak": 1.0, "loss": 0.0, **WHOLE, "smallest": 1, "kept": False},
        {"racer": "late", "case": ["drawn", 10, 2, 2], "ended": "not done in 3 CPU s"},
        {"racer": "gone", "case": ["drawn", 10, 2, 2], **racing.NOT_HERE},
    ]
    racers = {run["racer"]: {"about": "", "version": "1", "machine": "here"} for run in runs}
    racers["elsewhere"]["machine"] = "there"
    said = race.page({"racers": racers, "runs": runs}, [])
    lost = said.split("Where shoal loses")[1].split("## 10 people")[0]
    assert "| 10 people, 2 quasi-identifiers, k = 2 | CPU | other: 1.00 | shoal mstk: 2.00 |" in lost
    assert "| loss | elsewhere: 0.0900 | shoal mstk: 0.1000 |" in lost
    assert "| memory |" not in lost
    assert "liar: " not in said
    assert "| liar | 0.10 | 1 | 0.0000 |  | 0 | **no**, 1 |" in said
    assert "| late | not done in 3 CPU s |" in said
    assert "| gone | not here |" in said
    assert "| never | not run |" in race.page(
        {"racers": racers | {"never": racers["late"]}, "runs": runs}, []
    )


def test_a_racer_that_is_not_here_has_rows_that_say_so(monkeypatch, tmp_path):
    monkeypatch.delenv("ARX", raising=False)
    monkeypatch.delenv("SDCMICRO", raising=False)
    monkeypatch.setattr(beside, "RESULTS", tmp_path / "peers.csv")
    monkeypatch.setattr(beside.kept, "__defaults__", (tmp_path / "peers.csv",))
    assert racing.environment(racing.RACERS["ARX"], tmp_path) is None
    beside.race("means", tmp_path, 1)
    with open(tmp_path / "peers.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["racer"] for row in rows} == set(beside.PARTS["means"].racers)
    assert {(row["what"], row["value"]) for row in rows} == {("ended", "not here")}
    said = race.page({"racers": {}, "runs": []}, rows)
    assert "| Tarragona | k = 3 | sdcMicro mdav | not here |" in said


def test_where_shoal_loses_in_a_part_is_said_and_who_breaks_the_promise_is_bold():
    def told(racer, **figures):
        words = {"part": "alike", "data": "town", "asked": "k = 3, all known", "racer": racer}
        return [{**words, "what": what, "value": str(value)} for what, value in figures.items()]

    rows = told("shoal blank", cpu=1.0, peak=9, cells=20, alike=3)
    rows += told("ARX local, flat", cpu=2.0, peak=9, cells=10, alike=3, version="3")
    said = race.page({"racers": {}, "runs": []}, rows)
    assert "k = 3, all known | cells | ARX local, flat: 10 | shoal blank: 20 |" in said
    assert "| town | k = 3, all known | ARX local, flat 3 | 2.00 | 9 | 10 | 3 |" in said
    broken = race.page({"racers": {}, "runs": []}, rows[:-2] + told("ARX local, flat", alike=2))
    assert "ARX local, flat: 10" not in broken
    assert "| 10 | **2** |" in broken


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


def test_what_is_past_this_machine_follows_the_power_that_fits():
    square = [{"at": at, "seconds": 3.6 * (at / 1000) ** 2, "gb": 1.0} for at in (1_000, 10_000)]
    table = growth_page.past({"trees, gcs": {"judged": square}})
    (row,) = (line for line in table.splitlines() if "judged" in line)
    assert "| 2.00 | 100,000,000 | 10,000,000 | 5,000,000 |" in row
