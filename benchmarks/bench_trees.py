"""k^(m,n)-anonymity of record trees: how fast the search, the judge and the mining are, and what each method loses.

Run `python benchmarks/bench_trees.py PART ...`, parts as listed at the end; without any, all of them. CPU time,
kernels warm, TPC-H trees (`tpch_trees`), k=20, m=3, n=2, g=2 unless a line says otherwise.
"""

import gzip
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import tpch_trees
from common import DATA, cpu, show
from id_lists import IdLists
from shoal.algorithms.trees.gcs import TreeCutSearch, acs, gcs, ocs
from shoal.algorithms.trees.knowledge import KnowledgeCounter
from shoal.algorithms.trees.miracle import miracle
from shoal.algorithms.trees.search_space import Space, tree_floor
from shoal.data import Trees
from shoal.hierarchy import files
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import load
from shoal.io.formats import TREE_FILES
from shoal.jobs.configured import run_config
from shoal.privacy import KMNAnonymity
from shoal.proposal.propose import propose
from shoal.shapes.registry import open_dataset
from shoal.utility.subtree_mining import mining_loss
from shoal.utility.trees import rpd, rpd_original, tree_ncp

CLAIM = KMNAnonymity(20, 3, 2)


def warm():
    few, hierarchies = tpch_trees.trees(2000), tpch_trees.hierarchies()
    for options in ({"scope": "class"}, {"scope": "pair"}, {"cost": "rpd-a", "scope": "pair"}):
        made = gcs(few, hierarchies, CLAIM, patience=40, **options)
    miracle(few, hierarchies, CLAIM)
    nodes = Nodes.of("bench", few, hierarchies)
    mining_loss(made.release, few, nodes, support=0.1)


def searched(maker, trees, claim=CLAIM, **options):
    """CPU seconds, those until the best cut was found, and the result."""
    began, looks, look = time.process_time(), [], TreeCutSearch._look

    def timed(search, *given):
        found = look(search, *given)
        looks.append(time.process_time() - began)
        return found

    TreeCutSearch._look = timed
    try:
        result = maker(trees, tpch_trees.hierarchies(), claim, **options)
    finally:
        TreeCutSearch._look = look
    return time.process_time() - began, looks[result.trace["found_at"] - 1], result


def told(name, trees, target, maker, **options):
    """A line of the table, and the RPD of the release, which it looks for; the judge must say yes."""
    usual = {} if maker is miracle else {"cost": "rpd"}
    seconds, found, result = searched(maker, trees, **{**usual, **options})
    judging, verdict = cpu(lambda: result.claim.check(result.release.trees))
    assert verdict, verdict.sentence
    lost = rpd(result.release, trees, Nodes.of("bench", trees, tpch_trees.hierarchies()))
    trace = result.trace
    given_up = trace["detached"] + trace["disassociated"]
    each = 1000 * seconds / trace["cuts"]
    print(
        f"  {name:<44} rpd {lost:.4f}  {seconds:6.1f} s  {trace['cuts']:5} cuts  {each:5.1f} ms a cut  "
        f"best at {found:5.1f} s ({trace['found_at']})  {trace['stopped']:8}  {trace['values']} values, "
        f"{given_up} given up; judge {judging:.1f} s   {target}",
        flush=True,
    )
    return lost


def thousands():
    """100,000 records, the whole search."""
    trees = tpch_trees.trees(100_000)
    print(f"\n{trees.n:,} records, to the end; RPD of the data {original(trees):.4f}")
    told("gcs, scope class", trees, "at most 60 s, aim 30", gcs, patience=None)
    told("gcs, scope pair", trees, "at most 60 s, aim 30", gcs, patience=None, scope="pair")
    told("ocs", trees, "", ocs, patience=None)
    told("gcs, scope pair, the paper's estimate", trees, "", gcs, cost="rpd-a", scope="pair")


def quarter():
    """250,000 records, the default stopping."""
    trees = tpch_trees.trees(250_000)
    print(f"\n{trees.n:,} records, patience as it is; RPD of the data {original(trees):.4f}")
    told("gcs, scope class", trees, "160 ms a cut, best in 10 s, all in 60 s", gcs)
    told("gcs, scope pair", trees, "160 ms a cut, best in 10 s, all in 60 s", gcs, scope="pair")
    for scope in ("class", "pair"):
        told(f"gcs, scope {scope}, the paper's estimate", trees, "", gcs, cost="rpd-a", scope=scope)


