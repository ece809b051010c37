"""Tables with baskets (Poulis and others, ECML PKDD 2013): Figures 4 to 7."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bench_mixed import QUERIES, RULES, UNBOUNDED, informs, planned, videos
from common import cpu
from shoal.algorithms.mixed.bound import MergedClusters, _sample_steps, bound
from shoal.algorithms.mixed.clusters import merge
from shoal.data import Mixed
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.rules import fanout
from shoal.privacy import make_claim
from shoal.utility.queries import draw_mixed_workload, mixed_are

from .claims import SHOAL, Claim, Verdict, both
from .drawing import Figure, Panel, line
from .results import Experiment, Results, Row, Rows, column, one, some, values

ASKED = {"cells": QUERIES[0], "items": QUERIES[1], "both": QUERIES[2]}
DELTAS, FEW_DELTAS = (0.4, 0.5, 0.65, 0.8, 0.95), (0.8, 0.95)
DELTA, K, M, L = 0.65, 25, 2, 3
LOOSE = {
    "sets": (0.3, 0.4, 0.6),
    "paper": (0.7, 0.8, 0.9),
    "shoal": (0.3, 0.4, 0.6),
}  # bounds of the items; a hierarchy loses more of UL
_ALIKE: dict[str, Any] = {"clusters": "paper", "look_back": False}
OPTIONS: dict[str, dict[str, Any]] = {
    "sets": {"items": "pcta", "recode": "span", **_ALIKE},
    "paper": _ALIKE,
    "shoal": {},
}
NAMES = ("sets of items and ranges of cells", "hierarchies of items and cells", SHOAL)
"""Section 5 of the paper says set-based generalization, and prints ranges; its examples have hierarchies."""


@dataclass(frozen=True)
class Data:
    """Records, hierarchies of the columns and one of the items; k as the paper has it for them."""

    name: str
    mixed: Mixed
    trees: Hierarchies
    items: Hierarchy
    k: int = K

    def first(self, n: int) -> "Data":
        """The first records of a fixed shuffling, so that small sets are in larger ones."""
        drawn = np.random.default_rng(3).permutation(self.mixed.n)[:n]
        return replace(self, mixed=self.mixed.some(np.sort(drawn)))

    def diverse(self) -> "Data":
        """The same with one item in ten sensitive, of those that neither few nor many records hold."""
        baskets = self.mixed.baskets
        many = len(baskets.values)
        ranked = np.argsort(np.bincount(baskets.items, minlength=many), kind="stable")
        drawn = np.random.default_rng(4).choice(ranked[many // 2 : many * 9 // 10], many // 10, replace=False)
        codes = frozenset(drawn.tolist())
        return replace(self, mixed=replace(self.mixed, baskets=replace(baskets, sensitive=codes)))


def data(quick: bool, records: int | None = None) -> Data:
    """INFORMS, or so many of its records; a few records of the shape of YouTube's."""
    if quick:
        mixed, trees = videos(300, 40)
        return Data("drawn", mixed, trees, fanout(mixed.baskets.name, 5, mixed.baskets.values), 5)
    mixed, trees, even = informs(records)
    return Data("INFORMS", mixed, trees, even)


def made(data: Data, options: str, rule: str, delta: float, **given: Any):
    """`bound` once; one reading of the paper generalizes the items along a hierarchy."""
    asked = {"k": data.k, "m": M} | given.pop("claim", {})
    return bound(
        data.mixed, data.trees, make_claim("mixed", **asked), data.items if options == "paper" else None,
        merge=rule, delta=delta, rng=np.random.default_rng(1), **OPTIONS[options], **given,
    )  # fmt: skip


def measured(data: Data, options: str, rule: str, delta: float, **given: Any) -> Row:
    """Losses, errors, sizes and time of one run."""
    seconds, result = cpu(lambda: made(data, options, rule, delta, **given))
    sizes = np.unique(result.release.table.codes, axis=0, return_counts=True)[1]
    errors = {}
    for name, (cells, items) in ASKED.items():
        asked = draw_mixed_workload(data.mixed, seed=7, queries=100, values=cells, items=items)
        tree = data.items if options == "paper" else None
        errors[f"are {name}"] = mixed_are(asked, result.release, data.mixed, data.trees, tree)
    return {
        "data": data.name, "records": data.mixed.n, "options": options, "merge": rule, "delta": delta,
        "ncp": result.trace["table-ncp"], "ul": result.trace["ul"], **errors, "largest": int(sizes.max()),
        "classes": result.trace["classes"], "seconds": seconds,
    }  # fmt: skip


