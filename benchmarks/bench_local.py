"""Local recoding: the spanning tree, whole releases, losses beside full-domain recoding and peers, growth with n.

Run `python benchmarks/bench_local.py [tree] [wide] [paper] [peers] [floor] [gap] [blind] [growth]`; without a part, all
but `gap` and `growth` over 1M.
CPU time, kernels warm. `peers` compares with anonypy where `ANONYPY` names a Python that has it (it wants a minute).
"""

import json
import os
import resource
import subprocess
import sys
from itertools import combinations
from math import prod

import numpy as np
from scipy.optimize import linprog

from common import DATA, adult, cpu, need, show
from shoal.algorithms.lattice.incognito import incognito
from shoal.algorithms.local.blind import blind
from shoal.algorithms.local.boxes import boxes, loss_floor
from shoal.algorithms.local.local_table import LocalTable
from shoal.algorithms.local.mondrian import kmember, mondrian
from shoal.algorithms.local.mstk import mstk, spanning_tree
from shoal.data import Column, Table
from shoal.hierarchy.rules import build
from shoal.privacy import KAnonymity, make_claim
from shoal.utility import _table_losses

SIX = ["age", "workclass", "sex", "education", "race", "occupation"]
SEVEN = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
KS = range(3, 22, 3)

PEER = """
import json, sys, time
import pandas as pd, anonypy
path, k, *names = sys.argv[1:]
frame = pd.read_csv(path, sep=";")
for name in names:
    if name != "age":
        frame[name] = frame[name].astype("category")
start = time.process_time()
rows = anonypy.Preserver(frame, names, "occupation").anonymize_k_anonymity(k=int(k))
seconds = time.process_time() - start
cells = [[str(r[n][0] if isinstance(r[n], list) else r[n]) for n in names] + [int(r["count"])] for r in rows]
print(json.dumps([seconds, cells]))
"""


def grown(n):
    """So many records: Adult's, or drawn from them with noise."""
    return adult(SEVEN, DATA / "adult", None if n == 30_162 else n)


def peak():
    """The most memory this process has held, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def tree(data):
    """The exact tree of Adult and of a million records."""
    found = []
    for table, limit in ((data.table, 0.1), (grown(1_000_000).table, 1.0)):
        local = LocalTable.of("bench", table, data.hierarchies, recode="hierarchy", grid=None, mix=False)
        spanning_tree(local.words, local.layout, local.hierarchies)  # compiles
        seconds, spanned = cpu(
            lambda local=local: spanning_tree(local.words, local.layout, local.hierarchies)
        )
        what = f"tree, {table.n:,} records, {len(local.first):,} distinct ({spanned.how}, {spanned.nodes} vectors)"
        found.append((what, f"{seconds:.3f} s", f"at most {limit} s"))
    return found


def wide():
    """A thousand records of eight columns, more level vectors than pairs of records."""
    random = np.random.default_rng(0)
    cells = [[f"v{value:04d}" for value in random.integers(0, 200, 1_000)] for _ in range(8)]
    table = Table(tuple(Column.of(f"c{j}", "quasi", column) for j, column in enumerate(cells)))
    trees = {column.name: build(column.name, {"fanout": 4}, column.values) for column in table.columns}
    vectors = prod(tree.height + 1 for tree in trees.values())
    mstk(table, trees, KAnonymity(5))  # compiles
    seconds, result = cpu(lambda: mstk(table, trees, KAnonymity(5)))
    what = f"mstk, 1,000 records of 8 columns, {vectors:,} level vectors ({result.trace['nodes']} looked at)"
    return [(what, f"{seconds:.2f} s", "under 1 s")]


def release(n):
    """A whole release of mstk, without reading and judging."""
    data = grown(n)
    seconds, result = cpu(lambda: mstk(data.table, data.hierarchies, claim=make_claim("table", k=5)))
    return seconds, _table_losses(result.release, data.hierarchies)["ncp"], result.trace["classes"]


def paper(data):
    """The paper's comparison: il, dm and c_avg against Incognito, ncp against strict Mondrian."""
    found = []
    for k in KS:
        walk, by_tree, full, halved = (
            _table_losses(result.release, data.hierarchies, k=k)
            for result in (
                mstk(data.table, data.hierarchies, claim=make_claim("table", k=k)),
                mstk(data.table, data.hierarchies, claim=make_claim("table", k=k), rule="paper"),
                incognito(data.table, data.hierarchies, claim=make_claim("table", k=k)),
                mondrian(data.table, data.hierarchies, claim=make_claim("table", k=k)),
            )
        )
        for loss in ("il", "dm", "c_avg"):
            what = f"k={k} {loss}: walk, paper"
            found.append(
                (what, f"{walk[loss]:.4g}, {by_tree[loss]:.4g}", f"below incognito {full[loss]:.4g}")
            )
        found.append(
            (
                f"k={k} ncp: walk, paper",
                f"{walk['ncp']:.4f}, {by_tree['ncp']:.4f}",
                f"below mondrian {halved['ncp']:.4f}",
            )
        )
    return found


