"""What people choose in words makes the claim that the table of attackers says, and is found again."""

from itertools import chain, combinations

import polars as pl
import pytest

import shoal
from shoal.algorithms import METHODS
from shoal.base.errors import InputError
from shoal.privacy import CLAIMS, GUARANTEE
from shoal.privacy.attackers import (
    _BY_HAND,
    ATTACKERS,
    NEEDS,
    Number,
    Word,
    claim_from_configuration,
    drop_protections,
    find_attacker,
    find_choice,
    has_requirement,
    list_attackers,
    make_guarantee,
    settle_known_columns,
)

TREE = {"sensitive": "ill"}


def claimed(shape, asked):
    """The claim of a guarantee, in a configuration that has all that it may need."""
    return claim_from_configuration(
        shape, {"guarantee": asked} | ({"tree": TREE} if shape == "trees" else {})
    )


def subsets(names):
    """None, one, two of some names together, and all of them."""
    return chain.from_iterable(
        combinations(names, size) for size in sorted({0, 1, 2, len(names)} & {*range(len(names) + 1)})
    )


EVERY = [
    pytest.param(shape, attacker, picked, id=f"{shape}-{attacker.name}-{'-'.join(picked)}")
    for shape, attackers in ATTACKERS.items()
    for attacker in attackers
    for picked in subsets([one.name for one in attacker.protections])
]
ASKED = [
    pytest.param(shape, attacker, one, id=f"{shape}-{attacker.name}-{one.key}")
    for shape, attackers in ATTACKERS.items()
    for attacker in attackers
    for one in (
        *attacker.numbers,
        *(part for added in attacker.protections for part in (*added.numbers, *added.more)),
    )
]


@pytest.mark.parametrize(("shape", "attacker", "picked"), EVERY)
def test_the_claim_is_the_one_that_the_table_says(shape, attacker, picked):
    claim = claimed(shape, make_guarantee(shape, attacker.name, {}, picked))
    assert {part.named for part in claim.parts} == attacker.claims(picked)
    assert all(CLAIMS[part.named].shape == shape for part in claim.parts)


def data(shape):
    """A dataset with everything that a protection may need."""
    frame = pl.DataFrame(
        {"age": ["1", "2"] * 4, "ill": ["a", "b"] * 4, "bought": ["x y", "y z"] * 4, "home": [*"abcdefgh"]}
    )
    roles = {
        "table": {"age": "quasi", "ill": "sensitive", "bought": "drop", "home": "household"},
        "baskets": {"age": "drop", "ill": "sensitive", "bought": "items", "home": "drop"},
        "mixed": {"age": "quasi", "ill": "drop", "bought": "items", "home": "drop"},
    }
    if shape == "trees":
        return shoal.read_trees(
            [{"sex": "f", "ill": "a"}] * 4, hierarchies={"sex": {"fanout": 2}}, sensitive="ill"
        )
    secrets = {} if shape == "table" else {"separators": {"bought": " "}, "sensitive": {"bought": ["z"]}}
    return shoal.read(frame, roles=roles[shape], **secrets)


@pytest.mark.parametrize(("shape", "attacker", "picked"), EVERY)
def test_publishing_makes_the_same_claim_and_some_maker_keeps_it(shape, attacker, picked):
    claim = data(shape).claim(make_guarantee(shape, attacker.name, {}, picked))
    assert {part.named for part in claim.parts} == attacker.claims(picked)
    assert any(attacker.claims(picked) <= {*found.claims} for found in METHODS.values())


@pytest.mark.parametrize(("shape", "attacker", "picked"), EVERY)
def test_a_guarantee_is_read_back_as_the_choice_that_made_it(shape, attacker, picked):
    numbers = {"k": 7, "l": 3, "m": 4, "n": 2, "t": 0.25, "diversity": "entropy", "insiders": 2}
    asked = make_guarantee(shape, attacker.name, numbers, picked)
    found = find_choice(shape, asked)
    assert (found.attacker, found.protections) == (attacker.name, picked)
    assert make_guarantee(shape, found.attacker, found.numbers, found.protections) == asked


def test_every_claim_can_be_chosen_or_is_listed_with_a_reason():
    made = {
        model
        for attackers in ATTACKERS.values()
        for attacker in attackers
        for picked in subsets([one.name for one in attacker.protections])
        for model in attacker.claims(picked)
    }
    assert made | _BY_HAND.keys() == CLAIMS.keys()
    assert not made & _BY_HAND.keys()


def test_no_range_begins_where_nothing_is_promised():
    asked = [case.values[2] for case in ASKED if isinstance(case.values[2], Number)]
    assert {one.least for one in asked if one.key in ("k", "l")} == {2}
    assert all(one.least <= one.default for one in asked)
    assert all(one.default <= one.most for one in asked if one.most is not None)


def test_how_much_likelier_a_value_may_be_is_asked_for_within_sense():
    """From a hundredth, which is one percent likelier, to what nobody exceeds; most are content with 4.5 times."""
    (asked,) = {case.values[2] for case in ASKED if case.values[2].key == "disclosure"}
    assert (asked.least, asked.default, asked.most) == (0.01, 1.5, 1000)


def test_every_key_of_a_guarantee_is_asked_for():
    by_hand = {
        "k_map",
        "presence",
        "hidden",
    }  # these need a population, or are said of columns
    assert {case.values[2].key for case in ASKED} | by_hand == {*GUARANTEE, "insiders"}


