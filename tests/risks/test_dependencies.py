"""What follows from what is known: refused where it leaves anybody too few look-alikes, let pass where it is chance."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Table
from shoal.hierarchy import Hierarchy
from shoal.release import PublishedValues, Recoded, RecodedBaskets
from shoal.risks.dependencies import (
    ItemSources,
    Link,
    _CodedAmounts,
    _find_narrowest_window,
    _find_source,
    _find_step,
    _fit_sum,
    _is_value_part,
    _max_window_share,
    _QuasiIdentifier,
    _spelling_key,
    count_rows_left,
    find_dependencies,
    find_item_rules,
    find_sums,
)
from shoal.shapes.guards import guard_released


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
    told = "columns 'visit' and 'age': together they reveal quasi-identifier 'birth year'"
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
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=4)
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


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([2, 5, 12]))
def test_sums_that_are_right_within_one_are_counted_as_whoever_knows_them_counts(seed, dates, k):
    """Two plain columns of which the oracle knows: visit year less age is the year of birth, or the next."""
    random, n = np.random.default_rng(seed), 400
    born, visit = random.integers(1950, 2000, n), random.integers(2005, 2020, n)
    age = visit - born - random.integers(0, 2, n)
    cells = [f"{year}-03-0{1 + year % 9}" if dates else str(year) for year in born]
    others = {"visit": ("plain", [str(one) for one in visit]), "age": ("plain", [str(one) for one in age])}
    table, leaves, trees = table_of({"born": cells}, others)
    told = visit - age  # the year of birth or the one after it
    rows = [int(np.isin(told, (one, one + 1)).sum()) for one in born]
    whose = [int(np.isin(born, (one, one - 1)).sum()) for one in told]
    short = sum(min(both) < k for both in zip(rows, whose, strict=True))
    release = released(table, leaves, trees)
    if short:
        words = (
            f"'visit' and 'age': together they reveal .*'born', .* {short} records with fewer than {k} look"
        )
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


# Where each limit lies.


def summed(a, b, role="plain"):
    amounts = {name: np.asarray(one, dtype=float) for name, one in (("a", a), ("b", b))}
    found = _fit_sum(_CodedAmounts(amounts), ("b",), (Column.of("a", role, [str(one) for one in a]),))
    return None if found is None or not found[0].sure else found[0]


def test_numbers_that_add_up_to_one_number_or_the_next():
    a = 2 * np.arange(30)
    both = a + [0, 1] * 15
    found = summed(a, 100 - both)
    assert found == Link(("b",), ("a",), terms=(("a", 1), ("b", 1)), least=99.0, step=1.0)
    found = summed(a, both + 5)
    assert found == Link(("b",), ("a",), terms=(("a", 1), ("b", -1)), least=-6.0, step=1.0)
    found = summed(a / 10, (both + 5) / 10)
    assert (found.terms, found.step) == ((("a", 1), ("b", -1)), 0.1)
    assert found.least == pytest.approx(-0.6)


@pytest.mark.parametrize("role", ["plain", "sensitive"])
@pytest.mark.parametrize("width", [1, 2, 3, 5, 7, 11])
@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_that_add_up_to_one_of_a_few(role, width, sign):
    random = np.random.default_rng(width)
    known = random.integers(1950, 2000, 500)
    shown = sign * known + 4000 + random.integers(0, width, 500)
    found = summed(shown, known, role)
    assert found == Link(("b",), ("a",), terms=(("a", 1), ("b", -sign)), least=4000.0, width=width)


def test_logarithms_that_add_up():
    random = np.random.default_rng(1)
    weight = random.integers(40, 160, 800)
    dose = np.round(weight * random.uniform(9.5, 10.5, 800), 1)
    found = summed(dose, weight)
    assert found.logs
    assert found.terms == (("a", 1), ("b", -1))
    assert np.exp(found.least) == pytest.approx(9.5, rel=0.01)
    assert np.exp(found.width * found.step) == pytest.approx(10.5 / 9.5, rel=0.02)
    assert summed(20_000 / dose, weight).terms == (("a", 1), ("b", 1))  # their product
    table, leaves, _ = table_of(
        {"b": [str(one) for one in weight]}, {"a": ("plain", [str(one) for one in dose])}
    )
    (link,) = find_sums(table, [table.column("a")])
    marks = link.marks(table, leaves)
    assert marks.is_kept.mean() > 0.94
    assert marks.some(np.arange(5)).width == link.width


def test_what_many_people_keep_is_no_rule_and_found_all_the_same():
    random = np.random.default_rng(2)
    born = random.integers(1950, 2000, 1000)
    school = np.where(
        random.random(1000) < 0.8, born + random.integers(5, 8, 1000), random.integers(1955, 2007, 1000)
    )
    table, leaves, _ = table_of(
        {"b": [str(one) for one in born]}, {"a": ("plain", [str(one) for one in school])}
    )
    assert find_dependencies(table, leaves, [table.column("a")]) == []
    (link,) = find_sums(table, [table.column("a")])
    assert (link.least, link.width, link.sure) == (5.0, 3, False)


@pytest.mark.parametrize("strength", [0.0, 0.5, 0.8])
def test_numbers_that_only_go_along_add_up_to_nothing(strength):
    random = np.random.default_rng(3)
    a = random.normal(size=3000)
    b = strength * a + (1 - strength**2) ** 0.5 * random.normal(size=3000)
    columns = [[str(int(one)) for one in np.round(10 * side + 100)] for side in (a, b)]
    table, _, _ = table_of({"b": columns[1]}, {"a": ("plain", columns[0])})
    assert find_sums(table, [table.column("a")]) == []


def test_few_numbers_make_no_sum():
    a = 2 * np.arange(11)
    assert summed(a, a) is not None
    assert summed(a[:10], a[:10]) is None  # nine wrong guesses without it
    holes = np.r_[a.astype(float), np.nan]
    assert summed(holes, np.r_[a, 5]) is not None
    assert summed(np.r_[np.nan, holes[1:]], np.r_[a, 5]) is None
    assert summed(np.full(40, np.nan), np.arange(40)) is None


def test_how_many_sums_must_be_right():
    a = 3 * np.arange(100)
    for wrong, found in ((5, True), (6, False)):
        b = np.r_[1000 + 7 * np.arange(wrong) ** 2, a[wrong:]]
        assert (summed(a, b) is not None) is found
    often = np.r_[np.zeros(50), 3 * np.arange(1, 51)]  # half is guessed without knowing anything
    b = np.r_[1000 + 7 * np.arange(5) ** 2, often[5:]]
    assert summed(often, b) is not None
    assert summed(often, b, role="sensitive") is None  # nine in ten of the wrong guesses
    assert summed(often, often, role="sensitive") is not None


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=30), st.sampled_from([0.5, 0.7, 0.95, 1.0]))
def test_the_narrowest_window_holds_a_share_and_no_other_of_its_width_is_needed(numbers, share):
    line = np.sort(np.array(numbers, dtype=float))
    least, width = _find_narrowest_window(line, share)

    def inside(low, wide):
        return sum(low <= one < low + wide for one in numbers)

    assert inside(least, width) >= share * len(numbers)
    assert all(inside(low, width - 1) < share * len(numbers) for low in numbers)
    assert _max_window_share(line, width) == max(inside(low, width) for low in numbers) / len(numbers)


def test_the_last_place_of_numbers():
    for numbers, step in (
        ([3, -7], 1.0),
        ([3, 0.5], 0.1),
        ([0.25, 1], 0.01),
        ([0.125], 0.001),
        ([0.00005], 0.001),
    ):
        assert _find_step(np.array(numbers, dtype=float)) == step


def test_a_sum_is_told_where_its_numbers_are_there():
    """What is no number is neither shown nor expected; what is expected is in steps."""
    cells = {"a": ["0.5", "x", *["1.5"] * 18], "b": ["9.5", "8.5", "x", *["8.5"] * 17]}
    table, leaves, _ = table_of({"b": cells["b"]}, {"a": ("plain", cells["a"])})
    link = Link(("b",), ("a",), terms=(("a", 1), ("b", 1)), least=10.0, step=0.5)
    marks = link.marks(table, leaves)
    assert marks.width == 2
    assert marks.shows.tolist() == [True, False, *[True] * 18]
    assert marks.known.tolist() == [True, True, False, *[True] * 17]
    assert marks.shown[[0, 2, 3]].tolist() == [1, 3, 3]
    assert marks.low[[0, 1, 3]].tolist() == [1, 3, 3]
    assert marks.is_kept.tolist() == [True, False, False, *[True] * 17]
    words = Table((table.columns[0], Column.of("a", "plain", ["x", "y"] * 10)))
    assert not link.marks(words, leaves).shows.any()
    assert repr(link) == "<Link: known=b, shown=a>"  # and no sum


@pytest.mark.parametrize("dirty", ["born", "age"])
def test_a_rule_of_some_people_is_counted_in_a_table_with_many_wrong_cells(dirty):
    """Wrong cells that few have: of 4,000 people nearly all values are numbers, of all people too many are none."""
    random, n = np.random.default_rng(5), 40_000
    born, visit = random.integers(1950, 1990, n), random.integers(2005, 2015, n)
    cells = {"born": [str(one) for one in born], "age": [str(one) for one in visit - born]}
    for place in range(20):
        cells[dirty][1999 * place] = f"about {place}"
    others = {"visit": ("plain", [str(one) for one in visit]), "age": ("plain", cells["age"])}
    table, leaves, trees = table_of({"born": cells["born"]}, others)
    link = Link(("born",), ("visit", "age"), terms=(("visit", 1), ("age", -1), ("born", -1)), width=1)
    assert link in find_dependencies(table, leaves, [table.column("visit"), table.column("age")])
    kept = link.marks(table, leaves).is_kept
    assert int(kept.sum()) == n - 20
    release = released(table, leaves, trees)
    with pytest.raises(InputError, match=f"together they reveal .* {n - 20} records with fewer than 5000"):
        guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(5000), [link])


def known_of(cells):
    column = Column.of("q", "quasi", cells)
    return _QuasiIdentifier(column, column.codes, column.codes)


def test_which_values_are_scattered():
    assert not known_of(["a"] * 38 + ["b"]).scattered
    assert known_of(["a"] * 38 + ["b", "c"]).scattered  # two of forty
    assert not known_of(["a"] * 39 + ["b", "c"]).scattered
    assert known_of(["a", "b"]).scattered


def test_parts_are_read_off_values_that_few_share():
    cells = [f"{letter}{one:02d}" for letter in "ab" for one in range(50)]
    found = known_of(cells)
    assert found.parts[0][0] == ["a", "b"]
    assert found.parts[0][1].tolist() == [0] * 50 + [1] * 50
    assert all(1 < len(words) < 100 for words, _ in found.parts)
    assert [one.tolist() for one in found.orders] == [list(range(100))] * 2
    assert len(found.coarse) == sum(len(words) <= 10 for words, _ in found.parts)
    many = known_of([day.isoformat() for day in births(1000, 1)])
    assert len(many.coarse) == 8 < sum(len(words) <= 100 for words, _ in many.parts)
    shared = known_of(cells * 2)
    assert (shared.parts, shared.orders) == ([], [])
    assert [one.tolist() for one in shared.coarse] == [shared.leaf.tolist()]


def test_a_part_that_too_many_have_is_no_part_to_combine():
    cells = [
        f"{one:02d}{letter}" for one in range(11) for letter in "abcdefghij"
    ]  # eleven beginnings of 110 people
    assert [0] * 10 + [1] * 10 in [one.tolist()[:20] for one in known_of(cells).coarse]
    fewer = known_of(cells[:-1])  # and of 109
    assert not any(len(np.unique(one)) == 11 for one in fewer.coarse)


def read_off(others, wrong, sure=0.8):
    """Thirty people with one letter and some with another, published but for some wrong cells."""
    letters = ["a"] * 30 + ["b"] * others
    column = Column.of("p", "plain", [*letters[: 30 + others - wrong], *["c"] * wrong])
    known = known_of([f"{letter}{one:02d}" for one, letter in enumerate(letters)])
    return _is_value_part(known, codes_of_cells(column), column.codes.astype(np.int64), sure)


def codes_of_cells(column):
    return {_spelling_key(value): code for code, value in enumerate(column.values)}


def test_a_cell_that_is_a_part_of_a_known_value_is_read_off_it():
    assert read_off(5, 0)
    assert not read_off(4, 0)  # few wrong guesses may be chance
    assert read_off(10, 2)
    assert not read_off(10, 3)
    assert not read_off(10, 2, sure=0.95)
    cells = Column.of("p", "plain", ["x", "y"] * 20)
    assert not _is_value_part(
        known_of([f"{one:02d}" for one in range(40)]),
        codes_of_cells(cells),
        cells.codes.astype(np.int64),
        0.8,
    )


# Rules of several columns.


@pytest.mark.parametrize(("known", "shown"), [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)])
def test_sums_of_up_to_four_columns_are_found(known, shown):
    random, n = np.random.default_rng(known + 10 * shown), 600
    numbers = random.integers(0, 60_000 if known + shown == 2 else 6_000, (known + shown, n))
    numbers[0] = 500 - numbers[1:-1].sum(axis=0) - numbers[-1]
    names = [*(f"q{one}" for one in range(known)), *(f"p{one}" for one in range(shown))]
    cells = {name: [str(one) for one in line] for name, line in zip(names, numbers, strict=True)}
    quasi = {name: cells[name] for name in names[:known]}
    table, leaves, _ = table_of(quasi, {name: ("plain", cells[name]) for name in names[known:]})
    found = find_dependencies(table, leaves, [table.column(name) for name in names[known:]])
    sums = [one for one in found if one.terms]
    assert [(one.known, one.shown) for one in sums] == [(tuple(names[:known]), tuple(names[known:]))]


@pytest.mark.parametrize("many", [1, 2, 3])
def test_a_column_follows_from_up_to_three_quasi_identifiers(many):
    random, n = np.random.default_rng(many), 1200
    bits = random.integers(0, 2, (4, n))
    table, leaves, _ = table_of(
        {f"q{one}": [f"b{bit}" for bit in bits[one]] for one in range(4)},
        {"p": ("plain", [f"b{bit}" for bit in bits[4 - many :].sum(axis=0) % 2])},
    )
    assert find_dependencies(table, leaves, [table.column("p")]) == [
        Link(tuple(f"q{one}" for one in range(4 - many, 4)), ("p",))
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_a_column_keeps_its_value_over_intervals_that_another_quasi_identifier_moves(turned):
    """Numbers that nobody shares, cut anywhere, elsewhere for each sex: no part of a number tells the interval."""
    random, n = np.random.default_rng(3), 900
    numbers = random.choice(30_000, n, replace=False) ** 2
    sex = random.integers(0, 3, n)
    bounds = np.sort(random.choice(np.sort(numbers), (3, 14), replace=False), axis=1)
    told = [f"p{np.searchsorted(bounds[s], one)}" for one, s in zip(numbers, sex, strict=True)]
    quasi = {"number": [str(one) for one in numbers], "sex": [f"s{one}" for one in sex]}
    quasi = dict(reversed(quasi.items())) if turned else quasi
    table, leaves, _ = table_of(quasi, {"told": ("plain", told)})
    assert find_dependencies(table, leaves, [table.column("told")]) == [Link(tuple(quasi), ("told",))]


@pytest.mark.parametrize("many", [2, 3])
@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_up_to_three_columns_tell_a_quasi_identifier_together(many, role):
    random, n = np.random.default_rng(many), 1200
    bits = random.integers(0, 2, (4, n))
    table, leaves, _ = table_of(
        {
            "q": [f"b{bit}" for bit in bits[4 - many :].sum(axis=0) % 2],
            "r": random.integers(0, 2, n).astype(str).tolist(),
        },
        {f"p{one}": (role, [f"b{bit}" for bit in bits[one]]) for one in range(4)},
    )
    columns = [table.column(f"p{one}") for one in range(4)]
    assert find_dependencies(table, leaves, columns) == [
        Link(("q",), tuple(f"p{one}" for one in range(4 - many, 4)), tells=True)
    ]


def test_a_column_of_one_value_and_a_table_of_nobody_are_bound_to_nothing():
    table, leaves, _ = table_of({"q": ["a", "b"] * 30}, {"p": ("plain", ["x"] * 60)})
    assert find_dependencies(table, leaves, [table.column("p")]) == []
    assert find_dependencies(table, leaves, []) == []
    empty = Table(tuple(Column(one.name, one.role, (), one.codes[:0]) for one in table.columns))
    assert find_dependencies(empty, leaves[:0], [empty.column("p")]) == []


def test_sensitive_columns_of_few_people_may_be_alike_by_chance():
    """Pairs of people who share a quasi-identifier and a column: a rule of a plain one, chance of a sensitive one."""
    cells = [f"{one // 2}" for one in range(8)]
    for role, told in (("plain", "q"), ("sensitive", None)):
        table, leaves, _ = table_of({"q": cells}, {"p": (role, ["x", "x", "y", "y", "x", "x", "y", "y"])})
        assert _find_source(table.column("p"), table, leaves) == told
    most = [*cells, *(f"alone {one}" for one in range(9))]  # more than half share their value with nobody
    table, leaves, _ = table_of({"q": most}, {"p": ("plain", ["x", "x", "y", "y"] * 2 + ["x"] * 9)})
    assert _find_source(table.column("p"), table, leaves) is None
    table, leaves, _ = table_of({"q": most[:-1]}, {"p": ("plain", ["x", "x", "y", "y"] * 2 + ["x"] * 8)})
    assert _find_source(table.column("p"), table, leaves) == "q"


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


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=12)
@given(st.integers(0, 100_000), st.sampled_from([60, 200, 900]), st.sampled_from(["plain", "sensitive"]))
def test_columns_that_depend_on_nothing_pass(seed, n, role):
    random = np.random.default_rng(seed)
    widths = (2, 3, 9, 40)
    others = {f"c{w}": (role, [str(one) for one in random.integers(0, w, n)]) for w in widths}
    others["rare"] = (role, [str(int(one < 0.04)) for one in random.random(n)])
    table, leaves, _ = table_of(scattered(random, n), others)
    assert find_dependencies(table, leaves, [table.column(name) for name in others]) == []


@settings(max_examples=15)
@given(st.integers(0, 100_000))
def test_an_illness_that_goes_along_with_age_passes(seed):
    """Seven in ten have the illness of their age; a wrong guess is made of every third."""
    random, n = np.random.default_rng(seed), 1000
    quasi = scattered(random, n)
    usual = np.array([int(one) // 12 for one in quasi["age"]])
    ill = np.where(random.random(n) < 0.7, usual, random.integers(0, 8, n))
    table, leaves, _ = table_of(quasi, {"ill": ("sensitive", [f"ill {one}" for one in ill])})
    assert find_dependencies(table, leaves, [table.column("ill")]) == []


def test_rows_of_one_person_are_no_evidence():
    """A hundred people with four rows each: what a person always has looks like a rule of what a person always has."""
    random = np.random.default_rng(8)
    people = np.repeat(np.arange(100), 4)
    blood, born = random.integers(0, 4, 100)[people], 5 * people
    table, leaves, _ = table_of(
        {"born": [str(one) for one in born]}, {"blood": ("plain", [str(one) for one in blood])}
    )
    assert find_dependencies(table, leaves, [table.column("blood")])
    whole = Table(table.columns, persons=people)
    assert find_dependencies(whole, leaves, [whole.column("blood")]) == []


# Items.


def held_of(baskets, groups):
    """Baskets released with some items made one."""
    of = {code: place for place, group in enumerate(groups) for code in group}
    rows = [sorted({of[code] for code in baskets.basket(i).tolist()}) for i in range(baskets.n)]
    forms = PublishedValues.of_sets(
        [None] * len(groups), [np.array(group, dtype=np.int32) for group in groups]
    )
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    items = np.array([one for row in rows for one in row], dtype=np.int32)
    return ItemSources(baskets, RecodedBaskets(forms, start, items, np.arange(baskets.n), baskets.n))


@settings(max_examples=15)
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
    (rule,) = find_item_rules(baskets, [column])
    names = baskets.values
    drug_codes = [code for code, name in enumerate(names) if name.startswith("d")]
    assert set(drug_codes) <= set(rule.items.tolist())
    groups = [drug_codes[0::2], drug_codes[1::2], *([c] for c, name in enumerate(names) if name[0] == "t")]
    held = held_of(baskets, groups)
    left = count_rows_left([rule], held, np.zeros(n, dtype=np.int64), m)
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


@settings(max_examples=20)
@given(st.integers(0, 100_000), st.sampled_from(["plain", "sensitive"]))
def test_columns_that_depend_on_no_item_pass(seed, role):
    random, n = np.random.default_rng(seed), 300
    often = random.dirichlet(np.full(80, 0.3))
    lists = [[f"i{one}" for one in random.choice(80, random.integers(1, 6), p=often)] for _ in range(n)]
    columns = [Column.of(f"c{w}", role, [str(one) for one in random.integers(0, w, n)]) for w in (2, 5, 30)]
    rules = find_item_rules(Baskets.of("items", lists), columns)
    assert sum(len(rule.items) for rule in rules) <= 1
