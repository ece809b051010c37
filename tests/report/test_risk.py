"""Risk in words: what is known, what was not counted, what does not fit."""

import pytest

from shoal.report.figures import to_plotly_figure
from shoal.report.risk import (
    column_rows,
    describe_knowledge,
    field_rows,
    risk_html,
    sentences,
    set_rows,
    uniqueness_figure,
    uniqueness_rows,
)


def row(alone=0.5, fewer=0.75, **known):
    return {"columns": 0, "items": 0, "relations": 0, "whole": False, "alone": alone, "fewer": fewer, **known}


def facts(**more):
    found = {
        "shoal": "0.0",
        "shape": "table",
        "people": 8,
        "rows": 8,
        "k": 5,
        "proposed": False,
        "sampled_from": None,
        "rows_per_person": None,
        "items_per_person": None,
        "found": [row(0.0, columns=1), row(0.25, columns=2), row(columns=6)],
        "columns": [
            {
                "column": name,
                "values": 2,
                "distinction": 0.25,
                "separation": 0.5,
                "alone": 0,
                "contribution": part,
            }
            for name, part in zip("abcdef", (0.1, 0.9, 0.2, 0.0, 0.0, 0.0), strict=True)
        ],
        "sets": [
            {"columns": [*"ab"], "distinction": 0.5, "separation": 0.9, "alone": 0.1, "fewer": 0.2},
            {"columns": [*"bc"], "distinction": 0.5, "separation": 0.9, "alone": 0.3, "fewer": 0.4},
        ],
        "sets_up_to": 4,
        "minimal_sets": [{"columns": ["b", "c"], "alone": 0.25}],
        "minimal_by_size": {"2": 2},
        "prosecutor": {"highest": 1.0, "average": 0.6, "above": 0.75},
        "threshold": 0.2,
        "journalist": None,
        "marketer": 0.6,
        "population": None,
    }
    return found | more


@pytest.mark.parametrize(
    ("known", "shape", "words"),
    [
        ({"columns": 1}, "table", "any 1 column"),
        ({"columns": 6}, "table", "all 6 columns"),
        ({"items": 2}, "baskets", "any 2 items"),
        ({"items": 3, "relations": 1}, "trees", "any 3 values and 1 relation among them"),
        ({"whole": True}, "trees", "the whole tree"),
        ({"columns": 6, "items": 1}, "mixed", "all 6 columns and any 1 item"),
        ({"columns": 6, "whole": True}, "mixed", "all 6 columns and the whole basket"),
    ],
)
def test_what_is_known(known, shape, words):
    assert describe_knowledge(row(**known), facts(shape=shape)) == words


def test_sets_of_five_columns_are_left_out_but_all_columns_are_told():
    found = facts(found=[row(columns=size) for size in range(1, 7)])
    assert [words for words, *_ in uniqueness_rows(found)] == [
        *("any 1 column", "any 2 columns", "any 3 columns", "any 4 columns", "all 6 columns")
    ]


def test_the_worst_come_first():
    assert [words for words, *_ in column_rows(facts())][:3] == ["b", "c", "a"]
    assert [words for words, *_ in set_rows(facts())] == ["b, c", "a, b"]


def said(found):
    return [f"{name}: {text}" for name, text in sentences(found)]


