"""A server as a browser or a pipeline meets it."""

import pytest

from web_cases import running


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server with shoal's own worker; files may have 100,000 bytes."""
    pytest.importorskip("nicegui", reason="the extra web is not installed")
    with running(tmp_path_factory.mktemp("rooms"), limit=100_000) as found:
        yield found
