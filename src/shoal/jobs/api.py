"""shoal in Python: read, anonymize, pareto, judge."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, Literal, Unpack, cast, get_type_hints

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
from shoal.base.python_words import says_arguments
from shoal.comparison.comparison import Comparison
from shoal.comparison.comparison import compare as compare_methods
from shoal.data import Role
from shoal.hierarchy import Hierarchy
from shoal.io.config import (
    REST,
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
from shoal.io.read.source import Source, from_frame, role_error
from shoal.io.read.trees import TreeSpec, trees_of_records
from shoal.io.read.trees import read_trees as read_tree_files
from shoal.io.weight_release import read_weight_release
from shoal.io.write.groups import check_groups
from shoal.io.write.json_text import list_texts
from shoal.io.write.nested_trees import trees_of_texts
from shoal.jobs.keywords import (
    USUAL_ROLES,
    Columns,
    DataOptions,
    Guarantee,
    Hierarchies,
    MethodName,
    Options,
    Roles,
    Sweep,
    refuse_two_readings,
    role_of_each_column,
)
from shoal.privacy import AllOf, make_claim, require_protection
from shoal.privacy.claim import BaseClaim, check_choice
from shoal.privacy.trees import REPEATS
from shoal.proposal.proposal import Proposal
from shoal.publish.large.opening import large_table, too_large
from shoal.release import Claim, Verdict
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.hierarchies import Given, specs_of
from shoal.shapes.mixed import MixedData
from shoal.shapes.registry import SHAPES, bind_source, shape_of_claim
from shoal.shapes.table.data import TableData
from shoal.shapes.trees.data import TreeData, tree_data

__all__ = ["anonymize", "compare", "judge", "open_data", "pareto", "read", "read_trees"]

_WITHOUT_ROLES = (
    'say what the columns are, such as quasi=["age", "sex"], sensitive=["disease"], drop="*" for all others, or take '
    "what shoal proposes: shoal.propose(data).read(), or as_proposed=True here"
)


@says_arguments
def read(
    data: Any,
    *,
    roles: Roles | None = None,
    quasi: Columns | None = None,
    sensitive: Columns | Mapping[str, Sequence[str]] | None = None,
    identifier: Columns | None = None,
    items: Columns | None = None,
    plain: Columns | None = None,
    drop: Columns | None = None,
    as_proposed: bool = False,
    hierarchies: Hierarchies | None = None,
    weights: Mapping[str, float] | None = None,
    importance: Mapping[str, float] | None = None,
    person: str | None = None,
    allow: Sequence[str] = (),
    levels: Mapping[str, int] | None = None,
    separators: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
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
        column needs one; `"*": "drop"`, or `"identifier"`, gives it to all columns that are not named. Either way is
        understood: `{"age": "quasi", "sex": "quasi"}`, or by role `{"quasi": ["age", "sex"]}`.
    quasi, sensitive, identifier, items, plain, drop
        The same for the usual roles: the columns that have them, one or a list. `drop="*"` leaves out all others.
    as_proposed
        Columns that have no role here get the one that `shoal.propose` proposes, with its hierarchy, and releases are
        published like that, also where shoal would ask somebody to decide. The manifest names these columns.
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
    separators
        For each items column, the sign between items where cells are texts (blanks by default). Cells may be lists of
        items, too. The items of a column that nobody may be linked to are given as `sensitive={"codes": ["J45"]}`.
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
    arguments = dict(locals())
    sensitive_items = sensitive if isinstance(sensitive, Mapping) else None
    role_of = role_of_each_column(
        "read",
        roles,
        {
            "quasi": quasi,
            "sensitive": None if isinstance(sensitive, Mapping) else sensitive,
            "identifier": identifier,
            "items": items,
            "plain": plain,
            "drop": drop,
        },
    )
    if as_proposed and REST not in role_of:
        _refuse_beside_proposal(arguments)
        proposed: TableData | BasketData | MixedData = _read_as_proposed(data, role_of, hierarchies, person)
        return proposed
    if not role_of:
        raise InputError(f"read: no roles are given; {_WITHOUT_ROLES}")
    notation = _parse_notation(decimal, thousands, dates)
    check_arguments(
        "read",
        get_type_hints(read) | {"sensitive": Mapping[str, Sequence[str]] | None},
        weights=weights,
        importance=importance,
        person=person,
        allow=allow,
        levels=levels,
        separators=separators,
        sensitive=sensitive_items,
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
            Config(Path(), data_config, {name: ColumnSpec(role) for name, role in role_of.items()})
        )
    else:
        large = (
            too_large(data)
            if person is None
            and hidden is None
            and notation == Notation()
            and {"items", "pseudonym"}.isdisjoint(role_of.values())
            else None
        )
        source = from_frame(data if large is None else large.head, missing=missing)
    refuse_two_readings("read", roles, source.frame.columns)
    bare = [name for name in source.frame.columns if name not in role_of and name != person]
    if bare and REST not in role_of and role_of.keys() <= {*source.frame.columns}:
        raise role_error(
            source,
            bare,
            role_of,
            "say what they are by quasi, sensitive, identifier or plain, leave them out by drop, all of them by "
            'drop="*", or take what shoal proposes for them by as_proposed=True',
        )
    named: dict[str, Iterable[str] | None] = {
        "weights": weights,
        "importance": importance,
        "allow": allow,
        "separators": separators,
        "sensitive": sensitive_items,
        "levels": levels,
        "shift": shift,
        "hidden": hidden,
    }
    if isinstance(hierarchies, Mapping):
        named["hierarchies"] = hierarchies
    for word, names in named.items():
        _require_columns(source, word, names or (), role_of)
    weight_keys = _weight_keys(weight_release, role_of)
    levels = levels or {}
    ruled = [name for name, role in role_of.items() if role in (*RECODED, "items") or name in levels]
    specs = specs_of(hierarchies, ruled)
    columns = {
        name: ColumnSpec(
            role,
            specs.get(name),
            (weights or {}).get(name, 1.0),
            (separators or {}).get(name),
            tuple((sensitive_items or {}).get(name, ())),
            name in allow,
            levels.get(name),
            importance=(importance or {}).get(name, 1.0),
            shift=(shift or {}).get(name),
            hidden=tuple((hidden or {}).get(name, ())),
            **(weight_keys if role == "weight" else {}),
        )
        for name, role in role_of.items()
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


_READ = tuple(name for name in signature(read).parameters if name not in ("data", "as_proposed"))
"""What describes a file or a frame."""

_BESIDE_PROPOSAL = ("data", "roles", *USUAL_ROLES, "as_proposed", "hierarchies", "person")


def _refuse_beside_proposal(arguments: Mapping[str, Any]) -> None:
    """Refuse what a proposal finds by itself, or does not know."""
    for name, parameter in signature(read).parameters.items():
        is_items = name == "sensitive" and isinstance(arguments[name], Mapping)
        if is_items or (name not in _BESIDE_PROPOSAL and arguments[name] is not parameter.default):
            raise InputError(
                f"read: as_proposed takes roles, hierarchies and person beside it, not {name}; give every column a "
                "role in place of as_proposed, or change what shoal.propose(data) returns and call its read()"
            )


def _read_as_proposed(
    data: Any, role_of: Mapping[str, Role], hierarchies: Hierarchies | None, person: str | None
) -> Any:
    """The data with the roles that are given, and for the other columns what is proposed."""
    from shoal.proposal.propose import propose  # it looks at all data, and few calls need it

    proposal = propose(data, roles=role_of)
    if person is not None:
        proposal.data = replace(proposal.data, person=person)
    for name, spec in specs_of(hierarchies, list(proposal.columns)).items():
        if name not in proposal.columns:
            raise InputError(f"read: hierarchies names '{name}'; {suggest_name(name, proposal.columns)}")
        proposal[name].hierarchy = cast(Hierarchy, spec)  # a file's path is read as in a configuration
    return proposal.read(as_proposed=True)


def _read_population(population: Any, missing: tuple[str, ...]) -> Path | Source | None:
    """The people of a population, as a file's path or read from a frame."""
    if population is None or isinstance(population, str | os.PathLike):
        return None if population is None else Path(population)
    return from_frame(population, missing=missing)


