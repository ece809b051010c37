"""Releases of every shape judged together, against the slow twins; what cannot be judged is said."""

import json
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_several as naive
from shoal.data import Baskets
from shoal.privacy import KAnonymity, KKmAnonymity, KmAnonymity, Nonreciprocal
from shoal.privacy.several import Together
from shoal.publish.protocols import Known
from shoal.publish.several.coarsening import columns_to_coarsen
from shoal.publish.several.judging import Part, judged, said_of
from shoal.release import Verdict

RULES = [[{"a"}, {"b"}, {"c"}], [{"a", "b"}, {"c"}], [{"a", "c"}, {"b"}], [{"a", "b", "c"}]]


@st.composite
def mixed(draw):
    """A few records with baskets, and two releases of them: a class and published sets for each record in it."""
    baskets = draw(st.lists(st.sets(st.sampled_from("abc")), min_size=2, max_size=7))
    releases = []
    for _ in range(2):
        rule = draw(st.sampled_from(RULES))
        rows = draw(st.dictionaries(st.integers(0, len(baskets) - 1), st.integers(0, 1), min_size=1))
        sets = {row: [frozenset(form) for form in rule if form & baskets[row]] for row in rows}
        releases.append((rows, sets))
    return baskets, releases


def part(claim, baskets, classes, sets, originals=None):
    cells = [json.dumps([sorted(form) for form in sets[row]]) for row in classes]
    frame = pl.DataFrame({"zip": [str(label) for label in classes.values()], "items": cells})
    rows = np.array(list(classes))
    held = SimpleNamespace(baskets=Baskets.of("items", baskets)) if originals is None else originals
    columns = {"zip": "quasi", "items": "items"} if claim.shape == "mixed" else {"items": "items"}
    known = Known(columns, {}, frozenset(), held, rows)
    return Part(Path("release"), claim, frame.select(list(columns)), known, rows)


def keeps(baskets, releases, place, k, m):
    """Whether k records of the joint class of each record have any up to m of its items in the same labels."""
    classes, sets = [rows for rows, _ in releases], [published for _, published in releases]
    held = {row: naive.vectors(sets, baskets, row) for row in range(len(baskets))}
    for row in classes[place]:
        others = naive.shared(classes, row)
        for size in range(m + 1):
            for known in combinations(sorted(held[row], key=repr), size):
                if sum(set(known) <= held[other] for other in others) < k:
                    return False
    return True


@given(mixed(), st.integers(1, 3), st.integers(1, 2))
def test_tables_with_baskets(case, k, m):
    baskets, releases = case
    originals = SimpleNamespace(baskets=Baskets.of("items", baskets))
    parts = [part(KKmAnonymity(k, m), baskets, *release, originals) for release in releases]
    found = judged(parts)
    assert isinstance(found, Together)
    assert [bool(said) for said in found.verdicts] == [
        keeps(baskets, releases, place, k, m) for place in range(len(releases))
    ]
    assert bool(said_of(found, ["one", "two"])) == bool(found)


def test_baskets_of_different_files_are_not_judged():
    one, other = [{"a"}, {"a"}], [{"a"}, {"b"}]
    sets = {0: [frozenset("a")], 1: [frozenset("ab")]}
    parts = [part(KmAnonymity(2, 1), baskets, {0: 0, 1: 0}, sets) for baskets in (one, other)]
    assert "of the same file" in judged(parts)
    assert isinstance(judged([parts[0], parts[0]]), Together)


@pytest.mark.parametrize(("errors", "same"), [([1, 1], True), ([1, 2], False)])
def test_votes_are_judged_only_where_they_are_the_same(errors, same):
    claim, rows = Nonreciprocal(2), np.array([0, 1])
    frame = pl.DataFrame({"items": ['["a"]', '["b"]'], "errors": [1, 1]})
    first = Part(Path("one"), claim, frame, Known({}), rows)
    turned = frame.reverse().with_columns(errors=pl.Series(errors))
    second = Part(Path("two"), claim, turned, Known({}), rows[::-1])
    assert isinstance(judged([first, second]), Together) is same


def test_what_no_judge_could_count_is_not_judged():
    hopeless = Verdict(False, "not judged: too many combinations", judged=False)
    said = said_of(Together((Verdict(True, "yes"), hopeless), 9, 0, 0), ["one", "two"])
    assert not said.judged
    assert "release 2 (two)" in said.sentence
    assert "finds" not in said.sentence


def table(**columns):
    frame = pl.DataFrame(columns)
    known = Known(dict.fromkeys(columns, "quasi"))
    return Part(Path("release"), KAnonymity(2), frame, known, np.arange(len(frame)))


def test_the_column_that_crosses_the_earlier_classes_is_named():
    earlier = table(age=["1", "1", "2", "2"])
    assert columns_to_coarsen([earlier, table(age=["1", "1", "2", "2"], zip=["a", "b", "a", "b"])]) == ["zip"]
    assert columns_to_coarsen([earlier, table(age=["1", "2", "1", "2"], zip=["a", "b", "a", "b"])]) == [
        "age",
        "zip",
    ]
    assert columns_to_coarsen([table(age=["1", "2", "3", "4"]), table(zip=["a", "a", "a", "a"])]) == []
