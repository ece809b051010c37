"""Keys of a configuration, set and taken out."""

from pathlib import Path

import shoal.web.pages
from shoal.web.pages.settings import drop_what_does_not_fit, role_of, set_key, specify


def test_a_key_that_is_taken_out_takes_its_empty_section_along():
    said = {"columns": {"age": "quasi"}, "guarantee": {"k": 5}}
    set_key(said, "method", "name", "mstk")
    set_key(said, "method", "name", None)
    set_key(said, "guarantee", "k", None)
    assert said == {"columns": {"age": "quasi"}, "guarantee": {}}


def test_a_column_has_keys_beside_its_role_or_the_role_alone():
    said = {"columns": {"age": "quasi"}}
    specify(said, "age", {"weight": 2.0})
    assert said["columns"]["age"] == {"role": "quasi", "weight": 2.0}
    specify(said, "age", {"weight": None})
    specify(said, "gone", {"weight": 2.0})
    assert said == {"columns": {"age": "quasi"}}
    assert (role_of(said, "age"), role_of(said, "gone")) == ("quasi", "")


def test_what_fits_stays():
    said = {
        "data": {"person": "id"},
        "columns": {"id": "identifier", "age": "quasi", "ill": "sensitive"},
        "guarantee": {"k": 5, "l": 2},
        "audit": {"target": "ill"},
    }
    before = {section: dict(inner) for section, inner in said.items()}
    assert drop_what_does_not_fit(said, "table") == []
    assert said == before


def test_what_speaks_of_columns_that_are_gone_goes():
    said = {
        "data": {"person": "id", "path": "x.csv"},
        "columns": {"id": "drop", "age": "quasi", "ill": "drop"},
        "guarantee": {"k": 5, "t": 0.2},
        "audit": {"target": "ill"},
    }
    assert len(drop_what_does_not_fit(said, "table")) == 3
    assert said["guarantee"] == {"k": 5}
    assert said["data"] == {"path": "x.csv"}
    trees = {
        "tree": {"negations": ["a", "b"], "hierarchies": {"a": "a.csv"}},
        "guarantee": {"k": 2, "m": 2, "n": 1},
    }
    assert len(drop_what_does_not_fit(trees, "trees")) == 1
    assert trees["tree"]["negations"] == ["a"]


def test_no_text_of_others_is_parsed_as_properties():
    """NiceGUI reads escapes in a string of properties, so a name with a backslash would break the page."""
    home = Path(shoal.web.pages.__file__).parent
    parsed = [
        f"{path.name}: {line.strip()}"
        for path in home.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ".props(f" in line and "share:.3f" not in line
    ]
    assert parsed == []
