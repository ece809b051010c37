"""What labels tell that are as narrow as possible, method by method: `lowest-labels` and `singling-out` on Adult.

Run `python benchmarks/narrow_labels.py`; it takes a minute and writes `benchmarks/results/narrow_labels.json`. A third
of Adult with seven quasi-identifiers is released. Of the others, who are public, as many are kept apart as a control,
and the rest tell the attacker how people are spread.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from bench_local import SEVEN
from common import DATA, need
from shoal.attacks.players_labels import lowest_labels
from shoal.attacks.players_predicates import singling_out
from shoal.publish.assess.attack_views import scene_of, table_view

RESULTS = Path(__file__).with_name("results") / "narrow_labels.json"
METHODS = ("mstk", "mondrian", "kmember", "boxes", "blind", "optimal")


def people() -> Any:
    """A third of Adult, and the rest as public people."""
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False).select(SEVEN)
    order = np.random.default_rng(0).permutation(frame.height)
    mine, others = frame[order[: frame.height // 3]], frame[order[frame.height // 3 :]]
    roles = dict.fromkeys(SEVEN, "quasi")
    return shoal.read(mine, roles=roles, hierarchies=DATA / "adult", population=others)


def played(data: Any, method: str, k: int) -> dict[str, Any]:
    """The figures of both attackers, the second without public people and with them."""
    made = shoal.anonymize(data, method=method, k=k)
    scene = scene_of(made)
    view = table_view(scene.dataset, scene.frame, scene.row_of, scene.method)
    found: dict[str, Any] = {"method": method, "k": k, "ncp": made.loss["ncp"]}
    if view.parts:
        narrow = lowest_labels(view, np.arange(len(view.own)), view.parts)
        found["lowest-labels"] = {**narrow.figures, "alone": float(narrow.chances.mean())}
    for word, seen in (("release alone", replace(view, public=None)), ("public people", view)):
        singled = singling_out(seen)
        found[word] = None if singled is None else dict(singled.figures)
    return found


def main() -> None:
    need(DATA / "adult")
    data, found = people(), []
    for k in (2, 5, 25):
        for method in METHODS:
            found.append(played(data, method, k))
            print(f"  {found[-1]}", flush=True)
            RESULTS.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
