"""Baskets by vote: the whole pipeline, how short the hops are, the walks, and CAHD beside it.

Run `python benchmarks/bench_ring.py [large]`; CPU time, kernels warm. `large` adds a million baskets.
"""

import sys

import numpy as np

from common import DATA, cpu, need, show
from shoal.algorithms.ring._kernels.bitmaps import hops, randomness
from shoal.algorithms.ring.basket_order import DIGITS, gray_order, gray_tsp_order, rank_digits
from shoal.algorithms.ring.nonreciprocal import _draw_assignments, _ring_graph, cahd, nonreciprocal
from shoal.data import Baskets, Column
from shoal.io.read.baskets import read_baskets
from shoal.io.read.table import read
from shoal.privacy import Nonreciprocal, make_claim
from shoal.release import PublishedBits
from shoal.utility.baskets import _draw_item_queries, er, qe

CHESS, PUMSB = DATA / "chess" / "chess.dat.gz", DATA / "pumsb_sample" / "pumsb_first4334.dat.gz"
QUERIES = {
    "chess": (3, 4),
    "pumsb sample": (1, 5),
}  # items asked for, and asked to be absent, as in the paper


def census(n=49_046, columns=74, items=7_117, kinds=60):
    """Answers to a questionnaire of pumsb's shape: one value of each column, likelier ones by kind of person."""
    random = np.random.default_rng(0)
    shares = random.pareto(0.6, columns) + 0.01
    sizes = 2 + random.multinomial(items - 2 * columns, shares / shares.sum())
    first = np.r_[0, np.cumsum(sizes)[:-1]]
    kind = random.integers(0, kinds, n)
    cells = np.empty((n, columns), dtype=np.int64)
    for j, size in enumerate(sizes):
        usual = random.integers(0, min(size, 5), kinds)[kind]
        other = np.minimum(random.zipf(1.6, n) - 1, size - 1)
        cells[:, j] = first[j] + np.where(random.random(n) < 0.6, usual, other)
    values = tuple(f"{i:05}" for i in range(items))
    return Baskets("items", values, np.arange(n + 1) * columns, cells.ravel().astype(np.int32))


def shopping(n, items=20_000, size=10):
    """Baskets of ten items of which few are frequent."""
    random = np.random.default_rng(0)
    cells = np.sort(random.zipf(1.3, (n, size)) % items, axis=1)
    keep = np.c_[np.ones(n, dtype=bool), np.diff(cells, axis=1) > 0]
    values = tuple(f"{i:05}" for i in range(items))
    return Baskets("items", values, np.r_[0, np.cumsum(keep.sum(axis=1))], cells[keep].astype(np.int32))


def occupations(n, count=470):
    """Labels as frequent as occupations in a census: the commonest on about one in twenty-five."""
    share = np.minimum(1 / np.arange(1, count + 1), 0.28)
    codes = np.random.default_rng(1).choice(count, n, p=share / share.sum())
    return Column("occupation", "sensitive", tuple(map(str, range(count))), codes.astype(np.int32))


def seen(baskets, made):
    release = made.release
    rows = (release.start, release.items, release.maybe_start, release.maybe, release.errors)
    return PublishedBits(
        *(part.astype(np.int64) for part in rows),
        original_start=baskets.start,
        original_items=baskets.items.astype(np.int64),
    )


def hop(baskets, order):
    """The mean Hamming distance from each basket of an order to the next, the last to the first."""
    return hops(baskets.start, baskets.items, order).mean()


def pipeline(title, baskets, target):
    """Time and losses at k = 16, with the steps of the order and of the walk by themselves."""
    seconds, made = cpu(lambda: nonreciprocal(baskets, claim=make_claim("baskets", k=16)))
    plain = nonreciprocal(baskets, claim=make_claim("baskets", k=16), tsp="none").release
    ordering, order = cpu(lambda: gray_tsp_order(baskets, randomness(None)))
    walked, _ = cpu(lambda: _draw_assignments(_ring_graph(baskets.n, 16), randomness(None)))
    by_proof, proven = cpu(lambda: made.claim.prove(seen(baskets, made), made.proof))
    as_numbered, weighed = (
        hop(baskets, gray_order(baskets)),
        hop(baskets, gray_order(baskets, rank_digits(baskets))),
    )
    rows = [
        ("whole pipeline, k = 16", f"{seconds:.2f} s", target),
        ("its order, its walks", f"{ordering:.2f} s, {walked:.2f} s", "prototype 2 s, 0.55 s"),
        (
            "mean hop by the Gray order of items as numbered",
            f"{hop(baskets, order) / as_numbered:.3f}",
            "at most 0.78",
        ),
        ("mean hop by the Gray order of items by evenness", f"{hop(baskets, order) / weighed:.3f}", ""),
        (
            "ER, and without reordering",
            f"{er(made.release, baskets):.3f}, {er(plain, baskets):.3f}",
            "below it",
        ),
        ("judged by the proof", f"{by_proof:.2f} s, {bool(proven)}", ""),
    ]
    show(title, rows)


