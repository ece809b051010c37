from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_labels
from shoal.attacks import players_singling_out
from shoal.attacks.players_singling_out import (
    Predicates,
    _baseline_chance,
    _estimate_left_in_boxes,
    _find_best_predicates,
    _single_out_chances,
    _value_shares,
    label_parts,
    play_singling_out,
)
from shoal.attacks.view_table import ALL, ENDS, TWO, TableView
from shoal.hierarchy import Hierarchy

SAYS = {"two": TWO, "all": ALL, "ends": ENDS}


@settings(max_examples=120)
@given(st.lists(st.integers(1, 2), min_size=2, max_size=3), st.sampled_from(list(SAYS)), st.data())
def test_one_row_is_alone_as_often_as_in_all_possible_worlds(sizes, says, data):
    sizes = sizes if says == "two" else [1, *sizes[2:], 1] if says == "ends" else [1] * len(sizes)
    leaves = iter(range(sum(sizes)))
    parts = [[next(leaves) for _ in range(size)] for size in sizes]
    share = data.draw(st.lists(st.integers(1, 9), min_size=sum(sizes), max_size=sum(sizes)))
    s = data.draw(st.integers(len(sizes), 5))
    says = data.draw(st.sampled_from([says, None]))
    free = [len(share)] if says == "two" and data.draw(st.booleans()) else []
    share = [*share, 2]
    leaves = [leaf for part in parts for leaf in part] + free
    some = data.draw(st.sets(st.sampled_from(leaves), min_size=1))
    whole = sum(share[leaf] for leaf in leaves)
    lines = [*parts, free] if free else parts
    inside = np.array([[sum(share[leaf] for leaf in part if leaf in some) for part in lines]]) / whole
    shares = np.array([sum(share[leaf] for leaf in part) for part in lines]) / whole
    (found,) = _single_out_chances(inside, shares, s, None if says is None else SAYS[says], len(free))
    assert found == pytest.approx(naive_labels.one_in(parts, says, s, share, some, free), abs=1e-9)


def _view(rows, covers, values, own, **more):
    forms, of = np.array(rows, dtype=np.int32), np.array(own, dtype=np.int64)
    return TableView(np.array(values, dtype=np.int32), covers, forms, of, **more)


@st.composite
def releases(draw):
    """A release of two columns with labels over few leaves; somebody may be left out."""
    leaves = 3
    covers = tuple(
        np.unique(
            draw(
                st.lists(
                    st.lists(st.booleans(), min_size=leaves, max_size=leaves).filter(any),
                    min_size=1,
                    max_size=3,
                )
            ),
            axis=0,
        )
        for _ in range(2)
    )
    kinds = st.tuples(*(st.integers(0, len(cover) - 1) for cover in covers))
    classes = draw(st.dictionaries(kinds, st.integers(2, 4), min_size=1, max_size=3))
    rows, values = [], []
    for forms, size in classes.items():
        for _ in range(size):
            rows.append(forms)
            values.append(
                [
                    draw(st.sampled_from(np.flatnonzero(cover[form]).tolist()))
                    for cover, form in zip(covers, forms, strict=True)
                ]
            )
    gone = draw(st.integers(0, 1))
    return classes, _view(rows, covers, [*values, *[[0, 0]] * gone], [*range(len(rows)), *[-1] * gone])


def box_is(side, label):
    """Whether one side of a box is the label itself."""
    return side == set(label)


@settings(max_examples=60)
@given(releases())
def test_where_labels_say_nothing_more_confidence_is_the_chance_over_all_worlds(case):
    classes, view = case
    said, share = _find_best_predicates(view), _value_shares(view)
    told = [
        ([np.flatnonzero(cover[form]).tolist() for cover, form in zip(view.covers, forms, strict=True)], rows)
        for forms, rows in classes.items()
    ]
    gone = [([range(3), range(3)], int((view.own < 0).sum()))]
    for p, sure in enumerate(said.confidence):
        box = [set(np.flatnonzero(holds[p]).tolist()) for holds in said.holds]
        chances = [
            naive_labels.in_box([own], share, box)[1]
            * naive_labels.in_box([*gone, *(one for one in told if one is not own)], share, box)[0]
            for own in told
            if sorted(map(box_is, box, own[0])) == [False, True]
        ]
        assert any(sure == pytest.approx(chance, rel=1e-6, abs=1e-9) for chance in chances)
    assert len(said.confidence) <= len(classes)
    assert (np.diff(said.confidence) <= 0).all()


