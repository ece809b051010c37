"""Several releases of the same people as a person runs them: what is printed, what is left, how it exits."""

import json
import shutil

import pytest

from cli_cases import command, failed

pytestmark = pytest.mark.usefixtures("bare")

JUDGED = ("--config", "shoal.toml", "--against", "people.csv")


@pytest.fixture
def go(go, people):
    """Run a command in the folder of the invented people, whose releases keep whose row is whose."""
    config = people / "shoal.toml"
    config.write_text(config.read_text() + "\n[release]\nrows = true\n", encoding="utf-8")
    other = config.read_text().replace("[method]", '[method]\nname = "optimal"')
    (people / "other.toml").write_text(other, encoding="utf-8")
    return go


def test_two_releases_that_know_nothing_of_each_other(go):
    assert go("run", "--out", "one").exit_code == 0
    assert go("run", "other.toml", "--out", "two").exit_code == 0
    result = go("verify", "one", "two", *JUDGED)
    assert result.exit_code == 1, result.output
    assert "release   one: yes" in result.output
    assert "verdict   no: anyone who holds all 2 releases finds" in result.output
    assert "people are in some of the releases and missing from others" in result.output
    facts = json.loads(go("verify", "one", "two", *JUDGED, "--json").stdout)
    assert (facts["holds"], facts["judged"]) == (False, True)
    assert facts["together"]["few"] > 0
    assert 50 < facts["together"]["people"] <= 60
    assert [release["holds"] for release in facts["releases"]] == [True, True]
    assert failed(go("verify", "one", "two", *JUDGED, "--against", "gone.csv"), 2, "gone.csv: not found")


def test_a_release_beside_an_earlier_one(go, people):
    assert go("run", "--out", "one").exit_code == 0
    result = go("run", "other.toml", "--out", "two", "--earlier", "one")
    assert result.exit_code == 0, result.output
    assert "together  all 2 releases keep their claims for anyone who holds all of them" in result.output
    assert (people / "two.private" / "rows.parquet").is_file()
    assert go("verify", "one", "two", *JUDGED).exit_code == 0
    assert go("verify", "one", "two", "--against", "people.csv").exit_code == 0
    assert failed(
        go("run", "--out", "three", "--earlier", "one", "--earlier", "gone"), 2, "gone: no manifest"
    )
    third = go("run", "other.toml", "--out", "three", "--earlier", "one", "--earlier", "two")
    assert third.exit_code == 0, third.output
    assert go("verify", "one", "two", "three", *JUDGED).exit_code == 0


def test_nothing_of_an_earlier_release_is_published(go, people):
    go("run", "--out", "secretplace")
    go("run", "--out", "two", "--earlier", "secretplace")
    audit = json.loads((people / "two.private" / "audit.json").read_text())
    assert "keep their claims" in audit["trace"]["with earlier releases"]
    for path in (people / "two").iterdir():
        assert b"secretplace" not in path.read_bytes()
        assert b"earlier" not in path.read_bytes().replace(b"earlier than", b"")


@pytest.mark.parametrize(
    ("suppress", "advice"),
    [("0", "; coarsen '"), ("0.1", "are missing from others; leave out the same")],
)
def test_a_refusal_says_what_would_help(go, people, suppress, advice):
    """A stored rule is applied as it is, so nothing can be made again."""
    for name in ("shoal.toml", "other.toml"):
        config = people / name
        config.write_text(config.read_text().replace("suppress = 0.1", f"suppress = {suppress}"))
    go("run", "other.toml", "--k", "2", "--out", "rule")
    go("run", "--out", "one")
    by_rule = ("--k", "2", "--recoding", "rule.private/recoding.json", "--earlier", "one")
    assert failed(go("run", "other.toml", "--out", "two", *by_rule), 3, advice)
    assert not (people / "two").exists()


def test_whose_row_is_whose_must_be_known(go, people):
    go("run", "--out", "one")
    go("run", "--out", "two")
    shutil.rmtree(people / "two.private")
    result = go("verify", "one", "two", *JUDGED)
    assert result.exit_code == 5
    assert "two: it is not known which row is whose" in result.output
    assert "rows = true" in result.output
    assert failed(go("run", "--out", "three", "--earlier", "two"), 2, "rows.parquet")
    assert go("verify", "one", "two").exit_code == 5
    assert "give --config and --against" in go("verify", "one", "two").output


def test_a_release_that_was_changed_is_a_no(go, people):
    go("run", "--out", "one")
    go("run", "--out", "two", "--earlier", "one")
    data = people / "one" / "data.csv"
    data.write_text(data.read_text().replace("nurse", "clerk").replace("care", "office"))
    result = go("verify", "one", "two", *JUDGED)
    assert result.exit_code == 1
    assert "one by itself" in result.output
    assert failed(go("run", "--out", "three", "--earlier", "one"), 2, "sha256")


def test_usage(go):
    assert failed(go("verify", "nowhere", "nobody"), 2, "nowhere: no manifest.json")
    assert failed(go("run", "--out", "three", "--earlier", "nowhere"), 2, "no manifest.json")
    assert "give each once" in go("verify", "one", *JUDGED, "--against", "people.csv").output
    assert "leave out --earlier" in go("run", "--preview", "--earlier", "one").output


@pytest.mark.parametrize(
    "more", ["alpha = 0.9", "t = 0.5", 't = 0.5\ndistance = "ordered"', "beta = 2", "l = 2"]
)
@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_a_larger_k_beside_another_claim_that_leaves_nobody_is_not_possible(
    tmp_path, monkeypatch, more, method
):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{i},{20 + i // 4},{('flu', 'gout')[i % 2]}\n" for i in range(24))
    (tmp_path / "people.csv").write_text(f"name,age,ill\n{rows}")
    for name, k, asked in (("first", 4, ""), ("later", 6, more)):
        columns = 'name = "identifier"\nage = { role = "quasi", hierarchy = { ranges = [1, 2, 8] } }\nill = "sensitive"'
        (tmp_path / f"{name}.toml").write_text(
            f'[data]\npath = "people.csv"\n[columns]\n{columns}\n[guarantee]\nk = {k}\n{asked}\n'
            f'[method]\nname = "{method}"\n[release]\nrows = true\n'
        )
    first = command("run", "first.toml", "--out", "first")
    assert first.exit_code == 0, first.output
    later = command("run", "later.toml", "--out", "later", "--earlier", "first")
    assert failed(
        later, 3, "earlier: given what is published already", "ask for what the earlier releases promise"
    )
    assert not (tmp_path / "later").exists()
