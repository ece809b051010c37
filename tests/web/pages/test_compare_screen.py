"""Methods side by side."""

import pytest

from page_cases import SHAPES, give, has_axe_faults

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def chosen(page, *makers):
    """Choose these methods, and k = 2 and 5."""
    for box in page.get_by_role("checkbox").all():
        box.uncheck()
    for name in makers:
        page.get_by_role("checkbox", name=name, exact=True).check()
    asked(page, "2, 5")


def asked(page, k):
    page.get_by_label("How many people must look alike").fill(k)
    page.wait_for_timeout(500)  # a field tells the server a little after the last key
    page.get_by_role("button", name="Compare them").click()


def at(page, shape, folder):
    """The screen with a file of a shape; give the address of its project."""
    base = give(page, SHAPES[shape](folder))
    page.goto(f"{base}/compare")
    page.get_by_role("button", name="Compare them").wait_for()
    return base


def test_the_better_one_is_recommended_and_can_be_used(page, tmp_path):
    base = at(page, "table", tmp_path)
    chosen(page, "optimal")
    expect(page.get_by_role("alert")).to_contain_text("Choose two methods or more.")
    chosen(page, "optimal", "mondrian")
    best = page.get_by_role("listitem").filter(has_text="recommended")
    best.wait_for()
    expect(best).to_contain_text("of the detail is lost")
    assert page.get_by_role("listitem").filter(has_text="chance of finding a person").count() == 2
    expect(page.get_by_text("Use mondrian at k=5: it loses least")).to_be_visible()
    page.locator(".js-plotly-plot").first.wait_for()
    assert has_axe_faults(page) == []
    use = page.get_by_role("button", name="Use mondrian")
    use.click()
    try:
        expect(best).to_contain_text("You use this one", timeout=15_000)
    except AssertionError:  # the browser was busy with its plots: people click again
        use.click()
        expect(best).to_contain_text("You use this one")
    expect(page.get_by_text("You have changed something")).to_have_count(0)
    page.get_by_text("What to compare").click()
    asked(page, "five")
    expect(page.get_by_role("alert").first).to_contain_text("--k takes whole numbers")
    page.goto(f"{base}/run")
    page.get_by_text("as shoal.toml says it").click()
    assert 'name = "mondrian"' in page.locator("pre").inner_text()


def test_other_shapes_too(page, tmp_path):
    at(page, "trees", tmp_path)
    chosen(page, "gcs", "ocs")
    page.get_by_text("recommended").first.wait_for()


def test_it_can_be_cancelled_and_begun_again(page, tmp_path):
    at(page, "table", tmp_path)
    chosen(page, "optimal", "kmember", "mstk")
    for again in (True, False):
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("This was cancelled. Nothing is left of it.").wait_for()
        if again:
            page.get_by_role("button", name="Compare again").click()
