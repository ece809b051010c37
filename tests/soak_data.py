"""Small data sets of every shape, drawn from a numpy Generator, with every corner that ever hurt.

Missing values, one value only, all values different, ties, several rows per person, empty baskets and trees, sensitive
values in several spellings, one record, fewer records than k, weights, hierarchies that are built or given and of
unequal depth, unicode, texts like formulas and like numbers.
"""

import warnings
from collections import Counter
from dataclasses import dataclass, field, replace

import polars as pl

import naive_reading
import shoal
from naive_written import MISSING, spelled

POOLS = (
    ("a", "b", "c", "d", "e", "f"),
    ("3", "7", "12", "18", "25", "31", "40"),
    ("é", "é", "ß", "SS", "İ", "中文", "🐟"),
    ("=1+1", "+a", "-x", "@cmd", "'=q", "-5", "\tt"),
    ("01", "1.0", "1e3", "1", "1.50", "007"),
    ("a b", 'say "x"', "a,b", "a;b", "[1, 2]", '["a"]', "null", "*a"),
    ("1010", "1011", "1020", "2010", "2011", "20"),
)
SPELLINGS = (
    ("HIV", "hiv", " Hiv", "flu", "gout"),
    ("1", "1.0", "2", "3", "10"),
    ("flu", "gout", "cold", "=ill", "ﬂu", "x"),
    ("flu", "Flu "),
    ("a", "b", "c", "d", "e", "f", "g", "h"),
)
WARDS, ILLS = ("n1", "n2", "s1", "=s2", "ö"), ("flu", "gout", "HIV", "+x", "cold", "Flu ")
SEXES, TOWNS = ("f", "m", "1.0"), ("01", "02", "10", "中")
DRUGS, DOSES = ("asp", "ibu", "asp "), ("1", "2", "1.0")
HEADS = {"visits": "ward", "visits.drugs": "name"}


@dataclass(frozen=True)
class Drawn:
    """A data set as people bring it, and in plain words.

    data      : what `shoal.read` or `shoal.read_trees` returns
    originals : its rows, or record trees, as `naive_reading` has them
    again     : draws other people with the same columns and hierarchies, from another Generator
    """

    data: object
    originals: list
    quasi: tuple = ()
    sensitive: tuple = ()
    persons: list | None = None
    secrets: frozenset = frozenset()
    secret: str | None = None
    negations: tuple = ()
    again: object = field(default=None, repr=False)

    @property
    def heads(self):
        """How many people there are."""
        return len(self.originals) if self.persons is None else len(set(self.persons))


def _pick(rng, some):
    return some[int(rng.integers(len(some)))]


def _size(rng, most):
    """A number of records: often few, sometimes one."""
    return _pick(rng, (1, 2, 3, *range(4, most + 1), *range(6, most + 1), *range(8, most + 1)))


def _cells(rng, n, values, missing=0.0):
    """Cells of a column: one value, all different, few values with ties, or one frequent value."""
    values = [values[i] for i in rng.permutation(len(values))]
    how = int(rng.integers(5))
    if how == 0:
        found = [values[0]] * n
    elif how == 1:
        found = [values[i % len(values)] for i in range(n)]
    elif how == 2:
        found = [values[0] if rng.random() < 0.8 else _pick(rng, values) for _ in range(n)]
    else:
        found = [_pick(rng, values[: how + 1]) for _ in range(n)]
    return [None if i and rng.random() < missing else cell for i, cell in enumerate(found)]  # not all of them


def _paths(rng, leaves):
    """A hierarchy of one to three levels above the leaves; a short path repeats its leaf."""
    paths = [[leaf] for leaf in leaves]
    for level in range(int(rng.integers(3))):
        groups = int(rng.integers(1, 4))
        above = {}
        for path in paths:
            if path[-1] not in above:
                stays = len(path) == level + 1 == 1 and rng.random() < 0.2
                above[path[-1]] = path[-1] if stays else f"{level}g{rng.integers(groups)}"
        for path in paths:
            path.append(above[path[-1]])
    return [[*path, "*"] for path in paths]


def _hierarchy(rng, name, pool):
    """A rule to build a hierarchy by, a given one, or none."""
    kinds = ["given"] * 3 + ["fanout", "none"]
    kinds += ["ranges"] * 2 if pool == POOLS[1] else []
    kinds += ["mask"] * 2 if pool == POOLS[6] else []
    kind = _pick(rng, kinds)
    if kind == "given":
        return shoal.Hierarchy.from_paths(name, _paths(rng, pool + (MISSING,) * (rng.random() < 0.3)))
    return {
        "fanout": {"fanout": int(rng.integers(2, 4))},
        "none": None,
        "ranges": {"ranges": [10, 20]},
        "mask": {"mask": "right"},
    }[kind]


