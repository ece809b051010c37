"""Meaning needs two witnesses: what a name says counts only where the values can be that."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.column_names import Meaning, concepts
from shoal.hierarchy.suggest import kind_of
from shoal.proposal.detectors import differs_within, fits_values, grid_rule, kinds_of_values
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.role_resolution import choose_role

pytestmark = pytest.mark.usefixtures("untried")

N = 400
DRAW = np.random.default_rng(7)


def whole(low, high):
    return [str(one) for one in DRAW.integers(low, high, N)]


def decimal(low, high, digits=2):
    return [f"{one:.{digits}f}" for one in DRAW.uniform(low, high, N)]


def choice(*words):
    return [words[one] for one in DRAW.integers(0, len(words), N)]


def dates():
    return [f"{1950 + a % 60}-{1 + a % 12:02}-{1 + a % 28:02}" for a in DRAW.integers(0, 9999, N)]


def profile(name, cells):
    values, counts = np.unique(cells, return_counts=True)
    return ColumnProfile(
        name,
        tuple(values.tolist()),
        counts.astype(np.int64),
        len(cells),
        0,
        int((counts == 1).sum()),
        len(values),
    )


AMOUNT, SMALL, YES = whole(-9000, 500_000), whole(1, 7), choice("yes", "no")
CASES = [
    # what tried files were taken for something else
    ("BILL_AMT1", AMOUNT, "sensitive", "money owed or owned"),
    ("income", whole(9000, 99_000), "sensitive", "income"),
    ("income", choice("<=50K", ">50K"), "sensitive", "income"),
    ("prescription_id", whole(10**6, 10**7), "identifier", "record number"),
    ("prescriptions.prescription_id", whole(10**6, 10**7), "identifier", "record number"),
    ("RACEX", SMALL, "quasi", "ethnic group"),
    ("related", YES, "quasi", ""),
    ("weight", decimal(800, 30_000), "weight", "sampling weight"),
    ("weight", decimal(0.2, 3.1, 4), "weight", "sampling weight"),
    ("weight", decimal(45, 130, 1), "quasi", "body"),
    ("Net Worth", whole(-9000, 900_000), "sensitive", "income"),
    # UCI: default of credit card clients, students, adults
    ("PAY_0", whole(-2, 9), "sensitive", "money owed or owned"),
    ("PAY_AMT3", whole(0, 900_000), "sensitive", "money owed or owned"),
    ("LIMIT_BAL", [f"{int(one)}0000" for one in whole(1, 80)], "sensitive", "money owed or owned"),
    ("Medu", whole(0, 5), "quasi", "education"),
    ("Mjob", choice("teacher", "health", "at_home"), "quasi", "job"),
    ("G3", whole(0, 21), "sensitive", "grade or judgement"),
    ("fnlwgt", whole(12_000, 1_400_000), "weight", "sampling weight"),
    # NHANES, MEPS
    ("RIAGENDR", choice("1", "2"), "quasi", "sex"),
    ("RIDAGEYR", whole(0, 81), "quasi", "age"),
    ("DMDEDUC2", whole(1, 6), "quasi", "education"),
    ("INDFMPIR", decimal(0, 5), "sensitive", "income"),
    ("LBXTC", whole(90, 400), "sensitive", "medical measurement"),
    ("WTMEC2YR", decimal(5000, 200_000), "weight", "sampling weight"),
    ("SEQN", [str(60_000 + one) for one in range(N)], "identifier", "person number"),
    ("TTLP15X", whole(0, 200_000), "sensitive", "income"),
    ("PERWT15F", decimal(500, 60_000), "weight", "sampling weight"),
    ("HIBPDX", choice("1", "2", "-9"), "sensitive", "illness"),
    # EU-SILC
    ("RB050", decimal(10, 900), "weight", "sampling weight"),
    ("PB140", whole(1930, 2004), "quasi", "birth year"),
    ("PB150", choice("1", "2"), "quasi", "sex"),
    ("HY020", decimal(-500, 90_000), "sensitive", "income"),
    ("DB040", choice("AT1", "AT2", "AT3"), "quasi", "region"),
    # hospital discharges
    ("DISCWT", decimal(4, 6, 4), "weight", "sampling weight"),
    ("TOTCHG", whole(500, 90_000), "sensitive", "money owed or owned"),
    ("I10_DX1", choice("I10", "E119", "J449", "N179"), "sensitive", "diagnosis"),
    ("KEY_NIS", [str(10**7 + one) for one in range(N)], "identifier", "record number"),
    # personnel, schools; German, French, Spanish, Dutch, Italian
    ("MonthlyIncome", whole(1000, 20_000), "sensitive", "income"),
    ("Amt", AMOUNT, "quasi", ""),
    ("Amt", choice("Bauamt", "Sozialamt"), "quasi", "employer or department"),
    ("Hochrechnungsfaktor", decimal(90, 1500), "weight", "sampling weight"),
    ("Gewicht", decimal(48, 120, 1), "quasi", "body"),
    ("poids", decimal(600, 9000), "weight", "sampling weight"),
    ("pondération", decimal(0.4, 2.6, 4), "weight", "sampling weight"),
    ("factor_expansion", whole(40, 4000), "weight", "sampling weight"),
    ("coefficiente_riporto", decimal(90, 1500), "weight", "sampling weight"),
    ("geboortedatum", dates(), "quasi", "birth date"),
    ("weegfactor", decimal(0.4, 2.6, 4), "weight", "sampling weight"),
    ("inkomen", whole(9000, 99_000), "sensitive", "income"),
    ("burgerlijke_staat", choice("gehuwd", "ongehuwd"), "quasi", "marital status"),
    ("Breitengrad", decimal(47, 55, 5), "quasi", "coordinates"),
    ("Rechtswert", whole(3_280_000, 3_920_000), "quasi", "coordinates"),
    # office files: waves, shortened names, numbers of something, dates of something
    ("w3_age", whole(45, 94), "quasi", "age"),
    ("w3_income", whole(300, 12_000), "sensitive", "income"),
    ("GEW", decimal(0.3, 2.6, 4), "weight", "sampling weight"),
    ("dwt", decimal(0.3, 2.6, 4), "weight", "sampling weight"),
    ("iso2", choice("DE", "NA", "NO"), "quasi", "country"),
    ("BonNr", [f"{one:08}" for one in DRAW.integers(0, 99, N)], "identifier", "record number"),
    ("N° foyer", [f"F{one:04}" for one in DRAW.integers(0, 500, N)], "identifier", "household number"),
    ("Bib", [str(one) for one in DRAW.permutation(5000)[:N]], "identifier", ""),
    ("steps", whole(0, 5000), "quasi", ""),
    ("PAID_AMT", decimal(-1200, 90_000), "sensitive", "money owed or owned"),
    ("Data ricetta", dates(), "quasi", "date"),
    # what a name says and values deny
    ("company", decimal(1, 900), "quasi", ""),
    ("city", decimal(1, 900), "quasi", ""),
    ("first", whole(0, 30), "quasi", ""),
    ("education", dates(), "quasi", "date"),
    ("religion", decimal(0, 1, 4), "sensitive", "belief"),
    ("birth_date", choice("soon", "later", "never"), "quasi", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "role", "what"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_a_column_is_what_name_and_values_say(name, cells, role, what):
    found = choose_role(profile(name, cells))
    assert (found.role, found.what) == (role, what)


@pytest.mark.parametrize(("name", "cells"), [(c[0], c[1]) for c in CASES[-6:]])
def test_a_name_that_values_deny_is_told(name, cells):
    found = choose_role(profile(name, cells))
    assert found.contradiction.startswith("its name suggests ")
    assert found.why.startswith(found.contradiction)


def skewed(middle, spread):
    return [f"{one:.2f}" for one in DRAW.lognormal(np.log(middle), spread, N)]


def bell(middle, deviation):
    return [f"{one:.1f}" for one in DRAW.normal(middle, deviation, N).clip(middle / 5)]


@pytest.mark.parametrize(
    ("name", "cells", "what"),
    [
        ("weight", skewed(3000, 0.7), "sampling weight"),
        ("wght", skewed(150_000, 0.5), "sampling weight"),
        ("wgt", skewed(0.9, 0.4), "sampling weight"),
        ("perweight", skewed(3000, 0.6), "sampling weight"),
        ("weight", bell(1500, 40), "sampling weight"),  # a design with nearly equal chances
        ("weight", [*bell(90, 30)[:-20], *skewed(9000, 0.5)[:20]], "sampling weight"),
        (
            "weight",
            skewed(220, 0.75),
            "sampling weight",
        ),  # below what grown bodies weigh in pounds, and far apart
        ("weight", bell(3300, 560), "body"),  # births in grams
        ("weight", bell(7.2, 1.4), "body"),  # in pounds
        ("wt", bell(119, 18), "body"),  # in ounces
        ("dwt", bell(171, 22), "body"),  # a father's
        ("wgt", bell(69, 13), "body"),
        ("Hwt", bell(10.6, 2.4), "body"),
        ("weight", whole(-40, 60), ""),  # a change
        ("pspwght", whole(-40, 60), "measurement"),
    ],
)
def test_a_sampling_weight_has_the_form_of_one(name, cells, what):
    choice = choose_role(profile(name, cells))
    assert choice.what == what
    assert (choice.role == "weight") == (what == "sampling weight")


@pytest.mark.parametrize("name", ["SEX", "RACEX", "MARRIAGE", "region"])
def test_numbers_that_are_names_get_no_ranges(name):
    assert choose_role(profile(name, SMALL)).kind.name == "word"


@given(
    st.sampled_from(concepts()), st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=60, unique=True)
)
def test_values_are_always_of_some_kind_and_a_meaning_agrees_only_with_its_own(concept, numbers):
    seen = profile(concept.what, list(map(str, numbers)))
    kinds = kinds_of_values(seen, kind_of(seen.values))
    assert kinds
    told = Meaning(concept.what, concept.role, concept.kind)
    if kinds.isdisjoint(concept.values):
        assert not fits_values(told, kinds, seen.distinct)


def test_coordinates_share_one_grid():
    people = pl.DataFrame(
        {
            "id": range(N),
            "lat": list(map(float, decimal(47, 48, 5))),
            "lon": list(map(float, decimal(6, 15, 5))),
        }
    )
    found = shoal.propose(people)
    assert found["lat"].role == found["lon"].role == "quasi"
    assert found["lat"].hierarchy == found["lon"].hierarchy == {"ranges": [0.01, 0.1, 1]}


def test_projected_coordinates_are_metres():
    assert grid_rule({"x": profile("x", ["3280000", "3920000"])}) == {"ranges": [1000, 10_000, 100_000]}


def test_a_grid_has_more_than_one_cell_where_places_differ():
    assert grid_rule({"lat": profile("lat", ["47.10001", "47.15"])}) == {"ranges": [0.01]}


def test_degrees_stay_degrees_beside_metres():
    places = {"lat": profile("lat", ["47.1", "54.9"]), "x": profile("x", ["3280000", "3920000"])}
    assert grid_rule(places, "lat") == {"ranges": [0.01, 0.1, 1]}
    assert grid_rule(places, "x") == {"ranges": [1000, 10_000, 100_000]}


@pytest.mark.parametrize(
    ("name", "cells", "role", "what"),
    [
        ("family", [f"{one // 4:03}" for one in range(N)], "identifier", "household number"),
        ("famno", [str(1000 + one // 3) for one in range(N)], "identifier", "household number"),
        ("household", [str(one // 2) for one in range(N)], "identifier", "household number"),
        ("hh_id", whole(1, 6), "identifier", "household number"),  # its name is clear
        ("haushalt", [str(one // 2) for one in range(N)], "identifier", "household number"),
        ("fam", [str(one // 2) for one in range(N)], "identifier", "household number"),
        ("cond.household", whole(1, 6), "quasi", "household"),  # a judgement of how it does
        ("family", whole(1, 9), "quasi", "household"),
        ("family", choice("nuclear", "extended", "single"), "quasi", ""),
        ("job_no", [str(70_000 + 3 * one) for one in range(N)], "identifier", "record number"),
        ("job_no", whole(100, 140), "quasi", "job"),
        ("zip", [str(10_000 + 7 * one) for one in range(N)], "quasi", "postal code"),
        ("job", decimal(1, 900), "quasi", ""),
    ],
)
def test_numbers_of_households_and_of_things_have_the_form_of_such(name, cells, role, what):
    found = choose_role(profile(name, cells))
    assert (found.role, found.what) == (role, what)


@pytest.mark.parametrize(
    ("name", "cells", "asked"),
    [
        ("city", YES, False),  # it is published so whatever it is
        ("born_1960", choice("0", "1"), False),
        ("education", decimal(7, 18), False),  # years
        ("city", decimal(1, 900), True),
        ("birth_date", choice("soon", "later", "never"), True),
        ("children", decimal(0, 5, 1), False),  # known in any form
        ("religion", decimal(0, 1, 4), True),
    ],
)
def test_a_question_is_asked_only_where_its_answer_changes_what_is_published(name, cells, asked):
    found = choose_role(profile(name, cells))
    assert found.role == ("sensitive" if name == "religion" else "quasi")
    assert bool(found.contradiction) is asked


SECONDS = [str(one) for one in DRAW.integers(1_500_000_000, 1_600_000_000, N)]


@pytest.mark.parametrize("cells", [SECONDS, [f"{one}000" for one in SECONDS]])
def test_seconds_since_1970_are_dates_where_the_name_says_so(cells):
    found = choose_role(profile("created_at", cells))
    assert (found.role, found.kind.name, found.kind.format) == ("quasi", "date", "unix")
    assert choose_role(profile("phone", cells)).role == "identifier"
    assert choose_role(profile("x", cells)).role == "identifier"
    assert choose_role(profile("created_at", [f"9{one}" for one in SECONDS])).kind.name == "code"


def test_keys_of_child_tables_are_left_out():
    rows = [
        {
            "id": str(i),
            "prescriptions": [{"prescription_id": str(9 * i + j), "drug": "ab"[j % 2]} for j in range(2)],
        }
        for i in range(60)
    ]
    found = shoal.propose(rows)
    assert found["prescriptions.prescription_id"].role == "drop"
    assert found["prescriptions.drug"].role in ("quasi", "sensitive")


def test_a_number_that_people_of_several_sexes_share_is_no_persons():
    n = 200
    frame = pl.DataFrame(
        {
            "ssn_last4": [f"{1000 + i // 2}" for i in range(n)],
            "sex": ["f", "m"] * (n // 2),
            "town": [("Ulm", "Bonn", "Kiel")[i % 3] for i in range(n)],
        }
    )
    found = shoal.propose(frame)
    assert found.data.person is None
    assert found["ssn_last4"].shared
    alike = frame.with_columns(sex=pl.Series([("f", "m")[i // 2 % 2] for i in range(n)]))
    assert shoal.propose(alike).data.person == "ssn_last4"


def test_ages_of_one_person_may_rise_but_not_leap():
    who = profile("pid", ["1", "1", "2", "2"])
    rises, leaps = (profile("age", ages) for ages in (["30", "34", "50", "51"], ["30", "70", "20", "61"]))
    persons, first, second = (
        replace(one, codes=np.array(codes, dtype=np.int32))
        for one, codes in ((who, [0, 0, 1, 1]), (rises, [0, 1, 2, 3]), (leaps, [1, 3, 0, 2]))
    )
    assert not differs_within(persons, first, "age")
    assert differs_within(persons, second, "age")
    assert differs_within(persons, first, "sex")


@pytest.mark.parametrize("agree", [True, False])
def test_a_record_number_that_repeats_is_a_persons_where_rows_agree_in_what_stays(agree):
    """A record number may be a visit's or a person's: what stays with a person is the second witness."""
    people = range(120)
    born = {person: f"19{person % 60 + 20}-0{person % 9 + 1}-11" for person in people}
    rows = [
        (
            f"MRN{person:04}",
            born[person] if agree else f"19{(person + 7 * turn) % 60 + 20}-03-12",
            "fm"[person % 2],
        )
        for person in people
        for turn in range(1 + person % 3)
    ]
    found = shoal.propose(pl.DataFrame(rows, ["mrn", "birth_date", "sex"], orient="row"))
    assert found.data.person == ("mrn" if agree else None)
    assert "belong to one person" in found["mrn"].advice


# Ordinary columns of surveys, staff files, hospitals, schools and energy companies: what each is taken for, and why.


def cells(sample):
    """Values of people: a range of whole numbers (1..5), of decimals (0.0..9.9), or words to choose from."""
    low, _, high = sample.partition("..")
    if not high:
        words = sample.split("|")
        return [words[i % len(words)] for i in range(N)]
    if "." in low or "." in high:
        return [f"{x:.1f}" for x in DRAW.uniform(float(low), float(high), N)]
    return [str(x) for x in DRAW.integers(int(low), int(high) + 1, N)]


# name, values, role, what it is taken for: nothing where the name shall say nothing, ? where somebody is asked
ORDINARY = """
Trust in courts               | 0..10              | quasi      |
Trust in hospitals            | 0..10              | quasi      |
Distance to work              | 1..60              | quasi      |
Distance to school            | 0.1..12.5          | quasi      |
Pay Base                      | 20000..90000       | sensitive  | income
Pay Gross                     | 1800..9000         | sensitive  | income
Salary Monthly                | 1800..9000         | sensitive  | income
Satisfaction with employer    | 1..5               | sensitive  | grade or judgement
Satisfaction with city        | 1..5               | sensitive  | grade or judgement
Interest in job               | 1..5               | quasi      |
Years in job                  | 0..40              | quasi      |
Years in country              | 0..60              | quasi      |
Time to hospital              | 5..90              | quasi      |
Hours worked per week         | 10..60             | quasi      |
Commute minutes               | 5..120             | quasi      |
Highest qualification         | GCSE;A level;Degree| quasi      | education
Ethnic origin                 | White;Asian;Black  | quasi      | ethnic group
Country of birth              | UK;France;India    | quasi      | country
Contract type                 | fixed;permanent    | quasi      |
Line manager                  | 1..40              | quasi      |
Sick days                     | 0..30              | sensitive  | illness
Performance rating            | 1..5               | sensitive  | grade or judgement
Annual leave left             | 0..30              | quasi      |
Ward                          | A1;B2;C3           | quasi      | hospital or ward
Length of stay                | 1..30              | sensitive  | medical measurement
Discharge destination         | home;care home     | quasi      |
Systolic BP                   | 90..190            | sensitive  | medical measurement
Smoking status                | never;former;daily | sensitive  | habits and addiction
Free school meals             | yes;no             | quasi      |
Year group                    | 7..13              | quasi      | year
Tutor group                   | 7A;7B;8C           | quasi      |
Attendance percent            | 60.0..100.0        | sensitive  | measurement
Meter reading                 | 1000..90000        | quasi      |
Annual consumption kWh        | 900..9000          | quasi      |
Heating type                  | gas;oil;heat pump  | quasi      |
Vertrauen in Gerichte         | 0..10              | sensitive  | opinion or feeling
Entfernung zur Arbeit         | 1..60              | quasi      |
Entfernung zur Schule         | 0.1..12.5          | quasi      |
Zufriedenheit mit Arbeitgeber | 1..5               | sensitive  | opinion or feeling
Zufriedenheit mit Wohnort     | 1..7               | sensitive  | opinion or feeling
Fahrtzeit zum Krankenhaus     | 5..90              | quasi      |
Höchster Schulabschluss       | Haupt;Real;Abitur  | quasi      | education
Entgeltgruppe                 | E5;E9a;E13         | sensitive  | income
Bruttogehalt monatlich        | 1800..9000         | sensitive  | income
Krankheitstage                | 0..40              | sensitive  | illness
Verweildauer                  | 1..30              | quasi      |
Aufnahmegrund                 | Notfall;Einweisung | quasi      |
Klassenstufe                  | 5..13              | quasi      | school
Jahresverbrauch kWh           | 900..9000          | quasi      |
Haushaltsgröße                | 1..6               | quasi      | household
Confiance en la justice       | 0..10              | sensitive  | opinion or feeling
Distance au travail           | 1..60              | quasi      |
Satisfaction envers l'hôpital | 1..5               | sensitive  | grade or judgement
Salaire brut                  | 1800..9000         | sensitive  | income
Niveau d'études               | bac;licence;master | quasi      | education
Durée du séjour               | 1..30              | quasi      |
Situation familiale           | célibataire;marié  | quasi      | marital status
Classe                        | 6A;5B;4C           | quasi      | school
Consommation annuelle         | 900..9000          | quasi      |
Confianza en la policía       | 0..10              | sensitive  | opinion or feeling
Distancia al trabajo          | 1..60              | quasi      |
Satisfacción con el hospital  | 1..5               | quasi      |
Salario base                  | 900..6000          | sensitive  | income
Nivel de estudios             | básico;medio;alto  | quasi      | education
Estado civil                  | soltero;casado     | quasi      | marital status
Días de baja                  | 0..40              | quasi      |
Consumo anual                 | 900..9000          | quasi      |
"""
ROWS = [[part.strip() for part in line.split("|")] for line in ORDINARY.strip().splitlines()]


@pytest.mark.parametrize(("name", "sample", "role", "what"), ROWS, ids=[row[0] for row in ROWS])
def test_an_ordinary_column_is_taken_for_what_it_is(name, sample, role, what):
    found = choose_role(profile(name, cells(sample.replace(";", "|"))))
    assert (found.role, "?" if found.contradiction else found.what) == (role, what)


def test_there_are_enough_of_them():
    assert len(ROWS) >= 63
