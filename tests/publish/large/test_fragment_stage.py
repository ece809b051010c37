"""Fragments of baskets in files are written and judged one by one."""

import json

import numpy as np
import polars as pl
import pytest

from shoal.algorithms.fragments.basket_files import in_basket_files
from shoal.engines.local import Shuffle
from shoal.engines.parts import in_turn
from shoal.hierarchy.rules import fanout
from shoal.io.read.parts import open_arrays, read_basket_parts, save_arrays
from shoal.privacy import claim_of
from shoal.publish.large.fragment_stage import staged_fragments

N = 60
ASKED = {"nonreciprocal": {"k": 3}, "lra": {"k": 3, "m": 2}}


def made(tmp_path, maker, numbers, label=None):
    rng = np.random.default_rng(5)
    rows = [sorted(set(rng.choice(list("abcdefg"), 3))) for _ in range(N)]
    path = tmp_path / "a.ndjson"
    lines = [{"items": row, "tag": f"t{at % 5}"} for at, row in enumerate(rows)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    raw = read_basket_parts(path, tmp_path / "parts", label=label, records=17)
    hierarchy = fanout("items", 2, raw.values)
    shared = {"hierarchy": hierarchy} if maker == "lra" else {}
    (tmp_path / "made").mkdir()
    (tmp_path / "stage").mkdir()
    claim = claim_of("baskets", **numbers)
    found = in_basket_files(maker, raw, shared, claim, {}, size=20, folder=tmp_path / "made")
    return found, hierarchy, rows


@pytest.mark.parametrize("maker", ASKED)
def test_every_record_is_staged_once_and_judged(tmp_path, maker):
    found, hierarchy, _ = made(tmp_path, maker, ASKED[maker])
    told = list(staged_fragments(found, hierarchy, tmp_path / "stage", 7, Shuffle(3).map))
    assert len(found.lots) == len(told) == 3
    assert sorted(part.number for part in told) == [0, 1, 2]
    assert all(part.claim and part.truth for part in told)
    cells = pl.concat([pl.read_parquet(part.path) for part in told])
    assert cells.height == sum(part.records for part in told) == N
    assert cells.columns == (["items", "uncertain", "errors"] if maker == "nonreciprocal" else ["items"])
    assert sorted((tmp_path / "stage").iterdir()) == sorted(part.path for part in told)


def test_labels_travel_with_their_rows(tmp_path):
    found, _, _ = made(tmp_path, "nonreciprocal", {"l": 2}, label="tag")
    told = list(staged_fragments(found, None, tmp_path / "stage", 7, in_turn))
    assert all(part.claim and part.truth for part in told)
    cells = pl.concat([pl.read_parquet(part.path) for part in told])
    assert cells["tag"].value_counts()["count"].to_list() == [N // 5] * 5


@pytest.mark.parametrize("maker", ASKED)
def test_files_that_tell_no_truth_are_told(tmp_path, maker):
    found, hierarchy, _ = made(tmp_path, maker, ASKED[maker])
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
