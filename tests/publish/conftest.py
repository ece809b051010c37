"""Releases that a module makes once, as its `made`, for tests that change them."""

import shutil

import pytest


@pytest.fixture
def room(made, tmp_path):
    """A copy of them to change."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path
