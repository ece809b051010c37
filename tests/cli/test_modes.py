"""What must not be published is nobody else's to read, whatever the umask lets files be."""

import os
import stat

import pytest
from click.testing import CliRunner

import release_cases as cases
from shoal.cli import shoal as command
from shoal.stopping import in_one_piece

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows keeps files private in another way")


@pytest.fixture(autouse=True)
def open_to_everybody():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_files_in_one_piece(tmp_path):
    path = tmp_path / "risk.html"
    path.write_text("old")
    (tmp_path / f".{os.getpid()}.shoal-risk.html").write_text("of a process that was killed")
    with in_one_piece(path) as part:
        assert mode(part) == 0o600  # before anything is written
        part.write_text("new")
    assert mode(path) == 0o600
    with in_one_piece(tmp_path / "report.html", private=False) as part:
        part.write_text("for everybody")
    assert mode(tmp_path / "report.html") == 0o644


def test_what_commands_write(tmp_path, monkeypatch):
    cases.write_originals(tmp_path)
    cases.make_release(tmp_path, "table", rows=True)
    monkeypatch.chdir(tmp_path)

    def go(*words):
        result = CliRunner().invoke(command, list(words), catch_exceptions=False)
        assert result.exit_code == 0, result.output

    go("risk", "table.toml", "--html", "risk.html")
    go("attack", "table-csv", "--against", "people.csv", "--config", "table.toml", "--plot", "attack.html")
    go("pareto", "table.toml", "--plot", "front.html")
    (tmp_path / "compared.private").mkdir()  # which others can look into
    go("compare", "table.toml", "--methods", "optimal", "--k", "2:3", "--out", "compared.private", "--force")
    private = [tmp_path / name for name in ("risk.html", "attack.html", "front.html")]
    private += [path for path in (tmp_path / "compared.private").rglob("*") if path.is_file()]
    private += list((tmp_path / "table-csv.private").iterdir())
    assert len(private) > 8
    assert {path.name: oct(mode(path)) for path in private if mode(path) != 0o600} == {}
    assert mode(tmp_path / "table-csv.private") == 0o700
    assert {mode(path) for path in (tmp_path / "table-csv").iterdir()} == {0o644}
