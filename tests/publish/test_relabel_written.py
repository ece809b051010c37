"""What is published is the same whoever was left out: folders of twins are compared byte for byte.

Twins are two data sets that differ only in people who are suppressed. Anything of the public folder that differs, a
label, a bound, a count or a mark in the report, tells of somebody who was promised to be left out.
"""

import itertools
import json
import random
import warnings
from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_reading
import shoal
from shoal.publish.release import PAGES

K = 3
NUMBERS = [str(number) for number in range(20, 60)]
WORDS = [first + second for first in "bcdfg" for second in "aeiou"]
CODES = [f"{number}" for number in range(1010, 1090, 2)]
DIAGNOSES = [f"{first}{second}.{third}" for first in "EIJ" for second in (10, 11, 20) for third in (0, 1, 9)]
DATES = [f"201{year}-0{month}-1{day}" for year in (8, 9) for month in (1, 5, 9) for day in (0, 3, 7)]
FAR = {
    "numbers": ["-400", "0", "7.25", "999", "1000", "12345", "8e7"],
    "words": ["a", "aa", "zzzzzzzzz", "zzz", "=q", "b", "ga", "77"],
    "codes": ["1", "9", "99", "123456789", "5555", "20000", "10"],
    "dates": ["1890-01-01", "1950-12-31", "2031-07-07", "2018-12-31"],
    "diagnoses": ["Z99.9", "unclear", "e109", "E10.1", "M04.1", "U07.1", "Q90"],
}
"""Values of people who are left out."""
NEAR = {"numbers": NUMBERS, "words": WORDS, "codes": CODES, "dates": DATES, "diagnoses": DIAGNOSES}
COLUMNS = {
    "ranges": ("numbers", {"ranges": [10, 20, 100]}),
    "ranges with ends": ("numbers", {"ranges": [10, 100], "top": 55, "bottom": 25}),
    "mask right": ("codes", {"mask": "right"}),
    "mask left": ("codes", {"mask": "left"}),
    "groups of numbers": ("numbers", {"fanout": 3}),
    "groups of words": ("words", {"fanout": 3}),
    "dates": ("dates", {"dates": ["month", "year"]}),
    "vocabulary": ("diagnoses", {"vocabulary": "icd10"}),
    "no rule, numbers": ("numbers", None),
    "no rule, words": ("words", None),
    "no rule, numbers among which are words": ("numbers", None),
}
"""For each kind of column its values and the rule of its hierarchy."""
MAKERS = [
    ("optimal", {}), ("incognito", {}), ("pareto", {}), ("poka", {}), ("boxes", {}),
    *((maker, {"recode": recode}) for maker in ("mstk", "mondrian", "kmember") for recode in ("hierarchy", "span")),
]  # fmt: skip
"""Methods that leave people out."""
TRIES = 6
"""How many data sets are drawn in each case for every pair of twins that is wanted: some are left out otherwise."""


def far(kind, rng):
    """A value of somebody who is left out."""
    return rng.choice([*FAR[COLUMNS[kind][0]], *(FAR["words"] if kind.endswith("words") else ()), None])


def people(rng, kind, fixed=None):
    """Rows of people who have look-alikes, and of few who have none, which come last.

    `fixed` is the kind of a column that is published at a fixed level.
    """
    near = rng.sample(NEAR[COLUMNS[kind][0]], rng.randint(2, 9))
    least = rng.choice([1, 1, K])  # of those whom nobody equals classes are made
    beside = NEAR[COLUMNS[fixed][0]][:8] if fixed is not None else [None]
    rows = [{"q": value, "p": rng.choice(beside)} for value in near for _ in range(rng.randint(least, K + 1))]
    return rows + [stranger(rng, kind, fixed) for _ in range(rng.randint(1, K - 1))]


def stranger(rng, kind, fixed):
    return {"q": far(kind, rng), "p": None if fixed is None else far(fixed, rng)}


def published(rows, folder, kind, maker, options, fixed=None, role="plain", *, pages):
    """Every file of the public folder, and whom it leaves out; the report is written on request, for it takes long."""
    rules = {"q": COLUMNS[kind][1]} if COLUMNS[kind][1] else {}
    roles, levels = {"q": "quasi"}, None
    if fixed is not None:
        rules["p"], roles["p"], levels = COLUMNS[fixed][1], role, {"p": 1}
    frame = pl.DataFrame(
        [{name: row[name] for name in roles} for row in rows], schema=dict.fromkeys(roles, pl.String)
    )
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        stack.enter_context(patch("shoal.publish.release.auditors_of", return_value=()))
        stack.enter_context(patch("shoal.publish.release.PAGES", PAGES[:1] if pages else ()))
        data = shoal.read(
            frame, roles=roles, hierarchies=rules, levels=levels, allow=("p",) if levels else ()
        )
        shoal.anonymize(data, k=K, method=maker, suppress=0.3, seed=1, **options).save(folder, rows=True)
    kept = naive_reading.read_owners(folder.with_name(f"{folder.name}.private"))
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return files, set(range(len(rows))) - set(kept)


