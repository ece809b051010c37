"""What the paper on record trees claims, T1 to T13, and its figures."""

from collections.abc import Iterator
from itertools import pairwise

from .claims import Claim, Verdict, both
from .drawing import Figure, Panel, line
from .growth import slope
from .negative import ATTACKERS
from .results import Results, Row, Rows, column, one, some, values
from .trees import SHAPES

WAYS = ("paper", "shoal")


def t1(results: Results) -> Verdict:
    """Holds if GCS with g = 2 has at most 1% more RPD than ACS in every setting in which ACS ended."""
    told, good = [], []
    for which in WAYS:
        found = []
        for row in _ended(results, which):
            ours = one(results["trees-g"], "rpd", maker="gcs", g=2, **_where(row))
            found.append((row["records"], row["k"], ours / float(row["rpd"])))
        told.append(
            "; ".join(f"{n:,} records, k = {k}: {ratio:.3f} of ACS's" for n, k, ratio in found)
            or "ACS never ended"
        )
        good.append(bool(found) and all(ratio <= 1.01 for *_, ratio in found))
    return both(told, good)


def _ended(results: Results, which: str) -> Rows:
    rows = some(results["trees-g"], maker="acs", options=which)
    return [row for row in rows if row["stopped"] not in ("seconds", "infeasible")]


def _where(row: Row) -> Row:
    return {name: row[name] for name in ("records", "k", "m", "n", "options")}


def t2(results: Results) -> Verdict:
    """Holds if GCS with g = 2 is at least 10 times as fast as ACS in more than half of the settings."""
    told, good = [], []
    for which in WAYS:
        found, cuts = [], []
        for row in some(results["trees-g"], maker="acs", options=which):
            ours = max(one(results["trees-g"], "seconds", maker="gcs", g=2, **_where(row)), 1e-3)
            cuts.append(float(row["cuts"]) / one(results["trees-g"], "cuts", maker="gcs", g=2, **_where(row)))
            sign = ">" if row["stopped"] == "seconds" else ""
            found.append((f"{sign}{float(row['seconds']) / ours:.1f}", float(row["seconds"]) / ours))
        many = f"ACS looks at {min(cuts):.1f} to {max(cuts):.1f} times as many cuts"
        told.append(", ".join(text for text, _ in found) + f" times; {many}")
        good.append(2 * sum(ratio >= 10 for _, ratio in found) > len(found))
    return both(told, good)


def _gaps(results: Results, axis: str, which: str, shape: str = SHAPES[0]) -> dict[int, float]:
    """By how much more OCS loses than GCS, for each value."""
    rows = some(results[f"trees-{axis}"], options=which, shape=shape)
    return {
        at: one(rows, "rpd", maker="ocs", at=at) / one(rows, "rpd", maker="gcs", at=at) - 1
        for at in values(rows, "at")
    }


def _told_gaps(results: Results, axis: str, which: str) -> str:
    parts = []
    for shape in SHAPES:
        gaps = _gaps(results, axis, which, shape)
        rows = some(results[f"trees-{axis}"], options=which, shape=shape, stopped="seconds")
        cut = {at: " (a search was stopped)" for at in values(rows, "at")}
        told = ", ".join(f"{gap:+.1%} at {axis} = {at}{cut.get(at, '')}" for at, gap in gaps.items())
        parts.append(f"{shape}: {told}")
    return "; ".join(parts)


def _judged_gaps(results: Results, axis: str, rule) -> Verdict:
    """The claim may be kept by either shape: the paper does not say which one it has."""
    good = [any(rule(_gaps(results, axis, which, shape)) for shape in SHAPES) for which in WAYS]
    return both((_told_gaps(results, axis, which) for which in WAYS), good)


def t3(results: Results) -> Verdict:
    """Holds if for a shape of trees OCS loses more at every k, and the gap at the least k is above the last."""
    return _judged_gaps(
        results, "k", lambda gaps: min(gaps.values()) > 0 and gaps[min(gaps)] > gaps[max(gaps)]
    )


def t4(results: Results) -> Verdict:
    """Holds if for a shape of trees the gap at m = 4 is larger than at m = 6 and at least 27%, half of the paper's."""
    return _judged_gaps(results, "m", lambda gaps: gaps[4] > gaps[6] and gaps[4] >= 0.27)


def t5(results: Results) -> Verdict:
    """Holds if OCS and GCS differ by less than 1% at n = 0 and by at least 25% at n = 2 and 3, for a shape of trees."""
    return _judged_gaps(results, "n", lambda gaps: abs(gaps[0]) < 0.01 and min(gaps[2], gaps[3]) >= 0.25)


