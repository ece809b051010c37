"""Cut searches on parts of record trees give the release that they give in memory."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from part_cases import tree_parts
from shoal.algorithms.parts import trees_of
from shoal.algorithms.trees.gcs import acs, gcs, ocs
from shoal.algorithms.trees.record_index import RecordIndex
from shoal.algorithms.trees.search_space import Space
from shoal.base.errors import HierarchyError, InfeasibleError
from shoal.data import Trees
from shoal.engines import in_threads, in_turn
from shoal.hierarchy.nodes import Nodes
from shoal.privacy import KMNAnonymity
from shuffle_engine import Shuffle
from strategies_trees import hierarchies, trees

CHOSEN = {"gcs": gcs, "acs": acs, "ocs": ocs}
HIERARCHIES = hierarchies()


def found(act):
    try:
        return act()
    except InfeasibleError as error:
        return str(error)


def claims(sensitive):
    known = st.builds(KMNAnonymity, st.integers(1, 4), st.integers(1, 3), st.integers(0, 2))
    negated = st.builds(KMNAnonymity, st.integers(1, 3), st.just(2), st.just(1), negations=st.just(("A",)))
    hidden = st.builds(
        KMNAnonymity,
        st.integers(1, 3),
        st.integers(1, 2),
        st.integers(0, 1),
        st.sampled_from([None, 1, 2]),
        sensitive=st.just("D"),
    )
    return hidden if sensitive else st.one_of(known, negated)


@settings(max_examples=60)
@given(
    trees(min_records=2, max_records=14),
    st.booleans(),
    st.data(),
    st.sampled_from(sorted(CHOSEN)),
    st.sampled_from(["class", "pair"]),
    st.sampled_from(["rpd", "rpd-a"]),
    st.lists(st.integers(1, 13), max_size=4),
    st.integers(0, 2**32),
)
def test_the_release_is_that_of_the_records_in_memory(records, hidden, data, method, scope, cost, cuts, seed):
    hidden = hidden and any(kind == "D" for record in records for kind, *_ in record)
    whole = Trees.of(records, "D" if hidden else None)
    claim = data.draw(claims(hidden))
    if not set(claim.negations) <= set(whole.classes):
        return
    options = {"cost": cost, **({} if method == "ocs" else {"scope": scope})}
    expected = found(lambda: CHOSEN[method](whole, HIERARCHIES, claim, **options))
    with tempfile.TemporaryDirectory() as room:
        parts = tree_parts(whole, Path(room), cuts, Shuffle(seed).map)
        made = found(lambda: CHOSEN[method](parts, HIERARCHIES, claim, **options))
        if isinstance(expected, str):
            assert made == expected
            return
        one, other = made.release.outline, expected.release
        assert dict(made.trace) == dict(expected.trace)
        assert (one.rule, one.records, one.suppressed) == (other.rule, other.records, other.suppressed)
        assert one.trees.classes == other.trees.classes
        assert one.trees.values == other.trees.values
        assert np.array_equal(one.spans, other.spans)
        published = [tree for part in made.release.parts for tree in made.release.trees(part).nested()]
        assert published == list(other.trees.nested())


def test_threads_change_nothing(tmp_path):
    records = [[("A", f"a{i % 3}", ("B", f"b{i % 2}", ("C", f"c{i % 3}")))] for i in range(40)]
    whole = Trees.of(records)
    claim = KMNAnonymity(5, 2, 1)
    expected = gcs(whole, HIERARCHIES, claim).release
    parts = tree_parts(whole, tmp_path, [7, 20, 33], in_threads(3))
    made = gcs(parts, HIERARCHIES, claim).release
    assert made.outline.rule == expected.rule


def test_values_without_a_place_are_refused_without_a_record_number(tmp_path):
    parts = tree_parts(Trees.of([[("A", "a0")], [("A", "x")]]), tmp_path, [1], in_turn)
    with pytest.raises(HierarchyError, match=r"field 'A': 1 distinct value\(s\) are not in hierarchy"):
        gcs(parts, HIERARCHIES, KMNAnonymity(1, 1, 0))


def test_parts_hold_the_codes_of_the_whole(tmp_path):
    whole = Trees.of([[("B", "b0", ("A", "a1"))], [("A", "a0")], [("B", "b1"), ("C", "c0")]])
    parts = tree_parts(whole, tmp_path, [1], in_turn)
    assert parts.outline.classes == ("B", "A", "C")
    back = [tree for part in parts.parts for tree in trees_of(parts.outline, part).nested()]
    assert back == list(whole.nested())


@settings(max_examples=60)
@given(trees(min_records=2), st.integers(1, 3), st.integers(1, 3), st.data())
def test_clashes_of_wide_groups_are_found_level_by_level(records, m, k, data):
    whole = Trees.of(records)
    if not whole.values:
        return
    values = Nodes.of("test", whole, HIERARCHIES)
    held = Space(whole, values)
    nodes = [node for node in range(len(values.names)) if held.support(node)]
    chosen = data.draw(st.permutations(nodes))
    cut = data.draw(st.integers(1, len(nodes)))
    groups = tuple(tuple(group) for group in (chosen[:cut], chosen[cut:]) if group)
    with tempfile.TemporaryDirectory() as room, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.algorithms.trees.record_index._MANY", 2)
        parts = tree_parts(whole, Path(room), [1], in_turn)
        parted = RecordIndex(parts, values)
        assert next(parted.clashing([groups], m, k)) == held.clashes(groups, m, k)
