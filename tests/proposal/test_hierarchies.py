"""Vocabularies in proposals: which columns get one, which are asked about, and what is said of groups by frequency."""

import json

import numpy as np
import polars as pl
import pytest

from shoal.hierarchy.rules import build
from shoal.hierarchy.suggest import BY_FREQUENCY, kind_of
from shoal.hierarchy.vocabularies import suggest_vocabularies
from shoal.proposal.hierarchies import describe_levels, propose_hierarchy, vocabulary_rule
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.propose import propose

pytestmark = pytest.mark.usefixtures("untried")

GERMAN = ("10115", "20095", "50667", "60311", "80331", "99084")
AMERICAN = ("10001", "60601", "77002", "94110", "98101", "99501")


def profile(name, values, times=30):
    values = tuple(sorted(values))
    people = times * len(values)
    return ColumnProfile(name, values, np.full(len(values), times), people, 0, 0, len(values))


def proposed(name, values, beside=()):
    seen = profile(name, values)
    return propose_hierarchy(seen, kind_of(seen.values), coded=False, beside=[seen, *beside])


@pytest.mark.parametrize(
    ("name", "values", "vocabulary"),
    [
        ("land", ["Frankreich", "Deutschland", "Spanien", "Japan"], "countries"),
        ("country", ["FR", "DE", "ES", "JP"], "countries"),
        ("state", ["NY", "CA", "TX", "WA"], "us-states"),
        ("month", ["jan", "feb", "sep", "dec"], "months"),
        ("answer", ["agree", "disagree", "neutral", "strongly agree"], "agreement-en"),
        ("Bildung", ["Abitur", "Realschule", "Master", "Promotion"], "education"),
        ("diagnosis", ["E119", "I10", "J450", "K219"], "icd10"),
        ("conditions.snomed", ["73211009", "38341003", "195967001", "22298006"], "snomed"),
        ("plz", GERMAN, "de-postal"),
        ("code postal", ["75011", "13001", "20200", "97400"], "fr-postal"),
    ],
)
def test_a_column_whose_values_a_vocabulary_knows_is_grouped_by_it(name, values, vocabulary):
    assert proposed(name, values) == {"vocabulary": vocabulary}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("town", ["Bern", "Basel", "Chur", "Genf", "Thun"]),
        ("country", ["DE", "FR", "AT", "NL"]),  # all in one part of Europe: nothing would be brought together
        ("zip", AMERICAN),  # of the US, or of Germany
        ("amount", GERMAN),
    ],
)
def test_other_columns_are_not(name, values):
    assert not isinstance(proposed(name, values), dict)


@pytest.mark.parametrize(
    ("beside", "vocabulary"),
    [
        (profile("country", ["Deutschland"]), "de-postal"),
        (profile("country", ["USA"]), "us-zip"),
        (profile("state", ["NY", "CA", "TX", "WA"]), "us-zip"),
    ],
)
def test_a_column_beside_them_says_whose_postal_codes_they_are(beside, vocabulary):
    assert proposed("zip", AMERICAN, [beside]) == {"vocabulary": vocabulary}


def test_people_of_several_countries_leave_the_question_open():
    assert not isinstance(proposed("zip", AMERICAN, [profile("country", ["Germany", "USA"])]), dict)


def test_whoever_must_say_which_country_is_asked():
    frame = pl.DataFrame({"zip": list(AMERICAN) * 40, "age": [20 + n % 50 for n in range(240)]})
    look = propose(frame)["zip"].advice
    assert "de-postal or us-zip" in look
    assert "vocabulary" in look


def test_items_of_baskets_are_grouped_by_a_vocabulary_too():
    assert vocabulary_rule("drugs", {"A10BA02", "C07AB02", "N02BE01", "J01CA04"}) == {"vocabulary": "atc"}
    assert vocabulary_rule("bought", {"milk", "bread", "tea", "beer"}) is None
    baskets = [["E11.9", "I10.0"], ["J45.0"], ["K21.9", "E10.1", "I10.0"]] * 40
    assert propose(pl.DataFrame({"visits": baskets})).columns["visits"].hierarchy == {"vocabulary": "icd10"}


def test_groups_by_frequency_say_so_and_others_do_not():
    jobs = profile("job", ["nurse", "doctor", "clerk", "baker", "pilot", "judge"])
    made = propose_hierarchy(jobs, kind_of(jobs.values), coded=False)
    assert describe_levels(made, jobs).endswith(BY_FREQUENCY)
    land = profile("country", ["FR", "DE", "ES", "JP"])
    assert describe_levels({"vocabulary": "countries"}, land) == "DE > Western Europe > Europe > *"


def test_a_proposal_names_the_columns_that_are_grouped_by_frequency_in_a_note():
    frame = pl.DataFrame(
        {
            "job": ["nurse", "doctor", "clerk", "baker", "pilot"] * 50,
            "country": ["FR", "DE", "ES", "JP", "US"] * 50,
            "age": [20 + n % 50 for n in range(250)],
        }
    )
    notes = propose(frame).notes
    assert f"job: {BY_FREQUENCY}" in notes


