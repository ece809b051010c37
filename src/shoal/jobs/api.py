"""shoal in Python: read, anonymize, pareto, judge."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_type_hints

from shoal.anonymization.front import Front, MixedFront
from shoal.anonymization.release import Release
from shoal.anonymization.run import anonymize as anonymize_once
from shoal.anonymization.run import require_dataset, trace_front
from shoal.anonymization.several.invariant_making import anonymize_invariant
from shoal.anonymization.several.judging import check_following, open_earlier
from shoal.anonymization.several.making import anonymize_beside
from shoal.base.arguments import check_arguments
from shoal.base.errors import InputError
from shoal.base.naming import RECODED, suggest_name
from shoal.base.progress import Progress, no_progress
from shoal.data import Role
from shoal.hierarchy import Hierarchy
from shoal.io.config import (
    ColumnSpec,
    Config,
    Data,
    check_hidden,
    check_keyed,
    check_weights,
    layout_of,
    load,
)
from shoal.io.read.cells import SIGNS
from shoal.io.read.notation import ORDERS, THOUSANDS, Notation
from shoal.io.read.records import read_records
from shoal.io.read.source import Source, from_frame
from shoal.io.read.trees import TreeSpec, trees_of_records
from shoal.io.read.trees import read_trees as read_tree_files
from shoal.io.weight_release import read_weight_release
from shoal.io.write.groups import check_groups
from shoal.io.write.json_text import list_texts
from shoal.io.write.nested_trees import trees_of_texts
from shoal.privacy import AllOf, require_protection
from shoal.privacy.claim import BaseClaim, check_choice
from shoal.privacy.trees import REPEATS
from shoal.publish.large.opening import large_table, too_large
from shoal.release import Claim, Verdict
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.hierarchies import Given, specs_of
from shoal.shapes.mixed import MixedData
from shoal.shapes.registry import SHAPES, bind_source, shape_of_claim
from shoal.shapes.table.data import TableData
from shoal.shapes.trees.data import TreeData, tree_data

__all__ = ["anonymize", "judge", "pareto", "read", "read_trees"]


def read(
    data: Any,
    *,
    roles: Mapping[str, Role],
    hierarchies: str | os.PathLike[str] | Mapping[str, Given] | None = None,
    weights: Mapping[str, float] | None = None,
    importance: Mapping[str, float] | None = None,
    person: str | None = None,
    allow: tuple[str, ...] = (),
    levels: Mapping[str, int] | None = None,
    separators: Mapping[str, str] | None = None,
    sensitive: Mapping[str, Sequence[str]] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
    decimal: str = ".",
    thousands: str | None = None,
    dates: str | None = None,
    sheet: str | None = None,
    header: int | Sequence[int] | None = None,
    skip: int | Sequence[int] | None = None,
    last: int | None = None,
    records: str | None = None,
    values: str | None = None,
    codebook: str | None = None,
    table: str | None = None,
    population: Any = None,
    key: str | os.PathLike[str] | None = None,
    domain: str | None = None,
    shift: Mapping[str, int] | None = None,
    hidden: Mapping[str, Sequence[str]] | None = None,
    weight_release: str | Mapping[str, Any] | None = None,
) -> TableData | BasketData | MixedData:
    """Take a file or a frame (pandas, polars, Arrow) and say what its columns are.

    Without items it is a table, with items and no quasi-identifier it is baskets, with both a table with baskets.

    A lazy frame of more than five million records, and every frame of Spark, stays where it is: only counts of a table
    are taken, and methods that count tuples (optimal, incognito, pareto, poka) anonymize it.

    Parameters
    ----------
    data
        A path, or a frame.
    roles
        One role per column: identifier, quasi, sensitive, items, plain, pseudonym, or drop, which leaves it out. Every
        column needs one; `"*": "drop"`, or `"identifier"`, gives it to all columns that are not named.
    hierarchies
        A folder with `<column>.csv` files, or by column a file, a `Hierarchy`, or a rule such as
        `{"ranges": [10, 20]}`. A quasi-identifier without one is published as it is or not at all.
    weights
        How much a quasi-identifier's loss counts, 1 by default.
    importance
        How much method `blank` spares a quasi-identifier's cells, 1 by default.
    person
        The column that tells whom a row belongs to; judges then count persons, not rows.
    allow
        Plain and sensitive columns to publish although they single people out or tell a quasi-identifier.
    levels
        For plain and sensitive columns: the level of their hierarchy at which they are published.
    separators, sensitive
        For each items column, the sign between items where cells are texts (blanks by default), and the items that
        nobody may be linked to. Cells may be lists of items, too.
    delimiter, encoding, missing
        How a text file is written; detected where not given. `missing` lists texts that mean no value.
    decimal
        The sign before the decimals of numbers, "," or ".".
    thousands, dates
        What parts thousands ("," "." " " or "'"), and whether dates are "day first" or "month first", where the data do
        not show it.
    sheet, header, skip, last, records
        Where the table stands in its file, as in `[data]` of a configuration: rows are counted from 1.
    values
        Of a file with labels, what its cells are: "labels" (the default) or "codes".
    codebook
        Of a file with labels, where its codes come from: "public" ones stand in a questionnaire, and a released SPSS or
        Stata file keeps them; "built" ones were numbered by a program from the rows, and are numbered anew. Where it is
        not given, a column is taken for built if its labels are numbered from 1 in alphabetical order.
    table
        Which table of a database file (.db, .sqlite, .duckdb) holds the records.
    population
        Other people with the same quasi-identifiers, as a file or a frame: a register, or a public sample. Method
        `blind` cuts by how they are spread.
    key
        The file of the key that makes pseudonyms and shifts dates; by default the key in the variable SHOAL_KEY.
    domain
        What pseudonyms are bound to: tables with one key and one domain have the same. Where it is not given it is
        drawn anew for each release.
    shift
        For columns of dates: by how many days at most the dates of a person are moved. All need the same number.
    hidden
        For sensitive columns: the values that at most a share `alpha` of look-alikes may have, all of them together. An
        empty cell counts as one of them. `anonymize` takes alpha, .5 by default.
    weight_release
        How the sampling weight is published: "classes" or "calibrated", or the keys of a configuration, such as
        `{"release": "rounded", "base": 50}`. By default it is left out.

    Raises
    ------
    InputError
        The file, a role or a hierarchy is wrong; the message says where and what to do.
    """
    notation = _parse_notation(decimal, thousands, dates)
    check_arguments(
        "read",
        get_type_hints(read) | {"roles": Mapping[str, str]},  # an unknown role is told with its column
        roles=roles,
        weights=weights,
        importance=importance,
        person=person,
        allow=allow,
        levels=levels,
        separators=separators,
        sensitive=sensitive,
        delimiter=delimiter,
        encoding=encoding,
        missing=missing,
        key=None if key is None else os.fspath(key),
        domain=domain,
        shift=shift,
        hidden=hidden,
        weight_release=weight_release,
    )
    missing = tuple(missing)
    large = None
    places = {
        "sheet": sheet,
        "header": header,
        "skip": skip,
        "last": last,
        "records": records,
        "values": values,
        "codebook": codebook,
    }
    layout = layout_of({key: value for key, value in places.items() if value is not None}, "read")
    if isinstance(data, str | os.PathLike):
        data_config = Data(
            Path(data), table=table, delimiter=delimiter, encoding=encoding, missing=missing, layout=layout
        )
        source = read_records(
            Config(Path(), data_config, {name: ColumnSpec(role) for name, role in roles.items()})
        )
    else:
        large = (
            too_large(data)
            if person is None
            and hidden is None
            and notation == Notation()
            and {"items", "pseudonym"}.isdisjoint(roles.values())
            else None
        )
        source = from_frame(data if large is None else large.head, missing=missing)
    named: dict[str, Iterable[str] | None] = {
        "weights": weights,
        "importance": importance,
        "allow": allow,
        "separators": separators,
        "sensitive": sensitive,
        "levels": levels,
        "shift": shift,
        "hidden": hidden,
    }
    if isinstance(hierarchies, Mapping):
        named["hierarchies"] = hierarchies
    for word, names in named.items():
        _require_columns(source, word, names or (), roles)
    weight_keys = _weight_keys(weight_release, roles)
    levels = levels or {}
    ruled = [name for name, role in roles.items() if role in (*RECODED, "items") or name in levels]
    specs = specs_of(hierarchies, ruled)
    columns = {
        name: ColumnSpec(
            role,
            specs.get(name),
            (weights or {}).get(name, 1.0),
            (separators or {}).get(name),
            tuple((sensitive or {}).get(name, ())),
            name in allow,
            levels.get(name),
            importance=(importance or {}).get(name, 1.0),
            shift=(shift or {}).get(name),
            hidden=tuple((hidden or {}).get(name, ())),
            **(weight_keys if role == "weight" else {}),
        )
        for name, role in roles.items()
    }
    check_hidden("read", columns)
    check_weights("read", Data(person=person), columns)
    data_config = Data(person=person, missing=missing, decimal=decimal, thousands=thousands, dates=dates)
    config = Config(
        Path(),
        check_keyed("read", data_config, columns, domain),
        columns,
        public=_read_population(population, missing),
        key=None if key is None else Path(key),
        domain=domain,
    )
    if large is not None:
        return large_table(config, None, large.frame, large.engine, source.name)
    return cast(TableData | BasketData | MixedData, bind_source(config, source))


def _weight_keys(given: str | Mapping[str, Any] | None, roles: Mapping[str, str]) -> dict[str, Any]:
    """How the sampling weight is published, as keys of its column."""
    if given is None:
        return {}
    if "weight" not in roles.values():
        raise InputError(
            "weight_release: it says how a sampling weight is published, and no column has the role weight"
        )
    keys = {"release": given} if isinstance(given, str) else dict(given)
    read_weight_release("weight_release", keys)
    return keys


def _read_population(population: Any, missing: tuple[str, ...]) -> Path | Source | None:
    """The people of a population, as a file's path or read from a frame."""
    if population is None or isinstance(population, str | os.PathLike):
        return None if population is None else Path(population)
    return from_frame(population, missing=missing)


