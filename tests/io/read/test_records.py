"""A role for every column: what is dropped, what the default gives, and what is told of dropped identifiers."""

import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import narwhals as nw
import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError, ShoalError, ShoalWarning
from shoal.engines.local import Local
from shoal.io.config import check, load
from shoal.io.read import records
from shoal.io.read.records import _redact_texts
from shoal.jobs.configured import run_config
from shoal.publish.large.opening import large_table, open_large
from shoal.shapes.registry import open_dataset

FRAME = {
    "name": ["An", "Bo", "Cy", "Di"],
    "age": [31, 32, 31, 32],
    "note": ["x", "x", "y", "y"],
    "sex": ["f", "f", "m", "m"],
}


def read(**roles):
    return shoal.read(pl.DataFrame(FRAME), roles=roles)


def test_a_dropped_column_is_left_out_and_says_nothing_of_who_is_who():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = read(name="identifier", age="quasi", note="drop", sex="sensitive")
    release = shoal.anonymize(data, k=2)
    assert release.data.columns == ["age", "sex"]
    assert release.manifest["columns"] == {"age": "quasi", "sex": "sensitive"}


def test_a_default_drops_what_is_not_named():
    data = read(**{"age": "quasi", "*": "drop"})
    assert data.source.frame.columns == ["age"]
    assert shoal.anonymize(data, k=2).data.columns == ["age"]


def test_a_default_of_identifiers_refuses_their_repeats():
    read(**{"age": "quasi", "sex": "sensitive", "note": "drop", "*": "identifier"})
    with pytest.raises(InputError, match="column 'note': 4 records share an identifier"):
        read(**{"age": "quasi", "sex": "sensitive", "*": "identifier"})


@pytest.mark.parametrize("role", ["plain", "quasi", "sensitive", "items"])
def test_no_other_role_is_a_default(role, tmp_path):
    with pytest.raises(InputError, match=r"'\*' stands for all columns that are not named"):
        read(**{"age": "quasi", "*": role})
    raw = {"data": {"path": "x.csv"}, "columns": {"age": "quasi", "*": role}}
    with pytest.raises(InputError, match=r"\[columns\]: '\*' stands for all columns"):
        check(raw, folder=tmp_path)
    raw["columns"]["*"] = {"role": "drop"}
    assert check(raw, folder=tmp_path).columns["*"].role == "drop"
    raw["columns"]["*"] = {"role": "drop", "allow": True}
    with pytest.raises(InputError, match=r"'\*' stands for"):
        check(raw, folder=tmp_path)


def test_a_dropped_column_that_is_not_there_is_a_slip():
    with pytest.raises(InputError, match="no column 'nam'; did you mean 'name'"):
        read(**{"age": "quasi", "nam": "drop", "*": "drop"})


def test_something_must_be_left():
    with pytest.raises(InputError, match="every column is dropped"):
        read(**{"*": "drop"})


def test_the_column_of_persons_is_kept_whatever_the_default_is():
    rows = pl.DataFrame({"who": ["a", "a", "b", "c"], "age": [1, 1, 1, 1], "x": [1, 2, 3, 4]})
    data = shoal.read(rows, roles={"age": "quasi", "*": "drop"}, person="who")
    assert len(set(data.table.persons.tolist())) == 3
    data = shoal.read(rows, roles={"age": "quasi", "who": "drop", "*": "drop"}, person="who")
    assert shoal.anonymize(data, k=3).manifest["claim"]["counts"] == "persons"
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(data, k=4)


