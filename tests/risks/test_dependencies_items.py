"""Rules of items, and the rows that they leave, as their definitions say when they are counted one by one."""

from fractions import Fraction
from math import comb, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import Baskets, Column
from shoal.release import PublishedValues, RecodedBaskets
from shoal.risks.dependencies import (
    ItemRule,
    ItemSources,
    _chance_limit,
    _gain,
    _log_binomial,
    _min_holders,
    _tail_probability,
    count_rows_left,
    find_item_rules,
)

SURE = {"plain": 0.8, "sensitive": 0.95}


def chance_of(both, held, people, n):
    """At most how likely it is that so many holders of an item have a value: each further one is no likelier."""
    ways = comb(people, both) * comb(n - people, held - both) if 0 <= held - both else 0
    return float(min((min(held, people) - both + 1) * Fraction(ways, comb(n, held)), Fraction(1)))


COUNTS = st.tuples(st.integers(1, 12), st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))


@given(COUNTS)
def test_chance_is_a_bound_of_a_hypergeometric_tail(counts):
    n, held, people, both = counts
    held, people = min(held, n), min(people, n)
    both = min(both, held, people)
    asked = (np.array([number]) for number in (both, held, people))
    assert _tail_probability(*asked, n)[0] == pytest.approx(chance_of(both, held, people, n))


def test_choosing_more_than_there_are_is_impossible():
    n, k = np.array([5, 5, 5, 5, 0]), np.array([0, 2, 5, 6, 0])
    assert _log_binomial(n, k)[:3].tolist() == pytest.approx([0, log(10), 0])
    assert _log_binomial(n, k)[3:].tolist() == pytest.approx([-inf, 0])
    assert _log_binomial(np.array([5]), np.array([-1]))[0] == -inf


def test_a_gain_is_the_share_of_wrong_guesses_that_are_avoided():
    def gain(both, held, people, n):
        return float(_gain(*(np.array([number]) for number in (both, held, people)), n)[0])

    assert gain(4, 4, 10, 20) == pytest.approx(1)
    assert gain(2, 4, 10, 20) == pytest.approx(0)
    assert gain(3, 4, 10, 20) == pytest.approx(0.5)
    assert gain(4, 4, 20, 20) == 0  # everybody has it: nothing is told
    assert gain(1, 2, 19, 20) == pytest.approx((0.5 - 0.95) / 0.05)


@given(
    st.lists(st.sampled_from([0.0, 1e-4, 2e-4, 4e-4, 1e-3, 2e-3, 0.5, 1.0]), max_size=12), st.integers(0, 20)
)
def test_the_limit_is_that_of_benjamini_and_hochberg(chances, more):
    tried = len(chances) + more
    line = sorted(chances)
    under = [one for rank, one in enumerate(line, 1) if one <= 0.002 * rank / max(tried, 1)]
    assert _chance_limit(np.array(chances), tried) == (under[-1] if under else -1.0)


def least_held(telling, held, people, n, sure):
    """The fewest holders from which on at most one in twenty of five or more telling items tells by chance."""

    def by_chance(size):
        found = 0.0
        for many in people:
            share = many / n
            needed = int(np.ceil(size * (share + sure * (1 - share)) - 1e-9))
            found += chance_of(needed, size, many, n) if needed <= min(size, many) else 0.0
        return min(found, 1.0)

    for size in sorted({many for many in held if many > 1}):
        among = sum(held[item] >= size for item in telling)
        if among >= 5 and sum(by_chance(many) for many in held if many >= size) <= 0.05 * among:
            return size
    return n + 1


