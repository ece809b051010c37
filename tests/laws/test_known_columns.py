"""Methods that keep k-anonymity with known columns: every group holds k rows, and labels are true."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.algorithms.local.core import core
from shoal.base.errors import InfeasibleError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    BetaLikeness,
    CoreAnonymity,
    DeltaDisclosure,
    HiddenValues,
    LDiversity,
    TCloseness,
)
from shoal.release import Published, Sensitive

CLAIMS_BESIDE = {
    "l-diversity": [LDiversity(2, diversity=kind) for kind in ("distinct", "entropy", "recursive")],
    "t-closeness": [TCloseness(0.4, distance=kind) for kind in ("equal", "ordered")],
    "beta-likeness": [BetaLikeness(1.0)],
    "delta-disclosure privacy": [DeltaDisclosure(1.5)],
    "(alpha,k)-anonymity": [AlphaKAnonymity(0.6, 2)],
    "hidden values": [HiddenValues(0.6, {"ill": ("1", "2")})],
}
"""What is claimed of sensitive values in every group."""

COVERED = [("core", model) for model in ("k-anonymity with known columns", *CLAIMS_BESIDE)]
"""Which method stands under these laws with which claim."""

TREE = [["0", "low", "*"], ["1", "low", "*"], ["2", "high", "*"], ["3", "high", "*"]]


def tree(name):
    return Hierarchy.from_paths(name, TREE)


def numbers(name):
    return Hierarchy.from_paths(name, [[str(i), "*"] for i in range(4)], public=False, ordered=True)


@st.composite
def tables(draw):
    """Small tables with one or two quasi-identifiers and up to four known columns, some with missing cells."""
    n, times = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    widths = draw(st.integers(1, 2)), draw(st.integers(1, 4))
    cell = st.sampled_from(["0", "1", "2", "3", None])
    columns, hierarchies = [], {}
    for role, width in zip(("quasi", "known"), widths, strict=True):
        for place in range(width):
            name = f"{role}{place}"
            cells = draw(st.lists(cell, min_size=n, max_size=n)) * times
            columns.append(Column.of(name, role, cells))
            hierarchies[name] = draw(st.sampled_from([tree, numbers]))(name)
    return Table(tuple(columns)), hierarchies


def released_rows(release, names):
    places = [release.names.index(name) for name in names]
    labels = [[release.forms[j].labels[code] for code in release.codes[:, j]] for j in places]
    return list(zip(*labels, strict=True))


def keeps(release, k, m, follows=()):
    core_names = [name for name in release.names if name.startswith("quasi")]
    known = [name for name in release.names if name.startswith("known")]
    rules = [({known.index(name) for name in source}, known.index(told)) for source, told in follows]
    shown, told = released_rows(release, core_names), released_rows(release, known)
    return not naive.found_by_core(shown, told, k, m, rules)


def is_true(release, table, hierarchies):
    for j, name in enumerate(release.names):
        form = release.forms[j]
        leaves = hierarchies[name].encode(table.column(name))[release.rows]
        assert form.cover(release.codes[:, j], leaves).all()


@settings(max_examples=150, deadline=None)
@given(
    tables(),
    st.integers(1, 4),
    st.integers(0, 4),
    st.integers(0, 2**32),
    st.sampled_from(["range", "hierarchy"]),
)
def test_every_group_holds_k_rows_and_labels_are_true(people, k, m, seed, recode):
    table, hierarchies = people
    if k > table.n:
        return
    rng = np.random.default_rng(seed)
    made = core(table, hierarchies, CoreAnonymity(k, m), recode=recode, sweeps=2, rng=rng)
    assert len(made.release.rows) == table.n
    assert keeps(made.release, k, m)
    is_true(made.release, table, hierarchies)
    assert made.release.core == tuple(column.name for column in table.core)


@settings(max_examples=80, deadline=None)
@given(
    tables(), st.integers(1, 3), st.integers(0, 3), st.sampled_from([0.1, 0.3, 0.6]), st.integers(0, 2**32)
)
def test_whoever_is_kept_stands_in_groups_of_k(people, k, m, suppress, seed):
    table, hierarchies = people
    if k > table.n:
        return
    rng = np.random.default_rng(seed)
    made = core(table, hierarchies, CoreAnonymity(k, m), suppress=suppress, sweeps=2, rng=rng).release
    assert max(k, (1 - suppress) * table.n - 1e-9) <= len(made.rows) <= table.n == made.records
    assert (np.diff(made.rows) > 0).all()
    assert keeps(made, k, m)
    is_true(made, table, hierarchies)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(2, 3), st.integers(0, 2**32), st.data())
def test_sets_are_closed_under_what_follows(people, k, seed, data):
    table, hierarchies = people
    names = [column.name for column in table.role("known")]
    sets = st.lists(st.sampled_from(names), max_size=2, unique=True).map(tuple)
    follows = tuple(data.draw(st.lists(st.tuples(sets, st.sampled_from(names)), min_size=1, max_size=3)))
    if k > table.n:
        return
    claim = CoreAnonymity(k, 1, follows)
    made = core(table, hierarchies, claim, size=table.n, sweeps=3, rng=np.random.default_rng(seed))
    assert keeps(made.release, k, 1, follows)


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(1, 3), st.integers(0, 2**32))
def test_with_one_generator_a_release_is_always_the_same(people, k, seed):
    table, hierarchies = people
    if k > table.n:
        return
    before = [column.codes.copy() for column in table.columns]
    claim = CoreAnonymity(k, 2)
    first, second = (
        core(table, hierarchies, claim, sweeps=2, rng=np.random.default_rng(seed)).release for _ in range(2)
    )
    assert (first.codes == second.codes).all()
    assert [form.labels for form in first.forms] == [form.labels for form in second.forms]
    assert all((old == column.codes).all() for old, column in zip(before, table.columns, strict=True))


@settings(max_examples=120, deadline=None)
@given(
    tables(),
    st.sampled_from([claim for claims in CLAIMS_BESIDE.values() for claim in claims]),
    st.integers(0, 3),
    st.integers(0, 2**32),
    st.data(),
)
def test_what_is_claimed_of_sensitive_values_holds_in_every_group(people, beside, m, seed, data):
    table, hierarchies = people
    if table.n < 2:
        return
    cells = data.draw(
        st.lists(st.sampled_from(["0", "1", "2", "3", "4", None]), min_size=table.n, max_size=table.n)
    )
    table = Table((*table.columns, Column.of("ill", "sensitive", cells)))
    claim = AllOf((CoreAnonymity(2, m), beside))
    try:
        made = core(table, hierarchies, claim, sweeps=2, rng=np.random.default_rng(seed)).release
    except InfeasibleError:
        return
    core_names = [name for name in made.names if name.startswith("quasi")]
    known_names = [name for name in made.names if name.startswith("known")]
    shown, told = released_rows(made, core_names), released_rows(made, known_names)
    assert keeps(made, 2, m)
    ill = table.column("ill")
    words = [value for value in ill.values if value is not None]
    codes = np.array([-1 if ill.values[c] is None else words.index(ill.values[c]) for c in ill.codes])
    sensitive = {"ill": Sensitive(codes.astype(np.int64), tuple(words))}
    for groups in naive.groups_by_core(shown, told, m):
        assert beside.check(Published({"": np.array(groups)}, sensitive))
