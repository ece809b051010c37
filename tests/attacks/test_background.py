"""What attackers pick to know, beside all that they could."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_written
import strategies
from shoal.attacks import background
from shoal.attacks.background import (
    Background,
    _intersect_bits,
    check_fits,
    choose_fewest_rows,
    choose_most_telling,
    count_affordable_people,
    count_rows_with_facts,
    find_covering_entries,
    iterate_pairs,
    leaves_under,
    list_all_facts,
    next_labels,
    pack_bits,
    read_label,
    stack_padded,
    transpose,
    union_bits,
)
from shoal.hierarchy import Hierarchy

N = 9
some_facts = st.lists(st.sets(st.integers(1, N - 1)).map(lambda rows: rows | {0}), min_size=1, max_size=6)


def told(facts):
    """One person, whose row is the first, and of whom all facts but the last can be known."""
    row = np.array([r for one in facts for r in sorted(one)], dtype=np.int64)
    fact = np.repeat(np.arange(len(facts)), [len(one) for one in facts])
    many = len(facts) - 1
    return Background(
        np.array([0, many]), np.arange(many), stack_padded([pack_bits(row, fact, len(facts), N)], N)
    )


def left(facts, some):
    return set(range(N)).intersection(*(facts[fact] for fact in some))


@given(some_facts, st.integers(1, 3))
def test_the_fewest_rows_of_any_choice(facts, m):
    known, person = told(facts), np.zeros(1, dtype=np.int64)
    picked = choose_fewest_rows(known, person, m)
    choices = [left(facts, some) for some in combinations(range(len(facts) - 1), min(m, len(facts) - 1))]
    assert picked.rows.tolist() == [min(map(len, choices))]
    assert len(left(facts, [fact for fact in picked.keys[0] if fact >= 0])) == picked.rows[0]
    assert picked.whole.all()
    assert left(facts, [fact for fact in list_all_facts(known, person)[0] if fact >= 0]) == left(
        facts, range(len(facts) - 1)
    )


@given(some_facts, st.integers(1, 3))
def test_the_highest_share_of_any_choice(facts, m):
    secret = len(facts) - 1
    picked, having = choose_most_telling(told(facts), np.zeros(1, dtype=np.int64), np.array([secret]), m)
    choices = [left(facts, some) for size in range(m + 1) for some in combinations(range(secret), size)]
    assert having[0] / picked.rows[0] == max(len(rows & facts[secret]) / len(rows) for rows in choices)


def test_of_many_values_only_the_rarest_are_combined(monkeypatch):
    monkeypatch.setattr(background, "_EACH", 3)
    facts = [{0, 1, 2}, {0, 3, 4}, {0, 1, 3, 5}, {0, 5}, set()]
    picked = choose_fewest_rows(told(facts), np.zeros(1, dtype=np.int64), 2)
    assert not picked.whole.any()
    assert picked.rows.tolist() == [1]


def test_fewer_people_are_played_where_each_takes_long(monkeypatch):
    known = told([{0}, {0, 1}, set()])
    assert count_affordable_people(known, 2) > 10**6
    monkeypatch.setattr(background, "_WORDS", 10)
    assert count_affordable_people(known, 2) == 200


# Rows as bits, beside sets.

rows = st.integers(0, 129)
facts_of_rows = st.lists(st.sets(rows), min_size=1, max_size=5)


def lines(facts, n=130):
    row = np.array([r for one in facts for r in sorted(one)], dtype=np.int64)
    fact = np.repeat(np.arange(len(facts)), [len(one) for one in facts])
    return stack_padded([pack_bits(row, fact, len(facts), n)], n)


def places(bits):
    return [set(np.flatnonzero(np.unpackbits(line.view(np.uint8), bitorder="little"))) for line in bits]


@given(facts_of_rows)
def test_bits_hold_their_rows_and_the_last_line_all(facts):
    assert places(lines(facts)) == [*facts, set(range(130))]


@given(facts_of_rows, st.data())
def test_facts_together_leave_the_rows_that_fit_all(facts, data):
    number = st.integers(-1, len(facts) - 1)
    keys = np.array(data.draw(st.lists(st.tuples(number, number), min_size=1, max_size=6)), dtype=np.int64)
    wanted = [
        set(range(130)).intersection(*(facts[fact] for fact in key if fact >= 0)) for key in keys.tolist()
    ]
    bits = lines(facts)
    assert places(_intersect_bits(bits, keys)) == wanted
    assert count_rows_with_facts(bits, keys).tolist() == [len(one) for one in wanted]
    assert count_rows_with_facts(bits, keys[None]).tolist() == [[len(one) for one in wanted]]
    wide = np.pad(bits, ((0, 0), (0, 20)))  # of many rows, equal keys are counted once
    assert count_rows_with_facts(wide, keys).tolist() == [len(one) for one in wanted]
    found = [
        (int(p), int(r)) for place, row in iterate_pairs(bits, keys) for p, r in zip(place, row, strict=True)
    ]
    assert found == [(p, r) for p, one in enumerate(wanted) for r in sorted(one)]


@given(facts_of_rows, st.data())
def test_any_of_some_facts_and_single_rows(facts, data):
    number = st.integers(0, len(facts) - 1)
    lists = data.draw(st.lists(st.lists(number, max_size=3), min_size=1, max_size=5))
    start = np.cumsum([0, *map(len, lists)])
    flat = np.array([fact for one in lists for fact in one], dtype=np.int64)
    wanted = [set().union(*(facts[fact] for fact in one)) for one in lists]
    assert places(union_bits(lines(facts)[:-1], start, flat)) == wanted
    fact, row = np.repeat(np.arange(len(facts)), 130), np.tile(np.arange(130), len(facts))
    assert check_fits(lines(facts), fact, row).tolist() == [r in one for one in facts for r in range(130)]


def test_whoever_knows_nothing_finds_all_rows():
    assert count_rows_with_facts(lines([set()]), np.full((2, 1), -1)).tolist() == [130, 130]


# What published words stand for.

ILL = [["flu", "lung", "*"], ["cold", "lung", "*"], ["gout", "gout", "*"]]
TREE = Hierarchy.from_paths("ill", ILL)


@pytest.mark.parametrize(
    ("entry", "leaves"),
    [
        ("flu", {"flu"}),
        ("lung", {"flu", "cold"}),
        ("gout", {"gout"}),
        ("*", {"flu", "cold", "gout"}),
        ("strange", {"strange"}),
        (("flu", "gout"), {"flu", "gout"}),
    ],
)
def test_an_entry_stands_for_the_values_below_it(entry, leaves):
    assert set(leaves_under(entry, TREE)) == leaves


def test_without_a_hierarchy_a_word_stands_for_itself():
    assert leaves_under("flu", None) == ("flu",)
    assert next_labels(("flu",), None) == (None,)


@given(strategies.hierarchies())
def test_labels_stand_for_what_the_hierarchy_says(paths):
    tree = Hierarchy.from_paths("q", paths)
    for label, (low, high) in tree.places.items():
        assert set(leaves_under(label, tree)) == set(tree.leaves[low:high])
    labels = tuple(tree.places)
    start, found = find_covering_entries(labels, tree.leaves, tree)
    for code, leaf in enumerate(tree.leaves):
        over = {labels[entry] for entry in found[start[code] : start[code + 1]]}
        assert over == set(next(path for path in paths if path[0] == leaf))


def test_the_next_group_is_no_root():
    assert next_labels(("flu", "gout", "strange"), TREE) == ("lung", None, None)


def test_lists_turn_round_and_back():
    lists = np.array([0, 2, 2, 3]), np.array([0, 1, 1])
    start, rows = transpose(transpose(lists, 2), 3)
    assert (start.tolist(), rows.tolist()) == ([0, 2, 2, 3], [0, 1, 1])


@given(st.sets(st.integers(0, 40), min_size=1, max_size=9), st.data())
def test_a_label_is_read_as_the_twin_reads_it(numbers, data):
    leaves = [str(number) for number in sorted(numbers)]
    paths = [[leaf, f"{int(leaf) // 10}0s", "*"] for leaf in leaves]
    tree = Hierarchy.from_paths("age", paths)
    low, high = sorted(data.draw(st.tuples(st.integers(0, 40), st.integers(0, 40))))
    label = data.draw(
        st.sampled_from(
            [
                *(label for path in paths for label in path),
                json.dumps(sorted(data.draw(st.sets(st.sampled_from(leaves), min_size=1)))),
                f"[{low}, {high}]",
                f"[{low}, {high})",
                f">= {low}",
                f"<= {high}",
                f"< {high}",
                f"{low % 5}*",
                f"*{high % 10}",
            ]
        )
    )
    meant = naive_written.meaning(label, paths)
    wanted = {tree.size if value is None else tree.leaves.index(value) for value in meant}
    assert set(read_label(label, tree).tolist()) == wanted


@pytest.mark.parametrize(
    "label", ["", "strange", "[]", "[a, b]", "[1, nan]", ">= x", "***", "lung*x", '["1', '["1"', '["x", 1]']
)
def test_what_cannot_be_read_stands_for_nothing(label):
    assert not len(read_label(label, Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]])))
