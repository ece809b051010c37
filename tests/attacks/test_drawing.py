"""Who is played."""

import numpy as np

from shoal.attacks.drawing import drawn


def test_everybody_is_played_where_there_are_few() -> None:
    assert drawn(5, 5).tolist() == [0, 1, 2, 3, 4]
    assert drawn(0, 5).tolist() == []


def test_some_are_drawn_without_repeats_and_evenly() -> None:
    rng = np.random.default_rng(1)
    counts = np.zeros(10)
    for _ in range(500):
        some = drawn(10, 4, rng)
        assert len(set(some.tolist())) == 4
        counts[some] += 1
    assert counts.min() > 150
    assert counts.max() < 250


def test_somebody_is_always_played() -> None:
    assert len(drawn(10, 0)) == 1


def test_the_same_generator_draws_the_same_people_and_no_generator_others() -> None:
    first, second = (drawn(1000, 30, np.random.default_rng(7)).tolist() for _ in range(2))
    assert first == second
    assert drawn(1000, 30).tolist() != drawn(1000, 30).tolist()
