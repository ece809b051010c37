"""Local recodings through the door: written, read back, judged, verified."""

import json
from contextlib import nullcontext
from itertools import product

import polars as pl
import pytest

import shoal
from shoal.base.errors import ShoalWarning
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify

ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive"}
PEOPLE = {
    "age": [17, 18, 23, 25, 25, 31, 33, 38, 44, 52, 57, 61, 66, 70, 71, 88],
    "town": ["Bern", "Bern", "Chur", "Bern", None, "Chur", "Basel", "Basel"] * 2,
    "ill": ["flu", "gout", "flu", "hiv"] * 4,
}


@pytest.mark.parametrize(
    ("method", "options"),
    [("boxes", {}), *product(["mstk", "mondrian", "kmember"], [{"recode": "hierarchy"}, {"recode": "span"}])],
)
def test_a_release_is_judged_written_and_verified(tmp_path, quick, method, options):
    data = shoal.read(pl.DataFrame(PEOPLE), roles=ROLES)
    release = shoal.anonymize(data, method=method, k=4, l=2, allow_empty=True, **options)
    assert release.verdict
    folder = release.save(tmp_path / "out")
    _, verdict = verify(folder)
    assert verdict
    recoding = json.loads((tmp_path / "out.private" / "recoding.json").read_text())
    assert "levels" not in recoding
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    assert audit["trace"]["classes"] >= 1


@pytest.mark.parametrize(
    ("method", "options", "told"),
    [("boxes", {}, True), ("mstk", {}, True), ("mstk", {"recode": "span"}, False), ("optimal", {}, False)],
)
def test_the_audit_tells_what_no_release_of_the_kind_loses_less_than(tmp_path, method, options, told):
    data = shoal.read(pl.DataFrame(PEOPLE), roles=ROLES)
    release = shoal.anonymize(data, method=method, k=4, allow_empty=True, **options)
    release.save(tmp_path / "out")
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    page = (tmp_path / "out.private" / "audit.html").read_text(encoding="utf-8")
    assert (audit["floor"] is not None) == told == ("No release of this kind" in page)
    if told:
        assert 0 < audit["floor"] <= release.loss["ncp"]
    assert "floor" not in json.dumps(release.manifest)  # the originals tell it


def test_ends_of_ranges_tell_no_originals_of_a_built_hierarchy():
    data = shoal.read(pl.DataFrame(PEOPLE), roles=ROLES)
    release = shoal.anonymize(data, method="mstk", k=4, recode="span")
    cells = set(release.data["age"])
    assert all(cell.startswith("[") for cell in cells)
    ends = {int(end) for cell in cells for end in cell[1:-1].split(", ")}
    assert all(end % 10 == 0 for end in ends)


def test_a_released_cell_that_was_tampered_with_is_found():
    data = shoal.read(pl.DataFrame(PEOPLE), roles=ROLES)
    release = shoal.anonymize(data, method="mstk", k=4, recode="span")
    for lie in ("[300, 400]", '["Atlantis"]', "[1, ", "nonsense"):
        frame = release.frame.with_columns(pl.lit(lie).alias("age"))
        assert not data.truth(frame, release.result)


def test_a_configuration_sets_grid_and_rule(tmp_path):
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    (tmp_path / "shoal.toml").write_text(
        """
[data]
path = "people.csv"
[columns]
age = "quasi"
town = "quasi"
ill = "sensitive"
[guarantee]
k = 4
[method]
name = "mstk"
rule = "paper"
recode = "span"
grid = { age = 25 }
"""
    )
    release = run_config(tmp_path / "shoal.toml", tmp_path / "out")
    ends = {int(end) for cell in set(release.data["age"]) for end in cell[1:-1].split(", ")}
    assert all(end % 25 == 0 for end in ends)
    assert release.manifest["method"]["parameters"]["grid"] == {"age": 25}


@pytest.mark.parametrize(
    ("cells", "height"),
    [
        ([str(i) for i in range(9)], 2),
        ([str(i) for i in range(8)], 1),
        ([f"0{i}" for i in range(1, 10)], 1),
        ([*"abcdefghi"], 1),
    ],
    ids=["nine numbers", "eight numbers", "codes", "names"],
)
def test_columns_of_many_numbers_get_groups_unasked(cells, height):
    told = (
        pytest.warns(ShoalWarning, match="'q': a hierarchy file")
        if len(cells) > 8 and height == 1
        else nullcontext()
    )
    with told:
        data = shoal.read(pl.DataFrame({"q": cells}), roles={"q": "quasi"})
    assert data.hierarchies["q"].height == height
