"""A large release is verified by its counts: the same verdict as of the whole file."""

import json
import random
import re
import shutil
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import release_cases as cases
from large_cases import configured, people
from shoal import __version__
from shoal.io.config import load
from shoal.io.formats import TREE_FORMATS
from shoal.io.write import trees
from shoal.jobs import configured as jobs
from shoal.privacy import KAnonymity, KmAnonymity
from shoal.publish import verify as reading_at_once
from shoal.publish.files import data_file
from shoal.publish.large import opening, reading
from shoal.publish.manifests import PAGES, digests
from shoal.publish.verify import verify
from shoal.shapes.registry import SHAPES

pytestmark = pytest.mark.usefixtures("bare")


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_the_verdict_is_that_of_the_whole(tmp_path, monkeypatch, format):
    monkeypatch.setattr(opening, "_FEW_BYTES", 0)  # so that nothing tells which record is which
    config = configured(tmp_path, people(), format=format, guarantee="l = 2", suppress=0.3)
    jobs.run_config(config, tmp_path / "out")
    read = load(config)
    for known in ({}, {"config": read}, {"config": read, "against": read.data.path}):
        whole, counted = (verified_at(few, monkeypatch, tmp_path / "out", **known) for few in (1 << 60, 0))
        assert counted == whole
        assert whole[1]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_originals_that_cannot_have_given_a_release_are_told_by_counts_as_by_all_records(
    tmp_path, monkeypatch, format
):
    """One of them was another, or there was one fewer of one kind and one more of another."""
    monkeypatch.setattr(opening, "_FEW_BYTES", 0)
    config = configured(tmp_path, people(), format=format, suppress=0.3)
    jobs.run_config(config, tmp_path / "out")
    read = load(config)
    for number, name in enumerate(["ward", "age", "ill"]):
        other = tmp_path / f"other{number}{read.data.path.suffix}"
        frame = people()
        frame = frame.with_columns(frame[name].slice(1).append(frame[name].head(1)))
        frame.write_csv(other) if other.suffix == ".csv" else frame.write_parquet(other)
        known = {"config": read, "against": other}
        whole, counted = (verified_at(few, monkeypatch, tmp_path / "out", **known) for few in (1 << 60, 0))
        assert not whole[1]
        said = whole[1].sentence, whole[1].broken
        assert (counted[1].sentence, counted[1].broken) == said


def verified_at(few, patch, folder, **known):
    """What is said of a folder where files of so many bytes are read at once."""
    patch.setattr(reading, "_FEW_BYTES", few)
    patch.setattr(opening, "_FEW_BYTES", few)
    with patch.context() as inner:
        if not few:
            inner.setattr("shoal.publish.verify.read_data", None)  # nobody reads it at once
            inner.setattr("shoal.publish.verify.open_dataset", None)
        return verify(folder, **known)


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
    assert reading.count_release(data, facts["columns"], frozenset()) is not None
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
        "method": {"name": "mondrian", "parameters": {}}, "records_in": len(frame), "records_out": len(frame),
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
    assert "data.parquet holds 100000 cells in" in verdict.sentence
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


