"""Any small table, any method, any earlier release: what is made keeps all claims by the slow twin, or is not made."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_several as naive
import shoal
from shoal.anonymization.several.judging import EarlierReleases, Part
from shoal.anonymization.several.making import anonymize_beside
from shoal.base.errors import InfeasibleError
from shoal.shapes.dataset import JudgingContext

pytestmark = pytest.mark.usefixtures("bare")

ROLES = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
TREES = {
    "age": shoal.Hierarchy.from_paths("age", [[str(a), f"{a // 2 * 2}+", "*"] for a in range(4)]),
    "sex": shoal.Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]]),
}
CELLS = st.tuples(st.sampled_from("0123"), st.sampled_from("fm"), st.sampled_from(["flu", "gout", "HIV"]))


@st.composite
def case(draw):
    rows = draw(st.lists(CELLS, min_size=4, max_size=10))
    cut = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    there = draw(st.sets(st.integers(0, len(rows) - 1), min_size=1))
    return pl.DataFrame(rows, schema=list(ROLES), orient="row"), cut, sorted(there)


def beside_of(data, claim, cut, rows):
    """An earlier release that published a cut of the people, some of them missing."""
    frame = pl.DataFrame({"class": [str(cut[row]) for row in rows]})
    part = Part(Path("earlier"), claim, frame, JudgingContext({"class": "quasi"}), np.array(rows))
    return EarlierReleases(data, (part,), np.arange(data.records))


@pytest.mark.parametrize(
    "method", ["mstk", "mondrian", "kmember", "boxes", "column-cut", "optimal", "incognito"]
)
@settings(max_examples=25)
@given(case(), st.integers(2, 3), st.integers(2, 3), st.sampled_from([0.0, 0.5]))
def test_claims_are_kept_or_nothing_is_made(method, found, k, earlier_k, suppress):
    frame, cut, rows = found
    data = shoal.read(frame, roles=ROLES, hierarchies=TREES, allow=("ill",))
    beside = beside_of(data, shoal.KAnonymity(earlier_k), cut, rows)
    try:
        made = anonymize_beside(data, beside, method=method, k=k, suppress=suppress)
    except InfeasibleError:
        return
    cells = made.frame.select("age", "sex").rows()
    later = dict(zip(made.rows.tolist(), cells, strict=True))
    first = {row: cut[row] for row in rows}
    assert naive.keeps_k([first, later], 0, earlier_k)
    assert naive.keeps_k([first, later], 1, k)


@settings(max_examples=25)
@given(case(), st.sampled_from(["mstk", "optimal"]))
def test_what_keeps_the_earlier_classes_is_never_refused(found, method):
    """Where the earlier classes are large enough, everybody is in them and nobody left, there is always a release."""
    frame, cut, _ = found
    data = shoal.read(frame, roles=ROLES, hierarchies=TREES, allow=("ill",))
    small = min(cut.count(number) for number in cut)
    if small < 2:
        return
    beside = beside_of(data, shoal.KAnonymity(2), cut, range(len(cut)))
    made = anonymize_beside(data, beside, method=method, k=small, allow_empty=True)
    assert made.manifest["suppressed"] == 0
