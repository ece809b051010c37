"""Who calls shoal in Python reads of arguments and dicts, and of no section, TOML or option of a command."""

import ast
import re
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.python_words import in_python, says_arguments

HOME = Path(shoal.__file__).parent
ROOMS = (
    "algorithms",
    "anonymization",
    "assess",
    "hierarchy",
    "privacy",
    "shapes",
    "utility",
    "data",
    "io/read",
)
SECTION = re.compile(r"\[(data|columns|guarantee|method|population|audit|release|engine|tree)\]")
NOTATION = re.compile(r"\b\w+ = (true|false|\{ ?\w+ = )|(?<![`\w-])--[a-z]+")


def sentences():
    """Every text of the sources that speaks of a configuration, without documentation."""
    for room in ROOMS:
        for path in sorted((HOME / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            parts = {
                id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr):
                    text = "".join(
                        part.value if isinstance(part, ast.Constant) else "5" for part in node.values
                    )
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                    text = "" if id(node) in documentation else node.value
                else:
                    continue
                if " " in text and (SECTION.search(text) or NOTATION.search(text)):
                    yield path.relative_to(HOME).as_posix(), text


SPOKEN = list(sentences())


@pytest.mark.parametrize(("path", "text"), SPOKEN)
def test_no_sentence_in_python_speaks_of_a_configuration(path, text):
    if text.startswith(("configuration: ", "[method]: ")):
        return  # only a configuration can be told so
    said = in_python(text)
    assert not SECTION.search(said), said
    assert not NOTATION.search(said), said


def test_there_are_such_sentences():
    assert len(SPOKEN) > 20


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("lower k, or suppress = 0.1 in [method]", "lower k, or suppress=0.1"),
        (
            "column 'zip': drop it, or set allow = true",
            "column 'zip': drop it, or give allow=['zip'] to shoal.read",
        ),
        (
            'say dates = "day first" or "month first" in [data]',
            'give dates="day first" or "month first" to shoal.read',
        ),
        (
            "column 'zip': zip codes take hierarchy = { vocabulary = \"nuts\" }",
            "column 'zip': zip codes take hierarchies={'zip': {'vocabulary': 'nuts'}}",
        ),
        ("out: exists; replace it: --force, in Python force=True", "out: exists; replace it: force=True"),
        ("column 'a--b = true [data]': no rule", "column 'a--b = true [data]': no rule"),
        ("run `shoal compare --methods all`", "run `shoal compare --methods all`"),
    ],
)
def test_a_sentence_says_arguments(sentence, said):
    assert in_python(sentence) == said
    assert in_python(said) == said


@given(st.text("ab '[]=-`\N{REPLACEMENT CHARACTER}0", max_size=30))
def test_any_sentence_can_be_said_and_names_in_quotes_stay(text):
    name = text.replace("'", "").replace("`", "").replace("\N{REPLACEMENT CHARACTER}", "")
    assert f"column '{name}' is odd" in in_python(f"column '{name}' is odd; suppress = 0.1 in [method]")
    in_python(text)


def test_errors_and_warnings_are_said_so_only_in_such_a_function():
    def warn_and_fail():
        warnings.warn("say last = 3 in [data]", ShoalWarning, stacklevel=2)
        raise InputError("lower suppress = 0.5 in [method]")

    with pytest.warns(ShoalWarning, match=r"^give last=3 to shoal\.read$"):
        with pytest.raises(InputError, match=r"^lower suppress=0\.5$"):
            says_arguments(warn_and_fail)()
    with pytest.warns(ShoalWarning, match=r"in \[data\]"):
        with pytest.raises(InputError, match=r"in \[method\]"):
            warn_and_fail()


def test_a_frame_is_told_its_arguments():
    people = pl.DataFrame(
        {"age": [30 + i for i in range(20)], "note": [f"a long sentence of {i} words" for i in range(20)]}
    )
    ages = {"age": {"ranges": [10]}}
    with pytest.raises(InputError, match=r"column 'note': .*give allow=\['note'\] to shoal\.read"):
        shoal.anonymize(people, k=2, quasi="age", plain="note", hierarchies=ages)
