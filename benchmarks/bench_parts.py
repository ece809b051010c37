"""Tables in parts beside one piece: loss, CPU time and the largest memory, from a file to two judged folders.

Run `python benchmarks/bench_parts.py [FOLDER] [1m] [10m] [mondrian] [mstk] [boxes] [mixed]`; without words, a million
records by `mondrian` and `mstk`. The people are those of `bench_large.py`: eight quasi-identifiers and a sensitive
column, here in parquet. A million are released in one piece, too. `mixed` releases tables with baskets by `bound`: five
of the columns and ten of a thousand items each, a hundred thousand of them in memory, and three million in parts.
FOLDER keeps what was generated. Each run is a process of its own with warm kernels.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from bench_large import QUASI, SIZES, configured, generated, people, run
from common import DATA, need, show

METHODS = ("mondrian", "mstk", "boxes")
PART = 1 << 18
ASKED = "30 us a record, 2 GB, loss within 2% of one piece"


def parquet(folder: Path, size: str) -> Path:
    """The file of a size."""
    if size != "1m":
        return generated(folder, size)
    path = folder / "parts-1m.parquet"
    if not path.exists():
        people(SIZES[size], 0).write_parquet(path)
    return path


def released(folder: Path, data: Path, method: str, part: int | None) -> tuple[str, float]:
    """What a run cost, in words, and its loss `ncp`."""
    config = configured(folder, data)
    text = config.read_text().replace('name = "optimal"\nsuppress = 0.01\n', f'name = "{method}"\n')
    config.write_text(text if part is None else f"{text}[engine]\npart = {part}\n")
    out = folder / "out"
    wall, seconds, memory = run(config, out)
    manifest = json.loads((out / "manifest.json").read_text())
    audit = json.loads((folder / "out.private" / "audit.json").read_text())
    for place in (out, folder / "out.private"):
        shutil.rmtree(place)
    loss = {**manifest["loss"], **audit["losses"]}["ncp"]
    each = 1e6 * seconds / manifest["records_in"]
    fragments = audit["trace"].get("fragments", 1)
    told = f"{wall:.0f} s, {seconds:.0f} CPU s, {each:.1f} us a record, {memory:.0f} MB, ncp {loss:.5f}"
    return f"{told}, {fragments} fragments, {manifest['classes']} classes", loss


ITEMS, HELD = 1000, 10
MIXED = {"100k": 100_000, "1m": 1_000_000, "3m": 3_000_000}
COLUMNS = QUASI[:5]


def with_baskets(folder: Path, rows: int) -> Path:
    """So many people with five columns and ten items each, frequent ones more often, in parquet."""
    path = folder / f"mixed-{rows}.parquet"
    if path.exists():
        return path
    pieces = []
    for number in range(0, rows, 100_000):
        random = np.random.default_rng(number)
        drawn = (ITEMS * random.random((100_000, HELD)) ** 2).astype(int)
        texts = pl.DataFrame(drawn).select(pl.concat_str(pl.all(), separator=" ").alias("items"))
        pieces.append(folder / f"mixed-{rows}-{number}.parquet")
        people(100_000, number).select(COLUMNS).hstack(texts).write_parquet(pieces[-1])
    pl.scan_parquet(pieces).sink_parquet(path)
    for piece in pieces:
        piece.unlink()
    return path


def released_mixed(folder: Path, rows: int, part: int | None) -> str:
    """What a run of `bound` cost, in words."""
    data, poka, tree = with_baskets(folder, rows), DATA / "adult" / "poka", folder / "items.csv"
    tree.write_text("".join(f"{item};g{item // 10};h{item // 100};*\n" for item in range(ITEMS)))
    columns = [f'"{name}" = {{ role = "quasi", hierarchy = "{poka / name}.csv" }}\n' for name in COLUMNS]
    config = folder / "mixed.toml"
    config.write_text(
        f'[data]\npath = "{data}"\n[columns]\n{"".join(columns)}'
        f'items = {{ role = "items", hierarchy = "{tree}" }}\n[guarantee]\nk = 5\nm = 2\n'
        '[method]\nname = "bound"\n[release]\nformat = "parquet"\n'
        + (f"[engine]\npart = {part}\n" if part else "")
    )
    out = folder / "out"
    wall, seconds, memory = run(config, out)
    manifest = json.loads((out / "manifest.json").read_text())
    audit = json.loads((folder / "out.private" / "audit.json").read_text())
    for place in (out, folder / "out.private"):
        shutil.rmtree(place)
    each, losses = 1e6 * seconds / rows, {**manifest["loss"], **audit["losses"]}
    told = f"{wall:.0f} s, {seconds:.0f} CPU s, {each:.0f} us a record, {memory:.0f} MB"
    return f"{told}, ncp {losses['ncp']:.4f} ({losses['table-ncp']:.4f}, {losses['items-ncp']:.4f})"


def run_mixed(folder: Path) -> list[tuple[str, str, str]]:
    """Tables with baskets: in memory, and in parts."""
    rows = []
    for size, part in (("100k", None), ("100k", PART), ("1m", PART), ("3m", PART)):
        told = released_mixed(folder, MIXED[size], part)
        where = "in memory" if part is None else "in parts"
        rows.append((f"{size} tables with baskets, bound, {where}", told, "as at 100,000; memory flat"))
        print(*rows[-1], sep="  ", flush=True)
    return rows


def main() -> None:
    """Run the sizes and methods that are asked for."""
    need(DATA / "adult" / "adult.csv")
    asked = sys.argv[1:]
    kept = [Path(word) for word in asked if Path(word).is_dir()]
    folder = kept[0] if kept else Path(tempfile.mkdtemp(prefix="shoal-parts-"))
    rows = run_mixed(folder) if "mixed" in asked else []
    for size in [size for size in SIZES if size in asked] or ([] if rows else ["1m"]):
        data = parquet(folder, size)
        for method in [method for method in METHODS if method in asked] or METHODS[:2]:
            told, loss = released(folder, data, method, PART)
            rows.append((f"{size} x 8, {method}, in parts", told, ASKED))
            print(*rows[-1], sep="  ", flush=True)
            if size == "1m":
                told, whole = released(folder, data, method, None)
                rows.append(
                    (f"{size} x 8, {method}, in one piece", told, f"{loss / whole - 1:+.2%} in parts")
                )
                print(*rows[-1], sep="  ", flush=True)
    show("Tables in parts", rows)
    if not kept:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
