"""What the paper on record trees claims, T1 to T13, and by which rule each is decided.

Each claim is tried by every reading of what the paper leaves open: how prices became values, where the nation stands,
and what a cut was priced by. The rules were written down before anything was measured.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

from tpch_trees import PRICES

from .claims import SHOAL, Claim, Reading, Verdict
from .drawing import Figure, Panel, line
from .growth import slope
from .negative import ATTACKERS
from .results import Results, Rows, column, one, some, values
from .trees import BY_RPD, FULL, LITERAL, OPTIONS, OURS, QUICK, SHAPES, WIDTHS, Sizes, widest

CURVES = tuple(f"trees-{prices}" for prices in PRICES)
_SAID = {"steps": "prices in steps of 5,000", "equal": "prices in ranges of equal frequency"}

Told = tuple[str, bool]


_OPEN: Told = "not measured yet", False


def _reading(prices: str, which: str, told: Told, *more: str) -> Reading:
    name = ", ".join((_SAID[prices], *more) if which == OURS else (_SAID[prices], *more, which))
    return Reading(f"{SHOAL}, {name}" if which == OURS else name, *told, measured=told is not _OPEN)


def _asked(rows: Rows) -> Sizes:
    return FULL if any(row["records"] == FULL.usual for row in rows) else QUICK


def _curves(
    results: Results,
    judge: Callable[[Rows, str], Told],
    axes: str,
    shapes: Sequence[str] = SHAPES,
    options: Sequence[str] = tuple(OPTIONS),
    at: Sequence[int] = (),
) -> Verdict:
    """What each reading of the curves tells, where its points on these axes are measured: those `at`, or all."""
    found = []
    for prices, shape, which in product(PRICES, shapes, options):
        if which == LITERAL and shape != SHAPES[0]:
            continue
        rows = some(results[f"trees-{prices}"], shape=shape)
        points = [(axis, value) for axis in axes for value in at or _asked(rows).axes[axis]]
        makers = (("gcs", which), ("ocs", _price(which)))
        whole = all(_on(rows, *point, *maker) for point, maker in product(points, makers))
        found.append(_reading(prices, which, judge(rows, which) if whole else _OPEN, shape))
    return tuple(found)


def _price(which: str) -> str:
    """The options by which OCS has the same price: it has no others."""
    return BY_RPD if which == OURS else which


def _on(rows: Rows, axis: str, at: int, maker: str, which: str, k: int | None = None) -> Rows:
    """The row on an axis at a value, all else as the paper has it, but for another `k`."""
    usual = _asked(rows).claim
    claim = {"k": k or usual.k, "m": usual.m, "n": usual.n, axis: at}
    return some(rows, maker=maker, options=which, **claim)


def _along(
    rows: Rows, axis: str, maker: str, which: str, name: str, k: int | None = None
) -> dict[int, float]:
    """A column along an axis, as far as it is measured."""
    found = {at: _on(rows, axis, at, maker, which, k) for at in _asked(rows).axes[axis]}
    return {at: float(there[0][name]) for at, there in found.items() if there}


def _wide(results: Results, judge: Callable[[Rows], Told]) -> Verdict:
    """What each reading of ACS beside GCS tells, where it is measured."""
    found = []
    for prices, which in product(PRICES, (LITERAL, BY_RPD)):
        rows = some(results["trees-widths"], prices=prices, options=which)
        whole = len(some(rows, maker="acs")) == len(WIDTHS)
        found.append(_reading(prices, which, judge(rows) if whole else _OPEN))
    return tuple(found)


def t1(results: Results) -> Verdict:
    """Holds if GCS with g = 2 has at most 1% more RPD than ACS at every k."""

    def judge(rows: Rows) -> Told:
        ratios = {
            row["k"]: one(rows, "rpd", maker="gcs", g=2, k=row["k"]) / float(row["rpd"])
            for row in some(rows, maker="acs")
        }
        told = ", ".join(f"{ratio:.3f} of ACS's at k = {k}" for k, ratio in ratios.items())
        return told, max(ratios.values()) <= 1.01

    return _wide(results, judge)


def t2(results: Results) -> Verdict:
    """Holds if GCS with g = 2 is at least 10 times as fast as ACS in more than half of the settings."""

    def judge(rows: Rows) -> Told:
        told, ratios = [], []
        for row in some(rows, maker="acs"):
            (ours,) = some(rows, maker="gcs", g=2, k=row["k"])
            ratios.append(float(row["seconds"]) / max(float(ours["seconds"]), 1e-3))
            cuts = f"{row['cuts']:,} cuts against {ours['cuts']:,}"
            more = ", and was stopped" if row["stopped"] != "complete" else ""
            told.append(f"{ratios[-1]:.1f} times at k = {row['k']} ({cuts}{more})")
        return "; ".join(told), 2 * sum(ratio >= 10 for ratio in ratios) > len(ratios)

    return _wide(results, judge)


def _gaps(rows: Rows, axis: str, which: str, k: int | None = None) -> dict[int, float]:
    """By how much more OCS loses than GCS, for each value."""
    ours, theirs = (_along(rows, axis, *of, "rpd", k) for of in (("gcs", which), ("ocs", _price(which))))
    return {at: theirs[at] / ours[at] - 1 for at in ours if at in theirs}


def _gaps_told(axis: str, gaps: dict[int, float], rule: Callable[[dict[int, float]], bool]) -> Told:
    return ", ".join(f"{gap:+.1%} at {axis} = {at}" for at, gap in gaps.items()), rule(gaps)


def _gaps_judged(
    results: Results,
    axis: str,
    rule: Callable[[dict[int, float]], bool],
    shapes: Sequence[str] = SHAPES,
    at: Sequence[int] = (),
) -> Verdict:
    def judge(rows: Rows, which: str) -> Told:
        return _gaps_told(axis, _gaps(rows, axis, which), rule)

    return _curves(results, judge, axis, shapes, at=at)


def t3(results: Results) -> Verdict:
    """Holds if OCS loses more at every k, and the gap at the least k is above the last."""
    return _gaps_judged(
        results, "k", lambda gaps: min(gaps.values()) > 0 and gaps[min(gaps)] > gaps[max(gaps)]
    )


def t4(results: Results) -> Verdict:
    """Holds if the gap at m = 4 is larger than at m = 6 and at least 27%, half of the paper's."""
    return _gaps_judged(results, "m", lambda gaps: gaps[4] > gaps[6] and gaps[4] >= 0.27, SHAPES[:1], (4, 6))


