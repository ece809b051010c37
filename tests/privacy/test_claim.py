import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claim_cases
from shoal.base.errors import InputError
from shoal.privacy import CLAIMS as KINDS
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    HiddenValues,
    ItemsetAnonymity,
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    KMNAnonymity,
    LDiversity,
    LmDiversity,
    Nonreciprocal,
    TCloseness,
    claim_from_dict,
    make_claim,
    promises_as_much,
    require_protection,
)
from shoal.release import Published, Sensitive

CLAIMS = [
    KAnonymity(5),
    LDiversity(3),
    LDiversity(2, "recursive", 4.5, ("disease",)),
    TCloseness(0.2, "ordered"),
    AllOf((KAnonymity(5), LDiversity(2, "entropy"))),
    AllOf((KAnonymity(5), TCloseness(0.15))),
    BetaLikeness(0.5, "enhanced"),
    DeltaDisclosure(1.5, ("ill",)),
    AlphaKAnonymity(0.4, 3),
    HiddenValues(0.5, {"disease": ("flu", "gout")}),
    AllOf(
        (KAnonymity(2), LDiversity(2, columns=("pay",)), HiddenValues(0.25, {"ill": [], "disease": ["flu"]}))
    ),
    AllOf((KAnonymity(2), BetaLikeness(2), DeltaDisclosure(2))),
    AllOf((KAnonymity(2), LDiversity(2, columns=("a", "b")), TCloseness(0.3, columns=("a", "b")))),
]


def test_sensitive_items_are_left_out_of_no_claim_but_those_that_say_so():
    exempt = {model for model, kind in KINDS.items() if kind.exempts}
    assert exempt == {"l^m-diversity", "(k,l^m)-diversity"}
    assert not AllOf((KAnonymity(5),)).exempts


def test_numbers_end_where_floating_point_skips_some():
    assert KAnonymity(2**53).k == 2**53
    with pytest.raises(InputError):
        KAnonymity(2**53 + 1)


def test_a_sentence_names_few_columns_and_counts_many():
    names = list("abcdefg")
    assert "a, b, c, d, e and f" in KAnonymity(5).headline(names[:6]).lower()
    assert "in 7 columns" in KAnonymity(5).headline(names).lower()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({}, "none is given; give at least one of k, of, risk, l, diversity, c, t"),
        ({"k": 2, "diversity": "entropy"}, "diversity belongs to a claim that is not asked for"),
        ({"k": 2, "m": 2}, "m is not used for a table; it takes k, of, risk, l,"),
        ({"k": 2, "disclosur": 2}, "did you mean 'disclosure'"),
        ({"alpha": 0.5}, "alpha goes with k; give both"),
    ],
)
def test_numbers_that_make_no_claim(numbers, message):
    with pytest.raises(InputError, match=message):
        make_claim("table", **numbers)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_a_claim_survives_its_manifest(claim):
    assert claim_from_dict(json.loads(json.dumps(claim.as_dict()))) == claim


def test_the_manifest_of_several_claims():
    said = make_claim("table", k=5, l=3, t=0.2, diversity="recursive").as_dict()
    assert (said["model"], said["claims"]) == (
        "all",
        [
            {"model": "k-anonymity", "k": 5},
            {"model": "l-diversity", "l": 3, "diversity": "recursive", "c": 3.0},
            {"model": "t-closeness", "t": 0.2, "distance": "equal"},
        ],
    )
    assert "at least 4 others" in said["attacker"]
    assert "up to an earth mover's distance (equal) of 0.2" in said["attacker"]
    assert len(said["not_covered"]) == len(set(said["not_covered"])) >= 3


