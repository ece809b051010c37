import gzip
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import numpy as np
import polars as pl
import pytest

from shoal.base.errors import InputError
from shoal.io.read.baskets import read_baskets
from shoal.io.read.parts import open_arrays, save_arrays, scan_baskets, scan_columns
from shoal.io.read.source import Source

ROWS = [["10", "2"], [], ["3"], ["2", "3", "10"], ["7"]]


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
def test_frames_hold_what_the_file_holds(tmp_path, name, records):
    write(tmp_path / name, ROWS)
    pieces = list(scan_baskets(tmp_path / name, records))
    sets = []
    for piece in pieces:
        found = read_baskets(Source(piece), "items")
        sets += [{found.values[code] for code in found.basket(at).tolist()} for at in range(found.n)]
    assert sets == [set(row) for row in ROWS]
    if records == 1 and "dat" in name:
        assert len(pieces) == 5
    elif "dat" not in name:
        tags = scan_columns(tmp_path / name, ["tag"]).collect()
        assert tags.to_series().to_list() == ["t0", "t1", "t0", "t1", "t0"]


def test_what_is_wrong_is_said_with_its_place(tmp_path):
    (tmp_path / "a.dat").write_text("1 2\n3\n4 x\n")
    with pytest.raises(InputError, match=r"a\.dat, line 3: a \.dat file holds whole numbers"):
        list(scan_baskets(tmp_path / "a.dat", 2))
    (tmp_path / "a.xml").write_text("<a/>")
    with pytest.raises(InputError, match=r"a\.xml: large baskets are read from"):
        list(scan_baskets(tmp_path / "a.xml"))
    (tmp_path / "a.parquet").write_text("no")
    with pytest.raises(InputError, match=r"a\.parquet: it cannot be read as parquet"):
        list(scan_baskets(tmp_path / "a.parquet"))


def test_heads_of_files_are_parsed_by_one_thread_at_a_time(tmp_path, monkeypatch):
    """Python's parser, which numpy asks, fails now and then where two threads use it."""
    save_arrays(tmp_path, one=np.arange(30_000))
    load, meeting, met, asked = np.load, Barrier(2), [], []

    def slow(*given, **more):
        asked.append(given)
        with suppress(BrokenBarrierError):
            met.append(meeting.wait(0.3))
        return load(*given, **more)

    monkeypatch.setattr(np, "load", slow)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: len(open_arrays(tmp_path, "one")[0]), range(2)))
    assert (found, met) == ([30_000] * 2, [])
    assert len(asked) == 2  # small files are read without it


@pytest.mark.parametrize(
    "array",
    [
        *(np.arange(5), np.zeros((3, 4), np.int32), np.zeros((0, 3), bool), np.zeros(0), np.float64(3.5)),
        *(np.array(["é", "bc"]), np.arange(12).reshape(3, 4).T, np.arange(30_000)),
    ],
    ids=lambda array: f"{array.dtype}-{array.shape}",
)
def test_an_array_comes_back_as_it_was_whatever_its_size_and_its_file_stays(tmp_path, array):
    save_arrays(tmp_path, one=np.asarray(array))
    (back,) = open_arrays(tmp_path, "one")
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert np.array_equal(back, array)
    assert back.flags.aligned
    back.fill(0)  # for whoever opened it, and for nobody else
    assert np.array_equal(open_arrays(tmp_path, "one")[0], array)
