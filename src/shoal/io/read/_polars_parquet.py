"""The reader of foreign parquet files, in a process of its own: polars believes what they say of themselves.

It is run as a script by `shoal.io.read.parquet`, and knows nothing of shoal. What it found stands in a folder: how many
records, columns and values there are as `facts.json`, the records as `cells.arrow` where they are asked for, or one
word of what went wrong as `wrong.txt`.
"""

import json
import sys
from pathlib import Path
from typing import Any

_BATCH = 1 << 16
_CELL = 8  # bytes that a cell takes at least


def _read(file: str, folder: str, task: str, limit: str) -> None:
    """Copy all records, the first `limit` of them, or look at each and keep none.

    task : `copy`, of whose cells there are at most `limit` bytes, `head` or `examine`, which looks no further where
           the file states more than `limit` cells
    """
    import polars as pl

    output, most = Path(folder), int(limit)
    scan = pl.scan_parquet(file, glob=False, hive_partitioning=False)
    width = len(scan.collect_schema())
    try:
        records = scan.select(pl.len()).collect().item()  # from the footer alone
        facts = {"records": records, "width": width, "values": records * width}
        if task == "head":
            scan.head(most).collect().write_ipc(output / "cells.arrow")
        elif task == "copy":
            if _CELL * records * width > most:
                (output / "wrong.txt").write_text("large")
            else:
                frame = scan.collect()
                facts["values"] = sum(_count_values(frame[name]) for name in frame.columns)
                if _CELL * facts["values"] > most:
                    (output / "wrong.txt").write_text("large")
                else:
                    frame.write_ipc(output / "cells.arrow")
        elif records * width <= most:
            batches = scan.collect_batches(chunk_size=_BATCH, maintain_order=False, engine="streaming")
            facts["values"] = sum(_count_values(batch[name]) for batch in batches for name in batch.columns)
    except MemoryError:
        (output / "wrong.txt").write_text("memory")
        return
    (output / "facts.json").write_text(json.dumps(facts))


def _count_values(cells: Any) -> int:
    """How many values a column holds, those in its lists one by one; at least one for each list."""
    import polars as pl

    if isinstance(cells.dtype, pl.List | pl.Array):
        return max(len(cells), _count_values(cells.explode()))
    if isinstance(cells.dtype, pl.Struct):
        return sum(_count_values(cells.struct.field(field.name)) for field in cells.dtype.fields)
    return len(cells)


if __name__ == "__main__":
    for job in sys.stdin:
        _read(*json.loads(job))
        print("done", flush=True)
