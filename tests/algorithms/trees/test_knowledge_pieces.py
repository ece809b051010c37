"""Pieces of knowledge, listed by growth, against all sets of places with all sets of relations among them."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal.algorithms.trees.knowledge as pieces
from shoal.algorithms.trees.knowledge import (
    Growth,
    _list_fresh_sets,
    _list_pairs,
    _mask_numbers,
    _masks_without,
)
from shoal.base.errors import InfeasibleError

PLACES = 6


def subsets(some, most):
    return chain.from_iterable(combinations(some, number) for number in range(most + 1))


@st.composite
def cuts(draw):
    """Which places are fresh, and which relations there are, by pairs of places, rising."""
    fresh = draw(st.lists(st.booleans(), min_size=PLACES, max_size=PLACES))
    related = draw(st.lists(st.sampled_from(list(combinations(range(PLACES), 2))), unique=True, max_size=9))
    return fresh, related


def grown(growth, m, keep=lambda places, relations: True):
    """Every piece up to m places, as its places and its relations; only what `keep` says grows."""
    found = []
    for _ in range(m):
        for some in growth.larger():
            told = [
                (
                    tuple(places),
                    frozenset(
                        (places[a], places[b])
                        for bit, (a, b) in enumerate(_list_pairs(len(places)))
                        if mask >> bit & 1
                    ),
                )
                for places, mask in zip(some.places.tolist(), some.mask.tolist(), strict=True)
            ]
            for (_, relations), ends in zip(told, some.ends.tolist(), strict=True):
                assert relations == {tuple(pair) for pair in ends if pair[0] >= 0}
            found += told
            growth.grow(some.where(np.array([keep(*one) for one in told], dtype=bool)))
    return found


def growth_of(n, fresh, related):
    ends = np.array(related, dtype=np.int64).reshape(-1, 2)
    held = np.array(fresh, dtype=bool)
    return Growth(n, held, ends, held[ends[:, 0]] | held[ends[:, 1]])


def all_pieces(m, n, fresh, related):
    """By the definition: sets of places with a fresh one, and 1 to n relations between them."""
    return {
        (places, frozenset(some))
        for places in subsets(range(PLACES), m)
        for some in subsets([pair for pair in related if set(pair) <= set(places)], n)
        if some and any(fresh[place] for place in places)
    }


@given(cuts(), st.integers(1, 5), st.integers(1, 3))
def test_every_piece_with_a_fresh_place_is_listed_once(cut, m, n):
    fresh, related = cut
    found = grown(growth_of(n, fresh, related), m)
    assert len(found) == len(set(found))
    assert set(found) == all_pieces(m, n, fresh, related)


@given(cuts(), st.integers(1, 5), st.integers(1, 3), st.sets(st.integers(0, 2**PLACES - 1)))
def test_what_nobody_fits_is_all_that_is_missed(cut, m, n, records):
    # a set is held if a record, a number of bits, has all its places
    fresh, related = cut

    def held(places, _):
        return any(all(record >> place & 1 for place in places) for record in records)

    found = set(grown(growth_of(n, fresh, related), m, held))
    everything = all_pieces(m, n, fresh, related)
    assert found <= everything
    assert {one for one in everything if held(*one)} <= found


@given(cuts(), st.integers(2, 5), st.integers(1, 3))
def test_relations_that_are_given_up_begin_no_piece(cut, m, n):
    fresh, related = cut
    growth = growth_of(n, fresh, related)
    gone = related[::2]
    growth.give_up(np.array(gone, dtype=np.int64).reshape(-1, 2))
    assert set(grown(growth, m)) == all_pieces(m, n, fresh, [pair for pair in related if pair not in gone])


@given(cuts(), st.integers(2, 5), st.integers(1, 3), st.data())
def test_without_fresh_places_a_piece_has_a_new_relation(cut, m, n, data):
    _, related = cut
    new = [data.draw(st.booleans()) for _ in related]
    ends = np.array(related, dtype=np.int64).reshape(-1, 2)
    growth = Growth(n, np.zeros(PLACES, dtype=bool), ends, np.array(new, dtype=bool))
    begins = {pair for pair, is_new in zip(related, new, strict=True) if is_new}
    expected = {one for one in all_pieces(m, n, [True] * PLACES, related) if one[1] & begins}
    assert set(grown(growth, m)) == expected


@given(cuts(), st.integers(1, 3))
def test_many_pieces_come_in_parts(cut, n):
    fresh, related = cut
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_ENOUGH", 3)
        found = grown(growth_of(n, fresh, related), 4)
    assert len(found) == len(set(found))
    assert set(found) == all_pieces(4, n, fresh, related)


def test_too_many_pieces_are_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(pieces, "_MOST", 3)
    with pytest.raises(
        InfeasibleError, match=r"more than 3 sets of 2 values with relations, .* lower m or n"
    ):
        grown(growth_of(2, [True] * PLACES, list(combinations(range(PLACES), 2))), 3)


@given(st.lists(st.booleans(), min_size=PLACES, max_size=PLACES), st.integers(1, PLACES))
def test_sets_without_relations_hold_a_fresh_place(fresh, size):
    found = [tuple(row) for part in _list_fresh_sets(size, np.array(fresh)) for row in part.tolist()]
    expected = [one for one in combinations(range(PLACES), size) if any(fresh[place] for place in one)]
    assert sorted(found) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_masks_of_few_relations_are_numbered(size, n):
    numbers = _mask_numbers(size, n)
    few = sorted(number for number in numbers.tolist() if number >= 0)
    assert few == list(range(len(few)))
    assert all((numbers[mask] >= 0) == (mask.bit_count() <= n) for mask in range(len(numbers)))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_mask_without_a_place(size):
    pairs = _list_pairs(size)
    for place, row in enumerate(_masks_without(size).tolist()):
        for mask, fewer in enumerate(row):
            kept = [pairs[bit] for bit in range(len(pairs)) if mask >> bit & 1]
            if any(place in pair for pair in kept):
                assert fewer == -1
                continue
            moved = {tuple(one - (one > place) for one in pair) for pair in kept}
            smaller = _list_pairs(size - 1)
            assert {smaller[bit] for bit in range(len(smaller)) if fewer >> bit & 1} == moved
