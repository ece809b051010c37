"""`attack`: play attackers against a release."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.attacks.replaying import knows_method
from shoal.errors import InputError
from shoal.io.config import Config, load
from shoal.naming import offered
from shoal.progress import Progress, silent
from shoal.publish.draft import Draft
from shoal.publish.options import check_seed
from shoal.publish.originals import originals_at
from shoal.publish.study.attack.games import ATTACKERS, attacked
from shoal.publish.study.attack.replays import replay_of, tries_for
from shoal.publish.study.attack.result import Attack
from shoal.publish.study.attack.scene import Scene, WrongError, open_scene, scene_of

__all__ = ["attack", "check_attacker", "configuration_of"]


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
        raise InputError("attack: people is no whole number; give one of at least 1, or leave it out")
    check_seed(seed)
    rng = None if seed is None else np.random.default_rng(seed)
    progress("reading")
    try:
        scene = _opened(release, originals, config)
    except WrongError as error:
        return Attack((), wrong=str(error))
    progress("playing attackers")
    found = attacked(scene, people=people, rng=rng)
    replay = replay_of(scene.dataset, scene.claim, scene.method) if found.attackers else None
    if replay is None:
        return found
    progress("making the release anew")
    known = knows_method(replay, tries_for(scene.dataset), most=people, rng=rng)
    return replace(found, attackers=(*found.attackers, known))


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
        raise InputError(
            "attack: attackers of a release folder are played with its originals; give them as well"
        )
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
