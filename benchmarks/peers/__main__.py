"""Run the race: `python -m benchmarks.peers [--limit SECONDS] [--arx JAR] [--only RACER,...]`.

One thing at a time is varied around 30,000 people, 5 quasi-identifiers and k = 5, and around 3,000 people: people,
quasi-identifiers, k. A racer that is not done with the 30,000 in the time given has the 3,000 alone. What was measured
is kept in `benchmarks/results/peers.json` after every run, and `docs/beside/race.md` is written from it.
"""

import argparse
import os
import platform
from pathlib import Path
from typing import Any

from benchmarks.peers import data, page
from benchmarks.peers.arx import arx
from benchmarks.peers.measure import accuracy, judge
from benchmarks.peers.racing import RACERS, WORKERS, environment, read, run

CENTRE, SMALL = (30_000, 5, 5), 3_000
VARIED = ((3_000, 300_000), (3, 7, 9), (2, 10, 25, 100))
SUPPRESS = 0.05
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "shoal-peers"


def cases(rows: int) -> list[tuple[int, int, int]]:
    """The centre, and one thing at a time that is not as there; smaller ones first."""
    centre = (rows, *CENTRE[1:])
    found = {centre} | {
        (*centre[:at], other, *centre[at + 1 :]) for at, others in enumerate(VARIED) for other in others
    }
    return sorted(found, key=lambda case: (case != centre, case))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds for one run")
    parser.add_argument("--arx", type=Path, help="the jar of ARX; it races where this is given")
    parser.add_argument("--only", default="", help="racers, with commas between them")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="where environments and drawn data are kept"
    )
    asked = parser.parse_args()
    racers = {**RACERS, **(arx(asked.arx) if asked.arx else {})}
    kept = page.kept()
    kept |= {"machine": f"{os.cpu_count()} cores, {platform.machine()}"}
    for name in asked.only.split(",") if asked.only else racers:
        race(name, racers[name], kept, asked)
    page.write(kept)


def race(name: str, racer: Any, kept: dict[str, Any], asked: argparse.Namespace) -> None:
    """All cases of one racer."""
    python, version = environment(racer, asked.cache)
    kept["racers"][name] = {"about": racer.about, "version": version}
    runs: dict[tuple[int, ...], dict[str, Any]] = {}
    slow = False
    for case in [*cases(CENTRE[0]), *cases(SMALL)]:
        if case in runs or (slow and case[0] > SMALL):
            continue
        runs[case] = {"racer": name, "case": case} | _one(python, racer, case, asked)
        slow = slow or (case == CENTRE and "ended" in runs[case])
        kept["runs"] = [one for one in kept["runs"] if one["racer"] != name] + list(runs.values())
        page.keep(kept)
        print(
            name,
            case,
            {key: value for key, value in runs[case].items() if key not in ("racer", "case")},
            flush=True,
        )


def _one(python: Path, racer: Any, case: tuple[int, int, int], asked: argparse.Namespace) -> dict[str, Any]:
    rows, columns, k = case
    quasi = list(data.QUASI[:columns])
    people = data.people(rows)
    label = data.LABEL
    if label in quasi:  # nothing is left to tell
        label = "nothing"
        people = people.with_columns(nothing=data.pl.lit("x"))
    people = people.select([*quasi, label])
    whole, small = asked.cache / "people.csv", asked.cache / "few.csv"
    people.write_csv(whole, separator=";")
    people[:500].write_csv(small, separator=";")
    job = {
        "data": str(whole), "small": str(small), "hierarchies": data.files(), "quasi": quasi, "k": k,
        "numbers": list(data.NUMBERS), "label": label, "suppress": SUPPRESS, "maker": racer.maker,
        "out": str(asked.cache / "out.csv"),
    }  # fmt: skip
    found = run([str(python), str(WORKERS / racer.worker)], job, asked.cache, asked.limit)
    if "ended" in found:
        return found
    released = read(job)
    found |= judge(people, released, quasi, data.trees())
    found["kept"] = found["smallest"] >= k
    if label == data.LABEL:
        found["accuracy"] = accuracy(released, data.held_back(), quasi, label, data.trees())
        found["originals"] = accuracy(people, data.held_back(), quasi, label, data.trees())
    return found


if __name__ == "__main__":
    main()
