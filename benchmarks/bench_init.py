"""What `shoal init` costs: a million invented people of 20 columns, from the csv file to shoal.toml and hierarchies/.

Run `python benchmarks/bench_init.py`; CPU time of one process, reading included.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

import shoal
from common import cpu, show

PEOPLE = 1_000_000
LIMIT = 20.0


def invented(people):
    """A table with names, dates, codes, places, amounts and words."""
    rng = np.random.default_rng(0)
    days = np.datetime64("1930-01-01") + rng.integers(0, 30_000, people).astype("timedelta64[D]")
    minutes = np.datetime64("2015-01-01T00:00") + rng.integers(0, 5_000_000, people).astype("timedelta64[m]")
    illnesses = [f"{letter}{i:02d}.{j}" for letter in "ABCEIJ" for i in range(40) for j in range(4)]
    return pl.DataFrame(
        {
            "customer_id": np.arange(people) + 10_000_000,
            "name": [f"P{i}" for i in rng.integers(0, 800_000, people)],
            "birth_date": days.astype(str),
            "zip": [f"{code:05d}" for code in rng.integers(1000, 99_999, people)],
            "sex": rng.choice(["f", "m"], people),
            "city": rng.choice([f"Town {i}" for i in range(800)], people),
            "job": rng.choice([f"job {i}" for i in range(120)], people),
            "income": np.round(rng.lognormal(10, 0.7, people), 2),
            "height": np.round(rng.normal(170, 10, people), 1),
            "weight": np.round(rng.normal(75, 14, people), 1),
            "kids": rng.poisson(1.4, people),
            "diagnosis": rng.choice(illnesses, people),
            "smoker": rng.choice(["yes", "no", ""], people),
            "score": rng.random(people).round(6),
            "grade": rng.integers(1, 7, people),
            "plan": rng.choice(list("ABCDE"), people),
            "balance": np.round(rng.normal(0, 5000, people), 2),
            "visits": rng.poisson(3, people),
            "region": rng.choice(["north", "south", "east", "west"], people),
            "seen": minutes.astype(str),
        }
    )


def main():
    with TemporaryDirectory() as folder:
        path = Path(folder, "people.csv")
        invented(PEOPLE).write_csv(path)
        seconds, proposal = cpu(lambda: shoal.propose(path))
        writing, _ = cpu(lambda: proposal.save(folder))
    show(
        f"init: {PEOPLE:,} people, {len(proposal.columns)} columns",
        [
            ("CPU to look and propose", f"{seconds:.1f} s", f"{LIMIT:.0f} s"),
            ("CPU to write the files", f"{writing:.1f} s", ""),
        ],
    )


if __name__ == "__main__":
    main()
