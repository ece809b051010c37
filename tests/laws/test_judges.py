"""Every judge x every law: what must be true of any judge, so that no yes comes for nothing.

Judges of tables, which are told apart by their kinds, have laws of their own below those of all.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judge_cases
import strategies
from judge_cases import CASES, least_table, with_value
from shoal.privacy import (
    CLAIMS,
    AllOf,
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    KKmAnonymity,
    KmAnonymity,
    LDiversity,
    TCloseness,
    claim_from_dict,
)
from shoal.release import Published, Sensitive

COVERED = tuple(CASES)
"""The claims whose judges stand under these laws."""

every_claim = pytest.mark.parametrize("model", [model for model in CLAIMS if model in CASES])

JUDGES = {
    "k": lambda number: KAnonymity(number),
    "distinct": lambda number: LDiversity(number),
    "entropy": lambda number: LDiversity(number, "entropy"),
    "recursive": lambda number: LDiversity(number, "recursive", 2.0),
    "equal": lambda number: TCloseness(1 / number),
    "ordered": lambda number: TCloseness(1 / number, "ordered"),
    "basic": lambda number: BetaLikeness(2 / number),
    "enhanced": lambda number: BetaLikeness(2 / number, "enhanced"),
    "disclosure": lambda number: DeltaDisclosure(2 / number),
    "alpha": lambda number: AlphaKAnonymity(1 / number, number),
    "every": lambda number: AllOf((KAnonymity(number), LDiversity(number), TCloseness(1 / number))),
}
"""By name, a claim that asks for more the larger its number."""

every_judge = pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
law = settings(max_examples=30)
releases = strategies.published(min_sensitive=1)
numbers = st.integers(1, 4)


TIGHT = [(model, case.claim, case) for model, case in CASES.items()] + [
    (repr(claim), claim, CASES["l-diversity"])
    for claim in (
        LDiversity(3, "entropy"),
        LDiversity(3, "recursive", 1.5),
        TCloseness(0, "ordered"),
        BetaLikeness(0.01, "enhanced"),
        AllOf((KAnonymity(3), LDiversity(3), TCloseness(0))),
    )
]
every_tight_claim = pytest.mark.parametrize(
    ("claim", "case"), [(claim, case) for _, claim, case in TIGHT], ids=[name for name, _, _ in TIGHT]
)


@every_tight_claim
def test_what_just_keeps_a_claim_is_accepted_and_one_change_is_not(claim, case):
    verdict = claim.check(case.least)
    assert verdict
    assert verdict.broken == 0
    assert case.broken
    for release, record in case.broken:
        verdict = claim.check(release)
        assert verdict.judged
        assert not verdict
        assert record in verdict.witnesses
        assert verdict.broken >= len(set(verdict.witnesses)) > 0


@every_claim
@given(data=st.data())
@law
def test_a_judge_agrees_with_its_twin(model, data):
    case = CASES[model]
    release = data.draw(case.releases)
    claim = data.draw(st.sampled_from([claim for pair in case.pairs for claim in pair]))
    expected, verdict = case.twin(claim, release), claim.check(release)
    if expected is None:  # nothing to judge, or nothing that could be these people
        assert not verdict
        return
    assert sorted(verdict.witnesses) == list(expected)
    assert bool(verdict) == (not expected)
    assert verdict.broken == len(expected)


@every_claim
@given(data=st.data())
@law
def test_a_stronger_claim_implies_a_weaker_one(model, data):
    case = CASES[model]
    release = data.draw(case.releases)
    stronger, weaker = data.draw(st.sampled_from(case.pairs))
    assert bool(stronger.check(release)) <= bool(weaker.check(release))


@every_tight_claim
def test_an_empty_claim_does_not_hold(claim, case):
    for release in case.vacuous:
        verdict = claim.check(release)
        assert not verdict
        assert "promises nothing" in verdict.sentence


@every_claim
def test_what_cannot_be_judged_is_not_judged(model, monkeypatch):
    case = CASES[model]
    monkeypatch.setattr("shoal.privacy.trees.MOST_SETS", 10_000)
    if model == "k-anonymity":
        assert not case.unjudged  # every release can be counted
        return
    for claim, release in case.unjudged:
        verdict = claim.check(release)
        assert not verdict.judged
        assert not verdict


@every_claim
def test_a_claim_comes_back_from_its_manifest(model):
    for claim in {claim for pair in CASES[model].pairs for claim in pair}:
        assert claim_from_dict(json.loads(json.dumps(claim.as_dict()))) == claim
        assert claim.headline()
    said = CASES[model].claim.as_dict()
    assert said["model"] == model


def test_each_apart_does_not_imply_both_together():
    published = judge_cases.mixed([0, 0, 1, 1], [[3], [4], [3], [4]])
    assert KAnonymity(2).check(published.table)
    assert KmAnonymity(2, 1).check(published.baskets)
    assert not KKmAnonymity(2, 1).check(published)


def test_k_anonymity_does_not_look_at_sensitive_values():
    assert KAnonymity(3).check(with_value(least_table(), 0, 1))


@every_judge
@given(releases, numbers)
@law
def test_more_implies_less(judge, published, number):
    more, less = judge(number + 1).check(published), judge(number).check(published)
    assert bool(less) >= bool(more)
    assert set(less.witnesses) <= set(more.witnesses)


@every_judge
@given(strategies.published(min_sensitive=1, persons=False), numbers, st.data())
@law
def test_merging_two_classes_keeps_the_claim(judge, published, number, data):
    rows = st.integers(0, len(published.quasi["q0"]) - 1)
    one, other = data.draw(rows), data.draw(rows)
    columns = np.stack(list(published.quasi.values()), axis=1)
    columns[(columns == columns[one]).all(axis=1)] = columns[other]
    merged = replace(published, quasi=dict(zip(published.quasi, columns.T, strict=True)))
    assert bool(judge(number).check(merged)) >= bool(judge(number).check(published))


@given(strategies.published(persons=True), numbers, st.data())
@law
def test_dropping_a_quasi_identifier_keeps_k(published, number, data):
    gone = data.draw(st.sampled_from(sorted(published.quasi)))
    fewer = {name: codes for name, codes in published.quasi.items() if name != gone}
    if fewer:
        claim = KAnonymity(number)
        assert bool(claim.check(replace(published, quasi=fewer))) >= bool(claim.check(published))


@every_judge
@given(releases, numbers, st.data())
@law
def test_permuted_rows_permute_the_witnesses(judge, published, number, data):
    order = np.array(data.draw(st.permutations(range(len(published.quasi["q0"])))))
    moved = Published(
        {name: codes[order] for name, codes in published.quasi.items()},
        {name: Sensitive(column.codes[order], column.values) for name, column in published.sensitive.items()},
        None if published.persons is None else published.persons[order],
    )
    before, after = judge(number).check(published), judge(number).check(moved)
    assert {int(order[row - 1]) + 1 for row in after.witnesses} == set(before.witnesses)
    assert after.broken == before.broken
    assert after.reached == pytest.approx(before.reached)


@every_judge
@given(releases, numbers, st.data())
@law
def test_other_numbers_for_the_same_things_change_nothing(judge, published, number, data):
    wide = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=12, max_size=12, unique=True)
    names = np.array(data.draw(wide), dtype=np.int64)
    codes = data.draw(st.permutations(range(3)))
    place = np.array([*codes, -1])
    renamed = Published(
        {name: names[codes] for name, codes in published.quasi.items()},
        {
            name: Sensitive(place[column.codes], tuple(column.values[codes.index(code)] for code in range(3)))
            for name, column in published.sensitive.items()
        },
        None if published.persons is None else names[published.persons],
    )
    before, after = judge(number).check(published), judge(number).check(renamed)
    assert (after.holds, after.witnesses, after.sentence) == (before.holds, before.witnesses, before.sentence)


@every_judge
@given(releases, numbers)
@law
def test_one_row_a_person_is_the_same_as_no_persons(judge, published, number):
    rows = len(published.quasi["q0"])
    named = replace(published, persons=np.arange(rows)[::-1] * 7)
    nobody = replace(published, persons=None)
    assert judge(number).check(named).witnesses == judge(number).check(nobody).witnesses


@pytest.mark.parametrize(
    "name", [name for name in JUDGES if name not in ("recursive", "enhanced", "alpha", "every")]
)
@given(releases)
@law
def test_what_is_reached_holds_and_no_more(name, published):
    reached = JUDGES[name](1).check(published).reached
    if "t" in reached:
        assert TCloseness(min(reached["t"], 1.0), name).check(published)
        if reached["t"] > 0.01:
            assert not TCloseness(reached["t"] - 0.01, name).check(published)
        return
    if name in ("basic", "disclosure"):
        kind, value = (BetaLikeness, "beta") if name == "basic" else (DeltaDisclosure, "disclosure")
        if value in reached:  # no class lacks a value
            assert kind(reached[value] + 1e-6).check(published)
            assert reached[value] < 0.01 or not kind(reached[value] - 1e-3).check(published)
        return
    whole = int(next(iter(reached.values())) + 1e-6)
    assert not JUDGES[name](whole + 1).check(published)
    if whole:
        assert JUDGES[name](whole).check(published)


@every_judge
@given(releases, numbers)
@law
def test_a_verdict_never_shows_a_cell(judge, published, number):
    sentence = judge(number).check(published).sentence
    assert not any(value in sentence for value in strategies.DISEASES)


@every_judge
@given(releases, numbers)
@law
def test_a_judge_changes_nothing(judge, published, number):
    arrays = [*published.quasi.values(), *(column.codes for column in published.sensitive.values())]
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    judge(number).check(published)
    assert all((array == copy).all() for array, copy in zip(arrays, copies, strict=True))


@every_judge
@given(
    released=strategies.published(min_sensitive=1, persons=False),
    number=numbers,
    counts=st.lists(st.integers(1, 4), min_size=12, max_size=12),
)
@law
def test_rows_that_stand_for_several_records_are_judged_as_those_records(judge, released, number, counts):
    n = len(next(iter(released.quasi.values())))
    many = np.array(counts[:n], dtype=np.int64)
    again = np.repeat(np.arange(n), many)
    told = replace(
        released,
        quasi={name: codes[again] for name, codes in released.quasi.items()},
        sensitive={name: Sensitive(c.codes[again], c.values) for name, c in released.sensitive.items()},
    )
    one, other = judge(number).check(replace(released, counts=many)), judge(number).check(told)
    assert (one.holds, one.sentence, one.broken) == (other.holds, other.sentence, other.broken)
    assert one.reached == pytest.approx(other.reached)
    assert one.witnesses == ()