def t5(results: Results) -> Verdict:
    """Holds if OCS and GCS differ by less than 1% at n = 0 and by at least 25% at n = 2 and 3."""

    def rule(gaps: dict[int, float]) -> bool:
        return abs(gaps[0]) < 0.01 and min(gaps[2], gaps[3]) >= 0.25

    more = []
    for prices, which in product(PRICES, OPTIONS):
        rows = some(results[f"trees-{prices}"], shape=SHAPES[0])
        k = widest(_asked(rows))
        gaps = _gaps(rows, "n", which, k)
        told = _gaps_told("n", gaps, rule) if len(gaps) == len(_asked(rows).axes["n"]) else _OPEN
        more.append(_reading(prices, which, told, SHAPES[0], f"k = {k}"))
    return (*_gaps_judged(results, "n", rule), *more)


def t6(results: Results) -> Verdict:
    """Holds if MiRaCle has at least 1.5 times the RPD of GCS at every m below 5."""

    def judge(rows: Rows, which: str) -> Told:
        clusters = some(results["trees-clusters"], prices=rows[0]["prices"], k=_asked(rows).claim.k)
        if not clusters:
            return _OPEN
        theirs = float(clusters[0]["rpd"])
        ratios = {m: theirs / lost for m, lost in _along(rows, "m", "gcs", which, "rpd").items() if m < 5}
        told = ", ".join(f"{ratio:.2f} times at m = {m}" for m, ratio in ratios.items())
        return told, min(ratios.values()) >= 1.5

    return _curves(results, judge, "m", SHAPES[:1], at=(2, 3, 4))


def _grown(results: Results, judge: Callable[[Rows], Told]) -> Verdict:
    """What each reading tells of growth, where it is measured at every size."""
    found = []
    for prices, which in product(PRICES, OPTIONS):
        rows = some(results["trees-growth"], prices=prices, options=which)
        whole = len(rows) in (len(FULL.grown), len(QUICK.grown))
        found.append(_reading(prices, which, judge(rows) if whole else _OPEN))
    return tuple(found)


def t7(results: Results) -> Verdict:
    """Holds if RPD of GCS rises at no step to more records by over 1%, and is less at the end."""

    def judge(rows: Rows) -> Told:
        lost = column(rows, "rpd")
        told = ", ".join(f"{x:.4f} at {row['records']:,}" for x, row in zip(lost, rows, strict=True))
        return told, lost[-1] < lost[0] and all(after <= 1.01 * before for before, after in pairwise(lost))

    return _grown(results, judge)