def above():
    """The nation above the orders: what is given up for one cut, and what it costs, by methods and by the cut alone."""
    for n, k in ((5_000, 5), (5_000, 20), (20_000, 5)):
        trees = tpch_trees.trees(n, nation_above=True)
        print(f"\n{trees.n:,} records, nation above the orders, k={k}; RPD of the data {original(trees):.4f}")
        for cost in ("rpd", "rpd-a"):
            for options in ({"scope": "class"}, {"scope": "pair", "put_back": False}, {"scope": "pair"}):
                name = ", ".join(f"{key} {value}" for key, value in options.items())
                told(f"gcs, {cost}, {name}", trees, "", gcs, claim=replace(CLAIM, k=k), cost=cost, **options)
            told(f"ocs, {cost}", trees, "", ocs, claim=replace(CLAIM, k=k), cost=cost)


def ends():
    """250,000 records, longer than the default goes on: whether a better cut comes."""
    told("gcs, scope class, without patience", tpch_trees.trees(250_000), "", gcs, patience=None, seconds=240)


def million():
    """1,000,000 records: method and judge, memory of the whole process."""
    subprocess.run([sys.executable, __file__, "million-alone"], check=True)


def million_alone():
    for n in (250_000, 1_000_000):
        trees = tpch_trees.trees(n)
        told(f"gcs, {n:,}", trees, "method and judge at most 300 s", gcs)
        print(f"  peak memory {_peak():.2f} GB   at most 2 GB", flush=True)


def judge():
    """The judge alone at 1,000,000 records."""
    subprocess.run([sys.executable, __file__, "judge-alone"], check=True)


def judge_alone():
    trees = tpch_trees.trees(1_000_000)
    result = gcs(trees, tpch_trees.hierarchies(), CLAIM, patience=20)
    before = _peak()
    seconds, verdict = cpu(lambda: result.claim.check(result.release.trees))
    rows = [
        ("judge", f"{seconds:.1f} s", ""),
        ("peak memory before, and with the judge", f"{before:.2f} {_peak():.2f} GB", ""),
    ]
    show(f"1,000,000 records, the judge: {verdict.sentence}", rows)


def check():
    """One check of one cut, beside the paper's lists of record numbers."""
    trees, hierarchies = tpch_trees.trees(100_000), tpch_trees.hierarchies()
    rule = gcs(trees, hierarchies, CLAIM, patience=100).release.rule
    space = Space(trees, Nodes.of("bench", trees, hierarchies))
    place = {
        (k, name): x for x, (k, name) in enumerate(zip(space.values.kind, space.values.names, strict=True))
    }
    cut = tuple(
        place[trees.classes.index(name), label] for name, labels in rule["cut"].items() for label in labels
    )

    def counted():
        asking = KnowledgeCounter(space, 20, 3, 2, 0, ())
        return space.clashes((cut,), 3, 20), len(asking.find_broken(space.synopsis(cut), cut).mask)

    counted()  # the cut's tree is projected, its rows of bits filled
    ours, (clash, broken) = cpu(counted)
    lists = IdLists(trees, space.values, cut)
    theirs, (rare, few) = cpu(lambda: lists.check(20, 3, 2))
    assert (bool(rare), few) == (clash, broken)
    rows = [
        ("lists of record numbers, intersected", f"{theirs:.1f} s", ""),
        ("shoal, nothing remembered", f"{ours:.3f} s", ""),
        ("times faster", f"{theirs / ours:.0f}", "at least 50"),
    ]
    show(f"one check, {trees.n:,} records, {len(cut)} values in the cut", rows)


def mine():
    """Frequent subtrees of 250,000 trees at 1% of the records, all levels."""
    trees, hierarchies = tpch_trees.trees(250_000), tpch_trees.hierarchies()
    nodes = Nodes.of("bench", trees, hierarchies)
    release = gcs(trees, hierarchies, CLAIM).release
    seconds, mined = cpu(lambda: mining_loss(release, trees, nodes))
    kept = f"{sum(mined.preserved)} of {sum(mined.subtrees)} kept, ml2 {mined.ml2:.3f} dml2 {mined.dml2:.3f}"
    show(f"mining {trees.n:,} trees", [(f"gcs: {kept}", f"{seconds:.1f} s", "at most 120 s")])


def paper():
    """GCS beside ACS, which can end on few records only, by both costs and both scopes."""
    for n in (2_000, 5_000, 20_000):
        trees = tpch_trees.trees(n)
        print(f"\n{trees.n:,} records, to the end; RPD of the data {original(trees):.4f}")
        for cost in ("rpd", "rpd-a"):
            for scope in ("pair", "class"):
                given = {"scope": scope, "cost": cost, "patience": None}
                told(f"acs, {scope}, {cost}", trees, "", acs, **given, seconds=20)
                for g in (1, 2, 4):
                    told(f"gcs, {scope}, {cost}, g={g}", trees, "", gcs, **given, g=g)


