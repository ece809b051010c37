"""Comparisons: their figures are those of releases made one by one, and a hole ends nothing."""

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
import worker_cases
from shoal.algorithms import METHODS
from shoal.assess.prediction import split
from shoal.assess.usefulness import model_figures, table_figures
from shoal.base.errors import InputError, ShoalWarning
from shoal.comparison import measures, pool
from shoal.comparison.comparison import _recommend_method, _reference_point, _sample_dataset
from shoal.comparison.measures import Originals, Point, list_points, select_methods
from shoal.comparison.results import write_results


def table(n=60, **more):
    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": random.integers(20, 60, n),
            "sex": random.choice(["f", "m"], n),
            "ill": random.choice(list("abc"), n),
        }
    )
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [5, 10, 20]}}, **more)


def baskets(n=80):
    random = np.random.default_rng(2)
    lists = [sorted(random.choice(list("abcdefgh"), random.integers(1, 4), replace=False)) for _ in range(n)]
    return shoal.read(
        pl.DataFrame({"items": lists}), roles={"items": "items"}, hierarchies={"items": {"fanout": 2}}
    )


def mixed(n=60):
    random = np.random.default_rng(3)
    lists = [sorted(random.choice(list("abcd"), random.integers(1, 3), replace=False)) for _ in range(n)]
    return shoal.read(
        pl.DataFrame({"age": random.integers(20, 60, n), "codes": lists}),
        roles={"age": "quasi", "codes": "items"},
        hierarchies={"age": {"ranges": [10, 20]}, "codes": {"fanout": 2}},
    )


def trees(n=40):
    random = np.random.default_rng(4)
    people = [
        {"visits": [{"ward": ward, "ill": ill}]}
        for ward, ill in zip(random.choice(list("ABCD"), n), random.choice(["flu", "gout"], n), strict=True)
    ]
    flat = {"visits.ward": {"fanout": 2}, "visits.ill": {"fanout": 2}}
    return shoal.read_trees(people, hierarchies=flat)


@pytest.fixture
def here(monkeypatch):
    """Make points in this process: where the pool is not what is tested, that is quicker."""

    def rows(dataset, points, **ways):
        return (measures.measure_point(dataset, point) for point in points)

    monkeypatch.setattr("shoal.comparison.comparison.measure_points", rows)


CASES = {
    "table": (table, ["optimal", "mondrian"], {"k": [2, 5]}),
    "baskets": (baskets, ["apriori", "pcta"], {"k": [2, 4], "m": [1, 2]}),
    "mixed": (mixed, ["rfirst", "tfirst"], {"k": [2, 4], "m": 1}),
    "trees": (trees, ["gcs", "ocs"], {"k": [2, 4], "m": 1, "n": [0, 1]}),
}


@pytest.mark.parametrize("shape", CASES)
def test_figures_are_those_of_releases_made_one_by_one(shape, request):
    make, methods, sweeps = CASES[shape]
    if shape != "table":  # which shows that figures come back from other processes
        request.getfixturevalue("here")
    data = make()
    found = shoal.compare(data, methods=methods, seed=7, jobs=2, **sweeps)
    assert found.shape == shape
    size = np.prod([len(numbers) if isinstance(numbers, list) else 1 for numbers in sweeps.values()])
    assert len(found.rows) == len(methods) * size
    for row, point in zip(found.rows, found.as_dict()["points"], strict=True):
        numbers = {name: row[name] for name in sweeps}
        release = shoal.anonymize(data, method=row["maker"], seed=7, **numbers)
        assert point["columns"] == release.losses_by_column
        assert not set(point["columns"]) & set(point)  # they stand in an object of their own
        assert row["status"] == "made"
        assert row["judged"] is bool(release.verdict) is True
        assert {name: row[name] for name in release.loss} == release.loss
        assert next(name for name in row if name in release.loss) == "ncp"
        counts = data.counts(release.result.release)
        assert (row["suppressed"], row["classes"]) == (counts["suppressed"], counts["classes"])
        assert row["cpu_seconds"] > 0
        assert row["wall_seconds"] > 0
        assert 0 < row["risk_average"] <= row["risk_highest"] <= 1
        if shape in ("table", "mixed"):
            assert row["below_k"] == 0
            assert row["risk_highest"] <= 1 / row["k"]


