"""Released baskets as judges see them, from their folder or beside originals: what items stand for, and whose it is."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.hierarchy import Hierarchy
from shoal.io.config import check
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.release import PublishedBaskets
from shoal.shapes.baskets import verification
from shoal.shapes.baskets.verification import BasketVerification, _entry_meaning, forms_of, published_baskets
from shoal.shapes.dataset import JudgingContext

VERIFICATION = BasketVerification()

TREE = Hierarchy.from_paths("items", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"]])


def test_what_an_entry_stands_for():
    assert _entry_meaning("drink", TREE) == _entry_meaning("drink", TREE) != _entry_meaning("ale", TREE)
    assert _entry_meaning("food", TREE) == _entry_meaning("pie", TREE) == _entry_meaning(("pie",), TREE)
    assert (
        _entry_meaning(("ale", "rum"), TREE)
        == _entry_meaning(("rum", "ale"), TREE)
        == ("set", frozenset(["ale", "rum"]))
    )
    assert _entry_meaning("wine", TREE) == _entry_meaning("wine", None) == ("word", "wine")
    assert _entry_meaning("drink", None) == ("word", "drink")


def test_lists_are_numbers_that_are_equal_where_their_meaning_is():
    cells = pl.Series(['["food", "drink"]', '["pie"]', "[]", '[["ale", "rum"]]'])
    seen = published_baskets(cells, TREE, frozenset(["rum", "food"]))
    assert seen.start.tolist() == [0, 2, 3, 3, 4]
    food, drink, pie, pair = seen.items.tolist()
    assert food == pie
    assert len({food, drink, pair}) == 3
    assert food in seen.sensitive
    (left_out,) = seen.sensitive - {food}  # rum is published nowhere, and is a secret all the same
    assert left_out not in seen.items.tolist()
    assert seen.covers == {"pie": {food}, "ale": {drink, pair}, "rum": {drink, pair}}


def test_without_a_hierarchy_a_word_stands_for_itself():
    seen = published_baskets(pl.Series(['["food"]', '["pie"]']), None, frozenset())
    assert len(set(seen.items.tolist())) == 2
    assert seen.sensitive == frozenset()
    assert set(seen.covers) == {"food", "pie"}


def test_no_item_at_all():
    seen = published_baskets(pl.Series(["[]", "[]"]), TREE, frozenset(["ale"]))
    assert seen.start.tolist() == [0, 0, 0]
    assert seen.items.tolist() == []
    assert len(seen.sensitive) == 1
    assert seen.covers == {}


def test_the_items_of_the_data_behind_each_entry():
    values = ("ale", "pie", "rum", "wine")
    entries = ("drink", "pie", ("wine", "pie", "gone"), "gone", "wine", "*")
    forms = forms_of(entries, values, TREE)
    assert forms.labels == ("drink", "pie", None, "gone", "wine", "*")
    found = [forms.leaves[a:b].tolist() for a, b in zip(forms.start, forms.start[1:], strict=False)]
    assert found == [[0, 2], [1], [1, 3], [], [3], [0, 1, 2]]
    assert forms.leaves.dtype == "int32"


def test_entries_without_a_hierarchy_and_no_entry():
    forms = forms_of(("drink", "pie"), ("pie",), None)
    assert forms.start.tolist() == [0, 0, 1]
    assert forms.leaves.tolist() == [0]
    none = forms_of((), ("pie",), TREE)
    assert none.labels == ()
    assert none.start.tolist() == [0]
    assert none.leaves.tolist() == []


# From their folder or beside originals: what items stand for, and whether lists can be theirs.

FILE = "ale;drink;*\nrum;drink;*\npie;food;*\nHIV;ill;*\n"
ROLES = {"items": "items", "faith": "plain"}
BOUGHT = [["ale", "pie"], ["rum"], ["pie", "HIV"], []]
FAITHS = ["a", "b", "a", "b"]


def bought(lists, faiths=None):
    """Released lists as text, with a column beside them."""
    cells = [str(one).replace("'", '"') for one in lists]
    return pl.DataFrame({"items": cells, "faith": FAITHS[: len(cells)] if faiths is None else faiths})


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "items.csv").write_text(FILE)
    return tmp_path / "items.csv"


def settings(tree, **columns):
    items = {"role": "items", "hierarchy": "items.csv", "sensitive": ["HIV"]}
    raw = {
        "data": {"path": "x.csv"},
        "columns": columns or {"who": "identifier", "bought": items, "faith": "plain"},
    }
    return check(raw, folder=tree.parent)


@pytest.fixture
def originals(tree):
    frame = pl.DataFrame({"items": BOUGHT, "faith": FAITHS})
    return shoal.read(frame, roles=ROLES, hierarchies={"items": tree}, sensitive={"items": ["HIV"]})


def test_what_is_known(tree, originals):
    assert VERIFICATION.make_context(ROLES, None, None) == JudgingContext(ROLES, {}, None)
    told = VERIFICATION.make_context(ROLES, settings(tree), None)
    assert told.secrets == {"HIV"}
    assert told.hierarchies["items"].places["drink"]
    beside = VERIFICATION.make_context(ROLES, None, originals)
    assert beside.secrets == {"HIV"}
    assert beside.hierarchies == {"items": originals.hierarchy}
    assert beside.originals is originals


def test_what_a_configuration_tells_of_items(tree):
    assert verification.read_item_settings(None) == (None, None)
    two = settings(
        tree,
        bought={"role": "items", "sensitive": ["HIV"]},
        read={"role": "items", "sensitive": ["tea"]},
        faith="plain",
    )
    assert verification.read_item_settings(two) == (None, {"bought.HIV", "read.tea"})
    one = settings(tree, read={"role": "items", "hierarchy": "items.csv"}, more={"role": "items"})
    assert (
        verification.read_item_settings(one)[0] is None
    )  # a tree over some of the items stands for none of all
    plain = settings(tree, read={"role": "items"}, age={"role": "quasi", "hierarchy": "items.csv"})
    assert verification.read_item_settings(plain) == (None, frozenset())
    assert verification.read_item_settings(settings(tree))[0].places["food"]
    assert verification.read_item_settings(settings(tree, faith="plain")) == (None, frozenset())


def test_lists_are_seen_by_what_their_items_mean(tree):
    frame = bought([["drink"], ["food"], ["pie"]])
    seen = VERIFICATION.view_for_judge(
        frame, VERIFICATION.make_context(ROLES, settings(tree), None), KmAnonymity(2, 1)
    )
    assert isinstance(seen, PublishedBaskets)
    assert len(set(seen.items.tolist())) == 2
    assert len(seen.sensitive) == 1
    seen = VERIFICATION.view_for_judge(frame, JudgingContext(ROLES), KmAnonymity(2, 1))
    assert len(set(seen.items.tolist())) == 3
    assert seen.sensitive == frozenset()


def test_lists_are_found_by_their_role(tree):
    frame = bought([["ale"], ["ale", "pie"]]).rename({"items": "bought"})
    seen = VERIFICATION.view_for_judge(
        frame, JudgingContext({"faith": "plain", "bought": "items"}), KmAnonymity(2, 1)
    )
    assert seen.start.tolist() == [0, 1, 3]


def test_different_lists():
    assert VERIFICATION.count_classes(bought([["a", "b"], ["b", "a"], ["a"], []]), JudgingContext(ROLES)) == 3
    assert verification._count_different_lists(pl.Series(["[]"])) == 1


def test_items_that_stand_for_nothing(tree):
    config = settings(tree)
    known = VERIFICATION.make_context(ROLES, config, None)
    odd = bought([["drink", "x"], [["pie", "y"], "x"]])
    said = VERIFICATION.find_unexpected(odd, known, config)
    assert said == "column 'items': 2 items stand for nothing in the hierarchy of the configuration"
    assert VERIFICATION.find_unexpected(bought([["drink"], [["pie", "ale"]]]), known, config) is None
    assert VERIFICATION.find_unexpected(odd, JudgingContext(ROLES), config) is None
    both = VERIFICATION.make_context({"items": "items", "uncertain": "items", "faith": "plain"}, config, None)
    frame = bought([["ale"], ["ale"]], ["a", "b"]).with_columns(uncertain=pl.Series(['["x"]', "[]"]))
    assert "column 'uncertain': 1 items" in VERIFICATION.find_unexpected(frame, both, config)
    leveled = settings(
        tree, bought={"role": "items"}, faith={"role": "plain", "hierarchy": "items.csv", "level": 1}
    )
    assert "'faith' is not published at level 1" in VERIFICATION.find_unexpected(
        odd, JudgingContext(ROLES), leveled
    )


@pytest.mark.parametrize(
    ("lists", "faiths", "left_out", "fits"),
    [
        ([["drink", "food"], ["drink"], ["food", "HIV"], []], FAITHS, 0, True),
        ([["drink", "food"], ["rum"]], ["a", "b"], 0, True),
        ([["drink", "food"], ["rum"]], ["b", "a"], 0, False),
        ([["drink"], ["drink"]], ["a", "b"], 0, False),
        ([["drink"], ["drink"]], ["a", "b"], 1, True),
        ([["drink"], ["drink"], ["drink"]], ["a", "b", "a"], 9, False),
        ([["drink", "HIV"]], ["a"], 1, False),
        ([["x"]], ["a"], 1, False),
    ],
)
def test_lists_that_originals_can_have_given(originals, lists, faiths, left_out, fits):
    known = VERIFICATION.make_context(ROLES, None, originals)
    assert bool(VERIFICATION.judge_provenance(bought(lists, faiths), known, left_out)) is fits


def test_without_columns_beside_them_lists_alone_must_fit(tree):
    held = shoal.read(pl.DataFrame({"items": BOUGHT}), roles={"items": "items"}, hierarchies={"items": tree})
    known = VERIFICATION.make_context({"items": "items"}, None, held)
    for lists, fits in (([["drink"], []], True), ([["rum", "ale"]], False)):
        assert bool(VERIFICATION.judge_provenance(bought(lists).drop("faith"), known, 0)) is fits


def test_too_many_lists_are_left_to_their_counts(originals, monkeypatch):
    known = VERIFICATION.make_context(ROLES, None, originals)
    lists = bought([["drink", "HIV"]], ["a"])
    assert not VERIFICATION.judge_provenance(lists, known, 1)
    monkeypatch.setattr(verification, "match_baskets", lambda *given, whole: None)
    assert VERIFICATION.judge_provenance(lists, known, 1)
    assert not VERIFICATION.judge_provenance(bought([["drink", "HIV"]], ["x"]), known, 1)
    bare = replace(known, originals=replace(originals, table=replace(originals.table, columns=())))
    assert VERIFICATION.judge_provenance(lists, bare, 1)


def test_rows_that_are_true_of_the_named_originals(originals):
    known = VERIFICATION.make_context(ROLES, None, originals)
    frame = bought([["drink"], ["food", "ill"]], ["b", "a"])
    claim = KmAnonymity(2, 1)
    for rows, true in (([1, 2], True), ([2, 1], False), ([3, 2], False)):
        assert bool(VERIFICATION.judge_rows(frame, replace(known, rows=np.array(rows)), claim, 0)) is true
    known = replace(known, rows=np.array([1, 2]))
    assert not VERIFICATION.judge_rows(bought([["drink"], ["food"]], ["b", "a"]), known, claim, 0)
    assert VERIFICATION.judge_rows(bought([["drink"], ["food"]], ["b", "a"]), known, claim, 1)
    together = bought([["drink"], [["HIV", "pie"]]], ["b", "a"])
    assert VERIFICATION.judge_rows(together, known, claim, 0)
    assert not VERIFICATION.judge_rows(
        together, known, LmDiversity(2, 1), 0
    )  # a secret is published as it is
    assert VERIFICATION.judge_rows(
        bought([["drink"], ["food", "HIV"]], ["b", "a"]), known, LmDiversity(2, 1), 0
    )
