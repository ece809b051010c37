from functools import partial

import pytest

from shuffle_engine import Shuffle


def noted(path, part):
    with path.open("a") as file:
        file.write(f"{part}\n")
    return part, []


def test_answers_come_once_and_out_of_order(tmp_path):
    parts = list(range(40))
    answers = [part for part, _ in Shuffle(1).map(partial(noted, tmp_path / "runs"), parts)]
    assert sorted(answers) == parts
    assert answers != parts
    runs = [int(line) for line in (tmp_path / "runs").read_text().split()]
    assert set(runs) == set(parts)
    assert len(parts) < len(runs) < 2 * len(parts)  # some ran twice


def test_a_task_that_cannot_be_pickled_is_found():
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        list(Shuffle(1).map(lambda part: part, [1]))


def test_parts_and_answers_are_copies():
    part = [1]
    (answer,) = Shuffle(1).map(emptied, [part])
    assert part == [1]
    assert answer == []


def emptied(part):
    part.clear()
    return part
