"""Nonreciprocal recoding (Xue and others, KDD 2012): Figures 6 and 7, and what becomes of the labels."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bench_ring import CHESS, PUMSB, QUERIES, census, occupations
from common import cpu, need
from shoal.algorithms.ring._kernels.bitmaps import randomness
from shoal.algorithms.ring.basket_order import gray_tsp_order
from shoal.algorithms.ring.nonreciprocal import _draw_assignments, _ring_graph, cahd, nonreciprocal
from shoal.data import Baskets, Column
from shoal.io.read.baskets import read_baskets
from shoal.io.read.table import read
from shoal.privacy import Nonreciprocal, make_claim
from shoal.utility.baskets import _draw_item_queries, er, qe

from .claims import SHOAL, Claim, Reading, Verdict, both
from .drawing import Figure, Panel, line
from .growth import slope
from .results import Experiment, Results, Row, Rows, column, some, values

GREEDY = {"graph": "greedy", "allow": True, "walk": "paper"}
RING = {"graph": "ring", "digits": "numbered"}  # the paper leaves the digits open
ORDERS = {
    "items as they are numbered": RING,
    "items as they are numbered, genetic tours": {**RING, "tsp": "genetic"},
    "items that halve the records first": {"graph": "ring"},
    SHOAL: {},
}
"""What the paper leaves open: which items are the first digits of the Gray code, and how tours are shortened."""

NAMES, DRAWN = ("chess", "pumsb sample"), ("drawn like chess", "drawn like pumsb")
PART = "pumsb is its first 4,334 records"
KS, LS = (2, 4, 8, 16, 32), tuple(range(2, 11))
TIMES = (1, 2, 4, 8, 16)
ERRORS = ("er", "qe present", "qe absent")


def data(quick: bool) -> dict[str, Baskets]:
    """Chess and the part of pumsb that there is; drawn answers of their shapes."""
    if quick:
        return {DRAWN[0]: census(400, 37, 75, 20), DRAWN[1]: census(300, 40, 400, 20)}
    need(CHESS)
    return {name: read_baskets(read(path), "items") for name, path in zip(NAMES, (CHESS, PUMSB), strict=True)}


def wrong(name: str, release, baskets: Baskets) -> Row:
    """ER, and QE of items present and absent, in the paper's numbers."""
    known = dict(zip(DRAWN, NAMES, strict=True)).get(name, name)
    present, absent = (_draw_item_queries(baskets, size) for size in QUERIES[known])
    errors = (er(release, baskets), qe(release, baskets, present), qe(release, baskets, absent, absent=True))
    return dict(zip(ERRORS, errors, strict=True))


RING_READING = next(iter(ORDERS))


def orders(quick: bool) -> Iterator[Row]:
    """Figures 6 (a), (c), (e), (g): the Gray order and the Gray-TSP order, against k."""
    for name, baskets in data(quick).items():
        for k in KS[: 3 if quick else None]:
            for order, tsp in (("gray", {"tsp": "none"}), ("gray-tsp", {})):
                for options, given in ORDERS.items():
                    seconds, made = cpu(
                        lambda given={**given, **tsp}, k=k, baskets=baskets: nonreciprocal(
                            baskets, Nonreciprocal(k), rng=np.random.default_rng(k), **given
                        )
                    )
                    yield {
                        "data": name, "records": baskets.n, "k": k, "order": order, "options": options,
                        **wrong(name, made.release, baskets), "seconds": seconds,
                    }  # fmt: skip


def diversity(quick: bool) -> Iterator[Row]:
    """Figures 6 (b), (d), (f), (h): greedy assignments, blocks, and CAHD, against l; whose labels differ."""
    for name, baskets in data(quick).items():
        label = occupations(baskets.n, 40 if quick else 470)
        for l in LS[:: 4 if quick else 1]:
            for maker in ("greedy", "blocks", "cahd"):
                seconds, made = cpu(lambda maker=maker, l=l: diverse(maker, baskets, label, l))  # noqa: B023
                yield {
                    "data": name, "records": baskets.n, "l": l, "maker": maker,
                    "kept": kept(made, label), **wrong(name, made.release, baskets),
                    "er by row": by_row(maker, made, baskets, l), "seconds": seconds,
                }  # fmt: skip


def by_row(maker: str, made, baskets: Baskets, l: int) -> float:
    """ER of each record beside the row that stands at its own place, as the paper prints it.

    Rows of greedy assignments stand in the order of the records; other methods publish blocks, in which rows are alike.
    """
    if maker != "greedy":
        return er(made.release, baskets)
    order = gray_tsp_order(baskets, randomness(np.random.default_rng(l)))
    return er(replace(made.release, rows=order), baskets)


def diverse(maker: str, baskets: Baskets, label: Column, l: int):
    """One of the three methods of l-diversity."""
    claim, rng = make_claim("baskets", l=l), np.random.default_rng(l)
    if maker == "cahd":
        return cahd(baskets, claim, label, rng=rng)
    return nonreciprocal(baskets, claim, label, rng=rng, **(GREEDY if maker == "greedy" else {}))


