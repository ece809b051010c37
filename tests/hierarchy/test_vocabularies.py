"""Vocabularies: their files, the law that every level coarsens the one below, and how codes and words are found."""

import re
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import HierarchyError
from shoal.base.naming import resource_table
from shoal.hierarchy.rules import build
from shoal.hierarchy.vocabularies import (
    outside_vocabulary,
    suggest_vocabularies,
    vocabularies,
    vocabulary_hierarchy,
)

VOCABULARIES = vocabularies()
DRAWN = [
    name
    for name in VOCABULARIES
    if not name.endswith(("-de", "-fr", "-es", "-it", "-nl", "-pt", "-tr", "-zh"))
]
FILES = ["calendar", "codes", "countries", "currencies", "education", "postal", "scales", "us-states"]


def file(name):
    return resource_table("shoal.hierarchy", f"vocabulary/{name}.toml")


def listed(groups):
    return [word for lines in groups.values() for line in lines for word in line.split(" | ")]


def letters(alphabet, most, least=0):
    return st.text(alphabet=alphabet, min_size=least, max_size=most)


def scale_words(text):
    return [
        word.strip() for group in text.split(" / ") for step in group.split(";") for word in step.split(" | ")
    ]


WORDS = {
    "countries": listed(file("countries")["groups"]),
    "us-states": listed(file("us-states")["groups"]),
    "currencies": listed(file("currencies")["groups"]),
    "months": listed(file("calendar")["months"]),
    "weekdays": listed(file("calendar")["weekdays"]),
    "education": listed(file("education")["groups"]),
    **{name: scale_words(text) for name, text in file("scales")["scales"].items()},
}
DIGITS, CAPITALS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CODES = {
    "icd10": st.from_regex(r"[A-TV-Z][0-9][0-9](\.?[0-9A-Z]{1,4})?", fullmatch=True),
    "icd9": st.from_regex(r"([0-9]{3}|V[0-8][0-9]|E8[0-9]{2})(\.?[0-9]{1,2})?", fullmatch=True),
    "atc": st.from_regex(r"[ABCDGHJLMNPRSV][0-9]{2}([A-Z]([A-Z]([0-9]{2})?)?)?", fullmatch=True),
    "isco": letters(DIGITS, 4, 1),
    "nace": st.from_regex(r"[0-9]{2}(\.?[0-9]{1,2})?", fullmatch=True),
    "naics": letters(DIGITS, 6, 2),
    "nuts": st.builds(
        lambda country, rest: country + rest,
        st.sampled_from(["DE", "FR", "AT", "UK", "TR"]),
        letters(DIGITS + CAPITALS, 3),
    ),
    **{
        name: letters(DIGITS, 5, 5)
        for name in ("de-postal", "fr-postal", "es-postal", "it-postal", "us-zip", "us-zip-safe-harbor")
    },
    "uk-postal": st.from_regex(r"(SW|E|M|EC)[1-9][0-9A-Z]? ?[0-9][A-Z]{2}", fullmatch=True),
    "nl-postal": st.from_regex(r"[1-9][0-9]{3}( ?[A-Z]{2})?", fullmatch=True),
    "snomed": st.sampled_from(["73211009", "38341003", "195967001", "22298006"]),
}


def values_of(name):
    return CODES[name] if name in CODES else st.sampled_from(WORDS[name])


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_small_and_names_its_source_and_its_date(name):
    assert len(files("shoal.hierarchy").joinpath(f"vocabulary/{name}.toml").read_bytes()) < 40_000
    table = file(name)
    for part in [table] if "source" in table else table.values():
        assert part["source"]
        assert part["date"][:2] in ("20",)


def test_every_vocabulary_has_words_or_a_form_to_draw_codes_from():
    assert set(VOCABULARIES) == WORDS.keys() | CODES.keys()


def path(made, value):
    nodes = made.up[made.look_up([value])[0]].tolist()
    return [labels[node] for labels, node in zip(made.labels, nodes, strict=True)]


