"""The page on the papers' claims says what the result files say; the quick run prints all claims and leaves nothing."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.papers import page, results  # noqa: E402
from benchmarks.papers.claims import SHOAL, Claim, Reading, readings, table  # noqa: E402
from benchmarks.papers.negative import ATTACKERS, _lacked, attacked  # noqa: E402
from benchmarks.papers.results import Experiment, Point  # noqa: E402

NUMBERS = [
    f"{letter}{i}"
    for letter, many in {"T": 13, "R": 8, "M": 3, "N": 6, "P": 5}.items()
    for i in range(1, many + 1)
]


def numbers(text):
    """The claims that have a row, in order."""
    return re.findall(r"^\| ([TRMNP]\d+) \|", text, flags=re.M)


def test_the_page_is_written_from_the_results():
    kept = results.read(results.KEPT)
    assert (ROOT / "docs" / "evidence" / "papers.md").read_text(encoding="utf-8") == page.page(kept)
    folder = ROOT / "docs" / "pictures" / "evidence"
    there = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    assert there == dict(page.pictures(kept))
    assert numbers(page.page(kept)) == NUMBERS


def test_without_results_every_claim_says_so():
    said = page.page({})
    assert numbers(said) == NUMBERS
    assert said.count("| not measured | not measured | not measured |") == 35


def rows_of(*lost):
    return {"x": [{"lost": one, "records": 10, "seconds": 1.0} for one in lost]}


def judge(found):
    lost = results.column(found["x"], "lost")
    return tuple(Reading(name, f"{one}", one < 4) for name, one in zip(("a", "b", SHOAL), lost, strict=True))


@pytest.mark.parametrize(
    ("lost", "more", "verdict"),
    [
        ((3.0, 2.0, 9.0), {}, "holds"),
        ((3.0, 2.0, 9.0), {"differs": "fewer"}, "holds, on another workload: fewer"),
        ((5.0, 2.0, 2.0), {"differs": "fewer"}, "holds only with b"),
        ((5.0, 6.0, 2.0), {}, "refuted; holds with shoal's defaults"),
        ((5.0, 6.0, 7.0), {}, "refuted"),
        ((5.0, 6.0, 2.0), {"differs": "fewer"}, "another workload: fewer"),
        ((5.0, 6.0, 7.0), {"missing": "no tree"}, "cannot be compared: no tree"),
    ],
)
def test_a_verdict_follows_from_the_rows(lost, more, verdict):
    claim = Claim("T1", "", "", ("x",), judge, **more)
    assert f"| {verdict} | 10 | 3.0 |" in table([claim], rows_of(*lost))
    assert "| none: the data are drawn |" in table([claim], rows_of(*lost), drawn=True)
    assert f"| b | {lost[1]} | {'yes' if lost[1] < 4 else 'no'} |" in list(readings([claim], rows_of(*lost)))


def test_a_claim_is_open_while_a_reading_is_not_measured():
    def half(_found):
        return Reading("a", "1", True), Reading("b", "not measured yet", False, measured=False)

    (row,) = table([Claim("T1", "", "", ("x",), half)], rows_of(1.0)).splitlines()[2:]
    assert "| open: 1 of 2 readings not measured yet; holds so far with a |" in row


def test_what_was_stopped_goes_on_at_its_point(tmp_path):
    made = []

    def points(upto):
        def rows(_quick):
            for k in range(1, upto + 1):
                yield Point({"k": k}, lambda k=k: made.append(k) or [{"k": k, "lost": k / 3}])

        return [Experiment("some", rows)]

    results.run(points(2), tmp_path, quick=True)
    results.run(points(3), tmp_path, quick=True)
    assert made == [1, 2, 3]
    assert results.read(tmp_path)["some"] == [{"k": k, "lost": float(f"{k / 3:.6g}")} for k in (1, 2, 3)]
    results.run(points(3), tmp_path, quick=True, again=True)
    assert made == [1, 2, 3, 1, 2, 3]


def test_a_range_that_somebody_holds_is_none_that_they_lack():
    """The last leaf is alone in its range, so it stands right below the wider one, which its neighbours hold, too."""
    leaves = "abcdefghijklmno"
    tree = Hierarchy.from_paths(
        "child", [[name, f"{i // 2}", f"wide {i // 4}", "*"] for i, name in enumerate(leaves)]
    )
    trees = Trees.of([[("child", name)] for name in leaves])
    nodes = Nodes.of("test", trees, {"child": tree})
    codes = nodes.leaf[trees.items]
    drawn = [
        _lacked(nodes, codes, codes[12:13], "generalized", np.random.default_rng(seed)) for seed in range(20)
    ]
    wide = int(nodes.up[codes[14]])
    assert wide == nodes.up[nodes.up[codes[12]]]
    assert all(wide not in some for some in drawn)


def test_rows_survive_their_file(tmp_path):
    rows = [{"maker": "gcs", "k": 5, "rpd": 0.25}, {"maker": "acs", "k": 5, "rpd": 1e-6, "stopped": "end"}]
    results.write(tmp_path / "some.csv", rows)
    back = results.read(tmp_path)["some"]
    assert back == [{**rows[0], "stopped": ""}, rows[1]]
    assert results.one(back, "rpd", maker="gcs") == 0.25


def test_absent_values_leave_fewer_people_and_always_the_one():
    leaves = "abcdefghijklmnop"
    tree = Hierarchy.from_paths("child", [[name, str(i // 2), "*"] for i, name in enumerate(leaves)])
    trees = Trees.of([[("child", "a"), ("child", name)] for name in leaves])
    nodes = Nodes.of("test", trees, {"child": tree})
    as_it_is = RecodedTrees(trees, nodes.span[nodes.leaf], np.arange(trees.n), trees.n)

    def found(k):
        rows = attacked(as_it_is, trees, nodes, k, m=1, n=0, draws=200)
        return {(row["known"], row["q"]): row["found"] for row in rows}

    assert set(found(1).values()) == {0}
    people = found(trees.n + 1)
    for known in ATTACKERS:
        falling = [people[known, q] for q in range(1, 5)]
        assert trees.n > falling[0] > falling[-1] >= 1
        assert falling == sorted(falling, reverse=True)
    assert people["generalized", 1] < people["original", 1]


@pytest.mark.soak
def test_the_quick_run_prints_all_claims_and_writes_nothing():
    def state():
        files = [*(ROOT / "docs").rglob("*"), *results.KEPT.rglob("*")]
        return {file: file.stat().st_mtime_ns for file in files if file.is_file() and file.suffix != ".pyc"}

    before = state()
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.papers", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert numbers(ended.stdout) == NUMBERS
    assert state() == before