@says_arguments
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


def open_data(job: str, data: Any, options: dict[str, Any]) -> Any:
    """Data with roles: as `read` and `read_trees` give them, or a file, a frame or a proposal that is read here.

    What describes a file or a frame is taken out of `options`; what stays there is for the job.

    Raises
    ------
    InputError
        The data have no roles, or have them already and get them again.
    """
    is_read = hasattr(data, "inputs")
    as_proposed = options.pop("as_proposed", False)
    if not is_read and not isinstance(data, Proposal):
        _refuse_other_words(job, options)
        described = {name: options.pop(name) for name in _READ if _describes_data(name, options.get(name))}
        try:
            return read(data, as_proposed=as_proposed, **described)
        except InputError as error:
            if described or as_proposed:
                raise
            raise InputError(str(error).replace("read: ", f"{job}: ", 1)) from None
    for name in _READ:
        if name in (*USUAL_ROLES, "roles", "hierarchies", "person") and options.get(name) is not None:
            if name == "items" and isinstance(options[name], str):
                continue  # a parameter of methods for a table with baskets
            raise InputError(
                f"{job}: the data have their roles already; leave {name} out, or give the file or the frame itself"
            )
    if isinstance(data, Proposal):
        return data.read(as_proposed=as_proposed)
    return replace(data, as_proposed=True) if as_proposed else data


