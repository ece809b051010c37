"""Who plays against a release of each shape, and what came of it, for the audit, the terminal and notebooks."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.assess.attack_scene import Scene, View, scene_of, sensitive_columns, view_of
from shoal.assess.exposure import (
    MANY_FIT,
    MANY_SETS,
    Exposure,
    attribute_risks,
    beyond_claim,
    fewest_by_claim,
    identity_risks,
    measure_exposure,
    pair_labels,
    whole_basket_risk,
)
from shoal.assess.prediction import split
from shoal.attacks.engine import Player
from shoal.attacks.players_facts import ITEM_PLAYERS, TREE_PLAYERS, play_items, play_trees
from shoal.attacks.players_mixed import MIXED_PLAYERS, play_mixed
from shoal.attacks.players_register import count_missing_people
from shoal.attacks.players_singling_out import play_lowest_labels, play_singling_out
from shoal.attacks.players_table import TABLE_PLAYERS, play_table
from shoal.attacks.result import ABOUT_CRITERIA, CRITERIA, Control, Outcome, Rate
from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_table import TableView
from shoal.attacks.view_trees import TreeView
from shoal.attacks.votes import VOTE_PLAYERS, VoteView, play_votes
from shoal.base.discreet import SafeRepr, html_table
from shoal.base.errors import InputError, ShoalError
from shoal.base.former_names import FormerName
from shoal.base.naming import suggest_name
from shoal.publish.draft import Draft
from shoal.publish.files import frame_shape
from shoal.release import Claim
from shoal.report.facts import AttributeRisk, Audit
from shoal.report.words import number
from shoal.shapes.dataset import Dataset

__all__ = [
    "ATTACKERS",
    "Attack",
    "audit_exposure",
    "compare_with_control",
    "compare_with_held_back",
    "label_figures",
    "play_attackers",
]


@dataclass(frozen=True, slots=True, repr=False)
class Attack(SafeRepr):
    """Attackers that were played against a release, each with how likely it finds people.

    `table()` has one row for each attacker, `plot()` draws their success beside the bounds, `holds` tells whether every
    attacker inside the claim stays within its bound. All of it needs the originals: keep it where you keep them.

    attackers  : what came of each, those inside the claim first
    not_played : what could not be played, and what it would need, as sentences
    absent     : by the name of an attacker who was not played, what it would need
    wrong      : a sentence where the folder is no release of these originals, or was tampered with; else None
    changed    : a sentence where the data are not those that were judged; None where they are
    picked     : the attacker that was picked to be looked at alone; None where all are
    control    : who the control group is, in words; None where there is none
    """

    attackers: tuple[Outcome, ...]
    not_played: tuple[str, ...] = ()
    wrong: str | None = None
    changed: str | None = None
    picked: str | None = None
    control: str | None = None
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether somebody was played, and nobody inside the claim is found more easily than it allows."""
        return self.wrong is None and bool(self.attackers) and not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """The attackers inside the claim that are above their bounds."""
        return tuple(outcome.name for outcome in self.attackers if outcome.kept is False)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The attackers to look at: all, or the one that was picked, if it was played."""
        return tuple(outcome for outcome in self.attackers if self.picked in (None, outcome.name))

    def attackers_above(self, chance: float) -> tuple[str, ...]:
        """The attackers whose success may be above `chance`: those inside the claim, or the one that was picked.

        The upper end of the interval counts, so that a few people played do not hide what many would show.
        """
        looked_at = [outcome for outcome in self.outcomes if outcome.inside or self.picked]
        return tuple(outcome.name for outcome in looked_at if outcome.high > chance)

    def exit_code(self, chance: float | None = None) -> int:
        """The exit code of `shoal attack`: 1 where a bound or the `chance` is passed, 5 where nobody was played."""
        if self.wrong or self.failed or (chance is not None and self.attackers_above(chance)):
            return 1
        return 0 if self.outcomes else 5

    def pick_attacker(self, attacker: str) -> "Attack":
        """The same, one attacker picked to be looked at."""
        is_played = attacker in {outcome.name for outcome in self.attackers}
        absent = {} if is_played or not self.attackers else {attacker: self.absent.get(attacker, _ABSENT)}
        return replace(self, absent=absent, picked=attacker)

    def outcome_of(self, attacker: str) -> Outcome:
        """What came of one attacker.

        Raises
        ------
        InputError
            It was not played.
        """
        outcome_by_name = {outcome.name: outcome for outcome in self.attackers}
        if attacker not in outcome_by_name:
            raise InputError(
                f"attack: no attacker '{attacker}' was tried; {suggest_name(attacker, outcome_by_name)}"
            )
        return outcome_by_name[attacker]

    shown = FormerName("outcomes")
    above = FormerName("attackers_above")
    only = FormerName("pick_attacker")
    named = FormerName("outcome_of")

    def facts(self) -> dict[str, object]:
        """What may be shown: how likely each attacker finds people."""
        from shoal.report.words import percent

        return {outcome.name: f"{percent(outcome.success)} on average" for outcome in self.outcomes}

    def _repr_html_(self) -> str:
        from shoal.report.attack import sentences

        sentence_by_name = {name: sentence for name, sentence in sentences(self.as_dict())}
        return html_table("How likely somebody is found", sentence_by_name)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, chances unrounded, as `shoal attack --json` prints it."""
        return {
            "holds": self.holds,
            "failed": list(self.failed),
            "attackers": [outcome.as_dict() | {"sentence": outcome.sentence} for outcome in self.outcomes],
            "not_played": [*self.not_played, *(f"{name}: {reason}" for name, reason in self.absent.items())],
            "wrong": self.wrong,
            "changed": self.changed,
            "control": self.control,
            "criteria": [self._criterion(name) for name in ABOUT_CRITERIA],
        }

    def _criterion(self, name: str) -> dict[str, Any]:
        """What came of the attackers that speak to a criterion: their names, and why some have no control."""
        speak = [outcome.name for outcome in self.outcomes if outcome.criterion == name]
        lone = [outcome.name for outcome in self.attackers if self.control and outcome.control is None]
        reasons = {
            attacker: CRITERIA[attacker].alone or _NOT_OUTSIDE for attacker in speak if attacker in lone
        }
        return {"name": name, "about": ABOUT_CRITERIA[name], "attackers": speak, "no_control": reasons}

    def table(self) -> pl.DataFrame:
        """One row for each attacker."""
        rows: Sequence[Mapping[str, Any]] = self.as_dict()["attackers"]
        return pl.DataFrame([_flatten_row(row) for row in rows], schema=_SCHEMA)

    def plot(self) -> Any:
        """Draw the success of each attacker beside the bound that the claim sets."""
        from shoal.report.attack import attack_figure
        from shoal.report.figures import to_plotly_figure

        return to_plotly_figure(attack_figure(self.as_dict()))


