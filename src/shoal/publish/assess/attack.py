"""Who plays against a release of each shape, and what came of it, for the audit, the terminal and notebooks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypedDict

import numpy as np
import polars as pl

from shoal.attacks.engine import Player
from shoal.attacks.players_facts import (
    ITEM_PLAYERS,
    TREE_PLAYERS,
    play_items,
    play_published_items,
    play_published_values,
    play_trees,
)
from shoal.attacks.players_mixed import MIXED_PLAYERS, play_mixed
from shoal.attacks.players_table import TABLE_PLAYERS, play_table
from shoal.attacks.players_votes import VOTE_PLAYERS, play_votes
from shoal.attacks.result import Outcome
from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_table import TableView
from shoal.attacks.view_trees import TreeView
from shoal.attacks.view_votes import VoteView
from shoal.data.arrays import I8
from shoal.discreet import Discreet, html_table
from shoal.errors import InputError
from shoal.naming import offered
from shoal.publish.assess.attack_views import (
    Scene,
    item_view,
    mixed_view,
    scene_of,
    sensitive_columns,
    table_view,
    tree_view,
    vote_view,
)
from shoal.publish.assess.exposure import (
    MANY_FIT,
    MANY_SETS,
    Crowds,
    attribute_risks,
    beyond_claim,
    by_whole_baskets,
    crowd_of_claim,
    crowds_of_items,
    crowds_of_mixed,
    crowds_of_values,
    identity_risks,
    labels,
)
from shoal.publish.data_files import outline
from shoal.publish.draft import Draft
from shoal.release import Claim
from shoal.report.facts import AttributeRisk, Audit

__all__ = ["ATTACKERS", "Attack", "audit_exposure", "play_attackers"]


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

    attackers: tuple[Outcome, ...]
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
    def shown(self) -> tuple[Outcome, ...]:
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

    def named(self, attacker: str) -> Outcome:
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
        from shoal.report.attack import sentences

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
        return pl.DataFrame([{key: row[key] for key in _SCHEMA} for row in rows], schema=_SCHEMA)

    def plot(self) -> Any:
        """Draw the success of each attacker beside the bound that the claim sets."""
        from shoal.report.attack import attack_figure
        from shoal.report.figures import as_plotly

        return as_plotly(attack_figure(self.as_dict()))


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

_PEOPLE_IN_AUDIT, _CELLS_IN_AUDIT = 2_000, 300_000  # so that a run takes no more than a few seconds longer
_NOT_BESIDE = "the records are too many to play attackers beside a run; `shoal attack` plays them"

_TOO_LARGE = (
    "attackers need all records in memory, and these are too many; play them on a release of a part of them"
)
_NOBODY = "no attacker is played on data of this shape yet"
_EMPTY = "the release holds no record, so nobody can be found in it"


class _How(TypedDict):
    """Who is played: at most so many people, and who draws them."""

    most: int | None
    rng: np.random.Generator | None


View = TableView | MixedView | ItemView | VoteView | TreeView


def play_attackers(
    scene: Scene, *, people: int | None = None, rng: np.random.Generator | None = None
) -> Attack:
    """Play every attacker of the data's shape who looks at the release alone."""
    return _play(scene, people, rng)[0]


def _play(
    scene: Scene, people: int | None = None, rng: np.random.Generator | None = None
) -> tuple[Attack, View | None, Sequence[Crowds]]:
    """The same, what the attackers saw, and what was counted for everybody."""
    if (
        not scene.dataset.in_memory
        or getattr(getattr(scene.dataset, "table", None), "counts", None) is not None
    ):
        return Attack((), (_TOO_LARGE,)), None, ()
    if scene.row_of is None:
        return Attack((), (scene.why,), changed=scene.changed), None, ()
    if not outline(scene.frame)[1]:
        return Attack((), (_EMPTY,), changed=scene.changed), None, ()
    if scene.dataset.shape not in _PLAYED:
        return Attack((), (_NOBODY,), changed=scene.changed), None, ()
    view, crowds = _counted(scene, scene.row_of)
    found = _GAMES[type(view)](view, scene.claim, crowds, {"most": people, "rng": rng})
    inside_first = sorted(found, key=lambda played: not played.inside)
    return Attack(tuple(inside_first), changed=scene.changed), view, crowds