_OTHER_WORDS = {
    "quasi_identifiers": "quasi",
    "quasi_identifier": "quasi",
    "quasi_columns": "quasi",
    "quasis": "quasi",
    "qi": "quasi",
    "qis": "quasi",
    "qid": "quasi",
    "columns": "quasi",
    "sensitive_columns": "sensitive",
    "sensitive_attributes": "sensitive",
    "sa": "sensitive",
    "identifiers": "identifier",
    "ids": "identifier",
    "id": "identifier",
    "exclude": "drop",
    "ignore": "drop",
    "hierarchy": "hierarchies",
    "suppression": "suppress",
    "max_suppression": "suppress",
    "algorithm": "method",
}
"""What people who know other libraries call an argument, and what it is called here."""


def _refuse_other_words(job: str, options: Mapping[str, Any]) -> None:
    for name in options:
        if name in _OTHER_WORDS:
            raise InputError(f"{job}: there is no argument '{name}'; write {_OTHER_WORDS[name]}=...")


def _describes_data(name: str, value: Any) -> bool:
    """Whether an option that methods may have, too, speaks of the data: `allow` and `levels` of some are no names."""
    return value is not None and not (name in ("allow", "levels") and isinstance(value, bool | int))


@says_arguments
def anonymize(
    dataset: Any,
    k: int | None = None,
    *,
    l: int | None = None,
    t: float | None = None,
    m: int | None = None,
    n: int | None = None,
    method: MethodName | None = None,
    suppress: float | None = None,
    roles: Roles | None = None,
    quasi: Columns | None = None,
    sensitive: Columns | Mapping[str, Sequence[str]] | None = None,
    identifier: Columns | None = None,
    items: Columns | None = None,
    plain: Columns | None = None,
    drop: Columns | None = None,
    hierarchies: Hierarchies | None = None,
    person: str | None = None,
    as_proposed: bool = False,
    risk: float | None = None,
    average_risk: float | None = None,
    diversity: Literal["distinct", "entropy", "recursive"] | None = None,
    c: float | None = None,
    distance: Literal["equal", "ordered"] | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    likeness: Literal["basic", "enhanced"] | None = None,
    disclosure: float | None = None,
    of: Literal["households"] | None = None,
    k_map: int | None = None,
    presence: Sequence[float] | None = None,
    subsets: int | Sequence[Sequence[str]] | None = None,
    known_at_once: int | None = None,
    earlier: Iterable[str | os.PathLike[str]] = (),
    earlier_configs: Iterable[str | os.PathLike[str]] = (),
    invariant: bool = False,
    allow_empty: bool = False,
    seed: int | None = None,
    progress: Progress = no_progress,
    **options: Unpack[Options],
) -> Release:
    """Make a release of data about people, and judge it.

    Parameters
    ----------
    dataset
        A frame (pandas, polars, Arrow) or a file, with the roles of its columns; or what `read`, `read_trees` or
        `propose` returned.
    k, l, t, m, n
        The guarantee: everybody has k - 1 look-alikes; l different sensitive values among them, or a spread of values
        within t of that of all; the attacker knows m items, or m values and n relations of a record tree. What is not
        given is not promised, but m of a table with baskets is 2, and n of record trees 1.
    method
        The method's name; by default the best there is for the data's shape.
    suppress
        The share of records, or items, that may be left out; by default none, but what the method's page says.
    roles, quasi, sensitive, identifier, items, plain, drop, hierarchies, person, as_proposed
        What a frame or a file is, as `read` takes it. Every column needs a role: nothing is published by accident.
    risk, average_risk, diversity, c, distance, alpha, beta, likeness, disclosure
        Further parts of the guarantee, as the reference of claims has them.
    of, k_map, presence, subsets, known_at_once
        Who is counted, and what an attacker may know.
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
        The method's own parameters, and whatever else `read` takes of a file or a frame.

    Raises
    ------
    InputError
        A column has no role, or a number or a name is wrong; the message says what to write.
    InfeasibleError
        No release can meet the guarantee, alone or beside the earlier ones, or it would tell nothing; the message says
        what would help.
    RefusedError
        The method's result failed its judge.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"name": ["Ann", "Bob", "Cem", "Dea"], "age": [31, 34, 62, 65]})
    >>> release = anonymize(people, k=2, quasi="age", drop="name", hierarchies={"age": {"ranges": [10]}})
    >>> len(release), release.columns
    (4, ['age'])
    """
    described = {
        "roles": roles,
        "quasi": quasi,
        "sensitive": sensitive,
        "identifier": identifier,
        "items": items,
        "plain": plain,
        "drop": drop,
        "hierarchies": hierarchies,
        "person": person,
        "as_proposed": as_proposed,
    }
    guarantee = {
        "k": k,
        "l": l,
        "t": t,
        "m": m,
        "n": n,
        "risk": risk,
        "average_risk": average_risk,
        "diversity": diversity,
        "c": c,
        "distance": distance,
        "alpha": alpha,
        "beta": beta,
        "likeness": likeness,
        "disclosure": disclosure,
        "of": of,
        "k_map": k_map,
        "presence": presence,
        "subsets": subsets,
        "known_at_once": known_at_once,
    }
    given = {**described, **guarantee, "suppress": suppress, **options}
    dataset = open_data("anonymize", dataset, given)
    how = {"method": method, "seed": seed, "progress": progress, "allow_empty": allow_empty}
    arguments: dict[str, Any] = {**how, **_drop_unstated(given)}
    folders, configs = ([Path(path) for path in places] for places in (earlier, earlier_configs))
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


