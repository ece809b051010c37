import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import itemset_cases
from claiming import claimed
from itemset_cases import TREE
from part_cases import basket_parts, joined_baskets
from shoal.algorithms.itemsets import apriori as parting
from shoal.algorithms.itemsets import item_cuts as cuts
from shoal.algorithms.itemsets.apriori import apriori
from shoal.algorithms.itemsets.item_cuts import apply_cut
from shoal.base.errors import HierarchyError, InfeasibleError, InputError
from shoal.data import Baskets
from shoal.engines import in_turn
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shuffle_engine import Shuffle


def test_the_cheapest_replacement_is_taken():
    """Three pairs are alone. Food would mend all for 5 occurrences, drink for 9."""
    alone = [["ale", "jam"], ["rum", "jam"], ["rum", "pie"]]
    sold = Baskets.of("items", [*alone, ["ale", "pie"], ["ale", "pie"], ["ale"], ["ale"], ["ale"], ["rum"]])
    result = claimed(apriori, sold, TREE, k=2, m=2)
    assert result.release.rule == {"cut": {"jam": "food", "pie": "food"}}
    assert result.trace["mended"] == 1


def test_a_stored_cut_recodes_its_own_data_alike():
    sold = Baskets.of("items", [["ale", "jam"], ["rum", "pie"], ["ale"], ["pie"], []])
    first = claimed(apriori, sold, TREE, k=2, m=1).release
    again = apply_cut(sold, TREE, first.rule["cut"])
    assert again.forms.labels == first.forms.labels
    assert (again.items.tolist(), again.start.tolist()) == (first.items.tolist(), first.start.tolist())
    assert again.rule == first.rule


def test_a_stored_cut_takes_new_items_of_its_nodes_along():
    new = apply_cut(Baskets.of("items", [["rum"], ["pie", "jam"]]), TREE, {"ale": "drink", "jam": None})
    assert new.forms.labels == ("drink", "pie")
    assert new.suppressed == 1


def test_a_cut_that_does_not_fit_is_refused():
    sold = Baskets.of("items", [["ale"]])
    for cut in ({"ale": "food"}, {"ale": "none"}, {"none": "drink"}):
        with pytest.raises(InputError, match="does not fit the hierarchy"):
            apply_cut(sold, TREE, cut)
    with pytest.raises(InputError, match="overlap"):
        apply_cut(sold, TREE, {"ale": "*", "rum": "drink"})


def test_only_the_root_may_help_and_leaving_out_may_be_cheaper():
    sold = Baskets.of("items", [["ale", "pie"], *[["ale"]] * 5, *[["pie"]] * 3])
    assert claimed(apriori, sold, TREE, k=2, m=2).release.forms.labels == ("*",)
    kept = claimed(apriori, sold, TREE, k=2, m=2, suppress=0.4).release
    assert kept.suppressed == 4
    assert kept.rule == {"cut": {"pie": None}}
    assert claimed(apriori, sold, TREE, k=2, m=2, suppress=0.39).release.suppressed == 0


def test_sensitive_items_stay_as_they_are():
    sold = Baskets.of("items", [["ale", "rum"], ["rum"], ["pie"], ["jam"], ["pie", "ale"]], sensitive=["ale"])
    release = claimed(apriori, sold, TREE, k=2, m=1, l=2).release
    assert "ale" in release.forms.labels
    shown = itemset_cases.published(release, sold)
    assert all({"ale"} == form for forms in shown for form in forms if "ale" in form)
    assert "ale" not in release.rule["cut"]


def test_sensitive_items_need_no_place_in_the_hierarchy():
    sold = Baskets.of("items", [["ale", "hiv"], ["ale"], ["ale"], ["ale"]], sensitive=["hiv"])
    assert claimed(apriori, sold, TREE, m=1, l=2).release.suppressed == 0
    with pytest.raises(HierarchyError, match=r"1 distinct item\(s\), first in record 1"):
        claimed(apriori, sold, TREE, k=2, m=1)


