"""Foreign parquet files are read in a process of its own: what writers write passes, what lies or bursts does not."""

import sys
from pathlib import Path

import polars as pl
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.io.read import parquet, table
from shoal.io.read.parquet import ParquetError, examine_parquet, read_head, read_parquet, scan_parquet

ROOM = 1 << 24

PEOPLE = pl.DataFrame(
    {"age": [31, None, 40] * 50, "items": [["a", "b"], [], ["c"]] * 50, "ill": [True, False, None] * 50}
)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "uncompressed"])
@pytest.mark.parametrize("size", [None, 7])
def test_what_polars_writes_passes(tmp_path, compression, size):
    path = tmp_path / "a.parquet"
    PEOPLE.write_parquet(path, compression=compression, row_group_size=size)
    assert examine_parquet(path) == (150, 3, 450)
    assert read_parquet(path, ROOM).equals(PEOPLE)
    assert read_head(path, 10).equals(PEOPLE.head(10))
    assert scan_parquet(path).collect().equals(PEOPLE)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_what_arrow_writes_passes(tmp_path, version):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(
        PEOPLE.to_arrow(), path, data_page_version=version, data_page_size=64, write_page_index=True
    )
    assert examine_parquet(path).values == 450
    assert scan_parquet(path).collect().equals(PEOPLE)


def test_a_file_without_records_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    PEOPLE.head(0).write_parquet(path)
    assert examine_parquet(path) == (0, 3, 0)
    assert read_parquet(path, ROOM).equals(PEOPLE.head(0))


def test_a_file_is_found_in_whatever_folder_one_works(tmp_path, monkeypatch):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        PEOPLE.write_parquet("a.parquet")
        assert read_parquet(Path("a.parquet"), ROOM).equals(PEOPLE)


def test_a_file_is_examined_once_until_it_changes(tmp_path, monkeypatch):
    path, begun = tmp_path / "a.parquet", []
    run = parquet.run_reader
    monkeypatch.setattr(parquet, "run_reader", lambda *args, **how: begun.append(1) or run(*args, **how))
    PEOPLE.write_parquet(path)
    scan_parquet(path)
    scan_parquet(path)
    assert len(begun) == 1
    PEOPLE.head(3).write_parquet(path)
    assert scan_parquet(path).collect().height == 3
    assert len(begun) == 2


def test_one_that_states_too_many_cells_is_not_read(tmp_path):
    path = tmp_path / "a.parquet"
    PEOPLE.write_parquet(path)
    assert examine_parquet(path, 449) == (150, 3, 450)
    pl.DataFrame({"a": [list(range(500))] * 3}).write_parquet(path)
    assert examine_parquet(path, 2) == (3, 1, 3)
    assert examine_parquet(path) == (3, 1, 1500)
    with pytest.raises(ParquetError) as error:
        read_parquet(path, 8 * 1499)
    assert error.value.facts == (3, 1, 1500)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux alone")
def test_one_that_exhausts_its_memory_ends_in_a_sentence(tmp_path, monkeypatch):
    """A list of many equal numbers takes no room in the file."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": pl.repeat(1, 200_000_000, eager=True).implode()}).write_parquet(path)
    monkeypatch.setattr(parquet, "MEMORY", 1 << 29)
    monkeypatch.setattr(parquet, "_TIMES", 0)
    monkeypatch.setattr(parquet, "_MEMORY_EACH", 0)
    for read in (lambda: read_parquet(path, ROOM), lambda: scan_parquet(path), lambda: read_head(path, 1)):
        with pytest.raises(ParquetError) as error:
            read()
        assert error.value.reason == "memory"
    with pytest.raises(
        InputError, match=r"a\.parquet: more memory than it may take is needed to read it; give"
    ):
        table.read(path, nested=["a"])


@pytest.mark.parametrize("count", [b"\x03", b"\xfe\x7f"], ids=["negative", "more than the column has"])
def test_a_wrong_count_is_found(tmp_path, count):
    """Two values in a page, as its head writes them, become other numbers."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"name": ["ann", "bob"]}).write_parquet(path, compression="uncompressed")
    written = path.read_bytes()
    assert b"\x15\x04\x15" in written
    path.write_bytes(written.replace(b"\x15\x04\x15", b"\x15" + count + b"\x15", 1))
    for read in (scan_parquet, lambda path: read_parquet(path, ROOM)):
        with pytest.raises(ParquetError) as error:
            read(path)
        assert error.value.reason == "broken"


@pytest.mark.parametrize("wrong", [b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1", b"x" * 100])
def test_what_is_no_parquet_file_is_refused(tmp_path, wrong):
    path = tmp_path / "a.parquet"
    path.write_bytes(wrong)
    for read in (scan_parquet, lambda path: read_parquet(path, ROOM)):
        with pytest.raises(ParquetError) as error:
            read(path)
        assert error.value.reason == "broken"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "a.parquet"
    PEOPLE.head(20).write_parquet(path)
    return path


@settings(max_examples=5)  # each starts a process
@given(place=st.integers(min_value=0), byte=st.integers(0, 255))
def test_whatever_is_changed_nothing_else_is_raised(written, place, byte):
    data = bytearray(written.read_bytes())
    data[place % len(data)] = byte
    path = written.with_name("b.parquet")
    path.write_bytes(data)
    try:
        frame = read_parquet(path, ROOM)
    except ParquetError:
        return
    assert frame.height >= 0
