"""How many are found by whoever knows all of a person: counted as a reader would, said by `run` and `verify`."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies_trees
from certificate_cases import CASES, make
from cli_cases import command
from shoal.data import Trees
from shoal.privacy import (
    KAnonymity,
    KKmAnonymity,
    KmAnonymity,
    KMNAnonymity,
    LDiversity,
    Nonreciprocal,
    SubsetAnonymity,
)
from shoal.publish.full_knowledge import full_knowledge, full_knowledge_of_parts
from shoal.report.facts import FullKnowledge
from shoal.report.words import full_knowledge_sentence

LISTS = st.lists(st.sampled_from(["[]", '["a"]', '["a", "b"]', '["b", "c"]']), min_size=1, max_size=12)
AGES = st.sampled_from(["20", "30", None])


def alone_and_few(known, k):
    """How many equal no other, and fewer than k - 1 others."""
    many = Counter(known)
    return sum(many[one] < 2 for one in known), sum(many[one] < k for one in known)


@given(strategies_trees.trees(), st.integers(2, 4))
def test_trees_that_nobody_else_has(drawn, k):
    trees = Trees.of(drawn)
    found = full_knowledge(KMNAnonymity(k, 1, 0), trees, {"nodes": "tree"}, {})
    known = [repr(record) for record in trees.nested()]
    assert (found.alone, found.few) == alone_and_few(known, k)
    assert found.records == len(known)


@given(LISTS, st.integers(2, 4))
def test_baskets_that_nobody_else_has(cells, k):
    found = full_knowledge(KmAnonymity(k, 1), pl.DataFrame({"items": cells}), {"items": "items"}, {})
    assert (found.alone, found.few) == alone_and_few(cells, k)


@given(
    st.lists(st.tuples(AGES, st.sampled_from(["[]", '["a"]'])), min_size=1, max_size=12), st.integers(2, 4)
)
def test_rows_with_baskets_that_nobody_else_has(rows, k):
    frame = pl.DataFrame(rows, schema={"age": pl.String, "bought": pl.String}, orient="row")
    found = full_knowledge(KKmAnonymity(k, 1), frame, {"age": "quasi", "bought": "items"}, {})
    assert (found.alone, found.few) == alone_and_few(rows, k)


@given(st.lists(st.tuples(AGES, AGES), min_size=1, max_size=12), st.integers(2, 4))
def test_rows_of_a_table_that_nobody_else_has(rows, k):
    frame = pl.DataFrame(rows, schema={"age": pl.String, "zip": pl.String}, orient="row")
    found = full_knowledge(SubsetAnonymity(k, 1), frame, {"age": "quasi", "zip": "quasi"}, {})
    assert (found.alone, found.few) == alone_and_few(rows, k)


@pytest.mark.parametrize("claim", [KAnonymity(3), LDiversity(2), Nonreciprocal(3)])
def test_a_claim_that_assumes_all_needs_no_such_sentence(claim):
    frame = pl.DataFrame({"age": ["20"], "items": ["[]"]})
    assert full_knowledge(claim, frame, {"age": "quasi", "items": "items"}, {}) is None
    assert full_knowledge_sentence(None) == ""


@given(strategies_trees.trees())
def test_of_parts_no_more_are_said_than_there_are(drawn):
    """The number of different records says how many are alone at least."""
    trees = Trees.of(drawn)
    known = [repr(record) for record in trees.nested()]
    found = full_knowledge_of_parts(KMNAnonymity(2, 1, 0), len(known), len({*known}))
    if found is None:
        assert 2 * len({*known}) <= len(known)
        return
    assert 0 < found.alone <= alone_and_few(known, 2)[0]
    assert "at least" in full_knowledge_sentence(found)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            FullKnowledge("trees", 4, 90, 27, 60),
            "can find 27 of 90 people: nobody else has the same published tree; 3",
        ),
        (
            FullKnowledge("trees", 4, 90, 0, 0),
            "finds nobody alone: everybody shares the published tree with at",
        ),
        (
            FullKnowledge("baskets", 2, 90, 0, 0),
            "finds nobody alone: everybody shares the published basket with at",
        ),
        (
            FullKnowledge("baskets", 3, 90, 0, 2),
            "can find none of 90 people; 2 more share theirs",
        ),
        (
            FullKnowledge("table", 1, 1200, 3, 3),
            "can find 3 of 1,200 records: nobody else has the same quasi-",
        ),
        (
            FullKnowledge("trees", 4, 90, 2, 2, "visits.ill"),
            "the whole tree of a person, but for visits.ill, can",
        ),
    ],
)
def test_the_sentence(found, words):
    assert words in full_knowledge_sentence(found)


@pytest.mark.parametrize("name", ["trees", "baskets", "mixed", "known subsets"])
def test_run_and_verify_say_it(name, tmp_path, monkeypatch):
    out = make(CASES[name], tmp_path, 1)
    monkeypatch.chdir(tmp_path)
    sentence = " ".join(command("run", "--out", "again").output.split())
    assert "beyond anyone who knows" in sentence
    for more in ([], ["--config", "shoal.toml", "--against", CASES[name].data]):
        said = command("verify", out, *more)
        assert said.exit_code == 0, said.output
        words = " ".join(said.output.split())
        assert "anyone who knows the whole" in words or "anyone who knows all quasi-identifiers" in words
        assert "can find" in words or "finds nobody alone" in words


def test_a_table_that_anybody_may_know_all_of_says_nothing(tmp_path, monkeypatch):
    make(CASES["plain table"], tmp_path, 1)
    monkeypatch.chdir(tmp_path)
    assert "beyond" not in command("run", "--out", "again").output
    assert "can find" not in command("verify", "out").output