def test_a_column_that_is_left_out_is_told_beside_those_that_stay(here):
    frame = pl.DataFrame(
        {"name": list("abcdefgh"), "age": [20, 21, 20, 21, 40, 41, 40, 41], "sex": list("ffffmmmm")}
    )
    roles = {"name": "identifier", "age": "quasi", "sex": "plain"}
    people = shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [10, 20]}})
    found = shoal.compare(people, methods=["optimal"], k=4)
    (lost,) = [point["columns"] for point in found.as_dict()["points"]]
    assert lost["name"] is None
    assert lost["sex"] == 0
    assert 0 < lost["age"] < 1


def test_what_narrow_labels_cost_stands_beside_the_loss(here):
    found = shoal.compare(table(), methods=["mstk", "optimal"], k=3, seed=7)
    rows = {row["maker"]: row for row in found.rows}
    release = shoal.anonymize(table(), method="mstk", k=3, seed=7)
    narrow = shoal.attack(release).outcome_of("lowest-labels")
    assert rows["mstk"]["label_bits"] == pytest.approx(narrow.figures["bits"])
    assert rows["mstk"]["label_alone"] == pytest.approx(narrow.success)
    assert (
        rows["optimal"]["label_bits"] == rows["optimal"]["label_alone"] == 0
    )  # one level for all says nothing
    assert 0 <= rows["mstk"]["singled_out"] <= 1
    assert "singled_out_others" not in rows["mstk"]  # there is nobody else
    assert "What narrow labels reveal" in found.html
    with pytest.warns(shoal.ShoalWarning, match="20 of 60 records"):
        drawn = shoal.compare(table(), methods=["mstk"], k=3, seed=7, sample=20)
    assert 0 <= drawn.rows[0]["singled_out_others"] <= 1
    assert "label_bits" not in shoal.compare(table(), methods=["mstk"], k=3, seed=7, attackers=False).rows[0]


def test_what_cannot_be_made_is_a_hole_with_its_sentence(here):
    found = shoal.compare(table(), methods=["optimal", "mondrian"], k=[2, 100], jobs=1)
    assert [row["status"] for row in found.rows] == ["made", "made", "not possible", "not possible"]
    assert [row["message"] for row in found.missing_points] == [
        f"{maker}: k=100 but the table has 60 records; lower k or add records" for maker in found.makers
    ]
    assert found.table()["ncp"].is_null().to_list() == [False, False, True, True]
    assert "k=100 but the table has 60 records" in found.html.replace("&#39;", "'")
    assert found.as_dict()["points"][-1]["judged"] is False
    json.dumps(found.as_dict())


def test_a_crash_is_a_hole_that_names_the_place_and_no_cell(monkeypatch):
    def broken(*_, **__):
        raise KeyError("a cell")

    monkeypatch.setattr(measures, "_measure_release", broken)
    row = measures.measure_point(Originals(table()), Point("mondrian", {"k": 2}))
    assert row["status"] == "crashed"
    assert "KeyError in comparison/measures.py, line" in row["message"]
    assert "a cell" not in row["message"]


def test_a_process_that_ends_is_a_hole_and_another_takes_its_place(monkeypatch):
    monkeypatch.setattr(pool, "measure_in_worker", worker_cases.end_with_3)
    points = [Point("mondrian", {"k": k}) for k in (2, 3)]
    rows = list(pool.measure_points(Originals(table()), points, jobs=1))
    assert [row["status"] for row in rows] == ["ended", "ended"]
    assert "ended with code 3" in rows[0]["message"]


