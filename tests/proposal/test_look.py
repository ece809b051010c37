"""A first look: the first records of whatever is given, as they are."""

import gzip
import json
import sqlite3

import polars as pl
import pytest

from shoal.base.errors import InputError
from shoal.proposal.look import sample_records

ROWS = [{"id": str(i), "age": str(20 + i), "note": "a, b" if i % 2 else "Ärger"} for i in range(50)]
FRAME = pl.DataFrame(ROWS)


def only(data, **options):
    (part,) = sample_records(data, **options).parts
    return part


@pytest.mark.parametrize(
    "name", ["p.csv", "p.tsv", "p.txt", "p.csv.gz", "p.ndjson", "p.json", "p.parquet", "p.xlsx"]
)
def test_the_first_records_of_any_table(tmp_path, name):
    path = tmp_path / name
    if name == "p.parquet":
        FRAME.write_parquet(path)
    elif name == "p.xlsx":
        pytest.importorskip("xlsxwriter")
        pytest.importorskip("fastexcel")
        FRAME.write_excel(path)
    elif "json" in name:
        lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
        path.write_text("\n".join(lines) if name == "p.ndjson" else f"[{', '.join(lines)}]")
    else:
        text = FRAME.write_csv(separator="\t" if name == "p.tsv" else ",")
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    part = only(path)
    assert (part.name, part.columns, part.more) == (name, ("id", "age", "note"), True)
    assert [dict(zip(part.columns, row, strict=True)) for row in part.rows] == ROWS[:20]
    assert not only(path, rows=50).more


def test_a_file_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "p.csv"
    row = f"1,2,{'x' * 90}\n"
    path.write_bytes(b"id,age,note\n" + row.encode() * 40_000 + b'broken,"\xff')
    part = only(path)
    assert part.rows[0] == ("1", "2", f"{'x' * 79}…")
    assert (len(part.rows), part.more) == (20, True)


def test_a_sign_or_a_record_that_is_cut_in_two_is_left_out(tmp_path):
    path = tmp_path / "p.csv"
    long = "ä" * 100_000  # two bytes each, so that the beginning ends within the sixth record
    path.write_text("id,note\n" + "".join(f"{i},{long}\n" for i in range(9)))
    assert [row[0] for row in only(path).rows] == list("01234")
    (tmp_path / "p.ndjson").write_text(
        "".join(json.dumps({"id": i, "note": "x" * 400_000}) + "\n" for i in range(9))
    )
    assert [row[0] for row in only(tmp_path / "p.ndjson").rows] == ["0", "1"]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig", "utf-16"])
def test_other_encodings(tmp_path, encoding):
    (tmp_path / "p.csv").write_bytes("id;Größe\n1;Ärger über Öl\n".encode(encoding))
    part = only(tmp_path / "p.csv")
    assert (part.columns, part.rows[0]) == (("id", "Größe"), ("1", "Ärger über Öl"))


def test_baskets_and_nested_records_in_words(tmp_path):
    (tmp_path / "b.dat").write_text("1 5 9\n\n2\n")
    assert only(tmp_path / "b.dat").rows == [("1, 5, 9",), ("2",)]
    records = [
        {"id": 1, "visits": [{"ward": "A", "ill": ["flu", None]}, {"ward": "B"}]},
        {"id": 2, "born": {"year": 1990, "deep": {"a": {"b": {"c": {"d": {"e": 1}}}}}}, "ok": True},
    ]
    part = only(records)
    assert part.columns == ("id", "visits", "born", "ok")
    assert part.rows[0] == ("1", "ward: A, ill: (flu, ); ward: B", None, None)
    assert part.rows[1][3] == "true"
    assert "…" in part.rows[1][2]
    (tmp_path / "p.xml").write_text("<all><p id='1'><w>A</w><w>B</w></p><p id='2'/></all>")
    assert only(tmp_path / "p.xml").rows == [("1", "A, B"), ("2", None)]
    many = only([{"items": list(range(30))}]).rows[0][0]
    assert many.endswith("19, …")


def test_a_folder_and_a_database_have_a_part_for_each_table(tmp_path):
    pytest.importorskip("sqlalchemy", reason="the extra sql is not installed")
    folder = tmp_path / "tables"
    folder.mkdir()
    FRAME.write_csv(folder / "people.csv")
    pl.DataFrame({"person": ["1"], "ward": ["A"]}).write_csv(folder / "visits.csv")
    assert [(part.name, len(part.rows)) for part in sample_records(folder).parts] == [
        ("people", 20),
        ("visits", 1),
    ]
    with sqlite3.connect(tmp_path / "p.db") as base:
        base.execute("create table people (id integer, note text)")
        base.execute("create table empty (id integer)")
        base.executemany("insert into people values (?, ?)", [(i, "x") for i in range(30)])
    empty, people = sample_records(f"sqlite:///{tmp_path / 'p.db'}").parts
    assert (empty.name, empty.rows, people.columns) == ("empty", (), ("id", "note"))
    assert (len(people.rows), people.rows[0], people.more) == (20, ("0", "x"), True)


def test_a_frame_and_its_plain_data():
    part = only(pl.DataFrame({"when": [None, "x"], "n": [1.0, 2.5], "raw": [b"\0", b"\1"], "l": [["a"], []]}))
    assert part.columns == ("when", "n", "l")
    assert part.rows == [(None, "1", "a"), ("x", "2.5", "")]
    facts = sample_records(FRAME).as_dict()
    assert facts["parts"][0]["rows"][0] == ["0", "20", "Ärger"]
    assert "Ärger" not in repr(sample_records(FRAME)) + repr(sample_records(FRAME).parts)


def test_what_cannot_be_had_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"no\.csv: not found"):
        sample_records(tmp_path / "no.csv")
    (tmp_path / "p.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"p\.parquet: cannot be read"):
        sample_records(tmp_path / "p.parquet")
    (tmp_path / "p.csv.gz").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read"):
        sample_records(tmp_path / "p.csv.gz")


def test_whole_numbers_of_a_sheet_are_shown_as_they_are_published(tmp_path):
    pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    pl.DataFrame({"age": [51.0, 42.0], "weight": [70.5, 61.0]}).write_excel(tmp_path / "p.xlsx")
    assert only(tmp_path / "p.xlsx").rows == [("51", "70.5"), ("42", "61")]


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp932", "山田太郎 鈴木花子 佐藤次郎"),
        ("gb18030", "王伟 李娜 张敏"),
        ("cp949", "김철수 이영희 박민수"),
    ],
)
@pytest.mark.parametrize("shift", range(3))
def test_a_long_text_may_be_cut_within_a_sign(tmp_path, encoding, names, shift):
    lines = [f"{'x' * shift}{number};{name}{names[:2]}" for number in range(9_000) for name in names.split()]
    (tmp_path / "people.csv").write_bytes("\n".join(["id;name", *lines]).encode(encoding))
    assert only(tmp_path / "people.csv").rows[0][1] == names.split()[0] + names[:2]