def paths_of(data):
    """By column or class of a data set, its hierarchy as paths from leaf to root; the leaf of empty cells is None."""
    people = getattr(data, "people", data)
    found = dict(getattr(people, "hierarchies", {}))
    if hasattr(data, "hierarchy"):
        found["items"] = data.hierarchy
    return {name: _plain(one) for name, one in found.items()}


def _plain(hierarchy):
    found = []
    for code in range(len(hierarchy.leaves)):
        path = [labels[node] for labels, node in zip(hierarchy.labels, hierarchy.up[code], strict=True)]
        found.append([None, *path[1:]] if code == hierarchy.missing else path)
    return found


@dataclass(frozen=True)
class _Columns:
    """What is the same for all people: the columns, their hierarchies, who is counted.

    numbers, questions : the quasi-identifiers that come as numbers, and those whose empty cells are a "?"
    """

    quasi: dict
    rules: dict
    sensitive: dict
    weights: dict
    persons: bool
    items: tuple = ()
    secrets: int = 0
    numbers: tuple = ()
    questions: tuple = ()


def _columns(rng, family):
    """Draw the columns that a family of data sets has."""
    with_quasi, with_items = family in ("table", "mixed"), family != "table"
    quasi = {f"q{j}": _pick(rng, POOLS) for j in range(int(rng.integers(1, 4)))} if with_quasi else {}
    rules = {name: _hierarchy(rng, name, pool) for name, pool in quasi.items()}
    ills = {f"s{j}": _pick(rng, SPELLINGS) for j in range(1 + int(family == "table" and rng.random() < 0.3))}
    items = _pick(rng, POOLS[:1] + POOLS[2:6])[: int(rng.integers(3, 7))] if with_items else ()
    if items:
        rules["items"] = _pick(rng, (shoal.Hierarchy.from_paths("items", _paths(rng, items)), {"fanout": 2}))
    weighted = rng.random() < 0.3
    return _Columns(
        quasi,
        {name: rule for name, rule in rules.items() if rule is not None},
        ills if family in ("table", "labelled") else {},
        {name: float(_pick(rng, (0.5, 1, 3))) for name in quasi} if weighted else {},
        family == "table" and rng.random() < 0.25,
        items,
        int(rng.integers(1, 3)) if with_items and family != "labelled" else 0,
        tuple(name for name, pool in quasi.items() if pool == POOLS[1] and rng.random() < 0.3),
        tuple(name for name, pool in quasi.items() if pool != POOLS[1] and rng.random() < 0.3),
    )


def _table_or_baskets(rng, columns, family):
    n = _size(rng, 12)
    missing = _pick(rng, (0, 0, 0.15))
    cells = {name: _cells(rng, n, pool, missing) for name, pool in columns.quasi.items()}
    if columns.items:
        chances = [1 / (1 + 1.5 * j) for j in rng.permutation(len(columns.items))]
        cells["items"] = [
            [item for item, chance in zip(columns.items, chances, strict=True) if rng.random() < chance][:4]
            for _ in range(n)
        ]
        cells["items"][0] += cells["items"][0][:1]  # an item may come twice
    secrets = _secrets(rng, cells["items"], columns.secrets) if columns.secrets else []
    for name, pool in columns.sensitive.items():
        even = family != "table" or rng.random() < 0.5
        found = [pool[i % len(pool)] for i in rng.permutation(n)] if even else _cells(rng, n, pool)
        for _ in range(int(_pick(rng, (0, 0, 0, 1, 2) if family == "table" else (*[0] * 19, 1)))):
            found[int(rng.integers(n))] = None  # few, for the twin fills them in every way
        cells[name] = found
    who = [f"p{rng.integers(n)}" if columns.persons else f"p{i}" for i in range(n)]
    kinds = {name: pl.List(pl.String) if name == "items" else pl.String for name in cells}
    frame = pl.DataFrame({"who": who, **cells}, schema={"who": pl.String, **kinds})
    originals = naive_reading.rows_of(frame.drop("who"))
    frame = frame.with_columns(pl.col(columns.numbers).cast(_pick(rng, (pl.Int64, pl.Float64))))
    frame = frame.with_columns(pl.col(columns.questions).fill_null(MISSING))
    roles = {"who": "identifier", **dict.fromkeys(columns.quasi, "quasi")}
    roles |= dict.fromkeys(columns.sensitive, "sensitive") | ({"items": "items"} if columns.items else {})
    data = shoal.read(
        frame,
        roles=roles,
        hierarchies=columns.rules,
        weights=columns.weights or None,
        person="who" if columns.persons else None,
        allow=tuple(columns.sensitive),
        sensitive={"items": secrets} if secrets else None,
        missing=("", MISSING),
    )
    return Drawn(
        data,
        originals,
        tuple(columns.quasi),
        tuple(columns.sensitive),
        who if columns.persons else None,
        frozenset(secrets),
    )


