"""A schema refuses a frame that does not keep its claim, the hook a release that was changed."""

import json

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.connect.checks import _judge_folders, keeps


@pytest.mark.process
@pytest.mark.filterwarnings("ignore")  # pandera imports Spark, which knows no pandas 3
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_schema_refuses_what_does_not_keep_its_claim(kind):
    pytest.importorskip("pandera", reason="pandera is not installed")
    import pandera.pandas
    import pandera.polars

    schema = pandera.pandas if kind is pd.DataFrame else pandera.polars
    check = keeps(shoal.KAnonymity(2), quasi=["age"])
    wanted = schema.DataFrameSchema({"age": schema.Column(str)}, checks=[check])
    assert len(wanted.validate(kind({"age": ["30-39", "30-39"]}))) == 2
    with pytest.raises(Exception, match="does not keep k-anonymity"):
        wanted.validate(kind({"age": ["30-39", "40-49"]}))


def test_folders_are_judged_and_others_passed_over(bare, tmp_path, capsys):
    people = shoal.read(pl.DataFrame({"age": [31, 34, 40, 41]}), roles={"age": "quasi"},
                        hierarchies={"age": {"ranges": [10]}})  # fmt: skip
    shoal.anonymize(people, k=2).save(tmp_path / "out")
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "an app"}))
    manifests = [tmp_path / "out" / "manifest.json", tmp_path / "manifest.json"]
    assert _judge_folders(manifests) == 0
    data = tmp_path / "out" / "data.csv"
    data.write_text(data.read_text().replace("[30, 40)", "[30, 35)", 1))
    assert _judge_folders(manifests) == 1
    (tmp_path / "manifest.json").write_text("{")
    assert _judge_folders(manifests) == 2
    assert [line.partition(": ")[0] for line in capsys.readouterr().err.splitlines()] == [
        str(tmp_path / "out"), str(tmp_path / "out"), str(tmp_path)
    ]  # fmt: skip
