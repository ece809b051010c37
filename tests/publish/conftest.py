"""Releases that a module makes once, as its `made`, for tests that change them."""

import shutil
from dataclasses import replace

import pytest

from shoal.anonymization import release


@pytest.fixture
def room(made, tmp_path):
    """A copy of them to change."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def quick(monkeypatch):
    """As `bare`, for single tests of a module in which others look at pages or at what auditors add."""
    empty = tuple(replace(page, html=lambda audit: "<body></body>") for page in release.PAGES)
    monkeypatch.setattr(release, "PAGES", empty)
    monkeypatch.setattr(release, "auditors_of", lambda *asked: ())
