"""Records that are read into parts: what is counted of them, and releases that are those of memory or are refused."""

import gc
import json
import random
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import strategies_trees as strategies
from shoal.algorithms.itemsets import apriori
from shoal.algorithms.trees import recoding
from shoal.algorithms.trees.gcs import gcs
from shoal.base.errors import InfeasibleError, RefusedError
from shoal.data import Trees
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.privacy import make_claim
from shoal.publish.large import baskets, opening, trees
from shoal.publish.large.parts import DistinctCounter, LossSums
from shoal.publish.verify import verify
from shoal.release import Verdict
from shoal.utility import TreeCase, case_losses
from shuffle_engine import Shuffle

pytestmark = pytest.mark.usefixtures("bare")


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9)), max_size=12), st.integers(0, 12))
def test_different_ones_are_counted_whatever_part_they_come_in(parts, cut):
    def added(some):
        return sum((DistinctCounter.of(np.array(part, dtype=np.uint64)) for part in some), DistinctCounter())

    found = added(parts[:cut]) + added(parts[cut:])
    assert len(found) == len({number for part in parts for number in part})
    sizes = [len(run) for run in found.runs]
    assert all(2 * small <= large for large, small in pairwise(sizes))


@given(strategies.trees(), st.integers(1, 3), st.integers(0, 10))
def test_losses_of_parts_add_up_to_those_of_all(records, k, cut):
    trees = Trees.of(records)
    hierarchies = strategies.hierarchies()
    try:
        made = gcs(trees, hierarchies, make_claim("trees", k=k, m=1, n=0)).release
    except InfeasibleError:
        reject()
    nodes = Nodes.of("test", trees, hierarchies)
    whole = case_losses(TreeCase(made, trees, nodes))
    sums = []
    for some in (np.arange(0, min(cut, trees.n)), np.arange(min(cut, trees.n), trees.n)):
        own = replace(made, trees=made.trees.take(some), rows=np.arange(len(some)), records=len(some))
        part = trees.take(some)
        sums.append(LossSums.of(TreeCase(own, part, nodes), items=len(part.items), records=part.n))
    found = (sums[0] + sums[1]).means(public=False)
    assert found == pytest.approx({name: whole[name] for name in ("ncp", "rpd", "rpd-original")})


TREES = """
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
BASKETS = """
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


def person(chance):
    visits = [
        {"ward": chance.choice("ABCD"), "ill": chance.choice(["flu", "gout", "cold", "mumps"])}
        for _ in range(chance.randint(0, 2))
    ]
    return {"town": f"T{chance.randint(1, 6)}", "visits": visits}


def records_of_trees(folder):
    chance = random.Random(1)
    (folder / "people.ndjson").write_text("".join(json.dumps(person(chance)) + "\n" for _ in range(300)))
    (folder / "ward.csv").write_text("A;AB;*\nB;AB;*\nC;CD;*\nD;CD;*\n")


def records_of_baskets(folder):
    chance = random.Random(3)
    drawn = [sorted({chance.randint(1, 20) for _ in range(chance.randint(0, 5))}) for _ in range(400)]
    (folder / "bought.dat").write_text("".join(" ".join(map(str, row)) + "\n" for row in drawn))
    rows = [f"{i};low {(i - 1) // 3};high {(i - 1) // 9};*\n" for i in range(1, 21)]
    (folder / "items.csv").write_text("".join(rows))


class Kind(NamedTuple):
    """A configuration, what writes its records, the file of a release, and who handles parts of such data."""

    config: str
    records: Any
    file: str
    limit: str
    module: Any
    part: int
    dataset: type
    writing: Any
    method: Any


