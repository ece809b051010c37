"""(k,k^m) and (k,l^m) against their definitions, and against claims that look alike."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_mixed
from judge_cases import mixed as published
from shoal.base.errors import InputError
from shoal.privacy import KAnonymity, KKmAnonymity, KLmDiversity, KmAnonymity, make_claim
from shoal.release import Published, PublishedBaskets, PublishedMixed

law = settings(max_examples=60)


@st.composite
def releases(draw, max_rows=10):
    rows = draw(st.integers(1, max_rows))
    columns = draw(st.integers(1, 2))
    quasi = draw(st.lists(st.tuples(*[st.integers(0, 1)] * columns), min_size=rows, max_size=rows))
    baskets = draw(st.lists(st.frozensets(st.integers(3, 6)), min_size=rows, max_size=rows))
    return quasi, baskets


numbers = st.integers(1, 4)


@law
@given(releases(), numbers, st.integers(1, 3))
def test_kkm_agrees_with_its_definition(release, k, m):
    quasi, baskets = release
    broken, least = naive_mixed.kkm(quasi, baskets, k, m)
    verdict = KKmAnonymity(k, m).check(published(quasi, baskets))
    assert list(verdict.witnesses) == broken
    assert bool(verdict) is not bool(broken)
    assert verdict.broken == len(broken)
    assert verdict.reached["k"] == least


@law
@given(releases(), numbers, numbers, st.integers(1, 3), st.frozensets(st.integers(3, 6), min_size=1))
def test_klm_agrees_with_its_definition(release, k, l, m, sensitive):
    quasi, baskets = release
    broken = naive_mixed.klm(quasi, baskets, sensitive, k, l, m)
    verdict = KLmDiversity(k, l, m).check(published(quasi, baskets, sensitive))
    if not any(sensitive & basket for basket in baskets):
        assert not verdict
        return
    assert list(verdict.witnesses) == broken
    assert bool(verdict) is not bool(broken)


@law
@given(
    releases(),
    st.builds(KKmAnonymity, numbers, numbers) | st.builds(KLmDiversity, numbers, numbers, numbers),
    st.frozensets(st.integers(3, 6)),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_the_verdict_on_lots_of_whole_classes_is_that_on_all(release, claim, sensitive, lot_of):
    quasi, baskets = release
    lots = []
    for lot in set(lot_of):
        rows = [row for row, key in enumerate(quasi) if lot_of[int("".join(map(str, key)), 2)] == lot]
        if rows:
            some = published([quasi[row] for row in rows], [baskets[row] for row in rows], sensitive)
            lots.append((some, np.array(rows)))
    assert claim.check_lots(lots) == claim.check(published(quasi, baskets, sensitive))


@law
@given(releases(max_rows=6), st.integers(1, 2), st.integers(1, 2), st.booleans())
def test_proposition_1(release, k, m, doubled):
    quasi, baskets = release
    if doubled:
        quasi, baskets = quasi * 2, baskets * 2
    seen = published(quasi, baskets)
    assume(KKmAnonymity(k, m).check(seen))
    assert KAnonymity(k).check(seen.table)
    assert not len(seen.baskets.items) or KmAnonymity(k, m).check(seen.baskets)
    assert naive_mixed.any_m_values(quasi, baskets, k, m)


def test_any_m_values_is_a_weaker_claim():
    quasi = list(product((0, 1), repeat=3))
    baskets = [{3}] * 8
    assert naive_mixed.any_m_values(quasi, baskets, 2, 2)
    verdict = KKmAnonymity(2, 2).check(published(quasi, baskets))
    assert verdict.broken == 8
    assert verdict.reached["k"] == 1


def test_an_item_twice_in_a_record_is_one():
    table = Published({"q": np.zeros(3, dtype=np.int64)})
    baskets = PublishedBaskets(np.array([0, 2, 3, 4]), np.array([3, 3, 4, 4]), frozenset([3]))
    assert KKmAnonymity(2, 1).check(PublishedMixed(table, baskets)).witnesses == (1,)
    assert KLmDiversity(2, 3, 1).check(PublishedMixed(table, baskets))


def test_several_records_of_one_person_are_not_judged():
    crowd = Published({"q": np.zeros(2, dtype=np.int64)}, persons=np.array([5, 5]))
    one = PublishedMixed(crowd, PublishedBaskets(np.array([0, 1, 2]), np.array([3, 3])))
    for claim in (KKmAnonymity(1, 1), KLmDiversity(1, 1, 1)):
        assert not claim.check(one).judged


def test_ragged_releases_are_refused():
    ragged = PublishedMixed(
        Published({"q": np.zeros(2, dtype=np.int64)}), PublishedBaskets(np.array([0, 1]), np.array([3]))
    )
    with pytest.raises(InputError, match="1 baskets are given for 2 records"):
        KKmAnonymity(1, 1).check(ragged)


@pytest.mark.parametrize("wrong", [{"k": 0, "m": 1}, {"k": 2, "m": 0}, {"k": 2, "m": 1.5}])
def test_senseless_numbers_are_refused(wrong):
    with pytest.raises(InputError, match="whole number"):
        KKmAnonymity(**wrong)


def test_claims_from_numbers():
    assert make_claim("mixed", k=5, m=2) == KKmAnonymity(5, 2)
    assert make_claim("mixed", k=5, l=3, m=2) == KLmDiversity(5, 3, 2)


@pytest.mark.parametrize("wrong", [{"m": 2}, {"l": 2, "m": 2}, {"k": 2, "m": 2, "t": 0.1}])
def test_claims_of_a_mixed_shape_need_k(wrong):
    with pytest.raises(InputError, match="a table with baskets"):
        make_claim("mixed", **wrong)


def test_the_headline_names_the_columns():
    told = KKmAnonymity(5, 2).headline(["age", "sex"])
    assert told.startswith("Anyone who knows age and sex of a person and up to 2 items cannot tell")
    assert "all quasi-identifiers" in KLmDiversity(5, 2, 2).headline()
    assert "all quasi-identifiers" not in KLmDiversity(5, 2, 2).headline(["age"])
