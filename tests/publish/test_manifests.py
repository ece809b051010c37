"""Manifests, read as anybody's: every fault that one can have is told, and no release has one."""

import hashlib
import json

import pytest

from shoal import __version__
from shoal.algorithms import METHODS
from shoal.base.errors import InputError
from shoal.privacy import AllOf, KAnonymity, LDiversity
from shoal.privacy.claim import REWORDED
from shoal.publish import manifests
from shoal.publish.manifests import (
    ChangedError,
    _fault_of,
    check_claim_text,
    describe_changed_file,
    digests,
    read_manifest,
)

CLAIM = KAnonymity(4)
GOOD = {
    "shoal": __version__,
    "shape": "table",
    "columns": {"age": "quasi", "ill": "sensitive", "ward": "plain"},
    "claim": CLAIM.as_dict(),
    "judged": True,
    "method": {"name": "mondrian", "parameters": {}},
    "records_in": 10,
    "records_out": 8,
    "suppressed": 2,
    "suppressed_items": 0,
    "loss": {"ncp": 0.5, "dm": 34},
    "classes": 2,
    "notes": [],
    "date": "2026-01-01",
    "title": "People",
    "rehearsal": True,
    "sha256": {"data.csv": "0"},
}  # fmt: skip
VOTE = {"items": "items", "uncertain": "items", "errors": "plain"}


def changed(**facts):
    return {key: value for key, value in (GOOD | facts).items() if value is not Ellipsis}


@pytest.mark.parametrize(
    "facts",
    [
        {},
        dict.fromkeys(("notes", "date", "title", "rehearsal"), ...),
        {"shoal": "0.1.4", "sha256": ...},
        {
            "notes": [
                {"kind": "one value", "column": "age", "count": 8},
                {"kind": "mean", "column": "age", "count": 9},
            ]
        },
        {"method": {"name": "mstk", "parameters": {"k": 4, "suppress": 0.1, "recode": "span"}}},
        {"method": {"name": "recoding", "parameters": {"k": 4, "suppress": 0.1}}},
        {"method": {"name": "m-invariance", "parameters": {}}},
        {"rehearsal": False},
        {"loss": {}},
        {"records_in": 0, "records_out": 0, "suppressed": 0, "classes": 0},
        {"records_in": 1000, "records_out": 500, "suppressed": 500, "classes": 300},
        {"records_in": 2**53 - 1, "records_out": 2**53 - 3},
        {"claim": {**GOOD["claim"], "counts": "persons"}},
        {"shape": "baskets", "columns": {"items": "items", "ward": "plain"}, "suppressed_items": 3},
        {"shape": "baskets", "columns": VOTE | {"faith": "sensitive"}},
        {"shape": "mixed", "columns": {"age": "quasi", "bought": "items"}, "suppressed_items": 3},
        {"shape": "mixed", "columns": {"age": "quasi", "uncertain": "items"}, "suppressed_items": 3},
        {"shape": "trees", "columns": {"nodes": "tree"}, "suppressed_items": 3},
    ],
)
def test_what_a_release_says(facts):
    assert _fault_of(changed(**facts)) is None


