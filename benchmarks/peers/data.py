"""The data of the race: people like Adult's, as many as asked for, and real ones held back for the classifier."""

from pathlib import Path

import polars as pl
from benchmarks.peers.measure import Tree, read_tree

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult"
QUASI = (
    "age", "sex", "race", "education", "marital-status", "workclass", "native-country", "occupation", "salary-class",
)  # fmt: skip
LABEL, NUMBERS, HELD = "salary-class", ("age",), 5_000


def people(rows: int, seed: int = 0) -> pl.DataFrame:
    """So many people: each drawn from Adult, one cell in ten from somebody else, so that tuples differ."""
    known = _adult()[HELD:]
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


def held_back() -> pl.DataFrame:
    """People of Adult from whom nobody was drawn."""
    return _adult()[:HELD]


def trees() -> dict[str, Tree]:
    """What each hierarchy's labels cover."""
    return {name: read_tree(files()[name]) for name in QUASI}


def files() -> dict[str, str]:
    """Where each hierarchy is."""
    return {name: str(ADULT / f"adult_hierarchy_{name}.csv") for name in QUASI}


def _adult() -> pl.DataFrame:
    frame = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    return frame.sample(fraction=1.0, shuffle=True, seed=1).select(QUASI)
