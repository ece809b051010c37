"""Sentences of shoal for somebody who calls it in Python: arguments and dicts in place of sections, TOML and options.

Most sentences are about data and need no other words. Those that say what to write have been written for a
configuration; `in_python` says the same as arguments. A test reads every sentence of the sources through it.
"""

import functools
import re
import tomllib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from shoal.base.errors import sentences_by

__all__ = ["in_python", "says_arguments"]

P = ParamSpec("P")
R = TypeVar("R")

_SECTION = r"\[(?:data|columns|guarantee|method|population|audit|release|engine|tree)\]"
_HIERARCHY = re.compile(r"hierarchy = (\{(?:[^{}]|\{[^{}]*\})*\})")
_COLUMN = re.compile(r"column '([^']+)'")
_OPTIONS = {
    "against": "against",
    "earlier": "earlier",
    "earlier-config": "earlier_configs",
    "invariant": "invariant=True",
    "out": "folder",
    "force": "force=True",
    "allow-empty": "allow_empty=True",
}
"""Options of commands, and what they are called in Python where that is no plain name."""

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"set dates in \[data\]", "give dates to shoal.read"),
        (r"--key FILE", "key=FILE"),
        (r"--force, in Python force=True", "force=True"),
        (r"--allow-empty \(allow_empty=True in Python\)", "allow_empty=True"),
        (r"a configuration names them in \[columns\]", "shoal.read takes them as hidden"),
        (r"which \[release\] rows = true writes", "which save(rows=True) writes"),
        (r"run again with rows = true in \[release\]", "save it again with rows=True"),
        (r"give the configuration, whose \[population\] path names it", "give the population to shoal.read"),
        (r"as \[population\] path", "to shoal.read as population"),
        (r"as path in \[population\]", "as population"),
        (r"as \[population\]", "to shoal.read as population"),
        (r"leave \[population\] out", "leave population out"),
        (r"the people of \[population\]", "the people of the population"),
        (r"leave out name in \[method\]", "leave out method"),
        (r"of \[method\] it takes", "of the method's options it takes"),
        (r"take suppress out of \[method\]", "leave suppress out"),
        (r"set grid in \[method\]", "give grid to anonymize"),
        (r"ask for these in \[guarantee\]", "ask for these"),
        (r"make the column plain with allow = true", "make it plain and name it in allow"),
        (r"(?:say|write) ([^;]*?) in(?:to)? \[data\]", r"give \1 to shoal.read"),
        (rf"(?: (?:in|into|to|of|as)) {_SECTION}", ""),
        (rf"{_SECTION}: ", ""),
        (rf"{_SECTION} ", ""),
    )
)
_TRUTH = re.compile(r"\b([a-z_]+) = (true|false)\b")
_ASSIGNMENT = re.compile(r"\b([a-z_]+) = (\"[^\"]*\"|[\d.]+\b|\[(?:\.\.\.|[\d, ]+)\])")
_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)|`[^`]*`")
_HOLE = "\N{REPLACEMENT CHARACTER}"
_ALLOW = re.compile(r"(?<!raise k, or )set allow = true(?: for it)?")  # of a method it is true or false
_OPTION = re.compile(r"--([a-z][a-z-]+)")


def in_python(sentence: str) -> str:
    """The sentence with arguments and dicts of Python in place of what a configuration or a command takes.

    >>> in_python("allow them to be left out with suppress = 0.1 in [method]")
    'allow them to be left out with suppress=0.1'
    >>> in_python("column 'age': give it hierarchy = { ranges = [10, 100] }")
    "column 'age': give it hierarchies={'age': {'ranges': [10, 100]}}"
    """
    if not any(sign in sentence for sign in ("[", " = ", "--")):
        return sentence
    column = _COLUMN.search(sentence)
    key = "..." if column is None else repr(column.group(1))
    quoted = _QUOTED.findall(sentence)  # names of columns and commands stay as they are
    said = _QUOTED.sub(_HOLE, sentence.replace(_HOLE, "?"))
    said = _HIERARCHY.sub(lambda match: _hierarchy_argument(match, key), said)
    said = _ALLOW.sub(f"give allow=[{key}] to shoal.read", said)
    for pattern, words in _RULES:
        said = pattern.sub(words, said)
    said = _TRUTH.sub(lambda match: f"{match.group(1)}={match.group(2).capitalize()}", said)
    said = _ASSIGNMENT.sub(r"\1=\2", said)
    said = _OPTION.sub(lambda match: _OPTIONS.get(match.group(1), match.group(1).replace("-", "_")), said)
    names = iter(quoted)
    return re.sub(_HOLE, lambda match: next(names), said)


def _hierarchy_argument(match: re.Match[str], column: str) -> str:
    """A rule of TOML as the argument `hierarchies`."""
    try:
        rule = tomllib.loads(f"rule = {match.group(1)}")["rule"]
    except tomllib.TOMLDecodeError:
        return match.group(0)
    return f"hierarchies={{{column}: {rule!r}}}"


def says_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Have errors and warnings of a function of Python name its arguments."""

    @functools.wraps(function)
    def speak(*args: P.args, **options: P.kwargs) -> R:
        with sentences_by(in_python):
            return function(*args, **options)

    return speak
