"""`verify` believes nobody: not the manifest, not the data, not the words; only what can be shown."""

import json
import shutil
import stat

import polars as pl
import pytest
from click.testing import CliRunner

import release_cases as cases
from shoal.cli import shoal as command
from shoal.io.config import load
from shoal.privacy import AllOf, KAnonymity, LDiversity, nonreciprocal
from shoal.publish.verify import verify


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Releases of all kinds, made once."""
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    for kind in cases.CONFIGS:
        cases.make_release(room, kind, format_of(kind), rows=kind in ("persons", "vote"))
    return room


def format_of(kind):
    return "ndjson" if kind == "trees" else "csv"


def edited(folder, **facts):
    """Change the manifest; a callable changes what is there, None deletes it; without a sha256 it is an old one."""
    facts = facts | ({"shoal": "0.2.0"} if "sha256" in facts and facts["sha256"] is None else {})
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for key, value in facts.items():
        if value is None:
            del manifest[key]
        else:
            manifest[key] = value(manifest[key]) if callable(value) else value
    path.write_text(json.dumps(manifest))
    return folder


def said(room, kind, *, config=True, against=False):
    settings = load(room / f"{kind}.toml") if config else None
    original = room / cases.ORIGINALS[kind] if against else None
    return verify(room / f"{kind}-{format_of(kind)}", config=settings, against=original)[1]


def no(verdict, *words):
    assert verdict.judged
    assert not verdict
    for word in words:
        assert word in verdict.sentence
    return True


@pytest.mark.parametrize("kind", cases.CONFIGS)
def test_what_was_made_is_a_yes(made, kind):
    if kind not in ("persons", "vote"):
        assert said(made, kind)
        assert kind == "secret" or said(made, kind, config=False)
    assert said(made, kind, against=True)


# The five folders that once got a yes.


def test_originals_called_plain(room):
    folder = room / "table-csv"
    people = pl.read_csv(room / "people.csv", infer_schema=False).drop("name")
    people = people.with_columns(ward=pl.lit("A"))
    people.write_csv(folder / "data.csv")
    roles = {"age": "plain", "zip": "plain", "ill": "sensitive", "ward": "quasi"}
    facts = {"columns": roles, "classes": 1, "records_out": 60, "suppressed": 0, "sha256": None}
    edited(folder, **facts)
    assert no(said(room, "table"), "column 'age' is quasi in the configuration")
    alone = said(room, "table", config=False)
    assert "no sha256" in alone.sentence  # all that can be seen without the configuration
    edited(folder, columns=dict.fromkeys(roles, "plain"))
    assert no(said(room, "table", config=False), "no column is a quasi-identifier")


@pytest.mark.parametrize("role", ["banana", "identifier", "drop", 7, None, ["quasi"], "tree"])
def test_roles_that_no_release_has(room, role):
    edited(room / "table-csv", columns=lambda columns: columns | {"ward": role})
    assert no(said(room, "table", config=False), "column 'ward' has")
    assert no(said(room, "table"), "column 'ward' has")


def test_a_name_called_identifier(room):
    folder = room / "table-csv"
    data = pl.read_csv(folder / "data.csv", infer_schema=False)
    data.with_columns(name=pl.lit("Ann")).write_csv(folder / "data.csv")
    edited(folder, columns=lambda columns: columns | {"name": "identifier"}, sha256=None)
    assert no(said(room, "table", config=False), "column 'name' has the role identifier")


def test_persons_that_were_forgotten(room):
    edited(room / "persons-csv", claim=lambda claim: {k: v for k, v in claim.items() if k != "counts"})
    assert no(said(room, "persons"), "the release counts rows, but the configuration persons")
    edited(room / "table-csv", claim=lambda claim: claim | {"counts": "persons"})
    assert no(said(room, "table"), "the release counts persons")
    edited(room / "table-csv", claim=lambda claim: claim | {"counts": "nobody"})
    assert no(said(room, "table", config=False), "counts something else")


def test_words_within_a_claim_of_several(room):
    several = AllOf((KAnonymity(4), LDiversity(1))).as_dict()
    edited(room / "table-csv", claim=several)
    assert said(room, "table", config=False)
    several["claims"][1]["attacker"] = "differential privacy, epsilon .1"
    for old in (False, True):
        edited(room / "table-csv", claim=several, **({"sha256": None} if old else {}))
        assert no(said(room, "table", config=False), "words")


@pytest.mark.parametrize(
    "change",
    [
        {"attacker": "differential privacy, epsilon .1"},
        {"attacker": "anyone who knows everything cannot tell anything"},
        {"model": "differential privacy", "epsilon": 0.1},
        {"not_covered": []},
        {"k": 5},
        {"k": "4"},
        {"k": 1},
        {"model": ["k-anonymity"]},
    ],
)
@pytest.mark.parametrize("old", [False, True])
def test_claims_that_nobody_judged(room, change, old):
    if old and "not_covered" in change:
        return  # another version may promise less: what is not covered is then not compared
    edited(room / "table-csv", claim=lambda claim: claim | change, **({"sha256": None} if old else {}))
    assert no(said(room, "table", config=False))


# The manifest against the data.


def test_a_link_or_a_folder_is_no_data_file(room):
    data = room / "table-csv" / "data.csv"
    data.rename(room / "elsewhere.csv")
    data.symlink_to(room / "elsewhere.csv")
    assert no(said(room, "table", config=False), "data.csv is not the file")
    data.unlink()
    data.mkdir()
    assert no(said(room, "table", config=False), "data.csv is not the file")


# The configuration against the manifest.


@pytest.mark.parametrize(
    ("kind", "old", "new", "word"),
    [
        ("table", 'ward = "plain"', 'ward = "sensitive"', "column 'ward' is sensitive"),
        ("table", 'ward = "plain"', 'ward = "identifier"', "column 'ward' is not among"),
        ("table", 'name = "identifier"', 'name = "plain"', "publishes a column 'name'"),
        ("table", "k = 4", "k = 5", "weaker"),
        ("table", "k = 4", "k = 4\nl = 2", "weaker"),
        ("table", "[columns]", 'person = "name"\n[columns]', "persons"),
        ("baskets", "m = 2", "m = 3", "weaker"),
        ("baskets", "m = 2", "l = 2", "weaker"),
        ("secret", "l = 2", "l = 3", "weaker"),
        ("vote", "k = 4", "k = 5", "weaker"),
        ("mixed", "m = 2", "m = 2\nl = 2", "weaker"),
        ("trees", "n = 1", "n = 2", "weaker"),
        ("trees", 'sensitive = "visits.ill"', 'negations = ["age"]\nsensitive = "visits.ill"', "weaker"),
        ("trees", 'sensitive = "visits.ill"', 'sensitive = "visits.ward"', "weaker"),
    ],
)
def test_the_configuration_is_believed_not_the_manifest(room, kind, old, new, word):
    path = room / f"{kind}.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    assert no(said(room, kind), word)


# The originals.


def test_labels_of_votes_are_counted(room):
    """One label of one row is another: the multiset of labels is no longer that of the originals."""
    shutil.rmtree(room / "vote-csv.private")
    data = room / "vote-csv" / "data.csv"
    frame = pl.read_csv(data, infer_schema=False)
    frame[frame["faith"].to_list().index("a"), "faith"] = "b"
    frame.write_csv(data)
    edited(room / "vote-csv", sha256=None)
    assert no(said(room, "vote", against=True), "fit too few originals")


def test_a_database_can_be_given(room, monkeypatch):
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    people.write_database("people", f"sqlite:///{room}/people.db", engine="adbc")
    text = (room / "table.toml").read_text()
    (room / "table.toml").write_text(
        text.replace('path = "people.csv"', 'url = "sqlite:///people.db"\ntable = "people"')
    )
    config = load(room / "table.toml")
    for url in (f"sqlite:///{room}/people.db", "sqlite:///people.db"):
        assert verify(room / "table-csv", config=config, against=url)[1]
    people.with_columns(ill=pl.lit("flu")).write_database(
        "people", f"sqlite:///{room}/people.db", engine="adbc", if_table_exists="replace"
    )
    assert no(verify(room / "table-csv", config=config, against="sqlite:///people.db")[1], "originals")


# Rows that are kept.


def test_rows_are_kept_on_request_alone(made):
    assert not (made / "table-csv.private" / "rows.parquet").exists()
    kept = made / "persons-csv.private" / "rows.parquet"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "rows.parquet" in (kept.parent / "audit.html").read_text()
    assert json.loads((kept.parent / "audit.json").read_text())["rows"] == "rows.parquet"
    assert "rows.parquet" not in (made / "table-csv.private" / "audit.html").read_text()
    released = pl.read_csv(made / "persons-csv" / "data.csv", infer_schema=False)
    people = pl.read_csv(made / "visits.csv", infer_schema=False)
    rows = pl.read_parquet(kept)
    assert rows["row"].to_list() == list(range(1, len(released) + 1))
    assert people[(rows["record"] - 1).to_list(), "ill"].to_list() == released["ill"].to_list()


def test_a_vote_too_large_to_compare_is_judged_by_equal_rows(room, monkeypatch):
    monkeypatch.setattr(nonreciprocal, "_possible_worlds", lambda published: None)
    verdict = said(room, "vote", against=True)
    assert verdict
    assert "rows.parquet" in verdict.sentence
    shutil.rmtree(room / "vote-csv.private")
    assert not said(room, "vote", against=True).judged


# The command.


@pytest.fixture
def go(room, monkeypatch):
    monkeypatch.chdir(room)
    return lambda *words: CliRunner().invoke(command, ["verify", *words], catch_exceptions=False)


def test_exit_codes(go, room):
    assert go("table-csv").exit_code == 0
    result = go("vote-csv")
    assert result.exit_code == 5
    assert "not judged: " in result.output
    assert go("persons-csv", "--config", "persons.toml").exit_code == 5
    assert go("persons-csv", "--config", "persons.toml", "--against", "visits.csv").exit_code == 0
    edited(room / "table-csv", columns={})
    result = go("table-csv")
    assert result.exit_code == 1
    assert "none that could be read" in result.output
    assert json.loads(go("table-csv", "--json").stdout)["claim"] == {}
    (room / "table-csv" / "manifest.json").unlink()
    assert go("table-csv").exit_code == 2


def test_words_come_from_the_numbers(go, room):
    edited(room / "table-csv", claim=lambda claim: claim | {"attacker": "nobody at all 3"}, sha256=None)
    result = go("table-csv")
    assert result.exit_code == 0  # another version may have had other words of the same number
    assert "nobody at all" not in result.output
    assert "cannot tell that person's record from those of at least 3 others" in result.output


EVIL = "a\x1b[2J\x9b31m\u202eb\u2028"


def test_nothing_steers_the_terminal(go, room):
    edited(room / "table-csv", columns=lambda columns: columns | {EVIL: "drop"})
    for result in (go("table-csv"), go("table-csv", "--json"), go("table-csv", "--config", "table.toml")):
        assert result.exit_code == 1
        assert not set(EVIL[1:]) & set(result.output) - set("[2J31mb")
        assert "\x1b" not in result.output
    edited(room / "table-csv", claim={"model": EVIL, EVIL: 1}, columns={"age": "quasi"})
    assert "\x1b" not in go("table-csv").output
