"""The configuration file: what the data and their columns are, what is promised, how it is made."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, get_args

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import RECODED, resolve_name, shape_of
from shoal.data import ROLE_WORDS, Role
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.files import BuiltFile
from shoal.io import settings
from shoal.io.codebooks import CODEBOOKS
from shoal.io.formats import (
    ABOUT,
    FORMATS,
    GROUP_FORMS,
    LABELLED,
    LINKED_FORMAT,
    NO_NODES_IN_CELLS,
    NUMBER_FORMS,
    REDACTORS,
    TREE_FORMATS,
    is_database,
)
from shoal.io.read.cells import SIGNS, normalize_pairs
from shoal.io.read.layout import KEYS, VALUES, Layout
from shoal.io.read.notation import ORDERS, THOUSANDS, Notation
from shoal.io.read.source import Source
from shoal.io.settings import ConfigSection, read_toml
from shoal.io.weight_release import KEYS as WEIGHT_KEYS
from shoal.io.weight_release import WeightRelease, read_weight_release

__all__ = [
    "BESIDE",
    "ENGINES",
    "REST",
    "REST_ONLY",
    "ColumnSpec",
    "Config",
    "Data",
    "HierarchySpec",
    "TreeSpec",
    "check",
    "check_hidden",
    "check_keyed",
    "check_weights",
    "hierarchy_spec",
    "layout_of",
    "load",
]

HierarchySpec = Path | BuiltFile | Hierarchy | Mapping[str, Any]


BESIDE = ("weight", "household", "text")
"""Roles of columns that serve something else than the release, or must be made fit for it first."""
ENGINES = ("local", "spark")
"""What may work on large data; the first is the usual one."""
REST = "*"
"""The name that stands for all columns that are not named."""
REST_ONLY = (
    '\'*\' stands for all columns that are not named, and takes "drop" or "identifier" only; give each column that '
    "is published its own role"
)
_BARE: Mapping[str, tuple[tuple[str, ...], str]] = {
    "weight": (("allow", *WEIGHT_KEYS), "a sampling weight; it takes release and its keys, or allow = true"),
    "household": ((), "a household, which is never published; remove it"),
    "pseudonym": (("missing",), "a pseudonym, which shows nothing of its value; remove it"),
    "text": (("redact",), 'free text; it takes redact = "presidio" or nothing'),
}
"""Of roles that take few keys beside the role itself: these keys, and what is said of others."""
_LONG_TABLE = ("path", "table", "key", "item")
_LOCAL = re.compile(
    r"^((?:sqlite|duckdb)[^:]*:///)(?![/:]|[A-Za-z]:)"
)  # a file, relative to the configuration's


def hierarchy_spec(name: str, given: Any, folder: Path) -> HierarchySpec:
    """What is said of a hierarchy, its paths resolved against `folder`: `{ file = "...", built = true }` is a file's.

    In a mapping of groups, a group called `file` is a list or a table.

    Raises
    ------
    InputError
        Something else stands beside a file.
    """
    if isinstance(given, str):
        return folder / given
    if isinstance(given, Mapping) and isinstance(given.get("file"), str):
        built = given.get("built", False)
        if set(given) - {"file", "built"} or not isinstance(built, bool):
            raise InputError(
                f"hierarchy '{name}': a file is written as {{ file = \"...\" }}, with built = true where it was made "
                "from the data"
            )
        path = folder / given["file"]
        return BuiltFile(path) if built else path
    spec: HierarchySpec = given
    return spec


@dataclass(frozen=True, slots=True, repr=False)
class TreeSpec(SafeRepr):
    """How record trees are read, and what their classes are.

    person : of tables, the one with one row per person
    keys   : of tables, "table.column" to "table.column": foreign keys, in place of those that a database states
    drop   : dotted paths that are left out
    heads  : by dotted path of an object, the field that stands above its other fields
    sensitive   : the class that must not be linked to anybody
    hierarchies : by class, a file's path or the recipe to build one
    negations   : classes whose absence the attacker may know
    identifier  : the field that says who a record is; it is checked for repeats and left out
    notation    : how writings of numbers and dates are meant that can be read in two ways; None leaves all as written
    repeats     : "keep" leaves equal siblings apart and the fields of a row together; "merge" makes equal siblings one;
                  None keeps what came as rows of tables or as arrays of objects
    text        : dotted paths of free text, which is left out and counted
    """

    person: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    sensitive: str | None = None
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    negations: Sequence[str] = ()
    identifier: str | None = None
    notation: Notation | None = field(default_factory=Notation)
    repeats: str | None = None
    text: Sequence[str] = ()

    @property
    def left_out(self) -> frozenset[str]:
        """The dotted paths that are left out, whatever the reason."""
        return frozenset((*self.drop, *self.text))

    def keeps(self, rows: bool) -> bool:
        """Whether equal siblings stay apart, and rows stay rows; `rows` says whether records came with any."""
        return rows if self.repeats is None else self.repeats == "keep"

    def spelled(self, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Values as (class, value), numbers and dates in one writing; a declared hierarchy keeps its spelling.

        One that was built, which is not public, was built over values in that writing.
        """
        if self.notation is None:
            return pairs
        declared_kinds = [
            kind
            for kind, spec in self.hierarchies.items()
            if not isinstance(spec, Mapping | BuiltFile) and getattr(spec, "public", True)
        ]
        return normalize_pairs(pairs, declared_kinds, self.notation)


