"""The tax units of New England in 2014, with words instead of codes; weights are in hundredths."""

import polars as pl

states = {
    9: "Connecticut",
    23: "Maine",
    25: "Massachusetts",
    33: "New Hampshire",
    44: "Rhode Island",
    50: "Vermont",
}
kinds = {1: "single", 2: "couple", 3: "apart", 4: "single parent"}
cps = pl.read_csv("cps.csv.gz").filter(pl.col("FLPDYR") == 2014, pl.col("fips").is_in(states))
cps.select(
    household="h_seq",
    state=pl.col("fips").replace_strict(states),
    age="age_head",
    kind=pl.col("MARS").replace_strict(kinds),
    people="XTOT",
    wages="e00200",
    weight=pl.col("s006") / 100,
).write_csv("survey.csv")
