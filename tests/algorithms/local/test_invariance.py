"""m-invariance made: as many people as any release can hold, in classes that everybody's signature fits."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_invariance as naive
from shoal.algorithms.local.invariance import _SignaturePlan, publish_invariant
from shoal.base.errors import InfeasibleError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import AllOf, KAnonymity, LDiversity

AGES = [["21", "20-29", "*"], ["25", "20-29", "*"], ["33", "30-39", "*"], ["38", "30-39", "*"]]
SEXES = [["f", "*"], ["m", "*"]]
TREES = {"age": Hierarchy.from_paths("age", AGES), "sex": Hierarchy.from_paths("sex", SEXES)}


@st.composite
def people(draw, most=6):
    """Ages, sexes, sensitive values and earlier signatures of a few people."""
    n = draw(st.integers(2, most))
    ages = draw(st.lists(st.sampled_from([row[0] for row in AGES]), min_size=n, max_size=n))
    sexes = draw(st.lists(st.sampled_from("fm"), min_size=n, max_size=n))
    values = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    some = st.sampled_from([None, None, frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 1, 2})])
    known = draw(st.lists(some, min_size=n, max_size=n))
    return ages, sexes, values, known


def made(ages, sexes, values, known, k, m, suppress=0.0, seed=1):
    table = Table((Column.of("age", "quasi", ages), Column.of("sex", "quasi", sexes)))
    claim = AllOf((KAnonymity(k), LDiversity(m)))
    rng = np.random.default_rng(seed)
    return publish_invariant(
        table, TREES, claim, k=k, m=m, values=np.array(values), signatures=known, suppress=suppress, rng=rng
    ).release


@given(people(), st.integers(2, 4), st.integers(2, 3))
def test_no_release_holds_more_people(case, k, m):
    _, _, values, known = case
    plan = _SignaturePlan.of(np.array(values), known, k, m)
    assert plan.people == naive.most_placed(values, known, k, m)
    assert sum(plan.short) == len(values) - plan.people


def boxes_of(ages, sexes):
    """Every pair of labels that a class may have."""

    def boxes(part):
        by_age = next(
            row[1:] if len({ages[i] for i in part}) > 1 else row for row in AGES if row[0] == ages[part[0]]
        )
        if len({ages[i][0] for i in part}) > 1:
            by_age = ["*"]
        by_sex = ["*"] if len({sexes[i] for i in part}) > 1 else [sexes[part[0]], "*"]
        return [(age, sex) for age in by_age for sex in by_sex]

    return boxes


@given(people(most=5), st.integers(2, 3))
def test_a_release_is_refused_where_there_is_none(case, k):
    ages, sexes, values, known = case
    there = naive.exists(values, known, boxes_of(ages, sexes), k, 2)
    try:
        release = made(*case, k, 2)
    except InfeasibleError as error:
        assert not there or "labels" in str(error)  # noqa: PT017
        return
    assert there
    assert len(release.rows) == len(values)


@given(people(most=14), st.integers(2, 4), st.integers(2, 3))
def test_classes_are_even_and_signatures_stay(case, k, m):
    values, known = case[2], case[3]
    try:
        release = made(*case, k, m, suppress=0.99)
    except InfeasibleError:
        return
    classes = {}
    for row, codes in zip(release.rows.tolist(), release.codes.tolist(), strict=True):
        labels = tuple(form.labels[code] for form, code in zip(release.forms, codes, strict=True))
        classes.setdefault(labels, []).append(row)
    for rows in classes.values():
        many = Counter(values[row] for row in rows)
        assert len(rows) >= k
        assert len(many) >= m
        assert len(set(many.values())) == 1
        assert {known[row] for row in rows} <= {None, frozenset(many)}


def test_the_refusal_counts_people_and_names_no_value():
    with pytest.raises(InfeasibleError, match="1 people who are in earlier releases") as error:
        made(
            ["21"] * 3, ["f"] * 3, [0, 1, 2], [frozenset({0, 1}), frozenset({0, 1}), frozenset({0, 2})], 2, 2
        )
    assert "suppress = 0.3334" in str(error.value)
