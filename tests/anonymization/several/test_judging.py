"""Releases of every shape judged together, against the slow twins; what cannot be judged is said."""

import json
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_several as naive
from shoal.anonymization.several.joint_judges import find_columns_to_coarsen
from shoal.anonymization.several.judging import (
    Part,
    _judge_releases,
    _link_items,
    link_tables,
    summarize_verdict,
)
from shoal.anonymization.several.omission import choose_omitted, joint_class_ids
from shoal.data import Baskets, Trees
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    KMNAnonymity,
    LDiversity,
    LmDiversity,
    Nonreciprocal,
    TCloseness,
)
from shoal.privacy.several import JointVerdict, LinkedRelease
from shoal.release import Sensitive, Verdict
from shoal.shapes.dataset import JudgingContext

RULES = [[{"a"}, {"b"}, {"c"}], [{"a", "b"}, {"c"}], [{"a", "c"}, {"b"}], [{"a", "b", "c"}]]


@st.composite
def mixed(draw):
    """A few records with baskets, and two releases of them: a class and published sets for each record in it."""
    baskets = draw(st.lists(st.sets(st.sampled_from("abc")), min_size=2, max_size=7))
    releases = []
    for _ in range(2):
        rule = draw(st.sampled_from(RULES))
        rows = draw(st.dictionaries(st.integers(0, len(baskets) - 1), st.integers(0, 1), min_size=1))
        sets = {row: [frozenset(form) for form in rule if form & baskets[row]] for row in rows}
        releases.append((rows, sets))
    return baskets, releases


def part(claim, baskets, classes, sets, originals=None):
    cells = [json.dumps([sorted(form) for form in sets[row]]) for row in classes]
    frame = pl.DataFrame({"zip": [str(label) for label in classes.values()], "items": cells})
    rows = np.array(list(classes))
    held = SimpleNamespace(baskets=Baskets.of("items", baskets)) if originals is None else originals
    columns = {"zip": "quasi", "items": "items"} if claim.shape == "mixed" else {"items": "items"}
    known = JudgingContext(columns, {}, frozenset(), held, rows)
    return Part(Path("release"), claim, frame.select(list(columns)), known, rows)


def keeps(baskets, releases, place, k, m):
    """Whether k records of the joint class of each record have any up to m of its items in the same labels."""
    classes, sets = [rows for rows, _ in releases], [published for _, published in releases]
    held = {row: naive.vectors(sets, baskets, row) for row in range(len(baskets))}
    for row in classes[place]:
        others = naive.shared(classes, row)
        for size in range(m + 1):
            for known in combinations(sorted(held[row], key=repr), size):
                if sum(set(known) <= held[other] for other in others) < k:
                    return False
    return True


@given(mixed(), st.integers(1, 3), st.integers(1, 2))
def test_tables_with_baskets(case, k, m):
    baskets, releases = case
    originals = SimpleNamespace(baskets=Baskets.of("items", baskets))
    parts = [part(KKmAnonymity(k, m), baskets, *release, originals) for release in releases]
    found = _judge_releases(parts)
    assert isinstance(found, JointVerdict)
    assert [bool(said) for said in found.verdicts] == [
        keeps(baskets, releases, place, k, m) for place in range(len(releases))
    ]
    assert bool(summarize_verdict(found, ["one", "two"])) == bool(found)


def test_baskets_of_different_files_are_not_judged():
    one, other = [{"a"}, {"a"}], [{"a"}, {"b"}]
    sets = {0: [frozenset("a")], 1: [frozenset("ab")]}
    parts = [part(KmAnonymity(2, 1), baskets, {0: 0, 1: 0}, sets) for baskets in (one, other)]
    assert "of the same file" in _judge_releases(parts)
    assert isinstance(_judge_releases([parts[0], parts[0]]), JointVerdict)


@pytest.mark.parametrize(("errors", "same"), [([1, 1], True), ([1, 2], False)])
def test_votes_are_judged_only_where_they_are_the_same(errors, same):
    claim, rows = Nonreciprocal(2), np.array([0, 1])
    frame = pl.DataFrame({"items": ['["a"]', '["b"]'], "errors": [1, 1]})
    first = Part(Path("one"), claim, frame, JudgingContext({}), rows)
    turned = frame.reverse().with_columns(errors=pl.Series(errors))
    second = Part(Path("two"), claim, turned, JudgingContext({}), rows[::-1])
    assert isinstance(_judge_releases([first, second]), JointVerdict) is same


def test_what_no_judge_could_count_is_not_judged():
    hopeless = Verdict(False, "not judged: too many combinations", judged=False)
    said = summarize_verdict(JointVerdict((Verdict(True, "yes"), hopeless), 9, 0, 0), ["one", "two"])
    assert not said.judged
    assert "release 2 (two)" in said.sentence
    assert "finds" not in said.sentence
    assert not said.holds
    with pytest.raises(ValueError, match="longer"):  # no release that breaks its claim is forgotten
        summarize_verdict(JointVerdict((Verdict(True, "yes"), hopeless), 9, 0, 0), ["one"])