@pytest.mark.parametrize(("shape", "attacker", "one"), ASKED)
def test_the_ends_of_every_range_make_a_claim(shape, attacker, one):
    values = list(one.words) if isinstance(one, Word) else [one.least, one.default, one.most]
    picked = tuple(added.name for added in attacker.protections if one in (*added.numbers, *added.more))
    for value in values:
        if value is not None:
            asked = make_guarantee(shape, attacker.name, {one.key: value}, picked)
            claimed(shape, asked)
    if isinstance(one, Number) and one.whole and one.key != "insiders":
        below = make_guarantee(shape, attacker.name, {one.key: -1}, picked)
        with pytest.raises(InputError):
            claimed(shape, below)


@pytest.mark.parametrize(
    ("shape", "asked", "parameters"),
    [
        ("table", {"l": 3}, {}),
        ("table", {"k": 5, "diversity": "entropy"}, {}),
        ("table", {}, {}),
        ("baskets", {"l": 3}, {}),
        ("baskets", {"k": 5}, {"privacy": [["a"]]}),
        ("trees", {"m": 2}, {}),
        ("table", {"k": "five"}, {}),
    ],
)
def test_what_only_a_hand_can_write_is_no_choice(shape, asked, parameters):
    assert find_choice(shape, asked, parameters) is None


def test_what_a_guarantee_leaves_out_is_what_the_claim_takes():
    assert find_choice("mixed", {"k": 5}).numbers == {"k": 5, "m": 2}
    assert find_choice("trees", {"k": 5}).attacker == "facts together"
    assert find_choice("trees", {"k": 5, "n": 0}).attacker == "facts"


def test_insiders_are_found_where_the_configuration_has_them():
    found = find_choice("baskets", {"k": 5}, {"insiders": 2})
    assert (found.attacker, found.numbers) == ("insiders", {"insiders": 2, "k": 5})
    assert find_choice("baskets", {"k": 5}, {"insiders": 0}).attacker == "basket"


def test_what_the_method_adds_is_part_of_the_claim():
    asked = {"guarantee": {"k": 5}, "method": {"name": "nonreciprocal", "insiders": 2}}
    assert claim_from_configuration("baskets", asked).insiders == 2
    listed = {"guarantee": {"k": 5}, "method": {"privacy": [["a", "b"]]}}
    assert claim_from_configuration("baskets", listed).named in _BY_HAND


def test_numbers_of_another_choice_are_left_out():
    assert make_guarantee("baskets", "basket", {"k": 3, "m": 9, "l": 4}) == {"k": 3}


@pytest.mark.parametrize(
    ("shape", "name", "picked", "said"),
    [
        ("table", "colums", (), "attacker: there is none of that name; did you mean 'columns'"),
        ("table", "columns", ("x",), "attacker: no protection of that name; there are l, t, beta"),
    ],
)
def test_a_name_that_nobody_knows_is_told(shape, name, picked, said):
    with pytest.raises(InputError, match=said):
        make_guarantee(shape, name, {}, picked)


def test_what_a_protection_needs_is_looked_for_in_the_configuration():
    plain = {"columns": {"age": "quasi", "bought": {"role": "items"}}}
    rich = {
        "columns": {
            "ill": "sensitive",
            "bought": {"role": "items", "sensitive": ["HIV"]},
            "hid": "household",
            "visits": "known",
        },
        "tree": TREE,
    }
    for need in NEEDS:
        assert not has_requirement(need, plain)
        assert has_requirement(need, rich)
    needed = {
        part.needs
        for attackers in ATTACKERS.values()
        for one in attackers
        for part in (one, *one.protections)
    }
    assert needed == {*NEEDS, ""}


def test_attackers_are_those_that_the_columns_are_for():
    plain = {"columns": {"age": "quasi", "visits": "quasi"}}
    assert [one.name for one in list_attackers("table", plain)] == ["columns", "some columns"]
    some_known = {"columns": {"age": "quasi", "visits": {"role": "known"}}}
    assert [one.name for one in list_attackers("table", some_known)] == ["known columns"]
    assert list_attackers("mixed", plain) == list(ATTACKERS["mixed"])


def test_how_many_are_known_at_once_comes_and_goes_with_known_columns():
    said = {
        "columns": {"age": "quasi", "ill": "sensitive", "visits": "known"},
        "guarantee": {"k": 20, "l": 3},
    }
    assert settle_known_columns(said) == []
    assert said["guarantee"] == {"k": 20, "known_at_once": 2, "l": 3}
    assert settle_known_columns(said) == []
    said["columns"]["visits"] = "quasi"
    assert settle_known_columns(said) == ["known_at_once: no column has the role known any more"]
    assert said["guarantee"] == {"k": 20, "l": 3}


def test_protections_of_what_is_sensitive_go_with_it():
    said = {"columns": {"age": "quasi", "ill": "drop"}, "guarantee": {"k": 5, "t": 0.2}}
    assert drop_protections("table", said) == ["t-closeness: nothing is sensitive any more"]
    assert said["guarantee"] == {"k": 5}
    kept = {"columns": {"age": "quasi", "ill": "sensitive"}, "guarantee": {"k": 5, "t": 0.2}}
    assert drop_protections("table", kept) == []
    assert kept["guarantee"] == {"k": 5, "t": 0.2}
    homes = {"columns": {"age": "quasi"}, "guarantee": {"k": 5, "of": "households", "risk": 0.09}}
    assert drop_protections("table", homes) == [
        "k-anonymity: no column identifies households any more, so people are counted"
    ]
    assert homes["guarantee"] == {"k": 5, "risk": 0.09}
    by_hand = {"columns": {"age": "quasi"}, "guarantee": {"l": 3}}
    assert drop_protections("table", by_hand) == []


def test_every_sentence_is_one():
    for attackers in ATTACKERS.values():
        for attacker in attackers:
            assert attacker.sentence.startswith("Somebody")
            assert attacker.example.endswith(".")
            assert find_attacker(CLAIMS[attacker.claim].shape, attacker.name) is attacker
