"""`verify` of folders that were written by hand: each thing that a verdict rests on, changed alone."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal import __version__
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.privacy import AllOf, KAnonymity, KmAnonymity, LDiversity, LmDiversity, Nonreciprocal
from shoal.publish import verify as module
from shoal.publish.row_map import ROWS, write_rows
from shoal.publish.verify import verify

CONFIG = """
[data]
path = "people.csv"
[columns]
name = "identifier"
age = { role = "quasi", hierarchy = "age.csv" }
ill = "sensitive"
[guarantee]
k = 2
"""
PEOPLE = pl.DataFrame(
    {"name": list("abcde"), "age": ["1", "2", "3", "3", "4"], "ill": ["x", "y", "x", "z", "x"]}
)
SHOWN = pl.DataFrame({"age": ["old", "young", "young", "old"], "ill": ["z", "y", "x", "x"]})
ORDER = np.array([3, 1, 0, 2])
TWO = KAnonymity(2).as_dict()


def release(folder, frame=SHOWN, claim=TWO, **facts):
    """Write a release; Ellipsis leaves a key out."""
    folder.mkdir(exist_ok=True)
    frame.write_csv(folder / "data.csv")
    told = {
        "shoal": __version__,
        "shape": "table",
        "columns": {"age": "quasi", "ill": "sensitive"},
        "claim": claim if isinstance(claim, dict) else claim.as_dict(),
        "judged": True,
        "method": {"name": "mondrian", "parameters": {}},
        "records_in": 5,
        "records_out": len(frame),
        "suppressed": 5 - len(frame),
        "suppressed_items": 0,
        "loss": {},
        "classes": 2,
        "notes": [],
        "date": "2026-01-01",
        "sha256": {"data.csv": hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()},
    } | facts
    text = json.dumps({key: value for key, value in told.items() if value is not Ellipsis})
    (folder / "manifest.json").write_text(text)
    return folder


@pytest.fixture
def room(tmp_path):
    (tmp_path / "shoal.toml").write_text(CONFIG)
    (tmp_path / "age.csv").write_text("1;young;*\n2;young;*\n3;old;*\n4;old;*\n")
    PEOPLE.write_csv(tmp_path / "people.csv")
    return tmp_path


def config(room):
    return load(room / "shoal.toml")


def against(room, folder):
    return verify(folder, config=config(room), against=room / "people.csv")


def kept(room, rows=ORDER, names=None):
    private = room / "out.private"
    private.mkdir(exist_ok=True)
    write_rows(private / ROWS, np.asarray(rows), names)


def test_a_true_release_is_a_yes(room):
    out = release(room / "out")
    told, said = verify(out)
    assert said
    assert told == KAnonymity(2).as_dict()
    assert said.sentence.startswith("every class has at least k=2")
    assert said.sentence.count(";") == KAnonymity(2).check(_seen()).sentence.count(";")  # no remark
    assert verify(out, config=config(room))[1]
    said = against(room, out)[1]
    assert said
    assert "can be matched with an original of its own" in said.sentence
    kept(room)
    said = against(room, out)[1]
    assert said
    assert "every released row is true of the original that rows.parquet names" in said.sentence


def _seen():
    from shoal.shapes.table.verification import published_table

    return published_table(SHOWN, {"age": "quasi"})


def test_originals_need_a_configuration(room):
    with pytest.raises(InputError, match="--against needs --config"):
        verify(release(room / "out"), against=room / "people.csv")
    with pytest.raises(InputError):
        verify(room / "out", config=replace(config(room), guarantee={"k": "many"}))


def no(said, words):
    assert said.judged
    assert not said
    assert words in said.sentence
    return True


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"shape": "cube"}, "the shape is none of"),
        ({"claim": KmAnonymity(2, 1).as_dict()}, "k^m-anonymity, is about baskets, but the release is"),
        (
            {"claim": KAnonymity(2).as_dict() | {"attacker": "nobody"}},
            "in words that its numbers do not bear out",
        ),
        ({"claim": KAnonymity(1).as_dict()}, "give a k of at least 2"),
        ({"columns": {"ill": "sensitive", "age": "quasi"}}, "columns are not those of manifest.json"),
        ({"records_out": 3, "suppressed": 2}, "states 3 records, but the data has 4"),
        ({"classes": 3}, "states 3 classes, but the data has 2"),
        ({"sha256": {}}, "their sha256 differ; every class has at least k=2"),
        ({"claim": KAnonymity(3).as_dict()}, "under k=3"),
    ],
)
def test_what_makes_a_no(room, facts, words):
    told, said = verify(release(room / "out", **facts))
    assert no(said, words)
    assert (told == {}) is any(word in said.sentence for word in ("the shape", "is about", "at least 2"))


def test_every_wrong_is_told(room):
    said = verify(release(room / "out", classes=3, sha256={}, records_out=3, suppressed=2))[1]
    assert no(
        said,
        "sha256 differ; manifest.json states 3 records, but the data has 4; manifest.json states 3 classes",
    )


def test_a_key_twice_is_a_no(room):
    out = release(room / "out")
    (out / "manifest.json").write_text('{"shoal": 1, "shoal": 1}')
    told, said = verify(out)
    assert no(said, "twice")
    assert told == {}


def test_no_data_file_is_a_no(room):
    out = release(room / "out")
    (out / "data.csv").unlink()
    told, said = verify(out)
    assert no(said, "0 data files")
    assert told == KAnonymity(2).as_dict()


def test_the_configuration_is_believed(room):
    out = release(room / "out")
    assert no(verify(out, config=replace(config(room), guarantee={"k": 3}))[1], "weaker")
    baskets = replace(config(room), columns={"ill": replace(config(room).columns["ill"], role="items")})
    assert no(verify(out, config=replace(baskets, guarantee={}))[1], "the configuration is of shape baskets")
    odd = release(room / "out", SHOWN.with_columns(age=pl.Series(["old", "x", "x", "old"])))
    assert verify(odd)[1]
    assert no(verify(odd, config=config(room))[1], "column 'age': 1 labels stand for nothing")


def test_what_the_reader_should_know(room):
    def remarks(**facts):
        said = verify(release(room / "out", **facts))[1]
        assert said
        return said.sentence

    assert "rehearsal" not in remarks(rehearsal=False)
    assert "it is a rehearsal, made with a fixed seed, and must not be published" in remarks(rehearsal=True)
    assert "of version 0.1 and has no sha256" in remarks(sha256=..., shoal="0.1.0")
    for name in ("report.html", "report.pdf"):
        (room / "out" / name).write_text("x")
    assert "not judged" not in remarks(shoal="0.2.0")
    (room / "out" / "a.txt").write_text("x")
    (room / "out" / "b").mkdir()
    assert "the folder holds 2 more files or folders, which were not judged" in remarks(shoal="0.2.0")


def test_as_many_originals_as_it_says(room):
    said = against(room, release(room / "out", records_in=6, suppressed=2))[1]
    assert no(said, "the release states 6 originals, but there are 5")
    broken = release(room / "out", records_in=6, suppressed=2, claim=KAnonymity(3))
    assert "under k=3" in against(room, broken)[1].sentence  # what is broken is told first


def test_hundreds_of_originals(room):
    many = pl.concat([PEOPLE] * 80).with_columns(name=pl.Series([f"p{i}" for i in range(400)]))
    many.write_csv(room / "people.csv")
    out = release(room / "out", pl.concat([SHOWN] * 80), records_in=400, suppressed=80)
    assert against(room, out)[1]
    kept(room, np.concatenate([ORDER + 5 * i for i in range(80)]))
    assert against(room, out)[1]


@pytest.mark.parametrize(
    "rows",
    [[3, 1, 0], [3, 1, 0, 2, 4], [3, 1, 0, 0], [3, 1, 0, 5], [3, 1, 0, -1], [3, 1, 2, 0], [3, 1, 0, 4]],
)
def test_rows_must_be_those_of_originals(room, rows):
    """The last is one that could be: another old person who has x."""
    kept(room, rows)
    said = against(room, release(room / "out"))[1]
    if rows[-1] == 4 and len(rows) == 4:
        assert said
    else:
        assert no(said, "rows.parquet does not name" if rows != [3, 1, 2, 0] else "")


def test_a_lie_is_found_with_and_without_rows(room):
    lie = SHOWN.with_columns(ill=pl.Series(["z", "y", "x", "y"]))
    assert verify(release(room / "out", lie))[1]
    assert no(against(room, room / "out")[1], "originals")
    kept(room)
    assert no(against(room, room / "out")[1], "'ill'")


def persons(claim):
    return claim.as_dict() | {"counts": "persons"}


def test_persons_are_counted_by_rows_alone(room):
    text = CONFIG.replace("[columns]", 'person = "name"\n[columns]')
    (room / "shoal.toml").write_text(text)
    out = release(room / "out", claim=KAnonymity(2))
    assert no(verify(out, config=config(room))[1], "the release counts rows, but the configuration persons")
    out = release(room / "out", claim=persons(KAnonymity(2)))
    told, said = verify(out)
    assert told == persons(KAnonymity(2))
    assert not said.judged
    assert "does not say whom a row belongs to" in said.sentence
    assert said.sentence.startswith("Counting rows instead of persons, every class has at least k=")
    assert not against(room, out)[1].judged
    kept(room)
    assert against(room, out)[1]
    PEOPLE.with_columns(name=pl.Series(list("aabcd"))).write_csv(room / "people.csv")
    assert no(against(room, out)[1], "under k=2")
    assert no(verify(release(room / "out", claim=persons(KAnonymity(3))))[1], "under k=3")
    both = persons(AllOf((LDiversity(2), KAnonymity(2))))
    assert not verify(release(room / "out", claim=both))[1].judged


SOLD = pl.DataFrame({"items": ['["ale", "pie"]', '["ale"]', '["ale"]', '["ale"]']})
BASKETS = {"shape": "baskets", "columns": {"items": "items"}}


def test_it_must_be_known_what_is_sensitive(room):
    out = release(room / "out", SOLD, LmDiversity(2, 1, 2), **BASKETS)
    said = verify(out)[1]
    assert not said.judged
    assert not said.holds
    assert "it is not known which items are sensitive" in said.sentence
    (room / "sold.toml").write_text(
        '[data]\npath = "x.csv"\n[columns]\nbought = { role = "items", sensitive = ["pie"] }\n'
    )
    assert verify(out, config=load(room / "sold.toml"))[1]
    assert verify(release(room / "out", SOLD, KmAnonymity(1, 1), **BASKETS))[1].judged


def test_votes_and_generalized_baskets_are_not_the_same(room):
    words = "the claim is not about baskets as these are published"
    assert no(verify(release(room / "out", SOLD, Nonreciprocal(2), **BASKETS))[1], words)
    voted = {"items": "items", "uncertain": "items", "errors": "plain"}
    frame = SOLD.with_columns(uncertain=pl.lit("[]"), errors=pl.lit(0))
    out = release(room / "out", frame, KmAnonymity(2, 1), shape="baskets", columns=voted)
    assert no(verify(out)[1], words)
    out = release(room / "out", frame, Nonreciprocal(2), shape="baskets", columns=voted)
    assert not verify(out)[1].judged


def test_a_column_of_a_table_may_be_called_as_those_of_votes(room):
    frame, columns = SHOWN.rename({"ill": "uncertain"}), {"age": "quasi", "uncertain": "sensitive"}
    assert verify(release(room / "out", frame, columns=columns))[1]


def test_many_rows_are_counted_and_not_held(room, monkeypatch):
    """Where only the folder is looked at, a table is read as its different rows; beside originals it is held whole."""
    asked = []

    def counted(place, columns, seen):
        asked.append((place.name, dict(columns), seen))
        return module.ReleaseCounts(["age", "ill"], SHOWN[[0, 1]], np.array([2, 2]))

    monkeypatch.setattr(module, "count_release", counted)
    out = release(room / "out")
    assert verify(out)[1]
    assert asked == [("data.csv", {"age": "quasi", "ill": "sensitive"}, frozenset())]
    assert no(verify(release(room / "out", records_out=3, suppressed=2))[1], "but the data has 4")
    (room / "ill.csv").write_text("x;*\ny;*\nz;*\n")
    level = CONFIG.replace(
        'ill = "sensitive"', 'ill = { role = "sensitive", hierarchy = "ill.csv", level = 0 }'
    )
    (room / "shoal.toml").write_text(level)
    assert verify(release(room / "out"), config=config(room))[1]
    assert asked[-1][2] == frozenset(["ill"])
    before = len(asked)
    assert against(room, out)[1]
    verify(release(room / "out", SOLD, KmAnonymity(1, 1), **BASKETS))
    assert len(asked) == before