def _flatten_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """An attacker as one row: of both groups the rates, and the residual risk."""
    control = row["control"]
    rates = (
        {}
        if control is None
        else {f"rate_{group}": control[group]["rate"] for group in ("attack", "control")}
    )
    rates |= {} if control is None else {"residual": control["residual"]["risk"]}
    return {key: rates.get(key) if key in _RATES else row[key] for key in _SCHEMA}


_RATES = ("rate_attack", "rate_control", "residual")
_NOT_OUTSIDE = "it only matches people who are in the release, so it cannot be tried on a control group"
_ABSENT = "it was not tried, because this release and its claim leave it nothing to know"
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
        "criterion": pl.String,
        **dict.fromkeys(_RATES, pl.Float64),
        "sentence": pl.String,
    }
)

_PEOPLE_IN_AUDIT, _CELLS_IN_AUDIT = 2_000, 300_000  # so that a run takes no more than a few seconds longer
_NOT_BESIDE = "there are too many records to try attackers during a run; `shoal attack` tries them"
_ANEW = {
    "table": "knows-method and replays-cells make the release again for each value that they try, which takes "
    "longer than the run itself; `shoal attack` tries them on small data",
    "baskets": "knows-method makes the release again for each way in which sensitive values could be assigned, "
    "which takes longer than the run itself; `shoal attack` tries it on small data",
}

_TOO_LARGE = (
    "attackers need all records in memory, and there are too many; attack a release of some of the records"
)
_NOBODY = "there is no attacker for data of this shape yet"
_EMPTY = "the release holds no record, so nobody can be found in it"


