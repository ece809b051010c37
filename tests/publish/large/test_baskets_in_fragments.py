"""Baskets that are read into parts for methods of fragments: every record leaves once, judged, or nothing leaves."""

import json
import random
from collections import Counter

import numpy as np
import polars as pl
import pytest

from shoal.algorithms.basket_files import in_basket_files
from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.engines import in_turn
from shoal.hierarchy.rules import fanout
from shoal.io.config import load
from shoal.io.read.parts import open_arrays, read_basket_parts, save_arrays
from shoal.jobs.configured import run_config
from shoal.privacy import make_claim
from shoal.publish.large import baskets as large_baskets
from shoal.publish.large import opening
from shoal.publish.large.baskets import FragmentedBaskets, staged_fragments
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
ASKED = {
    "nonreciprocal": ("k = 3", ""),
    "labelled": ("k = 3\nl = 2", '[columns.taste]\nrole = "sensitive"'),
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
    if kind == "labelled":
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
        if getattr(path, "name", "") != "000001.parquet" or "items" not in cells.columns:
            return cells
        return cells.with_columns(pl.lit('["1"]').alias("items"))

    monkeypatch.setattr(large_baskets.pl, "read_parquet", bare)
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


# Fragments of baskets in files are written and judged one by one.

STAGED = 60
NUMBERS = {"nonreciprocal": {"k": 3}, "lra": {"k": 3, "m": 2}}


def made(tmp_path, maker, numbers, label=None):
    rng = np.random.default_rng(5)
    rows = [sorted(set(rng.choice(list("abcdefg"), 3))) for _ in range(STAGED)]
    path = tmp_path / "a.ndjson"
    lines = [{"items": row, "tag": f"t{at % 5}"} for at, row in enumerate(rows)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    raw = read_basket_parts(path, tmp_path / "parts", label=label, records=17)
    hierarchy = fanout("items", 2, raw.values)
    shared = {"hierarchy": hierarchy} if maker == "lra" else {}
    (tmp_path / "made").mkdir()
    (tmp_path / "stage").mkdir()
    claim = make_claim("baskets", **numbers)
    found = in_basket_files(maker, raw, shared, claim, {}, size=20, folder=tmp_path / "made")
    return found, hierarchy, rows


@pytest.mark.parametrize("maker", NUMBERS)
def test_every_record_is_staged_once_and_judged(tmp_path, maker):
    found, hierarchy, _ = made(tmp_path, maker, NUMBERS[maker])
    told = list(staged_fragments(found, hierarchy, tmp_path / "stage", 7, Shuffle(3).map))
    assert len(found.lots) == len(told) == 3
    assert sorted(part.number for part in told) == [0, 1, 2]
    assert all(part.claim and part.truth for part in told)
    cells = pl.concat([pl.read_parquet(part.path) for part in told])
    assert cells.height == sum(part.records for part in told) == STAGED
    assert cells.columns == (["items", "uncertain", "errors"] if maker == "nonreciprocal" else ["items"])
    assert sorted((tmp_path / "stage").iterdir()) == sorted(part.path for part in told)


def test_labels_travel_with_their_rows(tmp_path):
    found, _, _ = made(tmp_path, "nonreciprocal", {"l": 2}, label="tag")
    told = list(staged_fragments(found, None, tmp_path / "stage", 7, in_turn))
    assert all(part.claim and part.truth for part in told)
    cells = pl.concat([pl.read_parquet(part.path) for part in told])
    assert cells["tag"].value_counts()["count"].to_list() == [STAGED // 5] * 5


@pytest.mark.parametrize("maker", NUMBERS)
def test_files_that_tell_no_truth_are_told(tmp_path, maker):
    found, hierarchy, _ = made(tmp_path, maker, NUMBERS[maker])
    (items,) = open_arrays(found.made[1].folder, "items")
    save_arrays(found.made[1].folder, items=(items + 1) % (items.max() + 1))
    told = list(staged_fragments(found, hierarchy, tmp_path / "stage", 7, in_turn))
    assert [bool(part.claim and part.truth) for part in told] == [True, False, True]


def test_a_proof_that_proves_nothing_is_told(tmp_path):
    found, hierarchy, _ = made(tmp_path, "nonreciprocal", {"k": 3})
    (proof,) = open_arrays(found.made[0].folder, "proof")
    save_arrays(found.made[0].folder, proof=np.repeat(proof[:1], len(proof), axis=0))
    told = list(staged_fragments(found, hierarchy, tmp_path / "stage", 7, in_turn))
    assert [bool(part.claim) for part in told] == [False, True, True]


@pytest.mark.parametrize("kind", ["nonreciprocal", "lra"])
def test_fragments_of_which_nothing_is_left_are_infeasible(folder, kind):
    path = ready(folder, kind)
    (folder / "items.csv").write_text("".join(f"{i};*\n" for i in range(N)))
    (folder / "bought.ndjson").write_text("".join(json.dumps({"items": [str(i)]}) + "\n" for i in range(N)))
    with pytest.raises(InfeasibleError, match=f"nothing is left: in {N} of {N} released records"):
        run_config(path, folder / "out")
    assert run_config(path, folder / "out", allow_empty=True).verdict