def kept(made, label: Column) -> float:
    """The share of the records whose rows, in all assignments, have different labels once these have travelled."""
    after = np.sort(label.codes[made.release.rows][made.proof], axis=0)
    return float((np.diff(after, axis=0) > 0).all(axis=0).mean())


def repeated(baskets: Baskets, times: int) -> Baskets:
    """So many copies of each basket, in which one item in fifty is another one."""
    if times == 1:
        return baskets
    random = np.random.default_rng(times)
    sizes = np.tile(np.diff(baskets.start), times)
    items = np.tile(baskets.items, times)
    swap = (random.random(len(items)) < 0.02) & (np.arange(len(items)) >= len(baskets.items))
    items[swap] = random.integers(0, len(baskets.values), int(swap.sum()))
    whose = np.repeat(np.arange(len(sizes)), sizes)
    keys = np.unique(whose * len(baskets.values) + items)
    start = np.r_[0, np.cumsum(np.bincount(keys // len(baskets.values), minlength=len(sizes)))]
    return Baskets(baskets.name, baskets.values, start, (keys % len(baskets.values)).astype(np.int32))


WALKS = ("paper", "closed", "backtrack")


def walks(quick: bool) -> Iterator[Row]:
    """Figures 7 (a), (b): assignments of a ring by the printed walk, shoal's walk and backtracking."""
    first = data(quick)
    chess, pumsb = first.values()
    settings = [("k", pumsb.n, k) for k in KS[: 3 if quick else None]]
    settings += [("size", chess.n * times, 16) for times in TIMES[: 2 if quick else None]]
    for axis, n, k in settings:
        for walk in WALKS:
            took = [cpu(lambda walk=walk, n=n, k=k: _walked(n, k, walk))[0] for _ in range(3)]
            yield {"axis": axis, "records": n, "k": k, "walk": walk, "seconds": float(np.median(took))}


def _walked(n: int, k: int, walk: str):
    return _draw_assignments(_ring_graph(n, k), randomness(np.random.default_rng(k)), walk=walk)


def growth(quick: bool) -> Iterator[Row]:
    """Figure 7 (c): l = 6 on chess, repeated with small changes."""
    baskets, _ = data(quick).values()
    for times in TIMES[: 3 if quick else None]:
        more = repeated(baskets, times)
        label = occupations(more.n, 40 if quick else 470)
        for maker in ("greedy", "blocks", "cahd"):
            seconds, _ = cpu(lambda maker=maker, more=more, label=label: diverse(maker, more, label, 6))
            yield {"records": more.n, "maker": maker, "seconds": seconds}


def _beats(rows: Rows, key: str, a: str, b: str, error: str, axis: str) -> tuple[int, int, list]:
    """In how many settings a is below b, of how many, and where not."""
    lost, all_ = [], 0
    for name in values(rows, "data"):
        for at in values(rows, axis):
            here = some(rows, data=name, **{axis: at})
            pair = [float(some(here, **{key: who})[0][error]) for who in (a, b)]
            all_ += 1
            if not pair[0] < pair[1]:
                lost.append(f"{name} {axis} = {at}")
    return all_ - len(lost), all_, lost


def n1(results: Results) -> Verdict:
    """Holds if ER along the Gray-TSP order is below that along the Gray order for every k and both data sets."""
    found = []
    for options in ORDERS:
        rows = some(results["ring-orders"], options=options)
        found.append(_beats(rows, "order", "gray-tsp", "gray", "er", "k"))
    return both((_won(*one) for one in found), (won == of for won, of, _ in found), tuple(ORDERS))


def n2(results: Results) -> Verdict:
    """Holds if ER is below CAHD's for every l and both data sets."""
    rows = results["ring-diversity"]
    ways = {"each record beside its own row, as printed": ("greedy", "er by row"),
            "each record beside the row that is drawn for it": ("greedy", "er"),
            SHOAL: ("blocks", "er")}  # fmt: skip
    found = {name: _beats(rows, "maker", way, "cahd", error, "l") for name, (way, error) in ways.items()}
    return tuple(Reading(name, _won(*one), one[0] == one[1]) for name, one in found.items())


def _won(won: int, of: int, lost: list) -> str:
    said = f"{won} of {of}"
    return f"{said}; not {', '.join(lost[:6])}{' and more' if len(lost) > 6 else ''}" if lost else said


def n3(results: Results) -> Verdict:
    """Holds if both kinds of QE are below those of the Gray order for every k, and below CAHD's for every l."""
    told, kept = [], []
    for options, maker in ((RING_READING, "greedy"), (SHOAL, "blocks")):
        rows = some(results["ring-orders"], options=options)
        by_k = [_beats(rows, "order", "gray-tsp", "gray", error, "k") for error in ERRORS[1:]]
        by_l = [_beats(results["ring-diversity"], "maker", maker, "cahd", error, "l") for error in ERRORS[1:]]
        counts = [(sum(one[0] for one in some), sum(one[1] for one in some)) for some in (by_k, by_l)]
        told.append("{} of {} against Gray, {} of {} against CAHD".format(*counts[0], *counts[1]))
        kept.append(all(won == of for won, of in counts))
    return both(told, kept)


def n4(results: Results) -> Verdict:
    """Holds if the walk is faster for every size and k (above 2: else nothing is chosen), 5 times at the end."""
    told, kept = [], []
    for walk in WALKS[:2]:
        ratios = []
        for row in some(results["ring-walks"], walk=walk):
            if row["k"] == 2:
                continue
            here = some(
                results["ring-walks"], axis=row["axis"], records=row["records"], k=row["k"], walk="backtrack"
            )
            ratios.append(float(here[0]["seconds"]) / max(float(row["seconds"]), 1e-9))
        told.append(
            f"{min(ratios):.2f} to {max(ratios):.2f} times as fast; {ratios[-1]:.2f} at the largest size"
        )
        kept.append(min(ratios) > 1 and ratios[-1] >= 5)
    return both(told, kept)


def n5(results: Results) -> Verdict:
    """Holds if it is slower than CAHD at every size, and the slopes of log time over log records are within .3."""
    told, kept = [], []
    rows = results["ring-growth"]
    theirs = some(rows, maker="cahd")
    for maker in ("greedy", "blocks"):
        ours = some(rows, maker=maker)
        ratio = [a / b for a, b in zip(column(ours, "seconds"), column(theirs, "seconds"), strict=True)]
        slopes = [slope(some) for some in (ours, theirs)]
        told.append(
            f"{min(ratio):.1f} to {max(ratio):.1f} times CAHD's; slopes {slopes[0]:.2f} and {slopes[1]:.2f}"
        )
        kept.append(min(ratio) > 1 and abs(slopes[0] - slopes[1]) <= 0.3)
    return both(told, kept)


def n6(results: Results) -> Verdict:
    """Holds if every record's l rows have different labels after the random choice, for every l."""
    told, kept = [], []
    for maker in ("greedy", "blocks"):
        rows = some(results["ring-diversity"], maker=maker)
        by_l = {l: min(column(some(rows, l=l), "kept")) for l in values(rows, "l")}
        told.append("kept by " + ", ".join(f"{share:.2f} at l = {l}" for l, share in by_l.items()))
        kept.append(min(by_l.values()) == 1)
    return both(told, kept)


EXPERIMENTS = (
    Experiment("ring-orders", orders),
    Experiment("ring-diversity", diversity),
    Experiment("ring-walks", walks),
    Experiment("ring-growth", growth),
)
CLAIMS = (
    Claim("N1", "ER along the Gray-TSP order is below that along the Gray order", "Fig. 6a, e", ("ring-orders",), n1,
          differs=PART),
    Claim("N2", "ER of nonreciprocal recoding is below CAHD's at every l", "Fig. 6b, f", ("ring-diversity",), n2,
          differs=PART),
    Claim("N3", "QE of Gray-TSP is below Gray's, and of nonreciprocal recoding below CAHD's", "Fig. 6c, d, g, h",
          ("ring-orders", "ring-diversity"), n3, differs=PART),
    Claim("N4", "closed walks are faster than backtracking, near 10 times as data grow", "Fig. 7a, b",
          ("ring-walks",), n4),
    Claim("N5", "nonreciprocal recoding is slower than CAHD and grows alike", "Fig. 7c", ("ring-growth",), n5),
    Claim("N6", "l-diversity holds after the random choice of an assignment", "Def. 1", ("ring-diversity",), n6),
)  # fmt: skip


def figures(results: Results) -> Iterator[Figure]:
    """Figures 6 and 7."""
    kinds = (("ring-orders", "order", "k", ("gray", "gray-tsp")),
             ("ring-diversity", "maker", "l", ("greedy", "blocks", "cahd")))  # fmt: skip
    for name, key, axis, ways in kinds:
        rows = results.get(name, [])
        for data in values(rows, "data"):
            here = [
                row
                for row in rows
                if row["data"] == data and row.get("options", RING_READING) == RING_READING
            ]
            panels = tuple(
                Panel(
                    error,
                    axis,
                    error.split()[0],
                    tuple(line(way, some(here, **{key: way}), axis, error) for way in ways),
                )
                for error in ERRORS
            )
            yield Figure(f"{name}-{data.split()[0]}", f"Nonreciprocal recoding, Figure 6: {data}", panels)
    if rows := results.get("ring-walks"):
        panels = [
            Panel(title, x, "CPU seconds", tuple(
                line(walk, some(rows, axis=axis, walk=walk), x, "seconds") for walk in WALKS), log)
            for title, axis, x, log in (("(a) walks", "k", "k", ""), ("(b) walks, k = 16", "size", "records", "xy"))
        ]  # fmt: skip
        more, makers = results.get("ring-growth", []), ("greedy", "blocks", "cahd")
        lines = tuple(line(maker, some(more, maker=maker), "records", "seconds") for maker in makers)
        panels.append(Panel("(c) l = 6", "records", "CPU seconds", lines, "xy"))
        yield Figure("ring-time", "Nonreciprocal recoding, Figure 7", tuple(panels))
