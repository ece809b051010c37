"""A tree while it is edited on the page: undo, redo, people, files that are sent."""

import asyncio
import gzip
import json
from copy import deepcopy
from threading import Event
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from shoal.base.errors import HierarchyError, InputError
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.edit import Editable
from shoal.io.config import check
from shoal.io.settings import set_hierarchy
from shoal.jobs.risk_counts import count
from shoal.web.pages.grouping import group_by_quantiles, group_by_ranges
from shoal.web.pages.hierarchy_editor import HierarchyEditor, HierarchyEditors
from shoal.web.pages.steps.hierarchies import _describe_column
from shoal.web.server.job_folder import inner_path
from shoal.web.server.workspace import Upload

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


def counted_nodes(tree):
    """The nodes of a tree as the job tells of them, one person in each."""
    nodes = tree.nodes
    return {
        "label": [tree.labels[node] for node in nodes.ids.tolist()],
        "level": nodes.levels.tolist(),
        "depth": nodes.depths.tolist(),
        "people": [1] * len(nodes.ids),
    }


def people(desk):
    """The people of each node by its label."""
    listed = desk.listed()
    return dict(zip(listed["label"], listed["people"], strict=True))


def grouped(desk, label, *members):
    return desk.do(lambda tree: tree.group([tree.find(member) for member in members], label))


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
    assert not desk.do(lambda tree: tree.rename(tree.find("women"), "women"))


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
    facts = {"column": "h", "height": listed.height, "people": 9, "nodes": counted_nodes(listed)}
    facts["adds_up"] = data.draw(st.booleans())
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
    from shoal.web.pages.steps.hierarchies import _edit_from_request

    with pytest.raises(HierarchyError):
        desk.do(_edit_from_request(told))
    assert not desk.do(_edit_from_request({"act": "burn"}))


@pytest.mark.parametrize("words", ["Remove age\\x", 'Remove "age" {1}', "Remove age=1 \\"])
def test_a_button_is_named_in_whatever_signs(words):
    pytest.importorskip("nicegui", reason="the extra web is not installed")
    from nicegui import Client, ui

    from shoal.web.pages.steps.hierarchies import _add_button

    with Client(ui.page("")):
        assert _add_button("Remove", print, words=words).props["aria-label"] == words


def test_the_list_of_hierarchies_says_where_groups_are_by_frequency(tmp_path, desk):
    listed = JOBS.replace("care", "nurse or doctor").replace("office", "clerk or lawyer")
    by_use = HierarchyEditor(counted(tmp_path, "job\nnurse\nclerk\n", listed))
    assert "grouped by frequency, not by meaning" in _describe_column(by_use)
    assert "frequency" not in _describe_column(desk)


# Edited trees as the jobs that come after see them: files, and a configuration that names them.


CONFIGURATION = {
    "data": {"path": "people.csv"},
    "columns": {
        "name": "identifier",
        "sex": "quasi",
        "age": {"role": "quasi", "hierarchy": {"ranges": [10]}, "weight": 2},
        "a/job": {"role": "quasi", "hierarchy": {"file": "hierarchies/a_job.csv", "built": True}},
        "b/job": {"role": "quasi", "hierarchy": "elsewhere/job.csv"},
        "c/job": {"role": "quasi", "hierarchy": {"x": ["1"]}},
    },
    "guarantee": {"k": 5},
}
PUBLIC = ("b/job", "c/job")


