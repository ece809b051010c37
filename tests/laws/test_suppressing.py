"""Methods that may leave records or items out: a release that its judge accepts, or the word that there is none."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.base.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from strategies import several, subsets

LEAVING = {
    name: found
    for name, found in METHODS.items()
    if any(knob.name == "suppress" for knob in knobs(name))
    and not found.public  # which refuses by its own rule
}
ASKED = {
    "k-anonymity": [{}],
    "k-anonymity with known columns": [{}],
    "l-diversity": [{"l": 2}, {"l": 2, "diversity": "entropy"}],
    "t-closeness": [
        {"t": t, "distance": kind} for t in (0.1, 0.3) for kind in ("ordered", "ordered", "equal")
    ],
    "beta-likeness": [{"beta": 1}],
    "delta-disclosure privacy": [{"disclosure": 1.0}],
    "(alpha,k)-anonymity": [{"alpha": 0.6}],
    "hidden values": [{"alpha": 0.6, "hidden": {"pay": ["1", "a", "2", "5"]}}],
}
PAY = (
    ("1", "2", "10", "300"),
    ("a", "A", "b", "B", "c", "C"),  # which spelling is left depends on who is left out
    ("2", "\u00b2", "10", "9"),  # a number in one spelling only
    ("5", "", "x", "\u200bx", "10"),
)
"""Sensitive columns, each with an order of its own."""
TABLES = [(name, model) for name, found in LEAVING.items() for model in found.claims if model in ASKED]
BASKETS = [name for name, found in LEAVING.items() if "k^m-anonymity" in found.claims]


@pytest.mark.filterwarnings("ignore::shoal.base.errors.ShoalWarning")  # a front of one point says why
@pytest.mark.parametrize(("name", "model"), TABLES)
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), pay=st.sampled_from(PAY), share=st.sampled_from([0.1, 0.3, 0.6, 0.9]))
def test_no_table_is_refused(name, model, data, pay, share):
    rows = data.draw(st.integers(4, 20))

    def column(values):
        return data.draw(several(tuple(values), rows))

    ages = [str(age) for age in (20, 21, 23, 27, 90)]  # one of them far away
    cells = {"age": column(ages), "zip": column(["11", "12", "99"]), "pay": column(pay)}
    knows_few = METHODS[name].needs == "k-anonymity with known columns"
    knowledge, other = ({"known_at_once": 1}, "known") if knows_few else ({}, "quasi")
    has_persons = not knows_few and data.draw(st.booleans())
    persons = {"who": column([str(who) for who in range(8)])} if has_persons else {}
    held = shoal.read(
        pl.DataFrame(cells | persons),
        roles={"age": "quasi", "zip": other, "pay": "sensitive", **dict.fromkeys(persons, "identifier")},
        hierarchies={"age": {"ranges": [2, 4, 8]}, "zip": {"mask": "right"}},
        allow=("pay",),
        person="who" if persons else None,
    )
    asked = data.draw(st.sampled_from(ASKED[model])) | knowledge
    try:
        release = shoal.anonymize(held, method=name, k=2, suppress=share, **asked)
    except InfeasibleError:
        return
    except InputError:  # nobody has a hidden value, or everybody
        assert "hidden" in asked
        return
    assert release.verdict


def test_an_order_does_not_hang_on_the_spelling_that_is_left():
    """`A` comes before `b` and `a` behind `B`, as texts; which of them are left, the method decides."""
    cells = {
        "age": ["45", "24", "46", "32", "51", "58", "42", "31", "47", "41", "37", "32", "55", "48"],
        "zip": ["11", "12", "12", "99", "12", "11", "21", "22", "11", "11", "22", "11", "99", "11"],
        "pay": list("aAbaaBCbaacbAa"),
    }
    data = shoal.read(
        pl.DataFrame(cells),
        roles={"age": "quasi", "zip": "quasi", "pay": "sensitive"},
        hierarchies={"age": {"ranges": [2, 4, 8]}, "zip": {"mask": "right"}},
        allow=("pay",),
    )
    assert shoal.anonymize(data, method="mondrian", k=2, t=0.3, distance="ordered", suppress=0.9).verdict


@pytest.mark.parametrize("name", BASKETS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), m=st.integers(1, 3), share=st.sampled_from([0.1, 0.3, 0.6]))
def test_no_baskets_are_refused(name, data, m, share):
    rows = data.draw(several(subsets("acxyz", 4), data.draw(st.integers(2, 20))))
    held = [["x"], *map(sorted, rows)]
    frame = pl.DataFrame({"items": held}, schema={"items": pl.List(pl.String)})
    baskets = shoal.read(frame, roles={"items": "items"}, hierarchies={"items": SHELF})
    try:
        release = shoal.anonymize(baskets, method=name, k=2, m=m, suppress=share)
    except InfeasibleError:
        return
    assert release.verdict


SHELF = Hierarchy.from_paths("items", [["a", "p", "*"], ["c", "p", "*"], *([x, x, "*"] for x in "xyz")])


@pytest.mark.parametrize("name", BASKETS)
@pytest.mark.parametrize("share", [0.2, 0.3, 0.5])
def test_an_item_that_was_left_out_and_came_back_is_looked_at_again(name, share):
    """a is left out for {a, x}; then c becomes p for {c, y, z}, a with it: {p, x} is rare, and smaller than these."""
    held = ["ayz", "ay", "az", "ax", *["x"] * 5, "cyz", "cy", "cz"]
    frame = pl.DataFrame({"items": [list(row) for row in held]})
    baskets = shoal.read(frame, roles={"items": "items"}, hierarchies={"items": SHELF})
    assert shoal.anonymize(baskets, method=name, k=2, m=3, suppress=share, allow_empty=True).verdict
