"""The whole way in a browser, for every shape: from a file to a release that stands on the command line too."""

import json
import re
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

from page_cases import SHAPES, give, has_axe_faults, paid, people, visiting
from shoal.cli import shoal
from shoal.web.pages.frame import STEPS

BEYOND = re.compile("Anyone who knows .* (can find|finds nobody alone)")
"""How many are found by whoever knows all of a person: beside the tick wherever the claim assumes less."""


def command(*words):
    """A command, in this process: what it prints is told where it fails."""
    done = CliRunner().invoke(shoal, [*map(str, words)])
    assert done.exit_code == 0, done.output


def fetched(page, name, folder):
    """Download by a button's name, unpacked."""
    with page.expect_download() as coming:
        page.get_by_role("link", name=name).click()
    with ZipFile(coming.value.path()) as parcel:
        parcel.extractall(folder)


def on(page, name, heading):
    page.get_by_role("link", name=f"Next: {name}").click()
    title = page.get_by_role("heading", level=1, name=heading)
    title.wait_for()
    expect(title).to_be_focused()  # a screen reader tells where it is now


@pytest.mark.parametrize("shape", SHAPES)
def test_from_a_file_to_a_release_that_the_command_line_makes_again(page, tmp_path, shape):
    data = SHAPES[shape](tmp_path)
    give(page, data)
    assert page.get_by_text("The first records").is_visible()
    on(page, "Roles", "What is each column?")
    on(page, "Hierarchies", "How may values become coarser?")
    on(page, "Attacker", "Who might look for somebody?")
    page.get_by_label("At least this many people must look alike").fill("4")
    page.keyboard.press("Tab")
    on(page, "Risk", "How exposed are these people now?")
    on(page, "Trade-off", "What does each choice cost?")
    on(page, "Run", "Make the release")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("link", name="See the result").wait_for()
    expect(page.get_by_text(BEYOND)).to_have_count(int(shape != "table"))
    page.get_by_role("link", name="See the result").click()
    page.get_by_role("heading", level=1, name="Your release").wait_for()
    expect(page.get_by_text(BEYOND)).to_have_count(int(shape != "table"))
    page.get_by_text("Judged: the claim is kept").wait_for()

    page_release, again = tmp_path / "page", tmp_path / "again"
    fetched(page, "The release", page_release)
    command("verify", page_release / "release")
    fetched(page, "The configuration", again)
    (again / data.name).write_bytes(data.read_bytes())
    command("run", again / "shoal.toml", "--out", again / "release")
    one, other = (
        json.loads((place / "release" / "manifest.json").read_text()) for place in (page_release, again)
    )
    assert one["claim"].get("claims", [one["claim"]])[0]["k"] == 4
    for manifest in (one, other):
        del manifest["sha256"]
        manifest.pop("date", None)
    assert one == other


def test_a_click_on_next_counts_before_the_page_is_connected(page, tmp_path):
    """On a busy machine that takes seconds, in which a screen looks ready."""
    base = give(page, people(tmp_path, 60))
    page.route_web_socket("**/*", lambda socket: None)  # it is opened, and nobody answers
    page.goto(f"{base}/attacker")
    page.get_by_role("link", name="Next: Risk").click()
    page.get_by_role("heading", level=1, name="How exposed are these people now?").wait_for(timeout=15_000)
    page.get_by_role("link", name="Back: Attacker").click()
    page.get_by_role("heading", level=1, name="Who might look for somebody?").wait_for(timeout=15_000)


