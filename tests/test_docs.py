"""The documentation is part of what is tested: its examples run, and nothing that exists is left out."""

import ast
import doctest
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from docs_blocks import Builder, Reader, fenced, obtained
from shoal.algorithms import METHODS
from shoal.base import errors
from shoal.base.errors import _DISTRIBUTION
from shoal.cli import shoal as command_line
from shoal.io.config import load
from shoal.io.formats import ABOUT
from shoal.jobs.demo.example import write_stays
from shoal.privacy import CLAIMS, GUARANTEE
from shoal.shapes.registry import SHAPES, open_dataset
from shoal.utility import LOSSES

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_scripts"))

from count_words import MARK, by_page  # noqa: E402
from write_reference import commands as below  # noqa: E402
from write_reference import reference  # noqa: E402

CPS = ROOT.parent / "shared" / "data" / "cps_taxunits" / "cps.csv.gz"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


def named(page):
    """A page as the tests call it."""
    return str(page.relative_to(ROOT))


@pytest.fixture
def clinic(people):
    """A folder with the files that pages speak of: people, others and patients, and a configuration."""
    random = np.random.default_rng(5)
    n = 300
    patients = pl.DataFrame(
        {
            "patient": [f"P{number:04d}" for number in random.permutation(n)],
            "age": random.integers(18, 95, n),
            "zip": random.choice(["81667", "81675", "80331", "80339"], n),
            "diagnosis": random.choice(["flu", "asthma", "gout", "migraine"], n),
        }
    )
    patients.write_csv(people / "patients.csv")
    others = (people / "people.csv").read_text(encoding="utf-8").replace("person", "other")
    (people / "others.csv").write_text(others, encoding="utf-8")
    patients.drop("patient").rename({"diagnosis": "ill"}).write_parquet(people / "people.parquet")
    return people


@pytest.mark.follow
@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=named)
def test_a_page_can_be_followed(page, clinic, request, monkeypatch):
    if page.match("inside/new-*.md"):
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, clinic / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", clinic)
        return Builder(page, clinic, clinic).follow(monkeypatch)
    if "cps.csv.gz" in page.read_text(encoding="utf-8"):
        if not CPS.exists():
            pytest.skip(f"{CPS} is not there; the page says where to get it")
        shutil.copy(CPS, clinic)
    elif missing := obtained(page, clinic):
        pytest.skip(f"the page's data cannot be had here: {missing}")
    if re.search(r"^\$ shoal init (?!.*--force)", page.read_text(encoding="utf-8"), re.MULTILINE):
        (clinic / "shoal.toml").unlink()  # such a reader begins with data alone
        shutil.rmtree(clinic / "hierarchies")
    tutorial = "$ shoal demo\n" in page.read_text(encoding="utf-8")
    demo = request.getfixturevalue("demo") if tutorial else clinic
    Reader(page, clinic, demo).follow(monkeypatch)


def test_what_the_readme_shows_fits_the_file_of_the_demo_without_an_edit(tmp_path, monkeypatch):
    write_stays(tmp_path / "patients.csv")
    (block,) = (block for block in fenced(ROOT / "README.md", "toml") if "[columns]" in block)
    (tmp_path / "shoal.toml").write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert open_dataset(load(tmp_path / "shoal.toml")).records == 2_000
    (python,) = (block for block in fenced(ROOT / "README.md", "python") if "shoal.read" in block)
    exec(python, {})
    assert (tmp_path / "stays" / "manifest.json").is_file()


def test_the_three_commands_of_the_readme_need_no_edit_and_no_decision(tmp_path, monkeypatch):
    """Of the file of the demo nothing is undecided, so that what begins with it ends with a release."""
    write_stays(tmp_path / "patients.csv")
    monkeypatch.chdir(tmp_path)
    (block,) = (
        block for block in fenced(ROOT / "README.md", "console") if "shoal init patients.csv" in block
    )
    typed = [line[2:].partition("#")[0].split() for line in block.splitlines()]
    assert [words[:2] for words in typed] == [["shoal", name] for name in ("init", "run", "verify")]
    for words in typed:
        done = CliRunner().invoke(command_line, words[1:])
        assert done.exit_code == 0, done.output
    assert load(tmp_path / "shoal.toml").undecided == {}
    assert "as_proposed" not in json.loads((tmp_path / "release" / "manifest.json").read_text())


@pytest.mark.follow
def test_the_analysis_in_r_finds_what_the_one_in_python_finds(tmp_path, monkeypatch):
    page = ROOT / "docs" / "questions" / "analyse.md"
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not installed, so the blocks of R on analyse.md do not run here")
    monkeypatch.chdir(tmp_path)
    first = next(block for block in fenced(page, "python") if "shoal.anonymize" in block)
    examples = doctest.DocTestParser().get_examples(first)
    exec("".join(example.source for example in examples), {})
    (tmp_path / "analyse.R").write_text("\n".join(fenced(page, "r")), encoding="utf-8")
    subprocess.run([rscript, "--vanilla", "analyse.R"], check=True)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=named)
