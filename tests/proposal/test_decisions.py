"""Which columns need a decision, and what becomes of those that nobody decided about."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from shoal.cli import shoal as command
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.proposal import known_columns
from shoal.proposal.proposal import summarize_proposal

pytestmark = pytest.mark.usefixtures("untried")

N = 300
DRAW = np.random.default_rng(3)


def people(**more):
    return pl.DataFrame(
        {
            "age": [20 + i % 50 for i in range(N)],
            "sex": ["f", "m"] * (N // 2),
            "town": [("Ulm", "Bonn", "Kiel")[i % 3] for i in range(N)],
            **more,
        }
    )


AMOUNTS = DRAW.integers(-9000, 500_000, N).tolist()
TWO_WAYS = [(f"{1 + i % 9}/3/19{50 + i % 20}", f"19{50 + i % 20}-0{1 + i % 9}")[i % 2] for i in range(N)]


ILLS = ["flu", "asthma", "back pain", "diabetes"] * (N // 4)
REACHED = {
    "a mail address": "flu (ask j.doe@clinic.org)",
    "a telephone number of the US": "back pain; cb 617-555-4521",
    "one with the sign of a country": "Grippe, Mutter +49 (0)731 5501234",
    "one after a word": "Asthma, Tel. 0731/5501234",
    "a number of social security": "diabetes 664-64-1968",
}


NAMED = {
    "somebody with a title": "asthma, seen by Dr. Weber",
    "a name as most write it": "flu, asks for Chloe Brown",
    "a name alone": "Jürgen Kern",
}


@pytest.mark.parametrize(
    ("said", "looks"),
    [
        *((said, "a mail address") for said in REACHED.values()),
        *((said, "the name of somebody") for said in NAMED.values()),
    ],
    ids=[*REACHED, *NAMED],
)
def test_a_cell_that_tells_who_somebody_is_keeps_its_column_back(said, looks):
    proposal = shoal.propose(people(diagnosis=[*DRAW.permutation(ILLS[2:]), said, "flu"]))
    assert proposal["diagnosis"].role == "drop"
    assert proposal.undecided["diagnosis"].startswith(f"1 of 300 cells hold what looks like {looks}")


def test_what_tells_who_somebody_is_is_in_no_file_of_a_release(tmp_path):
    who = [*REACHED.values(), *NAMED.values()]
    said = [*DRAW.permutation(ILLS[len(who) :]), *who]
    people(diagnosis=said, remark=said).write_csv(tmp_path / "people.csv")
    shoal.propose(tmp_path / "people.csv").save(tmp_path)
    run_config(tmp_path / "shoal.toml", tmp_path / "release", as_proposed=True)
    written = b"".join(file.read_bytes() for file in (tmp_path / "release").iterdir())
    assert not [one for one in who if one[-8:].encode() in written]


@pytest.mark.parametrize(
    ("said", "looks"),
    [
        ("a gift for J. Smith, cb 617-555-0000", "a mail address or a telephone number"),
        ("a walk with Chloe Brown", "the name of somebody"),
        ("the group of Ronja S", "a text that somebody wrote"),
    ],
)
def test_lists_with_an_item_of_somebodys_own_stay_and_are_asked_about(said, looks):
    """One long item among hundreds makes no sentences of them."""
    kinds = ["club", "pool", "library", "museum", "theatre"]
    items = ["|".join(DRAW.permutation(kinds)[: 1 + i % 4]) for i in range(N)]
    items[7] += f"|{said}"
    proposal = shoal.propose(people(used=items))
    assert proposal["used"].role == "items"
    assert proposal.undecided["used"] == (
        f"1 of 6 items hold what looks like {looks}, so missing leaves them out; look at the rest"
    )
    assert proposal["used"].own_missing == (said,)
    assert said not in proposal.read().baskets.values


@pytest.mark.parametrize(
    "said", ["asthma; sister Ronja informed", "flu (Sonnleitner)", "hit by a cart of Ronja"]
)
def test_a_text_among_values_of_a_list_is_asked_about(said):
    proposal = shoal.propose(people(diagnosis=[*DRAW.permutation(ILLS[2:]), said, "flu"]))
    assert proposal["diagnosis"].role == "sensitive"
    assert proposal.undecided["diagnosis"].startswith(
        "1 of 300 cells hold a text of their own where others choose"
    )


RARE = ["acute otitis media of the left ear", "chronic pain", "flu"] * (N // 3 - 1)


@pytest.mark.parametrize(
    "ills",
    [
        ["Charles Bonnet Syndrome", "St. John's wort", "type A influenza", "DR grade 2"] * (N // 4),
        ["E11.9", "I10", "2345-7", "0002-8215-01", "J45.909", "see @ward", "120/80 mmHg", "10 000 000"]
        * (N // 8)
        + ["I10"] * 4,
        [*RARE, "fracture of forearm", "gout", "chronic obstructive lung disease"],
    ],
    ids=["called after somebody", "numbers of something else", "rare"],
)
def test_a_disease_tells_nothing_of_who_somebody_is(ills):
    proposal = shoal.propose(people(diagnosis=DRAW.permutation(ills)))
    assert proposal["diagnosis"].role == "sensitive"
    assert "diagnosis" not in proposal.undecided


def test_the_name_of_somebody_over_a_column_is_asked_about():
    answers = DRAW.choice(["yes", "no", "perhaps"], N)
    proposal = shoal.propose(people(**{"Do you like [Paul Koch]?": answers, "Mark Obtained": answers}))
    assert list(proposal.undecided) == ["Do you like [Paul Koch]?"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("adjuster", ["P. Koch", "R. Kern"]),
        ("col7", ["P. Koch", "R. Kern"]),
        ("col7", ["KOCH P", "KERN R", "DEMIR A"]),
        ("case_worker", ["Koch", "Kern"]),
        ("arzt_nr", ["123456701", "998877602"]),
    ],
)
def test_staff_is_left_out_and_asked_about(name, values):
    proposal = shoal.propose(people(**{name: DRAW.choice(values, N)}))
    assert proposal[name].role == "identifier"
    assert name in proposal.undecided


def test_a_label_names_what_many_people_hold_and_not_one_in_many_rows():
    rows = [
        (f"K{i // 4:05}", f"2024-0{1 + i % 9}-11", ("REWE", "EDEKA", "POWER")[i % 3]) for i in range(4 * 100)
    ]
    rows += [("K99999", f"2024-0{1 + i % 9}-12", "Alimony Sonnleitner") for i in range(40)]
    frame = pl.DataFrame(rows, schema=["customer_id", "day", "purpose"], orient="row")
    proposal = shoal.propose(frame.with_columns(amount=pl.Series(DRAW.integers(1, 500, len(rows)))))
    assert proposal.data.person == "customer_id"
    labels = [label for level in proposal["purpose"].hierarchy.labels[1:] for label in level]
    assert not [label for label in labels if "Alimony" in label]


def test_places_that_nobody_shares_are_not_the_same():
    where = {
        "LocationLatitude": DRAW.random(N).round(6) + 47,
        "LocationLongitude": DRAW.random(N).round(6) + 11,
    }
    proposal = shoal.propose(people(**where))
    assert [proposal[name].role for name in where] == ["quasi", "quasi"]


def test_l_is_no_larger_than_what_the_groups_of_a_sensitive_column_allow():
    pay = [f"{('€', '$', 'JPY ')[i % 3]}{1000 + 10 * i}" for i in range(N)]
    proposal = shoal.propose(people(salary=DRAW.permutation(pay)))
    assert shoal.anonymize(proposal.read(), **proposal.guarantee).verdict


MONTHS = "its ages are published as numbers in mo, and readers would take them"
SHORT = "some of its values are what others begin with"


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        (
            "zip",
            ["60614", "6510", "02139", "10027-1234"],
            "75 of 300 cells have fewer digits than the others",
        ),
        ("zip", ["60614", "02139"], None),
        ("PLZ", ["89073", "01067-1234"], None),
        ("Sexe", ["F", "H", "Femme", "Homme"], "300 of 300 cells write one sex in several ways"),
        ("sex", ["f", "m"], None),
        ("sex", ["w", "m"], None),
        ("age at visit", ["-1", "34", "52", "71"], "75 of 300 cells are ages below 0"),
        ("Altersgruppe", ["0-5", "06. Okt", "Nov 15", "16-20"], "150 of 300 cells are ages below 0, or days"),
        ("age group", ["60-74", "60 - 74", "75+", "0-59"], "one band stands in several spellings"),
        ("Age", [f"{1 + i} mo" for i in range(30)], MONTHS),
        ("Age", [f"{1 + i} years" for i in range(30)], None),
        ("HIV-Test", ["positiv", "pos.", "negativ"], SHORT),
        ("HIV-Test", ["positiv", "Positiv (bestätigt)", "negativ"], SHORT),
        ("HIV-Test", ["ja", "J", "nein"], SHORT),
        ("HIV-Test", ["positiv", "negativ", "unclear"], None),
        ("diagnosis", ["flu", "fluid lung", "asthma"], None),
    ],
)
def test_values_that_look_wrong_for_what_they_are_need_a_decision(name, values, words):
    cells = pl.Series(name, DRAW.permutation(values * (N // len(values))))
    found = shoal.propose(people().drop("sex", "age").with_columns(cells)).undecided
    assert found.get(name, "").startswith(words) if words else name not in found


def test_addresses_of_a_network_are_not_asked_to_be_numbers():
    found = shoal.propose(people(origin=[f"192.168.{i % 256}.{i * 7 % 256}" for i in range(N)]))
    assert found["origin"].role == "identifier"
    assert "origin" not in found.undecided


def test_rows_of_several_instruments_are_asked_about():
    """As REDCap exports them: a person's first row has the columns of the person, the others those of an event."""
    first = [i % 3 == 0 for i in range(N)]
    frame = people(
        record_id=[f"{100 + i // 3}-1" for i in range(N)],
        redcap_repeat_instrument=[None if one else "adverse_events" for one in first],
    )
    found = shoal.propose(frame).undecided
    assert found["redcap_repeat_instrument"].startswith("rows of several instruments stand here")


