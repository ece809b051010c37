"""From a file to a release in a browser."""

import pytest

from page_cases import SHAPES, give, has_axe_faults


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_every_shape_is_looked_at_and_released(page, tmp_path, shape):
    give(page, SHAPES[shape](tmp_path))
    page.get_by_role("button", name="Next: Roles").click()
    page.get_by_role("heading", name="What is each column?").wait_for()
    assert has_axe_faults(page) == []
    page.get_by_role("link", name="Run").click()
    page.get_by_role("button", name="Make the release").click()
    page.get_by_text("its judge says yes").wait_for()
