"""What goes out beside the code says the same as the code."""

import re
import tomllib
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

import shoal
from shoal.cli import shoal as command_line

ROOT = Path(__file__).parents[1]


def test_the_citation_names_this_version():
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", said, re.MULTILINE)[1] == shoal.__version__


def test_the_package_says_what_an_index_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {
        "description",
        "readme",
        "license",
        "requires-python",
        "authors",
        "keywords",
        "classifiers",
    } <= set(project)


def test_every_dependency_has_a_lowest_version_and_one_that_is_not_tried_yet():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    asked = {word for group in groups for word in group if not word.startswith("shoal-privacy[")}
    assert [word for word in asked if not re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+,<[\d.]+", word)] == []
    names = [re.match(r"[\w-]+", word)[0] for word in asked]
    assert len(set(names)) == len(names), "a dependency has other bounds in another extra"


def test_the_workflow_tries_the_lowest_versions_and_the_newest():
    workflow = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"resolution: ([a-z-]+) }", workflow)) == {"lowest-direct", "highest"}


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [([], "ru", "run"), (["run"], "--fo", "--force"), (["hierarchy"], "che", "check")],
)
def test_the_shell_completes(words, begun, offered):
    complete = BashComplete(command_line, {}, "shoal", "_SHOAL_COMPLETE")
    assert offered in {item.value for item in complete.get_completions(words, begun)}
