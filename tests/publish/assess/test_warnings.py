"""What the owner of a release is warned of: with the figures of this release, and only where it is so."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from shoal.cli import shoal
from shoal.publish.release import UNCHANGED

AGES = "".join(f"{age};{age // 10 * 10}s;*\n" for age in range(20, 60))


def run(room, monkeypatch, k, method, *more):
    monkeypatch.chdir(room)
    random = np.random.default_rng(0)
    people = {"age": random.integers(20, 60, 80), "ill": random.choice(["flu", "gout", "cold"], 80)}
    pl.DataFrame(people).write_csv("people.csv")
    (room / "age.csv").write_text(AGES)
    columns = '[columns]\nage = { role = "quasi", hierarchy = "age.csv" }\nill = "sensitive"\n'
    guarantee = f"[guarantee]\nk = {k}\n[method]\n{method}\n"
    (room / "shoal.toml").write_text(f'[data]\npath = "people.csv"\n{columns}{guarantee}')
    said = CliRunner().invoke(shoal, ["run", *more])
    assert said.exit_code == 0, said.output
    audit = json.loads((room / "release.private/audit.json").read_text())
    return audit, " ".join(said.output.split())


@pytest.mark.parametrize(
    ("k", "method", "starts"),
    [
        (3, 'name = "mondrian"', ["k is 3, below 5"]),
        (5, 'name = "mondrian"', []),
        (5, 'name = "mondrian"\nminimal = false', [UNCHANGED]),
        (5, 'name = "mondrian"\nrecode = "span"', ['with recode = "span" and no grid']),
        (5, 'name = "mondrian"\nrecode = "span"\ngrid = 5', []),
        (
            3,
            'name = "mondrian"\nrecode = "span"\nminimal = false',
            ["k is 3", 'with recode = "span"', UNCHANGED],
        ),
    ],
)
def test_warnings(tmp_path, monkeypatch, k, method, starts):
    audit, said = run(tmp_path, monkeypatch, k, method)
    told = audit["warnings"]
    assert [line.startswith(start) for line, start in zip(told, starts, strict=True)] == [True] * len(starts)
    assert all(f"warning {' '.join(line.split())}" in said for line in told)
    assert said.count("warning ") == len(told)
    (found,) = [one for one in audit["attack"]["attackers"] if one["name"] == "lowest-labels"]
    figure = f"{found['certain']} of {found['played']} are alone in a part"
    assert all(figure in line for line in told if line != UNCHANGED)
    page = (tmp_path / "release.private/audit.html").read_text()
    assert ("Think about this before you publish" in page) == bool(told)
    for public in ("report.html", "manifest.json"):
        assert "alone in a part" not in (tmp_path / "release" / public).read_text()
        assert "labels are as narrow as possible" in (tmp_path / "release" / public).read_text()
