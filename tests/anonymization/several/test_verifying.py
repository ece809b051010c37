"""Several folders beside their originals: nobody is believed, and what is lacking is said."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import release_cases as cases
from shoal.anonymization.several import judging
from shoal.anonymization.several.judging import JudgedRelease, verify_several
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.privacy import KAnonymity
from shoal.release import Verdict
from shoal.shapes.dataset import JudgingContext

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release, and one beside it."""
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    first = cases.make_release(room, "table", rows=True)
    run_config(room / "table.toml", room / "next", earlier=[first])
    return room


def found(room, *folders, against=("people.csv",), configs=("table.toml",)):
    return verify_several(
        [room / folder for folder in folders or ("table-csv", "next")],
        configs=[load(room / config) for config in configs],
        against=[room / name for name in against],
    )


def test_what_was_made_is_a_yes(room):
    assert found(room).verdict
    assert found(room, "table-csv", "table-csv", "next").verdict


def swapped(path):
    """The rows of two people of different classes change their owners."""
    kept = pl.read_parquet(path)
    order = np.r_[kept.height - 1, np.arange(1, kept.height - 1), 0]
    kept.with_columns(pl.col("record").gather(order), pl.col("person").gather(order)).write_parquet(path)


def test_rows_that_are_not_true_are_a_no(room):
    data = pl.read_csv(room / "next" / "data.csv", infer_schema=False)
    first, last = data.row(0), data.row(-1)
    assert first != last
    swapped(room / "next.private" / "rows.parquet")
    verdict = found(room).verdict
    assert verdict.judged
    assert not verdict
    assert "next by itself" in verdict.sentence


def test_names_of_other_people_are_not_judged(room):
    """The same values, but other people: their names in the file are not those that were kept."""
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    people.with_columns(name=pl.col("name") + "x").write_csv(room / "people.csv")
    verdict = found(room).verdict
    assert not verdict.judged
    assert "the originals that were given are not its own" in verdict.sentence
    for kept in room.glob("*.private/rows.parquet"):
        pl.read_parquet(kept).drop("person").write_parquet(kept)
    assert found(room).verdict  # nothing contradicts it then


def test_a_release_of_earlier_data_is_known_by_the_names_that_were_kept(room):
    """The earlier originals are gone: a no is a no, but whether a yes is one cannot be told."""
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    grown = pl.concat([people.reverse(), people.head(9).with_columns(name=pl.col("name") + "+")])
    grown.write_csv(room / "grown.csv")
    config = (room / "table.toml").read_text()
    (room / "grown.toml").write_text(config.replace("people.csv", "grown.csv"))
    levels = config.replace("people.csv", "grown.csv").replace("[method]", '[method]\nname = "optimal"')
    (room / "levels.toml").write_text(levels)
    run_config(room / "levels.toml", room / "crossing")
    run_config(room / "grown.toml", room / "later", earlier=[room / "table-csv"])
    both = ("people.csv", "grown.csv")
    assert not found(room, "table-csv", "crossing", against=both).verdict
    crossing = found(room, "table-csv", "crossing", against=("grown.csv",))
    assert crossing.verdict.judged
    assert crossing.figures == found(room, "table-csv", "crossing", against=both).figures
    assert found(room, "table-csv", "later", against=both).verdict
    later = found(room, "table-csv", "later", against=("grown.csv",))
    assert not later.verdict.judged
    assert "table-csv shows the people whom its rows.parquet names" in later.verdict.sentence


def test_a_claim_that_nobody_judged_is_a_no(room):
    path = room / "next" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"judged": False}))
    result = found(room)
    assert result.verdict.judged
    assert not result.verdict
    assert result.as_dict()["releases"][1]["claim"] == {}
    assert result.as_dict()["together"] == {}


def test_one_file_for_each_release(room):
    assert found(room, against=("people.csv", "people.csv")).verdict
    assert found(room, configs=("table.toml", "table.toml")).verdict


@pytest.mark.parametrize("many", [3, 4])
def test_neither_once_nor_for_each(room, many):
    with pytest.raises(InputError, match=f"--config is given {many} times for 2 releases"):
        found(room, configs=("table.toml",) * many)


def test_without_originals_nothing_is_judged(room):
    result = found(room, against=())
    assert not result.verdict.judged
    assert "give --config and --against" in result.verdict.sentence


def test_figures_are_plain_numbers(room):
    facts = json.loads(json.dumps(found(room).as_dict()))
    assert facts["holds"] is True
    assert facts["reached"] == {"k": facts["together"]["smallest"]}
    assert [release["release"] for release in facts["releases"]] == ["table-csv", "next"]


def test_nothing_shows_a_value(room):
    result = found(room)
    text = f"{result!r} {result.verdict.sentence} {json.dumps(result.as_dict())}"
    assert not any(value in text for value in ("gout", "HIV", "Ann1"))


# Each thing that is decided before releases are judged together, by itself.

YES, NO, OPEN = (
    Verdict(True, "yes"),
    Verdict(False, "no", True, 3, (1, 2)),
    Verdict(False, "open", judged=False),
)


def one(said=YES, rows=(0, 1), own=True, names=None, originals=None, name="one"):
    known = JudgingContext({}, rows=None if rows is None else np.array(rows), originals=originals)
    case = SimpleNamespace(known=known, told={"k": 2}, claim=KAnonymity(2), folder=Path("one"))
    made = JudgedRelease(name, said, case, own)
    made.__dict__.update(names=names, frame="frame", groups={})
    return made


