"""A large release is verified by its counts: the same verdict as of the whole file."""

import json

import pytest

from large_cases import configured, people
from shoal.io.config import load
from shoal.publish import jobs
from shoal.publish.large import reading
from shoal.publish.manifests import PAGES, digests
from shoal.publish.verify import verify


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_the_verdict_is_that_of_the_whole(tmp_path, monkeypatch, format):
    config = configured(tmp_path, people(), format=format, guarantee="l = 2", suppress=0.3)
    jobs.run_config(config, tmp_path / "out")
    for folder in (None, load(config)):
        monkeypatch.setattr(reading, "_FEW_BYTES", 1 << 60)
        whole = verify(tmp_path / "out", config=folder)
        monkeypatch.setattr(reading, "_FEW_BYTES", 0)
        assert verify(tmp_path / "out", config=folder) == whole
        assert whole[1]


def test_what_was_changed_is_told_as_in_the_whole(tmp_path, monkeypatch):
    config = configured(tmp_path, people())
    jobs.run_config(config, tmp_path / "out")
    data, manifest = tmp_path / "out" / "data.csv", tmp_path / "out" / "manifest.json"
    lines = data.read_text().splitlines()
    facts = json.loads(manifest.read_text())
    del facts["sha256"]
    manifest.write_text(json.dumps(facts))
    for changed in (lines[:-1], [*lines[:-1], lines[-1].replace(",", ",x", 1)], ["y" + lines[0], *lines[1:]]):
        data.write_text("\n".join(changed) + "\n")
        said = []
        for limit in (0, 1 << 60):
            monkeypatch.setattr(reading, "_FEW_BYTES", limit)
            said.append(verify(tmp_path / "out")[1])
        assert not said[0]
        assert said[0].sentence == said[1].sentence


def test_a_folder_of_parts_is_counted_as_one_file(tmp_path, monkeypatch):
    config = configured(tmp_path, people())
    jobs.run_config(config, tmp_path / "out")
    data, manifest = tmp_path / "out" / "data.csv", tmp_path / "out" / "manifest.json"
    whole = verify(tmp_path / "out")
    header, *lines = data.read_text().splitlines(keepends=True)
    data.unlink()
    data.mkdir()
    for number, at in enumerate(range(0, len(lines), 100)):
        (data / f"part-{number:05d}.csv").write_text(header + "".join(lines[at : at + 100]))
    facts = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**facts, "sha256": digests(tmp_path / "out", "data.csv", *PAGES)}))
    for limit in (0, 1 << 60):
        monkeypatch.setattr(reading, "_FEW_BYTES", limit)
        assert verify(tmp_path / "out") == whole
    monkeypatch.setattr(reading, "_FEW_BYTES", 0)
    assert reading.counted_release(data, facts["columns"], frozenset()) is not None
    (data / "part-00001.csv").write_text("x" + header + "".join(lines[100:200]))
    assert not verify(tmp_path / "out")[1]
    (data / "part-00001.csv").unlink()
    (data / "notes.csv").touch()
    assert not verify(tmp_path / "out")[1]