class Fake:
    """A project without a server, whose jobs are over at once."""

    def __init__(self, folder, configuration):
        self.folder, self.given = folder, configuration
        self.hierarchies, self.edited, self.kept = {}, {}, {}
        self.jobs = {}
        self.rows = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]]
        self.look()

    def look(self, **roles):
        """Look at the data again, as a project does where roles are stated."""
        self.jobs["propose"] = SimpleNamespace(id=object())
        self.configuration = deepcopy(self.given)
        self.configuration["columns"] |= roles
        for column, spec in self.edited.items():
            set_hierarchy(self.configuration, column, deepcopy(spec))

    def begin(self, kind, step):
        there = [
            name
            for name, said in self.configuration["columns"].items()
            if "quasi" in (said if isinstance(said, str) else said["role"])
        ]
        found = {"columns": [self.counted(name) for name in there]}
        self.jobs[step] = SimpleNamespace(kind=kind, state="done", over=True, found=found)

    def job(self, step):
        return self.jobs.get(step)

    def result(self, step):
        return self.jobs[step].found

    def section(self, name):
        return dict(self.configuration.get(name, {}))

    def rows_of(self, name):
        """The rows that a job would read for a column."""
        spec = hierarchy_of(self.configuration, name)
        file = spec.get("file") if isinstance(spec, dict) else spec
        if file in self.hierarchies:
            return [line.split(";") for line in self.hierarchies[file].read_text().splitlines()]
        assert spec == hierarchy_of(self.given, name)
        return self.rows

    def counted(self, name):
        tree = Editable.of(Hierarchy.from_paths(name, self.rows_of(name)))
        spec = hierarchy_of(self.configuration, name)
        return {
            "column": name,
            "file": spec.get("file") if isinstance(spec, dict) else spec,
            "public": name in PUBLIC,
            "people": 9,
            "adds_up": True,
            "error": None,
            "height": tree.height,
            "nodes": counted_nodes(tree),
        }

    def state_hierarchy(self, column, spec):
        set_hierarchy(self.configuration, column, spec)


def hierarchy_of(configuration, column):
    said = configuration["columns"][column]
    return said.get("hierarchy") if isinstance(said, dict) else None


@pytest.fixture
def desks(tmp_path):
    desks = HierarchyEditors.of(Fake(tmp_path, CONFIGURATION))
    desks.begin()
    desks.read()
    return desks


def rename(desks, column):
    desk = desks.there[column]
    desk.do(lambda tree: tree.rename(tree.find("low"), "lower"))
    desks.write(desk)
    return desk


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("sex", {"role": "quasi", "hierarchy": {"file": "hierarchies/edited/sex.csv", "built": True}}),
        (
            "age",
            {
                "role": "quasi",
                "weight": 2,
                "hierarchy": {"file": "hierarchies/edited/age.csv", "built": True},
            },
        ),
        ("a/job", {"role": "quasi", "hierarchy": {"file": "hierarchies/edited/job.csv", "built": True}}),
        ("b/job", {"role": "quasi", "hierarchy": "hierarchies/edited/job.csv"}),
        ("c/job", {"role": "quasi", "hierarchy": "hierarchies/edited/job.csv"}),
    ],
)
def test_an_edited_tree_is_a_file_until_it_is_undone(desks, column, said):
    project = desks.project
    desk = rename(desks, column)
    assert project.configuration["columns"][column] == said
    name = said["hierarchy"] if isinstance(said["hierarchy"], str) else said["hierarchy"]["file"]
    assert project.hierarchies[name].read_text() == "1;lower;*\n2;lower;*\n3;high;*\n"
    assert not desks.outdated
    desk.undo()
    desks.write(desk)
    assert project.configuration == CONFIGURATION
    assert (project.hierarchies, project.edited) == ({}, {})


def test_a_file_that_a_job_has_is_not_changed_under_it(desks, tmp_path):
    desk = rename(desks, "sex")
    path = desks.project.hierarchies["hierarchies/edited/sex.csv"]
    (tmp_path / "of_a_job.csv").hardlink_to(path)
    desk.do(lambda tree: tree.rename(tree.find("lower"), "lowest"))
    desks.write(desk)
    assert "lowest" not in (tmp_path / "of_a_job.csv").read_text()
    assert "lowest" in path.read_text()


def test_edits_outlive_other_roles_and_another_count(desks):
    edited, other = rename(desks, "sex"), desks.there["age"]
    project = desks.project
    project.configuration["columns"]["name"] = "drop"
    assert desks.outdated
    desks.begin()
    assert not desks.is_recounted
    desks.read()
    assert desks.there["sex"] is edited
    assert desks.there["age"] is other
    project.rows = [["1", "*"], ["2", "*"], ["3", "*"]]
    desks.begin()
    assert desks.is_recounted
    desks.read()
    assert desks.there["age"].tree.rows() == project.rows
    assert not other.can_undo
    assert edited.tree.find("lower")


def visit(desks):
    """Open the screen, and wait until people are counted."""
    if desks.outdated:
        desks.begin()
    desks.read()


