"""Large baskets on their way through the door: written in random order, read back in pieces, judged by counts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms.itemsets.basket_parts import published_part
from shoal.data.lists import take
from shoal.data.types import I4, I8
from shoal.io.read.parts import PART, open_arrays, save_arrays
from shoal.io.write.json_text import read_lists
from shoal.io.write.table import on_disk, read_back, write
from shoal.publish.baskets.item_cells import item_cells
from shoal.publish.baskets.judging import judge_parts
from shoal.publish.draft import refuse_unless
from shoal.publish.large.basket_data import LargeBaskets, published_of
from shoal.publish.large.chance import drawn
from shoal.publish.large.record_hashes import hashed_lists
from shoal.publish.large.written_parts import PartWriting, other_records
from shoal.release import RecodedBaskets

__all__ = ["LargeBasketWriting"]


@dataclass(frozen=True)
class LargeBasketWriting(PartWriting):
    """What the door asks of large baskets, which are written as ndjson."""

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        many = -(-self._data.records // PART)
        pieces: list[list[Path]] = [[] for _ in range(many)]
        for number, part in enumerate(published_of(self._release).parts):
            made = published_part(self._outline, part)
            bucket = drawn(len(made.rows)) % np.uint64(many)
            for place in range(many):
                some = take(made.start, made.items, np.flatnonzero(bucket == place))
                pieces[place].append(_kept(self.stage / f"bucket-{place:05}" / f"{number:05}", *some))
        with on_disk(self.place) as file:
            for paths in pieces:
                file.write(self._lines(*_joined(paths)))

    def _lines(self, start: I8, items: I4) -> bytes:
        """Records in random order as they are written."""
        order = np.argsort(drawn(len(start) - 1), kind="stable")
        begins, moved = take(start, items, order)
        made = replace(self._outline, start=begins, items=moved)
        piece = self.stage / "piece.ndjson"
        frame = pl.DataFrame([item_cells("items", made, self._data.baskets.values)])
        write(frame, piece, "ndjson", nested=["items"])
        return piece.read_bytes()

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        parts, records, digest = [], 0, 0
        for number, (start, items) in enumerate(self._read()):
            parts.append(_kept(self.stage / f"read-{number:05}", start, items))
            hashes = hashed_lists(start, items, self._data.key)
            records, digest = records + len(start) - 1, digest + int(hashes.sum(dtype=np.uint64))
        if (records, digest % 2**64) != (self._data.records, self._data.counted(self._release).digest):
            raise other_records()
        claim: Any = self.draft.claim
        labels = [str(label) for label in self._outline.forms.labels]
        judged = judge_parts(claim, parts, labels, self._data.hierarchy, frozenset(), self._data.parts.map)
        refuse_unless(judged, self.draft.truth(self.draft.frame))

    def _read(self) -> Iterator[tuple[I8, I4]]:
        """The records of the public file in pieces, in places of the release's forms, ascending."""
        code = {label: place for place, label in enumerate(self._outline.forms.labels)}
        piece = self.stage / "read.ndjson"
        with self.place.open("rb") as file:
            while lines := list(islice(file, PART)):
                piece.write_bytes(b"".join(lines))
                start, items, entries = read_lists(read_back(piece, "ndjson", nested=["items"])["items"])
                own = np.array(
                    [code.get(entry, -1) if isinstance(entry, str) else -1 for entry in entries],
                    dtype=np.int32,
                )
                if (own < 0).any():
                    raise other_records()
                yield start, own[items]

    @property
    def _data(self) -> LargeBaskets:
        assert isinstance(self.draft.dataset, LargeBaskets)
        return self.draft.dataset

    @property
    def _outline(self) -> RecodedBaskets:
        return published_of(self._release).outline


def _kept(folder: Path, start: I8, items: I4) -> Path:
    """Write baskets into a folder of their own."""
    folder.mkdir(parents=True, mode=0o700)
    save_arrays(folder, start=start, items=items)
    return folder


def _joined(parts: list[Path]) -> tuple[I8, I4]:
    """The baskets of several folders behind each other."""
    found = [open_arrays(part, "start", "items") for part in parts]
    sizes = np.concatenate([np.diff(start) for start, _ in found])
    return np.r_[0, np.cumsum(sizes)].astype(np.int64), np.concatenate([items for _, items in found])