def require_no_trace(room, turns, kind, *how, fixed=None, role="plain", pages=False):
    """Whoever was left out is changed into somebody else, who is left out, too: the public folder stays as it was."""
    compared = 0
    for turn in range(TRIES * turns):
        if compared == turns:
            break
        rng = random.Random(f"{kind} {how} {fixed} {role} {turn}")
        rows = people(rng, kind, fixed)
        try:
            files, gone = published(rows, room / f"{turn}a", kind, *how, fixed, role, pages=pages)
            twins = [stranger(rng, kind, fixed) if place in gone else row for place, row in enumerate(rows)]
            others, also_gone = published(twins, room / f"{turn}b", kind, *how, fixed, role, pages=pages)
        except shoal.ShoalError:  # such data are not taken
            continue
        if twins == rows or gone != also_gone:
            continue
        compared += 1
        assert files.keys() == others.keys()
        for name, data in files.items():
            assert data == others[name], (turn, name)
    return compared


def pairs():
    """Every kind with every method; a third is of the first tier, where each kind meets each way to recode."""
    for (row, kind), (column, (maker, how)) in itertools.product(enumerate(COLUMNS), enumerate(MAKERS)):
        name, soak = " ".join((maker, *how.values(), kind)), [pytest.mark.soak] * bool((row + column) % 3)
        yield pytest.param(kind, maker, how, id=name, marks=soak)


@pytest.mark.parametrize(("kind", "maker", "options"), list(pairs()))
def test_whoever_is_left_out_leaves_no_trace(kind, maker, options, tmp_path):
    """In data and manifest, whatever the rule of a hierarchy and the method."""
    require_no_trace(tmp_path, 2 if "recode" in options else 1, kind, maker, options)


@pytest.mark.parametrize("kind", COLUMNS)
def test_whoever_is_left_out_leaves_no_trace_in_the_report(kind, tmp_path):
    assert require_no_trace(tmp_path, 2, kind, "optimal", {}, pages=True)


@pytest.mark.parametrize("role", ["plain", "sensitive"])
@pytest.mark.parametrize("fixed", [kind for kind, (_, rule) in COLUMNS.items() if rule is not None])
def test_whoever_is_left_out_leaves_no_trace_in_a_column_at_a_fixed_level(fixed, role, tmp_path):
    assert require_no_trace(tmp_path, 3, "ranges", "optimal", {}, fixed=fixed, role=role)


@st.composite
def columns(draw):
    """Cells of a column of 2 to 200 values: some that many have, some that few have, and missing cells."""
    many = draw(st.one_of(st.integers(2, 12), st.integers(13, 70), st.integers(71, 200)))
    times = draw(st.sampled_from([(1, 1), (1, 2), (1, 6), (3, 4)]))
    rng = draw(st.randoms(use_true_random=False))
    cells = [f"v{value:03d}" for value in range(many) for _ in range(rng.randint(*times))]
    cells += [None] * draw(st.sampled_from([0, 0, 1, 2, K, 2 * K]))
    rng.shuffle(cells)
    return cells


@pytest.mark.parametrize("maker", ["mstk", "mondrian", "kmember"])
@given(cells=columns(), spread=st.integers(1, 4))
@settings(max_examples=25)
def test_a_span_lists_no_value_that_too_few_hold(maker, cells, spread):
    """Of a column without a rule; beside another column, so that classes are mixed."""
    frame = pl.DataFrame({"q": cells, "r": [str(place % spread) for place in range(len(cells))]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        data = shoal.read(frame, roles={"q": "quasi", "r": "quasi"})
        try:
            how = {"method": maker, "recode": "span", "allow_empty": True}
            release = shoal.anonymize(data, k=K, seed=1, **how)
        except shoal.InfeasibleError:
            assert len(cells) < K
            return
    held = Counter(cells)
    listed = {
        value for label in release.data["q"] if label and label[0] == "[" for value in json.loads(label)
    }
    assert all(held[value] >= K for value in listed)
