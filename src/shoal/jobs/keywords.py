"""What the functions of shoal take by name: types for completion and type checkers, and what columns are.

`Options` holds the parameters of every method and how `shoal.read` is told of data; a test compares it with both.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast, get_args

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.data import ROLE_WORDS, Role
from shoal.hierarchy import Hierarchy

__all__ = [
    "USUAL_ROLES",
    "Columns",
    "DataOptions",
    "Guarantee",
    "Hierarchies",
    "MethodName",
    "Options",
    "Roles",
    "Sweep",
    "refuse_two_readings",
    "role_of_each_column",
]

Columns = str | Iterable[str]
"""One column, or several."""

Roles = Mapping[str, str | Iterable[str]]
"""By column its role, or by role a list of its columns."""

Sweep = float | Sequence[float] | str
"""A number, a list of numbers, or a text such as "2:100"."""

USUAL_ROLES = ("quasi", "sensitive", "identifier", "items", "plain", "drop")
"""The roles whose columns may be given by an argument of their own."""

Hierarchies = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str] | Hierarchy | Mapping[str, Any]]
"""A folder of hierarchies, or by column a file, a hierarchy or a rule."""

MethodName = Literal[
    "optimal",
    "incognito",
    "pareto",
    "poka",
    "mstk",
    "mondrian",
    "kmember",
    "boxes",
    "column-cut",
    "blind",
    "mdav",
    "core",
    "blank",
    "nonreciprocal",
    "cahd",
    "apriori",
    "optimal-cut",
    "lra",
    "vpa",
    "pcta",
    "coat",
    "bound",
    "rfirst",
    "tfirst",
    "gcs",
    "acs",
    "ocs",
    "miracle",
]
"""Every method, as `shoal methods --all` lists them."""


class Guarantee(TypedDict, total=False):
    """The numbers that make a claim."""

    k: int | None
    l: int | None
    t: float | None
    m: int | None
    n: int | None
    risk: float | None
    average_risk: float | None
    alpha: float | None
    beta: float | None
    disclosure: float | None
    diversity: Literal["distinct", "entropy", "recursive"] | None
    c: float | None
    distance: Literal["equal", "ordered"] | None
    likeness: Literal["basic", "enhanced"] | None
    of: Literal["households"] | None
    k_map: int | None
    presence: Sequence[float] | None
    subsets: int | Sequence[Sequence[str]] | None
    known_at_once: int | None


class Options(TypedDict, total=False):
    """The parameters of methods, and of `shoal.read` where a file or a frame is given."""

    loss: Literal[
        "glm",
        "glm-geometric",
        "ncp",
        "il",
        "entropy",
        "precision",
        "height",
        "dm",
        "dm-star",
        "aecs",
        "c_avg",
        "ce",
        "ul",
    ]
    target: str
    seconds: float
    individual_risk: float
    minimal: bool
    per_node: bool
    d: int
    onward: bool
    recode: Literal["hierarchy", "range", "span", "mean", "median"]
    grid: float | Mapping[str, float]
    rule: Literal["walk", "paper"]
    resplit: bool
    fragment: int
    strict: bool
    improve: bool
    size: int
    balance: float
    sweeps: int
    levels: int | Mapping[str, int]
    count: Literal["alike", "argus"]
    tsp: Literal["greedy", "genetic", "none"]
    segment: int
    digits: Literal["even", "frequent", "rare", "numbered"]
    graph: Literal["auto", "ring", "blocks", "greedy"]
    walk: Literal["closed", "paper", "backtrack"]
    allow: bool | Sequence[str]
    absent: int
    insiders: int
    order: Literal["gray", "band", "dives", "cheapest"]
    parts: int
    utility: Sequence[Sequence[str]]
    weights: Mapping[str, float]
    privacy: Sequence[Sequence[str]]
    bound: Literal["table", "items"]
    merge: Literal["r", "t", "rt"]
    delta: float | Literal["knee"]
    look_back: bool
    clusters: Literal["paper", "kmember", "mstk"]
    nearness: Literal["btd", "exact"]
    g: int
    scope: Literal["class", "pair"]
    cost: Literal["rpd", "rpd-a", "ncp"]
    put_back: bool
    patience: int
    repeats: Literal["keep", "merge"]
    follow: Literal["all", "cheaper"]
    climit: int
    threshold: float
    importance: Mapping[str, float]
    separators: Mapping[str, str]
    delimiter: str
    encoding: str
    missing: Sequence[str]
    decimal: Literal[".", ","]
    thousands: str
    dates: Literal["day first", "month first"]
    sheet: str
    header: int | Sequence[int]
    skip: int | Sequence[int]
    last: int
    records: str
    values: Literal["labels", "codes"]
    codebook: Literal["public", "built"]
    table: str
    population: Any
    key: str | os.PathLike[str]
    domain: str
    shift: Mapping[str, int]
    hidden: Mapping[str, Sequence[str]]
    weight_release: str | Mapping[str, Any]


class DataOptions(Options, total=False):
    """The same, and what the columns of a file or a frame are."""

    roles: Roles | None
    quasi: Columns | None
    sensitive: Columns | Mapping[str, Sequence[str]] | None
    identifier: Columns | None
    items: Columns | None
    plain: Columns | None
    drop: Columns | None
    hierarchies: Hierarchies | None
    person: str | None
    as_proposed: bool


def role_of_each_column(
    job: str, roles: Roles | None, columns_of_role: Mapping[str, Columns | None]
) -> dict[str, Role]:
    """The role of each column that is named, in `roles` by column or by role, or in a list of its own.

    Raises
    ------
    InputError
        A role is unknown, a column has two, or what is given is neither names nor lists of names.

    Examples
    --------
    >>> role_of_each_column("read", {"quasi": ["age", "sex"], "name": "identifier"}, {"drop": "*"})
    {'age': 'quasi', 'sex': 'quasi', 'name': 'identifier', '*': 'drop'}
    """
    if roles is not None and not isinstance(roles, Mapping):
        raise InputError(
            f'{job}: roles is not a dict; write roles={{"age": "quasi"}}, or roles={{"quasi": ["age", "sex"]}}'
        )
    pairs: list[tuple[str, str]] = []
    for key, value in (roles or {}).items():
        if isinstance(value, str):
            pairs.append((str(key), _check_role(job, str(key), value)))
        else:
            role = _check_role(job, None, str(key))
            pairs += [(name, role) for name in _list_names(job, role, value)]
    for role, names in columns_of_role.items():
        if names is not None:
            pairs += [(name, role) for name in _list_names(job, role, names)]
    role_of: dict[str, str] = {}
    for name, role in pairs:
        if role_of.setdefault(name, role) != role:
            raise InputError(
                f"{job}: column '{name}' has two roles, {role_of[name]} and {role}; give it one of them"
            )
    return cast(dict[str, Role], role_of)


def refuse_two_readings(job: str, roles: Roles | None, columns: Iterable[str]) -> None:
    """Refuse an entry of `roles` that says something as column and role, and as role and column.

    >>> refuse_two_readings("read", {"sensitive": "quasi"}, ["sensitive", "age"])
    """
    names = set(columns)
    for key, value in (roles or {}).items():
        if (
            isinstance(value, str)
            and {key, value} <= names
            and {key, value} <= set(get_args(Role))
            and key != value
        ):
            raise InputError(
                f"{job}: roles={{'{key}': '{value}'}} can be read in two ways, for both are columns; write a list of "
                f"columns for each role, such as {{'{value}': ['{key}']}}"
            )


def _check_role(job: str, column: str | None, role: str) -> str:
    """Refuse what is no role; where column and role changed places, say how it is written."""
    if role in get_args(Role):
        return role
    if column in get_args(Role):
        raise InputError(
            f"{job}: '{role}' is no role; to name the columns of a role, give a list: roles={{'{column}': ['{role}']}}"
        )
    suggestion = suggest_name(role, get_args(Role), "use one of", ROLE_WORDS)
    if column is None:
        raise InputError(f"{job}: roles has lists of columns under '{role}', which is no role; {suggestion}")
    raise InputError(f"column '{column}': unknown role; {suggestion}")


def _list_names(job: str, role: str, names: Any) -> list[str]:
    """One name, or several, as a list."""
    if isinstance(names, str):
        return [names]
    if isinstance(names, Mapping) or not isinstance(names, Iterable):
        raise InputError(f"{job}: the columns with the role {role} are not names; give a list of names")
    return [str(name) for name in names]
