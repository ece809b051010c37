"""Attackers played against releases of the demo's data by many methods, beside what each claim allows.

Run `python benchmarks/attackers.py`; it takes a few minutes and writes `benchmarks/results/attackers.json`. The
attackers are those of `shoal attack`, which read a release as its judges do: they show what a claim means, not whether
it is kept. With `--written` others play, which are written from the definitions in `tests/support/naive_players.py`
and hold nothing but the folder, the configuration and the originals as files; that writes `attackers_written.json`.
With `--control` those of `shoal attack` play on 6,000 people of Adult, 30% of whom are held back from a throw-away
release; that writes `attackers_control.json`, and takes half a minute.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

import shoal
from bench_local import SEVEN
from common import DATA, need
from shoal.anonymization.run import anonymize
from shoal.assess.facts import facts_of
from shoal.io.config import load
from shoal.publish.door import publish
from shoal.shapes.registry import open_dataset

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import naive_players

RESULTS = Path(__file__).with_name("results") / "attackers.json"
WRITTEN = RESULTS.with_name("attackers_written.json")
CONTROL = RESULTS.with_name("attackers_control.json")
FORMATS = ("csv", "parquet", "ndjson")
TREE_FORMATS = ("xml", "ndjson")


class Case(NamedTuple):
    """A release of the demo's data: whose configuration, which method, and what is asked beside that."""

    config: str
    maker: str
    asked: Mapping[str, Any] = MappingProxyType({})


CASES = (
    *(Case("table/shoal.toml", maker) for maker in ("optimal", "mstk", "mondrian", "kmember")),
    Case("table/shoal.toml", "optimal", {"l": 3}),
    Case("table/shoal.toml", "mstk", {"l": 3}),
    Case("table/shoal.toml", "mstk", {"t": 0.3}),
    Case("table/shoal.toml", "mondrian", {"beta": 2.0}),
    Case("table/shoal.toml", "mondrian", {"alpha": 0.5}),
    *(Case("baskets/some.toml", maker) for maker in ("apriori", "lra", "vpa", "pcta")),
    Case("baskets/whole.toml", "nonreciprocal"),
    *(Case("mixed/shoal.toml", maker) for maker in ("bound", "rfirst", "tfirst")),
    *(Case("trees/shoal.toml", maker) for maker in ("gcs", "ocs", "miracle")),
)

RECORDS, PLAYED, HELD = 6_000, 2_000, 0.3
AGAINST: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("boxes", {"k": 5}),
    ("boxes", {"k": 5, "l": 3}),
    ("mstk", {"k": 5, "alpha": 0.5}),
    ("mstk", {"k": 5, "beta": 2.0}),
    ("mondrian", {"k": 5, "disclosure": 1.5}),
    ("blank", {"k": 5, "subsets": 3}),
    ("blind", {"k": 5, "suppress": 0.2}),
)


def main() -> None:
    if "--control" in sys.argv[1:]:
        need(DATA / "adult")
        CONTROL.write_text(json.dumps(_against_control(), indent=1) + "\n")
        return
    with tempfile.TemporaryDirectory() as room:
        demo = Path(room) / "demo"
        subprocess.run(
            [sys.executable, "-m", "shoal", "demo", "--out", str(demo)], check=True, capture_output=True
        )
        if "--written" in sys.argv[1:]:
            found = []
            for place, case in enumerate(CASES):
                found.append(_against_files(demo, case, place))
                WRITTEN.write_text(json.dumps(found, indent=1) + "\n")
        else:
            found = [_against_release(demo, case) for case in CASES]
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")


def _made(demo: Path, case: Case) -> tuple[Any, dict[str, Any]]:
    """A release of the demo's data, and what was asked."""
    config = load(demo / case.config)
    asked = {**config.guarantee, **case.asked}
    return anonymize(open_dataset(config), method=case.maker, seed=0, **asked), asked


def _against_release(demo: Path, case: Case) -> dict[str, Any]:
    """What the attackers of `shoal attack` find."""
    made, asked = _made(demo, case)
    played = shoal.attack(made, seed=0)
    inside = [one for one in played.attackers if one.inside]
    print(
        f"  {case.config:<20} {case.maker:<14} {len(played.attackers)} played, "
        f"{sum(one.kept is False for one in inside)} of {len(inside)} beyond their bound",
        flush=True,
    )
    return {
        "data": case.config.split("/")[0],
        "maker": case.maker,
        "claim": made.claim.as_dict()["model"],
        "numbers": asked,
        "holds": played.holds,
        "attackers": [one.as_dict() for one in played.attackers],
    }


def _against_files(demo: Path, case: Case, place: int) -> dict[str, Any]:
    """What whoever holds the written files, and knows as much as the claim covers, finds."""
    made, asked = _made(demo, case)
    folder = demo / f"written-{place}"
    formats = TREE_FORMATS if case.config.startswith("trees/") else FORMATS
    format = formats[place % len(formats)]
    publish(
        made, folder, facts=facts_of, format=format, rows=True
    )  # without pages, which nobody looks at here
    rows = naive_players.played(folder, folder.with_name(f"{folder.name}.private"), demo / case.config, asked)
    found = {
        "data": case.config.split("/")[0],
        "maker": case.maker,
        "numbers": asked,
        "format": format,
        "people": len(rows),
        "fewest rows": min(rows),
        "mean chance": sum(1 / many for many in rows if many) / len(rows),
        "kept": min(rows) >= asked["k"],
    }
    print(
        f"  {case.config:<20} {case.maker:<14} {len(rows)} people, at least {min(rows)} rows fit", flush=True
    )
    return found


def _against_control() -> dict[str, Any]:
    """What attackers reach on people who are in a release, and on people who are not."""
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False)[:RECORDS]
    roles = {**dict.fromkeys(SEVEN, "quasi"), "occupation": "sensitive", "salary-class": "plain"}
    data = shoal.read(frame, roles=roles, hierarchies=DATA / "adult")
    found = []
    for method, asked in AGAINST:
        made = shoal.anonymize(data, method=method, seed=1, **asked)
        played = shoal.attack(made, control=HELD, people=PLAYED, seed=1)
        attackers = [
            {"name": one.name, "inside": one.inside, "criterion": one.criterion, **one.control.as_dict()}
            for one in played.attackers
            if one.control is not None
        ]
        alone = [one.name for one in played.attackers if one.control is None]
        found.append({"method": method, "asked": dict(asked), "attackers": attackers, "no control": alone})
        print(f"  {method:<10} {dict(asked)} {len(attackers)} against a control group", flush=True)
    return {"records": RECORDS, "played": PLAYED, "held": HELD, "releases": found}


if __name__ == "__main__":
    main()
