"""Pseudonyms, from the key to the verdict on the folder; no name of a person and no key is in what is written."""

import json
import os

import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from shoal.base.errors import InputError
from shoal.cli import shoal as program
from shoal.io.keys import VARIABLE
from shoal.jobs.configured import run_config

KEY, OTHER = "0123456789abcdef" * 4, "f" * 64
N = 60
PEOPLE = pl.DataFrame(
    {
        "pid": [f"Nam3-{i // 2 if i < 40 else i}" for i in range(N)],  # twenty persons have two rows each
        "age": [20 + i % 7 for i in range(N)],
        "ill": [("flu", "cold", "gout")[i % 3] for i in range(N)],
    }
)
ROLES = {"pid": "pseudonym", "age": "quasi", "ill": "sensitive"}
RULES = {"age": {"ranges": [2, 4, 8]}}
TOML = """[data]
path = "people.csv"
[columns]
pid = "pseudonym"
age = { role = "quasi", hierarchy = { ranges = [2, 4, 8] } }
ill = "sensitive"
[guarantee]
k = 3
"""


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """A key in the environment."""
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture
def config(tmp_path):
    """A configuration with its data."""
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "shoal.toml").write_text(TOML)
    return tmp_path / "shoal.toml"


def read(frame=PEOPLE, **more):
    """The people with their roles."""
    return shoal.read(frame, roles=ROLES, hierarchies=RULES, **more)


def classes(frame):
    """How many persons have the same rows, for every person."""
    rows = frame.group_by("pid").agg(pl.col("age").sort()).group_by("age").len()
    return sorted(rows["len"])


@pytest.mark.parametrize("method", [None, "mondrian", "kmember"])
def test_persons_look_alike_in_all_their_rows(method):
    release = shoal.anonymize(read(), method=method, k=3)
    assert release.frame["pid"].n_unique() == 40
    assert min(classes(release.frame)) >= 3
    assert release.manifest["claim"]["model"] == "k-anonymity of linked rows"
    assert "counts" not in release.manifest["claim"]
    assert shoal.judge(release.frame, shoal.LinkedAnonymity(3), quasi=["age"], person="pid")
    assert any("key" in line for line in release.manifest["claim"]["not_covered"])


def test_a_name_becomes_one_pseudonym_that_another_release_does_not_have(tmp_path):
    data = read()
    one, two = (shoal.anonymize(data, k=3).frame["pid"] for _ in range(2))
    assert not set(one) & set(two)
    given = [shoal.anonymize(read(domain="study"), k=3).frame["pid"] for _ in range(2)]
    assert set(given[0]) == set(given[1])
    (tmp_path / "key").write_text(OTHER)
    (tmp_path / "key").chmod(0o600)
    other = shoal.anonymize(read(domain="study", key=tmp_path / "key"), k=3).frame["pid"]
    assert not set(given[0]) & set(other)


def test_a_release_is_verified_from_its_folder_and_with_the_key_beside_its_originals(
    config, tmp_path, monkeypatch
):
    out, data = tmp_path / "out", tmp_path / "people.csv"
    run_config(config, out)
    assert shoal.verify(out)
    assert shoal.verify(out, config=config)
    assert shoal.verify(out, config=config, against=data)
    (tmp_path / "out.private" / "rows.parquet").unlink()
    assert shoal.verify(out, config=config, against=data)  # by what fits
    monkeypatch.setenv(VARIABLE, OTHER)
    assert not shoal.verify(out, config=config, against=data)
    monkeypatch.delenv(VARIABLE)
    assert shoal.verify(out, config=config)
    with pytest.raises(InputError, match="needs a key"):
        shoal.verify(out, config=config, against=data)