def test_several_claims_side_by_side_as_0_1_wrote_them_are_read():
    said = {"model": "k-anonymity and l-diversity", "k": 5, "l": 2, "diversity": "distinct", "attacker": "x"}
    assert claim_from_dict(said) == AllOf((KAnonymity(5), LDiversity(2)))
    said = {
        "model": "l-diversity and t-closeness",
        "l": 2,
        "diversity": "entropy",
        "t": 0.3,
        "distance": "equal",
    }
    about = claim_from_dict(said | {"columns": ["ill"]})
    assert about == AllOf((LDiversity(2, "entropy", columns=("ill",)), TCloseness(0.3, columns=("ill",))))
    for more in ({"m": 2}, {"insiders": 1}, {"unheard": "of"}):
        with pytest.raises(InputError):
            claim_from_dict(said | more)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (KAnonymity(2), "In age, every record looks the same as at least 1 other."),
        (KAnonymity(1), "In age, a record may stand alone."),
        (AllOf((KAnonymity(3), LDiversity(2))),
         "In age, every record looks the same as at least 2 others, and every class holds at least 2 values of ill."),
        (LDiversity(2, "entropy"), "In age, every class holds at least 2 sufficiently evenly spread values of ill."),
        (TCloseness(0.2), "In age, in every class ill is spread as in the whole release, within a distance of 0.2."),
        (AlphaKAnonymity(0.4, 3), "In age, every record looks the same as at least 2 others, and no class has more "
                                  "than 0.4 of its records with one value of ill."),
        (HiddenValues(0.4, {"ill": ["flu"]}), "In age, in no class have more than 0.4 of the people a hidden value in "
                                              "ill."),
        (HiddenValues(0.4, {"ill": ["flu"], "pay": ["0"]}), "In age, in no class have more than 0.4 of the people a "
                                                            "hidden value in any one of ill and pay."),
        (BetaLikeness(0.5), "In age, no value of ill is more than 1.5 times as frequent in a class as in the whole "
                            "release."),
        (DeltaDisclosure(1.5), "In age, every class holds every value of ill as often as the whole release, within a "
                               "factor of e^1.5."),
        (KmAnonymity(3, 2), "Anyone who knows up to 2 items of a person cannot tell that person's record from "
        "those of at "
                            "least 2 others."),
    ],
)  # fmt: skip
def test_claims_in_plain_words(claim, sentence):
    assert claim.headline(["age"], ["ill"]) == sentence
    assert KAnonymity(4).headline() == "Every record looks the same as at least 3 others."


def test_what_is_promised_of_listed_itemsets_is_not_promised_of_whole_records():
    said = ItemsetAnonymity(2, (("a", "b"),)).headline(["age"])
    assert "looks the same" not in said
    assert "stand together in one of the listed itemsets, and no others" in said


def test_a_claim_sees_its_columns_only():
    columns = {"age": "quasi", "ill": "sensitive", "pay": "sensitive", "note": "plain", "visits": "items"}
    assert KAnonymity(2).sees(columns) == ["age"]
    assert LDiversity(2, columns=("pay",)).sees(columns) == ["age", "pay"]
    assert AllOf((KAnonymity(2), TCloseness(0.2))).sees(columns) == ["age", "ill", "pay"]
    assert KKmAnonymity(2, 2).sees(columns) == ["age", "visits"]


def test_only_claims_about_classes_can_be_made_together():
    with pytest.raises(InputError, match="only claims about the classes of a table"):
        AllOf((KAnonymity(2), KmAnonymity(2, 2)))


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"model": "all"},
        {"model": "all", "claims": []},
        {"model": "all", "claims": [{"model": "k^m-anonymity", "k": 2, "m": 2}]},
        {"model": "all", "claims": [{"model": "all", "claims": []}]},
        {"model": "differential privacy", "epsilon": 0.1},
        {"model": "(alpha,k)-anonymity", "alpha": 0.5},
        {"model": "beta-likeness", "beta": 1, "likeness": "basic", "k": 2},
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
        {"model": "k^m-anonymity", "k": 5, "m": 0},
        {"model": "k^m-anonymity", "k": 5, "m": 2, "l": 2},
        {"model": "l^m-diversity", "m": 2},
        {"model": "k-anonymity of listed itemsets", "k": 5, "itemsets": []},
        {"model": "k-anonymity of listed itemsets", "itemsets": [["a"]]},
        {"model": "k-anonymity of listed itemsets", "k": 5, "m": 2, "itemsets": [["a"]]},
        {"model": "(k,x^m)-anonymity", "k": 5, "m": 2},
        {"model": "(k,k^m)-anonymity", "k": 5, "m": 2, "t": 0.5},
        *(
            {"model": "k^(m,n)-anonymity", "k": 2, "m": 1, "n": 0} | wrong
            for wrong in ({"n": -1}, {"sensitive": 5}, {"negations": [5]}, {"negations": "age"}, {"l": 2})
        ),
    ],
    ids=repr,
)
def test_a_malformed_claim_is_refused(said):
    with pytest.raises(InputError):
        claim_from_dict(said)


