"""k^m-anonymity of baskets: how long each method takes, what it loses, and how long its judge takes.

Run `python benchmarks/bench_itemsets.py [methods] [floor]`; CPU time, kernels warm. Peak memory is that of the whole
process, so the large data come last. Without words, `makers`; `floor` sets methods of one cut beside what no cut loses
less than.
"""

import gzip
import resource
import sys
from functools import partial

import numpy as np

from common import DATA, cpu, need, show
from shoal.algorithms.itemsets.apriori import apriori, lra, vpa
from shoal.algorithms.itemsets.item_cuts import Taxonomy, code_items, find_cut
from shoal.algorithms.itemsets.optimal_cut import cut_floor
from shoal.algorithms.itemsets.pcta import coat, find_groups, pcta
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.rules import fanout
from shoal.privacy import KmAnonymity
from shoal.release import PublishedBaskets
from shoal.utility import BasketCase, case_losses

BMS = DATA / "bms_webview1" / "BMS-WebView-1.dat.gz"
T10 = DATA / "t10i4d100k" / "T10I4D100K.dat.gz"
CHESS = DATA / "chess" / "chess.dat.gz"
MUSHROOM = DATA / "mushroom" / "mushroom.dat.gz"
INFORMS = DATA / "informs2005" / "informs2005_rt.csv.gz"
ICD = DATA / "informs2005" / "hierarchies" / "informs_ICD9.txt.gz"


def lists(path):
    """A FIMI file, or the last column of a table."""
    with gzip.open(path, "rt") as lines:
        if ".csv" in path.name:
            next(lines)
        return Baskets.of("items", [line.rsplit(";", 1)[-1].split() for line in lines])


def measured(maker, *given, **options):
    """CPU seconds, the result, and CPU seconds of its judge, which must say yes."""
    seconds, result = cpu(lambda: maker(*given, **options))
    release = result.release
    seen = PublishedBaskets(release.start, release.forms.sets()[release.items])
    judging, verdict = cpu(lambda: result.claim.check(seen))
    assert verdict, verdict.sentence
    return seconds, release, judging


def line(name, baskets, limit, maker, *given, **options):
    seconds, release, judging = measured(maker, baskets, *given, **options)
    lost = case_losses(BasketCase(release, baskets, *(one for one in given if isinstance(one, Hierarchy))))
    figures = f"ncp {lost['ncp']:.4f}  ul {lost['ul']:.4f}  are {lost['are']:.2f}  {len(release.forms.labels)} forms"
    return lost["ul"], (f"{name} (judge {judging:.2f} s): {figures}", f"{seconds:.2f} s", limit)


def warm():
    few = Baskets.of("items", [["a", "b"], ["b", "c"], ["a", "c"]] * 3)
    tree = fanout("items", 2, few.values)
    for maker in (apriori, lra, vpa):
        maker(few, tree, KmAnonymity(4, 3))
    for maker in (pcta, coat):
        maker(few, KmAnonymity(4, 3))


def web():
    baskets = lists(BMS)
    tree = fanout("items", 5, baskets.values)
    rows = [
        line("apriori, m = 2", baskets, "at most 2 s", apriori, tree, KmAnonymity(5, 2))[1],
        line("apriori, m = 3", baskets, "at most 20 s", apriori, tree, KmAnonymity(5, 3))[1],
        line("lra, m = 2", baskets, "", lra, tree, KmAnonymity(5, 2))[1],
        line("vpa, m = 2", baskets, "", vpa, tree, KmAnonymity(5, 2))[1],
        line("pcta, m = 2", baskets, "", pcta, KmAnonymity(5, 2))[1],
        line("coat, m = 2", baskets, "", coat, KmAnonymity(5, 2))[1],
    ]
    show(f"BMS-WebView-1, {baskets.n:,} baskets, k = 5", rows)


def diagnoses():
    baskets = lists(INFORMS)
    icd, even = files.read(ICD), fanout("items", 5, baskets.values)
    along, row = line("apriori, fan-out 5", baskets, "", apriori, even, KmAnonymity(5, 2))
    united, other = line("pcta, ul", baskets, "at most 30 s", pcta, KmAnonymity(5, 2))
    rows = [
        row,
        line("apriori, ICD-9", baskets, "", apriori, icd, KmAnonymity(5, 2))[1],
        line("apriori, ICD-9, 0.1% left out", baskets, "", apriori, icd, KmAnonymity(5, 2), suppress=0.001)[
            1
        ],
        other,
        line("pcta, ncp", baskets, "", pcta, KmAnonymity(5, 2), loss="ncp")[1],
        line("coat", baskets, "", coat, KmAnonymity(5, 2))[1],
        ("ul of pcta beside apriori's", f"{united:.4f}", "below" if united < along else "NOT BELOW"),
        *clusters(baskets, icd),
    ]
    show(f"INFORMS diagnoses, {baskets.n:,} baskets, k = 5, m = 2", rows)


