from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lattices
import naive_lattice as naive
from claiming import claimed
from lattices import Case, cases, check_cheapest, clock_that_stops
from shoal.algorithms.lattice import branch_and_bound as search
from shoal.algorithms.lattice.optimal import optimal, pareto
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import make_claim

LOSSES = [*lattices.LOSSES, "c_avg"]


def levels_of(result):
    return tuple(result.release.rule["levels"].values())


@pytest.mark.parametrize("loss", LOSSES)
@given(case=cases(weights=True), percent=st.sampled_from([0, 20, 50]), k=st.integers(1, 4))
@settings(max_examples=25)
def test_no_node_is_cheaper(loss, case, percent, k):
    options = {"k": k, "suppress": percent / 100, "loss": loss, "target": "label"}
    at_k = {p[0]: p for p in case.points(loss, percent) if p[1] == k}
    if not at_k:
        with pytest.raises(InfeasibleError):
            claimed(optimal, case.table, case.hierarchies, **options)
        return
    result = claimed(optimal, case.table, case.hierarchies, **options)
    chosen = at_k[levels_of(result)]
    assert chosen[2] == min(p[2] for p in at_k.values())
    assert result.release.suppressed == chosen[3]
    assert result.release.rows.tolist() == naive.kept_at(case.rows, case.columns, chosen[0], k)


@given(
    case=cases(weights=True, persons=True), percent=st.sampled_from([0, 20, 50]), loss=st.sampled_from(LOSSES)
)
@settings(max_examples=60)
def test_equals_the_front_at_every_k(case, percent, loss):
    if loss == "c_avg":  # no front: it divides by k
        return
    front = pareto(case.table, case.hierarchies, suppress=percent / 100, loss=loss, target="label")
    given = {"suppress": percent / 100, "loss": loss, "target": "label"}
    for k in range(1, front.points[-1].k + 1):
        asked = {"claim": make_claim("table", k=k), **given}
        result = optimal(case.table, case.hierarchies, **asked)
        assert levels_of(result) == front.pick(k).levels
        with patch.object(search, "_LARGE", 0):
            counted = optimal(case.table, case.hierarchies, **asked, seconds=1e6)
        assert counted.trace["stopped"] == "complete"
        assert levels_of(counted) == front.pick(k).levels
        same = front.release(front.pick(k), k)
        assert same.release.rows.tolist() == result.release.rows.tolist()


SIX = Case([("a",)] * 3 + [("b",)] * 4, [[["a", "*"], ["b", "*"]]], ["x"] * 7)


def test_refusals_say_what_would_help():
    table, trees = SIX.table, SIX.hierarchies
    with pytest.raises(InfeasibleError, match="k=50 but the table has 7 records; lower k or add records"):
        optimal(table, trees, claim=make_claim("table", k=50))
    for options, words in [
        ({"suppress": 1.0}, r"suppress=1\.0; give a share of records"),
        ({"loss": "nonsense"}, "there are glm, glm-geometric"),
        ({"loss": "ce"}, "needs target"),
        ({"k": 0}, "k"),
        ({"seconds": 0}, "seconds=0 leaves no time"),
    ]:
        with pytest.raises(InputError, match=words):
            claimed(optimal, table, trees, **{"k": 2, **options})
    with pytest.raises(InputError, match="'q0' has no hierarchy"):
        optimal(table, {}, claim=make_claim("table", k=2))


@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive", "equal", "ordered", "both"])
@given(
    case=cases(empty_labels=True) | cases(empty_labels=True, persons=True),
    percent=st.sampled_from([0, 30, 60]),
    k=st.integers(1, 3),
    l=st.integers(1, 3),
    t=st.sampled_from([0.0, 0.1, 0.25, 0.5]),
    loss=st.sampled_from(["glm", "dm", "ce"]),
)
@settings(max_examples=60)
def test_no_node_that_is_diverse_and_close_is_cheaper(kind, case, percent, k, l, t, loss):
    asked = {}
    if kind in ("distinct", "entropy", "recursive"):
        asked = {"l": l, "diversity": kind, "c": 1.5}
    elif kind != "both":
        asked = {"t": t, "distance": kind}
    else:
        asked = {"l": l, "t": t}
    twin = {"kind" if key == "diversity" else key: value for key, value in asked.items()}

    def kept(levels):
        return naive.kept_diverse(
            case.rows, case.columns, levels, k, case.label, persons=case.persons, **twin
        )

    check_cheapest(case, kept, percent, k=k, loss=loss, target="label", **asked)


def test_what_cannot_be_diverse_is_said():
    with pytest.raises(InfeasibleError, match=r"no recoding reaches l=2 \(distinct\).* one class reach l=1;"):
        optimal(SIX.table, SIX.hierarchies, claim=make_claim("table", l=2))
    with pytest.raises(InputError, match="is about a sensitive column"):
        optimal(Table(SIX.table.quasi), SIX.hierarchies, claim=make_claim("table", l=2))