def _secrets(rng, baskets, many):
    """Some items that occur, the rarest where it is one; an item that has several spellings is refused."""
    held = Counter(item for basket in baskets for item in basket)
    spellings = Counter(spelled(item) for item in held)
    if rng.random() < 0.95:
        held = {item: count for item, count in held.items() if spellings[spelled(item)] == 1}
    return sorted(held, key=lambda item: (held[item], item) if many == 1 else item)[:many]


def _tree_rules(rng):
    pools = {"sex": SEXES, "town": TOWNS, "visits.ward": WARDS}
    pools |= {"visits.drugs.name": DRUGS, "visits.drugs.dose": DOSES}
    given = {name: shoal.Hierarchy.from_paths(name, _paths(rng, pool)) for name, pool in pools.items()}
    if rng.random() < 0.3:
        given["town"] = {"fanout": 2}
    return given


def _one_tree(rng, fields, ills, visited):
    if rng.random() < 0.08:
        return {}
    record = {"sex": _pick(rng, SEXES), "town": _pick(rng, TOWNS[: int(rng.integers(1, 5))])}
    visits = []
    for _ in range(int(rng.integers(0, visited + 1))):
        visit = {"ward": _pick(rng, WARDS), "ill": _pick(rng, ills)}
        visits.append({name: value for name, value in visit.items() if rng.random() < 0.9})
        if "town" not in fields and rng.random() < 0.4:
            drug = {"name": _pick(rng, DRUGS), "dose": _pick(rng, DOSES)}
            visits[-1]["drugs"] = [{name: value for name, value in drug.items() if rng.random() < 0.8}]
    return {name: value for name, value in {**record, "visits": visits}.items() if name in fields}


def _trees(rng, rules, secret, negations):
    many = (("sex", "town", "visits"), ("sex", "visits"), ("visits",))
    fields = _pick(rng, many if secret else (*many, ("sex", "town")))
    ills = ILLS if rng.random() < 0.05 else ILLS[:-1]
    if secret:  # no value may be in more than one in l records
        records = [_one_tree(rng, fields, (_pick(rng, ills),), 1) for _ in range(_size(rng, 12))]
        records[0] = {"visits": [{"ward": "n1", "ill": "gout"}], "sex": "f"}
    else:
        kinds = [_one_tree(rng, fields, ills, 2) for _ in range(int(rng.integers(1, 6)))]
        records = [_pick(rng, kinds) for _ in range(_size(rng, 9))]
    if not any(naive_reading.grown(record, HEADS) for record in records):
        records[0] = {"sex": "f"}  # something must be there
    originals, there = _seen(records)
    if any(f"{path}.{head}" not in there and _below(there, path) for path, head in HEADS.items()):
        drugs = {"drugs": [{"name": "asp"}]} if _below(there, "visits.drugs") else {}
        records[0] = {
            "visits": [{"ward": "n1", "ill": "gout", **drugs}],
            "sex": "f",
        }  # else another field is the head
        originals, there = _seen(records)
    ill = {} if secret else {"visits.ill": shoal.Hierarchy.from_paths("visits.ill", _paths(rng, ILLS))}
    given = {name: rule for name, rule in {**rules, **ill}.items() if name in there}
    own = secret if secret in there else None
    known = tuple(name for name in negations if name in there)
    heads = {path: head for path, head in HEADS.items() if f"{path}.{head}" in there}
    data = shoal.read_trees(records, hierarchies=given, heads=heads, sensitive=own, negations=known)
    return Drawn(data, originals, secret=own, negations=known)


def _below(there, path):
    return any(name.startswith(f"{path}.") for name in there)


def _seen(records):
    """Records as trees, and the classes that occur."""
    originals = [naive_reading.grown(record, HEADS) for record in records]
    return originals, {kind for record in originals for kind in _kinds(record)}


def _kinds(nodes):
    for kind, _, *children in nodes:
        yield kind
        yield from _kinds(children)


def drawn(family, rng):
    """A data set of a family: table, baskets, labelled (baskets that are published by vote), mixed or trees.

    Trees of the family secret have a sensitive class. That a column would be better off with a rule is told, and is
    no news here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        return _drawn(family, rng)


def _drawn(family, rng):
    if family in ("trees", "secret"):
        rules = _tree_rules(rng)
        negations = ("sex",) if rng.random() < 0.15 else ()
        args = (rules, "visits.ill" if family == "secret" else None, negations)
        return replace(_trees(rng, *args), again=lambda other: _trees(other, *args))
    columns = _columns(rng, family)
    return replace(
        _table_or_baskets(rng, columns, family), again=lambda other: _table_or_baskets(other, columns, family)
    )
