import gzip
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from threading import Barrier, BrokenBarrierError

import numpy as np
import polars as pl
import pytest

from shoal.base.errors import InputError
from shoal.io.read.parts import open_arrays, read_basket_parts, save_arrays

ROWS = [["10", "2"], [], ["3"], ["2", "3", "10"], ["7"]]


def read_back(raw):
    """The baskets of all parts as sets of texts."""
    rows = []
    for part in raw.parts:
        start, items = open_arrays(part, "raw_start", "raw_items")
        codes = raw.place[items]
        rows += [{raw.values[code] for code in codes[a:b]} for a, b in pairwise(start)]
    return rows


def write(path, rows):
    frame = pl.DataFrame({"items": rows, "tag": [f"t{at % 2}" for at in range(len(rows))]})
    texts = frame.with_columns(pl.col("items").list.join(" "))
    match path.suffixes:
        case [".dat"]:
            path.write_text("".join(f"{' '.join(row)}\n" for row in rows))
        case [".dat", ".gz"]:
            path.write_bytes(gzip.compress("".join(f"{' '.join(row)}\n" for row in rows).encode()))
        case [".csv"]:
            texts.write_csv(path)
        case [".ndjson"]:
            frame.write_ndjson(path)
        case _:
            frame.write_parquet(path)


@pytest.mark.parametrize("name", ["a.dat", "a.dat.gz", "a.csv", "a.ndjson", "a.parquet"])
@pytest.mark.parametrize("records", [1, 2, 100])
def test_parts_hold_what_the_file_holds(tmp_path, name, records):
    write(tmp_path / name, ROWS)
    raw = read_basket_parts(tmp_path / name, tmp_path / "parts", records=records, sensitive=["99"])
    assert read_back(raw) == [set(row) for row in ROWS]
    assert raw.values == ("10", "2", "3", "7", "99")
    assert raw.counts.tolist() == [2, 2, 2, 1, 0]
    assert raw.sensitive == {4}
    assert raw.n == 5
    assert "10" not in repr(raw)
    if records == 1 and "dat" in name:
        assert len(raw.parts) == 5


def test_labels_stand_beside_their_baskets(tmp_path):
    write(tmp_path / "a.ndjson", ROWS)
    raw = read_basket_parts(tmp_path / "a.ndjson", tmp_path / "parts", label="tag", records=2)
    codes = np.concatenate([open_arrays(part, "raw_label")[0] for part in raw.parts])
    assert [raw.labels[code] for code in codes] == ["t0", "t1", "t0", "t1", "t0"]


def test_what_is_wrong_is_said_with_its_place(tmp_path):
    (tmp_path / "a.dat").write_text("1 2\n3\n4 x\n")
    with pytest.raises(InputError, match=r"a\.dat, line 3: a \.dat file holds whole numbers"):
        read_basket_parts(tmp_path / "a.dat", tmp_path / "parts", records=2)
    (tmp_path / "a.xml").write_text("<a/>")
    with pytest.raises(InputError, match=r"a\.xml: large baskets are read from"):
        read_basket_parts(tmp_path / "a.xml", tmp_path / "more")
    write(tmp_path / "a.ndjson", ROWS)
    with pytest.raises(InputError, match="no column 'things'"):
        read_basket_parts(tmp_path / "a.ndjson", tmp_path / "even more", "things")
    with pytest.raises(InputError, match="no column 'things'"):
        read_basket_parts(tmp_path / "a.ndjson", tmp_path / "most", label="things")


def test_heads_of_files_are_parsed_by_one_thread_at_a_time(tmp_path, monkeypatch):
    """Python's parser, which numpy asks, fails now and then where two threads use it."""
    save_arrays(tmp_path, one=np.arange(3))
    load, meeting, met = np.load, Barrier(2), []

    def slow(*given, **more):
        with suppress(BrokenBarrierError):
            met.append(meeting.wait(0.3))
        return load(*given, **more)

    monkeypatch.setattr(np, "load", slow)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: open_arrays(tmp_path, "one")[0].tolist(), range(2)))
    assert (found, met) == ([[0, 1, 2]] * 2, [])
