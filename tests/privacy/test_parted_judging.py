"""How counting is divided into rounds: nothing left out or counted twice, no round too large, no more than needed."""

from itertools import combinations
from math import comb

import pytest

from shoal.privacy import support_counting as module
from shoal.privacy.support_counting import Background


def sets_in(portion, values):
    """The sets of a portion: numbers rise from the rarest value."""
    return [
        some
        for some in combinations(range(values), portion.size)
        if portion.first <= min(some) < portion.last
    ]


@pytest.mark.parametrize("at_once", [1, 7, 25, 40, 105, 10_000])
@pytest.mark.parametrize("secrets", [False, True])
@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("related", [False, True])
def test_rounds_hold_every_set_once(monkeypatch, at_once, secrets, negated, related):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    values, longest, asked = 5, 3, Background(4, related, negated, secrets, 1000)
    width, most = (2 * values, 4) if negated else (values, longest)
    rounds = list(module._rounds(asked, values, longest))
    portions = [portion for portions in rounds for portion in portions]
    assert [portion for portion in portions if not portion.size] == portions[: int(secrets)]
    listed = [some for portion in portions if portion.size for some in sets_in(portion, width)]
    every = [some for size in range(1, most + 1) for some in combinations(range(width), size)]
    assert sorted(listed) == sorted(every)
    for some in rounds:
        rows = [
            len(sets_in(one, width)) * (2 ** comb(one.size, 2) if related else 1) for one in some if one.size
        ]
        single = len(some) == 1 and some[0].last - some[0].first == 1
        assert sum(rows) <= at_once or single
    everything = sum(2 ** comb(len(some), 2) if related else 1 for some in every)
    assert (len(rounds) == 1) is (everything <= at_once)
