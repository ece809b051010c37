"""Tables where offices put them: titles above, two rows of names, totals and notes below."""

import codecs
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from office_files import HEAD, NAMES, PEOPLE, TWO, body, people, text_cases, total, write_workbook
from shoal.base.errors import InputError, ShoalWarning
from shoal.io.config import check
from shoal.io.read.layout import Layout, LayoutError, join_header
from shoal.io.read.table import read, scan_table
from shoal.proposal.source_detection import detect_source

pytestmark = pytest.mark.usefixtures("untried")

CASES = text_cases()


@pytest.fixture
def staff(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "staff.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("case", CASES)
def test_init_finds_the_table_and_a_run_obeys(case: str, staff, tmp_path: Path) -> None:
    text, columns, layout = CASES[case]
    path = staff(text)
    found = detect_source(path)
    assert found.source is not None
    assert found.source.frame.columns == columns
    assert found.source.frame.height == PEOPLE
    assert found.data.layout.given() == layout
    assert all(key in found.data.layout.why for key in layout)
    raw = {"data": {"path": "staff.csv", **layout}, "columns": {"id": "identifier"}}
    again = check(raw, folder=tmp_path).data.layout
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        assert read(path, layout=again).frame.equals(read(path, layout=found.data.layout).frame)
    if layout:  # without the keys one sentence says what to write
        with pytest.raises(LayoutError, match=rf"write {next(iter(layout))} = ") as told:
            read(path, layout=Layout())
        assert "Bonn" not in str(told.value)
        assert "Staff" not in str(told.value)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_a_title(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("Staff report 2024\n\n" + HEAD + body(), encoding=codec)
    assert path.read_bytes().startswith((codecs.BOM_UTF8, codecs.BOM_UTF16))
    found = detect_source(path)
    assert found.source is not None
    assert found.source.frame.columns == NAMES
    assert found.data.layout.given() == {"header": 3}


def test_rows_that_are_left_out_are_counted(staff) -> None:
    path = staff(HEAD + body() + f"Total;;;{total()}\n\nSource: us\n")
    with pytest.warns(ShoalWarning, match=f"2 rows below row {PEOPLE + 1} left out"):
        read(path, layout=Layout(last=PEOPLE + 1))
    path.write_text(HEAD + body(), encoding="utf-8")
    with pytest.warns(ShoalWarning, match="2 rows that skip names left out"):
        frame = read(path, layout=Layout(skip=(3, 9))).frame
    assert frame.height == PEOPLE - 2
    assert not {"1001", "1007"} & set(frame["id"])


WORDS = "".join(f"{'abcdefghij'[place % 10]};{'fm'[place % 2]};north\n\n" for place in range(20_000))
SOME = "".join(f"{place};{'fm'[place % 2]};{20 + place};north\n" for place in range(20))
PART = "".join(f"{name};f;19{50 + place};7\n" for place, name in enumerate("abcdefghij"))
SPLIT = (HEAD + body()).splitlines(keepends=True)
RECORDS = {  # what a file holds, what is said of it, how many records that is, and what is told (None: whatever)
    "a town called Total, and a person who has everything": (HEAD + body() + "1999;33;Total;1200\n", {}, 61, None),
    "a value is missing": (HEAD + body() + "1999;33;Ulm;\n", {}, 61, None),
    "somebody of whom nothing is known": (HEAD + body() + "1999;;;\n", {}, 61, None),
    "a person with large numbers": (HEAD + body() + "1999;99;Kiel;9999\n", {}, 61, None),
    "a total by one witness": (HEAD + body() + "Total;33;Ulm;1200\n", {}, 61, "row 62 may be a total"),
    "a subtotal by a word alone": (
        "".join([*SPLIT[:31], "Subtotal;;;7\n", *SPLIT[31:]]), {}, 61, "row 32 may be subtotals"
    ),
    "skip says that it is a record": ("".join([*SPLIT[:31], "Subtotal;;;7\n", *SPLIT[31:]]), {"skip": ()}, 61, ""),
    "last says that a row like totals is one": (HEAD + body() + f"Total;;;{total()}\n", {"last": 62}, 61, ""),
    "few cells below the names are units only over numbers": (
        "id;size;unit\n" + ";m;kg\n" + "7;l;cm\n" * 9, {}, 10, ""
    ),
    "a unit that is a value of another column": (
        "age;weight;sex\nyears;kg;f\n" + "41;70;f\n37;81;m\n" * 9, {}, 19, ""
    ),
    "anyone who said nothing is no heading": (
        "name;sex;born;days\n" + PART + "k;;;\n" + PART + "l;;;\n", {"last": 24}, 22, ""
    ),
    "a record behind a blank row": (
        "nr;sex;age;branch\n" + SOME + "\n30;f;40;north\n" + SOME, {}, 41, "1 row without any cell left out"
    ),
    "a record of words behind a blank row": (
        "nr;sex;age;branch\n" + SOME + "\nx;f;y;z\n" + SOME, {}, 41, "1 row without any cell left out"
    ),
    "a list with wide lines, however long, is one table": (
        "name;sex;branch\n" + WORDS, {}, 20_000, "19999 rows without any cell left out"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RECORDS)
def test_what_may_be_a_record_stays_and_doubts_are_told(case: str, staff) -> None:
    text, keys, height, told = RECORDS[case]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert read(staff(text), layout=Layout(**keys)).frame.height == height
    if told is not None:
        assert bool(said) == bool(told)
        assert all(isinstance(one.message, ShoalWarning) and told in str(one.message) for one in said)


def test_a_record_of_another_width_is_still_refused(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    lines = (HEAD + body()).splitlines(keepends=True)
    path.write_text("".join([*lines[:9], "1;2\n", *lines[9:]]), encoding="utf-8")
    with pytest.raises(InputError, match="line 10: 2 cells, but the header has 4"):
        read(path, layout=Layout())


def test_a_file_that_a_program_wrote_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b,c\n1,2,3\n,,\nTotal,,3\n", encoding="utf-8")
    assert read(path).frame.height == 3  # a released row may be empty


@pytest.mark.parametrize(
    ("end", "scanned"),
    [("", True), (f"Total;;;{total()}\n", False), (";;;\n", False), ("1999;30;Ulm;9\n", True)],
)
def test_a_large_file_that_may_end_in_totals_is_not_scanned(end: str, scanned: bool, staff) -> None:
    path = staff(HEAD + body() + end)
    assert (scan_table(path, layout=Layout()) is not None) == scanned
    assert scan_table(path) is not None  # what a program wrote is what it is


@given(st.integers(0, 4), st.integers(0, 3), st.booleans(), st.integers(3, 30))
def test_titles_blanks_and_totals_never_change_the_records(
    titles: int, blanks: int, totals: bool, count: int
) -> None:
    """However many lines stand above and below, the same people are read."""
    from tempfile import TemporaryDirectory

    above = "".join(f"Report number {i} of the office\n" for i in range(titles)) + "\n" * blanks
    below = f"Total;;;{total(count)}\n" if totals else ""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "staff.csv"
        path.write_text(above + HEAD + body(count=count) + below, encoding="utf-8")
        found = detect_source(path)
    assert found.source is not None
    assert found.source.frame.columns == NAMES
    assert found.source.frame["id"].to_list() == [str(row[0]) for row in people(count)]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["a", "b"]], ["a", "b"]),
        ([["P", "", "Q"], ["a", "b", "c"]], ["P a", "P b", "Q c"]),
        ([["P", "P", "x"], ["a", "b", "x"]], ["P a", "P b", "x"]),
        ([["id", "", "Q", ""], ["", "a", "b", "c"]], ["id", "a", "Q b", "Q c"]),
        ([["T", "", ""], ["P", "", "Q"], ["a", "b", "c"]], ["T P a", "T P b", "T Q c"]),
    ],
)
def test_names_are_joined(rows: list[list[str]], names: list[str]) -> None:
    assert join_header(rows) == names


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"header": 0}, "counted from 1"),
        ({"header": [3, 2]}, "from the upper to the lower"),
        ({"header": 4, "last": 4}, "stands below its header"),
        ({"last": "9"}, "the number of a row"),
        ({"skip": [True]}, "the number of a row"),
    ],
)
def test_keys_that_mean_nothing_are_refused(keys: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        check({"data": {"path": "a.csv", **keys}, "columns": {"a": "quasi"}}, folder=tmp_path)


def test_a_header_below_the_end_is_refused(staff) -> None:
    with pytest.raises(InputError, match="no row 900"):
        read(staff(HEAD + body()), layout=Layout(header=(900,)))


pytest.importorskip("fastexcel")


def rows_of(*above: list[object]) -> list[list[object]]:
    return [*above, *[list(row) for row in people()]]


def test_a_workbook_with_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "staff.xlsx"
    table = rows_of(["Staff report"], [], ["Person", None, "Place", "Pay"], ["id", "age", "town", "amount"])
    table += [[], ["Total", None, None, total()], [], ["Source: the office"]]
    write_workbook(
        path, {"Read me": [["What this is"]], "Staff": table, "Codes": [["m", "male"], ["f", "female"]]}
    )
    found = detect_source(path)
    assert found.source is not None
    assert found.source.frame.columns == TWO
    assert found.source.frame.height == PEOPLE
    assert found.source.frame["Pay amount"].dtype.is_numeric()  # no title and no note makes text of it
    assert found.data.layout.given() == {"sheet": "Staff", "header": [3, 4], "last": PEOPLE + 4}
    assert "'Read me', 'Codes'" in found.data.layout.why["sheet"]


def test_sheets_that_begin_alike_are_told(tmp_path: Path) -> None:
    path = tmp_path / "staff.xlsx"
    write_workbook(path, {"2023": rows_of(list(NAMES))[:20], "2024": rows_of(list(NAMES))})
    found = detect_source(path)
    assert found.data.layout.sheet == "2024"
    assert "'2023' begin with the same rows" in found.data.layout.why["sheet"]
    with pytest.raises(LayoutError, match="write sheet = "):
        read(path, layout=Layout())
    assert read(path, layout=Layout(sheet="2023")).frame.height == 19


def test_blank_rows_of_a_sheet_are_nobody(tmp_path: Path) -> None:
    path = tmp_path / "staff.xlsx"
    table = rows_of([], [], list(NAMES))
    table[10:10] = [[], []]
    write_workbook(path, {"Staff": table})
    with pytest.warns(ShoalWarning, match="2 rows without any cell left out"):
        frame = read(path, layout=Layout()).frame
    assert frame.shape == (PEOPLE, 4)


def test_an_unknown_sheet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "staff.xlsx"
    write_workbook(path, {"Staff": rows_of(list(NAMES))})
    with pytest.raises(InputError, match="no sheet 'Stuff'"):
        read(path, layout=Layout(sheet="Stuff"))


def test_cells_that_reach_over_several_rows_are_in_each_of_them(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "staff.xlsx"
    book = xlsxwriter.Workbook(str(path))
    book.add_worksheet("empty")
    sheet = book.add_worksheet("staff")
    sheet.write_row(0, 0, ["town", "age"])
    for start, end, town in ((1, 20, "Bonn"), (21, 25, "Ulm")):
        sheet.merge_range(start, 0, end, 0, town)
    for row in range(1, 26):
        sheet.write(row, 1, 20 + row)
    book.close()
    frame = read(path, layout=Layout(sheet="staff")).frame
    assert frame["town"].to_list() == ["Bonn"] * 20 + ["Ulm"] * 5
    assert frame["age"].to_list() == list(range(21, 46))


def test_a_sheet_into_which_nobody_wrote_is_no_fault(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    path = tmp_path / "staff.xlsx"
    write_workbook(path, {"staff": rows_of(NAMES), "sheet 2": []})
    assert read(path, layout=Layout()).frame.columns == NAMES


def test_in_a_file_of_one_column_a_blank_line_is_somebody_without_a_value(staff) -> None:
    path = staff("age\n41\n\n37\n\n\n52\n\n")
    assert read(path, layout=Layout()).frame["age"].to_list() == ["41", "", "37", "", "", "52"]


def test_units_may_stand_beside_what_is_no_value_of_the_other_columns(staff) -> None:
    with pytest.raises(LayoutError) as told:
        read(staff("age;weight;sex\nyears;kg;m/f\n" + "41;70;f\n37;81;m\n" * 9), layout=Layout())
    assert told.value.layout.skip == (2,)


def test_columns_of_one_name_are_told_by_their_places_in_the_file(staff) -> None:
    with pytest.raises(InputError, match="columns 3 and 5 have the same name"):
        read(staff("id,,day,batch,day\n1,,3,a,4\n2,,5,b,6\n"), layout=Layout())


ANSWERS = "".join(
    f"R_{i};{('Yes', 'No')[i % 2]};{('Agree', 'Neutral')[i % 3 > 0]};{20 + i % 5}\n" for i in range(40)
)
QUESTIONS = "Response ID;What is your answer?;How satisfied are you?;How old are you?\n"
IMPORTED = ";".join(f'"{{""ImportId"": ""Q{i}""}}"' for i in range(4)) + "\n"


@pytest.mark.parametrize(
    "rows", [QUESTIONS, QUESTIONS + IMPORTED, IMPORTED], ids=["asked", "both", "imported"]
)
def test_questions_below_the_names_are_nobody(rows: str, staff) -> None:
    path = staff("id;q1;q2;q3\n" + rows + ANSWERS)
    skipped = tuple(range(2, 2 + rows.count("\n")))
    with pytest.raises(LayoutError, match="questions in row 2") as refused:
        read(path, layout=Layout())
    assert refused.value.layout.skip == skipped
    assert detect_source(path).source.frame.height == 40


def test_an_answer_that_only_the_first_gave_is_no_question(staff) -> None:
    first = "R_x;Yes, but not in every year;Agree;20\n"
    assert read(staff("id;q1;q2;q3\n" + first + ANSWERS), layout=Layout()).frame.height == 41


def test_headings_between_people_are_nobody(staff) -> None:
    path = staff("name;sex;born;days\nNorth;;;\n" + PART + "South;;;\n" + PART)
    with pytest.raises(LayoutError, match="headings in row 2, 13, alone in their rows"):
        read(path, layout=Layout())
    assert detect_source(path).source.frame.height == 20


def test_a_second_table_below_the_first_is_not_read_as_people(staff) -> None:
    path = staff(
        f"nr;sex;age;branch\n{SOME};;;\n\nbranch;pay;part;\n" + "north;3100;half;\nsouth;2900;whole;\n" * 4
    )
    with pytest.raises(
        LayoutError, match="below the records in row 21 and blank rows, another table begins in row 24"
    ):
        read(path, layout=Layout())
    found = detect_source(path)
    assert (found.data.layout.last, found.source.frame.height) == (21, 20)
