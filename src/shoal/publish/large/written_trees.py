"""Large record trees on their way through the door: written in random order, read back in pieces, judged by counts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.trees.tree_parts import trees_of
from shoal.data import Trees
from shoal.data.types import I8
from shoal.io.read.parts import PART, save_arrays
from shoal.io.write.table import on_disk
from shoal.io.write.tree_nodes import read_pieces, write_lines
from shoal.publish.draft import refuse_unless
from shoal.publish.large.chance import drawn
from shoal.publish.large.record_hashes import hashed
from shoal.publish.large.tree_data import LargeTrees, parts_of
from shoal.publish.large.written_parts import PartWriting, other_records
from shoal.publish.trees.judging import judge_parts, value_pairs
from shoal.release import RecodedTrees

__all__ = ["LargeTreeWriting"]


@dataclass(frozen=True)
class LargeTreeWriting(PartWriting):
    """What the door asks of large record trees."""

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        many = -(-self._data.records // PART)
        pieces: list[list[Path]] = [[] for _ in range(many)]
        for number, part in enumerate(parts_of(self._release).parts):
            trees = trees_of(self._outline.trees, part, "out_")
            bucket = drawn(trees.n) % np.uint64(many)
            for place in range(many):
                some = trees.take(np.flatnonzero(bucket == place))
                pieces[place].append(_kept(self.stage / f"bucket-{place:05}" / f"{number:05}", some))
        with on_disk(self.place) as file:
            for paths in pieces:
                trees = _joined(self._outline.trees, paths)
                write_lines(trees.take(np.argsort(drawn(trees.n), kind="stable")), file)

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        parts, records, digest = [], 0, 0
        for number, trees in enumerate(self._read()):
            parts.append(_kept(self.stage / f"read-{number:05}", trees))
            records, digest = (
                records + trees.n,
                digest + int(hashed(trees, self._data.key).sum(dtype=np.uint64)),
            )
        if (records, digest % 2**64) != (self._data.records, self._data.counted(self._release).digest):
            raise other_records()
        claim: Any = self.draft.claim
        data = self._data
        judged = judge_parts(claim, self._outline.trees, parts, data.hierarchies, data.parts.map)
        refuse_unless(judged, self.draft.truth(self.draft.frame))

    def _read(self) -> Iterator[Trees]:
        """The records of the public file in pieces, in the codes of the release."""
        shown = self._outline.trees
        known = value_pairs(shown)
        code = {pair: place for place, pair in enumerate(known)}
        for piece in read_pieces(self.place, PART):
            own = np.array([code.get(pair, -1) for pair in value_pairs(piece)], dtype=np.int32)
            if (own < 0).any():
                raise other_records()
            items = own[piece.items]
            yield Trees.build(
                known, piece.start, items, piece.parents, shown.sensitive, classes=shown.classes
            )

    @property
    def _data(self) -> LargeTrees:
        assert isinstance(self.draft.dataset, LargeTrees)
        return self.draft.dataset

    @cached_property
    def _outline(self) -> RecodedTrees:
        return parts_of(self._release).outline


def _kept(folder: Path, trees: Trees) -> Path:
    """Write trees into a folder of their own."""
    folder.mkdir(parents=True, mode=0o700)
    save_arrays(folder, start=trees.start, items=trees.items, parents=trees.parents)
    return folder


def _joined(outline: Trees, parts: list[Path]) -> Trees:
    """The trees of several folders behind each other."""
    found = [trees_of(outline, part) for part in parts]
    sizes: I8 = np.concatenate([np.diff(trees.start) for trees in found])
    return replace(
        outline,
        start=np.r_[0, np.cumsum(sizes)].astype(np.int64),
        items=np.concatenate([trees.items for trees in found]),
        parents=np.concatenate([trees.parents for trees in found]),
    )
