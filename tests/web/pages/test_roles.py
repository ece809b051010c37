"""The screen on which people say what each column is."""

from page_cases import give


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