@settings(max_examples=60)
@given(releases(), st.booleans())
def test_people_who_fit_are_counted_one_by_one(case, several):
    _, view = case
    person = np.arange(len(view.own)) // 2 if several else None
    view = replace(view, persons=person, public=view.values[::-1])
    said = _find_best_predicates(view)
    found = play_singling_out(view)
    whose = range(len(view.own)) if person is None else person.tolist()
    for p, people in enumerate(said.people(view.values, person).tolist()):
        fits = [
            all(holds[p][value] for holds, value in zip(said.holds, row, strict=True)) for row in view.values
        ]
        assert people == len({who for who, there in zip(whose, fits, strict=True) if there})
    assert (found is None) == (not len(said.confidence)) or found.figures["predicates"] == len(found.chances)
    if found is not None:
        assert found.figures["hits"] == int(found.chances.sum())
        assert found.figures["others"] == len(view.values) // 2
        assert found.figures["by chance"] == _baseline_chance(view.people)


def test_two_rows_of_a_label_over_two_values_are_one_each():
    """What k = 2 with narrow labels always tells; without them one time in two."""
    town = Hierarchy.from_paths("town", [["a", "n", "*"], ["b", "n", "*"], ["c", "s", "*"]])
    covers = np.array([[True, True, False, False], [False, False, True, False]])
    parts = label_parts(("n", "c"), covers, town, exact=True)
    view = _view([[0], [0], [1], [1]], (covers,), [[0], [1], [2], [2]], range(4))
    narrow = _find_best_predicates(replace(view, parts=(parts,)))
    assert narrow.confidence.tolist() == [1.0]
    assert narrow.people(view.values).tolist() == [1]
    assert _find_best_predicates(view).confidence == pytest.approx([0.5])
    assert play_singling_out(replace(view, forms=np.array([[1]] * 4, dtype=np.int32))) is None


@settings(max_examples=60)
@given(releases(), st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), min_size=1, max_size=8))
def test_people_left_in_a_box_are_public_ones_less_rows_of_other_classes(case, known):
    _, view = case
    share = _value_shares(view, np.array(known, dtype=np.int32))
    found = list(
        _estimate_left_in_boxes(view, share, np.array(known, dtype=np.int32), np.arange(len(view.labels)))
    )
    classes = [
        [np.flatnonzero(cover[form]).tolist() for cover, form in zip(view.covers, forms, strict=True)]
        for forms in view.labels
    ]
    for c, box in enumerate(classes):
        for j, leaf in ((side, leaf) for side in range(2) for leaf in box[side]):
            there = [row for row in known if all(value in box[i] for i, value in enumerate(row))]
            expected = sum(row[j] == leaf for row in there) * view.people / len(known)
            for other, labels in enumerate(classes):
                if other != c and leaf in labels[j]:
                    side = [{leaf} if i == j else set(box[i]) for i in range(2)]
                    inside = naive_labels.in_box([(labels, 1)], share, side)[1]
                    expected -= int(view.size[other]) * inside
            pooled = 3 * share[j][leaf] / share[j][box[j]].sum()
            assert found[j][c][leaf] == pytest.approx(max(expected, 0) + pooled, abs=1e-9)


def test_a_value_of_no_leaf_fits_nothing():
    said = Predicates((np.array([[True, True, False]]),), np.array([1.0]))
    assert said.people(np.array([[0], [-1]], dtype=np.int32)).tolist() == [1]


@pytest.mark.parametrize("says", [None, TWO, ENDS, ALL])
@pytest.mark.parametrize("rows", [2, 11, 60])
def test_of_very_many_parts_only_likely_ones_are_tried_and_nothing_is_lost(monkeypatch, says, rows):
    rng = np.random.default_rng(rows)
    label, share = players_singling_out._Label(np.arange(300), np.arange(300), says, 0), rng.pareto(1.5, 300)
    tried = []
    monkeypatch.setattr(
        players_singling_out,
        "_single_out_chances",
        lambda inside, *rest: tried.append(len(inside)) or _single_out_chances(inside, *rest),
    )
    few = label.ways(share, rows)[1]
    assert tried[0] <= 4 * (players_singling_out._TRIED + 3) + 2
    monkeypatch.setattr(players_singling_out, "_TRIED", 300)
    assert np.allclose(few[0], label.ways(share, rows)[1][0])
