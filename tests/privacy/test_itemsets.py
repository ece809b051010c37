import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_itemsets as naive
from judge_cases import baskets as seen
from shoal.base.errors import InputError
from shoal.privacy import ItemsetAnonymity, KmAnonymity, LmDiversity, itemsets, make_claim
from shoal.release import PublishedBaskets

rows = st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=9)
small = st.integers(1, 4)


@given(rows, small, small, small)
@settings(max_examples=80)
def test_l_to_the_m_agrees_with_its_definition(baskets, k, l, m):
    secret = {0, 3}
    verdict = LmDiversity(l, m, k).check(seen(baskets, secret))
    if not any(secret & set(basket) for basket in baskets):
        assert not verdict
        return
    assert list(verdict.witnesses) == naive.exposed(baskets, k, l, m, secret)
    most = naive.diversity(baskets, m, secret)
    assert verdict.reached.get("l") == (None if most is None else pytest.approx(float(most)))
    if k == 1:
        assert bool(verdict) == (most is None or most >= l)


@given(rows.filter(any), small, small)
@settings(max_examples=30)
def test_portions_do_not_change_the_answer(baskets, k, m):
    whole = KmAnonymity(k, m).check(seen(baskets)), LmDiversity(k, m).check(seen(baskets, [1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets, "_AT_ONCE", 1)
        assert whole == (KmAnonymity(k, m).check(seen(baskets)), LmDiversity(k, m).check(seen(baskets, [1])))


def test_sensitive_items_count_for_k_and_only_l_exempts_them():
    published = seen([[1, 9], [1], [1, 8], [1]], [8, 9])
    assert not KmAnonymity(2, 1).check(published)
    assert LmDiversity(2, 1, 4).check(published)


def test_diversity_is_not_monotone_under_generalization():
    """Of four records with a one holds s, of four with b too; of the five with either, two."""
    a, b, s = 1, 2, 9
    separate = [[a, s], [b, s], [a, b], [a, b], [a, b], [], [], []]
    merged = [sorted({a if item == b else item for item in basket}) for basket in separate]
    assert LmDiversity(4, 1).check(seen(separate, [s]))
    assert not LmDiversity(4, 1).check(seen(merged, [s]))


def test_figure_1b_holds_only_when_its_last_items_are_exempt():
    """Poulis et al. 2013, Fig. 1b; x is (A,B,C,D). {E, H} is in one record only."""
    rows = ["EFxG", "EFxH", "ExG", "FxH", "EG", "FxH"]
    numbers = {item: number for number, item in enumerate("EFxGH")}
    figure = [[numbers[item] for item in row] for row in rows]
    published = seen(figure, [numbers["G"], numbers["H"]])
    verdict = KmAnonymity(2, 2).check(published)
    assert not verdict
    assert verdict.reached == {"k": 1}
    assert LmDiversity(1, 2, 2).check(published)


def test_repeats_within_a_row_are_one_item():
    assert not KmAnonymity(2, 1).check(seen([[4, 4]]))


def test_the_verdict_tells_how_often_a_sensitive_item_was_found():
    found = LmDiversity(2, 1).check(seen([[1, 9], [1], [2, 9], [2], [2]], [9]))
    assert found.sentence.endswith("the most frequent is in 1 of 2")
    assert "in 1 of 2" in LmDiversity(3, 1).check(seen([[1, 9], [1], [2]], [9])).sentence


def test_what_is_too_much_to_count_is_not_judged():
    long = seen([list(range(100_000))])
    verdict = KmAnonymity(1, 3).check(long)
    assert not verdict
    assert not verdict.judged
    assert not verdict.holds
    assert "records of up to 100000 items hold more than" in verdict.sentence
    assert verdict.sentence.endswith("lower m")
    assert not LmDiversity(1, 3).check(seen([list(range(100_000))], [0])).judged


def test_little_data_does_not_ask_for_much_work():
    """What is looked at grows with the data: here with so few items that hours of work are not judged."""
    forty = [list(range(place, place + 40)) for place in range(20)] * 2
    assert not KmAnonymity(2, 8).check(seen(forty)).judged
    assert (
        not KmAnonymity(2, 2**53).check(seen([list(range(3000))] * 2)).judged
    )  # sums of numbers of 900 digits
    assert KmAnonymity(2, 3).check(seen(forty))
    secret = [[*range(20), *range(100, 4000)]] * 2
    assert not LmDiversity(1, 6).check(seen(secret, range(100, 4000))).judged  # each is weighed with each
    assert LmDiversity(1, 4).check(seen([[*range(20), 100]] * 2, [100])).judged


def test_a_judge_looks_at_more_where_there_is_more(monkeypatch):
    monkeypatch.setattr(itemsets, "_ALWAYS", 0)
    monkeypatch.setattr(itemsets, "_EACH", 7)
    assert KmAnonymity(2, 3).check(seen([[1, 2, 3]] * 2)).judged  # 7 combinations of 3 items
    assert not KmAnonymity(2, 5).check(seen([[1, 2, 3, 4, 5, 6]] * 2)).judged  # 62 of 6


def test_listed_itemsets_that_ask_for_too_much_are_not_judged(monkeypatch):
    published = seen([[1], [2]] * 2, covers={"a": frozenset([1]), "b": frozenset([2])})
    claim = ItemsetAnonymity(2, [["a", "b"]])
    assert claim.check(published)
    for most in (3, 12):
        monkeypatch.setattr("shoal.privacy.itemsets._MOST_LOOKS", most)
        assert not claim.check(published).judged


def test_listed_items_need_to_be_told_apart():
    verdict = ItemsetAnonymity(1, (("a",),)).check(seen([[1]]))
    assert not verdict
    assert not verdict.judged


def test_offsets_must_fit():
    with pytest.raises(InputError, match="offsets"):
        KmAnonymity(1, 1).check(PublishedBaskets(np.array([0, 2]), np.array([1])))


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "2", None])
def test_numbers_must_make_sense(number):
    for make in (lambda x: KmAnonymity(2, x), lambda x: KmAnonymity(x, 2), lambda x: LmDiversity(x, 2)):
        with pytest.raises(InputError, match="whole number of at least 1"):
            make(number)


