"""Tables with blanked cells through the door: what is written, judged from the folder, refused and told."""

import json

import polars as pl
import pytest

import shoal
from shoal.anonymization.makers import trial_maker
from shoal.base.errors import InputError
from shoal.jobs.configured import verify

TOWNS = ["Rome"] * 6 + ["Oslo"] * 4 + ["Bonn", "Bern"]
JOBS = ["cook", "nurse"] * 6
ROLES = {"town": "quasi", "job": "quasi", "ill": "sensitive"}


def people(**more):
    """Twelve people, two of them from towns of their own."""
    frame = pl.DataFrame({"town": TOWNS, "job": JOBS, "ill": ["flu", "gout", "flu"] * 4, **more})
    return shoal.read(frame, roles=ROLES | {name: "plain" for name in more})


@pytest.mark.parametrize("suppress", [0.0, 0.2])
def test_what_is_written_is_judged_from_its_folder_alone(tmp_path, suppress):
    release = shoal.anonymize(people(), k=2, subsets=2, suppress=suppress)
    release.save(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["claim"]["model"] == "k-anonymity of known subsets"
    assert manifest["method"]["name"] == "blank"
    assert verify(tmp_path / "out")
    assert "Smallest class" not in (tmp_path / "out" / "report.html").read_text()
    cells = pl.read_csv(tmp_path / "out" / "data.csv")
    assert (cells["town"].null_count() > 0) != (cells.height < len(TOWNS))  # blanked, or the two left out
    assert shoal.judge(cells, shoal.SubsetAnonymity(2, 2), quasi=["town", "job"])


def test_a_blank_is_true_of_any_original_and_another_value_is_not(tmp_path):
    release = shoal.anonymize(people(), k=2, subsets=[["town"], ["job"]])
    frame = release.frame
    assert release.check_truth(frame)
    assert release.check_truth(frame.with_columns(town=pl.lit(None, dtype=pl.String)))
    assert not release.check_truth(frame.with_columns(town=pl.lit("Bonn")))


def test_the_count_of_argus_is_rehearsed_and_never_published():
    asked = {"k": 2, "subsets": 2, "count": "argus"}
    with pytest.raises(InputError, match="count = argus is a rehearsal"):
        shoal.anonymize(people(), method="blank", **asked)
    assert trial_maker(people(), "blank", asked).make(people()).trace["blanked cells"] > 0


def test_a_column_that_tells_what_a_blank_hides_is_refused():
    codes = {"Rome": "1", "Oslo": "2", "Bonn": "3", "Bern": "3"}
    with pytest.raises(InputError, match="town"):
        shoal.anonymize(people(code=[codes[town] for town in TOWNS]), k=2, subsets=1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"subsets": 2}, "subsets goes with k"),
        ({"k": 2, "subsets": 2, "l": 2}, "subsets goes with k alone, not with l"),
        ({"k": 2, "subsets": 0}, "subsets must be a whole number"),
        ({"k": 2, "subsets": [[]]}, "a list of lists of column names"),
        ({"k": 2, "subsets": 2, "method": "mstk"}, "mstk cannot make a release that keeps"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(asked, said):
    with pytest.raises(InputError, match=said):
        shoal.anonymize(people(), **asked)
