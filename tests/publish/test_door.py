"""The only door: what is written was judged as written; a failure leaves nothing."""

import errno
import json
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import polars as pl
import pytest

from shoal.algorithms.knobs import knobs
from shoal.anonymization.release import Release
from shoal.anonymization.run import anonymize, trace_front
from shoal.assess.facts import facts_of
from shoal.base.errors import InputError, RefusedError
from shoal.io.config import load
from shoal.privacy import KAnonymity
from shoal.publish import door, draft, writing
from shoal.publish import files as files_module
from shoal.publish.large.baskets import FragmentedBaskets, LargeBaskets
from shoal.publish.large.table import CountedTable
from shoal.publish.large.trees import LargeTrees
from shoal.publish.row_map import ROWS, read_rows
from shoal.publish.verify import verify
from shoal.publish.writing import open_writing
from shoal.release import Result, Verdict
from shoal.shapes.registry import SHAPES, open_dataset


@pytest.fixture
def dataset(people):
    return open_dataset(load(people / "shoal.toml"))


@pytest.fixture
def release(dataset):
    return anonymize(dataset, k=3, method="optimal", suppress=0.1)


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_both_folders_are_written(release, tmp_path, format):
    out = release.save(tmp_path / "out", format=format)
    assert {p.name for p in out.iterdir()} == {f"data.{format}", "manifest.json", "report.html"}
    private = tmp_path / "out.private"
    assert {p.name for p in private.iterdir()} == {"audit.html", "audit.json", "recoding.json", ROWS}
    assert private.stat().st_mode & 0o077 == 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["records_in"] == 60 == manifest["records_out"] + manifest["suppressed"]
    assert manifest["judged"] is True
    assert manifest["columns"] == {
        "age": "quasi",
        "sex": "quasi",
        "job": "quasi",
        "disease": "sensitive",
        "ward": "plain",
    }
    assert "rehearsal" not in manifest


def test_what_the_owner_tells_is_repeated_and_verified(release, tmp_path):
    said = {"reason": "our rule", "title": "Wards <2026>", "contact": ""}
    out = release.save(tmp_path / "out", about=said)
    manifest = json.loads((out / "manifest.json").read_text())
    assert {key: manifest.get(key) for key in said} == {**said, "contact": None}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "About this release" in page
    assert "Wards &lt;2026&gt;" in page
    assert manifest["sha256"]["data.csv"] in page
    assert manifest["date"] == date.today().isoformat()
    assert verify(out)[1]


@pytest.mark.parametrize("told", [{"titel": "x"}, {"title": 3}])
def test_nothing_else_is_told_of_a_release(release, tmp_path, told):
    with pytest.raises(InputError, match="about: "):
        release.save(tmp_path / "out", about=told)
    assert not (tmp_path / "out").exists()


def test_no_identifier_and_no_original_leaves(release, tmp_path, quick):
    out = release.save(tmp_path / "out")
    for file in out.iterdir():
        assert "person1" not in file.read_text(encoding="utf-8"), file.name
    recoding = json.loads((tmp_path / "out.private" / "recoding.json").read_text())
    assert recoding["levels"]["age"] > 0
    ages = pl.read_csv(out / "data.csv")["age"].unique().to_list()
    assert all(age.startswith("[") or age == "*" for age in ages)


def test_no_seed_is_written_and_a_rehearsal_says_so(dataset, tmp_path):
    out = anonymize(dataset, k=3, suppress=0.1, seed=424242).save(tmp_path / "out")
    for file in [*out.iterdir(), *(tmp_path / "out.private").iterdir()]:
        if file.suffix not in (".html", ".parquet"):
            assert "424242" not in file.read_text()
    assert json.loads((out / "manifest.json").read_text())["rehearsal"] is True
    assert "do not publish" in (out / "report.html").read_text().lower()


def test_order_is_random_unless_rehearsed(dataset):
    options = {"k": 3, "suppress": 0.1}
    first, second = (anonymize(dataset, seed=1, **options).frame for _ in range(2))
    assert first.equals(second)
    free = [anonymize(dataset, **options).result.release.rows.tolist() for _ in range(3)]
    assert len({tuple(rows) for rows in free}) == 3


def test_formula_cells_come_back_as_they_were(release, tmp_path, quick):
    out = release.save(tmp_path / "out")
    raw = (out / "data.csv").read_text()
    assert "'=gout" in raw
    assert ",=gout" not in raw


@dataclass(frozen=True)
class Never(KAnonymity):
    """A claim no release keeps."""

    def check(self, published):
        return Verdict(False, "it never holds", broken=1, witnesses=(1,))


