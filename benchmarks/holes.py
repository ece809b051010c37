"""Thousands of release folders that somebody changed, judged by `verify` in every mode; `python -m benchmarks.holes`.

The machine is that of `tests/publish/test_verify_mutated.py` (`tests/folder_holes.py`), with other seeds and more of
them: cells, rows and columns changed, doubled, left out, exchanged; the manifest's words, claim and digests;
groups.json undefined, unused, listed twice, named like an item; bytes flipped. A yes is wrong where what is there now
keeps less than the claim says, counted by a twin that imports nothing of shoal. Data sets for every method are
`benchmarks/soak.py`.

`--times N` changes of each of the releases (200), `--results FILE`.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import folder_holes

RESULTS = Path(__file__).with_name("results") / "holes.json"


def main() -> None:
    """Read the options, try, write down what was found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--times", type=int, default=200)
    options.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    options.add_argument("--results", type=Path, default=RESULTS)
    given = options.parse_args()
    found = tried(given.times, time.monotonic() + given.seconds)
    given.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print({name: found[name] for name in ("folders", "answers", "yes", "wrong")})
    sys.exit(bool(found["wrong"]))


def tried(times: int, end: float = float("inf")) -> dict[str, object]:
    """What `verify` says of so many changed folders of each release."""
    kinds: Counter[str] = Counter()
    answers, yes, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as place:
        made, room = Path(place) / "made", Path(place) / "room"
        made.mkdir()
        folder_holes.make(made)
        for piece in range(max(times // _PIECE, 1)):
            for kind, format in folder_holes.MADE:
                if time.monotonic() > end:
                    break
                seed = f" holes {piece}"
                for how, mode, _, bad in folder_holes.mutants(
                    made, room, kind, format, min(_PIECE, times), seed=seed, every=True
                ):
                    answers, yes = answers + 1, yes + (bad is not None)
                    if not mode:
                        kinds[how.removesuffix(" forged")] += 1
                    if bad:
                        wrong.append([kind, format, seed, how, mode, sorted(bad)])
    return {
        "folders": kinds.total(),
        "answers": answers,
        "yes": yes,
        "kinds": dict(kinds.most_common()),
        "wrong": wrong,
    }


_PIECE = 10


if __name__ == "__main__":
    main()
