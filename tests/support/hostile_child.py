"""A process that looks at files, one for each line that comes in; what it says of each goes out as JSON."""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from click.testing import CliRunner

from shoal.base.errors import ShoalError
from shoal.cli import shoal as command
from shoal.io.read.table import read
from shoal.io.read.trees import read_trees


def peak() -> int:
    """Megabytes that were held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )


def by_reader(path: Path) -> tuple[int, str]:
    try:
        (read_trees if ".xml" in path.name else read)(path)
    except ShoalError as error:
        return error.exit_code, str(error)
    return 0, ""


def by_command(name: str, path: Path) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        done = CliRunner().invoke(command, [name, str(path)])
        os.chdir("/")
    return done.exit_code, done.output if done.exit_code == 0 else done.stderr


def looked_at(path: Path) -> dict[str, tuple[int, str]]:
    return {"reader": by_reader(path)} | {name: by_command(name, path) for name in ("init", "risk")}


if __name__ == "__main__":
    start = peak()
    for line in sys.stdin:
        before = time.process_time()
        told = looked_at(Path(line.removesuffix("\n")))
        print(json.dumps([told, time.process_time() - before, peak() - start]), flush=True)
