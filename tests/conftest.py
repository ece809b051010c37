"""Small data on disk for tests of the door and the command line."""

import csv
import gc
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import chdir, closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import settings

import postgres
import spark_cases

# The usual one: the same examples every time, a quarter of what tests ask for. How long one takes says nothing on a
# busy machine.
settings.register_profile("steady", max_examples=25, derandomize=True, deadline=None)
# New examples each time, in the number that each test asks for.
settings.register_profile("fresh", deadline=None)
# For a night: new examples each time, and many of them for every law, whatever number it asks for itself.
settings.register_profile("night", max_examples=5000, deadline=None)
settings.load_profile("steady")  # --hypothesis-profile takes another
LAWS = Path(__file__).parent / "laws"
SOURCES = Path(__file__).parents[1] / "src"

CONFIG = """
[data]
path = "people.csv"
missing = ["", "?"]

[columns]
name = "identifier"
age = { role = "quasi", hierarchy = { ranges = [10, 20, 40] } }
sex = "quasi"
job = { role = "quasi", hierarchy = "hierarchies/job.csv" }
disease = "sensitive"
ward = "plain"

[guarantee]
k = 3

[method]
suppress = 0.1
"""

JOBS = [("nurse", "care", "*"), ("doctor", "care", "*"), ("clerk", "office", "*"), ("lawyer", "office", "*")]


def pytest_configure(config):
    """Compile the kernels once, on all cores, before a whole run starts its workers: each would compile the same."""
    if hasattr(config, "workerinput") or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    if config.option.collectonly or os.environ.get("NUMBA_DISABLE_JIT"):
        return
    code = "import sys; from shoal.web.server.worker import warm; warm(int(sys.argv[1]), int(sys.argv[2]))"
    cores = min(os.cpu_count() or 1, 4)
    places = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])}
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(core), str(cores)], env=places)
        for core in range(cores)
    ]
    for process in started:
        process.wait()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays: nobody needs to look through it for garbage, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_itemcollected(item):
    """Whoever asks for a browser or for Spark is of the second tier."""
    for fixture, tier in (("browser", "browser"), ("spark_session", "spark")):
        if fixture in getattr(item, "fixturenames", ()):
            item.add_marker(tier)


def pytest_collection_modifyitems(items):
    """Under the profile night every law has as many examples as the profile says; under steady all have a quarter."""
    profile = settings.get_current_profile_name()
    if profile == "night":
        change_examples((item.obj for item in items if item.path.is_relative_to(LAWS)), more)
    elif (
        profile == "steady"
    ):  # the soak tries every method and claim besides, and people with time ask for all
        change_examples((item.obj for item in items if isinstance(item, pytest.Function)), fewer)


def more(own, cases):
    """At least as many examples as the profile has."""
    return max(own, settings().max_examples)


def fewer(own, cases):
    """A quarter of the examples, but no fewer than twelve; six, where a law is tried in as many cases."""
    return max(own // 4, min(own, 12 if cases < 6 else 6))


def change_examples(tests, number):
    """Give each test of hypothesis another number of examples, once; in how many cases it is tried may decide."""
    tests = list(tests)
    cases = Counter(map(id, tests))
    for test in {id(test): test for test in tests}.values():
        own = getattr(test, "_hypothesis_internal_use_settings", None)  # where a decorator leaves them
        if own is not None:
            number_here = number(own.max_examples, cases[id(test)])
            test._hypothesis_internal_use_settings = settings(own, max_examples=number_here)


@pytest.fixture(scope="session", autouse=True)
def thrown_away():
    """Nobody waits for the disk: what tests write is deleted again, and whether it is asked to keep it, others see."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(scope="module")
def bare():
    """Save releases without measures of use, attackers and the text of pages: for tests that look at none of them.

    Three quarters of the time that the door takes for a small release go there. `tests/publish/test_door.py`,
    `tests/assess/test_attack.py` and `tests/publish/test_verify.py` save whole releases.
    """
    from shoal.anonymization import release

    empty = tuple(replace(page, html=lambda audit: "<body></body>") for page in release.PAGES)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(release, "PAGES", empty)
        patched.setattr(release, "auditors_of", lambda *asked: ())
        yield


@pytest.fixture
def hasty(monkeypatch):
    """Attackers who make a release anew do so eighty times at most: for tests that do not look at their figures."""
    monkeypatch.setattr("shoal.jobs.attack._count_tries", lambda dataset: 80)


@pytest.fixture(scope="module")
def untried():
    """Propose without trying what the guarantee costs, as where nothing is compiled yet: it takes half of the time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("shoal.proposal.propose.is_compiled", lambda method: False)
        yield


def write_rows(path: Path, rows, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


@pytest.fixture
def people(tmp_path):
    """A folder with a table of sixty invented people, its hierarchy and its configuration."""
    random = np.random.default_rng(3)
    n = 60
    rows = [("name", "age", "sex", "job", "disease", "ward")]
    for i in range(n):
        job = JOBS[random.integers(4)][0]
        disease = ("flu", "asthma", "=gout", "")[random.integers(4)]
        rows.append(
            (f"person{i}", random.integers(20, 60), "fm"[random.integers(2)], job, disease, "AB"[i % 2])
        )
    rows[5] = (*rows[5][:2], "?", *rows[5][3:])
    write_rows(tmp_path / "people.csv", rows)
    (tmp_path / "hierarchies").mkdir()
    write_rows(tmp_path / "hierarchies" / "job.csv", JOBS, ";")
    (tmp_path / "shoal.toml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Fill a folder that tests of all workers read: the first that needs it does, and others wait."""
    worker = "PYTEST_XDIST_WORKER" in os.environ
    place = tmp_path_factory.getbasetemp().parent if worker else tmp_path_factory.getbasetemp()

    def filled(name, fill):
        with closing(sqlite3.connect(place / f"{name}.lock", timeout=600, isolation_level=None)) as lock:
            lock.execute("begin exclusive")  # a lock between processes that every system has
            if not (place / name).exists():
                fill(begun := tmp_path_factory.mktemp(name))
                begun.rename(place / name)
        return place / name

    return filled


@pytest.fixture(scope="session")
def demo(once):
    """What `shoal demo` leaves and prints: it takes a quarter of a minute."""
    from shoal.cli import shoal

    def fill(folder):
        with chdir(folder):
            ended = CliRunner().invoke(shoal, ["demo"])
        assert ended.exit_code == 0
        (folder / "printed").write_text(ended.output, encoding="utf-8")

    return once("demo", fill)


@pytest.fixture(scope="session")
def built_docs(once):
    """The site that mkdocs builds of the documentation, strictly."""

    def fill(folder):
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", folder]
        subprocess.run(
            command, cwd=SOURCES.parent, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        )

    return once("site", fill)


@pytest.fixture(scope="session")
def cluster():
    """The URL of a PostgreSQL cluster of its own."""
    with postgres.running() as url:
        yield url


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory):
    """A Spark session with two worker processes, whose time zone is far away."""
    with spark_cases.cluster(tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture(scope="session")
def on_spark(spark_session):
    """An engine on that session."""
    from shoal.engines.spark import Spark

    return Spark(spark_session)


@pytest.fixture
def room(made, tmp_path):
    """A copy of them to change."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def quick(monkeypatch):
    """As `bare`, for single tests of a module in which others look at pages or at what auditors add."""
    from shoal.anonymization import release

    empty = tuple(replace(page, html=lambda audit: "<body></body>") for page in release.PAGES)
    monkeypatch.setattr(release, "PAGES", empty)
    monkeypatch.setattr(release, "auditors_of", lambda *asked: ())
