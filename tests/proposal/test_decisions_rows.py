"""What a row stands for: a person, one of a person's rows, several people, or part of a group named above it."""

from hashlib import md5
from itertools import product

import polars as pl
import pytest

import shoal

pytestmark = pytest.mark.usefixtures("untried")

SEVERAL = "it seems to say how many people each row stands for"
TURNED = "names of people seem to stand over the columns"


# Several rows of one person under a name that says nothing: what the rows have in common shows it.


def visits(**more):
    """60 people with 15 visits each."""
    rows = [(who, visit) for who in range(60) for visit in range(15)]
    columns = {
        "key": [f"v{who:02}" for who, _ in rows],
        "browser": [("fox", "owl", "elk")[who % 3] for who, _ in rows],
        "page": [("sport", "health", "games", "news")[(who * visit) % 4] for who, visit in rows],
    }
    return pl.DataFrame(columns | {name: [value(*row) for row in rows] for name, value in more.items()})


@pytest.mark.parametrize(
    "key", ["h", "account", "Zählpunkt", "card"], ids=["hash", "account", "meter", "card"]
)
def test_rows_that_share_a_birthday_by_a_code_are_one_persons(key):
    frame = visits(birth_year=lambda who, _: 1950 + who % 40).rename({"key": key})
    if key == "h":
        frame = frame.with_columns(
            pl.col("h").map_elements(lambda code: md5(code.encode()).hexdigest(), pl.String)
        )
    found = shoal.propose(frame)
    assert found.data.person == key
    assert found[key].role == "identifier"
    assert found[key].advice == "whether rows with the same value belong to one person"


def test_rows_of_which_no_two_are_of_one_time_are_one_persons():
    found = shoal.propose(visits(read=lambda _, visit: f"2024-03-{1 + visit:02}"))
    assert found.data.person == "key"


@pytest.mark.parametrize(
    "more",
    [
        {"birth_year": lambda who, visit: 1950 + (who * 7 + visit * 3) % 40},
        {"birth_year": lambda who, _: 1950 + who % 40, "sex": lambda who, visit: "fm"[(who + visit) % 2]},
        {"read": lambda who, visit: f"2024-03-{1 + (who * visit) % 28:02}"},
    ],
    ids=["other birthdays", "other sexes", "other times"],
)
def test_rows_that_differ_in_what_stays_with_a_person_are_several_peoples(more):
    assert shoal.propose(visits(**more)).data.person is None


def test_people_who_share_a_first_name_are_several():
    frame = pl.DataFrame(
        {
            "first name": [
                ("Ewa", "Jan", "Ola", "Iga", "Ada", "Leo", "Max", "Eva", "Tom", "Kim")[i % 10]
                for i in range(400)
            ],
            "birth date": [f"2010-{1 + i // 10 % 12:02}-{1 + i // 120:02}" for i in range(400)],
            "sex": ["fm"[i // 7 % 2] for i in range(400)],
        }
    )
    assert shoal.propose(frame).data.person is None


def test_who_a_person_is_not_may_be_stated():
    found = shoal.propose(visits(birth_year=lambda who, _: 1950 + who % 40), roles={"key": "quasi"})
    assert (found.data.person, found["key"].role) == (None, "quasi")


def test_codes_whose_rows_agree_in_two_things_are_asked_about():
    found = shoal.propose(visits(plan=lambda who, _: ("small", "large", "huge")[who // 7 % 3]))
    assert found.data.person is None
    assert "if rows with the same value are one person's" in found["key"].undecided


# Rows that are no people.


@pytest.mark.parametrize("name", ["Anzahl Personen", "Fallzahl", "n", "number of cases"])
def test_numbers_of_people_are_asked_about(name):
    rows = list(
        product(("north", "south", "east", "west"), ("0-17", "18-64", "65+"), ("f", "m"), (2020, 2021))
    )
    frame = pl.DataFrame(rows, schema=["district", "ages", "sex", "year"], orient="row")
    found = shoal.propose(
        frame.with_columns(pl.Series(name, [5 + place * 7 % 60 for place in range(len(rows))]))
    )
    assert found[name].undecided.startswith(SEVERAL)


def test_a_number_that_people_have_is_not_asked_about():
    frame = pl.DataFrame(
        {
            "sex": ["f", "m"] * 100,
            "town": [("Ulm", "Bonn", "Kiel")[i % 3] for i in range(200)],
            "Anzahl Kinder": [i * 7 % 5 for i in range(200)],
        }
    )
    assert SEVERAL not in shoal.propose(frame)["Anzahl Kinder"].undecided


@pytest.mark.parametrize("name", ["n", "count"])
def test_rows_that_are_numbered_are_no_numbers_of_people(name):
    frame = pl.DataFrame(
        {name: range(1, 201), "sex": ["f", "m"] * 100, "age": [20 + i % 50 for i in range(200)]}
    )
    assert SEVERAL not in shoal.propose(frame)[name].undecided


def test_a_group_that_is_named_once_is_asked_about():
    filled = [f"ward {place // 8}" if place % 8 == 0 else None for place in range(160)]
    frame = pl.DataFrame({"ward": filled, "sex": ["f", "m"] * 80, "age": [20 + i % 50 for i in range(160)]})
    assert "as where a group is named once" in shoal.propose(frame)["ward"].undecided
    written = frame.with_columns(pl.col("ward").forward_fill())
    assert "named once" not in shoal.propose(written)["ward"].undecided


def test_people_in_columns_are_asked_about():
    names = ["Anna Abel", "Ben Beck", "Clara Cron", "Emil Ernst", "Paul Roth", "Marie Weber"]
    marks = {name: [1 + (place * row) % 6 for row in range(30)] for place, name in enumerate(names, 1)}
    found = shoal.propose(pl.DataFrame({"subject": [f"subject {row % 3}" for row in range(30)], **marks}))
    assert all(found[name].undecided.startswith(TURNED) for name in names)


def test_initials_are_nobodys_missing_value():
    initials = [f"{a}.{b}." for a in "KNSB" for b in "ABCD"]
    frame = pl.DataFrame(
        {"short": initials * 10, "sex": ["f", "m"] * 80, "age": [20 + i % 50 for i in range(160)]}
    )
    assert shoal.propose(frame).data.missing == ("",)
    asked = frame.with_columns(short=pl.Series(["yes", "no", "k.A.", "maybe"] * 40))
    assert "k.A." in shoal.propose(asked).data.missing


def test_whoever_lives_where_something_happened_is_no_person():
    places = [f"{1 + i % 40} Mill Road" for i in range(200)]
    frame = pl.DataFrame(
        {"Location": places, "outcome": ["arrest", "none"] * 100, "hour": [i % 24 for i in range(200)]}
    )
    assert shoal.propose(frame).data.person is None
