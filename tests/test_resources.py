"""Files that come with the package: each is what the code that reads it expects."""

import re
import tomllib
from importlib.resources import files
from typing import get_args

import pytest

from import_cases import loaded_after
from shoal.base.naming import resource_table
from shoal.data import Role

PROPOSE = "shoal.proposal"
DEMO = "shoal.jobs.demo"
LISTS = [
    (DEMO, "people.toml"),
    ("shoal.hierarchy", "vocabulary/scales.toml"),
    (PROPOSE, "patterns.toml"),
    ("shoal.data", "person_names.toml"),
    ("shoal.data", "words.toml"),
]
LANGUAGES = {"en", "de", "fr", "es", "it", "tr", "zh", "short"}
OTHERS = {"nl", "pl", "pt", "cs", "sv", "ru", "ja", "codebook"}
TYPES = {
    "what": str,
    "regex": (str, list),
    "kind": str,
    "check": list,
    "alone": bool,
    "share": float,
    "least": int,
    "some": str,
    "varied": bool,
}


def are_words(found):
    return isinstance(found, list) and all(
        isinstance(one, str) and one and one == one.strip() for one in found
    )


@pytest.mark.parametrize(("package", "name"), LISTS)
def test_a_list_is_a_file_beside_the_code_that_reads_it_and_is_read_once(package, name):
    assert files(package).joinpath(name).is_file()
    assert resource_table(package, name) is resource_table(package, name)


def test_concepts_have_a_role_and_words_by_language():
    table = resource_table("shoal.data", "words.toml")
    assert set(table) == {
        "links",
        "extras",
        "persons",
        "relations",
        "concept",
        "part",
        "marks",
        "open_questions",
        "ordinary",
        "person_facts",
        "remarks",
    }
    assert are_words(table["links"])
    assert are_words(table["extras"])
    assert are_words(table["persons"])
    assert are_words(table["relations"])
    assert are_words(table["ordinary"])
    assert are_words([fact.removeprefix("=") for fact in table["person_facts"]])
    for row in [*table["concept"], *table["part"]]:
        spoken = {key: words for key, words in row.items() if key in LANGUAGES | OTHERS}
        assert set(row) - LANGUAGES - OTHERS <= {"what", "role", "kind", "values", "stems"}
        assert row.get("role", "plain") in get_args(Role)
        assert all(map(are_words, spoken.values())), row["what"]
        assert all(len(words) == len(set(words)) for words in spoken.values()), row["what"]
        assert not any("," in word for words in spoken.values() for word in words), row["what"]
    assert [row["what"] for row in table["part"]] == ["person", "name", "number", "event", "flag"]


def test_patterns_have_fields_of_their_types_and_pieces_that_are_there():
    table = resource_table(PROPOSE, "patterns.toml")
    assert set(table) == {"pieces", "pattern"}
    for row in table["pattern"]:
        assert {"what", "regex"} <= set(row) <= set(TYPES)
        assert all(isinstance(value, TYPES[key]) for key, value in row.items()), row["what"]
        regexes = row["regex"] if isinstance(row["regex"], list) else [row["regex"]]
        named = {name for regex in regexes for name in re.findall(r"\{([A-Z]+)\}", regex)}
        assert named <= set(table["pieces"]), row["what"]
        assert row.get("alone", True) or row["check"], "the writing says little, and nothing else is asked"


def test_names_of_people_are_words_without_accents():
    table = resource_table("shoal.data", "person_names.toml")
    assert set(table) == {"titles", "titles_or_words", "places", "surnames", "words", "given"}
    assert set(table["words"]) <= {name for names in table["given"].values() for name in names}
    for names in table["given"].values():
        assert are_words(names)
        assert all(re.fullmatch("[a-z]+", name) for name in names)
    assert len(set(table["surnames"])) == len(table["surnames"])


def test_the_people_of_the_demo_have_a_configuration_that_can_be_read():
    table = resource_table(DEMO, "people.toml")
    assert set(table) == {"table", "baskets", "mixed", "trees"}
    for facts in table.values():
        assert isinstance(facts["records"], int)
        assert isinstance(facts["seed"], int)
        configs = [tomllib.loads(facts[key]) for key in ("config", "some", "whole") if key in facts]
        assert configs
        assert all({"data", "guarantee"} <= set(config) for config in configs)
    assert sum(table["table"]["shares"]) == pytest.approx(1)
    assert len(table["table"]["shares"]) == len(table["table"]["diagnoses"])
    assert len(table["trees"]["usual"]) == len(table["trees"]["diagnoses"])


def test_lists_are_read_only_where_they_are_needed():
    """Neither a release nor the door reads a word list but what people are told of roles and shapes."""
    code = (
        "import shoal.jobs.configured, shoal.proposal.propose; "
        "from shoal.base.naming import resource_table; assert resource_table.cache_info().misses == 1"
    )
    assert "shoal.base.naming" in loaded_after(code)
