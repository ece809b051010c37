"""What a configuration says of its releases, held against what a release says of itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from shoal.base.errors import InputError
from shoal.io.config import check
from shoal.privacy import ItemsetAnonymity, KAnonymity, KmAnonymity, KMNAnonymity, LDiversity, Nonreciprocal
from shoal.publish.manifests import _describe_difference
from shoal.shapes.configured_claim import claim_from_config, claim_of_config

COLUMNS = {"name": "identifier", "notes": "drop", "age": "quasi", "ill": "sensitive", "ward": "plain"}
PUBLISHED = {"age": "quasi", "ill": "sensitive", "ward": "plain"}


def config(columns=COLUMNS, guarantee=None, **more):
    return check(
        {"data": {"path": "x.csv"}, "columns": columns, "guarantee": guarantee or {}, **more}, folder=Path()
    )


def trees(guarantee=None, **tree):
    raw = {"data": {"path": "x.ndjson"}, "tree": tree, "guarantee": guarantee or {}}
    return check(raw, folder=Path())


def differs(columns, claim, settings, **counts):
    return _describe_difference({"columns": columns, "claim": claim.as_dict() | counts}, claim, settings)


def test_the_claim_that_is_asked_for():
    assert claim_of_config(config()) is None
    assert claim_of_config(config(guarantee={"k": 4})) == KAnonymity(4)
    with pytest.raises(InputError):
        claim_of_config(config(guarantee={"k": "many"}))
    with pytest.raises(InputError):
        claim_of_config(config(guarantee={"k": 1}))  # which promises nobody anything


def test_what_the_method_adds_to_the_claim():
    items = {"bought": "items"}
    listed = config(items, {"k": 2}, method={"name": "coat", "privacy": [["ale"]]})
    assert claim_of_config(listed) == ItemsetAnonymity(2, [["ale"]])
    assert claim_of_config(config(items, {"k": 2}, method={"insiders": 1})) == Nonreciprocal(2, insiders=1)
    assert claim_of_config(config(items, {"k": 2, "m": 1}, method={"suppress": 0.1})) == KmAnonymity(2, 1)


def test_the_fields_of_trees_are_part_of_their_claim():
    settings = trees({"k": 2, "m": 1, "n": 0}, sensitive="ill", negations=["age"])
    assert claim_of_config(settings) == KMNAnonymity(2, 1, 0, None, "ill", ("age",))
    assert claim_from_config(trees(), {"k": 3, "m": 2, "n": 1}) == KMNAnonymity(3, 2, 1)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (PUBLISHED, None),
        (dict(reversed(PUBLISHED.items())), None),
        ({"age": "quasi", "ill": "sensitive"}, "publishes a column 'ward', which is not in the release"),
        (PUBLISHED | {"more": "plain"}, "column 'more' is not among those that the configuration publishes"),
        (PUBLISHED | {"name": "plain"}, "column 'name' is not among"),
        (PUBLISHED | {"notes": "plain"}, "column 'notes' is not among"),
        (PUBLISHED | {"age": "plain"}, "column 'age' is quasi in the configuration, but not in the release"),
    ],
)
def test_columns_are_those_of_the_configuration(columns, words):
    found = differs(columns, KAnonymity(4), config())
    assert found is words is None or words in found


def test_whom_a_claim_counts():
    persons = replace(config(), data=replace(config().data, person="name"))
    claim = KAnonymity(4)
    assert differs(PUBLISHED, claim, persons, counts="persons") is None
    assert differs(PUBLISHED, claim, persons) == "the release counts rows, but the configuration persons"
    said = differs(PUBLISHED, claim, config(), counts="persons")
    assert said == "the release counts persons, but the configuration rows"
    sold = config({"who": "identifier", "bought": "items"})
    sold = replace(sold, data=replace(sold.data, person="who"))
    assert differs({"items": "items"}, KmAnonymity(2, 1), sold) is None  # of baskets every record is a person


def test_the_claim_is_at_least_the_guarantee():
    wanted = config(guarantee={"k": 4})
    assert differs(PUBLISHED, KAnonymity(4), wanted) is None
    assert differs(PUBLISHED, KAnonymity(5), wanted) is None
    for other in (KAnonymity(3), LDiversity(9)):
        assert "weaker than, or another than" in differs(PUBLISHED, other, wanted)
    assert differs(PUBLISHED, KAnonymity(2), config()) is None


def test_the_columns_of_every_shape():
    sold, vote = KmAnonymity(2, 1), Nonreciprocal(2)
    items = config({"who": "identifier", "bought": "items", "faith": "plain"})
    assert differs({"items": "items", "faith": "plain"}, sold, items) is None
    assert "'bought' is not among" in differs(
        {"items": "items", "bought": "items", "faith": "plain"}, sold, items
    )
    both = {"items": "items", "uncertain": "items", "errors": "plain", "faith": "plain"}
    assert differs(both, vote, items) is None
    assert "'uncertain' is not among" in differs(both, sold, items)
    mixed = config({"age": "quasi", "bought": "items", "*": "drop"})
    assert differs({"age": "quasi", "bought": "items"}, KAnonymity(2), mixed) is None
    assert "publishes a column 'bought'" in differs({"age": "quasi", "items": "items"}, KAnonymity(2), mixed)
    several = config({"age": "quasi", "bought": "items", "read": "items"})
    assert differs({"age": "quasi", "items": "items"}, KAnonymity(2), several) is None
    assert differs({"nodes": "tree"}, KMNAnonymity(2, 1, 0), trees()) is None
    assert "publishes a column 'nodes'" in differs({"age": "tree"}, KMNAnonymity(2, 1, 0), trees())
