"""Small tables with a cell of every kind, in files, for tests of what is done with large ones."""

import datetime as dt

import numpy as np
import polars as pl


def people(n=400, seed=0):
    """Records with a cell of every kind."""
    rng = np.random.default_rng(seed)
    pick = lambda *values: [values[i] for i in rng.integers(0, len(values), n)]  # noqa: E731
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": pl.Series(rng.integers(20, 60, n)),
            "zip": pick("1010", "1011", "2020", "2021", "", None),
            "weight": pl.Series(pick(60.0, 61.5, 72.0, float("nan"), None), dtype=pl.Float64),
            "born": pl.Series(pick(dt.date(1980, 1, 2), dt.date(1990, 5, 6), None), dtype=pl.Date),
            "ill": pick("flu", "=1+1", 'he said "no"', "a,b", None, "gout", "-7", "é"),
            "ward": pl.Series(pick(1, 2, 3), dtype=pl.Int16),
            "when": pl.Series(
                pick(dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)), dtype=pl.Datetime("us")
            ),
            "dose": pl.Series(pick(0.1, 1.0, 1e22, 1e-7, -0.0, None), dtype=pl.Float64),
            "well": pl.Series(pick(True, False, None), dtype=pl.Boolean),
        }
    )


CONFIG = """
[data]
path = "{file}"
missing = ["", "?", "NaN"]

[columns]
id = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }}, weight = 2 }}
weight = {{ role = "quasi", hierarchy = {{ ranges = [10, 50] }} }}
born = "quasi"
ill = "sensitive"
ward = {{ role = "plain", allow = true }}
when = {{ role = "plain", allow = true }}
dose = {{ role = "plain", hierarchy = {{ ranges = [1, 10] }}, level = 1, allow = true }}
well = {{ role = "plain", allow = true }}

[guarantee]
k = 4
{guarantee}

[method]
name = "{method}"
suppress = {suppress}

[release]
format = "{format}"
"""


def write(frame, path):
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "ndjson": frame.write_ndjson}[path.suffix[1:]](
        path
    )


def configured(folder, frame, *, kind="parquet", method="optimal", suppress=0.1, format="csv", guarantee=""):
    write(frame, folder / f"people.{kind}")
    text = CONFIG.format(
        file=f"people.{kind}", method=method, suppress=suppress, format=format, guarantee=guarantee
    )
    (folder / "shoal.toml").write_text(text)
    return folder / "shoal.toml"
