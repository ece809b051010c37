"""The program as a process: crashes, closed pipes and signals end in at most one line."""

import os
import re
import signal
import subprocess
import sys
import time
import warnings

import pytest

from cli_cases import command, failed
from shoal.base.errors import ShoalWarning
from shoal.cli import _print_notes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


def program(people, *words, **more):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-m", "shoal", *words],
        cwd=people,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env | more,
    )


def crashed(monkeypatch, people, error):
    def fail(*_args, **_options):
        raise error

    monkeypatch.chdir(people)
    monkeypatch.setattr("shoal.jobs.configured.check_parameters", fail)
    return command("run")


@pytest.mark.parametrize("error", [KeyError("Anna"), ValueError("Anna"), RecursionError(), TypeError("Anna")])
def test_a_crash_is_one_sentence_without_what_it_holds(monkeypatch, people, error):
    result = crashed(monkeypatch, people, error)
    assert result.exit_code == 70
    assert re.fullmatch(
        rf"shoal: this should not have happened \({type(error).__name__} in jobs/configured.py, line \d+\); "
        r"please report it to the maintainers .*; SHOAL_DEBUG=1 shows more, and perhaps cells\n",
        result.stderr,
    )


def test_a_panic_of_polars_is_a_crash_too(monkeypatch, people):
    from polars.exceptions import PanicException

    assert crashed(monkeypatch, people, PanicException("Anna")).exit_code == 70


def test_debugging_shows_the_traceback(monkeypatch, people):
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    result = crashed(monkeypatch, people, KeyError("Anna"))
    assert result.exit_code == 70
    assert result.stderr.startswith("Traceback")
    assert result.stderr.splitlines()[-1].startswith("shoal: this should not have happened")


def test_too_little_memory_is_no_bug(monkeypatch, people):
    result = crashed(monkeypatch, people, MemoryError())
    assert (result.exit_code, result.stderr.count("\n")) == (70, 1)
    assert "not enough memory" in result.stderr


@pytest.mark.process
@pytest.mark.parametrize(("megabytes", "code"), [(1_400, 70), (8_000, 0)])
def test_a_narrow_address_space_is_told_before_a_library_waits_for_memory(megabytes, code):
    import resource

    most = megabytes << 20
    ended = subprocess.run(
        [sys.executable, "-m", "shoal", "methods"], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )  # fmt: skip
    assert ended.returncode == code
    assert ended.stderr.startswith("shoal: not enough memory; ") == bool(code)


def test_a_fault_of_the_system_names_the_file_and_claims_nothing(monkeypatch, people):
    result = crashed(monkeypatch, people, PermissionError(13, "Permission denied", "/home/x/y.csv"))
    assert result.exit_code == 2
    assert result.stderr == "shoal: y.csv: permission denied; check the disk and your rights\n"


@pytest.mark.process
@pytest.mark.parametrize("words", [["methods"], ["methods", "--json"], ["--help"], ["run", "--force"]])
def test_nobody_reads_the_output(people, words):
    with program(people, *words) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141
    if words[0] == "run":
        assert (people / "release" / "data.csv").is_file()


@pytest.mark.process
def test_a_full_output_is_told_and_the_release_stands(people):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "shoal", "run"], cwd=people, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 74
    assert done.stderr == "shoal: standard output cannot be written (no space left on device)\n"
    assert (people / "release" / "data.csv").is_file()


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after", [0.3, 1.0, 1.8])
def test_a_run_that_is_told_to_stop_leaves_nothing(people, number, after):
    """Interpreted, so that it takes long enough; each time it is at something else."""
    before = sorted(people.rglob("*"))
    with program(people, "run", NUMBA_DISABLE_JIT="1") as process:
        time.sleep(after)
        process.send_signal(number)
        said = process.stderr.read()
    if process.returncode == 0:
        pytest.skip("it was done before")
    assert process.returncode == 128 + number
    assert said.startswith("shoal: ")
    assert said.count("\n") == 1
    assert sorted(people.rglob("*")) == before


@pytest.mark.process
@pytest.mark.parametrize("after", [0.5, 2.5])
def test_a_demo_that_is_told_to_stop_leaves_nothing(people, after):
    before = sorted(people.rglob("*"))
    with program(people, "demo") as process:
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert said == "shoal: interrupted; nothing half-written is left\n"
    assert sorted(people.rglob("*")) == before


def test_a_demo_replaces_only_a_demo(people, monkeypatch):
    monkeypatch.chdir(people)
    assert failed(command("demo", "--out", ".", "--force"), 2, "not a demo")


@pytest.mark.parametrize(
    "words",
    [
        ["pareto", "--plot"],
        ["attack", "release", "--against", "people.csv", "--plot"],
        ["risk", "--html"],
        ["risk", "--records"],
    ],
)
def test_pages_and_plots_replace_only_their_like_and_only_when_told(people, monkeypatch, words):
    monkeypatch.chdir(people)
    (people / "old.html").write_text("<html>")
    for name, force, said in (
        ("old.html", [], "old.html"),
        ("people.csv", ["--force"], "holds something else"),
        ("gone/new.html", [], "gone: not a directory"),
    ):
        before = sorted((path, path.read_bytes()) for path in people.rglob("*.*"))
        assert failed(command(*words, name, *force), 2, said)
        assert sorted((path, path.read_bytes()) for path in people.rglob("*.*")) == before
    if words[0] == "pareto":
        assert command(*words, "old.html", "--force").exit_code == 0


# Notes for the owner of the data, on the terminal.


def test_notes_are_lines_on_standard_error_and_other_warnings_stay_what_they_are(capsys):
    with _print_notes():
        for _ in range(2):
            warnings.warn("look here", ShoalWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="something else"):
            warnings.warn("something else", UserWarning, stacklevel=1)
    said = capsys.readouterr()
    assert said.err == "shoal: note: look here\n" * 2
    assert said.out == ""
    with pytest.raises(ShoalWarning):
        warnings.warn("look here", ShoalWarning, stacklevel=1)