def read_trees(
    data: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    hierarchies: str | os.PathLike[str] | Mapping[str, Given],
    identifier: str | None = None,
    drop: Sequence[str] = (),
    heads: Mapping[str, str] | None = None,
    sensitive: str | None = None,
    negations: Sequence[str] = (),
    person: str | None = None,
    keys: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
    decimal: str = ".",
    thousands: str | None = None,
    dates: str | None = None,
    repeats: str | None = None,
    records: str | None = None,
) -> TreeData:
    """Take record trees from a file, a folder of tables, a database or nested Python records.

    Parameters
    ----------
    data
        A path to ndjson, json, xml or a folder of tables; a database as a URL; or records as `json.loads` gives them.
    hierarchies
        A folder with `<class>.csv` files, or by class a file, a `Hierarchy`, or a rule such as `{"ranges": [10, 20]}`.
        A class is the dotted path of a field; each needs one, unless it is dropped or sensitive.
    identifier
        The field that says who a record is: a repeat is an error. It is left out.
    drop
        Dotted paths that are left out.
    heads
        For each dotted path of an object: the field that is above its other fields; else the first scalar field seen.
    sensitive
        The class whose values nobody may be linked to.
    negations
        Classes whose absence the attacker may know.
    person, keys
        Of tables: the one with one row per person, and "table.column" to "table.column", which column refers to which.
    delimiter, encoding, missing, decimal, thousands, dates
        How text files are written, as `read` takes them.
    repeats
        "keep" leaves rows of tables and objects as they are, and claims then count them; "merge" makes equal siblings
        one, as the paper does. By default what came as rows of tables or in arrays of objects is kept.
    records
        Of json: the dotted path of the array, where it is not the file itself.

    Raises
    ------
    InputError
        The data, a name or a hierarchy is wrong; the message says where and what to do.

    Examples
    --------
    >>> people = [{"visits": [{"ward": ward, "ill": ill}]} for ward in "AB" for ill in ("flu", "gout", "gout")]
    >>> flat = {"visits.ward": {"fanout": 2}, "visits.ill": {"fanout": 2}}
    >>> anonymize(read_trees(people, hierarchies=flat), k=2, m=1, n=0).verdict.reached
    {'k': 2}
    """
    check_arguments(
        "read_trees",
        get_type_hints(read_trees),
        drop=drop,
        heads=heads,
        sensitive=sensitive,
        negations=negations,
        person=person,
        keys=keys,
        delimiter=delimiter,
        encoding=encoding,
        missing=missing,
        records=records,
    )
    spec = TreeSpec(
        person,
        keys or {},
        tuple(drop),
        heads or {},
        sensitive,
        specs_of(hierarchies, []),
        tuple(negations),
        identifier=identifier,
        notation=_parse_notation(decimal, thousands, dates),
        repeats=None if repeats is None else check_choice("repeats", repeats, REPEATS),
    )
    if isinstance(data, str | os.PathLike):
        source = str(data)
        trees = read_tree_files(
            source, spec, delimiter=delimiter, encoding=encoding, missing=missing, records=records
        )
        name = "database" if "://" in source else Path(source).name
    else:
        trees, name = trees_of_records(data, spec, missing), "records"
    return tree_data(name, trees, specs_of(hierarchies, list(trees.classes)), spec.negations)


