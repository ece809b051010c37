"""What is found of a file, a folder or a database before anything is known of it."""

from pathlib import Path

import polars as pl
import pytest

import shoal
from office_files import HEAD, NAMES, PEOPLE, body, text_cases, total
from shoal.base.errors import InputError
from shoal.proposal.look import sample_records
from shoal.proposal.propose import propose
from shoal.proposal.source_detection import _guess_keys, detect_source

CASES = text_cases()

pytestmark = pytest.mark.usefixtures("untried")


@pytest.fixture
def titled(tmp_path: Path) -> Path:
    """A file with a title above its table, and a total below."""
    path = tmp_path / "staff.csv"
    path.write_text("Staff of 2024\n\n" + HEAD + body() + f"Total;;;{total()}\n", encoding="utf-8")
    return path


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    path = tmp_path / "staff.csv"
    path.write_text(HEAD + body(), encoding="utf-8")
    return path


def littered(folder: Path) -> Path:
    """A folder with what lies about in one."""
    folder.mkdir()
    for name in ("README.txt", "photo.jpg", "~$staff.xlsx", ".DS_Store", "shoal.toml"):
        (folder / name).write_bytes(b"anything")
    (folder / "old").mkdir()
    return folder


@pytest.mark.parametrize("name", ["staff.csv", "staff.json", "staff.xlsx"])
def test_a_folder_with_other_things_in_it(name: str, tmp_path: Path) -> None:
    folder = littered(tmp_path / "files")
    frame = pl.read_csv(HEAD.encode() + body().encode(), separator=";")
    if name.endswith("xlsx"):
        pytest.importorskip("fastexcel")
        frame.write_excel(folder / name)
    elif name.endswith("json"):
        frame.write_json(folder / name)
    else:
        (folder / name).write_text(HEAD + body(), encoding="utf-8")
    found = detect_source(folder)
    assert found.source is not None
    assert found.source.frame.shape == (PEOPLE, 4)
    assert found.data.path == folder / name
    assert any(f"read from the folder: {name}; not read: README.txt" in note for note in found.notes)


def test_tables_of_a_folder_that_stand_below_titles_are_refused(tmp_path: Path) -> None:
    folder = littered(tmp_path / "files")
    (folder / "people.csv").write_text(HEAD + body(), encoding="utf-8")
    (folder / "visits.csv").write_text(
        "All visits of 2024\n\npeople_id;ward;year\n1000;A;2024\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"visits\.csv: .* save the table alone"):
        detect_source(folder)


@pytest.mark.parametrize("own", [pl.Int64, pl.Float64, pl.String, pl.Categorical, pl.Decimal(9, 0)])
@pytest.mark.parametrize("gaps", [False, True])
def test_keys_are_found_whatever_type_a_parquet_file_gives_them(own: pl.DataType, gaps: bool) -> None:
    """A whole number with a gap in its column is a float to pandas."""
    people = pl.DataFrame({"id": pl.Series(["1", "2"]).cast(own), "photo": [b"\xff", b"\xfe"]})
    visits = pl.DataFrame({"person_id": [1.0, None if gaps else 2.0], "ward": ["A", "B"]})
    assert _guess_keys({"person": people, "visits": visits}) == [("visits", "person_id", "person", "id")]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no csv or parquet file in it"):
        detect_source(littered(tmp_path / "files"))


@pytest.mark.parametrize("case", CASES)
def test_a_first_look_shows_the_same_columns(case: str, tmp_path: Path) -> None:
    text, columns, _ = CASES[case]
    path = tmp_path / "staff.csv"
    path.write_text(text, encoding="utf-8")
    part = sample_records(path).parts[0]
    assert [name for name in part.columns if name] == columns
    assert "1000" in [row[0] for row in part.rows[:2]]  # a row of units is shown as it is


def test_evidence_stands_above_each_key(titled: Path) -> None:
    lines = propose(titled).save(titled.parent).read_text(encoding="utf-8").splitlines()
    assert lines[lines.index("header = 3") - 1].startswith("# row 1 above the names of columns is a title")
    assert lines[lines.index(f"last = {PEOPLE + 3}") - 1].startswith(
        f"# below the records in row {PEOPLE + 3}"
    )
    assert f"# Note: 1 row below row {PEOPLE + 3} left out, no record." in lines
    said = "\n".join(lines)
    assert said.count("above the names of columns is a title") == said.count("below the records in row") == 1


@pytest.mark.parametrize(("sample", "told"), [(20, True), (PEOPLE, False)])
def test_a_sample_is_told(sample: int, told: bool, staff: Path) -> None:
    notes = propose(staff, sample=sample).notes
    assert any(f"columns together in {sample}" in note for note in notes) == told


def test_python_takes_the_same_keys(titled: Path) -> None:
    roles = {"id": "identifier", "*": "drop", "age": "quasi", "town": "quasi"}
    with pytest.raises(InputError, match=r"give header=3 to shoal\.read"):
        shoal.read(titled, roles=roles)
    with pytest.warns(shoal.ShoalWarning, match="1 row below"):
        assert shoal.read(titled, roles=roles, header=3, last=PEOPLE + 3).records == PEOPLE
    with pytest.raises(InputError, match="counted from 1"):
        shoal.read(titled, roles=roles, header=0)
    assert NAMES == HEAD.strip().split(";")


def test_what_somebody_states_of_a_file_stands_and_the_rest_is_found(titled: Path) -> None:
    found = propose(titled)
    given = found.data.layout.given()
    again = propose(titled, settings=given)
    assert again.data.layout.given() == given
    assert again.records == found.records
    stated = propose(
        titled, settings={"last": 20, "missing": ["", "x"], "decimal": ",", "dates": "day first"}
    )
    assert stated.data.layout.given() == {"header": 3, "last": 20}
    assert (stated.data.missing, stated.data.decimal, stated.data.dates) == (("", "x"), ",", "day first")
    assert stated.records == 17
    assert sample_records(titled, settings={"header": 3}).parts[0].columns[0] == "id"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"header": 0}, "counted from 1"),
        ({"head": 3}, "unknown key 'head'"),
        ({"dates": "year first"}, "day first"),
        ({"path": "other.csv"}, "path"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object], said: str, staff: Path) -> None:
    with pytest.raises(InputError, match=said):
        propose(staff, settings=settings)


def test_settings_are_about_one_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="header: only for one file"):
        propose(tmp_path, settings={"header": 3})
