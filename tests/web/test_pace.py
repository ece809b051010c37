"""The time left of a step is told by its own pace."""

import pytest

from shoal.web import pace
from shoal.web.pace import Pace


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes when it is told to."""
    now = [100.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    return now


def test_what_is_left_follows_from_what_was_done(clock):
    found = Pace()
    found.hear("reading", None)
    clock[0] += 50
    assert found.left() is None
    found.hear("halving", 0.0)
    assert found.left() is None
    clock[0] += 3
    found.hear("halving", 0.25)
    assert found.left() == pytest.approx(9)
    clock[0] += 9
    found.hear("halving", 1.0)
    assert found.left() == 0


def test_a_step_that_compiling_interrupts_goes_on_where_it_was(clock):
    found = Pace()
    found.hear("halving", 0.0)
    clock[0] += 2
    found.hear("halving", 0.5)
    found.hear("compiling, once", None)
    clock[0] += 30
    assert found.left() is None
    found.hear("halving", 0.5)
    assert found.left() == pytest.approx(2)
    clock[0] += 1
    found.hear("halving", 0.75)
    assert found.left() == pytest.approx(1)


def test_the_same_words_may_begin_a_new_step(clock):
    found = Pace()
    for _ in range(2):
        found.hear("spanning the tree", 0.0)
        clock[0] += 4
        found.hear("spanning the tree", 0.5)
        assert found.left() == pytest.approx(4)
        found.hear("merging", None)
        clock[0] += 70
