"""Record trees and hierarchies for the laws of tree methods, and releases with one thing broken."""

from functools import cache

from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees
from shoal.hierarchy import Hierarchy
from strategies import several


@st.composite
def hierarchies(draw):
    """By class a tree over its values and some that nobody has: flat, pairs, a group in a group, one big group."""
    marks = draw(several(("flat", "pairs", "deep", "lopsided"), len(strategies_trees.VALUES)))
    return {name: hierarchy(name, mark) for name, mark in zip(strategies_trees.VALUES, marks, strict=True)}


@cache
def hierarchy(name, mark):
    """One class's tree."""
    leaves = [*strategies_trees.VALUES[name], *(f"{name.lower()}{number}" for number in range(5, 10))]
    rows = {
        "flat": [[leaf, "*"] for leaf in leaves],
        "pairs": [[leaf, f"{name}{place // 2}", "*"] for place, leaf in enumerate(leaves)],
        "deep": [[leaf, f"{name}x" if place < 2 else leaf, f"{name}y" if place < 3 else leaf, "*"]
                 for place, leaf in enumerate(leaves)],
        "lopsided": [[leaf, f"{name}z" if place else leaf, "*"] for place, leaf in enumerate(leaves)],
    }[mark]  # fmt: skip
    return Hierarchy.from_paths(name, rows)


@st.composite
def tangles(draw):
    """Records of the same values that hang alike, but for one value in a few: only relations tell them apart."""
    values = [
        (kind, value) for kind in "ABC" for value in strategies_trees.VALUES[kind][: 3 if kind < "C" else 2]
    ]

    def place(value):
        return draw(st.sampled_from([*(other for other in values if other[0] < value[0]), None]))

    over = {value: place(value) for value in values}
    records = [record_of(over)] * 6
    for _ in range(draw(st.integers(1, 3))):
        odd = draw(st.sampled_from(values[3:]))
        records += [record_of(over | {odd: place(odd)})] * draw(st.integers(1, 2))
    return records


def grown(paths):
    """The record that paths stand for, with all their beginnings."""
    return naive.record({path[:size] for path in paths for size in range(1, len(path) + 1)})


def record_of(over):
    """The record in which each value hangs below one other, or None: the root."""

    def path(value):
        return () if value is None else (*path(over[value]), value)

    return grown({path(value) for value in over})


trees = st.one_of(tangles(), tangles(), strategies_trees.trees(min_records=2))
numbers = st.fixed_dictionaries(
    {"k": st.sampled_from([2, 3, 1]), "m": st.sampled_from([2, 3, 1]), "n": st.sampled_from([1, 2, 0])}
)


related = st.fixed_dictionaries(
    {"k": st.sampled_from([2, 3]), "m": st.sampled_from([2, 3]), "n": st.sampled_from([1, 2])}
)


def covering(trees, secret=None):
    """Whether a published value stands for an original one."""

    def covers(value, leaf):
        if value[0] != leaf[0] or value[0] == secret:
            return value == leaf
        low, high = trees[value[0]].places[value[1]]
        return low <= trees[leaf[0]].leaves.index(leaf[1]) < high

    return covers


@st.composite
def broken(draw, released, trees, secret=None):
    """A release with one thing changed: a record left out, a node cut off, hung under the root, or renamed."""
    records = list(released)
    place = draw(st.integers(0, len(records) - 1))
    paths = naive.paths(records[place])
    what = draw(st.sampled_from(["record", "node", "root", "name"]))
    if what == "record" or not paths:
        return records[:place] + records[place + 1 :]
    path = draw(st.sampled_from(sorted(paths)))
    rest = {other for other in paths if other[: len(path)] != path}
    if what == "root":
        rest |= {other[len(path) - 1 :] for other in paths if other[: len(path)] == path}
    if what == "name" and path[-1][0] != secret:
        tree = trees[path[-1][0]]
        other = draw(st.sampled_from(sorted({label for level in tree.labels for label in level})))
        renamed = (*path[:-1], (path[-1][0], other))
        rest |= {renamed + way[len(path) :] for way in paths if way[: len(path)] == path}
    return [*records[:place], grown(rest), *records[place + 1 :]]


def holds_class(records, kind):
    """Whether some record has a value of a class."""
    return any(value[0] == kind for one in records for value in naive.labels(one))


def up_of(records, rule, hierarchies):
    """By original label the published one; None where it is left out."""
    up = {}
    for name, value in {label for one in records for label in naive.labels(one)}:
        tree, cut = hierarchies[name], rule["cut"][name]
        code = tree.look_up([value])[0]
        above = [value, *(tree.labels[level][tree.up[code, level]] for level in range(1, tree.height + 1))]
        up[name, value] = None if cut is None else next((name, label) for label in above if label in cut)
    return up


def least_plausible(records, rule, hierarchies, m, n):
    """Of all that can be known of an original, at the level of the cut, the fewest published records it may be."""
    up = up_of(records, rule, hierarchies)
    paths = {path for one in records for path in naive.paths(naive.generalize(one, up))}
    schema = {tuple(kind for kind, _ in path) for path in paths}
    return naive.anonymity_for_who_knows_the_recoding(records, up, rule["disassociations"], m, n, schema)