@dataclass(frozen=True, slots=True, repr=False)
class Data(SafeRepr):
    """Where the records are: a file, or a table of a database."""

    path: Path | None = None
    url: str | None = None
    table: str | None = None
    person: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ("",)
    decimal: str = "."
    thousands: str | None = None
    dates: str | None = None
    layout: Layout = field(default_factory=Layout)

    @property
    def notation(self) -> Notation:
        """How writings of numbers and dates are meant that can be read in two ways."""
        return Notation(self.decimal, self.thousands, self.dates)


@dataclass(frozen=True, slots=True, repr=False)
class ColumnSpec(SafeRepr):
    """What is said of one column; a hierarchy is a file's path or the recipe to build one, in Python one that is built.

    A plain or sensitive column is published at the fixed `level` of its hierarchy, a quasi-identifier at it or above.
    An identifier that is `shared` is
    one that different people have in common, such as a name: it never leaves, and its repeats say nothing.

    Texts that mean "no value" in this column alone are `missing`, beside those of [data].

    Method blank spares a quasi-identifier by its `importance`: cells of one with 2 count as much as two others.

    Free text is left out, and with `redact` published as that program leaves it.

    A sampling weight is left out; with `allow` it is published as it is, with `release` as that and `base`, `classes`,
    `margins` and `total` say. A `household` says who lives together and never leaves. A `pseudonym`
    is published as a keyed token.

    Of those who look alike, at most a share may have one of the `hidden` values of a sensitive column.

    Dates of a column with `shift` are moved by up to so many days, one number of days for each person.

    Items may stand in a long table, one row per item: in the file `path` or in `table` of the database, where `key`
    names a person and `item` an item.
    """

    role: Role
    hierarchy: HierarchySpec | None = None
    weight: float = 1.0
    separator: str | None = None
    sensitive: tuple[str, ...] = ()
    allow: bool = False
    level: int | None = None
    path: Path | None = None
    table: str | None = None
    key: str | None = None
    item: str | None = None
    shared: bool = False
    missing: tuple[str, ...] = ()
    importance: float = 1.0
    shift: int | None = None
    redact: str | None = None
    hidden: tuple[str, ...] = ()
    release: str | None = None
    base: float | None = None
    classes: int | None = None
    margins: tuple[str | tuple[str, ...], ...] | None = None
    total: float | None = None

    @property
    def weight_release(self) -> WeightRelease | None:
        """How a sampling weight is published; None where it is not, or as it is."""
        values = {key: value for key in WEIGHT_KEYS if (value := getattr(self, key)) is not None}
        return read_weight_release("columns", values)

    @property
    def released_as(self) -> Role:
        """The role that a release knows it by: a sampling weight is left out, or is plain where it is published."""
        if self.role not in BESIDE:
            return self.role
        is_published = (
            self.allow or self.release is not None
            if self.role == "weight"
            else self.role == "text" and self.redact is not None
        )
        return "plain" if is_published else "drop"

    @property
    def recoded_by(self) -> HierarchySpec | None:
        """The hierarchy along which a method recodes; a column at a fixed level is not recoded."""
        return self.hierarchy if self.level is None else None

    @property
    def in_long_table(self) -> bool:
        """Whether the items stand in a long table of their own."""
        return self.path is not None or self.table is not None