@pytest.mark.parametrize("name", DRAWN)
@settings(max_examples=20)
@given(data=st.data())
def test_a_vocabulary_is_a_tree_whose_every_level_coarsens_the_one_below(name, data):
    known = VOCABULARIES[name]
    values = data.draw(st.lists(values_of(name), min_size=1, max_size=30, unique=True))
    inside = [value for value in values if known.read(value) is not None]
    if not inside:
        return
    made = vocabulary_hierarchy("x", name, values)
    assert made.height == len(known.levels) + 1
    assert not made.public
    assert sorted(made.leaves) == sorted(values)
    for level in range(made.height):
        for node in np.unique(made.up[: made.size, level]):
            under = made.up[: made.size, level] == node
            assert len(np.unique(made.up[: made.size, level + 1][under])) == 1
    outside = len(values) - len(inside)
    told = outside_vocabulary("x", name, values)
    assert told == "" if not outside else f"{outside} of {len(values)} distinct values" in told
    alone = vocabulary_hierarchy("x", name, inside[:1])  # labels do not depend on who else is there
    assert path(made, inside[0]) == path(alone, inside[0])


@pytest.mark.parametrize(
    "name", ["icd10", "icd9", "atc", "isco", "nace", "naics", "nuts", "uk-postal", "nl-postal"]
)
@settings(max_examples=30)
@given(data=st.data())
def test_a_code_is_found_without_its_dot_in_lower_case_and_with_blanks(name, data):
    code = data.draw(CODES[name])
    read = VOCABULARIES[name].read
    assert read(code) == read(code.replace(".", "")) == read(code.lower()) == read(f" {code} ")


@pytest.mark.parametrize("name", WORDS)
def test_every_word_is_found_in_any_case_and_no_word_is_a_label(name):
    read = VOCABULARIES[name].read
    for word in WORDS[name]:
        found = read(word)
        assert found is not None
        assert read(f" {word.upper()} ".replace("İ", "i")) is not None or not word.isascii()
        assert word not in found[1]


