import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_votes
import vote_cases
from shoal.base.errors import InputError
from shoal.privacy.nonreciprocal import Nonreciprocal, _possible_worlds, truth_of_votes

few = settings(max_examples=60)
labels = st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=6, max_size=6)


@given(vote_cases.releases())
@few
def test_possible_matches_agree_with_the_definition(release):
    baskets, rows = release
    verdict = Nonreciprocal(1).check(vote_cases.published(baskets, rows))
    reached = naive_votes.anonymity(baskets, rows)
    assert verdict.judged
    assert bool(verdict) == (reached >= 1)
    assert verdict.reached.get("k", 0) == reached


@given(vote_cases.releases(), labels)
@few
def test_labels_agree_with_the_definition(release, tags):
    baskets, rows = release
    tags = tags[: len(rows)]
    verdict = Nonreciprocal(1, l=1).check(vote_cases.published(baskets, rows, tags))
    reached = naive_votes.diversity(baskets, rows, tags)
    assert bool(verdict) == (reached >= 1)
    if naive_votes.matchings(baskets, rows):
        assert verdict.reached["l"] == reached


@given(st.lists(st.sampled_from([{0}, {1}, {0, 1}]), min_size=2, max_size=5), st.data())
@few
def test_what_insiders_leave_is_never_less_than_claimed(baskets, data):
    """The judge of insiders looks at equal rows alone: it may promise less than there is, never more."""
    sizes = data.draw(
        st.sampled_from([(len(baskets),), (len(baskets) // 2, len(baskets) - len(baskets) // 2)])
    )
    rows, place = [], 0
    for size in sizes:
        rows += [naive_votes.vote(baskets[place : place + size])] * size if size else []
        place += size
    tags = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    insiders = data.draw(st.integers(1, 2))
    reached = (
        Nonreciprocal(1, l=1, insiders=insiders).check(vote_cases.published(baskets, rows, tags)).reached
    )
    k, l = naive_votes.unravelled(baskets, rows, tags, insiders)
    assert reached["k"] <= k or insiders >= len(rows)
    assert reached["l"] <= l or insiders >= len(rows)


def test_a_ring_does_not_pass_for_blocks():
    baskets = [{0}, {1}, {2}, {3}]
    rows = [naive_votes.vote([baskets[j - 2], baskets[j - 1], baskets[j]]) for j in range(4)]
    assert Nonreciprocal(3).check(vote_cases.published(baskets, rows))
    assert not Nonreciprocal(2, insiders=1).check(vote_cases.published(baskets, rows))
    block = [naive_votes.vote(baskets)] * 4
    assert Nonreciprocal(3, insiders=1).check(vote_cases.published(baskets, block, [0, 1, 2, 3]))
    assert Nonreciprocal(3, l=3, insiders=1).check(vote_cases.published(baskets, block, [0, 1, 2, 3]))
    assert not Nonreciprocal(3, l=3, insiders=1).check(vote_cases.published(baskets, block, [0, 1, 2, 2]))
    assert not Nonreciprocal(4, insiders=1).check(vote_cases.published(baskets, block))


def ring(baskets, k):
    """Rows and assignments of a ring in the given order."""
    n = len(baskets)
    rows = [naive_votes.vote([baskets[(j - step) % n] for step in range(k)]) for j in range(n)]
    return rows, (np.arange(n) + np.arange(k)[:, None]) % n


@given(vote_cases.baskets, st.data())
@few
def test_a_true_proof_passes_and_so_do_possible_matches(baskets, data):
    k = data.draw(st.integers(1, len(baskets)))
    rows, proof = ring(baskets, k)
    seen = vote_cases.published(baskets, rows)
    assert Nonreciprocal(k).prove(seen, proof)
    assert Nonreciprocal(k).check(seen)
    assert not Nonreciprocal(k + 1).prove(seen, proof)
    assert truth_of_votes(seen, np.argsort(proof[data.draw(st.integers(0, k - 1))]))


@given(vote_cases.releases(), st.data())
@few
def test_a_proof_passes_only_if_every_match_fits(release, data):
    baskets, rows = release
    n = len(rows)
    proof = np.array([data.draw(st.permutations(range(n)))])
    wrong = {int(j) + 1 for i, j in enumerate(proof[0]) if not naive_votes.fits(baskets[i], rows[j])}
    verdict = Nonreciprocal(1).prove(vote_cases.published(baskets, rows), proof)
    assert bool(verdict) == (not wrong)
    assert set(verdict.witnesses) == wrong
    assert bool(truth_of_votes(vote_cases.published(baskets, rows), np.argsort(proof[0]))) == (not wrong)


def test_a_proof_must_be_perfect_and_disjoint():
    baskets = [{0}, {0}, {0}]
    rows, proof = ring(baskets, 2)
    seen = vote_cases.published(baskets, rows)
    assert "share a match" in Nonreciprocal(2).prove(seen, proof[[0, 0]]).sentence
    assert (
        "each original with one row"
        in Nonreciprocal(2).prove(seen, np.array([[0, 1, 2], [1, 1, 0]])).sentence
    )
    assert "each original with one row" in Nonreciprocal(2).prove(seen, proof[:, :2]).sentence
    assert "each original with one row" in Nonreciprocal(2).prove(seen, proof[0]).sentence


def test_assigned_rows_carry_different_labels_and_none_too_often():
    baskets = [{0}, {1}, {2}, {3}]
    rows, proof = ring(baskets, 3)
    claim = Nonreciprocal(3, l=2)
    assert not claim.prove(
        vote_cases.published(baskets, rows, [0, 1, 0, 1]), proof
    )  # 2 of 3 rows: odds above 1/2
    assert claim.prove(vote_cases.published(baskets, rows, [0, 1, 2, 3]), proof)
    broken = claim.prove(vote_cases.published(baskets, rows, [0, 0, 0, 1]), proof)
    assert broken.reached == {"k": 3, "l": 1}
    assert not claim.prove(vote_cases.published(baskets, rows, [None, 1, 2, None]), proof)


def test_breaking_one_bit_is_told_with_its_row():
    baskets = [{0, 1}, {0, 1, 2}, {1, 2}, {1}]
    rows, proof = ring(baskets, 2)
    for j, (items, maybe, errors) in enumerate(rows):
        broken = list(rows)
        broken[j] = (items ^ {3}, maybe, errors)
        verdict = Nonreciprocal(2).prove(vote_cases.published(baskets, broken), proof)
        assert verdict.witnesses == (j + 1,)
        assert not Nonreciprocal(2).check(vote_cases.published(baskets, broken))


def test_without_originals_nothing_is_judged():
    seen = vote_cases.published([{0}], [({0}, set(), 0)])
    bare = type(seen)(seen.start, seen.items, seen.maybe_start, seen.maybe, seen.errors)
    for verdict in (
        Nonreciprocal(1).check(bare),
        Nonreciprocal(1).prove(bare, np.zeros((1, 1), int)),
        truth_of_votes(bare, seen.errors),
    ):
        assert not verdict
        assert not verdict.judged
    with pytest.raises(InputError, match="originals are not given"):
        _possible_worlds(bare)


def test_nothing_proves_nothing():
    assert "holds no record" in Nonreciprocal(1).check(vote_cases.published([], [])).sentence
    assert "no label" in Nonreciprocal(1, l=1).check(vote_cases.published([{0}], [({0}, set(), 0)])).sentence
    assert (
        "2 rows for 1 originals"
        in Nonreciprocal(1).check(vote_cases.published([{0}], [({0}, set(), 0)] * 2)).sentence
    )


def test_labels_must_travel_with_the_truth():
    baskets, rows = [{0}, {0}], [({0}, set(), 0)] * 2
    seen = vote_cases.published(baskets, rows, [0, 1], [1, 0])
    assert truth_of_votes(seen, np.array([1, 0]))
    assert "all 2 rows are true" in truth_of_votes(seen, np.array([1, 0])).sentence
    assert truth_of_votes(seen, np.array([0, 1])).witnesses == (1, 2)
    assert "2 rows are not true" in truth_of_votes(seen, np.array([0, 1])).sentence
    assert "one original" in truth_of_votes(seen, np.array([0, 0])).sentence


def test_a_hundred_thousand_equal_baskets_are_one_edge():
    n = 100_000
    start = np.arange(n + 1)
    zero = np.zeros(n, dtype=np.int64)
    seen = type(vote_cases.published([], []))(
        start, zero, np.zeros(n + 1, dtype=np.int64), zero[:0], zero, None, start, zero
    )
    assert Nonreciprocal(n).check(seen).reached == {"k": n}


def test_too_many_fits_are_not_judged(monkeypatch):
    import shoal.privacy.nonreciprocal as module

    monkeypatch.setattr(module, "_MOST", 2)
    verdict = Nonreciprocal(2).check(vote_cases.published([{0}, {1}, {2}], ring([{0}, {1}, {2}], 3)[0]))
    assert not verdict.judged


@pytest.mark.parametrize("looked_up", [1, 2, 16])
def test_small_blocks_of_bitmaps_change_nothing(monkeypatch, looked_up):
    import shoal.privacy.nonreciprocal as module

    monkeypatch.setattr(module, "_BYTES", 1)
    monkeypatch.setattr(module, "_PAIRS", 1)
    monkeypatch.setattr(module, "_RARE", looked_up)
    random = np.random.default_rng(0)
    baskets = [set(random.choice(6, size, replace=False).tolist()) for size in random.integers(1, 6, 150)]
    rows, _ = ring(baskets, 3)
    small = Nonreciprocal(3).check(vote_cases.published(baskets, rows))
    monkeypatch.undo()
    assert small == Nonreciprocal(3).check(vote_cases.published(baskets, rows))


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": 2, "l": 0}, {"k": 2, "l": 3}, {"k": 2, "insiders": -1}])
def test_numbers_that_make_no_sense(wrong):
    with pytest.raises(InputError):
        Nonreciprocal(**wrong)


def test_the_claim_says_what_it_covers():
    said = Nonreciprocal(5, l=2).as_dict()
    assert (said["k"], said["l"], said["insiders"]) == (5, 2, 0)
    assert any("neighbours' rows" in line for line in said["not_covered"])
    assert any("own row by its label" in line for line in said["not_covered"])
    assert "l" not in Nonreciprocal(5).as_dict()
    assert "up to 2 persons" in Nonreciprocal(5, insiders=2).as_dict()["attacker"]


def test_a_release_that_nobody_fits_is_a_no():
    rows = [({0, 1, 2}, {3, 4}, 0)] * 2
    verdict = Nonreciprocal(1).check(vote_cases.published([{0, 1, 2, 3}, {0, 1, 2, 4}], rows))
    assert verdict.judged
    assert not verdict
    assert "cannot be matched" in verdict.sentence
    assert not Nonreciprocal(1).check(vote_cases.published([{0}], [({1}, set(), 0)]))
