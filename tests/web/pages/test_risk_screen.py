"""The screen that tells how exposed people are before anything is done."""

import pytest

from page_cases import SHAPES, give, has_axe_faults

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.mark.parametrize("shape", ["mixed", "trees"])
def test_the_risk_of_other_shapes_is_told(page, tmp_path, shape):
    base = give(page, SHAPES[shape](tmp_path))
    page.goto(f"{base}/risk")
    page.get_by_role("button", name="Measure the risk").click()
    page.get_by_text("What this means:").wait_for()
    page.get_by_role("heading", name="Who can be found, and by what").wait_for()
    page.locator(".js-plotly-plot").first.wait_for()
    assert has_axe_faults(page) == []
    page.reload()  # it is still there
    page.get_by_text("What this means:").wait_for()


def test_columns_and_the_population_are_told_until_something_changes(page, tmp_path):
    base = give(page, SHAPES["table"](tmp_path))
    page.goto(f"{base}/risk")
    page.get_by_role("button", name="Measure the risk").click()
    page.get_by_text("What each column reveals, in numbers").click()
    first = page.get_by_role("region", name="The first gives the most away").get_by_role("row").nth(1)
    expect(first).to_contain_text("age")
    assert "--population" not in page.content()
    page.get_by_text("More: attackers who do not know").click()
    page.get_by_label("How many people are there in all").fill("100000")
    page.get_by_role("button", name="Measure it again").click()
    page.get_by_text("Unique in the population").wait_for()
    page.goto(f"{base}/attacker")
    page.get_by_label("At least this many people must look alike").fill("9")
    page.get_by_text("at least 8 others").wait_for()
    page.goto(f"{base}/risk")
    page.get_by_text("You have changed something since this was made.").wait_for()
