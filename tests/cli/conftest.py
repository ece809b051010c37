"""A command line beside the invented people."""

import pytest

from cli_cases import command


@pytest.fixture
def go(people, monkeypatch):
    """Run a command in the folder of the invented people."""
    monkeypatch.chdir(people)
    return command