def test_several_claims_must_all_hold():
    q = np.array([0, 0, 1, 1, 2])
    ill = Sensitive(np.array([0, 1, 0, 0, 1]), ("flu", "gout"))
    verdict = make_claim("table", k=2, l=2).check(Published({"q": q}, {"disease": ill}))
    assert not verdict
    assert verdict.witnesses == (3, 4, 5)
    assert verdict.broken == 3
    assert verdict.reached == {"k": 1, "l": 1}
    assert "under k=2" in verdict.sentence
    assert "under l=2" in verdict.sentence
    assert make_claim("table", k=2, l=2).check(
        Published({"q": q[:2]}, {"disease": Sensitive(ill.codes[:2], ill.values)})
    )


def test_what_cannot_be_judged_is_not_judged_even_beside_what_can():
    claim = AllOf((KAnonymity(1), LDiversity(1, columns=("gone",))))
    verdict = claim.check(Published({"q": np.array([0])}, {"s": Sensitive(np.array([0]), ("x",))}))
    assert not verdict.judged
    assert not verdict


def test_claims_that_contradict_each_other_are_refused():
    with pytest.raises(InputError, match="differ in k"):
        AllOf((KAnonymity(2), KAnonymity(3)))
    with pytest.raises(InputError, match="one model occurs twice"):
        AllOf((KAnonymity(2), KAnonymity(2)))
    with pytest.raises(InputError, match="none is given"):
        AllOf(())


@pytest.mark.parametrize(
    ("shape", "guarantee", "enough"),
    [
        ("table", {"k": 1}, False),
        ("table", {"k": 2}, True),
        ("table", {"l": 1}, False),
        ("table", {"l": 2}, True),
        ("table", {"t": 0.2}, False),
        ("table", {"beta": 1.0}, False),
        ("table", {"disclosure": 1.0}, False),
        ("table", {"alpha": 0.5, "k": 1}, False),
        ("table", {"k": 1, "l": 3}, False),
        ("baskets", {"k": 1, "m": 2}, False),
        ("baskets", {"l": 2, "m": 2}, False),
        ("baskets", {"l": 2}, True),
        ("baskets", {"k": 1}, False),
        ("mixed", {"k": 1}, False),
        ("trees", {"k": 1}, False),
        ("trees", {"k": 2}, True),
    ],
)
def test_what_leaves_people_without_a_look_alike_is_no_promise(shape, guarantee, enough):
    claim = make_claim(shape, **guarantee)
    if enough:
        assert require_protection(claim) is claim
    else:
        with pytest.raises(InputError, match=r"^guarantee: .* without a look-alike; give a k of at least 2"):
            require_protection(claim)


# Which claim promises at least as much as which: from the definitions, and never more than they give.

