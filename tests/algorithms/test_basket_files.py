"""Baskets in files, cut into fragments and anonymized where they lie: the same laws as in memory."""

import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import itemset_cases
import naive_itemsets as naive
from claiming import kept
from shoal.algorithms.basket_files import borders, gray_keys, in_basket_files, places
from shoal.algorithms.fragments import union
from shoal.algorithms.ring.basket_order import gray_order
from shoal.base.errors import InfeasibleError
from shoal.data import Baskets, Column
from shoal.engines import in_threads, in_turn
from shoal.io.read.parts import read_basket_parts
from shoal.privacy import make_claim
from shoal.privacy.nonreciprocal import truth_of_votes
from shuffle_engine import Shuffle
from strategies import several, subsets
from vote_cases import seen, shown

ITEMS = "123456789"
law = settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
lists = st.integers(4, 24).flatmap(partial(several, subsets(ITEMS, 6)))


@given(rows=st.lists(st.frozensets(st.integers(0, 99), max_size=12), max_size=30), data=st.data())
@settings(max_examples=80)
def test_keys_are_in_gray_order(rows, data):
    every = {f"{item:02}" for item in range(data.draw(st.sampled_from([1, 2, 100, 300])))}
    baskets = Baskets.of("i", [{f"{item:02}" for item in row} & every for row in rows], every)
    rank = np.array(data.draw(st.permutations(range(len(baskets.values)))), dtype=np.int64)
    keys = gray_keys(baskets, rank)
    assert (np.diff(keys[gray_order(baskets, rank)].astype(object)) >= 0).all()
    short = [
        row for row in range(baskets.n) if len(baskets.basket(row)) < 63 // len(baskets.values).bit_length()
    ]
    for a in short:
        for b in short:
            assert (keys[a] == keys[b]) == (baskets.basket(a).tolist() == baskets.basket(b).tolist())


@given(
    keys=st.integers(1, 400).flatmap(partial(several, tuple(range(6)))),
    parts=st.integers(1, 8),
    seed=st.integers(0, 9),
)
@settings(max_examples=100)
def test_equal_keys_are_spread_over_the_parts_that_they_fill(keys, parts, seed):
    keys = np.array(keys, dtype=np.uint64)
    of = places(keys, borders(keys, parts), np.random.default_rng(seed))
    assert ((0 <= of) & (of < parts)).all()
    order = np.lexsort((keys, of))
    assert (np.diff(keys[order].astype(np.int64)) >= 0).all()


def made(method, frame, numbers, size, *, shared=None, mapper=in_turn, seed=None, part=5, **options):
    """The union of all fragments, the originals in the same order, and labels."""
    rng = None if seed is None else np.random.default_rng(seed)
    with TemporaryDirectory() as place:
        path = Path(place) / "data.ndjson"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in frame), encoding="utf-8")
        label = "tag" if "tag" in frame[0] else None
        raw = read_basket_parts(path, Path(place) / "parts", label=label, records=part)
        assert raw.n == len(frame)
        claim = make_claim("baskets", **numbers)
        found = in_basket_files(
            method, raw, shared or {}, claim, options, size=size, folder=Path(place), mapper=mapper, rng=rng
        )
        pairs = [found.open(at) for at in range(len(found.lots))]
        sizes = np.cumsum([0, *(lot.records for lot in found.lots)])
        rows = [np.arange(a, b) for a, b in pairwise(sizes)]
        texts = [itemset_cases.baskets(inputs["baskets"]) for inputs, _ in pairs]
        whole = union(rows, [result for _, result in pairs], raw.n)
        tags = [cell for inputs, _ in pairs if "label" in inputs for cell in inputs["label"].cells()]
        first = pairs[0][0]["baskets"]
        originals = Baskets.of("items", [row for part in texts for row in part], first.values)
        return whole, Baskets("items", originals.values, originals.start, originals.items), tags


def attempt(*given, **options):
    try:
        return made(*given, **options)
    except InfeasibleError:
        assume(False)


def frame_of(rows, tags=None):
    if tags is None:
        return [{"items": sorted(row)} for row in rows]
    return [{"items": sorted(row), "tag": tag} for row, tag in zip(rows, tags, strict=True)]


@pytest.mark.parametrize("numbers", [{"k": 2}, {"k": 2, "insiders": 1}, {"l": 2}], ids=str)
@given(rows=lists, size=st.integers(1, 12), part=st.integers(1, 30), data=st.data())
@law
def test_votes_keep_the_claim_and_the_truth(numbers, rows, size, part, data):
    tags = data.draw(st.permutations([f"s{at % 4}" for at in range(len(rows))]))
    frame = frame_of(rows, tags if "l" in numbers else None)
    whole, originals, tags = attempt("nonreciprocal", frame, numbers, size, part=part)
    assert sorted(map(sorted, itemset_cases.baskets(originals))) == sorted(map(sorted, rows))
    label = Column.of("tag", "sensitive", tags) if tags else None
    facts = seen(originals, whole, label)
    assert whole.claim.check(facts)
    assert whole.claim.prove(facts, whole.proof)
    assert truth_of_votes(facts, whole.release.rows)
    if tags:
        before = sorted((sorted(row["items"]), row["tag"]) for row in frame)
        held = map(sorted, itemset_cases.baskets(originals))
        assert sorted(zip(held, tags, strict=True)) == before


@given(rows=lists, size=st.integers(2, 12), part=st.integers(1, 30), seed=st.integers(0, 9))
@law
def test_what_runs_the_tasks_changes_nothing(rows, size, part, seed):
    frame = frame_of(rows)
    one, originals, _ = attempt("nonreciprocal", frame, {"k": 2}, size, part=part, seed=seed)
    for mapper in (in_threads(3), Shuffle(seed).map):
        other, same, _ = made("nonreciprocal", frame, {"k": 2}, size, part=part, seed=seed, mapper=mapper)
        assert same.items.tolist() == originals.items.tolist()
        assert shown(other) == shown(one)
        assert (other.proof == one.proof).all()


@given(
    case=itemset_cases.cases(max_rows=24),
    k=st.integers(1, 3),
    size=st.integers(1, 12),
    part=st.integers(1, 30),
)
@law
def test_cuts_keep_the_claim_and_the_truth(case, k, size, part):
    rows = itemset_cases.baskets(case[0])
    assume(len(case[0].items))
    whole, originals, _ = attempt(
        "lra", frame_of(rows), {"k": k, "m": 2}, size, shared={"hierarchy": case[1]}, part=part
    )
    assert kept(whole.claim, itemset_cases.seen(whole.release, originals))
    assert naive.truthful(itemset_cases.baskets(originals), itemset_cases.published(whole.release, originals))
    assert sorted(map(sorted, itemset_cases.baskets(originals))) == sorted(map(sorted, rows))
