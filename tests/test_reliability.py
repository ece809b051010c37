"""The page on what was tried to break shoal says what the result files say."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[1]
_spec = spec_from_file_location("reliability", ROOT / "benchmarks" / "reliability.py")
assert _spec is not None
assert _spec.loader is not None
reliability = module_from_spec(_spec)
_spec.loader.exec_module(reliability)


def test_the_page_is_written_from_the_results():
    assert (ROOT / "docs" / "evidence" / "reliability.md").read_text(encoding="utf-8") == reliability.page()


def test_a_broken_claim_would_stand_on_it(tmp_path):
    whole = json.loads((reliability.RESULTS / "soak.json").read_text(encoding="utf-8"))
    assert "0 claims" in reliability.page()
    (tmp_path / "soak.json").write_text(json.dumps({**whole, "broken": 7}), encoding="utf-8")
    said = reliability.page(tmp_path)
    assert "7 claims" in said
    assert "## Faults" not in said


def test_releases_that_were_judged_from_memory_are_told(tmp_path):
    whole = json.loads((reliability.RESULTS / "soak.json").read_text(encoding="utf-8"))
    assert "all judged as they were written" in reliability.page()
    formats = {**whole["formats"], "memory": 5}
    (tmp_path / "soak.json").write_text(
        json.dumps({**whole, "formats": formats, "judged": whole["judged"] + 5}), encoding="utf-8"
    )
    assert f"{whole['judged']:,} judged as they were written, the others from memory" in reliability.page(
        tmp_path
    )


def test_attackers_of_narrow_labels_have_the_figures_that_their_page_shows():
    """What docs/reference/attacks.md says of a register, written by hand, is what the result file holds."""
    said = (ROOT / "docs" / "reference" / "attacks.md").read_text(encoding="utf-8")
    found = json.loads((reliability.RESULTS / "narrow.json").read_text(encoding="utf-8"))
    five = {one["method"]: one for one in found["register"] if one["k"] == 5 and "recode" not in one}
    labels = {name: one["by labels"] for name, one in five.items()}
    narrow = {name: one["by narrow labels"] for name, one in five.items() if "by narrow labels" in one}
    assert f"{labels['mstk']} people by the labels of `mstk` and {narrow['mstk']} more" in said
    assert f"{labels['boxes']} and {narrow['boxes']} with `boxes`, {labels['blind']} with `blind`" in said
    assert labels["optimal"] == found["worlds"]["wrong"] == 0


def test_releases_refused_by_chance_are_as_many_as_the_page_says():
    found = json.loads((reliability.RESULTS / "invariance.json").read_text(encoding="utf-8"))
    there, made = (sum(one[what] for one in found) for what in ("there", "made"))
    said = (ROOT / "docs" / "howto" / "several-releases.md").read_text(encoding="utf-8")
    assert f"{there - made} of {there} drawn tables" in said
    assert not any(one["wrong"] for one in found)


def test_somebody_who_is_found_would_stand_on_it(tmp_path):
    written = json.loads((reliability.RESULTS / "attackers_written.json").read_text(encoding="utf-8"))
    assert {one["data"] for one in written} == {"table", "baskets", "mixed", "trees"}
    assert "0 find somebody among fewer than k" in reliability.page()
    written[0]["kept"] = False
    (tmp_path / "attackers_written.json").write_text(json.dumps(written), encoding="utf-8")
    assert "1 find somebody among fewer than k" in reliability.page(tmp_path)


def test_changes_that_no_input_shows_are_counted_apart(tmp_path):
    survived = {
        "a": {"file": "x.py", "change": "", "explained": "Equivalent: it is the same."},
        "b": {"file": "y.py", "change": "", "explained": "Harmless: it is slower."},
        "c": {"file": "z.py", "change": ""},
    }
    told = {"file": "x.py", "line": 3, "before": "a < b", "after": "a > b", "test": "test_x"}
    killed = {"d": told, "e": {**told, "test": None}}
    tried = {"killed": killed, "noticed_since": {}, "survived": survived, "files": 4, "places": 70}
    (tmp_path / "mutants.json").write_text(json.dumps({"door": tried}), encoding="utf-8")
    said = reliability.page(tmp_path)
    assert "| door | 4 | 70 | 5 | 2 | 40.0% | 1 | 50.0% |" in said
    assert "3 not noticed by a test, 1 with no effect on any input" in said
    assert "| `z.py` | not yet explained |" in said
    assert "for 1 also the test" in " ".join(said.split())


def test_every_noticed_change_is_told_and_every_other_explained():
    """No bare number, and of what no test notices a sentence why that leaves nobody less safe."""
    tried = json.loads((reliability.RESULTS / "mutants.json").read_text(encoding="utf-8"))
    assert set(tried) == {"privacy", "door", "guards", "verify", "labels"}
    for package in tried.values():
        for told in package["killed"].values():
            assert told["before"] != told["after"]
            assert (ROOT / told["file"]).exists()
        for told in package["survived"].values():
            assert told["explained"].startswith(("Equivalent: ", "Harmless: "))