def t6(results: Results) -> Verdict:
    """Holds if MiRaCle has at least 1.5 times the RPD of GCS at every m below 5."""
    rows = results["trees-m"]
    k = values(rows, "k")[0]
    theirs = one(results["trees-k"], "rpd", maker="miracle", k=k)
    told, good = [], []
    for which in WAYS:
        ours = some(rows, maker="gcs", options=which, shape=SHAPES[0])
        ratios = {row["at"]: theirs / float(row["rpd"]) for row in ours if row["at"] < 5}
        told.append(", ".join(f"{ratio:.2f} times at m = {m}" for m, ratio in ratios.items()))
        good.append(min(ratios.values()) >= 1.5)
    return both(told, good)


def t7(results: Results) -> Verdict:
    """Holds if RPD of GCS rises at no step to more records by over 1%, and is less at the end."""
    told, good = [], []
    for which in WAYS:
        rows = some(results["trees-size"], maker="gcs", options=which)
        lost = column(rows, "rpd")
        told.append(
            ", ".join(f"{x:.4f} at {n:,}" for x, n in zip(lost, values(rows, "records"), strict=True))
        )
        steps = all(after <= 1.01 * before for before, after in pairwise(lost))
        good.append(steps and lost[-1] < lost[0])
    return both(told, good)


def t8(results: Results) -> Verdict:
    """Holds if GCS keeps at least half of the frequent subtrees, and more than OCS, for a shape of trees."""
    told, good = [], []
    for which in WAYS:
        parts, kept = [], []
        for shape in SHAPES:
            rows = some(results["trees-subtrees"], options=which, shape=shape)
            ours, theirs = (some(rows, maker=maker)[0] for maker in ("gcs", "ocs"))
            parts.append(f"{shape}: of {ours['subtrees']:,} GCS {ours['kept']:,}, OCS {theirs['kept']:,}")
            kept.append(2 * ours["kept"] >= ours["subtrees"] and ours["kept"] > theirs["kept"])
        (clusters, *_) = some(
            results["trees-k"], maker="miracle", k=values(results["trees-subtrees"], "k")[0]
        )
        parts.append(
            f"MiRaCle at {clusters['records']:,} records {clusters['kept']:,} of {clusters['subtrees']:,}"
        )
        told.append("; ".join(parts))
        good.append(any(kept))
    return both(told, good)


def t9(results: Results) -> Verdict:
    """Holds if dML2 of GCS is below .19 in every run, and over n its largest and least differ by at most .02."""
    told, good = [], []
    for which in WAYS:
        rows = [row for axis in "kmn" for row in some(results[f"trees-{axis}"], maker="gcs", options=which)]
        lost = [row["dml2"] for row in rows if row["dml2"] != ""]
        over_n = column(some(results["trees-n"], maker="gcs", options=which, shape=SHAPES[0]), "dml2")
        spread = max(over_n) - min(over_n)
        told.append(f"{min(lost):.3f} to {max(lost):.3f}; over n by at most {spread:.3f}")
        good.append(max(lost) < 0.19 and spread <= 0.02)
    return both(told, good)


def t10(results: Results) -> Verdict:
    """Holds if from k = 5 to 100 and to 300 GCS becomes faster by at least half of the paper's factors (33 and 7)."""
    told, good = [], []
    for which in WAYS:
        rows = some(results["trees-k"], maker="gcs", options=which, shape=SHAPES[0])
        took = column(rows, "seconds")
        first, middle, last = took[0], took[-2], took[-1]
        told.append(
            f"{middle / first - 1:+.0%} to k = {rows[-2]['k']}, {last / middle - 1:+.0%} to k = {rows[-1]['k']}"
        )
        good.append(first / middle >= 16.5 and middle / last >= 3.5)
    return both(told, good)


def t11(results: Results) -> Verdict:
    """Holds if GCS takes less time at m = 4 than at m = 3 and than at m = 5."""
    told, good = [], []
    for which in WAYS:
        rows = some(results["trees-m"], maker="gcs", options=which, shape=SHAPES[0])
        took = {row["at"]: float(row["seconds"]) for row in rows}
        ended = {row["at"]: "" if row["stopped"] != "seconds" else "over " for row in rows}
        told.append(", ".join(f"{ended[m]}{seconds:.2f} s at m = {m}" for m, seconds in took.items()))
        good.append(took[4] < took[3] and took[4] < took[5])
    return both(told, good)


def t12(results: Results) -> Verdict:
    """Holds if the slope of log time over log records is .8 to 1.2."""
    told, good = [], []
    for which in WAYS:
        rows = some(results["trees-size"], maker="gcs", options=which)
        each = [1000 * row["seconds"] / row["cuts"] for row in rows]
        steep = slope(rows)
        told.append(f"slope {steep:.2f}; {each[0]:.1f} to {each[-1]:.1f} ms a cut")
        good.append(0.8 <= steep <= 1.2)
    return both(told, good)


