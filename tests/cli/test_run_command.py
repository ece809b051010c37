"""The commands as a person runs them: what they print, what they leave, how they exit."""

import json
import os
import re
import shutil
import stat

import pytest

import release_cases as cases
from cli_cases import command, failed, point_by_point
from shoal.base.stopping import atomic_write

pytestmark = pytest.mark.usefixtures("bare")


def test_run_writes_what_it_says(go, people):
    result = go("run")
    assert result.exit_code == 0
    assert "k-anonymity (k=3)" in result.output
    assert sorted(p.name for p in (people / "release").iterdir()) == [
        "data.csv",
        "manifest.json",
        "report.html",
    ]
    assert (people / "release.private" / "recoding.json").is_file()


def test_without_a_browser_nothing_is_printed_and_nothing_made(go, people, monkeypatch):
    monkeypatch.setattr("shoal.io.pdf._PLACES", ())
    monkeypatch.setenv("PATH", "")
    assert failed(
        go("run", "--pdf"), 2, "no Chromium or Chrome is installed", "print report.html from any browser"
    )
    assert failed(go("pareto", "--pick", 3, "--pdf"), 2, "no Chromium or Chrome is installed")
    assert not (people / "release").exists()


def test_the_owner_always_hears_the_headline(go, people):
    """The age hierarchy is built from the data, so the manifest may not tell what counts its leaves."""
    config = people / "shoal.toml"
    config.write_text(config.read_text().replace("[method]", '[method]\nloss = "dm"'))
    result = go("run")
    assert re.search(
        r"\nloss      [0-9]+ of [0-9]+ columns are published; of these [0-9.]+% of the detail is lost \(ncp\)[^\n]*\n"
        r"          [^\n]*left out: [^\n]+\n"
        r"          dm [0-9]+, glm 0\.[0-9]+, c_avg [0-9.]+; all of them are in release.private/audit.html\n",
        result.output,
    )
    told = json.loads((people / "release" / "manifest.json").read_text())["loss"]
    assert next(iter(told)) == "dm"
    assert not {"ncp", "glm", "il", "entropy"} & set(told)


OVERLAPS = re.compile(
    r"note      groups overlap in [^\n]+, so people cannot be counted by them[^\n]*shoal run --tables"
)


def test_groups_that_overlap_are_told_and_tables_have_none(go, people):
    config = people / "shoal.toml"
    text = re.sub(r"\[method\][^\[]*", "", config.read_text())
    config.write_text(text)
    assert OVERLAPS.search(go("run").output)
    result = go("run", "--tables", "--force")
    assert result.exit_code == 0
    assert not OVERLAPS.search(result.output)
    manifest = json.loads((people / "release" / "manifest.json").read_text())
    assert manifest["method"]["name"] == "column-cut"
    config.write_text(text + "\n[release]\ntables = true\n")
    assert go("run", "--force").exit_code == 0
    assert json.loads((people / "release" / "manifest.json").read_text())["method"]["name"] == "column-cut"
    config.write_text(text + '\n[method]\nname = "mondrian"\n\n[release]\ntables = true\n')
    assert failed(go("run", "--force"), 2, "those of method mondrian do", "column-cut or optimal")


def test_run_json_is_the_manifest(go, people):
    facts = json.loads(go("run", "--json", "--k", "4", "--l", "2", "--t", "0.6").stdout)
    assert facts == json.loads((people / "release" / "manifest.json").read_text())
    assert [(one["model"], one.get("k", one.get("l", one.get("t")))) for one in facts["claim"]["claims"]] == [
        ("k-anonymity", 4),
        ("l-diversity", 2),
        ("t-closeness", 0.6),
    ]


def test_an_existing_release_needs_force(go, people):
    go("run")
    before = (people / "release" / "data.csv").read_bytes()
    assert failed(go("run"), 2, "exists", "--force")
    assert (people / "release" / "data.csv").read_bytes() == before
    assert go("run", "--force").exit_code == 0


