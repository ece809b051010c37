"""The gallery is what its result files say: six sections, each with all its parts and pictures."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
try:
    from benchmarks.gallery import page
    from benchmarks.gallery.sets import KS, SETS
finally:
    sys.path.remove(str(ROOT))

PAGE = (ROOT / "docs" / "evidence" / "gallery.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "pictures"
PARTS = ("Before", "What each k costs", "After", "Attackers", "Certificate", "What an analyst can still do")


def test_the_page_and_its_pictures_are_what_the_results_say():
    kept = page.kept()
    assert [*kept] == [one.name for one in SETS]
    assert page.page(kept) == PAGE
    drawn = dict(page.pictures(kept))
    assert {path.name for path in (PICTURES / "gallery").iterdir()} == {*drawn}
    for name, text in drawn.items():
        assert (PICTURES / "gallery" / name).read_text(encoding="utf-8") == text


def test_every_data_set_has_all_its_parts_and_pictures():
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(sections) == 6
    for one, section in zip(SETS, sections, strict=True):
        assert section.startswith(one.title)
        assert tuple(re.findall(r"^\*\*([^*]+)\.\*\*", section, re.MULTILINE)) == PARTS
        shown = re.findall(r'^--8<-- "([^"]+)"$', section, re.MULTILINE)
        assert len(shown) == 3
        for name in shown:
            assert 0 < (PICTURES / name).stat().st_size < 200_000
        for command in one.commands:
            assert f"\n{command}\n" in section


@pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)
def test_what_was_kept_is_whole_and_no_claim_is_broken(one):
    own = page.kept()[one.name]
    assert [int(k) for k in own["curve"]] == [*KS]
    assert own["holds"]
    inside = [attacker for attacker in own["attackers"] if attacker["inside"]]
    assert inside
    assert all(attacker["kept"] for attacker in inside)
    assert len(own["analysis"]) >= 4
