"""Guesses are counted as whoever makes them one by one would, and what chance gives is no rule."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.publish.guessing import among_equal, is_rule, lambda_of, neighbours

CODES = st.sampled_from([0, 1, 2, 3, 70, 700_000_000])
ROWS = st.lists(st.tuples(CODES, st.integers(0, 5), st.integers(0, 2), st.integers(1, 4)), max_size=40)


def columns(rows):
    """The parts of all rows as columns."""
    return tuple(np.array([row[place] for row in rows], dtype=np.int64) for place in range(4))


@given(ROWS, st.booleans(), st.booleans())
def test_lambda_is_that_of_the_records_that_rows_stand_for(rows, counted, below):
    told, given_, _, counts = columns(rows)
    told = told - 5 if below else told
    records = [
        (int(t), int(g))
        for t, g, many in zip(told, given_, counts, strict=True)
        for _ in range(int(many) if counted else 1)
    ]
    held = Counter(t for t, _ in records)
    blind = len(records) - max(held.values(), default=0)
    right = sum(max(Counter(t for t, g in records if g == one).values()) for one in {g for _, g in records})
    expected = 1 - (len(records) - right) / blind if blind else 0.0
    for one, other in ((told, given_), (told, given_ * 10_000_000), (told, given_ - 2)):
        assert lambda_of(one, other, counts if counted else None) == pytest.approx(expected)


@given(ROWS)
def test_each_is_guessed_from_the_others_of_the_group(rows):
    _, cells, groups, _ = columns(rows)
    right, guessed = 0.0, []
    for i, cell in enumerate(cells.tolist()):
        others = Counter(cells[j] for j in range(len(cells)) if j != i and groups[j] == groups[i])
        own, best = others.pop(cell, 0), max(others.values(), default=0)
        if own or best:
            right += (own > best) + 0.5 * (own == best)
            guessed.append(cell)
    blind = max(Counter(guessed).values(), default=0)
    assert among_equal(groups)(cells) == (right, blind, len(guessed))
    assert among_equal(groups * 1000 + 7)(cells) == (right, blind, len(guessed))


@given(ROWS.filter(bool), st.booleans())
def test_each_is_guessed_from_those_next_in_the_order(rows, grouped):
    order, cells, groups, _ = columns(rows)
    line = sorted(range(len(rows)), key=lambda i: (grouped and groups[i], order[i], i))
    right, guessed = 0.0, 0
    for place, i in enumerate(line):
        beside = [line[at] for at in (place - 1, place + 1) if 0 <= at < len(line)]
        near = [j for j in beside if not grouped or groups[i] == groups[j]]
        right += sum(cells[i] == cells[j] for j in near) / max(len(near), 1)
        guessed += bool(near)
    blind = max(Counter(cells.tolist()).values())
    found = neighbours(order, groups if grouped else None)(cells)
    assert found == (pytest.approx(right), blind, guessed)


def judged(right, blind, all_of_them, dealt, sure=0.8):
    """Whether so many right guesses are a rule, where each time that cells are dealt out so many are right."""
    codes, deals = np.arange(40), iter(dealt)

    def guess(cells):
        if (cells == codes).all():
            return right, blind, all_of_them
        assert sorted(cells.tolist()) == codes.tolist()
        return next(deals), blind, all_of_them

    found = is_rule(guess, codes, sure)
    assert found is True or found is False
    assert next(deals, None) is None or not found
    return found


def test_a_rule_avoids_so_many_wrong_guesses():
    assert judged(36.0, 20.0, 40.0, [0.0] * 20)
    assert not judged(35.9, 20.0, 40.0, [0.0] * 20)
    assert judged(20.0 + 0.5 * 20, 20.0, 40.0, [0.0] * 20, sure=0.5)


def test_few_wrong_guesses_are_no_rule():
    assert judged(40.0, 35.0, 40.0, [0.0] * 20)
    assert not judged(40.0, 35.5, 40.0, [0.0] * 20)


def test_a_rule_is_far_beyond_what_cells_dealt_out_anew_give():
    assert judged(40.0, 20.0, 40.0, [35.0] * 20)
    assert not judged(40.0, 20.0, 40.0, [35.1] * 20)
    assert judged(40.0, 20.0, 40.0, [28.0, 32.0] * 10)  # 30 on average, give or take 2
    assert not judged(40.0, 20.0, 40.0, [28.0, 32.2] * 10)
