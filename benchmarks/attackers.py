"""Attackers played against releases of the demo's data by many makers, beside what each claim allows.

Run `python benchmarks/attackers.py`; it takes a few minutes and writes `benchmarks/results/attackers.json`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import shoal
from shoal.io.config import load
from shoal.publish.making import anonymize
from shoal.publish.shapes import open_dataset

RESULTS = Path(__file__).with_name("results") / "attackers.json"


class Case(NamedTuple):
    """A release of the demo's data: whose configuration, which maker, and what is asked beside that."""

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


def main() -> None:
    found = []
    with tempfile.TemporaryDirectory() as room:
        demo = Path(room) / "demo"
        subprocess.run(
            [sys.executable, "-m", "shoal", "demo", "--out", str(demo)], check=True, capture_output=True
        )
        for case in CASES:
            config = load(demo / case.config)
            data = open_dataset(config)
            asked = {**config.guarantee, **case.asked}
            made = anonymize(data, method=case.maker, seed=0, **asked)
            played = shoal.attack(made, seed=0)
            found.append(
                {
                    "data": case.config.split("/")[0],
                    "maker": case.maker,
                    "claim": made.claim.as_dict()["model"],
                    "numbers": asked,
                    "holds": played.holds,
                    "attackers": [one.as_dict() for one in played.attackers],
                }
            )
            inside = [one for one in played.attackers if one.inside]
            print(
                f"  {case.config:<20} {case.maker:<14} {len(played.attackers)} played, "
                f"{sum(one.kept is False for one in inside)} of {len(inside)} beyond their bound",
                flush=True,
            )
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
