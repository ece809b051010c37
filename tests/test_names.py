"""Identifiers are the field's nouns: a name of a class is of one class, and no participle alone names anything."""

import ast
import re
from collections import Counter
from pathlib import Path

import shoal

HOME = Path(shoal.__file__).parent
TREES = {path.relative_to(HOME): ast.parse(path.read_text(encoding="utf-8")) for path in HOME.rglob("*.py")}
PARTICIPLES = set("told found seen held kept made counted asked stated said known".split())


def classes():
    return [node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_one_class_has_one_name():
    assert [name for name, many in Counter(classes()).items() if many > 1] == []


def test_no_participle_alone_names_a_module_a_class_or_a_public_function():
    functions = [
        node.name for tree in TREES.values() for node in tree.body if isinstance(node, ast.FunctionDef)
    ]
    named = {*(path.stem for path in TREES), *(name.strip("_").lower() for name in classes()), *functions}
    assert len(named) > 1000
    assert named & PARTICIPLES == set()


PARTICIPLE = re.compile(
    r"(?:[a-z]+ed|known|told|seen|held|kept|made|said|given|taken|written|drawn|found|left|meant|shown|done|chosen"
    r"|broken|hidden|bound|built)(?:_[a-z0-9_]+)?"
)
PRONOUNS = set(
    "one other others own more some many all whole half rest what who whom which that it them".split()
)
OLDER = set((Path(__file__).parent / "support" / "older_names.txt").read_text().split())


def unclear_public_names():
    """The public functions and methods that are named by a participle or a pronoun, of what they are called with."""
    functions = (
        node.name
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    )
    return {name for name in functions if PARTICIPLE.fullmatch(name) or name in PRONOUNS}


def test_no_new_public_function_is_named_by_a_participle_or_a_pronoun():
    """`older_names.txt` lists the ones there were; whoever renames one takes it off the list."""
    assert sorted(unclear_public_names() - OLDER) == []
    assert sorted(OLDER - unclear_public_names()) == []
