import json
import pickle
import subprocess
import sys

import numpy as np

from shoal.report import Audit, Report


def test_audit_is_plain_json(audit: Audit):
    facts = audit.as_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["report"] == audit.report.as_dict()
    assert facts["report"]["sizes"] == {"7": 2, "1220": 1}
    assert facts["report"]["marginals"]["disease"] == [["Flu", 1000], [None, 234]]
    assert facts["front"][1]["k"] == 7


def test_numpy_and_what_is_no_number_become_plain():
    sizes = {int(size): count for size, count in zip(*np.unique([3, 3, 4], return_counts=True), strict=True)}
    facts = Report({"loss": {"ce": float("nan")}}, {}, sizes, {"age": np.float64(0.5)}, {}).as_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["sizes"] == {"3": 2, "4": 1}
    assert facts["loss_by_column"] == {"age": 0.5}
    assert facts["manifest"] == {"loss": {"ce": None}}


def test_importing_the_package_draws_nothing_in():
    heavy = "import sys, shoal.report; print(sorted({'plotly', 'jinja2'} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"


def test_a_page_is_written_without_the_package_plotly(audit: Audit):
    code = (
        "import pickle, sys; from shoal.report.pages import audit_html;"
        "page = audit_html(pickle.load(sys.stdin.buffer));"
        "print('<svg class=\"plot\"' in page, 'plotly' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(audit), capture_output=True, check=True
    )
    assert said.stdout == b"True False\n"
