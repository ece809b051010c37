"""Which claim promises at least as much as which: from the definitions, and never more than they give."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claim_cases
from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    Every,
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
    at_least,
)

STRONGER = [
    (KAnonymity(5), KAnonymity(4)),
    (Every((KAnonymity(5), LDiversity(3))), Every((LDiversity(2), KAnonymity(5)))),
    (Every((KAnonymity(5), LDiversity(3))), KAnonymity(5)),
    (AlphaKAnonymity(0.2, 5), KAnonymity(5)),
    (AlphaKAnonymity(0.2, 5), AlphaKAnonymity(0.3, 4)),
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
    assert at_least(strong, weak)
    assert at_least(strong, strong)
    assert not at_least(weak, strong)


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
    assert not at_least(stated, asked)


CLAIMS = [
    *map(KAnonymity, (1, 2, 3)),
    *(LDiversity(l, kind, c) for l, kind, c in product((1, 2, 3), ("distinct", "entropy", "recursive"), (1, 3))),
    *map(TCloseness, (0.1, 0.4)),
    TCloseness(0.2, "ordered"),
    *(BetaLikeness(beta, kind) for beta, kind in product((0.3, 1), ("basic", "enhanced"))),
    *map(DeltaDisclosure, (0.5, 1.5)),
    *(AlphaKAnonymity(alpha, k) for alpha, k in product((0.4, 0.7), (1, 2))),
]  # fmt: skip
cells = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(cells, st.booleans())
def test_no_release_keeps_the_stronger_and_breaks_the_weaker(rows, several):
    persons = None if not several else claim_cases.np.arange(len(rows)) // 2
    release = claim_cases.release([ill for _, ill in rows], [q for q, _ in rows], persons)
    held = {claim: bool(claim.check(release)) for claim in CLAIMS}
    for strong, weak in product(CLAIMS, CLAIMS):
        if strong.implies(weak) and held[strong]:
            assert held[weak], (strong, weak)
