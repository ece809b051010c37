import json

import numpy as np
import pytest

from shoal.errors import InputError
from shoal.privacy import Every, KAnonymity, LDiversity, TCloseness, claim_from_dict, claim_of
from shoal.release import Published, Sensitive

CLAIMS = [
    KAnonymity(5),
    LDiversity(3),
    LDiversity(2, "recursive", 4.5, ("disease",)),
    TCloseness(0.2, "ordered"),
    Every((KAnonymity(5), LDiversity(2, "entropy"))),
    Every((KAnonymity(5), TCloseness(0.15))),
    Every((KAnonymity(2), LDiversity(2, columns=("a", "b")), TCloseness(0.3, columns=("a", "b")))),
]


def test_numbers_make_claims():
    assert claim_of(k=5) == KAnonymity(5)
    assert claim_of(l=2, diversity="recursive", c=2) == LDiversity(2, "recursive", 2)
    assert claim_of(t=0.1, distance="ordered") == TCloseness(0.1, "ordered")
    assert claim_of(k=5, l=3, t=0.2) == Every((KAnonymity(5), LDiversity(3), TCloseness(0.2)))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({}, "give at least one of k, l, t"),
        ({"k": 0}, "k=0: k must be a whole number of at least 1"),
        ({"k": 2, "l": 1.5}, "l=1.5: l must be a whole number of at least 1"),
        ({"k": 2, "t": 2}, "t=2: t must be a number from 0 to 1"),
        ({"k": 2, "diversity": "none"}, "diversity must be one of"),
        ({"k": 2, "distance": "none"}, "distance must be one of"),
        ({"k": 2, "c": -1}, "c must be a number above 0"),
    ],
)
def test_numbers_that_make_no_claim(numbers, message):
    with pytest.raises(InputError, match=message):
        claim_of(**numbers)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_a_claim_survives_its_manifest(claim):
    assert claim_from_dict(json.loads(json.dumps(claim.as_dict()))) == claim


def test_the_manifest_of_several_claims():
    said = claim_of(k=5, l=3, t=0.2, diversity="recursive").as_dict()
    numbers = {key: said[key] for key in said if key not in ("attacker", "not_covered")}
    assert numbers == {
        "model": "k-anonymity and l-diversity and t-closeness",
        "k": 5,
        "l": 3,
        "diversity": "recursive",
        "c": 3.0,
        "t": 0.2,
        "distance": "equal",
    }
    assert "at least 4 others" in said["attacker"]
    assert "up to an earth mover's distance (equal) of 0.2" in said["attacker"]
    assert len(said["not_covered"]) == len(set(said["not_covered"])) >= 3


@pytest.mark.parametrize(
    "said",
    [
        {},
        [],
        "k-anonymity",
        {"model": "k-anonymity"},
        {"k": 5},
        {"model": "k-anonymity", "k": "5"},
        {"model": "k-anonymity", "k": True},
        {"model": "k-anonymity", "k": 5, "m": 2},
        {"model": "k-anonymity", "k": 5, "l": 2, "diversity": "distinct"},
        {"model": "k-anonymity and l-diversity", "k": 5},
        {"model": "k^m-anonymity", "k": 5},
        {"model": "l-diversity", "l": 2, "diversity": ["distinct"]},
        {"model": "l-diversity", "l": 2, "diversity": "distinct", "columns": "disease"},
        {"model": "l-diversity", "l": 2, "diversity": "distinct", "columns": [3]},
        {"model": "t-closeness", "t": float("nan"), "distance": "equal"},
        {"model": "t-closeness", "t": 10**99, "distance": "equal"},
        {"model": "l-diversity", "l": 10**99, "diversity": "distinct"},
    ],
    ids=repr,
)
def test_a_malformed_claim_is_refused(said):
    with pytest.raises(InputError):
        claim_from_dict(said)


def test_several_claims_must_all_hold():
    q = np.array([0, 0, 1, 1, 2])
    ill = Sensitive(np.array([0, 1, 0, 0, 1]), ("flu", "gout"))
    verdict = claim_of(k=2, l=2).check(Published({"q": q}, {"disease": ill}))
    assert not verdict
    assert verdict.witnesses == (3, 4, 5)
    assert verdict.broken == 3
    assert verdict.reached == {"k": 1, "l": 1}
    assert "under k=2" in verdict.sentence
    assert "under l=2" in verdict.sentence
    assert claim_of(k=2, l=2).check(
        Published({"q": q[:2]}, {"disease": Sensitive(ill.codes[:2], ill.values)})
    )


def test_one_claim_that_fails_is_enough():
    ill = {"disease": Sensitive(np.array([0, 0]), ("flu", "gout"))}
    assert not claim_of(k=2, l=2).check(Published({"q": np.array([0, 0])}, ill))


def test_what_cannot_be_judged_is_not_judged_even_beside_what_can():
    claim = Every((KAnonymity(1), LDiversity(1, columns=("gone",))))
    verdict = claim.check(Published({"q": np.array([0])}, {"s": Sensitive(np.array([0]), ("x",))}))
    assert not verdict.judged
    assert not verdict


def test_claims_that_contradict_each_other_are_refused():
    with pytest.raises(InputError, match="differ in k"):
        Every((KAnonymity(2), KAnonymity(3)))
    with pytest.raises(InputError, match="one model stands twice"):
        Every((KAnonymity(2), KAnonymity(2)))
    with pytest.raises(InputError, match="none is given"):
        Every(())
