"""How likely somebody is found: one object for the terminal, the notebook, JSON and the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from shoal.attacks.played import Played
from shoal.discreet import Discreet, html_table
from shoal.errors import InputError
from shoal.naming import offered

__all__ = ["Attack"]


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Discreet):
    """Attackers that were played against a release, each with how likely it finds people.

    `table()` has one row for each attacker, `plot()` draws their success beside the bounds, `holds` tells whether every
    attacker inside the claim stays within its bound. All of it needs the originals: keep it where you keep them.

    attackers  : what came of each, those inside the claim first
    not_played : what could not be played, and what it would need, as sentences
    wrong      : a sentence where the folder is no release of these originals, or was tampered with; else None
    changed    : a sentence where the data are not those that were judged; None where they are
    picked     : the attacker that was picked to be looked at alone; None where all are
    """

    attackers: tuple[Played, ...]
    not_played: tuple[str, ...] = ()
    wrong: str | None = None
    changed: str | None = None
    picked: str | None = None

    @property
    def holds(self) -> bool:
        """Whether somebody was played, and nobody inside the claim is found more easily than it allows."""
        return self.wrong is None and bool(self.attackers) and not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """The attackers inside the claim that are above their bounds."""
        return tuple(found.name for found in self.attackers if found.kept is False)

    @property
    def shown(self) -> tuple[Played, ...]:
        """The attackers to look at: all, or the one that was picked, if it was played."""
        return tuple(found for found in self.attackers if self.picked in (None, found.name))

    def above(self, chance: float) -> tuple[str, ...]:
        """The attackers whose success may be above `chance`: those inside the claim, or the one that was picked.

        The upper end of the interval counts, so that a few people played do not hide what many would show.
        """
        looked_at = [found for found in self.shown if found.inside or self.picked]
        return tuple(found.name for found in looked_at if found.high > chance)

    def exit_code(self, chance: float | None = None) -> int:
        """The exit code of `shoal attack`: 1 where a bound or the `chance` is passed, 5 where nobody was played."""
        if self.wrong or self.failed or (chance is not None and self.above(chance)):
            return 1
        return 0 if self.shown else 5

    def only(self, attacker: str) -> "Attack":
        """The same, one attacker picked to be looked at."""
        played = attacker in {found.name for found in self.attackers}
        absent = () if played or not self.attackers else (f"{attacker}: {_ABSENT}",)
        return replace(self, not_played=(*self.not_played, *absent), picked=attacker)

    def named(self, attacker: str) -> Played:
        """What came of one attacker.

        Raises
        ------
        InputError
            It was not played.
        """
        there = {found.name: found for found in self.attackers}
        if attacker not in there:
            raise InputError(f"attack: no attacker '{attacker}' was played; {offered(attacker, there)}")
        return there[attacker]

    def facts(self) -> dict[str, object]:
        """What may be shown: how likely each attacker finds people."""
        from shoal.report.words import percent

        return {found.name: f"{percent(found.success)} on average" for found in self.shown}

    def _repr_html_(self) -> str:
        from shoal.report.attack_page import sentences

        said = {name: sentence for name, sentence in sentences(self.as_dict())}
        return html_table("How likely somebody is found", said)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, chances unrounded, as `shoal attack --json` prints it."""
        return {
            "holds": self.holds,
            "failed": list(self.failed),
            "attackers": [found.as_dict() | {"sentence": found.sentence} for found in self.shown],
            "not_played": list(self.not_played),
            "wrong": self.wrong,
            "changed": self.changed,
        }

    def table(self) -> pl.DataFrame:
        """One row for each attacker."""
        rows: Sequence[Mapping[str, Any]] = self.as_dict()["attackers"]
        return pl.DataFrame(rows, schema=_SCHEMA)

    def plot(self) -> Any:
        """Draw the success of each attacker beside the bound that the claim sets."""
        from shoal.report.attack_page import attack_figure

        return attack_figure(self.as_dict())


_ABSENT = "it was not played, because this release and its claim have nothing that it could know"
_SCHEMA = pl.Schema(
    {
        "name": pl.String,
        "inside": pl.Boolean,
        "bound": pl.Float64,
        "success": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "highest": pl.Float64,
        "certain": pl.Int64,
        "kept": pl.Boolean,
        "played": pl.Int64,
        "people": pl.Int64,
        "sentence": pl.String,
    }
)
