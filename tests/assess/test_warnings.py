"""What the owner of a release is warned of: with the figures of this release, and only where it is so."""

import json
from contextlib import chdir

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from shoal.assess.attack import audit_exposure
from shoal.assess.facts import facts_of
from shoal.assess.warnings import _UNCHANGED, warnings_of
from shoal.cli import shoal as command

RANDOM = np.random.default_rng(0)
PEOPLE = pl.DataFrame({"age": RANDOM.integers(20, 60, 80), "ill": RANDOM.choice(["flu", "gout", "cold"], 80)})
AGES = [[str(age), f"{age // 10 * 10}s", "*"] for age in range(20, 60)]


def figure_of(attack):
    """What is told of narrow labels beside a warning."""
    (found,) = [one for one in attack["attackers"] if one["name"] == "lowest-labels"]
    return f"{found['certain']} of {found['played']} are alone in a part"


@pytest.mark.parametrize(
    ("k", "options", "starts"),
    [
        (3, {}, ["with k = 3, below 5"]),
        (5, {}, []),
        (5, {"minimal": False}, [_UNCHANGED]),
        (5, {"recode": "span"}, ['with recode = "span" and no grid']),
        (5, {"recode": "span", "grid": 5}, []),
        (3, {"recode": "span", "minimal": False}, ["with k = 3", 'with recode = "span"', _UNCHANGED]),
    ],
)
def test_warnings(k, options, starts):
    ages = {"age": shoal.Hierarchy.from_paths("age", AGES)}
    data = shoal.read(PEOPLE, roles={"age": "quasi", "ill": "sensitive"}, hierarchies=ages)
    release = shoal.anonymize(data, k=k, method="mondrian", **options)
    audit = audit_exposure(release, facts_of(release))
    told = warnings_of(release, audit)
    assert [line.startswith(start) for line, start in zip(told, starts, strict=True)] == [True] * len(starts)
    assert all(figure_of(audit.attack) in line for line in told if line != _UNCHANGED)


def test_warnings_stand_on_the_screen_and_in_the_audit_and_nowhere_else(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "age.csv").write_text("".join(";".join(path) + "\n" for path in AGES))
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\nage = { role = "quasi", hierarchy = "age.csv" }\nill = "sensitive"\n'
        '[guarantee]\nk = 3\n[method]\nname = "mondrian"\nrecode = "span"\n'
    )
    with chdir(tmp_path):
        done = CliRunner().invoke(command, ["run"])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    audit = json.loads((tmp_path / "release.private/audit.json").read_text())
    told = audit["warnings"]
    assert len(told) == said.count("warning ") == 2
    assert all(f"warning {' '.join(line.split())}" in said for line in told)
    assert all(figure_of(audit["attack"]) in line for line in told)
    assert "Think about this before you publish" in (tmp_path / "release.private/audit.html").read_text()
    for public in ("report.html", "manifest.json"):
        assert "alone in a part" not in (tmp_path / "release" / public).read_text()
        assert "labels are never wider than needed" in (tmp_path / "release" / public).read_text()
