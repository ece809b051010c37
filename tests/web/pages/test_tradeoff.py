"""What each choice costs, and what came out of it: from the plot to the download."""

import json
import re
import shutil
from zipfile import ZipFile

import pytest

from page_cases import SHAPES, give, has_axe_faults, people, visiting
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify

LIGHT_BLUE = "rgb(0, 114, 178)"
FILLS = "points => points.map(point => getComputedStyle(point.querySelector('path') || point).fill)"


def chosen(page):
    return page.get_by_role("heading", name=re.compile("^At ")).inner_text()


def centre(page, number):
    """Where a point of the first plot is drawn."""
    box = (
        page.locator(".js-plotly-plot .scatterlayer .trace")
        .first.locator(".point")
        .nth(number)
        .bounding_box()
    )
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def overflows(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def looked_at(site, place, wait):
    """A screen that is narrow and dark has no serious fault and no overflow."""
    with visiting(site, 400, "dark") as page:
        page.goto(place)
        page.get_by_role("heading", name=wait).wait_for()
        for folded in page.get_by_text("Plots: risk, attackers").all():
            folded.click()
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        assert LIGHT_BLUE not in page.locator(".js-plotly-plot .point").evaluate_all(FILLS)
        return has_axe_faults(page) == [] and not overflows(page)


def test_a_point_of_a_front_is_clicked_taken_and_released(site, page, tmp_path):
    place = give(page, SHAPES["table"](tmp_path))
    page.goto(f"{place}/result")
    page.get_by_text("No release was made yet").wait_for()
    page.goto(f"{place}/tradeoff")
    page.get_by_role("button", name="Show what each choice costs").click()
    page.get_by_role("button", name="Use this").wait_for()
    first = chosen(page)
    assert int(re.search(r"k = (\d+)", first).group(1)) >= 5
    lost = page.locator(".tiles dd.big").first.inner_text()
    assert f"{lost} lost" in first  # the plot, the list and the preview tell the same loss
    assert page.locator("table.pairs tbody tr").count() == 20
    assert "Person" not in page.locator("#main").inner_text()
    assert has_axe_faults(page) == []

    page.mouse.click(*centre(page, 1))
    page.wait_for_function("text => !document.getElementById('main').innerText.includes(text)", arg=first)
    assert chosen(page).startswith("At k = 2")
    page.get_by_label("Choose a point").focus()
    page.keyboard.press("ArrowUp")
    page.get_by_text("such a release cannot be made").wait_for()
    page.get_by_label("Choose a point").select_option(label=first.removeprefix("At "))
    page.get_by_role("button", name="Use this").click()
    page.wait_for_url("**/run")
    page.get_by_text("All that is decided").click()
    assert 'name = "optimal"' in page.locator("pre").inner_text()
    assert 'loss = "ncp"' in page.locator("pre").inner_text()
    k = re.search(r"k = (\d+)", first).group(1)
    assert f"k = {k}" in page.locator("pre").inner_text()

    page.goto(f"{place}/tradeoff")
    page.get_by_role("button", name="Use this").wait_for()
    assert chosen(page) == first
    assert page.get_by_text("You have changed something").count() == 0
    assert looked_at(site, f"{place}/tradeoff", re.compile("^At "))

    page.goto(f"{place}/run")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("link", name="See the result").click()
    page.get_by_text("Confirmed by an independent check").wait_for()
    assert page.locator("table.pairs tbody tr").count() == 6
    page.get_by_text("20 records before and after").click()
    page.locator("table.pairs").nth(1).wait_for()
    assert page.locator("table.pairs tbody tr").count() == 26
    assert page.get_by_role("heading", name="What it cost").count() == 1
    page.get_by_text("Plots: risk, attackers").click()
    assert "Person" not in page.locator("#main").inner_text()
    page.get_by_label("Which to show").select_option(label="sex")
    assert has_axe_faults(page) == []
    with page.expect_download() as release:
        page.get_by_role("link", name="The release (zip)").click()
    assert release.value.suggested_filename == "people-release.zip"
    ZipFile(release.value.path()).extractall(tmp_path / "taken")
    assert verify(tmp_path / "taken" / "release")[1]
    with page.expect_download() as report:
        page.get_by_role("link", name="The certificate (html)").click()
    assert report.value.suggested_filename == "people-report.html"
    assert report.value.path().read_bytes() == (tmp_path / "taken" / "release" / "report.html").read_bytes()
    with page.expect_download() as configuration:
        page.get_by_role("link", name="The configuration (zip)").click()
    again = tmp_path / "again"
    ZipFile(configuration.value.path()).extractall(again)
    shutil.copy(tmp_path / "people.csv", again)
    run_config(again / "shoal.toml", again / "release")
    first, second = (
        json.loads((folder / "release" / "manifest.json").read_text())
        for folder in (tmp_path / "taken", again)
    )
    assert first | {"sha256": None} == second | {"sha256": None}
    assert looked_at(site, f"{place}/result", "Download")


def test_a_bound_of_a_table_with_baskets_is_taken(page, tmp_path):
    place = give(page, SHAPES["mixed"](tmp_path))
    page.goto(f"{place}/tradeoff")
    page.get_by_role("button", name="Show what each choice costs").click()
    page.get_by_role("button", name="Use this").click()
    page.wait_for_url("**/run")
    page.get_by_text("All that is decided").click()
    assert "delta = 0." in page.locator("pre").inner_text()


@pytest.mark.parametrize("shape", ["baskets"])
def test_a_curve_is_made_where_there_is_no_front(page, tmp_path, shape):
    place = give(page, SHAPES[shape](tmp_path))
    page.goto(f"{place}/tradeoff")
    page.get_by_role("button", name="Try several k").click()
    page.get_by_label("Choose a point").wait_for(timeout=180_000)
    assert page.get_by_text("Choose a point to see").count() == 1
    page.get_by_label("Choose a point").select_option(index=2)
    page.get_by_role("button", name="Use this").wait_for()
    assert chosen(page).startswith("At k = 3")
    assert page.locator("table.pairs tbody tr").count() == 20
    page.reload()
    page.get_by_role("button", name="Use this").wait_for()
    assert chosen(page).startswith("At k = 3")
    page.get_by_role("button", name="Use this").click()
    page.wait_for_url("**/run")
    page.get_by_text("All that is decided").click()
    assert "k = 3" in page.locator("pre").inner_text()


def test_a_column_is_left_out_by_a_click(page, tmp_path):
    url = give(page, people(tmp_path))
    page.goto(f"{url}/tradeoff")
    page.get_by_role("button", name="Try it").click()
    page.get_by_text("instead of").first.wait_for()
    assert has_axe_faults(page) == []
    page.get_by_role("button", name="Leave out zip").click()
    page.get_by_text("You have changed something").wait_for()
    page.get_by_role("button", name="Try it again").wait_for()
    page.goto(f"{url}/roles")
    assert page.get_by_label("role of zip").input_value() == "drop"
