"""The optimum for claims beside a population, and a search of the whole lattice written from the definitions."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_lattice as naive
from lattices import cases
from shoal.algorithms.lattice.optimal import optimal
from shoal.data import Column, Table
from shoal.errors import InfeasibleError, InputError
from shoal.privacy import claim_of

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


def table_of(case, people):
    return Table(tuple(Column.of(f"q{j}", "quasi", [p[j] for p in people]) for j in range(len(case.columns))))


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
@settings(max_examples=60, deadline=None)
def test_no_node_that_keeps_the_claim_is_cheaper(asked, found, percent):
    case, people = found
    costs = {}
    for levels in naive.nodes(case.columns):
        left = kept(case, people, levels, asked)
        if left and len(case.rows) - len(left) <= len(case.rows) * percent // 100:
            cost = naive.loss_of("glm", case.rows, case.columns, levels, left)
            costs[levels] = (round(cost, 12), left)
    options = {
        "claim": claim_of("table", **asked),
        "public": table_of(case, people),
        "suppress": percent / 100,
    }
    if not costs:
        with pytest.raises(InfeasibleError, match=r"all records as one class reach|but the table has"):
            optimal(case.table, case.hierarchies, **options)
        return
    release = optimal(case.table, case.hierarchies, **options).release
    levels = tuple(release.rule["levels"].values())
    cost, left = costs[levels]
    assert cost == min(other for other, _ in costs.values())
    assert levels == min(levels for levels, (other, _) in costs.items() if other == cost)
    assert release.rows.tolist() == left


def test_without_a_population_the_claim_is_refused():
    table = Table((Column.of("q0", "quasi", ["a", "b"]),))
    with pytest.raises(InputError, match="cannot make a release that keeps k-map"):
        optimal(table, {}, claim_of("table", k_map=2))
