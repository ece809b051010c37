"""The rules of presets: each on cases by hand, at their edges."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preset_cases import NEVER_YES, WELL_KEPT
from preset_cases import NO as BREAKS
from shoal.base.errors import InputError
from shoal.base.naming import resource_table
from shoal.privacy.presets import NO as BROKEN
from shoal.privacy.presets import (
    PRESETS,
    UNTOLD,
    ReleasedCells,
    check_preset,
    describe_rules,
    find_preset,
    preset_as_dict,
)

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
    assert broken(column, text)[0] == rule


@pytest.mark.parametrize(("column", "text"), YES)
def test_what_a_rule_allows_is_kept(column, text):
    assert broken(column, text) == []


ROLES = ("plain", "quasi", "sensitive", None)


def judged(column, cells, role, preset="hipaa-safe-harbor", many=9):
    """What is found of each rule in a release of one column; fields of record trees have no role."""
    roles = {} if role is None else {column: role}
    released = ReleasedCells({column: dict.fromkeys(cells, many)}, roles, (), 2026, crowd=20)
    return {one.rule.name: one.verdict for one in check_preset(preset, released)}


def cases_of(table):
    return [(rule, column, cells) for rule, cases in table.items() for column, cells in cases]


@pytest.mark.parametrize(("rule", "column", "cells"), cases_of(BREAKS))
def test_what_visibly_breaks_a_rule_gets_a_no_in_every_role(rule, column, cells):
    assert {role: judged(column, cells, role)[rule] for role in ROLES} == dict.fromkeys(ROLES, BROKEN)


@pytest.mark.parametrize(("rule", "column", "cells"), cases_of(NEVER_YES))
def test_what_may_break_a_rule_gets_no_yes_in_any_role(rule, column, cells):
    assert "yes" not in {judged(column, cells, role)[rule] for role in ROLES}


@pytest.mark.parametrize(("column", "cells"), WELL_KEPT)
def test_what_keeps_every_rule_gets_a_yes_in_every_role(column, cells):
    for role in ROLES:
        found = judged(column, cells, role)
        assert {rule for rule in found if found[rule] != "yes"} == {"knowledge"}, role


FORMATS = [
    "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y%m%d", "%d%m%Y", "%Y%m", "%d.%m.%y", "%Y/%j", "%Y-%j", "%G-W%V",
    "%GW%V", "%d %B %Y", "%B %Y", "%b %d, %Y", "%d%b%Y", "%A", "%B", "%Y-%m-%dT%H:%M", "%s", "%m/%d", "%d.%m.",
    "%y%m%d",
]  # fmt: skip


@given(
    st.lists(st.dates(date(2002, 1, 1), date(2030, 1, 1)), min_size=4, max_size=30, unique=True),
    st.sampled_from(FORMATS),
    st.sampled_from(["x", "seen", "v12", "wert", "info"]),
    st.sampled_from(ROLES),
)
def test_dates_in_any_format_under_any_name_are_never_kept_in_silence(days, form, column, role):
    assert judged(column, [day.strftime(form) for day in days], role)["dates"] != "yes"


@given(
    st.lists(st.integers(18, 89), max_size=20),
    st.integers(90, 110),
    st.sampled_from(
        ["x", "v3", "age", "ageAtVisit", "age_last_week", "edad", "years", "grp", "birthday_age"]
    ),
    st.sampled_from(["{}", "{}.0", "[{0}, {0}]", "{} years", "aged {}", " {} "]),
)
def test_ages_over_89_are_never_kept_in_silence(ages, oldest, column, form):
    cells = [form.format(age) for age in [*ages, oldest]]
    assert {judged(column, cells, role)["ages"] for role in ROLES}.isdisjoint({"yes"})


@given(st.lists(st.integers(0, 89), min_size=1), st.sampled_from(["{}", "{}.0", "{} years"]))
def test_ages_up_to_89_are_kept(ages, form):
    cells = [*(form.format(age) for age in ages), ">= 90"]
    assert judged("age", cells, "quasi")["ages"] == "yes"


@given(st.integers(0, 999), st.sampled_from(["{:03d}", "{:03d}**", "{}", "{}.0"]))
def test_a_restricted_zip_code_is_found_with_its_zeros_and_without(prefix, form):
    listed = resource_table("shoal.privacy", "safe_harbor.toml")["restricted"]["2020"].split()
    found = judged("zip", [form.format(prefix)], "quasi")["places"]
    assert (found == BROKEN) == (f"{prefix:03d}" in listed)


@given(
    st.lists(st.integers(10**9, 10**10 - 1).map(str), min_size=3, unique=True),
    st.sampled_from(["{}", "{}.0", "+{}", "{0:.3}-{0}"]),
)
def test_long_numbers_are_never_kept_in_silence(numbers, form):
    found = judged("x", [form.format(number) for number in numbers], "plain")
    assert {rule for rule, verdict in found.items() if verdict != "yes"} > {"knowledge"}


@pytest.mark.parametrize("preset", ["hipaa-expert", "ema-health-canada", "wp29"])
@pytest.mark.parametrize(
    ("column", "cells"), [case for case in BREAKS["names"] + BREAKS["phone"] + BREAKS["other codes"]]
)
def test_every_preset_looks_for_direct_identifiers_in_values(preset, column, cells):
    rule = "linkability" if preset == "wp29" else "direct identifiers"
    assert judged(column, cells, "plain", preset)[rule] == BROKEN


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d%m%Y", "%d%b%Y", "%Y-%m-%dT%H:%M", "%s"]
)
def test_a_date_is_no_number_of_a_person_where_dates_are_allowed(form):
    days = [date(2020 + place % 4, 1 + place % 12, 1 + place % 28).strftime(form) for place in range(60)]
    for role in ROLES:
        assert judged("seen", days, role, "ema-health-canada")["direct identifiers"] == "yes"
        assert judged("seen", days, role, "wp29")["linkability"] == "yes"


ALLOWED = [
    ("zip", ["02139", "10001"]),
    ("zip", ["8040*", "8110*"]),
    ("PLZ", ["10115", "99084"]),
    ("city", ["Boston", "Ulm"]),
    ("county_fips", ["17031", "06037"]),
    ("age", ["95", "45"]),
    ("birth_date", ["1950-03-05", "1960-04-01"]),
    ("hospital", ["Klinikum Jena", "Charité"]),
    ("lat", ["48.1371"]),
]


@pytest.mark.parametrize(("column", "cells"), [*ALLOWED, *WELL_KEPT])
def test_places_dates_and_ages_are_no_direct_identifiers(column, cells):
    for role in ROLES:
        assert judged(column, cells, role, "wp29")["linkability"] == "yes"


def test_what_cannot_be_told_stands_first_and_names_the_column():
    released = ReleasedCells({"v3": {"45": 9, "97": 9}}, {"v3": "plain"}, (), 2026)
    found = check_preset("hipaa-safe-harbor", released)
    assert {one.rule.name for one in found if one.verdict == UNTOLD} == {"ages", "knowledge"}
    said = describe_rules(preset_as_dict("hipaa-safe-harbor", found))
    assert said.startswith(
        "hipaa-safe-harbor: of 20 rules 2 cannot be told from the data: ages (column 'v3' may hold ages over 89"
    )
    assert said.endswith("18 are kept")


def test_what_holds_a_value_of_its_own_for_nearly_everybody_may_be_a_mark():
    codes = judged("slot", [f"K{number:05d}" for number in range(30)], "plain", many=1)
    numbering = judged("slot", [str(number) for number in range(95, 130)], "plain", many=1)
    words = judged(
        "slot", [f"{letter}o{other}i" for letter in "abcdef" for other in "lmnrst"], "plain", many=1
    )
    wages = judged("wage", [str(number) for number in range(30_000, 60_000, 777)], "plain", many=1)
    assert [found["other codes"] for found in (codes, numbering, words, wages)] == [
        BROKEN,
        UNTOLD,
        UNTOLD,
        "yes",
    ]


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
        find_preset("hipaa")
    assert all(rule.source and rule.asks for name in PRESETS for rule in find_preset(name).rules)


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
