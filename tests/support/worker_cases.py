"""What the workers of a comparison do in tests, in place of what they do: they import it by its name."""

import os
import subprocess
import sys
import time
from pathlib import Path

from shoal.comparison import measures, pool

__all__ = [
    "end_with_3",
    "fail",
    "flags_of",
    "flags_of_arrays",
    "say_and_sleep",
    "sleep",
    "sleep_unless_2",
    "sleep_with_child",
]

_LONG = 300


def end_with_3(point):
    os._exit(3)


def fail(method):
    raise KeyError("a cell")


def sleep(point):
    time.sleep(_LONG)


def sleep_unless_2(point):
    if point.options["k"] != 2:
        time.sleep(_LONG)
    return measures.make_hole(point, "ended", "")


def sleep_with_child(point):
    child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({_LONG})"])
    Path(point.options["note"]).write_text(str(child.pid))
    child.wait()


def say_and_sleep(point):
    Path(f"{point.options['note']}.{os.getpid()}").touch()
    time.sleep(_LONG)


def flags_of(data):
    return [column.codes.flags.writeable for column in data.table.columns] + [data.leaves.flags.writeable]


def flags_of_arrays(_):
    return flags_of(pool._worker_originals.dataset)