def claims():
    """k, m and n: gcs beside ocs."""
    trees = tpch_trees.trees(20_000)
    print(f"\n{trees.n:,} records; RPD of the data {original(trees):.4f}")
    for name, values in (("k", (5, 20, 100, 300)), ("m", (2, 4, 5)), ("n", (0, 1, 3))):
        for value in values:
            for cost in ("rpd", "rpd-a"):
                for scope in ("pair", "class"):
                    told(
                        f"gcs, {scope}, {cost}, {name}={value}",
                        trees,
                        "",
                        gcs,
                        scope=scope,
                        cost=cost,
                        claim=replace(CLAIM, **{name: value}),
                    )
                told(
                    f"ocs, {cost}, {name}={value}",
                    trees,
                    "",
                    ocs,
                    cost=cost,
                    claim=replace(CLAIM, **{name: value}),
                )


def growth():
    """RPD as data grow."""
    for n in (10_000, 30_000, 100_000, 300_000):
        trees = tpch_trees.trees(n)
        for scope in ("pair", "class"):
            told(f"gcs, {scope}, {n:,}", trees, "", gcs, scope=scope)
        told(f"ocs, {n:,}", trees, "", ocs)


def clusters():
    """The reconstruction of MiRaCle beside gcs."""
    trees, hierarchies = tpch_trees.trees(5_000), tpch_trees.hierarchies()
    nodes = Nodes.of("bench", trees, hierarchies)
    rows = []
    for k in (5, 20):
        for name, maker in (("gcs", gcs), ("miracle", miracle)):
            seconds, result = cpu(lambda maker=maker, k=k: maker(trees, hierarchies, replace(CLAIM, k=k)))
            assert result.claim.check(result.release.trees)
            mined = mining_loss(result.release, trees, nodes)
            lost = rpd(result.release, trees, nodes)
            what = f"{name}, k={k}: rpd {lost:.4f} ml2 {mined.ml2:.3f} dml2 {mined.dml2:.3f}"
            rows.append((f"{what}, {result.release.suppressed} values left out", f"{seconds:.1f} s", ""))
    show(f"{trees.n:,} records; RPD of the data {original(trees):.4f}", rows)


def door(records=200_000):
    """From a file of nested records to two judged folders; memory of the whole process."""
    with tempfile.TemporaryDirectory() as room:
        subprocess.run([sys.executable, __file__, "door-file", room, str(records)], check=True)
        subprocess.run([sys.executable, __file__, "door-alone", room, str(records)], check=True)


def door_file(room, records):
    """Write what `door_alone` reads, in a process of its own so that its memory is not counted."""
    config = [
        "[data]",
        'path = "trees.ndjson"',
        "[guarantee]",
        "k = 20",
        "m = 3",
        "n = 2",
        "[tree.hierarchies]",
    ]
    for name, path in tpch_trees.PATHS.items():
        files.write(tpch_trees.hierarchies()[name], Path(room) / f"{name}.csv")
        config.append(f'"{path}" = "{name}.csv"')
    (Path(room) / "shoal.toml").write_text("\n".join(config))
    with (Path(room) / "trees.ndjson").open("w") as file:
        for tree in tpch_trees.trees(int(records)).nested():
            file.write(json.dumps(tpch_trees.nested(tree)) + "\n")


def door_alone(room, records):
    run_config(Path(room) / "shoal.toml", Path(room) / "release")
    rows = [("read, made, written, read back, judged", f"{time.process_time():.0f} s", "")]
    show(f"{int(records):,} records through the door", [*rows, ("peak memory", f"{_peak():.2f} GB", "2 GB")])


def synthea():
    """615 Synthea patients with what `init` proposes: what is lost, how many rows still say something, CPU time."""
    for repeats, aim in (("merge", "ncp at most 35%, 40 s"), ("keep", "rows at least 95%")):
        subprocess.run([sys.executable, __file__, "synthea-alone", repeats, aim], check=True)


def synthea_alone(repeats, aim):
    with tempfile.TemporaryDirectory() as room:
        config = propose(DATA / "synthea" / "synthea_r4_trees.ndjson.gz").save(room)
        asked = re.sub(r"(?m)^k = .*$", "k = 5", config.read_text())
        config.write_text(f'{asked}\n[method]\nrepeats = "{repeats}"\n')
        began = time.process_time()
        run_config(config, Path(room) / "release")
        seconds = time.process_time() - began
        lost = json.loads((Path(room) / "release.private" / "audit.json").read_text())["losses"]["ncp"]
        rows = [("ncp", f"{lost:.3f}", aim), ("CPU time of run, without init", f"{seconds:.0f} s", "")]
        if repeats == "keep":
            left = rows_that_say_something(Path(room) / "release" / TREE_FILES["nested rows"])
            there = rows_that_say_something(DATA / "synthea" / "synthea_r4_trees.ndjson.gz")
            rows += [(field, f"{left[field]:,} of {many:,}", "") for field, many in there.items()]
            rows.append(("all rows", f"{left.total() / there.total():.1%}", aim))
        show(f"Synthea, k=5, m=2, n=1, repeats = {repeats!r}", rows)


