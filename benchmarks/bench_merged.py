"""Data larger than memory by merged counts: how time and memory grow with the records.

Run `python benchmarks/bench_merged.py PART ...`, parts as listed at the end; without any, all of them. Each size runs
in a process of its own. Wall and CPU time, kernels warm, peak memory of the process. Records lie in parts of 262,144.
"""

import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import growth_page
import tpch_trees
from common import DATA
from shoal import __version__
from shoal.algorithms.itemsets.apriori import apriori
from shoal.algorithms.parts import BasketParts, TreeParts, published_part
from shoal.algorithms.trees.gcs import gcs
from shoal.data import Baskets, Trees
from shoal.engines import in_threads
from shoal.hierarchy.rules import fanout
from shoal.io.read.parts import PART, open_arrays, save_arrays
from shoal.io.write.json_text import write_lists
from shoal.io.write.nested_trees import write_lines
from shoal.jobs.configured import run_config
from shoal.parts.trees import gather_trees, hash_trees, tree_hasher
from shoal.privacy import KmAnonymity, KMNAnonymity
from shoal.privacy.support_counting import check_basket_parts, check_tree_parts
from shoal.publish.large import opening
from shoal.publish.large.parts import DistinctCounter, list_hashes
from shoal.publish.manifests import digests
from shoal.publish.verify import verify
from shoal.release import PublishedBaskets

CLAIM = KMNAnonymity(20, 3, 2)
DOOR = (100_000, 300_000, 1_000_000)
BASKETS = (100_000, 1_000_000, 3_000_000, 10_000_000)
T10 = DATA / "t10i4d100k" / "T10I4D100K.dat.gz"
TREES = (250_000, 500_000, 1_000_000, 2_000_000, 5_000_000)
VERIFIED = {"baskets": (1_000_000, 10_000_000), "trees": (500_000, 1_000_000, 5_000_000)}
DRAWN = 100_000  # record trees that are drawn and written together
DOMAIN = {"nation": 25, "price": 8, "date": 7, "quantity": 5, "mfgr": 5, "brand": 10}


def shifted(trees: Trees, by: int) -> np.ndarray:
    """Other customers: every value is the one so many places on in its class."""
    items = np.empty(len(trees.values), dtype=np.int32)
    for kind in range(len(trees.classes)):
        own = np.flatnonzero(trees.kinds == kind)
        items[own] = np.roll(own, -by)
    return items[trees.items]


