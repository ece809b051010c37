"""The screen on which people say what somebody may know."""

import pytest

from page_cases import SHAPES, give, has_axe_faults

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PROMISE = "what is promised"


@pytest.fixture
def at(page, tmp_path):
    """Go to the screen with a file of a shape."""

    def go(shape, step="attacker"):
        base = give(page, SHAPES[shape](tmp_path))
        page.goto(f"{base}/{step}")
        page.get_by_role("heading", level=1).wait_for()
        return base

    return go


def promised(page):
    return page.get_by_role("region", name=PROMISE)


def decided(page, base):
    """What the configuration says, as the run screen shows it."""
    page.goto(f"{base}/run")
    page.get_by_text("as shoal.toml says it").click()
    return page.locator("pre").inner_text()


def test_a_number_changes_the_promise_and_the_configuration(page, at):
    base = at("table")
    expect(promised(page)).to_contain_text(
        "In age, sex and zip, every record looks the same as at least 10 others, and every class holds"
    )
    page.get_by_label("At least this many people must look alike").fill("8")
    expect(promised(page)).to_contain_text("at least 7 others")
    page.get_by_label("their values differ").uncheck()
    expect(promised(page)).not_to_contain_text("values of diagnosis")
    page.get_by_label("their values differ").check()
    page.get_by_label("There must be at least this many different").fill("2")
    expect(promised(page)).to_contain_text("at least 2 values of diagnosis")
    assert page.get_by_label("At least this many people must look alike").input_value() == "8"
    assert "k = 8\nl = 2" in decided(page, base)
    page.goto(f"{base}/attacker")  # back again, nothing is lost
    assert page.get_by_label("There must be at least this many different").input_value() == "2"
    assert page.get_by_label("their values differ").is_checked()


def test_a_number_that_was_typed_last_is_kept_where_the_next_step_is_taken_at_once(page, at):
    base = at("table")
    page.get_by_label("At least this many people must look alike").fill("8")
    page.get_by_role("link", name="Next: Risk").click()
    page.get_by_role("heading", level=1, name="How exposed are these people now?").wait_for()
    assert "k = 8\n" in decided(page, base)


def test_what_few_ask_for_is_folded_away_until_it_is_asked_for(page, at):
    base = at("table")
    beta = page.get_by_label("much likelier among look-alikes than among all")
    expect(beta).to_be_hidden()
    expect(page.get_by_label("their values differ")).to_be_visible()
    page.get_by_text("More promises").click()
    beta.check()
    expect(promised(page)).to_contain_text("times as frequent")
    page.goto(f"{base}/attacker")
    expect(beta).to_be_visible()  # what is asked for is not hidden


def test_somebody_may_know_a_few_columns(page, at):
    base = at("table", "roles")
    page.get_by_label("role of zip").select_option("known")
    page.get_by_text("you say so").wait_for()
    page.goto(f"{base}/attacker")
    page.get_by_text("Those of which somebody may know a few: zip").wait_for()
    expect(page.get_by_role("radio")).to_have_count(1)
    expect(page.get_by_label("and a few that only somebody may know")).to_be_checked()
    expect(promised(page)).to_contain_text("knows any 2 known columns")
    page.get_by_label("may also know up to this many known columns").fill("1")
    expect(promised(page)).to_contain_text("knows all quasi-identifiers of a person and any one known column")
    page.get_by_text("More: the method").click()
    expect(page.get_by_label("Groups of a column must not overlap")).to_have_count(0)
    assert "known_at_once = 1" in decided(page, base)
    page.get_by_role("button", name="Make the release").click()
    page.get_by_text("The release is made, and its judge says yes.").wait_for()
    page.get_by_text("known column").first.wait_for()


def test_groups_can_be_asked_for_that_do_not_overlap(page, at):
    base = at("table")
    page.get_by_text("More: the method").click()
    page.get_by_label("Groups of a column must not overlap").check()
    page.goto(f"{base}/attacker")
    page.get_by_text("More: the method").click()
    expect(page.get_by_label("Groups of a column must not overlap")).to_be_checked()
    names = (
        page.get_by_label("Method", exact=True)
        .locator("option")
        .evaluate_all("them => them.map(one => one.value)")
    )
    assert "mondrian" not in names
    assert "optimal" in names
    assert "tables = true" in decided(page, base)


def test_it_works_by_keyboard(page, at):
    at("trees")
    first = page.get_by_role("radio").first
    expect(first).to_be_checked()
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio").last).to_be_checked()
    expect(promised(page)).to_contain_text("0 ancestor relations")
    page.keyboard.press("Tab")  # who gets the release
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "number"
    page.keyboard.press("ArrowUp")
    expect(promised(page)).to_contain_text("finds at least 12 records")


def test_what_needs_something_sensitive_waits_for_it(page, at):
    at("trees")
    assert page.get_by_label("Nobody may learn the sensitive value").is_disabled()
    page.get_by_text("say first which field is sensitive").wait_for()


def test_every_parameter_of_a_maker_is_under_more(page, at):
    base = at("table")
    page.get_by_text("More: the method").click()
    maker = page.get_by_label("Method", exact=True)
    assert maker.input_value() == ""
    assert maker.locator("> option").count() == 2
    assert maker.locator("optgroup[label='For researchers'] option").count() > 2
    page.get_by_label("suppress").fill("0.05")
    page.keyboard.press("Tab")
    maker.select_option("mondrian")
    page.get_by_label("recode").select_option("span")
    page.get_by_label("grid").fill("{ age = ")
    page.get_by_text("grid: this cannot be read").wait_for()
    page.get_by_label("grid").fill("5")
    expect(page.get_by_text("grid: this cannot be read")).to_have_count(0)
    page.get_by_label("strict").uncheck()
    page.get_by_label("Format of the data").select_option("parquet")
    page.get_by_label("Whom does a row belong to?").select_option("name")
    said = decided(page, base)
    method = said.partition("[method]")[2].partition("[release]")[0].split("\n")
    assert {'name = "mondrian"', "suppress = 0.05", 'recode = "span"', "grid = 5", "strict = false"} <= set(
        method
    )
    assert 'format = "parquet"' in said
    assert 'person = "name"' in said
    page.get_by_text("What the certificate says").click()
    title = page.get_by_label("What the release is called")
    title.press_sequentially("Wards")
    expect(title).to_be_focused()  # nothing draws it again while somebody types
    page.wait_for_timeout(500)
    assert 'title = "Wards"' in decided(page, base)


def test_it_fits_and_axe_finds_nothing(page, at):
    at("table")
    page.get_by_text("More: the method").click()
    page.get_by_label("Method", exact=True).select_option("mstk")
    for width, colours in ((1280, "light"), (400, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=colours)
        page.reload()
        page.get_by_text("More: the method").click()
        page.get_by_label("rule").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert has_axe_faults(page) == []


def test_who_gets_the_release_sets_k_and_a_k_of_ones_own_is_told(page, at):
    base = at("table")
    who = page.get_by_label("Who gets the release?")
    expect(who).to_have_value("public")
    who.select_option("team")
    expect(promised(page)).to_contain_text("at least 2 others")
    page.get_by_label("At least this many people must look alike").fill("7")
    expect(promised(page)).to_contain_text("at least 6 others")
    expect(who).to_have_value("")
    assert "k = 7" in decided(page, base)
