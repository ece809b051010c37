"""`shoal init` as people type it."""

import json

import pytest

from cli_cases import command as call
from cli_cases import failed
from office_files import NAMES, PEOPLE, people, text_cases, write_sqlite

pytestmark = pytest.mark.usefixtures("untried", "bare")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{1000 + i},{20 + i * 7 % 50},{'fm'[i % 2]}" for i in range(100))
    (tmp_path / "people.csv").write_text(f"patient_id,age,sex\n{rows}\n")
    return tmp_path


def test_some_lines_and_three_commands(folder):
    said = call("init", "people.csv")
    assert said.exit_code == 0, said.output
    taken, identifier, quasi, proposes, _, look, following = said.output.splitlines()
    assert taken == "read as    a table of 100 records"
    assert (identifier, quasi) == ("identifier patient_id", "quasi      age, sex")
    assert look.startswith("look at    ")
    assert proposes == "proposes   k = 11 for everybody (--for public)"
    assert following == "next       shoal run"
    ran = call("run")
    assert ran.exit_code == 0, ran.output
    *_, judge, attack = ran.output.splitlines()
    assert judge == "next      shoal verify release --config shoal.toml --against people.csv"
    assert attack == "          shoal attack release --config shoal.toml --against people.csv"
    assert call(*judge.split()[2:]).exit_code == 0
    assert call(*attack.split()[1:]).exit_code == 0


def test_tables_are_proposed_and_run_with_groups_that_do_not_overlap(folder):
    assert call("init", "people.csv", "--tables").exit_code == 0
    written = (folder / "shoal.toml").read_text()
    assert "\ntables = true\n" in written
    assert "numbers =" not in written
    assert call("run").exit_code == 0
    assert json.loads((folder / "release" / "manifest.json").read_text())["method"]["name"] == "column-cut"


@pytest.mark.parametrize("name", ["report.csv", "report.json", "report.db"])
def test_a_file_as_offices_have_them_needs_no_edit(folder, name):
    """No title, no total and no wrapping becomes a person, and the counts of the release are those of the people."""
    if name.endswith("csv"):
        (folder / name).write_text(text_cases()["everything"][0])
    elif name.endswith("json"):
        rows = [dict(zip(NAMES, row, strict=True)) for row in people()]
        (folder / name).write_text(json.dumps({"count": PEOPLE, "result": {"staff": rows}}))
    else:
        write_sqlite(folder / name)
    said = call("init", name)
    assert said.exit_code == 0, said.output
    assert f"a table of {PEOPLE} records" in said.output
    ran = call("run")
    assert ran.exit_code == 0, ran.output
    assert len((folder / "release" / "data.csv").read_text().splitlines()) == PEOPLE + 1
    judge = next(line for line in ran.output.splitlines() if line.startswith("next"))
    assert call(*judge.split()[2:]).exit_code == 0


def test_nothing_is_replaced_unless_told(folder):
    assert call("init", "people.csv").exit_code == 0
    (folder / "shoal.toml").write_text("# mine\n")
    again = call("init", "people.csv")
    assert again.exit_code == 2
    assert "--force" in again.output
    assert (folder / "shoal.toml").read_text() == "# mine\n"
    assert call("init", "people.csv", "--force").exit_code == 0
    assert "[columns]" in (folder / "shoal.toml").read_text()


def test_files_of_ones_own_are_never_removed(folder):
    (folder / "hierarchies").mkdir()
    (folder / "hierarchies" / "mine.csv").write_text("a;*\n")
    assert call("init", "people.csv").exit_code == 2
    assert call("init", "people.csv", "--force").exit_code == 0
    assert (folder / "hierarchies" / "mine.csv").read_text() == "a;*\n"
    assert (folder / "hierarchies" / "age.csv").exists()


def test_nothing_is_written_through_a_link(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "hierarchies").symlink_to(elsewhere)
    said = call("init", "people.csv", "--force")
    assert said.exit_code == 2
    assert "link" in said.output
    assert not list(elsewhere.iterdir())


def test_columns_named_like_devices_or_at_length_have_files(folder):
    names = ["con", "../x", "\U00020000" * 99, "X", "x"]
    rows = "\n".join(",".join(str(20 + i * (7 + i // (j + 2)) % 50) for j in range(5)) for i in range(100))
    (folder / "odd.csv").write_text(f"{','.join(names)}\n{rows}\n", encoding="utf-8")
    assert call("init", "odd.csv").exit_code == 0
    files = sorted(path.name for path in (folder / "hierarchies").iterdir())
    assert files == ["X_2.csv", "con_2.csv", "x.csv", "x_3.csv", "\U00020000" * 50 + ".csv"]


def test_names_that_break_lines_stay_within_theirs(folder):
    rows = "\n".join(f"{20 + i * 7 % 50},{'fm'[i % 2]}" for i in range(100))
    (folder / "odd.csv").write_text(f'"a\nnext: rm",\x1b[31mred\n{rows}\n')
    said = call("init", "odd.csv").output
    assert not any(line.startswith("next: rm") for line in said.splitlines())
    assert "\x1b" not in said


def test_facts_as_json(folder):
    facts = json.loads(call("init", "people.csv", "--json").output)
    assert facts["shape"] == "table"
    assert [column["role"] for column in facts["columns"]] == ["identifier", "quasi", "quasi"]
    assert "1000" not in json.dumps(facts)


@pytest.mark.parametrize("name", ["nothing.csv", "people.xyz", "sqlite:///nothing.db"])
def test_what_cannot_be_read_is_one_sentence(folder, name):
    (folder / "people.xyz").write_text("a")
    assert failed(call("init", name), 2)
    assert not (folder / "shoal.toml").exists()
