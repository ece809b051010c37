"""A release before it leaves: shuffled, assembled and judged, with what may be told of it and what not."""

from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InfeasibleError, InputError, RefusedError, UnkeptError
from shoal.privacy import KAnonymity
from shoal.publish.draft import Choices, Draft, _random_order, draft, refuse_unless
from shoal.release import Result, Verdict
from shoal.shapes.table.data import TableData

METHOD = {"name": "optimal", "parameters": {}}


@pytest.fixture(scope="module")
def data():
    frame = pl.DataFrame({"sex": ["f", "m"] * 4, "ill": list("aabbccdd")})
    return shoal.read(frame, roles={"sex": "quasi", "ill": "sensitive"})


@pytest.fixture(scope="module")
def made(data):
    return shoal.anonymize(data, k=2, method="optimal")


def test_every_kind_of_verdict_refuses():
    refuse_unless()
    refuse_unless(Verdict(True, "fine"), Verdict(True, "fine"))
    said = Verdict(False, "no")
    with pytest.raises(RefusedError, match="refused: no; nothing was written; please report this as a bug"):
        refuse_unless(Verdict(True, "fine"), said)
    with pytest.raises(UnkeptError) as error:
        refuse_unless(said, refusal=UnkeptError)
    assert str(error.value) == "refused: no; nothing was written"


@pytest.mark.parametrize("refusal", [RefusedError, UnkeptError])
def test_what_nobody_can_judge_is_not_written_and_no_bug(refusal):
    said = Verdict(True, "not judged: too many; lower m", judged=False)
    with pytest.raises(InfeasibleError) as error:
        refuse_unless(Verdict(True, "fine"), said, refusal=refusal)
    assert str(error.value) == "not judged, and so nothing was written: too many; lower m"


def test_an_order_is_drawn_of_all_rows():
    assert _random_order(0, None).tolist() == []
    orders = [_random_order(50, None).tolist() for _ in range(3)]
    assert all(sorted(order) == list(range(50)) for order in [*orders, _random_order(50, 7)])
    assert len({tuple(order) for order in [*orders, list(range(50))]}) == 4
    assert _random_order(50, 7).tolist() == _random_order(50, 7).tolist() != _random_order(50, 8).tolist()
    first = [int(_random_order(4, None)[0]) for _ in range(400)]
    assert min(np.bincount(first)) > 50  # a hundred each on average; 50 or fewer once in ten million times


def test_rows_tell_the_original_of_each_released_record(made, data):
    ill = data.table.column("ill").cells()
    assert [ill[row] for row in made.rows] == made.data["ill"].to_list()
    assert sorted(made.rows.tolist()) == list(range(8))
    inside = replace(made, result=Result(SimpleNamespace(table=made.result.release), made.claim))
    assert inside.rows.tolist() == made.rows.tolist()


def test_the_facts_beside_a_release(made):
    facts = made.manifest
    assert facts["shape"] == "table"
    assert facts["columns"] == {"sex": "quasi", "ill": "sensitive"}
    assert facts["claim"] == made.claim.as_dict() == made.claimed
    assert facts["judged"] is True
    assert [
        facts[name] for name in ("records_in", "records_out", "suppressed", "suppressed_items", "classes")
    ] == [*(8, 8, 0, 0, 2)]
    assert facts["shoal"] == shoal.__version__ == made.recoding["shoal"]
    assert set(facts["loss"]) <= set(made.loss)
    assert "rehearsal" not in facts
    assert replace(made, rehearsal=True).manifest["rehearsal"] is True
    assert made.recoding["levels"] == {"sex": 0}
    assert made.recoding["method"]["name"] == facts["method"]["name"] == "optimal"
    assert made.recoding["claim"] == made.claimed


def test_losses_that_need_the_originals_are_for_the_owner(made, monkeypatch):
    monkeypatch.setattr(TableData, "losses", lambda self, result, method, *, public: {"public": public})
    again = replace(made)
    assert again.manifest["loss"] == {"public": True}
    assert again.loss == {"public": False}


def test_a_draft_is_no_rehearsal_unless_it_says_so(data, made):
    plain = Draft(data, made.result, made.frame, made.verdict, METHOD)
    assert "rehearsal" not in plain.manifest
    assert (plain.choices, plain.maker, plain.beside) == (Choices(), None, None)


def test_a_draft_shows_no_record(data, made):
    shown = repr(draft(data, made.result, method=METHOD, kind=Draft))
    assert shown.startswith("<Draft")
    assert "shape:" not in shown  # as frames show themselves
    assert "ill" not in shown


def test_the_verdict_is_told_where_it_needs_no_originals(made):
    assert made.shown_verdict == made.verdict.as_dict()
    assert made.shown_verdict["reached"]
    assert "the judge found" not in made.private_trace
    assert "with earlier releases" not in made.private_trace
    assert replace(made, choices=Choices(None, {"mondrian": 0.5})).private_trace["mondrian would lose"] == 0.5


def test_of_persons_only_the_owner_hears_what_the_judge_found():
    frame = pl.DataFrame({"who": ["p", "p", "q"], "sex": ["f", "f", "f"]})
    made = shoal.anonymize(shoal.read(frame, roles={"sex": "quasi"}, person="who"), k=2, method="optimal")
    assert made.claimed["counts"] == "persons"
    assert made.shown_verdict["reached"] == {}
    assert made.shown_verdict["holds"] is True
    assert made.verdict.sentence != made.shown_verdict["sentence"]
    assert "who also saw the originals" in made.shown_verdict["sentence"]
    assert made.private_trace["the judge found"] == made.verdict.sentence


def test_earlier_releases_are_looked_at_where_there_are_any(made):
    assert made.judge_with_earlier(made.frame)
    beside = Mock()
    beside.judge_with_earlier.return_value = Verdict(False, "they tell together")
    both = replace(made, beside=beside)
    assert both.judge_with_earlier("frame").sentence == "they tell together"
    beside.judge_with_earlier.assert_called_once_with(made.dataset, made.result, "frame")
    assert both.private_trace["with earlier releases"] == "they tell together"


def test_a_release_is_judged_and_held_against_its_originals(data, made, monkeypatch):
    again = draft(data, made.result, method=METHOD, kind=Draft)
    assert again.verdict
    assert (again.choices, again.rehearsal) == (Choices(None, {}), False)
    seeded = draft(data, made.result, method=METHOD, kind=Draft, seed=0)
    assert seeded.rehearsal
    same = draft(data, made.result, method=METHOD, kind=Draft, seed=0)
    assert seeded.frame.equals(same.frame)
    too_much = Result(made.result.release, KAnonymity(5))
    with pytest.raises(RefusedError, match="please report"):
        draft(data, too_much, method=METHOD, kind=Draft)
    with pytest.raises(UnkeptError):
        draft(data, too_much, method=METHOD, kind=Draft, refusal=UnkeptError)
    with pytest.raises(InputError, match="seed"):
        draft(data, made.result, method=METHOD, kind=Draft, seed=-1)
    monkeypatch.setattr(TableData, "truth", lambda *given: Verdict(False, "a cell lies"))
    with pytest.raises(RefusedError, match="a cell lies"):
        draft(data, made.result, method=METHOD, kind=Draft)


def test_nothing_is_drafted_that_columns_beside_the_claim_undo(data, made, monkeypatch):
    def refuse(self, result):
        raise InputError("column 'ward': it follows")

    monkeypatch.setattr(TableData, "guard_released", refuse)
    with pytest.raises(InputError, match="it follows"):
        draft(data, made.result, method=METHOD, kind=Draft)
