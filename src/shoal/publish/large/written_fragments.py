"""Fragments of baskets on their way through the door: mixed at random, written, read back and compared."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
import polars as pl

from shoal.io.read.parts import PART
from shoal.io.write.table import on_disk, read_back, write
from shoal.publish.draft import refuse_unless
from shoal.publish.large.chance import drawn
from shoal.publish.large.fragment_counts import digested
from shoal.publish.large.fragmented_baskets import FragmentedBaskets
from shoal.publish.large.written_parts import PartWriting, other_records

__all__ = ["FragmentWriting"]

_NESTED = ("items", "uncertain")
_PIECE = 1 << 15  # lines that are read back together: parsed, they are objects of Python


@dataclass(frozen=True)
class FragmentWriting(PartWriting):
    """What the door asks of baskets in fragments, which are written as ndjson."""

    def write(self) -> None:
        """Write all fragments in random order: records go to random buckets, which are shuffled one by one."""
        many = -(-self._data.records // PART)
        folders = [self.stage / f"bucket-{place:05}" for place in range(many)]
        for folder in folders:
            folder.mkdir(parents=True, mode=0o700)
        for part in self._release.parts:
            cells = pl.read_parquet(part.path)
            bucket = drawn(cells.height) % np.uint64(many)
            for place, folder in enumerate(folders):
                cells.filter(bucket == place).write_parquet(folder / part.path.name, compression="lz4")
        piece = self.stage / "piece.ndjson"
        with on_disk(self.place) as file:
            for folder in folders:
                cells = pl.concat([pl.read_parquet(path) for path in sorted(folder.iterdir())])
                order = np.argsort(drawn(cells.height), kind="stable")
                write(cells[order], piece, "ndjson", nested=_NESTED)
                file.write(piece.read_bytes())

    def judge(self) -> None:
        """Check that the file holds what was staged, record by record, of which every fragment was judged as written.

        Raises
        ------
        RefusedError
            The file holds other records, or a fragment does not keep the claim or does not tell the truth.
        """
        records, digest = 0, 0
        piece = self.stage / "read.ndjson"
        with self.place.open("rb") as file:
            while lines := list(islice(file, _PIECE)):
                piece.write_bytes(b"".join(lines))
                cells = read_back(piece, "ndjson", nested=_NESTED)
                if cells.columns != self.draft.frame.columns:
                    break
                records, digest = records + cells.height, digest + digested(cells, self._data.key)
        if (records, digest % 2**64) != (self._data.records, self._release.total.digest):
            raise other_records()
        refuse_unless(self.draft.judge(self.draft.frame), self.draft.truth(self.draft.frame))

    @property
    def _data(self) -> FragmentedBaskets:
        assert isinstance(self.draft.dataset, FragmentedBaskets)
        return self.draft.dataset
