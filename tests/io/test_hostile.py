"""Hostile files are read or refused with one sentence, in little time and memory; `hostile_files.CASES` has them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from hostile_files import CASES, READ, SECRET

CHILD = Path(__file__).parents[1] / "support" / "hostile_child.py"
SECONDS, MEGABYTES = 20, 1024  # of a processor, above what the program itself takes
HELD = 256  # megabytes
HANGS = 150  # seconds after which nobody waits any longer, on however busy a machine

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name == "nt", reason="Windows has neither devices to link to nor these measures"),
]


class Child:
    """Looks at files in a process of its own, which a bomb may end."""

    def __init__(self):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen([sys.executable, CHILD], text=True, env=env, **pipes)
        self.used = 0

    def look_at(self, path):
        """What reader and commands say, seconds, megabytes."""
        watch = Timer(HANGS, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
            said, seconds, self.used = json.loads(self.process.stdout.readline())
            return said, seconds, self.used
        finally:
            watch.cancel()

    def end(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def children():
    """One process for many cases, as long as none ends it, or leaves memory behind that the next would seem to take."""
    there = [Child()]
    yield there
    there[-1].end()


@pytest.fixture
def child(children):
    if children[-1].process.poll() is not None or children[-1].used > HELD:
        children[-1].end()
        children.append(Child())
    return children[-1]


@pytest.mark.parametrize("name", CASES)
def test_is_read_or_refused_in_one_sentence(child, tmp_path, name):
    case = CASES[name]
    said, seconds, megabytes = child.look_at(case.write(tmp_path))
    code, sentence = said.pop("reader")
    if case.said == READ:
        assert (code, sentence) == (0, "")
    else:
        assert code == 2
        assert re.match(
            rf"{re.escape(case.file)}(?:, (?:line \d+|column '\w+'))?: {re.escape(case.said)}", sentence
        )
        assert "\n" not in sentence
    for way, (code, output) in said.items():
        assert code == case.exit_code, (way, output)
        if code:
            assert re.fullmatch(r"shoal: [^\n]+\n", output), way
        assert SECRET not in sentence + output
        assert output.replace("\n", "").isprintable(), way
    assert seconds < SECONDS
    assert megabytes < MEGABYTES
