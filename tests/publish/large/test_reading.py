"""A large release is verified by its counts: the same verdict as of the whole file."""

import json

import polars as pl
import pytest

from large_cases import configured, people
from shoal import __version__
from shoal.io.config import load
from shoal.privacy import KAnonymity, KmAnonymity
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


def forged(folder, frame, format, columns, shape="table", claim=None):
    """A folder that somebody made by hand, with a manifest that fits it."""
    folder.mkdir()
    getattr(frame, f"write_{format}")(folder / f"data.{format}")
    claim = KAnonymity(2) if claim is None else claim
    facts = {
        "shoal": __version__, "shape": shape, "columns": columns, "claim": claim.as_dict(), "judged": True,
        "method": {"name": "by hand", "parameters": {}}, "records_in": len(frame), "records_out": len(frame),
        "suppressed": 0, "suppressed_items": 0, "loss": {}, "classes": frame.n_unique(), "notes": [],
        "date": "2026-01-01", "sha256": digests(folder, f"data.{format}"),
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(facts))
    return folder


def test_many_equal_cells_in_a_small_file_are_counted_and_not_held(tmp_path, monkeypatch):
    frame = pl.DataFrame({"zip": ["1"] * 5000 + ["2"] * 5000, "age": ["30"] * 10_000})
    folder = forged(tmp_path / "out", frame, "parquet", {"zip": "quasi", "age": "quasi"})
    whole = verify(folder)
    assert whole[1]
    monkeypatch.setattr(reading, "_FEW_CELLS", 100)
    monkeypatch.setattr("shoal.publish.verify.read_data", None)  # nobody reads it at once
    assert verify(folder) == whole


def test_more_cells_than_a_file_of_its_size_holds_are_not_judged(tmp_path, monkeypatch):
    """Baskets and trees are read at once, and so is a table beside its originals."""
    lists = pl.DataFrame({"items": ['["ale", "rum"]'] * 100_000})
    folder = forged(tmp_path / "out", lists, "parquet", {"items": "items"}, "baskets", KmAnonymity(2, 1))
    assert verify(folder)[1]
    monkeypatch.setattr(reading, "_TEXT", 1000)
    verdict = verify(folder)[1]
    assert not verdict.judged
    assert "bytes of text" in verdict.sentence
    monkeypatch.setattr(reading, "_CELLS", 1000)
    verdict = verify(folder)[1]
    assert not verdict.judged
    assert "data.parquet holds 100001 cells in" in verdict.sentence
    manifest = folder / "manifest.json"
    manifest.write_text(
        manifest.read_text().replace(digests(folder, "data.parquet")["data.parquet"], "0" * 64)
    )
    verdict = verify(folder)[1]
    assert (verdict.judged, "their sha256 differ" in verdict.sentence) == (True, True)


@pytest.mark.parametrize("few", [0, 1 << 60])
@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_damaged_file_is_a_no_whatever_its_size(tmp_path, monkeypatch, format, few):
    ages = [str(number % 977) for number in range(40_000)]
    folder = forged(
        tmp_path / "out",
        pl.DataFrame({"zip": ages, "age": ages[::-1]}),
        format,
        {"zip": "quasi", "age": "quasi"},
    )
    monkeypatch.setattr(reading, "_FEW_BYTES", few)
    data = folder / f"data.{format}"
    sound = data.read_bytes()
    for place in range(200, len(sound) - 2000, len(sound) // 12):
        data.write_bytes(
            sound[:place] + bytes(byte ^ 0xFF for byte in sound[place : place + 64]) + sound[place + 64 :]
        )
        verdict = verify(folder)[1]
        assert (verdict.judged, verdict.holds) == (True, False)