TREE_PARTS = "_MANY_BYTES", trees, 70, trees.LargeTrees, trees.LargeTreeWriting, recoding
BASKET_PARTS = "_MANY_ITEMS", baskets, 90, baskets.LargeBaskets, baskets.LargeBasketWriting, apriori
KINDS = {
    "trees": Kind(TREES, records_of_trees, "data.nested.ndjson", *TREE_PARTS),
    "trees of rows": Kind(TREES.replace("merge", "keep"), records_of_trees, "data.rows.ndjson", *TREE_PARTS),
    "baskets": Kind(BASKETS, records_of_baskets, "data.ndjson", *BASKET_PARTS),
}


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """Write a configuration and its records, which are read into parts of few and written in buckets of as many."""

    def write(kind, config=None):
        kind.records(tmp_path)
        (tmp_path / "shoal.toml").write_text(config or kind.config)
        monkeypatch.setattr(opening, kind.limit, 0)
        monkeypatch.setattr(kind.module, "PART", kind.part)
        return tmp_path / "shoal.toml"

    return write


@pytest.mark.parametrize("name", KINDS)
def test_the_release_is_that_of_memory(tmp_path, ready, monkeypatch, name):
    kind = KINDS[name]
    config = ready(kind)
    large = run_config(config, tmp_path / "large")
    assert isinstance(large.dataset, kind.dataset)
    assert len(large.dataset.parts.parts) == 5
    large.save(tmp_path / "again", format="ndjson" if name == "baskets" else None)
    assert verify(tmp_path / "large", config=load(config))[1]
    monkeypatch.setattr(opening, kind.limit, 2**60)
    small = run_config(config, tmp_path / "small")
    one, again, other = (
        (tmp_path / place / kind.file).read_text().splitlines() for place in ("large", "again", "small")
    )
    assert sorted(one) == sorted(again) == sorted(other)
    assert one != again  # the order is another each time
    first, second = (json.loads((tmp_path / at / "manifest.json").read_text()) for at in ("large", "small"))
    for facts in (first, second):
        del facts["sha256"]
    assert first.pop("loss") == pytest.approx(second.pop("loss"))
    assert first == second
    assert large.recoding == small.recoding
    assert ("limits" in large.recoding) == (name == "trees of rows")
    assert large.verdict.as_dict() == small.verdict.as_dict()
    assert name == "baskets" or large.loss.keys() == {"ncp", "rpd", "rpd-original"}
    assert large.loss == pytest.approx({name: small.loss[name] for name in large.loss})
    audits = [
        json.loads((tmp_path / f"{at}.private" / "audit.json").read_text()) for at in ("large", "small")
    ]
    assert audits[0]["losses"]["ncp"] == pytest.approx(small.loss["ncp"])
    same_counts(name, *audits)
    room = large.dataset.room.path
    assert room.is_dir()
    del large
    gc.collect()
    assert not room.exists()


@pytest.mark.parametrize("name", KINDS)
def test_the_release_depends_on_no_process_no_order_and_no_attempt(tmp_path, ready, name):
    kind = KINDS[name]
    config = ready(kind)
    run_config(config, tmp_path / "near")
    run_config(config, tmp_path / "far", engine=Shuffle(1))
    near, far = ((tmp_path / place / kind.file).read_text().splitlines() for place in ("near", "far"))
    assert sorted(near) == sorted(far)


def same_counts(name, one, other):
    """The audit of parts tells the same counts; of items that are equally frequent either may be the first."""
    assert one["report"]["charts"] == other["report"]["charts"]
    if name == "baskets":
        for facts in (one["before_after"], other["before_after"]):
            facts["items"].sort()
        for facts in (one["report"]["marginals"], other["report"]["marginals"]):
            facts["items"].sort()
    else:
        assert one["trees"]["cuts"] == other["trees"]["cuts"]
        assert one["report"]["trees"] == other["report"]["trees"]
    assert one["before_after"] == other["before_after"]
    assert one["report"]["marginals"] == other["report"]["marginals"]


@pytest.mark.parametrize("name", ["trees", "baskets"])
def test_nothing_is_left_where_the_written_file_is_another(tmp_path, ready, monkeypatch, name):
    writing = KINDS[name].writing
    write, config = writing.write, ready(KINDS[name])
    before = sorted(path.name for path in tmp_path.iterdir())

    def changed(self):
        write(self)
        lines = self.place.read_text().splitlines(keepends=True)
        other = next(line for line in lines if line != lines[0])
        self.place.write_text("".join([*lines[1:], other]))

    monkeypatch.setattr(writing, "write", changed)
    with pytest.raises(RefusedError, match="other records than were staged"):
        run_config(config, tmp_path / "large")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["trees", "baskets"])
