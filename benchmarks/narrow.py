"""What narrow labels tell, beside what is lost: `lowest-labels` on Adult by method and k; and `blind`, moved about.

Run `python benchmarks/narrow.py`; it writes `results/narrow.json`. The people are Adult's first records, 7 columns.
"""

import json
from pathlib import Path

import numpy as np

import shoal
from bench_local import SEVEN
from common import DATA, adult, need
from shoal.algorithms.local.blind import blind
from shoal.data import Table
from shoal.privacy import KAnonymity
from shoal.progress import silent
from shoal.publish.making import make_result

RESULT = Path(__file__).with_name("results") / "narrow.json"
RECORDS = 6_000
KS = (2, 5, 25)
METHODS = ("boxes", "mstk", "mondrian", "kmember", "blind")
MOVES = 40


def measured(data, name, k):
    """The loss of a release, and the figures of whoever knows that labels are narrow; None where that is not so."""
    release = shoal.anonymize(data, k=k, method=name, **({"suppress": 0.2} if name == "blind" else {}))
    played = {one.name: one for one in shoal.attack(release).attackers}
    told = played.get("lowest-labels")
    told = told and {**told.figures, "alone": told.certain, "people": told.people}
    singled = played["singling-out"].figures if "singling-out" in played else None
    left_out = 1 - release.manifest["records_out"] / release.manifest["records_in"]
    return {
        "method": name,
        "k": k,
        "ncp": release.loss["ncp"],
        "left out": left_out,
        "told": told,
        "singled": singled,
    }


def moved(data, seed, k=5):
    """Whether a release by `blind` stays the same when every record moves anywhere inside its label."""
    random = np.random.default_rng(seed)
    trees = data.hierarchies
    first = make_result("blind", data, KAnonymity(k), {"suppress": 0.5}, silent, 1).release
    columns = list(data.table.columns)
    for j, column in enumerate(data.table.quasi):
        form, tree = first.forms[j], trees[column.name]
        cells = column.cells()
        for row, code in zip(first.rows.tolist(), first.codes[:, j].tolist(), strict=True):
            inside = form.leaves[form.start[code] : form.start[code + 1]]
            inside = inside[inside < tree.size]
            cells[row] = tree.leaves[random.choice(inside)]
        columns[data.table.columns.index(column)] = type(column).of(column.name, "quasi", cells)
    second = blind(Table(tuple(columns)), trees, KAnonymity(k), suppress=0.5).release
    labels = [[[f.labels[c] for c in r.codes[:, j]] for j, f in enumerate(r.forms)] for r in (first, second)]
    return bool(np.array_equal(first.rows, second.rows) and labels[0] == labels[1])


def main() -> None:
    need(DATA / "adult")
    whole = adult(SEVEN, DATA / "adult")
    data = shoal.read(
        whole.source.frame[:RECORDS], roles=dict.fromkeys(SEVEN, "quasi"), hierarchies=DATA / "adult"
    )
    figures = [measured(data, name, k) for k in KS for name in METHODS]
    few = shoal.read(
        whole.source.frame[:400], roles=dict.fromkeys(SEVEN, "quasi"), hierarchies=DATA / "adult"
    )
    same = sum(moved(few, seed) for seed in range(MOVES))
    found = {"records": RECORDS, "columns": len(SEVEN), "figures": figures, "moves": MOVES, "same": same}
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for one in figures:
        print(one)
    print(f"blind, moved inside its labels {MOVES} times: the same {same} times")


if __name__ == "__main__":
    main()
