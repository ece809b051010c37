"""Files that are sent are there as a whole or not at all."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.web.limits import TooLongError
from shoal.web.uploads import Uploads


async def pieces(*chunks, then=None):
    for chunk in chunks:
        yield chunk
    if then is not None:
        raise then


def store(uploads, name, *chunks, then=None):
    return asyncio.run(uploads.store(name, pieces(*chunks, then=then)))


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_is_stored_as_it_came(tmp_path):
    uploads = Uploads(tmp_path)
    chunks = [bytes([number]) * 700_000 for number in range(5)]
    found = store(uploads, "../people.csv", *chunks)
    assert found.path.read_bytes() == b"".join(chunks)
    assert (found.name, found.bytes) == ("people.csv", 3_500_000)
    assert found.path.parent.stat().st_mode & 0o777 == 0o700
    assert uploads.get(found.id) is found
    assert files(tmp_path) == [found.path]


def test_two_files_of_one_name_are_two(tmp_path):
    uploads = Uploads(tmp_path)
    one, two = store(uploads, "a.csv", b"1"), store(uploads, "a.csv", b"2")
    assert (one.path.read_bytes(), two.path.read_bytes()) == (b"1", b"2")
    assert list(uploads) == [one, two]


def test_an_empty_file_is_a_file(tmp_path):
    assert store(Uploads(tmp_path), "a").path.read_bytes() == b""


@pytest.mark.parametrize("chunks", [[b"x" * 11], [b"x"] * 11, [b"x" * 10, b"x"]])
def test_nothing_is_left_of_a_file_that_is_too_long(tmp_path, chunks):
    uploads = Uploads(tmp_path, limit=10)
    with pytest.raises(TooLongError):
        store(uploads, "a.csv", *chunks)
    assert list(tmp_path.iterdir()) == []
    assert list(uploads) == []
    assert store(uploads, "a.csv", b"x" * 10).bytes == 10


@pytest.mark.parametrize(
    "fault", [ConnectionError(), OSError(28, "No space left on device"), asyncio.CancelledError()]
)
def test_nothing_is_left_of_a_file_whose_sender_is_gone(tmp_path, fault):
    with pytest.raises(type(fault)):
        store(Uploads(tmp_path), "a.csv", b"x" * 3_000_000, then=fault)
    assert list(tmp_path.iterdir()) == []


def test_a_removed_file_is_gone(tmp_path):
    uploads = Uploads(tmp_path)
    found = store(uploads, "a.csv", b"x")
    assert uploads.remove(found.id)
    assert not uploads.remove(found.id)
    assert uploads.get(found.id) is None
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=50, deadline=None)
@given(
    name=st.text(max_size=200)
    | st.sampled_from(["../../x", "/etc/passwd", "..", "a/../../b", "C:\\x", "\0", "con"])
)
def test_no_name_leads_out_of_the_folder(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("uploads")
    found = store(Uploads(folder), name, b"x")
    assert found.path.parent.parent == folder
    assert files(folder) == [found.path]
