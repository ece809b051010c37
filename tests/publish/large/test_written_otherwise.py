"""Large tables whose numbers and dates must be read first are read into memory."""

from pathlib import Path

import polars as pl
import pytest

from shoal.io.config import ColumnSpec, Config, Data
from shoal.publish.large.opening import _is_written_otherwise, obstacle


@pytest.mark.parametrize(("cells", "otherwise"), [(["$1,500", "$2,500"], True), (["1500", "2500"], False)])
def test_the_first_records_tell(cells, otherwise):
    columns = {"pay": ColumnSpec("quasi", {"ranges": [1000]})}
    config = Config(Path(), Data(Path("pay.csv")), columns)
    assert _is_written_otherwise(config, pl.DataFrame({"pay": cells}), "pay.csv") == otherwise


def test_a_notation_of_the_file_hinders():
    config = Config(Path(), Data(Path("pay.csv"), dates="day first"), {"pay": ColumnSpec("quasi")})
    assert obstacle(config) == "data.decimal, thousands or dates is set"