@pytest.mark.parametrize("name", [name for name in WORDS if VOCABULARIES[name].ordered])
def test_groups_of_an_order_are_neighbours(name):
    words = list(dict.fromkeys(WORDS[name]))
    made = vocabulary_hierarchy("x", name, words)
    places = [VOCABULARIES[name].read(leaf)[0] for leaf in made.leaves]
    assert made.ordered
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("name", "value", "above"),
    [
        ("countries", "Deutschland", ("Western Europe", "Europe")),
        ("countries", "KOR", ("Eastern Asia", "Asia")),
        ("countries", "Côte d’Ivoire", ("Western Africa", "Africa")),
        ("countries", "Estados Unidos", ("Northern America", "Americas")),
        ("countries", "Duitsland", ("Western Europe", "Europe")),
        ("us-states", "tx", ("West South Central", "South (US)")),
        ("months", "März", ("Q1", "H1")),
        ("months", "août", ("Q3", "H2")),
        ("weekdays", "Sonnabend", ("Saturday and Sunday",)),
        ("currencies", "CHF", ("other currencies of Europe", "currencies of Europe")),
        ("education", "Abitur", ("ISCED 3", "upper secondary education (ISCED 3 to 4)")),
        ("agreement-de", "stimme eher zu", ("stimme eher zu bis stimme voll zu",)),
        ("icd10", "e11.9", ("E11*", "E10-E14", "E00-E90 hormones, nutrition, metabolism")),
        ("icd10", "S72.001A", ("S72*", "S70-S79", "S00-T98 injuries and poisonings")),
        ("icd10", "E11.9 G", ("E11*", "E10-E14", "E00-E90 hormones, nutrition, metabolism")),
        ("icd10", "M04.1", ("M04*", "M04-M04", "M00-M99 muscles, bones, joints")),
        ("icd10", "C4A.1", ("C4A*", "C43-C44", "C00-D49 tumours")),
        ("icd10", "E08.9", ("E08*", "E10-E14", "E00-E90 hormones, nutrition, metabolism")),
        ("icd10", "O9A.1", ("O9A*", "O94-O99", "O00-O99 pregnancy and birth")),
        ("icd10", "QA0", ("QA0*", "QA0-QA0", "Q00-Q99 inborn conditions")),
        ("isco", "2100", (None, "21**", "2*** academic professions")),
        ("isco", "110", ("011*", "01**", "0*** armed forces")),
        ("nuts", "UA63", ("UA63*", "UA6*", "UA*")),
        ("education", "Meister", ("ISCED 6", "higher education (ISCED 5 to 8)")),
        ("months", "Şub", ("Q1", "H1")),
        ("fr-postal", "20700", ("2A*", "Corse")),
        ("icd9", "250.83", ("250*", "249-259", "240-279 hormones, nutrition, metabolism, immunity")),
        ("icd9", "8.45", ("008*", "001-009", "001-139 infections")),
        ("icd9", "E8120", ("E812*", "E810-E819", "E000-E999 external causes")),
        ("icd9", "V45.81", ("V45*", "V40-V49", "V01-V91 contact with health services")),
        ("atc", "A10BA02", ("A10BA*", "A10B*", "A10 diabetes", "A digestion and metabolism")),
        ("atc", "A10", (None, None, "A10 diabetes", "A digestion and metabolism")),
        ("isco", "2512", ("251*", "25**", "2*** academic professions")),
        ("nace", "J62.01", ("620*", "62**", "J 58-63 information")),
        ("naics", "448120", ("4481**", "448***", "44-45 retail")),
        ("nuts", "de212", ("DE21*", "DE2*", "DE*")),
        ("de-postal", "1067", ("010**", "01***", "0****")),
        ("fr-postal", "20200", ("2B*", "Corse")),
        ("fr-postal", "20000", ("2A*", "Corse")),
        ("fr-postal", "97400", ("974*", "outre-mer")),
        ("fr-postal", "75011", ("75*", "Île-de-France")),
        ("es-postal", "28013", ("28***", "Madrid")),
        ("it-postal", "00184", ("001**", "00***", "0****")),
        ("us-zip", "94110-1234", ("941**", "9****")),
        ("uk-postal", "sw1a1aa", ("SW1A *", "SW*")),
        ("uk-postal", "M1 1AE", ("M1 *", "M*")),
        ("nl-postal", "1012 AB", ("1012 **", "10**", "1***")),
        ("snomed", "73211009", ()),
    ],
)
def test_what_stands_above_a_value(name, value, above):
    found = VOCABULARIES[name].read(value)
    assert found is not None
    assert found[1] == above


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("icd10", "11E"), ("icd9", "000"), ("atc", "E10BA02"), ("atc", "A17"), ("isco", "2700"), ("isco", "218"),
        ("nace", "C62.01"), ("nace", "04"), ("naics", "60"), ("nuts", "XX1"), ("nuts", "AT9"),
        ("de-postal", "00123"), ("fr-postal", "96000"), ("es-postal", "53001"), ("us-zip", "00312"),
        ("uk-postal", "QQ1 1AA"), ("nl-postal", "0123 AB"),
        ("snomed", "73211008"), ("snomed", "1234567"), ("countries", "Atlantis"), ("currencies", "EURO"),
    ],
)  # fmt: skip
def test_what_a_vocabulary_does_not_know(name, value):
    assert VOCABULARIES[name].read(value) is None


def test_a_value_that_it_does_not_know_stands_in_a_group_of_others():
    made = build("land", {"vocabulary": "countries"}, ["France", "Narnia", "Japan", None])
    assert path(made, "Narnia")[1:] == ["other (not in countries)", "other (not in countries)", "*"]
    assert path(made, "Japan")[1:] == ["Eastern Asia", "Asia", "*"]


@pytest.mark.parametrize(
    ("vocabulary", "values", "what"),
    [
        ("icd11", ["E11"], "no vocabulary 'icd11'.*icd10"),
        ("countries", ["France", "Europe"], "1 of 2 distinct values read like a group"),
    ],
)
def test_faults_say_what_to_do_and_no_value(vocabulary, values, what):
    with pytest.raises(HierarchyError, match=what) as fault:
        vocabulary_hierarchy("x", vocabulary, values)
    assert not any(value in str(fault.value) for value in values)


