"""Hierarchies edited in a browser."""

import json
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from page_cases import give, has_axe_faults, trees, visiting

JOBS = ["nurse", "doctor", "clerk", "lawyer", "baker", "cook", "<img src=x onerror=fail()>"]


def write_people(path):
    """A table with a column of words."""
    rows = [f"Person {number},{18 + number % 60},{JOBS[number % 7]}" for number in range(420)]
    path.write_text("name,age,occupation\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def begun(site, tmp_path_factory):
    """The address of a project that most tests share: each begins with a tree of its own."""
    with visiting(site) as page:
        return give(page, write_people(tmp_path_factory.mktemp("begun") / "people.csv"))


def at_jobs(page, url, folder):
    """The screen with the tree of the jobs, which is made flat by a file."""
    page.goto(f"{url}/hierarchies")
    choose(page, "occupation")
    flat = folder / "flat.csv"
    flat.write_text("".join(f"{job};*\n" for job in JOBS))
    page.set_input_files("input[data-send=file]", flat)
    page.get_by_text("Levels: none between").wait_for()
    page.get_by_role("row").nth(8).wait_for()
    return page.get_by_role("treegrid")


def choose(page, column):
    """Choose a column that is not shown yet: choosing draws the screen again."""
    page.locator("#tree-column").wait_for()
    wanted = page.get_by_role("treegrid", name=f"hierarchy of {column}")
    if not wanted.count():
        options = page.locator("#tree-column option").all_inner_texts()
        label = next(one for one in options if one.startswith(column))
        page.locator("#tree-column").select_option(label=label)
    wanted.wait_for()


def group(page, name, *members):
    for member in members:
        page.get_by_label(f"Select {member}", exact=True).check()
    page.get_by_label("Name of the new group").fill(name)
    page.get_by_role("button", name="Group them").click()
    page.get_by_role("row", name=f"Select {name}").wait_for()


def playwright_errors():
    """The library's exceptions; where it is missing these tests are skipped."""
    from playwright import sync_api

    return sync_api


def state_role(page, column, role):
    """State a role, and come back when the data were looked at again."""
    page.get_by_label(f"role of {column}").select_option(role)
    with suppress(playwright_errors().TimeoutError):  # looking again may have ended before anybody sees it
        page.get_by_role("button", name="Cancel").wait_for(timeout=2_000)
    page.get_by_role("link", name="Next: Hierarchies").click()


def line(tree, label):
    """The numbers in the line of a node: people, values."""
    cells = tree.get_by_role("row").filter(has_text=label).first.get_by_role("gridcell").all_inner_texts()
    return cells[1:]


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_values_are_grouped_renamed_moved_and_all_of_it_undone(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    assert has_axe_faults(page) == []
    group(page, "care", "nurse", "doctor")
    assert line(tree, "care") == ["120", "2"]
    tree.get_by_role("row", name="care").dblclick()
    page.get_by_label("New name of care").fill("health")
    page.keyboard.press("Enter")
    tree.get_by_text("health", exact=True).wait_for()
    group(page, "office", "clerk", "lawyer")
    page.get_by_label("Select cook", exact=True).check()
    page.get_by_label("Move to").select_option(label="\u00a0\u00a0\u00a0office")
    press(page, "Move")
    page.get_by_text("Select groups or values").wait_for()
    assert line(tree, "office") == ["180", "3"]
    assert has_axe_faults(page) == []
    for _ in range(4):
        press(page, "Undo")
    tree.get_by_text("health").wait_for(state="detached")
    press(page, "Redo")
    tree.get_by_text("care", exact=True).wait_for()
    press(page, "As proposed")
    page.get_by_role("button", name="As proposed", disabled=True).wait_for()
    assert tree.get_by_text("care").count() == 0


def test_a_line_is_dragged_onto_a_group(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    group(page, "care", "nurse", "doctor")
    tree.get_by_role("row", name="baker").drag_to(tree.get_by_role("row", name="care"))
    tree.get_by_role("row").filter(has_text="180").wait_for()
    assert line(tree, "care") == ["180", "3"]


def test_a_tree_is_edited_with_the_keyboard_alone(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    tree.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.get_by_text("2 selected").wait_for()
    page.get_by_label("Name of the new group").focus()
    page.keyboard.type("first two")
    page.keyboard.press("Enter")
    tree.get_by_text("first two").wait_for()
    page.keyboard.press("Enter")  # the new group is where the keys are
    page.keyboard.type("two of them")
    page.keyboard.press("Enter")
    tree.get_by_text("two of them").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator(".tree-row.active[aria-expanded=true]").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator(".tree-row.active[aria-expanded=false]").wait_for()


def test_a_tree_goes_out_as_csv_and_comes_back(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    group(page, "care", "nurse", "doctor")
    with page.expect_download() as got:
        press(page, "Download as csv")
    assert got.value.suggested_filename == "occupation.csv"
    text = Path(got.value.path()).read_text(encoding="utf-8")
    assert "nurse;care;*\n" in text
    (tmp_path / "mine.csv").write_text(text.replace("care", "hospital"), encoding="utf-8")
    page.set_input_files("input[data-send=file]", tmp_path / "mine.csv")
    tree.get_by_text("hospital").wait_for()
    for name, wrong, said in (
        ("short.csv", "nurse;*\n", "6 value(s) of 'occupation' are not in it"),
        ("odd.csv", "nurse;care;*\nclerk;office;x\n", "does not end in the root"),
    ):
        (tmp_path / name).write_text(wrong)
        page.set_input_files("input[data-send=file]", tmp_path / name)
        page.get_by_role("alert").filter(has_text=said).wait_for()
        assert tree.get_by_text("hospital").count() == 1


def test_levels_are_added_and_removed(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    page.get_by_text("Levels: none between").click()
    page.get_by_role("button", name="Add a level above level 0").click()
    page.get_by_text("Levels: 1 between").click()
    page.get_by_text("Level 1: 7 groups or values").wait_for()
    group(page, "care", "nurse", "doctor")
    page.get_by_text("Levels: 1 between").click()
    page.get_by_text("Level 1: 6 groups or values").wait_for()
    page.get_by_role("button", name="Remove level 1").click()
    page.get_by_text("Levels: none between").wait_for()
    assert tree.get_by_text("care").count() == 0


def test_what_was_found_is_selected(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    page.get_by_label("Search in occupation").fill("ER")
    page.get_by_text("4 found").wait_for()  # clerk, lawyer, baker, onerror
    press(page, "Select what was found")
    page.get_by_text("4 selected").wait_for()
    page.get_by_label("Search in occupation").fill("")
    page.get_by_label("Select lawyer", exact=True).uncheck()
    page.get_by_label("Name of the new group").fill("with er")
    press(page, "Group them")
    tree.get_by_text("with er").wait_for()
    assert line(tree, "with er") == ["180", "3"]


def test_what_cannot_be_done_is_said(page, begun, tmp_path):
    tree = at_jobs(page, begun, tmp_path)
    page.get_by_label("Select nurse", exact=True).check()
    page.get_by_label("Name of the new group").fill("baker")
    press(page, "Group them")
    page.get_by_role("alert").filter(has_text="another group or value has this label").wait_for()
    assert page.get_by_label("Select nurse", exact=True).is_checked()
    assert tree.get_by_text("baker").count() == 1
    page.get_by_label("Move to").select_option(label="*")
    press(page, "Move")
    page.get_by_text("Nothing changed").wait_for()
    assert page.get_by_role("alert").filter(has_text="another group").count() == 0


def test_values_are_grouped_by_buttons(page, tmp_path):
    rows = [f"{2015 + n % 4}-{n % 12 + 1:02}-{n % 28 + 1:02},{18 + n % 60}" for n in range(600)]
    (tmp_path / "stays.csv").write_text("admitted,age\n" + "\n".join(rows) + "\n")
    url = give(page, tmp_path / "stays.csv")
    page.goto(f"{url}/hierarchies")
    choose(page, "admitted")
    tree = page.get_by_role("treegrid")
    press(page, "Months, quarters, years")
    page.get_by_label("quarter").uncheck()
    assert has_axe_faults(page) == []
    press(page, "Group the dates")
    page.get_by_text("Undo takes it back").wait_for()
    tree.get_by_text("2015-Q1").wait_for(state="detached")
    choose(page, "age")
    press(page, "Ranges")
    page.get_by_label("Everything from this number on").fill("70")
    press(page, "Group the numbers")
    page.get_by_label("Search in age").fill(">= 70")
    page.get_by_text("1 found").wait_for()
    press(page, "Quantiles")
    page.get_by_label("How many classes").fill("3")
    page.get_by_role("cell", name="[0, ").wait_for()
    assert has_axe_faults(page) == []
    press(page, "Take these bounds, and declare them public")
    page.get_by_text("0 found").wait_for()
    press(page, "Ranges")
    page.get_by_label("Widths of your own").fill("7")
    press(page, "Group the numbers")
    page.get_by_role("alert").filter(has_text="do not nest").wait_for()


def test_edits_stay_and_are_used(page, site, tmp_path):
    at_jobs(page, give(page, write_people(tmp_path / "people.csv")), tmp_path)
    group(page, "care", "nurse", "doctor")
    page.reload()
    page.get_by_role("row", name="care").wait_for()
    choose(page, "age")
    page.get_by_role("link", name="Roles", exact=True).click()
    state_role(page, "name", "drop")
    choose(page, "occupation")
    page.get_by_role("row", name="care").wait_for()
    page.get_by_role("link", name="Run", exact=True).click()
    press(page, "Make the release")
    page.get_by_text("its judge says yes").wait_for()
    assert "nurse;care;*" in hierarchy_of_last_run(site)


def hierarchy_of_last_run(site):
    """The file that the last run was told to use."""
    import io
    from zipfile import ZipFile

    def ask(path):
        return urlopen(
            Request(f"{site.url}/api/v1{path}", headers={"Authorization": f"Bearer {site.bearer}"})
        )

    run = [one for one in json.load(ask("/jobs")) if one["kind"] == "run"][-1]
    parcel = ZipFile(io.BytesIO(ask(f"/jobs/{run['id']}/configuration").read()))
    assert 'occupation.csv", built = true' in parcel.read("shoal.toml").decode()
    return parcel.read("hierarchies/edited/occupation.csv").decode()


def test_a_second_page_sees_an_edit(page, begun, site, tmp_path):
    at_jobs(page, begun, tmp_path)
    with visiting(site) as other:
        other.goto(page.url)
        other.get_by_role("treegrid").wait_for()
        group(page, "care", "nurse", "doctor")
        other.get_by_role("row", name="care").wait_for()
        press(other, "Undo")
        page.get_by_role("row", name="care").wait_for(state="detached")


def test_people_with_several_values_are_counted_again_after_an_edit(page, tmp_path):
    url = give(page, trees(tmp_path))
    page.goto(f"{url}/hierarchies")
    choose(page, "visits.hospital")
    tree = page.get_by_role("treegrid")
    group(page, "coast", "North", "South")
    assert line(tree, "coast")[0].startswith("up to ")
    press(page, "Count people again")
    page.get_by_text("up to ").wait_for(state="detached")
    assert 144 <= int(line(tree, "coast")[0]) < 271
    press(page, "Undo")
    page.get_by_role("row", name="coast").wait_for(state="detached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_is_not_wider_than_the_window(site, begun, tmp_path, scheme):
    with visiting(site, 400, scheme) as page:
        at_jobs(page, begun, tmp_path)
        page.get_by_label("Select nurse", exact=True).check()
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        assert has_axe_faults(page) == []


def test_twenty_thousand_values_are_usable(page, tmp_path):
    codes = [f"{1000 + 3 * number:05}" for number in range(20_000)]
    rows = [f"{18 + number % 70},{codes[number % 20_000]}" for number in range(60_000)]
    (tmp_path / "big.csv").write_text("age,zip\n" + "\n".join(rows) + "\n")
    url = give(page, tmp_path / "big.csv")
    page.goto(f"{url}/hierarchies")
    page.get_by_role("treegrid").wait_for()
    choose(page, "zip")
    tree = page.get_by_role("treegrid")
    press(page, "Open all")
    assert int(tree.get_attribute("aria-rowcount")) > 20_000
    assert tree.get_by_role("row").count() < 60
    tree.get_by_role("row").nth(2).dblclick()
    page.get_by_label("New name of").fill("the first")
    page.keyboard.press("Enter")
    tree.get_by_text("the first").wait_for()
    page.get_by_label("Search in zip").fill(codes[-1])
    page.get_by_text("1 found").wait_for()
    tree.get_by_text(codes[-1], exact=True).wait_for()


def test_where_nothing_is_made_coarser_the_page_says_so(page, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,note\n" + "".join(f"Person {number},{number % 3}\n" for number in range(50)))
    url = give(page, path)
    page.goto(f"{url}/roles")
    state_role(page, "note", "plain")
    page.get_by_text("No column has a hierarchy").wait_for()
    page.get_by_role("link", name="Look at the roles").click()
    page.get_by_role("heading", name="What is each column?").wait_for()
