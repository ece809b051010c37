"""The progress bar, as a terminal would show it."""

import io
import re

import pytest
from rich.console import Console

from shoal.cli.bar import ProgressBar

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
