"""Baskets that are read into parts for methods of fragments: every record leaves once, judged, or nothing leaves."""

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import METHODS
from shoal.algorithms.fragments import make_one
from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.engines import in_threads, in_turn
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.parts import folder as folders
from shoal.publish.large import basket_making, opening
from shoal.publish.large import baskets as large_baskets
from shoal.publish.large.baskets import FragmentedBaskets
from shoal.publish.verify import verify
from shuffle_engine import Shuffle

pytestmark = pytest.mark.usefixtures("bare")

CONFIG = """
[data]
path = "bought.ndjson"
[columns.items]
role = "items"
hierarchy = "items.csv"
{label}
[guarantee]
{guarantee}
[method]
name = "{name}"
fragment = 70
[release]
format = "ndjson"
"""
N = 200
TASTES = ["sweet", "Sweet ", "sour", "=1+1", "bitter", "salty", "hot", "none"]
LABEL = '[columns.taste]\nrole = "sensitive"'
ASKED = {
    "cahd": ("l = 2", LABEL),
    "nonreciprocal": ("k = 3", ""),
    "labelled": ("k = 3\nl = 2", LABEL),
    "lra": ("k = 4\nm = 2", ""),
}


@pytest.fixture
def folder(tmp_path):
    rows = [f"{i};low {(i - 1) // 3};high {(i - 1) // 9};*\n" for i in range(1, 13)]
    (tmp_path / "items.csv").write_text("".join(rows))
    return tmp_path


@pytest.fixture(autouse=True)
def in_parts(monkeypatch):
    """Read every file into parts, and write buckets of 60."""
    monkeypatch.setattr(opening, "_MANY_ITEMS", 0)
    monkeypatch.setattr(large_baskets, "PART", 60)
    monkeypatch.setattr(large_baskets, "_PIECE", 60)


def ready(folder, kind):
    guarantee, label = ASKED[kind]
    name = "nonreciprocal" if kind == "labelled" else kind
    chance = random.Random(4)
    with (folder / "bought.ndjson").open("w") as file:
        for at in range(N):
            items = sorted({str(chance.randint(1, 12)) for _ in range(chance.randint(0, 4))})
            taste = {"taste": TASTES[at % len(TASTES)]} if label else {}
            file.write(json.dumps({"items": items, **taste}) + "\n")
    text = CONFIG.format(label=label, guarantee=guarantee, name=name)
    (folder / "shoal.toml").write_text(text)
    return folder / "shoal.toml"


