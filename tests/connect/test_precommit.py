"""The hook says no to a release that was changed, and passes over manifests of others."""

import json

import polars as pl

import shoal
from shoal.connect.precommit import judge_folders


def test_folders_are_judged_and_others_passed_over(tmp_path, capsys):
    people = shoal.read(pl.DataFrame({"age": [31, 34, 40, 41]}), roles={"age": "quasi"},
                        hierarchies={"age": {"ranges": [10]}})  # fmt: skip
    shoal.anonymize(people, k=2).save(tmp_path / "out")
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "an app"}))
    manifests = [tmp_path / "out" / "manifest.json", tmp_path / "manifest.json"]
    assert judge_folders(manifests) == 0
    data = tmp_path / "out" / "data.csv"
    data.write_text(data.read_text().replace("[30, 40)", "[30, 35)", 1))
    assert judge_folders(manifests) == 1
    (tmp_path / "manifest.json").write_text("{")
    assert judge_folders(manifests) == 2
    assert [line.partition(": ")[0] for line in capsys.readouterr().err.splitlines()] == [
        str(tmp_path / "out"), str(tmp_path / "out"), str(tmp_path)
    ]  # fmt: skip
