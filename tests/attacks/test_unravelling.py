"""The best guesses of whoever knows some rows, beside a count of all matchings."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.unravelling import best_guesses, nearest
from shoal.attacks.words import turned


def of_paths(cuts, n):
    """People along a line, each of whom may have the own row or the next one, but for some cuts."""
    pairs = [(p, p) for p in range(n)] + [(p, p + 1) for p in range(n - 1) if p not in cuts]
    return np.array(sorted(pairs)).T


@given(st.sets(st.integers(0, 4)), st.integers(2, 6))
def test_where_there_are_no_cycles_guesses_are_exact(cuts, n):
    person, row = of_paths(cuts, n)
    assert best_guesses(person, row, np.arange(n), np.arange(n)).tolist() == [1.0] * n


@given(st.data())
def test_guesses_are_nearly_as_good_as_a_count_of_all_matchings(data):
    """Every matching is true once: a count of all of them is then the best that anybody can do."""
    n = data.draw(st.integers(2, 5))
    more = data.draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    pairs = sorted({(p, p) for p in range(n)} | more)
    matchings = [own for own in permutations(range(n)) if all(pair in pairs for pair in enumerate(own))]
    best = max(np.bincount([own[0] for own in matchings])) / len(matchings)
    person, row = np.array(pairs).T
    asked = np.zeros(1, dtype=np.int64)
    found = [best_guesses(person, row, asked, np.array(own))[0] for own in matchings]
    assert 0.75 * best <= np.mean(found) <= best + 1e-9


def test_the_nearest_people_share_most_rows():
    rows = np.array([0, 2, 4, 7, 8]), np.array([0, 1, 1, 2, 0, 1, 2, 3])
    people = turned(rows, 4)
    assert nearest(rows, people, np.array([0, 3]), 2).tolist() == [[2, 1], [-1, -1]]
