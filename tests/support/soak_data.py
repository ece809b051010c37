"""Data sets of every shape, tiny to a few hundred records, drawn from a numpy Generator, with every corner that hurt.

Missing values, one value only, all values different, ties, several rows per person, empty baskets and trees, sensitive
values in several spellings, one record, fewer records than k, weights, hierarchies that are built or given and of
unequal depth, unicode, texts like formulas and like numbers. Most are tiny, so that many can be tried; some have up to
300 records and 200 values in a column: numbers, dates, codes and words of different lengths, a few values that many
have and many that few have, columns that follow from others, columns that are published at a fixed level.
"""

import csv
import io
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

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
GAPS = ("", MISSING)
"""The texts that are empty cells."""
SIZES = (("tiny",) * 17, ("medium",) * 2, ("large",))
"""How often a data set has so many records; `RECORDS` and `VALUES` say how many records, and values of a column."""
RECORDS = {"medium": (20, 60), "large": (100, 300)}
VALUES = {"medium": (10, 62), "large": (63, 200)}


@dataclass(frozen=True)
class Drawn:
    """A data set as people bring it, and in plain words.

    data      : what `shoal.read` or `shoal.read_trees` returns
    originals : its rows, or record trees, as `naive_reading` has them
    rules     : for each column or class its hierarchy as its user gave it: the text of a file, a rule, or None
    plain     : the columns that are neither quasi-identifiers nor sensitive
    levels    : the columns that are published at a fixed level
    known     : those of the quasi-identifiers of which somebody may know a few
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
    rules: dict = field(default_factory=dict)
    plain: tuple = ()
    levels: dict = field(default_factory=dict)
    known: tuple = ()
    again: object = field(default=None, repr=False)

    @property
    def widest(self):
        """The most different values that a column, the items or a class have."""
        if not isinstance(self.originals[0], dict):
            found = Counter(
                kind for kind, _ in {node for record in self.originals for node in _nodes(record)}
            )
            return max(found.values(), default=0)
        columns = [[row[name] for row in self.originals] for name in self.originals[0]]
        return max(
            len({one for cell in cells for one in (cell if isinstance(cell, tuple) else (cell,))})
            for cells in columns
        )

    @property
    def heads(self):
        """How many people there are."""
        return len(self.originals) if self.persons is None else len(set(self.persons))


def _pick(rng, some):
    return some[int(rng.integers(len(some)))]


def _size(rng, most, size="tiny"):
    """A number of records: often few, sometimes one."""
    if size != "tiny":
        low, high = RECORDS[size]
        return int(rng.integers(low, high + 1))
    return _pick(rng, (1, 2, 3, *range(4, most + 1), *range(6, most + 1), *range(8, most + 1)))


def _pool(rng, kind, many):
    """So many different values of a kind."""
    found = {}
    while len(found) < many:
        found[_value(rng, kind)] = None
    return tuple(found)


def _value(rng, kind):
    if kind == "numbers":
        return str(rng.integers(-50, 5000))
    if kind == "decimals":
        return str(rng.integers(0, 4000) / 8)
    if kind == "dates":
        return (date(1950, 1, 1) + timedelta(days=int(rng.integers(0, 20000)))).isoformat()
    if kind == "codes":
        return f"{rng.integers(0, 99999):05d}"
    letters = "abcdeé" if kind == "words" else "ABC中🐟"
    return "".join(_pick(rng, letters) for _ in range(int(rng.integers(2, 13))))


RULES = {
    "numbers": ("given", "fanout", "none", "ranges", "tails"),
    "decimals": ("given", "fanout", "none", "ranges"),
    "dates": ("given", "dates", "dates", "none"),
    "codes": ("given", "mask", "mask", "fanout", "none"),
    "words": ("given", "mask", "fanout", "none"),
    "scripts": ("given", "mask", "fanout", "none"),
}
"""For each kind of values the hierarchies that it may have."""


def _cells(rng, n, values, missing=0.0):
    """Cells of a column: one value, all different, few values with ties, or one frequent value."""
    values = [values[i] for i in rng.permutation(len(values))]
    how = int(rng.integers(5))
    if n > 12 and how in (0, 3, 4):  # few values that many have, many that few have
        chances = [1 / (1 + place) ** (1 + 0.4 * how) for place in range(len(values))]
        chances = [chance / sum(chances) for chance in chances]
        found = [values[i] for i in rng.choice(len(values), n, p=chances)]
        return [None if i and rng.random() < missing else cell for i, cell in enumerate(found)]
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


def _hierarchy(rng, pool, kind=None):
    """A rule to build a hierarchy by, the text of a file that gives one, or None."""
    kinds = ["given"] * 3 + ["fanout", "none"]
    kinds += ["ranges"] * 2 if pool == POOLS[1] else []
    kinds += ["mask"] * 2 if pool == POOLS[6] else []
    how = _pick(rng, kinds if kind is None else RULES[kind])
    if how == "given":
        return _file(_paths(rng, pool + (MISSING,) * (rng.random() < 0.3)))
    wide = kind is not None
    return {
        "fanout": {"fanout": int(rng.integers(2, 8 if wide else 4))},
        "none": None,
        "ranges": {"ranges": [10, 20, 100, 1000] if wide else [10, 20]},
        "tails": {"ranges": [50, 500], "top": 4000, "bottom": 100},
        "mask": {"mask": _pick(rng, ("right", "right", "left") if wide else ("right",))},
        "dates": {"dates": ["month", "year", "decade"][int(rng.integers(2)) :]},
    }[how]


def _file(paths):
    """The text of a hierarchy file."""
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(paths)
    return text.getvalue()


def _given(rules):
    """What shoal is given for each rule, in a room that stays until it was read."""
    room = TemporaryDirectory()
    found = {}
    for place, (name, rule) in enumerate(rules.items()):
        if isinstance(rule, str):
            found[name] = Path(room.name) / f"{place}.csv"
            found[name].write_text(rule, encoding="utf-8", newline="")
        elif rule is not None:
            found[name] = rule
    return room, found


@dataclass(frozen=True)
class _Columns:
    """What is the same for all people: the columns, their hierarchies, who is counted.

    numbers, questions : the quasi-identifiers that come as numbers, and those whose empty cells are a "?"
    plain              : the plain columns, each with the quasi-identifier that it follows from, or with its values
    levels             : the level at which a plain or sensitive column is published
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
    plain: dict = field(default_factory=dict)
    levels: dict = field(default_factory=dict)
    size: str = "tiny"
    known: tuple = ()


