import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_labels
from shoal.attacks.players_singling_out import (
    _count_cut_worlds,
    _count_worlds,
    _label_bits,
    label_parts,
    play_lowest_cut,
    play_lowest_labels,
)
from shoal.attacks.view_table import ALL, ENDS, TWO, TableView
from shoal.hierarchy import Hierarchy

SAYS = {"two": TWO, "all": ALL, "ends": ENDS}


@st.composite
def labels(draw):
    """A label with at least two parts, what it says, and how many rows are under it."""
    says = draw(st.sampled_from(list(SAYS)))
    if says == "two":
        sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
    elif says == "all":
        sizes = [1] * draw(st.integers(2, 4))
    else:
        middle = draw(st.integers(0, 3))
        sizes = [1, middle, 1] if middle else [1, 1]
    leaves = iter(range(sum(sizes)))
    parts = [[next(leaves) for _ in range(size)] for size in sizes]
    share = draw(st.lists(st.integers(1, 9), min_size=sum(sizes), max_size=sum(sizes)))
    return parts, says, draw(st.integers(2, 5)), share


@settings(max_examples=150)
@given(labels())
def test_worlds_and_bits_are_those_of_the_definition(case):
    parts, says, s, share = case
    sizes = np.array([len(part) for part in parts])
    shares = np.array([sum(share[leaf] for leaf in part) for part in parts]) / sum(share)
    assert _count_worlds(SAYS[says], sizes, s) == naive_labels.worlds(parts, says, s)
    assert _label_bits(SAYS[says], shares, s) == pytest.approx(
        naive_labels.bits(parts, says, s, share), rel=1e-6, abs=1e-9
    )


TOWNS = Hierarchy.from_paths(
    "town", [["a", "n", "*"], ["b", "n", "*"], ["c", "s", "*"], ["d", "s", "*"], ["e", "s", "*"]]
)


def test_parts_are_children_values_and_ends():
    ages = Hierarchy.from_paths("age", [[str(age), "*"] for age in range(30, 36)])
    covers = np.zeros((3, 6), dtype=bool)
    covers[0], covers[1, 2:5], covers[2, 2] = True, True, True
    found = label_parts(("*", "s", "c"), covers, TOWNS, exact=True)
    assert found.part.tolist() == [[0, 0, 1, 1, 1, -1], [-1, -1, 0, 1, 2, -1], [-1, -1, 0, -1, -1, -1]]
    assert found.says.tolist() == [TWO, TWO, TWO]
    covers = np.zeros((2, 7), dtype=bool)
    covers[0, 1:5], covers[1, [0, 5]] = True, True
    found = label_parts(("[31, 34]", '["30", "35"]'), covers, ages, exact=True)
    assert found.part.tolist() == [[-1, 0, 1, 1, 2, -1, -1], [0, -1, -1, -1, -1, 1, -1]]
    assert found.says.tolist() == [ENDS, ALL]
    assert label_parts(("[31, 34]",), covers[:1], ages, exact=False).part.max() == 0


@settings(max_examples=100)
@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=3),
)
def test_people_and_labels_are_counted_class_by_class(classes, left_out):
    """Every class is written as the lowest node over its towns; some records are left out."""
    written, own, values = [], [], []
    for towns in classes:
        label = next(
            text
            for level in range(3)
            for text in [TOWNS.labels[level][TOWNS.up[towns[0], level]]]
            if len({int(TOWNS.up[town, level]) for town in towns}) == 1
        )
        for town in towns:
            own.append(len(written))
            written.append(label)
            values.append(town)
    own += [-1] * len(left_out)
    values += [0] * len(left_out)
    names = sorted(set(written))
    covers = np.zeros((len(names), 6), dtype=bool)
    for f, name in enumerate(names):
        low, high = TOWNS.places[name]
        covers[f, low:high] = True
    forms = np.array([[names.index(label)] for label in written], dtype=np.int32)
    view = TableView(
        np.array(values, dtype=np.int32)[:, None], (covers,), forms, np.array(own, dtype=np.int64)
    )
    found = play_lowest_labels(view, np.arange(len(own)), (label_parts(names, covers, TOWNS, exact=True),))
    together = {}
    for row, label in enumerate(written):
        together.setdefault(label, []).append(row)
    lonely, worlds, bits, cells = set(), [], 0.0, 0
    share = [values.count(leaf) for leaf in range(5)]
    for label, rows in together.items():
        parts = {"*": [[0, 1], [2, 3, 4]], "n": [[0], [1]], "s": [[2], [3], [4]]}.get(label)
        if parts is None:
            continue
        for place in naive_labels.alone([values[row] for row in rows], parts):
            lonely.add(rows[place])
        if len(rows) <= 5:
            worlds.append(naive_labels.worlds(parts, "two", len(rows)))
            bits += naive_labels.bits(parts, "two", len(rows), share)
            cells += len(rows)
        else:
            return
    assert {who for who, chance in enumerate(found.chances) if chance} == lonely
    assert found.figures["labels"] == len(worlds)
    assert found.figures["one world"] == worlds.count(1)
    assert found.figures["few worlds"] == sum(2 <= w <= 5 for w in worlds)
    assert found.figures["bits"] == pytest.approx(bits / max(cells, 1), rel=1e-6, abs=1e-9)


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 2), min_size=2, max_size=3).filter(lambda sizes: sum(sizes) <= 4),
    st.integers(1, 3),
)
def test_worlds_of_a_cut_are_those_of_the_definition(sizes, s):
    leaves = iter(range(sum(sizes)))
    parts = [[next(leaves) for _ in range(size)] for size in sizes]
    assert _count_cut_worlds(sizes, s) == naive_labels.worlds_of_cut(parts, s)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 5))), min_size=1, max_size=8))
def test_whoever_alone_holds_something_outside_a_part_is_told(people):
    """Leaves 0 to 4 are written as one label of two parts, 5 as it is; some people are left out."""
    parts = [[0, 1], [2, 3, 4]]
    shown = [[7 if leaf < 5 else 8 for leaf in held] if kept else [] for kept, held in people]
    found = play_lowest_cut({7: parts, 8: [[5]]}, zip(shown, (held for _, held in people), strict=True))
    there = [i for i, (kept, held) in enumerate(people) if kept and held & {0, 1, 2, 3, 4}]
    rows = [people[i][1] - {5} for i in there]
    inhabited = [part for part in parts if any(leaf in part for row in rows for leaf in row)]
    lonely = {there[i] for i in naive_labels.alone_in_cut(rows, parts)} if len(inhabited) == 2 else set()
    assert {who for who, chance in enumerate(found.chances) if chance} == lonely
    assert found.figures["labels"] == (len(inhabited) == 2)
    assert play_lowest_cut({8: [[5]]}, zip(shown, shown, strict=True)) is None