@dataclass(frozen=True, slots=True, repr=False)
class Config(SafeRepr):
    """A whole configuration; `folder` is the file's own, against which its paths were resolved.

    `population` is how many people the records were drawn from, `public` are such people themselves. `blanks` says
    whether figures of risk take a blank cell for a value of its own ("own") or let it fit every value ("any").
    `control` is the share of the people who are held back from a throw-away release, as a control group of attackers.
    `preset` names rules of a law or an office that the release must keep beside its claim.
    `key` is the file of the key that makes pseudonyms and shifts dates; None is the one of the environment. `domain` is
    what pseudonyms are bound to, drawn anew for each release where it is None, and `day` the one that a release is of.
    `part` is how many records a part has where data come in parts; None where their size decides whether they do.
    `engine` is what works on them.
    """

    folder: Path
    data: Data
    columns: dict[str, ColumnSpec] = field(default_factory=dict)
    guarantee: dict[str, Any] = field(default_factory=dict)
    method: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    format: str | None = "csv"
    tree: TreeSpec | None = None
    rows: bool | None = None
    target: str | None = None
    population: int | None = None
    public: Path | Source | None = None
    about: dict[str, str] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)
    groups: str = "file"
    numbers: str = "groups"
    blanks: str = "own"
    control: float | None = None
    preset: str | None = None
    key: Path | None = None
    domain: str | None = None
    day: date | None = None
    part: int | None = None
    engine: str = "local"
    tables: bool = False

    @property
    def recode(self) -> dict[str, str]:
        """What methods that can choose are told of how numbers are written; empty where nothing is said."""
        return {"recode": "range"} if self.numbers == NUMBER_FORMS[1] else {}

    @property
    def pseudonyms(self) -> list[str]:
        """The columns that are published as pseudonyms."""
        return [name for name, spec in self.columns.items() if spec.role == "pseudonym"]

    @property
    def values_to_hide(self) -> dict[str, tuple[str, ...]]:
        """Every sensitive column with its hidden values; empty where no column names any."""
        values = {name: spec.hidden for name, spec in self.columns.items() if spec.role == "sensitive"}
        return values if any(values.values()) else {}

    @property
    def shifted(self) -> dict[str, int]:
        """The columns whose dates are shifted, and by how many days at most."""
        return {name: spec.shift for name, spec in self.columns.items() if spec.shift is not None}

    @property
    def shape(self) -> str:
        """What the data are, by the roles of their columns alone."""
        return shape_of({spec.role for spec in self.columns.values()} if self.tree is None else {"tree"})


def load(path: str | Path) -> Config:
    """Read and check a configuration file; every fault is one sentence with section and key.

    Raises
    ------
    InputError
        The file cannot be had, is not TOML, or holds a section, key or value that means nothing.
    """
    path = Path(path)
    return check(read_toml(path), folder=path.parent.resolve(), name=path.name)


