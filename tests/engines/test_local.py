from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.engines import COUNT
from shoal.engines.local import Local
from shoal.io.write.table import PieceWriter
from shuffle_engine import Shuffle


def noted(path, part):
    with path.open("a") as file:
        file.write(f"{part}\n")
    return part, []


def test_answers_come_once_and_out_of_order(tmp_path):
    parts = list(range(40))
    answers = [part for part, _ in Shuffle(1).map(partial(noted, tmp_path / "runs"), parts)]
    assert sorted(answers) == parts
    assert answers != parts
    runs = [int(line) for line in (tmp_path / "runs").read_text().split()]
    assert set(runs) == set(parts)
    assert len(parts) < len(runs) < 2 * len(parts)  # some ran twice


def test_a_task_that_cannot_be_pickled_is_found():
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        list(Shuffle(1).map(lambda part: part, [1]))


def test_parts_and_answers_are_copies():
    part = [1]
    (answer,) = Shuffle(1).map(emptied, [part])
    assert part == [1]
    assert answer == []


def emptied(part):
    part.clear()
    return part


cell = st.none() | st.text('a,"\n\r =', min_size=1, max_size=3)


@given(st.integers(1, 2).flatmap(lambda d: st.lists(st.tuples(*[cell] * d), max_size=8)))
@example([("a", "b"), ("a", "b"), ("c", None)])  # a record that is the header again
@example([(None,), ("a",), (None,)])
@example([("a\nb", "c")])
def test_lines_are_counted_as_the_rows_that_they_are(rows):
    names = ["a", "b"][: len(rows[0]) if rows else 2]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    with TemporaryDirectory() as folder:
        place = Path(folder, "data[1].csv")
        PieceWriter("csv", frozenset()).whole(iter([frame]), place)
        found = Local().tally_lines(place, names, len(rows))
        known = Local().tally(Local().opened(place, "csv"), names, 10, len(rows))
    if found is None:
        assert any("\n" in (text or "") for row in rows for text in row)
    else:
        assert sorted(found.rows(), key=repr) == sorted(known.select(*names, COUNT).rows(), key=repr)
