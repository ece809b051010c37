"""Record trees that are read into parts: the release is that of memory, and the door refuses what is not true."""

import gc
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import strategies_trees as strategies
from shoal.algorithms.trees import recoding as recoding
from shoal.algorithms.trees.gcs import gcs
from shoal.data import Trees
from shoal.errors import InfeasibleError, RefusedError
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import load
from shoal.privacy import claim_of
from shoal.publish.jobs import run_config
from shoal.publish.large import opening, trees
from shoal.publish.large.parts import LossSums
from shoal.publish.large.trees import LargeTrees
from shoal.publish.verify import verify
from shoal.utility import TreeCase, losses_of

pytestmark = pytest.mark.usefixtures("bare")

CONFIG = """
[data]
path = "people.ndjson"
[guarantee]
k = 14
m = 2
n = 1
[method]
name = "gcs"
repeats = "merge"
[tree]
sensitive = "visits.ill"
[tree.hierarchies]
"town" = { fanout = 2 }
"visits.ward" = "ward.csv"
"""
WARDS = "A;AB;*\nB;AB;*\nC;CD;*\nD;CD;*\n"


def person(chance):
    visits = [
        {"ward": chance.choice("ABCD"), "ill": chance.choice(["flu", "gout", "cold", "mumps"])}
        for _ in range(chance.randint(0, 2))
    ]
    return {"town": f"T{chance.randint(1, 6)}", "visits": visits}


@pytest.fixture
def folder(tmp_path):
    chance = random.Random(1)
    lines = [json.dumps(person(chance)) for _ in range(300)]
    (tmp_path / "people.ndjson").write_text("\n".join(lines) + "\n")
    (tmp_path / "ward.csv").write_text(WARDS)
    (tmp_path / "shoal.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def in_parts(monkeypatch):
    """Read every file into parts of 70 records, and write buckets of as many."""
    monkeypatch.setattr(opening, "_MANY_BYTES", 0)
    monkeypatch.setattr("shoal.publish.large.trees.PART", 70)
    monkeypatch.setattr(trees, "PART", 70)


def released(folder, name="data.nested.ndjson"):
    return sorted((folder / name).read_text().splitlines())


@pytest.mark.parametrize(("repeats", "file"), [("merge", "data.nested.ndjson"), ("keep", "data.rows.ndjson")])
def test_the_release_is_that_of_memory(folder, in_parts, monkeypatch, repeats, file):
    (folder / "shoal.toml").write_text(CONFIG.replace("merge", repeats))
    large = run_config(folder / "shoal.toml", folder / "large")
    assert isinstance(large.dataset, LargeTrees)
    assert len(large.dataset.parts.parts) == 5
    monkeypatch.setattr(opening, "_MANY_BYTES", 2**60)
    small = run_config(folder / "shoal.toml", folder / "small")
    assert released(folder / "large", file) == released(folder / "small", file)
    one, other = (json.loads((folder / name / "manifest.json").read_text()) for name in ("large", "small"))
    for facts in (one, other):
        del facts["sha256"]
    assert one.pop("loss") == pytest.approx(other.pop("loss"))
    assert one == other
    rules = [
        json.loads((folder / f"{name}.private" / "recoding.json").read_text()) for name in ("large", "small")
    ]
    assert rules[0] == rules[1]
    assert ("limits" in rules[0]) == (repeats == "keep")
    assert large.verdict.as_dict() == small.verdict.as_dict()
    assert {"ncp", "rpd", "rpd-original"} == large.loss.keys()
    assert large.loss == pytest.approx({name: small.loss[name] for name in large.loss})
    audit = json.loads((folder / "large.private" / "audit.json").read_text())
    assert audit["losses"]["ncp"] == pytest.approx(small.loss["ncp"])


@given(strategies.trees(), st.integers(1, 3), st.integers(0, 10))
def test_losses_of_parts_add_up_to_those_of_all(records, k, cut):
    trees = Trees.of(records)
    hierarchies = strategies.hierarchies()
    try:
        made = gcs(trees, hierarchies, claim_of("trees", k=k, m=1, n=0)).release
    except InfeasibleError:
        reject()
    nodes = Nodes.of("test", trees, hierarchies)
    whole = losses_of(TreeCase(made, trees, nodes))
    sums = []
    for some in (np.arange(0, min(cut, trees.n)), np.arange(min(cut, trees.n), trees.n)):
        own = replace(made, trees=made.trees.take(some), rows=np.arange(len(some)), records=len(some))
        part = trees.take(some)
        sums.append(LossSums.of(TreeCase(own, part, nodes), items=len(part.items), records=part.n))
    found = (sums[0] + sums[1]).means(public=False)
    assert found == pytest.approx({name: whole[name] for name in ("ncp", "rpd", "rpd-original")})


def test_the_audit_tells_the_same_counts(folder, in_parts, monkeypatch):
    run_config(folder / "shoal.toml", folder / "large")
    monkeypatch.setattr(opening, "_MANY_BYTES", 2**60)
    run_config(folder / "shoal.toml", folder / "small")
    one, other = (
        json.loads((folder / f"{name}.private" / "audit.json").read_text()) for name in ("large", "small")
    )
    assert one["before_after"] == other["before_after"]
    for key in ("marginals", "charts"):
        assert one["report"][key] == other["report"][key]
    assert one["trees"]["cuts"] == other["trees"]["cuts"]
    assert one["report"]["trees"] == other["report"]["trees"]


def test_records_leave_in_another_order_each_time(folder, in_parts):
    run_config(folder / "shoal.toml", folder / "one")
    run_config(folder / "shoal.toml", folder / "two")
    assert (folder / "one" / "data.nested.ndjson").read_text() != (
        folder / "two" / "data.nested.ndjson"
    ).read_text()


def test_what_was_written_is_verified_by_anybody(folder, in_parts):
    run_config(folder / "shoal.toml", folder / "large")
    assert verify(folder / "large", config=load(folder / "shoal.toml"))


def test_nothing_is_left_where_the_written_file_is_another(folder, in_parts, monkeypatch):
    write = trees.LargeTreeWriting.write

    def changed(self):
        write(self)
        lines = self.place.read_text().splitlines(keepends=True)
        other = next(line for line in lines if line != lines[0])
        self.place.write_text("".join([*lines[1:], other]))

    monkeypatch.setattr(trees.LargeTreeWriting, "write", changed)
    with pytest.raises(RefusedError, match="other records than were staged"):
        run_config(folder / "shoal.toml", folder / "large")
    assert sorted(path.name for path in folder.iterdir()) == ["people.ndjson", "shoal.toml", "ward.csv"]


def test_a_lie_in_one_part_is_refused(folder, in_parts, monkeypatch):
    kept = recoding.save_arrays

    def lying(part, **arrays):
        if part.name == "part-00002":
            arrays["out_items"] = arrays["out_items"][::-1].copy()
        kept(part, **arrays)

    monkeypatch.setattr(recoding, "save_arrays", lying)
    (folder / "shoal.toml").write_text(f'{CONFIG}[release]\nformat = "nodes"\n')  # any tree can be written so
    with pytest.raises(RefusedError):
        run_config(folder / "shoal.toml", folder / "large")
    assert not (folder / "large").exists()


def test_parts_go_with_the_dataset(folder, in_parts):
    made = run_config(folder / "shoal.toml", folder / "large")
    room = made.dataset.room.path
    assert room.is_dir()
    del made
    gc.collect()
    assert not room.exists()
