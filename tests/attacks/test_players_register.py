"""Whoever has a register, held against every way to give rows to people."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_register
from shoal.attacks.players_register import count_missing_people, play_in_register
from shoal.attacks.players_singling_out import label_parts
from shoal.attacks.view_table import Register, TableView
from shoal.hierarchy import Hierarchy

PATHS = [["a", "n", "*"], ["b", "n", "*"], ["c", "s", "*"], ["d", "s", "*"], ["e", "s", "*"]]
TOWNS = Hierarchy.from_paths("town", PATHS)


@st.composite
def registers(draw, most=3):
    """People, and for some of them the class that they are in."""
    columns = draw(st.integers(1, 2))
    people = draw(
        st.lists(st.tuples(*[st.integers(0, 4)] * columns), min_size=2, max_size=7 if most > 1 else 8)
    )
    of = draw(st.lists(st.integers(-1, most - 1), min_size=len(people), max_size=len(people)))
    if all(one < 0 for one in of):
        of[0] = 0
    return people, of


def game(people, of):
    """The release of those who are in a class, beside them, with everybody as a register; and what the twin takes."""
    held = [i for i, one in enumerate(of) if one >= 0]
    labels = {
        c: tuple(
            naive_register.label_over(leaves, PATHS)
            for leaves in zip(*[people[i] for i in held if of[i] == c], strict=True)
        )
        for c in {of[i] for i in held}
    }
    rows = [labels[of[i]] for i in held]
    forms, covers, parts = [], [], []
    for side in zip(*rows, strict=True):
        names = sorted(set(side))
        cover = np.zeros((len(names), 6), dtype=bool)
        for f, name in enumerate(names):
            cover[f, slice(*TOWNS.places[name])] = True
        forms.append([names.index(name) for name in side])
        covers.append(cover)
        parts.append(label_parts(names, cover, TOWNS, exact=True))
    register = Register(np.array(people, dtype=np.int32), tuple(covers), tuple(parts))
    view = TableView(
        np.array([people[i] for i in held], dtype=np.int32),
        tuple(covers),
        np.array(forms, dtype=np.int32).T,
        np.arange(len(held)),
        register=register,
    )
    return view, register, [(row, rows.count(row)) for row in sorted(set(rows))]


def told(view, register, held):
    chances = play_in_register(view, register, np.arange(len(view.own)))
    return {held[i] for i in np.flatnonzero(chances.chances >= 1)}, chances.figures


@settings(max_examples=70)
@given(registers())
def test_who_is_certainly_there_by_labels_is_who_is_in_every_world(case):
    people, of = case
    view, register, classes = game(people, of)
    held = [i for i, one in enumerate(of) if one >= 0]
    by_labels = naive_register.certain(people, classes, PATHS, narrow=False)
    found, figures = told(view, Register(register.values, register.covers), held)
    assert found == by_labels
    assert figures == {"register": len(people), "rows": len(held), "by labels": len(by_labels)}
    narrow = naive_register.certain(people, classes, PATHS, narrow=True)
    found, figures = told(view, register, held)
    assert by_labels <= found <= narrow
    assert figures["by narrow labels"] == len(found) - len(by_labels)


@settings(max_examples=150)
@given(registers(most=1))
def test_of_one_class_all_is_concluded_that_its_narrow_labels_tell(case):
    people, of = case
    view, register, classes = game(people, of)
    held = [i for i, one in enumerate(of) if one >= 0]
    assert told(view, register, held)[0] == naive_register.certain(people, classes, PATHS, narrow=True)


def test_a_register_that_lacks_somebody_is_none():
    view, register, _ = game([(0,), (1,), (1,)], [0, 0, -1])
    assert count_missing_people(view, register) == 0
    less = Register(register.values[1:], register.covers)
    assert count_missing_people(view, less) == 1
    assert play_in_register(view, less, np.arange(2)) is None