def deltas(quick: bool) -> Iterator[Row]:
    """Figures 4 (a) to (c), 6 (a), (c): the table bounded, every merge, against delta."""
    yield from _deltas(data(quick), FEW_DELTAS if quick else DELTAS)


def diverse_deltas(quick: bool) -> Iterator[Row]:
    """Figure 5: the same under (k, l^m)-diversity."""
    yield from _deltas(data(quick).diverse(), FEW_DELTAS if quick else DELTAS[1:4], claim={"l": L})


def _deltas(some: Data, deltas: tuple[float, ...], **given: Any) -> Iterator[Row]:
    for options in OPTIONS:
        for delta in deltas:
            for rule in RULES:
                yield measured(some, options, rule, delta, **given)


def many(quick: bool) -> Iterator[Row]:
    """Figures 4 (d) to (g), 6 (b), (d): a set of YouTube's shape, k = 100."""
    mixed, trees = videos(300, 40) if quick else videos()
    items = fanout(mixed.baskets.name, 5, mixed.baskets.values)
    large = Data("of YouTube's shape", mixed, trees, items, 5 if quick else 100)
    for delta in (0.8,) if quick else (0.5, 0.65, 0.8):
        for rule in RULES:
            yield measured(large, "paper", rule, delta)


def items_bounded(quick: bool) -> Iterator[Row]:
    """Figure 4 (h): the items bounded, against delta."""
    for options in OPTIONS:
        for delta in (1.0,) if quick else LOOSE[options]:
            for rule in RULES:
                yield measured(data(quick), options, rule, delta, bound="items")


def exactly(quick: bool) -> Iterator[Row]:
    """Figures 7 (c) to (f): BTD beside the exact loss, on 4,000 records."""
    few = data(quick).first(100) if quick else data(quick, 4_000)
    for options in OPTIONS:
        for rule in ("t", "rt"):
            for which in ("table", "items"):
                for delta in (0.9 if quick else DELTA,) if which == "table" else LOOSE[options][-1:]:
                    for nearness in ("btd", "exact"):
                        row = measured(few, options, rule, delta, bound=which, nearness=nearness)
                        yield {"bound": which, "nearness": nearness, **row}


def merges(quick: bool) -> Iterator[Row]:
    """Figures 7 (g), (h): the loss of the items along all merges, on 4,000 records."""
    few = data(quick).first(100) if quick else data(quick, 4_000)
    for options in OPTIONS:
        for rule in RULES:
            plan = planned(few.mixed, few.trees, few.items if options == "paper" else None, few.k)
            start = plan.start(OPTIONS[options].get("clusters"))
            begun = plan.clusters(start, np.random.default_rng(1))
            done = MergedClusters(plan, merge(begun, rule, plan.need, UNBOUNDED))
            for steps in _sample_steps(done) if quick else range(len(done.merges) + 1):
                seconds, ul = cpu(lambda done=done, steps=steps: done.ul(steps))
                yield {
                    "records": few.mixed.n, "options": options, "merge": rule, "merges": steps, "ul": ul,
                    "seconds": seconds,
                }  # fmt: skip


