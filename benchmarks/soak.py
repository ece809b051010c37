"""Many drawn data sets for every method and claim, judged by twins that see only what was written.

Run `python benchmarks/soak.py [--each 5000] [--seconds S] [--results FILE]`. Each data set has a number, and a run goes
on behind the last number of the result file, so no data set is counted twice and a run that was stopped is taken up
again. Every release goes through the door into a folder, in one of its formats, and is read back by the twins' own
readers; of every hundredth the door writes report and audit, too. `--memory` judges releases as they are in memory,
which takes a third of the time. `--replay MAKER CLAIM NUMBER` tries one data set again and shows what is broken.

The tests look at the numbers below 100, see `tests/laws/test_soak.py`; here they begin at 100.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections import Counter
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import soak_cases

RESULTS = Path(__file__).with_name("results") / "soak.json"
FIRST, PIECE = 100, 10
KINDS = ("judged", "infeasible", "turned away")
SIZES = (12, 60, 300)
"""Up to so many records, or values of a column, results are counted together."""
SHOWN = 300  # characters of what is said of a broken one


def main() -> None:
    """Read the options, run, and show the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--each", type=int, default=5000, help="data sets for each method and claim, in all")
    options.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    options.add_argument("--results", type=Path, default=RESULTS)
    options.add_argument("--memory", action="store_true", help="judge what is in memory, and write nothing")
    options.add_argument("--replay", nargs=3, metavar=("MAKER", "CLAIM", "NUMBER"))
    given = options.parse_args()
    if given.replay is not None:
        maker, model, number = given.replay
        print(soak_cases.soak(maker, model, int(number), **_how(int(number))))
        return
    found = _loaded(given.results)
    try:
        _run(found, given.each, time.monotonic() + given.seconds, given.results, write=not given.memory)
    finally:
        _store(found, given.results)
        _show(found)
    sys.exit(any(case["broken"] for case in found["cases"].values()))


def _run(found: dict[str, Any], each: int, end: float, results: Path, *, write: bool) -> None:
    """A piece of each case in turn: the cases of a shape then share their data sets."""
    for first in range(FIRST, FIRST + each, PIECE):
        for maker, model in soak_cases.CASES:
            case = found["cases"].setdefault(f"{maker}: {model}", _nothing())
            for number in range(max(first, case["next"]), min(first + PIECE, FIRST + each)):
                _one(case, maker, model, number, write=write)
                if time.monotonic() > end:
                    return
        _store(found, results)


def _one(case: dict[str, Any], maker: str, model: str, number: int, *, write: bool) -> None:
    start = time.process_time()
    try:
        outcome = soak_cases.soak(maker, model, number, write=write, **_how(number))
    except Exception as error:  # whatever it is, it is what is looked for
        case["broken"].append({"number": number, "what": f"{type(error).__name__}: {error}"[:SHOWN]})
    else:
        case[outcome.kind] += 1
        if outcome.kind == "judged":
            _count(case["recodings"], outcome.way)
            _count(case["formats"], outcome.format)
            _count(case["records"], _size(outcome.records))
            _count(case["values"], _size(outcome.values))
            case["suppressed"] += outcome.suppressed > 0
            case["most records"] = max(case["most records"], outcome.records)
            case["most values"] = max(case["most values"], outcome.values)
    case["next"] = number + 1
    case["cpu_seconds"] = round(case["cpu_seconds"] + time.process_time() - start, 3)


def _how(number: int) -> dict[str, bool]:
    return {"pages": number % 100 == 50}


def _size(count: int) -> str:
    """Between which sizes a number lies."""
    below = [0, *SIZES]
    return next(
        (f"{low + 1} to {high}" for low, high in pairwise(below) if count <= high), f"over {SIZES[-1]}"
    )


def _count(counts: dict[str, int], what: str) -> None:
    counts[what] = counts.get(what, 0) + 1


def _nothing() -> dict[str, Any]:
    return {
        "next": FIRST,
        **dict.fromkeys(KINDS, 0),
        "broken": [],
        "recodings": {},
        "formats": {},
        "records": {},
        "values": {},
        "suppressed": 0,
        "most records": 0,
        "most values": 0,
        "cpu_seconds": 0.0,
    }


def _loaded(results: Path) -> dict[str, Any]:
    return json.loads(results.read_text(encoding="utf-8")) if results.exists() else {"cases": {}}


def _store(found: dict[str, Any], results: Path) -> None:
    """Write the counts in one piece, with their sums before them."""
    sums = {kind: sum(case[kind] for case in found["cases"].values()) for kind in KINDS}
    broken = sum(len(case["broken"]) for case in found["cases"].values())
    whole = {
        "data sets": sum(sums.values()) + broken,
        **sums,
        "broken": broken,
        "recodings": _sum(found, "recodings"),
        "formats": _sum(found, "formats"),
        "records": _sum(found, "records"),
        "values": _sum(found, "values"),
        "suppressed": sum(case["suppressed"] for case in found["cases"].values()),
        "most records": max((case["most records"] for case in found["cases"].values()), default=0),
        "most values": max((case["most values"] for case in found["cases"].values()), default=0),
        "cpu_seconds": round(sum(case["cpu_seconds"] for case in found["cases"].values())),
        "twin": "tests/support/naive_written.py",
        "spanned": soak_cases.SPANNED,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("shoal", "numpy", "numba", "polars")},
        "cases": found["cases"],
    }
    results.parent.mkdir(exist_ok=True)
    part = results.with_suffix(".part")
    part.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    part.replace(results)


def _sum(found: dict[str, Any], key: str) -> dict[str, int]:
    return dict(sum((Counter(case[key]) for case in found["cases"].values()), Counter[str]()))


def _show(found: dict[str, Any]) -> None:
    print(f"{'maker: claim':<64} {'judged':>7} {'infeas.':>7} {'away':>6} {'broken':>6} {'ms':>6}")
    for name, case in found["cases"].items():
        tried = sum(case[kind] for kind in KINDS) + len(case["broken"])
        pace = 1000 * case["cpu_seconds"] / max(tried, 1)
        counts = " ".join(f"{case[kind]:>{width}}" for kind, width in zip(KINDS, (7, 7, 6), strict=True))
        print(f"{name:<64} {counts} {len(case['broken']):>6} {pace:>6.1f}")
        for one in case["broken"]:
            print(f"    {one['number']}: {one['what']}")


if __name__ == "__main__":
    main()