def _columns(rng, family):
    """Draw the columns that a family of data sets has."""
    with_quasi, with_items = family in ("table", "mixed"), family != "table"
    size = _pick(rng, sum(SIZES, ()))
    kinds = {
        f"q{j}": _pick(rng, tuple(RULES)) if size != "tiny" and (j == 0 or rng.random() < 0.5) else None
        for j in range(int(rng.integers(1, 4)) if with_quasi else 0)
    }
    quasi = {
        name: _pick(rng, POOLS) if kind is None else _pool(rng, kind, int(rng.integers(*VALUES[size])) + 1)
        for name, kind in kinds.items()
    }
    rules = {name: _hierarchy(rng, pool, kinds[name]) for name, pool in quasi.items()}
    ills = {f"s{j}": _pick(rng, SPELLINGS) for j in range(1 + int(family == "table" and rng.random() < 0.3))}
    if family == "table" and size != "tiny" and rng.random() < 0.4:
        ills["s0"] = _pool(rng, "words", int(rng.integers(4, 40)))
    items = _pick(rng, POOLS[:1] + POOLS[2:6])[: int(rng.integers(3, 7))] if with_items else ()
    if items and size != "tiny":
        kind = _pick(rng, ("words", "codes", "scripts", "numbers", "numbers"))
        items = _pool(rng, kind, int(rng.integers(*VALUES[size])) + 1)
    if items:
        rules["items"] = _pick(rng, (_file(_paths(rng, items)), {"fanout": 2 if size == "tiny" else 5}))
        if (
            size != "tiny" and kind != "numbers"
        ):  # whose numbered groups have a number follows from what is left out
            rules["items"] = _file(_paths(rng, items))
    weighted = rng.random() < 0.3
    ills = ills if family in ("table", "labelled") else {}
    plain, levels = {}, {}
    if with_quasi and rng.random() < 0.4:
        plain["p0"] = _pick(rng, ("q0", ("a", "b"), _pool(rng, "numbers", 2 if size == "tiny" else 40)))
        if isinstance(plain["p0"], tuple) and rng.random() < 0.6:
            rules["p0"] = (
                {"ranges": [100, 1000]} if len(plain["p0"][0]) > 1 else _file(_paths(rng, plain["p0"]))
            )
            levels["p0"] = 1
    if family == "table" and rng.random() < 0.15:
        rules["s0"], levels["s0"] = _file(_paths(rng, ills["s0"])), 1
    return _Columns(
        quasi,
        rules,
        ills,
        {name: float(_pick(rng, (0.5, 1, 3))) for name in quasi} if weighted else {},
        family == "table" and rng.random() < 0.25,
        items,
        int(rng.integers(1, 3)) if with_items and family != "labelled" else 0,
        tuple(name for name, pool in quasi.items() if pool == POOLS[1] and rng.random() < 0.3),
        tuple(name for name, pool in quasi.items() if pool != POOLS[1] and rng.random() < 0.3),
        plain,
        levels,
        size,
    )