def test_sentences_of_a_table():
    assert said(facts()) == [
        "people: 8 people",
        "found: 4 people (50%) are unique by all 6 columns, and 6 people (75%) are among fewer than 5 look-alikes",
        "found: 2 columns are enough to find 2 people (25%); which columns differs from person to person",
        "columns: 'b' gives the most away: 90% of the scores come from sets that include it, so coarsen it first",
        "attacker: a prosecutor, who knows that a person is in the data, picks the right record with a chance of 60% "
        "on average and 100% at worst; for 75% of the people the chance is above 20%",
        "attacker: a marketer, who matches everybody, is right for 60% of the people",
        "population: how many of these people are alone in the whole population is not known; "
        "give --population or --fraction",
    ]


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ({"items": 1}, "1 item is enough to find 2 people (25%); which item differs from person to person"),
        ({"whole": True}, "the whole basket is enough to find 2 people (25%)"),
        ({"columns": 6}, "all 6 columns are enough to find 2 people (25%)"),
        (
            {"columns": 6, "whole": True},
            "all 6 columns and the whole basket are enough to find 2 people (25%)",
        ),
    ],
)
def test_what_is_enough_has_its_verb(first, words):
    found = facts(shape="mixed", found=[row(0.25, **first), row(columns=6, whole=True)])
    assert f"found: {words}" in said(found)


def test_sentences_of_a_population():
    journalist = {"highest": 0.5, "average": 0.2, "above": 0.25, "absent": 0.125}
    population = {"size": 80, "zayatz": 0.3, "pitman": None, "right_match": 0.4}
    lines = said(facts(journalist=journalist, marketer=0.2, population=population))
    assert any("of all 80 people, 30% (Zayatz) are estimated" in line for line in lines)
    assert any("Pitman's formula does not fit these data" in line for line in lines)
    assert any("1 person (12.5%) has fewer look-alikes in the population" in line for line in lines)
    assert "attacker: a marketer, who matches everybody, is right for 20% of the people" in lines
    assert any("right with a chance of 40%" in line for line in lines)


def test_guessed_roles_are_told():
    line = said(facts(proposed=True))[1]
    assert line.startswith("roles: nobody has said what the columns are")
    assert "known to an attacker: a, b, c, d, e, f;" in line


def test_rows_and_samples_are_told():
    lines = said(facts(rows=14, rows_per_person={"1": 4, "2": 3, "4": 1}, sampled_from=100))
    assert (
        lines[0] == "people: 8 people with 14 rows: 4 have 1 row, 3 have 2 rows, 1 has 4 rows, the most is 4"
    )
    assert "8 of 100 people, drawn at random" in lines[1]


def test_what_was_not_counted_is_said_and_not_drawn():
    sold = facts(shape="baskets", found=[row(items=1), row(None, None, items=2), row(whole=True)])
    for name in ("columns", "sets", "minimal_sets", "minimal_by_size", "prosecutor"):
        del sold[name]
    assert uniqueness_rows(sold)[1] == ("any 2 items", "not counted", "not counted")
    assert list(to_plotly_figure(uniqueness_figure(sold)).data[0].x) == [0.5, 0.5]
    assert "not counted" in risk_html(sold)


def test_sentences_of_trees():
    held = {"fewest": 2, "average": 4.25, "most": 9}
    fields = [
        {"field": "visits.ill", "values": 3, "alone": 0.125, "fewer": 0.5},
        {"field": "visits.day", "values": 7, "alone": 0.5, "fewer": 1.0},
    ]
    found = [row(0.0, items=1), row(None, None, items=2), row(whole=True)]
    grown = facts(shape="trees", found=found, items_per_person=held, fields=fields)
    for name in ("columns", "sets", "minimal_sets", "minimal_by_size", "prosecutor"):
        del grown[name]
    assert said(grown) == [
        "people: 8 people with 2 to 9 values, 4.2 on average",
        "found: 4 people (50%) are unique by the whole tree, and 6 people (75%) are among fewer than 5 look-alikes",
        "fields: 'visits.day' gives the most away: for 4 people (50%) one value of it belongs to nobody else, so "
        "coarsen it first",
    ]
    assert [name for name, *_ in field_rows(grown)] == ["visits.day", "visits.ill"]
    assert "Which fields give people away" in risk_html(grown)


def test_names_of_columns_stay_text_on_the_page():
    wild = facts()
    wild["columns"][1]["column"] = "<img src=x onerror=alert(1)>"
    page = risk_html(wild)
    assert "<img" not in page
    assert "&lt;img src=x" in page
