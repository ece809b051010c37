"""mach2019: 85,030,560 nodes over 16 quasi-identifiers. What the anytime search has after some seconds.

Run `python benchmarks/bench_mach.py [seconds]` (60 by default; `inf` goes on until the front is proven). A proven
front also tells how many nodes no proof can do without; see `must`.
"""

import sys
from resource import RUSAGE_SELF, getrusage
from unittest.mock import patch

import numpy as np
import polars as pl

import shoal
from common import DATA, cpu, need, show
from shoal.algorithms.lattice import optimal
from shoal.algorithms.lattice.branch_and_bound import BranchAndBound
from shoal.algorithms.lattice.cube import floors_of, prices_of

KS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 50, 100, 1000)
DRAWN = 4000


class Kept(BranchAndBound):
    """A search that can be asked afterwards."""

    last: "Kept"

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        Kept.last = self


def must(front, search, table):
    """The share of evaluated nodes that are needed: no node above shows that they cost too much for what they reach.

    The reach of nodes only falls on the way down, so the nodes directly above tell for all that are above.
    """
    lattice, floors = search.lattice, floors_of(prices_of("glm", front.cube, table), front.cube.lattice)
    nodes = np.random.default_rng(0).choice(np.array(list(search.reach)), DRAWN, replace=False)
    search.deadline = float("inf")
    least = np.full(DRAWN, np.iinfo(np.int64).max)
    for j, step in enumerate(lattice.stride):
        below = np.flatnonzero(lattice.column(nodes, j) < lattice.heights[j])
        least[below] = np.minimum(least[below], search.count_reach(nodes[below] + step))
    ks, losses = np.array([(p.k, np.floor(p.loss * 1e12 + 0.5)) for p in front.points]).T
    return float(np.mean(np.r_[losses, np.inf][np.searchsorted(ks, least)] > floors(nodes)))


def main():
    folder = DATA / "mach2019"
    need(folder)
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    frame = pl.read_csv(folder / "mach2019_int.csv.gz", separator=";", infer_schema=False)
    data = shoal.read(frame, roles=dict.fromkeys(frame.columns, "quasi"), hierarchies=folder)
    with patch.object(optimal, "BranchAndBound", Kept):
        took, front = cpu(
            lambda: optimal.pareto(data.table, data.hierarchies, suppress=0.01, seconds=seconds)
        )
    checked = 0
    for point in front.points:
        recoded = front.release(point, point.k)
        assert recoded.release.suppressed == point.suppressed, (
            "a point's suppression is not what its release has"
        )
        checked += 1
    proven = sum(1 for point in front.points if point.k >= front.proven_from)
    gaps = [point.loss - bound for point, bound in zip(front.points, front.bounds, strict=True)]
    show(
        f"mach2019, {seconds:.0f} s, suppression 1%, glm",
        [
            ("lattice", f"{front.lattice:,} nodes", "85,030,560"),
            ("CPU", f"{took:.1f} s", f"at most {min(seconds, 600):.0f} s"),
            ("nodes evaluated", f"{front.evaluated:,}", ""),
            ("points, each released and checked", str(checked), "a valid front"),
            ("proven from k", f"{front.proven_from:,}", "said"),
            ("points proven", f"{proven} of {len(front.points)}", "said"),
            (
                "largest and mean gap to what is not ruled out",
                f"{max(gaps):.3f}, {sum(gaps) / len(gaps):.3f}",
                "",
            ),
            ("peak memory", f"{getrusage(RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB", "under 2"),
        ],
    )
    some = {front.pick(k) for k in KS}
    show(
        "the least loss found at k, and a loss that no node undercuts",
        [
            (f"k = {p.k:,}", f"{p.loss:.4f}, {bound:.4f}", "")
            for p, bound in zip(front.points, front.bounds, strict=True)
            if p in some
        ],
    )
    if front.complete:
        share = must(front, Kept.last, data.table)
        show(
            "what a proof needs",
            [
                ("of the evaluated nodes, drawn", f"{DRAWN:,}", ""),
                ("  had to be evaluated", f"{share:.1%}", ""),
                ("  of all, about", f"{share * front.evaluated:,.0f}", ""),
            ],
        )


if __name__ == "__main__":
    main()