def _drop_unstated(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given: what is None is as if it were not."""
    return {name: value for name, value in options.items() if value is not None}


@says_arguments
def pareto(
    dataset: Any,
    *,
    k: int | None = None,
    m: int | None = None,
    l: int | None = None,
    method: Literal["pareto", "poka", "bound"] | None = None,
    suppress: float | None = None,
    progress: Progress = no_progress,
    **options: Unpack[DataOptions],
) -> Front | MixedFront:
    """Trace the least loss for every k, with one level per column, or of a table with baskets what its two parts lose.

    Parameters
    ----------
    dataset
        What `read` or `propose` returned, or a frame or a file with the roles of its columns, as `anonymize` takes
        them.
    k, m, l
        The claim, for a table with baskets alone: a table has a point for every k.
    method
        For a table "poka" takes the paper's search instead of the exact one.
    suppress
        The share of records that may be left out.
    progress
        A listener that is told how far the work is.
    options
        For a table `loss`, `target`, `per_node`, `seconds` are those of `shoal.algorithms.lattice.optimal`; for a table
        with baskets those of `shoal.algorithms.mixed.bound.tradeoff`. Roles and what else `read` takes.
    """
    given = {**options, "k": k, "m": m, "l": l, "suppress": suppress}
    dataset = open_data("pareto", dataset, given)
    return trace_front(dataset, method=method, progress=progress, **_drop_unstated(given))


@says_arguments
def compare(
    data: Any,
    *,
    k: Sweep | None = None,
    l: Sweep | None = None,
    m: Sweep | None = None,
    n: Sweep | None = None,
    t: float | None = None,
    delta: Sweep | None = None,
    suppress: Sweep | None = None,
    methods: Sequence[MethodName] | None = None,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    sample: int | None = None,
    target: str | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    attackers: bool | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Comparison:
    """Make a release with every method at every point of a sweep, judge each, measure it, and keep the figures alone.

    Parameters
    ----------
    data
        What `read`, `read_trees` or `propose` returned, or a frame or a file with the roles of its columns, as
        `anonymize` takes them.
    k, l, m, n, delta, suppress
        A number, a list or a text such as "2:100": each is swept.
    t
        Of t-closeness, one number.
    methods
        The methods; by default those that fit the data and the claim, each until it takes too long at a point.
    folder
        Where the results and the page are written at the end; the name must end in `.private`. By default they are
        written nowhere.
    force
        Replace a comparison that stands there.
    sample
        Compare on so many records, drawn at random.
    target
        A column to predict: releases are then made of 70% of the records, and models that learn from them are tested on
        the others. It needs the extra `ml`.
    jobs
        How many processes work at once; by default as many as there are cores.
    seconds
        A point that takes longer is a hole; by default 120 s where no methods are named, else no limit.
    seed
        For papers and tests only: the same random choices each time.
    attackers
        Whether whoever reads more from labels than they say is played on each release of a table; by default where the
        data are small.
    progress
        A listener that is told how far the work is.
    options
        Roles and what else `read` takes; further numbers of the guarantee, and parameters of methods, which every
        method that has them is given.

    Raises
    ------
    InputError
        A method, a number or the folder is wrong; the message says what to do.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 33, 38, 52, 57, 58]})
    >>> ages = {"age": {"ranges": [10, 40]}}
    >>> found = compare(people, quasi="age", hierarchies=ages, methods=["optimal", "mondrian"], k=[2, 3])
    >>> found.table()["status"].to_list()
    ['made', 'made', 'made', 'made']
    """
    given = {**options, "k": k, "l": l, "m": m, "n": n, "t": t, "delta": delta, "suppress": suppress}
    data = open_data("compare", data, given)
    return compare_methods(
        data,
        methods=methods,
        folder=folder,
        force=force,
        sample=sample,
        target=target,
        jobs=jobs,
        seconds=seconds,
        seed=seed,
        attackers=attackers,
        progress=progress,
        **_drop_unstated(given),
    )


@says_arguments
def judge(
    release: Release | Any,
    claim: Claim | None = None,
    *,
    quasi: Columns = (),
    sensitive: Columns = (),
    items: str = "items",
    hierarchies: Mapping[str, Hierarchy] | None = None,
    original: BasketData | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    person: str | None = None,
    known: Columns = (),
    **guarantee: Unpack[Guarantee],
) -> Verdict:
    """Judge a claim on a release, or on any frame of the shape that the claim speaks of.

    Parameters
    ----------
    release
        A `Release`, or a frame: with quasi-identifiers for a table, with a column of items for baskets, with both for a
        table with baskets, with a column `nodes` of JSON text, as `Release.data` has, for record trees.
    claim
        Any claim of `shoal`; or say its numbers, as `anonymize` takes them: `k=5, l=2`.
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
    guarantee
        The numbers of the claim, where no claim is given.

    Raises
    ------
    InputError
        The claim speaks of other data, a column is not there, a row names no person, or groups are none.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> bool(judge(pl.DataFrame({"age": ["30-39", "30-39"]}), shoal.KAnonymity(2), quasi=["age"]))
    True
    >>> bool(judge(pl.DataFrame({"age": ["30-39", "40-49"]}), k=2, quasi="age"))
    False
    >>> sold = pl.DataFrame({"items": [["ale", "pie"], ["ale", "pie"], ["ale"]]})
    >>> bool(judge(sold, shoal.KmAnonymity(2, 2)))
    True
    """
    quasi, sensitive, known = (
        [names] if isinstance(names, str) else list(names) for names in (quasi, sensitive, known)
    )
    claim = _claim_to_judge(release, claim, _drop_unstated(guarantee), quasi)
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
    columns = _roles_for_claim(claim, quasi, sensitive, items, known)
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


def _claim_to_judge(
    release: Any, claim: Claim | None, guarantee: Mapping[str, Any], quasi: Sequence[str]
) -> Claim | None:
    """The claim that is given, or the one of these numbers; of a release its own where nothing is given."""
    if claim is not None:
        if guarantee:
            raise InputError(f"judge: a claim and {next(iter(guarantee))} are given; leave one of them out")
        return claim
    if isinstance(release, Release):
        return make_claim(release.dataset.shape, **guarantee) if guarantee else release.claim
    if not guarantee:
        raise InputError(
            'judge: no claim is given; say what is to be judged, such as k=5 and quasi=["age", "sex"], or a claim such '
            "as shoal.KAnonymity(5)"
        )
    if not quasi and "m" not in guarantee:
        raise InputError(
            'judge: quasi is not given; name the columns that somebody may know of a person, such as quasi=["age"]'
        )
    shape = "table" if "m" not in guarantee else "mixed" if quasi else "baskets"
    return make_claim(shape, **guarantee)


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
