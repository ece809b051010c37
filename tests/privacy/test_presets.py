"""The rules of presets: each on cases by hand, at their edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.naming import resource_table
from shoal.privacy.presets import NO as BROKEN
from shoal.privacy.presets import PRESETS, ReleasedCells, check_preset, preset_named

NO = [
    ("zip", "0213*", "places"),
    ("zip", "036**", "places"),
    ("zip", "202**", "places"),
    ("home", "02139-1234", "places"),
    ("code", "02139", "places"),
    ("city", "Boston", "places"),
    ("Wohnort", "Ulm", "places"),
    ("county", "Cook", "places"),
    ("county_fips", "17031", "places"),
    ("postcode", "SW1*", "places"),
    ("seen", "2020-03-05", "dates"),
    ("seen", "2020-03", "dates"),
    ("seen", "2020-Q1", "dates"),
    ("seen", "[2020-03-01, 2020-04-01)", "dates"),
    ("seen", "3/5/20", "dates"),
    ("seen", "2020.03.05", "dates"),
    ("seen", "03.2020", "dates"),
    ("visit_date", "05-MAR-2020", "dates"),
    ("Aufnahmedatum", "43895", "dates"),
    ("admit_month", "3", "dates"),
    ("weekday", "Tuesday", "dates"),
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
    ("Nachname", "x", "names"),
    ("numéro_de_téléphone", "x", "phone"),
    ("passport", "x", "licences"),
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
    ("state", "MA"),
    ("state_fips", "06"),
    ("region", "Midwest (US)"),
    ("admission", "elective"),
    ("phone_type", "x"),
    ("birth_date", "1937 to 1939"),
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


# Cases of the test suites of Microsoft's Tools for Health Data Anonymization (DateTimeUtility, PostalCodeUtility,
# Redact): what goes in there breaks a rule here, and what comes out keeps it; 1925 is before anybody under 90 was born.
PUBLIC = [
    ("postalCode", "98052", "980**", "places"),
    ("postalCode", "10104", "101**", "places"),
    ("postalCode", "20301", "000**", "places"),
    ("postalCode", "55602", "000**", "places"),
    ("postalCode", "98028-1830", "980**", "places"),
    ("postalCode", "20301-1830", "000**", "places"),
    ("birthDate", "2015-02", "2015", "dates"),
    ("birthDate", "2015-02-07", "2015", "dates"),
    ("authoredOn", "2015-02-07T13:28:17-05:00", "2015", "dates"),
    ("authoredOn", "2015-02-07T13:28:17.12345-05:00", "2015", "dates"),
    ("authoredOn", "1998-10-02T08:47:25+08:00", "1998", "dates"),
    ("birthDate", "1925", "< 1937", "ages"),
    ("age", "92", ">= 90", "ages"),
    ("age", "101", "90+", "ages"),
]


@pytest.mark.parametrize(("column", "raw", "published", "rule"), PUBLIC)
def test_cases_of_a_public_test_suite(column, raw, published, rule):
    assert rule in broken(column, raw)
    assert broken(column, published) == []


@pytest.mark.parametrize("census", ["2000", "2020"])
def test_the_vocabulary_of_zip_codes_covers_the_restricted_ones_of_both_lists(census):
    from shoal.hierarchy.vocabularies import vocabularies

    listed = resource_table("shoal.privacy", "safe_harbor.toml")["restricted"][census].split()
    assert len(set(listed)) == {"2000": 17, "2020": 18}[census]
    read = vocabularies()["us-zip-safe-harbor"].read
    assert {read(f"{prefix}01")[1][0] for prefix in listed} == {"000**"}


def test_an_amount_among_others_is_no_month_of_a_year():
    charges = ReleasedCells({"charges": {"2034.05": 1, "11.2034": 1, "871.20": 1}}, {}, (), 2026)
    assert not [one for one in check_preset("hipaa-safe-harbor", charges) if one.verdict == BROKEN]


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
    assert all(rule.source and rule.asks for name in PRESETS for rule in preset_named(name).rules)


def of_classes(sizes, told=(), crowd=12, roles=None, cells=None, about=()):
    cells = cells or {"age": {"60": sum(sizes) or 1}}
    return ReleasedCells(
        cells, roles or dict.fromkeys(cells, "quasi"), sizes, 2026, dict(told), crowd, dict(about)
    )


GOOD = of_classes((12, 40), {"ill": 2})
REFUSED = [
    ("ema-health-canada", of_classes((11, 40)), ["highest risk", "share above"]),
    ("ema-health-canada", of_classes((), crowd=11), ["highest risk"]),
    ("ema-health-canada", of_classes((12,), cells={"patient_id": {"7": 12}}), ["direct identifiers"]),
    ("ema-health-canada", of_classes((12,), cells={"x": {"ann@example.org": 12}}), ["direct identifiers"]),
    ("hipaa-expert", of_classes((11, 40)), ["highest risk", "share above"]),
    ("hipaa-expert", of_classes((), crowd=1), ["threshold", "highest risk"]),
    ("hipaa-expert", of_classes((12,), cells={"MRN": {"7": 12}}), ["direct identifiers"]),
    ("wp29", of_classes((1, 40)), ["singling out", "linkability"]),
    ("wp29", of_classes((), crowd=1), ["singling out", "linkability"]),
    ("wp29", of_classes((12,), {"ill": 1}), ["inference"]),
    ("wp29", of_classes((12,), {"ill": 0}), ["inference"]),
    ("wp29", of_classes((12,), roles={"pid": "pseudonym"}, cells={"pid": {"K7QW": 12}}), ["linkability"]),
]


@pytest.mark.parametrize(("name", "released", "rules"), REFUSED)
def test_a_release_that_breaks_a_preset_gets_a_no(name, released, rules):
    assert [one.rule.name for one in check_preset(name, released) if one.verdict == BROKEN] == rules


@pytest.mark.parametrize("name", ["ema-health-canada", "hipaa-expert", "wp29"])
def test_a_release_that_keeps_a_preset_is_told_what_only_people_can_say(name):
    found = {one.rule.name: one.verdict for one in check_preset(name, GOOD)}
    assert BROKEN not in found.values()
    said = {
        one.rule.name: one.verdict for one in check_preset(name, of_classes((12,), about={"reason": "x"}))
    }
    assert [rule for rule in said if (found[rule], said[rule]) == ("cannot be told", "yes")] == {
        "ema-health-canada": ["rationale"],
        "hipaa-expert": ["threshold"],
        "wp29": [],
    }[name]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_figures_of_risk_are_those_of_each_record(sizes):
    risks = [1 / size for size in sizes for _ in range(size)]
    found = {one.rule.name: one for one in check_preset("ema-health-canada", of_classes(tuple(sizes)))}
    above = sum(risk > 0.09 for risk in risks)
    assert (
        (found["highest risk"].verdict == BROKEN)
        == (max(risks) > 0.09)
        == (found["share above"].verdict == BROKEN)
    )
    assert found["highest risk"].found.startswith(f"{max(risks):.4f}, ")
    assert found["average risk"].found.startswith(f"{sum(risks) / len(risks):.4f}: ")
    assert found["share above"].found == f"{above:,} of {len(risks):,} records ({above / len(risks):.2%})"
