"""Tables of counts: their rows are groups of people, which is a question about the file as a whole."""

import tomllib
from random import Random

import polars as pl
import pytest

import shoal
from shoal.io.config import load
from shoal.io.settings import WHOLE_FILE
from shoal.proposal.decisions import GROUPS
from shoal.proposal.proposal import summarize_proposal

pytestmark = pytest.mark.usefixtures("untried")

BANDS = [f"{age}-{age + 9}" for age in range(0, 90, 10)]
TOWNS = [f"Ville {letter}" for letter in "ABCDEFGHIJKLMNOPQRST"]
RNG = Random(3)


def drawn(many, most=400):
    return [RNG.randint(1, most) for _ in range(many)]


def with_total(table, name):
    counts = [column for column in table.columns if table.schema[column].is_integer()]
    return table.with_columns(pl.sum_horizontal(counts).alias(name))


SEXES = pl.DataFrame({"Altersgruppe": BANDS, "männlich": drawn(9), "weiblich": drawn(9)})
WARDS = pl.DataFrame(
    {"Diagnose": ["Asthma", "Gicht", "Grippe", "Krebs"], "ambulant": drawn(4), "stationär": drawn(4)}
)
CROSSED = pl.DataFrame(
    [(sex, town) for sex in ("m", "w") for town in TOWNS[:4]], schema=["Geschlecht", "Ort"], orient="row"
).with_columns(n=pl.Series(drawn(8)))
BOTH = CROSSED.group_by("Ort").agg(pl.lit("gesamt").alias("Geschlecht"), pl.col("n").sum())
COUNTS = {
    "heads are sexes": SEXES,
    "and a total": with_total(SEXES, "gesamt"),
    "a total alone": with_total(WARDS, "Summe"),
    "heads are years": pl.DataFrame({"Commune": TOWNS} | {year: drawn(20) for year in ("2019", "2020", "2021")}),
    "heads are bands": pl.DataFrame({"Town": TOWNS} | {band: drawn(20) for band in ("0-17", "18-64", "65+")}),
    "heads are answers": pl.DataFrame({"Sesso": ["M", "F", "X"], "Sì": drawn(3), "No": drawn(3)}),
    "rows of totals": pl.concat([CROSSED, BOTH.select(CROSSED.columns)]),
}  # fmt: skip


@pytest.mark.parametrize("table", COUNTS.values(), ids=COUNTS)
def test_a_table_of_counts_is_asked_about(table):
    assert shoal.propose(table).undecided[WHOLE_FILE] == GROUPS


def test_a_pivot_with_both_margins_is_asked_about_and_the_answer_is_awaited(tmp_path):
    table = with_total(SEXES, "gesamt")
    sums = pl.DataFrame(
        [("Gesamt", *(int(table[name].sum()) for name in table.columns[1:]))], table.schema, orient="row"
    )
    pl.concat([table, sums]).write_csv(tmp_path / "pivot.csv")
    found = shoal.propose(tmp_path / "pivot.csv")
    assert next(iter(found.undecided)) == WHOLE_FILE
    assert "  the file as a whole: its rows look like groups of people" in "\n".join(
        summarize_proposal(found)
    )
    found.save(tmp_path)
    written = tomllib.loads((tmp_path / "shoal.toml").read_text())
    assert written["undecided"][WHOLE_FILE] == GROUPS
    assert load(tmp_path / "shoal.toml").undecided[WHOLE_FILE] == GROUPS


N = 120
PEOPLE = {
    "exams": {
        "Matrikelnummer": [100_000 + i for i in range(N)],
        "Aufgabe 1": drawn(N, 20),
        "Aufgabe 2": drawn(N, 20),
    },
    "names": {
        "Name": [f"Kind {chr(65 + i % 26)}{i // 26}" for i in range(N)],
        "A1": drawn(N, 9),
        "A2": drawn(N, 9),
    },
    "households": {
        "sex": ["m", "f"] * (N // 2),
        "age": drawn(N, 80),
        "adults": drawn(N, 3),
        "kids": drawn(N, 4),
    },
    "numbered": {"": [*range(N)], "adults": drawn(N, 3), "kids": drawn(N, 4)},
}


@pytest.mark.parametrize("columns", PEOPLE.values(), ids=PEOPLE)
def test_people_whose_numbers_add_up_are_people(columns):
    table = pl.DataFrame(columns)
    last = table.columns[-2:]
    table = table.with_columns(points=pl.col(last[0]) + pl.col(last[1]))
    assert WHOLE_FILE not in shoal.propose(table).undecided