NO_ROLE = "has a role that is none of"
NO_NUMBER = "is not a number of records or items"
FAULTS = [
    *(({key: ...}, f"lacks '{key}'") for key in (
        *("shoal", "shape", "columns", "claim", "judged", "method", "loss", "records_in", "records_out"),
        *("suppressed", "suppressed_items", "classes"),
    )),
    ({"names": ["Ann"]}, "a key that no release has"),
    *(({key: 7}, f"'{key}' is not a text") for key in (
        *("shoal", "date", "title", "controller", "purpose", "recipient", "contact", "reason"),
    )),
    ({"shape": "cube"}, "the shape is none of table, baskets"),
    ({"shape": ["table"]}, "the shape is none of"),
    ({"columns": {}}, "does not give columns their roles"),
    ({"columns": ["age"]}, "does not give columns their roles"),
    ({"columns": {"age": "quasi", "name": "identifier"}}, "column 'name' has the role identifier"),
    ({"columns": {"age": "quasi", "name": "drop"}}, "column 'name' has the role drop"),
    ({"columns": {"age": "quasi", "name": "items"}}, f"column 'name' {NO_ROLE} quasi, known, sensitive, plain"),
    ({"columns": {"age": "plain"}}, "no column is a quasi-identifier"),
    ({"shape": "mixed", "columns": {"items": "items"}}, "no column is a quasi-identifier"),
    ({"shape": "mixed", "columns": {"age": "quasi"}}, "one column of items, and here are 0"),
    ({"shape": "mixed", "columns": {"age": "quasi", "a": "items", "b": "items"}}, "and here are 2"),
    ({"shape": "baskets", "columns": {"age": "quasi", "items": "items"}}, f"column 'age' {NO_ROLE}"),
    ({"shape": "baskets", "columns": {"bought": "items"}}, "baskets have one column of items"),
    ({"shape": "baskets", "columns": {"ward": "plain"}}, "baskets have one column of items"),
    ({"shape": "baskets", "columns": VOTE | {"errors": "sensitive"}}, "baskets have one column of items"),
    ({"shape": "baskets", "columns": {"items": "items", "uncertain": "items"}}, "baskets have one column"),
    ({"shape": "baskets", "columns": VOTE | {"more": "items"}}, "baskets have one column of items"),
    ({"shape": "baskets", "columns": {"items": "items", "more": "items"}}, "baskets have one column"),
    ({"shape": "trees", "columns": {"nodes": "tree", "more": "tree"}}, "trees have one column, 'nodes'"),
    ({"shape": "trees", "columns": {"age": "quasi"}}, f"column 'age' {NO_ROLE} tree"),
    *(({key: -1}, f"'{key}' {NO_NUMBER}") for key in ("records_in", "suppressed", "suppressed_items", "classes")),
    ({"classes": True}, f"'classes' {NO_NUMBER}"),
    ({"classes": 2.0}, f"'classes' {NO_NUMBER}"),
    ({"classes": 2**53}, f"'classes' {NO_NUMBER}"),
    ({"records_in": 11}, "records_in is not records_out and suppressed together"),
    ({"records_in": 6, "suppressed": 2}, "records_in is not records_out and suppressed together"),
    ({"suppressed_items": 1}, "such a release leaves none out"),
    ({"shape": "baskets", "columns": VOTE, "suppressed_items": 1}, "such a release leaves none out"),
    ({"judged": False}, "does not say that the release was judged"),
    ({"judged": 1}, "does not say that the release was judged"),
    ({"loss": [1]}, "'loss' does not give losses their numbers"),
    ({"loss": {"a": 1, "ncp": "low"}}, "'loss' does not give losses their numbers"),
    ({"loss": {"ncp": True}}, "'loss' does not give losses their numbers"),
    ({"loss": {"ncp": float("nan")}}, "'loss' does not give losses their numbers"),
    ({"loss": {"ncp": 0.5, "nobody can be found": 1}}, "something that is not known as a loss"),
    ({"method": "mondrian"}, "'method' is not a name and parameters"),
    ({"method": {"name": "mondrian"}}, "'method' is not a name and parameters"),
    ({"method": {"name": "mondrian", "parameters": {}, "seal": "of a court"}}, "'method' is not a name and parameters"),
    ({"method": {"name": 7, "parameters": {}}}, "a method that is not known"),
    ({"method": {"name": "perfect", "parameters": {}}}, "a method that is not known"),
    ({"method": {"name": ["mondrian"], "parameters": {}}}, "a method that is not known"),
    ({"method": {"name": "mondrian", "parameters": ["k"]}}, "a parameter that is not known"),
    ({"method": {"name": "mondrian", "parameters": {"sealed by": 1}}}, "a parameter that is not known"),
    ({"shoal": "the newest"}, "'shoal' is not a version"),
    ({"shoal": "0.3.0 (certified)"}, "'shoal' is not a version"),
    ({"sha256": ...}, "lacks 'sha256'"),
    ({"date": "in May"}, "'date' is not a date"),
    ({"notes": [{"kind": "nobody can be found", "column": "age", "count": 1}]}, "a kind of note that is not known"),
    ({"notes": [{"kind": "allowed", "column": "nobody can be found", "count": 1}]}, "a column that is not in"),
    ({"notes": [{"kind": "allowed", "column": "ill", "count": 9}]}, "more records than there are"),
    ({"notes": [{"kind": "allowed", "column": "ill", "count": 1}] * 2}, "says something twice"),
    ({"notes": [{"kind": "allowed", "column": "ill", "count": True}]}, "'notes' is not a list"),
    ({"notes": [{"kind": "allowed", "column": "ill", "count": -1}]}, "'notes' is not a list"),
    ({"notes": [{"kind": "allowed", "column": "ill"}]}, "'notes' is not a list"),
    ({"claim": "k = 4"}, "'claim' is not an object"),
    ({"claim": {"counts": "rows"}}, "counts something else"),
    ({"claim": {"counts": "persons"}, "shape": "trees", "columns": {"nodes": "tree"}}, "counts something else"),
    ({"claim": {"counts": "persons"}, "shape": "baskets", "columns": {"items": "items"}}, "counts something else"),
    ({"rehearsal": "no"}, "'rehearsal' is neither true nor false"),
    ({"notes": {}}, "'notes' is not a list"),
    ({"notes": ["Ann"]}, "'notes' is not a list"),
    ({"notes": [{"kind": ["Ann"]}]}, "'notes' is not a list"),
    ({"notes": [{"kind": "x", "who": "Ann"}]}, "'notes' is not a list"),
    ({"notes": [{"kind": "x", "column": 7}]}, "'notes' is not a list"),
    ({"notes": [{"kind": "x", "count": "7"}]}, "'notes' is not a list"),
    ({"notes": [{"kind": None}]}, "'notes' is not a list"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "words"), FAULTS)
