"""Free text never passes through as it is; Presidio is a stand-in here, of the same names and arguments."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import narwhals as nw
import polars as pl
import pytest

from shoal.engines.local import Local
from shoal.errors import InputError, ShoalError, ShoalWarning
from shoal.io.config import check, load
from shoal.io.read import free_text
from shoal.io.read.free_text import redacted
from shoal.publish.jobs import run_config
from shoal.publish.large.opening import large_table, open_large

TEXTS = [f"Mrs. Smith of Bonn came again on day {place} and felt well." for place in range(20)]


def stand_in(monkeypatch: pytest.MonkeyPatch, fault: str = "") -> None:
    """Presidio that knows one name, or fails in some way."""

    class Provider:
        def __init__(self, *, nlp_configuration: dict) -> None:
            assert nlp_configuration["models"] == [{"lang_code": "en", "model_name": "en_core_web_lg"}]

        def create_engine(self) -> str:
            if fault == "no model":
                raise SystemExit(1)  # as spaCy does where it cannot load one
            return "engine"

    class Analyzer:
        def __init__(self, *, nlp_engine: str, supported_languages: list[str]) -> None:
            assert (nlp_engine, supported_languages) == ("engine", ["en"])

        def analyze(self, *, text: str, language: str) -> list[str]:
            if fault == "analyzer" or "day 3 " in text:
                raise ValueError(text)
            return ["Smith"]

    class Anonymizer:
        def anonymize(self, *, text: str, analyzer_results: list[str]) -> object:
            if fault == "anonymizer":
                raise RuntimeError(text)
            return SimpleNamespace(text=text.replace(*analyzer_results, "<PERSON>"))

    parts = {
        "presidio_analyzer": {"AnalyzerEngine": Analyzer},
        "presidio_analyzer.nlp_engine": {"NlpEngineProvider": Provider},
        "presidio_anonymizer": {"AnonymizerEngine": Anonymizer},
    }
    for name, inside in parts.items():
        module = ModuleType(name)
        vars(module).update(inside)
        monkeypatch.setitem(sys.modules, name, module)
    gone = {"no presidio": "presidio_analyzer", "no spacy model": "en_core"}.get(fault, "nothing")
    monkeypatch.setattr(free_text, "find_spec", lambda name: None if name.startswith(gone) else name)


def test_presidio_takes_out_what_it_recognizes_and_what_it_fails_on_is_left_out(monkeypatch) -> None:
    stand_in(monkeypatch)
    with pytest.warns(
        ShoalWarning, match=r"does not find every name.* 1 texts that it fails on are left out"
    ):
        found = redacted(pl.Series("note", [*TEXTS, None]), "t").to_list()
    assert [cell is None for cell in found] == [place in (3, 20) for place in range(21)]
    assert not any("Smith" in cell for cell in found if cell)


@pytest.mark.parametrize("fault", ["no presidio", "no spacy model", "no model", "analyzer", "anonymizer"])
def test_whatever_goes_wrong_ends_in_one_sentence_without_a_text(fault: str, monkeypatch) -> None:
    stand_in(monkeypatch, fault)
    with pytest.raises(ShoalError) as raised:
        redacted(pl.Series("note", TEXTS), "t")
    assert "Smith" not in str(raised.value)
    assert raised.value.__cause__ is None
    with pytest.raises(InputError, match="not text"):
        redacted(pl.Series("note", [1]), "t")


def table(folder: Path, note: str) -> Path:
    pl.DataFrame({"age": [30, 40] * 10, "note": TEXTS}).write_csv(folder / "people.csv")
    toml = folder / "shoal.toml"
    age = '{ role = "quasi", hierarchy = { fanout = 2 } }'
    toml.write_text(
        f'[data]\npath = "people.csv"\n[columns]\nage = {age}\nnote = {note}\n[guarantee]\nk = 3\n',
        encoding="utf-8",
    )
    return toml


def test_free_text_is_left_out_and_counted(tmp_path: Path) -> None:
    release = run_config(table(tmp_path, '"text"'), tmp_path / "out")
    assert "note (free text: 20 texts)" in release.losses_by_column
    assert "note (free text: 20 texts)" in (tmp_path / "out.private" / "audit.html").read_text()
    for file in (*(tmp_path / "out").iterdir(), tmp_path / "out.private" / "audit.json"):
        assert b"of Bonn came" not in file.read_bytes()


def test_redacted_text_is_published_in_its_row(tmp_path: Path, monkeypatch) -> None:
    stand_in(monkeypatch)
    with pytest.warns(ShoalWarning, match="no claim speaks of this column"):
        release = run_config(table(tmp_path, '{ role = "text", redact = "presidio" }'), tmp_path / "out")
    cells = pl.read_csv(tmp_path / "out" / "data.csv")["note"]
    assert cells.null_count() == 1
    assert cells.drop_nulls().str.contains("<PERSON> of Bonn").all()
    assert release.verdict


def test_without_presidio_nothing_is_written(tmp_path: Path, monkeypatch) -> None:
    stand_in(monkeypatch, "no spacy model")
    with pytest.raises(ShoalError, match="needs a model"):
        run_config(table(tmp_path, '{ role = "text", redact = "presidio" }'), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_records_that_are_not_held_are_not_redacted_by_their_first_rows(tmp_path: Path) -> None:
    config = load(table(tmp_path, '{ role = "text", redact = "presidio" }'))
    assert open_large(config, {"k": 3}) is None
    assert open_large(config, {"k": 3}, front=True) is None
    frame = nw.from_native(pl.scan_csv(tmp_path / "people.csv"))
    with pytest.raises(InputError, match="free text"):
        large_table(config, {"k": 3}, frame, Local(), "people")


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"role": "plain", "redact": "presidio"}, "'redact' is for free text"),
        ({"role": "text", "allow": True}, "'allow' means nothing for free text"),
        ({"role": "text", "redact": "spacy"}, "'redact' must be one of presidio"),
    ],
)
def test_keys_that_mean_nothing(said: dict, fault: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=fault):
        check({"data": {"path": "x.csv"}, "columns": {"note": said}}, folder=tmp_path)


def test_texts_of_nested_records_are_counted(tmp_path: Path) -> None:
    (tmp_path / "people.ndjson").write_text(
        "".join(f'{{"sex": "f", "visits": [{{"ward": "A", "note": "{text}"}}]}}\n' for text in TEXTS)
    )
    toml = tmp_path / "shoal.toml"
    toml.write_text(
        '[data]\npath = "people.ndjson"\n[tree]\ntext = ["visits.note"]\n[tree.hierarchies]\nsex = { fanout = 2 }\n'
        '"visits.ward" = { fanout = 2 }\n[guarantee]\nk = 3\nm = 1\nn = 0\n'
    )
    release = run_config(toml, tmp_path / "out")
    assert "visits.note (free text: 20 texts)" in release.losses_by_column
