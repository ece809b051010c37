"""A schema refuses a frame that does not keep its claim."""

import pandas as pd
import polars as pl
import pytest

import shoal

pytest.importorskip("pandera", reason="pandera is not installed")


@pytest.mark.process
@pytest.mark.filterwarnings("ignore")  # pandera imports Spark, which knows no pandas 3
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_schema_refuses_what_does_not_keep_its_claim(kind):
    import pandera.pandas
    import pandera.polars

    from shoal.connect.pandera import keeps

    schema = pandera.pandas if kind is pd.DataFrame else pandera.polars
    check = keeps(shoal.KAnonymity(2), quasi=["age"])
    wanted = schema.DataFrameSchema({"age": schema.Column(str)}, checks=[check])
    assert len(wanted.validate(kind({"age": ["30-39", "30-39"]}))) == 2
    with pytest.raises(Exception, match="does not keep k-anonymity"):
        wanted.validate(kind({"age": ["30-39", "40-49"]}))
