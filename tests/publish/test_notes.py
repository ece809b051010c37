"""What a release shows that its readers should know."""

import json

import polars as pl

import shoal
from shoal.assess.attack import audit_exposure
from shoal.assess.facts import facts_of
from shoal.publish.notes import notes_of
from shoal.report.words import note_advice, note_sentence

ROLES = {"zip": "quasi", "age": "quasi", "ill": "sensitive"}


def test_a_column_that_shows_one_value_is_told():
    frame = pl.DataFrame({"zip": ["*"] * 4, "age": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "b"]})
    assert notes_of(frame, ROLES) == [{"kind": "one value", "column": "zip", "count": 4}]


def test_classes_that_share_a_sensitive_value_are_counted_whatever_its_spelling():
    frame = pl.DataFrame(
        {
            "zip": ["1", "1", "2", "2", "3", "3", "4"],
            "age": ["x"] * 7,
            "ill": ["HIV", "hiv", "a", "b", "c", None, "d"],
        }
    )
    found = [note for note in notes_of(frame, ROLES) if note["kind"] != "one value"]
    assert found == [{"kind": "one sensitive value", "column": "ill", "count": 2}]


def test_no_l_is_advised_where_none_can_be_asked_for():
    frame = pl.DataFrame({"age": ["x", "x"], "bought": ['["tea", "rice"]', '["tea"]'], "ill": ["flu", "flu"]})
    roles = {"age": "quasi", "bought": "items", "ill": "sensitive"}
    (advice,) = note_advice([note for note in notes_of(frame, roles) if note["column"] == "ill"])
    assert "ask for l" not in advice
    assert "leave ill out" in advice


def test_advice_stands_once_for_all_columns_and_not_in_public():
    notes = [{"kind": "one sensitive value", "column": f"c{i}", "count": 9} for i in range(72)]
    (advice,) = note_advice(notes)
    assert (
        advice == "ask for l of at least 2, and no class reveals anybody's c0, c1, c2, c3, c4, c5 and 66 more"
    )
    assert not any("ask for" in note_sentence(note) for note in notes)


def test_what_was_let_out_knowingly_is_told():
    frame = pl.DataFrame({"zip": ["1", "1", "2", "2"], "note": ["a", "b", "b", "c"]})
    told = notes_of(frame, {"zip": "quasi", "note": "plain"}, {"note"})
    assert told == [{"kind": "allowed", "column": "note", "count": 2}]


def test_items_that_all_became_one_are_told():
    one = pl.DataFrame({"items": ['["*"]', '["*"]']})
    two = pl.DataFrame({"items": ['["*"]', '["a", "*"]']})
    assert notes_of(one, {"items": "items"}) == [{"kind": "one value", "column": "items", "count": 2}]
    assert notes_of(two, {"items": "items"}) == []


def test_notes_of_every_shape_reach_the_manifest_and_the_pages(tmp_path):
    people = [{"ward": ward, "ill": "x"} for ward in "abcd"]
    trees = shoal.read_trees(people, hierarchies={"ward": {"fanout": 2}, "ill": {"fanout": 2}})
    shoal.anonymize(trees, k=4, m=1, n=0).save(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())["notes"]
    assert {"kind": "one value", "column": "ward", "count": 4} in told
    sentence = note_sentence(told[0])
    for page in (tmp_path / "out" / "report.html", tmp_path / "out.private" / "audit.html"):
        assert sentence[1:] in page.read_text(encoding="utf-8")


def test_what_only_the_originals_tell_is_in_the_audit_alone(tmp_path):
    rows = {"who": ["p", "p", "q", "r", "s"], "sex": ["f", "f", "f", "m", "m"]}
    table = shoal.read(pl.DataFrame(rows), roles={"sex": "quasi"}, person="who")
    sold = shoal.read(pl.DataFrame({"items": [["a"], ["a", "b"], ["b"], ["a"]]}), roles={"items": "items"})
    for place, data in (("table", table), ("sold", sold)):
        release = shoal.anonymize(data, k=2)
        release.save(tmp_path / place)
        public = (tmp_path / place / "report.html").read_text(encoding="utf-8")
        assert release.verdict.sentence[1:] not in public
        assert "who also saw the originals" in public
        private = json.loads((tmp_path / f"{place}.private" / "audit.json").read_text(encoding="utf-8"))
        assert private["trace"]["the judge found"] == release.verdict.sentence
        assert private["report"]["verdict"]["reached"] == {}


def test_a_maker_that_would_lose_far_less_is_named_to_the_owner_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.anonymization.choices.is_compiled", lambda maker: True)
    values = [
        str(i) for i in [*range(11)] * 5 + [*range(20, 25)]
    ]  # eleven classes of five, and five odd people
    cells = {"a": values, "b": values}
    data = shoal.read(pl.DataFrame(cells), roles={"a": "quasi", "b": "quasi"})
    release = shoal.anonymize(data, k=5, method="optimal")
    assert list(release.cheaper_methods) == ["mondrian"]
    assert 2 * release.cheaper_methods["mondrian"] < release.loss["ncp"]
    release.save(tmp_path / "out")
    assert "would lose" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "mondrian would lose" in (tmp_path / "out.private" / "audit.json").read_text(encoding="utf-8")
    assert not shoal.anonymize(data, k=5, method="mstk").cheaper_methods


def told_beyond(data, **asked):
    release = shoal.anonymize(data, **asked)
    assert not [name for name in release.private_trace if "chance" in name]
    return audit_exposure(release, facts_of(release)).beyond


def test_what_lies_just_beyond_the_claim_is_measured():
    held = [["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]
    sold = shoal.read(pl.DataFrame({"items": held}), roles={"items": "items"})
    assert told_beyond(sold, k=2, m=2, method="apriori") == {
        "people found with a chance above 1 in 2 if one item more is known than the claim allows": 1,
        "people found with a chance above 1 in 2 if the whole basket is known": 1,
        "people found with a chance above 1 in 2 if its size is known in addition to what the claim allows": 1,
        "people found with a chance above 1 in 2 if it is known to whom some other rows belong": 0,
    }
    rows = {"sex": ["f", "f", "m", "m"], "ill": ["a", "b", "a", "a"]}
    table = shoal.read(pl.DataFrame(rows), roles={"sex": "quasi", "ill": "sensitive"})
    known = "people found with a chance above 1 in 2 if a sensitive column is known too"
    assert told_beyond(table, k=2) == {known: 2}
    people = [{"ward": ward} for ward in "aabb"] + [{"ward": ["a", "b"]}, {"ward": ["a", "a", "b"]}]
    trees = shoal.read_trees(people, hierarchies={"ward": {"fanout": 2}})
    assert list(told_beyond(trees, k=2, m=1, n=0)) == [
        "people found with a chance above 1 in 2 if one value more is known than the claim allows",
        "people found with a chance above 1 in 2 if the whole tree is known",
        "people found with a chance above 1 in 2 if its size is known in addition to what the claim allows",
        "people found with a chance above 1 in 2 if it is known to whom some other rows belong",
    ]


def test_a_note_on_groups_by_frequency_says_what_they_are_and_its_advice_is_the_owners():
    note = {"kind": "by frequency", "column": "job", "count": 20}
    assert note_sentence(note) == "column job: grouped by frequency, not by meaning"
    assert note_advice([note, note | {"column": "town"}]) == [
        "groups by frequency mean little: give a hierarchy for job and town to do better"
    ]