def clusters(baskets, tree, size=25, many=300):
    """What one cluster of few records costs, as methods of tables with baskets call for."""
    taxonomy, order = Taxonomy.of(tree), np.random.default_rng(0).permutation(baskets.n)
    parts = [np.sort(order[i * size : (i + 1) * size]) for i in range(many)]
    along, bare = (
        code_items("bench", baskets, tree, exempt=False),
        code_items("bench", baskets, None, exempt=False),
    )
    cut, _ = cpu(lambda: [find_cut(along.take(rows).distinct(), taxonomy, k=size, m=2) for rows in parts])
    union, _ = cpu(lambda: [find_groups(bare.take(rows).distinct(), k=size, m=2) for rows in parts])
    return [
        (f"find_cut, a cluster of {size} records", f"{1000 * cut / many:.2f} ms", ""),
        (f"find_groups, a cluster of {size} records", f"{1000 * union / many:.2f} ms", ""),
    ]


def synthetic():
    baskets = lists(T10)
    tree = fanout("items", 5, baskets.values)
    rows = [line("apriori, m = 2", baskets, "at most 10 s", apriori, tree, KmAnonymity(5, 2))[1]]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows += [
        ("peak memory so far", f"{peak:.2f} GB", "under 2 GB"),
        line("apriori, m = 3", baskets, "", apriori, tree, KmAnonymity(5, 3))[1],
        line("pcta, m = 2", baskets, "", pcta, KmAnonymity(5, 2))[1],
    ]
    for share in (4, 2):
        end = baskets.n // share
        some = Baskets(
            "items",
            baskets.values,
            baskets.start[: end + 1].copy(),
            baskets.items[: baskets.start[end]].copy(),
        )
        rows.append(
            line(f"apriori, m = 2, {end:,} baskets", some, "near-linear", apriori, tree, KmAnonymity(5, 2))[1]
        )
    show(f"T10I4D100K, {baskets.n:,} baskets, k = 5", rows)


def floor():
    """What `apriori` and `vpa` lose beside the floor of all cuts."""
    diagnosed = lists(INFORMS)
    kinds = [
        ("BMS-WebView-1", baskets := lists(BMS), fanout("items", 5, baskets.values), {}),
        ("INFORMS, fan-out 5", diagnosed, fanout("items", 5, diagnosed.values), {}),
        ("INFORMS, ICD-9", diagnosed, tree := files.read(ICD), {}),
        ("INFORMS, ICD-9, 0.1% left out", diagnosed, tree, {"suppress": 0.001}),
        ("chess, fan-out 5", baskets := lists(CHESS), fanout("items", 5, baskets.values), {}),
        ("chess, fan-out 2", baskets, fanout("items", 2, baskets.values), {}),
        ("mushroom, fan-out 5", baskets := lists(MUSHROOM), fanout("items", 5, baskets.values), {}),
        ("mushroom, fan-out 2", baskets, fanout("items", 2, baskets.values), {}),
        ("T10I4D100K", baskets := lists(T10), fanout("items", 5, baskets.values), {}),
    ]
    cut_floor(baskets, kinds[-1][2], KmAnonymity(5, 2))
    for name, *given, options in kinds:
        rows = []
        for k, m in ((5, 2), (25, 2), (5, 3), (25, 3)):
            seconds, least = cpu(partial(cut_floor, *given, KmAnonymity(k, m), **options))
            told = f"{least:.4f}" if least is not None else "none"
            rows.append((f"k = {k}, m = {m}: floor", told, f"{seconds:.2f} s"))
            for maker in (apriori, vpa):
                seconds, release, _ = measured(maker, *given, KmAnonymity(k, m), **options)
                lost = case_losses(BasketCase(release, *given))["ncp"]
                times = f", {lost / least:.3f} times the floor" if least else ""
                rows.append((f"k = {k}, m = {m}: {maker.__name__}{times}", f"{lost:.4f}", f"{seconds:.2f} s"))
        show(name, rows)


def main():
    for path in (BMS, T10, INFORMS, ICD, CHESS, MUSHROOM):
        need(path)
    warm()
    parts = sys.argv[1:] or ["makers"]
    if "makers" in parts:
        web()
        diagnoses()
        synthetic()
    if "floor" in parts:
        floor()


if __name__ == "__main__":
    main()
