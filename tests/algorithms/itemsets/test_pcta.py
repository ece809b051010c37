import numpy as np
import pytest

import itemset_cases
from claiming import claimed
from shoal.algorithms.itemsets import pcta as unions
from shoal.algorithms.itemsets.pcta import apply_groups, coat, pcta
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets
from shoal.privacy import make_claim


def test_a_union_can_make_another_itemset_rare_and_it_is_seen():
    """Uniting a with h lets a record with h and b match {a, b}."""
    baskets = Baskets.of("items", [["a"], ["h", "b"], ["b"], ["b"], ["h", "c"], ["c"]])
    policy = [["a"], ["a", "b"]]
    result = coat(
        baskets, claim=make_claim("baskets", k=2, itemsets=policy), utility=[["a", "h"], ["b", "c"]]
    )
    assert result.claim.check(itemset_cases.seen(result.release, baskets))


@pytest.mark.parametrize("method", [pcta, coat])
def test_only_what_utility_lists_together_is_united(method):
    baskets = Baskets.of("items", [["a"], ["b"], ["c"], ["d"], ["e"], ["e"]])
    release = claimed(method, baskets, k=2, m=1, utility=[["a", "b"], ["c", "d"]]).release
    assert sorted(release.rule["sets"]) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("method", [pcta, coat])
def test_what_cannot_be_united_is_left_out_or_refused(method):
    baskets = Baskets.of("items", [["a"], ["b"], ["b"], ["b"]])
    with pytest.raises(InfeasibleError, match="1 item occurrences more than suppress allows"):
        claimed(method, baskets, k=2, m=1, utility=[["b"]])
    release = claimed(method, baskets, k=2, m=1, utility=[["b"]], suppress=0.25).release
    assert release.rule == {"sets": [], "suppress": ["a"]}
    assert release.suppressed == 1


@pytest.mark.parametrize("method", [pcta, coat])
def test_constraints_that_name_strangers_are_refused_without_naming_them(method):
    baskets = Baskets.of("items", [["a"], ["b"]])
    with pytest.raises(InputError, match=r"utility names 2 item\(s\) that the data do not have") as caught:
        claimed(method, baskets, k=2, utility=[["a", "mead"], ["gin"]])
    assert caught.value.value == ("gin", "mead")
    assert "mead" not in str(caught.value)
    with pytest.raises(InputError, match="twice"):
        claimed(method, baskets, k=2, utility=[["a"], ["a", "b"]])
    for wrong in ("ab", ["ab"], [[]]):
        with pytest.raises(InputError, match="utility must be lists"):
            claimed(method, baskets, k=2, utility=wrong)


def test_privacy_that_names_strangers_is_refused():
    baskets = Baskets.of("items", [["a"], ["b"]])
    with pytest.raises(InputError, match=r"privacy names 1 item\(s\)"):
        coat(baskets, claim=make_claim("baskets", k=2, itemsets=[["mead"]]))


def test_weights_steer_the_unions():
    baskets = Baskets.of("items", [["a"], ["b"], ["b"], ["c"], ["c"]])
    for weights, united in (
        ({"b": 0.1}, ["a", "b"]),
        ({"c": 0.1}, ["a", "c"]),
        ({"a": 0.0, "b": 1.0, "c": 0.0}, ["a", "c"]),
    ):
        assert claimed(pcta, baskets, k=2, m=1, weights=weights).release.rule == {"sets": [united]}
    for wrong in ({"a": 1.5}, {"a": -1}, {"a": float("nan")}):
        with pytest.raises(InputError, match="numbers from 0 to 1"):
            claimed(pcta, baskets, k=2, m=2, weights=wrong)
    with pytest.raises(InputError, match=r"weights names 1 item"):
        claimed(pcta, baskets, k=2, m=2, weights={"mead": 1})


def test_a_union_that_helps_comes_before_a_cheaper_one_that_does_not():
    """{a, b} is in one record. Uniting a with z would cost 5 records, with c 6; only c stands beside b."""
    rows = [["a", "b"], ["c", "b"], ["a"], ["a"], ["c"], ["c"], ["z"], ["z"], *[["b"]] * 6]
    assert claimed(pcta, Baskets.of("items", rows), k=2, m=2).release.rule == {"sets": [["a", "c"]]}


def test_the_loss_is_one_of_two():
    baskets = Baskets.of("items", [["a"], ["b"], ["c"], ["c"]])
    assert claimed(pcta, baskets, k=2, m=1, loss="ncp").release.rule == {"sets": [["a", "b"]]}
    with pytest.raises(InputError, match="loss='glm'; give one of ul, ncp"):
        claimed(pcta, baskets, k=2, m=2, loss="glm")


def test_a_stored_rule_recodes_its_own_data_alike():
    baskets = Baskets.of("items", [["a", "b"], ["b"], ["c"], ["d"], ["e"]])
    first = claimed(pcta, baskets, k=2, m=2).release
    again = apply_groups(baskets, first.rule["sets"], first.rule.get("suppress", ()))
    assert again.forms.labels == first.forms.labels
    assert again.forms.leaves.tolist() == first.forms.leaves.tolist()
    assert again.items.tolist() == first.items.tolist()
    with pytest.raises(InputError, match="two of its sets"):
        apply_groups(baskets, [["a", "b"], ["b"]])


def test_progress_is_told_while_items_unite(monkeypatch):
    monkeypatch.setattr(unions, "_BLOCK", 1)
    heard = []
    baskets = Baskets.of("items", [["a"], ["b"], ["c"], ["d"]])
    claimed(pcta, baskets, k=2, m=1, progress=lambda *told: heard.append(told))
    assert {what for what, _ in heard} == {"pcta: combinations of 1 items"}
    shares = [share for _, share in heard]
    assert shares == sorted(shares)
    assert len(shares) >= 4  # its beginning, two blocks at least, and the look that finds no more


def test_little_room_for_rare_itemsets_changes_no_guarantee(monkeypatch):
    monkeypatch.setattr(unions, "AT_ONCE", 3)
    rng = np.random.default_rng(5)
    baskets = Baskets.of(
        "items", [[f"i{i}" for i in np.flatnonzero(rng.random(15) < 0.3)] for _ in range(40)]
    )
    for method in (pcta, coat):
        result = claimed(method, baskets, k=3, m=3)
        assert result.claim.check(itemset_cases.seen(result.release, baskets))


def test_weights_beyond_two_to_the_thousand_are_compared():
    """Groups of over 1,100 items: 2^1100 is no float."""
    items = [f"i{i:04}" for i in range(1200)]
    baskets = Baskets.of("items", [[item] for item in items])
    release = claimed(pcta, baskets, k=1200, m=1).release
    assert len(release.rule["sets"][0]) == 1200
