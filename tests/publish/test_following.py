"""What follows from what is known: refused where it leaves anybody too few look-alikes, let pass where it is chance."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.data import Baskets, Column, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.publish.following import Link, links
from shoal.publish.following_items import Held, item_rules, rows_left
from shoal.publish.guards import guard_released
from shoal.release import Forms, Recoded, RecodedBaskets


def bound(columns, roles, **options):
    return shoal.read(pl.DataFrame(columns), roles=roles, **options)


def refuses(data, words, **asked):
    with pytest.raises(InputError, match=words):
        shoal.anonymize(data, **asked)


def births(n, seed):
    """Days of birth that nobody shares."""
    days = np.random.default_rng(seed).choice(20_000, n, replace=False)
    return [date(1940, 1, 1) + timedelta(days=int(day)) for day in days]


# The six ways round the guard, each with data of the size in which it was found.


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%B %d, %Y"])
def test_a_birth_month_follows_from_birth_dates_that_nobody_shares(written):
    born = births(150, 1)
    columns = {"born": [day.strftime(written) for day in born], "month": [f"m{day.month}" for day in born]}
    rule = {"born": {"dates": {"format": written, "levels": ["year", "decade"]}}}
    roles = {"born": "quasi", "month": "plain"}
    refuses(bound(columns, roles, hierarchies=rule), "'month': it follows from quasi-identifier 'born'", k=5)
    assert shoal.anonymize(bound(columns, roles, hierarchies=rule, allow=("month",)), k=5)


def visits(**options):
    """A thousand visits: year of birth, sex and a zip code are known, visit year and age are plain."""
    random, n = np.random.default_rng(2), 1000
    born, visit = random.integers(1940, 2005, n), random.integers(2010, 2020, n)
    columns = {
        "birth year": born,
        "zip": [f"{10_000 + code}" for code in random.integers(0, 100, n)],
        "visit": visit,
        "age": visit - born - random.integers(0, 2, n),
    }
    rules = {"birth year": {"ranges": [100]}, "zip": {"fanout": 100}}
    roles = {"birth year": "quasi", "zip": "quasi", "visit": "plain", "age": "plain"}
    return bound(columns, roles, hierarchies=rules, **options)


def test_visit_year_and_age_together_tell_the_birth_year():
    told = "columns 'visit' and 'age': together they tell quasi-identifier 'birth year'"
    refuses(visits(), rf"{told}, .* 9\d\d records with fewer than 5 look-alikes", k=5, method="mstk")
    assert shoal.anonymize(visits(allow=("age",)), k=5)


def grouped(role="plain"):
    random, n = np.random.default_rng(3), 1000
    zips, jobs, group = random.integers(0, 20, n), random.integers(0, 20, n), random.integers(0, 8, (20, 20))
    columns = {
        "zip": [f"{10_000 + code}" for code in zips],
        "job": [f"{100 + job}" for job in jobs],
        "group": [f"g{group[pair]}" for pair in zip(zips, jobs, strict=True)],
    }
    rules = {"zip": {"mask": "right"}, "job": {"mask": "right"}}
    return bound(columns, {"zip": "quasi", "job": "quasi", "group": role}, hierarchies=rules)


@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_a_column_follows_from_two_quasi_identifiers_together(role):
    refuses(grouped(role), "'group': it follows from quasi-identifiers 'zip' and 'job'", k=5)


@pytest.mark.parametrize("asked", [{"k": 5}, {"k": 5, "l": 2}])
def test_a_sensitive_column_follows_from_a_quasi_identifier(asked):
    random, n = np.random.default_rng(4), 1000
    zips, ward = random.integers(0, 100, n), random.integers(0, 12, 100)
    columns = {
        "zip": [f"{10_000 + code}" for code in zips],
        "age": random.integers(20, 80, n),
        "ward": [f"ward {ward[code]}" for code in zips],
    }
    rules = {"zip": {"mask": "right"}, "age": {"ranges": [5, 10, 20]}}
    data = bound(columns, {"zip": "quasi", "age": "quasi", "ward": "sensitive"}, hierarchies=rules)
    refuses(data, "'ward': it follows from quasi-identifier 'zip'", method="mondrian", **asked)


@pytest.mark.parametrize("roles", [{}, {"sex": "quasi"}])
def test_a_plain_column_follows_from_an_item(roles):
    random, n = np.random.default_rng(5), 60
    drug = random.integers(0, 20, n)
    columns = {"items": [[f"drug {one}"] for one in drug], "clinic": [f"c{one // 3}" for one in drug]}
    if roles:
        columns["sex"] = random.choice(["f", "m"], n)
    data = bound(columns, {"items": "items", "clinic": "plain", **roles})
    refuses(data, "'clinic': it follows from an item", k=5, m=1)


def labelled(seed=6, **options):
    random = np.random.default_rng(seed)
    items = [["rare"]] * 3 + [[f"item {one}"] for one in random.integers(0, 6, 57)]
    label = ["own"] * 3 + [f"label {one}" for one in random.integers(0, 4, 57)]
    return bound({"items": items, "label": label}, {"items": "items", "label": "sensitive"}, **options)


def test_a_label_tells_an_item():
    refuses(
        labelled(), "'label': it follows from an item, .* 3 records with fewer than 5 look-alikes", k=5, m=1
    )
    assert shoal.anonymize(labelled(allow=("label",)), k=5, m=1)


def test_a_label_tells_an_item_of_baskets_by_vote():
    refuses(labelled(), "'label': it follows from an item, .* 3 records with fewer than 5", k=5)
    assert shoal.anonymize(labelled(allow=("label",)), k=5)


# A law: whoever knows the rule is the oracle, and the guard refuses wherever the oracle finds somebody.


def derived(kind, random, n):
    """Two quasi-identifiers and a plain column that a rule of some kind makes of them."""
    day = [date(1940, 1, 1) + timedelta(days=int(one)) for one in random.integers(0, 25_000, n)]
    age, zips = random.integers(18, 90, n), random.integers(0, 60, n)
    town = random.integers(0, 6, (2, 90))
    sex = random.integers(0, 2, n)
    texts = {
        "born": [one.isoformat() for one in day],
        "age": age,
        "zip": [f"{10_000 + 13 * z}" for z in zips],
    }
    made = {
        "month": (("born", "age"), [f"month {one.month}" for one in day]),
        "year": (("born", "zip"), [one.year for one in day]),
        "weekday": (("born", "age"), [one.strftime("%A") for one in day]),
        "year and month": (("born", "zip"), [one.isoformat()[:7] for one in day]),
        "prefix": (("zip", "age"), [one[:3] for one in texts["zip"]]),
        "decade": (("age", "zip"), [f"{one // 10}0s" for one in age]),
        "sum": (("age", "points"), age + zips),
        "difference": (("age", "points"), age - zips),
        "table of two": (("sex", "age"), [f"t{town[pair]}" for pair in zip(sex, age, strict=True)]),
        "interval of a date by sex": (
            ("born", "sex"),
            [f"{one.year // (10 + 5 * s)} {s}" for one, s in zip(day, sex, strict=True)],
        ),
    }
    names, column = made[kind]
    texts |= {"sex": [str(one) for one in sex], "points": zips}
    return {name: [str(one) for one in texts[name]] for name in names}, [str(one) for one in column]


KINDS = (
    "month",
    "year",
    "weekday",
    "year and month",
    "prefix",
    "decade",
    "sum",
    "difference",
    "table of two",
    "interval of a date by sex",
)


def table_of(quasi, others):
    """A table, its leaf codes in the order of its values, and a release of one class for every so many records."""
    columns = [Column.of(name, "quasi", cells) for name, cells in quasi.items()]
    trees = {
        column.name: Hierarchy.from_paths(column.name, [[value, "*"] for value in sorted(column.values)])
        for column in columns
    }
    leaves = np.stack([trees[column.name].encode(column) for column in columns], axis=1)
    plain = [Column.of(name, role, cells) for name, (role, cells) in others.items()]
    return Table((*columns, *plain)), leaves, trees


def released(table, leaves, trees):
    """Every quasi-identifier as a star: all records are one class."""
    names = [column.name for column in table.quasi]
    return Recoded.of_levels(names, trees, leaves, [1] * len(names), np.arange(table.n))


@pytest.mark.parametrize("role", ["plain", "sensitive"])
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=4)
@given(seed=st.integers(0, 10_000), n=st.sampled_from([300, 700, 1500]), k=st.sampled_from([3, 20, 60, 250]))
def test_what_a_rule_makes_is_refused_wherever_it_leaves_too_few(kind, role, seed, n, k):
    quasi, column = derived(kind, np.random.default_rng(seed), n)
    table, leaves, trees = table_of(quasi, {"told": (role, column)})
    release = released(table, leaves, trees)
    alike = {value: column.count(value) for value in set(column)}
    short = sum(alike[value] < k for value in column)
    if short:
        with pytest.raises(
            InputError, match=f"'told': it follows .* {short} records with fewer than {k} look"
        ):
            guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(k))
        guard_released(table, leaves, release, frozenset({"told"}), shoal.KAnonymity(k))
    else:
        guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(k))


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([2, 5, 12]))
def test_sums_that_are_right_within_one_are_counted_as_whoever_knows_them_counts(seed, dates, k):
    """Two plain columns of which the oracle knows: visit year less age is the year of birth, or the next."""
    random, n = np.random.default_rng(seed), 400
    born, visit = random.integers(1950, 2000, n), random.integers(2005, 2020, n)
    age = visit - born - random.integers(0, 2, n)
    cells = [f"{year}-03-0{1 + year % 9}" if dates else str(year) for year in born]
    others = {"visit": ("plain", [str(one) for one in visit]), "age": ("plain", [str(one) for one in age])}
    table, leaves, trees = table_of({"born": cells}, others)
    fits = [int(np.isin(visit - age, (one, one + 1)).sum()) for one in born]
    short = sum(many < k for many in fits)
    release = released(table, leaves, trees)
    if short:
        words = f"'visit' and 'age': together they tell .*'born', .* {short} records with fewer than {k} look"
        with pytest.raises(InputError, match=words):
            guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(k))
    else:
        guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(k))


def test_look_alikes_by_a_sum_are_persons():
    """Ten persons with five rows each are ten, whichever number of the two their rows show."""
    born = np.repeat(1950 + np.arange(40), 5)
    visit = np.tile(np.arange(2010, 2015), 40)
    age = visit - born - np.tile([0, 1, 0, 1, 0], 40)
    others = {"visit": ("plain", [str(one) for one in visit]), "age": ("plain", [str(one) for one in age])}
    table, leaves, trees = table_of({"born": [str(one) for one in born]}, others)
    release = released(table, leaves, trees)
    link = Link(("born",), ("visit", "age"), terms=(("visit", 1), ("age", -1), ("born", -1)))
    asked = table, leaves, release, frozenset(), shoal.KAnonymity(4), [link]
    guard_released(*asked)
    whole = Table(table.columns, persons=np.repeat(np.arange(40), 5))
    with pytest.raises(InputError, match=" 200 records with fewer than 4"):
        guard_released(whole, *asked[1:])


# False alarms: what is only chance, or only goes along, passes.


def scattered(random, n):
    """Quasi-identifiers of many kinds, some of which nobody shares."""
    day = [date(1940, 1, 1) + timedelta(days=int(one)) for one in random.integers(0, 25_000, n)]
    return {
        "born": [one.isoformat() for one in day],
        "zip": [f"{one:05d}" for one in random.integers(0, 99_999, n)],
        "age": [str(one) for one in random.integers(18, 90, n)],
        "sex": [str(one) for one in random.integers(0, 2, n)],
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=12)
@given(st.integers(0, 100_000), st.sampled_from([60, 200, 900]), st.sampled_from(["plain", "sensitive"]))
def test_columns_that_depend_on_nothing_pass(seed, n, role):
    random = np.random.default_rng(seed)
    widths = (2, 3, 9, 40)
    others = {f"c{w}": (role, [str(one) for one in random.integers(0, w, n)]) for w in widths}
    others["rare"] = (role, [str(int(one < 0.04)) for one in random.random(n)])
    table, leaves, _ = table_of(scattered(random, n), others)
    assert links(table, leaves, [table.column(name) for name in others]) == []


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 100_000))
def test_an_illness_that_goes_along_with_age_passes(seed):
    """Seven in ten have the illness of their age; a wrong guess is made of every third."""
    random, n = np.random.default_rng(seed), 1000
    quasi = scattered(random, n)
    usual = np.array([int(one) // 12 for one in quasi["age"]])
    ill = np.where(random.random(n) < 0.7, usual, random.integers(0, 8, n))
    table, leaves, _ = table_of(quasi, {"ill": ("sensitive", [f"ill {one}" for one in ill])})
    assert links(table, leaves, [table.column("ill")]) == []


def test_rows_of_one_person_are_no_evidence():
    """A hundred people with four rows each: what a person always has looks like a rule of what a person always has."""
    random = np.random.default_rng(8)
    people = np.repeat(np.arange(100), 4)
    blood, born = random.integers(0, 4, 100)[people], 5 * people
    table, leaves, _ = table_of(
        {"born": [str(one) for one in born]}, {"blood": ("plain", [str(one) for one in blood])}
    )
    assert links(table, leaves, [table.column("blood")])
    whole = Table(table.columns, persons=people)
    assert links(whole, leaves, [whole.column("blood")]) == []


# Items.


def held_of(baskets, groups):
    """Baskets released with some items made one."""
    of = {code: place for place, group in enumerate(groups) for code in group}
    rows = [sorted({of[code] for code in baskets.basket(i).tolist()}) for i in range(baskets.n)]
    forms = Forms.of_sets([None] * len(groups), [np.array(group, dtype=np.int32) for group in groups])
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    items = np.array([one for row in rows for one in row], dtype=np.int32)
    return Held(baskets, RecodedBaskets(forms, start, items, np.arange(baskets.n), baskets.n))


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 100_000), m=st.sampled_from([1, 2]), role=st.sampled_from(["plain", "sensitive"]))
def test_a_column_that_an_item_makes_leaves_what_whoever_knows_the_items_counts(seed, m, role):
    """Every basket holds one drug, which makes the column, and up to three other things."""
    random, n, drugs, things = np.random.default_rng(seed), 200, 12, 4
    drug = random.integers(0, drugs, n)
    made = random.permutation(drugs) // 3
    more = [random.choice(things, random.integers(0, 4), replace=False) for _ in range(n)]
    lists = [[f"d{d:02d}", *(f"t{t}" for t in some)] for d, some in zip(drug, more, strict=True)]
    baskets = Baskets.of("items", lists)
    column = Column.of("c", role, [f"c{made[one]}" for one in drug])
    (rule,) = item_rules(baskets, [column])
    names = baskets.values
    drug_codes = [code for code, name in enumerate(names) if name.startswith("d")]
    assert set(drug_codes) <= set(rule.items.tolist())
    groups = [drug_codes[0::2], drug_codes[1::2], *([c] for c, name in enumerate(names) if name[0] == "t")]
    held = held_of(baskets, groups)
    left = rows_left([rule], held, np.zeros(n, dtype=np.int64), m)
    cells = column.cells()
    form = {code: place for place, group in enumerate(groups) for code in group}
    shown = [{form[code] for code in baskets.basket(i).tolist()} for i in range(n)]
    for i in range(n):
        telling = [code for code in baskets.basket(i).tolist() if code in drug_codes]
        expected = min(
            sum(cells[j] == cells[i] and {form[d], form[o]} <= shown[j] for j in range(n))
            for d in telling
            for o in ([d] if m == 1 else baskets.basket(i).tolist())
        )
        assert left[i] <= expected
        if set(rule.items.tolist()) <= set(drug_codes):
            assert left[i] == expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 100_000), st.sampled_from(["plain", "sensitive"]))
def test_columns_that_depend_on_no_item_pass(seed, role):
    random, n = np.random.default_rng(seed), 300
    often = random.dirichlet(np.full(80, 0.3))
    lists = [[f"i{one}" for one in random.choice(80, random.integers(1, 6), p=often)] for _ in range(n)]
    columns = [Column.of(f"c{w}", role, [str(one) for one in random.integers(0, w, n)]) for w in (2, 5, 30)]
    rules = item_rules(Baskets.of("items", lists), columns)
    assert sum(len(rule.items) for rule in rules) <= 1
