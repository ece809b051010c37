"""The screen on which people say what each column is."""

from page_cases import give, paid, people


def test_one_of_many_columns_is_searched_for(page, tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"answer{number}" for number in range(40)]
    rows = [",".join(str((person * (place + 3)) % 7) for place in range(40)) for person in range(60)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    page.goto(f"{give(page, path)}/roles")
    page.get_by_label("role of answer39").wait_for()
    page.get_by_label("Show only names that hold").fill("Answer7")
    page.get_by_label("role of answer39").wait_for(state="detached")
    role = page.get_by_label("role of answer7")
    assert page.locator("select[data-role]").count() == 1
    role.select_option("drop")
    page.get_by_text("you say so").wait_for()
    assert role.input_value() == "drop"
    assert page.locator("select[data-role]").count() == 1  # what was searched for stays


def test_what_else_is_said_of_a_column_is_decided(page, tmp_path):
    base = give(page, people(tmp_path))
    page.goto(f"{base}/roles")
    page.get_by_label("role of age").select_option("quasi")
    page.get_by_text("you say so").wait_for()
    page.get_by_text("More about one column").click()
    page.get_by_role("combobox", name="Column").click()
    page.get_by_role("option", name="age", exact=True).click()
    weight = page.get_by_label("Weight: how much its loss counts")
    weight.fill("2.5")
    weight.press("Tab")  # whoever leaves the field has typed all of it
    page.goto(f"{base}/run")
    page.locator("pre", has_text="weight = 2.5").wait_for(state="attached")


def test_values_worth_hiding_are_named(page, tmp_path):
    base = give(page, people(tmp_path))
    page.goto(f"{base}/roles")
    page.get_by_text("More about one column").click()
    page.get_by_role("combobox", name="Column").click()
    page.get_by_role("option", name="diagnosis", exact=True).click()
    hidden = page.get_by_label("Values worth hiding")
    hidden.fill("hepatitis, angina")
    hidden.press("Tab")
    page.goto(f"{base}/run")
    page.locator("pre", has_text='hidden = ["hepatitis", "angina"]').wait_for(state="attached")


def test_what_needs_a_decision_stands_on_top_until_it_is_decided(page, tmp_path):
    page.goto(f"{give(page, paid(tmp_path))}/roles")
    page.get_by_text("2 decisions are open").wait_for()
    page.get_by_text("its name suggests employer or department, but its values are amounts").first.wait_for()
    page.get_by_role("button", name="Keep company: others may know it").click()
    page.get_by_text("you say so").wait_for()
    page.get_by_text("1 decision is open").wait_for()
    page.get_by_label("role of income").select_option("sensitive")
    page.get_by_text("1 decision is open").wait_for(state="detached")
