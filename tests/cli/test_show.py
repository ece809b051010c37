"""What commands print, where the words depend on what was made."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from shoal.cli.show import ProgressBar, print_saved, print_table
from shoal.io.config import Config, Data

MANIFEST = {"shape": "baskets", "records_in": 9, "records_out": 9, "classes": 9, "suppressed": 0}
VOTES = {"model": "nonreciprocal k-anonymity", "k": 2, "attacker": "anyone who knows a basket finds two rows"}
ITEMS = {"model": "k^m-anonymity", "k": 2, "m": 1, "attacker": "anyone who knows an item finds two rows"}


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (ITEMS, "the written files keep the claim, and every published value is true"),
        (VOTES, "the written files keep the claim; rows are votes, so some of their items may be wrong"),
        (
            {"model": "all", "claims": [ITEMS, VOTES], "attacker": "both"},
            "the written files keep the claim; rows are votes, so some of their items may be wrong",
        ),
    ],
)
def test_truth_is_told_only_where_it_was_judged(capsys, tmp_path, claim, said):
    manifest = {**MANIFEST, "claim": claim, "method": {"name": "any"}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    print_saved(
        SimpleNamespace(
            loss={"ncp": 0.1}, cheaper_methods={}, losses_by_column={}, full_knowledge=None, overlapping=()
        ),
        tmp_path,
        Path("shoal.toml"),
        Config(tmp_path, Data()),
    )
    assert f"judged    {said}\n" in capsys.readouterr().out


# Records on a terminal: only where somebody asked for them, and nothing is written.


def test_a_run_can_be_looked_at_first(go, people):
    before = sorted(people.iterdir())
    said = go("run", "--preview", "--k", "4")
    assert said.exit_code == 0
    assert "20 of 60 records, before and after" in said.output
    assert "What each column loses" in said.output
    assert "nothing was written" in said.output
    assert "of the detail is lost (ncp)" in said.output
    assert "person0" not in said.output
    facts = json.loads(go("run", "--preview", "--k", "4", "--json").stdout)
    assert (facts["claim"]["k"], len(facts["rows"]), facts["part"]) == (4, 20, "column")
    assert sorted(people.iterdir()) == before


def test_a_point_of_a_front_can_be_looked_at(go, people):
    before = sorted(people.iterdir())
    facts = json.loads(go("pareto", "--pick", "3", "--preview", "--json").stdout)
    assert facts["method"]["name"] == "pareto"
    assert facts["chosen"]["levels"]
    assert "records, before and after" in go("pareto", "--pick", "3", "--preview").output
    assert sorted(people.iterdir()) == before
    missing = go("pareto", "--preview")
    assert missing.exit_code == 2
    assert "--pick" in missing.output


def test_init_shows_values_only_where_asked(go, people):
    assert "person0" not in go("init", "people.csv", "--force").output
    said = go("init", "people.csv", "--force", "--show-values")
    assert said.output.index("person0") < said.output.index("read as")
    facts = json.loads(go("init", "people.csv", "--force", "--show-values", "--json").stdout)
    assert facts["sample"]["parts"][0]["rows"][0][0] == "person0"
    assert "sample" not in json.loads(go("init", "people.csv", "--force", "--json").stdout)


def test_nothing_in_a_cell_steers_a_terminal(go, people):
    wide = ",".join(f"c{i}" for i in range(14))
    row = ",".join(["a\x1b[2J"] * 14)
    (people / "odd.csv").write_text(f"{wide}\n{row}\n{row}\n")
    said = go("init", "odd.csv", "--force", "--show-values")
    assert "\x1b" not in said.output
    assert "2 more columns are not shown" in said.output


@pytest.mark.parametrize("columns", [80, 50])
def test_tables_fit_the_width_that_is_asked_for_and_lose_no_column(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_table("Title", ["k", "what it does"], [[1_234_567, "many words " * 20], [2, "few"]])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    print_table("Title", [f"column{i}" for i in range(20)], [list(range(1_000_000, 1_000_020))])
    shown = capsys.readouterr().out
    assert all(f"1,000,{i:03}" in shown for i in range(20))
    assert max(map(len, shown.splitlines())) <= columns
    assert shown.count("Title") == 1
    assert (
        shown.count("column0 ") == shown.count("1,000,000") > 1
    )  # the first column says of which row each part is


# The progress bar, as a terminal would show it.


_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONG = "a step whose words would not fit beside a bar on a line of eighty columns, however told"


class Terminal:
    """A terminal of so many columns, and what it was sent."""

    def __init__(self, columns):
        self.sent = io.StringIO()
        self.bar = ProgressBar(
            Console(
                file=self.sent, force_terminal=True, width=columns, color_system=None, legacy_windows=False
            )
        )

    def lines(self):
        return [line for line in re.split(r"[\r\n]", _CONTROL.sub("", self.sent.getvalue())) if line.strip()]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_line_fits_eighty_columns(columns):
    terminal = Terminal(columns)
    for what, share in (("reading", None), (_LONG, 0.25), (_LONG, 0.5), ("compiling, once", None)):
        terminal.bar(what, share)
    terminal.bar.rest()
    assert terminal.lines()
    assert max(map(len, terminal.lines())) <= min(columns, 80)


def test_a_share_is_shown_where_it_is_known():
    terminal = Terminal(80)
    terminal.bar("merging")
    terminal.bar.rest()
    assert not any("%" in line for line in terminal.lines())
    terminal.bar("merging", 0.25)
    terminal.bar.rest()
    assert any("merging" in line and "25%" in line for line in terminal.lines())


def test_a_resting_bar_leaves_nothing_and_comes_back():
    terminal = Terminal(80)
    terminal.bar("first")
    terminal.bar.rest()
    assert terminal.sent.getvalue().endswith("\x1b[2K")  # the line is taken away
    before = len(terminal.sent.getvalue())
    terminal.bar("second")
    terminal.bar.rest()
    assert "second" in terminal.sent.getvalue()[before:]
