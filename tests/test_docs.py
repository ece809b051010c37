"""The documentation is part of what is tested: its examples run, and nothing that exists is left out."""

import doctest
import tomllib
from pathlib import Path

import pytest

import shoal
from shoal.algorithms import METHODS
from shoal.cli import shoal as command_line

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))


def fenced(page, language):
    """The code blocks of one language in a page."""
    inside, block = False, []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            if inside:
                yield "\n".join(block) + "\n"
            inside, block = (line == f"```{language}") and not inside, []
        elif inside:
            block.append(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, people, monkeypatch):
    monkeypatch.chdir(people)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    examples = "\n".join(fenced(page, "python"))
    runner.run(parser.get_doctest(examples, {}, page.name, str(page), 0))
    assert runner.failures == 0


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_configurations_are_toml(page):
    for block in fenced(page, "toml"):
        assert tomllib.loads(block)


def test_every_command_is_documented():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in command_line.commands:
        assert f"`shoal {name}" in page


def test_every_maker_and_name_is_documented():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in METHODS:
        assert f"`{name}`" in pages
    python = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in ("read", "read_trees", "anonymize", "pareto", "judge", "KAnonymity", "KMNAnonymity"):
        assert f"shoal.{name}" in python


def test_every_page_is_in_the_navigation():
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        assert page.name in site


def test_the_changelog_has_an_open_head():
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert shoal.__version__