def audit_exposure(draft: Draft, audit: Audit) -> Audit:
    """The same audit with what attackers find, before and after; some people are played where there are many."""
    if not draft.dataset.in_memory:
        return audit
    scene = scene_of(draft)
    view: View | None = None
    crowds: Sequence[Crowds] = ()
    by_vote = draft.claim.votes
    by_class = draft.dataset.shape == "table"
    if draft.dataset.cells <= _CELLS_IN_AUDIT:
        played, view, crowds = _play(scene, _PEOPLE_IN_AUDIT)
    else:
        played = Attack((), (_NOT_BESIDE,))
        if scene.row_of is not None and draft.dataset.shape in _PLAYED and not by_class:
            view, crowds = _counted(scene, scene.row_of, rules=False)
    exposed = [*audit.exposed, *identity_risks(crowds, draft.claim)]
    if by_vote:
        baskets, reached = draft.dataset.inputs["baskets"], draft.verdict.reached.get("k", draft.claim.crowd)
        exposed = [by_whole_baskets(baskets, draft.claim, played.attackers, reached)]
    counts = by_vote or by_class or crowds
    learned, unlearned = _learned(scene, view)
    return replace(
        audit,
        attack=played.as_dict(),
        exposed=exposed,
        learned=[*audit.learned, *learned],
        beyond=beyond_claim(played.attackers, draft.claim),
        uncounted=[*([] if counts else [MANY_SETS]), *unlearned, *audit.uncounted],
    )


def _learned(scene: Scene, view: View | None) -> tuple[list[AttributeRisk], list[str]]:
    """What those who fit a little knowledge tell of sensitive values, and why it is not told; a table's classes do."""
    if view is None or isinstance(view, TableView):
        return [], []
    columns = {
        name: labels(before, after) for name, before, after in sensitive_columns(scene.dataset, scene.frame)
    }
    found = list(attribute_risks(view, scene.claim, columns))
    items = getattr(getattr(scene.dataset, "baskets", None), "sensitive", ())
    secret = columns or (not scene.claim.votes and items) or (isinstance(view, TreeView) and view.hidden)
    return found, [MANY_FIT] if secret and not found else []


_PLAYED = ("table", "baskets", "mixed", "trees")


def _counted(scene: Scene, row_of: I8, *, rules: bool = True) -> tuple[View, Sequence[Crowds]]:
    """The release as attackers of its shape see it, and what is counted for everybody; `rules` are sought."""
    data: Any = scene.dataset
    match scene.dataset.shape:
        case "table":
            return table_view(data, scene.frame, row_of, scene.method), ()
        case "mixed":
            mixed = mixed_view(data, scene, row_of, rules=rules)
            return mixed, list(crowds_of_mixed(mixed, scene.claim))
        case "trees":
            trees = tree_view(data, scene, row_of)
            return trees, list(crowds_of_values(trees, scene.claim))
        case _ if scene.claim.votes:
            return vote_view(data, scene, row_of, rules=rules), ()
        case _:
            items = item_view(data, scene, row_of, rules=rules)
            return items, list(crowds_of_items(items, scene.claim))


def _play_table(view: TableView, claim: Claim, crowds: Sequence[Crowds], how: _How) -> Iterator[Outcome]:
    return play_table(view, claim, **how)


def _play_mixed(view: MixedView, claim: Claim, crowds: Sequence[Crowds], how: _How) -> Iterator[Outcome]:
    return play_mixed(view, claim, crowd=crowd_of_claim(crowds, claim), **how)


def _play_votes(view: VoteView, claim: Claim, crowds: Sequence[Crowds], how: _How) -> Iterator[Outcome]:
    return play_votes(view, claim, **how)


def _play_items(view: ItemView, claim: Claim, crowds: Sequence[Crowds], how: _How) -> Iterator[Outcome]:
    forms = play_published_items(view, claim, crowd=crowd_of_claim(crowds, claim), **how)
    return chain(play_items(view, claim, **how), forms)


def _play_trees(view: TreeView, claim: Claim, crowds: Sequence[Crowds], how: _How) -> Iterator[Outcome]:
    forms = play_published_values(view, claim, crowd=crowd_of_claim(crowds, claim), **how)
    return chain(play_trees(view, claim, **how), forms)


_GAMES: dict[type, Callable[[Any, Claim, Sequence[Crowds], _How], Iterator[Outcome]]] = {
    TableView: _play_table,
    MixedView: _play_mixed,
    ItemView: _play_items,
    VoteView: _play_votes,
    TreeView: _play_trees,
}


def _names(*players: Player[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in players)


ATTACKERS: dict[str, tuple[str, ...]] = {
    "table": (*_names(*TABLE_PLAYERS), "knows-method"),
    "baskets": (
        *dict.fromkeys((*_names(*ITEM_PLAYERS), "m-published-items", *_names(*VOTE_PLAYERS))),
        "knows-method",
    ),
    "mixed": (*dict.fromkeys(_names(*TABLE_PLAYERS, *MIXED_PLAYERS)),),
    "trees": (*_names(*TREE_PLAYERS), "m-published-values", "m-published-nodes"),
}
"""The attackers of each shape, by name."""