@pytest.mark.parametrize("loss", LOSSES)
@given(
    case=cases(weights=True) | cases(persons=True),
    percent=st.sampled_from([0, 20, 50]),
    k=st.integers(1, 4),
    looks=st.integers(0, 12),
)
@settings(max_examples=15)
def test_cut_short_it_tells_the_truth(loss, case, percent, k, looks):
    options = {"claim": make_claim("table", k=k), "suppress": percent / 100, "loss": loss, "target": "label"}
    people = case.rows if case.persons is None else set(case.persons)
    assume(k <= len(people))
    with clock_that_stops(looks):
        result = optimal(case.table, case.hierarchies, seconds=1.0, **options)
    at_k = {p[0]: p for p in case.points(loss, percent) if p[1] == k}
    least = min(p[2] for p in at_k.values())
    trace = result.trace
    assert round(trace["loss"], 12) == at_k[levels_of(result)][2]
    assert trace["no_node_loses_less_than"] <= least + 1e-9 * abs(least)
    if trace["stopped"] == "complete":
        assert levels_of(result) == levels_of(optimal(case.table, case.hierarchies, **options))
        assert trace["no_node_loses_less_than"] == trace["loss"]
    else:
        assert trace["stopped"] == "seconds"


@given(case=cases(empty_labels=True), looks=st.integers(0, 12), asked=st.sampled_from([{"l": 2}, {"t": 0.3}]))
@settings(max_examples=40)
def test_cut_short_the_rest_of_a_claim_is_kept_too(case, looks, asked):
    options = {"suppress": 0.3, **asked}
    try:
        best = claimed(optimal, case.table, case.hierarchies, seconds=1e6, **options).trace["loss"]
    except InfeasibleError:
        best = None
    with clock_that_stops(looks):
        try:
            result = claimed(optimal, case.table, case.hierarchies, seconds=1.0, **options)
        except InfeasibleError:
            return
    assert best is not None
    assert result.trace["no_node_loses_less_than"] <= best <= result.trace["loss"]


# --- The optimum for claims beside a population, and a search of the whole lattice written from the definitions.

ASKED = [
    {"k_map": 2},
    {"k_map": 4},
    {"k_map": 3, "k": 2},
    {"presence": (0, 0.5)},
    {"presence": (0.25, 0.75)},
    {"presence": (0, 0.5), "k": 2, "k_map": 5},
]


@st.composite
def peopled(draw, **options):
    """A case, and people of a population: some like those of the data, some with any values."""
    case = draw(cases(most=8, **options))
    anybody = st.tuples(*(st.sampled_from([*(path[0] for path in column), None]) for column in case.columns))
    people = draw(st.lists(st.sampled_from(case.rows) | anybody, min_size=1, max_size=16))
    return case, people


def kept(case, people, levels, asked):
    """The records left of a node; classes that a population does not hide go."""
    many = Counter(naive.tuples(people, case.columns, levels))
    who = case.persons or list(range(len(case.rows)))
    low, high = asked.get("presence", (0, 99))
    left = {}
    for form, members in naive.groups(case.rows, case.columns, levels).items():
        heads = len({who[place] for place in members})
        enough = heads >= asked.get("k", 1) and many[form] >= asked.get("k_map", 0)
        if enough and ("presence" not in asked or low * many[form] <= heads <= high * many[form]):
            left[form] = members
    gone = sum(map(len, left.values())) < len(case.rows)
    if "presence" in asked and (gone or (low and many.keys() - left.keys())):
        return []  # whoever is left out is in the data, and where low is not 0 every class must be present
    return sorted(place for members in left.values() for place in members)


@pytest.mark.parametrize("asked", ASKED, ids=str)
@given(found=peopled() | peopled(persons=True), percent=st.sampled_from([0, 30, 60]))
@settings(max_examples=60)
def test_no_node_that_keeps_the_claim_is_cheaper(asked, found, percent):
    case, people = found
    public = Table(
        tuple(Column.of(f"q{j}", "quasi", [p[j] for p in people]) for j in range(len(case.columns)))
    )
    check_cheapest(case, lambda levels: kept(case, people, levels, asked), percent, public=public, **asked)


def test_without_a_population_the_claim_is_refused():
    table = Table((Column.of("q0", "quasi", ["a", "b"]),))
    with pytest.raises(InputError, match="cannot make a release that keeps k-map"):
        optimal(table, {}, make_claim("table", k_map=2))


def test_rows_of_one_person_without_a_value_count_as_the_judge_counts_them():
    """Each of them may hide the most frequent value: counted once, a class would pass that the judge refuses."""
    known = [("p1", "a", None)] * 3 + [("p2", "a", "x"), ("p3", "a", "y"), ("p4", "a", "z")]
    others = [(f"r{i}", "b", value) for i, value in enumerate("xyzxyzxyz")]
    hierarchies = {"q": Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])}
    claim = make_claim("table", k=2, l=2, diversity="recursive", c=1.5)

    def table(rows):
        who, q, ill = zip(*rows, strict=True)
        persons = np.unique(who, return_inverse=True)[1]
        return Table((Column.of("q", "quasi", q), Column.of("ill", "sensitive", ill)), persons)

    assert optimal(table(known + others), hierarchies, claim).release.suppressed == 0
    with pytest.raises(InfeasibleError, match="no recoding reaches l=2"):
        optimal(table(known), hierarchies, claim)
