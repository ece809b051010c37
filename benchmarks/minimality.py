"""Whoever knows the method: how often a sensitive value is guessed right, and what `minimal = false` costs.

Run `python benchmarks/minimality.py`; it takes some minutes and writes `benchmarks/results/minimality.json`. The games
are played on random data of 40 people, since the release is made anew for every way in which the values could lie on
them. The price is measured on Adult and on chess, which lie beside the checkout.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from bench_ring import CHESS, occupations
from common import DATA, need
from shoal.algorithms.ring.nonreciprocal import nonreciprocal
from shoal.io.read.baskets import read_baskets
from shoal.io.read.table import read
from shoal.privacy import make_claim
from shoal.utility.baskets import er

RESULTS = Path(__file__).with_name("results") / "minimality.json"
PEOPLE, GAMES = 40, 8
QUASI = ("age", "sex", "race", "marital-status", "education")


def table(rng: np.random.Generator) -> Any:
    """People with an age, a zip code and one of three diagnoses."""
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, PEOPLE),
            "zip": rng.integers(0, 6, PEOPLE),
            "ill": [f"d{value}" for value in rng.integers(0, 3, PEOPLE)],
        }
    )
    roles = {"age": "quasi", "zip": "quasi", "ill": "sensitive"}
    return shoal.read(
        frame, roles=roles, hierarchies={"age": {"ranges": [5, 10, 20]}, "zip": {"ranges": [2, 4]}}
    )


def baskets(rng: np.random.Generator) -> Any:
    """Baskets of some of six items; each of six labels is equally frequent."""
    rows = [" ".join(f"i{item}" for item in range(6) if rng.random() < 0.4) or "i0" for _ in range(PEOPLE)]
    labels = [f"d{value}" for value in rng.permutation(np.arange(PEOPLE) % 6)]
    return shoal.read(
        pl.DataFrame({"items": rows, "faith": labels}), roles={"items": "items", "faith": "sensitive"}
    )


def games() -> list[dict[str, Any]]:
    """For each method the chance by the class alone and by whoever knows the method, steered and not."""
    tables = ("mstk", "kmember", "mondrian", "optimal")
    cases = [(maker, table, {"k": 2, "l": 2}) for maker in tables]
    cases += [(maker, baskets, {"l": 2}) for maker in ("nonreciprocal", "cahd")]
    found = []
    for maker, draw, asked in cases:
        row: dict[str, Any] = {"maker": maker}
        for word, more in (("steered", {}), ("unsteered", {"minimal": False})):
            if maker != "cahd" or not more:
                row[word] = played(maker, draw, {**asked, **more})
        found.append(row)
        print(f"  {row}", flush=True)
    return found


def played(
    maker: str, draw: Callable[[np.random.Generator], Any], asked: dict[str, Any]
) -> dict[str, float | None]:
    """The mean chance over some random data sets; None where that attacker has nothing to play with."""
    rng = np.random.default_rng(1)
    chances: dict[str, list[np.ndarray]] = {"inference": [], "knows-method": []}
    for _ in range(GAMES):
        attack = shoal.attack(shoal.anonymize(draw(rng), method=maker, seed=1, **asked), seed=1)
        for found in attack.attackers:
            if found.name in chances:
                chances[found.name].append(found.chances)
    return {name: float(np.concatenate(some).mean()) if some else None for name, some in chances.items()}


def prices() -> list[dict[str, Any]]:
    """What Adult and chess lose, steered and not."""
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False)
    hierarchies = {name: str(DATA / "adult" / f"adult_hierarchy_{name}.csv") for name in QUASI}
    roles = {**dict.fromkeys(QUASI, "quasi"), "occupation": "sensitive"}
    data = shoal.read(frame.select(*roles), roles=roles, hierarchies=hierarchies)
    found = []
    for asked in ({"l": 3}, {"t": 0.3}):
        for maker, options in (("optimal", {"suppress": 0.01}), ("mstk", {})):
            losses = [
                shoal.anonymize(data, method=maker, k=5, minimal=minimal, seed=0, **asked, **options).loss[
                    "ncp"
                ]
                for minimal in (True, False)
            ]
            words = ", ".join(f"{key} = {value}" for key, value in asked.items())
            found.append(
                {"data": "Adult", "asked": f"k = 5, {words}", "maker": maker, "loss": "ncp", "losses": losses}
            )
            print(f"  {found[-1]}", flush=True)
    chess = read_baskets(read(CHESS), "items")
    label = occupations(chess.n)
    for l in (2, 5, 10):
        made = [
            nonreciprocal(chess, label=label, claim=make_claim("baskets", l=l), minimal=minimal).release
            for minimal in (True, False)
        ]
        losses = [er(release, chess) for release in made]
        found.append(
            {"data": "chess", "asked": f"l = {l}", "maker": "nonreciprocal", "loss": "er", "losses": losses}
        )
        print(f"  {found[-1]}", flush=True)
    return found


def main() -> None:
    need(CHESS)
    found = {"people": PEOPLE, "games": GAMES, "played": games(), "prices": prices()}
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