def test_a_process_that_cannot_compile_is_a_hole_without_a_cell(monkeypatch):
    monkeypatch.setattr(pool, "compile_method", worker_cases.fail)
    (row,) = pool.measure_points(Originals(table()), [Point("mondrian", {"k": 2})], jobs=1)
    assert row["status"] == "ended"
    assert row["message"] == "the process that made it ended with KeyError, please report it"


@pytest.mark.parametrize("give_up", [False, True])
def test_a_point_that_takes_too_long_is_a_hole(monkeypatch, give_up):
    monkeypatch.setattr(pool, "measure_in_worker", worker_cases.sleep)
    points = [Point("mondrian", {"k": k}) for k in (2, 3)]
    first, second = pool.measure_points(Originals(table()), points, jobs=1, seconds=0.2, give_up=give_up)
    assert first["status"] == second["status"] == "too long"
    assert "longer than 0.2 s" in first["message"]
    assert ("not tried" in second["message"]) is give_up


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes")
def test_a_point_that_takes_too_long_ends_at_once_with_its_children(monkeypatch, tmp_path):
    monkeypatch.setattr(pool, "measure_in_worker", worker_cases.sleep_with_child)
    point = Point("mondrian", {"k": 2, "note": str(tmp_path / "pid")})
    begin = time.monotonic()
    (row,) = pool.measure_points(Originals(table()), [point], jobs=1, seconds=2)
    assert row["status"] == "too long"
    assert time.monotonic() - begin < 60  # the point itself, and its child, sleep for longer
    child = int((tmp_path / "pid").read_text())
    assert ends(child)


def test_processes_end_where_nobody_waits_any_more(monkeypatch):
    started = []
    start = pool._WorkerProcess.start
    monkeypatch.setattr(pool._WorkerProcess, "start", lambda self: (start(self), started.append(self)))
    monkeypatch.setattr(pool, "measure_in_worker", worker_cases.sleep_unless_2)
    rows = pool.measure_points(
        Originals(table()), [Point("mondrian", {"k": k}) for k in range(2, 30)], jobs=1
    )
    next(rows)
    begin = time.monotonic()
    rows.close()
    assert time.monotonic() - begin < 10
    assert [process.is_alive() for process in started] == [False]


def test_arrays_come_over_as_they_were():
    """Kernels are compiled for arrays that may or may not be written to."""
    data = table()
    assert data.table.columns[0].codes.flags.writeable is False
    slot = pool._Slot(pickle.dumps(Originals(data), protocol=5), None, 1)
    try:
        worker = slot._open_worker()
        assert worker.submit(worker_cases.flags_of_arrays, None).result() == worker_cases.flags_of(data)
    finally:
        slot.close()


SCRIPT = """
import polars as pl, shoal
print("once")
people = shoal.read(pl.DataFrame({"age": [31, 33, 38, 52]}), roles={"age": "quasi"})
print(shoal.compare(people, methods=["mondrian"], k=[2, 3], jobs=2).table()["status"].to_list())
"""


@pytest.mark.process
def test_a_script_needs_no_guard(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    assert done.stdout == "once\n['made', 'made']\n"
    assert done.stderr == ""


RUNS = """
import time
import numpy as np
import worker_cases
from shoal.base.stopping import install_signal_handlers
from shoal.comparison import pool
from shoal.comparison.measures import Point
install_signal_handlers()
pool.measure_in_worker = worker_cases.say_and_sleep
points = [Point("mondrian", {"k": k, "note": NOTE}) for k in (2, 3)]
list(pool.measure_points(None, points, jobs=2))
"""


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_workers_end_with_the_process_that_started_them(tmp_path, number):
    """At a terminal, Ctrl-C is sent to every process of the group: none but the first says a word."""
    source = RUNS.replace("NOTE", repr(str(tmp_path / "pid")))
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([sys.executable, "-c", source], env=environment(), **how) as running:
        until = time.monotonic() + 120
        while time.monotonic() < until and len(list(tmp_path.glob("pid.*"))) < 2:
            time.sleep(0.05)
        begin = time.monotonic()
        os.killpg(running.pid, getattr(signal, number))
        said = running.communicate(timeout=60)[1]
    assert time.monotonic() - begin < 10
    workers = [int(path.suffix[1:]) for path in tmp_path.glob("pid.*")]
    assert len(workers) == 2
    assert all(ends(worker) for worker in workers)
    if number != "SIGKILL":
        why = {"SIGINT": "interrupted", "SIGTERM": "told to stop"}[number]
        assert said == f"shoal: {why}; nothing half-written is left\n"


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}