def test_the_verdict_on_all_of_them():
    yes, no = Verdict(True, "yes"), Verdict(False, "too few", broken=3)
    fine = summarize_verdict(JointVerdict((yes, yes), 9, 0, 0, smallest=4), ["one", "two"])
    assert fine
    assert fine.reached == {"k": 4}
    assert fine.sentence == (
        "all 2 releases keep their claims for anyone who holds all of them; the smallest joint class has 4 people"
    )
    assert summarize_verdict(JointVerdict((yes,), 9, 0, 0), ["one"]).reached == {}
    broken = summarize_verdict(
        JointVerdict((yes, no, Verdict(False, "odd", broken=1)), 9, 5, 0, 2, 1), ["one", "two", "three"]
    )
    assert broken.judged
    assert not broken
    assert broken.broken == 3
    assert broken.reached == {"k": 1}
    assert broken.sentence == (
        "anyone who holds all 3 releases finds 5 of 9 people less hidden than promised, 2 of them alone; "
        "release 2 (two) beside the others: too few; release 3 (three) beside the others: odd"
    )
    hopeless = Verdict(False, "not judged", judged=False)
    assert summarize_verdict(JointVerdict((no, hopeless), 9, 5, 0), ["one", "two"]).judged


def test_trees_are_judged_only_where_they_are_the_same():
    def part(ills, who=(0, 1)):
        trees = Trees.of([[("ill", ill)] for ill in ills])
        return Part(Path("one"), KMNAnonymity(2, 1, 0), trees, JudgingContext({}), np.array(who))

    found = _judge_releases([part(["flu", "gout"]), part(["gout", "flu"], who=(1, 0))])
    assert isinstance(found, JointVerdict)
    assert found
    assert (found.people, found.few, found.missing) == (2, 0, 0)
    assert len(found.verdicts) == 2
    assert _judge_releases([part(["flu"], who=(0,))]).people == 1
    for other in (
        part(["flu", "flu"]),
        part(["gout", "flu"]),
        part(["flu", "gout"], who=(0, 2)),
        part(["flu"], who=(0,)),
    ):
        assert "only where they publish the same" in _judge_releases(
            [part(["flu", "gout"]), part(["flu", "gout"]), other]
        )


def test_what_is_left_out_of_baskets_is_counted():
    baskets = [{"a"}, {"a"}, {"b"}, {"b"}]
    originals = SimpleNamespace(baskets=Baskets.of("items", baskets))
    everybody = {row: [frozenset(baskets[row])] for row in range(4)}
    parts = [
        part(KmAnonymity(2, 1), baskets, dict.fromkeys(rows, 0), everybody, originals)
        for rows in (range(4), range(3))
    ]
    found = _judge_releases(parts)
    assert (found.people, found.missing) == (4, 1)
    assert found.few == max(said.broken for said in found.verdicts) > 0
    assert "of the same file" in _judge_releases(
        [
            parts[0],
            Part(
                parts[1].folder,
                parts[1].claim,
                parts[1].frame,
                JudgingContext(parts[1].known.columns, {}, frozenset(), originals),
                parts[1].who,
            ),
        ]
    )


@pytest.mark.parametrize("other", [[{"a"}, {"a"}], [{"a"}, {"a", "b"}], [{"b"}, {"a"}]])
def test_baskets_are_the_same_only_record_by_record(other):
    one = [{"a"}, {"b"}]
    sets = {0: [frozenset("ab")], 1: [frozenset("ab")]}
    parts = [part(KmAnonymity(2, 1), baskets, {0: 0, 1: 0}, sets) for baskets in (one, other, one)]
    assert isinstance(_judge_releases([parts[0], parts[2]]), JointVerdict)
    assert _judge_releases([parts[0]]).people == 2
    for order in ([0, 1], [1, 0], [0, 2, 1]):
        assert "of the same file" in _judge_releases([parts[place] for place in order])


@pytest.mark.parametrize("claim", [LmDiversity(2, 1, 2), KLmDiversity(2, 2, 1)])
def test_each_claim_is_about_the_items_that_its_own_release_calls_sensitive(claim):
    """Three of four have HIV, which is too many for l = 2; the flu has one of them."""
    baskets = [{"ale", "HIV", "flu"}, {"ale", "HIV"}, {"ale", "HIV"}, {"ale"}]
    sets = {row: [frozenset([item]) for item in items] for row, items in enumerate(baskets)}
    rare, often = (
        part(
            claim,
            baskets,
            dict.fromkeys(range(4), 0),
            sets,
            SimpleNamespace(baskets=Baskets.of("items", baskets, [secret])),
        )
        for secret in ("flu", "HIV")
    )
    for parts, kept in (
        ((rare, rare), [True, True]),
        ((rare, often), [True, False]),
        ((often, rare), [False, True]),
    ):
        assert [bool(said) for said in _judge_releases(parts).verdicts] == kept


