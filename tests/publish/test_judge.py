"""`shoal.judge` with every claim, on a frame of its shape and on others; what is no data is told in one sentence."""

import json

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.privacy import CLAIMS

TABLE = pl.DataFrame({"age": ["3*", "3*", "4*", "4*"], "ill": ["flu", "gout", "flu", "gout"]})
BASKETS = pl.DataFrame({"items": [["ale", "pie"], ["ale", "pie"], ["ale"], ["ale"]]})
MIXED = pl.DataFrame({"age": ["3*", "3*"], "items": [["ale"], ["ale"]]})
NODES = json.dumps([{"class": "ill", "value": "flu", "children": []}])
TREES = pl.DataFrame({"nodes": [NODES, NODES]})
ABOUT = {"quasi": ["age"], "sensitive": ["ill"]}
TWO = shoal.read(pl.DataFrame({"items": [["ale"], ["ale"]]}), roles={"items": "items"})

CASES = {
    "k-anonymity": (shoal.KAnonymity(2), TABLE, {"quasi": ["age"]}),
    "average risk": (shoal.AverageRisk(0.5), TABLE, {"quasi": ["age"]}),
    "k-anonymity of known subsets": (shoal.SubsetAnonymity(2, 1), TABLE, {"quasi": ["age"]}),
    "k-anonymity with known columns": (
        shoal.CoreAnonymity(2, 1),
        TABLE.with_columns(visits=pl.Series(["1", "1", "2", "2"])),
        {"quasi": ["age"], "known": ["visits"]},
    ),
    "k-anonymity of linked rows": (
        shoal.LinkedAnonymity(2),
        TABLE.with_columns(pid=pl.Series(["a", "b", "a", "b"])),
        {"quasi": ["age"], "person": "pid"},
    ),
    "l-diversity": (shoal.LDiversity(2), TABLE, ABOUT),
    "t-closeness": (shoal.TCloseness(0.1), TABLE, ABOUT),
    "beta-likeness": (shoal.BetaLikeness(0.1), TABLE, ABOUT),
    "delta-disclosure privacy": (shoal.DeltaDisclosure(0.1), TABLE, ABOUT),
    "(alpha,k)-anonymity": (shoal.AlphaKAnonymity(0.5, 2), TABLE, ABOUT),
    "hidden values": (shoal.HiddenValues(0.5, {"ill": ["flu"]}), TABLE, ABOUT),
    "k^m-anonymity": (shoal.KmAnonymity(2, 2), BASKETS, {}),
    "l^m-diversity": (
        shoal.LmDiversity(2, 1),
        BASKETS.with_columns(items=pl.Series([["ale", "pie"], ["ale"], ["ale"], ["ale"]])),
        {"sensitive": ["pie"]},
    ),
    "k-anonymity of listed itemsets": (shoal.ItemsetAnonymity(2, [["ale", "pie"]]), BASKETS, {}),
    "nonreciprocal k-anonymity": (
        shoal.Nonreciprocal(2),
        pl.DataFrame({"items": [["ale"]] * 2, "uncertain": [[], []], "errors": [0, 0]}, strict=False),
        {"original": TWO},
    ),
    "(k,k^m)-anonymity": (shoal.KKmAnonymity(2, 1), MIXED, {"quasi": ["age"]}),
    "(k,l^m)-diversity": (
        shoal.KLmDiversity(2, 2, 1),
        pl.DataFrame({"age": ["3*"] * 2, "items": [["ale", "pie"], ["ale"]]}),
        {"quasi": ["age"], "sensitive": ["pie"]},
    ),
    "k^(m,n)-anonymity": (shoal.KMNAnonymity(2, 1, 0), TREES, {}),
}


def test_every_claim_is_tried():
    named = {CLAIMS[model] for model in CASES}
    others = {
        kind for kind in CLAIMS.values() if kind.__module__ == "shoal.privacy.population"
    }  # no frame has one
    assert named | others == set(CLAIMS.values())
    assert {kind.__name__ for kind in named} <= set(shoal.__all__)


@pytest.mark.parametrize("model", CASES)
def test_a_frame_of_the_shape_is_judged(model):
    claim, frame, about = CASES[model]
    verdict = shoal.judge(frame, claim, **about)
    assert verdict.judged
    assert verdict, verdict.sentence


@pytest.mark.parametrize("model", CASES)
def test_a_frame_of_another_shape_is_one_sentence(model):
    claim, _, _ = CASES[model]
    about = {"quasi": ["age"]} if "quasi" in claim.roles else {}
    with pytest.raises(
        InputError, match=r"^judge: .* is about .*the frame has no column '\w+'; there are other"
    ):
        shoal.judge(pl.DataFrame({"other": [1, 2]}), claim, **about)


