"""Tables with baskets: the merges, what they lose, BTD beside the loss it stands for, and a large generated set.

Run `python benchmarks/bench_mixed.py [informs] [exact] [floor] [large] [whole]`; CPU time, warm. Without words,
`informs`; `floor` sets what the methods lose beside what no recoding along the hierarchies loses less than.
"""

import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from common import DATA, cpu, need, show
from shoal.algorithms.mixed.bound import MergedClusters, Plan, _sample_steps, bound, rfirst, tfirst
from shoal.algorithms.mixed.class_items import ItemRules
from shoal.algorithms.mixed.clusters import budget, merge
from shoal.algorithms.mixed.mixed_floor import mixed_floor
from shoal.data import Baskets, Column, Mixed, Table
from shoal.hierarchy import files
from shoal.hierarchy.rules import fanout
from shoal.jobs.configured import run_config
from shoal.privacy import make_claim
from shoal.utility.baskets import form_sizes, ncp_items
from shoal.utility.queries import draw_mixed_workload, mixed_are

FOLDER = DATA / "informs2005"
QUASI = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
RULES = ("r", "t", "rt")
QUERIES = ((2, 0), (0, 2), (2, 2))
UNBOUNDED = 2**62


def informs(rows=None):
    """INFORMS 2005: five quasi-identifiers, diagnosis codes as items; hierarchies of the columns, one of the items."""
    need(FOLDER)
    frame = pl.read_csv(FOLDER / "informs2005_rt.csv.gz", separator=";", infer_schema=False)
    frame = frame if rows is None else frame.sample(rows, seed=0)
    trees = {name: files.read(FOLDER / "hierarchies" / f"informs_{name}.txt.gz") for name in QUASI}
    table = Table(tuple(Column.of(name, "quasi", frame[name].to_list()) for name in QUASI))
    codes = Baskets.of("ICD9", (cell.split() for cell in frame["ICD9"]))
    return Mixed(table, codes), trees, files.read(FOLDER / "hierarchies" / "informs_even.txt.gz")