def times(quick: bool) -> Iterator[Row]:
    """Figures 7 (a), (b): time against the number of records and against k."""
    whole = data(quick)
    n = whole.mixed.n
    settings = [("records", whole.first(size), whole.k) for size in (n // 4, n // 2, n)]
    settings += [("k", whole, k) for k in ((5, 10) if quick else (10, 50, 100))]
    for axis, few, k in settings:
        for options in OPTIONS:
            for rule in RULES:
                seconds, _ = cpu(
                    lambda few=few, options=options, rule=rule, k=k: made(
                        replace(few, k=k), options, rule, 0.9
                    )
                )
                yield {
                    "axis": axis, "records": few.mixed.n, "k": k, "options": options, "merge": rule,
                    "seconds": seconds,
                }  # fmt: skip


def _at(rows: Rows, name: str, delta: float) -> dict[str, float]:
    """One figure of each merge at a delta."""
    return {rule: one(rows, name, merge=rule, delta=delta) for rule in RULES}


def _between(least: float, middle: float, most: float) -> bool:
    return least <= middle <= most


def _ordered(rows: Rows) -> tuple[int, int, int]:
    """At how many deltas the merges stand as the paper says, for items, for cells, and of how many."""
    deltas = values(rows, "delta")
    good = [0, 0]
    for delta in deltas:
        by_items, by_cells = _at(rows, "are items", delta), _at(rows, "are cells", delta)
        good[0] += _between(by_items["r"], by_items["rt"], by_items["t"])
        good[1] += _between(by_cells["t"], by_cells["rt"], by_cells["r"])
    return *good, len(deltas)


def _both(results: Results, name: str) -> list[Rows]:
    return [some(results[name], options=options) for options in OPTIONS]


def r1(results: Results) -> Verdict:
    """Holds if at every delta ARE of items is least by R-merge and most by T-merge, ARE of cells reversed."""
    found = [_ordered(rows) for rows in _both(results, "mixed-delta")]
    told = (f"items at {i} of {of} deltas, cells at {c}" for i, c, of in found)
    return both(told, (i == c == of for i, c, of in found), NAMES)


def r2(results: Results) -> Verdict:
    """Holds if the NCP of the table is at most delta in every run whose table is bounded."""
    found = []
    for options in OPTIONS:
        rows = [
            row
            for name in ("mixed-delta", "mixed-diverse", "mixed-many")
            for row in some(results.get(name, []), options=options)
        ]
        found.append((sum(row["ncp"] <= row["delta"] + 1e-9 for row in rows), len(rows)))
    return both((f"{kept} of {of} runs" for kept, of in found), (kept == of for kept, of in found), NAMES)


def _trend(rows: Rows) -> tuple[str, bool]:
    told, good = [], []
    ends = (min(values(rows, "delta")), max(values(rows, "delta")))
    for rule in RULES:
        cells, items = (
            [one(rows, name, merge=rule, delta=delta) for delta in ends] for name in ("are cells", "ul")
        )
        told.append(
            f"{rule}: ARE of cells {cells[0]:.2f} to {cells[1]:.2f}, UL {items[0]:.2f} to {items[1]:.2f}"
        )
        good.append(cells[0] < cells[1] and items[0] > items[1])
    return "; ".join(told), all(good)


def r3(results: Results) -> Verdict:
    """Holds if from the least to the largest delta ARE of cells rises and UL falls, by every merge."""
    found = [_trend(rows) for rows in _both(results, "mixed-delta")]
    return both((text for text, _ in found), (good for _, good in found), NAMES)


def r4(results: Results) -> Verdict:
    """Holds if BTD is at least 10 times as fast and UL differs by at most .01, in every run."""
    told, good = [], []
    for rows in _both(results, "mixed-exact"):
        pairs = list(zip(some(rows, nearness="btd"), some(rows, nearness="exact"), strict=True))
        faster = [slow["seconds"] / quick["seconds"] for quick, slow in pairs]
        apart = [quick["ul"] - slow["ul"] for quick, slow in pairs]
        told.append(
            f"{min(faster):.1f} to {max(faster):.0f} times; UL by {min(apart):+.3f} to {max(apart):+.3f}"
        )
        good.append(min(faster) >= 10 and max(map(abs, apart)) <= 0.01)
    return both(told, good, NAMES)


def r5(results: Results) -> Verdict:
    """Holds if UL rises after no merge."""
    told, good = [], []
    for rows in _both(results, "mixed-merges"):
        steps = [np.diff(column(some(rows, merge=rule), "ul")) for rule in RULES]
        rises = [int((step > 1e-12).sum()) for step in steps]
        largest = max(float(step.max(initial=0)) for step in steps)
        every = sum(len(step) for step in steps)
        counts = ", ".join(f"{rule} {count}" for rule, count in zip(RULES, rises, strict=True))
        told.append(f"rises {counts} of {every} in all, by at most {max(largest, 0):.4f}")
        good.append(not any(rises))
    return both(told, good, NAMES)


def r6(results: Results) -> Verdict:
    """Holds if T-merge is faster than R-merge and RT-merge slowest in every setting, and a larger k is faster."""
    told, good = [], []
    for rows in _both(results, "mixed-time"):
        ratios, slowest, settings = [], 0, 0
        for axis in ("records", "k"):
            for at in values(some(rows, axis=axis), axis):
                here = {row["merge"]: row["seconds"] for row in some(rows, axis=axis, **{axis: at})}
                ratios.append(here["r"] / here["t"])
                slowest += here["rt"] >= max(here.values())
                settings += 1
        by_k = [some(rows, axis="k", merge=rule) for rule in RULES]
        falls = all(some_k[-1]["seconds"] < some_k[0]["seconds"] for some_k in by_k)
        told.append(
            f"R takes {min(ratios):.2f} to {max(ratios):.2f} times T; RT slowest in {slowest} of {settings}; "
            f"{'falls' if falls else 'does not fall'} with k"
        )
        good.append(min(ratios) > 1 and slowest == settings and falls)
    return both(told, good, NAMES)


def _largest(rows: Rows) -> tuple[int, int, float, float]:
    deltas = values(rows, "delta")
    sizes = [_at(rows, "largest", delta) for delta in deltas]
    won = sum(at["r"] >= max(at.values()) for at in sizes)
    return won, len(deltas), max(at["r"] for at in sizes), max(max(at["t"], at["rt"]) for at in sizes)


def r7(results: Results) -> Verdict:
    """Holds if the largest class is R-merge's at every delta."""
    found = [_largest(rows) for rows in _both(results, "mixed-delta")]
    told = (f"at {won} of {of} deltas; up to {r:,.0f} against {rest:,.0f}" for won, of, r, rest in found)
    return both(told, (won == of for won, of, *_ in found), NAMES)


def r8(results: Results) -> Verdict:
    """Holds if the rules of R1, R3 and R7 hold under (k, l^m)-diversity."""
    told, good = [], []
    for rows in _both(results, "mixed-diverse"):
        (items, cells, of), (_, trend), (won, *_) = _ordered(rows), _trend(rows), _largest(rows)
        told.append(
            f"order of items at {items} of {of} deltas, of cells at {cells}; trend {'yes' if trend else 'no'}; "
            f"R largest at {won}"
        )
        good.append(items == cells == won == of and trend)
    return both(told, good, NAMES)


EXPERIMENTS = (
    Experiment("mixed-delta", deltas),
    Experiment("mixed-diverse", diverse_deltas),
    Experiment("mixed-exact", exactly),
    Experiment("mixed-merges", merges),
    Experiment("mixed-time", times),
    Experiment("mixed-items", items_bounded),
    Experiment("mixed-many", many),
)
CLAIMS = (
    Claim("R1", "R-merge is best for items and worst for the table, T-merge reversed, RT-merge between", "Fig. 4",
          ("mixed-delta",), r1),
    Claim("R2", "the table's NCP is at most delta in all cases", "all",
          ("mixed-delta", "mixed-diverse"), r2),
    Claim("R3", "a small delta favours the table, a large one the items", "Fig. 4", ("mixed-delta",), r3),
    Claim("R4", "BTD is at least 10 times as fast as the exact loss, with the same UL", ">= 10 times", ("mixed-exact",),
          r4),
    Claim("R5", "UL never rises as clusters merge", "Fig. 7g, h", ("mixed-merges",), r5),
    Claim("R6", "T-merge is up to 2.2 times as fast as R-merge, RT-merge is slowest, time falls with k", "Fig. 7a, b",
          ("mixed-time",), r6),
    Claim("R7", "R-merge makes the largest clusters", "Fig. 6", ("mixed-delta",), r7),
    Claim("R8", "the same under (k, l^m)-diversity", "Fig. 5", ("mixed-diverse",), r8),
)  # fmt: skip


def figures(results: Results) -> Iterator[Figure]:
    """Figures 4 to 7."""
    titles = (("mixed-delta", "Figures 4 and 6: INFORMS"), ("mixed-many", "Figures 4 and 6: of YouTube's shape"),
              ("mixed-diverse", "Figure 5: (k, l^m)-diversity"),
              ("mixed-items", "Figure 4h: items bounded"))  # fmt: skip
    for name, title in titles:
        found = results.get(name, [])
        if rows := some(found, options="sets") or some(found, options="paper"):
            yield Figure(name, f"Tables with baskets, {title}", tuple(
                Panel(y, "delta", y, tuple(line(rule, some(rows, merge=rule), "delta", y) for rule in RULES))
                for y in ("are cells", "are both", "are items", "largest", "ul")
            ))  # fmt: skip
    timed = some(results.get("mixed-time", []), options="sets")
    if timed:
        panels = [
            Panel(f"time against {axis}", axis, "CPU seconds", tuple(
                line(rule, some(timed, axis=axis, merge=rule), axis, "seconds") for rule in RULES))
            for axis in ("records", "k")
        ]  # fmt: skip
        along = some(results.get("mixed-merges", []), options="sets")
        panels.append(Panel("UL along merges", "merges", "UL", tuple(
            line(rule, some(along, merge=rule), "merges", "ul") for rule in RULES)))  # fmt: skip
        yield Figure("mixed-time", "Tables with baskets, Figure 7", tuple(panels))
