"""Twins: two data sets of the same released people, that differ only in people who are left out of the release.

A case says what a release is asked for, and is drawn from a number. People of a case have look-alikes; strangers have
none, and most of them are left out. Other strangers take the place of those who were: where the same people are
released again, every file of the public folder must be the same, byte for byte. Releases that differ in who they keep,
that keep everybody or that there are none of show nothing and are counted apart.
"""

import csv
import json
import random
import warnings
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from unittest.mock import patch

import polars as pl
import pyreadstat

import naive_reading
import shoal
from labelled_files import parse_here
from shoal.algorithms import METHODS
from shoal.anonymization.run import anonymize_only
from shoal.assess.auditors import PAGES
from shoal.io.config import load
from shoal.io.keys import VARIABLE
from shoal.shapes.registry import open_dataset

K = 3
KEY = "0123456789abcdef" * 4
NUMBERS = [str(number) for number in range(20, 60)]
WORDS = [first + second for first in "bcdfg" for second in "aeiou"]
CODES = [f"{number}" for number in range(1010, 1090, 2)]
DIAGNOSES = [f"{first}{second}.{third}" for first in "EIJ" for second in (10, 11, 20) for third in (0, 1, 9)]
DATES = [f"201{year}-0{month}-1{day}" for year in (8, 9) for month in (1, 5, 9) for day in (0, 3, 7)]
NEAR = {
    "numbers": NUMBERS,
    "plain numbers": NUMBERS,
    "open numbers": NUMBERS,
    "words": WORDS,
    "codes": CODES,
    "dates": DATES,
    "diagnoses": DIAGNOSES,
}
FAR = {
    "numbers": ["-400", "0", "7.25", "999", "1000", "12345", "8e7"],
    "plain numbers": ["1", "5.5", "75", "130"],
    "open numbers": ["95+", "95+", "61", "7"],
    "words": ["a", "aa", "zzzzzzzzz", "zzz", "=q", "b", "ga", "77"],
    "codes": ["1", "9", "99", "123456789", "5555", "20000", "10"],
    "dates": ["1950-12-31", "2031-07-07", "2018-12-31", "2017-01-01"],
    "diagnoses": ["Z99.9", "unclear", "e109", "E10.1", "M04.1", "U07.1", "Q90"],
}
"""Values of strangers; some of them are values of others as well."""
FILE = "a file"
COLUMNS = {
    "ranges": ("numbers", {"ranges": [10, 20, 100]}),
    "ranges with ends": ("numbers", {"ranges": [10, 100], "top": 55, "bottom": 25}),
    "open ranges": ("open numbers", {"ranges": [10, 20, 100]}),
    "ranges of plain numbers": ("plain numbers", {"ranges": [5, 50]}),
    "plain numbers in a file": ("plain numbers", FILE),
    "no rule, plain numbers": ("plain numbers", None),
    "mask right": ("codes", {"mask": "right"}),
    "mask left": ("codes", {"mask": "left"}),
    "groups of numbers": ("numbers", {"fanout": 3}),
    "groups of words": ("words", {"fanout": 3}),
    "dates": ("dates", {"dates": ["month", "year"]}),
    "vocabulary": ("diagnoses", {"vocabulary": "icd10"}),
    "numbers in a file": ("numbers", FILE),
    "words in a file": ("words", FILE),
    "codes in a file": ("codes", FILE),
    "no rule, numbers": ("numbers", None),
    "no rule, words": ("words", None),
}
"""For each kind of column its values and the rule of its hierarchy."""
LEVELLED = [
    "ranges",
    "ranges with ends",
    "open ranges",
    "dates",
    "vocabulary",
    "numbers in a file",
    "words in a file",
]
"""Kinds of quasi-identifiers that can have a least level."""
AMOUNTS, ODD_AMOUNTS = [10, 20, 30, 40], [7.25, 10.5, 2**40, 10, -3, None]
SECRETS, ODD_SECRETS = (
    ["flu", "gout", "cold", "HIV"],
    ["rare", "=x", "Flu", None, "flu", "a very long name of something"],
)
FORMATS = ("csv", "parquet", "ndjson", "sav", "zsav", "dta")
INPUTS = ("csv", "ndjson", "parquet", "sav")
PRESETS = ("hipaa-expert", "wp29")
BESIDE = (
    "population",
    "weight",
    "published weight",
    "household",
    "of households",
    "person",
    "pseudonym",
    "shift",
    "preset",
)
"""What may stand beside the columns that every case has."""
OPTIONS = {
    "optimal": [
        {"loss": loss} for loss in ("glm", "ncp", "precision", "dm", "dm-star", "aecs", "c_avg", "entropy")
    ]
    + [{"loss": "ce", "target": "s"}, {"minimal": False}],
    "incognito": [{"loss": loss} for loss in ("glm", "dm", "aecs")],
    "pareto": [{"loss": loss} for loss in ("glm", "dm", "ncp")] + [{"per_node": True}],
    "poka": [{"loss": loss} for loss in ("glm", "dm")],
    "mstk": [{"recode": recode} for recode in ("hierarchy", "span", "span", "mean", "median")]
    + [{"rule": "paper"}, {"minimal": False}, {"fragment": 8}],
    "mondrian": [{"recode": recode} for recode in ("hierarchy", "span", "span", "mean")]
    + [{"strict": False}, {"recode": "span", "grid": 5}, {"fragment": 8}],
    "kmember": [{"recode": recode} for recode in ("hierarchy", "span", "span", "median")] + [{"fragment": 8}],
    "boxes": [{}, {"minimal": False}, {"fragment": 8}],
    "column-cut": [{}, {"minimal": False}, {"seconds": 0}],
    "blind": [{"recode": recode} for recode in ("hierarchy", "span")],
    "mdav": [{}, {"recode": "median"}, {"improve": True}],
    "core": [{"recode": recode} for recode in ("range", "range", "hierarchy")] + [{"grid": 5}, {"size": 6}],
    "blank": [{}, {"levels": 1}],
}
"""For each method of tables the options that it is asked for."""
CLAIMS = {
    "l-diversity": [{"l": 2}, {"l": 2, "diversity": "entropy"}],
    "t-closeness": [{"t": 0.5}, {"t": 0.5, "distance": "ordered"}],
    "beta-likeness": [{"beta": 3}],
    "delta-disclosure privacy": [{"disclosure": 2.0}],
    "(alpha,k)-anonymity": [{"alpha": 0.8}],
    "hidden values": [{"alpha": 0.8, "hidden": "s"}],
    "average risk": [{"average_risk": 0.3}],
    "k-map": [{"k_map": 4}],
    "k-anonymity of known subsets": [{"subsets": 2}, {"subsets": 1}],
}
"""For each model that tables can be asked for beside k, the numbers that ask for it; and the column that hides one."""


