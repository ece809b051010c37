"""k^m-anonymity of baskets: how long each maker takes, what it loses, and how long its judge takes.

Run `python benchmarks/bench_km.py`; CPU time, kernels warm. Peak memory is that of the whole process, so the
large data come last.
"""

import gzip
import resource

import numpy as np

from common import DATA, cpu, need, show
from shoal.algorithms.sets.apriori import apriori
from shoal.algorithms.sets.coat import coat
from shoal.algorithms.sets.coding import coded
from shoal.algorithms.sets.cuts import find_cut
from shoal.algorithms.sets.lra import lra
from shoal.algorithms.sets.pcta import pcta
from shoal.algorithms.sets.taxonomy import Taxonomy
from shoal.algorithms.sets.unions import find_groups
from shoal.algorithms.sets.vpa import vpa
from shoal.data import Sets
from shoal.hierarchy import files
from shoal.hierarchy.build import fanout
from shoal.release import PublishedSets
from shoal.utility.items import item_losses

BMS = DATA / "bms_webview1" / "BMS-WebView-1.dat.gz"
T10 = DATA / "t10i4d100k" / "T10I4D100K.dat.gz"
INFORMS = DATA / "informs2005" / "informs2005_rt.csv.gz"
ICD = DATA / "informs2005" / "hierarchies" / "informs_ICD9.txt.gz"


def baskets(path):
    """A FIMI file, or the last column of a table."""
    with gzip.open(path, "rt") as lines:
        if ".csv" in path.name:
            next(lines)
        return Sets.of("items", [line.rsplit(";", 1)[-1].split() for line in lines])


def measured(maker, *given, **options):
    """CPU seconds, the result, and CPU seconds of its judge, which must say yes."""
    seconds, result = cpu(lambda: maker(*given, **options))
    release = result.release
    seen = PublishedSets(release.start, release.forms.sets()[release.items])
    judging, verdict = cpu(lambda: result.claim.check(seen))
    assert verdict, verdict.sentence
    return seconds, release, judging


def line(name, sets, limit, maker, *given, **options):
    seconds, release, judging = measured(maker, sets, *given, **options)
    lost = item_losses(release, sets)
    figures = f"ncp {lost['ncp']:.4f}  ul {lost['ul']:.4f}  are {lost['are']:.2f}  {len(release.forms.labels)} forms"
    return lost["ul"], (f"{name} (judge {judging:.2f} s): {figures}", f"{seconds:.2f} s", limit)


def warm():
    few = Sets.of("items", [["a", "b"], ["b", "c"], ["a", "c"]] * 3)
    tree = fanout("items", 2, few.values)
    for maker in (apriori, lra, vpa):
        maker(few, tree, k=4, m=3)
    for maker in (pcta, coat):
        maker(few, k=4, m=3)


def web():
    sets = baskets(BMS)
    tree = fanout("items", 5, sets.values)
    rows = [
        line("apriori, m = 2", sets, "at most 2 s", apriori, tree, k=5, m=2)[1],
        line("apriori, m = 3", sets, "at most 20 s", apriori, tree, k=5, m=3)[1],
        line("lra, m = 2", sets, "", lra, tree, k=5, m=2)[1],
        line("vpa, m = 2", sets, "", vpa, tree, k=5, m=2)[1],
        line("pcta, m = 2", sets, "", pcta, k=5, m=2)[1],
        line("coat, m = 2", sets, "", coat, k=5, m=2)[1],
    ]
    show(f"BMS-WebView-1, {sets.n:,} baskets, k = 5", rows)


def diagnoses():
    sets = baskets(INFORMS)
    icd, even = files.read(ICD), fanout("items", 5, sets.values)
    along, row = line("apriori, fan-out 5", sets, "", apriori, even, k=5, m=2)
    united, other = line("pcta, ul", sets, "at most 30 s", pcta, k=5, m=2)
    rows = [
        row,
        line("apriori, ICD-9", sets, "", apriori, icd, k=5, m=2)[1],
        line("apriori, ICD-9, 0.1% left out", sets, "", apriori, icd, k=5, m=2, suppress=0.001)[1],
        other,
        line("pcta, ncp", sets, "", pcta, k=5, m=2, loss="ncp")[1],
        line("coat", sets, "", coat, k=5, m=2)[1],
        ("ul of pcta beside apriori's", f"{united:.4f}", "below" if united < along else "NOT BELOW"),
        *clusters(sets, icd),
    ]
    show(f"INFORMS diagnoses, {sets.n:,} baskets, k = 5, m = 2", rows)


def clusters(sets, tree, size=25, many=300):
    """What one cluster of few records costs, as makers of tables with baskets call for."""
    taxonomy, order = Taxonomy.of(tree), np.random.default_rng(0).permutation(sets.n)
    parts = [np.sort(order[i * size : (i + 1) * size]) for i in range(many)]
    along, bare = coded("bench", sets, tree, exempt=False), coded("bench", sets, None, exempt=False)
    cut, _ = cpu(lambda: [find_cut(along.baskets(rows), taxonomy, k=size, m=2) for rows in parts])
    union, _ = cpu(lambda: [find_groups(bare.baskets(rows), k=size, m=2) for rows in parts])
    return [
        (f"find_cut, a cluster of {size} records", f"{1000 * cut / many:.2f} ms", ""),
        (f"find_groups, a cluster of {size} records", f"{1000 * union / many:.2f} ms", ""),
    ]


def synthetic():
    sets = baskets(T10)
    tree = fanout("items", 5, sets.values)
    rows = [line("apriori, m = 2", sets, "at most 10 s", apriori, tree, k=5, m=2)[1]]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows += [
        ("peak memory so far", f"{peak:.2f} GB", "under 2 GB"),
        line("apriori, m = 3", sets, "", apriori, tree, k=5, m=3)[1],
        line("pcta, m = 2", sets, "", pcta, k=5, m=2)[1],
    ]
    for share in (4, 2):
        end = sets.n // share
        some = Sets("items", sets.values, sets.start[: end + 1].copy(), sets.items[: sets.start[end]].copy())
        rows.append(line(f"apriori, m = 2, {end:,} baskets", some, "near-linear", apriori, tree, k=5, m=2)[1])
    show(f"T10I4D100K, {sets.n:,} baskets, k = 5", rows)


def main():
    for path in (BMS, T10, INFORMS, ICD):
        need(path)
    warm()
    web()
    diagnoses()
    synthetic()


if __name__ == "__main__":
    main()