def test_what_no_release_says(facts, words):
    assert words in _fault_of(changed(**facts))


def written(folder, content):
    (folder / "manifest.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_a_manifest_is_read(tmp_path, monkeypatch):
    assert read_manifest(written(tmp_path, GOOD)) == GOOD
    for key in ("shoal", "shape", "claim", "columns"):
        assert read_manifest(written(tmp_path, {key: 1})) == {key: 1}
    size = (tmp_path / "manifest.json").stat().st_size
    monkeypatch.setattr(manifests, "_LARGEST", size)
    assert read_manifest(tmp_path)
    monkeypatch.setattr(manifests, "_LARGEST", size - 1)
    with pytest.raises(InputError, match="too large"):
        read_manifest(tmp_path)


def test_how_large_a_manifest_may_be(tmp_path):
    """Sixteen megabytes: a file of that size is read, and one of a byte more is not."""
    path = written(tmp_path, GOOD) / "manifest.json"
    path.write_text(path.read_text().ljust(16 * 2**20))
    assert read_manifest(tmp_path) == GOOD
    path.write_text(path.read_text() + " ")
    with pytest.raises(InputError, match="too large"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    "content", ["", "[]", "7", "{", "{}", '{"name": "app"}', '{"shoal": NaN}', "[" * 100_000]
)
def test_what_is_nothing_like_a_manifest(tmp_path, content):
    with pytest.raises(InputError, match="does not belong to a release") as error:
        read_manifest(written(tmp_path, content))
    assert not isinstance(error.value, ChangedError)


def test_no_manifest_and_one_that_reads_in_two_ways(tmp_path):
    with pytest.raises(InputError, match=r"no manifest\.json"):
        read_manifest(tmp_path)
    with pytest.raises(ChangedError, match="a key twice"):
        read_manifest(written(tmp_path, '{"shoal": 1, "shoal": 2}'))


def test_the_sha256_of_a_file_and_of_a_folder_of_tables(tmp_path):
    (tmp_path / "data.csv").write_bytes(b"age\n")
    (tmp_path / "data").mkdir()
    for name in ("b.csv", "a.csv"):
        (tmp_path / "data" / name).write_bytes(name.encode())
    own = {"data.csv": hashlib.sha256(b"age\n").hexdigest()}
    assert digests(tmp_path, "data.csv") == own
    both = digests(tmp_path, "data")
    assert both == {f"data/{name}": hashlib.sha256(name.encode()).hexdigest() for name in ("a.csv", "b.csv")}
    assert list(both) == ["data/a.csv", "data/b.csv"]
    assert describe_changed_file({"sha256": own}, tmp_path, "data.csv") is None
    assert describe_changed_file({}, tmp_path, "data.csv") is None
    assert "their sha256 differ" in describe_changed_file({"sha256": own}, tmp_path, "data")
    (tmp_path / "data" / "more").mkdir()
    with pytest.raises(InputError, match="more is not a file"):
        digests(tmp_path, "data")


BOTH = AllOf((KAnonymity(4), LDiversity(2)))


def words(claim, version=__version__, method=GOOD["method"], suppressed=3, **facts):
    said = {key: value for key, value in (claim.as_dict() | facts).items() if value is not Ellipsis}
    method = {"name": method, "parameters": {}} if isinstance(method, str) else method
    manifest = GOOD | {"shoal": version, "claim": said, "method": method, "suppressed": suppressed}
    return check_claim_text(json.loads(json.dumps(manifest)), claim)


def test_a_claim_of_this_version_is_described_word_by_word():
    for claim in (CLAIM, BOTH):
        assert words(claim) is None
        assert words(claim, counts="persons") is None
        assert "in words that its numbers do not bear out" in words(claim, attacker=claim.attacker + " ")
        assert words(claim, not_covered=[])
        assert words(claim, more=1)


def test_the_claim_says_what_blind_tells_of_people_who_are_left_out():
    """It is not made again without them: so it says that it counts them, but only where there are any."""
    said = [*CLAIM.as_dict()["not_covered"], METHODS["blind"].tells]
    assert words(CLAIM, method="blind", not_covered=said) is None
    assert words(CLAIM, method="blind", suppressed=0) is None
    assert words(CLAIM, method="blind")
    assert words(CLAIM, method="blind", suppressed=0, not_covered=said)
    assert words(CLAIM, not_covered=said)


def test_a_claim_of_another_version_states_the_same_numbers():
    for claim in (CLAIM, BOTH):
        assert words(claim, "0.1") is None
        assert words(claim, "0.1", not_covered=[]) is None
        assert words(claim, "0.1", attacker=...)
        assert words(claim, "0.1", attacker=7)
        assert words(claim, "0.1", attacker=claim.attacker + " 0.7")
        assert words(claim, "0.1", attacker="nobody")
        assert words(claim, "0.1", claims=[{"model": "x", "attacker": "nobody"}])
        assert words(claim, "0.1", claims=[{"model": "x"}, {"not_covered": []}])
    old = GOOD | {"shoal": "0.1.9", "claim": CLAIM.as_dict() | {"attacker": "at least 3 others"}}
    assert check_claim_text(old, CLAIM) is None


@pytest.mark.parametrize("line", sorted(REWORDED))
def test_words_of_this_version_before_they_were_changed_state_the_same_numbers(line):
    """A release that was made yesterday is read today; one whose numbers were changed is not."""
    older = {**CLAIM.as_dict(), "not_covered": ["several releases", line]}
    assert check_claim_text(changed(claim=older), CLAIM) is None
    assert check_claim_text(changed(claim={**older, "attacker": "nobody finds fewer than 99"}), CLAIM)
    assert check_claim_text(changed(claim={**older, "not_covered": ["several releases", "nothing"]}), CLAIM)


def test_whoever_is_read_as_anyone_who_and_nothing_else_is():
    """Releases of this version said so before it was put in other words."""
    for claim in (CLAIM, BOTH):
        said = json.loads(json.dumps(claim.as_dict()).replace("anyone who", "whoever"))
        assert said != claim.as_dict()
        assert check_claim_text(changed(claim=said), claim) is None
        assert check_claim_text(changed(claim=said | {"attacker": said["attacker"] + ", or not"}), claim)


@pytest.mark.parametrize(
    "parameters",
    [
        {"suppress": "nobody can be found"},
        {"recode": "nobody can be found"},
        {"recode": ["hierarchy"]},
        {"grid": {"nobody can be found": 1}},
        {"grid": {"age": "nobody can be found"}},
        {"k": "nobody can be found"},
        {"k": 50},
    ],
)
def test_parameters_are_numbers_words_and_columns_of_the_release(parameters):
    assert words(CLAIM, method={"name": "mstk", "parameters": parameters})
    right = {"k": 4, "grid": {"age": 5}, "suppress": 0, "recode": "span"}
    assert words(CLAIM, method={"name": "mstk", "parameters": right}) is None