def naive_rule(column, lists, width):
    """The pairs of an item and a value that it tells."""
    n, codes, sure = len(lists), column.codes.tolist(), SURE[column.role]
    people = [codes.count(value) for value in range(len(column.values))]
    held = [sum(item in basket for basket in lists) for item in range(width)]
    both = {}
    for basket, value in zip(lists, codes, strict=True):
        for item in basket:
            both[item, value] = both.get((item, value), 0) + 1
    one, chance = {}, {}
    for (item, value), many in both.items():
        share = Fraction(people[value], n)
        gain = 0 if share == 1 else (Fraction(many, held[item]) - share) / (1 - share)
        one[item, value] = held[item] > 1 and float(gain) >= sure - 1e-12
        chance[item, value] = chance_of(many, held[item], people[value], n) if one[item, value] else 1.0
    most = {pair for pair, many in both.items() if 2 * many > people[pair[1]]}
    several, by_set = [], []
    for item in range(width):
        with_it = sum(both[pair] for pair in most if pair[0] == item)
        of_them = sum(people[pair[1]] for pair in most if pair[0] == item)
        wrong, blind = held[item] - with_it + of_them - with_it, min(held[item], n - held[item])
        several.append(blind > 1 and blind - wrong >= sure * blind - 1e-12 and of_them < n)
        by_set.append(chance_of(with_it, held[item], of_them, n) if several[-1] else 1.0)
    line = sorted([*chance.values(), *by_set])
    under = [c for rank, c in enumerate(line, 1) if c <= 0.002 * rank / (len(both) + width) * (1 + 1e-9)]
    limit = under[-1] * (1 + 1e-9) if under else -1.0
    least = least_held(
        {item for item, _ in both if any(one[p] for p in both if p[0] == item)}, held, people, n, sure
    )
    found = set()
    for item, value in both:
        alone = one[item, value] and (chance[item, value] <= limit or held[item] >= least)
        if alone or (several[item] and by_set[item] <= limit and (item, value) in most):
            found.add((item, value))
    return found


@settings(max_examples=100)
@given(
    st.integers(0, 100_000),
    st.sampled_from([12, 30, 60]),
    st.sampled_from(["plain", "sensitive"]),
    st.sampled_from([0.0, 0.03, 0.15]),
    st.sampled_from([2, 3, 7]),
    st.booleans(),
)
def test_the_rules_are_those_of_the_definition(seed, n, role, noise, values, several):
    """Items that make a column, common ones and rare ones, or items that several values make; but for some noise."""
    random = np.random.default_rng(seed)
    width = int(random.integers(3, 16))
    makes = random.integers(0, values, width)
    often = random.dirichlet(np.full(width, random.choice([0.3, 2.0])))
    first = random.choice(width, n, p=often)
    cell = np.where(random.random(n) < noise, random.integers(0, values, n), makes[first])
    if several:
        cell = random.integers(0, 3 * values, n)
        first = np.where(random.random(n) < noise, first, random.integers(0, width, 3 * values)[cell])
    more = [random.choice(width, random.integers(0, 3)).tolist() for _ in range(n)]
    lists = [sorted({int(one), *some}) for one, some in zip(first, more, strict=True)]
    names = [f"i{item:02d}" for item in range(width)]
    baskets = Baskets.of("items", [*([names[item] for item in basket] for basket in lists)])
    there = [int(name[1:]) for name in baskets.values]
    lists = [[there.index(item) for item in basket] for basket in lists]
    column = Column.of("c", role, [f"v{one}" for one in cell])
    secret = [0] if seed % 3 == 0 else []
    open_lists = [[item for item in basket if item not in secret] for basket in lists]
    found = {
        pair
        for rule in find_item_rules(baskets, [column], secret)
        for pair in zip(rule.items.tolist(), rule.values.tolist(), strict=True)
    }
    assert found == naive_rule(column, open_lists, len(there))


def test_what_one_person_alone_holds_or_lacks_is_no_rule():
    """However sure the others are: of an item that one person holds, or all but one, nothing is guessed wrong."""
    lists = [[f"i{one % 20:02d}", "all"] for one in range(999)] + [["own"]]
    column = Column.of("c", "plain", [f"v{one % 20}" for one in range(999)] + ["alone"])
    baskets = Baskets.of("items", lists)
    (rule,) = find_item_rules(baskets, [column])
    assert [baskets.values[item] for item in rule.items] == [f"i{one:02d}" for one in range(20)]


@given(st.integers(0, 100_000), st.sampled_from([0.8, 0.95]))
def test_how_many_must_hold_an_item_where_many_tell(seed, sure):
    random = np.random.default_rng(seed)
    n, width = 60, 14
    held = random.integers(0, 9, width)
    people = random.multinomial(n, random.dirichlet(np.full(20, 3.0)))
    telling = np.flatnonzero(random.random(width) < random.choice([0.4, 0.9]))
    assert _min_holders(telling, held, people, n, sure) == least_held(
        telling.tolist(), held.tolist(), people.tolist(), n, sure
    )


