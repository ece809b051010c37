import numpy as np
import pytest

import itemset_cases
from claiming import claimed
from itemset_cases import TREE
from shoal.algorithms.itemsets.apriori import apriori, lra, vpa
from shoal.base.errors import InputError
from shoal.data import Baskets


def random_baskets(seed=0):
    rng = np.random.default_rng(seed)
    items = [path[0] for path in itemset_cases.GOODS]
    return Baskets.of("items", [[items[i] for i in np.flatnonzero(rng.random(4) < 0.4)] for _ in range(60)])


def test_one_part_is_apriori():
    baskets = random_baskets()
    whole, local = (
        claimed(apriori, baskets, TREE, k=3, m=2).release,
        claimed(lra, baskets, TREE, k=3, m=2, parts=1).release,
    )
    assert local.forms.labels == whole.forms.labels
    assert local.items.tolist() == whole.items.tolist()
    assert claimed(vpa, baskets, TREE, k=3, m=2, parts=1).release.rule == whole.rule


def test_an_item_may_stay_in_one_part_and_climb_in_another():
    baskets = Baskets.of("items", [["ale"], ["ale"], ["ale", "pie"], ["rum", "pie"]])
    result = claimed(lra, baskets, TREE, k=2, m=2, parts=2)
    assert {"ale", "drink"} <= set(result.release.forms.labels)
    assert result.release.rule == {}
    assert result.claim.check(itemset_cases.seen(result.release, baskets))


def test_parts_that_cannot_stand_alone_are_united():
    baskets = Baskets.of("items", [["ale"], ["ale"], ["ale"], ["rum"], []])
    assert claimed(lra, baskets, TREE, k=3, m=1, parts=50).trace["parts"] == 1
    secret = Baskets.of(
        "items", [["ale", "hiv"], ["ale"], ["rum"], ["pie"], ["pie"], ["pie"]], sensitive=["hiv"]
    )
    result = claimed(lra, secret, TREE, k=1, m=1, l=4, parts=6)
    assert result.trace["parts"] < 6
    assert result.claim.check(itemset_cases.seen(result.release, secret))


def test_the_last_run_mends_what_spans_parts():
    baskets = Baskets.of("items", [["ale", "pie"], ["ale", "jam"], ["rum", "pie"], ["rum", "jam"]])
    result = claimed(vpa, baskets, TREE, k=2, m=2, parts=2)
    assert result.trace["mended"] == 0
    assert result.trace["mended_last"] > 0
    assert result.claim.check(itemset_cases.seen(result.release, baskets))


@pytest.mark.parametrize("parts", [2, 3, 4, 99])
def test_any_number_of_parts_keeps_the_claim(parts):
    baskets = random_baskets(parts)
    for method in (lra, vpa):
        result = claimed(method, baskets, TREE, k=4, m=3, parts=parts)
        assert result.claim.check(itemset_cases.seen(result.release, baskets))


@pytest.mark.parametrize("method", [lra, vpa])
@pytest.mark.parametrize("parts", [0, -1, True])
def test_parts_must_be_a_number_of_parts(method, parts):
    with pytest.raises(InputError, match="parts="):
        claimed(method, random_baskets(), TREE, k=2, parts=parts)