def t13(results: Results) -> Verdict:
    """Holds if 4 absent values find fewer than .001 people a combination, and at most .21 if they are generalized."""
    told, good = [], []
    for which in WAYS:
        rows = some(results["trees-negative"], options=which)
        rows = some(rows, k=max(values(rows, "k")))
        found = [one(rows, "found", q=4, known=known) for known in ATTACKERS]
        told.append(f"{found[0]:.4f} and {found[1]:.4f} people a combination at q = 4, k = {rows[0]['k']}")
        good.append(found[0] < 0.001 and found[1] <= 0.21)
    return both(told, good)


CURVES = ("trees-k", "trees-m", "trees-n")
_FEWER = "fewer records and one reading of prices; the paper has 250,000 records, and 100,000 for ACS"
CLAIMS = (
    Claim("T1", "GCS reaches ACS's RPD at g = 2", "Fig. 11, 12", ("trees-g",), t1, _FEWER),
    Claim("T2", "GCS is at least 10 times as fast as ACS in most settings", "Fig. 13", ("trees-g",), t2, _FEWER),
    Claim("T3", "OCS loses more than GCS, and more so for a small k", "+8.7% (k = 300) to +39.5% (k = 5)",
          ("trees-k",), t3, _FEWER),
    Claim("T4", "as m falls from 6 to 4, OCS loses up to 54% more", "up to +54%", ("trees-m",), t4, _FEWER),
    Claim("T5", "n = 0: GCS and OCS are the same; n = 2, 3: OCS loses 1.5 times as much", "+0%, +50%", ("trees-n",), t5,
          _FEWER),
    Claim("T6", "MiRaCle's RPD is about double GCS's for m < 5", "about 2 times", ("trees-k", "trees-m"), t6, _FEWER),
    Claim("T7", "RPD of GCS falls as data grow", "Fig. 14d, 100k to 1M", ("trees-size",), t7, _FEWER),
    Claim("T8", "frequent subtrees that are kept at 1% support", "of 10,845 GCS 6,457, OCS 1,864, MiRaCle 2,358",
          ("trees-subtrees", "trees-k"), t8, _FEWER),
    Claim("T9", "dML2 is below 19%, and GCS does not mind n", "Fig. 16", CURVES, t9, _FEWER),
    Claim("T10", "time falls as k grows from 5 to 100, and to 300", "-97%, -85.8%", ("trees-k",), t10, _FEWER),
    Claim("T11", "time has a minimum at m = 4", "-70.5% from m = 3", ("trees-m",), t11, _FEWER),
    Claim("T12", "time is linear in the number of records", "Fig. 17d", ("trees-size",), t12, _FEWER),
    Claim("T13", "whoever knows 4 absent values finds hardly anybody",
          "below .001 by original values, .21 by generalized", ("trees-negative",), t13, _FEWER),
)  # fmt: skip


def figures(results: Results) -> Iterator[Figure]:
    """Figures 11 to 17."""
    if rows := results.get("trees-g"):
        many = max(values(rows, "records"), key=lambda n: len(some(rows, records=n)))
        here = some(rows, options="paper", records=many)
        panels = tuple(
            Panel(f"{y}, {many:,} records", "g", y, tuple(
                line(f"k = {k}", some(here, maker="gcs", k=k), "g", y) for k in values(here, "k")))
            for y in ("rpd", "seconds")
        )  # fmt: skip
        yield Figure("trees-g", "Record trees, Figures 11 to 13: GCS against g", panels)
    if rows := results.get("trees-negative"):
        panels = tuple(
            Panel(f"k = {k}", "q", "people a combination", tuple(
                line(f"{known}, {which}", some(rows, k=k, known=known, options=which), "q", "found")
                for known in ATTACKERS for which in WAYS))
            for k in values(rows, "k")
        )  # fmt: skip
        yield Figure("trees-negative", "Record trees, Figure 18: absent values are known", panels)
    axes = [axis for axis in "kmn" if f"trees-{axis}" in results]
    for y, title in (("rpd", "14"), ("ml2", "15"), ("dml2", "16"), ("seconds", "17")):
        panels = [_curve(results, axis, y) for axis in axes]
        if y in ("rpd", "seconds") and (rows := results.get("trees-size")):
            panels.append(Panel("against size", "records", y, tuple(
                line(f"{maker}, {which}", some(rows, maker=maker, options=which), "records", y)
                for maker in ("gcs", "ocs") for which in WAYS), "x" if y == "rpd" else "xy"))  # fmt: skip
        if panels:
            yield Figure(f"trees-{y}", f"Record trees, Figure {title}", tuple(panels))


def _curve(results: Results, axis: str, y: str) -> Panel:
    rows = some(results[f"trees-{axis}"], shape=SHAPES[0])
    lines = [
        line(f"{maker}, {which}", some(rows, maker=maker, options=which), "at", y)
        for maker in ("gcs", "ocs")
        for which in WAYS
    ]
    if axis == "k":
        lines.append(line("miracle", some(rows, maker="miracle"), "at", y))
    return Panel(f"against {axis}", axis, y, tuple(lines), "x" if axis == "k" else "")
