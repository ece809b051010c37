"""Labels of built hierarchies tell nothing of what is left out: here of a code that is longer than all others."""

import datetime as dt
import json
import warnings
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data import Baskets, Column, Table
from shoal.hierarchy.labels import without_missing
from shoal.hierarchy.rules import mask
from shoal.release import PublishedValues, Recoded, RecodedBaskets
from shoal.shapes.hierarchies import relabel_items, relabel_table

pytestmark = pytest.mark.usefixtures("bare")

BASKETS = Baskets.of("zip", [["12"], ["12"], ["1345"]])
BUILT = mask("zip", "right", ["12", "1345"])


def release(items, suppressed):
    """What is published of the baskets: `1***` for the first item, or a set of both, or the long item itself."""
    sets = [np.array(leaves, dtype=np.int32) for leaves in ([0], [0, 1], [1])]
    forms = PublishedValues.of_sets(["1***", None, "1345"], sets)
    rows = np.arange(len(items))
    start = np.arange(len(items) + 1)
    return RecodedBaskets(forms, start, np.array(items, dtype=np.int32), rows, 3, suppressed)


def test_an_item_that_is_left_out_leaves_no_trace():
    hierarchy, shown = relabel_items(BASKETS, BUILT, release([0, 0], 1))
    assert hierarchy.labels[3] == ("1*", "*")
    assert shown.forms.labels == ("1*", None, "1345")


def test_an_item_that_is_left_out_of_baskets_that_stay_leaves_no_trace():
    hierarchy, shown = relabel_items(BASKETS, BUILT, release([0, 0, 0], 1))
    assert shown.forms.labels == ("1*", None, "1345")
    assert hierarchy.labels[3] == ("1*", "*")


def test_only_items_that_are_published_make_labels():
    """The item that is left out is the longest, and the first of all."""
    baskets, built = Baskets.of("zip", [["1245"], ["13"], ["13"]]), mask("zip", "right", ["1245", "13"])
    forms = PublishedValues.of_sets(["1***"], [np.array([1], dtype=np.int32)])
    nobody = np.zeros(2, dtype=np.int32)
    shown = RecodedBaskets(forms, np.arange(3), nobody, np.array([1, 2]), 3, 0)
    assert relabel_items(baskets, built, shown)[1].forms.labels == ("1*",)
    empty = RecodedBaskets(forms, np.zeros(4, dtype=np.int64), nobody[:0], np.arange(3), 3, 3)
    assert relabel_items(baskets, built, empty)[1].forms.labels == ("1***",)


def test_what_is_published_keeps_its_labels():
    everything = release([0, 0, 2], 0)
    assert relabel_items(BASKETS, BUILT, everything) == (BUILT, everything)
    for items in ([0, 2], [0, 1]):
        assert relabel_items(BASKETS, BUILT, release(items, 1))[1].forms.labels[0] == "1***"


def test_labels_of_a_table_are_made_from_what_is_kept():
    """The longest code of all is left out; of those that stay, one person alone has the longest."""
    table = Table((Column.of("zip", "quasi", ["12", "12", "1345", "2345678"]),))
    built = mask("zip", "right", table.columns[0].values)
    leaves = built.encode(table.columns[0])[:, None]
    for rows, label in (([0, 1, 2, 3], "1******"), ([0, 1, 2], "1***"), ([0, 1], "1*"), ([], "1******")):
        kept = np.array(rows, dtype=np.int64)
        made = Recoded.of_levels(["zip"], {"zip": built}, leaves, [built.height - 1], kept)
        hierarchies, shown = relabel_table(table, {"zip": built}, leaves, made)
        assert label in shown.forms[0].labels
        assert label in hierarchies["zip"].labels[-2]
        assert shown.codes.tolist() == made.codes.tolist()


@pytest.mark.filterwarnings("ignore::shoal.base.errors.ShoalWarning")
@pytest.mark.parametrize("role", ["quasi", "plain"])
def test_times_of_those_who_are_left_out_do_not_make_dates_times(role):
    """Everybody who stays came at midnight, which reads as a date; of those left out one came at noon, another not."""
    days = [dt.datetime(2020, 1, 1 + place // 8) for place in range(24)]
    found = []
    for odd in (dt.datetime(1990, 1, 1, 12), dt.datetime(1990, 1, 1)):
        frame = pl.DataFrame({"came": [*days, odd], "age": [*(30 + place // 8 for place in range(24)), 99]})
        data = shoal.read(frame, roles={"came": role, "age": "quasi"}, allow=["came"])
        release = shoal.anonymize(data, k=8, method="optimal", suppress=0.04, seed=1)
        assert len(release.data) == 24
        found.append(release.data["came"].cast(pl.String).to_list())
    assert found[0] == found[1]


@st.composite
def columns(draw):
    """Cells of a column of 2 to 200 values: some that many have, some that few have, and missing cells."""
    many = draw(st.one_of(st.integers(2, 12), st.integers(13, 70), st.integers(71, 200)))
    times = draw(st.sampled_from([(1, 1), (1, 2), (1, 6), (3, 4)]))
    rng = draw(st.randoms(use_true_random=False))
    cells = [f"v{value:03d}" for value in range(many) for _ in range(rng.randint(*times))]
    cells += [None] * draw(st.sampled_from([0, 0, 1, 2, 3, 6]))
    rng.shuffle(cells)
    return cells


@pytest.mark.parametrize("maker", ["mstk", "mondrian", "kmember"])
@given(cells=columns(), spread=st.integers(1, 4))
@settings(max_examples=25)
def test_a_span_lists_no_value_that_too_few_hold(maker, cells, spread):
    """Of a column without a rule; beside another column, so that classes are mixed."""
    frame = pl.DataFrame({"q": cells, "r": [str(place % spread) for place in range(len(cells))]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        data = shoal.read(frame, roles={"q": "quasi", "r": "quasi"})
        try:
            release = shoal.anonymize(data, k=3, method=maker, recode="span", seed=1, allow_empty=True)
        except shoal.InfeasibleError:
            assert len(cells) < 3
            return
    held = Counter(cells)
    listed = {
        value
        for label in release.data["q"]
        if label and label[0] == "["
        for value in json.loads(without_missing(label))
    }
    assert all(held[value] >= 3 for value in listed)