def test_diversity_is_brought_to_a_fixpoint():
    """At size 2 {x, y} unites; then the size-1 share of s among the united, fine before, is looked at again."""
    tree = Hierarchy.from_paths("i", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    rows = [
        ["a", "s"],
        ["b", "s"],
        ["a", "b"],
        ["a", "b"],
        ["a", "b"],
        ["c"],
        ["c"],
        ["c"],
        ["c"],
        ["a", "c"],
    ]
    baskets = Baskets.of("i", rows, sensitive=["s"])
    result = claimed(apriori, baskets, tree, l=4, m=2)
    assert result.claim.check(itemset_cases.seen(result.release, baskets))


def test_items_that_the_hierarchy_lacks_are_counted_and_not_named():
    sold = Baskets.of("items", [["ale"], ["hiv", "rum"], ["mead"]], sensitive=["hiv"])
    with pytest.raises(HierarchyError, match=r"2 distinct item\(s\), first in record 2") as caught:
        claimed(apriori, sold, TREE, k=2)
    assert caught.value.value == ("hiv", "mead")
    assert not any(item in str(caught.value) for item in ("hiv", "mead"))
    with pytest.raises(InputError, match="none is named"):
        claimed(apriori, Baskets.of("items", [["ale"]]), TREE, l=2)


def test_records_without_open_items():
    few = Baskets.of("items", [["ale", "hiv"], ["rum"], [], []], sensitive=["hiv"])
    with pytest.raises(
        InfeasibleError, match="is in 1 of the 2 records that have other items, more than 1 of l=3"
    ):
        claimed(apriori, few, TREE, l=3)
    alone = Baskets.of("items", [["hiv"], []], sensitive=["hiv"])
    assert claimed(apriori, alone, TREE, l=2).release.items.tolist() == [0]


def test_many_replacements_are_tried_one_item_at_a_time():
    """Twelve items of a tree four levels high have 4^12 replacements together."""
    paths = [[f"i{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(16)]
    tree = Hierarchy.from_paths("items", paths)
    rows = [[f"i{i}" for i in range(12)], *[[f"i{i}" for i in range(16) if i != j] for j in range(12)]] * 1
    baskets = Baskets.of("items", rows)
    result = claimed(apriori, baskets, tree, k=2, m=12)
    assert result.claim.check(itemset_cases.seen(result.release, baskets))


def test_a_hopeless_record_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(cuts, "MOST", 1000)
    items = [f"i{i}" for i in range(50)]
    tree = Hierarchy.from_paths("items", [[item, "*"] for item in items])
    baskets = Baskets.of("items", [items, items])
    with pytest.raises(
        InfeasibleError, match=r"records of up to 50 items hold 1.2e\+03 combinations of 2 items"
    ):
        claimed(apriori, baskets, tree, k=2, m=2)


def test_long_counts_are_told_and_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    items = [f"i{i:02}" for i in range(30)]
    tree = Hierarchy.from_paths("items", [[item, item[:2], "*"] for item in items])
    rows = [[items[i] for i in np.flatnonzero(rng.random(30) < 0.3)] for _ in range(60)]
    baskets, heard = Baskets.of("items", rows), []
    whole = claimed(apriori, baskets, tree, k=3, m=3).release
    monkeypatch.setattr(cuts, "AT_ONCE", 500)
    parts = claimed(
        apriori, baskets, tree, k=3, m=3, progress=lambda what, share=None: heard.append(share)
    ).release
    assert max(share for share in heard if share is not None) > 0.5
    assert all(share is None or 0 <= share < 1 for share in heard)
    assert whole.rule == parts.rule


# Apriori Anonymization on parts of baskets gives the release that it gives in memory.


def found(act):
    try:
        return act()
    except (InfeasibleError, InputError) as error:
        return str(error)


def compare(baskets, tree, claim, cuts, suppress, seed):
    expected = found(lambda: apriori(baskets, tree, claim, suppress=suppress))
    with tempfile.TemporaryDirectory() as room:
        parts = basket_parts(baskets, Path(room), cuts, Shuffle(seed).map)
        made = found(lambda: apriori(parts, tree, claim, suppress=suppress))
        if isinstance(expected, str):
            assert made == expected
            return
        one, other = made.release.outline, expected.release
        assert made.trace == expected.trace
        assert (one.rule, one.records, one.suppressed) == (other.rule, other.records, other.suppressed)
        assert one.forms.labels == other.forms.labels
        assert np.array_equal(one.forms.start, other.forms.start)
        assert np.array_equal(one.forms.leaves, other.forms.leaves)
        assert joined_baskets(made.release.parts) == (other.start.tolist(), other.items.tolist())


@settings(max_examples=120)
@given(
    itemset_cases.cases(max_rows=40),
    st.builds(KmAnonymity, st.integers(1, 4), st.integers(1, 4)),
    st.lists(st.integers(1, 39), max_size=5),
    st.sampled_from([0.0, 0.0, 0.1, 0.3]),
    st.integers(0, 2**32),
)
def test_the_release_is_that_of_the_records_in_memory(case, claim, cuts, suppress, seed):
    compare(*case, claim, cuts, suppress, seed)


@settings(max_examples=60)
@given(
    itemset_cases.cases(max_rows=30, sensitive=True),
    st.builds(LmDiversity, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    st.lists(st.integers(1, 29), max_size=4),
    st.integers(0, 2**32),
)
def test_so_it_is_with_sensitive_items(case, claim, cuts, seed):
    compare(*case, claim, cuts, 0.0, seed)


def test_items_without_a_place_are_refused(tmp_path):
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]])
    parts = basket_parts(Baskets.of("items", [["a"], ["b", "x"]] * 3), tmp_path, [2], in_turn)
    with pytest.raises(HierarchyError, match=r"1 distinct item\(s\) are not in the hierarchy") as caught:
        apriori(parts, tree, KmAnonymity(2, 1))
    assert caught.value.value == ("x",)


def test_too_many_needed_baskets_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parting, "_MOST", 3)
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]])
    parts = basket_parts(Baskets.of("items", [["a"], ["b"], ["a", "b"]] * 3), tmp_path, [2], in_turn)
    with pytest.raises(InfeasibleError, match="too many to be held; lower k or m"):
        apriori(parts, tree, KmAnonymity(3, 2))
