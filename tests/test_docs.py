"""The documentation is part of what is tested: its examples run, and nothing that exists is left out."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest

import shoal
from shoal.algorithms import METHODS
from shoal.cli import shoal as command_line
from shoal.privacy import CLAIMS, GUARANTEE

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


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


def text(*names):
    """What stands in some pages, or in all."""
    pages = PAGES if not names else [ROOT / "docs" / name for name in names]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def commands(group, above="shoal"):
    """Every command as a person types it, those below groups too."""
    for name, command in group.commands.items():
        yield f"{above} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, f"{above} {name}")


@pytest.mark.parametrize("command", list(commands(command_line)))
def test_every_command_is_documented(command):
    assert re.search(rf"`{command}\b", text("commands.md"))


@pytest.mark.parametrize("name", METHODS)
def test_every_maker_is_documented(name):
    assert f"`{name}`" in text(*(page.name for page in PAGES if page.name.startswith("makers-")))


@pytest.mark.parametrize("name", shoal.__all__)
def test_every_public_name_is_documented(name):
    assert re.search(rf"\bshoal\.{name}\b", text("python.md"))


@pytest.mark.parametrize("model", CLAIMS)
def test_every_claim_is_documented(model):
    page = text("claims.md")
    assert f"**{model}**" in page or f"## {model}" in page


@pytest.mark.parametrize("key", GUARANTEE)
def test_every_key_of_a_guarantee_is_documented(key):
    row = next(line for line in text("config.md").splitlines() if line.startswith("| `[guarantee]`"))
    assert f"`{key}`" in row


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_documented(extra):
    assert f"`shoal[{extra}]`" in text()


def test_every_page_is_in_the_navigation():
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        assert page.name in site


def test_the_changelog_has_an_open_head():
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert shoal.__version__
