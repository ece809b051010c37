import threading
from itertools import islice

import pytest

from shoal.base.errors import InputError
from shoal.engines import in_threads, in_turn


def square(number):
    return number * number


@pytest.mark.parametrize("mapper", [in_turn, in_threads(1), in_threads(2), in_threads(5)])
@pytest.mark.parametrize("parts", [0, 1, 3, 40])
def test_every_part_has_one_answer(mapper, parts):
    assert list(mapper(square, range(parts))) == [square(part) for part in range(parts)]


def test_threads_work_at_the_same_time():
    both = threading.Barrier(2, timeout=30)
    assert len(list(in_threads(2)(lambda part: part and both.wait(), [0, 1, 2]))) == 3


def test_the_first_part_goes_alone():
    done = []
    list(in_threads(2)(lambda part: done.append((part, 0 in [p for p, _ in done])), range(5)))
    assert done[0] == (0, False)
    assert all(first for _, first in done[1:])


def test_answers_that_nobody_took_yet_stay_few():
    begun = []
    answers = in_threads(2)(begun.append, range(100))
    assert len(list(islice(answers, 3))) == 3
    assert len(begun) <= 3 + 2 * 2
    answers.close()
    assert len(begun) <= 3 + 2 * 2


def test_the_first_error_ends_the_work():
    begun = []

    def task(part):
        begun.append(part)
        if part == 1:
            raise ValueError("no")
        return part

    with pytest.raises(ValueError, match="no"):
        list(in_threads(2)(task, range(100)))
    assert len(begun) <= 2 + 2 * 2


def test_no_thread_is_no_work():
    with pytest.raises(InputError, match="at least one thread"):
        in_threads(0)
