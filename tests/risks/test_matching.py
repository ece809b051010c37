"""What a column tells beyond k: chances as the definition has them; a rule is refused, chance is not."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive_matching as naive
import shoal
from shoal.base.errors import InputError
from shoal.data import Column, Table
from shoal.proposal.trial import _halve_classes
from shoal.release import ColumnTelling, PublishedValues, Recoded
from shoal.risks import matching
from shoal.risks.dependencies import find_dependencies, rank_values
from shoal.risks.matching import (
    _bin_rank_pairs,
    _bin_ranks,
    _Codes,
    _People,
    _Spread,
    _SumWay,
    _TableWay,
    is_nearly_too_much,
    is_too_much,
    measure_telling,
)
from shoal.shapes.guards import find_refused_columns, guard_released


def release_of(kind, counts=None):
    """A release whose classes are given."""
    kind = np.asarray(kind)
    many = int(kind.max()) + 1
    forms = PublishedValues(
        tuple(map(str, range(many))), np.arange(many + 1), np.arange(many, dtype=np.int32)
    )
    codes, rows = kind[:, None].astype(np.int32), np.arange(len(kind))
    return Recoded(("class",), (forms,), codes, rows, len(rows), counts=counts)


def table_of(quasi, shown, role="plain", **more):
    columns = [Column.of(name, "quasi", list(map(str, cells))) for name, cells in quasi.items()]
    columns += [Column.of(name, role, list(map(str, cells))) for name, cells in shown.items()]
    table = Table(tuple(columns), **more)
    return table, np.stack([column.codes for column in table.quasi], axis=1)


def halved(table, k=5):
    """Classes of k to 2k - 1 people who are close to each other in all quasi-identifiers."""
    places = [rank_values(column.values)[column.codes] for column in table.quasi]
    return release_of(_halve_classes(np.stack(places, axis=1), k))


def refused(table, leaves, release, k=5):
    shown = [column for column in table.columns if column.role != "quasi"]
    rules = find_dependencies(table, leaves, shown)
    return find_refused_columns(table, leaves, release, shown, shoal.KAnonymity(k), rules) or None


# Chances, as the definition has them.


@pytest.mark.parametrize("of", ["rows", "persons", "counts"])
@given(seed=st.integers(0, 100_000), mixed=st.sampled_from([1.0, 4.0]))
@settings(max_examples=40)
def test_chances_by_table_are_those_of_the_definition(of, seed, mixed):
    random, n = np.random.default_rng(seed), 24
    kind, known, shown = (random.integers(0, wide, n) for wide in (2, 4, 3))
    persons = random.integers(0, 15, n) if of == "persons" else None
    counts = random.integers(1, 4, n) if of == "counts" else None
    table, _ = table_of({"x": known}, {"c": shown}, persons=persons, counts=counts)
    people = _People.of(table, release_of(kind, counts), 2)
    way = _TableWay(_Codes(known[people.rows], 4), _Codes(shown[people.rows], 3), mixed)
    rows = people.rows.tolist()
    weight = [1] * len(rows) if counts is None else counts[people.rows].tolist()
    sides = [[int(one) for one in side[people.rows]] for side in (kind, known, shown)]
    for place, found in zip(people.asked.tolist(), way.chances(people), strict=True):
        twin = naive.by_table(place, *sides, weight, people.one.tolist(), Fraction(mixed))
        assert found == pytest.approx(float(twin))


@given(seed=st.integers(0, 100_000), intervals=st.sampled_from([2, 5]))
@settings(max_examples=40)
def test_chances_by_sum_are_those_of_the_definition(seed, intervals):
    random, n = np.random.default_rng(seed), 24
    kind, low = random.integers(0, 2, n), random.integers(0, 9, n)
    shown = low + random.integers(0, 4, n)
    table, _ = table_of({"x": low}, {"c": shown})
    people = _People.of(table, release_of(kind), 2)
    every = np.ones(n, dtype=bool)
    way = _SumWay(low, every, shown, every, intervals)
    edges = [_Spread.of(numbers, np.ones(n), intervals).edges.tolist() for numbers in (shown - low, shown)]
    sides = [side.tolist() for side in (kind, low, shown)]
    for place, found in zip(people.asked.tolist(), way.chances(people), strict=True):
        assert found == pytest.approx(float(naive.by_sum(place, *sides, *edges, Fraction(4, n + 4))))


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=60), st.sampled_from([1, 4, 16]))
def test_intervals_hold_everybody_and_a_frequent_number_alone(numbers, intervals):
    line = np.array(numbers)
    spread = _Spread.of(line, np.ones(len(line)), intervals)
    assert spread.all == len(numbers)
    assert (spread.density * np.diff(spread.edges)).sum() == pytest.approx(1)
    for number in numbers:
        place = int(spread.interval(np.array([number]))[0])
        assert spread.edges[place] <= number < spread.edges[place + 1]
        if numbers.count(number) * intervals >= 2 * len(numbers):  # quantiles cannot miss it
            assert spread.edges[place + 1] - spread.edges[place] == 1


def test_numbers_that_are_not_there_tell_nothing_of_the_person():
    random, n = np.random.default_rng(1), 400
    low = random.integers(0, 50, n)
    shown = [str(one) if place % 2 else "" for place, one in enumerate(low + 5)]
    columns = (
        Column.of("x", "quasi", list(map(str, low))),
        Column.of("c", "plain", [cell or None for cell in shown]),
    )
    table = Table(columns)
    people = _People.of(table, release_of(np.arange(n) // 20), 5)
    there = np.array([bool(cell) for cell in shown])
    way = _SumWay(low, np.ones(n, dtype=bool), np.where(there, low + 5, 0), there)
    found = way.chances(people)
    assert found[~there[people.asked]] == pytest.approx(1 / 20)
    assert found[there[people.asked]].mean() > 0.5


@given(st.lists(st.integers(0, 99), min_size=1, max_size=80), st.sampled_from([2, 8]))
def test_codes_are_few_and_in_order(places, most):
    places = np.unique(places, return_inverse=True)[1].reshape(-1)
    (form,) = _bin_ranks(places, np.arange(len(places)), (most,))
    assert form.width <= max(most, 1)
    assert sorted(set(form.codes.tolist())) == list(range(form.width))
    order = np.argsort(places, kind="stable")
    assert (np.diff(form.codes[order]) >= 0).all()
    assert all(len(set(form.codes[places == one].tolist())) == 1 for one in set(places.tolist()))


def test_codes_of_pairs():
    few, many = np.arange(400) % 2, np.arange(400) // 2
    forms = _bin_rank_pairs(many, few)
    assert [form.width for form in forms] == [400, 64]
    assert len(np.unique(forms[0].codes)) == 400
    assert [form.width for form in _bin_rank_pairs(few, few)] == [4]


# What the estimate is worth: someone who knows how the column was made has the same chances.


def births(n=2000, seed=1):
    random = np.random.default_rng(seed)
    return random, random.integers(1950, 2000, n), random.integers(0, 40, n), random.integers(0, 2, n)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("classes", ["halved", "large"])
def test_the_mean_chance_is_that_of_someone_who_knows_the_rule(width, classes):
    random, born, places, _ = births()
    shown = born + 5 + random.integers(0, width, len(born))
    table, leaves = table_of({"born": born, "place": places}, {"c": shown})
    release = halved(table) if classes == "halved" else release_of(places // 8)
    kind = release.codes[:, 0]
    (telling,) = measure_telling(table, leaves, release, shoal.KAnonymity(5), [table.column("c")])
    fits = [
        int(((kind == kind[i]) & (shown[i] - 5 - born >= 0) & (shown[i] - 5 - born < width)).sum())
        for i in range(len(born))
    ]
    assert telling.mean == pytest.approx(np.mean(1 / np.array(fits)), rel=0.12)
    assert telling.alone == pytest.approx((1 / np.bincount(kind)[kind]).mean(), rel=0.05)
    assert (telling.shown, telling.people) == (("c",), 2000)


# What is refused: generated columns of many kinds.


def column_of(what, random, born):
    """A column that goes along with a year of birth in some way."""
    n = len(born)
    window = {f"{many} numbers": born + 5 + random.integers(0, many, n) for many in (1, 2, 3, 5, 7)}
    noise = random.random(n) < 0.2
    more = {
        "age, one more or less": 2020 - born + random.integers(-1, 2, n),
        "age, three more or less": 2020 - born + random.integers(-3, 4, n),
        "highest pulse": born - 1800 + random.integers(-5, 6, n),
        "lowest pulse": 2220 - born + random.integers(-5, 6, n),
        "three numbers, for four in five": np.where(
            noise, random.integers(1955, 2008, n), born + 5 + random.integers(0, 3, n)
        ),
        "a ratio": np.round((2020 - born) * random.uniform(0.95, 1.05, n) * 20, -1).astype(int),
        "words for years": [f"w{hash_of(year)}" for year in born + random.integers(0, 2, n)],
        "a band, for four in five": [
            f"band {band}" for band in np.where(noise, random.integers(390, 400, n), born // 5)
        ],
    }
    return (window | more)[what]


def hash_of(year):
    """Names of years in no order."""
    return int(year) * 7919 % 1009


REFUSED = (
    *(f"{many} numbers" for many in (1, 2, 3, 5, 7)),
    "age, one more or less",
    "age, three more or less",
    "highest pulse",
    "lowest pulse",
    "three numbers, for four in five",
    "a ratio",
    "words for years",
    "a band, for four in five",
)


@pytest.mark.parametrize("role", ["plain", "sensitive"])
@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_column_that_tells_people_of_a_class_apart_is_refused(what, role, seed):
    """Classes mix years of birth, as those do that are made by other quasi-identifiers too."""
    random, born, places, sex = births(1000, seed)
    table, leaves = table_of(
        {"born": born, "place": places, "sex": sex}, {"c": column_of(what, random, born)}, role
    )
    release = release_of(random.permutation(1000) // 6)
    assert refused(table, leaves, release) == ("c",)
    with pytest.raises(InputError, match=r"column 'c': it .*'born'"):
        guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(5))
    guard_released(table, leaves, release, frozenset({"c"}), shoal.KAnonymity(5))


@pytest.mark.parametrize("what", REFUSED[1:8])
def test_classes_of_people_of_nearly_the_same_age_do_not_help_where_a_rule_is_narrower(what):
    random, born, places, sex = births(1000)
    table, leaves = table_of(
        {"born": born, "place": places, "sex": sex}, {"c": column_of(what, random, born)}
    )
    assert refused(table, leaves, halved(table)) is not None


@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_a_value_that_pairs_of_quasi_identifiers_tell_for_most(role):
    random, n = np.random.default_rng(4), 3000
    sex, age, place = random.integers(0, 2, n), random.integers(0, 50, n), random.integers(0, 30, n)
    made = random.integers(0, 12, (2, 50))
    shown = np.where(random.random(n) < 0.2, random.integers(0, 12, n), made[sex, age])
    quasi = {"sex": sex, "age": age, "place": place}
    table, leaves = table_of(quasi, {"c": [f"c{one}" for one in shown]}, role)
    scattered = release_of(random.permutation(n) // 6)
    assert refused(table, leaves, scattered) == ("c",)
    with pytest.raises(InputError, match="'sex' and 'age'"):
        guard_released(table, leaves, scattered, frozenset(), shoal.KAnonymity(5))
    assert refused(table, leaves, release_of(place)) is None  # a hundred people of each class


# What is not refused: what depends on nothing, and what only goes along.


def widths_of(random, n):
    """Quasi-identifiers of many kinds."""
    return {
        "year": random.integers(1940, 2005, n),
        "place": [f"p{one}" for one in random.integers(0, 200, n)],
        "sex": random.integers(0, 2, n),
        "own": random.integers(0, 10**6, n),
    }


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6), st.sampled_from([40, 150, 600]), st.sampled_from([3, 5, 10]), st.booleans())
def test_columns_that_depend_on_nothing_pass(seed, n, k, mixed):
    random = np.random.default_rng(seed)
    shown = {f"c{wide}": random.integers(0, wide, n) for wide in (2, 6, 30)}
    shown["score"] = np.round(random.normal(100, 15, n)).astype(int)
    table, leaves = table_of(widths_of(random, n), shown, "plain" if seed % 2 else "sensitive")
    release = release_of(random.permutation(n) // (k + 1)) if mixed else halved(table, k)
    assert refused(table, leaves, release, k) is None


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.5, 0.7]))
def test_what_only_goes_along_is_told_and_passes(seed, strength):
    """Income goes along with years of school, an illness with age: people of a class are hardly told apart by it."""
    random, n = np.random.default_rng(seed), 1500
    one = random.normal(size=n)
    other = strength * one + (1 - strength**2) ** 0.5 * random.normal(size=n)
    age = random.integers(20, 80, n)
    ill = np.where(random.random(n) < 0.3, age // 12, random.integers(0, 7, n))
    quasi = {"school": np.round(3 * one + 12).astype(int), "age": age}
    shown = {"income": np.round(4 * other + 20).astype(int), "ill": [f"ill {i}" for i in ill]}
    table, leaves = table_of(quasi, shown, "sensitive")
    release = halved(table)
    assert refused(table, leaves, release) is None
    columns = [table.column(name) for name in shown]
    told = {
        telling.shown[0]: telling
        for telling in measure_telling(table, leaves, release, shoal.KAnonymity(5), columns)
    }
    assert "ill" in told
    assert "income" in told or strength < 0.7
    assert all(0.95 < telling.mean / telling.alone < 1.5 for telling in told.values())


ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult" / "adult.csv"
BESIDE = ("marital-status", "education", "workclass", "occupation", "salary-class", "race", "native-country")


@pytest.mark.skipif(not ADULT.exists(), reason="Adult is not at hand")
@pytest.mark.parametrize("pair", list(combinations(BESIDE, 2)), ids="-".join)
def test_no_column_of_adult_is_refused_in_21_role_sets(pair):
    """Six thousand of its people; `benchmarks/guard_alarms.py` takes all of them, as methods release them."""
    names, *rows = (line.split(";") for line in ADULT.read_text().splitlines()[:6001])
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    quasi = {name: cells[name] for name in names if name not in pair}
    table, leaves = table_of(quasi, {name: cells[name] for name in pair}, "plain")
    assert refused(table, leaves, halved(table)) is None


# Whom and what it counts.


def strong(n=600, **more):
    random, born, places, _ = births(n)
    return table_of({"born": born, "place": places}, {"c": born + 5 + random.integers(0, 3, n)}, **more)


def test_claims_without_k_and_with_blanks_are_not_measured():
    table, leaves = strong()
    release, column = release_of(np.arange(600) // 6), [table.column("c")]
    assert measure_telling(table, leaves, release, shoal.KAnonymity(5), column)
    assert measure_telling(table, leaves, release, shoal.TCloseness(0.5), column) == []
    nobody = Recoded(release.names, release.forms, release.codes[:0], release.rows[:0], 600)
    assert measure_telling(table, leaves, nobody, shoal.KAnonymity(5), column) == []


def test_people_of_classes_that_are_too_small_are_not_found_by_a_column():
    table, leaves = strong()
    kind = np.r_[np.arange(300), 300 + np.arange(300) // 6]  # half of the people stand alone
    (half,) = measure_telling(table, leaves, release_of(kind), shoal.KAnonymity(5), [table.column("c")])
    (whole,) = measure_telling(
        table, leaves, release_of(np.arange(600) // 6), shoal.KAnonymity(5), [table.column("c")]
    )
    assert half.above == pytest.approx(whole.above / 2, abs=0.05)
    alone = release_of(np.arange(600))
    assert measure_telling(table, leaves, alone, shoal.KAnonymity(5), [table.column("c")]) == []


def test_rows_of_one_person_in_a_class_are_one():
    table, leaves = strong(200)
    rows = np.repeat(np.arange(200), 3)
    more = Table(
        tuple(Column(one.name, one.role, one.values, one.codes[rows]) for one in table.columns), persons=rows
    )
    kind = np.arange(200) // 6
    (one,) = measure_telling(table, leaves, release_of(kind), shoal.KAnonymity(5), [table.column("c")])
    (three,) = measure_telling(
        more, leaves[rows], release_of(kind[rows]), shoal.KAnonymity(5), [more.column("c")]
    )
    assert three.people == 200
    assert (three.mean, three.alone, three.above) == pytest.approx((one.mean, one.alone, one.above))


def test_rows_that_stand_for_many_count_as_so_many():
    table, leaves = strong(300)
    counts = np.random.default_rng(2).integers(1, 5, 300)
    rows, kind = np.repeat(np.arange(300), counts), np.arange(300) // 6
    every = Table(tuple(Column(one.name, one.role, one.values, one.codes[rows]) for one in table.columns))
    (one,) = measure_telling(
        every, leaves[rows], release_of(kind[rows]), shoal.KAnonymity(5), [every.column("c")]
    )
    counted = Table(table.columns, counts=counts)
    (few,) = measure_telling(
        counted, leaves, release_of(kind, counts), shoal.KAnonymity(5), [table.column("c")]
    )
    assert few.people == one.people == counts.sum()
    assert (few.mean, few.alone, few.above) == pytest.approx((one.mean, one.alone, one.above))


def test_of_very_many_rows_those_of_some_classes_show_the_same(monkeypatch):
    table, leaves = strong(6000)
    release = release_of(np.random.default_rng(1).permutation(6000) // 6)
    every = measure_telling(table, leaves, release, shoal.KAnonymity(5), [table.column("c")])
    monkeypatch.setattr(matching, "_ROWS", 1500)
    some = measure_telling(table, leaves, release, shoal.KAnonymity(5), [table.column("c")])
    assert some[0].mean == pytest.approx(every[0].mean, abs=0.03)
    assert some[0].people == 6000
    one_class = release_of(np.zeros(6000, dtype=int))
    (telling,) = measure_telling(table, leaves, one_class, shoal.KAnonymity(5), [table.column("c")])
    assert telling.alone == pytest.approx(1 / 6000)


def test_what_is_too_much():
    def telling(above, dealt, people=10_000, asked=10_000):
        return ColumnTelling(("c",), ("q",), people, asked, 0.3, 0.2, above, dealt)

    assert is_too_much(telling(0.06, 0.0))
    assert not is_too_much(telling(0.06, 0.0, asked=2000))  # of all it may be five in a hundred
    assert is_too_much(telling(0.2, 0.0, 50, 50))
    assert not is_too_much(telling(0.2, 0.0, 49, 49))
    assert not is_too_much(telling(0.05, 0.0))
    assert is_too_much(telling(0.2, 0.09))
    assert not is_too_much(telling(0.2, 0.1))
    assert is_nearly_too_much(telling(0.043, 0.0, 418, 418))
    assert not is_nearly_too_much(telling(0.043, 0.0))
    assert not is_nearly_too_much(telling(0.043, 0.022, 418, 418))
    assert not is_nearly_too_much(telling(0.04, 0.0, 200, 200))  # eight people may be chance