def play_attackers(
    scene: Scene, *, people: int | None = None, rng: np.random.Generator | None = None
) -> Attack:
    """Play every attacker of the data's shape who looks at the release alone."""
    attack, view, _ = _play_scene(scene, people, rng)
    played_names = {outcome.name for outcome in attack.attackers}
    return replace(
        attack,
        absent={
            name: reason
            for name, reason in _explain_absent_attackers(scene, view)
            if name not in played_names
        },
    )


def _explain_absent_attackers(scene: Scene, view: View | None) -> Iterator[tuple[str, str]]:
    """By name, what attackers would need who are not played on every release."""
    table = view.table if isinstance(view, MixedView) else view
    if isinstance(table, TableView):
        yield "in-register", _explain_missing_register(table)
        method = METHODS.get(str(scene.method.get("name")))
        if not table.parts and method is not None:
            yield "lowest-labels", _PUBLIC_CUTS if method.public else _NOT_NARROW[method.kind]
    elif isinstance(view, VoteView):
        yield "lowest-labels", "rows are votes over several baskets, and there are no labels"


_NOT_NARROW = {
    "lattice": "each column has one level for all records, so a label need not be the narrowest for its class",
    "local": "numbers are published as means, and a mean has no parts",
    "cells": "cells are published as they are or not at all, so no label has parts",
}
_PUBLIC_CUTS = "boxes were cut from public information alone, so a label says nothing about its parts"


def _explain_missing_register(view: TableView) -> str:
    """Why nobody has a register of these people."""
    if view.persons is not None:
        return "it is tried only where every row is a different person"
    if view.register is None:
        return "it needs a register that holds everybody in the data and others; name one as path in [population]"
    return (
        "the people of [population] are not a register of the data: "
        f"{count_missing_people(view, view.register):,} of those "
        "released "
        "have nobody there with their values"
    )


def _play_scene(
    scene: Scene, people: int | None = None, rng: np.random.Generator | None = None
) -> tuple[Attack, View | None, Sequence[Exposure]]:
    """The same, what the attackers saw, and what was counted for everybody."""
    if (
        not scene.dataset.in_memory
        or getattr(getattr(scene.dataset, "table", None), "counts", None) is not None
    ):
        return Attack((), (_TOO_LARGE,)), None, ()
    if scene.row_of is None:
        return Attack((), (scene.why,), changed=scene.changed), None, ()
    if not frame_shape(scene.frame)[1]:
        return Attack((), (_EMPTY,), changed=scene.changed), None, ()
    if scene.dataset.shape not in ATTACKERS:
        return Attack((), (_NOBODY,), changed=scene.changed), None, ()
    view = view_of(scene, scene.row_of)
    exposure = measure_exposure(view, scene.claim)
    outcomes = _play_view(view, scene.claim, exposure, {"most": people, "rng": rng})
    inside_first = sorted(outcomes, key=lambda played: not played.inside)
    return Attack(tuple(inside_first), changed=scene.changed), view, exposure


def audit_exposure(
    draft: Draft, audit: Audit, control: float | None = None, seed: int | None = None
) -> Audit:
    """The same audit with what attackers find, before and after; some people are played where there are many.

    With `control`, that share of the people is held back from a throw-away release, and attackers are played on both
    groups; `seed` draws them, of a rehearsal, else the operating system does.
    """
    if not draft.dataset.in_memory:
        return audit
    scene = scene_of(draft)
    view: View | None = None
    exposure: Sequence[Exposure] = ()
    by_vote = draft.claim.votes
    by_class = draft.dataset.shape == "table"
    if draft.dataset.cells <= _CELLS_IN_AUDIT:
        attack, view, exposure = _play_scene(scene, _PEOPLE_IN_AUDIT)
        if control is not None and attack.attackers:
            attack = compare_with_held_back(attack, draft, control, seed, people=_PEOPLE_IN_AUDIT)
        if attack.attackers and draft.maker is not None and draft.dataset.shape in _ANEW:
            attack = replace(attack, not_played=(*attack.not_played, _ANEW[draft.dataset.shape]))
    else:
        attack = Attack((), (_NOT_BESIDE,))
        if scene.row_of is not None and draft.dataset.shape in ATTACKERS and not by_class:
            view = view_of(scene, scene.row_of, rules=False)
            exposure = measure_exposure(view, draft.claim)
    identity_exposure = [*audit.exposed, *identity_risks(exposure, draft.claim)]
    if by_vote:
        baskets, reached_k = (
            draft.dataset.inputs["baskets"],
            draft.verdict.reached.get("k", draft.claim.crowd),
        )
        identity_exposure = [whole_basket_risk(baskets, draft.claim, attack.attackers, reached_k)]
    counts = by_vote or by_class or exposure
    attribute_exposure, open_questions = _sensitive_risks(scene, view)
    return replace(
        audit,
        attack=attack.as_dict(),
        exposed=identity_exposure,
        learned=[*audit.learned, *attribute_exposure],
        beyond=beyond_claim(attack.attackers, draft.claim),
        uncounted=[*([] if counts else [MANY_SETS]), *open_questions, *audit.uncounted],
    )


