"""What ARX and sdcMicro do beside releases of classes: cells that are blanked, risks, means; shoal on the same jobs.

Every part is a list of cases and of racers. What was measured is kept in `benchmarks/results/peers.csv`, one figure a
line. sdcMicro's own test data come out of the package, so cases with them are not here without it.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from benchmarks.peers import data
from benchmarks.peers.measure import averaged, blanked
from benchmarks.peers.racing import NOT_HERE, Racer, environment, run

__all__ = ["PARTS", "RESULTS", "kept", "race"]

RESULTS = Path(__file__).parents[1] / "results" / "peers.csv"
FIELDS = ("part", "data", "asked", "racer", "what", "value")
FRACTION = 0.01
SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
FIVE = ("roof", "walls", "water", "relat", "sex")
KEYS = ("Key1", "Key2", "Key3", "Key4")
OURS = Racer("", "beside_worker.py", "", "")
ARX, SDCMICRO = Racer("ARX", "Arx.java", "", ""), Racer("sdcMicro", "sdcmicro.R", "", "")


@dataclass(frozen=True)
class Case:
    """One job: data by name (`holes` blanks some of them by row number), columns, and what is asked."""

    source: str
    quasi: tuple[str, ...]
    k: int = 0
    known: int = 0
    rows: int = 1_000_000
    weight: str | None = None
    household: str | None = None
    holes: bool = False

    def words(self) -> tuple[str, str]:
        """Which data, and what is asked of them."""
        few = f", {self.rows:,} records" if self.rows < 1_000_000 else ""
        name = (
            f"{self.source}{few}, {len(self.quasi)} columns{' and holes' if self.holes else ''}"
            if self.quasi
            else self.source
        )
        known = "all known" if self.known == len(self.quasi) else f"any {self.known} known"
        return name, ", ".join([f"k = {self.k}"] * (self.k > 0) + [known] * (self.known > 0))

    def frame(self, cache: Path) -> pl.DataFrame | None:
        """The columns that are needed; None where the package that has them is not here."""
        if self.source in ("Adult", "mach2019"):
            return data.records(self.source, self.rows).select(self.quasi)
        file = cache / f"{self.source}.csv"
        if not file.exists():
            there = environment(SDCMICRO, cache)
            if there is None:
                return None
            run(there[0], {"maker": "data", "name": self.source, "out": str(file)}, cache, 60)
        found = pl.read_csv(file, separator=";", infer_schema=False)
        if not self.quasi:  # numbers, each with mean 0 and deviation 1
            return found.select(
                (pl.all().cast(float) - pl.all().cast(float).mean()) / pl.all().cast(float).std()
            )
        if self.holes:
            at = pl.int_range(pl.len())
            found = found.with_columns(
                pl.when((at >= j) & ((at - j) % (23 + 6 * j) == 0)).then(None).otherwise(name).alias(name)
                for j, name in enumerate(self.quasi)
            )
        return found.select(*self.quasi, *filter(None, (self.weight, self.household)))


@dataclass(frozen=True)
class Part:
    """A part of the race: who does what, in which cases, and how what they wrote is judged."""

    title: str
    words: str
    racers: dict[str, tuple[Racer, dict[str, Any]]]
    cases: list[Case]
    shown: dict[str, str]  # figures by name, and how they are written
    lower: tuple[str, ...]  # figures of which less is better
    promise: str  # the figure that k is asked of
    judged: Callable[[Case, pl.DataFrame, pl.DataFrame, dict[str, Any]], dict[str, Any]]


def race(name: str, cache: Path, limit: int) -> None:
    """All cases of one part."""
    part = PARTS[name]
    rows = [row for row in kept() if row["part"] != name]
    starts = {racer: environment(one, cache) for racer, (one, _) in part.racers.items()}
    for case in part.cases:
        frame, (source, asked) = case.frame(cache), case.words()
        (cache / "first.csv").unlink(missing_ok=True)
        for racer, (_, more) in part.racers.items():
            there = starts[racer]
            found = (
                NOT_HERE
                if there is None or frame is None
                else _one(part, case, frame, there[0], more, cache, limit)
            )
            found = found | ({"version": there[1]} if there and there[1] else {})
            print(name, source, asked, racer, found, flush=True)
            said = (name, source, asked, racer)
            rows += [dict(zip(FIELDS, (*said, *figure), strict=True)) for figure in found.items()]
        with open(RESULTS, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def kept(path: Path = RESULTS) -> list[dict[str, str]]:
    """What was measured before."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _one(
    part: Part,
    case: Case,
    frame: pl.DataFrame,
    start: list[str],
    more: dict[str, Any],
    cache: Path,
    limit: int,
) -> dict[str, Any]:
    whole, small, out = (cache / name for name in ("cells.csv", "few.csv", "out.csv"))
    frame.write_csv(whole, separator=";")
    frame[:500].write_csv(small, separator=";")
    job = {
        "data": str(whole), "small": str(small), "out": str(out), "quasi": list(case.quasi), "k": case.k,
        "known": case.known, "weight": case.weight, "household": case.household, "fraction": FRACTION,
        "hierarchies": _flat(frame, case.quasi, cache) if start[0] == "java" else {}, **more,
    }  # fmt: skip
    found = run(start, job, cache, limit)
    if "ended" in found:
        return found
    if not out.exists():  # ARX tells sums and no records
        return found | _counted(case, frame, found)
    wrote, first = pl.read_csv(out, separator=";", infer_schema=False), cache / "first.csv"
    if "fk" in wrote.columns and first.exists():
        found |= _apart(pl.read_csv(first, separator=";", infer_schema=False), wrote)
    elif "fk" in wrote.columns:
        out.rename(first)
    return part.judged(case, frame, wrote, found)


