"""The first screen: example data, projects that are opened again, files that are refused."""

import json

import pytest

from page_cases import give, has_axe_faults, people

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def start(page):
    page.goto(page.url.split("/project/")[0])
    page.get_by_role("heading", name="What do you want to publish?").wait_for()


def test_a_project_is_saved_and_opened_again(page, tmp_path):
    data = people(tmp_path)
    give(page, data)
    page.get_by_role("link", name="Attacker", exact=True).click()
    page.get_by_label("At least this many people must look alike").fill("4")
    page.get_by_text("at least 3 others").wait_for()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Save the project").click()
    assert coming.value.suggested_filename == "people.shoal"
    saved = tmp_path / "people.shoal"
    saved.write_bytes(coming.value.path().read_bytes())
    assert "Person" not in saved.read_text()
    start(page)
    page.set_input_files("input[data-send=file]", saved)
    page.get_by_text("The project people.csv is open.").wait_for()
    assert has_axe_faults(page) == []
    page.set_input_files("input[data-send=file]", data)
    page.get_by_text("taken for").wait_for()
    page.get_by_role("link", name="Attacker", exact=True).click()
    expect(page.get_by_label("At least this many people must look alike")).to_have_value("4")

    saved.write_text(json.dumps({"shoal project": 1}))
    start(page)
    page.set_input_files("input[data-send=file]", saved)
    page.get_by_role("alert").filter(has_text="no project that shoal saved").wait_for()
    expect(page.get_by_text("is open.")).to_have_count(0)


def test_example_data_are_one_click_away_and_refused_files_are_not_listed(page, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    start(page)
    page.set_input_files("input[data-send=file]", tmp_path / "empty.csv")
    page.get_by_role("alert").filter(has_text="empty").wait_for()
    start(page)
    expect(page.get_by_role("link", name="empty.csv")).to_have_count(0)
    page.get_by_role("button", name="Try it with example data").click()
    page.get_by_text("taken for").wait_for()
    page.get_by_text("2,000").first.wait_for()
    start(page)
    expect(page.get_by_role("link", name="patients.csv").first).to_be_visible()