STRONGER = [
    (KAnonymity(5), KAnonymity(4)),
    (AllOf((KAnonymity(5), LDiversity(3))), AllOf((LDiversity(2), KAnonymity(5)))),
    (AllOf((KAnonymity(5), LDiversity(3))), KAnonymity(5)),
    (AlphaKAnonymity(0.2, 5), KAnonymity(5)),
    (AlphaKAnonymity(0.2, 5), AlphaKAnonymity(0.3, 4)),
    (HiddenValues(0.2, {"ill": ["HIV", "flu"], "pay": []}), HiddenValues(0.3, {"ill": [" hiv"]})),
    (LDiversity(3, "entropy"), LDiversity(3)),
    (LDiversity(3, "recursive", 2), LDiversity(2, "recursive", 3)),
    (LDiversity(2), LDiversity(2, columns=("ill",))),
    (LDiversity(2, columns=("a", "b")), LDiversity(2, columns=("a",))),
    (TCloseness(0.1), TCloseness(0.2)),
    (BetaLikeness(1, "enhanced"), BetaLikeness(2)),
    (DeltaDisclosure(1), DeltaDisclosure(2)),
    (KmAnonymity(5, 3), KmAnonymity(4, 2)),
    (LmDiversity(3, 2, 5), LmDiversity(2, 2)),
    (ItemsetAnonymity(3, [["a", "b"], ["c"]]), ItemsetAnonymity(2, [["c"]])),
    (Nonreciprocal(5, 2, 1), Nonreciprocal(4)),
    (KKmAnonymity(3, 2), KKmAnonymity(2, 1)),
    (KLmDiversity(3, 3, 2), KLmDiversity(3, 2, 2)),
    (KMNAnonymity(5, 2, 1, 3, "ill", ("ward",)), KMNAnonymity(5, 2, 0, 2, "ill")),
]


@pytest.mark.parametrize(("strong", "weak"), STRONGER)
def test_what_is_stronger_is_so_one_way(strong, weak):
    assert promises_as_much(strong, weak)
    assert promises_as_much(strong, strong)
    assert not promises_as_much(weak, strong)


@pytest.mark.parametrize(
    ("stated", "asked"),
    [
        (LDiversity(9), KAnonymity(2)),
        (LDiversity(3), LDiversity(3, "entropy")),
        (TCloseness(0.1, "ordered"), TCloseness(0.1)),
        (TCloseness(0.1), TCloseness(0.1, "ordered")),
        (LDiversity(2, columns=("ill",)), LDiversity(2)),
        (KmAnonymity(5, 3), Nonreciprocal(5)),
        (KmAnonymity(5, 3), LmDiversity(2, 2)),
        (LmDiversity(2, 2, 5), KmAnonymity(5, 2)),
        (KMNAnonymity(5, 2, 1, sensitive="ill"), KMNAnonymity(5, 2, 1)),
        (KMNAnonymity(5, 2, 1), KMNAnonymity(5, 2, 1, negations=("ward",))),
        (KKmAnonymity(5, 2), KmAnonymity(5, 2)),
    ],
)
def test_where_in_doubt_not(stated, asked):
    assert not promises_as_much(stated, asked)


COMPARABLE = [
    *map(KAnonymity, (1, 2, 3)),
    *(LDiversity(l, kind, c) for l, kind, c in product((1, 2, 3), ("distinct", "entropy", "recursive"), (1, 3))),
    *map(TCloseness, (0.1, 0.4)),
    TCloseness(0.2, "ordered"),
    *(BetaLikeness(beta, kind) for beta, kind in product((0.3, 1), ("basic", "enhanced"))),
    *map(DeltaDisclosure, (0.5, 1.5)),
    *(HiddenValues(alpha, {"ill": list(ills)}) for alpha in (0.4, 0.7) for ills in ("a", "ab", "")),
    *(AlphaKAnonymity(alpha, k) for alpha, k in product((0.4, 0.7), (1, 2))),
]  # fmt: skip
cells = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), min_size=1, max_size=12)


@settings(max_examples=150)
@given(cells, st.booleans())
def test_no_release_keeps_the_stronger_and_breaks_the_weaker(rows, several):
    persons = None if not several else claim_cases.np.arange(len(rows)) // 2
    release = claim_cases.release([ill for _, ill in rows], [q for q, _ in rows], persons)
    held = {claim: bool(claim.check(release)) for claim in COMPARABLE}
    for strong, weak in product(COMPARABLE, COMPARABLE):
        if strong.implies(weak) and held[strong]:
            assert held[weak], (strong, weak)
