"""What is refused although a method could keep the claim."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks.view_table import Dependency
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Table
from shoal.hierarchy import Hierarchy
from shoal.release import ColumnTelling, Recoded
from shoal.risks.dependencies import ItemRule, Link, _find_source, find_item_rules, goodman_kruskal_lambda
from shoal.shapes.guards import (
    _count_lonely_people,
    _count_lookalikes,
    _number_pairs,
    _rule_sentence,
    _tells_items,
    guard_column,
    guard_items,
    guard_released,
    guard_secrets,
    guard_telling,
    guard_votes,
    telling_sentence,
)


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
    with pytest.raises(InputError, match="'height': 4 of 6 people have a value that nobody else has"):
        shoal.anonymize(bound(columns, roles), k=2)
    allowed = bound(columns, roles, allow=("height",))
    assert shoal.anonymize(allowed, k=2).data["height"].dtype == pl.Int64


def test_a_plain_column_that_tells_a_quasi_identifier_is_refused():
    columns = {"zip": ["1", "1", "2", "2", "3", "3", "3"], "town": ["a", "a", "b", "b", "c", "c", "c"]}
    with pytest.raises(InputError, match=r"'town': its value reveals .* 'zip'"):
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
    assert goodman_kruskal_lambda(*zip(*cells, strict=True)) == pytest.approx(expected)


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
    refused(columns, {"zip": "quasi", "code": role}, "'code': its value reveals .* 'zip'")
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
    refused(columns, roles, "'income': 30 of 400 people have a value that nobody else has")
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
    with pytest.raises(InputError, match="'adult': its value reveals whether a basket holds a certain item"):
        shoal.anonymize(data, k=2, m=1)
    columns["adult"] = ["yes" if i % 3 else "no" for i in range(40)]
    assert shoal.anonymize(bound(columns, {"items": "items", "adult": "plain"}), k=2, m=1)


def spelled(cells, **options):
    columns = {"zip": ["1", "1", "1", "2", "2", "2"], "ill": cells}
    return bound(columns, {"zip": "quasi", "ill": "sensitive"}, **options)


def test_two_spellings_are_one_value_to_makers_and_judges():
    """Two zips, of which the first has one illness in three spellings: both must become one class for l = 2."""
    data = spelled(["HIV", "hiv", " HIV", "flu", "gout", "flu"])
    release = shoal.anonymize(data, k=2, l=2, method="optimal", allow_empty=True)
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


# Where each limit lies: just within it passes, just beyond it is refused.


def alone(many, of, role="sensitive"):
    """A column in which so many of so many people hold a value of their own."""
    return Column.of("c", role, [f"own {i}" for i in range(many)] + ["all"] * (of - many))


def refuses(column, words="have a value that nobody else has", **options):
    with pytest.raises(InputError, match=words):
        guard_column(column, **options)
    return True


def test_how_many_may_be_alone():
    guard_column(alone(10, 200))
    assert refuses(alone(10, 199), "10 of 199 people")
    guard_column(alone(9, 30))
    assert refuses(alone(10, 30), "10 of 30 people")


def test_a_plain_column_may_not_be_nearly_unique_but_a_sensitive_one_of_few_may():
    guard_column(Column.of("c", "plain", ["a", "b", "a", "b"]))
    three = ["a", "b", "c", "c"]
    assert refuses(Column.of("c", "plain", three), "2 of 4 people")
    guard_column(Column.of("c", "sensitive", three))
    guard_column(Column.of("c", "plain", ["a"]))
    assert refuses(Column.of("c", "plain", ["a", "b"]))


def test_rows_that_stand_for_many_hide_their_value():
    three = Column.of("c", "plain", ["a", "b", "c"])
    assert refuses(three, "3 of 3 people")
    assert refuses(three, "2 of 5 people", counts=np.array([1, 1, 3]))
    guard_column(three, counts=np.array([2, 2, 2]))


def test_persons_are_counted_not_rows():
    """Ten people with two rows each: what one of them alone holds is held twice, and still by nobody else."""
    codes = Column.of("c", "sensitive", [f"own {i // 2}" for i in range(20)] + ["all"] * 20)
    guard_column(codes)
    assert refuses(codes, "10 of 20 people", persons=np.r_[np.arange(20) // 2, np.arange(20) // 2 + 10])


def test_what_is_free_text():
    def texts(cell):
        return Column.of("c", "sensitive", [None, *(cell.format(i) for i in range(3))])

    assert refuses(texts("{}aaaa aaaa aaaa aaaa"), "free text")
    guard_column(texts("{}aaa aaaa aaaa aaaa"))  # of 19 letters
    guard_column(texts("{}aaaaaaaa aaaaa aaaa"))  # of three words
    guard_column(Column.of("c", "sensitive", [None]))
    same = [f"{i}aaaa aaaa aaaa aaaa" for i in (0, 0, 1, 1)]
    guard_column(Column.of("c", "sensitive", same))  # half of them and no more are different
    guard_column(Column.of("c", "sensitive", same[1:]), counts=np.array([2, 1, 1]))


def test_lambda_of_rows_that_stand_for_many():
    told, known, counts = [0, 1, 0, 1], [0, 0, 1, 1], np.array([9, 1, 2, 8])
    assert goodman_kruskal_lambda(told, known, counts) == goodman_kruskal_lambda(
        np.repeat(told, counts), np.repeat(known, counts)
    )
    assert goodman_kruskal_lambda([], []) == 0
    assert goodman_kruskal_lambda([3, 3], [0, 1]) == 0


SIXES = Hierarchy.from_paths("zip", [[str(i), "*"] for i in range(6)])


def telling(wrong, alone=0, counts=None):
    """A table of two zips and a code that tells them, but for some of ten; and people with a code of their own."""
    zips = ["0"] * 10 + ["1"] * 10 + ["2"] * alone
    codes = ["b"] * wrong + ["a"] * (10 - wrong) + ["b"] * 10 + [f"own {i}" for i in range(alone)]
    table = Table((Column.of("zip", "quasi", zips), Column.of("code", "plain", codes)), counts=counts)
    return table, SIXES.encode(table.quasi[0])[:, None]


def test_how_much_a_column_may_tell():
    for wrong, told in ((2, True), (3, False)):
        table, leaves = telling(wrong)
        zips = Column.of("zip", "quasi", [str(int(code == "b")) for code in table.columns[1].cells()])
        turned = Table((zips, Column.of("code", "plain", table.quasi[0].cells())))
        assert bool(_find_source(turned.columns[1], turned, SIXES.encode(zips)[:, None])) is told
        if told:
            with pytest.raises(InputError, match=r"'code': its value reveals .* 'zip'"):
                guard_telling(table.columns[1], table, leaves)
        else:
            guard_telling(table.columns[1], table, leaves)


def test_values_that_one_person_holds_tell_nothing_here():
    """They are counted by the guard against values that single people out."""
    table, leaves = telling(3, alone=30)
    guard_telling(table.columns[1], table, leaves)
    many = np.r_[np.ones(20, dtype=np.int64), np.full(30, 2)]
    table, leaves = telling(3, alone=30, counts=many)
    with pytest.raises(InputError, match="reveals"):
        guard_telling(table.columns[1], table, leaves)


def test_a_column_follows_from_values_that_several_hold():
    zips = Column.of("zip", "quasi", ["0", "0", "1", "1", "2", "3"])
    ward = Column.of("ward", "plain", ["a", "b", "a", "b", "c", "d"])
    table = Table((zips, ward))
    leaves = SIXES.encode(zips)[:, None]
    assert _find_source(ward, table, leaves) is None
    twos = Column.of("ward", "plain", ["a", "a", "b", "b", "c", "d"])  # each zip of two people has one
    assert _find_source(twos, Table((zips, twos)), leaves) == "zip"
    assert _find_source(ward, Table((zips, ward), counts=np.array([1, 1, 1, 1, 40, 40])), leaves) == "zip"


def followed(k, rows, counts=None, allow=()):
    """Two zips of five people each, published as one; the town tells which of them it was."""
    zips = Column.of("zip", "quasi", ["0"] * 5 + ["1"] * 5)
    town = Column.of("town", "plain", ["a"] * 5 + ["b"] * 5)
    table = Table((zips, town), counts=counts)
    leaves = SIXES.encode(zips)[:, None]
    release = Recoded.of_levels(["zip"], {"zip": SIXES}, leaves, [1], np.array(rows, dtype=np.int64), counts)
    guard_released(table, leaves, release, frozenset(allow), shoal.KAnonymity(k))


def test_look_alikes_beside_a_column_that_follows():
    followed(5, range(10))
    followed(6, [])
    followed(6, range(10), allow=("town",))
    with pytest.raises(
        InputError, match=r"'town': it follows from quasi-identifier 'zip', .* 10 records with fewer than 6"
    ):
        followed(6, range(10))
    with pytest.raises(InputError, match=" 4 records with fewer than 5"):
        followed(5, range(9))
    with pytest.raises(InputError, match=" 10 records with fewer than 11"):
        followed(11, range(10), counts=np.array([2] * 5 + [3] * 5))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_pairs_have_numbers_of_their_own(width):
    kinds, codes = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(width)))
    numbers = _number_pairs(np.r_[kinds, kinds], np.r_[codes, codes])
    assert sorted(numbers[: 4 * width].tolist()) == list(range(4 * width))
    assert numbers[: 4 * width].tolist() == numbers[4 * width :].tolist()


def test_the_first_of_several_columns_that_follow_is_told_with_what_it_follows_from():
    zips = Column.of("zip", "quasi", ["0"] * 6 + ["1"] * 6)
    ages = Column.of("age", "quasi", ["2", "3"] * 6)
    town, school = (
        Column.of("town", "plain", ["a"] * 6 + ["b"] * 6),
        Column.of("school", "plain", ["c", "d"] * 6),
    )
    table = Table((zips, ages, town, school))
    leaves = np.stack([SIXES.encode(zips), SIXES.encode(ages)], axis=1)
    trees = {"zip": SIXES, "age": SIXES}
    release = Recoded.of_levels(["zip", "age"], trees, leaves, [1, 1], np.arange(12))
    guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(3))
    with pytest.raises(InputError, match="'town': it follows from quasi-identifier 'zip', and"):
        guard_released(table, leaves, release, frozenset(), shoal.KAnonymity(4))


def held(column, baskets):
    guard_items(Baskets.of("items", baskets), [Column.of("c", "plain", column)])


def test_how_much_a_column_may_tell_of_an_item():
    baskets = [["wine"]] * 10 + [["ale"]] * 10
    held(["a"] * 7 + ["b"] * 13, baskets)
    with pytest.raises(InputError, match="'c': its value reveals whether"):
        held(["a"] * 8 + ["b"] * 12, baskets)
    held(["a"] * 2 + ["b"] * 18, [["wine", "ale"]] + [["ale"]] * 19)  # one basket may be chance
    with pytest.raises(InputError, match="reveals whether"):
        held(["a"] * 2 + ["b"] * 18, [["wine", "ale"]] * 2 + [["ale"]] * 18)
    with pytest.raises(InputError, match="reveals whether"):
        held(["a"] * 2 + ["b"] * 18, [["ale"]] * 2 + [["wine", "ale"]] * 18)  # and who does not hold it


def test_a_value_that_one_person_holds_tells_of_no_item_here():
    held([f"own {i}" for i in range(10)] + ["b"] * 10, [["wine"]] * 10 + [["ale"]] * 10)


# Each count as whoever counts one by one has it.


@given(st.integers(0, 10_000), st.sampled_from(["rows", "persons", "counts"]), st.integers(1, 4))
def test_who_shows_one_of_a_few_numbers_is_counted_once(seed, of, width):
    """Rows that show what is expected of a person, and persons of whom what a row shows is expected."""
    random, n = np.random.default_rng(seed), 15
    kind, shown, low = random.integers(0, 2, n), random.integers(-3, 3, n), random.integers(-4, 3, n)
    shows, known = random.random(n) < 0.8, random.random(n) < 0.8
    persons = random.integers(0, 6, n) if of == "persons" else None
    counts = random.integers(1, 4, n) if of == "counts" else None
    found = _count_lookalikes(kind, Dependency(shown, low, shows, known, width), persons, counts)

    def people(fit):
        if of == "counts":
            return sum(counts[j] for j in fit)
        return len({persons[j] for j in fit}) if of == "persons" else len(fit)

    for i in range(n):
        there = [j for j in range(n) if kind[j] == kind[i]]
        rows = [j for j in there if shows[j] and 0 <= shown[j] - low[i] < width]
        whose = [j for j in there if known[j] and 0 <= shown[i] - low[j] < width]
        assert found[i] == min(people(rows), people(whose))


@given(st.integers(0, 10_000), st.sampled_from(["rows", "persons", "counts"]))
def test_who_holds_a_value_of_their_own_is_counted_once(seed, of):
    random, n = np.random.default_rng(seed), 12
    codes = random.integers(0, 8, n)
    persons = random.integers(0, 6, n) if of == "persons" else None
    counts = random.integers(1, 3, n) if of == "counts" else None
    who = persons if of == "persons" else np.arange(n)
    many = counts if of == "counts" else np.ones(n, dtype=np.int64)
    lonely = {
        i for i in range(n)
        if len({who[j] for j in range(n) if codes[j] == codes[i]}) == 1
        and (of == "persons" or sum(many[codes == codes[i]]) == 1)
    }  # fmt: skip
    people = n if of == "rows" else int(many.sum()) if of == "counts" else len(set(who.tolist()))
    assert _count_lonely_people(codes, persons, counts) == (len({who[i] for i in lonely}), people)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.3]))
def test_a_column_tells_an_item_as_the_definition_says(seed, noise):
    """Of those who share their value, guess by the value whether they hold the item; eight in ten wrong guesses go."""
    random, n, width = np.random.default_rng(seed), 24, 3
    codes = random.integers(0, 6, n)
    hold = random.random((6, width)) < 0.4
    holds = hold[codes] ^ (random.random((n, width)) < noise)
    owner, items = np.nonzero(holds)
    shared = [i for i in range(n) if (codes == codes[i]).sum() > 1]
    told = False
    for item in range(width):
        with_it = sum(holds[i, item] for i in shared)
        blind = min(with_it, len(shared) - with_it)
        wrong = sum(
            min(there := sum(holds[i, item] for i in shared if codes[i] == value),
                sum(codes[i] == value for i in shared) - there)
            for value in set(codes[shared].tolist())
        )  # fmt: skip
        told |= blind > 1 and blind - wrong >= 0.8 * blind
    assert _tells_items(codes.astype(np.int32), owner, items.astype(np.int32), width) is bool(told)


def voted(lists, labels, proof, k, rows=None, allow=()):
    """Whether baskets by vote are refused whose rows that fit each person are given."""
    baskets, label = Baskets.of("items", lists), Column.of("label", "sensitive", labels)
    rows = np.arange(len(lists)) if rows is None else rows
    release = SimpleNamespace(rows=rows)
    result = SimpleNamespace(release=release, claim=shoal.KAnonymity(k), proof=proof)
    return baskets, label, frozenset(allow), result


def test_a_label_by_vote_leaves_those_rows_that_fit_and_show_what_an_item_tells():
    random = np.random.default_rng(1)
    lists = [["rare"]] * 4 + [[f"item {one}"] for one in random.integers(0, 6, 56)]
    labels = ["own"] * 4 + [f"label {one}" for one in random.integers(0, 4, 56)]
    (rule,) = find_item_rules(Baskets.of("items", lists), [Column.of("label", "sensitive", labels)])
    assert set(rule.items.tolist()) == {Baskets.of("items", lists).values.index("rare")}
    everybody = np.arange(60)
    own = np.array([np.r_[np.roll(everybody[:4], turn), np.roll(everybody[4:], turn)] for turn in range(4)])
    guard_votes(*voted(lists, labels, own, 4))  # all rows that fit show the label
    guard_votes(*voted(lists, labels, own[:2], 9))  # there are no more that fit
    mixed = own.copy()
    mixed[3, :3] = mixed[3, 10:13]
    mixed[3, 10:13] = [3, 0, 1]
    words = "column 'label': it follows from an item, .* {} records with fewer than 4 look-alikes; drop it, coarsen"
    with pytest.raises(InputError, match=words.format(3)):
        guard_votes(*voted(lists, labels, mixed, 4))
    guard_votes(*voted(lists, labels, mixed, 3))
    guard_votes(*voted(lists, labels, mixed, 4, allow=("label",)))
    baskets, _, _, result = voted(lists, labels, mixed, 4)
    guard_votes(baskets, None, frozenset(), result)
    guard_votes(*voted(lists, labels, None, 4))
    turned = np.argsort(np.r_[everybody[4:], everybody[:4]])  # rows in another order than records
    guard_votes(*voted(lists, labels, turned[own], 4, rows=np.r_[everybody[4:], everybody[:4]]))
    with pytest.raises(InputError, match=words.format(4)):
        guard_votes(*voted(lists, labels, own, 4, rows=np.r_[everybody[4:], everybody[:4]]))


def test_what_is_said_of_a_column_that_follows():
    one = Link(("age",), ("town",))
    three = Link(("a", "b", "c"), ("ward",))
    both = Link(("born",), ("visit", "age"), tells=True)
    item = ItemRule(Column.of("clinic", "plain", ["x"]), np.array([0]), np.array([0]))
    assert _rule_sentence([one], 0, 7, 5) == (
        "column 'town': it follows from quasi-identifier 'age', and together with what is released of the "
        "quasi-identifiers it leaves 7 records with fewer than 5 look-alikes; make it quasi, drop it, coarsen it "
        "with a hierarchy and a level, or set allow = true"
    )
    said = _rule_sentence([one, three, both], 1, 7, 5)
    assert said.startswith(
        "column 'ward': it follows from quasi-identifiers 'a', 'b' and 'c', and together with "
    )
    assert "released of the quasi-identifiers and columns 'town', 'visit' and 'age' it leaves 7" in said
    said = _rule_sentence([both, one], 0, 7, 5)
    assert said.startswith(
        "columns 'visit' and 'age': together they reveal quasi-identifier 'born', and together with "
    )
    assert said.endswith("quasi-identifiers and column 'town' they leave 7 records with fewer than 5 look-alikes; "
                         "make one of them quasi, drop it, coarsen it with a hierarchy and a level, or set allow = "
                         "true for it")  # fmt: skip
    assert _rule_sentence([item, one], 0, 7, 5) == (
        "column 'clinic': it follows from an item, and together with what is released of the items and column "
        "'town' it "
        "leaves 7 records with fewer than 5 look-alikes; drop it, coarsen it with a hierarchy and a level, or set "
        "allow = true"
    )


def secret(lists, listed):
    guard_secrets(Baskets.of("items", lists, sensitive=listed))


def test_a_sensitive_item_has_one_spelling_also_with_its_column_before_it():
    secret([["a", "b"], ["a"]], ["a"])
    secret([["t. hiv", "b"], ["t. flu"]], ["t. hiv"])
    with pytest.raises(InputError, match=r"number 1 in .* occurs in another spelling"):
        secret([["t. hiv", "b"], ["T.HIV"]], ["t. hiv"])
    with pytest.raises(InputError, match=r"number 2 in .* occurs in another spelling"):
        secret([["a", "hiv", "HIV"]], ["a", "hiv"])
    with pytest.raises(InputError, match="number 3 in alphabetical order is in no basket"):
        secret([["a", "b"], ["b"]], ["a", "b", "c"])


def test_what_is_said_of_a_column_that_goes_along():
    telling = ColumnTelling(("first job",), ("born",), 1000, 1000, 0.31, 0.14, 0.181, 0.0)
    assert telling_sentence(telling, 5) == (
        "column 'first job': it goes along with quasi-identifier 'born' so closely that about 181 of 1000 records can "
        "be matched with their person with a chance above 40%, where k = 5 allows 20%; make it quasi, drop it, "
        "coarsen it with a hierarchy and a level, or set allow = true"
    )
    said = telling_sentence(replace(telling, shown=("visit", "age"), known=("born", "sex")), 4)
    assert said.startswith(
        "columns 'visit' and 'age': together they go along with quasi-identifiers 'born' and 'sex' so closely"
    )
    assert "above 50%, where k = 4 allows 25%; make one of them quasi" in said