@pytest.mark.parametrize("kind", ASKED)
def test_every_record_leaves_once_and_keeps_its_label(folder, kind, monkeypatch):
    """Cuts are drawn: what the audit tells of the originals is that of memory, and losses are of a like size."""
    made = run_config(ready(folder, kind), folder / "out")
    assert isinstance(made.dataset, FragmentedBaskets)
    assert len(made.result.release.parts) > 1
    lines = [json.loads(line) for line in (folder / "out" / "data.ndjson").read_text().splitlines()]
    assert len(lines) == N
    if ASKED[kind][1]:
        assert Counter(line["taste"] for line in lines) == dict.fromkeys(TASTES, N // len(TASTES))
    facts = json.loads((folder / "out" / "manifest.json").read_text())
    assert facts["judged"]
    assert (facts["records_in"], facts["records_out"], facts["suppressed"]) == (N, N, 0)
    assert facts["method"]["parameters"]["fragment"] == 70
    assert facts["classes"] == len({json.dumps(line["items"]) for line in lines})
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    made.save(folder / "again", format="ndjson")
    assert (folder / "again" / "data.ndjson").read_bytes() != (folder / "out" / "data.ndjson").read_bytes()
    _, said = verify(folder / "out", config=load(folder / "shoal.toml"), against=folder / "bought.ndjson")
    assert said, said.sentence
    monkeypatch.setattr(opening, "_MANY_ITEMS", 2**60)
    small = run_config(folder / "shoal.toml", folder / "small")
    first, second = (
        json.loads((folder / f"{name}.private" / "audit.json").read_text()) for name in ("out", "small")
    )
    before = [
        {word: was for word, was, _ in facts["before_after"]["items"] if was} for facts in (first, second)
    ]
    assert before[0] == before[1]
    assert made.loss.keys() <= small.loss.keys()
    for name, value in made.loss.items():
        assert value == pytest.approx(small.loss[name], rel=0.6, abs=0.1)


@pytest.mark.parametrize("kind", ASKED)
def test_the_seed_alone_decides_what_is_released(folder, kind):
    config = ready(folder, kind)
    for name, engine in {"near": "local", "far": Shuffle(1)}.items():
        run_config(config, folder / name, engine=engine, seed=5)
    near, far = ((folder / name / "data.ndjson").read_text().splitlines() for name in ("near", "far"))
    assert sorted(near) == sorted(far)


def test_missing_labels_are_counted_in_all_records(folder):
    config = ready(folder, "labelled")
    text = (folder / "bought.ndjson").read_text().replace('"sour"', "null")
    (folder / "bought.ndjson").write_text(text)
    with pytest.raises(InputError, match=f"column 'taste': {N // len(TASTES)} records have no label"):
        run_config(config, folder / "out")


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(lambda lines: lines[1:], id="a record is missing"),
        pytest.param(lambda lines: [*lines, lines[0]], id="a record is there twice"),
        pytest.param(
            lambda lines: [next(line for line in lines if line != lines[0]), *lines[1:]],
            id="a record is exchanged",
        ),
        pytest.param(lambda lines: [lines[0].replace(b'"items"', b'"bought"'), *lines[1:]], id="another key"),
    ],
)
@pytest.mark.parametrize("kind", ["labelled", "lra"])
def test_the_door_refuses_what_was_not_staged(folder, kind, lie, monkeypatch):
    config = ready(folder, kind)
    writes = large_baskets.FragmentWriting.write

    def lying(self):
        writes(self)
        self.place.write_bytes(b"".join(lie(self.place.read_bytes().splitlines(keepends=True))))

    monkeypatch.setattr(large_baskets.FragmentWriting, "write", lying)
    with pytest.raises((RefusedError, InputError)):
        run_config(config, folder / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["bought.ndjson", "items.csv", "shoal.toml"]


@pytest.mark.parametrize("kind", ["labelled", "lra"])
def test_a_fragment_that_breaks_the_claim_is_refused(folder, kind, monkeypatch):
    """The method is made to lie: one fragment publishes its records as they are."""

    config, reads = ready(folder, kind), pl.read_parquet

    def bare(path, *args, **kwargs):
        cells = reads(path, *args, **kwargs)
        if not getattr(path, "name", "").startswith("000001-") or "items" not in cells.columns:
            return cells
        return cells.with_columns(pl.lit('["1"]').alias("items"))

    monkeypatch.setattr(pl, "read_parquet", bare)
    with pytest.raises(RefusedError):
        run_config(config, folder / "out")
    assert not (folder / "out").exists()


def test_whoever_wants_a_label_of_numbers_gets_memory(folder):
    config = ready(folder, "labelled")
    lines = [json.loads(line) for line in (folder / "bought.ndjson").read_text().splitlines()]
    with (folder / "bought.ndjson").open("w") as file:
        for at, line in enumerate(lines):
            file.write(json.dumps({**line, "taste": at % 4}) + "\n")
    assert not isinstance(run_config(config, folder / "out").dataset, FragmentedBaskets)


# Fragments are written and judged one by one.


def altered(change):
    """A method whose second fragment is changed once it was made."""

    def make(method, shared, claim, options, fragment):
        number, made = make_one(method, shared, claim, options, fragment)
        return number, (made if isinstance(made, str) or number != 1 else change(made))

    return make


def another_item(made):
    items = made.release.items
    return replace(made, release=replace(made.release, items=(items + 1) % (items.max() + 1)))


def no_proof(made):
    return replace(made, proof=np.repeat(made.proof[:1], len(made.proof), axis=0))


@pytest.mark.parametrize(
    ("kind", "change"), [("nonreciprocal", another_item), ("lra", another_item), ("nonreciprocal", no_proof)]
)
def test_a_method_that_lies_is_refused(folder, kind, change, monkeypatch):
    monkeypatch.setattr(basket_making, "make_one", altered(change))
    with pytest.raises(RefusedError):
        run_config(ready(folder, kind), folder / "out")
    assert not (folder / "out").exists()


@pytest.mark.parametrize("what", ["lost", "doubled"])
def test_records_that_are_lost_or_doubled_before_they_are_staged_are_refused(folder, what, monkeypatch):
    def change(*asked, real=basket_making.exchange, **more):
        parts = real(*asked, **more)
        return replace(parts, runs=parts.runs[1:] if what == "lost" else (*parts.runs, parts.runs[0]))

    monkeypatch.setattr(basket_making, "exchange", change)
    with pytest.raises(RefusedError, match="other records than were read"):
        run_config(ready(folder, "lra"), folder / "out")


def twice(task, parts):
    """Run every task twice, in an order of its own."""
    for part in random.Random(len(parts)).sample(list(parts), len(parts)):
        task(part)
        yield task(part)


@pytest.mark.parametrize("kind", ASKED)
def test_the_release_depends_on_no_part_no_thread_no_attempt_and_no_order(folder, kind, monkeypatch):
    config = ready(folder, kind)

    def run(out):
        run_config(config, folder / out, seed=1, force=True)
        return Counter((folder / out / "data.ndjson").read_text().splitlines())

    usual = run("out")
    for part, mapper in ((7, in_turn), (50, in_threads(3)), (1000, twice)):
        monkeypatch.setattr(large_baskets, "PART", part)
        monkeypatch.setattr(folders, "in_threads", lambda number, mapper=mapper: mapper)
        assert run("other") == usual
    lines = (folder / "bought.ndjson").read_text().splitlines(keepends=True)
    (folder / "bought.ndjson").write_text("".join(random.Random(1).sample(lines, len(lines))))
    assert run("other") == usual


ITEMS = st.frozensets(st.integers(1, 9), max_size=5)


@given(rows=st.lists(ITEMS, min_size=8, max_size=40), k=st.integers(2, 3), part=st.integers(7, 50))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_combination_of_items_in_a_release_is_in_k_records(tmp_path_factory, rows, k, part):
    assume(any(rows))
    folder = tmp_path_factory.mktemp("law")
    (folder / "items.csv").write_text("".join(f"{i};low {(i - 1) // 3};*\n" for i in range(1, 13)))
    (folder / "bought.ndjson").write_text(
        "".join(json.dumps({"items": [*map(str, row)]}) + "\n" for row in rows)
    )
    text = CONFIG.format(label="", guarantee=f"k = {k}\nm = 2", name="lra").replace("= 70", "= 9")
    (folder / "shoal.toml").write_text(f"{text}[engine]\npart = {part}\n")
    try:
        made = run_config(folder / "shoal.toml", folder / "out", allow_empty=True)
    except InfeasibleError:
        assume(False)
    assert isinstance(made.dataset, FragmentedBaskets)
    lines = (folder / "out" / "data.ndjson").read_text().splitlines()
    baskets = [frozenset(json.loads(line)["items"]) for line in lines]
    assert len(baskets) == len(rows)
    for known in {frozenset(some) for row in baskets for size in (1, 2) for some in combinations(row, size)}:
        assert sum(known <= row for row in baskets) >= k


@pytest.mark.parametrize("kind", ["nonreciprocal", "lra"])
def test_fragments_of_which_nothing_is_left_are_infeasible(folder, kind):
    path = ready(folder, kind)
    (folder / "items.csv").write_text("".join(f"{i};*\n" for i in range(N)))
    (folder / "bought.ndjson").write_text("".join(json.dumps({"items": [str(i)]}) + "\n" for i in range(N)))
    with pytest.raises(InfeasibleError, match=f"nothing is left: in {N} of {N} released records"):
        run_config(path, folder / "out")
    assert run_config(path, folder / "out", allow_empty=True).verdict


@pytest.mark.parametrize("method", [method for method in METHODS.values() if method.shape == "baskets"])
def test_every_method_of_baskets_works_in_parts_or_says_why_not(method):
    """What works in parts is tried here and in `test_parts`, by the names of its cases."""
    in_parts = method.parts or bool(method.fragments)
    assert in_parts != bool(method.whole)
    assert not method.fragments or method.name in ASKED
    assert not method.parts or method.name == "apriori"