def t8(results: Results) -> Verdict:
    """Holds if GCS keeps at least half of the frequent subtrees, and more than OCS."""

    def at(k: int, rows: Rows, which: str) -> Told:
        ((ours,), (theirs,)) = (_on(rows, "k", k, *of) for of in (("gcs", which), ("ocs", _price(which))))
        told = f"of {ours['subtrees']:,} GCS {ours['kept']:,}, OCS {theirs['kept']:,}"
        for row in some(results["trees-clusters"], prices=rows[0]["prices"], k=k):
            told += f", MiRaCle {row['kept']:,}"
        return told, 2 * ours["kept"] >= ours["subtrees"] and ours["kept"] > theirs["kept"]

    more = []
    for prices in PRICES:
        rows = some(results[f"trees-{prices}"], shape=SHAPES[0])
        k = widest(_asked(rows))
        both = (_on(rows, "k", k, maker, BY_RPD) for maker in ("gcs", "ocs"))
        whole = all(found and found[0]["kept"] != "" for found in both)
        more.append(_reading(prices, BY_RPD, at(k, rows, BY_RPD) if whole else _OPEN, f"k = {k}"))
    usual = _curves(results, lambda rows, which: at(_asked(rows).claim.k, rows, which), "k", SHAPES[:1])
    return (*usual, *more)


def t9(results: Results) -> Verdict:
    """Holds if dML2 of GCS is below .19 in every run, and over n its largest and least differ by at most .02."""

    def judge(rows: Rows, which: str) -> Told:
        lost = [float(row["dml2"]) for row in some(rows, maker="gcs", options=which) if row["dml2"] != ""]
        over_n = _along(rows, "n", "gcs", which, "dml2").values()
        spread = max(over_n) - min(over_n)
        told = f"{min(lost):.3f} to {max(lost):.3f}; over n by at most {spread:.3f}"
        return told, max(lost) < 0.19 and spread <= 0.02

    return _curves(results, judge, "kmn", SHAPES[:1], (BY_RPD,))


def t10(results: Results) -> Verdict:
    """Holds if from k = 5 to 100 and to 300 GCS becomes faster by at least half of the paper's factors (33 and 7)."""

    def judge(rows: Rows, which: str) -> Told:
        took = _along(rows, "k", "gcs", which, "seconds")
        first, *_, middle, last = took
        falls = ((middle, took[middle] / took[first]), (last, took[last] / took[middle]))
        told = ", ".join(f"{ratio - 1:+.0%} to k = {k}" for k, ratio in falls)
        return told, took[first] / took[middle] >= 16.5 and took[middle] / took[last] >= 3.5

    return _curves(results, judge, "k")


def t11(results: Results) -> Verdict:
    """Holds if GCS takes less time at m = 4 than at m = 3 and than at m = 5."""

    def judge(rows: Rows, which: str) -> Told:
        took = _along(rows, "m", "gcs", which, "seconds")
        told = ", ".join(f"{seconds:.1f} s at m = {m}" for m, seconds in took.items())
        return told, took[4] < took[3] and took[4] < took[5]

    return _curves(results, judge, "m", SHAPES[:1], at=(3, 4, 5))


def t12(results: Results) -> Verdict:
    """Holds if the slope of log time over log records is .8 to 1.2."""

    def judge(rows: Rows) -> Told:
        each = [1000 * float(row["seconds"]) / float(row["cuts"]) for row in rows]
        steep = slope(rows)
        return f"slope {steep:.2f}; {each[0]:.0f} to {each[-1]:.0f} ms a cut", 0.8 <= steep <= 1.2

    return _grown(results, judge)


def t13(results: Results) -> Verdict:
    """Holds if 4 absent values find fewer than .001 people a combination, and at most .21 if they are generalized."""
    readings = []
    for prices, which in product(PRICES, (LITERAL, BY_RPD)):
        rows = some(results["trees-absent"], prices=prices, options=which)
        judged = _OPEN
        if rows:
            rows = some(rows, k=max(values(rows, "k")))
            found = [one(rows, "found", q=4, known=known) for known in ATTACKERS]
            told = f"{found[0]:.4f} and {found[1]:.4f} people a combination at q = 4, k = {rows[0]['k']}"
            judged = told, found[0] < 0.001 and found[1] <= 0.21
        readings.append(_reading(prices, which, judged))
    return tuple(readings)


