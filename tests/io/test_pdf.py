import re
import shutil
from pathlib import Path

import pytest

from shoal.base.errors import InputError
from shoal.io import pdf

PAGE = "<!doctype html><title>Two</title><style>h1 { break-after: page; }</style><h1>one</h1><p>two"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    place = tmp_path / "report.html"
    place.write_text(PAGE, encoding="utf-8")
    return place


@pytest.mark.browser
@pytest.mark.skipif(not any(map(shutil.which, pdf._NAMES)), reason="no chromium or chrome on this machine")
def test_a_page_is_printed_and_names_no_machine(page: Path, tmp_path: Path):
    pdf.print_page(page, tmp_path / "report.pdf")
    made = (tmp_path / "report.pdf").read_bytes()
    assert made.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", made)) == 2
    assert re.search(rb"/Creator ?\(shoal\)", made)


def test_without_a_browser_there_is_a_sentence(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(pdf, "_PLACES", ())
    with pytest.raises(InputError, match="pdf: no Chromium or Chrome is installed"):
        pdf.print_page(page, tmp_path / "report.pdf")


def test_a_browser_that_fails_is_told(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "find_browser", lambda: str(shutil.which("false")))
    with pytest.raises(InputError, match=r"pdf: the browser did not print report\.html"):
        pdf.print_page(page, tmp_path / "report.pdf")
    assert not (tmp_path / "report.pdf").exists()
