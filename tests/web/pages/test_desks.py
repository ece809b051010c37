"""Edited trees as the jobs that come after see them: files, and a configuration that names them."""

import json
from types import SimpleNamespace

import pytest

from shoal.hierarchy import Hierarchy
from shoal.hierarchy.editing import Editable
from shoal.web.pages.hierarchies.desks import Desks
from shoal.web.pages.settings import state_hierarchy

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
PLACES = {"a/job": "hierarchies/a_job.csv", "b/job": "elsewhere/job.csv"}
PUBLIC = ("b/job", "c/job")


class Fake:
    """A project without a server, whose jobs count at once."""

    def __init__(self, folder, configuration):
        self.folder, self.configuration = folder, json.loads(json.dumps(configuration))
        self.hierarchies, self.edited, self.kept = {}, {}, {}
        self.begun = []
        self.rows = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]]

    def begin(self, kind, step):
        self.begun.append(SimpleNamespace(kind=kind, state="done", over=True))

    def job(self, _step):
        return self.begun[-1] if self.begun else None

    def result(self, _step):
        there = [name for name in self.configuration["columns"] if name != "name"]
        return {"columns": [self.counted(name) for name in there]}

    def counted(self, name):
        tree = Editable.of(Hierarchy.from_paths(name, self.rows))
        if name in self.edited:
            tree = self.kept["hierarchies"].there[name].tree
        nodes = tree.nodes
        facts = {
            "column": name,
            "file": PLACES.get(name),
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
        state_hierarchy(self.configuration, column, spec)


@pytest.fixture
def desks(tmp_path):
    desks = Desks.of(Fake(tmp_path, CONFIGURATION))
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
        ("sex", {"role": "quasi", "hierarchy": {"file": "hierarchies/sex.csv", "built": True}}),
        ("age", {"role": "quasi", "weight": 2, "hierarchy": {"file": "hierarchies/age.csv", "built": True}}),
        ("a/job", {"role": "quasi", "hierarchy": {"file": "hierarchies/a_job.csv", "built": True}}),
        ("b/job", {"role": "quasi", "hierarchy": "hierarchies/job-4.csv"}),
        ("c/job", {"role": "quasi", "hierarchy": "hierarchies/job-5.csv"}),
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
    path = desks.project.hierarchies["hierarchies/sex.csv"]
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
    desks.begin()
    assert desks.is_recounted
    project.rows = [["1", "*"], ["2", "*"], ["3", "*"]]
    desks.read()
    assert desks.there["age"] is not other
    assert desks.there["sex"] is edited


def test_a_column_that_takes_no_hierarchy_gets_none():
    said = {
        "columns": {"sex": "plain", "pay": {"role": "sensitive", "hierarchy": {"ranges": [10]}, "level": 1}}
    }
    state_hierarchy(said, "sex", "sex.csv")
    state_hierarchy(said, "gone", "gone.csv")
    state_hierarchy(said, "pay", "pay.csv")
    assert said["columns"] == {
        "sex": "plain",
        "pay": {"role": "sensitive", "hierarchy": "pay.csv", "level": 1},
    }
    trees = {"tree": {"hierarchies": {"town": {"fanout": 2}}}}
    state_hierarchy(trees, "town", "town.csv")
    state_hierarchy(trees, "gone", "gone.csv")
    assert trees == {"tree": {"hierarchies": {"town": "town.csv"}}}
