"""The sections of one audit say the same of how exposed people are, and what a slow count finds, for every shape."""

import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import naive_attacks_items as naive
import shoal
from shoal.assess.attack import audit_exposure
from shoal.assess.facts import facts_of
from shoal.base.errors import InfeasibleError, InputError

pytestmark = pytest.mark.usefixtures("hasty")

law = settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
BASKET = st.frozensets(st.sampled_from("abcde"), min_size=1, max_size=4)


def audited(data, **asked):
    """The audit of a release, every attacker's result by name, and the release; discarded where there is none."""
    try:
        release = shoal.anonymize(data, seed=1, **asked)
    except InfeasibleError:
        assume(False)
    except InputError as error:  # a drawn column may tell a quasi-identifier, which a guard refuses
        assume("reveals the value of quasi-identifier" not in str(error))
        raise
    played = {one.name: one for one in shoal.attack(release, seed=1).attackers}
    return audit_exposure(release, facts_of(release)), played, release


def summary(crowds, k):
    """The figures of an attacker for whom each person hides among so many."""
    chances = [1 / crowd for crowd in crowds]
    return pytest.approx(
        {
            "highest": max(chances),
            "average": sum(chances) / len(chances),
            "above": sum(crowd < k for crowd in crowds) / len(crowds),
        }
    )


def same(side, outcome, rows, k):
    """Whether a side of `exposed`, which is about rows, tells what came of an attacker, who plays all people."""
    found = outcome.chances[outcome.chances > 0]
    assert len(found) == rows
    assert side == summary(1 / found, k)
    assert outcome.success * outcome.people == pytest.approx(side["average"] * rows)


def fewest(records, m, known=lambda record: record):
    """For each record, how few share some choice of up to m of what is known of it."""
    return [
        min(sum(set(some) <= known(other) for other in records) for some in naive.subsets(known(record), m))
        for record in records
    ]


def beyond_agrees(audit, played, k):
    """Every figure beyond the claim counts the people whom an attacker of the same audit finds among fewer than k."""
    counts = Counter(int((one.chances > 1 / k + 1e-9).sum()) for one in played.values() if not one.inside)
    assert all(counts[many] for many in audit.beyond.values())


PEOPLE = st.lists(
    st.tuples(st.integers(20, 29), st.sampled_from("fm"), st.sampled_from(["flu", "gout", None])),
    min_size=6,
    max_size=14,
)


@law
@given(PEOPLE, st.integers(2, 3), st.booleans())
def test_a_table(people, k, suppress):
    frame = pl.DataFrame(people, schema=["age", "sex", "ill"], orient="row")
    assume(frame["ill"].drop_nulls().n_unique() > 1)
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    data = shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [2, 10]}})
    asked = {"method": "optimal", "suppress": 0.4} if suppress else {}
    audit, played, release = audited(data, k=k, **asked)
    rows = [(row["age"], row["sex"]) for row in release.data.iter_rows(named=True)]
    (exposed,) = audit.exposed
    before, after = Counter(person[:2] for person in people), Counter(rows)
    assert exposed.before == summary([before[person[:2]] for person in people], k)
    assert exposed.after == summary([after[row] for row in rows], k)
    same(exposed.after, played["own-class"], len(rows), k)
    for side, told in ((exposed.before, audit.risk_before), (exposed.after, audit.risk_after)):
        assert (side["highest"], side["average"]) == pytest.approx((told["highest"], told["average"]))
    (learned,) = audit.learned
    assert learned.after["share"] == pytest.approx(played["inference"].highest)
    assert learned.after["given_away"] * len(rows) == pytest.approx(played["homogeneity"].certain)
    beyond_agrees(audit, played, k)


@law
@given(st.lists(BASKET, min_size=5, max_size=10), st.integers(1, 2), st.booleans())
def test_baskets(baskets, m, secret):
    k = 2
    assume(not secret or any("e" in basket for basket in baskets))
    frame = pl.DataFrame({"items": [sorted(basket) for basket in baskets]})
    how = {"sensitive": {"items": ["e"]}} if secret else {}
    data = shoal.read(frame, roles={"items": "items"}, hierarchies={"items": {"fanout": 2}}, **how)
    audit, played, release = audited(data, k=k, m=m, **({"l": 2} if secret else {}))
    rows = [_forms(cell) for cell in release.data["items"]]
    hidden = {"e"} if secret else set()
    for size, exposed in enumerate(audit.exposed, 1):
        assert exposed.before == summary(fewest(baskets, size, lambda basket: basket - hidden), k)
        assert exposed.after == summary(fewest(rows, size, lambda row: row - hidden), k)
    assert len(audit.exposed) == m
    same(audit.exposed[-1].after, played["m-published-items"], len(rows), k)
    if "homogeneity" in played:
        (learned,) = audit.learned
        assert learned.after["given_away"] * len(rows) == pytest.approx(played["homogeneity"].certain)
        assert learned.after["share"] <= played["inference"].highest + 1e-9
    beyond_agrees(audit, played, k)