def test_every_block_says_what_it_is(page):
    assert not list(fenced(page, "")), "say python, console, sh, toml, csv, json or text"


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=named)
def test_configurations_are_toml(page):
    for block in fenced(page, "toml"):
        assert tomllib.loads(block)


def text(*names):
    """What stands in some pages, or in all."""
    pages = PAGES if not names else [ROOT / "docs" / name for name in names]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def commands(group, above="shoal"):
    """Every command as a person types it, those below groups too."""
    for name, command in group.commands.items():
        yield f"{above} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, f"{above} {name}")


@pytest.mark.parametrize("command", list(commands(command_line)))
def test_every_command_is_documented(command):
    assert re.search(rf"`{command}\b", text("reference/commands.md"))


@pytest.mark.parametrize("name", METHODS)
def test_every_maker_has_a_page_with_all_its_parts(name):
    page = text(f"reference/methods/{name}.md")
    for part in ("When to use it", "Example", "What it can promise", "Parameters", "Papers"):
        assert f"## {part}\n" in page
    assert f'--8<-- "method-{name}.svg"' in page
    assert re.search(r"## (Guarantee, cost and d|D)epartures", page)


@pytest.mark.parametrize("name", shoal.__all__)
def test_every_public_name_is_documented(name):
    assert re.search(rf"\bshoal\.{name}\b", text("reference/python.md"))


@pytest.mark.parametrize("model", CLAIMS)
def test_every_claim_is_documented(model):
    page = text("reference/claims.md")
    assert f"**{model}**" in page or f"## {model}" in page


@pytest.mark.parametrize("key", GUARANTEE)
def test_every_key_of_a_guarantee_is_documented(key):
    row = next(
        line for line in text("reference/config.md").splitlines() if line.startswith("| `[guarantee]`")
    )
    assert f"`{key}`" in row


def test_nobody_is_led_to_the_package_that_another_project_calls_shoal():
    """Documentation, messages and tests say what to install by the distribution's own name."""
    root = Path(__file__).parents[1]
    files = [root / "README.md", root / "CONTRIBUTING.md", root / "pyproject.toml"]
    for folder, kinds in (("docs", "*.md"), ("src", "*.py"), ("examples", "*.ipynb"), ("benchmarks", "*.py")):
        files += (root / folder).rglob(kinds)
    bare = re.compile(r"pip install [^\n`&]*\bshoal(?![-_/\w])|\bshoal\[[a-z]")
    assert [path.name for path in files if bare.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_documented(extra):
    assert f"`{_DISTRIBUTION}[{extra}]`" in text()


def test_the_reference_is_what_the_program_says():
    for page, written in reference().items():
        assert page.read_text(encoding="utf-8") == written, "run python docs/_scripts/write_reference.py"


@pytest.mark.parametrize(
    ("command", "option"), [(name, o) for name, c in below(command_line) for o in c.params]
)
def test_every_option_is_documented_with_what_it_does(command, option):
    part = text("reference/options.md").partition(f"## {command}\n")[2].partition("\n## ")[0]
    if isinstance(option, click.Option):
        row = next(line for line in part.splitlines() if f"`{option.opts[0]}`" in line)
        assert re.search(r"\| [A-Z].*\. \|$", row)
    else:
        assert option.make_metavar(click.Context(click.Command(command))).strip("[].") in part


def configured():
    """The keys that each section of a configuration may have, as the code that checks them lists them."""
    source = (ROOT / "src" / "shoal" / "io" / "config.py").read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    only = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "only"]
    said = {word.value for call in only for word in call.args if isinstance(word, ast.Constant)}
    return sorted({*said, *ABOUT, "key", "item"})


@pytest.mark.parametrize("key", configured())
def test_every_key_of_the_configuration_is_documented(key):
    assert re.search(rf"`\[?{key}\]?`|^\[{key}\]$", text("reference/config.md"), re.MULTILINE)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_documented(name):
    assert re.search(rf"`{re.escape(name)}`", text("reference/losses.md"))


@pytest.mark.parametrize("family", [name for name in errors.__all__ if name.endswith(("Error", "Warning"))])
def test_every_family_of_messages_is_documented(family):
    said = text("reference/messages.md")
    assert f"`{family}`" in said or f"`shoal.{family}`" in said
    code = getattr(getattr(errors, family), "exit_code", None)
    assert family in ("ShoalError", "ShoalWarning") or re.search(rf"`{family}` \| {code} \|", said)


