"""shoal in Python: read, anonymize, pareto, judge."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.data import Role, Trees
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import ColumnSpec, Config, Data
from shoal.io.read import read as read_file
from shoal.io.source import Source, from_frame
from shoal.io.tree_files import trees_of_texts
from shoal.io.trees import TreeSpec, grow_records
from shoal.io.trees import read_trees as read_tree_files
from shoal.privacy.kmn import KMNAnonymity
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.hierarchies import Given, specs_of
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.mixed.front import MixedFront
from shoal.publish.opening import dataset_of
from shoal.publish.release import Release
from shoal.publish.table.dataset import TableData, bind
from shoal.publish.table.front import Front
from shoal.publish.table.judging import judge_frame
from shoal.publish.trees.dataset import TreeData
from shoal.publish.trees.judging import alike
from shoal.publish.trees.opening import tree_data
from shoal.publish.work import anonymize, trace_front
from shoal.release import Claim, Verdict

__all__ = ["anonymize", "judge", "pareto", "read", "read_trees"]


def read(
    data: Any,
    *,
    roles: Mapping[str, Role],
    hierarchies: str | os.PathLike[str] | Mapping[str, Given] | None = None,
    weights: Mapping[str, float] | None = None,
    person: str | None = None,
    allow: tuple[str, ...] = (),
    separators: Mapping[str, str] | None = None,
    sensitive: Mapping[str, Sequence[str]] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
) -> TableData | BasketData | MixedData:
    """Take a file or a frame (pandas, polars, Arrow) and say what its columns are.

    Without items it is a table, with items and no quasi-identifier it is baskets, with both a table with baskets.

    Parameters
    ----------
    data
        A path, or a frame.
    roles
        One role a column: identifier, quasi, sensitive, items or plain. Every column needs one.
    hierarchies
        A folder with `<column>.csv` files, or by column a file, a `Hierarchy`, or a rule such as
        `{"ranges": [10, 20]}`. A quasi-identifier without one is published as it is or not at all.
    weights
        How much a quasi-identifier's loss counts, 1 by default.
    person
        The column that tells who a row belongs to; judges then count persons, not rows.
    allow
        Plain columns to publish although they single people out or tell a quasi-identifier.
    separators, sensitive
        By items column, the sign between items where cells are texts (blanks by default), and the items that
        nobody may be linked to. Cells may be lists of items, too.
    delimiter, encoding, missing
        How a text file is written; detected where not given. `missing` lists texts that mean no value.

    Raises
    ------
    InputError
        The file, a role or a hierarchy is wrong; the message says where and what to do.
    """
    items = [name for name, role in roles.items() if role == "items"]
    if isinstance(data, str | os.PathLike):
        source = read_file(Path(data), delimiter=delimiter, encoding=encoding, missing=missing, nested=items)
    else:
        source = from_frame(data, missing=missing)
    specs = specs_of(hierarchies, [name for name, role in roles.items() if role in ("quasi", "items")])
    if not items:
        return bind(source, roles, specs, weights=weights, person=person, allow=frozenset(allow))
    columns = {
        name: ColumnSpec(
            role,
            specs.get(name),
            (weights or {}).get(name, 1.0),
            (separators or {}).get(name),
            tuple((sensitive or {}).get(name, ())),
            name in allow,
        )
        for name, role in roles.items()
    }
    return dataset_of(Config(Path(), Data(person=person, missing=missing), columns), source)


def read_trees(
    data: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    hierarchies: str | os.PathLike[str] | Mapping[str, Given],
    drop: Sequence[str] = (),
    heads: Mapping[str, str] | None = None,
    sensitive: str | None = None,
    negations: Sequence[str] = (),
    person: str | None = None,
    keys: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
) -> TreeData:
    """Take record trees from a file, a folder of tables, a database or nested Python records.

    Parameters
    ----------
    data
        A path to ndjson, json, xml or a folder of tables; a database as a URL; or records as `json.loads` gives them.
    hierarchies
        A folder with `<class>.csv` files, or by class a file, a `Hierarchy`, or a rule such as `{"ranges": [10, 20]}`.
        A class is the dotted path of a field; each needs one, unless it is dropped or sensitive.
    drop
        Dotted paths that are left out.
    heads
        By dotted path of an object, the field that stands above its other fields; else the first scalar field seen.
    sensitive
        The class whose values nobody may be linked to.
    negations
        Classes whose absence the attacker may know.
    person, keys
        Of tables: the one with one row a person, and "table.column" to "table.column", who refers to whom.
    delimiter, encoding, missing
        How text files are written, as `read` takes them.

    Raises
    ------
    InputError
        The data, a name or a hierarchy is wrong; the message says where and what to do.

    Examples
    --------
    >>> people = [{"visits": [{"ward": ward, "ill": ill}]} for ward in "AB" for ill in ("flu", "gout", "gout")]
    >>> flat = {"visits.ward": {"fanout": 2}, "visits.ill": {"fanout": 2}}
    >>> anonymize(read_trees(people, hierarchies=flat), k=2, m=1, n=0).verdict.sentence
    'every knowledge of up to m=1 values and n=0 relations fits at least k=2 records; the least found fits 2'
    """
    spec = TreeSpec(person, keys or {}, tuple(drop), heads or {}, sensitive, negations=tuple(negations))
    if isinstance(data, str | os.PathLike):
        source = str(data)
        trees = read_tree_files(source, spec, delimiter=delimiter, encoding=encoding, missing=missing)
        name = "database" if "://" in source else Path(source).name
    else:
        trees, name = grow_records(data, spec, missing), "records"
    return tree_data(name, trees, specs_of(hierarchies, list(trees.classes)), spec.negations)


def pareto(dataset: TableData | MixedData, **options: Any) -> Front | MixedFront:
    """Trace the least loss for every k at once, or of a table with baskets what its two parts lose.

    For a table, `suppress`, `loss`, `target`, `per_node`, `seconds` are those of `shoal.algorithms.lattice.pareto`;
    `method="poka"` takes the paper's search instead. For a table with baskets, `k`, `m`, `l` and the options are those
    of `shoal.algorithms.mixed.bound`, but for `delta`.
    """
    return trace_front(dataset, **options)


def judge(
    release: Release | Any,
    claim: Claim,
    *,
    quasi: list[str] | None = None,
    sensitive: list[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Verdict:
    """Judge a claim on a release, or on any frame whose quasi-identifiers are named.

    A claim about record trees is judged on a frame with a column `nodes`, as releases of trees have.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> bool(judge(pl.DataFrame({"age": ["30-39", "30-39"]}), shoal.KAnonymity(2), quasi=["age"]))
    True
    """
    if isinstance(release, Release):
        return release.dataset.judge(release.frame, replace(release.result, claim=claim))
    source: Source = from_frame(release)
    if isinstance(claim, KMNAnonymity):
        return claim.check(alike(_nodes(source), hierarchies or {}))
    roles = {**dict.fromkeys(quasi or [], "quasi"), **dict.fromkeys(sensitive or [], "sensitive")}
    for name in roles:
        if name not in source.frame.columns:
            raise InputError(f"judge: no column '{name}'; there are {', '.join(source.frame.columns)}")
    return judge_frame(source.frame, claim, roles, hierarchies)


def _nodes(source: Source) -> Trees:
    if "nodes" not in source.frame.columns:
        raise InputError("judge: no column 'nodes'; released trees have one, of JSON text")
    return trees_of_texts(source.frame["nodes"], source.name)