def test_numbers_of_persons_with_several_rows_are_asked_about():
    """Only where rows of a number agree in what stays with somebody: an area has a band, and is no person."""
    who = [i // 3 for i in range(N)]
    frame = pl.DataFrame({
        "lfd": [1 + one for one in who], "sex": ["fm"[one % 2] for one in who],
        "town": [("Ulm", "Bonn", "Kiel")[one * 7 % 3] for one in who], "area": [40 + i % 60 for i in range(N)],
        "size": ["small" if i % 60 < 30 else "large" for i in range(N)], "week": [1 + i % 3 for i in range(N)],
    })  # fmt: skip
    found = shoal.propose(frame).undecided
    assert found == {
        "lfd": "its 100 numbers repeat in 300 rows; if rows with the same number are one person's, name it in person, "
        "or persons are not protected; else say what it is",
        "week": "no column of this table is taken for something worth learning about a person; if this one or another "
        "is, make it sensitive",
    }


@pytest.mark.parametrize(
    ("code", "word", "kept"),
    [
        ("sex_code", "sex", "sex"),
        ("Geschlecht", "Geschlecht_Bezeichnung", "Geschlecht_Bezeichnung"),
        ("dept_id", "department", "department"),
        ("Zweig_Nr", "Zweig", "Zweig"),
    ],
)
def test_a_code_beside_its_word_is_one_quasi_identifier(code, word, kept):
    codes = [1 + i * i % 5 % 3 for i in range(N)]
    frame = people(**{code: codes, word: [("north", "south", "west")[one - 1] for one in codes]})
    if word == "sex":
        frame = frame.drop("town")
    found = shoal.propose(frame)
    gone = code if kept == word else word
    assert (found.columns[kept].role, found.columns[gone].role) == ("quasi", "drop")
    assert found.undecided[gone].startswith(f"it says the same as {kept} in every record")


def test_plain_data_need_no_decision():
    found = shoal.propose(people())
    assert found.undecided == {}
    assert summarize_proposal(found)[-1] == "next       shoal run"


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        (
            "company",
            AMOUNTS,
            "its name suggests employer or department, but its values are amounts; say what it is, most likely quasi",
        ),
        (
            "seen",
            TWO_WAYS,
            'day and month cannot be told apart in its dates; say dates = "day first" or "month first" in [data]',
        ),
        (
            "card",
            [f"L{i % 90:05}" for i in range(N)],
            "its 90 codes repeat in 300 rows; if rows with the same code are one person's, name it in person, or "
            "persons are not protected; else say what it is",
        ),
        (
            "login",
            [f"u{i % 90}" for i in range(N)],
            "its 90 values repeat in 300 rows; if rows with the same value are one person's, name it in person, or "
            "persons are not protected; else say what it is",
        ),
        (
            "stay",
            [f"{1 + i % 28:02}.0{1 + i % 9}.2023 - {1 + i % 27:02}.10.2023" for i in range(N)],
            "nearly everybody has a value of their own, but it looks like a date or an amount; say what it is",
        ),
        (
            "first_name",
            ["Ana", "Eva", "Luis"] * (N // 3),
            "its name suggests first name, but it has 3 values that many people share; it is left out; say what it is "
            "if these are no people's names",
        ),
        (
            "crp",
            ["<0.5", "95+", *(str(i) for i in range(1, N - 1))],
            "2 of 300 cells say only above or below which number it is, and stay as they are; beside others each "
            "counts as the nearest number that fits: keep that, or write groups into the whole column",
        ),
        (
            "height",
            ["tall", *(str(140 + i % 60) for i in range(1, N))],
            "1 of 300 cells cannot be read as numbers and would count as missing; correct them, or name them in "
            "missing",
        ),
        (
            "birth date",
            [str(14_000 + 80 * i) for i in range(N)],
            "its name suggests birth date, and its numbers are taken for days counted from 1900, as spreadsheets do; "
            "say what it is, most likely quasi",
        ),
        (
            "income",
            [f"{1 + i % 9}.{100 + i % 89 * 10}" for i in range(N)],
            "all its numbers have three digits behind the point; if it parts thousands, the decimal sign is a comma: "
            'write decimal = "," into [data]',
        ),
        (
            "badge_number",
            ["17", "19", "23", "29", "31"] * (N // 5),
            "it would be left out, but it has only 5 different values; say what it is",
        ),
        (
            "decidedAt",
            [1_672_531_200_000 + 86_400_017 * i for i in range(N)],
            "it looks like times counted from 1970; write them as dates, or say what it is",
        ),
        (
            "seen by",
            [f"Dr. {('Anna', 'John', 'Else')[i % 3]} {'ABCDE'[i % 5]}ern" for i in range(N)],
            "its values look like names, but only a few that many rows share, such as staff; say what it is",
        ),
        (
            "basket",
            [
                ",".join(("beer 0,5l", "tea", "milk", "rice", "salt", "eggs")[i % 4 :][: 1 + i % 3])
                for i in range(N)
            ],
            "some of its items seem to contain the comma that separates items, as in 0,5; use another separator",
        ),
        (
            "pay",
            [1 + i * 37 % 9973 for i in range(N - 40)] + [8888] * 40,
            "whether a number that occurs far more often than others means that there is no answer; if "
            "so, list it in missing",
        ),
        (
            "income",
            [1 + i % 6 for i in range(N)],
            "only its name suggests income: 6 whole numbers do not look like amounts; say what it is",
        ),
    ],
)
def test_a_column_that_needs_a_decision_is_named_with_the_reason(name, cells, why):
    found = shoal.propose(people(**{name: cells}))
    assert found.undecided == {name: why}
    likely = f"(most likely {found[name].role}, as proposed)"
    assert summarize_proposal(found)[-4:-2] == [
        "1 decision is open, and shoal run waits for it:",
        f"  {name}: {why} {likely}",
    ]


def test_the_worst_comes_first():
    found = shoal.propose(people(income=[1 + i % 6 for i in range(N)], company=AMOUNTS))
    assert list(found.undecided) == ["company", "income"]
    assert list(found.as_dict()["undecided"]) == ["company", "income"]


def test_whoever_states_a_role_has_decided():
    found = shoal.propose(people(company=AMOUNTS), roles={"company": "sensitive"})
    assert found.undecided == {}


def test_an_undecided_proposal_says_so_until_its_lines_are_taken_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(company=AMOUNTS).write_csv("people.csv")
    ended = CliRunner().invoke(command, ["init", "people.csv"])
    assert ended.output.splitlines()[-4] == "1 decision is open, and shoal run waits for it:"
    text = (tmp_path / "shoal.toml").read_text()
    assert list(load("shoal.toml").undecided) == ["company"]
    assert CliRunner().invoke(command, ["run", "--k", "5"]).exit_code == 2
    assert CliRunner().invoke(command, ["run", "--k", "5", "--as-proposed"]).exit_code == 0
    verified = CliRunner().invoke(command, ["verify", "release", "--config", "shoal.toml"])
    assert verified.output.splitlines()[0].startswith(
        "undecided 'company': taken for what shoal init proposed"
    )
    audit = json.loads((tmp_path / "release.private/audit.json").read_text())
    assert list(audit["undecided"]) == ["company"]
    assert "Nobody decided about these" in (tmp_path / "release.private/audit.html").read_text()
    kept = [line for line in text.splitlines() if not line.startswith(('company = "its', "[undecided]"))]
    (tmp_path / "shoal.toml").write_text("\n".join(kept))
    assert load("shoal.toml").undecided == {}


def test_days_counted_by_a_spreadsheet_are_grouped_by_the_calendar():
    found = shoal.propose(people(**{"visit date": [44_562 + i for i in range(N)]}))
    assert found.columns["visit date"].type == "date"
    assert found.columns["visit date"].hierarchy.labels[1][0] == "2022-01"


def test_years_are_no_days_counted_by_a_spreadsheet():
    found = shoal.propose(people(**{"birth date": [1940 + i % 60 for i in range(N)]}))
    assert found.columns["birth date"].hierarchy.labels[0][0] == "1940"
    assert "1900" not in found.columns["birth date"].why


# What l would count wrongly: short forms and additions as values of their own, and boxes that are ticked or blank.


def test_a_box_that_is_ticked_or_blank_is_asked_about():
    """It would take l from every other sensitive column, and nothing would say so."""
    found = shoal.propose(
        people(schwanger=DRAW.choice(["x", None], N).tolist(), diagnosis=DRAW.choice(ILLS, N).tolist())
    )
    assert (found["schwanger"].role, found["diagnosis"].role) == ("sensitive", "sensitive")
    assert found["schwanger"].undecided.startswith("it has one value beside blank cells, so l")
    assert not found["diagnosis"].undecided


def test_a_box_that_others_may_know_of_is_asked_about():
    found = shoal.propose(people(dog=DRAW.choice(["x", None], N).tolist(), sure=["x"] * N))
    assert "nothing of it would be published" in found["dog"].undecided
    assert not found["sure"].undecided


@pytest.mark.parametrize(("day", "times"), [("1900-01-01", 40), ("9999-12-31", 40), ("1900-01-01", 2)])
def test_days_that_stand_for_no_day_are_asked_about(day, times):
    born = [day] * times + [f"19{50 + i % 40}-0{1 + i % 9}-1{i % 7}" for i in range(N - times)]
    asked = shoal.propose(people(**{"birth date": born}).drop("age"))["birth date"].undecided
    assert (f"{times} of {N} cells hold a day that stands for no day" in asked) is (times > 6)


def measured(**more):
    """People with three columns of numbers that nobody has without the data."""
    draw = np.random.default_rng(8)
    columns = {
        "light_chain": draw.normal(2, 0.5, N),
        "lambda_chain": draw.gamma(2, 1, N),
        "x7": draw.normal(0, 1, N),
    }
    return people(**{name: [f"{cell:.2f}" for cell in cells] for name, cells in columns.items()}, **more)


def test_numbers_that_look_measured_are_sensitive_and_asked_about_once():
    found = shoal.propose(measured())
    roles = {name: found[name].role for name in ("light_chain", "lambda_chain", "x7")}
    assert roles == {"light_chain": "sensitive", "lambda_chain": "sensitive", "x7": "quasi"}
    assert found["light_chain"].undecided == (
        "it and lambda_chain look like what only these data tell; if others can know one of them of a person, make it "
        "quasi"
    )
    assert not found["lambda_chain"].undecided


@pytest.mark.parametrize("name", ["distance to work", "moved in"])
def test_distances_and_years_are_not_measured(name):
    draw = np.random.default_rng(8)
    cells = draw.uniform(1950, 2020, N) if name == "moved in" else draw.gamma(2, 4, N)
    assert shoal.propose(people(**{name: [f"{cell:.1f}" for cell in cells]}))[name].role == "quasi"


def test_a_time_beside_a_status_is_an_outcome():
    draw = np.random.default_rng(8)
    days, status = draw.integers(1, 900, N).tolist(), draw.integers(0, 2, N).tolist()
    both = shoal.propose(people(follow_days=days, event_status=status))
    assert [both[name].role for name in ("follow_days", "event_status")] == ["sensitive", "sensitive"]
    assert "how somebody fared" in both["event_status"].why
    in_one_piece = shoal.propose(people(rtime=days, pstat=status))
    assert [in_one_piece[name].undecided for name in ("rtime", "pstat")] == ["", ""]
    alone = shoal.propose(people(event_status=status))
    assert "only these data" in alone["event_status"].undecided


def test_a_table_without_anything_sensitive_is_asked_about_once():
    colours = ["red", "blue", "green"] * (N // 3)
    found = shoal.propose(people(colour=colours, pen=colours[::-1])).undecided
    asked = [name for name, why in found.items() if "worth learning about a person" in why]
    assert asked == ["pen"]
    ills = np.random.default_rng(8).choice(["flu", "gout", "mumps"], N).tolist()
    assert not shoal.propose(people(colour=colours, diagnosis=ills)).undecided


def test_a_wide_table_is_offered_the_role_known(monkeypatch):
    monkeypatch.setattr(known_columns, "_estimate_prices", lambda *given: None)
    draw = np.random.default_rng(4)
    answers = {
        f"topic {letter}": draw.choice(["red", "blue", "green"], N).tolist() for letter in "abcdefghij"
    }
    offers = [note for note in shoal.propose(people(**answers)).notes if "known_at_once = 1" in note]
    assert len(offers) == 1
    assert offers[0].startswith("13 columns are taken for known to everybody")
    few = {"colour": answers["topic a"]}
    assert not any("known_at_once" in note for note in shoal.propose(people(**few)).notes)
