"""mach2019: 85,030,560 nodes over 16 quasi-identifiers. What the anytime search has after some seconds.

Run `python benchmarks/bench_mach.py [seconds]` (60 by default; `inf` goes on until the front is proven).
"""

import sys
from resource import RUSAGE_SELF, getrusage

import polars as pl

import shoal
from common import DATA, cpu, need, show
from shoal.algorithms.lattice.pareto import pareto

KS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 50, 100, 1000)


def main():
    folder = DATA / "mach2019"
    need(folder)
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    frame = pl.read_csv(folder / "mach2019_int.csv.gz", separator=";", infer_schema=False)
    data = shoal.read(frame, roles=dict.fromkeys(frame.columns, "quasi"), hierarchies=folder)
    took, front = cpu(lambda: pareto(data.table, data.hierarchies, suppress=0.01, seconds=seconds))
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


if __name__ == "__main__":
    main()
