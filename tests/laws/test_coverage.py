"""Every method with every claim it keeps, and every judge, stands under the laws: a new one without any fails here."""

from importlib import import_module
from pathlib import Path

import pytest

from shoal.algorithms import METHODS
from shoal.privacy import CLAIMS

FILES = (
    "test_methods",
    "test_known_columns",
    "test_basket_methods",
    "test_ring_methods",
    "test_mixed_methods",
    "test_tree_methods",
)


@pytest.fixture
def law(monkeypatch):
    """A file of laws by its name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return import_module


def test_every_maker_is_tried_with_every_claim_it_keeps(law):
    covered = {pair for name in FILES for pair in law(name).COVERED}
    listed = {(name, model) for name, found in METHODS.items() for model in found.claims}
    assert covered == listed


def test_every_judge_is_under_the_laws(law):
    assert set(law("test_judges").COVERED) == CLAIMS.keys()


def test_every_claim_that_can_be_judged_is_kept_by_a_maker():
    assert {model for found in METHODS.values() for model in found.claims} == CLAIMS.keys()


def test_each_claim_is_of_the_shape_of_its_makers():
    for found in METHODS.values():
        assert {CLAIMS[model].shape for model in found.claims} == {found.shape}
