"""A command line beside the invented people."""

import pytest
from click.testing import CliRunner

from shoal.cli import shoal


@pytest.fixture
def go(people, monkeypatch):
    """Run a command in the folder of the invented people."""
    monkeypatch.chdir(people)

    def run(*words):
        return CliRunner().invoke(shoal, [str(word) for word in words], catch_exceptions=False)

    return run
