import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
import tree_paper as paper
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.privacy import background_knowledge, trees
from shoal.privacy.itemsets import itemset_budget
from shoal.privacy.trees import KMNAnonymity


@given(
    strategies.trees(),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from("ABC"),
    st.sampled_from([(), ("D",), ("C", "D")]),
    st.sampled_from([None, 2, 3]),
)
@settings(max_examples=100)
def test_agrees_with_the_definition_of_secrets_and_absences(records, k, m, n, secret, negations, l):
    negations = tuple(name for name in negations if name != secret)
    trees = Trees.of(records)
    verdict = KMNAnonymity(k, m, n, l, secret, negations).check(trees)
    if set(trees.classes) <= {secret} or (l is not None and secret not in trees.classes):
        assert not verdict
        return
    assert list(verdict.witnesses) == naive.broken(records, k, m, n, secret, negations, l)


@given(strategies.trees(), st.integers(1, 3), st.sampled_from([(), ("D",)]))
@settings(max_examples=30)
def test_small_batches_and_portions_say_the_same(records, m, negations):
    trees = Trees.of(records)
    claim = KMNAnonymity(2, m, 1, negations=negations)
    whole = claim.check(trees)
    for size in ("_BATCH", "CHUNK"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(background_knowledge, size, 1)
            assert claim.check(trees) == whole


def test_everybody_with_a_value_of_their_own_is_found():
    own = [[("A", f"{person:02}")] for person in range(90)]
    verdict = KMNAnonymity(2, 1, 0).check(Trees.of([*own, *own[:80]]))
    assert verdict.witnesses == tuple(range(81, 91))
    verdict = KMNAnonymity(2, 2, 1).check(Trees.of([*own, *own[:80], *own[10:]]))
    assert verdict.broken == 0
    assert KMNAnonymity(3, 2, 1).check(Trees.of([*own, *own[:80], *own[10:]])).broken == 40


def test_equal_values_with_other_secrets_are_told_apart_among_many_values():
    people = [[("A", f"{place:02}", ("ill", ill))] for place in range(80) for ill in ("flu", "gout")]
    assert KMNAnonymity(2, 1, 1, 2, "ill").check(Trees.of(people))
    more = [*people, people[0], people[3]]
    assert KMNAnonymity(2, 1, 1, 2, "ill").check(Trees.of(more)).witnesses == (1, 2, 3, 4, 161, 162)


def test_sets_of_more_values_than_one_word_of_relations_takes():
    chain = ("c11", "x")
    for level in reversed(range(11)):
        chain = (f"c{level:02}", "x", chain)
    other = [("c00", "x"), *(node for node in [chain[2]])]
    assert KMNAnonymity(3, 12, 66).check(Trees.of([[chain]] * 3))
    verdict = KMNAnonymity(3, 12, 66).check(Trees.of([[chain]] * 3 + [other] * 2))
    assert verdict.witnesses == ()  # what `other` shows, `chain` shows too
    assert KMNAnonymity(4, 12, 66).check(Trees.of([[chain]] * 3 + [other] * 2)).witnesses == (1, 2, 3)


def test_an_absence_costs_one_of_m():
    # of three with a, two have h1: who knows "a, and not h1" finds one
    records = [[("A", "a"), ("H", "h1")]] * 2 + [[("A", "a")]] + [[("H", "h1")]]
    assert KMNAnonymity(2, 2, 1).check(Trees.of(records))
    assert KMNAnonymity(2, 2, 1, negations=("H",)).check(Trees.of(records)).witnesses == (3,)
    assert not KMNAnonymity(2, 1, 1, negations=("H",)).check(Trees.of(records))  # not h1, alone: record 3
    assert KMNAnonymity(1, 2, 1, negations=("H",)).check(Trees.of(records))


def test_a_relation_alone_may_tell_a_secret():
    """Everybody has a and b; a stands above b only in the records of those who have the flu."""
    apart, above = [("A", "a"), ("B", "b")], [("A", "a", ("B", "b"))]
    people = Trees.of([[*above, ("ill", "flu")]] * 2 + [[*apart, ("ill", "gout")]] * 2)
    assert KMNAnonymity(2, 2, 0, 2, "ill").check(people)
    assert KMNAnonymity(2, 2, 1, None, "ill").check(people)
    assert KMNAnonymity(2, 2, 1, 2, "ill").check(people).witnesses == (1, 2)


@pytest.mark.parametrize("l", [None, 2])
def test_too_many_sets_of_relations_are_not_judged(monkeypatch, l):
    above = [("A", "a", ("B", "b"))]
    people = Trees.of([[*above, ("ill", "flu")]] * 2 + [[*above, ("ill", "gout")]] * 2)
    assert KMNAnonymity(2, 2, 1, l, "ill").check(people)
    monkeypatch.setattr(trees, "_MOST_RELATION_SETS", 0)
    assert not KMNAnonymity(2, 2, 1, l, "ill").check(people).judged


def test_the_published_figure_and_what_it_was_made_from():
    claim = KMNAnonymity(3, 2, 1)
    assert not claim.check(Trees.of(paper.FIGURE_2))
    assert claim.check(Trees.of(paper.FIGURE_4))
    assert KMNAnonymity(1, 4, 2).check(Trees.of(paper.FIGURE_2))
    assert KMNAnonymity(2, 4, 2).check(Trees.of(paper.FIGURE_2)).witnesses == (1, 2, 3, 4)


def test_too_much_to_look_at_is_not_judged():
    many = Trees.of([[("A", str(i)) for i in range(200)]] * 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "MOST_SETS", 1_000_000)
        verdict = KMNAnonymity(2, 3, 0).check(many)
        assert KMNAnonymity(4, 3, 0).check(many).broken == 3  # a no is a no
    assert not verdict
    assert not verdict.judged
    assert "lower m or n" in verdict.sentence


def path(values):
    """One path of values, each of a class of its own."""
    node = None
    for number, value in reversed(list(enumerate(values))):
        node = (f"c{number:03}", value, *([] if node is None else [node]))
    return [node]


def test_little_data_does_not_ask_for_much_work():
    """Twenty values of sixty, and as many relations among them, are more than anybody counts."""
    long = Trees.of([path([str(value) for value in range(60)])] * 3)
    verdict = KMNAnonymity(2, 20, 20).check(long)
    assert (verdict.judged, verdict.holds) == (False, False)
    assert KMNAnonymity(4, 20, 20).check(long).broken == 3  # a no is a no
    short = Trees.of([path([str(value) for value in range(12)])] * 3)
    assert not KMNAnonymity(2, 12, 12).check(short).judged  # few values, many relations
    assert KMNAnonymity(2, 3, 2).check(short)
    wide = Trees.of([[("A", str(value)) for value in range(20_000)]] * 2)
    assert not KMNAnonymity(2, 1, 1).check(wide).judged
    assert KMNAnonymity(2, 1, 0).check(wide)


@pytest.mark.parametrize("limit", ["_MOST_HELD", "_LOOKS"])
def test_what_would_be_held_or_looked_at_is_bounded(monkeypatch, limit):
    people = Trees.of([path(["a", "b", "c"])] * 3)
    assert KMNAnonymity(2, 2, 1).check(people)
    monkeypatch.setattr(trees, limit, 0)
    assert not KMNAnonymity(2, 2, 1).check(people).judged


def test_absences_of_many_values_are_bounded(monkeypatch):
    people = Trees.of([[("A", str(value)), ("B", "b")] for value in (1, 1, 2, 2)])
    claim = KMNAnonymity(2, 1, 0, negations=("A",))
    assert claim.check(people)
    monkeypatch.setattr(trees, "_ALWAYS", 0)
    monkeypatch.setattr(trees, "_EACH", 0)
    assert not claim.check(people).judged


@pytest.mark.parametrize(
    ("k", "m", "n"), [(0, 1, 1), (2, 0, 1), (2, 1, -1), (2, 1, True), (2, 1.5, 0), (2, 1, None)]
)
def test_numbers_must_make_sense(k, m, n):
    with pytest.raises(InputError, match="must be a whole number"):
        KMNAnonymity(k, m, n)


def test_diversity_needs_a_secret_and_a_secret_cannot_be_denied():
    with pytest.raises(InputError, match="needs a sensitive field"):
        KMNAnonymity(2, 2, 1, l=2)
    with pytest.raises(InputError, match="'ill' is the sensitive field"):
        KMNAnonymity(2, 2, 1, sensitive="ill", negations=("ill",))


def test_the_attacker_in_words():
    said = KMNAnonymity(5, 3, 2, 2, "ill", ("hospital",)).as_dict()
    assert said["model"] == "k^(m,n)-anonymity and l-diversity"
    assert (said["k"], said["m"], said["n"], said["l"]) == (5, 3, 2, 2)
    assert "values of ill are not among" in said["attacker"]
    assert "hospital that the person does not have" in said["attacker"]
    assert "more than m=3 values" in said["not_covered"][0]
    assert "how many nodes" in said["not_covered"][1]


def test_fewer_than_k_records_do_not_make_an_empty_tree_break_the_claim():
    """Who knows nothing of a person finds everybody; only secrets can be too frequent then."""
    verdict = KMNAnonymity(3, 1, 0, 2, "A").check(Trees.of([[], [("A", "a0", ("B", "b0"))]]))
    assert verdict.witnesses == (2,)


def test_from_where_on_pairs_and_sets_of_values_are_too_many(monkeypatch):
    """The limits of what is looked at: two to the 32 pairs, which are 4 GB, and sets by the number of values."""
    people = Trees.of([[("A", "a", ("B", "b"))]] * 2)
    claim = KMNAnonymity(2, 2, 1)
    assert claim.refusal(people, 4, 1 << 32) is None
    assert not claim.refusal(people, 4, (1 << 32) + 1).judged
    monkeypatch.setattr(trees, "count_sets", lambda told, size: (1 << 25) + (1 << 12))
    assert claim.check(people)
    monkeypatch.setattr(trees, "count_sets", lambda told, size: (1 << 25) + (1 << 12) + 1)
    assert not claim.check(people).judged
    assert [itemset_budget(many, trees.MOST_SETS) for many in (1 << 14, 1 << 24)] == [1 << 27, 1 << 36]


def test_pairs_are_not_counted_where_no_relation_can_be_known(monkeypatch):
    people = Trees.of([[("A", "a", ("B", "b"))]] * 2)
    monkeypatch.setattr(trees, "_MOST_CELLS", 1)
    assert KMNAnonymity(2, 2, 0).check(people)
    assert not KMNAnonymity(2, 2, 1).check(people).judged