def test_a_failed_judge_leaves_nothing(release, dataset, tmp_path, monkeypatch, quick):
    bad = Result(release.result.release, Never(2))
    with pytest.raises(RefusedError, match="it never holds; nothing was written"):
        draft.draft(dataset, bad, method={"name": "x", "parameters": {}}, kind=draft.Draft)
    forged = type(release)(dataset, bad, release.frame, Verdict(True, "forged"), release.method)
    with pytest.raises(RefusedError):
        forged.save(tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))


def test_a_manifest_that_reads_back_differently_is_refused(release, tmp_path, monkeypatch, quick):
    honest = door._write_json

    def careless(path, facts):
        honest(path, facts | {"records_in": 61} if path.name == "manifest.json" else facts)

    monkeypatch.setattr(door, "_write_json", careless)
    with pytest.raises(RefusedError, match="manifest reads back differently"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.private").exists()


def test_rows_are_kept_on_request_and_in_private(release, tmp_path, quick):
    release.save(tmp_path / "out", rows=True)
    assert read_rows(tmp_path / "out.private").tolist() == release.rows.tolist()
    assert not (tmp_path / "out" / ROWS).exists()


def turned(frame):
    """One sensitive cell after the other, each one row further down."""
    cells = frame["disease"].fill_null("none").to_list()
    return frame.with_columns(pl.Series("disease", [*cells[1:], cells[0]]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (turned, "disease"),
        (lambda frame: frame.with_columns(frame["age"].reverse()), "refused"),
        (lambda frame: frame.head(-1), "reads back with other columns or records"),
        (lambda frame: frame.drop("ward"), "reads back with other columns or records"),
    ],
    ids=["a cell", "a generalization", "a record", "a column"],
)
def test_a_lie_on_disk_is_caught(release, tmp_path, quick, monkeypatch, change, words):
    """What counts is the file: one thing changed on the way to it, and nothing leaves."""
    write = files_module.write_data
    monkeypatch.setattr(writing, "write_data", lambda frame, *how: write(change(frame), *how))
    with pytest.raises(RefusedError, match=words):
        release.save(tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))


def test_a_full_disk_leaves_nothing(release, tmp_path, monkeypatch, quick):
    def full(path, facts):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(door, "_write_json", full)
    with pytest.raises((OSError, InputError), match=r"[Nn]o space"):
        release.save(tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))


def test_an_existing_folder_stays_without_force(release, tmp_path, quick):
    out = release.save(tmp_path / "out")
    before = (out / "data.csv").read_text()
    with pytest.raises(InputError, match="exists"):
        release.save(tmp_path / "out")
    assert (out / "data.csv").read_text() == before
    release.save(tmp_path / "out", force=True)
    assert {p.name for p in tmp_path.glob("*out*")} == {"out", "out.private"}


def test_the_door_writes_the_pages_and_asks_the_auditors_it_is_handed(release, tmp_path):
    bare = door.publish(release, tmp_path / "bare", facts=facts_of)
    assert {p.name for p in bare.iterdir()} == {"data.csv", "manifest.json"}
    assert verify(bare)
    pages = [
        door.Page("a.html", False, lambda audit: "a"),
        door.Page("b.html", True, lambda audit: str(audit.population)),
    ]
    out = door.publish(
        release,
        tmp_path / "out",
        facts=facts_of,
        auditors=[lambda draft, audit: replace(audit, population=7)],
        pages=pages,
    )
    assert (out / "a.html").read_text() == "a"
    assert (tmp_path / "out.private" / "b.html").read_text() == "7"


def test_nothing_is_replaced_kept_or_printed_unasked(release, tmp_path, monkeypatch):
    monkeypatch.setattr(door, "print_page", None)
    out = release.save(tmp_path / "out", rows=False)
    assert {p.name for p in out.iterdir()} == {"data.csv", "manifest.json", "report.html"}
    assert {p.name for p in (tmp_path / "out.private").iterdir()} == {
        "audit.html",
        "audit.json",
        "recoding.json",
    }
    with pytest.raises(InputError, match="exists"):
        door.publish(release, tmp_path / "out", facts=facts_of)


def test_an_unknown_format_is_refused(release, tmp_path):
    with pytest.raises(InputError, match="csv, parquet, ndjson"):
        release.save(tmp_path / "out", format="xls")


def test_the_audit_tells_how_long_each_step_took(release, tmp_path, quick):
    release.save(tmp_path / "out")
    times = json.loads((tmp_path / "out.private" / "audit.json").read_text())["times"]
    assert list(times)[:3] == ["making the release (optimal)", "judging", "looking at other choices"]
    assert list(times)[3:] == ["writing the data", "measuring what the data are good for"]
    assert all(seconds >= 0 for seconds in times.values())


