"""The claim about known columns: closed sets, other claims beside it, what cannot be promised together."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.base.errors import InputError
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    BetaLikeness,
    CoreAnonymity,
    DeltaDisclosure,
    HiddenValues,
    KAnonymity,
    LDiversity,
    TCloseness,
    claim_from_dict,
    make_claim,
)
from shoal.privacy.core import close_set, core_claim, with_rules
from shoal.release import Published, Sensitive

NAMES = "abcd"


@st.composite
def releases(draw):
    """Small releases, mostly with each row several times, and rules of their known columns."""
    n, width = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    times = draw(st.integers(1, 3))

    def cells(most):
        return np.tile(draw(st.lists(st.integers(-1, most), min_size=n, max_size=n)), times).astype(np.int64)

    names = NAMES[:width]
    sets = st.lists(st.sampled_from(names), max_size=2, unique=True).map(tuple)
    follows = draw(st.lists(st.tuples(sets, st.sampled_from(names)), max_size=2))
    return Published(
        {"town": cells(1)},
        {"ill": Sensitive(cells(2), ("flu", "gout", "HIV"))},
        known={name: cells(1) for name in names},
    ), tuple(follows)


def as_rows(columns):
    return list(zip(*(codes.tolist() for codes in columns.values()), strict=True))


def as_places(follows):
    return [({NAMES.index(name) for name in source}, NAMES.index(told)) for source, told in follows]


@given(releases(), st.integers(1, 4), st.integers(0, 4))
def test_the_judge_counts_as_the_definition_does(release, k, m):
    published, follows = release
    verdict = CoreAnonymity(k, m, follows).check(published)
    core, known = as_rows(published.quasi), as_rows(published.known)
    assert list(verdict.witnesses) == naive.found_by_core(core, known, k, m, as_places(follows))
    largest = max(
        k for k in range(1, len(core) + 1) if not naive.found_by_core(core, known, k, m, as_places(follows))
    )
    assert verdict.judged
    assert verdict.reached == {"k": largest}


@pytest.mark.parametrize(
    "beside",
    [
        *(LDiversity(2, diversity=kind) for kind in ("distinct", "entropy", "recursive")),
        *(TCloseness(0.3, distance=kind) for kind in ("equal", "ordered")),
        BetaLikeness(1.0),
        DeltaDisclosure(1.0),
        AlphaKAnonymity(0.6, 1),
        HiddenValues(0.5, {"ill": ("HIV",)}),
    ],
    ids=str,
)
@settings(max_examples=40)
@given(release=releases(), m=st.integers(0, 3))
def test_other_claims_hold_in_every_group(beside, release, m):
    published, follows = release
    both = AllOf((CoreAnonymity(1, m, follows), beside))
    core, known = as_rows(published.quasi), as_rows(published.known)
    kept = all(
        beside.check(Published({"": np.array(groups)}, published.sensitive))
        for groups in naive.groups_by_core(core, known, m, as_places(follows))
    )
    assert both.check(published).holds == kept


def test_classes_alone_do_not_keep_a_claim_that_groups_break():
    visits = np.array([1, 1, 2, 2])
    ill = Sensitive(np.array([0, 0, 1, 1]), ("flu", "gout"))
    people = Published({"town": np.zeros(4, dtype=np.int64)}, {"ill": ill}, known={"visits": visits})
    assert AllOf((KAnonymity(2), LDiversity(2))).check(people)
    verdict = AllOf((CoreAnonymity(2, 1), LDiversity(2))).check(people)
    assert not verdict
    assert verdict.witnesses == (1, 2, 3, 4)
    assert "visits" in verdict.sentence


def test_sets_are_closed_and_each_is_looked_at_once():
    rules = ((("a", "b"), "c"), ((), "d"))
    assert close_set({"a", "b"}, rules) == {*"abcd"}
    assert CoreAnonymity(2, 1, rules).list_sets("abcd") == [("a", "d"), ("b", "d"), ("c", "d"), ("d",)]
    assert CoreAnonymity(2, 9, rules).list_sets("abcd") == [tuple("abcd")]
    assert CoreAnonymity(2, 0).list_sets("abcd") == [()]


def test_a_claim_with_rules_survives_its_manifest():
    claim = with_rules(make_claim("table", k=5, l=2, known_at_once=2), ((("a", "b"), "c"), ((), "d")))
    said = json.loads(json.dumps(claim.as_dict()))
    assert claim_from_dict(said) == claim
    (core, _) = said["claims"]
    assert core == {
        "model": "k-anonymity with known columns",
        "k": 5,
        "known_at_once": 2,
        "follows": [[["a", "b"], "c"], [[], "d"]],
    }
    for key, wrong in (("known_at_once", "2"), ("follows", [["a", 1]]), ("m", 2), ("k", 0)):
        with pytest.raises(InputError):
            claim_from_dict({**core, key: wrong})


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"known_at_once": 2}, "known_at_once goes with k; give both"),
        ({"known_at_once": 0.5, "k": 2}, "known_at_once must be a whole number"),
        *(
            ({"known_at_once": 2, "k": 5, key: value}, "known_at_once does not go with")
            for key, value in {
                "linked": True,
                "of": "households",
                "subsets": 2,
                "k_map": 5,
                "presence": [0.1, 0.2],
            }.items()
        ),
    ],
)
def test_what_cannot_be_promised(numbers, message):
    with pytest.raises(InputError, match=message):
        make_claim("table", **numbers)


def test_what_is_promised():
    claim = make_claim("table", known_at_once=2, risk=0.2)
    assert claim == CoreAnonymity(5, 2) == core_claim(claim)
    assert claim.headline(["age", "sex"]) == (
        "In age and sex, every record looks the same as at least 4 others, also to anyone who knows any 2 "
        "known columns."
    )
    assert core_claim(KAnonymity(5)) is None
    assert "more than 2 known columns" in claim.not_covered[0]


def test_more_sets_than_anybody_can_look_at_are_not_judged():
    people = Published(
        {"town": np.zeros(3, dtype=np.int64)}, known={str(j): np.zeros(3, dtype=np.int64) for j in range(40)}
    )
    verdict = CoreAnonymity(2, 6).check(people)
    assert not verdict.judged
    assert "let fewer be known at once" in verdict.sentence
