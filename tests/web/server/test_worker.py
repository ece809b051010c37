"""Kernels are compiled beside the server, quietly, and the process that does so never outlives it."""

import json
import os
import subprocess
import sys
import time
from inspect import signature
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from shoal.algorithms import METHODS, precompile
from shoal.base.errors import InfeasibleError, InputError, message_and_exit_code
from shoal.base.progress import no_progress
from shoal.jobs.options import JOBS, group_stated
from shoal.web.server import worker as warmed
from shoal.web.server.job_folder import JobSpec, Task, list_files_to_reuse, pack
from shoal.web.server.worker import _HANDLERS
from web_cases import WHERE, files_of


@pytest.fixture
def asked(monkeypatch):
    """The methods whose kernels are asked for, in order."""
    names = []
    monkeypatch.setattr(precompile, "compile_listed", lambda *methods, share, of: names.extend(methods))
    monkeypatch.setattr(precompile, "keeps", lambda: True)
    return names


def test_what_is_used_most_is_compiled_first_and_then_all(asked):
    warmed.warm()
    assert asked[0] == "pareto"
    assert asked[: len(warmed.FIRST)] == list(warmed.FIRST)
    assert sorted(asked) == sorted(METHODS)


def test_nothing_is_compiled_that_nobody_would_find(asked, monkeypatch):
    monkeypatch.setattr(precompile, "keeps", lambda: False)
    warmed.warm()
    assert asked == []


@pytest.mark.skipif(not hasattr(os, "nice"), reason="the system has no such priorities")
def test_every_other_process_comes_first(tmp_path):
    code = "import os; from shoal.web.server.worker import _step_back; _step_back(); print(os.nice(0))"
    got = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=WHERE,
        start_new_session=True,
    )
    assert got.stdout == "19\n"


SERVER = """
import os, sys, time
from pathlib import Path
from shoal.web.server.workspace import _warming as warming
with warming(Path(sys.argv[1])) as process:
    print(process.pid, flush=True)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), 9)
    time.sleep(float(sys.argv[2]))
"""


