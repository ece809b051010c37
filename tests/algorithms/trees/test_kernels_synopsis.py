import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.algorithms.trees._kernels.record_bits import (
    ONE,
    disassociate_paths,
    drop_relation,
    sum_chances,
    thin_paths,
)
from shoal.data import Trees
from shoal.utility._kernels import count_supports, number_paths, project_paths


def numbered(trees):
    """The paths of record trees, and what each stands for."""
    path, up, ends = number_paths(trees.start, trees.items, trees.parents, max(len(trees.values), 1))
    return path, up, ends, chains(up, ends, trees)


def chains(up, ends, trees):
    """Each path as labels."""
    found = []
    for over, end in zip(up.tolist(), ends.tolist(), strict=True):
        label = (trees.classes[trees.kinds[end]], trees.values[end])
        found.append((*(found[over] if over >= 0 else ()), label))
    return found


def record_of(trees, place, path, spot):
    """The spots that a record shows."""
    nodes = path[trees.start[place] : trees.start[place + 1]]
    return {int(spot[p]) for p in nodes if spot[p] >= 0}


@given(strategies.trees())
@settings(max_examples=40)
def test_every_distinct_path_gets_one_number(records):
    trees = Trees.of(records)
    path, up, _, told = numbered(trees)
    assert len(set(told)) == len(told)
    assert all(over < place for place, over in enumerate(up))
    for place, one in enumerate(records):
        held = {told[p] for p in path[trees.start[place] : trees.start[place + 1]]}
        assert held == naive.paths(one)


@given(strategies.trees(), st.data())
@settings(max_examples=40)
def test_projecting_replaces_and_merges(records, data):
    trees = Trees.of(records)
    path, up, ends, _ = numbered(trees)
    labels = np.array([data.draw(st.integers(-1, 2)) for _ in trees.values], dtype=np.int32)
    spot, over, value = project_paths(up, ends, labels, 3)
    seen = {
        (trees.classes[k], v): (None if labels[c] < 0 else ("", str(labels[c])))
        for c, (k, v) in enumerate(zip(trees.kinds, trees.values, strict=True))
    }
    told = []
    for high, end in zip(over.tolist(), value.tolist(), strict=True):
        told.append((*(told[high] if high >= 0 else ()), ("", str(end))))
    for place, one in enumerate(records):
        held = {told[s] for s in record_of(trees, place, path, spot)}
        assert held == naive.paths(naive.generalize(one, seen))


@given(strategies.trees(), st.data())
@settings(max_examples=60)
def test_cutting_relations_is_definition_2(records, data):
    trees = Trees.of(records)
    path, up, ends, _ = numbered(trees)
    v = len(trees.values)
    pairs = [(a, b) for a in range(v) for b in range(v) if trees.kinds[a] < trees.kinds[b]]
    chosen = data.draw(st.lists(st.sampled_from(pairs), unique=True, max_size=4)) if pairs else []
    rule = np.full((max(v, 1), max(v, 1)), -1, dtype=np.int32)
    for number, (a, b) in enumerate(chosen):
        rule[a, b] = number
    below = disassociate_paths(up, ends, rule)
    to, over, value = project_paths(below, ends, np.arange(v, dtype=np.int32), max(v, 1))
    told = chains(over, value, trees)
    same = {label: label for one in records for label in naive.labels(one)}
    rules = [[(trees.classes[trees.kinds[x]], trees.values[x]) for x in pair] for pair in chosen]
    for place, one in enumerate(records):
        held = {told[s] for s in record_of(trees, place, path, to)}
        assert held == naive.paths(naive.recode(one, same, rules))


@given(strategies.trees(), st.data())
@settings(max_examples=40)
def test_loosened_values_stand_alone_under_the_root(records, data):
    trees = Trees.of(records)
    path, up, ends, _ = numbered(trees)
    v = len(trees.values)
    loose = np.array([data.draw(st.booleans()) for _ in range(v)], dtype=bool)
    to, over, value = project_paths(
        drop_relation(up, ends, loose), ends, np.arange(v, dtype=np.int32), max(v, 1)
    )
    told = chains(over, value, trees)
    free = {(trees.classes[trees.kinds[x]], trees.values[x]) for x in np.flatnonzero(loose)}
    for place, one in enumerate(records):
        expected = {(label,) for label in naive.labels(one) & free}
        for p in naive.paths(one):
            rest = tuple(label for label in p if label not in free)
            expected |= {rest[:size] for size in range(1, len(rest) + 1)}
        assert {told[s] for s in record_of(trees, place, path, to)} == expected


@given(strategies.trees(), st.data())
@settings(max_examples=40)
def test_supports_and_thinned_records(records, data):
    trees = Trees.of(records)
    path, up, _, told = numbered(trees)
    spot = np.array([p if data.draw(st.booleans()) else -1 for p in range(len(up))], dtype=np.int32)
    held = count_supports(
        trees.start.copy(), path, spot, len(up)
    )  # writable, as what `thin_paths` gives: compiled already
    for p, chain in enumerate(told):
        count = sum(chain in naive.paths(one) for one in records)
        assert held[p] == (count if spot[p] >= 0 else 0)
    start, thinned = thin_paths(trees.start, path, spot, len(up))
    for place in range(trees.n):
        shown = thinned[start[place] : start[place + 1]].tolist()
        assert sorted(shown) == sorted(record_of(trees, place, path, spot))


@given(strategies.trees(), st.lists(st.integers(1, 6), min_size=12, max_size=12))
@settings(max_examples=40)
def test_chance_is_rpd(records, sizes):
    trees = Trees.of(records)
    path, up, _, told = numbered(trees)
    pairs = [(trees.classes[k], v) for k, v in zip(trees.kinds, trees.values, strict=True)]
    size = dict(zip(pairs, sizes, strict=False))
    domain = [np.prod([d * size[x] for d, x in enumerate(chain, 1)]) for chain in told]
    share = 1 / np.array(domain, dtype=np.float64).reshape(-1)
    same = np.arange(len(up), dtype=np.int32)
    total = sum_chances(trees.start.copy(), path, same, up, share)
    assert abs(total / ONE - sum(naive.rpd(one, size) for one in records)) < 1e-8


def test_many_paths_make_the_table_grow():
    items = np.arange(5000, dtype=np.int32)
    start, under = np.arange(5001), np.full(5000, -1, dtype=np.int32)
    for array in (start, items, under):
        array.flags.writeable = False  # as those of trees: the kernel is compiled for them already
    path, up, ends = number_paths(start, items, under, 5000)
    assert path.tolist() == ends.tolist() == list(range(5000))
    spot, over, value = project_paths(up, ends, items.copy(), 5000)
    assert spot.tolist() == value.tolist() == list(range(5000))
    assert (over == -1).all()