def test_what_is_dropped_may_hold_anything(tmp_path):
    path = tmp_path / "people.ndjson"
    path.write_text('{"age": 1, "more": {"a": [1]}}\n' * 3)
    assert shoal.read(path, roles={"age": "quasi", "more": "drop"}).records == 3
    assert shoal.read(path, roles={"age": "quasi", "*": "drop"}).records == 3
    with pytest.raises(InputError, match="nested"):
        shoal.read(path, roles={"age": "quasi", "more": "plain"})


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("patient_id", ["a", "a", "b", "c"]),
        ("PatientID", [1, 1, 2, 3]),
        ("Name", ["An", "An ", "Bo", "Cy"]),
        ("x", ["012345", "012345", "023456", "034567"]),
        ("x", ["an@x.org", "an@x.org", "bo@x.org", "cy@x.org"]),
    ],
)
def test_a_dropped_identifier_that_repeats_is_told(name, cells):
    frame = pl.DataFrame({name: cells, "age": [1] * 4})
    with pytest.warns(
        ShoalWarning, match=f"'{name}' is dropped, looks like an identifier, and 2 records share"
    ) as told:
        shoal.read(frame, roles={"age": "quasi", "*": "drop"})
    assert f'say person="{name}"' in str(told[0].message)
    assert not any(
        str(cell).strip() in str(told[0].message).replace(name, "") for cell in cells if len(str(cell)) > 2
    )


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("patient_id", ["a", "b", "c", "d"]),
        ("income", [52000, 52000, 4100, 312]),
        ("weight", [71.5, 71.5, 80.0, 66.2]),
        ("ward", ["A", "A", "B", "B"]),
        ("note", ["came back", "came back", "well", "well"]),
    ],
)
def test_other_dropped_columns_are_not_told(name, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.read(pl.DataFrame({name: cells, "age": [1] * 4}), roles={"age": "quasi", name: "drop"})


BASKETS = """
[data]
path = "sold.csv"
{person}
[columns]
{columns}
"""


@pytest.fixture
def sold(tmp_path):
    (tmp_path / "sold.csv").write_text("who,age,what,till\na,30,x y,1\nb,31,x,1\nc,30,x,2\nd,31,x y,2\n")

    def opened(columns, person=""):
        (tmp_path / "shoal.toml").write_text(BASKETS.format(columns=columns, person=person))
        return open_dataset(load(tmp_path / "shoal.toml"))

    return opened


@pytest.mark.parametrize(
    "rest",
    ['"*" = "drop"', 'who = "identifier"\n"*" = "drop"', 'who = "identifier"\ntill = "drop"\nage = "drop"'],
)
def test_baskets_and_tables_with_baskets_drop_too(sold, rest):
    assert sold(f'what = "items"\n{rest}').table.columns == ()
    if "age" not in rest:
        mixed = sold(f'what = "items"\nage = "quasi"\n{rest}')
        assert [column.name for column in mixed.people.table.columns] == ["age"]


@pytest.mark.parametrize(
    "shape", ['what = "items"', 'what = "items"\nage = "quasi"', 'age = "quasi"\nwhat = "plain"']
)
def test_identifiers_repeat_in_every_shape(sold, tmp_path, shape):
    whole = f'{shape}\nwho = "identifier"\n"*" = "drop"'
    assert sold(whole).records == 4
    for second in ("a ", "A 1", ""):
        lines = ["who,age,what,till", *(f"{who},30,x,1" for who in ("a", second, "A1", "", "d"))]
        (tmp_path / "sold.csv").write_text("\n".join(lines) + "\n")
        with pytest.raises(InputError, match="column 'who': 2 records"):
            sold(whole)


def test_the_key_of_a_long_table_is_kept(tmp_path):
    (tmp_path / "people.csv").write_text("id,age,x\n1,30,u\n2,31,v\n")
    (tmp_path / "codes.csv").write_text("id,code\n1,E10\n 2,E11\n")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\nage = "quasi"\n"*" = "drop"\n'
        'codes = { role = "items", path = "codes.csv", key = "id", item = "code" }\n'
    )
    data = open_dataset(load(tmp_path / "shoal.toml"))
    assert data.shape == "mixed"
    assert data.baskets.values == ("E10", "E11")
    assert [column.name for column in data.people.table.columns] == ["age"]


def test_where_a_person_is_named_other_identifiers_may_repeat(sold, tmp_path):
    lines = ["who,age,what,till", "a,,x,1", "a,,y,1", "b,,x,1", "c,30,x,1", "d,30,x,1"]
    (tmp_path / "sold.csv").write_text("\n".join(lines) + "\n")
    columns = 'what = "items"\nwho = "identifier"\nage = "identifier"\ntill = "sensitive"'
    data = sold(columns, 'person = "who"')
    assert data.baskets.n == 4
    assert [column.name for column in data.table.columns] == ["till"]
    with pytest.raises(InputError, match="column 'who': 2 records share an identifier"):
        sold(columns)


def test_what_is_missing_in_one_column_is_a_value_in_others(tmp_path):
    (tmp_path / "people.csv").write_text("sex,age\n1,9\n2,41\n9,9\n1,41\n")
    raw = {
        "data": {"path": "people.csv"},
        "columns": {
            "sex": {"role": "quasi", "missing": ["9"], "hierarchy": {"fanout": 2}},
            "age": "sensitive",
        },
    }
    table = open_dataset(check(raw, folder=tmp_path)).table
    assert table.column("sex").cells() == ["1", "2", None, "1"]
    assert table.column("age").cells() == ["9", "41", "9", "41"]


def test_a_proposal_with_cells_that_cannot_be_read_runs_as_it_is(tmp_path):
    days = [f"{1 + n % 28:02}-{1 + n % 12:02}-19{50 + n % 50}" for n in range(198)]
    rows = [f"{day};{n % 2}" for n, day in enumerate([*days, "later", "soon"])]
    (tmp_path / "people.csv").write_text("born;sex\n" + "\n".join(rows) + "\n")
    shoal.propose(tmp_path / "people.csv").save(tmp_path)
    with pytest.warns(ShoalWarning, match="2 cells cannot be read as dates"):
        assert open_dataset(load(tmp_path / "shoal.toml")).table.column("born").cells()[-1] is None


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
    monkeypatch.setattr(records, "find_spec", lambda name: None if name.startswith(gone) else name)


def test_presidio_takes_out_what_it_recognizes_and_what_it_fails_on_is_left_out(monkeypatch) -> None:
    stand_in(monkeypatch)
    with pytest.warns(
        ShoalWarning, match=r"does not find every name.* 1 texts that it fails on are left out"
    ):
        found = _redact_texts(pl.Series("note", [*TEXTS, None]), "t").to_list()
    assert [cell is None for cell in found] == [place in (3, 20) for place in range(21)]
    assert not any("Smith" in cell for cell in found if cell)


@pytest.mark.parametrize("fault", ["no presidio", "no spacy model", "no model", "analyzer", "anonymizer"])
def test_whatever_goes_wrong_ends_in_one_sentence_without_a_text(fault: str, monkeypatch) -> None:
    stand_in(monkeypatch, fault)
    with pytest.raises(ShoalError) as raised:
        _redact_texts(pl.Series("note", TEXTS), "t")
    assert "Smith" not in str(raised.value)
    assert raised.value.__cause__ is None
    with pytest.raises(InputError, match="not text"):
        _redact_texts(pl.Series("note", [1]), "t")


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
        large_table(config, None, frame, Local(), "people")


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
