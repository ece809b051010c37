"""Groups of words: a label names only values that at least twenty people hold."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy import files
from shoal.hierarchy.ladders.words import NAMED, word_ladder

WORDS = st.dictionaries(
    st.text("abcdefghij klm", min_size=1, max_size=8).map(str.strip).filter(bool),
    st.integers(1, 60),
    min_size=2,
    max_size=60,
)


@given(WORDS)
def test_labels_name_only_what_many_people_hold(held):
    made = word_ladder("x", list(held), np.array(list(held.values())))
    rare = {value for value in held if held[value] < NAMED}
    for level in range(1, made.height):
        for label in set(made.labels[level]) - {"*"}:
            if not label.startswith("rare values"):
                assert not rare & set(re.split(r", | or | to | and others$", label))


@given(WORDS, st.sets(st.integers(0, 59)))
def test_labels_tell_nothing_of_rare_values(held, gone):
    """Without some of the rare values, what is published of the other values has the same labels."""
    rare = sorted(value for value in held if held[value] < NAMED)
    if len(rare) <= 3:
        return
    left = {value: many for place, value in enumerate(rare) if place not in gone for many in [held[value]]}
    if not 3 < len(left) or _parts(len(left)) != _parts(len(rare)):
        return
    kept = {value: held[value] for value in held if held[value] >= NAMED or value in left}
    whole, part = (word_ladder("x", list(one), np.array(list(one.values()))) for one in (held, kept))
    for value in kept:
        assert set(_path(part, value)) <= set(_path(whole, value))


def _parts(count):
    return next((parts for parts in (1, 2, 4, 13) if count <= 8 * parts), 13)


@given(WORDS)
def test_every_value_is_there_and_levels_grow(held):
    made = word_ladder("x", list(held), np.array(list(held.values())))
    assert set(made.leaves) == set(held)
    sizes = [len(labels) for labels in made.labels]
    assert sizes == sorted(sizes, reverse=True)


@given(WORDS)
def test_a_built_file_gives_the_same_back(tmp_path_factory, held):
    made = word_ladder("x", list(held), np.array(list(held.values())))
    file = tmp_path_factory.mktemp("h") / "x.csv"
    files.write(made, file)
    back = files.read(file, built=True)
    assert not back.public
    assert {leaf: _path(back, leaf) for leaf in back.leaves} == {
        leaf: _path(made, leaf) for leaf in made.leaves
    }


def _path(hierarchy, leaf):
    code = hierarchy.leaves.index(leaf)
    return [hierarchy.labels[level][hierarchy.up[code, level]] for level in range(hierarchy.height + 1)]


def test_rare_values_are_told_by_fixed_parts_of_the_alphabet():
    towns = (
        {"Berlin": 300}
        | {f"{letter}town {i}": 2 for letter in "ABMZ" for i in range(4)}
        | {"Öhring": 1, "东京": 1}
    )
    made = word_ladder("town", list(towns), np.array(list(towns.values())))
    assert set(made.labels[1]) == {
        "Berlin",
        "rare values, A to G",
        "rare values, H to M",
        "rare values, N to T",
        "rare values, U to Z",
        "rare values, other signs",
        "*",
    }


def test_words_of_a_scale_stand_in_its_order():
    pain = word_ladder("pain", ["severe", "mild", "none", "moderate", "critical"], np.full(5, 40))
    assert pain.leaves == ("none", "mild", "moderate", "severe", "critical")
    assert pain.labels[1] == ("none to mild", "moderate to critical", "*")
