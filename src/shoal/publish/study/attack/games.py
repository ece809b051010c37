"""Who plays against a release of each shape."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypedDict

import numpy as np

from shoal.attacks import baskets, mixed, tables, trees, whole
from shoal.attacks.as_published import published_items, published_values
from shoal.attacks.played import Played
from shoal.data.types import I8
from shoal.privacy import Nonreciprocal
from shoal.publish.data_files import outline
from shoal.publish.draft import Draft
from shoal.publish.large.kinds import LARGE
from shoal.publish.study.attack.result import Attack
from shoal.publish.study.attack.scene import Scene, scene_of
from shoal.publish.study.attack.seats import item_seat, mixed_seat, table_seat, tree_seat, vote_seat

__all__ = ["ATTACKERS", "attacked", "played_in_audit"]

_PEOPLE_IN_AUDIT, _CELLS_IN_AUDIT = 2_000, 300_000  # so that a run takes no more than a few seconds longer
_NOT_BESIDE = "the records are too many to play attackers beside a run; `shoal attack` plays them"

_TOO_LARGE = (
    "attackers need all records in memory, and these are too many; play them on a release of a part of them"
)
_EMPTY = "the release holds no record, so nobody can be found in it"


class _How(TypedDict):
    """Who is played: at most so many people, and who draws them."""

    most: int | None
    rng: np.random.Generator | None


def attacked(scene: Scene, *, people: int | None = None, rng: np.random.Generator | None = None) -> Attack:
    """Play every attacker of the data's shape who looks at the release alone."""
    if (
        isinstance(scene.dataset, LARGE)
        or getattr(getattr(scene.dataset, "table", None), "counts", None) is not None
    ):
        return Attack((), (_TOO_LARGE,))
    if scene.row_of is None:
        return Attack((), (scene.why,), changed=scene.changed)
    if not outline(scene.frame)[1]:
        return Attack((), (_EMPTY,), changed=scene.changed)
    how: _How = {"most": people, "rng": rng}
    found = _GAMES[scene.dataset.shape](scene, scene.dataset, scene.row_of, how)
    inside_first = sorted(found, key=lambda played: not played.inside)
    return Attack(tuple(inside_first), changed=scene.changed)


def played_in_audit(draft: Draft) -> dict[str, Any] | None:
    """What the audit tells of attackers, some people played where there are many; None where records are not held."""
    if isinstance(draft.dataset, LARGE):
        return None
    if draft.dataset.cells > _CELLS_IN_AUDIT:
        return Attack((), (_NOT_BESIDE,)).as_dict()
    return attacked(scene_of(draft), people=_PEOPLE_IN_AUDIT).as_dict()


def _play_table(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    return tables.players(table_seat(dataset, scene.frame, row_of), scene.claim, **how)


def _play_mixed(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    return mixed.players(mixed_seat(dataset, scene, row_of), scene.claim, **how)


def _play_baskets(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    if isinstance(scene.claim, Nonreciprocal):
        return whole.players(vote_seat(dataset, scene, row_of), scene.claim, **how)
    seat = item_seat(dataset, scene, row_of)
    return chain(baskets.players(seat, scene.claim, **how), published_items(seat, scene.claim, **how))


def _play_trees(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    seat = tree_seat(dataset, scene, row_of)
    return chain(trees.players(seat, scene.claim, **how), published_values(seat, scene.claim, **how))


_GAMES: dict[str, Callable[[Scene, Any, I8, _How], Iterator[Played]]] = {
    "table": _play_table,
    "baskets": _play_baskets,
    "mixed": _play_mixed,
    "trees": _play_trees,
}

ATTACKERS: dict[str, tuple[str, ...]] = {
    "table": (*tables.PLAYERS, "knows-method"),
    "baskets": (*dict.fromkeys((*baskets.PLAYERS, "m-published-items", *whole.PLAYERS)), "knows-method"),
    "mixed": (*dict.fromkeys((*tables.PLAYERS, *mixed.PLAYERS)), *mixed.ABSENT),
    "trees": (*trees.PLAYERS, "m-published-values"),
}
"""The attackers of each shape, by name."""
