"""What jobs leave for the page: enough to show, and never an identifier beside the sample."""

import asyncio
import json

import pytest

from cli_cases import point_by_point
from release_cases import CONFIGS, ORIGINALS, write_originals
from shoal.base.progress import no_progress
from shoal.web.server.job_folder import FIGURES, PREVIEW, PREVIEWS, REPORT, RESULT, SAMPLE, JobSpec, Task
from shoal.web.server.worker import _HANDLERS
from web_cases import Threaded, files_of, finish


@pytest.fixture
def do(tmp_path):
    """Do a job of a page on invented people of a kind; give what it found and what it left."""

    def done(job, kind, **options):
        work = tmp_path / "work"
        work.mkdir()
        write_originals(work)
        suppress = "[method]\nsuppress = 0.1\n" if kind == "table" else ""
        (work / "shoal.toml").write_text(CONFIGS[kind] + suppress)
        found = _HANDLERS[job](Task(JobSpec(job, None, options), work, no_progress, tmp_path))
        return found, {path.name: json.loads(path.read_text()) for path in tmp_path.glob("*.json")}

    return done


def drawable(figures):
    """Whether every figure is whole."""
    for one in figures.values():
        assert one["title"]
        assert one["sentence"]
        assert one["words"]
        assert one["figure"]["data"]
        assert one["figure"]["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
        assert len(one["table"]["head"]) == len(one["table"]["rows"][0])
    return True


@pytest.mark.parametrize("kind", [kind for kind in CONFIGS if kind != "persons"])
def test_a_run_leaves_its_words_figures_and_some_records(hasty, do, kind):
    found, left = do("run", kind)
    assert set(left) == {FIGURES, REPORT, PREVIEW}
    assert drawable(left[FIGURES])
    assert left[REPORT]["verdict"]["state"] == "holds"
    assert left[REPORT]["limits"]
    assert left[REPORT]["tables"]["beyond"]["rows"]
    preview = left[PREVIEW]
    assert (preview["records"], len(preview["rows"])) == (60, 20)
    assert preview["suppressed"] == found.facts["suppressed"]
    assert "Ann" not in json.dumps(left)
    if kind == "table":
        assert {"loss-figure", "risk-figure", "classes-figure", "column-0"} <= set(left[FIGURES])


@pytest.mark.parametrize("kind", ["table", "mixed"])
def test_a_front_leaves_its_plot_and_each_point(do, kind):
    found, left = do("pareto", kind)
    assert set(left) == {FIGURES, PREVIEWS}
    assert drawable(left[FIGURES])
    points = found.facts["front"]
    previews = left[PREVIEWS]["points"]
    assert list(previews) == [str(place) for place in range(len(points))]
    assert (left[PREVIEWS]["start"] in range(len(points))) == (kind == "mixed")
    (figure,) = left[FIGURES].values()
    trace = figure["figure"]["data"][0]
    assert len(trace["x"]) == len(points)
    if kind == "table":  # whoever clicks a point of the plot gets its preview
        assert trace["x"] == [previews[str(p)]["method"]["parameters"]["k"] for p in range(len(points))]
    assert "Ann" not in json.dumps(left)


def test_a_picked_point_leaves_what_a_run_leaves(do):
    _, left = do("pareto", "table", pick=4)
    assert set(left) == {FIGURES, REPORT, PREVIEW}


@pytest.mark.parametrize("kind", ["table", "baskets", "mixed", "trees"])
def test_risk_leaves_its_plots(do, kind):
    _, left = do("risk", kind)
    assert set(left) == {FIGURES}
    assert drawable(left[FIGURES])
    assert "found-figure" in left[FIGURES]
    assert "Ann" not in json.dumps(left)


def test_a_comparison_leaves_a_curve_of_which_each_point_is_one_to_make(do, monkeypatch):
    point_by_point(monkeypatch)
    found, left = do("compare", "baskets", methods=["apriori", "pcta"], sweeps={"k": "2,4,1000"})
    assert set(left) == {FIGURES}
    assert drawable(left[FIGURES])
    curve = left[FIGURES]["ncp-k"]["figure"]["data"]
    assert [trace["name"] for trace in curve] == found.facts["makers"] == ["apriori", "pcta"]
    assert curve[0]["x"] == [2, 4, 1000]
    assert curve[0]["y"][2] is None  # no release; the place of a click is still that of its k
    rows = [row for row in found.facts["points"] if row["maker"] == "apriori"]
    assert [row["ncp"] for row in rows[:2]] == curve[0]["y"][:2]


@pytest.mark.parametrize("kind", ["table", "baskets", "trees"])
def test_a_proposal_leaves_the_first_records(tmp_path, kind):
    work = tmp_path / "work"
    work.mkdir()
    write_originals(work)
    task = Task(JobSpec("propose", None, {"data": ORIGINALS[kind]}), work, no_progress, tmp_path)
    found = _HANDLERS["propose"](task)
    left = json.loads((tmp_path / SAMPLE).read_text())
    assert len(left["parts"][0]["rows"]) == 20
    assert "sample" not in found.facts
    assert "Ann0" not in json.dumps(found.facts)


def test_the_result_is_the_same_whether_a_page_looks_or_not(tmp_path, people, monkeypatch):
    monkeypatch.setattr(asyncio, "create_subprocess_exec", Threaded.start)
    facts = {}
    for shown in (True, False):
        done, folder = finish(tmp_path, "pareto", files_of(people), shown=shown)
        assert done["state"] == "done", done
        facts[shown] = json.loads((folder / RESULT).read_text())
        assert (folder / FIGURES).exists() == shown
    assert facts[True] == facts[False]
