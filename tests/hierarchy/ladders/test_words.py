"""Groups of words: a label names only values that at least twenty people hold."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy import files
from shoal.hierarchy.ladders.words import NAMED, word_ladder
from shoal.hierarchy.wording import leaves_of

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
        for label in made.labels[level]:
            named = re.split(r", | or | to | and [0-9]+ others?$", label)
            for name in named:
                if name in rare and not re.match(r"[0-9]+ rare value", label):
                    covered = leaves_of(label, made)
                    assert [made.leaves[code] for code in covered] == [name], "only a value that stands alone"


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


def test_what_is_left_out_leaves_no_trace_in_a_count():
    held = {"tea": 50, "milk": 90, "juice": 40, "beer": 70, "cola": 30, "mead": 2, "rye": 3}
    made = word_ladder("drink", list(held), np.array(list(held.values())))
    label = next(label for label in made.labels[1] if "others" in label)
    kept = np.array([leaf != "mead" for leaf in made.leaves])
    named = made.named_by(kept)
    assert "tea, juice, cola and 2 others" == label
    assert "tea, juice, cola and 1 other" in named.labels[1]
    assert leaves_of("tea, juice, cola and 1 other", made).tolist() == leaves_of(label, made).tolist()


def test_words_of_a_scale_stand_in_its_order():
    pain = word_ladder("pain", ["severe", "mild", "none", "moderate", "critical"], np.full(5, 40))
    assert pain.leaves == ("none", "mild", "moderate", "severe", "critical")
    assert pain.labels[1] == ("none to mild", "moderate to critical", "*")
