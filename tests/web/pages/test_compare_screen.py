"""Makers side by side."""

import pytest

from page_cases import SHAPES, give, has_axe_faults

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture
def compared(page, tmp_path):
    """Compare two makers on a file of a shape; give the address of the project."""

    def go(shape, *keep):
        base = give(page, SHAPES[shape](tmp_path))
        page.goto(f"{base}/compare")
        page.get_by_role("button", name="Compare them").wait_for()
        for box in page.get_by_role("checkbox").all():
            box.uncheck()
        for name in keep:
            page.get_by_role("checkbox", name=name, exact=True).check()
        page.get_by_label("How many people must look alike").fill("2, 5")
        page.wait_for_timeout(500)
        page.get_by_role("button", name="Compare them").click()
        return base

    return go


def test_the_better_one_is_recommended_and_can_be_used(page, compared):
    base = compared("table", "optimal", "mondrian")
    best = page.get_by_role("listitem").filter(has_text="recommended")
    best.wait_for()
    expect(best).to_contain_text("of the detail is lost")
    assert page.get_by_role("listitem").filter(has_text="chance of finding a person").count() == 2
    expect(page.get_by_text("Use mondrian at k=5: it loses least")).to_be_visible()
    page.locator(".js-plotly-plot").first.wait_for()
    assert has_axe_faults(page) == []
    page.get_by_role("button", name="Use mondrian").click()
    expect(best).to_contain_text("You use this one")
    expect(page.get_by_text("You have changed something")).to_have_count(0)
    page.goto(f"{base}/run")
    page.get_by_text("as shoal.toml says it").click()
    assert 'name = "mondrian"' in page.locator("pre").inner_text()


def test_one_maker_is_no_comparison(page, compared):
    compared("table", "optimal")
    expect(page.get_by_role("alert")).to_contain_text("Choose two makers or more.")


def test_numbers_without_sense_are_told_in_a_sentence(page, compared):
    compared("table", "optimal", "mondrian")
    page.get_by_text("recommended").wait_for()
    page.get_by_text("What to compare").click()
    page.get_by_label("How many people must look alike").fill("five")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Compare them").click()
    expect(page.get_by_role("alert").first).to_contain_text("k")


@pytest.mark.parametrize(("shape", "makers"), [("trees", ("gcs", "ocs"))])
def test_other_shapes_too(page, compared, shape, makers):
    compared(shape, *makers)
    page.get_by_text("recommended").first.wait_for()


def test_it_can_be_cancelled(page, compared):
    compared("table", "optimal", "kmember", "mstk")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("This was cancelled. Nothing is left of it.").wait_for()
    page.get_by_role("button", name="Compare again").click()
    page.get_by_text("recommended").first.wait_for()
