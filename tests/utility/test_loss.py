"""The losses against slow twins, hand-computed values, bounds and identities."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_losses as naive
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.release import Forms, Recoded
from shoal.utility import (
    aecs,
    c_avg,
    ce,
    dm,
    dm_star,
    glm,
    glm_geometric,
    height,
    il,
    loss_by_column,
    losses,
    ncp,
    precision,
    public_losses,
)

ALWAYS = {"glm", "glm-geometric", "ncp", "il", "dm", "aecs"}


def same(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-12)


# --- random releases --------------------------------------------------------------------------------------


@st.composite
def hierarchies(draw, name, **flags):
    """A tree of 1 to 6 leaves, up to 3 levels under the root; nodes may have one child."""
    size = draw(st.integers(1, 6))
    groups, paths = list(range(size)), [[str(3 * leaf * leaf)] for leaf in range(size)]
    for level in range(1, draw(st.integers(0, 3)) + 1):
        merged = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
        groups = [merged[group] for group in groups]
        for path, group in zip(paths, groups, strict=True):
            path.append(f"level {level} group {group}")
    if size > 1 or draw(st.booleans()):
        paths = [[*path, "*"] for path in paths]
    return Hierarchy.from_paths(name, paths, **flags)


@st.composite
def local(draw, tree):
    """Forms that are any sets of leaves, one of them under two labels; the root takes missing cells."""
    leaf = st.integers(0, tree.size - 1)
    sets = draw(st.lists(st.frozensets(leaf, min_size=1), min_size=1, max_size=4))
    sets = [*sets, sets[0], frozenset(range(tree.size + 1))]
    start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    leaves = np.array([code for form in sets for code in sorted(form)], dtype=np.int32)
    return Forms(tuple(f"form {f}" for f in range(len(sets))), start, leaves)


@st.composite
def releases(draw, *, full_domain):
    """A release, and what the slow twins need to know of it."""
    names = [f"q{j}" for j in range(draw(st.integers(1, 3)))]
    trees = {name: draw(hierarchies(name, ordered=draw(st.booleans()))) for name in names}
    n = draw(st.integers(1, 8))
    rows = np.array(sorted(draw(st.sets(st.integers(0, n - 1)))), dtype=np.int64)
    if full_domain:
        leaves = np.array(
            [[draw(st.integers(0, trees[name].size)) for name in names] for _ in range(n)], dtype=np.int32
        )
        levels = [draw(st.integers(0, trees[name].height)) for name in names]
        recoded = Recoded.of_levels(names, trees, leaves, levels, rows)
    else:
        leaves, levels = None, None
        forms = tuple(draw(local(trees[name])) for name in names)
        codes = [[draw(st.integers(0, len(f.labels) - 1)) for f in forms] for _ in rows]
        shaped = np.array(codes, dtype=np.int32).reshape(len(rows), len(names))
        recoded = Recoded(tuple(names), forms, shaped, rows, n)
    return SimpleNamespace(
        recoded=recoded,
        trees=trees,
        leaves=leaves,
        levels=levels,
        cells=cells_of(recoded),
        domains=[list(range(trees[name].size)) for name in names],
        numbers=[_numbers(trees[name]) for name in names],
        weights=draw(st.lists(st.integers(1, 5), min_size=len(names), max_size=len(names))),
        target=np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))),
    )


def cells_of(recoded):
    cells = [None] * recoded.records
    for row, codes in zip(recoded.rows.tolist(), recoded.codes.tolist(), strict=True):
        cells[row] = tuple(
            frozenset(f.leaves[f.start[c] : f.start[c + 1]].tolist())
            for f, c in zip(recoded.forms, codes, strict=True)
        )
    return cells


def _numbers(tree):
    return {c: int(leaf) for c, leaf in enumerate(tree.leaves)} if tree.ordered and tree.size > 1 else None


# --- against the twins ------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_cell_losses_agree_with_their_definitions(case):
    recoded, trees = case.recoded, case.trees
    weights = dict(zip(recoded.names, case.weights, strict=True))
    assert glm(recoded, trees) == same(naive.glm(case.cells, case.domains))
    assert glm_geometric(recoded, trees) == same(naive.glm_geometric(case.cells, case.domains))
    assert ncp(recoded, trees, weights) == same(
        naive.ncp(case.cells, case.domains, case.numbers, case.weights)
    )
    assert il(recoded, trees) == same(naive.il(case.cells, case.domains, case.numbers))
    columns = loss_by_column(recoded, trees)
    assert list(columns) == list(recoded.names)
    assert list(columns.values()) == [same(loss) for loss in naive.by_column(case.cells, case.domains)]


@settings(max_examples=80, deadline=None)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_class_losses_agree_with_their_definitions(case):
    recoded = case.recoded
    assert dm(recoded) == naive.dm(case.cells)
    assert aecs(recoded) == same(naive.aecs(case.cells))
    assert ce(recoded, case.target) == same(naive.ce(case.cells, case.target.tolist()))
    expected = naive.c_avg(case.cells, 3) if len(recoded.rows) else inf
    assert c_avg(recoded, 3) == same(expected)


@settings(max_examples=60, deadline=None)
@given(releases(full_domain=True))
def test_level_losses_agree_with_their_definitions(case):
    heights = [case.trees[name].height for name in case.recoded.names]
    assert precision(case.recoded, case.trees) == same(naive.precision(case.cells, case.levels, heights))
    assert height(case.recoded) == sum(case.levels)
    whole = Recoded.of_levels(
        case.recoded.names, case.trees, case.leaves, case.levels, np.arange(case.recoded.records)
    )
    assert dm_star(case.recoded, case.trees, case.leaves) == naive.dm(cells_of(whole))


@settings(max_examples=60, deadline=None)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_losses_holds_what_can_be_computed(case):
    recoded, trees = case.recoded, case.trees
    bare = losses(recoded, trees)
    full = losses(recoded, trees, k=2, target=case.target, leaves=case.leaves)
    by_levels = {"precision", "height"} if case.levels is not None else set()
    none_gone = {"dm-star"} if recoded.suppressed == 0 else set()
    assert set(bare) == ALWAYS | by_levels | none_gone
    known = {"dm-star"} if case.levels is not None else none_gone
    assert set(full) == ALWAYS | by_levels | known | {"ce"} | ({"c_avg"} if len(recoded.rows) else set())
    assert full["glm"] == glm(recoded, trees)
    assert full["glm-geometric"] == glm_geometric(recoded, trees)
    assert full["ncp"] == ncp(recoded, trees)
    assert full["il"] == il(recoded, trees)
    assert full["dm"] == dm(recoded)
    assert full["aecs"] == aecs(recoded)
    assert full["ce"] == ce(recoded, case.target)
    assert full.get("c_avg", inf) == c_avg(recoded, 2)


# --- laws -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(releases(full_domain=True))
def test_bounds(case):
    names, trees, everyone = case.recoded.names, case.trees, np.arange(case.recoded.records)
    known = np.minimum(case.leaves, [trees[name].size - 1 for name in names]).astype(np.int32)
    untouched = losses(Recoded.of_levels(names, trees, known, [0] * len(names), everyone), trees)
    for name in ("glm", "glm-geometric", "ncp", "il", "precision", "height"):
        assert untouched[name] == 0
    gone = losses(Recoded.of_levels(names, trees, known, [0] * len(names), everyone[:0]), trees)
    for name in ("glm", "glm-geometric", "ncp", "precision"):
        assert gone[name] == same(1)
    assert gone["il"] == len(names)
    assert gone["dm"] == len(everyone) ** 2
    tops = [trees[name].height for name in names]
    rooted = losses(Recoded.of_levels(names, trees, known, tops, everyone), trees)
    if min(trees[name].size for name in names) > 1:
        for name in ("glm", "glm-geometric", "ncp", "precision"):
            assert rooted[name] == same(1)
    assert rooted["dm"] == len(everyone) ** 2
    assert rooted["aecs"] == len(everyone)


@settings(max_examples=60, deadline=None)
@given(releases(full_domain=True), st.data())
def test_one_level_more_never_costs_less_without_suppression(case, data):
    names, everyone = case.recoded.names, np.arange(case.recoded.records)
    j = data.draw(st.integers(0, len(names) - 1))
    up = list(case.levels)
    up[j] = min(up[j] + 1, case.trees[names[j]].height)
    low = losses(Recoded.of_levels(names, case.trees, case.leaves, case.levels, everyone), case.trees)
    high = losses(Recoded.of_levels(names, case.trees, case.leaves, up, everyone), case.trees)
    assert all(high[name] >= low[name] - 1e-12 for name in low)
    assert high["glm-geometric"] <= high["glm"] + 1e-12


def test_a_hierarchy_of_one_leaf_loses_nothing_but_suppressed_records():
    trees = {"q": Hierarchy.from_paths("q", [["only", "*"]])}
    leaves = np.zeros((4, 1), dtype=np.int32)
    kept = Recoded.of_levels(["q"], trees, leaves, [1], np.arange(4))
    assert (glm(kept, trees), ncp(kept, trees), il(kept, trees)) == (0, 0, 0)
    one_gone = Recoded.of_levels(["q"], trees, leaves, [1], np.arange(3))
    assert (glm(one_gone, trees), ncp(one_gone, trees), il(one_gone, trees)) == (0.25, 0.25, 0.25)


def test_a_missing_cell_that_no_leaf_covers_costs_the_root():
    trees = {"q": Hierarchy.from_paths("q", [["1", "*"], ["2", "*"], ["9", "*"]], ordered=True)}
    leaves = np.array([[0], [3]], dtype=np.int32)
    recoded = Recoded.of_levels(["q"], trees, leaves, [0], np.arange(2))
    assert (glm(recoded, trees), ncp(recoded, trees), il(recoded, trees)) == (0.5, 0.5, 0.5)


def test_ranges_count_for_ordered_numbers_only():
    paths = [["1", "low", "*"], ["2", "low", "*"], ["11", "high", "*"]]
    leaves = np.array([[0], [1], [2]], dtype=np.int32)

    def at_level_one(tree):
        return ncp(Recoded.of_levels(["q"], {"q": tree}, leaves, [1], np.arange(3)), {"q": tree})

    assert at_level_one(Hierarchy.from_paths("q", paths, ordered=True)) == same(2 * (1 / 10) / 3)
    assert at_level_one(Hierarchy.from_paths("q", paths)) == same(2 * (2 / 3) / 3)
    dated = [["2020-01", *paths[0][1:]], ["2020-02", *paths[1][1:]], ["2021-01", *paths[2][1:]]]
    assert at_level_one(Hierarchy.from_paths("q", dated, ordered=True)) == same(2 * (2 / 3) / 3)
    endless = [["1", *paths[0][1:]], ["2", *paths[1][1:]], ["inf", *paths[2][1:]]]
    assert at_level_one(Hierarchy.from_paths("q", endless, ordered=True)) == same(2 * (2 / 3) / 3)


def test_equal_leaf_sets_are_one_class_whatever_their_labels():
    tree = Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])
    forms = Forms(("a|b", "b|a"), np.array([0, 2, 4]), np.array([0, 1, 0, 1], dtype=np.int32))
    recoded = Recoded(("q",), (forms,), np.array([[0], [1]], dtype=np.int32), np.arange(2), 2)
    assert losses(recoded, {"q": tree}, k=2)["c_avg"] == 1


def test_no_records_lose_nothing():
    trees = {"q": Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])}
    empty = Recoded.of_levels(["q"], trees, np.empty((0, 1), dtype=np.int32), [1], np.arange(0))
    found = losses(empty, trees, k=2, target=np.empty(0, dtype=np.int64))
    assert {name: loss for name, loss in found.items() if loss} == {"height": 1}


# --- golden values ----------------------------------------------------------------------------------------


def recode(trees, records, levels, rows=None):
    leaves = np.array(
        [
            [tree.leaves.index(cell) for tree, cell in zip(trees.values(), record, strict=True)]
            for record in records
        ],
        dtype=np.int32,
    )
    return leaves, Recoded.of_levels(
        list(trees), trees, leaves, levels, np.arange(len(records)) if rows is None else np.array(rows)
    )


POKA = [
    ("12345", "M", "<50K"),
    ("12346", "M", "<50K"),
    ("12345", "F", "<50K"),
    ("12355", "F", ">=50K"),
    ("12355", "M", ">=50K"),
    ("12356", "M", ">=50K"),
]


def poka_trees():
    """Rebuilt from Table 1: the text has no Figure 1a; zip goes one level further."""
    zips = [[z, z[:4] + "*", "*****"] for z in ("12345", "12346", "12355", "12356")]
    return {
        "zip": Hierarchy.from_paths("zip", zips),
        "sex": Hierarchy.from_paths("sex", [["M", "*"], ["F", "*"]]),
        "salary": Hierarchy.from_paths("salary", [["<50K", "*"], [">=50K", "*"]]),
    }


def test_the_3_anonymous_table_of_the_poka_paper():
    """Table 1, node (1, 1, 0): two classes of 3. Losses worked out by hand."""
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 1, 0])
    salary = leaves[:, 2]
    found = losses(recoded, trees, k=3, target=salary, leaves=leaves)
    assert found == {
        "glm": same((1 / 3 + 1 + 0) / 3),
        "glm-geometric": same((4 / 3 * 2 * 1) ** (1 / 3) - 1),
        "ncp": same((2 / 4 + 1 + 0) / 3),
        "il": same(1 / 4 + 1 / 2 + 0),
        "precision": same((1 / 2 + 1 + 0) / 3),
        "height": 2,
        "dm": 18,
        "dm-star": 18,
        "aecs": 3,
        "c_avg": 1,
        "ce": 0,
    }
    assert loss_by_column(recoded, trees) == {"zip": same(1 / 3), "sex": 1, "salary": 0}


def test_the_poka_table_at_zip_alone_with_the_small_classes_suppressed():
    """Node (1, 0, 0) has classes {1,2}, {3}, {4}, {5,6}; k = 2 suppresses records 3 and 4. By hand."""
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 0, 0], rows=[0, 1, 4, 5])
    found = losses(recoded, trees, k=2, target=np.array([0, 1, 5, 5, 7, 7]), leaves=leaves)
    column = (4 * (1 / 3) + 2) / 6
    assert found == {
        "glm": same((column + 1 / 3 + 1 / 3) / 3),
        "glm-geometric": same(((1 + column) * (4 / 3) ** 2) ** (1 / 3) - 1),
        "ncp": same(((4 * 0.5 + 2) / 6 + 1 / 3 + 1 / 3) / 3),
        "il": same((4 * (1 / 4) + 2) / 6 + 1 / 3 + 1 / 3),
        "precision": same(((4 * 0.5 + 2) / 6 + 1 / 3 + 1 / 3) / 3),
        "height": 1,
        "dm": 2 * 2 + 2 * 2 + 6 * 2,
        "dm-star": 2 * 2 + 1 + 1 + 2 * 2,
        "aecs": 2,
        "c_avg": same(6 / (2 * 2)),
        "ce": same((1 + 0 + 2) / 6),
    }


MST = [
    ("21", "M", "13051"),
    ("26", "M", "13053"),
    ("33", "F", "13063"),
    ("37", "F", "13068"),
    ("45", "M", "14851"),
    ("48", "F", "14856"),
    ("50", "M", "14865"),
]


def mst_trees():
    """Rebuilt from Tables 1(a)-(c), over their seven ages and zip codes: the text has no Figure 1."""
    tens = {"21": "[20-30]", "26": "[20-30]", "33": "[31-40]", "37": "[31-40]"}
    wide = {"[20-30]": "[20-40]", "[31-40]": "[20-40]", "[41-50]": "[41-60]"}
    ages = [[a, tens.get(a, "[41-50]"), wide[tens.get(a, "[41-50]")], "*"] for a, _, _ in MST]
    zips = [[z, z[:4] + "*", z[:3] + "**", "*****"] for _, _, z in MST]
    return {
        "age": Hierarchy.from_paths("age", ages, ordered=True),
        "sex": Hierarchy.from_paths("sex", [["M", "Person"], ["F", "Person"]]),
        "zip": Hierarchy.from_paths("zip", zips),
    }


def mst_release(cells):
    """A local recoding from the labels the paper prints."""
    trees = mst_trees()
    forms, codes = [], []
    for j, tree in enumerate(trees.values()):
        labels = sorted({row[j] for row in cells})
        spans = np.array([tree.places[label] for label in labels], dtype=np.int32)
        forms.append(Forms.of_spans(tree, labels, spans))
        codes.append([labels.index(row[j]) for row in cells])
    table = np.array(codes, dtype=np.int32).T
    return trees, Recoded(tuple(trees), tuple(forms), table, np.arange(len(cells)), len(cells))


def test_the_2_anonymous_table_of_the_mst_paper():
    """Table 1(b): section 7.2 prints DM = 17; C_avg and IL follow from its equations 11 and 6-9."""
    cells = [("[20-30]", "M", "1305*")] * 2 + [("[31-40]", "F", "1306*")] * 2
    trees, recoded = mst_release(cells + [("[41-50]", "Person", "148**")] * 3)
    found = losses(recoded, trees, k=2)
    assert found["dm"] == 17
    assert found["dm-star"] == 17
    assert found["c_avg"] == same(7 / (3 * 2))
    ages = 2 * (26 - 21) + 2 * (37 - 33) + 3 * (50 - 45)
    assert found["il"] == same((ages / (50 - 21) + 3 * (1 / 2) + 4 * (1 / 7) + 3 * (2 / 7)) / 7)
    assert "precision" not in found


def test_the_3_anonymous_table_of_the_mst_paper():
    """Table 1(c): classes of 4 and 3, so DM = 25; the rest by hand."""
    cells = [("[20-40]", "Person", "130**")] * 4 + [("[41-50]", "Person", "148**")] * 3
    trees, recoded = mst_release(cells)
    found = losses(recoded, trees, k=3)
    assert found["dm"] == 25
    assert found["c_avg"] == same(7 / (2 * 3))
    ages = (4 * (37 - 21) + 3 * (50 - 45)) / (50 - 21)
    assert found["il"] == same((ages + 7 * (1 / 2) + 4 * (3 / 7) + 3 * (2 / 7)) / 7)
    assert found["glm"] == same(((4 * 3 / 6 + 3 * 2 / 6) / 7 + 1 + (4 * 3 / 6 + 3 * 2 / 6) / 7) / 3)


# --- what may be published --------------------------------------------------------------------------------


def test_public_losses_are_those_of_the_release_and_declared_hierarchies():
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 0, 0], rows=[0, 1, 4, 5])
    target = leaves[:, 1]
    public = public_losses(recoded, trees, k=2, target=target)
    audit = losses(recoded, trees, k=2, target=target, leaves=leaves)
    assert set(audit) - set(public) == {"dm-star"}
    assert all(audit[name] == loss for name, loss in public.items())
    trees["zip"] = Hierarchy("zip", trees["zip"].labels, trees["zip"].up, public=False)
    assert set(public_losses(recoded, trees, k=2)) == {"dm", "aecs", "c_avg"}


@pytest.mark.parametrize(
    ("level", "rows", "shows"),
    [
        (0, [0, 2], True),
        (0, [2, 3], False),  # c and d stand for themselves on levels 0 and 1
        (1, [0, 1], True),
        (1, [2, 3], False),
        (2, [0, 2], True),
        (1, [4], False),  # a missing cell is the root on every level
        (1, [], False),
    ],
)
def test_levels_that_the_release_does_not_show_stay_in_the_audit(level, rows, shows):
    paths = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"], ["d", "d", "*"]]
    trees = {"q": Hierarchy.from_paths("q", paths)}
    leaves = np.arange(5, dtype=np.int32)[:, None]
    recoded = Recoded.of_levels(["q"], trees, leaves, [level], np.array(rows, dtype=np.int64))
    assert {"precision", "height"} <= set(losses(recoded, trees))
    public = set(public_losses(recoded, trees))
    assert {"precision", "height"} & public == ({"precision", "height"} if shows else set())
    assert "glm" in public


# --- refusals ---------------------------------------------------------------------------------------------


def test_weights_that_cannot_be_scaled_are_refused():
    trees = poka_trees()
    _, recoded = recode(trees, POKA, [1, 1, 0])
    with pytest.raises(InputError, match="no weight for column 'salary'"):
        ncp(recoded, trees, {"zip": 1, "sex": 1})
    for bad in (0, -1, float("nan"), inf):
        with pytest.raises(InputError, match="none below 0 and not all 0"):
            ncp(recoded, trees, {"zip": bad, "sex": 0, "salary": 0})
    assert ncp(recoded, trees, {"zip": 4, "sex": 0, "salary": 0}) == 0.5


def test_local_recodings_have_no_levels():
    trees, recoded = mst_release([("[20-30]", "M", "1305*")])
    for loss in (lambda: precision(recoded, trees), lambda: height(recoded)):
        with pytest.raises(InputError, match="a local recoding has no levels"):
            loss()


def test_dm_star_needs_the_suppressed_records():
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 0, 0], rows=[0, 1])
    with pytest.raises(InputError, match=r"4 suppressed record\(s\) of no known class"):
        dm_star(recoded, trees)
    local = Recoded(recoded.names, recoded.forms, recoded.codes, recoded.rows, recoded.records)
    with pytest.raises(InputError, match="full-domain recodings only"):
        dm_star(local, trees, leaves)


def test_ce_wants_a_target_for_each_record():
    _, recoded = recode(poka_trees(), POKA, [1, 1, 0])
    with pytest.raises(InputError, match="5 target values for 6 records"):
        ce(recoded, np.zeros(5, dtype=np.int64))
