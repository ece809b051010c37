"""Thousands of release folders that somebody changed, judged by `verify` in every mode; `python -m benchmarks.holes`.

The machine is that of `tests/publish/test_verify_mutated.py` (`tests/support/folder_holes.py`), with other seeds and
more of them: cells, rows and columns changed, doubled, left out, exchanged; the manifest's words, claim and digests;
groups.json undefined, unused, listed twice, named like an item; bytes flipped. A yes is wrong where what is there now
keeps less than the claim says, counted by a twin that imports nothing of shoal. Data sets for every method are
`benchmarks/soak.py`.

`--pieces N` rounds of ten changes of each of the releases (20), `--seconds S`, `--results FILE`. A run goes on behind
the last round of the result file, so nothing is counted twice.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import folder_holes

RESULTS = Path(__file__).with_name("results") / "holes.json"


def main() -> None:
    """Read the options, try, write down what was found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--pieces", type=int, default=20, help="rounds of ten changes of each release")
    options.add_argument("--seconds", type=float, default=float("inf"), help="begin no round after so many")
    options.add_argument("--results", type=Path, default=RESULTS)
    given = options.parse_args()
    found = json.loads(given.results.read_text(encoding="utf-8")) if given.results.exists() else dict(_NONE)
    try_folders(found, given.pieces, time.monotonic() + given.seconds)
    given.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print({name: found[name] for name in ("folders", "answers", "yes", "wrong")})
    sys.exit(bool(found["wrong"]))


_NONE = {"pieces": 0, "folders": 0, "answers": 0, "yes": 0, "kinds": {}, "wrong": []}
_PIECE = 10


def try_folders(found: dict[str, Any], pieces: int, end: float = float("inf")) -> None:
    """Count what `verify` says of so many rounds of changed folders, one round of all releases after the other."""
    kinds = Counter(found["kinds"])
    with tempfile.TemporaryDirectory() as place:
        made, room = Path(place) / "made", Path(place) / "room"
        made.mkdir()
        folder_holes.make(made)
        for piece in range(found["pieces"], found["pieces"] + pieces):
            if time.monotonic() > end:
                break
            found["pieces"] = piece + 1
            for kind, format in folder_holes.MADE:
                seed = f" holes {piece}"
                tried = folder_holes.mutants(made, room, kind, format, _PIECE, seed=seed, every=True)
                for how, mode, _, wrong in tried:
                    found["answers"] += 1
                    found["yes"] += wrong is not None
                    if not mode:
                        kinds[how.removesuffix(" forged")] += 1
                    if wrong:
                        found["wrong"].append([kind, format, seed, how, mode, sorted(wrong)])
    found["kinds"], found["folders"] = dict(kinds.most_common()), kinds.total()


if __name__ == "__main__":
    main()