def test_neither_key_nor_name_is_in_what_is_written(config, tmp_path):
    run_config(config, tmp_path / "out")
    files = [
        path for folder in ("out", "out.private") for path in (tmp_path / folder).rglob("*") if path.is_file()
    ]
    assert len(files) >= 6
    for path in files:
        held = path.read_bytes() + (
            json.dumps(pl.read_parquet(path).to_dicts()).encode() if path.suffix == ".parquet" else b""
        )
        for secret in (b"nam3", KEY.encode(), bytes.fromhex(KEY)):
            assert secret not in held.lower(), path.name


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("k = 3", "k = 3\nl = 2", "k or risk alone can be promised, and l with it is asked for"),
        ("k = 3", "k = 3\nsubsets = 1", "k or risk alone can be promised, and subsets with it"),
        ("k = 3", "l = 2", "k or risk alone can be promised, and l with it"),
        ('ill = "sensitive"', 'ill = "pseudonym"', "'pid' and 'ill' are pseudonyms, and a table has one"),
        ('ill = "sensitive"', 'ill = "items"', "'pid' is a pseudonym, and these are for tables without items"),
        ('pid = "pseudonym"', 'pid = { role = "pseudonym", weight = 2 }', "'weight' means nothing for a pseudonym"),
        ("k = 3", 'k = 3\n[release]\ndomain = ""', "'domain' must be a text that is not empty"),
        ('"people.csv"', '"people.csv"\nperson = "ill"', "record 2: the value belongs to two persons of column 'ill'"),
        ("k = 3", 'k = 3\n[method]\nfragment = 20', "not worked on in fragments"),
        ("k = 3", 'k = 3\n[method]\nname = "mondrian"\nrecode = "mean"', "mean is not made of rows that can be linked"),
        ("k = 3", 'k = 3\n[method]\nname = "optimal"', "optimal cannot make a release that keeps k-anonymity of"),
        ("k = 3", 'k = 3\n[method]\nname = "pareto"', "pareto cannot make|a front counts rows one by one"),
    ],
)  # fmt: skip
def test_what_is_refused_is_told_in_one_sentence(config, tmp_path, old, new, said):
    config.write_text(TOML.replace(old, new))
    with pytest.raises(InputError, match=said) as error:
        run_config(config, tmp_path / "out")
    assert "Nam3" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_preset_is_refused_beside_a_pseudonym(config, tmp_path):
    config.write_text(TOML + '[release]\npreset = "hipaa-safe-harbor"\n')
    with pytest.raises(InputError, match="a pseudonym links rows of a person, which the rules of presets"):
        run_config(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_highest_risk_is_a_k(config, tmp_path):
    config.write_text(TOML.replace("k = 3", "risk = 0.26"))
    assert run_config(config, tmp_path / "out").manifest["claim"]["k"] == 4


def test_a_row_without_a_name_is_told():
    with pytest.raises(InputError, match=r"column 'pid': 1 record.s., first record 1, name no person"):
        read(PEOPLE.with_columns(pid=pl.Series([None, *PEOPLE["pid"][1:]])))


def _tampered(folder, change):
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda it: it["claim"].update(model="k-anonymity"), "goes with a claim of linked rows alone"),
        (lambda it: it["columns"].update(ill="pseudonym"), "two columns are pseudonyms"),
        (lambda it: it.pop("domain"), "goes with them"),
        (lambda it: it["claim"].update(k=30), "wrong words|with fewer than k=30|not what"),
        (lambda it: it.update(domain="other"), "column 'pid'"),
    ],
)
def test_a_changed_manifest_is_a_no(config, tmp_path, change, said):
    run_config(config, tmp_path / "out")
    _tampered(tmp_path / "out", change)
    assert not shoal.verify(tmp_path / "out", config=config, against=tmp_path / "people.csv")


def test_the_command_line_makes_a_key_and_takes_it(config, tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    run, folder = CliRunner(), str(tmp_path / "out")
    said = run.invoke(program, ["run", str(config), "--out", folder])
    assert said.exit_code == 2
    assert "needs a key" in said.output
    key = str(tmp_path / "key")
    assert run.invoke(program, ["key", key]).exit_code == 0
    assert run.invoke(program, ["key", key]).exit_code == 2
    assert run.invoke(program, ["run", str(config), "--out", folder, "--key", key]).exit_code == 0
    assert run.invoke(program, ["verify", folder]).exit_code == 0
    beside = ["verify", folder, "--config", str(config), "--against", str(tmp_path / "people.csv")]
    assert run.invoke(program, beside).exit_code == 2
    assert run.invoke(program, [*beside, "--key", key]).exit_code == 0
    assert VARIABLE not in os.environ


def test_several_releases_are_refused(config, tmp_path):
    run_config(config, tmp_path / "out")
    with pytest.raises(InputError, match="which is judged of one release alone"):
        run_config(config, tmp_path / "next", earlier=[tmp_path / "out"])
    with pytest.raises(InputError, match="which is judged of one release alone"):
        shoal.verify(tmp_path / "out", tmp_path / "out", config=config, against=tmp_path / "people.csv")
    with pytest.raises(InputError, match="a front counts rows one by one"):
        shoal.pareto(read())