def floor(records=20_000):
    """What no cut loses less than, beside what `gcs` loses, on the first TPC-H trees of the shared file and Synthea."""
    kept = DATA / "tpch_trees"
    with gzip.open(kept / "trees_100000.ndjson.gz", "rt", encoding="utf-8") as file:
        people = Trees.of([_customer(json.loads(line)) for line in islice(file, records)])
    trees = {name: files.read(kept / f"hierarchy_{name}.csv") for name in tpch_trees.CLASSES}
    patients = synthea_patients()
    few = patients.claim({"k": 5, "m": 2, "n": 1})
    cases = [(people, trees, KMNAnonymity(5, 2, 1)), (people, trees, CLAIM)]
    for made, hierarchies, claim in [*cases, (patients.trees, patients.hierarchies, few)]:
        nodes = Nodes.of("bench", made, hierarchies)
        seconds, least = cpu(lambda made=made, nodes=nodes, claim=claim: tree_floor(made, nodes, claim))
        lost = tree_ncp(gcs(made, hierarchies, claim).release, made, nodes)
        said = f"ncp {lost:.4f}, {lost / least:.2f} times"
        rows = [("floor", f"{least:.4f}, {seconds:.1f} s", ""), ("gcs", said, "")]
        show(f"{made.n:,} trees, k={claim.k}, m={claim.m}, n={claim.n}", rows)


def synthea_patients():
    """The patients with what `init` proposes, equal siblings merged."""
    with tempfile.TemporaryDirectory() as room:
        config = propose(DATA / "synthea" / "synthea_r4_trees.ndjson.gz").save(room)
        config.write_text(config.read_text() + '\n[method]\nrepeats = "merge"\n')
        return open_dataset(load(config))


def scopes():
    """What scope class costs beside pair on deep trees: 615 Synthea patients, the release of least RPD."""
    patients = synthea_patients()
    trees, hierarchies = patients.trees, patients.hierarchies
    nodes = Nodes.of("bench", trees, hierarchies)
    rows, few = [], patients.claim({"k": 5, "m": 2, "n": 1})
    for scope in ("class", "pair"):
        seconds, made = cpu(lambda scope=scope: gcs(trees, hierarchies, few, cost="rpd", scope=scope))
        given_up = made.trace["detached"] + made.trace["disassociated"]
        lost = rpd(made.release, trees, nodes), tree_ncp(made.release, trees, nodes)
        rows.append(
            (scope, f"rpd {lost[0]:.4f}, ncp {lost[1]:.3f}, {given_up} given up, {seconds:.1f} s", "")
        )
    show("Synthea, k=5, m=2, n=1, by RPD", rows)


def _customer(row):
    orders = [
        ("price", order["price"], ("date", order["date"]), *(
            ("quantity", str(item["quantity"]), ("mfgr", item["mfgr"]), ("brand", item["brand"]))
            for item in order["items"]))
        for order in row["orders"]
    ]  # fmt: skip
    return [("nation", row["nation"]), *orders]


def rows_that_say_something(path):
    """How many objects in arrays, by field, have a value of their own below the root label."""
    found = Counter()

    def own(thing):
        for value in thing.values():
            if isinstance(value, dict):
                yield from own(value)
            elif not isinstance(value, list):
                yield value

    def look(thing, path=()):
        for name, value in thing.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict):
                    look(one, (*path, name))
                    if isinstance(value, list):
                        found[".".join((*path, name))] += any(v not in ("*", None) for v in own(one))

    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            look(json.loads(line))
    return found


def original(trees):
    return rpd_original(trees, Nodes.of("bench", trees, tpch_trees.hierarchies()))


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


PARTS = {
    act.__name__: act
    for act in (
        thousands,
        quarter,
        above,
        million,
        judge,
        check,
        mine,
        clusters,
        paper,
        claims,
        growth,
        ends,
        door,
        synthea,
        scopes,
    )
}
INNER = {
    "million-alone": million_alone,
    "judge-alone": judge_alone,
}

ALONE = {
    "door-file": door_file,
    "door-alone": door_alone,
    "floor": floor,
    "synthea-alone": synthea_alone,
}

if __name__ == "__main__" and sys.argv[1:2] and sys.argv[1] in ALONE:
    ALONE[sys.argv[1]](*sys.argv[2:])
elif __name__ == "__main__":
    tpch_trees.trees(1)
    warm()
    for part in sys.argv[1:] or PARTS:
        (PARTS | INNER)[part]()