def test_a_release_of_another_shape_is_one_sentence():
    people = shoal.read(
        pl.DataFrame({"age": ["31", "32", "31", "32"]}),
        roles={"age": "quasi"},
        hierarchies={"age": {"mask": "right"}},
    )
    release = shoal.anonymize(people, k=2)
    assert shoal.judge(release, shoal.KAnonymity(2))
    with pytest.raises(
        InputError, match=r"judge: k\^m-anonymity is about baskets, but the release is of a table"
    ):
        shoal.judge(release, shoal.KmAnonymity(2, 2))
    with pytest.raises(InputError, match="is not a claim"):
        shoal.judge(release, 5)


def test_what_has_no_roles_yet_is_one_sentence():
    for job in (shoal.anonymize, shoal.pareto):
        with pytest.raises(InputError, match=f"{job.__name__}: no roles are given; say what the columns are"):
            job(TABLE, k=2)
    with pytest.raises(InputError, match="there is no front of baskets to trace"):
        shoal.pareto(TWO)


def test_by_vote_nothing_is_judged_without_originals():
    claim, frame, _ = CASES["nonreciprocal k-anonymity"]
    assert not shoal.judge(frame, claim).judged
    with pytest.raises(InputError, match="have a column 'uncertain'"):
        shoal.judge(BASKETS, claim, original=TWO)


def persons(names, **columns):
    columns = columns or {"age": ["3*"] * len(names)}
    return pl.DataFrame({**columns, "pid": names}, schema_overrides={"pid": pl.String})


@pytest.mark.parametrize(
    "other", ["x ", " x", "\u200bx", "x\u200d", "x\u00ad", "\uff58", "x\u00a0", "\u2060x\ufe0f", "x\t"]
)
def test_a_person_is_one_in_every_spelling(other):
    for claim in (shoal.KAnonymity(2), shoal.LinkedAnonymity(2), shoal.AverageRisk(0.5)):
        assert shoal.judge(persons(["x", "y"]), claim, quasi=["age"], person="pid")
        assert not shoal.judge(persons(["x", other]), claim, quasi=["age"], person="pid")
    ill = {"age": ["3*"] * 4, "ill": ["flu", "gout", "flu", "gout"]}
    assert shoal.judge(
        persons([*"xyzw"], **ill), shoal.LDiversity(2), quasi=["age"], sensitive=["ill"], person="pid"
    )
    both = persons(["x", other, "y", "y"], **ill)
    assert not shoal.judge(
        both, shoal.AlphaKAnonymity(0.9, 2), quasi=["age"], sensitive=["ill"], person="pid"
    )


def test_numbers_of_persons_are_one_with_and_without_decimals():
    assert not shoal.judge(persons(["7", "7.0"]), shoal.KAnonymity(2), quasi=["age"], person="pid")
    floats = pl.DataFrame({"age": ["3*"] * 2, "pid": [7.0, 8.0]})
    assert shoal.judge(floats, shoal.KAnonymity(2), quasi=["age"], person="pid")


@pytest.mark.parametrize("nobody", [None, "", "  ", "\u200b"])
@pytest.mark.parametrize(
    "claim", [shoal.KAnonymity(2), shoal.LinkedAnonymity(2), shoal.SubsetAnonymity(2, 1)]
)
def test_a_row_that_names_nobody_is_refused_as_a_configuration_does(claim, nobody):
    frame = persons(["x", "y", nobody, "z", nobody])
    with pytest.raises(InputError, match=r"column 'pid': 2 record\(s\), first record 3, name no person"):
        shoal.judge(frame, claim, quasi=["age"], person="pid")


def test_who_a_row_belongs_to_is_nothing_else_and_only_a_table_tells():
    frame = persons(["x", "y"]).with_columns(ill=pl.lit("flu"))
    for about in ({"quasi": ["age", "pid"]}, {"quasi": ["age"], "sensitive": ["pid"]}):
        claim = shoal.LDiversity(2) if "sensitive" in about else shoal.KAnonymity(2)
        with pytest.raises(InputError, match="'pid' says whom a row belongs to, so it cannot be"):
            shoal.judge(frame, claim, person="pid", **about)
    with pytest.raises(InputError, match="person goes with claims about tables"):
        shoal.judge(
            MIXED.with_columns(pid=pl.lit("x")), shoal.KKmAnonymity(2, 1), quasi=["age"], person="pid"
        )