@dataclass(frozen=True)
class Case:
    """What a release is asked for.

    kinds  : of each quasi-identifier q0, q1, ... a key of `COLUMNS`
    fixed  : of a sensitive column s and a plain one p the kind of which they show a level; None shows their values
    floors : the quasi-identifiers that have a least level
    came   : the format of the data
    format : the format of the release
    beside : of `BESIDE`
    known  : so many of the quasi-identifiers, the last ones, are known columns instead
    pages  : whether the report is written too, which takes long
    """

    method: str
    options: dict
    claim: dict
    kinds: tuple
    fixed: dict
    floors: frozenset
    came: str
    format: str
    beside: frozenset
    pages: bool
    known: int = 0

    @property
    def quasi(self):
        """The kind of each quasi-identifier and known column."""
        return {f"q{place}": kind for place, kind in enumerate(self.kinds)}

    def role(self, name):
        """Quasi or known."""
        return "known" if name in list(self.quasi)[len(self.kinds) - self.known :] else "quasi"

    @property
    def rules(self):
        """The kind of each column that has a hierarchy, and those that are published at a level of it."""
        return self.quasi | {name: kind for name, kind in self.fixed.items() if kind is not None}


def draw_case(rng, method, **given):
    """A case of a method; what is `given` is not drawn."""
    options = {"suppress": rng.choice([0.1, 0.2, 0.4]), **rng.choice(OPTIONS[method])}
    means = method == "mdav" or options.get("recode") in ("mean", "median")
    kinds = [kind for kind, (values, _) in COLUMNS.items() if not means or values == "plain numbers"]
    chosen = tuple(rng.choice(kinds) for _ in range(rng.randint(1, 4)))
    beside = {rng.choice(BESIDE)} if rng.random() < 0.4 else set()
    chosen = ("dates", *chosen[1:]) if "shift" in beside and not means else chosen
    beside -= {"shift"} if means else set()
    if method == "blind":
        beside, chosen, options["suppress"] = {"population"} | beside - {"pseudonym"}, chosen[:2], 0.7
    if method not in ("mondrian", "kmember"):
        beside -= {"pseudonym"}
    if method == "core":  # several rows of a person are refused, and a population
        beside -= {"person", "shift", "of households", "population", *PRESETS}
        chosen = (*chosen, *(rng.choice(kinds) for _ in range(rng.randint(1, 2))))
    floors = (
        []
        if "shift" in beside
        else [
            name for name, kind in zip(map("q{}".format, range(4)), chosen, strict=False) if kind in LEVELLED
        ]
    )
    ruled = [None, *(kind for kind, (_, rule) in COLUMNS.items() if rule is not None)]
    case = Case(
        method,
        options,
        _claim(rng, method, beside),
        chosen,
        {"s": rng.choice(ruled), "p": rng.choice(ruled)},
        frozenset(floors if rng.random() < 0.2 and "population" not in beside else ()),
        rng.choice(INPUTS),
        rng.choice(FORMATS),
        frozenset(beside),
        rng.random() < 0.2,
        rng.randint(1, len(chosen) - 1) if method == "core" else 0,
    )
    return replace(case, **given)