def test_a_point_of_a_front_tells_how_long_the_front_took(dataset, tmp_path, quick):
    trace_front(dataset).pick(3).save(tmp_path / "out")
    times = json.loads((tmp_path / "out.private" / "audit.json").read_text())["times"]
    assert list(times)[:3] == ["tracing the front (pareto)", "judging", "looking at other choices"]


def test_what_earlier_releases_undo_is_refused(release, tmp_path, quick):
    undone = replace(
        release, beside=Mock(**{"judge_with_earlier.return_value": Verdict(False, "together they reveal")})
    )
    with pytest.raises(RefusedError, match="together they reveal"):
        undone.save(tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))
    replace(release, beside=Mock(**{"judge_with_earlier.return_value": Verdict(True, "fine")})).save(
        tmp_path / "out"
    )


def test_the_owner_hears_of_every_step_and_gets_the_audit(release, tmp_path, monkeypatch):
    """Pages are printed only where that is asked for, and only what was asked for stands in the folder."""
    steps, audits, printed = [], [], []
    monkeypatch.setattr(door, "find_browser", lambda: printed.append("browser"))
    monkeypatch.setattr(door, "print_page", lambda page, place: printed.append(place.name))
    how = {
        "audited": audits.append,
        "times": lambda: {"reading": 2.0},
        "progress": lambda step, *_: steps.append(step),
    }
    out = release.save(tmp_path / "out", **how, rows=False, about={"reason": "r", "title": "t"})
    (audit,) = audits
    assert steps == [
        "looking at other choices",
        "writing the data",
        "measuring what the data are good for",
        "writing the report",
        "judging what was written",
    ]
    assert printed == []
    assert audit.times == {"reading": 2.0}
    assert audit.rows is None
    assert audit.report.settings == {knob.name: knob.about for knob in knobs("optimal")}
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest == audit.report.manifest
    assert [key for key in manifest if key in ("title", "reason")] == ["title", "reason"]
    assert json.loads((tmp_path / "out.private" / "audit.json").read_text())["times"] == {"reading": 2.0}
    release.save(tmp_path / "more", **how, pdf=True)
    assert audits[1].rows == ROWS
    assert printed == ["browser", "report.pdf", "audit.pdf"]
    assert steps[-2:] == ["printing the report", "judging what was written"]


def test_a_stored_rule_has_no_settings_of_its_own():
    assert door._describe_parameters(SimpleNamespace(method={"name": "recoding"})) == {}
    assert door._describe_parameters(SimpleNamespace(method={"name": "optimal"}))


def test_letters_are_written_as_they_are(tmp_path):
    door._write_json(tmp_path / "a.json", {"ward": "Öl"})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "ward": "Öl"\n}\n'


def way_of(draft, folder, format=None):
    """How the door would write this draft."""
    files = SHAPES[draft.dataset.shape].files
    format = format or next(iter(files))
    return open_writing(draft, folder, folder.with_name("stage"), files, format)


@pytest.mark.parametrize("kind", [CountedTable, LargeBaskets, FragmentedBaskets, LargeTrees])
def test_what_is_too_large_for_memory_is_written_where_it_lies(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(kind, "records", 10)
    draft = SimpleNamespace(dataset=object.__new__(kind))
    work = way_of(draft, tmp_path / "out")
    assert type(work).__name__ == {
        "CountedTable": "CountedTableWriting",
        "LargeBaskets": "LargeBasketWriting",
        "FragmentedBaskets": "FragmentWriting",
        "LargeTrees": "LargeTreeWriting",
    }[kind.__name__]  # fmt: skip
    assert work.place == tmp_path / "out" / next(iter(SHAPES[draft.dataset.shape].files.values()))
    assert work.stage == tmp_path / "stage"
    with pytest.raises(InputError, match="rows need all records in memory"):
        door.publish(draft, tmp_path / "out", facts=facts_of, rows=True)
    for asked in ({"rows": True}, {"target": "ward"}):
        with pytest.raises(InputError, match="rows and target need all records in memory"):
            Release.save(draft, tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()


def test_what_is_in_memory_is_written_at_once(release):
    files = SHAPES["table"].files
    assert way_of(release, Path("out"), "csv") == writing.MemoryWriting(release, Path("out"), files, "csv")


def test_the_door_does_not_ask_how_large_data_are():
    """What differs is a method of the dataset."""
    assert "large" not in Path(door.__file__).read_text(encoding="utf-8")
