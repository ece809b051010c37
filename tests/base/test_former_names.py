"""Names that results had in 0.3 still work, say what they are called now, and are used nowhere in the house."""

import ast
import inspect
from dataclasses import fields, is_dataclass
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.base.former_names import FormerName

RENAMED = {
    shoal.Release: {
        "spent": "step_seconds",
        "truth": "check_truth",
        "together": "judge_with_earlier",
        "useful": "measure_usefulness",
        "others": "cheaper_methods",
    },
    shoal.Front: {
        "spent": "step_seconds",
        "said": "summary",
        "shown": "printable_table",
        "usual": "default_index",
    },
    shoal.MixedFront: {"said": "summary", "shown": "printable_table", "usual": "default_index"},
    shoal.Comparison: {"holes": "missing_points", "floor_said": "floor_sentence"},
    shoal.Attack: {
        "shown": "outcomes",
        "above": "attackers_above",
        "only": "pick_attacker",
        "named": "outcome_of",
    },
}
RIDDLES = {"spent", "together", "again", "look", "truth", "useful", "holes", "said", "shown", "usual"}


def public_names(kind):
    """The public attributes and methods of a class, without names that it had."""
    names = {name for name in dir(kind) if not name.startswith("_")}
    names |= {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    return {name for name in names if not isinstance(inspect.getattr_static(kind, name, None), FormerName)}


@pytest.mark.parametrize(("kind", "name_by_former"), RENAMED.items())
def test_a_former_name_leads_to_a_public_one(kind, name_by_former):
    for former, name in name_by_former.items():
        assert inspect.getattr_static(kind, former).name == name
        assert name in public_names(kind)


def test_results_have_no_riddles_among_their_public_names():
    results = (*RENAMED, shoal.Risk, shoal.Verdict, shoal.Proposal)
    assert {
        kind.__name__: public_names(kind) & RIDDLES for kind in results if public_names(kind) & RIDDLES
    } == {}


def test_a_former_name_works_and_warns():
    people = pl.DataFrame({"age": [31, 31, 40, 40]})
    release = shoal.anonymize(people, k=2, quasi="age")
    with pytest.warns(
        DeprecationWarning, match=r"^Release\.spent is called step_seconds now; .* goes in 0\.4$"
    ):
        assert release.spent == release.step_seconds
    with pytest.warns(DeprecationWarning, match="judge_with_earlier"):
        assert release.together(release.frame)
    column = shoal.propose(people)["age"]
    with pytest.warns(DeprecationWarning, match=r"^ColumnProposal\.look is called advice"):
        column.look = "look here"
    assert column.advice == "look here"


def test_the_house_uses_no_former_name():
    home = Path(shoal.__file__).parent
    unique = {"floor_said", "spent", "holes"}
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in home.rglob("*.py")]
    used = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert used & unique == set()