def _claim(rng, method, beside):
    models = METHODS[method].claims
    if "k-anonymity of known subsets" in models:
        return {"k": K, "subsets": rng.choice([1, 2])}
    if "k-anonymity with known columns" in models:
        more = [{}, *(more for model in models for more in CLAIMS.get(model, ()))]
        return {"k": K, "known_at_once": rng.choice([1, 2]), **rng.choice(more)}
    if "pseudonym" in beside or "of households" in beside:
        return {"k": K} | ({"of": "households"} if "of households" in beside else {})
    asked = [{}, *(more for model in models for more in CLAIMS.get(model, ()))]
    asked = [more for more in asked if "k_map" not in more or "population" in beside]
    return {"k": K, **rng.choice(asked)} if rng.random() < 0.6 else {"k": K}


def near(rng, case, spread):
    """The values of somebody who has look-alikes, in the columns by which these are found."""
    return {name: rng.choice(NEAR[COLUMNS[kind][0]][:spread]) for name, kind in case.quasi.items()}


def stranger(rng, case):
    """The values of somebody who has none, most likely."""
    row = {name: _far(rng, kind) for name, kind in case.quasi.items()}
    for name, kind in case.fixed.items():
        row[name] = rng.choice(ODD_SECRETS) if kind is None else _far(rng, kind)
    return row | {"amount": rng.choice(ODD_AMOUNTS), "weight": rng.choice(["1", "2", "9.5"])}


def _far(rng, kind):
    values = COLUMNS[kind][0]
    gap = [] if values == "plain numbers" else [None]
    return rng.choice([*FAR[values], *gap, *NEAR[values][:3]])


def people(rng, case):
    """Rows of people who have look-alikes, and of few strangers, who come last."""
    rows = []
    for _ in range(rng.randint(2, 8)):
        alike, heavy = (
            near(rng, case, 40),
            "2" if "published weight" in case.beside else str(rng.randint(1, 3)),
        )
        for _ in range(rng.choice([1, K, K + 1])):
            row = dict(alike)
            for name, kind in case.fixed.items():
                row[name] = rng.choice(SECRETS if kind is None else NEAR[COLUMNS[kind][0]][:8])
            rows.append(row | {"amount": rng.choice(AMOUNTS), "weight": heavy})
    rows += [stranger(rng, case) for _ in range(rng.randint(1, 4))]
    alone = "person" not in case.beside and "pseudonym" not in case.beside and "shift" not in case.beside
    for place, row in enumerate(rows):
        row["who"] = f"Nam3-{place if alone else place - place % 2}"
        row["home"] = f"home {place // rng.choice([1, 2])}"
    return rows


