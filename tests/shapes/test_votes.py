"""Baskets by vote: a shape of their own within, from their folder, beside originals, and as data that are claimed."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.privacy import KAnonymity, KmAnonymity, Nonreciprocal
from shoal.shapes import votes
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.registry import SHAPES, bind_to_claim, shape_of_claim

VERIFICATION = votes.VoteVerification()

VOTE = {"items": "items", "uncertain": "items", "errors": "plain", "faith": "sensitive"}


def rows(**columns):
    usual = {
        "items": pl.Series(['["ale"]'] * 2),
        "faith": pl.Series(["a", "b"]),
        "uncertain": pl.Series(["[]", "[]"]),
        "errors": pl.Series([0, 0]),
    }
    return pl.DataFrame(usual | columns)


def test_votes_are_seen_beside_originals():
    claim = Nonreciprocal(2)
    alone = VERIFICATION.view_for_judge(rows(), JudgingContext(VOTE), claim)
    assert alone.original_start is None
    assert len(alone.label.codes) == 2
    assert VERIFICATION.view_for_judge(rows(), JudgingContext(VOTE | {"faith": "plain"}), claim).label is None
    frame = pl.DataFrame({"items": [["ale"], ["ale"]], "faith": ["a", "b"]})
    held = shoal.read(frame, roles={"items": "items", "faith": "sensitive"})
    beside = VERIFICATION.view_for_judge(rows(), VERIFICATION.make_context(VOTE, None, held), claim)
    assert beside.original_start.tolist() == [0, 1, 2]
    assert len(beside.original_label.codes) == 2
    known = replace(VERIFICATION.make_context(VOTE, None, held), rows=np.array([0, 1]))
    assert VERIFICATION.judge_rows(rows(), known, claim, 0)
    assert not VERIFICATION.judge_rows(rows(items=pl.Series(['["ale"]', "[]"])), known, claim, 0)
    assert VERIFICATION.judge_provenance(rows(), known, 0)
    assert not VERIFICATION.judge_provenance(rows(faith=pl.Series(["a", "a"])), known, 0)
    bare = VERIFICATION.make_context(VOTE, None, shoal.read(frame.drop("faith"), roles={"items": "items"}))
    assert VERIFICATION.judge_provenance(rows().drop("faith"), bare, 0)
    for name in ("items", "uncertain", "errors"):
        with pytest.raises(InputError, match=f"have a column '{name}'"):
            VERIFICATION.view_for_judge(rows().drop(name), JudgingContext(VOTE), claim)


def test_the_claim_says_which_shape_data_are_published_in():
    frame = pl.DataFrame({"items": [["ale"], ["pie"], ["ale"]]})
    data = shoal.read(frame, roles={"items": "items"})
    voted = bind_to_claim(data, Nonreciprocal(2))
    assert isinstance(voted, votes.VoteData)
    assert (voted.shape, voted.records, voted.ruled) == ("baskets", 3, data.ruled)
    assert bind_to_claim(voted, Nonreciprocal(3)) is voted
    assert (
        type(bind_to_claim(voted, KmAnonymity(2, 1))) is BasketData
    )  # whoever goes on with a release's data
    assert bind_to_claim(data, KmAnonymity(2, 1)) is data
    table = shoal.read(pl.DataFrame({"age": [3, 4]}), roles={"age": "quasi"})
    assert bind_to_claim(table, KAnonymity(2)) is table


def test_people_call_votes_baskets():
    voted = shape_of_claim(Nonreciprocal(2))
    assert (voted.name, voted.words) == ("votes", SHAPES["baskets"].words)
    assert shape_of_claim(KmAnonymity(2, 1)) is SHAPES["baskets"]
