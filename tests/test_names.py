"""Identifiers are the field's nouns: a name of a class is of one class, and no participle alone names anything."""

import ast
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