def test_what_nobody_decided_goes_out_with_a_click_alone(page, tmp_path):
    base = give(page, paid(tmp_path))
    page.goto(f"{base}/run")
    make = page.get_by_role("button", name="Make the release")
    page.get_by_text("2 decisions are open").wait_for()
    page.get_by_text("Decide first, or tick the box above.").wait_for()
    expect(make).to_be_disabled()
    assert page.get_by_text("All is decided").count() == page.get_by_text("All that is decided").count() == 0
    assert not has_axe_faults(page)
    page.get_by_label("Publish these as proposed").check()
    expect(make).to_be_enabled()
    page.get_by_label("Publish these as proposed").uncheck()
    expect(make).to_be_disabled()
    page.get_by_label("Publish these as proposed").check()
    expect(make).to_be_enabled()
    make.click()
    page.get_by_role("link", name="See the result").click()
    page.get_by_text("nobody decided about them: 'company', 'income'").wait_for()
    page.get_by_text("shoal run --as-proposed").wait_for()
    fetched(page, "The release", tmp_path)
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["as_proposed"] == ["company", "income"]

    page.goto(f"{base}/roles")
    for name in ("company", "income"):
        page.get_by_role("button", name=f"Keep {name}").click()
        page.get_by_role("button", name=f"Keep {name}").wait_for(state="detached")
    page.get_by_text("you say so").nth(1).wait_for()
    page.goto(f"{base}/run")
    page.get_by_text("All that is decided").wait_for()
    assert page.get_by_label("Publish these as proposed").count() == 0
    make.click()
    page.get_by_text("You have changed something").wait_for(state="detached")
    page.get_by_role("link", name="See the result").click()
    page.get_by_text("Judged: the claim is kept").wait_for()
    assert page.get_by_text("nobody decided").count() == 0


def test_a_release_that_tells_nothing_goes_out_with_a_click_alone(page, tmp_path):
    (tmp_path / "few.csv").write_text("age\n" + "".join(f"{20 + 4 * place}\n" for place in range(15)))
    base = give(page, tmp_path / "few.csv")
    page.goto(f"{base}/run")
    make = page.get_by_role("button", name="Make the release")
    ask = page.get_by_label("Publish these as proposed")
    make.wait_for()
    if ask.count():
        ask.check()
    make.click()
    page.get_by_text("nothing is left: in 15 of 15").wait_for()
    assert not has_axe_faults(page)
    page.get_by_role("button", name="Publish it all the same").click()
    page.get_by_role("link", name="See the result").click()
    page.get_by_text("shoal run --allow-empty").wait_for()


def test_every_screen_is_for_everybody(site, tmp_path):
    """Narrow and dark too: nothing is wider than the window, and axe finds nothing serious."""
    with visiting(site) as page:
        home = give(page, people(tmp_path))
    for colours, width in (("light", 1280), ("dark", 400)):
        with visiting(site, width, colours) as page:
            assert has_axe_faults(page) == []
            for step in STEPS:
                page.goto(f"{home}/{step}")
                page.get_by_role("heading", level=1).wait_for()
                page.wait_for_function("!document.querySelector('.working:not([hidden])')")
                assert has_axe_faults(page) == [], step
                assert page.evaluate("document.documentElement.scrollWidth") <= width, step


def test_a_folder_of_tables_and_a_database_are_looked_at(page, tmp_path):
    import sqlite3

    folder = tmp_path / "clinic"
    folder.mkdir()
    visits = "".join(f"{i},{i % 60},{('flu', 'angina')[i % 2]}\n" for i in range(120))
    patients = "".join(f"{i},{('North', 'South')[i % 2]}\n" for i in range(60))
    (folder / "patients.csv").write_text("patient_id,town\n" + patients)
    (folder / "visits.csv").write_text("visit_id,patient_id,diagnosis\n" + visits)
    page.get_by_text("Or take what is on this machine").click()
    page.get_by_label("Path").fill(str(folder))
    page.get_by_role("button", name="Look at it").first.click()
    page.get_by_text("record trees").first.wait_for()

    with sqlite3.connect(tmp_path / "town.db") as base:
        base.execute("CREATE TABLE people (name TEXT, age INTEGER, town TEXT)")
        base.executemany(
            "INSERT INTO people VALUES (?, ?, ?)", [(f"P{i}", 20 + i % 50, "AB"[i % 2]) for i in range(300)]
        )
    base.close()
    page.goto(page.url.split("/project/")[0])
    page.get_by_text("Or take what is on this machine").click()
    page.get_by_label("URL").fill(f"sqlite:///{tmp_path / 'town.db'}")
    page.get_by_role("button", name="Look at it").last.click()
    page.get_by_text("taken for").wait_for()
    assert page.get_by_text("300", exact=True).is_visible()


def test_what_leads_nowhere_is_told_on_the_first_screen(page):
    page.get_by_text("Or take what is on this machine").click()
    page.get_by_label("Path").fill("/no/such/file.csv")
    page.keyboard.press("Enter")
    page.get_by_text("there is no such file or folder").wait_for()