def drawn(random, n, width, whole):
    """Baskets of which each row publishes every item as itself or as one of its groups, and the forms of each row.

    Where they are `whole` there is one form, of all items.
    """
    lists = [sorted(random.choice(width, random.integers(1, 4), replace=False).tolist()) for _ in range(n)]
    lists[0] = list(range(width))
    baskets = Baskets.of("items", [[f"i{item:02d}" for item in basket] for basket in lists])
    groups = [*([item] for item in range(width)), [0, 1], [1, 2, 3], [2, 3], [0, 1]]
    groups = [list(range(width))] if whole else groups
    rows = np.sort(random.choice(n, n - 2, replace=False))
    shown = []
    for row in rows:
        ways = [[form for form, group in enumerate(groups) if item in group] for item in lists[row]]
        once = {tuple(groups[form]): form for form in (int(random.choice(way)) for way in ways)}
        shown.append(sorted(once.values()))  # a set of items stands in a row once, whatever it is called
    forms = PublishedValues.of_sets(
        [None] * len(groups), [np.array(group, dtype=np.int32) for group in groups]
    )
    start = np.cumsum([0, *map(len, shown)]).astype(np.int64)
    items = np.array([one for row in shown for one in row], dtype=np.int32)
    held = ItemSources(baskets, RecodedBaskets(forms, start, items, rows, n))
    return lists, held, [{tuple(groups[form]) for form in row} for row in shown]


def naive_left(rules, lists, rows, shown, kind, m, secret):
    """For each row the fewest rows that fit what is known of it."""
    tells = [set(zip(rule.items.tolist(), rule.values.tolist(), strict=True)) for rule in rules]
    cells = [rule.column.codes.tolist() for rule in rules]
    width = max(max(basket) for basket in lists) + 1
    together = {
        tuple(r for r in range(len(rules)) if any(i == item for i, _ in tells[r])) for item in range(width)
    }
    subsets = {*((r,) for r in range(len(rules))), *(one for one in together if one)} if rules else {()}
    left = []
    for at, row in enumerate(rows):
        fewest = len(rows) + 1
        for some in subsets:
            for item in lists[row]:
                if item in secret or any((item, cells[r][row]) not in tells[r] for r in some):
                    continue
                for form in (one for one in shown[at] if item in one):
                    alike = [
                        j for j, other in enumerate(rows)
                        if kind[j] == kind[at] and all(cells[r][other] == cells[r][row] for r in some)
                    ]  # fmt: skip
                    fit = alike
                    if len(some) == 1:
                        fit = [
                            j for j, other in enumerate(rows)
                            if kind[j] == kind[at] and (item, cells[some[0]][other]) in tells[some[0]]
                        ]  # fmt: skip
                    fewest = min(fewest, sum(form in shown[j] for j in fit))
                    if m > 1:
                        fewest = min(
                            fewest, *(sum({form, two} <= shown[j] for j in alike) for two in shown[at])
                        )
        left.append(fewest)
    return left


@settings(max_examples=100)
@given(st.integers(0, 100_000), st.integers(0, 3), st.sampled_from([1, 2]), st.booleans(), st.booleans())
def test_the_rows_left_are_those_that_fit(seed, many, m, hidden, whole):
    random, n, width = np.random.default_rng(seed), 14, 6
    lists, held, shown = drawn(random, n, width, whole)
    rules = []
    for place in range(many):
        column = Column.of(f"c{place}", "plain", [f"v{one}" for one in random.integers(0, 3, n)])
        told = np.unique(random.integers(0, width * len(column.values), 9))
        rules.append(ItemRule(column, told // len(column.values), told % len(column.values)))
    kind = random.integers(0, 2, len(held.release.rows))
    secret = [1] if hidden else []
    found = count_rows_left(rules, held, kind, m, secret)
    assert found.tolist() == naive_left(rules, lists, held.release.rows.tolist(), shown, kind, m, secret)