def check(raw: Mapping[str, Any], *, folder: Path, name: str = "configuration") -> Config:
    """Check a configuration that is at hand as data, as TOML or JSON would give it.

    Parameters
    ----------
    raw
        Sections by name, each with its keys.
    folder
        What relative paths are resolved against.
    name
        What messages call it.

    Raises
    ------
    InputError
        A section, key or value means nothing.
    """
    top = ConfigSection(name, "", raw)
    top.only(
        "data",
        "columns",
        "guarantee",
        "population",
        "method",
        "release",
        "audit",
        "tree",
        "undecided",
        "engine",
    )
    engine = top.section("engine")
    engine.only("name", "part")
    data = _read_data(top.section("data"), folder)
    columns, method, release, audit = (top.section(key) for key in ("columns", "method", "release", "audit"))
    release.only("format", "rows", "groups", "numbers", "tables", "preset", "domain", *ABOUT)
    audit.only("target", "population", "missing", "control")
    people = top.section("population")
    people.only("path", "size")
    if people.values and "population" in audit.values:
        people.fail("[audit] has a population, too; take that out, and give its number as 'size' here")
    public = people.take("path", settings.text)
    tree = _read_tree_spec(top.section("tree"), folder) if "tree" in raw else None
    if tree is None and not columns.values:
        raise InputError(f"{name}: no [columns]; give every column of the data a role")
    if tree is not None and (columns.values or data.table or data.person):
        raise InputError(
            f"{name}: [tree] says what the fields are and which table holds persons; "
            "leave out [columns], and 'table' and 'person' of [data]"
        )
    formats = FORMATS if tree is None else (*TREE_FORMATS, LINKED_FORMAT)
    if "hidden" in top.section("guarantee").values:
        top.section("guarantee").fail(
            "'hidden' is said of a column; write it into [columns], as ill = { role = \"sensitive\", hidden = "
            '["yes"] }'
        )
    if tree is not None and release.values.get("format") == "csv":
        release.fail(f"'format': {NO_NODES_IN_CELLS}")
    specs = {column: _read_column_spec(columns, column, folder) for column in columns.values}
    domain = release.take("domain", settings.text)
    data = check_keyed(name, data, specs, domain) if tree is None else data
    items = any(spec.role == "items" for spec in specs.values())
    check_hidden(name, specs)
    check_weights(name, data, specs)
    _check_known(columns, specs, top.section("guarantee").values)
    if "groups" in release.values and not items:
        release.fail("'groups' says how baskets are written, and no column has the role items; leave it out")
    if "numbers" in release.values and (tree is not None or items):
        release.fail("'numbers' says how numbers of a table are written; leave it out")
    if "tables" in release.values and (tree is not None or items):
        release.fail("'tables' asks for groups of a table's columns that do not overlap; leave it out")
    if release.values.get("format") in LABELLED and items:
        release.fail("'format' must be csv, parquet or ndjson: a file with labels holds no baskets")
    return Config(
        folder,
        data,
        specs,
        dict(top.section("guarantee").values),
        method.take("name", settings.text),
        {key: value for key, value in method.values.items() if key != "name"},
        release.take("format", settings.require_choice(*formats)) or (formats[0] if tree is None else None),
        tree,
        release.take("rows", settings.switch),
        audit.take("target", settings.text),
        audit.take("population", settings.whole) or people.take("size", settings.whole),
        None if public is None else folder / public,
        {key: text for key in ABOUT if (text := release.take(key, settings.text))},
        _read_undecided(top.section("undecided"), columns.values if tree is None else None),
        release.take("groups", settings.require_choice(*GROUP_FORMS)) or GROUP_FORMS[0],
        release.take("numbers", settings.require_choice(*NUMBER_FORMS)) or NUMBER_FORMS[0],
        audit.take("missing", settings.require_choice("own", "any")) or "own",
        audit.take("control", settings.share),
        release.take("preset", settings.text),
        domain=domain,
        part=engine.take("part", settings.whole),
        engine=engine.take("name", settings.require_choice(*ENGINES)) or ENGINES[0],
        tables=release.take("tables", settings.switch) or False,
    )


def _check_known(
    columns: ConfigSection, specs: Mapping[str, ColumnSpec], guarantee: Mapping[str, Any]
) -> None:
    """Known columns are for tables, and go with how many of them somebody may know at once."""
    known = next((name for name, spec in specs.items() if spec.role == "known"), None)
    if known is None:
        if "known_at_once" in guarantee:
            columns.fail(
                "[guarantee] has known_at_once, and no column has the role known; give it to one, or leave it out"
            )
        return
    if any(spec.role in ("items", "pseudonym") for spec in specs.values()):
        columns.fail(
            f"'{known}' has the role known, which is for tables without items and pseudonyms; make it quasi or drop it"
        )
    if guarantee and "known_at_once" not in guarantee:
        columns.fail(
            f"'{known}' has the role known, and [guarantee] lacks known_at_once: how many such columns somebody may "
            "know at once"
        )


