"""Every figure is drawn by the plotly.js that the page has, which is older than the report's."""

import json
from pathlib import Path

import pytest

from release_cases import CONFIGS, write_originals
from shoal.base.progress import no_progress
from shoal.web.server.job_folder import FIGURES, JobSpec, Task
from shoal.web.server.worker import _HANDLERS

DRAW = """<!doctype html><script type=module>
import { Plotly } from "/index.js";
const wrong = [];
for (const [name, figure] of Object.entries(await (await fetch("/figures.json")).json())) {
  const box = document.body.appendChild(document.createElement("div"));
  try {
    await Plotly.newPlot(box, figure.data, figure.layout);
    if (!box.querySelector(".point, .scatterlayer path")) wrong.push(`${name}: nothing is drawn`);
  } catch (error) { wrong.push(`${name}: ${error}`); }
  for (const { code, msg } of Plotly.validate(figure.data, figure.layout) || [])
    if (code !== "unused") wrong.push(`${name}: ${msg}`);
}
window.wrong = wrong;
</script>"""

ORDERS = [
    ("run", "table", {}),
    ("run", "vote", {}),
    ("run", "mixed", {}),
    ("run", "trees", {}),
    ("pareto", "table", {}),
    ("pareto", "mixed", {}),
    ("risk", "table", {}),
    ("risk", "trees", {}),
    ("compare", "baskets", {"methods": ["apriori", "pcta"], "sweeps": {"k": "2,4"}, "jobs": 1}),
]


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    found = {}
    for job, kind, options in ORDERS:
        folder = tmp_path_factory.mktemp(job)
        (folder / "work").mkdir()
        write_originals(folder / "work")
        (folder / "work" / "shoal.toml").write_text(CONFIGS[kind])
        _HANDLERS[job](Task(JobSpec(job, None, options), folder / "work", no_progress, folder))
        left = json.loads((folder / FIGURES).read_text())
        found |= {f"{job} of {kind}, {name}": one["figure"] for name, one in left.items()}
    return found


def test_all_of_them(browser, figures):
    nicegui = pytest.importorskip("nicegui", reason="the extra web is not installed")
    script = Path(nicegui.__file__).parent / "elements" / "plotly" / "dist" / "index.js"
    page = browser.new_page()

    def answer(route):
        place = route.request.url.rpartition("/")[2]
        if place == "index.js":
            route.fulfill(path=script, content_type="text/javascript")
        elif place == "figures.json":
            route.fulfill(body=json.dumps(figures), content_type="application/json")
        else:
            route.fulfill(body=DRAW, content_type="text/html")

    page.route("**/*", answer)
    page.goto("http://figures.test/")
    page.wait_for_function("window.wrong")
    assert page.evaluate("window.wrong") == []
    page.close()
