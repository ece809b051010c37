"""Every judge x every law: what must be true of any judge of a table, so that no yes comes for nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from shoal.privacy import Every, KAnonymity, LDiversity, TCloseness
from shoal.release import Published, Sensitive

JUDGES = {
    "k": lambda number: KAnonymity(number),
    "distinct": lambda number: LDiversity(number),
    "entropy": lambda number: LDiversity(number, "entropy"),
    "recursive": lambda number: LDiversity(number, "recursive", 2.0),
    "equal": lambda number: TCloseness(1 / number),
    "ordered": lambda number: TCloseness(1 / number, "ordered"),
    "every": lambda number: Every((KAnonymity(number), LDiversity(number), TCloseness(1 / number))),
}
"""By name, a claim that asks for more the larger its number."""

every_judge = pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
about_values = pytest.mark.parametrize(
    "judge",
    [make for name, make in JUDGES.items() if name != "k"],
    ids=[name for name in JUDGES if name != "k"],
)
law = settings(max_examples=30, deadline=None)
releases = strategies.published(min_sensitive=1)
numbers = st.integers(1, 4)


def least():
    """A release that is just 3-anonymous, 3-diverse in every sense, and 0-close: three values, three classes."""
    values = np.tile(np.arange(3), 3)
    return Published(
        {"p": np.repeat([0, 0, 1], 3), "q": np.repeat([0, 1, 1], 3)},
        {"disease": Sensitive(values, strategies.DISEASES)},
    )


def with_quasi(published, row, name, number):
    column = published.quasi[name].copy()
    column[row] = number
    return replace(published, quasi=dict(published.quasi) | {name: column})


def with_value(published, row, code):
    (name, column), *rest = published.sensitive.items()
    codes = column.codes.copy()
    codes[row] = code
    return replace(published, sensitive=dict(rest) | {name: Sensitive(codes, column.values)})


TIGHT = {
    "k": KAnonymity(3),
    "distinct": LDiversity(3),
    "entropy": LDiversity(3, "entropy"),
    "recursive": LDiversity(3, "recursive", 1.5),
    "equal": TCloseness(0),
    "ordered": TCloseness(0, "ordered"),
    "every": Every((KAnonymity(3), LDiversity(3), TCloseness(0))),
}


@pytest.mark.parametrize("claim", TIGHT.values(), ids=TIGHT)
@pytest.mark.parametrize("row", range(9))
def test_one_broken_quasi_identifier_is_found(claim, row):
    assert claim.check(least())
    for name in ("p", "q"):
        verdict = claim.check(with_quasi(least(), row, name, 99))
        assert not verdict
        assert row + 1 in verdict.witnesses


@pytest.mark.parametrize("claim", list(TIGHT.values())[1:], ids=list(TIGHT)[1:])
@pytest.mark.parametrize("row", range(9))
def test_one_broken_sensitive_value_is_found(claim, row):
    for code in {0, 1, 2, -1} - {row % 3}:
        verdict = claim.check(with_value(least(), row, code))
        assert not verdict
        assert row + 1 in verdict.witnesses


def test_k_anonymity_does_not_look_at_sensitive_values():
    assert KAnonymity(3).check(with_value(least(), 0, 1))


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


@pytest.mark.parametrize("name", [name for name in JUDGES if name not in ("recursive", "every")])
@given(releases)
@law
def test_what_is_reached_holds_and_no_more(name, published):
    reached = JUDGES[name](1).check(published).reached
    if "t" in reached:
        assert TCloseness(min(reached["t"], 1.0), name).check(published)
        if reached["t"] > 0.01:
            assert not TCloseness(reached["t"] - 0.01, name).check(published)
        return
    whole = int(next(iter(reached.values())) + 1e-6)
    assert not JUDGES[name](whole + 1).check(published)
    if whole:
        assert JUDGES[name](whole).check(published)


@every_judge
def test_no_claim_holds_for_nothing(judge):
    nothing = np.empty(0, dtype=np.int64)
    no_quasi = judge(1).check(replace(least(), quasi={}))
    no_record = judge(1).check(Published({"q": nothing}, {"s": Sensitive(nothing, ())}))
    assert not no_quasi
    assert "no quasi-identifier is given, so the claim is empty" in no_quasi.sentence
    assert not no_record
    assert "the release holds no record, so the claim is empty" in no_record.sentence


@about_values
def test_no_claim_about_values_holds_without_any(judge):
    verdict = judge(1).check(replace(least(), sensitive={}))
    assert not verdict
    assert "no sensitive column is given, so the claim is empty" in verdict.sentence


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
