"""`attack`: play attackers against a release."""

import os
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from shoal.attacks import baskets, mixed, tables, trees, whole
from shoal.attacks.as_published import published_items, published_values
from shoal.attacks.played import Played
from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.config import Config, load
from shoal.naming import offered
from shoal.privacy import Nonreciprocal
from shoal.progress import Progress, silent
from shoal.publish.data_files import outline
from shoal.publish.draft import Draft
from shoal.publish.large.kinds import LARGE
from shoal.publish.options import check_seed
from shoal.publish.originals import originals_at
from shoal.publish.study.attack.result import Attack
from shoal.publish.study.attack.scene import Scene, WrongError, open_scene, scene_of
from shoal.publish.study.attack.seats import item_seat, mixed_seat, table_seat, tree_seat, vote_seat

__all__ = ["ATTACKERS", "attack", "attacked", "check_attacker", "configuration_of", "played_in_audit"]

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


def attack(
    release: Any,
    originals: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    people: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Attack:
    """Play attackers against a release: those that its claim covers, and some who know a little more.

    Parameters
    ----------
    release
        A release folder, or what `shoal.anonymize` returns, which knows its originals.
    originals
        The data that a folder was made of: a file, a folder or a database's URL.
    config
        The configuration that says what the columns are. By default the shoal.toml beside you, or beside the originals.
    people
        How many people are played at most, drawn at random; None means as many as some seconds allow, in small data
        everybody.
    seed
        Draws the same people again; None means randomness of the operating system.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        The folder is no release, or the originals or the configuration cannot be read.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [31, 31, 40, 41], "ill": ["flu", "flu", "flu", "gout"]})
    >>> table = shoal.read(people, roles={"age": "quasi", "ill": "sensitive"}, hierarchies={"age": {"ranges": [10]}})
    >>> found = attack(shoal.anonymize(table, k=2))
    >>> found.holds, found.named("all-quasi-identifiers").success, found.named("homogeneity").certain
    (True, 0.5, 2)
    """
    if people is not None and (not isinstance(people, int) or isinstance(people, bool) or people < 1):
        raise InputError("attack: people is no number of people; give one of at least 1, or leave it out")
    check_seed(seed)
    rng = None if seed is None else np.random.default_rng(seed)
    progress("reading")
    try:
        scene = _opened(release, originals, config)
    except WrongError as error:
        return Attack((), wrong=str(error))
    progress("playing attackers")
    return attacked(scene, people=people, rng=rng)


def attacked(scene: Scene, *, people: int | None = None, rng: np.random.Generator | None = None) -> Attack:
    """Play every attacker of the data's shape."""
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


def _opened(release: Any, originals: Any, config: str | os.PathLike[str] | None) -> Scene:
    if isinstance(release, Draft):
        if originals is not None or config is not None:
            raise InputError(
                "attack: a release in memory knows its originals; leave originals and config out"
            )
        return scene_of(release)
    if not isinstance(release, str | os.PathLike):
        kind = type(release).__name__
        raise InputError(f"attack: a {kind} is no release; give its folder, or what shoal.anonymize returns")
    if originals is None:
        raise InputError("attack: a release folder is played beside its originals; give them as well")
    read = configuration_of(originals, config)
    return open_scene(Path(release), originals_at(read, os.fspath(originals)), read)


def configuration_of(originals: str | os.PathLike[str], config: str | os.PathLike[str] | None) -> Config:
    """The configuration that is given, or the shoal.toml here or beside the originals.

    Raises
    ------
    InputError
        There is none.
    """
    if config is not None:
        return load(Path(config))
    for place in (Path(_CONFIG), Path(originals).parent / _CONFIG, Path(originals) / _CONFIG):
        if place.is_file():
            return load(place)
    raise InputError(
        f"attack: there is no {_CONFIG} here or beside the originals; give --config, which says what the columns are"
    )


_CONFIG = "shoal.toml"


def _play_table(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    return tables.players(table_seat(dataset, scene.frame, row_of), scene.claim, **how)


def _play_mixed(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    seat = mixed_seat(dataset, scene.frame, row_of, scene.left_out)
    return mixed.players(seat, scene.claim, **how)


def _play_baskets(scene: Scene, dataset: Any, row_of: I8, how: _How) -> Iterator[Played]:
    if isinstance(scene.claim, Nonreciprocal):
        return whole.players(vote_seat(dataset, scene.frame, row_of), scene.claim, **how)
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
    "table": tuple(tables.PLAYERS),
    "baskets": tuple(dict.fromkeys((*baskets.PLAYERS, "m-published-items", *whole.PLAYERS))),
    "mixed": (*tables.PLAYERS, *mixed.PLAYERS),
    "trees": (*trees.PLAYERS, "m-published-values"),
}
"""The attackers of each shape, by name."""


def check_attacker(name: str) -> None:
    """Refuse a name that no attacker of any shape has.

    Raises
    ------
    InputError
        There is none.
    """
    known = tuple(dict.fromkeys(one for names in ATTACKERS.values() for one in names))
    if name not in known:
        raise InputError(f"attack: there is no attacker '{name}'; {offered(name, known)}")
