"""What the files of vocabularies must be, whatever is added: one parent for each code, ranges that do not meet."""

import re
from itertools import pairwise

import pytest

from shoal.hierarchy.vocabularies import vocabularies
from shoal.naming import resource_table

LISTS = [
    ("countries", "groups"),
    ("us-states", "groups"),
    ("currencies", "groups"),
    ("calendar", "months"),
    ("calendar", "weekdays"),
    ("education", "groups"),
]
RANGES = ["icd10", "icd9", "nace", "naics"]


def file(name):
    return resource_table("shoal.hierarchy", f"vocabulary/{name}.toml")


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
        read = vocabularies()["us-zip" if country == "us" else f"{country}-postal"].read
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