def test_values_none_of_which_it_knows_are_a_fault_of_whoever_asks_and_not_of_a_hierarchy_over_the_rest():
    """Those who are left of all may have none of it: nothing may fail then, for it would tell of the others."""
    with pytest.raises(HierarchyError, match="2 of 2 distinct values are not in vocabulary 'icd10'"):
        outside_vocabulary("x", "icd10", ["red", "blue"])
    assert vocabulary_hierarchy("x", "icd10", ["red", "blue"]).labels[1] == ("other (not in icd10)", "*")


def test_a_rule_with_anything_beside_it_is_refused():
    with pytest.raises(HierarchyError, match="vocabulary takes no 'top'"):
        build("x", {"vocabulary": "icd10", "top": 3}, ["E11"])


@pytest.mark.parametrize(
    ("values", "name", "meaning", "fits"),
    [
        (["E11.9", "I10.0", "J45.0"], "x", "", ["icd10"]),
        (["E11", "I10", "J45"], "seat", "", []),
        (["E11", "I10", "J45"], "dx", "diagnosis", ["icd10"]),
        (["A10BA02", "C07AB02"], "x", "", ["atc"]),
        (["2512", "2221", "5120"], "amount", "", []),
        (["2512", "2221", "5120"], "isco_code", "", ["isco"]),
        (["73211009", "38341003", "195967001"], "code", "", ["snomed"]),
        (["DE", "AL", "CA"], "x", "", []),
        (["DE", "AL", "CA"], "state", "region", ["us-states"]),
        (["DE", "AL", "CA"], "country", "country", ["countries"]),
        (["10115", "99084"], "PLZ", "postal code", ["de-postal"]),
        (["SW1A 1AA", "M1 1AE"], "x", "", ["uk-postal"]),
        (["10115", "99084"], "amount", "", []),
        (["agree", "disagree", "neutral"], "q1", "", ["agreement-en"]),
        (["red", "green", "France"], "x", "", []),
    ],
)
def test_which_vocabularies_fit(values, name, meaning, fits):
    assert suggest_vocabularies(values, name, meaning) == fits


def test_nearly_all_values_must_fit():
    codes = [f"E{n:02}.{m}" for n in range(10, 15) for m in range(4)]
    assert suggest_vocabularies([*codes, "n.k."], "x") == ["icd10"]
    assert suggest_vocabularies([*codes, "one", "two", "three"], "x") == []


def test_the_range_of_postal_codes_tells_their_country():
    """Of codes from all over a country, some begin as no code of another one does."""
    codes = [f"{place:05}" for place in range(1000, 99999, 7)]
    for country, name in (("de", "de-postal"), ("us", "us-zip")):
        unused = tuple(file("postal")[country]["unused"].split())
        used = [code for code in codes if not code.startswith(unused)]
        assert suggest_vocabularies(used, "postal_code", "postal code") == [name]
    assert suggest_vocabularies(["10115", "99084"], "postal_code", "postal code") == ["de-postal", "us-zip"]


# What the files must be, whatever is added: one parent for each code, ranges that do not meet.

LISTS = [
    ("countries", "groups"),
    ("us-states", "groups"),
    ("currencies", "groups"),
    ("calendar", "months"),
    ("calendar", "weekdays"),
    ("education", "groups"),
]
RANGES = ["icd10", "icd9", "nace", "naics"]


def bare(word):
    return re.sub(r"[\W_]+", " ", word.casefold()).strip()


def blocks(which):
    """First and last category of each range, and its chapter; a category that a "+" adds is a range of its own."""
    for chapter, text in file("codes")[which]["chapters"].items():
        for part in re.split(r"[ +]", text):
            first, _, last = part.partition("-")
            yield first, last or first, chapter


