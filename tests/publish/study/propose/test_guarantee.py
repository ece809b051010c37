"""The numbers that a proposal promises, and what they cost."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InputError
from shoal.publish.study.propose import guarantee

N = 200
DRAWN = np.random.default_rng(5).integers(0, 5, N).tolist()
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 40 for i in range(N)],
        "sex": ["f", "m"] * (N // 2),
        "diagnosis": [("flu", "asthma", "angina", "gout", "none")[draw] for draw in DRAWN],
    }
)


@pytest.mark.parametrize(("audience", "k"), guarantee.AUDIENCE_K.items())
def test_k_follows_from_who_gets_the_release(audience, k):
    found = shoal.propose(PEOPLE.select("age", "sex"), audience=audience)
    assert found.guarantee == {"k": k}


def test_l_is_proposed_where_a_column_is_sensitive_and_never_above_its_values():
    assert shoal.propose(PEOPLE).guarantee == {"k": 11, "l": 3}
    two = PEOPLE.with_columns(hiv=pl.Series(["yes", "no", "no", "no"] * (N // 4)))
    found = shoal.propose(two, roles={"hiv": "sensitive"})
    assert found.guarantee == {"k": 11, "l": 2}


def test_an_audience_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match=r"for: 'publik' is no audience; did you mean 'public'"):
        shoal.propose(PEOPLE, audience="publik")


def test_what_k_and_l_cost_is_tried_on_a_sample(monkeypatch):
    monkeypatch.setattr(guarantee, "compiled", lambda method: True)
    (said,) = shoal.propose(PEOPLE).costs
    assert said.startswith("tried on 200 of 200 records: k = 11 cost ")
    assert ", k = 11 and l = 3 cost " in said


def test_nothing_is_compiled_to_tell_a_price(monkeypatch):
    monkeypatch.setattr(guarantee, "compiled", lambda method: False)
    assert shoal.propose(PEOPLE).costs == (
        "shoal compare --methods default --k 2:20 shows what each k costs",
    )
