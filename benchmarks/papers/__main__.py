"""`python -m benchmarks.papers [--quick] [--only T2,poka-depth] [--again]`."""

import argparse
import sys
import tempfile
from pathlib import Path

from . import results
from .claims import table
from .page import CLAIMS, EXPERIMENTS, write_page


def main(arguments: list[str] | None = None) -> None:
    """Run the experiments, then write the page from the result files; `--quick` prints the table instead."""
    asked = _asked(arguments)
    chosen = _chosen(asked.only)
    if asked.quick:
        with tempfile.TemporaryDirectory() as folder:
            results.run(chosen, Path(folder), quick=True)
            print(table(CLAIMS, results.read(Path(folder)), drawn=True), end="")
        return
    results.run(chosen, results.KEPT, quick=False, again=asked.again)
    write_page()


def _asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="small drawn data; print the table and write nothing"
    )
    parser.add_argument("--only", default="", help="claims and experiments by name, with commas between them")
    parser.add_argument("--again", action="store_true", help="run also what has a result file")
    return parser.parse_args(arguments)


def _chosen(only: str) -> list[results.Experiment]:
    """The experiments of these names, and those that claims of these numbers need; all where nothing is named."""
    words = {word.strip() for word in only.split(",") if word.strip()}
    known = {experiment.name for experiment in EXPERIMENTS} | {claim.number for claim in CLAIMS}
    if words - known:
        sys.exit(f"there is no {', '.join(sorted(words - known))}; known are {', '.join(sorted(known))}")
    needed = words | {name for claim in CLAIMS if claim.number in words for name in claim.needs}
    return [one for one in EXPERIMENTS if not words or one.name in needed]


if __name__ == "__main__":
    main()