def test_pareto_json_has_the_contract_form(go):
    facts = json.loads(go("pareto", "--json").stdout)
    assert facts["lattice"] == 5 * 2 * 3
    assert facts["evaluated"] <= facts["lattice"]
    assert facts["complete"] is True
    ks = [point["k"] for point in facts["front"]]
    assert ks == sorted(ks)
    assert set(facts["front"][0]) >= {"levels", "k", "loss", "suppressed"}
    assert set(facts["front"][0]["levels"]) == {"age", "sex", "job"}


def test_pareto_picks_a_release(go, people):
    result = go("pareto", "--pick", "3", "--out", "picked")
    assert result.exit_code == 0
    assert "the front is complete and proven" in result.output
    assert json.loads((people / "picked" / "manifest.json").read_text())["claim"]["k"] == 3
    audit = json.loads((people / "picked.private" / "audit.json").read_text())
    assert audit["front"]
    assert next(iter(audit["times"])) == "reading"
    assert "judging" in audit["times"]


@pytest.mark.parametrize("words", [("run",), ("pareto", "--pick", "3")], ids=["run", "pareto"])
def test_what_nobody_decided_goes_out_only_as_proposed(go, people, words):
    config = people / "shoal.toml"
    config.write_text(config.read_text() + '\n[undecided]\nage = "it has two meanings"\nname = "or none"\n')
    decide = "nobody has decided about 'age', 'name', so nothing is published", "[undecided]", "--as-proposed"
    assert failed(go(*words), 2, *decide)
    assert failed(go(*words, "--force", "--json"), 2, *decide)
    assert not [path for path in people.iterdir() if path.name.startswith("release")]
    made = go(*words, "--as-proposed")
    assert made.exit_code == 0, made.output
    assert (
        "note      this was published as shoal proposed, and nobody decided about it: 'age'\n" in made.output
    )
    assert json.loads((people / "release" / "manifest.json").read_text())["as_proposed"] == ["age"]
    judged = go("verify", "release")
    assert judged.exit_code == 0
    assert "nobody decided about it: 'age'" in judged.output


def test_what_publishes_nothing_waits_for_no_decision(go, people):
    config = people / "shoal.toml"
    assert go("run").exit_code == 0
    config.write_text(config.read_text() + '\n[undecided]\nage = "it has two meanings"\n')
    for words in (
        "run --preview",
        "pareto",
        "pareto --pick 3 --preview",
        "risk",
        "verify release --config shoal.toml",
    ):
        done = go(*words.split())
        assert done.exit_code == 0, done.output
    assert "undecided 'age': taken for what shoal init proposed" in go("run", "--preview").output


def test_a_recoding_applies_to_new_records(go, people):
    recoding = "release.private/recoding.json"
    go("run")
    assert failed(
        go("run", "--recoding", recoding, "--out", "again"), 2, "with the method optimal or column-cut"
    )
    config = people / "shoal.toml"
    config.write_text(config.read_text().replace("[method]", '[method]\nname = "optimal"'))
    go("run", "--force")
    assert go("run", "--recoding", recoding, "--out", "again").exit_code == 0
    first, again = (
        json.loads((people / name / "manifest.json").read_text()) for name in ("release", "again")
    )
    assert first["loss"] == again["loss"]
    lines = (people / "people.csv").read_text().splitlines()
    (people / "people.csv").write_text("\n".join(lines[:9]) + "\n")
    assert failed(go("run", "--recoding", recoding, "--out", "few"), 1, "refused")
    assert not (people / "few").exists()
    assert failed(go("run", "--recoding", "shoal.toml", "--out", "few"), 2, "recoding")


def test_a_rehearsal_is_marked(go, people):
    assert "do not publish" in go("run", "--seed", "5").output
    assert json.loads((people / "release" / "manifest.json").read_text())["rehearsal"] is True


@pytest.mark.process
def test_demo_leaves_a_folder_to_go_on_from(go, people, demo):
    shutil.copytree(demo / "shoal-demo", people / "shoal-demo")
    assert "yes: every class has at least k=5" in (demo / "printed").read_text(encoding="utf-8")
    assert go("verify", "shoal-demo/table/release").exit_code == 0
    assert failed(go("demo"), 2, "exists")
    assert go("run", "shoal-demo/table/shoal.toml", "--out", "mine", "--k", "9").exit_code == 0


def swap(people, old, new):
    config = people / "shoal.toml"
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))


