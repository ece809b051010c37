"""Labels of built hierarchies tell nothing of what is left out: here of a code that is longer than all others."""

import numpy as np
import polars as pl

import shoal
from shoal.data import Baskets
from shoal.hierarchy.build import mask
from shoal.publish.traces import items_without_traces
from shoal.release import Forms, RecodedBaskets

BASKETS = Baskets.of("zip", [["12"], ["12"], ["1345"]])
BUILT = mask("zip", "right", ["12", "1345"])


def release(items, suppressed):
    """What is published of the baskets: `1***` for the first item, or a set of both, or the long item itself."""
    sets = [np.array(leaves, dtype=np.int32) for leaves in ([0], [0, 1], [1])]
    forms = Forms.of_sets(["1***", None, "1345"], sets)
    rows = np.arange(len(items))
    start = np.arange(len(items) + 1)
    return RecodedBaskets(forms, start, np.array(items, dtype=np.int32), rows, 3, suppressed)


def test_an_item_that_is_left_out_leaves_no_trace():
    hierarchy, shown = items_without_traces(BASKETS, BUILT, release([0, 0], 1))
    assert hierarchy.labels[3] == ("1*", "*")
    assert shown.forms.labels == ("1*", None, "1345")


def test_what_is_published_keeps_its_labels():
    everything = release([0, 0, 2], 0)
    assert items_without_traces(BASKETS, BUILT, everything) == (BUILT, everything)
    for items in ([0, 2], [0, 1]):
        assert items_without_traces(BASKETS, BUILT, release(items, 1))[1].forms.labels[0] == "1***"


def test_a_record_that_is_left_out_leaves_no_trace():
    """Six short codes are published by their first letter; the long one, which nobody shares, is suppressed."""
    people = pl.DataFrame({"zip": ["11", "12", "13"] * 2 + ["2345678"]})
    data = shoal.read(people, roles={"zip": "quasi"}, hierarchies={"zip": {"mask": "right"}})
    release = shoal.anonymize(data, k=6, method="optimal", suppress=0.2)
    assert release.data["zip"].to_list() == ["1*"] * 6
