"""297 exact optima of Adult: k = 2 to 100, suppression 0, 1 and 5%. What ARX takes for one is in `benchmarks.peers`.

Run `python benchmarks/bench_optima.py`; CPU time, kernels warm.
"""

from common import DATA, adult, cpu, need, show
from shoal.algorithms.lattice.optimal import optimal, pareto
from shoal.privacy import make_claim

NAMES = [
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
]  # fmt: skip


def answers(data):
    """The optimum of every k and suppression: the front's point that serves it."""
    found = {}
    for suppress in (0.0, 0.01, 0.05):
        front = pareto(data.table, data.hierarchies, suppress=suppress)
        for k in range(2, 101):
            found[suppress, k] = front.pick(k)
    return found


def main():
    need(DATA / "adult")
    data = adult(NAMES, DATA / "adult")
    answers(data)  # compiles
    seconds, found = cpu(lambda: answers(data))
    rows = [
        ("lattice", f"{pareto(data.table, data.hierarchies).lattice:,} nodes", "12,960"),
        ("exact optima", str(len(found)), "297"),
        ("CPU for all of them", f"{seconds:.2f} s", ""),
    ]
    for k in (5, 10, 100):
        optimal(data.table, data.hierarchies, claim=make_claim("table", k=k), suppress=0.05)
        alone, result = cpu(
            lambda k=k: optimal(data.table, data.hierarchies, claim=make_claim("table", k=k), suppress=0.05)
        )
        same = tuple(result.release.rule["levels"].values()) == found[0.05, k].levels
        rows.append((f"optimal alone, k = {k}, 5%", f"{alone:.2f} s", "same node" if same else "OTHER NODE"))
    show("Every k at three suppressions (glm)", rows)


if __name__ == "__main__":
    main()