def judged(baskets, title):
    made = nonreciprocal(baskets, claim=make_claim("baskets", k=16))
    seconds, verdict = cpu(lambda: made.claim.check(seen(baskets, made)))
    show(title, [("judged by possible worlds", f"{seconds:.1f} s, {bool(verdict)}", "100,000 baskets")])


def walking(n, walk):
    """Backtracking varies much, so the median of three is taken."""
    times = [
        cpu(lambda: _draw_assignments(_ring_graph(n, 16), randomness(None), walk=walk))[0] for _ in range(3)
    ]
    return float(np.median(times))


def walks(sizes):
    rows = []
    for n in sizes:
        closed, printed, turning = (walking(n, walk) for walk in ("closed", "paper", "backtrack"))
        figures = f"{closed:.2f}, {printed:.2f}, {turning:.2f} s"
        rows.append(
            (f"n = {n:,}: closed walks, the paper's, backtracking", figures, f"{turning / closed:.1f} times")
        )
    show("k = 16 assignments of a ring; at least 5 times faster", rows)


def digit_orders(name, path):
    """ER of a ring at k = 16 under each order of the Gray code's digits, with and without reordering."""
    baskets = read_baskets(read(path), "items")
    rows = []
    for digits in DIGITS:
        made = [
            nonreciprocal(baskets, claim=make_claim("baskets", k=16), digits=digits, tsp=tsp).release
            for tsp in ("greedy", "none")
        ]
        rows.append((f"digits = {digits}", ", ".join(f"{er(release, baskets):.4f}" for release in made), ""))
    show(f"{name}: ER at k = 16, and without reordering, by the digits of the Gray code", rows)


def beside_cahd(name, path):
    baskets = read_baskets(read(path), "items")
    label = occupations(baskets.n)
    asked = [_draw_item_queries(baskets, size) for size in QUERIES[name]]
    rows = []
    for l in range(2, 11):
        makers = {
            "blocks": lambda l=l: nonreciprocal(baskets, label=label, claim=make_claim("baskets", l=l)),
            "dealt": lambda l=l: nonreciprocal(
                baskets, label=label, claim=make_claim("baskets", l=l), minimal=False
            ),
            "ring": lambda l=l: nonreciprocal(
                baskets, label=label, claim=make_claim("baskets", l=l), graph="ring", allow=True
            ),
            "greedy": lambda l=l: nonreciprocal(
                baskets, label=label, claim=make_claim("baskets", l=l), graph="greedy", allow=True
            ),
            "cahd": lambda l=l: cahd(baskets, label=label, claim=make_claim("baskets", l=l)),
        }
        figures = {}
        for maker, act in makers.items():
            try:
                release = act().release
            except Exception as error:  # a label is too frequent for the ring
                figures[maker] = type(error).__name__
                continue
            both = (qe(release, baskets, asked[0]), qe(release, baskets, asked[1], absent=True))
            figures[maker] = f"{er(release, baskets):.4f} {both[0]:.4f} {both[1]:.4f}"
        rows.append(
            (
                f"l = {l}: blocks {figures['blocks']} | dealt {figures['dealt']} | ring {figures['ring']} "
                f"| greedy {figures['greedy']}",
                figures["cahd"],
                "cahd",
            )
        )
    show(f"{name}: ER, QE of items present, QE of items absent", rows)


def main():
    need(CHESS)
    warm = read_baskets(read(CHESS), "items")
    for claim in (Nonreciprocal(16), Nonreciprocal(15), Nonreciprocal(5, insiders=1)):
        nonreciprocal(warm, claim)
    cahd(warm, label=occupations(warm.n), claim=make_claim("baskets", l=3))
    for walk in ("paper", "backtrack"):
        _draw_assignments(_ring_graph(200, 16), randomness(None), walk=walk)
    pipeline("49,046 baskets of 74 of 7,117 items", census(), "at most 5 s")
    pipeline("pumsb, its first 4,334 baskets", read_baskets(read(PUMSB), "items"), "")
    walks([3_196, 12_784, 49_046])
    for name, path in (("chess", CHESS), ("pumsb sample", PUMSB)):
        digit_orders(name, path)
        beside_cahd(name, path)
    judged(read_baskets(read(DATA / "t10i4d100k" / "T10I4D100K.dat.gz"), "items"), "T10I4D100K, k = 16")
    if "large" in sys.argv[1:]:
        pipeline("1,000,000 baskets of 10 items", shopping(1_000_000), "at most 90 s")


if __name__ == "__main__":
    main()