def test_a_sensitive_column_is_published_at_a_level_of_its_vocabulary():
    rng = np.random.default_rng(0)
    codes = [f"{letter}{n:02}.{m}" for letter in "EIJKM" for n in (0, 1, 20, 21) for m in range(10)]
    frame = pl.DataFrame({"diagnosis": rng.choice(codes, 250), "age": rng.integers(20, 70, 250)})
    one = propose(frame)["diagnosis"]
    assert (one.role, one.level, one.hierarchy) == ("sensitive", 1, {"vocabulary": "icd10"})


def test_postal_codes_of_four_digits_are_of_no_country_with_longer_ones():
    assert suggest_vocabularies(["8001", "3011", "4051", "1204"], "PLZ", "postal code") == []
    assert suggest_vocabularies(["1067", "80331", "20095", "99084"], "PLZ", "postal code") == ["de-postal"]


GOODS = ("pear", "plum", "leek", "kale", "corn", "rice", "oats")


@pytest.mark.parametrize(("apart", "as_words"), [(False, True), (True, False)])
def test_codes_without_structure_are_grouped_as_the_words_beside_them(tmp_path, apart, as_words):
    """Not where a code goes with any word; and a day that each thing is had on stays a date."""
    rng = np.random.default_rng(5)
    records = []
    for _ in range(300):
        some = rng.choice(7, 3, p=np.arange(1, 8) / 28)
        given = [
            {
                "day": f"2020-0{rng.integers(1, 9)}-1{rng.integers(0, 9)}",
                "code": f"T{131 + 17 * (rng.integers(0, 7) if apart else one)}",
                "text": GOODS[one],
            }
            for one in some
        ]
        records.append(json.dumps({"sex": str(rng.choice(["f", "m"])), "things": given}))
    (tmp_path / "people.ndjson").write_text("\n".join(records))
    columns = propose(tmp_path / "people.ndjson").columns
    codes, words = (columns[f"things.{name}"] for name in ("code", "text"))
    assert (codes.levels or "").endswith("grouped as things.text is") == as_words
    assert "things.text" not in columns["things.day"].levels
    if as_words:
        of = {f"T{131 + 17 * place}": word for place, word in enumerate(GOODS)}
        for code, word in of.items():
            both = [
                [
                    tree.labels[level][tree.up[tree.look_up([value])[0], level]]
                    for level in range(1, tree.height)
                ]
                for tree, value in ((codes.hierarchy, code), (words.hierarchy, word))
            ]
            assert both[0] == both[1]


@pytest.mark.parametrize(
    ("ends", "rule"),
    [
        (["22500+"], {"top": 22000}),
        (["22500+", "<1500"], {"bottom": 2000, "top": 22000}),
        (["<20000", "5000+"], None),  # each may be any of the others: no rule is true of them
    ],
)
def test_the_rule_of_very_many_numbers_leaves_ends_in_open_classes(ends, rule):
    seen = profile("amount", [*map(str, range(25_000)), *ends])
    made = propose_hierarchy(seen, kind_of(seen.values), coded=False)
    if rule is None:
        assert made is None
    else:
        assert made == {"ranges": [2000, 4000, 8000, 16000], **rule}
        assert build("amount", made, seen.values).labels[1][-2] == ">= 22000"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("school", range(0, 21)),  # years of it
        ("job_hours", range(5, 80, 3)),
        ("district", range(1, 120)),
        ("rank", [1, 5, 20, 50, 100, 200, 500, 1000, 2000, 5000, 6000, 7000]),
    ],
)
def test_numbers_stay_numbers_whatever_the_name_says(name, values):
    seen = profile(name, map(str, values))
    hierarchy = propose_hierarchy(seen, kind_of(seen.values), coded=True)
    labels = {label for level in hierarchy.labels[1:-1] for label in level}
    assert not any(label.endswith("*") for label in labels - {"*"})
    assert any(label.startswith(("[", "<", ">")) for label in labels)


def test_codes_of_one_length_and_of_places_keep_their_prefixes():
    for name, values in (("school", range(1224, 1399, 5)), ("zip", [1067, 1069, 10115, 10117, 20095])):
        seen = profile(name, map(str, values))
        hierarchy = propose_hierarchy(seen, kind_of(seen.values), coded=True)
        assert isinstance(hierarchy, dict) or any("*" in label for label in hierarchy.labels[1])


@pytest.mark.parametrize(
    ("name", "values", "vocabulary"),
    [
        ("diag", ["250.01", "401.9", "038.9", "V45.1"], "icd9"),
        ("diagnosis", ["4019", "25000", "0389", "V4581"], "icd9"),
        ("icd9", ["401", "250", "414"], None),  # three need no groups
        ("diag", ["8302", "9011", "10577", "11044"], None),  # days
        ("disease", ["1.4", "12.2", "250.1", "82.5"], None),  # rates
        ("disease", ["11", "359", "828", "3168"], None),  # counts
    ],
)
def test_counts_and_days_are_no_diagnoses(name, values, vocabulary):
    rule = vocabulary_rule(name, values)
    assert rule == (None if vocabulary is None else {"vocabulary": vocabulary})
