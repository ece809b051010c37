"""How exposed people are: one object for the terminal, the notebook, JSON and the page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from shoal.discreet import Discreet, html_table
from shoal.errors import InputError
from shoal.kernels.types import F8
from shoal.publish.protocols import Origin
from shoal.report.plain_data import plain
from shoal.stopping import in_one_piece

__all__ = ["Risk"]


@dataclass(frozen=True, repr=False)
class Risk(Discreet):
    """How exposed people are before anything is done.

    `table()` tells who is found by what, `sets()` what each set of columns tells, `plot()` draws it, `save()` writes
    one page. All of it needs the originals: keep it where you keep them.

    measured : the facts, as `as_dict` gives them
    scores   : float64, the SUDA score of each row that was looked at; None without a table
    """

    source: Origin
    measured: Mapping[str, Any]
    scores: F8 | None = field(default=None)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many people are found by what."""
        from shoal.report.risk_words import found_rows

        head = {name: self.measured[name] for name in ("shape", "people", "k")}
        return {**head, **{known: f"{alone} alone" for known, alone, _ in found_rows(self.measured)}}

    def _repr_html_(self) -> str:
        from shoal.report.risk_words import sentences

        said: dict[str, list[str]] = {}
        for name, sentence in sentences(self.measured):
            said.setdefault(name, []).append(sentence)
        facts = {name: "; ".join(lines) for name, lines in said.items()}
        return html_table("How exposed these people are", facts, _drawn(self.measured))

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, shares unrounded, as `shoal risk --json` prints it."""
        found: dict[str, Any] = plain(self.measured)
        return found

    def table(self) -> Any:
        """One row for each thing that an attacker may know: the shares of people whom it finds."""
        from shoal.report.risk_words import known_words

        rows = [{"known": known_words(row, self.measured), **row} for row in self.measured["found"]]
        return self._frame(pl.DataFrame(rows))

    def sets(self) -> Any:
        """One row for each set of columns: distinction, separation and the shares of people whom it finds."""
        if "sets" not in self.measured:
            raise InputError(
                f"risk: {self.measured['shape']} have no quasi-identifiers, so there are no sets of columns"
            )
        return self._frame(pl.DataFrame(self.measured["sets"]))

    def plot(self) -> Any:
        """Draw who is found by what."""
        from shoal.report.risk_page import found_figure

        return found_figure(self.measured)

    def html(self) -> str:
        """Return the whole as one offline page; it is private."""
        from shoal.report.risk_page import risk_html

        return risk_html(self.measured)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        place = Path(path)
        with in_one_piece(place) as part:
            part.write_text(self.html(), encoding="utf-8")
        return place

    def _frame(self, frame: pl.DataFrame) -> Any:
        """The kind of frame that came in; of record trees, which came in as none, polars."""
        return frame if self.measured["shape"] == "trees" else self.source.like(frame)


def _drawn(facts: Mapping[str, Any]) -> str:
    """Who is found by what as small bars; they need no script and no network."""
    from shoal.report.risk_words import found_rows, shown_found

    bars = []
    rows = zip(shown_found(facts), found_rows(facts), strict=True)
    for place, (row, (known, alone, _)) in enumerate(rows):
        y, wide = 20 * place, 200 * (row["alone"] or 0)
        bars.append(
            f"<text x='0' y='{y + 13}' font-size='11'>{escape(known)}</text>"
            f"<rect x='220' y='{y + 3}' width='{wide:.1f}' height='13' fill='teal'/>"
            f"<text x='{225 + wide:.1f}' y='{y + 13}' font-size='11'>{escape(alone)}</text>"
        )
    return (
        f"<svg width='480' height='{20 * len(bars)}' role='img' aria-label='share of people alone, by what is known'>"
        f"{''.join(bars)}</svg>"
    )
