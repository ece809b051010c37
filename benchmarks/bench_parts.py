"""Tables in parts beside one piece: loss, CPU time and the largest memory, from a file to two judged folders.

Run `python benchmarks/bench_parts.py [FOLDER] [1m] [10m] [mondrian] [mstk] [boxes]`; without words, a million records
by `mondrian` and `mstk`. The people are those of `bench_large.py`: eight quasi-identifiers and a sensitive column, here
in parquet. A million are released in one piece, too. FOLDER keeps what was generated. Each run is a process of its own
with warm kernels.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from bench_large import SIZES, configured, generated, people, run
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


def main() -> None:
    """Run the sizes and methods that are asked for."""
    need(DATA / "adult" / "adult.csv")
    asked = sys.argv[1:]
    kept = [Path(word) for word in asked if Path(word).is_dir()]
    folder = kept[0] if kept else Path(tempfile.mkdtemp(prefix="shoal-parts-"))
    rows = []
    for size in [size for size in SIZES if size in asked] or ["1m"]:
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
