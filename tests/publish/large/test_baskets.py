"""Baskets that are read into parts: the release is that of memory, and the door refuses what is not true."""

import json
import random

import pytest

from shoal.algorithms.itemsets import apriori as publishing
from shoal.errors import RefusedError
from shoal.io.config import load
from shoal.publish.jobs import run_config
from shoal.publish.large import baskets, opening
from shoal.publish.large.baskets import LargeBaskets
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("bare")

CONFIG = """
[data]
path = "bought.dat"
[columns.items]
role = "items"
hierarchy = "items.csv"
[guarantee]
k = 6
m = 2
[method]
name = "apriori"
[release]
format = "ndjson"
"""


@pytest.fixture
def folder(tmp_path):
    chance = random.Random(3)
    drawn = [sorted({chance.randint(1, 20) for _ in range(chance.randint(0, 5))}) for _ in range(400)]
    (tmp_path / "bought.dat").write_text("".join(" ".join(map(str, row)) + "\n" for row in drawn))
    rows = [f"{i};low {(i - 1) // 3};high {(i - 1) // 9};*\n" for i in range(1, 21)]
    (tmp_path / "items.csv").write_text("".join(rows))
    (tmp_path / "shoal.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def in_parts(monkeypatch):
    """Read every file into parts of 90 records, and write buckets of as many."""
    monkeypatch.setattr(opening, "_MANY_ITEMS", 0)
    monkeypatch.setattr("shoal.publish.large.baskets.PART", 90)
    monkeypatch.setattr(baskets, "PART", 90)


def both(folder, monkeypatch):
    large = run_config(folder / "shoal.toml", folder / "large")
    monkeypatch.setattr(opening, "_MANY_ITEMS", 2**60)
    return large, run_config(folder / "shoal.toml", folder / "small")


def told(folder, name):
    return [json.loads((folder / place / name).read_text()) for place in ("large", "small")]


def test_the_release_is_that_of_memory(folder, in_parts, monkeypatch):
    large, small = both(folder, monkeypatch)
    assert isinstance(large.dataset, LargeBaskets)
    assert len(large.dataset.parts.parts) == 5
    one, other = ((folder / name / "data.ndjson").read_text().splitlines() for name in ("large", "small"))
    assert sorted(one) == sorted(other)
    assert one != other
    first, second = told(folder, "manifest.json")
    for facts in (first, second):
        del facts["sha256"]
    assert first.pop("loss") == pytest.approx(second.pop("loss"))
    assert first == second
    assert large.recoding == small.recoding
    assert large.verdict.as_dict() == small.verdict.as_dict()
    assert large.loss == pytest.approx({name: small.loss[name] for name in large.loss})


def test_the_audit_tells_the_same_counts(folder, in_parts, monkeypatch):
    both(folder, monkeypatch)
    first, second = (
        json.loads((folder / f"{name}.private" / "audit.json").read_text()) for name in ("large", "small")
    )
    assert sorted(first["before_after"]["items"]) == sorted(second["before_after"]["items"])
    assert sorted(first["report"]["marginals"]["items"]) == sorted(second["report"]["marginals"]["items"])
    assert first["report"]["charts"] == second["report"]["charts"]


def test_what_was_written_is_verified_by_anybody(folder, in_parts):
    run_config(folder / "shoal.toml", folder / "large")
    assert verify(folder / "large", config=load(folder / "shoal.toml"))


def test_nothing_is_left_where_the_written_file_is_another(folder, in_parts, monkeypatch):
    write = baskets.LargeBasketWriting.write

    def changed(self):
        write(self)
        lines = self.place.read_text().splitlines(keepends=True)
        other = next(line for line in lines if line != lines[0])
        self.place.write_text("".join([*lines[1:], other]))

    monkeypatch.setattr(baskets.LargeBasketWriting, "write", changed)
    with pytest.raises(RefusedError, match="other records than were staged"):
        run_config(folder / "shoal.toml", folder / "large")
    assert sorted(path.name for path in folder.iterdir()) == ["bought.dat", "items.csv", "shoal.toml"]


def test_a_lie_in_one_part_is_refused(folder, in_parts, monkeypatch):
    kept = publishing.save_arrays

    def lying(part, **arrays):
        if part.name == "part-00002":
            arrays["out_items"] = arrays["out_items"][::-1].copy()
        kept(part, **arrays)

    monkeypatch.setattr(publishing, "save_arrays", lying)
    with pytest.raises(RefusedError):
        run_config(folder / "shoal.toml", folder / "large")
    assert not (folder / "large").exists()
