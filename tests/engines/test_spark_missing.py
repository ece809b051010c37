"""Without pyspark or Java, the Spark engine says what to do."""

import os
import subprocess
import sys

import pytest

import spark_cases
from shoal.base.errors import ExtraError
from shoal.engines import spark
from shoal.engines.spark import Spark


def test_without_pyspark_a_sentence(monkeypatch):
    monkeypatch.setattr(spark, "find_spec", lambda name: None if name == "pyspark" else True)
    with pytest.raises(
        ExtraError, match=r'engine spark: this needs pyspark, .* pip install "shoal-privacy\[spark\]"'
    ):
        Spark()


@pytest.mark.skipif(spark_cases.MISSING == "pyspark", reason="no pyspark")
def test_without_java_a_sentence(tmp_path):
    code = """
from shoal.engines.spark import Spark
from shoal.base.errors import ExtraError
try:
    Spark()
except ExtraError as error:
    print(error)
"""
    around = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PATH": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    around.pop("JAVA_HOME", None)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=around)
    assert done.stdout.startswith("engine spark: this needs Java 17 or later, which was not found")
    assert not list(tmp_path.iterdir())
