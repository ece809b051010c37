"""What several releases of a table keep together, against the definition worked out slowly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_several as naive
from shoal.privacy import Every, KAnonymity, LDiversity, TCloseness
from shoal.privacy.several import MISSING, LinkedRelease, breaking, joint_view, judge_jointly, labels_of
from shoal.release import Sensitive

VALUES = ("flu", "gout", "HIV")
PEOPLE = st.integers(2, 9)


@st.composite
def several(draw):
    """Two or three releases of a few people, of whom some are missing here or there, and everybody's value."""
    n = draw(PEOPLE)
    one = st.dictionaries(st.integers(0, n - 1), st.integers(0, 2), min_size=1)
    releases = draw(st.lists(one, min_size=2, max_size=3))
    values = draw(st.lists(st.sampled_from([*VALUES, None]), min_size=n, max_size=n))
    return releases, values


def held(release, values, claim):
    who = np.array(list(release))
    codes = np.array([-1 if values[p] is None else VALUES.index(values[p]) for p in release])
    return LinkedRelease(claim, who, np.array(list(release.values())), {"ill": Sensitive(codes, VALUES)})


@given(several(), st.integers(1, 4), st.integers(1, 3))
def test_each_release_is_judged_beside_all_others(case, k, l):
    releases, values = case
    claim = Every((KAnonymity(k), LDiversity(l)))
    found = judge_jointly([held(release, values, claim) for release in releases])
    for place, said in enumerate(found.verdicts):
        assert bool(said) == (naive.keeps_k(releases, place, k) and naive.keeps_l(releases, place, values, l))
    assert bool(found) == all(found.verdicts)
    assert (found.few == 0) == bool(found)


def test_a_held_release_shows_no_cell():
    shown = repr(held({7654: 1}, ["gout"] * 7655, KAnonymity(2)))
    assert "who=1" in shown
    assert "gout" not in shown
    assert "7654" not in shown


@given(several(), st.integers(1, 4))
def test_figures(case, k):
    releases, values = case
    parts = [held(release, values, KAnonymity(k)) for release in releases]
    found = judge_jointly(parts)
    few = naive.few(releases, [k] * len(releases))
    assert found.figures() == {
        "people": len({p for release in releases for p in release}),
        "few": len(few),
        "alone": len(naive.alone(releases)),
        "smallest": min(len(naive.shared(releases, p)) for release in releases for p in release),
        "missing": len(naive.missing(releases)),
        "changed": len(naive.changed(releases, values)),
        "told": len(naive.told(releases, values)),
    }
    assert set(breaking(parts).tolist()) == few


@given(several(), st.integers(2, 3))
def test_a_yes_leaves_the_attack_without_a_value(case, l):
    """Whoever intersects classes, whoever's rows they are, is left with at least l values."""
    releases, values = case
    if judge_jointly([held(release, values, LDiversity(l)) for release in releases]):
        for release in releases:
            for p in release:
                assert len(set.intersection(*naive.left_values(releases, values, p)) - {None}) >= l


@given(several(), st.integers(1, 4))
def test_one_more_release_never_helps(case, k):
    releases, values = case
    parts = [held(release, values, KAnonymity(k)) for release in releases]
    if judge_jointly(parts):
        assert judge_jointly(parts[:-1]) if len(parts) > 2 else parts[0].claim.check(joint_view(parts[:1], 0))


def test_the_same_release_twice_keeps_what_it_keeps():
    release = {p: p % 2 for p in range(6)}
    parts = [held(release, ["flu"] * 6, KAnonymity(3))] * 2
    found = judge_jointly(parts)
    assert found
    assert (found.few, found.smallest, found.missing, found.changed, found.told) == (0, 3, 0, 0, 0)


def test_crossing_classes_leave_everybody_alone():
    first, second = {p: p // 3 for p in range(9)}, {p: p % 3 for p in range(9)}
    found = judge_jointly([held(r, ["flu", "gout", "HIV"] * 3, KAnonymity(3)) for r in (first, second)])
    assert not found
    assert (found.few, found.alone, found.smallest) == (9, 9, 1)


def test_values_that_only_all_releases_tell():
    """People 0 and 3: the classes {flu, gout} and {flu, HIV} have one value in common."""
    first, second = {0: 0, 1: 0, 2: 1, 3: 1}, {0: 0, 2: 0, 1: 1, 3: 1}
    values = ["flu", "gout", "HIV", "flu"]
    found = judge_jointly([held(r, values, KAnonymity(2)) for r in (first, second)])
    assert (found.told, found.changed) == (2, 2)


def test_a_missing_person_is_told_by_missing():
    """Classes of three; one person of a class is not in the second release: comparing them tells his value."""
    first, second = {p: 0 for p in range(4)}, {p: 0 for p in range(3)}
    found = judge_jointly([held(r, ["flu", "flu", "gout", "HIV"], KAnonymity(3)) for r in (first, second)])
    assert [bool(said) for said in found.verdicts] == [False, True]
    assert found.verdicts[0].witnesses == (4,)
    assert (found.few, found.alone, found.missing) == (1, 1, 1)


def test_closeness_compares_with_the_release_itself():
    values = ["flu", "gout"] * 4
    alike, cut = {p: 0 for p in range(8)}, {p: p % 2 for p in range(8)}
    found = judge_jointly([held(alike, values, TCloseness(0.2)), held(alike, values, TCloseness(0.2))])
    assert found
    assert not judge_jointly([held(alike, values, TCloseness(0.2)), held(cut, values, KAnonymity(2))])


def test_persons_are_counted_not_rows():
    who, kinds = np.arange(6), np.array([0, 0, 0, 1, 1, 1])
    rows = LinkedRelease(KAnonymity(3), who, kinds)
    persons = LinkedRelease(KAnonymity(3), who, kinds, persons=np.array([0, 0, 1, 2, 3, 4]))
    assert judge_jointly([rows, rows])
    assert judge_jointly([persons, persons]).verdicts[0].witnesses == (1, 2, 3)


@pytest.mark.parametrize(("person", "label"), [(0, 0), (1, 1), (2, 0), (5, MISSING)])
def test_of_several_rows_all_classes_are_shown(person, label):
    who, kinds = np.array([0, 1, 0, 2, 2]), np.array([7, 7, 8, 8, 7])
    assert labels_of(np.array([person]), who, kinds).tolist() == [label]
