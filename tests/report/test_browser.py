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


def test_pages_are_drawn_in_silence(audit: Audit, hostile: Audit, tmp_path: Path):
    """Nothing is refused by the policy, nothing runs, and labels are text."""
    for text in (audit_html(audit), report_html(hostile.report), audit_html(hostile)):
        page, said = draw_in_browser(text, tmp_path)
        assert said == ""
        assert page.findtext(".//title") in ("Release report", "Audit of a release")
        assert not page.xpath("//*[local-name() = 'a' or local-name() = 'script']")


@pytest.fixture
def browser():
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize(("scheme", "ink"), [("dark", "rgb(230, 235, 240)"), ("light", "rgb(31, 45, 58)")])
def test_figures_have_the_colours_of_the_page(audit: Audit, browser, tmp_path: Path, scheme: str, ink: str):
    """Whoever has a dark screen reads light labels, and the other way round; paper is always white."""
    file = tmp_path / "audit.html"
    file.write_text(audit_html(audit), encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    page.goto(file.as_uri())
    fills = "[...document.querySelectorAll('.plot text.mid:not(.value)')].map(t => getComputedStyle(t).fill)"
    assert {*page.evaluate(fills)} == {ink}
    page.emulate_media(media="print", color_scheme=scheme)
    assert {*page.evaluate(fills)} == {"rgb(31, 45, 58)"}


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_of_a_drawing_is_cut_and_no_two_words_meet(audit: Audit, browser, tmp_path: Path, width: int):
    """The room around a plot is estimated; a browser knows how wide letters are."""
    file = tmp_path / "audit.html"
    file.write_text(audit_html(audit), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(file.as_uri())
    outside = """[...document.querySelectorAll('figure')].flatMap(figure => {
        const room = figure.getBoundingClientRect();
        return [...figure.querySelectorAll('.plot text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.width && (box.left < room.left - 1 || box.right > room.right + 1);
        }).map(text => text.textContent);
    })"""
    assert page.evaluate(outside) == []
    meeting = """[...document.querySelectorAll('.plot')].flatMap(plot => {
        const boxes = [...plot.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
        return boxes.flatMap(([one, a], place) => boxes.slice(place + 1).filter(([other, b]) =>
            a.width && b.width && a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 4 && b.top < a.bottom - 4
        ).map(([other]) => one.textContent + ' / ' + other.textContent));
    })"""
    assert page.evaluate(meeting) == []


@pytest.mark.parametrize(("width", "colours"), [(1280, "dark"), (400, "light")])
def test_report_and_audit_can_be_read_by_everybody(
    audit: Audit, browser, tmp_path: Path, width: int, colours: str
):
    """Axe finds nothing serious, and nothing is wider than the screen."""
    page = browser.new_page(
        viewport={"width": width, "height": 900}, color_scheme=colours, bypass_csp=True
    )  # axe is a script
    for name, text in (("report", report_html(audit.report)), ("audit", audit_html(audit))):
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        page.goto(file.as_uri())
        assert has_axe_faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_tall_hierarchy_fits_on_a_printed_page(audit: Audit, browser, tmp_path: Path):
    """A drawing does not flow over pages, so it must not be taller than one."""
    groups, each = 15, 9  # of each group one value is drawn, and a row says how many are not
    labels = ["all", *(f"group {g}" for g in range(groups)), *(f"value {v}" for v in range(groups * each))]
    up = [-1, *[0] * groups, *(1 + v % groups for v in range(groups * each))]
    records = [None] * (groups + 1) + [groups * each - v for v in range(groups * each)]
    cut = Cut("ill", labels, up, records)
    file = tmp_path / "page.html"
    file.write_text(report_html(replace(audit.report, trees=TreeReport((), [cut]))), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    tallest = "Math.max(...[...document.querySelectorAll('.plot')].map((box) => box.getBoundingClientRect().height))"
    assert page.evaluate(tallest) > 1000
    page.emulate_media(media="print")
    assert page.evaluate(tallest) <= 862
