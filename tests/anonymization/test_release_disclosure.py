"""Who finds people, and what look-alikes give away, in the originals and in the release."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.assess import exposure
from shoal.assess.attack import audit_exposure
from shoal.assess.auditors import _add_journalist_risk
from shoal.assess.exposure import _tree_attribute_risks
from shoal.assess.facts import facts_of
from shoal.assess.table_facts import _column_disclosure
from shoal.attacks.view_trees import TreeView
from shoal.data import Trees
from shoal.privacy import KMNAnonymity
from shoal.release import Published, Sensitive
from shoal.risks.attribute_disclosure import attribute_disclosure, collect_sensitive_values
from shoal.risks.look_alikes import knowledge_fits

PEOPLE = pl.DataFrame({"age": [31, 31, 32, 45, 46, 47], "ill": ["flu", "flu", "flu", "flu", "gout", "gout"]})


def audit(people: pl.DataFrame, roles: dict[str, str], **asked: object):
    table = shoal.read(people, roles=roles, hierarchies={"age": {"ranges": [10]}})
    return facts_of(shoal.anonymize(table, **asked))


def audited(data, **asked: object):
    """The audit of a release with what attackers find in it."""
    release = shoal.anonymize(data, allow_empty=True, **asked)
    return audit_exposure(release, facts_of(release))


def test_what_the_audit_leaves_to_attack_is_told_in_it():
    found = audited(
        shoal.read(PEOPLE, roles={"age": "quasi", "ill": "sensitive"}), k=3, method="optimal"
    ).attack
    assert {"knows-method", "replays-cells"}.isdisjoint(one["name"] for one in found["attackers"])
    (said,) = found["not_played"]
    assert said.startswith("knows-method and replays-cells make the release again")
    assert "`shoal attack` tries them" in said


def test_a_journalist_finds_fewer_the_larger_the_population_is(tmp_path):
    table = shoal.read(
        PEOPLE, roles={"age": "quasi", "ill": "sensitive"}, hierarchies={"age": {"ranges": [10]}}
    )
    release, audits = shoal.anonymize(table, k=3, method="optimal"), []
    found = {many: _add_journalist_risk(facts_of(release), many) for many in (None, 6, 6000)}
    release.save(tmp_path / "out", population=60, audited=audits.append)
    (found[60],) = audits
    sides = {many: (one.exposed[0].before, one.exposed[0].after) for many, one in found.items()}
    assert all("outside" not in side for side in sides[None])
    assert [side["outside"] for side in sides[6]] == pytest.approx([1, 1 / 3])  # everybody is in the data
    assert [side["outside"] for side in sides[60]] == pytest.approx([0.255843, 0.046368], abs=1e-6)
    assert sides[6000][0]["outside"] < 0.01
    assert found[60].population == 60


@pytest.mark.parametrize("population", [5, 7.5, True])
def test_a_population_has_everybody_of_the_data(population, tmp_path):
    table = shoal.read(PEOPLE, roles={"age": "quasi", "ill": "drop"}, hierarchies={"age": {"ranges": [10]}})
    with pytest.raises(shoal.InputError, match="at least the 6 in the data"):
        shoal.anonymize(table, k=3).save(tmp_path / "out", population=population)
    assert not (tmp_path / "out").exists()


def test_a_population_is_one_of_people_not_of_rows(tmp_path, quick):
    stays = pl.DataFrame({"who": ["a", "a", "b", "b"], "age": [31, 31, 32, 32]})
    table = shoal.read(stays, roles={"age": "quasi"}, person="who", hierarchies={"age": {"ranges": [10]}})
    assert shoal.anonymize(table, k=2).save(tmp_path / "out", population=2).is_dir()


def test_look_alikes_with_one_value_give_it_away():
    found = audit(PEOPLE, {"age": "quasi", "ill": "sensitive"}, k=3, method="optimal").learned
    assert [one.column for one in found] == ["ill"]
    assert found[0].before["given_away"] == 1
    assert found[0].after == {
        "l": 1,
        "entropy": pytest.approx(1),
        "t": pytest.approx(1 / 3),
        "share": 1,
        "given_away": 0.5,
    }


def test_rows_that_stand_for_several_records_count_as_often():
    ids, many = np.array([0, 0, 1]), np.array([2, 1, 5])
    seen = Published({"all": ids}, {"ill": Sensitive(np.array([0, 1, 0]), ("flu", "gout"))}, counts=many)
    assert _column_disclosure(seen, seen)[0].after["given_away"] == 5 / 8


def test_a_release_without_records_gives_nothing_away():
    nobody = Published(
        {"all": np.empty(0, dtype=np.int64)}, {"ill": Sensitive(np.empty(0, dtype=np.int64), ())}
    )
    assert _column_disclosure(nobody, nobody) == []


def test_why_nothing_was_counted_is_told(monkeypatch):
    monkeypatch.setattr(exposure, "_MOST_SETS", 1)
    data = shoal.read(pl.DataFrame({"items": [["a", "b"]] * 4}), roles={"items": "items"}, hierarchies={})
    found = audited(data, k=2, m=2)
    assert (found.exposed, found.uncounted) == ([], [exposure.MANY_SETS])


@pytest.mark.parametrize("most", [300_000, 1])
def test_of_baskets_by_vote_whoever_knows_all_of_them_tells_or_the_judge_where_nobody_is_played(
    most, monkeypatch
):
    monkeypatch.setattr("shoal.assess.attack._CELLS_IN_AUDIT", most)
    baskets = pl.DataFrame({"items": [["a", "b"], ["a"], ["b", "c"], ["c"], ["a", "c"], ["b"]]})
    data = shoal.read(baskets, roles={"items": "items"}, hierarchies={})
    (exposed,) = audited(data, k=3).exposed
    assert exposed.known == "the whole basket"
    assert exposed.before == {"highest": 1, "average": 1, "above": 1}
    assert exposed.after["highest"] <= 1 / 3
    assert len(exposed.after) == (3 if most > 1 else 1)


def test_trees_tell_relations_only_where_the_claim_speaks_of_them():
    trees = Trees.of([[("ward", "A", ("ill", "flu"))]] * 3 + [[("ward", "B")]])
    for n, known in ((0, ["any 1 value", "any 2 values"]), (1, None)):
        view = TreeView(trees, trees, {}, np.arange(4))
        found = [one.known for one in exposure.measure_exposure(view, KMNAnonymity(2, 2, n))]
        assert found == (known or ["any 1 value", "any 2 values", "any 2 values and a relation among them"])


# What a few known items, whole baskets and values of a tree tell of sensitive values, against a slow twin.

RECORDS = st.lists(
    st.tuples(st.frozensets(st.integers(0, 3), max_size=4), st.frozensets(st.integers(0, 2), max_size=2)),
    min_size=1,
    max_size=8,
)


def slowly(records, m):
    """l, t, share, and who is given away, by looking at all choices of items of all records."""
    values = {value for _, secret in records for value in secret} | {None}

    def spread(some):
        held = [value for _, secret in some for value in (secret or {None})]
        return {value: held.count(value) / len(held) for value in values}

    whole, found, sure = spread(records), [], set()
    for person, (items, _) in enumerate(records):
        for size in range(m + 1):
            for known in combinations(sorted(items), size):
                fit = [record for record in records if set(known) <= record[0]]
                counts = [sum(v in secret for _, secret in fit) for v in values - {None}]
                far = sum(max(share - whole[v], 0) for v, share in spread(fit).items())
                found.append((sum(map(bool, counts)), far, max(counts, default=0) / len(fit)))
                if len(fit) in counts:
                    sure.add(person)
    ls, ts, shares = zip(*found, strict=True)
    return {"l": min(ls), "t": max(ts), "share": max(shares)}, sure


@given(records=RECORDS, m=st.integers(1, 2))
def test_overlapping_look_alikes_are_told_as_a_slow_twin_does(records, m):
    start = np.cumsum([0, *(len(items) for items, _ in records)])
    items = np.array([item for items, _ in records for item in sorted(items)], dtype=np.int64)
    pairs = [(who, value) for who, (_, secret) in enumerate(records) for value in secret]
    who, value = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    fitting = knowledge_fits(start, items, m, most=1 << 20)
    found, certain = attribute_disclosure(fitting, collect_sensitive_values(who, value, len(records)))
    wanted, sure = slowly(records, m)
    assert found == pytest.approx(wanted)
    assert {*fitting.record[certain[fitting.of]].tolist()} == sure


def test_what_is_known_beside_the_items_parts_those_who_fit():
    start, items, classes = np.array([0, 1, 2]), np.array([5, 5]), np.array([0, 1])
    assert len(np.unique(knowledge_fits(start, items, 1, most=9).of)) == 2
    assert len(np.unique(knowledge_fits(start, items, 1, classes, most=9).of)) == 4
    assert knowledge_fits(start, items, 1, most=3) is None


def labelled():
    items = [["a", "b"], ["a"], ["b", "c"], ["c"], ["a", "c"], ["b"], ["a", "b"], ["c", "b"]]
    frame = pl.DataFrame({"items": items, "faith": ["x", "y", "z", "x", "y", "z", "y", "x"]})
    return shoal.read(frame, roles={"items": "items", "faith": "sensitive"}, hierarchies={})


def test_a_label_is_told_for_whoever_knows_whole_baskets():
    (found,) = audited(labelled(), k=2, l=2).learned
    assert (found.column, found.known) == ("faith", "the whole basket")
    assert found.before["l"] == 1
    assert found.before["given_away"] == 4 / 8  # only {a, b} and {b, c} occur with two labels
    assert found.after["l"] >= 2
    assert found.after["given_away"] == 0


def test_a_label_is_told_for_whoever_knows_some_items():
    (found,) = audited(labelled(), k=2, m=2).learned
    assert (found.column, found.known) == ("faith", "any 2 items")
    assert found.before["share"] == 1


def test_why_a_label_is_not_told(monkeypatch):
    monkeypatch.setattr(exposure, "_MOST", 1)
    for asked in ({"k": 2, "m": 1}, {"k": 2, "l": 2}):
        found = audited(labelled(), **asked)
        assert (found.learned, found.uncounted) == ([], [exposure.MANY_FIT])


def test_the_sensitive_field_of_trees_is_told_with_a_relation_where_the_claim_has_one():
    trees = Trees.of(
        [
            [("ward", "A", ("room", "1")), ("ill", "flu")],
            [("ward", "A"), ("room", "1"), ("ill", "gout")],
            [("ward", "A"), ("ill", "flu")],
        ],
        sensitive="ill",
    )
    (found,) = _tree_attribute_risks(trees, trees, 2, 1)
    assert (found.column, found.known) == ("ill", "any 2 values and a relation among them")
    assert found.before == found.after
    assert (found.before["l"], found.before["given_away"]) == (1, 1 / 3)  # only one has room 1 in ward A
    (plain,) = _tree_attribute_risks(trees, trees, 2, 0)
    assert plain.known == "any 2 values"
    assert plain.before == {"l": 2, "t": pytest.approx(1 / 6), "share": pytest.approx(2 / 3), "given_away": 0}


def test_trees_without_a_sensitive_field_tell_nothing():
    trees = Trees.of([[("ward", "A")]])
    assert list(_tree_attribute_risks(trees, trees, 2, 1)) == []
