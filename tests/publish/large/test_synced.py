"""Large releases are on disk before they are in their place: a cut in power leaves all of one, or nothing."""

import os

import pytest

import large_cases
from shoal.jobs.configured import run_config
from shoal.publish.large import opening

pytestmark = pytest.mark.usefixtures("bare")

BASKETS = """[data]
path = "bought.dat"
[columns]
items = {{ role = "items"{rule} }}
[guarantee]
k = 3
{guarantee}
[release]
format = "ndjson"
"""
TREES = """[data]
path = "people.ndjson"
[tree]
hierarchies = { "age" = { ranges = [10, 50] } }
[guarantee]
k = 3
m = 1
n = 0
"""


def parts_of_items(folder):
    (folder / "bought.dat").write_text("".join(f"{i % 3} {3 + i % 2}\n" for i in range(60)))
    (folder / "items.csv").write_text("".join(f"{item};*\n" for item in range(5)))
    rule = ', hierarchy = "items.csv"'
    (folder / "shoal.toml").write_text(
        BASKETS.format(rule=rule, guarantee='m = 1\n[method]\nname = "apriori"')
    )


def fragments(folder):
    parts_of_items(folder)
    (folder / "shoal.toml").write_text(BASKETS.format(rule="", guarantee=""))


def parts_of_trees(folder):
    (folder / "people.ndjson").write_text("".join(f'{{"age": "{20 + i % 7}"}}\n' for i in range(60)))
    (folder / "shoal.toml").write_text(TREES)


def table(folder):
    large_cases.configured(folder, large_cases.people(200))


@pytest.mark.parametrize("kind", [table, parts_of_items, fragments, parts_of_trees])
def test_every_file_of_a_large_release_is_synced(kind, tmp_path, monkeypatch):
    for name in ("_MANY_ITEMS", "_MANY_BYTES", "_FEW_BYTES"):
        monkeypatch.setattr(opening, name, 0)
    synced, fsync = set(), os.fsync

    def noted(number):
        synced.add(os.fstat(number).st_ino)
        fsync(number)

    monkeypatch.setattr(os, "fsync", noted)
    kind(tmp_path)
    release = run_config(tmp_path / "shoal.toml", tmp_path / "out")
    assert type(release.dataset).__name__ in (
        "CountedTable",
        "LargeBaskets",
        "FragmentedBaskets",
        "LargeTrees",
    )
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert {path.name for path in written if path.stat().st_ino not in synced} == set()