def check_keyed(where: str, data: Data, columns: Mapping[str, ColumnSpec], domain: str | None) -> Data:
    """Check what needs a key, and let a pseudonym say whom a row belongs to where nothing else does.

    Raises
    ------
    InputError
        There are two pseudonyms, or one of them beside items; or a shift has nobody to be of, or is two.
    """
    pseudonyms = [name for name, spec in columns.items() if spec.role == "pseudonym"]
    shifts = {name: spec.shift for name, spec in columns.items() if spec.shift is not None}
    items = any(spec.role == "items" for spec in columns.values())
    person = data.person or next(iter(pseudonyms), None)
    fault = None
    if len(pseudonyms) > 1:
        fault = (
            f"'{pseudonyms[0]}' and '{pseudonyms[1]}' are pseudonyms, and a table has one at most; make one "
            "an identifier"
        )
    elif pseudonyms and items:
        fault = (
            f"'{pseudonyms[0]}' is a pseudonym, and these are for tables without items; make it an identifier"
        )
    elif domain is not None and not pseudonyms:
        fault = "'domain' is what pseudonyms are bound to, and no column has that role; leave it out"
    elif domain is not None and (requirement := settings.some_text(domain)):
        fault = f"'domain' must be {requirement}"
    elif shifts and person is None:
        fault = f"'{next(iter(shifts))}' has a shift, which a person has; say in [data] which column is the person"
    elif len(set(shifts.values())) > 1:
        first_column, second_column = list(shifts)[:2]
        fault = (
            f"'{first_column}' and '{second_column}' have different shifts, and a person has one; give both "
            "the same number of days"
        )
    for name, days in shifts.items():
        if columns[name].role not in (*RECODED, "sensitive", "plain"):
            fault = f"'{name}' has a shift, which moves published dates; make the role quasi, known, sensitive or plain"
        elif requirement := settings.days(days):
            fault = f"'{name}': shift must be {requirement}"
        elif items:
            fault = f"'{name}' has a shift, and these are for tables without items; leave it out"
    if fault is not None:
        raise InputError(f"{where}: {fault}")
    return replace(data, person=person)


def check_hidden(where: str, columns: Mapping[str, ColumnSpec]) -> None:
    """Refuse hidden values of columns that are not sensitive, or of data with items.

    Raises
    ------
    InputError
        There are some.
    """
    items = any(spec.role == "items" for spec in columns.values())
    for name, spec in columns.items():
        if not spec.hidden:
            continue
        if spec.role != "sensitive":
            raise InputError(
                f"{where}: '{name}' has hidden values, which are those of sensitive columns; make the role sensitive, "
                "or leave hidden out"
            )
        if items:
            raise InputError(
                f"{where}: '{name}' has hidden values, and these are for tables without items; leave hidden out"
            )


def check_weights(where: str, data: Data, columns: Mapping[str, ColumnSpec]) -> None:
    """Refuse a weight that is published where rows are not people, or that keeps totals of what is not published.

    Raises
    ------
    InputError
        There is one.
    """
    for name, spec in columns.items():
        how = spec.weight_release if spec.role == "weight" else None
        if how is None:
            continue
        if any(other.role == "items" for other in columns.values()):
            raise InputError(
                f"{where}: '{name}' is a weight with release, and these are for tables without items; leave release out"
            )
        if data.person is not None:
            raise InputError(
                f"{where}: '{name}' is a weight with release, and these are for one row a person; leave release out, "
                "or give everybody one row"
            )
        for other in dict.fromkeys(column for margin in how.margins for column in margin):
            if other not in columns or columns[other].role not in RECODED:
                raise InputError(
                    f"{where}: '{name}' keeps totals by '{other}', which is no quasi-identifier; name columns of the "
                    "role quasi as margins"
                )


def _read_undecided(section: ConfigSection, columns: Mapping[str, Any] | None) -> dict[str, str]:
    """What nobody has decided yet, and why; of record trees any field."""
    for name in section.values:
        if columns is not None and name not in columns and name != settings.WHOLE_FILE:
            section.fail(f"'{name}' is not a column in [columns]; remove the line")
    return {name: section.take(name, settings.text) for name in section.values}


