"""Edited trees as the jobs that come after see them: files, and a configuration that names them."""

import asyncio
import gzip
from copy import deepcopy
from threading import Event
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, InputError
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.edit import Editable
from shoal.io.settings import set_hierarchy
from shoal.web.pages.hierarchy_editor import HierarchyEditors
from shoal.web.server.job_folder import inner_path
from shoal.web.server.workspace import Upload

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
        nodes = tree.nodes
        spec = hierarchy_of(self.configuration, name)
        facts = {
            "column": name,
            "file": spec.get("file") if isinstance(spec, dict) else spec,
            "public": name in PUBLIC,
            "people": 9,
            "adds_up": True,
        }
        return facts | {
            "error": None,
            "height": tree.height,
            "nodes": {
                "label": [tree.labels[node] for node in nodes.ids.tolist()],
                "level": nodes.levels.tolist(),
                "depth": nodes.depths.tolist(),
                "people": [1] * len(nodes.ids),
            },
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
    desk.do(lambda tree: tree.renamed(tree.find("low"), "lower"))
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
    desk.do(lambda tree: tree.renamed(tree.find("lower"), "lowest"))
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
    desk.do(lambda tree: tree.renamed(tree.find("high"), "higher"))
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
        "edit": lambda: desk.do(lambda tree: tree.grouped([tree.find("1")], label)),
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
    data = b"".join(b"%d;*\n" % number for number in range(2_700_000))
    upload = sent(tmp_path / name, gzip.compress(data, 1) if name.endswith("gz") else data)
    with pytest.raises(HierarchyError, match=r"more than 20 MB.*shoal\.toml.*command line"):
        asyncio.run(desks.take_file(desks.there["sex"], upload))
    assert not desks.there["sex"].is_edited


def test_a_file_that_cannot_be_unpacked_is_refused(desks, tmp_path):
    with pytest.raises(HierarchyError, match="is not a whole gzip file"):
        asyncio.run(desks.take_file(desks.there["sex"], sent(tmp_path / "mine.csv.gz", b"1;*\n")))
