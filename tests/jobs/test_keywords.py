"""Functions say what they take: by name, with types, as methods and claims have it."""

import inspect
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.base.errors import InputError
from shoal.connect.frames import FrameMethods
from shoal.data import Role
from shoal.jobs.keywords import (
    DataOptions,
    Guarantee,
    MethodName,
    Options,
    refuse_two_readings,
    role_of_each_column,
)
from shoal.privacy import GUARANTEE

NAMED = {"suppress", "alpha", "items"}
KINDS = {"number": float, "whole": int, "text": str, "truth": bool}


def parameters(function):
    return inspect.signature(function).parameters


def types_of(hint):
    """The types of a hint, with the words of literals."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    if get_origin(hint) in (Mapping, Sequence) or not get_args(hint):
        return {hint}
    return set().union(*map(types_of, get_args(hint)))


def test_every_method_has_its_name_and_its_options():
    assert get_args(MethodName) == tuple(METHODS)
    hints = get_type_hints(Options)
    methods = {knob.name for name in METHODS for knob in knobs(name)} - NAMED
    reading = set(parameters(shoal.read)) - set(parameters(shoal.anonymize)) - {"data"}
    assert set(hints) == methods | reading
    assert set(get_type_hints(DataOptions)) - set(hints) <= set(parameters(shoal.read))


@pytest.mark.parametrize("method", METHODS)
def test_options_have_the_types_of_the_method(method):
    hints = get_type_hints(Options)
    for knob in knobs(method):
        if knob.name in NAMED:
            continue
        allowed = types_of(hints[knob.name])
        for kind in knob.kinds:
            if kind == "word":
                assert set(knob.words) <= allowed, knob.name
            elif kind == "list":
                assert Sequence[Sequence[str]] in allowed, knob.name
            elif kind == "table":
                assert allowed & {Mapping[str, float], Mapping[str, int]}, knob.name
            else:
                assert KINDS[kind] in allowed, knob.name


def test_the_numbers_of_a_guarantee_are_named_parameters():
    guarantee = set(GUARANTEE) - {"hidden"}  # these stand with the data
    assert set(get_type_hints(Guarantee)) == guarantee
    shown = parameters(shoal.anonymize)
    assert guarantee <= set(shown)
    assert list(shown)[:6] == ["dataset", "k", "l", "t", "m", "n"]
    for name in (*guarantee, "suppress", "method"):
        assert shown[name].default is None, name
        assert shown[name].annotation is not inspect.Parameter.empty, name


def test_a_frame_shows_the_parameters_of_the_functions():
    for name in ("anonymize", "risk", "read", "pareto", "compare", "judge", "propose"):
        function, method = getattr(shoal, name), getattr(FrameMethods, name)
        assert list(parameters(method))[1:] == list(parameters(function))[1:]
        assert method.__doc__ == function.__doc__


def test_what_one_would_look_for_is_listed():
    listed = set(dir(shoal.Release))
    assert {
        "to_pandas",
        "to_polars",
        "to_csv",
        "columns",
        "shape",
        "head",
        "data",
        "report",
        "save",
    } <= listed
    assert {"__len__", "__getitem__", "__iter__"} <= listed


SNIPPET = """
from shoal.jobs.api import anonymize, read, compare
anonymize(object(), k=5, l=2, suppress=0.1, quasi=["age"], drop="*", method="mondrian", recode="span")
read(object(), roles={"quasi": ["age"], "name": "identifier"})
compare(object(), k=[2, 3], quasi="age", methods=["optimal"])
anonymize(object(), k="five")
anonymize(object(), k=5, method="mondrain")
anonymize(object(), k=5, recode="spam")
anonymize(object(), k=5, supress=0.1)
"""


def test_a_type_checker_sees_parameters_and_slips(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    home = Path(shoal.__file__).parent
    (tmp_path / "snippet.py").write_text(SNIPPET)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\\nmypy_path = {home.parent}\\n".replace("\\n", "\n"))
    names = ("jobs/api.py", "jobs/keywords.py", "base/python_words.py")
    files = [tmp_path / "snippet.py", *(home / name for name in names)]
    settings = [
        "--follow-imports=skip",
        "--config-file",
        tmp_path / "mypy.ini",
        "--cache-dir",
        tmp_path / "cache",
    ]
    command = [sys.executable, "-m", "mypy", *settings, "--disable-error-code=misc", *files]
    said = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=tmp_path)
    lines = [line for line in said.stdout.splitlines() if line.startswith("snippet.py")]
    assert [int(line.split(":")[1]) for line in lines if ": error:" in line] == [6, 7, 8, 9], said.stdout


@given(st.dictionaries(st.text("abc", min_size=1), st.sampled_from(get_args(Role)), min_size=1))
def test_roles_by_column_and_by_role_are_the_same(role_of):
    by_role = {role: [name for name, other in role_of.items() if other == role] for role in role_of.values()}
    assert role_of_each_column("read", role_of, {}) == role_of
    assert role_of_each_column("read", by_role, {}) == role_of
    assert role_of_each_column("read", None, by_role) == role_of


@pytest.mark.parametrize(
    ("roles", "columns_of_role", "said"),
    [
        ({"quasi": "age"}, {}, r"'age' is no role; .* give a list: roles=\{'quasi': \['age'\]\}"),
        ({"age": "quas"}, {}, r"column 'age': unknown role; did you mean 'quasi'"),
        ({"quas": ["age"]}, {}, r"lists of columns under 'quas', which is no role; did you mean 'quasi'"),
        ({"quasi": ["age"], "age": "drop"}, {}, r"column 'age' has two roles, quasi and drop"),
        ({"age": "quasi"}, {"sensitive": ["age"]}, r"column 'age' has two roles, quasi and sensitive"),
        ({"quasi": 5}, {}, r"the columns with the role quasi are not names; give a list"),
        (["age"], {}, r"roles is not a dict; write roles=\{"),
    ],
)
def test_roles_that_are_not_clear_are_refused(roles, columns_of_role, said):
    with pytest.raises(InputError, match=said):
        role_of_each_column("read", roles, columns_of_role)


def test_an_entry_that_can_be_read_in_two_ways_is_refused():
    with pytest.raises(InputError, match=r"can be read in two ways, .* such as \{'quasi': \['sensitive'\]\}"):
        refuse_two_readings("read", {"sensitive": "quasi"}, ["sensitive", "quasi"])
    refuse_two_readings("read", {"sensitive": "quasi", "quasi": ["sensitive"]}, ["age"])