def _baskets(rng, n, columns):
    """Baskets of few items, of many items a few long ones too."""
    if columns.size == "tiny":
        chances = [1 / (1 + 1.5 * j) for j in rng.permutation(len(columns.items))]
        found = [
            [item for item, chance in zip(columns.items, chances, strict=True) if rng.random() < chance][:4]
            for _ in range(n)
        ]
    else:
        chances = [1 / (1 + place) for place in rng.permutation(len(columns.items))]
        chances = [chance / sum(chances) for chance in chances]
        lengths = [
            int(rng.integers(0, 6)) if rng.random() < 0.96 else int(rng.integers(10, 31)) for _ in range(n)
        ]
        found = [
            [
                columns.items[i]
                for i in rng.choice(len(columns.items), min(length, len(columns.items)), False, chances)
            ]
            for length in lengths
        ]
    found[0] += found[0][:1]  # an item may come twice
    return found


def _table_or_baskets(rng, columns, family):
    n = _size(rng, 12, columns.size)
    if family == "labelled":
        n = min(n, 60)  # the twin compares all with all
    missing = _pick(rng, (0, 0, 0.15))
    cells = {name: _cells(rng, n, pool, missing) for name, pool in columns.quasi.items()}
    if columns.items:
        cells["items"] = _baskets(rng, n, columns)
    secrets = _secrets(rng, cells["items"], columns.secrets) if columns.secrets else []
    for name, pool in columns.sensitive.items():
        even = family != "table" or rng.random() < 0.5
        found = [pool[i % len(pool)] for i in rng.permutation(n)] if even else _cells(rng, n, pool)
        gaps = (0, 0, 0, 1) if columns.size != "tiny" else (0, 0, 0, 1, 2)
        for _ in range(int(_pick(rng, gaps if family == "table" else (*[0] * 19, 1)))):
            found[int(rng.integers(n))] = None  # few, for the twin fills them in every way
        cells[name] = found
    for name, of in columns.plain.items():
        follows = [cell and cell[0] for cell in cells["q0"]]
        cells[name] = follows if of == "q0" else _cells(rng, n, of, missing)
    who = [f"p{rng.integers(n)}" if columns.persons else f"p{i}" for i in range(n)]
    kinds = {name: pl.List(pl.String) if name == "items" else pl.String for name in cells}
    frame = pl.DataFrame({"who": who, **cells}, schema={"who": pl.String, **kinds})
    originals = naive_reading.rows_of(frame.drop("who"))
    frame = frame.with_columns(pl.col(columns.numbers).cast(_pick(rng, (pl.Int64, pl.Float64))))
    frame = frame.with_columns(pl.col(columns.questions).fill_null(MISSING))
    roles = {
        "who": "identifier",
        **dict.fromkeys(columns.quasi, "quasi"),
        **dict.fromkeys(columns.known, "known"),
        **dict.fromkeys(columns.plain, "plain"),
    }
    roles |= dict.fromkeys(columns.sensitive, "sensitive") | ({"items": "items"} if columns.items else {})
    room, rules = _given(columns.rules)
    with room:
        data = shoal.read(
            frame,
            roles=roles,
            hierarchies=rules,
            weights=columns.weights or None,
            person="who" if columns.persons else None,
            allow=(*columns.sensitive, *columns.plain),
            levels=columns.levels or None,
            sensitive={"items": secrets} if secrets else None,
            missing=GAPS,
        )
    return Drawn(
        data,
        originals,
        tuple(columns.quasi),
        tuple(columns.sensitive),
        who if columns.persons else None,
        frozenset(secrets),
        rules=columns.rules,
        plain=tuple(columns.plain),
        levels=columns.levels,
        known=columns.known,
    )