def other_strangers(rng, case, rows, gone):
    """The same rows with other people in the place of those who are `gone`."""
    made = [dict(row) for row in rows]
    for place in gone:
        if rng.random() < 0.8:
            made[place] |= {name: value for name, value in stranger(rng, case).items() if rng.random() < 0.6}
    return made


def published(case, rows, register, folder):
    """Every file of the public folder, and whom it keeps."""
    folder.mkdir()
    write_data(case, rows, folder)
    (folder / "shoal.toml").write_text(configuration(case, folder), encoding="utf-8")
    if "population" in case.beside:
        pl.DataFrame(register).write_csv(folder / "register.csv")
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        stack.enter_context(patch.dict("os.environ", {VARIABLE: KEY}))
        stack.enter_context(patch("shoal.io.labelled.run_reader", parse_here))
        stack.enter_context(patch("shoal.anonymization.release.auditors_of", return_value=()))
        stack.enter_context(patch("shoal.anonymization.release.PAGES", PAGES[:1] if case.pages else ()))
        config = load(folder / "shoal.toml")
        asked = {**config.guarantee, **config.parameters}
        release = anonymize_only(open_dataset(config), method=case.method, seed=1, **asked)
        how = {"format": config.format, "rows": True, "about": config.about, "preset": config.preset}
        release.save(folder / "out", **how)
    kept = naive_reading.read_owners(folder / "out.private")
    files = sorted(path for path in (folder / "out").rglob("*") if path.is_file())
    return {str(path.relative_to(folder / "out")): path.read_bytes() for path in files}, kept


def columns_of(case):
    """The columns of a case, as a configuration says them."""
    rules = {}
    for name, kind in case.rules.items():
        rule = f"hierarchies/{name}.csv" if COLUMNS[kind][1] == FILE else COLUMNS[kind][1]
        rules[name] = {} if rule is None else {"hierarchy": rule}
    found = {
        name: {"role": case.role(name), **rules[name]} | ({"level": 1} if name in case.floors else {})
        for name in case.quasi
    }
    for name, role in (("s", "sensitive"), ("p", "plain")):
        level = {"level": 1} if case.fixed[name] is not None else {}
        found[name] = {"role": role, "allow": True, **rules.get(name, {}), **level}
        if case.claim.get("hidden") == name:
            kind = case.fixed[name]
            found[name]["hidden"] = [SECRETS[0] if kind is None else NEAR[COLUMNS[kind][0]][0]]
    found["amount"] = {"role": "plain", "allow": True}
    found["who"] = {"role": "pseudonym" if "pseudonym" in case.beside else "identifier"}
    found["home"] = {"role": "household" if case.beside & {"household", "of households"} else "drop"}
    weighed = case.beside & {"weight", "published weight"}
    found["weight"] = {"role": "weight" if weighed else "drop"} | (
        {"allow": True} if "published weight" in case.beside else {}
    )
    dates = [name for name, kind in case.quasi.items() if kind == "dates"]
    if "shift" in case.beside:
        found |= {name: found[name] | {"shift": 20} for name in dates}
    return found


