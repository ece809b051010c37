import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
from shoal.algorithms.local.blind import blind
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import build
from shoal.privacy import KAnonymity
from shoal.utility import _table_losses


def labels(release):
    """What is written for each record that is kept."""
    return {
        int(row): tuple(form.labels[code] for form, code in zip(release.forms, codes, strict=True))
        for row, codes in zip(release.rows, release.codes.tolist(), strict=True)
    }


def moved(table, trees, release, rng):
    """The same table, every record that is kept somewhere else inside its labels."""
    columns = []
    for column in table.columns:
        cells = list(column.cells())
        if column.name in release.names:
            j, tree = release.names.index(column.name), trees[column.name]
            form = release.forms[j]
            for row, code in zip(release.rows.tolist(), release.codes[:, j].tolist(), strict=True):
                leaf = int(rng.choice(form.leaves[form.start[code] : form.start[code + 1]]))
                cells[row] = None if leaf in (tree.size, tree.missing) else tree.leaves[leaf]
        columns.append(Column.of(column.name, column.role, cells))
    return Table(tuple(columns), table.persons)


@settings(max_examples=120)
@given(
    case=strategies.cases(max_rows=40) | strategies.cases(max_rows=40, persons=True),
    k=st.integers(1, 5),
    recode=st.sampled_from(["hierarchy", "span"]),
    others=st.none() | st.integers(1, 60),
    covered=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_records_may_be_anywhere_inside_their_labels(case, k, recode, others, covered, seed):
    table, trees = case
    if covered:
        trees = {name: tree.covering(("",)) for name, tree in trees.items()}
    rng = np.random.default_rng(seed)
    public = None
    if others is not None:
        cells = {c.name: rng.choice(["a", "b", "c", "d", "unheard of"], others).tolist() for c in table.quasi}
        public = Table(tuple(Column.of(name, "quasi", values) for name, values in cells.items()))
    options = {"suppress": 0.9, "recode": recode, "public": public}
    try:
        first = blind(table, trees, KAnonymity(k), **options).release
    except InfeasibleError:
        assume(False)
    again = blind(moved(table, trees, first, rng), trees, KAnonymity(k), **options).release
    assert labels(again) == labels(first)


def people(n=3_000, seed=0):
    """Ages from 20 to 59 and four towns, the first of which has most people."""
    rng = np.random.default_rng(seed)
    towns = rng.choice(["a", "b", "c", "d"], n, p=[0.7, 0.2, 0.07, 0.03])
    ages = np.minimum(59, 20 + rng.geometric(0.06, n))
    return Table(
        (Column.of("age", "quasi", ages.astype(str).tolist()), Column.of("town", "quasi", towns.tolist()))
    )


TREES = {
    "age": Hierarchy.from_paths(
        "age", [[str(a), f"{a // 5 * 5}-", f"{a // 10}*", "*"] for a in range(20, 60)]
    ),
    "town": Hierarchy.from_paths(
        "town", [["a", "n", "*"], ["b", "n", "*"], ["c", "s", "*"], ["d", "s", "*"]]
    ),
}


def test_public_people_save_detail():
    table, public = people(seed=1), people(seed=2)
    lost = {
        (recode, who is not None): _table_losses(
            blind(table, TREES, KAnonymity(60), recode=recode, public=who, suppress=0.2).release, TREES
        )["ncp"]
        for recode in ("hierarchy", "span")
        for who in (None, public)
    }
    assert lost["hierarchy", True] < lost["hierarchy", False]
    assert lost["span", True] < lost["hierarchy", True]


def test_nothing_is_cut_where_nobody_may_be_left_out():
    release = blind(people(), TREES, KAnonymity(10), suppress=0.0).release
    assert release.suppressed == 0
    assert set(labels(release).values()) == {("*", "*")}


def test_more_left_out_than_allowed_is_infeasible():
    table = Table((Column.of("town", "quasi", ["a"] * 500 + ["b"] * 4 + ["c"] * 500),))
    public = Table((Column.of("town", "quasi", ["a", "b", "c"] * 1_000),))
    with pytest.raises(InfeasibleError, match="4 of 1004 records lie in boxes of fewer than 5"):
        blind(table, {"town": TREES["town"]}, KAnonymity(5), public=public, suppress=0.001)


def test_a_hierarchy_made_of_the_data_is_refused():
    built = {**TREES, "age": build("age", {"ranges": [10]}, list(map(str, range(20, 60))))}
    with pytest.raises(InputError, match="'age' is built from the data's own values"):
        blind(people(), built, KAnonymity(5))


def test_public_people_need_every_column():
    public = Table((Column.of("age", "quasi", ["20"]),))
    with pytest.raises(InputError, match="the public people have no column 'town'"):
        blind(people(), TREES, KAnonymity(5), public=public)


def test_spans_are_ranges_and_sets():
    public = people(seed=2)
    release = blind(people(), TREES, KAnonymity(40), recode="span", public=public).release
    written = {label for row in labels(release).values() for label in row}
    assert any(label.startswith("[") and not label.startswith('["') for label in written)
    for j, name in enumerate(release.names):
        form, tree = release.forms[j], TREES[name]
        runs = [form.leaves[a:b] for a, b in zip(form.start[:-1], form.start[1:], strict=True)]
        assert all((np.diff(run) == 1).all() and run[-1] <= tree.size for run in runs)
