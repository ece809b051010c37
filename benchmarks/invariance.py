"""How often an m-invariant release is refused although there is one, on small tables where every release can be tried.

Run `python benchmarks/invariance.py`; it takes a minute and writes `results/invariance.json`. People come in pairs with
a signature of two of three values, as an earlier release leaves them, with two columns of four and two values: classes
of different signatures need labels of their own, and there are few. The twin tries every class and every label.
"""

import json
import sys
from pathlib import Path

import numpy as np

from shoal.base.errors import InfeasibleError

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "algorithms" / "local"))

import test_invariance as cases

import naive_invariance as naive

RESULT = Path(__file__).with_name("results") / "invariance.json"
DRAWS = {6: 300, 8: 300, 10: 100}
SIGNATURES = (frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2}))


def drawn(
    people: int, chance: np.random.Generator
) -> tuple[list[str], list[str], list[int], list[frozenset[int]]]:
    """Ages, sexes, values and signatures of people who can complete each other."""
    known = [SIGNATURES[own] for own in np.repeat(chance.integers(0, 3, people // 2), 2)]
    values = [sorted(own)[at % 2] for at, own in enumerate(known)]
    ages = chance.choice([path[0] for path in cases.AGES], people).tolist()
    return ages, chance.choice(["f", "m"], people).tolist(), values, known


def main() -> None:
    chance, found = np.random.default_rng(1), []
    for people, draws in DRAWS.items():
        told = {"people": people, "draws": draws, "there": 0, "made": 0, "wrong": 0}
        for _ in range(draws):
            ages, sexes, values, known = drawn(people, chance)
            there = naive.exists(values, known, cases.boxes_of(ages, sexes), 2, 2)
            try:
                cases.made(ages, sexes, values, known, 2, 2)
                made = True
            except InfeasibleError:
                made = False
            told["there"] += there
            told["made"] += there and made
            told["wrong"] += made and not there
        print(told, flush=True)
        found.append(told)
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
