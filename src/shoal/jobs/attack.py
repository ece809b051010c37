"""`attack`: play attackers against a release, also whoever knows the method and makes the release anew."""

import os
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.anonymization.makers import trial_maker
from shoal.assess.attack import (
    ATTACKERS,
    Attack,
    compare_with_control,
    compare_with_held_back,
    play_attackers,
)
from shoal.assess.attack_scene import Scene, WrongError, open_scene, scene_of, table_view
from shoal.attacks.method import CellReplay, Replay, play_cell_replay, play_known_method
from shoal.base.arguments import check_control, check_seed, is_number
from shoal.base.errors import InputError, ShoalError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, no_progress
from shoal.data import Column
from shoal.data.arrays import I8
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config, load
from shoal.io.read.cells import cell_texts, factorize, normalize_names
from shoal.privacy import SENSITIVE_KEYS
from shoal.publish.draft import Draft
from shoal.publish.manifests import open_originals
from shoal.release import Claim, Recoded, VotedBaskets
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.dataset import Dataset
from shoal.shapes.hierarchies import hierarchy_over, is_built
from shoal.shapes.maker import Maker
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData, extend_hierarchy

__all__ = ["attack"]


def attack(
    release: Any,
    originals: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    people: int | None = None,
    control: Any = None,
    attacker: str | None = None,
    seed: int | None = None,
    progress: Progress = no_progress,
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
    control
        People who are not in the release: of a folder a file with the same columns, of a release in memory what
        `shoal.read` returned, or a share such as 0.3, which is held back from a throw-away release of the others.
        Attackers are played on them as well: what is learned of them, too, is no leak.
    attacker
        The one to look at; others who would make the release again are not waited for.
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
    >>> found.holds, found.outcome_of("all-quasi-identifiers").success, found.outcome_of("homogeneity").certain
    (True, 0.5, 2)
    """
    if people is not None and (not isinstance(people, int) or isinstance(people, bool) or people < 1):
        raise InputError("attack: people is not a whole number; give one of at least 1, or leave it out")
    check_seed(seed)
    names = tuple(dict.fromkeys(name for names in ATTACKERS.values() for name in names))
    if attacker is not None and attacker not in names:
        raise InputError(f"attack: there is no attacker '{attacker}'; {suggest_name(attacker, names)}")
    rng = None if seed is None else np.random.default_rng(seed)
    progress("reading")
    try:
        scene = _open_scene(release, originals, config)
        scene = replace(scene, others=_control_group(release, scene.dataset, originals, config, control))
    except WrongError as error:
        return Attack((), wrong=str(error))
    progress("trying attackers")
    result = play_attackers(scene, people=people, rng=rng)
    if control is not None and result.attackers:
        progress("trying attackers on the control group")
        if scene.others is not None:
            result = compare_with_control(result, scene, people=people, rng=rng)
        else:
            result = compare_with_held_back(result, release, control, seed, people=people)
    if result.attackers and attacker in (None, "knows-method"):
        replay = _replay_of(scene.dataset, scene.claim, scene.method)
        if replay is not None:
            progress("making the release again")
            method_attacker = play_known_method(replay, _count_tries(scene.dataset), most=people, rng=rng)
            result = replace(result, attackers=(*result.attackers, method_attacker))
    if result.attackers and isinstance(scene.dataset, TableData) and attacker in (None, "replays-cells"):
        progress("making the release again from other cells")
        cells = _cell_replay_of(scene)
        if isinstance(cells, str):
            result = replace(result, absent={**result.absent, "replays-cells": cells})
        else:
            least = _count_tries(scene.dataset) // _SLOWER
            remade = play_cell_replay(cells, least, most=people, rng=rng)
            result = replace(result, attackers=(*result.attackers, remade))
    return result if attacker is None else result.pick_attacker(attacker)


def _open_scene(release: Any, originals: Any, config: str | os.PathLike[str] | None) -> Scene:
    if isinstance(release, Draft):
        if originals is not None or config is not None:
            raise InputError(
                "attack: a release in memory knows its originals; leave originals and config out"
            )
        return scene_of(release)
    if not isinstance(release, str | os.PathLike):
        kind = type(release).__name__
        raise InputError(
            f"attack: a {kind} is not a release; give its folder, or what shoal.anonymize returns"
        )
    if originals is None:
        raise InputError("attack: attacking a release folder needs its originals; give them as well")
    read = _configuration_of(originals, config)
    folder = Path(release)
    return open_scene(folder, open_originals(read, os.fspath(originals), folder), read)


def _control_group(
    release: Any,
    inside: Dataset,
    originals: Any,
    config: str | os.PathLike[str] | None,
    control: Any,
) -> Dataset | None:
    """The people of a control group, who are not in the release; None where some of those who are shall be held back.

    Raises
    ------
    InputError
        They cannot be read, are no such data, or somebody of them is in the release.
    """
    if control is None:
        return None
    if isinstance(release, Draft):
        if is_number(control):
            check_control("attack", control)
            return None
        control_group = control
    else:
        if not isinstance(control, str | os.PathLike):
            raise InputError(
                "attack: the control group of a release folder is a file; give one with the same columns"
            )
        control_group = open_originals(
            _configuration_of(originals, config), os.fspath(control), Path(release)
        )
    if getattr(control_group, "shape", None) != inside.shape:
        raise InputError(
            "attack: the control group does not have the same shape; give people with the same columns"
        )
    _refuse_same_people(inside, control_group)
    return _apply_hierarchies(control_group, inside)


def _refuse_same_people(inside: Any, others: Any) -> None:
    """Refuse a control group that holds somebody of the originals, by any column that says who a record is."""
    frames = [
        getattr(dataset.source, "frame", pl.DataFrame()) for dataset in (inside, others)
    ]  # trees keep no identifier
    roles = getattr(getattr(inside, "people", inside), "given", {})
    for name in {*frames[0].columns} & {*frames[1].columns}:
        if roles.get(name, "identifier") != "identifier":
            continue
        inside_values, control_values = (
            {*normalize_names(cell_texts(frame[name])).drop_nulls()} for frame in frames
        )
        if inside_values & control_values:
            raise InputError(
                f"attack: {len(inside_values & control_values)} values of '{name}' stand in the control group "
                "and in the originals; a "
                "control group holds people who are not in the release, so leave these out"
            )


def _apply_hierarchies(others: Any, inside: Any) -> Dataset:
    """The same people, with the hierarchies of those who are in a release: its labels are read by them."""
    match others:
        case TableData():
            wider = {column.name: _widen_hierarchy(inside, column) for column in others.table.quasi}
            return replace(others, hierarchies=wider)
        case MixedData():
            people: Any = _apply_hierarchies(others.people, inside.people)
            return replace(others, people=people, hierarchy=inside.hierarchy)
        case BasketData():
            return replace(others, hierarchy=inside.hierarchy)
        case _:
            trees = {name: inside.hierarchies.get(name, tree) for name, tree in others.hierarchies.items()}
            dataset: Dataset = replace(others, hierarchies=trees)
            return dataset


def _widen_hierarchy(inside: TableData, column: Column) -> Hierarchy:
    """The hierarchy of those who are in a release, with what only the others hold: by its rule, if labels stay so."""
    hierarchy, rule = inside.hierarchies[column.name], inside.rules.get(column.name)
    if is_built(rule):
        cells = [*hierarchy.leaves, *(value for value in column.values if value is not None)]
        both = hierarchy_over(Column.of(column.name, "quasi", cells), rule, inside.source.missing)
        if {*_paths_to_root(hierarchy)} <= {*_paths_to_root(both)}:
            return both
    return extend_hierarchy(hierarchy, column)


def _paths_to_root(tree: Hierarchy) -> Iterator[tuple[str, ...]]:
    """For each leaf its labels on the way up; one that is repeated is one."""
    for nodes in tree.up[: tree.size].tolist():
        yield tuple(dict.fromkeys(labels[node] for labels, node in zip(tree.labels, nodes, strict=True)))


def _configuration_of(originals: str | os.PathLike[str], config: str | os.PathLike[str] | None) -> Config:
    """The configuration that is given, or the shoal.toml here or beside the originals.

    Raises
    ------
    InputError
        There is none.
    """
    if config is not None:
        return load(Path(config))
    for path in (Path(_CONFIG), Path(originals).parent / _CONFIG, Path(originals) / _CONFIG):
        if path.is_file():
            return load(path)
    raise InputError(
        f"attack: there is no {_CONFIG} here or beside the originals; give --config, which says what the columns are"
    )


_CONFIG = "shoal.toml"


# Releases made anew from other sensitive values, for the attacker who knows the method.

Data = TableData | BasketData
D = TypeVar("D", bound=Data)

_CELLS = 5_000  # of data that are made anew
_FEWEST, _MOST, _WORK = 200, 2_000, 1_000_000
_SLOWER = 25  # times, to make a release anew as it is written
_ASKED = {*SENSITIVE_KEYS}


def _maker_of(dataset: Dataset, claim: Claim, method: Mapping[str, Any], **settings: Any) -> Maker | None:
    """What made a release of this claim by the method that its manifest states; None where no method has that name."""
    name, options = method.get("name"), method.get("parameters")
    if not isinstance(name, str) or name not in METHODS or not isinstance(options, Mapping):
        return None
    if {"dataset", "method"} & set(options):  # no method has these: a manifest that somebody wrote by hand
        return None
    return trial_maker(dataset, name, {**options, **settings}, claim)


def _replay_of(dataset: Any, claim: Claim, method: Mapping[str, Any]) -> Replay | None:
    """A release of small data that can be made anew; None where sensitive values do not steer the method."""
    maker = _maker_of(dataset, claim, method)
    if not isinstance(dataset, Data) or maker is None or not _is_steered(dataset, claim, method):
        return None
    secret = dataset.table.role("sensitive")
    joint = np.stack([column.codes for column in secret], axis=1)
    cells, values = np.unique(joint, axis=0, return_inverse=True)
    values = values.reshape(-1).astype(np.int64)

    def made(spread: I8) -> tuple[list[Hashable], I8] | None:
        codes = cells[spread]
        columns = {column.name: replace(column, codes=codes[:, j]) for j, column in enumerate(secret)}
        try:
            release = maker.make(_replace_columns(dataset, columns)).release
        except ShoalError:
            return None
        return _row_keys(release), release.rows

    def shown(spread: I8) -> Hashable:
        outcome = made(spread)
        return (
            None
            if outcome is None
            else frozenset(Counter(zip(outcome[0], spread[outcome[1]].tolist(), strict=True)).items())
        )

    true = made(values)
    if true is None:
        return None
    row_numbers: dict[Hashable, int] = {}
    row_of_record = np.full(dataset.records, -1, dtype=np.int64)
    row_of_record[true[1]] = [row_numbers.setdefault(row, len(row_numbers)) for row in true[0]]
    return Replay(values, row_of_record, shown)


def _cell_replay_of(scene: Scene) -> CellReplay | str:
    """A release of a small table that can be made anew from other quasi-identifiers; else a sentence why it cannot."""
    data = scene.dataset
    maker = _maker_of(data, scene.claim, scene.method)
    if not isinstance(data, TableData) or scene.row_of is None or maker is None:
        return "it makes the release again, and it is not known which method made it"
    if data.table.persons is not None or data.cells > _CELLS:
        return (
            f"it is tried only on tables of at most {_CELLS:,} cells in which every row is a different person"
        )
    if METHODS[scene.method["name"]].by_chance(scene.method["parameters"]):
        return "it makes the release again, and what this method publishes is random"
    public = METHODS[scene.method["name"]].public
    stay = None if public else _maker_of(data, scene.claim, scene.method, suppress=0.0)

    def shown(world: TableData) -> Hashable:
        try:
            dataset, result = world.without_traces(maker.make(world), stay)
        except ShoalError:
            return None
        return _row_multiset(dataset.assemble(result.release))

    def same(record: int, column: int, leaf: int) -> bool:
        name = data.table.quasi[column].name
        return shown(_replace_cell(full_data, name, record, data.hierarchies[name].leaves[leaf])) == released

    # before anybody was left out: hierarchies that are built are made of all
    full_data = data.only(np.arange(data.records)) if data.kept is not None else data
    released = _row_multiset(scene.frame)
    if shown(full_data) != released:
        return "it makes the release again, and that did not give this release"
    view = table_view(data, scene.frame, scene.row_of, rules=False, centres=scene.centres)
    under = {}
    for record in np.flatnonzero(scene.row_of >= 0).tolist():
        forms = view.forms[scene.row_of[record]]
        for j, column in enumerate(data.table.quasi):
            leaves = np.flatnonzero(view.covers[j][forms[j], : data.hierarchies[column.name].domain])
            if len(leaves) > 1 and data.leaves[record, j] in leaves:
                under[record, j] = leaves
    return CellReplay(data.leaves, under, same) if under else "no cell was made coarser"


def _row_multiset(frame: pl.DataFrame) -> Hashable:
    """Released rows, whatever their order."""
    return frozenset(
        Counter(zip(*(cell_texts(frame[name]).to_list() for name in frame.columns), strict=True)).items()
    )


def _replace_cell(data: TableData, name: str, record: int, value: str) -> TableData:
    """The same data, with another value in one cell of a quasi-identifier."""
    column = data.table.column(name)
    cells = column.cells()
    cells[record] = value
    values, codes = factorize(pl.Series(cells, dtype=pl.String))
    changed = _replace_columns(data, {name: replace(column, values=values, codes=codes)})
    return changed.only(np.arange(data.records))


def _count_tries(dataset: Dataset) -> int:
    """How often a release may be made anew, so that it takes some seconds."""
    return int(np.clip(_WORK // max(dataset.cells, 1), _FEWEST, _MOST))


def _is_steered(dataset: Data, claim: Claim, method: Mapping[str, Any]) -> bool:
    """Whether sensitive values of single persons steer the method, and the data are small."""
    asks = _ASKED & {key for part in claim.parts for key in part.as_dict()}
    single = dataset.table.persons is None and dataset.table.counts is None
    asks_sensitive = bool(asks) and bool(dataset.table.role("sensitive"))
    return (
        asks_sensitive
        and single
        and dataset.cells <= _CELLS
        and not METHODS[method["name"]].by_chance(method["parameters"])
    )


def _replace_columns(dataset: D, others: Mapping[str, Column]) -> D:
    """The same data, with other columns in place of those of their names."""
    columns = tuple(others.get(column.name, column) for column in dataset.table.columns)
    return replace(dataset, table=replace(dataset.table, columns=columns))


def _row_keys(release: Recoded | VotedBaskets) -> list[Hashable]:
    """What each row publishes, without its sensitive values."""
    if isinstance(release, VotedBaskets):
        lists = (_item_sets(release.start, release.items), _item_sets(release.maybe_start, release.maybe))
        return list(zip(*lists, release.errors.tolist(), strict=True))
    meant = [_item_sets(form.start, form.leaves) for form in release.forms]
    return [tuple(meant[j][code] for j, code in enumerate(row)) for row in release.codes.tolist()]


def _item_sets(start: I8, items: Any) -> list[Hashable]:
    return [frozenset(items[a:b].tolist()) for a, b in pairwise(start.tolist())]
