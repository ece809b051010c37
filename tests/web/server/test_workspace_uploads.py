"""Files that are sent are there as a whole or not at all."""

import asyncio
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.web.server.guard import TooLongError
from shoal.web.server.workspace import Uploads


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


def test_all_files_together_may_have_so_many_bytes(tmp_path):
    """Those that are being sent count; what was refused, or was removed, does not."""
    uploads = Uploads(tmp_path, limit=8, whole=10)
    first = store(uploads, "a.csv", b"x" * 8)
    with pytest.raises(TooLongError, match="all files that were sent would have more than 10 bytes together"):
        store(uploads, "b.csv", b"x", b"x", b"x")
    with pytest.raises(TooLongError, match="this has more than 8 bytes"):
        store(uploads, "b.csv", b"x" * 9)
    assert [path.name for path in tmp_path.iterdir()] == [first.id]
    assert store(uploads, "c.csv", b"xx").bytes == 2
    uploads.remove(first.id)
    assert store(uploads, "d.csv", b"x" * 8).bytes == 8


def test_files_that_are_sent_at_once_count_together(tmp_path):
    uploads = Uploads(tmp_path, whole=10)

    async def slowly():
        for _ in range(8):
            await asyncio.sleep(0)
            yield b"x"

    async def both():
        return await asyncio.gather(
            uploads.store("a", slowly()), uploads.store("b", slowly()), return_exceptions=True
        )

    found = asyncio.run(both())
    assert sum(isinstance(one, TooLongError) for one in found) == 1
    assert [upload.bytes for upload in uploads] == [8]


def test_the_disk_does_not_become_full(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "shoal.web.server.workspace.disk_usage", lambda _: SimpleNamespace(total=10**12, free=10**9)
    )
    with pytest.raises(OSError, match="the disk would be nearly full"):
        store(Uploads(tmp_path), "a.csv", b"x" * 2**20)
    assert list(tmp_path.iterdir()) == []


def test_a_removed_file_is_gone(tmp_path):
    uploads = Uploads(tmp_path)
    found = store(uploads, "a.csv", b"x")
    assert uploads.remove(found.id)
    assert not uploads.remove(found.id)
    assert uploads.get(found.id) is None
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=50)
@given(
    name=st.text(max_size=200)
    | st.sampled_from(["../../x", "/etc/passwd", "..", "a/../../b", "C:\\x", "\0", "con"])
)
def test_no_name_leads_out_of_the_folder(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("uploads")
    found = store(Uploads(folder), name, b"x")
    assert found.path.parent.parent == folder
    assert files(folder) == [found.path]
