"""What the page does with wrong tokens, large files, strange names, reloads, several tabs and cancelled jobs."""

import re

import pytest
from playwright.sync_api import expect

from page_cases import give, people, serving, visiting


def test_whoever_has_no_token_sees_that_one_is_needed(site):
    context = site.browser.new_context()
    page = context.new_page()
    answer = page.goto(site.url)
    assert answer.status == 401
    page.get_by_text("This page opens with the address that shoal printed").wait_for()
    context.close()


def test_a_wrong_token_opens_nothing_and_vanishes_from_the_address(site):
    context = site.browser.new_context()
    page = context.new_page()
    page.goto(f"{site.url}/#wrong")
    page.get_by_text("This address was used before").wait_for()
    assert "#" not in page.url
    assert not context.storage_state()["origins"]
    context.close()


def test_reloading_and_a_second_tab_lose_nothing(site, tmp_path):
    with visiting(site) as first:
        home = give(first, people(tmp_path))
        first.goto(f"{home}/roles")
        first.get_by_label("role of zip").select_option("drop")
        first.get_by_text("you say so").wait_for()
        first.reload()
        first.get_by_text("you say so").wait_for()
        assert first.get_by_label("role of zip").input_value() == "drop"
        second = first.context.new_page()
        second.goto(f"{home}/roles")
        second.get_by_label("role of sex").select_option("plain")
        expect(first.get_by_label("role of sex")).to_have_value("plain")
        assert first.get_by_label("role of zip").input_value() == "drop"


def test_a_job_that_is_cancelled_ends_and_can_be_begun_again(page, tmp_path):
    home = give(page, people(tmp_path, n=3000))
    page.goto(f"{home}/run")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("This was cancelled").wait_for()
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("button", name="Cancel").wait_for()
    page.reload()
    page.get_by_text("its judge says yes").wait_for()


def test_a_file_that_is_too_large_is_refused_with_a_sentence(browser, tmp_path):
    with serving(tmp_path, "--limit", "1") as (_, address, _):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        page.get_by_role("heading", name="What do you want").wait_for()
        large = tmp_path / "large.csv"
        large.write_bytes(b"a,b\n" + b"1,2\n" * 600_000)
        page.set_input_files("input[data-send=file]", large)
        page.get_by_text("This has more than 1,000,000 bytes").wait_for()
        context.close()


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>.csv", "a\u202egpj.csv", "../../people.csv", "'\"; rm -rf.csv"]
)
def test_hostile_names_of_files_are_shown_as_text(page, tmp_path, name):
    path = people(tmp_path)
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page.set_input_files(
        "input[data-send=file]", {"name": name, "mimeType": "text/csv", "buffer": path.read_bytes()}
    )
    page.get_by_text("taken for").wait_for()
    shown = page.locator(".brand span").inner_text()
    assert shown.endswith("csv")
    assert not re.search(r"[<>\u202e\"]", shown)


def test_hostile_cells_and_columns_are_shown_as_text(page, tmp_path):
    path = tmp_path / "people.csv"
    ills = ("flu", "gout", "mumps")
    rows = "".join(f"{20 + i % 40},<b>x{i % 3}</b>,{i % 2},{ills[i * i % 7 % 3]}\n" for i in range(200))
    path.write_text("age\\x,<img src=x onerror=alert(1)>,dir\\users,diagnosis\n" + rows)
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    home = give(page, path)
    page.goto(f"{home}/roles")
    page.get_by_text("<img src=x onerror=alert(1)>", exact=True).first.wait_for()
    page.goto(f"{home}/run")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_text("its judge says yes").wait_for()
    for step, words in (("risk", "What this means"), ("result", "Judged: the claim is kept")):
        page.goto(f"{home}/{step}")
        if page.locator("main .empty button").count():
            page.locator("main .empty button").click()
        page.get_by_text(words).first.wait_for()
        assert page.locator("img[src=x]").count() == 0


def test_what_cannot_be_read_is_told_in_one_sentence(page, tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("")
    page.set_input_files("input[data-send=file]", path)
    alert = page.get_by_role("alert").filter(has_text="empty.csv")
    alert.wait_for()
    assert "Traceback" not in page.content()


@pytest.mark.process
def test_the_private_folder_is_gone_when_the_server_ends(tmp_path):
    with serving(tmp_path) as (process, _, _):
        assert len(list(tmp_path.iterdir())) == 1
    assert process.returncode == 143
    assert list(tmp_path.iterdir()) == []
