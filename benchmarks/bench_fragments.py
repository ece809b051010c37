"""Fragments beside one piece: what each method loses, how long it takes, and the memory it needs beyond the data.

Run `python benchmarks/bench_fragments.py [mstk] [mondrian] [kmember] [bound] [nonreciprocal] [lra] [grown]`; without
words, all but `grown`, which is a million records. Each figure comes from a process of its own, kernels warm, and all
cores are used.
"""

import gzip
import json
import resource
import subprocess
import sys
import time

import numpy as np

from bench_mixed import informs
from bench_ring import census
from common import DATA, adult, need
from shoal.algorithms.fragments import in_fragments
from shoal.data import Baskets
from shoal.engines import cores, in_threads
from shoal.hierarchy.rules import fanout
from shoal.privacy import make_claim
from shoal.utility import BasketCase, VoteCase, _table_losses, case_losses

SEVEN = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
SIZES = (None, 20_000, 10_000, 5_000, 2_000, 1_000)
SMALL = 400  # records that kernels are warmed with


def table(rows=None):
    """Adult, or so many records drawn from it with noise."""
    data = adult(SEVEN, DATA / "adult", rows)
    return {"table": data.table, "hierarchies": data.hierarchies}


def of_tables(made, inputs):
    return _table_losses(made.release, inputs["hierarchies"])["ncp"]


def mixed():
    data, trees, items = informs()
    return {"mixed": data, "hierarchies": trees, "item_hierarchy": items}


def of_mixed(made, inputs):
    return made.trace["table-ncp"], made.trace["ul"]


def votes():
    return {"baskets": census(), "label": None}


def of_votes(made, inputs):
    return case_losses(VoteCase(made.release, inputs["baskets"]))["er"]


def items():
    with gzip.open(DATA / "bms_webview1" / "BMS-WebView-1.dat.gz", "rt") as lines:
        baskets = Baskets.of("items", [line.split() for line in lines])
    return {"baskets": baskets, "hierarchy": fanout("items", 5, baskets.values)}


def of_items(made, inputs):
    return case_losses(BasketCase(made.release, inputs["baskets"]))["ncp"]


CASES = {
    "mstk": ("mstk", table, of_tables, {"k": 5}, {}, SIZES),
    "mondrian": ("mondrian", table, of_tables, {"k": 5}, {}, SIZES),
    "kmember": ("kmember", table, of_tables, {"k": 5}, {}, SIZES),
    "bound": ("bound", mixed, of_mixed, {"k": 5, "m": 2}, {"delta": 0.45}, SIZES),
    "nonreciprocal": ("nonreciprocal", votes, of_votes, {"k": 10}, {}, SIZES),
    "lra": ("lra", items, of_items, {"k": 5, "m": 2}, {}, SIZES),
    "grown mstk": ("mstk", lambda: table(1_000_000), of_tables, {"k": 5}, {}, (None, 100_000, 10_000)),
    "grown mondrian": ("mondrian", lambda: table(1_000_000), of_tables, {"k": 5}, {}, (None, 100_000, 10_000)),
}  # fmt: skip
"""For each word: the method, its data, its loss, the claim, its parameters, and the sizes of fragments."""


def peak():
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def part_of(inputs, rows):
    return {key: value.some(rows) if hasattr(value, "some") else value for key, value in inputs.items()}


def one(word, size):
    """Wall and CPU seconds, MB beyond what reading took, fragments, and the loss."""
    maker, read, loss, numbers, options, _ = CASES[word]
    inputs = read()
    n = next(value.n for key, value in inputs.items() if key in ("table", "mixed", "baskets"))
    claim = make_claim(
        {"bound": "mixed", "lra": "baskets", "nonreciprocal": "baskets"}.get(maker, "table"), **numbers
    )

    def make(inputs, size):
        return in_fragments(maker, inputs, claim, options, size=size, mapper=in_threads(cores()))

    make(part_of(inputs, np.arange(SMALL)), SMALL // 2)
    before, wall, used = peak(), time.perf_counter(), time.process_time()
    made = make(inputs, size or n)
    times = time.perf_counter() - wall, time.process_time() - used
    return *times, peak() - before, made.trace["fragments"], loss(made, inputs)


def main():
    need(DATA)
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(one(sys.argv[2], json.loads(sys.argv[3]))))
        return
    asked = sys.argv[1:] or [word for word in CASES if "grown" not in word]
    for word in (word for word in CASES if word in asked or ("grown" in asked and "grown" in word)):
        print(f"\n{word}: records per fragment, fragments, wall s, CPU s, MB, loss")
        for size in CASES[word][-1]:
            command = [sys.executable, __file__, "one", word, json.dumps(size)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            wall, used, more, fragments, lost = json.loads(said.splitlines()[-1])
            shown = " ".join(f"{part:.4f}" for part in (lost if isinstance(lost, list) else [lost]))
            print(
                f"  {size or 'all':>8} {fragments:>5} {wall:>8.2f} {used:>8.2f} {more:>7.0f}   {shown}",
                flush=True,
            )


if __name__ == "__main__":
    main()