def nothing_left(people):
    return not [path for path in people.iterdir() if "release" in path.name]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ('ward = "plain"', 'ward = "plain"\nheight = "plain"', ["no column 'height'"]),
        ("k = 3", "k = 0", ["k=0"]),
        ("k = 3", "k = 2.5", ["k"]),
        ("k = 3", "", ["no guarantee"]),
        ("suppress = 0.1", 'walk = "paper"', ["method boxes", "walk"]),
        ("suppress = 0.1", 'loss = "beauty"', ["loss", "glm"]),
        ("suppress = 0.1", 'name = "magic"', ["optimal"]),
        ("suppress = 0.1", "suppress = nan", ["'suppress' must be a number"]),
        ("suppress = 0.1", 'loss = "ce"', ["target"]),
        ("suppress = 0.1", "k = 3", ["[method]", "'k'", "[guarantee]"]),
        ("suppress = 0.1", "seed = 3", ["[method]", "'seed'"]),
        ("suppress = 0.1", "rng = 3", ["'rng'"]),
        ("suppress = 0.1", 'name = "mstk"\ngrid = { age = nan }', ["'grid' must be a number or a table of"]),
    ],
)
def test_bad_configurations_are_one_sentence(go, people, old, new, parts):
    swap(people, old, new)
    assert failed(go("run"), 2, *parts)
    assert nothing_left(people)


@pytest.mark.parametrize(
    "words",
    [
        *(["pareto", "--pick", pick] for pick in ("nan", "inf", "-inf", "2.5", "-1")),
        *(["run", "--t", t] for t in ("nan", "inf")),
        ["pareto", "--seconds", "nan"],
    ],
)
def test_a_number_that_is_none(go, people, words):
    assert failed(go(*words), 2)
    assert nothing_left(people)


def test_too_large_a_k_is_infeasible_and_says_what_helps(go, people):
    assert failed(go("run", "--k", "61"), 3, "k=61", "60 records")
    assert failed(go("run", "--l", "9"), 3)
    assert failed(go("pareto", "--pick", "61", "--out", "x"), 3, "k=61")
    assert nothing_left(people)


# What must not be published is nobody else's to read, whatever the umask lets files be.

on_unix = pytest.mark.skipif(os.name == "nt", reason="Windows keeps files private in another way")


@pytest.fixture(autouse=True)
def open_to_everybody():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@on_unix
def test_files_in_one_piece(tmp_path):
    path = tmp_path / "risk.html"
    path.write_text("old")
    (tmp_path / f".{os.getpid()}.shoal-risk.html").write_text("of a process that was killed")
    with atomic_write(path) as part:
        assert mode(part) == 0o600  # before anything is written
        part.write_text("new")
    assert mode(path) == 0o600
    with atomic_write(tmp_path / "report.html", private=False) as part:
        part.write_text("for everybody")
    assert mode(tmp_path / "report.html") == 0o644


@on_unix
def test_what_commands_write(hasty, tmp_path, monkeypatch):
    cases.write_originals(tmp_path)
    cases.make_release(tmp_path, "table", rows=True)
    monkeypatch.chdir(tmp_path)

    def go(*words):
        result = command(*words)
        assert result.exit_code == 0, result.output

    go("risk", "table.toml", "--html", "risk.html")
    go("attack", "table-csv", "--against", "people.csv", "--config", "table.toml", "--plot", "attack.html")
    go("pareto", "table.toml", "--plot", "front.html")
    (tmp_path / "compared.private").mkdir()  # which others can look into
    point_by_point(monkeypatch)
    go("compare", "table.toml", "--methods", "optimal", "--k", "2:3", "--out", "compared.private", "--force")
    private = [tmp_path / name for name in ("risk.html", "attack.html", "front.html")]
    private += [path for path in (tmp_path / "compared.private").rglob("*") if path.is_file()]
    private += list((tmp_path / "table-csv.private").iterdir())
    assert len(private) > 8
    assert {path.name: oct(mode(path)) for path in private if mode(path) != 0o600} == {}
    assert mode(tmp_path / "table-csv.private") == 0o700
    assert {mode(path) for path in (tmp_path / "table-csv").iterdir()} == {0o644}
