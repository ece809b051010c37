"""Many drawn data sets for every maker and claim, judged by slow twins that see only what was released.

Run `python benchmarks/soak.py [--each 5000] [--seconds S] [--results FILE]`. Each data set has a number, and a run goes
on behind the last number of the result file, so no data set is counted twice and a run that was stopped is taken up
again. Every tenth release is also written and read back in one of its formats, every five-hundredth goes through the
door. `--replay MAKER CLAIM NUMBER` tries one data set again and shows what is broken.

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
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import soak_cases

RESULTS = Path(__file__).with_name("results") / "soak.json"
FIRST, PIECE = 100, 50
KINDS = ("judged", "infeasible", "turned away")
SHOWN = 300  # characters of what is said of a broken one


def main() -> None:
    """Read the options, run, and show the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--each", type=int, default=5000, help="data sets for each maker and claim, in all")
    options.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    options.add_argument("--results", type=Path, default=RESULTS)
    options.add_argument("--replay", nargs=3, metavar=("MAKER", "CLAIM", "NUMBER"))
    given = options.parse_args()
    if given.replay is not None:
        maker, model, number = given.replay
        print(soak_cases.soak(maker, model, int(number), **_how(int(number))))
        return
    found = _loaded(given.results)
    try:
        _run(found, given.each, time.monotonic() + given.seconds, given.results)
    finally:
        _store(found, given.results)
        _show(found)
    sys.exit(any(case["broken"] for case in found["cases"].values()))


def _run(found: dict[str, Any], each: int, end: float, results: Path) -> None:
    """A piece of each case in turn: the cases of a shape then share their data sets."""
    for first in range(FIRST, FIRST + each, PIECE):
        for maker, model in soak_cases.CASES:
            case = found["cases"].setdefault(f"{maker}: {model}", _nothing())
            for number in range(max(first, case["next"]), min(first + PIECE, FIRST + each)):
                _one(case, maker, model, number)
                if time.monotonic() > end:
                    return
        _store(found, results)


def _one(case: dict[str, Any], maker: str, model: str, number: int) -> None:
    start = time.process_time()
    try:
        outcome = soak_cases.soak(maker, model, number, **_how(number))
    except Exception as error:  # whatever it is, it is what is looked for
        case["broken"].append({"number": number, "what": f"{type(error).__name__}: {error}"[:SHOWN]})
    else:
        case[outcome.kind] += 1
        if outcome.kind == "judged":
            _count(case["recodings"], outcome.way)
            _count(case["formats"], outcome.format)
    case["next"] = number + 1
    case["cpu_seconds"] = round(case["cpu_seconds"] + time.process_time() - start, 3)


def _how(number: int) -> dict[str, bool]:
    return {"write": number % 10 == 0, "save": number % 500 == 0}


def _count(counts: dict[str, int], what: str) -> None:
    counts[what] = counts.get(what, 0) + 1


def _nothing() -> dict[str, Any]:
    return {
        "next": FIRST,
        **dict.fromkeys(KINDS, 0),
        "broken": [],
        "recodings": {},
        "formats": {},
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
