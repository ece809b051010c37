"""What names of columns mean."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from name_cases import HARMLESS, NAMES
from shoal.data.column_names import _LANGUAGES, concepts, match_column_name, strip_accents

KINDS = {"coordinate", "date", "age", "amount", "code", "place", "word", "order", "text", ""}
CASES = [(name, role) for roles in NAMES.values() for role, names in roles.items() for name in names.split()]


@pytest.mark.parametrize(
    ("language", "role"), [(language, role) for language in NAMES for role in NAMES[language]]
)
def test_a_name_tells_the_role(language, role):
    found = {name: match_column_name(name) for name in NAMES[language][role].split()}
    assert {name: one for name, one in found.items() if one is None or one.role != role} == {}


@pytest.mark.parametrize("language", _LANGUAGES)
def test_every_language_is_tried(language):
    assert sum(len(names.split()) for names in NAMES[language].values()) >= 80


def test_harmless_names_are_no_identifiers():
    assert len(set(HARMLESS)) >= 600
    found = {name: match_column_name(name) for name in HARMLESS}
    assert {name: one for name, one in found.items() if one and one.role in ("identifier", "drop")} == {}


@pytest.mark.parametrize(
    ("name", "what", "role", "kind"),
    [
        ("birthDate", "birth date", "quasi", "date"),
        ("DOBYY", "birth year", "quasi", "date"),
        ("DOBMM", "birth month or day", "quasi", "order"),
        ("RACEX", "ethnic group", "quasi", "word"),
        ("EDUCYEAR", "education", "quasi", "order"),
        ("性别", "sex", "quasi", "word"),
        ("sexual_orientation", "sexual life", "sensitive", "word"),
        ("name_of_hospital", "hospital or ward", "quasi", "place"),
        ("drug_name", "medicine or treatment", "sensitive", "word"),
        ("store_id", "shop", "quasi", "code"),
        ("icd_id", "diagnosis", "sensitive", "code"),
        ("ZIPcode", "postal code", "quasi", "code"),
        ("address_city", "city", "quasi", "place"),
        ("customer.address.city", "city", "quasi", "place"),
        ("patient.name.family", "last name", "identifier", ""),
        ("encounters.conditions.text", "illness", "sensitive", "word"),
        ("encounters.medications.code", "medicine or treatment", "sensitive", "code"),
        ("encounters.date", "date", "quasi", "date"),
        ("hospital.name", "hospital or ward", "quasi", "place"),
        ("patient.id", "person number", "identifier", ""),
        ("address.line", "street address", "identifier", ""),
        ("passport_expiry_date", "date", "quasi", "date"),
        ("diagnosis_date", "date", "quasi", "date"),
        ("age_at_diagnosis", "age", "quasi", "age"),
        ("Alter_bei_Diagnose", "age", "quasi", "age"),
        ("yearly_income", "income", "sensitive", "amount"),
        ("mother_education", "education", "quasi", "order"),
        ("Note", "grade or judgement", "sensitive", "order"),
        ("insured_name", "name", "identifier", ""),
        ("tbl_patient_id", "person number", "identifier", ""),
        ("encounter_id", "record number", "identifier", ""),
        ("BESCHAEFTIGUNG", "job", "quasi", "word"),
        ("Kundennamen", "name", "identifier", ""),
        ("Prüfungsnoten", "grade or judgement", "sensitive", "order"),
        ("Staatsangeh", "nationality or language", "quasi", "word"),
        ("Abteilungsname", "employer or department", "quasi", "word"),
        ("Einschulungsdatum", "date", "quasi", "date"),
        ("homeroom_teacher_name", "name", "identifier", ""),
        ("customer_city_name", "city", "quasi", "place"),
        ("num_compte", "bank account", "identifier", ""),
        ("patient_last", "last name", "identifier", ""),
        ("il_adi", "region", "quasi", "place"),
    ],
)
def test_a_name_tells_what_a_column_holds(name, what, role, kind):
    found = match_column_name(name)
    assert found is not None
    assert (found.what, found.role, found.kind) == (what, role, kind)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "_",
        "42",
        "?!",
        "product_id",
        "filename",
        "number_of_phones",
        "phone_type",
        "precision",
        "years_at_company",
        "num_emails",
    ],
)
def test_a_name_may_tell_nothing(name):
    assert match_column_name(name) is None


@given(st.sampled_from([name for name, _ in CASES if name.isascii()]))
def test_case_and_what_stands_between_words_do_not_matter(name):
    """Names with humps are left out: nothing but the hump separates their words."""
    if name.lower() == name:
        assert match_column_name(name.upper()) == match_column_name(name)
        assert (
            match_column_name(name.replace("_", " "))
            == match_column_name(name.replace("_", "-"))
            == match_column_name(name)
        )


@given(st.sampled_from([name for name, _ in CASES]))
def test_accents_do_not_matter(name):
    assert match_column_name(strip_accents(name)) == match_column_name(name)


@given(st.text(max_size=40))
def test_any_name_gets_an_answer(name):
    found = match_column_name(name)
    assert found is None or (
        found.kind in KINDS and found.role in ("identifier", "quasi", "sensitive", "weight", "drop")
    )


def test_a_word_belongs_to_one_concept_per_language():
    for language in _LANGUAGES:
        words = Counter(
            strip_accents(word).lower() for concept in concepts() for word in {*concept.words[language]}
        )
        assert [word for word, count in words.items() if count > 1] == []


@pytest.mark.parametrize(
    "name", ["fincome", "hwage", "wageh", "hearnw", "lwage", "wage76", "grwage", "lsalary"]
)
def test_a_stem_with_a_few_letters_around_it_is_a_shortened_compound(name):
    assert match_column_name(name).what == "income"


@pytest.mark.parametrize("name", ["learn", "sewage", "earnest", "message", "teenage", "wagering"])
def test_a_word_that_holds_a_stem_by_chance_is_none(name):
    found = match_column_name(name)
    assert found is None or found.what != "income"


@pytest.mark.parametrize("concept", concepts(), ids=lambda concept: concept.what)
def test_every_concept_has_words_in_every_language(concept):
    assert concept.kind in KINDS
    assert concept.values
    assert concept.values <= {"date", "decimal", "amount", "number", "code", "word"}
    assert all(concept.words[language] for language in _LANGUAGES)


@pytest.mark.parametrize("concept", concepts(), ids=lambda concept: concept.what)
def test_every_word_of_the_tables_is_found(concept):
    """By its concept, or by one with the same role where another language has the same word."""
    for words in concept.words.values():
        for word in words:
            found = match_column_name(word.lstrip("="))
            assert found is not None, word
            assert found.role == concept.role, word