def pieces_of(records: int) -> Iterator[Trees]:
    """So many customers in pieces, beyond the generated ones as `shifted` makes them."""
    trees = tpch_trees.trees(min(records, tpch_trees.MOST))
    for by in range(-(-records // trees.n)):
        own = replace(trees, items=shifted(trees, by))
        for first in range(0, min(trees.n, records - by * trees.n), PART):
            yield own.take(np.arange(first, min(first + PART, trees.n, records - by * trees.n)))


def trees():
    """Greedy cut search, recoding and judging of record trees."""
    for records in TREES:
        alone("trees", records)


def trees_alone(records: int) -> None:
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        subprocess.run([sys.executable, __file__, "trees-parts", str(records), room], check=True)
        outline, runs = np.load(folder / "parts.npy", allow_pickle=True)
        told = Told(records, "trees, gcs")
        result = gcs(TreeParts(outline, records, runs, in_threads(2)), tpch_trees.hierarchies(), CLAIM)
        told(f"searched and recoded, {result.trace['cuts']} cuts")
        made = result.release
        verdict = check_tree_parts(CLAIM, made.outline.trees, made.parts, made.trees, in_threads(2))
        assert verdict, verdict.sentence
        told("judged")


def trees_parts(records: int, room: str) -> None:
    """Write the parts in a process of its own, so that its memory is not counted."""
    read = gather_trees(pieces_of(records), Path(room), in_threads(2))
    np.save(Path(room) / "parts.npy", np.array([read.outline, read.parts.runs], dtype=object))


def door():
    """From a file of nested records to two judged folders."""
    for records in DOOR:
        alone("door", records)


def door_alone(records: int) -> None:
    opening._MANY_BYTES = 0  # in parts, however small the file is
    with tempfile.TemporaryDirectory() as room:
        file = Path(__file__).with_name("bench_trees.py")
        subprocess.run([sys.executable, str(file), "door-file", room, str(records)], check=True)
        told = Told(records)
        run_config(Path(room) / "shoal.toml", Path(room) / "release")
        told("read, made, written, read back, judged")


def baskets():
    """Apriori with m=2, published and judged, of baskets."""
    for records in BASKETS:
        alone("baskets", records)


def baskets_alone(records: int) -> None:
    with tempfile.TemporaryDirectory() as room:
        parts = basket_parts(records, Path(room))
        told = Told(records, "baskets, apriori")
        result = apriori(parts, fanout("items", 5, parts.outline.values), KmAnonymity(5, 2))
        told(f"cut found and published, {len(result.release.outline.forms.labels)} forms")
        outline, width = result.release.outline, len(result.release.outline.forms.labels)
        load = partial(seen, outline)
        verdict = check_basket_parts(
            result.claim, result.release.parts, load, width, frozenset(), in_threads(2)
        )
        assert verdict, verdict.sentence
        told("judged")


def seen(outline, part):
    """What a part publishes, as a judge sees it; forms of one cut have different leaves."""
    made = published_part(outline, part)
    return PublishedBaskets(made.start, made.items.astype(np.int64))


def basket_parts(records: int, folder: Path) -> BasketParts:
    """Baskets of T10I4D100K, again and again, one item in ten another one, drawn as often as it occurs."""
    with gzip.open(T10, "rt") as lines:
        whole = Baskets.of("items", [line.split() for line in lines])
    rng, parts = np.random.default_rng(0), []
    size = np.diff(whole.start)
    while (before := whole.n * len(parts)) < records:
        n = min(whole.n, records - before)
        items = whole.items[: whole.start[n]].copy()
        other = rng.random(len(items)) < 0.1
        items[other] = rng.choice(whole.items, other.sum())
        key = np.unique(np.repeat(np.arange(n), size[:n]) * len(whole.values) + items)
        part = folder / f"part-{len(parts):05}"
        part.mkdir()
        start = np.searchsorted(key // len(whole.values), np.arange(n + 1))
        save_arrays(part, start=start, items=(key % len(whole.values)).astype(np.int32))
        parts.append(part)
    nothing = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    outline = Baskets("items", whole.values, *nothing)
    return BasketParts(outline, records, tuple(parts), in_threads(2))


def verified():
    """A release folder, judged by `shoal verify` from the folder alone."""
    for shape, sizes in VERIFIED.items():
        for records in sizes:
            alone(f"verify-{shape}", records)


def verify_alone(shape: str, records: int) -> None:
    with tempfile.TemporaryDirectory() as room:
        subprocess.run([sys.executable, __file__, f"{shape}-folder", str(records), room], check=True)
        size = (Path(room) / "data.ndjson").stat().st_size / 2**30
        told = Told(records)
        verdict = verify(Path(room))[1]
        assert verdict, verdict.sentence
        told(f"{shape} verified, {size:.2f} GB of lines")


def baskets_folder(records: int, room: str) -> None:
    """Baskets as `basket_parts` has them, four items in a group, as a release holds them."""
    kinds = DistinctCounter()
    with tempfile.TemporaryDirectory() as aside, (Path(room) / "data.ndjson").open("wb") as file:
        raw = basket_parts(records, Path(aside))
        labels = [f"group {number}" for number in range(-(-len(raw.outline.values) // 4))]
        for part in raw.parts:
            start, items = open_arrays(part, "start", "items")
            key = np.unique(np.repeat(np.arange(len(start) - 1), np.diff(start)) * len(labels) + items // 4)
            start, items = np.searchsorted(key // len(labels), np.arange(len(start))), key % len(labels)
            kinds += DistinctCounter.of(list_hashes(start, items, 0))
            lines = (f'{{"items": {cell}}}\n' for cell in write_lists("items", start, items, labels))
            file.write("".join(lines).encode())
    claim = KmAnonymity(5, 2).as_dict()
    state(Path(room), records, len(kinds), shape="baskets", columns={"items": "items"}, claim=claim)


def trees_folder(records: int, room: str) -> None:
    """Customers drawn in the form of those of TPC-H, in labels as coarse as those of a release."""
    rng, kinds = np.random.default_rng(0), DistinctCounter()
    with (Path(room) / "data.ndjson").open("wb") as file:
        for first in range(0, records, DRAWN):
            some = customers(min(DRAWN, records - first), rng)
            kinds += DistinctCounter.of(hash_trees(tree_hasher(b"", some), some))
            write_lines(some, file)
    claim = KMNAnonymity(5, 2, 1).as_dict()
    state(Path(room), records, len(kinds), shape="trees", columns={"nodes": "tree"}, claim=claim)


def customers(n: int, rng: np.random.Generator) -> Trees:
    """So many records: a nation, up to two orders, up to three items of each."""
    pairs = [(name, f"{name} {number}") for name, many in DOMAIN.items() for number in range(many)]
    base = dict(zip(DOMAIN, np.cumsum([0, *DOMAIN.values()]).tolist(), strict=False))

    def drawn(name: str, many: int) -> np.ndarray:
        return base[name] + (DOMAIN[name] * rng.random(many) ** 2).astype(
            np.int64
        )  # some more often than others

    order = np.repeat(np.arange(n), rng.integers(0, 3, n))
    line = np.repeat(np.arange(len(order)), rng.integers(1, 4, len(order)))
    counts = n, len(order), len(order), len(line), len(line), len(line)
    whose = np.concatenate([np.arange(n), order, order, *[order[line]] * 3])
    quantity = n + 2 * len(order) + np.arange(len(line))
    over = np.concatenate(
        [np.full(n + len(order), -1), n + np.arange(len(order)), n + line, quantity, quantity]
    )
    items = np.concatenate([drawn(*one) for one in zip(DOMAIN, counts, strict=True)])
    by_record = np.argsort(whose, kind="stable")
    place = np.empty_like(by_record)
    place[by_record] = np.arange(len(by_record))
    start = np.r_[0, np.cumsum(np.bincount(whose, minlength=n))]
    parents = np.where(over < 0, -1, place[over] - start[whose])[by_record].astype(np.int32)
    return Trees.build(pairs, start, items[by_record].astype(np.int32), parents)


def state(folder: Path, records: int, kinds: int, **more: Any) -> None:
    """Write the manifest of a folder."""
    facts = {
        "shoal": __version__, "judged": True, "method": {"name": "drawn", "parameters": {}}, "loss": {},
        "records_in": records, "records_out": records, "suppressed": 0, "suppressed_items": 0, "classes": kinds,
        "notes": [], "date": "2026-01-01", "sha256": digests(folder, "data.ndjson"), **more,
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")


class Told:
    """Prints what each step took, and keeps it for the page on growth where `what` names it."""

    def __init__(self, records: int, what: str = "") -> None:
        self.what, self.records, self.wall, self.cpu = what, records, time.monotonic(), time.process_time()

    def __call__(self, what: str) -> None:
        """Print wall and CPU time since the last call, and the peak of memory so far."""
        wall, cpu = time.monotonic() - self.wall, time.process_time() - self.cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        each = 1e6 * cpu / self.records
        print(
            f"  {self.records:>10,}  {what:<40} {wall:7.1f} s wall {cpu:7.1f} s cpu  {each:6.1f} us a record  "
            f"peak {peak:.2f} GB",
            flush=True,
        )
        if self.what:
            growth_page.keep_large(self.what, what.split(",")[0], self.records, cpu, peak)
        self.wall, self.cpu = time.monotonic(), time.process_time()


def alone(part: str, records: int) -> None:
    subprocess.run([sys.executable, __file__, f"{part}-alone", str(records)], check=True)


PARTS = {"trees": trees, "baskets": baskets, "door": door, "verify": verified}
INNER = {
    "trees-alone": trees_alone,
    "trees-parts": trees_parts,
    "baskets-alone": baskets_alone,
    "door-alone": door_alone,
    "verify-baskets-alone": partial(verify_alone, "baskets"),
    "verify-trees-alone": partial(verify_alone, "trees"),
    "baskets-folder": baskets_folder,
    "trees-folder": trees_folder,
}

if __name__ == "__main__" and sys.argv[1:2] and sys.argv[1] in INNER:
    INNER[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:])
elif __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        print(f"\n{PARTS[name].__doc__}")
        PARTS[name]()
