"""Cuts of tables: k by plain sets of tuples, groups that are disjoint nodes, and every cut tried one by one."""

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
import strategies
from shoal.algorithms.lattice.optimal import optimal
from shoal.algorithms.local.column_cut import column_cut
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import AllOf, KAnonymity, LDiversity
from shoal.utility import _table_losses


def forms_of(release):
    """For each record that is kept, what is written of it and the leaves that this stands for, by column."""
    return {
        int(row): [
            (form.labels[code], frozenset(form.leaves[form.start[code] : form.start[code + 1]].tolist()))
            for form, code in zip(release.forms, codes, strict=True)
        ]
        for row, codes in zip(release.rows, release.codes.tolist(), strict=True)
    }


def ncp(release, trees):
    return _table_losses(release, trees)["ncp"]


def every_cut(paths):
    """Every cut of a hierarchy, as leaf -> label: the root, or any cuts of what is below it."""
    leaves = {tuple(path) for path in paths}

    def below(group, level):
        label = next(iter(group))[level]
        whole = {path[0]: (label, len(group)) for path in group}
        if level == 0:
            yield whole
            return
        parts = {}
        for path in sorted(group):
            parts.setdefault(path[level - 1], set()).add(path)
        yield whole
        for chosen in product(*(list(below(part, level - 1)) for part in parts.values())):
            yield {leaf: form for part in chosen for leaf, form in part.items()}

    return list(below(leaves, len(paths[0]) - 1))


@settings(max_examples=80, deadline=None)
@given(
    case=strategies.cases(max_rows=30) | strategies.cases(max_rows=30, persons=True),
    k=st.integers(1, 5),
    suppress=st.sampled_from([0.0, 0.3]),
)
def test_k_holds_and_groups_of_a_column_are_disjoint_nodes(case, k, suppress):
    table, trees = case
    try:
        release = column_cut(table, trees, KAnonymity(k), suppress=suppress).release
    except InfeasibleError:
        assume(False)
    rows = forms_of(release)
    people = {row: row if table.persons is None else int(table.persons[row]) for row in rows}
    classes = {}
    for row, forms in rows.items():
        classes.setdefault(tuple(label for label, _ in forms), set()).add(people[row])
    assert all(len(members) >= k for members in classes.values())
    assert release.suppressed <= suppress * table.n
    for j, name in enumerate(release.names):
        tree = trees[name]
        nodes = {
            frozenset(range(*span)) | ({tree.size} if label == tree.root else set())
            for label, span in tree.places.items()
        }
        groups = {forms[j] for forms in rows.values()}
        leaves = tree.encode(table.column(name))
        for row, forms in rows.items():
            assert int(leaves[row]) in forms[j][1]
        # the root that is written for missing cells alone is not one of the groups
        real = {leaf_set for label, leaf_set in groups if label != tree.root or len(groups) == 1}
        assert all(leaf_set - {tree.size} in {node - {tree.size} for node in nodes} for leaf_set in real)
        counted = Counter(leaf for leaf_set in real for leaf in leaf_set - {tree.size})
        assert not counted or max(counted.values()) == 1


@settings(max_examples=40, deadline=None)
@given(case=strategies.cases(max_rows=30), k=st.integers(1, 4), suppress=st.sampled_from([0.0, 0.25]))
def test_it_never_loses_more_than_the_best_levels(case, k, suppress):
    table, trees = case
    try:
        least = optimal(table, trees, KAnonymity(k), suppress=suppress, loss="ncp").release
    except InfeasibleError:
        assume(False)
    made = column_cut(table, trees, KAnonymity(k), suppress=suppress).release
    assert ncp(made, trees) <= ncp(least, trees) + 1e-9


