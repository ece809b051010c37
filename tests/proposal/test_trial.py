"""What init sees of a release before any is made: columns for which it would be refused become quasi-identifiers."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.proposal.propose import propose
from shoal.proposal.trial import _cluster_some, _halve_classes


@given(st.integers(0, 10_000), st.integers(1, 2000), st.integers(2, 6))
@settings(max_examples=30)
def test_clusters_of_some_people_have_k_of_them(seed, n, k):
    random = np.random.default_rng(seed)
    places = np.stack([random.integers(0, wide, n) for wide in (2, 5, 40)], axis=1)
    cluster_of_row = _cluster_some(places, k)
    clustered = cluster_of_row[cluster_of_row >= 0]
    size = np.bincount(clustered)
    assert (size >= min(k, n)).all()
    assert size.max() < 2 * max(k, n // max(n // k, 1)) + k
    assert len(clustered) == n or len(clustered) >= 2500


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 6))
def test_classes_have_k_people_and_cannot_be_cut(seed, n, k):
    random = np.random.default_rng(seed)
    places = np.stack([random.integers(0, wide, n) for wide in (2, 5, 40)], axis=1)
    kind = _halve_classes(places, k)
    assert sorted(set(kind.tolist())) == list(range(int(kind.max()) + 1))
    size = np.bincount(kind)
    assert (size >= min(k, n)).all()
    for one in range(len(size)):
        for column in places[kind == one].T:
            below = [int((column < value).sum()) for value in column.tolist()]
            assert not any(k <= many <= size[one] - k for many in below)
    for column in places.T:  # nobody is cut from somebody with the same values
        assert len(column) == n
    same = {tuple(row): one for row, one in zip(places.tolist(), kind.tolist(), strict=True)}
    assert all(same[tuple(row)] == one for row, one in zip(places.tolist(), kind.tolist(), strict=True))


def clinic(n=1200, seed=1):
    random = np.random.default_rng(seed)
    born = random.integers(1940, 2000, n)
    return random, {
        "birth year": born,
        "sex": random.choice(["f", "m"], n),
        "zip": [f"{10_000 + place}" for place in random.integers(0, 90, n)],
    }


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_a_sensitive_column_that_would_be_refused_is_made_coarser_or_a_quasi_identifier(width):
    random, columns = clinic()
    columns["income"] = 2000 - columns["birth year"] + random.integers(0, width, 1200)
    made = propose(pl.DataFrame(columns))
    assert made["income"].role == "quasi" or made["income"].level
    assert "tell" in made["income"].why or "reveal" in made["income"].why
    assert shoal.anonymize(made.read(), **made.guarantee)
    stated = propose(pl.DataFrame(columns), roles={"income": "sensitive"})
    assert stated["income"].role == "sensitive"
    if width < 7:
        with pytest.raises(shoal.ShoalError, match="column 'income'"):
            shoal.anonymize(stated.read(), k=5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_proposed_is_not_refused(seed):
    random, columns = clinic(seed=seed)
    age = 2010 - columns["birth year"]
    columns["income"] = np.round(random.lognormal(0.01 * age, 0.5, 1200) * 20, -1).astype(int)
    columns["diagnosis"] = [
        f"d{one}" for one in np.where(random.random(1200) < 0.2, age // 12, random.integers(0, 6, 1200))
    ]
    made = propose(pl.DataFrame(columns))
    assert made["diagnosis"].role == "sensitive"
    assert shoal.anonymize(made.read(), **made.guarantee)


def test_persons_are_looked_at_once():
    random, columns = clinic(400)
    shown = 2000 - columns["birth year"] + random.integers(0, 3, 400)
    rows = np.repeat(np.arange(400), 4)
    frame = pl.DataFrame(
        {
            "patient_id": [f"p{one:05d}" for one in rows],
            **{name: np.asarray(cells)[rows] for name, cells in columns.items()},
            "income": shown[rows],
            "visit": random.integers(1, 9, len(rows)),
        }
    )
    made = propose(frame)
    assert made.data.person == "patient_id"
    assert made["income"].role == "quasi"
