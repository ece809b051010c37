"""Join the people of 2005 with their diagnoses: one row a person, codes with blanks between them."""

import polars as pl

married = ["married", "widowed", "divorced", "separated", "never married", "under 16"]
race = ["white", "black", "native", "asian", "islander", "several"]
codes = pl.read_csv("conditions05.csv.gz", infer_schema=False).filter(
    ~pl.col("ICD9CODX").str.starts_with("-")
)
baskets = codes.group_by("DUPERSID").agg(codes=pl.col("ICD9CODX").unique().sort().str.join(" "))
people = pl.read_csv("demographics05test.csv.gz", schema_overrides={"DUPERSID": pl.String})
people.join(baskets, on="DUPERSID", maintain_order="left").select(
    sex=pl.col("SEX").replace_strict({1: "male", 2: "female"}),
    born="DOBYY",
    race=pl.col("RACEX").replace_strict(dict(enumerate(race, 1))),
    married=pl.col("marry").replace_strict(dict(enumerate(married, 1)), default="unknown"),
    codes="codes",
).write_csv("patients.csv")
