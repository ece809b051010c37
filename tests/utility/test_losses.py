"""The table of losses: whole, in words, documented, and telling nothing but what it may."""

import re
from pathlib import Path

import pytest

from shoal.algorithms.itemsets import pcta
from shoal.algorithms.lattice import cube
from shoal.utility import LOSSES, find_headline, sort_losses

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "losses.md").read_text(encoding="utf-8")
WAYS = [(name, way) for name, loss in LOSSES.items() for way in loss.ways.values()]


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_told_in_a_sentence_and_documented(name):
    assert re.fullmatch(r"[A-Z].*[a-z0-9]\.", LOSSES[name].words)
    assert LOSSES[name].ways
    assert any(f"`{name}`" in line.split("|")[1] for line in PAGE.splitlines() if line.startswith("|"))


def test_every_loss_that_makers_take_is_in_the_table():
    assert set(cube.LOSSES) <= {name for name, loss in LOSSES.items() if "table" in loss.ways}
    assert set(pcta.LOSSES) <= {name for name, loss in LOSSES.items() if "baskets" in loss.ways}


def test_each_shape_has_one_headline():
    first = [way.shape for name, way in WAYS if LOSSES[name].headline]
    assert sorted(first) == ["baskets", "mixed", "table", "trees", "votes"]


def test_what_needs_originals_is_never_public():
    public = {(name, way.shape): way.public for name, way in WAYS}
    assert public["ncp", "table"] == public["il", "table"] == public["table-ncp", "mixed"] == "declared"
    assert public["dm", "table"] == public["ce", "table"] == "always"
    private = {name for (name, shape), said in public.items() if said == "never"}
    assert private == {
        "ncp", "er", "entropy", "items-ncp", "ul-coat", "are", "are-items", "qe", "qe-absent", "rpd-original", "ml2",
        "dml2", "sse",
    }  # fmt: skip


def test_the_headline_leads_and_the_makers_own_follows():
    found = {"glm": 0.2, "dm": 9.0, "ncp": 0.1, "aecs": 3.0}
    assert list(sort_losses(found, "aecs")) == ["ncp", "aecs", "glm", "dm"]
    assert list(sort_losses(found, "il")) == list(sort_losses(found, "ncp")) == ["ncp", "glm", "dm", "aecs"]
    assert find_headline(found) == ("ncp", 0.1)
    assert find_headline({"dm": 2.3e8, "strange": 1.0}) is None