def ends(process):
    """Whether a process has ended, or does within some seconds; one that nobody waits for has ended."""
    for _ in range(100):
        try:
            status = Path(f"/proc/{process}/stat").read_text() if sys.platform == "linux" else "? ? ?"
            os.kill(process, 0)
        except (FileNotFoundError, ProcessLookupError):
            return True
        if status.rpartition(")")[2].split()[:1] == ["Z"]:
            return True
        time.sleep(0.1)
    return False


def test_the_makers_that_fit_are_compared():
    makers, left_out = select_methods(table(), None, {"k": (2,)}, {})
    assert makers == ["optimal", "incognito", "mstk", "mondrian", "kmember", "boxes"]
    assert set(left_out) == {"poka", "pareto", "mdav", "column-cut"}
    assert select_methods(table(), None, {"k": (2,), "l": (2,)}, {})[0] == [
        "optimal",
        "mstk",
        "mondrian",
        "kmember",
        "boxes",
    ]
    assert select_methods(mixed(), None, {"delta": (0.5,)}, {"k": 2, "m": 1})[0] == ["bound"]


@pytest.mark.parametrize(
    ("methods", "numbers", "said"),
    [
        (["mondrien"], {"k": (2,)}, "did you mean 'mondrian'"),
        (["gcs"], {"k": (2,)}, "compare: gcs is made for trees, not table"),
        (
            ["incognito"],
            {"k": (2,), "l": (2,)},
            "compare: incognito cannot make a release that keeps l-diversity",
        ),
        (["mondrian"], {"k": (2,), "delta": (0.1,)}, "compare: mondrian takes no delta"),
        ([], {"k": (2,)}, "compare: no method is named"),
        (None, {"k": (1,)}, "give a k of at least 2"),
        (None, {"k": (2,), "n": (1,)}, "n is not used for a table"),
        (None, {"k": (2,), "delta": (0.1,)}, "compare: no method takes all that is asked for"),
    ],
)
def test_what_does_not_fit_is_one_sentence(methods, numbers, said):
    with pytest.raises(InputError, match=said):
        select_methods(table(), methods, numbers, {})


def test_a_parameter_that_nobody_has_is_a_slip():
    with pytest.raises(
        InputError, match=r"no method of such data has a parameter 'supress'.*did you mean 'suppress'"
    ):
        shoal.compare(table(), k=2, supress=0.1)


def test_a_maker_is_given_the_parameters_that_it_has():
    first, second = list_points(
        ["optimal", "mondrian"], {"k": (2,)}, {"suppress": 0.1, "loss": "dm", "recode": "span"}
    )
    assert first.options == {"suppress": 0.1, "loss": "dm", "k": 2}
    assert second.options == {"suppress": 0.1, "recode": "span", "k": 2}


