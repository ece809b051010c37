"""The rules of presets: each on cases by hand, at their edges."""

import pytest

from shoal.errors import InputError
from shoal.privacy.presets import PRESETS, ReleasedCells, check_preset, preset_named

NO = [
    ("zip", "0213*", "places"),
    ("zip", "036**", "places"),
    ("zip", "202**", "places"),
    ("home", "02139-1234", "places"),
    ("code", "02139", "places"),
    ("city", "Boston", "places"),
    ("seen", "2020-03-05", "dates"),
    ("seen", "2020-03", "dates"),
    ("seen", "2020-Q1", "dates"),
    ("seen", "[2020-03-01, 2020-04-01)", "dates"),
    ("seen", "3/5/20", "dates"),
    ("seen", "5 March 2020", "dates"),
    ("admission_date", "1583366400", "dates"),
    ("age", "90", "ages"),
    ("age", "[85, 95)", "ages"),
    ("age", "[85, 90]", "ages"),
    ("age", ">= 95", "ages"),
    ("age_months", "1080", "ages"),
    ("birth_year", "1936", "ages"),
    ("birth_year", "< 1936", "ages"),
    ("firstName", "x", "names"),
    ("x", "617-555-0123", "phone"),
    ("fax", "x", "fax"),
    ("x", "ann@example.org", "mail"),
    ("x", "078-05-1120", "social security"),
    ("MRN", "x", "record numbers"),
    ("x", "https://example.org/ann", "web addresses"),
    ("x", "10.0.0.7", "IP addresses"),
    ("x", "fe80::1", "IP addresses"),
    ("x", "00:1b:44:11:3a:b7", "devices"),
    ("license_plate", "x", "vehicles"),
    ("photo", "x", "photos"),
    ("patient_id", "x", "other codes"),
]
YES = [
    ("zip", "021**"),
    ("zip", "000**"),
    ("zip", "0****"),
    ("zip", "*"),
    ("zip", "063**"),
    ("city", "Ohio"),
    ("age", "89"),
    ("age", "[85, 90)"),
    ("age", ">= 90"),
    ("age", "90+"),
    ("age_months", "1079"),
    ("birth_year", "1937"),
    ("birth_year", "< 1937"),
    ("birth_date", "1950s"),
    ("admission_date", "2020"),
    ("admission_date", "[2018, 2021)"),
    ("drug_name", "aspirin"),
    ("name", "*"),
    ("income", "54321"),
    ("dose", "1.25"),
]


def broken(column: str, text: str, preset: str = "hipaa-safe-harbor") -> list[str]:
    released = ReleasedCells({column: {text: 5}}, {column: "quasi"}, (5,), 2026)
    return [one.rule.name for one in check_preset(preset, released) if one.verdict == "no"]


@pytest.mark.parametrize(("column", "text", "rule"), NO)
def test_a_broken_rule_is_named(column, text, rule):
    assert broken(column, text) == [rule]


@pytest.mark.parametrize(("column", "text"), YES)
def test_what_a_rule_allows_is_kept(column, text):
    assert broken(column, text) == []


def test_restricted_zip_codes_are_those_of_the_census():
    found = {
        preset: [n for n in range(1000) if broken("zip", f"{n:03d}**", preset)]
        for preset in ("hipaa-safe-harbor", "hipaa-safe-harbor-2000")
    }
    assert {preset: len(many) for preset, many in found.items()} == {
        "hipaa-safe-harbor": 18,
        "hipaa-safe-harbor-2000": 17,
    }


def test_sentences_and_knowledge_cannot_be_told():
    released = ReleasedCells({"note": {"came in with pain in the knee": 9}}, {"note": "plain"}, (9,), 2026)
    untold = [
        one.rule.name
        for one in check_preset("hipaa-safe-harbor", released)
        if one.verdict == "cannot be told"
    ]
    assert untold == ["names", "knowledge"]


def test_codes_of_their_own_are_found_by_their_form():
    codes = {f"K{n:05d}": 1 for n in range(30)}
    released = ReleasedCells({"slot": codes}, {"slot": "plain"}, (30,), 2026)
    assert [one.rule.name for one in check_preset("hipaa-safe-harbor", released) if one.verdict == "no"] == [
        "other codes"
    ]


def test_an_unknown_preset_is_told():
    with pytest.raises(InputError, match="no preset 'hipaa'"):
        preset_named("hipaa")
    assert all(rule.source and rule.asks for preset in PRESETS.values() for rule in preset.rules)
