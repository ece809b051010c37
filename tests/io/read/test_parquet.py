"""Pages of parquet files are looked at before they are read: what writers write passes, what lies does not."""

import polars as pl
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.io.read.parquet import BrokenPagesError, pages_of, scan_parquet

PEOPLE = pl.DataFrame(
    {"age": [31, None, 40] * 50, "items": [["a", "b"], [], ["c"]] * 50, "ill": [True, False, None] * 50}
)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "uncompressed"])
@pytest.mark.parametrize("size", [None, 7])
def test_what_polars_writes_passes(tmp_path, compression, size):
    path = tmp_path / "a.parquet"
    PEOPLE.write_parquet(path, compression=compression, row_group_size=size)
    assert pages_of(path).values >= 50 * (3 + 4 + 3)  # an empty list is a value as well
    assert scan_parquet(path).collect().equals(PEOPLE)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_what_arrow_writes_passes(tmp_path, version):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(
        PEOPLE.to_arrow(), path, data_page_version=version, data_page_size=64, write_page_index=True
    )
    assert pages_of(path).values >= 500
    assert scan_parquet(path).collect().equals(PEOPLE)


def test_no_records_have_no_pages(tmp_path):
    path = tmp_path / "a.parquet"
    PEOPLE.head(0).write_parquet(path)
    assert pages_of(path) == (0, 0)


@pytest.mark.parametrize("count", [b"\x03", b"\xfe\x7f"], ids=["negative", "more than the column has"])
def test_a_wrong_count_is_found(tmp_path, count):
    """Two values in a page, as its head writes them, become other numbers."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"name": ["ann", "bob"]}).write_parquet(path, compression="uncompressed")
    written = path.read_bytes()
    assert b"\x15\x04\x15" in written
    path.write_bytes(written.replace(b"\x15\x04\x15", b"\x15" + count + b"\x15", 1))
    with pytest.raises(BrokenPagesError):
        pages_of(path)


@pytest.mark.parametrize("wrong", [b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1", b"x" * 100])
def test_what_is_no_parquet_file_is_refused(tmp_path, wrong):
    path = tmp_path / "a.parquet"
    path.write_bytes(wrong)
    with pytest.raises(BrokenPagesError):
        pages_of(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "a.parquet"
    PEOPLE.head(20).write_parquet(path)
    return path


@given(place=st.integers(min_value=0), byte=st.integers(0, 255))
def test_whatever_is_changed_nothing_else_is_raised(written, place, byte):
    data = bytearray(written.read_bytes())
    data[place % len(data)] = byte
    path = written.with_name("b.parquet")
    path.write_bytes(data)
    try:
        found = pages_of(path)
    except BrokenPagesError:
        return
    assert found.values >= 0
