"""A tree while it is edited on the page: undo, redo, people, files that are sent."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.edit import Editable
from shoal.io.config import check
from shoal.publish.study.counts import count
from shoal.web.pages.hierarchy_editor import HierarchyEditor
from shoal.web.pages.steps.hierarchies import _line

JOBS = "nurse;care;*\ndoctor;care;*\nclerk;office;*\nlawyer;office;*\n"


def counted(folder, people, hierarchy=JOBS, **more):
    """A column as the job tells of it."""
    (folder / "people.csv").write_text(people)
    (folder / "job.csv").write_text(hierarchy)
    columns = {"job": {"role": more.get("role", "quasi"), "hierarchy": "job.csv"}}
    raw = {"data": {"path": "people.csv", **more.get("data", {})}, "columns": columns}
    facts = count(check(raw, folder=folder)).as_dict(values=True)["columns"][0]
    return json.loads(json.dumps(facts))


@pytest.fixture
def desk(tmp_path):
    return HierarchyEditor(counted(tmp_path, "job\nnurse\nnurse\nclerk\n?\n", data={"missing": ["?"]}))


def people(desk):
    """The people of each node by its label."""
    listed = desk.listed()
    return dict(zip(listed["label"], listed["people"], strict=True))


def grouped(desk, label, *members):
    return desk.do(lambda tree: tree.grouped([tree.find(member) for member in members], label))


def test_edits_are_undone_and_done_again(desk):
    assert (desk.can_undo, desk.can_redo, desk.is_edited) == (False, False, False)
    before = desk.tree
    assert grouped(desk, "staff", "nurse", "clerk")
    after = desk.tree
    assert desk.is_edited
    desk.undo()
    assert desk.tree is before
    assert (desk.can_undo, desk.can_redo, desk.is_edited) == (False, True, False)
    desk.redo()
    assert desk.tree is after
    desk.undo()
    grouped(desk, "women", "nurse")
    assert not desk.can_redo
    desk.do(lambda _: desk.proposed)
    assert not desk.is_edited
    desk.undo()
    assert people(desk)["women"] == 2
    assert not desk.do(lambda tree: tree.renamed(tree.find("women"), "women"))


def test_a_refused_edit_changes_nothing(desk):
    changes = desk.changes
    with pytest.raises(HierarchyError):
        grouped(desk, "care", "nurse", "clerk")
    assert (desk.changes, desk.can_undo) == (changes, False)


def test_people_of_new_groups_are_added_up(desk):
    assert people(desk) == {"*": 4, "care": 2, "nurse": 2, "doctor": 0, "office": 1, "clerk": 1, "lawyer": 0}
    grouped(desk, "staff", "nurse", "clerk")
    assert (people(desk)["staff"], people(desk)["*"], desk.is_rough) == (3, 4, False)
    assert desk.levels() == [4, 3, 1]


def test_where_people_hold_several_values_a_new_group_is_counted_again(tmp_path):
    bought = "job\nnurse clerk\nnurse doctor\nclerk\n"
    desk = HierarchyEditor(counted(tmp_path, bought, role="items"))
    assert people(desk) == {"*": 3, "care": 2, "nurse": 2, "doctor": 1, "office": 2, "clerk": 2, "lawyer": 0}
    grouped(desk, "staff", "nurse", "clerk")
    assert (people(desk)["staff"], desk.is_rough) == (-3, True)  # 2 + 2, but there are only 3 people
    assert people(desk)["care"] == people(desk)["doctor"] == 1  # the same people as the doctor's
    desk.count(counted(tmp_path, bought, desk.tree.text(), role="items"))
    assert (people(desk)["staff"], desk.is_rough) == (3, False)
    desk.undo()
    assert people(desk)["care"] == 2
    desk.redo()
    assert people(desk)["staff"] == 3


def test_a_file_that_was_sent_takes_the_place_of_the_tree(desk):
    rows = [["nurse", "care", "health", "*"], ["clerk", "desk", "desk", "*"], ["baker", "food", "food", "*"]]
    desk.replace(Editable.of(Hierarchy.from_paths("mine", rows)), "mine.csv")
    assert desk.tree.rows() == rows
    assert people(desk)["baker"] == 0
    assert desk.tree.find("care") == desk.proposed.find("care")
    desk.undo()
    assert not desk.is_edited


def test_a_file_must_have_the_values_that_people_have(desk):
    with pytest.raises(HierarchyError, match=r"'mine.csv': 1 value\(s\) of 'job' are not in it") as error:
        desk.replace(Editable.of(Hierarchy.from_paths("mine", [["nurse", "*"]])), "mine.csv")
    assert "clerk" not in str(error.value)
    assert not desk.is_edited


@given(strategies.hierarchies(), strategies.hierarchies(leaves=(*strategies.VALUES, "e")), st.data())
def test_numbers_of_nodes_follow_their_labels(before, after, data):
    listed = Editable.of(Hierarchy.from_paths("h", before))
    nodes = listed.nodes
    facts = {
        "column": "h",
        "height": listed.height,
        "people": 9,
        "adds_up": data.draw(st.booleans()),
        "nodes": {
            "label": [listed.labels[node] for node in nodes.ids.tolist()],
            "level": nodes.levels.tolist(),
            "depth": nodes.depths.tolist(),
            "people": [1] * len(nodes.ids),
        },
    }
    desk = HierarchyEditor(facts)
    tree = Editable.of(Hierarchy.from_paths("h", after))
    desk.replace(tree, "h.csv")
    assert desk.tree.rows() == tree.rows()
    for label in set(facts["nodes"]["label"]) & {label for row in tree.rows() for label in row}:
        assert desk.tree.find(label) == desk.proposed.find(label)


@pytest.mark.parametrize(
    "told",
    [
        {"act": "rename", "node": True, "label": "x"},
        {"act": "rename", "node": 10**30, "label": "x"},
        {"act": "rename", "label": None},
        {"act": "move", "nodes": ["1"], "under": 1},
        {"act": "move", "nodes": [1, -1], "under": {}},
        {"act": "group", "nodes": {}, "label": "x"},
        {"act": "group", "nodes": [1.5], "label": "x"},
        {"act": "ungroup"},
    ],
)
def test_whatever_a_page_says_is_only_done_where_it_can_be(desk, told):
    pytest.importorskip("nicegui", reason="the extra web is not installed")
    from shoal.web.pages.steps.hierarchies import edit_of

    with pytest.raises(HierarchyError):
        desk.do(edit_of(told))
    assert not desk.do(edit_of({"act": "burn"}))


@pytest.mark.parametrize("words", ["Remove age\\x", 'Remove "age" {1}', "Remove age=1 \\"])
def test_a_button_is_named_in_whatever_signs(words):
    pytest.importorskip("nicegui", reason="the extra web is not installed")
    from nicegui import Client, ui

    from shoal.web.pages.steps.hierarchies import _button

    with Client(ui.page("")):
        assert _button("Remove", print, words=words).props["aria-label"] == words


def test_the_list_of_hierarchies_says_where_groups_are_by_frequency(tmp_path, desk):
    listed = JOBS.replace("care", "nurse or doctor").replace("office", "clerk or lawyer")
    by_use = HierarchyEditor(counted(tmp_path, "job\nnurse\nclerk\n", listed))
    assert "grouped by frequency, not by meaning" in _line(by_use)
    assert "frequency" not in _line(desk)