def test_the_recommendation_loses_least_and_tells_of_the_next():
    def row(maker, k, ncp, seconds, status="made"):
        return {"maker": maker, "k": k, "ncp": ncp, "cpu_seconds": seconds, "status": status}

    rows = [
        row("a", 5, 0.1, 20.0),
        row("b", 5, 0.12, 5.0),
        row("c", 5, 0.3, 1.0),
        row("d", 5, None, None, "crashed"),
    ]
    said = _recommend_method(rows, {"k": 5}, "ncp")
    assert said.maker == "a"
    assert str(said) == (
        "use a at k=5: it loses least, 10% of the detail (ncp), in 20 s; the next, b, loses 12% in 5 s; "
        "c takes only 1 s and loses 30%"
    )
    same = _recommend_method([row("a", 5, 0.1, 2.0), row("b", 5, 0.1, 1.0)], {"k": 5}, "ncp")
    assert str(same).startswith("use b at k=5")
    assert str(same).endswith("the next, a, loses the same in 2 s")
    assert str(_recommend_method(rows[:1], {"k": 5}, "ncp")).endswith("and no other method was compared")
    assert str(_recommend_method([rows[0], rows[3]], {"k": 5}, "ncp")).endswith(
        "and no other method made a release there"
    )
    none = _recommend_method(rows, {"k": 7}, "ncp")
    assert none.maker is None
    assert none.sentence == "no method made a release at k=7; the missing points say why"


def test_the_recommendation_is_about_the_configured_numbers_or_the_nearest():
    sweeps = {"k": (2, 3, 10, 20), "m": (1, 2)}
    rows = [{"k": k, "m": m, "status": "made"} for k in (2, 3, 10, 20) for m in (1, 2)]
    assert _reference_point(sweeps, {"k": 10, "m": 2}, rows) == {"k": 10, "m": 2}
    assert _reference_point(sweeps, {"k": 6}, rows) == {"k": 3, "m": 1}
    assert _reference_point(sweeps, {}, rows) == {"k": 3, "m": 1}


def test_of_numbers_that_are_not_configured_the_first_with_a_release_counts():
    rows = [
        {"delta": delta, "status": "made" if delta > 0.3 else "not possible"} for delta in (0.1, 0.5, 0.9)
    ]
    assert _reference_point({"delta": (0.1, 0.5, 0.9)}, {"delta": "knee"}, rows) == {"delta": 0.5}
    assert _reference_point({"delta": (0.1, 0.5, 0.9)}, {}, []) == {"delta": 0.1}


def test_results_and_page_are_written_at_the_end(tmp_path, here):
    data, folder = table(), tmp_path / "compare.private"
    found = shoal.compare(data, methods=["optimal", "mondrian"], k=[2, 100], folder=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["compare.html", "results.csv"]
    assert (folder / "compare.html").read_text() == found.html
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["maker"] for row in written] == ["optimal", "mondrian"] * 2
    assert [row["status"] for row in written] == ["made", "made", "not possible", "not possible"]
    assert [float(row["ncp"]) for row in written[:2]] == [row["ncp"] for row in found.rows[:2]]
    assert (written[0]["judged"], written[3]["ncp"]) == ("yes", "")
    assert folder.stat().st_mode & 0o77 == 0


def test_what_is_interrupted_leaves_nothing(tmp_path, monkeypatch):
    def some(dataset, points, **ways):
        yield measures.measure_point(dataset, points[0])
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.comparison.comparison.measure_points", some)
    with pytest.raises(KeyboardInterrupt):
        shoal.compare(table(), methods=["mondrian"], k=[2, 3], folder=tmp_path / "compare.private")
    assert not list(tmp_path.iterdir())


def test_a_comparison_is_replaced_with_force_alone(tmp_path, here):
    folder, how = tmp_path / "compare.private", {"methods": ["mondrian"], "k": 2, "jobs": 1}
    folder.mkdir()
    shoal.compare(table(), folder=folder, **how)
    before = (folder / "results.csv").read_bytes()
    with pytest.raises(InputError, match=r"is there already, and none is continued.*: force=True"):
        shoal.compare(table(), folder=folder, **how)
    assert (folder / "results.csv").read_bytes() == before
    shoal.compare(table(59), folder=folder, force=True, **how)
    assert (folder / "results.csv").read_bytes() != before