def configuration(case, folder):
    """The configuration of a case, whose hierarchy files are written beside it."""
    (folder / "hierarchies").mkdir()
    for name, kind in case.rules.items():
        values, rule = COLUMNS[kind]
        if rule == FILE:
            with (folder / "hierarchies" / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(paths(values))
    one = case.beside & {"person", "pseudonym", "shift"}
    parts = {
        "data": {"path": f"people.{case.came}"} | ({"person": "who"} if one else {}),
        "columns": columns_of(case),
        "guarantee": {key: value for key, value in case.claim.items() if key != "hidden"},
        "method": {"name": case.method, **case.options},
        "release": {"format": case.format, "rows": True, "reason": "a test", "recipient": "nobody"},
    }
    if "population" in case.beside:
        parts["population"] = {"path": "register.csv"}
    if "preset" in case.beside:
        parts["release"]["preset"] = PRESETS[len(case.kinds) % 2]
    if "pseudonym" in case.beside:
        parts["release"]["domain"] = "a study"
    lines = []
    for name, part in parts.items():
        lines += [f"[{name}]", *(f"{key} = {toml(value)}" for key, value in part.items())]
    return "\n".join(lines) + "\n"


def toml(value):
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)


def paths(values):
    """A hierarchy of all values that anybody may have: groups of three and of nine."""
    every = list(dict.fromkeys([*NEAR[values], *FAR[values]]))
    if values.endswith("numbers"):
        every.sort(key=float)
    return [
        [value, f"{values} {place // 3}", f"group {place // 9} of {values}", "*"]
        for place, value in enumerate(every)
    ]


def write_data(case, rows, folder):
    """The rows as a file of the case's format; amounts are numbers there."""
    names, place = list(rows[0]), folder / f"people.{case.came}"
    if case.came == "csv":
        with place.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [names, *(["" if cell is None else cell for cell in row.values()] for row in rows)]
            )
    elif case.came == "ndjson":
        place.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    else:
        schema = {name: pl.Float64 if name == "amount" else pl.String for name in names}
        frame = pl.DataFrame(rows, schema=schema, strict=False)
        if case.came == "parquet":
            frame.write_parquet(place)
        else:
            pyreadstat.write_sav(frame.with_columns(pl.col(pl.String).fill_null("")).to_pandas(), place)


def compared(case, seed, room):
    """How twins of a case come out, with the files that differ: "same", or why nothing can be said.

    "none": there is no release. "everybody": nobody is left out. "others": the twin keeps other people.
    """
    rng = random.Random(f"{seed} {case}")
    rows = people(rng, case)
    register = [near(rng, case, 40) for _ in range(60)]
    try:
        files, kept = published(case, rows, register, room / f"{seed}a")
        gone = sorted(set(range(len(rows))) - set(kept))
        if not gone:
            return "everybody", ()
        twins = other_strangers(rng, case, rows, gone)
        if case.method == "blind":
            twins = uncounted(rng, case, rows, twins, gone, register)
        others, also_kept = published(case, twins, register, room / f"{seed}b")
    except shoal.ShoalError:  # such data are not taken
        return "none", ()
    if twins == rows or sorted(kept) != sorted(also_kept):
        return "others", ()
    odd = tuple(name for name in files.keys() | others.keys() if files.get(name) != others.get(name))
    return ("different" if odd else "same"), odd


def uncounted(rng, case, rows, twins, gone, register):
    """The twins of `blind`, which counts who is in which box: those who are gone take each other's places.

    Values that nobody of the register has are outside of all boxes, and become others of which that is true.
    """
    made, order = [dict(row) for row in twins], list(gone)
    if not case.beside & {"person", "shift", "of households"}:  # there boxes count persons
        rng.shuffle(order)
    for place, other in zip(gone, order, strict=True):
        for name, kind in case.quasi.items():
            values, rule = COLUMNS[kind]
            inside = (
                {None, *(person[name] for person in register)}
                if rule != FILE
                else {*NEAR[values], *FAR[values]}
            )
            outside = [value for value in FAR[values] if value not in inside]
            value = rows[other][name]
            made[place][name] = value if value in inside or not outside else rng.choice(outside)
    return made


def tally(method, numbers, room, **given):
    """How many pairs of twins of a method come out how, and the cases in which folders differ."""
    counts, wrong = Counter(), []
    for number in numbers:
        case = draw_case(random.Random(f"{method} {number}"), method, **given)
        found, odd = compared(case, number, room)
        counts[found] += 1
        if odd:
            wrong.append((number, odd, case))
    return counts, wrong
