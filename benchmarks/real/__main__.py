"""Public tables about people, released as shoal proposes it: `python -m benchmarks.real [TABLE ...]`.

Without names, all 208 (about half an hour on two cores). Prints a line for each table and figures of all; `--out FILE`
keeps the facts. `--for team` and other options of `init` are handed on. `--page FILE` takes facts for those of the page
on real tables, and writes it; with `--analyses` those of the analyses.

`python -m benchmarks.real --analyses [NAME ...]` runs known analyses on the originals and on releases (analyses.py).
"""

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from .analyses import ANALYSES, measure_analysis, print_analysis
from .measure import measure_table
from .page import ANALYSES as KEPT_ANALYSES
from .page import TABLES as KEPT_TABLES
from .page import keep
from .tables import TABLES


def summarize(facts: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all tables together."""
    released = [one for one in facts if "loss" in one]
    losses = sorted(one["loss"] for one in released)
    return {
        "tables": len(facts),
        "released": len(released),
        "stopped": len(facts) - len(released),
        "median loss": round(statistics.median(losses), 3) if losses else None,
        "above 60%": sum(loss > 0.6 for loss in losses),
        "above 50%": sum(loss > 0.5 for loss in losses),
        "columns": sum(one["columns"] for one in released),
        "columns asked about": sum(len(one["asked"]) for one in released),
        "without a sensitive column": sum("sensitive" not in one["roles"].values() for one in released),
        "CPU seconds": round(sum(one.get("run_seconds", 0.0) for one in facts)),
    }


def summarize_analyses(facts: list[dict[str, Any]]) -> dict[str, Any]:
    """How many analyses survive, and how many have a sign reversed, by the roles that were given and k."""
    return {
        f"{variant}, k = {k}": {
            "analyses": len(group),
            "released": sum("loss" in one for one in group),
            "survive": sum(one["survives"] for one in group),
            "with a sign reversed": sum(bool(one.get("reversed")) for one in group),
            "of which the report does not warn": sum(
                bool(one.get("reversed")) and not one["warned"] for one in group
            ),
            "median loss": round(
                statistics.median([one["loss"] for one in group if "loss" in one] or [1.0]), 3
            ),
        }
        for variant, k in dict.fromkeys((one["roles given"], one["k"]) for one in facts)
        for group in [[one for one in facts if (one["roles given"], one["k"]) == (variant, k)]]
    }


def measure_analyses(arguments: list[str], out: Path | None) -> None:
    """Measure the analyses that are named, or all."""
    facts: list[dict[str, Any]] = []
    for name in arguments or list(ANALYSES):
        with tempfile.TemporaryDirectory() as folder:
            for one in measure_analysis(name, Path(folder)):
                facts.append(one)
                print(print_analysis(one), flush=True)
                if out is not None:
                    out.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    print(json.dumps(summarize_analyses(facts), indent=1))


def main(arguments: list[str]) -> None:
    """Measure the tables that are named, or all."""
    if "--page" in arguments:
        facts = json.loads(Path(arguments[arguments.index("--page") + 1]).read_text(encoding="utf-8"))
        return keep(facts, KEPT_ANALYSES if "--analyses" in arguments else KEPT_TABLES)
    out = None
    if "--out" in arguments:
        place = arguments.index("--out")
        out = Path(arguments[place + 1])
        del arguments[place : place + 2]
    if "--analyses" in arguments:
        return measure_analyses([argument for argument in arguments if argument != "--analyses"], out)
    names = [argument for argument in arguments if "/" in argument] or list(TABLES)
    options = [argument for argument in arguments if "/" not in argument]
    facts = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            one = measure_table(name, Path(folder), *options)
        facts.append(one)
        outcome = (
            f"{one['loss']:6.1%} {one['method']}" if "loss" in one else f"{one['stopped_at']}: {one['says']}"
        )
        print(f"{name:34} {one['rows']:>7,} x {one['columns']:<4} {outcome}", flush=True)
        if out is not None:
            out.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    print(json.dumps(summarize(facts), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