def test_an_edit_stays_one_where_the_role_went_away_and_came_back(desks):
    edited, project = rename(desks, "a/job"), desks.project
    for roles in ({"a/job": "sensitive"}, {}):
        project.look(**roles)
        visit(desks)
    desk = desks.there["a/job"]
    assert desk is edited
    desk.do(lambda tree: tree.rename(tree.find("high"), "higher"))
    desks.write(desk)
    desk.undo()
    desks.write(desk)
    lower = [["1", "lower", "*"], ["2", "lower", "*"], ["3", "high", "*"]]
    assert project.rows_of("a/job") == desk.tree.rows() == lower
    desk.do(lambda _: desk.proposed)
    desks.write(desk)
    assert project.rows_of("a/job") == desk.tree.rows() == project.rows


def test_an_edit_that_is_undone_while_people_are_counted_does_not_become_the_proposal(desks):
    desk = rename(desks, "sex")
    desks.begin()
    desk.undo()
    desks.write(desk)
    desks.read()
    assert desks.there["sex"].tree.rows() == desks.project.rows_of("sex") == desks.project.rows


def test_a_count_that_could_not_be_begun_is_still_due(desks, monkeypatch):
    project = desks.project
    project.look()

    def refuse(kind, step):
        raise InputError("the data are being looked at again")

    with monkeypatch.context() as patched:
        patched.setattr(project, "begin", refuse)
        with pytest.raises(InputError):
            desks.begin()
    assert desks.outdated


def test_a_count_that_is_begun_twice_shows_no_trees_of_other_data(desks):
    desks.project.rows = [["1", "one", "*"], ["2", "2", "*"], ["3", "3", "*"]]
    desks.project.look()
    desks.begin()
    desks.begin()
    assert not desks.is_recounted
    desks.read()
    assert desks.there["sex"].tree.rows() == desks.project.rows


ACTS = ("edit", "edit", "undo", "redo", "as proposed", "away", "back", "other data", "begin", "read", "visit")


def act_on(desk, act, label):
    acts = {
        "edit": lambda: desk.do(lambda tree: tree.group([tree.find("1")], label)),
        "undo": desk.undo,
        "redo": desk.redo,
        "as proposed": lambda: desk.do(lambda _: desk.proposed),
    }
    acts[act]()


@given(st.sampled_from(["sex", "age", "a/job", "b/job"]), st.lists(st.sampled_from(ACTS), max_size=16))
def test_the_tree_on_the_screen_is_the_tree_of_the_next_job(tmp_path_factory, column, acts):
    project = Fake(tmp_path_factory.mktemp("project"), CONFIGURATION)
    desks = HierarchyEditors.of(project)
    visit(desks)
    desk = desks.there[column]
    proposals = [project.rows]
    is_read = True
    for number, act in enumerate(acts):
        match act:
            case "away":
                project.look(**{column: "sensitive"})
            case "back":
                project.look()
            case "other data":
                project.rows = [["1", f"group {number}", "*"], ["2", "2", "*"], ["3", "3", "*"]]
                proposals.append(project.rows)
                project.look()
            case "begin":
                desks.begin()
                is_read = desks.is_recounted
            case "read" | "visit":
                visit(desks) if act == "visit" else desks.read()
                is_read = True
            case _:
                act_on(desk, act, f"edit {number}")
                desks.write(desk)
        assert desk.proposed.rows() in proposals
        assert desk.is_edited or desk.tree.rows() in proposals
        is_shown = is_read and not desks.outdated and column in desks.there
        if is_shown and project.configuration["columns"][column] != "sensitive":
            assert desks.there[column] is desk
            assert project.rows_of(column) == desk.tree.rows()


def test_no_two_trees_have_one_file(tmp_path):
    names = ["job", "JOB", "x/job", "job-2", "job-3", "ΰ" * 90, "con", "a b", "a_b"]
    said = {"role": "quasi", "hierarchy": "hierarchies/job.csv"}
    project = Fake(tmp_path, {"data": {}, "columns": {name: deepcopy(said) for name in names}})
    desks = HierarchyEditors.of(project)
    visit(desks)
    for name in names:
        rename(desks, name)
    assert len({path.name.casefold() for path in project.hierarchies.values()}) == len(names)
    for name in project.hierarchies:
        assert inner_path(name).as_posix() == name
        assert name != "hierarchies/job.csv"  # columns that were not edited may use it


