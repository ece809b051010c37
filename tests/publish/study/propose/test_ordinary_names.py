"""Ordinary columns of surveys, staff files, hospitals, schools and energy companies: what each is taken for, and why.

A name proposes and its values must agree: a word inside a longer name says little by itself.
"""

import numpy as np
import pytest

from shoal.publish.study.propose.profile import ColumnProfile
from shoal.publish.study.propose.role_resolution import choose_role

PEOPLE = 300
DRAW = np.random.default_rng(30)


def cells(sample: str) -> list[str]:
    """Values of 300 people: a range of whole numbers (1..5), of decimals (0.0..9.9), or words to choose from."""
    low, _, high = sample.partition("..")
    if not high:
        words = sample.split("|")
        return [words[i % len(words)] for i in range(PEOPLE)]
    if "." in low or "." in high:
        return [f"{x:.1f}" for x in DRAW.uniform(float(low), float(high), PEOPLE)]
    return [str(x) for x in DRAW.integers(int(low), int(high) + 1, PEOPLE)]


def profile(name: str, values: list[str]) -> ColumnProfile:
    known, codes, held = np.unique(np.array(values), return_inverse=True, return_counts=True)
    alone = int((held == 1).sum())
    return ColumnProfile(
        name, tuple(known.tolist()), held, len(values), 0, alone, len(known), codes.astype(np.int32)
    )


# name, values, role, what it is taken for: nothing where the name shall say nothing, ? where somebody is asked
CASES = """
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
Length of stay                | 1..30              | quasi      |
Discharge destination         | home;care home     | quasi      |
Systolic BP                   | 90..190            | sensitive  | medical measurement
Smoking status                | never;former;daily | sensitive  | habits and addiction
Free school meals             | yes;no             | quasi      | ?
Year group                    | 7..13              | quasi      | year
Tutor group                   | 7A;7B;8C           | quasi      |
Attendance percent            | 60.0..100.0        | quasi      |
Meter reading                 | 1000..90000        | quasi      |
Annual consumption kWh        | 900..9000          | quasi      |
Heating type                  | gas;oil;heat pump  | quasi      |
Vertrauen in Gerichte         | 0..10              | quasi      |
Entfernung zur Arbeit         | 1..60              | quasi      |
Entfernung zur Schule         | 0.1..12.5          | quasi      |
Zufriedenheit mit Arbeitgeber | 1..5               | quasi      |
Zufriedenheit mit Wohnort     | 1..7               | quasi      |
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
Confiance en la justice       | 0..10              | quasi      |
Distance au travail           | 1..60              | quasi      |
Satisfaction envers l'hôpital | 1..5               | sensitive  | grade or judgement
Salaire brut                  | 1800..9000         | sensitive  | income
Niveau d'études               | bac;licence;master | quasi      | education
Durée du séjour               | 1..30              | quasi      |
Situation familiale           | célibataire;marié  | quasi      | marital status
Classe                        | 6A;5B;4C           | quasi      | school
Consommation annuelle         | 900..9000          | quasi      |
Confianza en la policía       | 0..10              | quasi      |
Distancia al trabajo          | 1..60              | quasi      |
Satisfacción con el hospital  | 1..5               | quasi      |
Salario base                  | 900..6000          | sensitive  | income
Nivel de estudios             | básico;medio;alto  | quasi      | education
Estado civil                  | soltero;casado     | quasi      | marital status
Días de baja                  | 0..40              | quasi      |
Consumo anual                 | 900..9000          | quasi      |
"""
ROWS = [[part.strip() for part in line.split("|")] for line in CASES.strip().splitlines()]


@pytest.mark.parametrize(("name", "sample", "role", "what"), ROWS, ids=[row[0] for row in ROWS])
def test_an_ordinary_column_is_taken_for_what_it_is(name, sample, role, what):
    found = choose_role(profile(name, cells(sample.replace(";", "|"))))
    assert (found.role, "?" if found.contradiction else found.what) == (role, what)


def test_there_are_enough_of_them():
    assert len(ROWS) >= 63
