"""The data of the race: Adult and mach2019 as they are, people drawn from Adult, and real ones who are held back."""

import gzip
from pathlib import Path

import polars as pl
from benchmarks.peers.measure import Tree, read_tree

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
ADULT = (
    "age", "sex", "race", "education", "marital-status", "workclass", "native-country", "occupation", "salary-class",
)  # fmt: skip
MACH = ("age", "familysize", "gender", "married", "race", "religion", "Q1A", "Q2A")
LABEL, NUMBERS, HELD = "salary-class", ("age",), 5_000
DRAWN = "drawn"


def quasi(name: str, columns: int) -> list[str]:
    """So many quasi-identifiers of the data of that name."""
    return list((MACH if name == "mach2019" else ADULT)[:columns])


def records(name: str, rows: int) -> pl.DataFrame:
    """The records of the data of that name: the first so many, or as many as are drawn."""
    if name == DRAWN:
        return _drawn(rows)
    if name == "Adult":
        return pl.read_csv(SHARED / "adult" / "adult.csv", separator=";", infer_schema=False)[:rows]
    packed = gzip.decompress((SHARED / "mach2019" / "mach2019_int.csv.gz").read_bytes())
    return pl.read_csv(packed, separator=";", infer_schema=False)[:rows]


def files(name: str) -> dict[str, str]:
    """Where each hierarchy is."""
    if name == "mach2019":
        return {one: str(SHARED / name / f"mach2019_int_hierarchy_{one}.csv") for one in MACH}
    return {one: str(SHARED / "adult" / f"adult_hierarchy_{one}.csv") for one in ADULT}


def trees(name: str) -> dict[str, Tree]:
    """What each hierarchy's labels cover."""
    return {one: read_tree(file) for one, file in files(name).items()}


def held_back() -> pl.DataFrame:
    """People of Adult from whom nobody was drawn."""
    return _shuffled()[:HELD]


def _drawn(rows: int, seed: int = 0) -> pl.DataFrame:
    """So many people: each drawn from Adult, one cell in ten from somebody else, so that tuples differ."""
    known = _shuffled()[HELD:]
    own = known.sample(rows, with_replacement=True, seed=seed)
    swap = pl.int_range(rows, eager=True).hash(seed) % 10
    others = [
        known[name].sample(rows, with_replacement=True, seed=seed + j + 1)
        for j, name in enumerate(known.columns)
    ]
    return own.select(
        pl.when((swap + j) % 10 == 0).then(others[j]).otherwise(pl.col(name)).alias(name)
        for j, name in enumerate(known.columns)
    )


def _shuffled() -> pl.DataFrame:
    return records("Adult", 30_162).sample(fraction=1.0, shuffle=True, seed=1).select(ADULT)