@pytest.mark.parametrize("policy", [(), [[]], "ab", [[1]], ["ab"]])
def test_a_policy_is_a_list_of_lists_of_items(policy):
    with pytest.raises(InputError, match="itemsets"):
        ItemsetAnonymity(2, policy)


def test_claims_from_numbers():
    assert make_claim("baskets", k=5, m=2) == KmAnonymity(5, 2)
    assert make_claim("baskets", l=3, m=2) == LmDiversity(3, 2)
    assert make_claim("baskets", k=5, l=3, m=2) == LmDiversity(3, 2, 5)
    assert make_claim("baskets", k=2, itemsets=[["b", "a"]]) == ItemsetAnonymity(2, (("a", "b"),))
    with pytest.raises(InputError, match="give k, or l for a label"):
        make_claim("baskets", m=2)
    for wrong in ({"k": 2, "m": 2, "t": 0.1}, {"l": 2, "m": 2, "diversity": "entropy"}):
        with pytest.raises(InputError, match="is not used for baskets; it takes k, l, m"):
            make_claim("baskets", **wrong)


def test_words_say_who_is_exempt():
    assert "up to 2 items of a person cannot tell" in KmAnonymity(5, 2).as_dict()["attacker"]
    said = LmDiversity(3, 2, 5).as_dict()
    assert "none of them sensitive" in said["attacker"]
    assert "at least 4 others" in said["attacker"]
    assert any("any of a person's sensitive items" in line for line in said["not_covered"])
    assert "others" not in LmDiversity(3, 2).as_dict()["attacker"]
