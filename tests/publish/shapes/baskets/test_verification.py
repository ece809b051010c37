"""Released item lists as judges of baskets see them: equal numbers where items stand for the same leaves."""

import polars as pl

from shoal.hierarchy import Hierarchy
from shoal.publish.shapes.baskets.verification import forms_of, meaning, published_baskets

TREE = Hierarchy.from_paths("items", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"]])


def test_what_an_entry_stands_for():
    assert meaning("drink", TREE) == meaning("drink", TREE) != meaning("ale", TREE)
    assert meaning("food", TREE) == meaning("pie", TREE) == meaning(("pie",), TREE)
    assert (
        meaning(("ale", "rum"), TREE) == meaning(("rum", "ale"), TREE) == ("set", frozenset(["ale", "rum"]))
    )
    assert meaning("wine", TREE) == meaning("wine", None) == ("word", "wine")
    assert meaning("drink", None) == ("word", "drink")


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