def makers(data):
    """All local methods on seven quasi-identifiers."""
    found = []
    wanted = {("hierarchy", 5): 0.104, ("hierarchy", 25): 0.159, ("span", 5): 0.026, ("span", 25): 0.098}
    for (recode, k), limit in wanted.items():
        for maker in (mstk, mondrian, kmember):
            maker(data.table, data.hierarchies, KAnonymity(k), recode=recode)  # compiles
            seconds, result = cpu(
                lambda maker=maker, k=k, recode=recode: maker(
                    data.table, data.hierarchies, KAnonymity(k), recode=recode
                )
            )
            ncp = _table_losses(result.release, data.hierarchies)["ncp"]
            target = f"ncp at most {limit}" if maker is mstk else ""
            found.append((f"{maker.__name__} {recode} k={k}", f"{seconds:.2f} s, ncp {ncp:.4f}", target))
    return found


def floor(data):
    """How near the methods come to what no recoding along hierarchies can go below."""
    found = []
    for table, limit in ((data.table, "at most 1 s"), (grown(1_000_000).table, "at most 20 s")):
        for k in (5, 25):
            boxes(table, data.hierarchies, KAnonymity(k))  # compiles
            seconds, least = cpu(lambda table=table, k=k: loss_floor(table, data.hierarchies, k))
            seconds_all, most = cpu(
                lambda table=table, k=k: loss_floor(table, data.hierarchies, k, work=1 << 29)
            )
            simple = loss_floor(table, data.hierarchies, k, work=0)
            what = f"floor k={k}, {table.n:,} records: cheapest boxes {simple:.4f}"
            found.append((what, f"{least:.4f} in {seconds:.2f} s", f"{most:.4f} in {seconds_all:.1f} s"))
            for maker in (boxes, mstk, mondrian):
                seconds, result = cpu(
                    lambda maker=maker, table=table, k=k: maker(table, data.hierarchies, KAnonymity(k))
                )
                ncp = _table_losses(result.release, data.hierarchies)["ncp"]
                what = f"{maker.__name__} k={k}, {table.n:,} records: {ncp / most:.3f} times the floor"
                found.append((what, f"{seconds:.2f} s, ncp {ncp:.4f}", limit if maker is boxes else ""))
    return found


def gap(data):
    """Where the optimum lies between floor and `boxes`, and what the best floor of this kind would be.

    The floor is a solution of the dual of a linear program: classes may be parts of classes. On neighbours in Adult,
    few enough to try all classes, the program itself is solved too: no better numbers of records exist.
    """
    found, random = [], np.random.default_rng(3)
    names = [column.name for column in data.table.quasi]
    trees = [data.hierarchies[name] for name in names]
    leaves = np.stack(
        [t.look_up(c.values)[c.codes] for t, c in zip(trees, data.table.quasi, strict=True)], axis=1
    )
    wide = np.array([tree.size for tree in trees])
    for k, many, times in ((3, 12, 40), (4, 12, 40), (4, 13, 40)):
        sums = np.zeros(4)
        for _ in range(times):
            apart = (np.abs(leaves - leaves[random.integers(data.table.n)]) / wide).sum(axis=1)
            near = np.sort(np.argsort(apart + 0.3 * random.random(data.table.n))[:many])
            some = Table(tuple(column.only(near) for column in data.table.quasi))
            made = _table_losses(boxes(some, data.hierarchies, KAnonymity(k)).release, data.hierarchies)[
                "ncp"
            ]
            least = loss_floor(some, data.hierarchies, k, work=1 << 29)
            classes = _classes(leaves[near], trees, k)
            sums += least, _relaxed(classes, many), _optimum(classes, many), made
        least, relaxed, best, made = sums
        what = f"k={k}, {many} neighbours, {times} times: boxes {made / best:.3f} times the optimum"
        bounds = f"the optimum {best / least:.3f}, the linear program {relaxed / least:.3f}"
        found.append((what, f"{made / least:.3f} times the floor", bounds))
    return found


def _classes(leaves, trees, k):
    """All classes of k to 2k - 1 records, and what each pays; larger ones are two, which lose no more."""
    return [
        (some, size * _price(leaves[list(some)], trees))
        for size in range(k, min(2 * k, len(leaves) + 1))
        for some in combinations(range(len(leaves)), size)
    ]


def _optimum(classes, n):
    """The least ncp of classes that hold every record once."""
    best = {0: 0.0}
    own = [[] for _ in range(n)]  # classes by their first record
    for some, pay in classes:
        own[some[0]].append((sum(1 << i for i in some), pay))
    for done in range(1 << n):
        if done in best and done + 1 < 1 << n:
            first = next(i for i in range(n) if not done >> i & 1)
            for some, pay in own[first]:
                if not some & done:
                    best[some | done] = min(best.get(some | done, np.inf), best[done] + pay)
    return best[(1 << n) - 1] / n