def _sensitive_risks(scene: Scene, view: View | None) -> tuple[list[AttributeRisk], list[str]]:
    """What those who fit a little knowledge tell of sensitive values, and why it is not told; a table's classes do."""
    if view is None or isinstance(view, TableView):
        return [], []
    columns = {
        name: pair_labels(original, released)
        for name, original, released in sensitive_columns(scene.dataset, scene.frame)
    }
    risks = list(attribute_risks(view, scene.claim, columns))
    items = getattr(getattr(scene.dataset, "baskets", None), "sensitive", ())
    secret = columns or (not scene.claim.votes and items) or (isinstance(view, TreeView) and view.hidden)
    return risks, [MANY_FIT] if secret and not risks else []


def label_figures(draft: Draft, others: Dataset | None = None) -> dict[str, float]:
    """What the labels of a released table tell beyond themselves, for whoever compares methods; else nothing.

    Parameters
    ----------
    draft
        The release, with its originals.
    others
        People who are not in it, on whom descriptions are tried as well; by default those of a population.

    Returns
    -------
    dict
        `label_bits`, what a coarse cell tells beyond its label, and `label_alone`, the share of people who are alone in
        a part of one: both 0 where labels are not as narrow as possible. `singled_out`, the share of the best
        descriptions that hold for exactly one person, beside `singled_out_others`, the same of as many others, or where
        there are none `singled_out_blind`, what guessing blindly reaches.
    """
    scene = replace(scene_of(draft), others=others)
    if draft.dataset.shape != "table" or not draft.dataset.in_memory or scene.row_of is None:
        return {}
    view = view_of(scene, scene.row_of, rules=False)
    assert isinstance(view, TableView)
    figures = {"label_bits": 0.0, "label_alone": 0.0}
    if view.parts:
        narrow = play_lowest_labels(view, np.arange(len(view.own), dtype=np.int64), view.parts)
        figures = {"label_bits": narrow.figures["bits"], "label_alone": float(narrow.chances.mean())}
    outcome = play_singling_out(view)
    if outcome is not None:
        outcome_figures, chance_count = outcome.figures, max(len(outcome.chances), 1)
        figures["singled_out"] = float(outcome.chances.mean())
        if "on others" in outcome_figures:
            figures["singled_out_others"] = outcome_figures["on others"] / chance_count
        else:
            figures["singled_out_blind"] = outcome_figures["by chance"]
    return figures


# A control group: the same attackers on people who are not in the release.


def compare_with_control(
    played: Attack, scene: Scene, *, people: int | None = None, rng: np.random.Generator | None = None
) -> Attack:
    """The same attackers, each beside what it reaches on the others of a scene, who are not in the release."""
    assert scene.others is not None
    outside_outcomes = _play_outside(scene, scene.others, people, rng or np.random.default_rng())
    return _attach_controls(
        played, played.attackers, outside_outcomes, f"{number(scene.others.records)} {_OTHERS}"
    )


