"""A schema refuses a frame that does not keep its claim, the hook a release that was changed."""

import json
import sys

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.connect.checks import judge_folders, keeps


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


@pytest.mark.process
@pytest.mark.filterwarnings("ignore")  # it imports Spark, which knows no pandas 3
def test_an_expectation_fails_where_columns_are_not_k_anonymous(monkeypatch):
    # Spark, which it imports, ends a process whose main module has no file, as a test's worker is
    monkeypatch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
    gx = pytest.importorskip("great_expectations", reason="great_expectations is not installed")
    from shoal.connect.expectations import ExpectColumnsToBeKAnonymous

    def validated(ages, **options):
        batch = context.data_sources.pandas_default.read_dataframe(
            pd.DataFrame({"age": ages, "who": [1] * len(ages)})
        )
        suite = gx.ExpectationSuite(
            "release", [ExpectColumnsToBeKAnonymous(**{"columns": ["age"], "k": 2} | options)]
        )
        return batch.validate(suite).results[0]

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    assert validated(["30-39", "30-39"]).success
    alone = validated(["30-39", "30-39", "40-49"])
    assert (alone.success, alone.result["observed_value"], alone.result["details"]["witnesses"]) == (
        False,
        1,
        [3],
    )
    assert not validated(["30-39", "30-39"], person="who").success
    gone = validated(["30-39", "30-39"], columns=["zip"])
    assert (gone.success, gone.exception_info["raised_exception"]) == (False, False)
    assert "has no column 'zip'" in gone.result["details"]["sentence"]
    assert "40-49" not in str(alone.to_json_dict())


def test_folders_are_judged_and_others_passed_over(bare, tmp_path, capsys):
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