def _relaxed(classes, n):
    """The same where parts of classes may be taken: what no numbers of records exceed."""
    holds = np.zeros((n, len(classes)))
    for at, (some, _) in enumerate(classes):
        holds[list(some), at] = 1
    return linprog([pay for _, pay in classes], A_eq=holds, b_eq=np.ones(n)).fun / n


def _price(leaves, trees):
    """What each record of a class pays: of every column the lowest node above all, by its share of the leaves."""
    paid = 0.0
    for tree, column in zip(trees, leaves.T, strict=True):
        nodes = tree.up[column]
        level = int((nodes == nodes[0]).all(axis=0).argmax())
        low, high = tree.spans[level][nodes[0, level]]
        paid += (high - low) / tree.size if high - low > 1 else 0
    return paid / len(trees)


def peers(data):
    """Anonypy's ncp by the same definition, and how many times faster mstk is."""
    python = os.environ.get("ANONYPY")
    if python is None:
        return [("anonypy", "not run: set ANONYPY to a Python that has it", "")]
    found = []
    for k, times in ((5, 50), (25, 20)):
        call = [python, "-c", PEER, DATA / "adult" / "adult.csv", str(k), *SEVEN]
        theirs, rows = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
        trees = [data.hierarchies[name] for name in SEVEN]
        paid = sum(count * sum(map(_cost, cells, trees)) for *cells, count in rows)
        mstk(data.table, data.hierarchies, claim=make_claim("table", k=k), recode="span")
        seconds, result = cpu(
            lambda k=k: mstk(data.table, data.hierarchies, claim=make_claim("table", k=k), recode="span")
        )
        ncp = paid / len(SEVEN) / data.table.n
        ours = _table_losses(result.release, data.hierarchies)["ncp"]
        found.append((f"k={k}: mstk span ncp", f"{ours:.4f}", f"at most anonypy's {ncp:.4f}"))
        found.append(
            (
                f"k={k}: anonypy {theirs:.1f} s, mstk {seconds:.2f} s",
                f"{theirs / seconds:.0f} times",
                f"at least {times}",
            )
        )
    return found


def _cost(cell, tree):
    """The ncp of one of anonypy's cells: '17-34', or values joined by commas."""
    cell = cell.strip("[]")
    if tree.leaves[0].isdigit():
        low, _, high = cell.partition("-")
        return (float(high or low) - float(low)) / (float(tree.leaves[-1]) - float(tree.leaves[0]))
    values = cell.count(",") + 1
    return 0.0 if values == 1 else values / tree.size


def growth(data, largest):
    """Time for each record, from thirty thousand up."""
    mstk(data.table, data.hierarchies, claim=make_claim("table", k=5))  # compiles
    found = []
    for n in (30_162, 100_000, 300_000, 1_000_000, 3_000_000):
        if n <= largest:
            seconds, ncp, classes = release(n)
            limit = {30_162: "at most 2 s", 1_000_000: "at most 60 s, 4 GB"}.get(n, "")
            what = f"mstk k=5, {n:,} records, {classes:,} classes, ncp {ncp:.4f}"
            found.append(
                (what, f"{seconds:.2f} s, {seconds / n * 1e6:.1f} us a record, {peak():.2f} GB", limit)
            )
    return found


def blinded(data):
    """What labels cost that tell nothing beyond themselves: half of the people, where the other half is public."""
    order = np.random.default_rng(1).permutation(data.table.n)
    half, public = (data.table.only(np.sort(part)) for part in np.array_split(order, 2))
    found = []
    for k in (5, 25):
        ways = {f"blind {recode}": {"recode": recode, "public": public} for recode in ("span", "hierarchy")}
        for name, options in {**ways, "mstk": {}, "boxes": {}}.items():
            make = {"mstk": mstk, "boxes": boxes}.get(name, blind)
            make(half, data.hierarchies, KAnonymity(k), **options)
            seconds, made = cpu(
                lambda make=make, k=k, options=options: make(half, data.hierarchies, KAnonymity(k), **options)
            )
            ncp, out = _table_losses(made.release, data.hierarchies)["ncp"], made.release.suppressed / half.n
            found.append(
                (f"{name}, k={k}, half of Adult, ncp {ncp:.4f}", f"{seconds:.2f} s", f"{out:.2%} left out")
            )
    return found


def main():
    need(DATA / "adult")
    parts = sys.argv[1:] or ["tree", "wide", "paper", "peers", "floor", "blind", "release"]
    six, seven = adult(SIX, DATA / "adult"), adult(SEVEN, DATA / "adult")
    rows = []
    if "tree" in parts:
        rows += tree(seven)
    if "wide" in parts:
        rows += wide()
    if "paper" in parts:
        rows += paper(six)
    if "peers" in parts:
        rows += makers(seven) + peers(seven)
    if "floor" in parts:
        rows += floor(seven)
    if "gap" in parts:
        rows += gap(seven)
    if "blind" in parts:
        rows += blinded(seven)
    if "release" in parts or "growth" in parts:
        rows += growth(seven, 3_000_000 if "growth" in parts else 1_000_000)
    show("local recoding", rows)


if __name__ == "__main__":
    main()