def lives(pid):
    """Whether a process runs; one that has ended, and that nobody has asked for, does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", ["killed", "0.01", "1"])
def test_it_ends_with_the_server_and_says_nothing(tmp_path, how):
    """In its beginning, and in the midst of compiling too."""
    place = {**WHERE, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = [sys.executable, "-c", SERVER, tmp_path, how]
    got = subprocess.run(code, capture_output=True, text=True, timeout=60, env=place)
    pid, *more = got.stdout.splitlines()
    assert (more, got.stderr) == ([], "")
    deadline = time.monotonic() + 10
    while lives(pid):
        assert time.monotonic() < deadline, "the process has outlived its server"
        time.sleep(0.05)
    assert not [path for path in tmp_path.rglob("*") if ".tmp." in path.name]


# Every kind of job does what its command does; here without a process of its own.


pytestmark = pytest.mark.usefixtures("bare")

SMALL = {"data": {"path": "people.csv"}, "columns": {"*": "drop", "sex": "quasi"}, "guarantee": {"k": 2}}


@pytest.fixture
def do(tmp_path_factory):
    """Do a job in a folder of its own; give what it found and that folder."""

    def done(kind, files=None, configuration=None, after=None, **options):
        work = tmp_path_factory.mktemp(kind)
        there = {path: after / path for path in list_files_to_reuse(after, kind)} if after else {}
        for name, path in (there | (files or {})).items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, work / name)
        spec = JobSpec(kind, configuration, json.loads(json.dumps(options)))
        return _HANDLERS[kind](Task(spec, work, no_progress)), work

    return done


def packed(kind, work, folder):
    """The names in each zip file of a job."""
    folder.mkdir()
    pack(kind, work, folder)
    return {path.stem: sorted(ZipFile(path).namelist()) for path in folder.iterdir()}


def test_from_unknown_data_to_a_risk(do, people, tmp_path):
    done, work = do("propose", {"people.csv": people / "people.csv"}, data="people.csv")
    assert {one["name"] for one in done.facts["columns"]} >= {"age", "sex"}
    assert "people.csv" not in str(packed("propose", work, tmp_path / "a"))
    done, work = do("risk", after=work, page=True, k=3)
    assert (done.facts["people"], done.facts["k"]) == (60, 3)
    assert packed("risk", work, tmp_path / "b")["private"] == ["risk.private/risk.html"]
    done, work = do("risk", {"people.csv": people / "people.csv"}, data="people.csv", population=1000)
    assert done.facts["people"] == 60


def test_a_front_a_pick_and_a_judge(do, people, tmp_path):
    done, work = do("pareto", files_of(people), pick=3, page=True)
    assert done.facts["front"]
    assert set(packed("pareto", work, tmp_path / "a")) == {"release", "private", "configuration"}
    assert (work / "front.private" / "front.html").is_file()
    done, judged = do("verify", after=work, against="people.csv")
    assert (done.facts["holds"], done.exit) == (True, 0)
    assert set(packed("verify", judged, tmp_path / "b")) == {"configuration"}
    (judged / "release" / "data.csv").unlink()
    (judged / "release" / "data.csv").write_text("age\n1\n")
    done, _ = do("verify", after=judged)
    assert (done.facts["holds"], done.exit) == (False, 1)
    assert (work / "release" / "data.csv").read_text() != "age\n1\n"


def test_attackers_are_played_on_the_release_of_an_earlier_job(hasty, do, people, tmp_path):
    _, work = do("pareto", files_of(people), pick=3)
    done, played = do("attack", after=work, against="people.csv", attacker="all-quasi-identifiers")
    assert (done.facts["holds"], done.exit) == (True, 0)
    assert [found["name"] for found in done.facts["attackers"]] == ["all-quasi-identifiers"]
    assert set(packed("attack", played, tmp_path / "a")) == {"configuration"}
    done, _ = do("attack", after=work, against="people.csv", fail_above=0.01)
    assert (done.facts["holds"], done.exit) == (True, 1)


@pytest.mark.parametrize(("kind", "options"), [("run", {}), ("pareto", {"pick": 2, "allow_empty": True})])
def test_what_nobody_decided_goes_out_only_as_proposed(do, people, kind, options):
    files = {"people.csv": people / "people.csv"}
    asking = SMALL | {"undecided": {"sex": "it has two meanings", "*": "rows may be totals"}}
    for refused in ({}, {"as_proposed": False}):
        with pytest.raises(
            InputError, match=r"nobody has decided about 'sex', the file as a whole, .*as_proposed"
        ):
            do(kind, files, asking, **options, **refused)
    _, work = do(kind, files, asking, **options, as_proposed=True)
    manifest = json.loads((work / "release" / "manifest.json").read_text())
    assert manifest["as_proposed"] == ["*", "sex"]
    assert do("preview", files, asking)[0].facts["records"] == 60  # which publishes nothing
    assert do("pareto", files, asking)[0].facts["front"]


def test_a_release_is_judged_without_its_configuration(do, people):
    done, work = do("run", files_of(people), k=4)
    assert done.facts["claim"]["k"] == 4
    alone = {path.relative_to(work).as_posix(): path for path in (work / "release").iterdir()}
    assert do("verify", alone)[0].exit == 0


def test_a_preview_leaves_nothing(do, people):
    done, work = do("preview", files_of(people), k=4)
    assert (done.facts["claim"]["k"], len(done.facts["rows"])) == (4, 20)
    assert not (work / "release").exists()
    done, work = do("preview", after=work, pick=3)
    assert done.facts["method"]["name"] == "pareto"
    assert not (work / "release").exists()


def test_every_option_is_one_of_the_function_that_the_command_calls():
    from shoal.comparison.comparison import _ComparisonSettings, compare_config
    from shoal.jobs.attack import attack
    from shoal.jobs.column_prices import price_columns
    from shoal.jobs.configured import front_config, preview_config, run_config
    from shoal.jobs.risk import risk
    from shoal.jobs.risk_counts import count
    from shoal.proposal.propose import propose
    from shoal.publish.verify import verify

    functions = {
        "propose": propose,
        "risk": risk,
        "run": run_config,
        "preview": preview_config,
        "pareto": front_config,
        "verify": verify,
        "attack": attack,
        "compare": compare_config,
        "prices": price_columns,
        "count": count,
    }
    # what a handler does itself, or hands over by another name
    own = {
        "propose": {"data"},
        "risk": {"data", "page"},
        "preview": {"pick", "seconds"},
        "pareto": {"pick", "page", "seed", "allow_empty"},
        "attack": {"against", "attacker", "fail_above"},
    }
    assert set(functions) == set(JOBS) == set(_HANDLERS)
    for kind, function in functions.items():
        named = {one.name: None for one in JOBS[kind].options}
        names = group_stated(named) if kind in ("run", "preview") else named
        taken = {
            *signature(function).parameters,
            *(signature(_ComparisonSettings).parameters if kind == "compare" else ()),
        }
        assert set(names) - own.get(kind, set()) <= taken, kind


def test_people_are_counted_with_the_labels_of_built_hierarchies(do, people):
    done, _ = do("count", files_of(people), columns=["age"])
    (age,) = done.facts["columns"]
    assert (age["column"], age["public"], age["people"]) == ("age", False, 60)
    assert age["nodes"]["label"][:2] == ["*", "[0, 40)"]


def test_a_comparison_is_private(do, people, tmp_path, monkeypatch):
    """The comparison itself is tested elsewhere: here it is told what was asked, and where to write."""
    from shoal.comparison import comparison

    def compared(config, folder, *, progress, methods, sweeps):
        folder.mkdir()
        (folder / "compare.html").write_text(f"{config.name} {methods} {sweeps}")
        return SimpleNamespace(as_dict=lambda: {"makers": methods})

    monkeypatch.setattr(comparison, "compare_config", compared)
    done, work = do("compare", files_of(people), methods=["optimal"], sweeps={"k": "2,3"})
    assert done.facts == {"makers": ["optimal"]}
    names = packed("compare", work, tmp_path / "a")
    assert names["private"] == ["compare.private/compare.html"]
    assert "release" not in names


def test_the_files_that_were_sent_stay_as_they_are(do, people):
    before = {name: path.read_bytes() for name, path in files_of(people).items()}
    _, work = do("run", files_of(people), SMALL)
    assert {name: path.read_bytes() for name, path in files_of(people).items()} == before
    assert "sex" in (work / "shoal.toml").read_text()
    again, _ = do("run", after=work)
    assert again.facts["columns"] == {"sex": "quasi"}


def test_faults_are_those_of_the_command(do, people):
    with pytest.raises(InfeasibleError, match="k=1000") as error:
        do("run", files_of(people), k=1000)
    assert message_and_exit_code(error.value)[1] == 3
    with pytest.raises(InputError, match=r"shoal\.toml: not found"):
        do("run", {"people.csv": people / "people.csv"})


HOSTILE = [
    ("run", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("run", {"data": {"path": "../people.csv"}}, {}, "leads out of"),
    ("run", {"data": {"path": "a\0b"}}, {}, "leads out of"),
    ("run", {"data": {"path": "\ud800"}}, {}, "half of a character"),
    ("run", {"data": {"path": None}}, {}, "null means nothing"),
    ("run", {"data": {"path": 1e400}}, {}, "'path' must be text"),
    ("run", {"data": {"url": "sqlite:////etc/x.db", "table": "t"}}, {}, "names a database"),
    ("run", {}, {"recoding": "/etc/passwd"}, "leads out of"),
    ("pareto", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("compare", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("count", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("preview", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("preview", {}, {"recoding": "/etc/passwd"}, "leads out of"),
    ("verify", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("verify", {}, {"against": "/etc/passwd"}, "leads out of"),
    ("attack", {}, {"against": "/etc/passwd"}, "leads out of"),
    ("verify", {}, {"against": "postgresql://host/people"}, "names a database"),
    ("risk", {"data": {"path": "/etc/passwd"}}, {}, "leads out of"),
    ("risk", {}, {"data": "../x"}, "leads out of"),
    ("risk", {}, {"population": "/etc/passwd"}, "leads out of"),
    ("propose", {}, {"data": "/etc/passwd"}, "leads out of"),
    ("propose", {}, {"data": "sqlite:////etc/x.db"}, "names a database"),
    ("propose", {}, {"data": "people.csv", "mappings": ["../x"]}, "leads out of"),
]


@pytest.mark.parametrize(("kind", "sections", "options", "said"), HOSTILE)
def test_hostile_specs_read_nothing(do, people, kind, sections, options, said):
    with pytest.raises(InputError, match=said):
        do(kind, {"people.csv": people / "people.csv"}, {**SMALL, **sections}, **options)