def _forms(cell):
    """The published items of a row."""
    return frozenset(item if isinstance(item, str) else tuple(item) for item in json.loads(cell))


@law
@given(st.lists(st.tuples(st.integers(20, 24), BASKET), min_size=6, max_size=10), st.integers(1, 2))
def test_a_table_with_baskets(people, m):
    k = 2
    frame = pl.DataFrame(
        {"age": [age for age, _ in people], "items": [sorted(basket) for _, basket in people]}
    )
    hierarchies = {"age": {"ranges": [2, 10]}, "items": {"fanout": 2}}
    data = shoal.read(frame, roles={"age": "quasi", "items": "items"}, hierarchies=hierarchies)
    audit, played, release = audited(data, k=k, m=m)
    rows = [(row["age"], _forms(row["items"])) for row in release.data.iter_rows(named=True)]

    def crowds(records, size):
        return [
            min(
                sum(age == other and set(some) <= basket for other, basket in records)
                for some in naive.subsets(held, size)
            )
            for age, held in records
        ]

    of_table, *by_items = audit.exposed
    same(of_table.after, played["own-class"], len(rows), k)
    for size, exposed in enumerate(by_items, 1):
        assert exposed.known.startswith("all quasi-identifiers and any")
        assert exposed.before == summary(crowds(people, size), k)
        assert exposed.after == summary(crowds(rows, size), k)
        assert exposed.after["highest"] >= of_table.after["highest"]
    assert len(by_items) == m
    same(by_items[-1].after, played["own-class-m-items"], len(rows), k)
    beyond_agrees(audit, played, k)
    whole = sum(played["whole-basket"].chances > 1 / k + 1e-9)
    assert audit.beyond[f"people found with a chance above 1 in {k} if the whole basket is known"] == whole
    assert (played["whole-basket"].chances >= played["m-items"].chances - 1e-9).all()


@law
@given(st.lists(BASKET, min_size=4, max_size=8))
def test_baskets_by_vote(baskets):
    k = 2
    frame = pl.DataFrame({"items": [sorted(basket) for basket in baskets]})
    data = shoal.read(frame, roles={"items": "items"}, hierarchies={})
    audit, played, _ = audited(data, k=k)
    (exposed,) = audit.exposed
    assert exposed.before == summary([baskets.count(basket) for basket in baskets], k)
    same(exposed.after, played["every-basket"], len(baskets), k)
    beyond_agrees(audit, played, k)


TREE = st.fixed_dictionaries(
    {
        "ward": st.lists(st.sampled_from("abcd"), min_size=1, max_size=2),
        "ill": st.sampled_from(["flu", "gout"]),
    }
)


@law
@given(st.lists(TREE, min_size=6, max_size=10), st.integers(1, 2), st.booleans())
def test_record_trees(people, m, secret):
    k = 2
    assume(len({one["ill"] for one in people}) > 1)
    hierarchies = {"ward": {"fanout": 2}} | ({} if secret else {"ill": {"fanout": 2}})
    data = shoal.read_trees(people, hierarchies=hierarchies, **({"sensitive": "ill"} if secret else {}))
    audit, played, release = audited(data, k=k, m=m, n=0, **({"l": 2} if secret else {}))

    def values(tree):
        return {node for node, _ in naive.nodes(tree) if not (secret and node[0] == "ill")}

    originals = [values(tree) for tree in data.trees.nested()]
    rows = [values(tree) for tree in release.result.release.trees.nested()]
    for size, exposed in enumerate(audit.exposed, 1):
        assert exposed.before == summary(fewest(originals, size), k)
        assert exposed.after == summary(fewest(rows, size), k)
    assert len(audit.exposed) == m
    same(audit.exposed[-1].after, played["m-published-values"], len(rows), k)
    if "homogeneity" in played:
        (learned,) = audit.learned
        assert learned.after["given_away"] * len(rows) == pytest.approx(played["homogeneity"].certain)
    beyond_agrees(audit, played, k)
