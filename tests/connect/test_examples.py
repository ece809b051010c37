"""Files that people copy into tools of their own do what they say."""

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import duckdb
import jinja2
import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "said", "short"),
    [
        ("k_anonymous", {"k": 2}, [("40-49", 1)]),
        ("l_diverse", {"l": 2, "column_name": "ill"}, [("30-39", 1), ("40-49", 1)]),
    ],
)
def test_a_test_of_dbt_finds_who_is_short(name, said, short):
    text = (ROOT / "examples" / "dbt" / f"{name}.sql").read_text(encoding="utf-8")
    (body,) = re.findall(r"{% test \w+\([^)]*\) %}(.*){% endtest %}", text, re.DOTALL)
    query = jinja2.Template(body).render(model="release", quasi=["age"], **said)
    rows = "VALUES ('30-39', 'flu'), ('30-39', 'flu'), ('40-49', 'gout'), ('50-59', 'a'), ('50-59', 'b')"
    found = duckdb.sql(f"WITH release(age, ill) AS ({rows}) {query}")
    assert sorted(found.fetchall()) == short


def test_what_airflow_runs_are_commands_of_shoal():
    tree = ast.parse((ROOT / "examples" / "airflow" / "release.py").read_text(encoding="utf-8"))
    said = [key.value.value for call in ast.walk(tree) if isinstance(call, ast.Call)
            for key in call.keywords if key.arg == "bash_command"]  # fmt: skip
    assert [command.split()[1] for command in said if command.startswith("shoal ")] == [
        "run",
        "verify",
        "attack",
    ]


def test_the_hook_and_the_action_name_what_exists():
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (module,) = re.findall(r"entry: python -m (\S+)", hook)
    assert (ROOT / "src" / (module.replace(".", "/") + ".py")).is_file()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] in (ROOT / "action.yml").read_text(encoding="utf-8")


def test_the_recipe_needs_what_the_project_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    needed = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    assert [line.strip("- ").replace(" ", "") for line in needed.splitlines()[1:]] == project["dependencies"]


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_the_container_file_is_sound():
    said = subprocess.run(["hadolint", ROOT / "Containerfile"], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout


def test_the_paper_is_short():
    assert len((ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split()) <= 1_000
