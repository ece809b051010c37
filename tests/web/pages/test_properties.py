"""Text of others on the page."""

from pathlib import Path

import shoal.web.pages


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
