from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_boxes
from local_cases import axes_and_levels, cases
from shoal.algorithms.local import boxes as module
from shoal.algorithms.local.boxes import Filling, SpareRecords, _build_ladder, _bundle_axes, boxes
from shoal.algorithms.local.column_prices import SCALE
from shoal.base.errors import InfeasibleError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import KAnonymity
from shoal.utility import _table_losses, class_of_rows
from table_cases import seen, true

AGES = ("21", "26", "33", "37")


def ages(cells):
    paths = [[age, f"{age[0]}*", "*"] for age in AGES]
    return Table((Column.of("age", "quasi", cells),)), {"age": Hierarchy.from_paths("age", paths)}


def labels(release):
    return sorted(release.forms[0].labels[code] for code in release.codes[:, 0])


class Alone(Filling):
    """A filling in which nobody lends."""

    def _collect_spare_records(self):
        none = np.empty(0, dtype=np.int64)
        return SpareRecords(none, np.stack([none, none, none]), self._ladder)


def test_the_cheapest_boxes_are_closed_first():
    assert labels(boxes(*ages(["21", "21", "26", "26", "33", "37"]), KAnonymity(2)).release) == [
        "21",
        "21",
        "26",
        "26",
        "3*",
        "3*",
    ]


def test_a_spare_record_goes_where_somebody_would_be_alone():
    found = boxes(*ages(["21"] * 3 + ["26", "33", "33"]), KAnonymity(2))
    assert labels(found.release) == ["2*", "2*", "21", "21", "33", "33"]
    assert found.trace["filled"] == 1


def test_whoever_finds_no_box_joins_a_class():
    found = boxes(*ages(["21", "21", "26"]), KAnonymity(2))
    assert labels(found.release) == ["2*", "2*", "2*"]
    assert (found.trace["alone"], found.trace["merged"]) == (1, 1)


@given(case=cases(min_rows=3), k=st.integers(1, 4))
@settings(max_examples=60)
def test_without_spare_records_boxes_are_closed_by_rising_price(case, k):
    assume(case.local.n >= k)
    axes, levels = axes_and_levels(case, case.local.leaves[case.local.first])
    rows = [tuple(int(axis.of[t]) for axis in axes) for t in case.local.tuple_of.tolist()]
    free, wanted = set(range(len(rows))), []
    for (vector, _), (price, inside) in sorted(
        naive_boxes.boxes(rows, levels).items(), key=lambda box: (box[1][0], box[0][0])
    ):
        if len(free & set(inside)) >= k:
            wanted.append((price, vector, sorted(free & set(inside))))
            free -= set(inside)
    filling = Alone(axes, case.local.counts, k)
    while filling.close(2 * SCALE):
        pass
    found = [set() for _ in filling.prices]
    for t, c in zip(filling.of.tolist(), filling.into.tolist(), strict=True):
        found[c] |= set(np.flatnonzero(case.local.tuple_of == t).tolist())
    assert sorted(map(sorted, found)) == sorted(records for _, _, records in wanted)
    assert sorted(filling.prices.tolist()) == sorted(price for price, _, _ in wanted)


@given(case=cases(min_rows=3), k=st.integers(1, 4))
@settings(max_examples=60)
def test_pieces_hold_every_record_once_and_classes_hold_k(case, k):
    axes, _ = axes_and_levels(case, case.local.leaves[case.local.first])
    filling = Filling(axes, case.local.counts, k)
    while filling.close(k * SCALE):
        assert (filling.many >= 0).all()
        held = np.bincount(filling.of, weights=filling.many, minlength=len(filling.counts))
        assert (held[filling.free] == 0).all()
        placed = np.setdiff1d(np.arange(len(held)), filling.free)
        assert (held[placed] == filling.counts[placed]).all()
        assert np.bincount(filling.into, weights=filling.many).min() >= k


@given(case=cases(min_rows=2, max_sensitive=1), k=st.integers(1, 3), together=st.integers(1, 3))
@settings(max_examples=40)
def test_columns_that_climb_together_keep_the_claim_too(case, k, together):
    assume(case.table.n >= k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST", 6 // together)
        found = boxes(case.table, case.trees, KAnonymity(k))
    assert found.claim.check(seen(found.release, case.table))
    assert true(found.release, case.table, case.trees)


@given(case=cases(min_rows=2))
@settings(max_examples=30)
def test_bundles_climb_and_cost_what_their_columns_do(case):
    axes, _ = axes_and_levels(case, case.local.leaves[case.local.first])
    for bundle, columns in zip(
        _bundle_axes(axes, 2), (axes[at : at + 2] for at in range(0, len(axes), 2)), strict=True
    ):
        assert (bundle.prices[-1] == sum(axis.prices[-1].max() for axis in columns)).all()
        for below, above in pairwise(bundle.places):
            for group in np.unique(below):
                assert len(np.unique(above[below == group])) == 1
        packed, _ = _build_ladder(columns)
        groups = {(a, b) for a, b in zip(packed.tolist(), bundle.of.tolist(), strict=True)}
        assert len(groups) == len({a for a, _ in groups})  # equal rows have equal values


def test_it_leaves_out_at_most_what_it_may():
    table, trees = ages(["21"] * 10 + ["37"])
    found = boxes(table, trees, KAnonymity(5), suppress=0.1)
    assert found.release.suppressed == 1
    assert _table_losses(found.release, trees)["ncp"] == pytest.approx(1 / 11)
    assert np.bincount(class_of_rows(found.release)).tolist() == [10]
    with pytest.raises(InfeasibleError, match="k=12"):
        boxes(table, trees, KAnonymity(12))