def _known_columns(rng):
    """Columns of a table, some of which somebody may know a few of; every row is a person."""
    columns = _columns(rng, "table")
    while len(columns.quasi) < 2:
        columns = _columns(rng, "table")
    names = tuple(columns.quasi)
    return replace(columns, persons=False, known=names[int(rng.integers(1, len(names))) :])


def _secrets(rng, baskets, many):
    """Some items that occur, the rarest where it is one; an item that has several spellings is refused."""
    held = Counter(item for basket in baskets for item in basket)
    spellings = Counter(spelled(item) for item in held)
    if rng.random() < 0.95:
        held = {item: count for item, count in held.items() if spellings[spelled(item)] == 1}
    return sorted(held, key=lambda item: (held[item], item) if many == 1 else item)[:many]


def _tree_pools(rng, size):
    """The values of each class; of many, most are towns and wards."""
    pools = {"sex": SEXES, "town": TOWNS, "visits.ward": WARDS}
    pools |= {"visits.drugs.name": DRUGS, "visits.drugs.dose": DOSES}
    if size != "tiny":
        low, high = VALUES[size]
        pools["town"] = _pool(rng, "codes", int(rng.integers(low, high + 1)))
        pools["visits.ward"] = WARDS + _pool(rng, "words", int(rng.integers(5, 40)))
        pools["visits.drugs.name"] = DRUGS + _pool(rng, "scripts", int(rng.integers(5, 60)))
    return pools


def _tree_rules(rng, pools):
    rules = {name: _file(_paths(rng, pool)) for name, pool in pools.items()}
    rules["visits.ill"] = _file(_paths(rng, ILLS))
    if rng.random() < 0.3:
        rules["town"] = {"fanout": 2 if len(pools["town"]) < 10 else 6}
    return rules


def _some(rng, pool):
    """A value, of many most times one of the first."""
    return (
        pool[min(int(rng.exponential(len(pool) / 3)), len(pool) - 1)] if len(pool) > 9 else _pick(rng, pool)
    )