def test_why_releases_are_not_judged_together():
    assert list(judging._find_obstacles([one(), one()])) == []
    unread = JudgedRelease("lost", OPEN)
    first = next(judging._find_obstacles([one(OPEN), unread, one(NO, name="two")]))
    assert (first.sentence, first.judged, first.broken, first.witnesses) == (
        "two by itself: no",
        True,
        3,
        (1, 2),
    )
    then = next(judging._find_obstacles([one(OPEN), unread]))
    assert then.sentence.startswith("lost: it is not known which row is whose")
    assert not then.judged
    assert not next(judging._find_obstacles([one(rows=None, name="two")])).judged
    last = next(judging._find_obstacles([one(), one(OPEN, name="two")]))
    assert (last.sentence, last.judged) == ("two by itself: open", False)
    assert not any(said.holds for said in (first, then, last))


def test_whose_row_each_is():
    by_row = judging._match_persons([one(rows=(1, 0)), one(rows=(0, 2))], one_file=True)
    assert [rows.tolist() for rows in by_row] == [[1, 0], [0, 2]]
    ann, bob = one(names=["Ann", "Bob"]), one(names=["Bob", "Cid"])
    for own in (True, False):
        first, second = judging._match_persons([ann, one(names=["Bob", "Cid"], own=own)], one_file=not own)
        assert first[1] == second[0]
        assert len({*first.tolist(), *second.tolist()}) == 3
    assert judging._match_persons([ann, bob], one_file=True)[1].tolist() == [0, 1]
    assert judging._match_persons([ann, one()], one_file=False) is None


def test_a_yes_that_rests_on_names_alone_is_not_judged():
    assert judging._qualify_verdict(YES, [one(), one()])
    said = judging._qualify_verdict(YES, [one(), one(own=False, name="two")])
    assert not said.judged
    assert "if it is true that two shows the people whom its rows.parquet names" in said.sentence
    said = judging._qualify_verdict(YES, [one(own=False, name="two"), one(own=False, name="three")])
    assert "if it is true that two shows" in said.sentence
    assert not said.holds
    assert judging._qualify_verdict(NO, [one(), one(own=False)]).judged


def test_what_was_found_is_shown_by_facts_alone():
    assert repr(judging._joint_judgement([one(name="release")], YES, {"people": 4})).startswith(
        "<JointJudgement"
    )


@pytest.mark.parametrize(
    ("decided", "answer", "words"),
    [
        ("_match_persons", None, "no column says who is who"),
        ("_judge_releases", "these are not to be judged", "not to be judged"),
    ],
)
def test_what_cannot_be_judged_together_is_said(room, monkeypatch, decided, answer, words):
    monkeypatch.setattr(judging, decided, lambda *given, **more: answer)
    result = found(room)
    assert words in result.verdict.sentence
    assert (result.verdict.judged, result.verdict.holds) == (False, False)
    assert all(result.alone)
    assert result.figures == {}


def test_persons_of_a_part():
    table = SimpleNamespace(table=SimpleNamespace(persons=np.array([7, 7, 8])))
    part = judging._part_of_release(one(rows=(2, 0), originals=table), np.array([5, 6]))
    assert part.persons.tolist() == [8, 7]
    assert part.who.tolist() == [5, 6]
    assert part.frame == "frame"
    for originals in (None, SimpleNamespace(), SimpleNamespace(table=SimpleNamespace(persons=None))):
        assert judging._part_of_release(one(originals=originals), np.array([5, 6])).persons is None


def test_once_or_once_for_each():
    assert judging._repeat_for_each(["a"], [1, 2, 3]) == ["a"] * 3
    assert judging._repeat_for_each(["a", "b"], [1, 2]) == ["a", "b"]
    judging._check_option_counts(2, 1, 2)
    judging._check_option_counts(2, 2, 1)
    with pytest.raises(InputError, match="--against is given 3 times for 2 releases"):
        judging._check_option_counts(2, 1, 3)
    with pytest.raises(InputError, match="--config is given 0 times for 2 releases"):
        judging._check_option_counts(2, 0, 1)


def test_originals_are_read_once(room, monkeypatch):
    """One file and one configuration are one; each pair of several is opened by itself."""
    opened = []
    really = judging.open_originals
    monkeypatch.setattr(judging, "open_originals", lambda *given: opened.append(given) or really(*given))
    assert found(room).verdict
    assert len(opened) == 1
    assert found(room, against=("people.csv", "people.csv")).verdict
    assert len(opened) == 2
    shutil.copy(room / "people.csv", room / "same.csv")
    assert found(room, against=("people.csv", "same.csv")).verdict
    assert [str(given[1]).rpartition("/")[2] for given in opened[2:]] == ["people.csv", "same.csv"]


def test_without_a_configuration_or_originals_nothing_is_looked_at(room):
    for options in ({"against": ()}, {"configs": ()}):
        result = found(room, **options)
        assert not result.verdict.judged
        assert result.names == ("table-csv", "next")
        assert not any(said.judged or said.holds for said in (result.verdict, *result.alone))
        assert result.claims == ({}, {})
        assert result.figures == {}
