"""How far means, counts and relations are off: against figures made cell by cell, and told of nobody."""

from statistics import mean, pstdev

import numpy as np
import polars as pl
import pytest
from scipy.stats import rankdata, spearmanr

import shoal
from shoal.assess.accuracy import _rank, measure_accuracy
from shoal.assess.facts import facts_of
from shoal.report.pages import report_html
from shoal.report.words import accuracy_sentences


def people(n=1200, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    return pl.DataFrame(
        {
            "age": age,
            "town": rng.choice(["A", "B", "C"], n, p=[0.6, 0.3, 0.1]),
            "member": np.where(rng.random(n) < age / 120, "yes", "no"),
            "wage": age * 10 + rng.integers(0, 400, n),
        }
    )


def release_of(frame, k=5, **options):
    data = shoal.read(
        frame,
        roles={"age": "quasi", "town": "quasi", "member": "quasi", "wage": "sensitive"},
        hierarchies={"age": {"ranges": [10, 40]}},
        allow=("wage",),
    )
    return shoal.anonymize(data, k=k, **options)


def accuracy_of(release):
    return facts_of(release).report.accuracy


def test_figures_are_those_of_cells_read_one_by_one():
    frame = people()
    release = release_of(frame, method="optimal", suppress=0.05)
    accuracy = accuracy_of(release)
    rows = release.rows
    ages = frame["age"].to_list()

    def middle(label):
        low, high = label.strip("[)").split(", ")
        inside = [age for age in ages if int(low) <= age < int(high)]
        return (min(inside) + max(inside)) / 2

    labels = release.frame["age"].to_list()
    assert {label[0] for label in labels} == {"["}
    true, guess = [ages[row] for row in rows], [middle(label) for label in labels]
    column = {column.column: column for column in accuracy.columns}["age"]
    off = abs(mean(true) - mean(guess)) / pstdev(true)
    assert column.mean - accuracy.step <= off < column.mean
    kept = spearmanr(true, guess).statistic ** 2
    assert column.kept <= kept < column.kept + accuracy.step
    wage = [frame["wage"][int(row)] for row in rows]
    pair = next(pair for pair in accuracy.pairs if (pair.first, pair.second) == ("age", "wage"))
    assert pair.before == pytest.approx(spearmanr(true, wage).statistic, abs=accuracy.step / 2)
    assert pair.after == pytest.approx(spearmanr(guess, wage).statistic, abs=accuracy.step / 2)


def test_a_relation_that_turns_is_named():
    rng = np.random.default_rng(1)
    low = np.arange(600) % 2
    # within each range of ten the relation falls, and of the ranges it rises
    frame = pl.DataFrame({"x": low * 10 + rng.integers(0, 10, 600)})
    x = frame["x"].to_numpy()
    frame = frame.with_columns(y=pl.Series(-(x % 10) * 10 + low * 20))
    data = shoal.read(
        frame,
        roles={"x": "quasi", "y": "sensitive"},
        hierarchies={"x": {"ranges": [10]}},
        allow=("y",),
    )
    release = shoal.anonymize(data, k=100, method="optimal")
    assert set(release.frame["x"]) == {"[0, 10)", "[10, 20)"}
    accuracy = measure_accuracy(data, release.result.release, 2)
    assert accuracy is not None
    before = spearmanr(x, frame["y"]).statistic
    after = spearmanr(low, frame["y"]).statistic
    pair = accuracy.pairs[0]
    assert (pair.before, pair.after) == pytest.approx((before, after), abs=accuracy.step / 2)
    assert pair.is_turned
    assert any("x and y; do not trust" in line for line in accuracy_sentences(accuracy))
    assert accuracy.columns[0].kept < 1


def test_of_few_people_nothing_is_told():
    assert accuracy_of(release_of(people(200), k=5)) is None
    assert accuracy_sentences(None) == []


def test_one_person_moves_no_figure_by_more_than_a_step():
    frame = people()
    release = release_of(frame)
    accuracy = accuracy_of(release)
    moved = frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 7).then(18).otherwise(pl.col("age")).alias("age")
    )
    data = shoal.read(
        moved,
        roles={"age": "quasi", "town": "quasi", "member": "quasi", "wage": "sensitive"},
        hierarchies={"age": {"ranges": [10, 40]}},
        allow=("wage",),
    )
    other = measure_accuracy(data, release.result.release, 5)
    for one, two in zip(accuracy.columns, other.columns, strict=True):
        assert abs(one.kept - two.kept) <= accuracy.step + 1e-9
        assert one.mean is None or abs(one.mean - two.mean) <= accuracy.step + 1e-9
        assert one.counts is None or abs(one.counts - two.counts) <= accuracy.step + 1e-9


def test_what_is_told_stands_in_the_report():
    release = release_of(people())
    report = facts_of(release).report
    page = report_html(report)
    assert "What analyses can rely on" in page
    for line in accuracy_sentences(report.accuracy):
        assert line[1:40].replace("'", "&#39;") in page


@pytest.mark.parametrize("numbers", [[3, 1, 3, 2, 3], [np.nan, 2, 2, np.nan, -1], [np.nan], [], [5]])
def test_ranks_are_those_of_the_statistics_package(numbers):
    ranks = _rank(np.array(numbers, dtype=np.float64))
    np.testing.assert_array_equal(ranks, rankdata(numbers, nan_policy="omit"))