CELLS = ("baskets", "secret", "listed", "levelled", "vote", "mixed")
FORMATS = {
    **dict.fromkeys(CELLS, ("ndjson", "csv", "parquet")),
    **dict.fromkeys(("trees", "rows"), TREE_FORMATS),
}
EACH = [(kind, format) for kind, formats in FORMATS.items() for format in formats]
LISTED = cases.BASKETS.replace("m = 2", "[method]\nname = 'coat'\nprivacy = [['ale', 'rum'], ['bun']]")
LEVELLED = cases.BASKETS.replace('"plain"', '{ role = "plain", hierarchy = "faith.csv", level = 1 }')
ROWS = cases.TREES.replace("n = 1", "n = 1\n[method]\nrepeats = 'keep'")


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Releases of lines that are not tables, in several parts."""
    room = tmp_path_factory.mktemp("lines")
    cases.write_originals(room)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(cases.CONFIGS, "baskets", cases.BASKETS.replace("k = 4\nm = 2", "k = 2\nm = 2"))
        patch.setitem(cases.CONFIGS, "rows", ROWS)
        patch.setitem(cases.CONFIGS, "listed", LISTED)
        patch.setitem(cases.CONFIGS, "levelled", LEVELLED)
        (room / "faith.csv").write_text(
            "".join(f"{name};{'low' if name < 'e' else 'high'};*\n" for name in "abcdefgh")
        )
        for kind, format in EACH:
            cases.make_release(room, kind, format)
        patch.setattr(reading, "_PIECE", 700)  # bytes
        patch.setattr(reading, "_RECORDS", 9)
        patch.setattr(trees, "_BLOCK", 100)
        patch.setattr(reading, "_LOT", 40)
        yield room


def both(folder, config, patch):
    """What is said of a folder that is read at once, and in parts."""
    for few in (1 << 60, 0):
        patch.setattr(reading, "_FEW_BYTES", few)
        yield verify(folder, config=config)


@pytest.mark.parametrize(("kind", "format"), EACH)
@pytest.mark.parametrize("configured", [False, True])
def test_what_is_no_table_is_judged_in_parts_and_the_verdict_is_that_of_the_whole(
    room, monkeypatch, kind, format, configured
):
    folder, config = room / f"{kind}-{format}", load(room / f"{kind}.toml") if configured else None
    monkeypatch.setattr(reading, "_FEW_BYTES", 1 << 60)
    whole = verify(folder, config=config)
    assert whole[1].holds == (kind != "vote" and (kind != "secret" or configured))
    monkeypatch.setattr(reading, "_FEW_BYTES", 0)
    monkeypatch.setattr("shoal.publish.verify.read_data", None)  # nobody reads it at once
    assert without_full_knowledge(verify(folder, config=config)) == without_full_knowledge(whole)


def without_full_knowledge(judged):
    """The verdict without how many are found by whoever knows all of a person: parts tell less of it, and of notes."""
    claim, verdict, *more = judged
    skipped = re.compile(
        "anyone who knows .* find|[0-9,]+ more share theirs with fewer|manifest.json notes other things than "
        "the data show"
    )
    clauses = [clause for clause in verdict.sentence.split("; ") if not skipped.match(clause)]
    return claim, replace(verdict, sentence="; ".join(clauses)), *more


def without_a_line(lines, rng):
    del lines[rng.randrange(len(lines))]


def line_twice(lines, rng):
    lines.append(rng.choice(lines))


def other_word(lines, rng):
    row = rng.randrange(len(lines))
    words = ("drink", "food", "ale", "*", "n", "n1", "flu", "age", "low", "stranger")
    lines[row] = lines[row].replace(rng.choice(words), rng.choice(words))


def turned(lines, rng):
    row = rng.randrange(len(lines))
    cells = lines[row].split(", ")
    rng.shuffle(cells)
    lines[row] = ", ".join(cells)


def blank(lines, rng):
    row = rng.randrange(len(lines))
    lines[row] = lines[row].replace(": ", ":  ", 1)


def sibling_twice(lines, rng):
    row = rng.randrange(len(lines))
    node = r'(\{"class": "age", "value": "[^"]*", "children": \[\]\})'
    lines[row] = re.sub(node, r"\1, \1", lines[row], count=1)


@settings(max_examples=60)
@given(
    st.sampled_from([case for case in EACH if case[1] != "parquet"]),
    st.sampled_from(["records", "age", "visits.ward"]),
    st.lists(
        st.sampled_from([without_a_line, line_twice, other_word, turned, blank, sibling_twice]),
        min_size=1,
        max_size=2,
    ),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_whatever_was_changed_is_told_as_in_the_whole(
    room, tmp_path_factory, case, table, how, seed, configured
):
    folder, (kind, format) = tmp_path_factory.mktemp("changed") / "out", case
    shutil.copytree(room / f"{kind}-{format}", folder)
    rng, known = random.Random(seed), SHAPES["baskets" if kind in CELLS else "trees"].files
    data = folder / data_file(folder, known)
    data = data / f"{table}.csv" if format == "tables" else data
    lines = data.read_text().splitlines()
    for change in how:
        change(lines, rng)
    data.write_text("".join(f"{line}\n" for line in lines))
    config = load(room / f"{kind}.toml") if configured else None
    with pytest.MonkeyPatch.context() as patch:
        whole, parts = both(folder, config, patch)
    assert without_full_knowledge(parts) == without_full_knowledge(whole)
    shutil.rmtree(folder.parent)


@pytest.mark.parametrize("kind", ["baskets", "trees"])
def test_sets_that_would_take_too_many_rounds_are_counted_at_once(room, monkeypatch, kind):
    """Somebody may forge a file of a million words, of which few sets occur but each would be asked for."""
    whole, _ = both(room / f"{kind}-ndjson", None, monkeypatch)
    monkeypatch.setattr(reading, "_MOST_SETS", 0)
    read, seen = reading_at_once.read_data, []
    monkeypatch.setattr(reading_at_once, "read_data", lambda *given: seen.append(given) or read(*given))
    assert without_full_knowledge(verify(room / f"{kind}-ndjson")) == without_full_knowledge(whole)
    assert len(seen) == 1