_DATA: dict[str, settings.Check] = {
    **dict.fromkeys(("path", "url", "table", "person", "delimiter", "encoding"), settings.text),
    "missing": settings.texts,
    "decimal": settings.require_choice(*SIGNS),
    "thousands": settings.require_choice(*THOUSANDS),
    "dates": settings.require_choice(*ORDERS),
}
"""The keys of [data] beside those of a layout."""


def _read_data(section: ConfigSection, folder: Path) -> Data:
    values = section.given(_DATA, *KEYS)
    if ("path" in values) == ("url" in values):
        section.fail("give either 'path', a file, or 'url', a database")
    if "table" in values and "url" not in values and not is_database(values["path"]):
        section.fail("'table' is for databases; give a 'url' too, or leave it out")
    if values.get("thousands") == values.get("decimal", SIGNS[0]):
        section.fail(
            "'thousands' and 'decimal' are the same sign; give the one that stands before decimals as 'decimal'"
        )
    if "url" in values:
        if any(key in section.values for key in KEYS):
            section.fail(
                f"{', '.join(KEYS)} say where a table stands in a file and what its codes are; leave them out for a "
                "database"
            )
        values["url"] = _LOCAL.sub(lambda found: f"{found[1]}{folder}/", values["url"])
    else:
        values["path"] = folder / values["path"]
    if "missing" in values:
        values["missing"] = tuple(values["missing"])
    return Data(**values, layout=layout_of(section.values, section.file))


_READING = (*KEYS, "missing", "decimal", "thousands", "dates")
"""The keys of [data] that say where a table stands in its file and how its cells are written."""


def parse_reading_keys(values: Mapping[str, Any], path: Path) -> Data:
    """How a file is read where some keys of `_READING` are known.

    Raises
    ------
    InputError
        A key is none of them, or its value means nothing.
    """
    ConfigSection(path.name, "data", values).only(*_READING)
    return _read_data(ConfigSection(path.name, "data", {**values, "path": path.name}), path.parent)


def layout_of(values: Mapping[str, Any], name: str) -> Layout:
    """Where a table stands in its file, by the keys that say so.

    Raises
    ------
    InputError
        A value means nothing.
    """
    section = ConfigSection(name, "data", values)
    header = section.take("header", settings.row_or_rows)
    skip = section.take("skip", lambda value: None if value == [] else settings.row_or_rows(value))
    rows = () if header is None else (header,) if isinstance(header, int) else tuple(header)
    if list(rows) != sorted({*rows}):
        section.fail("header: name its rows from the upper to the lower, each once")
    last_row = section.take("last", settings.row)
    if last_row is not None and rows and last_row <= rows[-1]:
        section.fail("'last' is the last row of the table and stands below its header; correct one of them")
    return Layout(
        section.take("sheet", settings.text),
        rows,
        tuple(skip) if isinstance(skip, list | tuple) else skip,
        last_row,
        section.take("records", settings.text),
        section.take("values", settings.require_choice(*VALUES)),
        section.take("codebook", settings.require_choice(*CODEBOOKS)),
    )


