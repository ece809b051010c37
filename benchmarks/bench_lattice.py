"""The 17,920-node Adult lattice: every node by roll-up, the exact front by few, POkA beside it.

Run `python benchmarks/bench_lattice.py`; CPU time, kernels warm.
"""

import numpy as np
from numba import njit

from common import DATA, adult, cpu, need, show
from shoal.algorithms.knobs import suppression_limit
from shoal.algorithms.lattice._kernels import list_k_steps, node_classes
from shoal.algorithms.lattice.cube import Cube, prices_of
from shoal.algorithms.lattice.optimal import _evaluate_every_node, pareto
from shoal.algorithms.lattice.poka import poka

NAMES = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"]
SUPPRESS = 0.01


def whole(data):
    """Evaluate every node by roll-up."""
    cube = Cube.of("bench", data.table, data.hierarchies)
    prices = prices_of("glm", cube, data.table)
    return _evaluate_every_node(cube, prices, suppression_limit("bench", SUPPRESS, cube.n), per_node=True)


@njit
def hash_rows(packed, levels, layout, slots, keys, counts):
    """One node from the records themselves: generalize, hash and count every row, in one compiled pass."""
    slots.fill(-1)
    last, found = len(slots) - 1, 0
    for i in range(packed.shape[1]):
        key = 0
        for j in range(len(levels)):
            leaf = (packed[0, i] >> layout.shift[j]) & layout.mask[j]
            key |= layout.places[layout.at[j, levels[j]] + leaf] << layout.shift[j]
        s = (key * 0x4F1BBCDD >> 20) & last
        while slots[s] >= 0 and keys[slots[s]] != key:
            s = (s + 1) & last
        if slots[s] < 0:
            slots[s], keys[found], counts[found] = found, key, 0
            found += 1
        counts[slots[s]] += 1
    return found


def hashing(data, nodes):
    """CPU seconds a node, by hashing all rows in compiled code and by sorting their keys with numpy."""
    cube = Cube.of("bench", data.table, data.hierarchies)
    prices, allowed = prices_of("glm", cube, data.table), suppression_limit("bench", SUPPRESS, cube.n)
    slots, keys, counts = np.empty(1 << 16, dtype=np.int32), *np.empty((2, cube.n), dtype=np.int64)
    drawn = np.random.default_rng(0).integers(cube.lattice.size, size=nodes)

    def by_hash():
        for number in drawn.tolist():
            levels = np.array(cube.lattice.levels(number))
            m = hash_rows(cube.packed, levels, cube.layout, slots, keys, counts)
            table = node_classes(keys[None, :m].copy(), counts[:m].copy(), cube.extras())
            list_k_steps(table, levels, allowed, cube.layout, prices)

    def by_sort():
        for number in drawn.tolist():
            key = np.zeros(cube.n, dtype=np.int64)
            for j, level in enumerate(cube.lattice.levels(number)):
                key = (
                    key * len(cube.hierarchies[j].labels[level])
                    + cube.hierarchies[j].up[cube.leaves[:, j], level]
                )
            np.unique(key, return_counts=True)

    by_hash()  # compiles
    return cpu(by_hash)[0] / nodes, cpu(by_sort)[0] / nodes


def main():
    need(DATA / "adult")
    data = adult(NAMES, DATA / "adult" / "poka")
    size = Cube.of("bench", data.table, data.hierarchies).lattice.size
    whole(data)  # compiles
    seconds, points = cpu(lambda: whole(data))
    by_hash, by_sort = hashing(data, 400)
    rows = [
        ("lattice", f"{size:,} nodes", "17,920"),
        ("all nodes by roll-up", f"{seconds:.2f} s", "at most 1 s"),
        ("  a node", f"{seconds / size * 1e6:.1f} us", ""),
        (
            "  times faster than hashing rows per node (compiled)",
            f"{by_hash * size / seconds:,.0f}",
            "at least 30",
        ),
        (
            "  times faster than sorting keys per node (numpy)",
            f"{by_sort * size / seconds:,.0f}",
            "",
        ),
    ]
    million = adult(NAMES, DATA / "adult" / "poka", rows=1_000_000)
    seconds_million, _ = cpu(lambda: whole(million))
    tuples = len(np.unique(million.leaves, axis=0))
    rows.append(
        (f"1M rows ({tuples:,} distinct tuples), all nodes", f"{seconds_million:.2f} s", "at most 10 s")
    )
    show("Evaluating the lattice (glm, suppression 1%)", rows)

    pareto(data.table, data.hierarchies, suppress=SUPPRESS, per_node=True)
    seconds, front = cpu(lambda: pareto(data.table, data.hierarchies, suppress=SUPPRESS, per_node=True))
    true = {(point.k, point.levels) for point in front.points}
    same = {(p.k, round(p.loss, 12)) for p in points} == {(p.k, round(p.loss, 12)) for p in front.points}
    rows = [
        ("exact front, one k a node: points", str(len(true)), ""),
        ("  nodes evaluated", f"{front.evaluated:,} ({front.evaluated / size:.1%})", "at most 15%"),
        ("  CPU", f"{seconds:.2f} s", ""),
        ("  equals the whole lattice's", "yes" if same else "NO", "yes"),
    ]
    seconds, every = cpu(lambda: pareto(data.table, data.hierarchies, suppress=SUPPRESS))
    rows.append(("exact front, every k: points", f"{len(every.points)}", ""))
    rows.append(("  nodes evaluated", f"{every.evaluated:,} ({every.evaluated / size:.1%})", ""))
    for d in (1, 2, 3):
        seconds, found = cpu(lambda d=d: poka(data.table, data.hierarchies, d=d, suppress=SUPPRESS))
        hit = len(true & {(point.k, point.levels) for point in found.points})
        rows.append((f"POkA, d = {d}: true points found", f"{hit} of {len(true)}", ""))
        rows.append(
            ("  nodes evaluated", f"{found.evaluated:,} ({found.evaluated / size:.1%})", f"{seconds:.2f} s")
        )
    show("The front", rows)


if __name__ == "__main__":
    main()
