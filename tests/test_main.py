"""The program as it is started."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

SHOWN = """
import os, sys
from shoal.__main__ import main
sys.argv = ["shoal", "--version"]
try:
    main()
except SystemExit:
    print(os.environ["RUST_BACKTRACE"], os.environ["_RJEM_MALLOC_CONF"].split(":")[0], "polars" in sys.modules)
"""


@pytest.mark.parametrize(("debug", "shown"), [("", "0"), ("1", "1")])
def test_libraries_print_no_traces_unless_somebody_looks_for_a_fault(debug, shown):
    env = {**os.environ, "RUST_BACKTRACE": "1", "SHOAL_DEBUG": debug}
    said = subprocess.run([sys.executable, "-c", SHOWN], env=env, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1].split()[0] == shown


def test_polars_is_told_to_give_memory_back_before_it_is_imported_and_people_may_say_otherwise():
    without = {name: value for name, value in os.environ.items() if name != "_RJEM_MALLOC_CONF"}
    for env, begins in ((without, "narenas"), ({**without, "_RJEM_MALLOC_CONF": "own:1"}, "own")):
        said = subprocess.run(
            [sys.executable, "-c", SHOWN], env=env, capture_output=True, text=True, check=True
        )
        assert said.stdout.splitlines()[-1].split()[1:] == [begins, "False"]
