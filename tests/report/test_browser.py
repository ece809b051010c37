"""The pages as a real browser draws them."""

from dataclasses import replace
from pathlib import Path

import pytest

from browser_cases import draw_in_browser
from page_cases import BROWSER, has_axe_faults
from shoal.report.facts import Cut, TreeReport
from shoal.report.pages import Audit, audit_html, report_html

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on this machine"),
]


def test_the_audit_is_drawn_in_silence(audit: Audit, tmp_path: Path):
    page, said = draw_in_browser(audit_html(audit), tmp_path)
    assert said == ""
    plots = page.xpath("//*[@data-figure]")
    assert len(plots) == 4
    for plot in plots:
        assert plot.xpath(".//*[local-name() = 'svg'][@class = 'main-svg']")
        assert plot.xpath(".//*[@class = 'point']")
    assert "k (log scale)" in plots[1].text_content()


def test_two_hundred_columns_are_all_drawn(audit: Audit, tmp_path: Path):
    """Those far down the page too, which nobody has looked at."""
    many = {f"column {place}": [("a", 3.0, 2.0), ("b", 1.0, 2.0)] for place in range(200)}
    page, said = draw_in_browser(audit_html(replace(audit, before_after=many)), tmp_path)
    assert said == ""
    plots = page.xpath("//*[@data-figure]")
    assert len(plots) == 203
    assert all(plot.xpath(".//*[@class = 'point']") for plot in plots)


@pytest.mark.parametrize(("scheme", "ink"), [(0, "rgb(230, 235, 240)"), (1, "rgb(31, 45, 58)")])
def test_figures_have_the_colours_of_the_page(audit: Audit, tmp_path: Path, scheme: int, ink: str):
    """Whoever has a dark screen reads light labels, and the other way round."""
    page, said = draw_in_browser(
        audit_html(audit), tmp_path, f"--blink-settings=preferredColorScheme={scheme}"
    )
    assert said == ""
    styles = page.xpath("//*[@data-figure][1]//*[@class = 'xtick']/*[local-name() = 'text']/@style")
    assert styles
    assert all(ink in style for style in styles)


def test_hostile_labels_are_drawn_as_text(hostile: Audit, attacks: tuple[str, ...], tmp_path: Path):
    page, said = draw_in_browser(report_html(hostile.report), tmp_path)
    assert said == ""
    assert page.findtext(".//title") == "Release report"
    drawing = page.xpath("//*[@data-figure]")[2]
    ticks = [tick.text_content() for tick in drawing.xpath(".//*[@class = 'ytick']")]
    assert ticks[:2] == [f"{attack[:25].rstrip()}…" for attack in attacks[:2]]
    assert ticks[2].startswith("%{x} $y$ {{ 7 * 7 }} \ufffdgn")
    assert ticks[3:] == ["<!--<script>", "(missing)", "(empty)"]
    assert not page.xpath("//*[local-name() = 'a' or local-name() = 'b'][not(ancestor::header)]")


@pytest.mark.parametrize(("width", "colours"), [(1280, "dark"), (400, "light")])
def test_report_and_audit_can_be_read_by_everybody(audit: Audit, tmp_path: Path, width: int, colours: str):
    """Axe finds nothing serious, and nothing is wider than the screen."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        screen = {"width": width, "height": 900}
        page = browser.new_page(
            viewport=screen, color_scheme=colours, bypass_csp=True
        )  # axe is a script, too
        for name, text in (("report", report_html(audit.report)), ("audit", audit_html(audit))):
            file = tmp_path / f"{name}.html"
            file.write_text(text, encoding="utf-8")
            page.goto(file.as_uri())
            page.wait_for_function(
                "[...document.querySelectorAll('[data-figure]')].every(f => f.querySelector('.main-svg'))"
            )
            assert has_axe_faults(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()


def test_a_tall_hierarchy_fits_on_a_printed_page(audit: Audit, tmp_path: Path):
    """A drawing does not flow over pages, so it must not be taller than one."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    groups, each = 15, 9  # of each group one value is drawn, and a row says how many are not
    labels = ["all", *(f"group {g}" for g in range(groups)), *(f"value {v}" for v in range(groups * each))]
    up = [-1, *[0] * groups, *(1 + v % groups for v in range(groups * each))]
    records = [None] * (groups + 1) + [groups * each - v for v in range(groups * each)]
    cut = Cut("ill", labels, up, records)
    file = tmp_path / "page.html"
    file.write_text(report_html(replace(audit.report, trees=TreeReport((), [cut]))), encoding="utf-8")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(file.as_uri())
        tallest = (
            "Math.max(...[...document.querySelectorAll('[data-figure]')]"
            ".map((box) => box.getBoundingClientRect().height))"
        )
        assert page.evaluate(tallest) > 1000
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(tallest) <= 861
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(tallest) > 1000
        browser.close()
