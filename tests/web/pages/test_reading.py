"""How a file is read, corrected by hand."""

import pytest

from page_cases import give, has_axe_faults

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def office(folder):
    """A table below a title, with a row of totals; give its path."""
    lines = ["Staff of 2024;;", "", "name;age;town"]
    lines += [f"P{i};{20 + i % 40};{('Bern', 'Biel', 'Chur')[i % 3]}" for i in range(60)]
    path = folder / "Büro März.csv"
    path.write_text("\n".join([*lines, "Total;;", ""]), encoding="utf-8")
    return path


def test_what_was_found_can_be_corrected_and_is_kept(page, tmp_path):
    base = give(page, office(tmp_path))
    expect(page.get_by_text("Büro März.csv").first).to_be_visible()  # names keep their spelling
    page.get_by_text("How the file is read").click()
    expect(page.get_by_label("Row with the names of the columns")).to_have_value("3")
    last = page.get_by_label("Last row of the table")
    expect(last).to_have_value("63")
    assert has_axe_faults(page) == []
    last.fill("twelve")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Read it again").click()
    expect(page.get_by_text("rows are counted: give a whole number")).to_be_visible()
    last.fill("33")
    page.get_by_label("Sign before decimals").select_option(",")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Read it again").click()
    expect(page.get_by_text("rows below row 33 left out")).to_be_visible()
    page.goto(f"{base}/run")
    page.get_by_text("as shoal.toml says it").click()
    said = page.locator("pre").inner_text()
    assert "last = 33" in said
    assert 'decimal = ","' in said


def test_what_cannot_be_read_is_told_and_what_was_before_stands(page, tmp_path):
    base = give(page, office(tmp_path))
    page.get_by_text("How the file is read").click()
    page.get_by_label("Row with the names of the columns").fill("500")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Read it again").click()
    expect(page.get_by_role("button", name="Look at the data again")).to_be_visible()
    expect(page.get_by_label("Row with the names of the columns")).to_have_value("3")
    page.goto(f"{base}/roles")
    expect(page.get_by_label("role of town")).to_be_visible()
