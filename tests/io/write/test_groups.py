"""Groups of items in a file beside the data: names that say nothing, one form, and nothing trusted."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_reading
from shoal.base.errors import InputError
from shoal.io.write import groups as module
from shoal.io.write.groups import (
    check_groups,
    has_groups,
    name_groups,
    noncanonical_groups,
    read_groups,
    read_items,
    spell_out,
    write_groups,
)
from shoal.io.write.json_text import read_lists, write_lists

WORDS = st.sampled_from(
    ["a", "b", "B", "é", "line\nbreak", 'quo"te', "\\", "(group 1)", "(group 2)", "(group 10)", "(group 0)"]
)
SETS = st.frozensets(WORDS, min_size=2, max_size=4).map(lambda members: tuple(sorted(members)))
MADE = {"(group 1)": ("bread", "rolls"), "(group 2)": ("rice", "rye", "salt")}
ROWS = ["milk", "(group 1)", "(group 2)"]


def told(folder, groups=MADE, rows=ROWS):
    """What is said of groups that somebody writes, and of the rows beside them."""
    (folder / "groups.json").write_text(json.dumps(groups))
    return noncanonical_groups(folder, read_groups(folder), rows)


# --- names


@given(st.lists(SETS, max_size=6), st.lists(WORDS, max_size=6))
def test_names_follow_from_what_is_published_and_never_are_an_item(sets, words):
    named = name_groups(sets, words)
    assert named == name_groups(reversed(sets), {*words})
    assert list(named) == list(name_groups(sets, words))
    groups = {name: members for name, members in named.items() if members != (name,)}
    assert list(groups.values()) == sorted(set(sets))
    items = {*words, *(item for members in sets for item in members)}
    assert not items & groups.keys()
    alike = {item for item in items if item in ("(group 1)", "(group 2)", "(group 10)")}
    assert named.keys() - groups.keys() == alike


@given(st.lists(SETS, max_size=6), st.lists(WORDS, max_size=6))
def test_groups_are_read_as_they_were_written_and_nothing_is_odd(tmp_path_factory, sets, words):
    folder, named = tmp_path_factory.mktemp("out"), name_groups(sets, words)
    write_groups(folder, named)
    assert (folder / "groups.json").exists() == bool(named)
    assert list(read_groups(folder).items()) == list(named.items())
    rows = [*words, *(name for name, members in named.items() if members != (name,))]
    assert noncanonical_groups(folder, named, rows) is None
    other = tmp_path_factory.mktemp("out")
    write_groups(other, name_groups(sorted(sets), sorted(words)))
    assert [path.read_bytes() for path in folder.iterdir()] == [path.read_bytes() for path in other.iterdir()]


@given(st.lists(st.lists(st.one_of(WORDS, SETS), max_size=4, unique=True), max_size=6))
def test_rows_mean_the_same_with_names_as_spelled_out(tmp_path_factory, baskets):
    entries = list(dict.fromkeys(entry for basket in baskets for entry in basket))
    named = name_groups(
        [entry for entry in entries if not isinstance(entry, str)],
        [entry for entry in entries if isinstance(entry, str)],
    )
    short = {members: name for name, members in named.items() if members != (name,)}
    start = [0]
    for basket in baskets:
        start.append(start[-1] + len(basket))
    codes = np.array([entries.index(entry) for basket in baskets for entry in basket], dtype=np.int32)
    spelled = write_lists("items", np.array(start), codes, entries)
    cells = write_lists("items", np.array(start), codes, [short.get(entry, entry) for entry in entries])
    for one, other in zip(read_lists(spelled), read_items(cells, named), strict=True):
        assert list(one) == list(other)
    folder = tmp_path_factory.mktemp("out")
    write_groups(folder, named)
    pl.DataFrame([cells]).write_csv(folder / "data.csv")
    rows = naive_reading.read_rows(folder, "csv")
    assert [row["items"] for row in rows] == [tuple(basket) for basket in baskets]


def test_a_name_that_is_none_of_the_file_stays_what_it_is():
    assert spell_out(["(group 9)", "milk", ("a", "b")], MADE) == ("(group 9)", "milk", ("a", "b"))


def test_votes_and_tables_have_no_groups():
    assert has_groups({"items": "items"})
    assert has_groups({"age": "quasi", "bought": "items"})
    assert not has_groups({"items": "items", "uncertain": "items", "errors": "plain"})
    assert not has_groups({"age": "quasi"})


# --- what no release has: one sentence, without an item


UNDEFINED = "the data names 1 groups that groups.json does not define"
UNORDERED = "groups.json holds groups whose items are out of order, or twice in one"
MISNUMBERED = "groups.json does not number its groups in the order of their items"
ONE, OTHER = MADE.values()
THIRD = [*ROWS, "(group 3)"]


@pytest.mark.parametrize(
    ("groups", "rows", "why"),
    [
        (MADE, THIRD, UNDEFINED),
        ({"(group 1)": ["bread", "rolls"]}, ROWS, UNDEFINED),
        (MADE, ROWS[:2], "groups.json defines 1 groups that no row names"),
        ({**MADE, "(group 3)": ["(group 3)"]}, ROWS, "groups.json defines 1 groups that no row names"),
        ({**MADE, "(group 3)": ["a"]}, THIRD, "groups.json holds 1 groups of fewer than two items"),
        ({**MADE, "milk": ["x", "y"]}, ROWS, "groups.json names 1 groups like an item"),
        ({**MADE, "(group 3)": ["(group 1)", "x"]}, THIRD, "groups.json names 1 groups like an item"),
        ({**MADE, "(group 3)": OTHER}, THIRD, "groups.json lists 1 groups twice, under two names"),
        ({**MADE, "(group 2)": ["salt", "rice"]}, ROWS, UNORDERED),
        ({**MADE, "(group 2)": ["rice", "rice"]}, ROWS, UNORDERED),
        (
            MADE,
            [*ROWS, ONE],
            "the data spells out 1 sets of items, which stand in groups.json in such a release",
        ),
        ({"(group 1)": OTHER, "(group 2)": ONE}, ROWS, MISNUMBERED),
        ({"(group 1)": ONE, "(group 5)": OTHER}, ["(group 1)", "(group 5)"], MISNUMBERED),
        (dict(reversed(MADE.items())), ROWS, MISNUMBERED),
        (MADE, ROWS, "groups.json holds text that is not in the one form in which shoal writes it"),
    ],
)
def test_what_no_release_has_is_told_in_one_sentence(tmp_path, groups, rows, why):
    rows = [*rows, *("milk" for name in groups if name == "milk")]
    assert told(tmp_path, groups, rows) == f"{why}; it was changed"


def test_a_name_without_any_file_is_a_group_that_nobody_defines(tmp_path):
    assert read_groups(tmp_path) == {}
    assert noncanonical_groups(tmp_path, {}, ["milk", ("a", "b")]) is None
    said = noncanonical_groups(tmp_path, {}, ["milk", "(group 1)"])
    assert said == "the data names 1 groups that groups.json does not define; it was changed"


# --- files that somebody hostile wrote


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a JSON object"),
        ("[]", "not a JSON object"),
        ('"(group 1)"', "not a JSON object"),
        ("{", "not a JSON object"),
        ('{"(group 1)": ["a", "b"]', "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ('{"a": ' * 100_000, "not a JSON object"),
        ('{\n"(group 1)": ' + "[" * 100_000 + "\n}\n", "not a JSON object"),
        ('{"(group 1)": NaN}', "not a JSON object"),
        ('{"(group 1)": ["\\ud800", "b"]}', "not a JSON object"),
        ("{}", "holds no group"),
        ("{\n}\n", "holds no group"),
        ('{"(group 1)": "ab"}', "not a list of texts"),
        ('{"(group 1)": {"a": "b"}}', "not a list of texts"),
        ('{"(group 1)": ["a", 7]}', "not a list of texts"),
        ('{"(group 1)": ["a", null]}', "not a list of texts"),
        ('{"(group 1)": ["a", ["b"]]}', "not a list of texts"),
        ('{"(group 1)": null}', "not a list of texts"),
        ('{"(group 1)": []}', "not a list of texts"),
        ('{"(group 1)": ["a", "b"], "(group 1)": ["a", "b"]}', "lists a group twice"),
        ('{\n"(group 1)": ["a", "b"],\n"(group 1)": ["a", "b"]\n}\n', "lists a group twice"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path, text, why):
    (tmp_path / "groups.json").write_text(text)
    with pytest.raises(InputError, match=why):
        read_groups(tmp_path)


def test_what_is_no_file_or_too_large_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "groups.json").mkdir()
    with pytest.raises(InputError, match="is not a file"):
        read_groups(tmp_path)
    (tmp_path / "groups.json").rmdir()
    (tmp_path / "groups.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is not a file"):
        read_groups(tmp_path)
    (tmp_path / "groups.json").unlink()
    write_groups(tmp_path, MADE)
    monkeypatch.setattr(module, "_LARGEST_ODD", 10)
    assert read_groups(tmp_path) == MADE  # its lines are read one by one
    (tmp_path / "groups.json").write_text(json.dumps(MADE))
    with pytest.raises(InputError, match="not in the one form"):
        read_groups(tmp_path)
    monkeypatch.setattr(module, "_LARGEST", 10)
    with pytest.raises(InputError, match="no more than 10 are read"):
        read_groups(tmp_path)


@pytest.mark.parametrize("more", [b" ", b"\n", b"{}", b"\x00"])
def test_nothing_stands_behind_the_groups(tmp_path, more):
    write_groups(tmp_path, MADE)
    place = tmp_path / "groups.json"
    place.write_bytes(place.read_bytes() + more)
    try:
        found = read_groups(tmp_path)
    except InputError:
        return
    assert noncanonical_groups(tmp_path, found, ROWS) is not None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "not a mapping"),
        ({1: ["a"]}, "not a mapping"),
        ({"(group 1)": "ab"}, "at least one text"),
        ({"(group 1)": []}, "at least one text"),
        ({"(group 1)": [1]}, "at least one text"),
        ({"(group 1)": ["(group 2)"], "(group 2)": ["a", "b"]}, "1 groups are named like an item"),
    ],
)
def test_groups_that_are_handed_over_are_checked(given, why):
    with pytest.raises(InputError, match=why):
        check_groups(given)
    assert check_groups({name: list(members) for name, members in MADE.items()}) == MADE