def test_the_claim_is_judged_again_on_what_was_read_back(tmp_path, ready, monkeypatch, name):
    config = ready(KINDS[name])
    monkeypatch.setattr(KINDS[name].writing, "verdict", lambda self: Verdict(False, "the file breaks it"))
    with pytest.raises(RefusedError, match="the file breaks it"):
        run_config(config, tmp_path / "large")


@pytest.mark.parametrize("name", ["trees", "baskets"])
def test_a_lie_in_one_part_is_refused(tmp_path, ready, monkeypatch, name):
    kind = KINDS[name]
    kept = kind.method.save_arrays

    def lying(part, **arrays):
        if part.name in ("part-00002", "000002"):
            arrays["out_items"] = arrays["out_items"][::-1].copy()
        kept(part, **arrays)

    monkeypatch.setattr(kind.method, "save_arrays", lying)
    nodes = f'{TREES}[release]\nformat = "nodes"\n'  # any tree can be written so
    config = ready(kind, nodes if name == "trees" else None)
    with pytest.raises(RefusedError):
        run_config(config, tmp_path / "large")
    assert not (tmp_path / "large").exists()


@pytest.mark.parametrize("name", KINDS)
def test_records_in_parts_of_which_nothing_is_left_are_infeasible(ready, tmp_path, name):
    """All values lie right below the root, and nobody is like anybody."""
    flat = {"ward.csv": "ABCD", "items.csv": range(1, 401)}
    config = KINDS[name].config.replace("k = 14", "k = 140").replace("k = 6", "k = 140")
    path = ready(KINDS[name], config.replace("fanout = 2", "fanout = 400"))
    for file, values in flat.items():
        (tmp_path / file).write_text("".join(f"{value};*\n" for value in values))
    (tmp_path / "bought.dat").write_text("".join(f"{i}\n" for i in range(1, 401)))
    alone = [{"town": f"T{i}", "visits": []} for i in range(380)]
    alone += [{"town": "T0", "visits": [{"ward": "A", "ill": "flu"}]} for i in range(20)]
    (tmp_path / "people.ndjson").write_text("".join(json.dumps(one) + "\n" for one in alone))
    with pytest.raises(InfeasibleError, match=r"nothing is left: in (380|400) of 400 released records"):
        run_config(path, tmp_path / "out")
    assert isinstance(run_config(path, tmp_path / "out", allow_empty=True).dataset, KINDS[name].dataset)


def test_small_trees_lie_in_parts_where_that_is_asked_for(tmp_path):
    records_of_trees(tmp_path)
    (tmp_path / "shoal.toml").write_text(f"{TREES}[engine]\npart = 70\n")
    release = run_config(tmp_path / "shoal.toml", tmp_path / "out")
    assert isinstance(release.dataset, trees.LargeTrees)
    assert len(release.dataset.parts.parts) == 5
    assert verify(tmp_path / "out", config=load(tmp_path / "shoal.toml"))[1]


def test_rows_of_equal_heads_stand_in_the_order_of_those_who_read_them(tmp_path):
    """Limits leave values without a node, whose codes would put equal siblings in another order."""
    chance = random.Random(1)
    with (tmp_path / "people.ndjson").open("w") as file:
        for _ in range(600):
            visits = [
                {name: f"{name}{min(chance.randint(0, 8), chance.randint(0, 8))}" for name in ("ward", "ill")}
                for _ in range(chance.randint(0, 3))
            ]
            file.write(json.dumps({"town": f"T{chance.randint(0, 8)}", "visits": visits}) + "\n")
    hierarchies = "".join(f'"{name}" = {{ fanout = 3 }}\n' for name in ("town", "visits.ward", "visits.ill"))
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.ndjson"\n[guarantee]\nk = 8\nm = 2\nn = 1\n[method]\nname = "gcs"\nrepeats = "keep"\n'
        f"[engine]\npart = 200\n[tree.hierarchies]\n{hierarchies}"
    )
    release = run_config(tmp_path / "shoal.toml", tmp_path / "out")
    assert isinstance(release.dataset, trees.LargeTrees)
    assert release.recoding["limits"]