_BOUNDED = (
    f"a search stops after {FULL.patience} cuts in a row that are no better; the paper's goes on to its end"
)
CLAIMS = (
    Claim("T1", "GCS reaches ACS's RPD at g = 2", "Fig. 11, 12", ("trees-widths",), t1),
    Claim("T2", "GCS is at least 10 times as fast as ACS in most settings", "Fig. 13", ("trees-widths",), t2),
    Claim("T3", "OCS loses more than GCS, and more so for a small k", "+8.7% (k = 300) to +39.5% (k = 5)", CURVES, t3,
          _BOUNDED),
    Claim("T4", "as m falls from 6 to 4, OCS loses up to 54% more", "up to +54%", CURVES, t4, _BOUNDED),
    Claim("T5", "n = 0: GCS and OCS are the same; n = 2, 3: OCS loses 1.5 times as much", "+0%, +50%", CURVES, t5,
          _BOUNDED),
    Claim("T6", "MiRaCle's RPD is about double GCS's for m < 5", "about 2 times", (*CURVES, "trees-clusters"), t6),
    Claim("T7", "RPD of GCS falls as data grow", "Fig. 14d, 100k to 1M", ("trees-growth",), t7),
    Claim("T8", "frequent subtrees that are kept at 1% support", "of 10,845 GCS 6,457, OCS 1,864, MiRaCle 2,358",
          (*CURVES, "trees-clusters"), t8),
    Claim("T9", "dML2 is below 19%, and GCS does not mind n", "Fig. 16", CURVES, t9),
    Claim("T10", "time falls as k grows from 5 to 100, and to 300", "-97%, -85.8%", CURVES, t10, _BOUNDED),
    Claim("T11", "time has a minimum at m = 4", "-70.5% from m = 3", CURVES, t11, _BOUNDED),
    Claim("T12", "time is linear in the number of records", "Fig. 17d", ("trees-growth",), t12, _BOUNDED),
    Claim("T13", "whoever knows 4 absent values finds hardly anybody",
          "below .001 by original values, .21 by generalized", ("trees-absent",), t13),
)  # fmt: skip


def figures(results: Results) -> Iterator[Figure]:
    """Figures 11 to 18, by the reading of prices and of cost that shows most."""
    prices = PRICES[-1]
    if rows := some(results.get("trees-widths", []), prices=prices, options=BY_RPD):
        panels = tuple(
            Panel(f"{y}, {rows[0]['records']:,} records", "g", y, tuple(
                line(f"k = {k}", some(rows, maker="gcs", k=k), "g", y) for k in values(rows, "k")))
            for y in ("rpd", "seconds")
        )  # fmt: skip
        yield Figure(
            "trees-widths", f"Record trees, Figures 11 to 13: GCS against g; {_SAID[prices]}", panels
        )
    if rows := some(results.get("trees-absent", []), prices=prices):
        panels = tuple(
            Panel(f"k = {k}", "q", "people a combination", tuple(
                line(f"{known}, {which}", some(rows, k=k, known=known, options=which), "q", "found")
                for known in ATTACKERS for which in values(rows, "options")))
            for k in values(rows, "k")
        )  # fmt: skip
        yield Figure("trees-absent", "Record trees, Figure 18: absent values are known", panels)
    rows = some(results.get(f"trees-{prices}", []), shape=SHAPES[0])
    for y, title in (("rpd", "14"), ("seconds", "17")):
        panels = [_curve(rows, axis, y) for axis in "kmn"] if rows else []
        if size := some(results.get("trees-growth", []), prices=prices):
            panels.append(Panel("against size", "records", y, tuple(
                line(f"gcs, {which}", some(size, options=which), "records", y)
                for which in OPTIONS), "x" if y == "rpd" else "xy"))  # fmt: skip
        if panels:
            yield Figure(f"trees-{y}", f"Record trees, Figure {title}; {_SAID[prices]}", tuple(panels))


def _curve(rows: Rows, axis: str, y: str) -> Panel:
    usual = _asked(rows).claim
    fixed = {name: getattr(usual, name) for name in "kmn" if name != axis}
    rows = sorted(some(rows, **fixed), key=lambda row: row[axis])
    lines = [
        line(f"{maker}, {which}", some(rows, maker=maker, options=which), axis, y)
        for maker, which in product(("gcs", "ocs"), OPTIONS)
        if some(rows, maker=maker, options=which)
    ]
    return Panel(f"against {axis}", axis, y, tuple(lines), "x" if axis == "k" else "")