def test_every_file_that_comes_out_is_documented(clinic, monkeypatch):
    monkeypatch.chdir(clinic)
    assert CliRunner().invoke(command_line, ["run"]).exit_code == 0
    written = [path.name for folder in ("release", "release.private") for path in Path(folder).iterdir()]
    assert "rows.parquet" in written
    assert [name for name in written if f"`{name}`" not in text("reference/release.md")] == []


@pytest.mark.follow
def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(built_docs):
    pages = list(built_docs.rglob("*.html"))
    assert len(pages) > len(PAGES)
    for page in pages:
        loaded = re.findall(
            r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(https?:[^\" >]+)", page.read_text("utf-8")
        )
        assert loaded == []


def test_nobody_has_to_read_more_than_a_short_book():
    assert sum(by_page().values()) <= 48_450, "python docs/_scripts/count_words.py tells where they are"


def test_every_page_is_in_the_navigation():
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        assert str(page.relative_to(ROOT / "docs")) in site


def titles():
    """The titles of the navigation, each with its page."""
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    for title, page in re.findall(r"^ +- (.+): (\S+\.md)$", site, re.MULTILINE):
        yield title.strip('"'), page


@pytest.mark.parametrize(("title", "page"), list(titles()))
def test_a_page_has_one_name_and_begins_with_what_it_is_for(title, page):
    head, _, rest = re.split(r"^# ", text(page), maxsplit=1, flags=re.MULTILINE)[1].partition("\n")
    shared = title == "In common" or page == "index.md"
    assert shared or head.startswith(title)
    assert [other for other, _ in titles()].count(title) == (6 if title == "In common" else 1)
    rest = MARK.sub("", rest).strip()
    assert re.match(r"[A-Za-z`*\[]", rest) or page == "index.md", "begin with a sentence"


def compared():
    """The rows of the page that sets shoal beside other tools: shoal's cell and the cells of the others."""
    page = text("other-tools/comparison.md").split("## Shapes of data")[1].split("## What was read")[0]
    for line in page.splitlines():
        if line.startswith("| ") and not line.startswith("| |"):
            _, ours, *others = (cell.strip() for cell in line.strip("|").split("|"))
            yield ours, others


def test_every_cell_beside_other_tools_names_its_evidence():
    rows = list(compared())
    assert rows
    for ours, others in rows:
        assert ours == "no" or re.search(r"\]\([a-z./-]+\.md", ours)
        assert len(others) == 5
        for cell in others:
            assert cell == "–" or re.search(r"\]\[[a-z]-[a-z-]+\]", cell)


def kept_by_shape():
    """The files of the program with a table that has an entry for most shapes."""
    home = ROOT / "src" / "shoal"
    for path in sorted(home.rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        tables = (
            {key.value for key in node.keys if isinstance(key, ast.Constant)}
            for node in nodes
            if isinstance(node, ast.Dict)
        )
        if any(len(keys & {*SHAPES}) >= 3 for keys in tables):
            yield path.relative_to(home).as_posix()


def test_a_new_shape_is_thirteen_files():
    assert len(set(re.findall(r'title="(src/[^"]+)"', text("inside/new-shape.md")))) == 13


def test_a_new_shape_is_told_where_it_must_be_known():
    tables = [line for line in text("inside/new-shape.md").splitlines() if line.startswith("| `")]
    places = list(kept_by_shape())
    assert places
    assert [place for place in places if not any(f"`{place}`" in line for line in tables)] == []


PAPERS = (
    "equivalence class", "quasi-identifier", "sensitive attribute", "generalization", "suppression", "global", "local",
    "recoding model", "set-valued data", "k^m-anonymity", "privacy model", "identity disclosure",
    "attribute disclosure", "membership disclosure", "linkage", "homogeneity", "background knowledge",
    "minimality attack", "information loss", "NCP", "GCP", "ILoss", "discernibility", "downcoding",
)  # fmt: skip


def test_the_words_of_papers_stand_beside_ours_with_the_places_that_hold_them():
    part = text("reference/words.md").partition("## In the literature")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:4] for line in part.splitlines() if line.startswith("| ")][1:]
    for word in PAPERS:
        assert any(word.lower() in row[0].lower() for row in rows), word
    for place in re.findall(r"`([a-z_/.]+)`", " ".join(row[2] for row in rows)):
        assert (ROOT / "src" / "shoal" / place).exists(), place


def test_the_changelog_has_an_open_head_and_a_day_for_this_version():
    said = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    day = re.search(
        r"^date-released: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )[1]
    head, newest = re.findall(r"^## (.*)$", said, re.MULTILINE)[:2]
    assert head in ("Unreleased", f"{shoal.__version__.partition('.dev')[0]} (unreleased)")
    assert re.fullmatch(rf"[0-9.]+ \({day}\)", newest)
    assert ".dev" in shoal.__version__ or newest == f"{shoal.__version__} ({day})"