def _one_tree(rng, pools, fields, ills, visited):
    if rng.random() < 0.08:
        return {}
    towns = pools["town"] if len(pools["town"]) > 9 else pools["town"][: int(rng.integers(1, 5))]
    record = {"sex": _pick(rng, SEXES), "town": _some(rng, towns)}
    visits = []
    for _ in range(int(rng.integers(0, visited + 1))):
        visit = {"ward": _some(rng, pools["visits.ward"]), "ill": _pick(rng, ills)}
        visits.append({name: value for name, value in visit.items() if rng.random() < 0.9})
        if "town" not in fields and rng.random() < 0.4:
            drug = {"name": _some(rng, pools["visits.drugs.name"]), "dose": _pick(rng, DOSES)}
            visits[-1]["drugs"] = [{name: value for name, value in drug.items() if rng.random() < 0.8}]
    return {name: value for name, value in {**record, "visits": visits}.items() if name in fields}


def _trees(rng, size, pools, rules, secret, negations):
    many = (("sex", "town", "visits"), ("sex", "visits"), ("visits",))
    fields = _pick(rng, many if secret else (*many, ("sex", "town")))
    ills = ILLS if rng.random() < 0.05 else ILLS[:-1]
    if secret:  # no value may be in more than one in l records
        records = [_one_tree(rng, pools, fields, (_pick(rng, ills),), 1) for _ in range(_size(rng, 12, size))]
        records[0] = {"visits": [{"ward": "n1", "ill": "gout"}], "sex": "f"}
    elif size == "tiny":
        kinds = [_one_tree(rng, pools, fields, ills, 2) for _ in range(int(rng.integers(1, 6)))]
        records = [_pick(rng, kinds) for _ in range(_size(rng, 9))]
    else:
        records = [_one_tree(rng, pools, fields, ills, 3) for _ in range(_size(rng, 9, size))]
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
    own = secret if secret in there else None
    kept = {name: rule for name, rule in rules.items() if name in there and name != own}
    known = tuple(name for name in negations if name in there)
    heads = {path: head for path, head in HEADS.items() if f"{path}.{head}" in there}
    room, given = _given(kept)
    with room:
        data = shoal.read_trees(
            records, hierarchies=given, heads=heads, sensitive=own, negations=known, repeats="merge"
        )
    return Drawn(data, originals, secret=own, negations=known, rules=kept)


def _below(there, path):
    return any(name.startswith(f"{path}.") for name in there)


def _seen(records):
    """Records as trees, and the classes that occur."""
    originals = [naive_reading.grown(record, HEADS) for record in records]
    return originals, {kind for record in originals for kind, _ in _nodes(record)}


def _nodes(record):
    """Class and value of every node."""
    for kind, value, *children in record:
        yield kind, value
        yield from _nodes(children)


def values_of(drawn, name, places=None):
    """The values of a column, of the items or of a class that some originals have, by default all."""
    records = drawn.originals if places is None else [drawn.originals[place] for place in places]
    if not records or not isinstance(records[0], dict):
        return [value for record in records for kind, value in _nodes(record) if kind == name]
    cells = [record[name] for record in records]
    return [item for cell in cells for item in (cell if isinstance(cell, tuple) else (cell,))]


def drawn(family, rng):
    """A data set of a family: table, baskets, labelled (baskets that are published by vote), mixed or trees.

    Tables of the family known have columns of which somebody may know a few; trees of the family secret have a
    sensitive class. That a column would be better off with a rule is told, and is no news here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        return _drawn(family, rng)


def _drawn(family, rng):
    if family in ("trees", "secret"):
        size = _pick(rng, sum(SIZES, ()))
        pools = _tree_pools(rng, size)
        rules = _tree_rules(rng, pools)
        negations = ("sex",) if rng.random() < 0.15 else ()
        args = (size, pools, rules, "visits.ill" if family == "secret" else None, negations)
        return replace(_trees(rng, *args), again=lambda other: _trees(other, *args))
    columns = _known_columns(rng) if family == "known" else _columns(rng, family)
    family = "table" if family == "known" else family
    return replace(
        _table_or_baskets(rng, columns, family), again=lambda other: _table_or_baskets(other, columns, family)
    )