def anonymize(
    dataset: Any,
    *,
    method: str | None = None,
    earlier: Iterable[str | os.PathLike[str]] = (),
    earlier_configs: Iterable[str | os.PathLike[str]] = (),
    invariant: bool = False,
    allow_empty: bool = False,
    seed: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make a release of `dataset` and judge it.

    Parameters
    ----------
    dataset
        What `read` or `read_trees` returned.
    method
        The method's name; by default the best there is for the data's shape.
    earlier
        Folders of releases of the same people that are out already, each beside its private folder with
        rows.parquet: whoever holds all of them shall learn no more than each promises.
    earlier_configs
        The configuration of each of them, in the same order; a table is then made m-invariant.
    invariant
        Make a table that later releases can follow where people come and go: every class holds l or more sensitive
        values, equally often. Keep rows.parquet (`rows=True` of `save`) for the next one.
    allow_empty
        Make a release even if it tells nothing of more than nine people in ten.
    seed
        For papers and tests only: the release is then a rehearsal and says so.
    progress
        A listener that is told how far the work is.
    options
        The guarantee (k, l, t, m, n and what else `shoal.privacy.GUARANTEE` holds) and the method's own parameters.

    Raises
    ------
    InfeasibleError
        No release can meet the guarantee, alone or beside the earlier ones, or it would tell nothing; the message says
        what would help.
    RefusedError
        The method's result failed its judge.
    """
    folders, configs = ([Path(path) for path in places] for places in (earlier, earlier_configs))
    how = {"method": method, "seed": seed, "progress": progress, "allow_empty": allow_empty}
    arguments: dict[str, Any] = {**how, **options}
    if not (folders or configs or invariant):
        return anonymize_once(dataset, **arguments)
    require_dataset("anonymize", dataset)
    invariant = invariant or (bool(configs) and dataset.shape == "table")
    check_following(folders, configs, invariant=invariant)
    if not dataset.in_memory:
        raise InputError("earlier: these data are too large to be held in memory; give a part of the records")
    earlier_releases = open_earlier(dataset, folders, [load(config) for config in configs])
    return (
        anonymize_invariant(dataset, earlier_releases, **arguments)
        if invariant
        else anonymize_beside(dataset, earlier_releases, **arguments)
    )


def pareto(dataset: TableData | MixedData, **options: Any) -> Front | MixedFront:
    """Trace the least loss for every k, with one level per column, or of a table with baskets what its two parts lose.

    For a table, `suppress`, `loss`, `target`, `per_node`, `seconds` are those of `shoal.algorithms.lattice.optimal`;
    `method="poka"` takes the paper's search instead. For a table with baskets, `k`, `m`, `l` make the claim, and the
    other options are those of `shoal.algorithms.mixed.bound.tradeoff`.
    """
    return trace_front(dataset, **options)


def judge(
    release: Release | Any,
    claim: Claim,
    *,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    items: str = "items",
    hierarchies: Mapping[str, Hierarchy] | None = None,
    original: BasketData | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    person: str | None = None,
    known: Sequence[str] = (),
) -> Verdict:
    """Judge a claim on a release, or on any frame of the shape that the claim speaks of.

    Parameters
    ----------
    release
        A `Release`, or a frame: with quasi-identifiers for a table, with a column of items for baskets, with both for a
        table with baskets, with a column `nodes` of JSON text, as `Release.data` has, for record trees.
    claim
        Any claim of `shoal`.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns; for claims about sensitive items, these items.
    items
        The column of items: lists, or JSON text as releases have.
    hierarchies
        For each column, or for each field of record trees: what labels stand for. Without one, a label means itself.
    original
        For baskets published by vote: the data they come from. Without it nothing is judged.
    groups
        By its name in the column of items, the items of each group, as `Release.groups` and groups.json have them.
    person
        Of a table, the column that tells whom a row belongs to, such as a pseudonym; persons are then counted. Every
        row has one; names that differ by blanks, or by what nobody sees, are one.
    known
        The known columns, for claims about whoever knows some of them beside the quasi-identifiers.

    Raises
    ------
    InputError
        The claim speaks of other data, a column is not there, a row names no person, or groups are none.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> bool(judge(pl.DataFrame({"age": ["30-39", "30-39"]}), shoal.KAnonymity(2), quasi=["age"]))
    True
    >>> sold = pl.DataFrame({"items": [["ale", "pie"], ["ale", "pie"], ["ale"]]})
    >>> bool(judge(sold, shoal.KmAnonymity(2, 2)))
    True
    """
    if not isinstance(claim, BaseClaim | AllOf):
        raise InputError(
            f"judge: a {type(claim).__name__} is not a claim; give one such as shoal.KAnonymity(5)"
        )
    for part in claim.parts:
        if getattr(part, "k", 2) < 2 and getattr(part, "l", None) is None:
            require_protection(part)
    shape = shape_of_claim(claim)
    if isinstance(release, Release):
        if release.dataset.shape != claim.shape:
            shape_words = SHAPES[release.dataset.shape].words
            raise InputError(
                f"judge: {claim.named} is about {shape.words}, but the release is of {shape_words}; give a "
                "claim about these"
            )
        return release.dataset.judge(release.frame, replace(release.result, claim=claim))
    source = from_frame(release)
    columns = _roles_for_claim(claim, list(quasi), list(sensitive), items, list(known))
    if person is not None:
        if not shape.persons:
            raise InputError(
                f"judge: person goes with claims about tables, and {claim.named} is about {shape.words}; give every "
                "person one record, and leave person out"
            )
        if person in columns:
            raise InputError(
                f"judge: column '{person}' says whom a row belongs to, so it cannot be quasi or sensitive, too; take "
                "it out of one of them"
            )
        columns[person] = "pseudonym"
    for name in columns:
        if name not in source.frame.columns:
            raise InputError(
                f"judge: {claim.named} is about {shape.words}, but the frame has no column '{name}'; "
                f"{suggest_name(name, source.frame.columns)}"
            )
    secrets = frozenset(sensitive) if claim.exempts else frozenset[str]()
    context = JudgingContext(columns, hierarchies or {}, secrets, original, groups=check_groups(groups or {}))
    frame = _as_release_frame(source, columns)
    return claim.check(shape.verification.view_for_judge(frame, context, claim))


def _parse_notation(decimal: str, thousands: str | None, dates: str | None) -> Notation:
    """How writings are meant that can be read in two ways; refuse what is no such thing."""
    if decimal not in SIGNS:
        raise InputError(
            "decimal: it is neither '.' nor ','; give the sign that stands before the decimals of a number"
        )
    if thousands is not None and (thousands not in THOUSANDS or thousands == decimal):
        raise InputError(
            "thousands: it is not a thousands separator, or it is the decimal sign; give ',' '.' ' ' or \"'\""
        )
    if dates is not None and dates not in ORDERS:
        raise InputError(
            f"dates: it is neither {' nor '.join(map(repr, ORDERS))}; give one of them, or leave it out"
        )
    return Notation(decimal, thousands, dates)


def _require_columns(source: Source, word: str, names: Iterable[str], roles: Mapping[str, Role]) -> None:
    """Refuse names of columns that are not there or have no role: they are slips."""
    for name in names:
        if name in source.frame.columns and name not in roles:
            raise InputError(f"{source.name}: {word} names '{name}', which has no role; give it one in roles")
        if name not in source.frame.columns:
            raise InputError(
                f"{source.name}: {word} names '{name}', and there is no such column; "
                f"{suggest_name(name, source.frame.columns)}"
            )


def _roles_for_claim(
    claim: Claim, quasi: list[str], sensitive: list[str], items: str, known: list[str]
) -> dict[str, str]:
    """The columns that a claim sees in a frame, with their roles."""
    column_roles: dict[str, str] = {}
    if "tree" in claim.roles:
        column_roles["nodes"] = "tree"
    if "quasi" in claim.roles:
        column_roles |= dict.fromkeys(quasi, "quasi")
    if "known" in claim.roles:
        column_roles |= dict.fromkeys(known, "known")
    if "items" in claim.roles:
        column_roles[items] = "items"
    if "sensitive" in claim.roles:
        column_roles |= dict.fromkeys(sensitive, "sensitive")
    return column_roles


def _as_release_frame(source: Source, columns: Mapping[str, str]) -> Any:
    """A frame as a release folder holds it: lists as JSON text, trees as they are."""
    if "tree" in columns.values():
        return trees_of_texts(source.frame["nodes"], source.name)
    lists = [name for name, role in columns.items() if role == "items"]
    extra_columns = [name for name in ("uncertain",) if name in source.frame.columns and lists]
    return source.frame.with_columns(list_texts(source.frame[name]) for name in (*lists, *extra_columns))
