"""What nobody sees changes no verdict: sensitive values and items are one in every spelling."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InputError
from strategies import DISEASES, decorated, rewritten, several, written_numbers

CLAIMS = (
    shoal.LDiversity(2),
    shoal.LDiversity(2, "entropy"),
    shoal.TCloseness(0.3),
    shoal.TCloseness(0.3, "ordered"),
    shoal.BetaLikeness(1),
    shoal.DeltaDisclosure(1),
    shoal.AlphaKAnonymity(0.5, 2),
    shoal.HiddenValues(0.4, {"ill": ["hiv"]}),
)


@st.composite
def columns(draw, values):
    """A column, and the same one with spellings that nobody tells apart."""
    cells = draw(several(values, draw(st.integers(2, 12))))
    return cells, [draw(decorated(cell)) for cell in cells]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.named)
@settings(max_examples=40)
@given(pair=columns(DISEASES) | columns(("1", "2", "10")), data=st.data())
def test_a_decorated_sensitive_column_has_the_verdict_of_the_plain_one(claim, pair, data):
    zips = data.draw(several("ab", len(pair[0])))
    plain, masked = (
        shoal.judge(pl.DataFrame({"zip": zips, "ill": cells}), claim, quasi=["zip"], sensitive=["ill"])
        for cells in pair
    )
    assert plain.as_dict() == masked.as_dict()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.named)
@settings(max_examples=40)
@given(data=st.data())
def test_a_column_written_by_many_hands_has_the_verdict_of_the_plain_one(claim, data):
    """Hyphens, apostrophes and quotes beside words, and every country's way to write a number."""
    if data.draw(st.booleans()):
        values, written = ("non smoker", "hiv", "flu a"), rewritten
    else:
        values, written = tuple(map(Decimal, ("7", "2.5", "1000", "25", "1234567"))), written_numbers
    cells = data.draw(several(values, data.draw(st.integers(2, 12))))
    zips = data.draw(several("ab", len(cells)))
    own = [f"{cell:f}" if isinstance(cell, Decimal) else cell for cell in cells]
    plain, masked = (
        shoal.judge(pl.DataFrame({"zip": zips, "ill": some}), claim, quasi=["zip"], sensitive=["ill"])
        for some in (own, [data.draw(written(cell)) for cell in cells])
    )
    assert plain.as_dict() == masked.as_dict()


def test_the_same_of_a_known_case():
    frame = pl.DataFrame({"zip": ["1", "1"], "ill": ["HIV", "HIV\u200b"]})
    assert not shoal.judge(frame, shoal.LDiversity(2), quasi=["zip"], sensitive=["ill"])


@given(
    item=decorated("HIV"), held=st.lists(st.sampled_from([(), ("ale",), ("rum",)]), min_size=2, max_size=8)
)
def test_a_decorated_sensitive_item_has_the_verdict_of_the_plain_one(item, held):
    said = []
    for word in ("HIV", item):
        frame = pl.DataFrame({"items": [[*held[0], word], *map(list, held[1:])]})
        said.append(shoal.judge(frame, shoal.LmDiversity(2, 1), sensitive=["HIV"]).as_dict())
    assert said[0] == said[1]


@pytest.mark.parametrize("roles", [{"items": "items"}, {"items": "items", "sex": "quasi"}])
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(item=decorated("HIV"))
def test_a_decorated_sensitive_item_is_never_published_as_an_ordinary_one(roles, item):
    held = [["ale", item], ["ale"], ["ale"], ["rum", "HIV"], ["rum"], ["rum"]] * 2
    frame = pl.DataFrame({"items": held, "sex": ["f"] * 12}).select(list(roles))
    data = shoal.read(frame, roles=roles, sensitive={"items": ["HIV"]})
    method = "bound" if "sex" in roles else "apriori"
    if item == "HIV":
        assert shoal.anonymize(data, k=2, m=1, l=2, method=method).verdict
        return
    with pytest.raises(InputError, match="occurs in another spelling"):
        shoal.anonymize(data, k=2, m=1, l=2, method=method)


def test_nor_is_one_of_several_columns():
    frame = pl.DataFrame(
        {"drugs": [["a"], ["b"]] * 4, "ills": [["flu"], ["\u200b HIV"], ["HIV"], ["flu"]] * 2}
    )
    data = shoal.read(frame, roles={"drugs": "items", "ills": "items"}, sensitive={"ills": ["HIV"]})
    with pytest.raises(InputError, match="occurs in another spelling"):
        shoal.anonymize(data, k=2, m=1, l=2)


@settings(max_examples=20)
@given(value=decorated("flu"))
def test_sensitive_values_of_trees_are_one_in_every_spelling(value):
    people = [{"ward": "a", "ill": ill} for ill in (value, "flu", "gout", "gout")]
    data = shoal.read_trees(people, hierarchies={"ward": {"fanout": 2}}, sensitive="ill")
    if value == "flu":
        assert shoal.anonymize(data, k=2, m=1, n=0, l=2).verdict
        return
    with pytest.raises(InputError, match="several spellings"):
        shoal.anonymize(data, k=2, m=1, n=0, l=2)