def _flat(frame: pl.DataFrame, quasi: tuple[str, ...], cache: Path) -> dict[str, str]:
    """Hierarchies for ARX in which a cell stays as it is or becomes a star."""
    for name in quasi:
        lines = [f"{value};*\n" for value in frame[name].unique().sort().to_list()]
        (cache / f"flat_{name}.csv").write_text("".join(lines), encoding="utf-8")
    return {name: str(cache / f"flat_{name}.csv") for name in quasi}


def _cells(case: Case, frame: pl.DataFrame, wrote: pl.DataFrame, found: dict[str, Any]) -> dict[str, Any]:
    stars = wrote.select(pl.when(pl.col(name) != "*").then(name).alias(name) for name in case.quasi)
    return found | blanked(frame, stars, case.known)


def _risk(case: Case, frame: pl.DataFrame, wrote: pl.DataFrame, found: dict[str, Any]) -> dict[str, Any]:
    """Sums over records."""
    records = wrote.cast(pl.Float64, strict=False)
    alike = records["fk"].to_numpy()
    found |= {
        "alone": int((alike < 2).sum()),
        "below3": int((alike < 3).sum()),
        "mean": float((1 / alike).mean()),
    }
    if not case.holes:
        found |= _counted(case, frame, found)
    if case.weight:
        found["expected"] = float(records["risk"].sum())
    if case.household:
        found["household"] = float(records["hier_risk"].sum())
    return found


def _counted(case: Case, frame: pl.DataFrame, found: dict[str, Any]) -> dict[str, str]:
    """Whether our own group-by, in which a blank is a value, counts as many people alone and below 3."""
    sizes = frame.group_by(case.quasi).len()["len"]
    own = {"alone": int((sizes == 1).sum()), "below3": int(sizes.filter(sizes < 3).sum())}
    return {"counted": "yes" if all(found.get(what, many) == many for what, many in own.items()) else "no"}


def _apart(first: pl.DataFrame, other: pl.DataFrame) -> dict[str, float]:
    """How far two racers are apart at most in the risk of a record, of those for which both have a number."""
    apart = [0.0]
    for name in {"fk", "risk", "hier_risk", "exact"} & set(first.columns) & set(other.columns):
        both = np.stack(
            [one[name].cast(pl.Float64, strict=False).fill_null(0).to_numpy() for one in (first, other)]
        )
        both = both[:, np.isfinite(both).all(axis=0) & (both > 0).all(axis=0)]
        apart += np.abs(both[0] - both[1]).tolist()
    return {"apart": max(apart)}


def _means(case: Case, frame: pl.DataFrame, wrote: pl.DataFrame, found: dict[str, Any]) -> dict[str, Any]:
    return found | averaged(frame.to_numpy(), wrote.cast(pl.Float64).to_numpy().astype(np.float64))