def test_the_items_of_a_release_in_the_codes_of_the_originals():
    baskets = Baskets.of("items", [{"a"}, {"b"}])
    made = part(KmAnonymity(2, 1), [{"a"}, {"b"}], {1: 0, 0: 0}, {0: [frozenset("ab")], 1: [frozenset("ab")]})
    seen = _link_items(made, baskets)
    assert seen.rows.tolist() == [1, 0]
    assert seen.forms.leaves.tolist() == [0, 1]
    assert seen.start.tolist() == [0, 1, 2]


def test_a_column_that_is_known_anywhere_is_known_wherever_it_is_published():
    def part(role, **columns):
        known = JudgingContext({"age": "quasi", **dict.fromkeys(columns, role)})
        frame = pl.DataFrame({"age": ["1", "1"], **columns})
        return Part(Path("release"), KAnonymity(2), frame, known, np.arange(2))

    plain, quasi = part("plain", ward=["a", "b"]), part("quasi", ward=["a", "b"])
    assert len(set(link_tables([plain])[0].kinds)) == 1
    assert [len(set(held.kinds)) for held in link_tables([plain, quasi])] == [2, 2]
    assert len(set(link_tables([plain], also=["ward"])[0].kinds)) == 2
    secret = link_tables([part("sensitive", ill=["x", "y"])])[0]
    assert list(secret.sensitive) == ["ill"]
    assert len(set(secret.kinds)) == 1
    assert "items" not in link_tables([part("items", items=["[]", "[]"])])[0].sensitive


def test_a_release_is_called_by_its_folder(tmp_path):
    made = Part(tmp_path / "made" / "..", KAnonymity(2), None, JudgingContext({}), np.arange(1))
    assert made.name == tmp_path.name
    assert "secret" not in repr(
        Part(Path("one"), KAnonymity(2), pl.DataFrame({"ill": ["secret"]}), JudgingContext({}), None)
    )


def table(**columns):
    frame = pl.DataFrame(columns)
    known = JudgingContext(dict.fromkeys(columns, "quasi"))
    return Part(Path("release"), KAnonymity(2), frame, known, np.arange(len(frame)))


def test_the_column_that_crosses_the_earlier_classes_is_named():
    earlier = table(age=["1", "1", "2", "2"])
    assert find_columns_to_coarsen([earlier, table(age=["1", "1", "2", "2"], zip=["a", "b", "a", "b"])]) == [
        "zip"
    ]
    assert find_columns_to_coarsen([earlier, table(age=["1", "2", "1", "2"], zip=["a", "b", "a", "b"])]) == [
        "age",
        "zip",
    ]
    assert find_columns_to_coarsen([table(age=["1", "2", "3", "4"]), table(zip=["a", "a", "a", "a"])]) == []


# Who is left out beside earlier releases, so that whoever is missing is missing among enough others.


def left(now, earlier, k):
    """The people of `now` who are left out, and whom even that does not help."""
    who = np.array(sorted(now))
    parts = [LinkedRelease(KAnonymity(k), np.array(list(r)), np.array(list(r.values()))) for r in earlier]
    cells = joint_class_ids(who, parts)
    out, bad = choose_omitted(who, LinkedRelease(KAnonymity(k), who, cells), parts, np.random.default_rng(1))
    return set(who[out].tolist()), set(bad.tolist())


@pytest.mark.parametrize(
    ("stay", "gone", "many"),
    [(7, 0, 0), (12, 1, 4), (12, 4, 1), (12, 5, 0), (6, 1, 6), (8, 1, 8), (9, 1, 4), (10, 5, 0)],
)
def test_as_few_as_possible_of_one_class(stay, gone, many):
    out, bad = left(range(stay), [dict.fromkeys(range(stay + gone), 0)], 5)
    assert len(out) == many
    assert not bad


def test_new_people_are_a_class_of_their_own():
    first = dict.fromkeys(range(6), 0)
    assert left(range(9), [first], 3) == (set(), set())
    assert left(range(8), [first], 3) == ({6, 7}, set())


@given(st.lists(st.dictionaries(st.integers(0, 8), st.integers(0, 1), min_size=1), min_size=1, max_size=2),
       st.sets(st.integers(0, 10), min_size=1), st.integers(2, 3))  # fmt: skip
def test_who_stays_can_be_published_in_the_earlier_classes(earlier, now, k):
    out, bad = left(now, earlier, k)
    stay = now - out
    labels = {p: tuple(release.get(p) for release in earlier) for p in stay}
    assert bad == naive.few([*earlier, labels], [k] * (len(earlier) + 1))


def test_where_all_are_left_out_the_earlier_releases_alone_are_looked_at():
    """Every claim about values is weighed on classes, and a release without records has none."""
    ill = Sensitive(np.arange(6) % 2, ("flu", "gout"))
    who, cells = np.arange(6), np.arange(6) // 2
    for claim in (AlphaKAnonymity(0.6, 4), AllOf((KAnonymity(4), TCloseness(0.5, "ordered"))), LDiversity(3)):
        now = LinkedRelease(claim, who, cells, {"ill": ill})
        out, bad = choose_omitted(
            who, now, [LinkedRelease(KAnonymity(2), who, cells)], np.random.default_rng(1)
        )
        assert out.all()
        assert not len(bad)
