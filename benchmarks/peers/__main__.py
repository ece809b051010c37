"""Run the race: `python -m benchmarks.peers [--limit SECONDS] [--only RACER,...]`.

One thing at a time is varied around 30,000 people, 5 quasi-identifiers and k = 5: people, quasi-identifiers, k; Adult
and mach2019 come as they are. A racer that is not done with the 30,000 in the time given has cases of 3,000 alone. What
was measured is kept in `benchmarks/results/peers.json` after every run; `beside.py` has what ARX and sdcMicro do beside
releases of classes, and `docs/evidence/race.md` is written from both. `racing.py` says how the two are found.
"""

import argparse
import os
import platform
from pathlib import Path
from typing import Any

import polars as pl
from benchmarks.peers import beside, data, page
from benchmarks.peers.measure import accuracy, judge
from benchmarks.peers.racing import NOT_HERE, RACERS, environment, read, run

Case = tuple[str, int, int, int]
CENTRE, SMALL = (30_000, 5, 5), 3_000
VARIED = ((3_000, 300_000), (3, 9), (2, 25))
REAL: list[Case] = [("Adult", 30_162, 9, 5), ("mach2019", 73_489, 8, 5)]
SUPPRESS = 0.05
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "shoal-peers"


def cases() -> list[Case]:
    """The centre, one thing at a time that is not as there, and data as they are."""
    found = {(*CENTRE[:at], other, *CENTRE[at + 1 :]) for at, others in enumerate(VARIED) for other in others}
    return [(data.DRAWN, *case) for case in (CENTRE, *sorted(found))] + REAL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds for one run")
    parser.add_argument("--only", default="", help="racers and parts, with commas between them")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="where environments and drawn data are kept"
    )
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    kept = page.kept()
    for name in asked.only.split(",") if asked.only else [*RACERS, *beside.PARTS]:
        if name in RACERS:
            race(name, kept, asked)
        else:
            beside.race(name, asked.cache, asked.limit)
    page.write(kept)


def race(name: str, kept: dict[str, Any], asked: argparse.Namespace) -> None:
    """All cases of one racer."""
    racer = RACERS[name]
    there = environment(racer, asked.cache)
    kept["racers"][name] = {
        "about": racer.about,
        "version": there[1] if there else NOT_HERE["ended"],
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
    }
    kept["racers"] = {one: kept["racers"][one] for one in RACERS if one in kept["racers"]}
    runs: dict[Case, dict[str, Any]] = {}
    slow = False
    for case in cases():
        if slow and case[1] > SMALL:
            continue
        runs[case] = {"racer": name, "case": case} | (
            _one(there[0], racer, case, asked) if there else NOT_HERE
        )
        slow = slow or (case[1:] == CENTRE and str(runs[case].get("ended")).startswith("not done"))
        kept["runs"] = [one for one in kept["runs"] if one["racer"] != name] + list(runs.values())
        page.keep(kept)
        print({key: value for key, value in runs[case].items() if key != "originals"}, flush=True)


def _one(start: list[str], racer: Any, case: Case, asked: argparse.Namespace) -> dict[str, Any]:
    source, rows, columns, k = case
    quasi = data.quasi(source, columns)
    people = data.records(source, rows)
    label = data.LABEL
    if label in quasi or source != data.DRAWN:  # nothing is left to tell
        label = "nothing"
        people = people.with_columns(nothing=pl.lit("x"))
    people = people.select([*quasi, label])
    whole, small = asked.cache / "people.csv", asked.cache / "few.csv"
    people.write_csv(whole, separator=";")
    people[:500].write_csv(small, separator=";")
    job = {
        "data": str(whole), "small": str(small), "hierarchies": data.files(source), "quasi": quasi, "k": k,
        "numbers": [name for name in data.NUMBERS if source != "mach2019"], "label": label, "suppress": SUPPRESS,
        "maker": racer.maker, "out": str(asked.cache / "out.csv"),
    }  # fmt: skip
    found = run(start, job, asked.cache, asked.limit)
    if "ended" in found:
        return found
    released, trees = read(job), data.trees(source)
    found |= judge(people, released, quasi, trees)
    found["kept"] = found["smallest"] >= k
    if label == data.LABEL:
        found["accuracy"] = accuracy(released, data.held_back(), quasi, label, trees)
        found["originals"] = accuracy(people, data.held_back(), quasi, label, trees)
    return found


if __name__ == "__main__":
    main()
