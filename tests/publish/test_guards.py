"""What is refused although a maker could keep the claim."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError
from shoal.publish.guards import lambda_of


def bound(columns, roles, **options):
    return shoal.read(pl.DataFrame(columns), roles=roles, **options)


def test_no_quasi_identifier_is_an_empty_claim():
    data = bound({"ward": ["a", "a", "b", "b"]}, {"ward": "plain"})
    with pytest.raises(InputError, match="no quasi-identifier"):
        shoal.anonymize(data, k=2)


def test_l_without_a_sensitive_column_is_an_empty_claim():
    data = bound({"age": ["1", "1"]}, {"age": "quasi"})
    with pytest.raises(InputError, match="sensitive"):
        shoal.anonymize(data, k=2, l=2)


def test_a_nearly_unique_plain_column_is_refused_unless_allowed():
    columns = {"sex": ["f", "m"] * 3, "height": [160, 171, 182, 163, 174, 174]}
    roles = {"sex": "quasi", "height": "plain"}
    with pytest.raises(InputError, match="'height': 4 of 6 people hold a value that nobody else holds"):
        shoal.anonymize(bound(columns, roles), k=2)
    allowed = bound(columns, roles, allow=("height",))
    assert shoal.anonymize(allowed, k=2).data["height"].dtype == pl.Int64


def test_a_plain_column_that_tells_a_quasi_identifier_is_refused():
    columns = {"zip": ["1", "1", "2", "2", "3", "3", "3"], "town": ["a", "a", "b", "b", "c", "c", "c"]}
    with pytest.raises(InputError, match=r"'town': its value tells .* 'zip'"):
        shoal.anonymize(bound(columns, {"zip": "quasi", "town": "plain"}), k=2)


def test_a_coarser_plain_column_passes():
    columns = {"zip": ["1", "2", "3", "4"] * 2, "half": ["a", "a", "b", "b"] * 2}
    assert shoal.anonymize(bound(columns, {"zip": "quasi", "half": "plain"}), k=2)


def test_a_repeated_person_is_refused_or_counted():
    columns = {"id": ["p", "p", "q", "r"], "age": ["30", "30", "30", "30"]}
    roles = {"id": "identifier", "age": "quasi"}
    with pytest.raises(InputError, match="share an identifier"):
        bound(columns, roles)
    data = bound(columns, roles, person="id")
    assert shoal.anonymize(data, k=3)
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(data, k=4)


pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)


@given(pairs)
def test_lambda_is_the_share_of_wrong_guesses_that_are_avoided(cells):
    blind = len(cells) - max(Counter(told for told, _ in cells).values())
    wrong = 0
    for value in {known for _, known in cells}:
        beside = Counter(told for told, known in cells if known == value)
        wrong += sum(beside.values()) - max(beside.values())
    expected = 1 - wrong / blind if blind else 0
    assert lambda_of(*zip(*cells, strict=True)) == pytest.approx(expected)


def people(n=400, seed=3):
    """Zips of twenty people each, the town of every zip, wards and illnesses that tell nothing."""
    random = np.random.default_rng(seed)
    zips = np.arange(n) // 20
    return {
        "zip": [f"{1000 + z}" for z in zips],
        "town": [f"town {z // 2}" for z in zips],
        "ward": [f"ward {w}" for w in random.integers(0, 5, n)],
        "ill": [f"illness {i}" for i in random.integers(0, 6, n)],
    }


MASKED = {"zip": {"mask": "right"}}


def refused(columns, roles, words, k=2, **options):
    data = bound(columns, roles, hierarchies=options.pop("hierarchies", MASKED), **options)
    with pytest.raises(InputError, match=words):
        shoal.anonymize(data, k=k, method=options.get("method", "optimal"))


@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_one_noisy_cell_does_not_disarm_the_guard(role):
    columns = people() | {"code": [f"c{z}" for z in np.arange(400) // 20]}
    del columns["town"], columns["ward"], columns["ill"]
    columns["code"][7] = "c19"
    refused(columns, {"zip": "quasi", "code": role}, "'code': its value tells .* 'zip'")
    assert shoal.anonymize(bound(columns, {"zip": "quasi", "code": role}, allow=("code",)), k=2)


def test_what_tells_nothing_passes_plain_and_sensitive():
    columns = people()
    del columns["town"]
    roles = {"zip": "quasi", "ward": "plain", "ill": "sensitive"}
    assert shoal.anonymize(bound(columns, roles, hierarchies=MASKED), k=15, method="optimal")


def test_a_plain_column_that_follows_is_counted_with_what_is_released():
    """Two zips of a town hold 40 people; 200 of all share a released prefix, and the town tells which zip it was."""
    columns = people()
    del columns["ward"], columns["ill"]
    roles = {"zip": "quasi", "town": "plain"}
    assert shoal.anonymize(bound(columns, roles, hierarchies=MASKED), k=40, method="optimal")
    refused(
        columns,
        roles,
        "'town': it follows from quasi-identifier 'zip', .* 400 records with fewer than 50",
        k=50,
    )
    allowed = bound(columns, roles, hierarchies=MASKED, allow=("town",))
    assert shoal.anonymize(allowed, k=50, method="optimal")


def test_look_alikes_beside_a_column_that_follows_are_persons():
    columns = {key: [*cells, *cells] for key, cells in people().items() if key in ("zip", "town")}
    columns["who"] = [f"p{i % 400}" for i in range(800)]
    roles = {"zip": "quasi", "town": "plain"}
    refused(columns, roles, "'town': it follows", k=50, person="who")
    assert shoal.anonymize(bound(columns, roles, hierarchies=MASKED, person="who"), k=40, method="optimal")


@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_exact_incomes_ask_for_consent_or_a_level(role):
    columns = {"zip": people()["zip"], "income": [1000 + 7 * i for i in range(30)] + [900] * 370}
    roles = {"zip": "quasi", "income": role}
    refused(columns, roles, "'income': 30 of 400 people hold a value that nobody else holds")
    rule = {"income": {"ranges": [1000]}, **MASKED}
    coarse = bound(columns, roles, hierarchies=rule, levels={"income": 1})
    assert set(shoal.anonymize(coarse, k=2).data["income"]) == {"[0, 1000)", "[1000, 2000)"}
    few = {"zip": columns["zip"], "income": [1000 + 7 * i for i in range(20)] + [900] * 380}
    assert shoal.anonymize(bound(few, roles, hierarchies=MASKED), k=2)


def test_free_text_asks_for_consent():
    note = "the patient number {} came in with a cough"
    columns = {"zip": [*people()["zip"][:8], "1000"], "note": [note.format(i) for i in range(9)]}
    refused(columns, {"zip": "quasi", "note": "sensitive"}, "'note': it is free text")
    columns["note"] = ["the same sentence of many words"] * 9
    assert shoal.anonymize(bound(columns, {"zip": "quasi", "note": "sensitive"}), k=2)


def test_a_plain_column_that_tells_an_item_is_refused():
    held = [["wine", "bread"] if i % 2 else ["bread", "milk"] for i in range(40)]
    columns = {"items": held, "adult": ["yes" if i % 2 else "no" for i in range(40)]}
    data = bound(columns, {"items": "items", "adult": "plain"})
    with pytest.raises(InputError, match="'adult': its value tells whether a basket holds a certain item"):
        shoal.anonymize(data, k=2, m=1)
    columns["adult"] = ["yes" if i % 3 else "no" for i in range(40)]
    assert shoal.anonymize(bound(columns, {"items": "items", "adult": "plain"}), k=2, m=1)


def test_a_level_needs_a_hierarchy_and_the_right_role():
    columns = people()
    for roles, rules, levels, words in (
        ({"ill": "sensitive"}, {}, {"ill": 1}, "a hierarchy and a level together"),
        ({"ill": "sensitive"}, {"ill": {"fanout": 2}}, {}, "a hierarchy and a level together"),
        ({"ill": "sensitive"}, {"ill": {"fanout": 2}}, {"ill": 9}, "level=9; give one of the levels 0 to"),
        ({"ill": "quasi"}, {"ill": {"fanout": 2}}, {"ill": 1}, "level is for plain and sensitive"),
    ):
        rest = {"zip": "quasi", "town": "identifier", "ward": "plain"}
        with pytest.raises(InputError, match=words):
            bound(columns, rest | roles, hierarchies=MASKED | rules, levels=levels, person="town")


def spelled(cells, **options):
    columns = {"zip": ["1", "1", "1", "2", "2", "2"], "ill": cells}
    return bound(columns, {"zip": "quasi", "ill": "sensitive"}, **options)


def test_two_spellings_are_one_value_to_makers_and_judges():
    """Two zips, of which the first has one illness in three spellings: both must become one class for l = 2."""
    data = spelled(["HIV", "hiv", " HIV", "flu", "gout", "flu"])
    release = shoal.anonymize(data, k=2, l=2, method="optimal")
    assert set(release.data["zip"]) == {"*"}
    assert sorted(release.data["ill"]) == [" HIV", "HIV", "flu", "flu", "gout", "hiv"]
    apart = pl.DataFrame({"zip": ["1", "1"], "ill": ["1", "1.0"]})
    assert not shoal.judge(apart, shoal.LDiversity(2), quasi=["zip"], sensitive=["ill"])


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ("hiv", "item that is number 1 in alphabetical order occurs in another spelling"),
        ("gout", "item that is number 1 in alphabetical order is in no basket"),
    ],
)
@pytest.mark.parametrize("roles", [{"items": "items"}, {"items": "items", "sex": "quasi"}])
def test_a_sensitive_item_that_protects_nobody_is_refused(listed, words, roles):
    held = [["wine", "HIV"], ["wine"], ["wine", "bread"], ["bread"]] * 3
    columns = {"items": held, "sex": ["f"] * 12}
    data = bound({name: columns[name] for name in roles}, roles, sensitive={"items": [listed]})
    with pytest.raises(InputError, match=words):
        shoal.anonymize(data, k=2, m=1, l=2)


def test_a_claim_about_sensitive_items_of_which_none_occurs_fails():
    sold = pl.DataFrame({"items": [["ale"], ["ale"]], "sex": ["f", "f"]})
    for claim, quasi in ((shoal.LmDiversity(2, 1, 2), ()), (shoal.KLmDiversity(2, 1, 2), ("sex",))):
        verdict = shoal.judge(sold, claim, quasi=list(quasi), sensitive=["HIV"])
        assert not verdict
        assert "no sensitive item occurs" in verdict.sentence


def test_sensitive_values_of_trees_are_spelled_in_one_way():
    people = [{"ward": "a", "ill": ill} for ill in ("flu", "Flu", "gout", "gout")]
    data = shoal.read_trees(people, hierarchies={"ward": {"fanout": 2}}, sensitive="ill")
    with pytest.raises(InputError, match="'ill': 1 sensitive value"):
        shoal.anonymize(data, k=2, m=1, n=0)