def compare_with_held_back(
    played: Attack, draft: Draft, share: float, seed: int | None = None, *, people: int | None = None
) -> Attack:
    """The same attackers, each beside what it reaches in a release that some of the people are held back from.

    That release is made of the others with the same settings, in memory; it is neither written nor judged, and goes.
    """
    if draft.maker is None:
        return replace(played, not_played=(*played.not_played, _NO_METHOD))
    draw = int.from_bytes(os.urandom(8), "big") if seed is None else seed
    try:
        trial_data, control_data = split(draft.dataset, 1 - share, seed=draw)
        trial_result = draft.maker.make(trial_data)
    except ShoalError as error:
        reason = f"control group: no throw-away release could be made ({error})"
        return replace(played, not_played=(*played.not_played, reason))
    trial = replace(
        draft, dataset=trial_data, result=trial_result, frame=trial_data.assemble(trial_result.release)
    )
    scene = replace(scene_of(trial), others=control_data)
    rng = np.random.default_rng(draw)
    inside_outcomes = _play_scene(scene, people, rng)[0].attackers
    outside_outcomes = _play_outside(scene, control_data, people, rng)
    control_words = f"{number(control_data.records)} of {number(draft.dataset.records)} {_HELD}"
    return _attach_controls(played, inside_outcomes, outside_outcomes, control_words)


_OTHERS = "records of people who are not in the release"
_HELD = "records were held back from a throw-away release of the others"
_NO_METHOD = "control group: a stored rule made this release, and no method makes one of some of the people"


def _play_outside(
    scene: Scene, others: Dataset, people: int | None, rng: np.random.Generator
) -> tuple[Outcome, ...]:
    """Play on people who are not in the release, at most so many, each as if a row that could be theirs were."""
    assert scene.row_of is not None
    inside_view: Any = view_of(
        scene, scene.row_of, rules=False
    )  # of the same class as the view of the others
    if people is not None and others.records > people:
        others = split(others, people / others.records, seed=int(rng.integers(2**63)))[0]
    others = others.without_public()  # whoever looks at a register looks at those who are in the release
    no_rows = np.full(others.records, -1, dtype=np.int64)
    view = view_of(replace(scene, dataset=others, method={}, others=None), no_rows, rules=False)
    view = view.as_if_inside(inside_view, rng)
    return tuple(
        _play_view(
            view, scene.claim, measure_exposure(inside_view, scene.claim), {"most": people, "rng": rng}
        )
    )


def _attach_controls(
    played: Attack, inside: Sequence[Outcome], outside: Sequence[Outcome], said: str
) -> Attack:
    """Set both groups beside what was played, wherever an attacker has a control."""
    groups = [
        {outcome.name: Rate.of(outcome.chances) for outcome in group if outcome.played}
        for group in (inside, outside)
    ]
    compared_names = {
        name for name in groups[0].keys() & groups[1].keys() & CRITERIA.keys() if not CRITERIA[name].alone
    }
    control_by_name = {name: Control(groups[0][name], groups[1][name]) for name in compared_names}
    control_by_name |= {
        outcome.name: outcome.control for outcome in inside if outcome.control is not None
    }  # whoever brings its own
    attackers = tuple(
        replace(outcome, control=control_by_name.get(outcome.name, outcome.control))
        for outcome in played.attackers
    )
    return replace(played, attackers=attackers, control=said)


_PLAY: dict[type[View], Callable[..., Iterator[Outcome]]] = {
    TableView: play_table,
    MixedView: play_mixed,
    VoteView: play_votes,
    ItemView: play_items,
    TreeView: play_trees,
}


def _play_view(
    view: View, claim: Claim, exposure: Sequence[Exposure], how: Mapping[str, Any]
) -> Iterator[Outcome]:
    """What comes of every attacker who sees a release so; those who look for forms are handed what was counted."""
    crowd = fewest_by_claim(exposure, claim)
    return _PLAY[type(view)](view, claim, **how, **({} if crowd is None else {"crowd": crowd}))


def _player_names(*players: Player[Any]) -> tuple[str, ...]:
    return tuple(player.name for player in players)


ATTACKERS: dict[str, tuple[str, ...]] = {
    "table": (*_player_names(*TABLE_PLAYERS), "knows-method", "replays-cells"),
    "baskets": (*dict.fromkeys(_player_names(*ITEM_PLAYERS, *VOTE_PLAYERS)), "knows-method"),
    "mixed": (*dict.fromkeys(_player_names(*TABLE_PLAYERS, *MIXED_PLAYERS)),),
    "trees": _player_names(*TREE_PLAYERS),
}
"""The attackers of each shape, by name."""
