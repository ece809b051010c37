"""Columns that are published at a fixed level: what stands for each cell, and what is refused."""

import numpy as np
import polars as pl
import pytest

from shoal.base.errors import HierarchyError, InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import ColumnSpec
from shoal.io.read.source import Source
from shoal.shapes.hierarchies import Coarse, apply_least_levels, coarsen_columns

CELLS = pl.Series(["123", "1456", None, "129", "77"])
GIVEN = Hierarchy.from_paths("zip", [["123", "12x", "*"], ["129", "12x", "*"], ["77", "7x", "*"]])


def coarse(level, spec=None, missing=(), cells=CELLS):
    return Coarse("zip", spec or {"mask": "right"}, level, cells, missing)


def test_every_cell_has_the_label_of_its_level():
    assert coarse(0).labels().to_list() == ["123", "1456", None, "129", "77"]
    assert coarse(2).labels().to_list() == ["12**", "14**", None, "12**", "77"]
    assert coarse(4).labels().to_list() == ["*", "*", None, "*", "*"]
    assert coarse(1).labels().name == "zip"


def test_no_cell_is_shown():
    assert not any(cell in repr(coarse(1)) for cell in CELLS if cell)


@pytest.mark.parametrize("level", [-1, 5])
def test_a_level_that_the_hierarchy_lacks_is_refused(level):
    with pytest.raises(
        InputError, match=f"column 'zip': level={level}; give one of the levels 0 to 4 of its"
    ):
        coarse(level).labels()


def test_labels_tell_of_some_rows_alone():
    """The longest value is left out: no mask is as long as it, and whoever holds it has no label of its own."""
    rows = np.array([0, 2, 3, 4])
    assert coarse(1).labels(rows).to_list() == ["12*", "*", None, "12*", "77"]
    named = coarse(2).labels(rows, anew=False).to_list()
    assert [named[row] for row in rows] == ["12*", None, "12*", "77"]
    assert "1456" not in "".join(one or "" for one in named)
    assert coarse(4).labels(rows).to_list() == ["*", "*", None, "*", "*"]  # anew it is one level lower


def test_a_value_that_a_given_hierarchy_lacks_is_refused_unless_it_is_not_published():
    with pytest.raises((InputError, HierarchyError), match="'zip'"):
        coarse(1, GIVEN).labels()
    rows = np.array([0, 3, 4])
    assert coarse(1, GIVEN).labels(rows).to_list() == ["12x", "*", None, "12x", "7x"]
    assert not coarse(1, GIVEN).built
    assert coarse(1).built


def test_only_columns_with_a_level_are_made_coarser():
    source = Source(pl.DataFrame({"zip": ["123", "?", "129"], "age": ["1", "2", "3"]}), missing=("?",))
    spec = ColumnSpec("plain", hierarchy={"mask": "right"}, level=1)
    made, found = coarsen_columns(source, {"zip": spec, "age": ColumnSpec("quasi"), "gone": spec})
    assert list(found) == ["zip"]
    assert found["zip"].missing == ("?",)
    assert made.frame["zip"].to_list() == ["12*", None, "12*"]
    assert made.frame["age"].to_list() == ["1", "2", "3"]
    assert coarsen_columns(source, {"age": ColumnSpec("quasi", hierarchy={"mask": "right"})}) == (source, {})


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            ColumnSpec("plain", level=1),
            "'c': a plain column takes a hierarchy and a level together, or neither",
        ),
        (
            ColumnSpec("sensitive", hierarchy={"mask": "right"}),
            "'c': a sensitive column takes a hierarchy and",
        ),
        (
            ColumnSpec("quasi", hierarchy={"mask": "right"}, level=1),
            "level is for quasi-identifiers, plain and sensitive columns, not for quasi",
        ),
        (ColumnSpec("quasi", level=0), "'c': level is for quasi-identifiers, plain"),
    ],
)
def test_a_hierarchy_and_a_level_stand_together(spec, words):
    with pytest.raises(InputError, match=words):
        coarsen_columns(Source(pl.DataFrame({"c": ["1"]})), {"c": spec})


def test_a_least_level_needs_labels_that_stay_whoever_is_left_out():
    spec = ColumnSpec("quasi", hierarchy={"fanout": 2}, level=1)
    with pytest.raises(InputError, match=r"'c': .* needs dates, ranges, a vocabulary or groups"):
        apply_least_levels(Source(pl.DataFrame({"c": ["1"]})), {"c": spec})