@pytest.mark.parametrize(("name", "section"), LISTS)
def test_a_word_stands_in_one_line_of_one_group(name, section):
    lines = [
        {bare(word) for word in line.split(" | ")} for group in file(name)[section].values() for line in group
    ]
    assert not [word for line in lines for word in line if sum(word in other for other in lines) > 1]


def test_a_word_stands_on_one_step_of_a_scale():
    for scale, text in file("scales")["scales"].items():
        steps = [
            {bare(word) for word in step.split(" | ")}
            for group in text.split(" / ")
            for step in group.split(";")
        ]
        assert len({word for step in steps for word in step}) == sum(map(len, steps)), scale


@pytest.mark.parametrize("which", RANGES)
def test_ranges_of_codes_run_upwards_and_do_not_meet(which):
    ranges = sorted((first, last) for first, last, _ in blocks(which))
    assert all(first <= last for first, last in ranges)
    assert all(here[1] < there[0] for here, there in pairwise(ranges))


@pytest.mark.parametrize("which", ["icd10", "icd9"])
def test_blocks_lie_in_their_chapter_and_chapters_leave_no_gap(which):
    spans = {chapter: chapter.partition(" ")[0].split("-") for *_, chapter in blocks(which)}
    outside = [
        (first, last) for first, last, chapter in blocks(which)
        if not spans[chapter][0] <= first <= last <= spans[chapter][1]
    ]  # fmt: skip
    beyond = [("O9A", "O9A"), ("QA0", "QA0")]  # of ICD-10-CM: letters go on after 99
    assert outside == (beyond if which == "icd10" else [])
    if which == "icd9":
        numbers = [span for span in spans.values() if span[0].isdecimal()]
        assert (numbers[0][0], numbers[-1][1]) == ("001", "999")
        assert all(int(here[1]) + 1 == int(there[0]) for here, there in pairwise(numbers))
    else:
        assert {span[0][0] for span in spans.values()} | {span[1][0] for span in spans.values()} == set(
            "ABCDEFGHIJKLMNOPQRSTUVYZ"
        )


@pytest.mark.parametrize(
    ("country", "parts"),
    [
        ("fr", {f"{number:02}" for number in range(1, 96)} - {"20"} | {"2A", "2B"}),
        ("es", {f"{number:02}" for number in range(1, 53)}),
    ],
)
def test_every_department_and_province_has_one_region(country, parts):
    listed = [part for text in file("postal")[country]["regions"].values() for part in text.split()]
    assert len(listed) == len(set(listed))
    assert parts <= set(listed)
    assert all(part.startswith(("97", "98")) for part in set(listed) - parts)


def test_every_beginning_of_a_code_of_five_digits_is_in_use_or_listed_as_unused_once():
    for country in ("de", "it", "us"):
        unused = file("postal")[country]["unused"].split()
        assert unused == sorted(set(unused)), country
        assert {len(part) for part in unused} == {3 if country == "us" else 2}
        read = VOCABULARIES["us-zip" if country == "us" else f"{country}-postal"].read
        width = len(unused[0])
        for number in range(10**width):
            begin = f"{number:0{width}}"
            assert (read(begin + "1" * (5 - width)) is None) == (begin in unused), begin


def test_second_groups_of_drugs_stand_below_their_letter_and_minor_groups_of_jobs_below_theirs():
    drugs, jobs = file("codes")["atc"], file("codes")["isco"]
    assert all(
        name.startswith(f"{code} ") and code[0] in drugs["first"] for code, name in drugs["second"].items()
    )
    assert {code[0] for code in drugs["second"]} == drugs["first"].keys()
    assert len(set(drugs["second"].values())) == len(drugs["second"]) == 94
    minor = jobs["minor"].split()
    assert len({last[:2] for last in minor}) == len(minor) == 43
    assert {last[0] for last in minor} == jobs["first"].keys()
    assert sum(int(last[2]) for last in minor) == 130  # ISCO-08 has so many minor groups


def test_every_part_of_the_codes_says_what_it_was_compared_with():
    assert all(part["checked"] and part["source"] and part["date"] for part in file("codes").values())
