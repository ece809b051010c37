"""What manifest, report and audit tell of what nobody decided about, of whole releases."""

import json

import pytest

from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify
from undecided_cases import SHAPES, WHY, asked, write_people, written


@pytest.fixture
def room(tmp_path):
    write_people(tmp_path)
    return tmp_path


@pytest.mark.parametrize("shape", SHAPES)
def test_what_goes_out_as_proposed_is_listed(room, shape):
    _, open_ones, published = SHAPES[shape]
    config = asked(room, shape, ["*", *open_ones])
    run_config(config, room / "out", as_proposed=True)
    assert written(room / "out")["as_proposed"] == ["*", *published]
    sentence = "these were published as shoal proposed, and nobody decided about them"
    report = (room / "out" / "report.html").read_text(encoding="utf-8")
    assert sentence in report.replace("These were", "these were")
    assert "the file as a whole" in report
    assert WHY not in report
    assert WHY not in (room / "out" / "manifest.json").read_text()
    assert json.loads((room / "out.private" / "audit.json").read_text())["undecided"] == dict.fromkeys(
        ["*", *open_ones], WHY
    )
    audit = (room / "out.private" / "audit.html").read_text(encoding="utf-8")
    assert "<b>the file as a whole</b>" in audit
    assert all(f"<b>{name}</b>: {WHY}" in audit for name in open_ones)
    for given_config in (None, load(config)):
        said = verify(room / "out", config=given_config)[1]
        assert not said.judged or said
        assert not said or sentence in said.sentence


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_decided_leaves_no_trace(room, shape):
    """Also where a decision is open about something that is not published, and where only the header is left."""
    for names, folder in (([], "out"), ([n for n in SHAPES[shape][1] if n in ("id", "note")], "again")):
        run_config(asked(room, shape, names), room / folder, as_proposed=bool(names))
        assert "as_proposed" not in written(room / folder)
        assert "nobody decided" not in (room / folder / "report.html").read_text(encoding="utf-8").lower()