AGES = [[str(age), f"{age // 10}x", "< 40" if age < 40 else ">= 40", "*"] for age in (21, 22, 31, 32, 41, 51)]
TOWNS = [["a", "north", "*"], ["b", "north", "*"], ["c", "south", "*"], ["d", "south", "*"]]


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([path[0] for path in AGES]), st.sampled_from("abcd")),
        min_size=4,
        max_size=24,
    ),
    k=st.integers(2, 4),
)
def test_it_loses_little_more_than_the_best_of_all_cuts_tried_one_by_one(rows, k):
    """Greedy, so not always the best; it is never below it, and here within a sixth of the detail."""
    trees = {"age": Hierarchy.from_paths("age", AGES), "town": Hierarchy.from_paths("town", TOWNS)}
    table = Table(
        (
            Column.of("age", "quasi", [age for age, _ in rows]),
            Column.of("town", "quasi", [town for _, town in rows]),
        )
    )
    made = column_cut(table, trees, KAnonymity(k)).release
    least = 1.0
    for ages, towns in product(every_cut(AGES), every_cut(TOWNS)):
        classes = Counter((ages[age][0], towns[town][0]) for age, town in rows)
        if min(classes.values()) >= k:
            lost = sum(
                (ages[age][1] if ages[age][1] > 1 else 0) / 12
                + (towns[town][1] if towns[town][1] > 1 else 0) / 8
                for age, town in rows
            )
            least = min(least, lost / len(rows))
    assert least - 1e-9 <= ncp(made, trees) <= least + 1 / 6


def test_few_old_people_share_a_wide_group_and_many_young_ones_do_not():
    ages = ["21"] * 5 + ["22"] * 5 + ["41", "51"] * 3
    made = column_cut(
        Table((Column.of("age", "quasi", ages),)), {"age": Hierarchy.from_paths("age", AGES)}, KAnonymity(5)
    )
    assert Counter(form[0][0] for form in forms_of(made.release).values()) == {"21": 5, "22": 5, ">= 40": 6}
    assert made.trace == {"classes": 3, "groups": {"age": 3}}


def test_sensitive_values_are_counted_before_a_group_is_split():
    ages = ["21"] * 4 + ["22"] * 4
    sick = ["flu", "flu", "flu", "flu", "flu", "cold", "flu", "cold"]
    table = Table((Column.of("age", "quasi", ages), Column.of("ill", "sensitive", sick)))
    trees = {"age": Hierarchy.from_paths("age", AGES)}
    assert len(column_cut(table, trees, KAnonymity(2)).release.forms[0].labels) == 2
    both = AllOf((KAnonymity(2), LDiversity(2)))
    assert column_cut(table, trees, both).release.forms[0].labels == ("2x",)


def test_a_release_is_judged_and_its_groups_can_be_counted():
    import polars as pl

    frame = pl.DataFrame({"age": [20 + (i * 7) % 50 for i in range(200)], "sex": ["f", "m"] * 100})
    data = shoal.read(
        frame, roles={"age": "quasi", "sex": "quasi"}, hierarchies={"age": {"ranges": [5, 10, 20, 40]}}
    )
    release = shoal.anonymize(data, k=9, method="column-cut")
    labels = release.data["age"].unique().to_list()
    spans = sorted(tuple(map(int, label.strip("[)").split(", "))) for label in labels)
    assert all(high <= low for (_, high), (low, _) in pairwise(spans))


def test_what_makes_no_sense_is_refused():
    table, trees = Table((Column.of("age", "quasi", ["21"] * 3),)), {"age": Hierarchy.from_paths("age", AGES)}
    with pytest.raises(InputError, match="column-cut: the table has no quasi-identifiers"):
        column_cut(Table((Column.of("age", "plain", ["21"]),)), {}, KAnonymity(2))
    with pytest.raises(InputError, match="column-cut: quasi-identifier 'age' has no hierarchy"):
        column_cut(table, {}, KAnonymity(2))
    with pytest.raises(InputError, match="column-cut: seconds="):
        column_cut(table, trees, KAnonymity(2), seconds=-1)
    with pytest.raises(InfeasibleError, match="k=4 but the table has 3 records"):
        column_cut(table, trees, KAnonymity(4))