def _read_column_spec(columns: ConfigSection, name: str, folder: Path) -> ColumnSpec:
    role_or_table = columns.take(name, _role_or_table)
    if name == REST and role_or_table not in ("drop", "identifier", {"role": "drop"}, {"role": "identifier"}):
        columns.fail(REST_ONLY)
    values = {"role": role_or_table} if isinstance(role_or_table, str) else role_or_table
    section = ConfigSection(columns.file, f"{columns.name}.{name}", values)
    section.only(*_COLUMN)
    role = section.take("role", _COLUMN["role"])
    if role is None:
        section.fail(f"no role; give one of {', '.join(get_args(Role))}")
    allowed_keys, description = _BARE.get(role, (tuple(_COLUMN), ""))
    if extra_keys := [key for key in values if key not in ("role", *allowed_keys)]:
        section.fail(f"'{extra_keys[0]}' means nothing for {description}")  # before what is wrong with it
    fields = section.given(_COLUMN)
    if "redact" in fields and role != "text":
        section.fail("'redact' is for free text; make the role text or leave it out")
    if fields.get("shared") and role != "identifier":
        section.fail("'shared' is for identifiers that several people have in common; leave it out")
    if "importance" in fields and role != "quasi":
        section.fail("'importance' says which quasi-identifiers are spared by method blank; leave it out")
    _check_long_table(section, role, [key for key in _LONG_TABLE if key in fields])
    weight_keys = {key: fields[key] for key in WEIGHT_KEYS if key in fields}
    if weight_keys and role != "weight":
        section.fail(f"'{next(iter(weight_keys))}' says how a sampling weight is published; leave it out")
    read_weight_release(f"{section.file}, [{section.name}]", weight_keys)
    if fields.get("allow") and "release" in fields:
        section.fail("'allow' publishes a weight as it is, and 'release' otherwise; leave one of them out")
    fields |= {key: float(fields[key]) for key in ("weight", "importance") if key in fields}
    if fields.get("hidden") == []:
        section.fail("'hidden' lists no value; name the values to hide, or leave it out")
    fields |= {
        key: tuple(fields[key]) for key in ("sensitive", "missing", "hidden", "margins") if key in fields
    }
    if "path" in fields:
        fields["path"] = folder / fields["path"]
    if "hierarchy" in fields:
        fields["hierarchy"] = hierarchy_spec(name, fields["hierarchy"], folder)
    return ColumnSpec(**fields)


def _check_long_table(section: ConfigSection, role: str, given: list[str]) -> None:
    """A long table needs a place, an owner and an item."""
    if not given:
        return
    if role != "items":
        section.fail(f"'{given[0]}' is for items in a long table; make the role items or leave it out")
    if ("path" in given) == ("table" in given) or not {"key", "item"} <= set(given):
        section.fail(
            "a long table needs 'path' or 'table', 'key' (the column that says whom a row belongs to) and 'item'"
        )


def _read_tree_spec(section: ConfigSection, folder: Path) -> TreeSpec:
    section.only(
        "person", "identifier", "keys", "drop", "text", "heads", "hierarchies", "sensitive", "negations"
    )
    keys, heads, trees = (section.section(key) for key in ("keys", "heads", "hierarchies"))
    hierarchies = {name: trees.take(name, _path_or_recipe) for name in trees.values}
    return TreeSpec(
        section.take("person", settings.text),
        {name: keys.take(name, settings.text) for name in keys.values},
        tuple(section.take("drop", settings.texts) or ()),
        {name: heads.take(name, settings.text) for name in heads.values},
        section.take("sensitive", settings.text),
        {name: hierarchy_spec(name, spec, folder) for name, spec in hierarchies.items() if spec is not None},
        tuple(section.take("negations", settings.texts) or ()),
        section.take("identifier", settings.text),
        text=tuple(section.take("text", settings.texts) or ()),
    )


_role_or_table = settings.require_key(
    'a role or a table such as { role = "quasi" }', lambda value: isinstance(value, str | dict)
)
_path_or_recipe = settings.require_key(
    'a file\'s path or a recipe such as { mask = "right" }',
    lambda value: isinstance(value, str | dict) and bool(value),
)


def _check_role(value: Any) -> str | None:
    roles = get_args(Role)
    if value in roles:
        return None
    near = resolve_name(value, ROLE_WORDS, roles)
    return f"one of {', '.join(roles)}" + ("" if near is None else f"; did you mean '{near}'?")


_COLUMN: dict[str, settings.Check] = {
    "role": _check_role,
    "hierarchy": _path_or_recipe,
    "weight": settings.positive,
    "separator": settings.text,
    "sensitive": settings.texts,
    "allow": settings.switch,
    "level": settings.whole,
    "missing": settings.texts,
    "shared": settings.switch,
    "importance": settings.positive,
    "shift": settings.whole,
    "redact": settings.require_choice(*REDACTORS),
    "hidden": settings.texts,
    **WEIGHT_KEYS,
    **dict.fromkeys(_LONG_TABLE, settings.text),
}
"""What may be said of a column."""
