"""Log-linear models of a population: the fit against a plain GLM, the figures against populations of known truth."""

from itertools import combinations, product
from math import exp

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.report.risk import sentences
from shoal.risks.log_linear import model_population


def design(cells, widths, *, pairs):
    """One column for each effect: 1, every value of every column, and of every two columns every pair."""
    rows = []
    for cell in cells:
        row = [1.0]
        for j, width in enumerate(widths):
            row += [float(cell[j] == value) for value in range(1, width)]
        for i, j in combinations(range(len(widths)), 2) if pairs else ():
            row += [
                float(cell[i] == a and cell[j] == b)
                for a, b in product(range(1, widths[i]), range(1, widths[j]))
            ]
        rows.append(row)
    return np.array(rows)


def glm(counts, matrix):
    """The means of a Poisson regression with a logarithmic link, by Newton's steps, as weighted least squares."""
    means = counts + 0.5
    for _ in range(200):
        linear = np.log(means)
        root = np.sqrt(means)
        working = linear + (counts - means) / means
        solved = np.linalg.lstsq(root[:, None] * matrix, root * working, rcond=None)[0]
        means = np.exp(np.clip(matrix @ solved, -30, 30))
    return means


def by_definition(columns, weights, widths, *, pairs):
    """Tau 1 and tau 2, cell by cell."""
    cells = list(product(*map(range, widths)))
    records = {cell: [] for cell in cells}
    for record, weight in zip(zip(*columns, strict=True), weights, strict=True):
        records[record].append(weight)
    counts = np.array([sum(records[cell]) for cell in cells])
    means = glm(counts, design(cells, widths, pairs=pairs))
    unique = matches = 0.0
    for cell, mean in zip(cells, means, strict=True):
        if len(records[cell]) == 1:
            others = (1 - 1 / records[cell][0]) * mean
            unique += exp(-others)
            matches += (1 - exp(-others)) / others if others > 1e-12 else 1.0
    return unique, matches


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.booleans())
def test_the_fit_is_that_of_a_regression(seed, weighted):
    """Every pair of values occurs, so that the greatest likelihood is inside."""
    rng, widths = np.random.default_rng(seed), (3, 2, 3)
    base = np.array(list(product(*map(range, widths))))
    drawn = np.concatenate([base[rng.permutation(len(base))[:14]], rng.integers(0, widths, (20, 3))])
    columns = [column.tolist() for column in drawn.T]
    for i, j in combinations(range(3), 2):
        if len({*zip(columns[i], columns[j], strict=True)}) < widths[i] * widths[j]:
            return
    weights = rng.choice([4.0, 9.0, 25.0], len(drawn)) if weighted else np.full(len(drawn), 10.0)
    found = model_population([np.array(column) for column in columns], weights)
    assert [one.model for one in found] == ["main effects", "two-way"]
    for one in found:
        expected = by_definition(columns, weights.tolist(), widths, pairs=one.model == "two-way")
        assert (one.unique, one.matches) == pytest.approx(expected, rel=2e-3, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_the_truth_of_a_population_is_estimated(seed):
    """A population that follows a model with interactions: truth and estimate differ by little more than chance."""
    rng, widths, fraction = np.random.default_rng(seed), (8, 10, 6, 9), 0.1
    log = sum(
        rng.normal(0, 0.5, [width if place in pair else 1 for place, width in enumerate(widths)])
        for pair in combinations(range(4), 2)
    ) + sum(
        rng.normal(0, 0.8, [width if place == own else 1 for place, width in enumerate(widths)])
        for own in range(4)
    )
    means = np.exp(log)
    people = rng.poisson(means * 30000 / means.sum()).reshape(-1)
    sample = rng.binomial(people, fraction)
    alone = sample == 1
    truth = (people[alone] == 1).sum(), (1 / people[alone]).sum()
    cells = np.array(np.unravel_index(np.repeat(np.arange(len(sample)), sample), widths))
    found = model_population(list(cells), np.full(cells.shape[1], 1 / fraction))[-1]
    assert found.model == "two-way"
    assert found.alone == alone.sum()
    assert found.unique == pytest.approx(truth[0], rel=0.25)
    assert found.matches == pytest.approx(truth[1], rel=0.12)


def test_sure_things():
    """In a census whoever is alone is alone; where nobody is alone there is nothing to find."""
    columns = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    census = model_population(columns, np.ones(4))[0]
    assert (census.alone, census.unique, census.matches) == (4, 4.0, 4.0)
    twice = model_population([np.tile(column, 2) for column in columns], np.full(8, 5.0))[0]
    assert (twice.alone, twice.unique, twice.matches) == (0, 0.0, 0.0)
    assert model_population(columns[:1], np.ones(4)) == []


def test_a_table_that_is_too_sparse_keeps_its_main_effects():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 60, 4000) for _ in range(6)]
    assert [one.model for one in model_population(columns, np.full(4000, 20.0))] == ["main effects"]


def test_interactions_need_only_cells_whose_pairs_occur():
    """Thousands of values in three columns, each pair of which occurs once: as many cells as records."""
    codes = np.arange(3000)
    found = model_population([codes, codes, codes], np.full(3000, 10.0))
    assert [one.model for one in found] == ["main effects", "two-way"]
    assert found[1].unique == pytest.approx(3000 * exp(-9))


def test_risk_and_audit_tell_it(tmp_path):
    rng = np.random.default_rng(2)
    survey = pl.DataFrame(
        {name: rng.integers(0, 6, 300) for name in ("a", "b", "c")} | {"wt": rng.choice([10.0, 30.0], 300)}
    )
    roles = dict.fromkeys("abc", "quasi") | {"wt": "weight"}
    data = shoal.read(survey, roles=roles)
    risk = shoal.risk(data)
    expected = model_population(
        [survey[name].to_numpy() for name in ("a", "b", "c")], survey["wt"].to_numpy()
    )
    told = risk.as_dict()["log_linear"]
    assert [one["model"] for one in told] == ["main effects", "two-way"]
    assert told[1]["unique"] == pytest.approx(expected[1].unique)
    assert [words for about, words in sentences(risk.as_dict()) if about == "models"] != []
    shoal.anonymize(data, k=5).save(tmp_path / "release")
    audit = pl.read_json(tmp_path / "release.private/audit.json")
    before, after = audit["risk_before"][0], audit["risk_after"][0]
    assert before["modelled_unique"] == pytest.approx(expected[1].unique)
    assert after["modelled_unique"] == 0
    by_size = shoal.risk(shoal.read(survey.drop("wt"), roles=dict.fromkeys("abc", "quasi")), population=6000)
    assert by_size.as_dict()["log_linear"][0]["alone"] == expected[0].alone