def test_a_column_that_takes_no_hierarchy_gets_none():
    said = {
        "columns": {"sex": "plain", "pay": {"role": "sensitive", "hierarchy": {"ranges": [10]}, "level": 1}}
    }
    set_hierarchy(said, "sex", "sex.csv")
    set_hierarchy(said, "gone", "gone.csv")
    set_hierarchy(said, "pay", "pay.csv")
    assert said["columns"] == {
        "sex": "plain",
        "pay": {"role": "sensitive", "hierarchy": "pay.csv", "level": 1},
    }
    trees = {"tree": {"hierarchies": {"town": {"fanout": 2}}}}
    set_hierarchy(trees, "town", "town.csv")
    set_hierarchy(trees, "gone", "gone.csv")
    assert trees == {"tree": {"hierarchies": {"town": "town.csv"}}}


def sent(path, data):
    path.write_bytes(data)
    return Upload("1", path.name, len(data), path)


def test_a_file_is_read_while_other_pages_go_on(desks, tmp_path, monkeypatch):
    goes_on, read = Event(), files.read
    monkeypatch.setattr(files, "read", lambda path: goes_on.wait(20) and read(path))
    desk = desks.there["sex"]

    async def take():
        taking = asyncio.create_task(desks.take_file(desk, sent(tmp_path / "mine.csv", b"1;*\n2;*\n3;*\n")))
        await asyncio.sleep(0.05)
        goes_on.set()
        await taking

    asyncio.run(take())
    assert desk.tree.rows() == [["1", "*"], ["2", "*"], ["3", "*"]]


@pytest.mark.parametrize("name", ["mine.csv", "mine.csv.gz"])
def test_a_file_too_large_for_the_page_is_refused(desks, tmp_path, name):
    data = b"1;*\n" * 5_100_000
    upload = sent(tmp_path / name, gzip.compress(data, 1) if name.endswith("gz") else data)
    with pytest.raises(HierarchyError, match=r"more than 20 MB.*shoal\.toml.*command line"):
        asyncio.run(desks.take_file(desks.there["sex"], upload))
    assert not desks.there["sex"].is_edited


def test_a_file_that_cannot_be_unpacked_is_refused(desks, tmp_path):
    with pytest.raises(HierarchyError, match="is not a whole gzip file"):
        asyncio.run(desks.take_file(desks.there["sex"], sent(tmp_path / "mine.csv.gz", b"1;*\n")))


def editing(folder, people, hierarchy, data=None):
    """A project without a server, its trees, and the one of its column."""
    configuration = {"data": {"path": "people.csv", **(data or {})}, "columns": {"job": "quasi"}}
    project = Fake(folder, configuration)
    editor = HierarchyEditor(counted(folder, people, hierarchy, data=data or {}))
    return project, HierarchyEditors(project), editor


def test_a_rule_groups_all_values_and_is_what_the_configuration_names(tmp_path):
    project, editors, editor = editing(tmp_path, "job\n17\n23\n31\n", "17;*\n23;*\n31;*\n")
    assert editor.facts["public"]
    editor.regroup(group_by_ranges("job", list(editors.holders(editor)), [10]))
    editors.write(editor)
    assert project.edited["job"] == {"ranges": [10]}
    assert project.hierarchies == {}
    editor.do(lambda tree: tree.rename(tree.find("[10, 20)"), "teens"))
    editors.write(editor)
    assert project.edited["job"] == {"file": "hierarchies/edited/job.csv", "built": True}
    editor.undo()
    editors.write(editor)
    assert project.edited["job"] == {"ranges": [10]}
    editor.do(lambda _: editor.proposed)
    assert editor.grouping is None


def test_bounds_that_somebody_takes_are_public(tmp_path):
    ages = list(map(str, range(20, 60)))
    project, editors, editor = editing(
        tmp_path, "\n".join(["job", *ages, ""]), "".join(f"{a};*\n" for a in ages)
    )
    editor.facts["public"] = False
    editor.regroup(group_by_quantiles("job", editors.holders(editor), 4))
    editors.write(editor)
    assert project.edited["job"] == "hierarchies/edited/job.csv"


def test_values_in_no_group_are_grouped_by_a_rule(tmp_path):
    _, editors, editor = editing(tmp_path, "job\n17\n23\n?\n", "17;*\n?;*\n", data={"missing": ["?"]})
    assert editors.holders(editor) == {"17": 1, "23": 0}
    editor.regroup(group_by_ranges("job", list(editors.holders(editor)), [10]))
    assert editor.tree.size == 2