def test_what_an_earlier_version_kept_to_go_on_is_replaced(tmp_path, here):
    folder = tmp_path / "compare.private"
    folder.mkdir()
    (folder / "plan.json").write_text('{"shoal": "0.2.0", "fingerprint": "x"}')
    with pytest.raises(InputError, match="none is continued since"):
        shoal.compare(table(), methods=["mondrian"], k=2, folder=folder)
    shoal.compare(table(), methods=["mondrian"], k=2, folder=folder, force=True)
    assert sorted(path.name for path in folder.iterdir()) == ["compare.html", "results.csv"]


def test_only_a_comparison_is_replaced_and_only_in_a_private_folder(tmp_path):
    other = tmp_path / "other.private"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not a comparison, so it is not replaced"):
        shoal.compare(table(), k=2, methods=["mondrian"], folder=other, force=True)
    with pytest.raises(InputError, match=r"ends in \.private"):
        shoal.compare(table(), k=2, methods=["mondrian"], folder=tmp_path / "compare")
    assert [path.name for path in other.iterdir()] == ["letter.txt"]


def test_rows_need_not_have_the_same_columns(tmp_path):
    first = {"maker": "a", "message": "one, two", "ncp": 1 / 3, "judged": True, "delta": "knee"}
    second = {"maker": "b", "message": "", "ncp": 1, "judged": False, "delta": None, "auc": 0.5}
    write_results(tmp_path / "x.private", [first, second], "", force=False)
    assert (tmp_path / "x.private" / "results.csv").read_text().splitlines() == [
        "maker,message,ncp,judged,delta,auc",
        f'a,"one, two",{1 / 3!r},yes,knee,',
        "b,,1,no,,0.5",
    ]


@pytest.mark.parametrize("make", [table, baskets, mixed, trees])
def test_a_sample_is_so_many_records_that_can_be_released(make):
    data = make()
    few = _sample_dataset(data, 30, draw=1)
    assert few.records == 30
    assert type(few) is type(data)
    first, again, other = (pickle.dumps(_sample_dataset(data, 30, draw=draw).inputs) for draw in (1, 1, 2))
    assert first == again != other
    numbers = {"table": {}, "baskets": {"m": 1}, "mixed": {"m": 1}, "trees": {"m": 1, "n": 0}}[data.shape]
    release = shoal.anonymize(few, k=2, **numbers)
    assert release.verdict
    assert release.manifest["records_in"] == 30
    assert _sample_dataset(data, 10_000, draw=1) is data