SIX = ("sex", "age", "race", "marital-status", "education", "workclass")
PARTS = {
    "fits": Part(
        "Blanked cells, counted as sdcMicro does",
        "Cells fit if they are equal or one of them is blank. `fits` is the fewest rows that fit a row by the "
        "columns that are known, `alike` the fewest that look like it there, both by our own count. shoal shows "
        "this and does not publish it, for `alike` is what protects. `kAnon` of sdcMicro calls the same function. "
        "sdcMicro's defaults prefer some columns.",
        {
            "shoal blank, count = argus": (OURS, {"maker": "blanks"}),
            "sdcMicro localSuppression": (SDCMICRO, {"maker": "blanks"}),
        },
        [
            *(Case("testdata", SEVEN, k, known) for k in (3, 5) for known in (7, 3)),
            Case("testdata2", SEVEN, 3, 3),
            Case("testdata", FIVE, 7, 4),
            Case("Adult", SIX, 7, 4, rows=3_000),
            Case("Adult", data.ADULT[:7], 5, 3),
            Case("mach2019", data.MACH, 5, 3),
        ],
        {"cpu": "{:.2f}", "peak": "{:,.0f}", "cells": "{:,.0f}", "fits": "{:,.0f}", "alike": "{:,.0f}"},
        ("cpu", "peak", "cells"),
        "fits",
        _cells,
    ),
    "alike": Part(
        "Blanked cells, counted as they protect",
        "At least k rows look the same in the columns that are known, blanks included. ARX does it for all "
        "columns, by local recoding with hierarchies in which a value becomes a star; a record that it leaves out "
        "counts as blank cells.",
        {"shoal blank": (OURS, {"maker": "cells"}), "ARX local, flat": (ARX, {"maker": "local"})},
        [
            Case("testdata", SEVEN, 3, 7),
            Case("Adult", data.ADULT[:7], 5, 7),
            Case("mach2019", data.MACH, 5, 8),
        ],
        {"cpu": "{:.2f}", "peak": "{:,.0f}", "cells": "{:,.0f}", "alike": "{:,.0f}"},
        ("cpu", "peak", "cells"),
        "alike",
        _cells,
    ),
    "risk": Part(
        "Risk of the data as they came",
        "The same figures by each: people alone and below 3 by all columns, the mean of 1 / look-alikes and the "
        "share of people above 0.2, the share of people alone in a population of which these are 1% (Pitman, "
        "Zayatz), the people expected to be found with sampling weights (individual risk by the usual "
        "approximation), the same by households, how far a record's figures are from shoal's at most (`exact` of "
        "`indivRisk` among them, where it has a number), and whether our own group-by counts as many people alone "
        "and below 3. shoal also looks at every set of columns and at special uniques within its time. To ARX a "
        "blank cell is a value of its own, and it has no figure of Pitman where it says 0.",
        {
            "shoal risk": (OURS, {"maker": "risk"}),
            "ARX": (ARX, {"maker": "risk"}),
            "sdcMicro measure_risk": (SDCMICRO, {"maker": "risk"}),
        },
        [
            Case("Adult", data.ADULT),
            Case("mach2019", data.MACH),
            Case("testdata", SEVEN, weight="sampling_weight", household="ori_hid"),
            Case("testdata", (*SEVEN[:4], "sex"), weight="sampling_weight", household="ori_hid"),
            Case("testdata", SEVEN, weight="sampling_weight", household="ori_hid", holes=True),
            Case("testdata2", SEVEN, weight="sampling_weight", household="ori_hid"),
            Case("francdat", KEYS, weight="w"),
        ],
        {
            "cpu": "{:.2f}",
            "peak": "{:,.0f}",
            "alone": "{:,.0f}",
            "below3": "{:,.0f}",
            "mean": "{:.6f}",
            "pitman": "{:.6f}",
            "zayatz": "{:.6f}",
            "above": "{:.6f}",
            "expected": "{:.4f}",
            "household": "{:.4f}",
            "apart": "{:.0e}",
            "counted": "{}",
        },
        ("cpu", "peak"),
        "",
        _risk,
    ),
    "means": Part(
        "Means of groups",
        "MDAV on standardized numbers: the spread that is lost (SSE/SST, percent) and the smallest group, by our "
        "own count.",
        {
            "shoal mdav": (OURS, {"maker": "means", "improve": True}),
            "shoal mdav, improve = false": (OURS, {"maker": "means", "improve": False}),
            "sdcMicro mdav": (SDCMICRO, {"maker": "means"}),
        },
        [Case(name, (), k) for name, k in (("CASCrefmicrodata", 3), ("Tarragona", 3), ("Tarragona", 10))],
        {"cpu": "{:.2f}", "peak": "{:,.0f}", "lost": "{:.2f}", "alike": "{:,.0f}"},
        ("cpu", "peak", "lost"),
        "alike",
        _means,
    ),
}
