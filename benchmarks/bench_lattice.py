"""The 17,920-node Adult lattice: every node by roll-up, the exact front by few, POkA beside it.

Run `python benchmarks/bench_lattice.py`; CPU time, kernels warm.
"""

import numpy as np

from common import DATA, adult, cpu, need, show
from shoal.algorithms.table.cube import Cube, allowance
from shoal.algorithms.table.losses import prices_of
from shoal.algorithms.table.pareto import everything, pareto
from shoal.algorithms.table.poka import poka

NAMES = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"]
SUPPRESS = 0.01


def whole(data):
    """Evaluate every node by roll-up."""
    cube = Cube.of("bench", data.table, data.trees)
    prices = prices_of("glm", cube, data.table)
    return everything(cube, prices, allowance("bench", SUPPRESS, cube.n), per_node=True)


def hashing(data, nodes):
    """CPU seconds a node by hashing all rows: every node from the records themselves."""
    leaves = data.leaves
    trees = [data.trees[column.name] for column in data.table.quasi]
    draw = np.random.default_rng(0)

    def one():
        for _ in range(nodes):
            key = np.zeros(len(leaves), dtype=np.int64)
            for j, tree in enumerate(trees):
                level = draw.integers(tree.height + 1)
                key = key * len(tree.labels[level]) + tree.up[leaves[:, j], level]
            counts: dict[int, int] = {}
            for value in key.tolist():
                counts[value] = counts.get(value, 0) + 1

    def sorting():
        for _ in range(nodes):
            key = np.zeros(len(leaves), dtype=np.int64)
            for j, tree in enumerate(trees):
                level = draw.integers(tree.height + 1)
                key = key * len(tree.labels[level]) + tree.up[leaves[:, j], level]
            np.unique(key, return_counts=True)

    return cpu(one)[0] / nodes, cpu(sorting)[0] / nodes


def main():
    need(DATA / "adult")
    data = adult(NAMES, DATA / "adult" / "poka")
    size = Cube.of("bench", data.table, data.trees).lattice.size
    whole(data)  # compiles
    seconds, points = cpu(lambda: whole(data))
    by_dict, by_sort = hashing(data, 40)
    rows = [
        ("lattice", f"{size:,} nodes", "17,920"),
        ("all nodes by roll-up", f"{seconds:.2f} s", "at most 1 s"),
        ("  a node", f"{seconds / size * 1e6:.1f} us", ""),
        (
            "  times faster than hashing rows per node (Python)",
            f"{by_dict * size / seconds:,.0f}",
            "at least 30",
        ),
        (
            "  times faster than sorting keys per node (numpy)",
            f"{by_sort * size / seconds:,.0f}",
            "at least 30",
        ),
    ]
    million = adult(NAMES, DATA / "adult" / "poka", rows=1_000_000)
    seconds_million, _ = cpu(lambda: whole(million))
    tuples = len(np.unique(million.leaves, axis=0))
    rows.append(
        (f"1M rows ({tuples:,} distinct tuples), all nodes", f"{seconds_million:.2f} s", "at most 10 s")
    )
    show("Evaluating the lattice (glm, suppression 1%)", rows)

    pareto(data.table, data.trees, suppress=SUPPRESS, per_node=True)
    seconds, front = cpu(lambda: pareto(data.table, data.trees, suppress=SUPPRESS, per_node=True))
    true = {(point.k, point.levels) for point in front.points}
    same = {(p.k, round(p.loss, 12)) for p in points} == {(p.k, round(p.loss, 12)) for p in front.points}
    rows = [
        ("exact front, one k a node: points", str(len(true)), ""),
        ("  nodes evaluated", f"{front.evaluated:,} ({front.evaluated / size:.1%})", "at most 15%"),
        ("  CPU", f"{seconds:.2f} s", ""),
        ("  equals the whole lattice's", "yes" if same else "NO", "yes"),
    ]
    seconds, every = cpu(lambda: pareto(data.table, data.trees, suppress=SUPPRESS))
    rows.append(("exact front, every k: points", f"{len(every.points)}", ""))
    rows.append(("  nodes evaluated", f"{every.evaluated:,} ({every.evaluated / size:.1%})", ""))
    for d in (1, 2, 3):
        seconds, found = cpu(lambda d=d: poka(data.table, data.trees, d=d, suppress=SUPPRESS))
        hit = len(true & {(point.k, point.levels) for point in found.points})
        rows.append((f"POkA, d = {d}: true points found", f"{hit} of {len(true)}", ""))
        rows.append(
            ("  nodes evaluated", f"{found.evaluated:,} ({found.evaluated / size:.1%})", f"{seconds:.2f} s")
        )
    show("The front", rows)


if __name__ == "__main__":
    main()