def videos(n=131_780, items=936):
    """Records of the shape of YouTube's: six attributes with long tails, 6.5 items each, some together more often."""
    random = np.random.default_rng(0)
    kind = random.choice(12, n, p=(share := 1 / np.arange(1, 13)) / share.sum())
    columns = {
        "age": random.integers(0, 1_000, n),
        "category": kind,
        "length": np.minimum(random.lognormal(5, 0.8, n), 3_600).astype(int),
        "rate": random.integers(0, 101, n) / 20,
        "ratings": np.minimum(random.pareto(0.9, n) * 5, 50_000).astype(int),
        "comments": np.minimum(random.pareto(1.0, n) * 4, 20_000).astype(int),
    }
    size = np.minimum(random.poisson(7.5, n) + 1, 37)
    row = np.repeat(np.arange(n), size)
    favourite = (kind[row] * 78 + random.zipf(1.5, len(row))) % items
    drawn = np.where(random.random(len(row)) < 0.6, favourite, random.zipf(1.3, len(row)) % items)
    keys = np.unique(row * items + drawn)
    start = np.r_[0, np.cumsum(np.bincount(keys // items, minlength=n))]
    baskets = Baskets(
        "videos", tuple(f"{i:03}" for i in range(items)), start, (keys % items).astype(np.int32)
    )
    table = Table(tuple(Column.of(name, "quasi", list(map(str, cells))) for name, cells in columns.items()))
    return Mixed(table, baskets), {
        column.name: fanout(column.name, 5, column.values) for column in table.quasi
    }


def planned(mixed, trees, tree, k):
    return Plan.of(
        "bound", mixed, trees, make_claim("mixed", k=k), tree, rules=ItemRules(), recode="hierarchy", grid=None
    )  # fmt: skip


def alone(mixed, trees, k, rule, delta):
    """Seconds of clustering and merging alone."""
    plan = planned(mixed, trees, None, k)
    clustering, begun = cpu(lambda: plan.clusters("paper", np.random.default_rng(1)))
    merging, _ = cpu(lambda: merge(begun, rule, plan.need, budget("ncp", delta, mixed.n)))
    return clustering, merging


def told(mixed, trees, tree, result):
    """Losses and the error of three workloads, as text."""
    many = 1_000 if mixed.n < 100_000 else 100
    asked = [draw_mixed_workload(mixed, seed=7, queries=many, values=x, items=y) for x, y in QUERIES]
    errors = [mixed_are(some, result.release, mixed, trees, tree) for some in asked]
    sizes = np.unique(result.release.table.codes, axis=0, return_counts=True)[1]
    lost = f"ncp {result.trace['table-ncp']:.3f} ul {result.trace['ul']:.3f}"
    off = " ".join(f"{error:.2f}" for error in errors)
    return f"{lost} are {off}; {result.trace['classes']} classes, largest {sizes.max()}"


def merges(mixed, trees, tree, k, delta, target, which="table"):
    """Every merge rule: time, losses, errors."""

    def made(rule):
        rng = np.random.default_rng(1)
        return bound(
            mixed,
            trees,
            item_hierarchy=tree,
            claim=make_claim("mixed", k=k),
            delta=delta,
            bound=which,
            merge=rule,
            rng=rng,
        )

    made("rt")  # its kernels are those of all
    rows = []
    for rule in RULES:
        seconds, result = cpu(lambda rule=rule: made(rule))
        rows.append((f"{rule}: {told(mixed, trees, tree, result)}", f"{seconds:.2f} s", target))
    show(f"bound={which}, k = {k}, m = 2, delta = {delta}; are of {QUERIES} cells and items", rows)


def on_informs():
    mixed, trees, even = informs()
    merges(mixed, trees, None, 25, 0.65, "<= 10 s")
    merges(mixed, trees, even, 25, 0.65, "<= 10 s, along a hierarchy")
    for delta in (0.45, 0.85):
        merges(mixed, trees, None, 25, delta, "")
    merges(mixed, trees, None, 25, 0.4, "", "items")
    rows = []
    for rule in RULES:
        clustering, merging = alone(mixed, trees, 25, rule, 0.65)
        rows.append((f"clusters, then {rule}", f"{clustering:.2f} + {merging:.2f} s", "<= 1 s, <= 3 s"))
    for start in ("paper", "kmember", "mstk"):
        plan = planned(mixed, trees, None, 25)
        plan.clusters(start, np.random.default_rng(1))
        seconds, begun = cpu(lambda plan=plan, start=start: plan.clusters(start, np.random.default_rng(1)))
        lost = plan.records.share(begun.total)
        rows.append((f"clusters {start}: ncp {lost:.4f}, {len(begun.size)} clusters", f"{seconds:.2f} s", ""))
    for maker in (rfirst, tfirst):
        seconds, result = cpu(lambda maker=maker: maker(mixed, trees, make_claim("mixed", k=25)))
        rows.append((f"{maker.__name__}: {told(mixed, trees, None, result)}", f"{seconds:.2f} s", ""))
    show("phases, first clusters and baselines", rows)


def on_exact():
    """BTD beside exact loss on 4,000 records, and the loss of the items along all merges."""
    mixed, trees, _ = informs(4_000)
    rows = []
    for rule in ("t", "rt"):
        for which, delta in (("table", 0.65), ("items", 0.5)):
            found = {}
            for nearness in ("btd", "exact"):

                def made(nearness=nearness, which=which, rule=rule, delta=delta):
                    return bound(
                        mixed, trees, claim=make_claim("mixed", k=25), delta=delta, bound=which, merge=rule,
                        nearness=nearness, clusters="paper", rng=np.random.default_rng(1),
                    )  # fmt: skip

                if not rows:
                    made()
                found[nearness] = cpu(made)
            (quick, near), (slow, exact) = found["btd"], found["exact"]
            said = ", ".join(
                f"{loss} {near.trace[loss]:.4f} and {exact.trace[loss]:.4f}" for loss in ("ul", "table-ncp")
            )
            rows.append(
                (
                    f"{which}, {rule}: {quick:.2f} s and {slow:.1f} s; {said}",
                    f"{slow / quick:.0f}x",
                    ">= 10x, same ul",
                )
            )
    show("BTD, and the loss it stands for", rows)
    rows = []
    for rule in RULES:
        plan = planned(mixed, trees, None, 25)
        begun = plan.clusters("paper", np.random.default_rng(1))
        made = MergedClusters(plan, merge(begun, rule, plan.need, UNBOUNDED))
        losses = np.array([made.ul(steps) for steps in _sample_steps(made, 60)])
        rises = np.diff(losses)
        said = f"{rule}: from {losses[0]:.4f} to {losses[-1]:.4f}, lowest {losses.min():.4f}"
        rows.append(
            (said, f"{(rises > 0).sum()} of {len(rises)} rise", f"largest rise {max(rises.max(), 0):.4f}")
        )
    show("loss of the items along all merges (paper: it never rises)", rows)


def on_floor():
    """What table and items lose along a hierarchy of the codes, beside their floors."""
    mixed, trees, tree = informs()
    makers = {"bound": bound, "rfirst": rfirst, "tfirst": tfirst}
    asked = [("bound", {"delta": "knee"}), ("bound", {"delta": 0.2}), ("rfirst", {}), ("tfirst", {})]
    for k in (5, 25):
        claim, rows = make_claim("mixed", k=k, m=2), []
        mixed_floor(mixed, trees, tree, claim)
        seconds, least = cpu(lambda claim=claim: mixed_floor(mixed, trees, tree, claim))
        rows.append(
            (
                f"floor: table {least.table:.4f} items {least.items:.4f}",
                f"{least.ncp:.4f}",
                f"{seconds:.1f} s",
            )
        )
        for name, options in asked:
            rng = {"rng": np.random.default_rng(1)} if name == "bound" else {}

            def made(name=name, options=options, rng=rng, claim=claim):
                return makers[name](mixed, trees, claim, tree, **options, **rng)

            seconds, result = cpu(made)
            codes = result.release.baskets
            items = ncp_items(codes, mixed.baskets, form_sizes(codes.forms, tree), tree.size)
            table = result.trace["table-ncp"]
            said = f"{name} {options}: table {table:.4f} items {items:.4f}"
            rows.append((said, f"{(table + items) / 2:.4f}", f"{seconds:.1f} s"))
        show(f"INFORMS, k = {k}, m = 2, even branches: ncp", rows)


def on_videos():
    mixed, trees = videos()
    rows = []
    alone(mixed, trees, 100, "rt", 0.65)
    for rule in RULES:
        clustering, merging = alone(mixed, trees, 100, rule, 0.65)
        rows.append((f"clusters, then {rule}", f"{clustering:.2f} + {merging:.2f} s", "<= 1 s, <= 3 s"))
    show(f"{mixed.n} records, {len(mixed.baskets.items) / mixed.n:.1f} items each", rows)
    merges(mixed, trees, None, 100, 0.65, "<= 60 s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    show("memory of the whole process", [("peak", f"{peak:.2f} GB", "< 4 GB")])


def on_whole():
    """The large set from a csv file to two judged folders."""
    mixed, trees = videos()
    cells = {column.name: column.cells() for column in mixed.table.columns}
    cells["videos"] = [
        " ".join(mixed.baskets.values[i] for i in mixed.baskets.basket(r)) for r in range(mixed.n)
    ]
    roles = "".join(f'{name} = {{ role = "quasi", hierarchy = {{ fanout = 5 }} }}\n' for name in trees)
    with TemporaryDirectory() as folder:
        room = Path(folder)
        pl.DataFrame(cells).write_csv(room / "videos.csv")
        config = room / "shoal.toml"
        config.write_text(
            f'[data]\npath = "videos.csv"\n[columns]\n{roles}videos = "items"\n'
            '[guarantee]\nk = 100\nm = 2\n[method]\nitems = "pcta"\n'
        )
        seconds, release = cpu(lambda: run_config(config, room / "out"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    lost = ", ".join(f"{name} {release.loss[name]:.3f}" for name in ("table-ncp", "ul", "are"))
    rows = [
        (f"read, made, judged, reported: {lost}", f"{seconds:.1f} s", "<= 60 s"),
        ("peak", f"{peak:.2f} GB", "< 4 GB"),
    ]
    show(f"{mixed.n} records through the door, k = 100", rows)


if __name__ == "__main__":
    parts = {
        "informs": on_informs, "exact": on_exact, "floor": on_floor, "large": on_videos, "whole": on_whole
    }  # fmt: skip
    for word in sys.argv[1:] or ["informs"]:
        parts[word]()
