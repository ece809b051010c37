"""What the audit sets beside each other: the originals, and what a reader of the release would guess of them."""

import polars as pl
import pytest

import shoal
from shoal.assess.facts import facts_of

AGES = [21, 21, 22, 28, 31, 33, 35, 38]


def audit(method: str, **more: object):
    people = pl.DataFrame({"age": AGES, "ill": ["flu", "gout"] * 4})
    roles = {"age": "quasi", "ill": "sensitive"}
    table = shoal.read(people, roles=roles, hierarchies={"age": {"ranges": [10, 40]}})
    made = shoal.anonymize(table, k=4, method=method, **more)
    return facts_of(made)


@pytest.mark.parametrize("method", ["optimal", "mstk"])
def test_original_values_stand_beside_what_a_reader_would_guess(method: str):
    rows = audit(method).before_after["age"]
    assert [(label, before) for label, before, _ in rows] == [
        ("21", 2), ("22", 1), ("28", 1), ("31", 1), ("33", 1), ("35", 1), ("38", 1),
    ]  # fmt: skip
    guess = {label: after for label, _, after in rows}
    assert guess["21"] == guess["22"] == guess["28"] == pytest.approx(4 / 3)
    assert guess["31"] == guess["38"] == pytest.approx(1)
    assert sum(guess.values()) == pytest.approx(len(AGES))


def test_many_values_stand_together_below_the_root():
    people = pl.DataFrame({"age": list(range(20, 60)) * 2})
    table = shoal.read(people, roles={"age": "quasi"}, hierarchies={"age": {"ranges": [5, 20, 100]}})
    rows = facts_of(shoal.anonymize(table, k=40, method="optimal")).before_after["age"]
    assert [label for label, _, _ in rows][:2] == ["[20, 25)", "[25, 30)"]
    assert [(before, after) for _, before, after in rows] == [(10, pytest.approx(10))] * 8