def test_a_sample_takes_persons_whole():
    people = pl.DataFrame({"id": [i // 3 for i in range(60)], "age": [20 + i % 9 for i in range(60)]})
    data = shoal.read(people, roles={"id": "identifier", "age": "quasi"}, person="id")
    few = _sample_dataset(data, 30, draw=1)
    assert few.records == 30
    assert set(np.unique(few.table.persons, return_counts=True)[1]) == {3}


def test_a_sample_is_told(here):
    with pytest.warns(
        ShoalWarning,
        match=r"40 of 60 records.*fewer look-alikes.*k=2 here costs about what a k between 2 and 3",
    ):
        found = shoal.compare(table(), methods=["mondrian"], k=2, sample=40)
    assert found.sample == 40
    assert "fewer look-alikes" in found.html


def test_what_is_shown_of_a_comparison(here):
    found = shoal.compare(table(), methods=["optimal", "mondrian"], k=[2, 3, 5], jobs=1)
    assert repr(found).startswith("<Comparison: shape=table, methods=optimal, mondrian, points=6, holes=0")
    shown = found._repr_html_()
    assert shown.count("<tr>") >= 7
    assert found.recommendation.sentence in shown
    assert found.table().shape[0] == 6
    assert found.table().columns[:2] == ["maker", "k"]
    figure = found.plot()
    assert [trace.name for trace in figure.data] == ["optimal", "mondrian"]
    assert list(figure.data[0].x) == [2, 3, 5]
    assert list(figure.data[0].y) == [row["ncp"] for row in found.rows if row["maker"] == "optimal"]
    assert min(found.plot("cpu_seconds").data[0].y) > 0


def test_with_a_target_models_are_tested_on_records_that_are_in_no_release(here):
    pytest.importorskip("sklearn")
    data = table(200)
    with pytest.warns(
        ShoalWarning, match="releases were made from 140 of 200 records.*tested on the other 60"
    ):
        found = shoal.compare(data, methods=["mondrian"], k=5, target="ill", seed=3)
    train, held = split(data, seed=3)
    release = shoal.anonymize(train, method="mondrian", k=5, seed=3).result.release
    figures = table_figures(train, release) | model_figures(train, release, held, "ill")
    assert {name: found.rows[0][name] for name in figures} == figures
    assert found.sample is None
    assert "What models learn" in found.html


def test_a_target_that_is_not_there_is_told_at_once():
    with pytest.raises(InputError, match="no published column 'illness'"):
        shoal.compare(table(), k=2, target="illness")


def test_the_usual_maker_has_a_name():
    assert select_methods(baskets(), ["default", "pcta"], {"k": (2,)}, {"m": 2})[0] == ["apriori", "pcta"]
    assert select_methods(baskets(), ["default"], {"k": (2,)}, {})[0] == ["nonreciprocal"]
    assert select_methods(table(), ["default"], {"k": (2,)}, {"loss": "glm"})[0] == ["optimal"]


@pytest.mark.parametrize(
    ("make", "methods", "numbers", "said"),
    [
        (table, ["boxes", "mondrian"], {"k": 5}, "no recoding along these hierarchies"),
        (baskets, ["apriori", "pcta"], {"k": 5, "m": 2}, "no cut of this hierarchy for all records"),
        (trees, ["ocs", "miracle"], {"k": 12, "m": 1}, "no cut of these hierarchies for all records"),
        (mixed, ["rfirst"], {"k": 5, "m": 1}, "no recoding along these hierarchies"),
    ],
)
def test_a_floor_is_told(make, methods, numbers, said, here):
    """The first of the methods is of the kind that the floor is of."""
    found = shoal.compare(make(), methods=methods, jobs=1, **numbers)
    (lost,) = [row["ncp"] for row in found.rows if row["maker"] == methods[0]]
    facts = found.as_dict()["floor"]
    assert 0 < facts["ncp"] <= lost + 1e-12
    assert facts["times"][methods[0]] == lost / facts["ncp"]
    assert facts["times"].keys() == {name for name in methods if METHODS[name].has_floor}
    assert f"{methods[0]} {lost / facts['ncp']:.2f} times that" in facts["sentence"]
    assert facts["sentence"].startswith(f"{said} loses less than ")
    assert f"% at k={numbers['k']}" in facts["sentence"]
    assert "Times the floor" in found.html
    assert facts["sentence"][1:] in found.html


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("mixed", {"methods": ["rfirst"], "k": 3, "m": 1, "items": "pcta"}),
        ("table", {"methods": ["optimal"], "k": 3}),
        ("table", {"methods": ["mondrian"], "k": 3, "recode": "span"}),
        ("baskets", {"methods": ["lra", "pcta"], "k": 3, "m": 1}),
        ("trees", {"methods": ["miracle"], "k": 3, "m": 1}),
    ],
)
def test_elsewhere_there_is_none(data, options, here):
    found = shoal.compare(globals()[data](), jobs=1, **options)
    assert found.floor is None
    assert found.as_dict()["floor"] == {"ncp": None, "sentence": found.floor_sentence, "times": {}}
    assert found.floor_sentence.startswith(
        "no floor can be given here: one is known for k of at least 2 where "
    )
