"""The notebooks in examples/ run from the top to the end, and hold no outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


@pytest.mark.follow
@pytest.mark.filterwarnings("ignore")  # of the kernel's own packages
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    last = notebook.cells[-1]
    assert last.source.startswith("!shoal verify")
    assert "verdict   yes" in "".join(out.get("text", "") for out in last.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_no_outputs(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert cells
    assert not any(cell.outputs or cell.execution_count for cell in cells)


def test_there_is_one_for_each_shape():
    assert [path.stem for path in NOTEBOOKS] == ["baskets", "mixed", "table", "trees"]
