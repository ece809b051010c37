"""What a method can do is declared where it is listed: nobody else asks for it by its name."""

import ast
import inspect
from pathlib import Path

import pytest

import shoal
from shoal.algorithms import METHODS
from shoal.algorithms.derive_knobs import derive_knobs
from shoal.algorithms.mixed.bound import tradeoff
from shoal.privacy import METHOD_KEYS

SOURCES = Path(shoal.__file__).parent
OUTSIDE = [path for path in sorted(SOURCES.rglob("*.py")) if "algorithms" not in path.parts]
KINDS = {found.kind for found in METHODS.values()}


def by_name(source):
    """The lines where something is compared with the name of a method, or the kind of one with a word."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            words = {one.value for side in sides for one in literals(side, node.ops)}
            kind = any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides)
            if words & METHODS.keys() or (kind and words & KINDS):
                yield node.lineno


def literals(side, ops):
    """The words that a side of a comparison lists; the left side of `in` is the key of something."""
    if any(isinstance(op, ast.In | ast.NotIn) for op in ops) and isinstance(side, ast.Constant):
        return []
    parts = side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
    return [one for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('x == "bound"', [1]),
        ('x in ("gcs", "acs")', [1]),
        ('x.kind != "local"', [1]),
        ('"bound" in point', []),
        ('engine == "local"', []),
    ],
)
def test_a_comparison_with_a_method_is_seen(source, lines):
    assert list(by_name(source)) == lines


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(SOURCES)))
def test_nobody_asks_for_a_method_by_its_name(path):
    assert list(by_name(path.read_text(encoding="utf-8"))) == []


def test_the_keys_of_a_method_that_make_its_claim_are_those_that_methods_declare():
    assert {key for found in METHODS.values() for key in found.claimed} == METHOD_KEYS.keys()


@pytest.mark.parametrize("name", METHODS)
def test_a_method_can_do_what_it_declares(name):
    found = METHODS[name]
    takes = inspect.signature(found.load()).parameters
    knobs = {knob.name: knob for knob in derive_knobs(name)}
    for other in (found.point, found.finer):
        assert not other or METHODS[other].shape == found.shape
    assert all(usual == takes[key].default for key, usual in found.defaults.items())
    assert all(takes[key].default == values[0] for key, values in found.steers.items())
    assert ("fragment" in knobs) == bool(found.fragments)
    assert found.theme.audit == tuple(key for key in found.theme.audit if key in knobs and key not in takes)
    if found.front:
        traced = found.load() if found.fronts else tradeoff
        assert found.front not in inspect.signature(traced).parameters


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.shape == "table"])
def test_a_method_of_tables_works_beyond_memory_or_says_why_not(name):
    method = METHODS[name]
    works = method.theme.counts or method.fragments == "table"
    assert bool(method.at_once) is not works
    assert len(method.at_once) < 90
