"""Record trees in parts: the trees of memory whatever pieces they come in, hashes of trees, and a random order."""

import json
import re
import tempfile
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies_trees
from shoal.algorithms.parts import trees_of
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.engines import in_turn
from shoal.io.config import TreeSpec
from shoal.io.read.trees import read_trees
from shoal.parts.draws import RunKey
from shoal.parts.trees import Shuffling, gather_trees, hash_trees, read_nested_parts, tree_hasher
from shuffle_engine import Shuffle

VALUES = st.one_of(st.none(), st.sampled_from("xyz"), st.integers(0, 2))
VISITS = st.lists(st.dictionaries(st.sampled_from(["ward", "ill"]), VALUES, max_size=2), max_size=3)
PEOPLE = st.lists(st.fixed_dictionaries({"town": VALUES, "visits": VISITS}), min_size=1, max_size=12)


def records_of(outline, runs):
    return [tree for run in runs for tree in trees_of(outline, run).nested()]


@settings(max_examples=60)
@given(PEOPLE, st.integers(1, 5), st.sampled_from(["keep", "merge"]), st.integers(0, 99))
def test_a_file_is_read_into_the_trees_that_it_is_in_memory(people, size, repeats, seed):
    with tempfile.TemporaryDirectory() as place:
        path, folder, spec = Path(place) / "people.ndjson", Path(place), TreeSpec(repeats=repeats)
        path.write_text("".join(json.dumps(person) + "\n" for person in people))
        try:
            whole = read_trees(path, spec)
        except InputError as error:
            sentence = re.escape(str(error))
            with pytest.raises(InputError, match=f"^{sentence}$"):
                read_nested_parts(path, folder / "parts", Shuffle(seed).map, spec, size)
            return
        read = read_nested_parts(path, folder / "parts", Shuffle(seed).map, spec, size)
        assert records_of(read.outline, read.parts.runs) == list(whole.nested())
        assert read.parts.sizes == tuple(
            last - first for first, last in pairwise([*range(0, len(people), size), len(people)])
        )
        assert (read.outline.pairs, read.outline.nesting) == (whole.pairs, whole.nesting)
        assert not (folder / "parts" / "raw").exists()  # neither of what was read is there twice
        assert not (folder / "parts" / "taken").exists()


def test_classes_that_stand_above_each_other_in_different_pieces_are_refused(tmp_path):
    pieces = [Trees.of([[("A", "a", ("B", "b"))]]), Trees.of([[("B", "b", ("A", "a"))]])]
    with pytest.raises(InputError, match="each is above another in some records and below it in others"):
        gather_trees(pieces, tmp_path, in_turn)


@given(strategies_trees.trees(min_records=1), st.booleans())
def test_hashes_are_equal_where_trees_are(records, repeats):
    trees = Trees.of(records)
    if repeats:  # equal siblings, with and without what stands below them
        trees = Trees.of([*records, *([*record, *record] for record in records)], repeats=True)
    hashes = hash_trees(tree_hasher(b"key", trees), trees).tolist()
    nested = list(map(repr, trees.nested()))
    assert len(set(zip(hashes, nested, strict=True))) == len(set(hashes)) == len(set(nested))


def test_a_hash_tells_under_which_of_equal_siblings_a_node_stands():
    one = [("A", "a", ("B", "b")), ("A", "a", ("B", "c"))]
    other = [("A", "a", ("B", "b"), ("B", "c")), ("A", "a")]
    trees = Trees.of([one, other], repeats=True)
    first, second = hash_trees(tree_hasher(b"key", trees), trees).tolist()
    assert first != second


@settings(max_examples=40)
@given(strategies_trees.trees(min_records=1, max_records=14), st.integers(1, 13), st.integers(1, 4))
def test_shuffling_keeps_every_record_and_tells_nothing_of_where_it_stood(records, cut, buckets):
    trees = Trees.of(records)
    with tempfile.TemporaryDirectory() as place:
        bounds = sorted({0, min(cut, trees.n), trees.n})
        pieces = [trees.take(np.arange(first, last)) for first, last in pairwise(bounds)]
        hasher = tree_hasher(b"key", trees)
        shuffling = Shuffling(trees, hasher, RunKey(b"a" * 32), buckets, Path(place))
        parts, digest = shuffling.run(pieces.__getitem__, range(len(pieces)), in_turn)
        once = [list(shuffling.read(parts, number).nested()) for number in range(buckets)]
        assert Counter(map(repr, chain.from_iterable(once))) == Counter(map(repr, trees.nested()))
        assert digest == int(hash_trees(hasher, trees).sum(dtype=np.uint64))
        again, _ = shuffling.run(pieces.__getitem__, range(len(pieces)), in_turn)  # a task may run twice
        assert [list(shuffling.read(again, number).nested()) for number in range(buckets)] == once


def test_the_order_is_another_with_another_key(tmp_path):
    trees = Trees.of([[("A", str(number))] for number in range(50)])
    orders = []
    for number, secret in enumerate((b"a" * 32, b"b" * 32)):
        shuffling = Shuffling(trees, tree_hasher(b"key", trees), RunKey(secret), 2, tmp_path / str(number))
        shuffling.folder.mkdir()
        parts, _ = shuffling.run(lambda _: trees, [tmp_path], in_turn)
        assert min(parts.sizes) > 5  # half of them each, but for a chance of one in a million
        orders.append([tree for at in range(2) for tree in shuffling.read(parts, at).nested()])
    assert orders[0] != orders[1]
    assert list(trees.nested()) not in orders
