"""What the values of a column look like: mail addresses, numbers of persons, dates, codes, free text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from shoal.data import Role
from shoal.hierarchy.dates import date_likeness
from shoal.publish.study.propose.checksums import checker
from shoal.publish.study.propose.people import people
from shoal.publish.study.propose.prose import prose
from shoal.resources import resource_table

__all__ = ["Form", "form"]

_MOST = 2000  # values that are looked at
_LONG = 200  # signs of a value that are read
_PROBE = 60  # values that decide which patterns are tried on all
_GLANCE = 8  # values of which one must have a form that nearly all shall have
_ALL = 0.98  # nearly all
_CHECKED = 200  # values whose checksums are computed, or whose words are read
# No identifier looks like this: a short number, a decimal number, a word.
_SMALL = re.compile(r"[-+]?\d{1,8}(?:[.,]\d*)?|[-+]?\d*[.,]\d+(?:[eE][-+]?\d+)?|[^\W\d_]+")
_FLOAT = re.compile(r"\d{9,}\.0")  # a long number that went through a table with gaps
_PADDED = re.compile(r"\d{4,6}|\d\d(?:\.\d\d?){1,2}")
_LETTERS = re.compile(r"[^A-Z]")  # to be left out
_VARIED = 0.2  # different letters per value


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """One way of writing something; patterns.toml says what each field means."""

    what: str
    regex: re.Pattern[str]
    kind: str
    check: Sequence[str]
    alone: bool
    share: float
    least: int
    some: re.Pattern[str] | None
    varied: bool


@cache
def patterns() -> tuple[Pattern, ...]:
    """How identifiers and codes are written, in the order in which the writings are tried."""
    table = resource_table("shoal.publish.study.propose", "patterns.toml")
    return tuple(
        Pattern(
            row["what"],
            _compiled(row["regex"], table["pieces"]),
            row.get("kind", ""),
            row.get("check", ()),
            row.get("alone", True),
            row.get("share", 0.9),
            row.get("least", 1),
            re.compile(row["some"]) if "some" in row else None,
            row.get("varied", False),
        )
        for row in table["pattern"]
    )


def _compiled(regex: str | Sequence[str], pieces: dict[str, str]) -> re.Pattern[str]:
    """A regular expression, or several of which one must match, with the pieces that they are made of."""
    text = regex if isinstance(regex, str) else "|".join(regex)
    for name in reversed(pieces):  # a piece is made of earlier ones
        text = text.replace(f"{{{name}}}", pieces[name])
    return re.compile(text)


@dataclass(frozen=True, slots=True)
class Form:
    """What values look like; `role` is None where the form alone decides nothing, as with dates."""

    what: str
    role: Role | None
    kind: str
    share: float
    checked: bool


def form(values: Sequence[str]) -> Form | None:
    """The form that nearly all `values` share, or None; they are distinct or sampled cells, none of them missing.

    >>> form(["anna@example.org", "bob@example.com"]).what, form(["1", "2", "3"]), form(["2001-01-31"]).kind
    ('mail address', None, 'date')
    """
    cells = [text for value in _some(values, _MOST) if (text := value.strip()[:_LONG])]
    if not cells:
        return None
    if all(map(_FLOAT.fullmatch, cells)):
        cells = [value.removesuffix(".0") for value in cells]
    probe = _some(cells, _PROBE)
    return _dated(cells, probe) or _written(cells, probe) or _spoken(_some(cells, _CHECKED))


def _some(values: Sequence[str], most: int) -> Sequence[str]:
    """At most `most` values, always the same ones; not every n-th, for values may come in turns."""
    return values if len(values) <= most else Random(most).sample(values, most)


def _dated(cells: Sequence[str], probe: Sequence[str]) -> Form | None:
    if date_likeness(probe, 0.5) is None:
        return None
    found = date_likeness(cells)
    if found is None:
        return None
    format, share = found
    if format == "%Y":  # other numbers have four digits too
        return Form("year", None, "date", share, False) if share > _ALL else None
    return Form("date", None, "date", share, False)


def _written(cells: Sequence[str], probe: Sequence[str]) -> Form | None:
    """The first pattern that enough values have."""
    if all(map(_SMALL.fullmatch, probe)):
        return _padded(cells) if all(map(_PADDED.fullmatch, probe)) else None
    for pattern in patterns():
        found = _tried(pattern, cells) if _likely(pattern, probe) else None
        if found is not None:
            return found
    return _padded(cells)


def _likely(pattern: Pattern, probe: Sequence[str]) -> bool:
    if pattern.share >= 0.6 and not any(map(pattern.regex.fullmatch, probe[:_GLANCE])):
        return False
    having = [value for value in probe if pattern.regex.fullmatch(value)]
    if len(having) < 0.5 * pattern.share * len(probe):
        return False
    passing = None if pattern.alone else _passing(pattern, having[: 2 * _GLANCE])
    return pattern.alone or (passing is not None and passing >= 0.5 * pattern.share)


def _tried(pattern: Pattern, cells: Sequence[str]) -> Form | None:
    having = [value for value in cells if pattern.regex.fullmatch(value)]
    share = len(having) / len(cells)
    if share < pattern.share or len(set(having)) < pattern.least:
        return None
    if not _mixed(pattern, having):
        return None
    passing = _passing(pattern, having)
    checked = passing is not None and share * passing >= pattern.share
    if not checked and not pattern.alone:
        return None
    role: Role | None = None if pattern.kind == "code" else "identifier"
    return Form(pattern.what, role, pattern.kind, share, checked)


def _mixed(pattern: Pattern, having: Sequence[str]) -> bool:
    """What a pattern asks of its values together."""
    if pattern.some and not any(map(pattern.some.fullmatch, having)):
        return False
    if not pattern.varied:
        return True
    letters = {_LETTERS.sub("", value) for value in having}
    return len(letters) >= _VARIED * len(set(having))


def _passing(pattern: Pattern, values: Sequence[str]) -> float | None:
    """The share of values whose checksum fits; None where there is no checksum."""
    checks = [check for module in pattern.check if (check := checker(module)) is not None]
    if not checks:
        return None
    some = _some(values, _CHECKED)
    return sum(any(check(value) for check in checks) for value in some) / len(some)


def _padded(cells: Sequence[str]) -> Form | None:
    """Digits of one writing, some with a leading zero: a code, most often a postal code."""
    if not all(map(_PADDED.fullmatch, cells)) or not any(value[0] == "0" for value in cells):
        return None
    if any("." in value for value in cells):  # as of NACE; a time has no hour 25
        return Form("code", None, "code", 1.0, False) if any(value > "25" for value in cells) else None
    lengths = set(map(len, cells))
    if len(lengths) > 1:
        return None
    return Form("postal code" if lengths == {5} else "code", None, "code", 1.0, False)


def _spoken(cells: Sequence[str]) -> Form | None:
    """Names of people, or free text."""
    named = people(cells)
    if named is not None:
        return Form("name", "identifier", "", named, False)
    return Form("free text", "drop", "text", 1.0, False) if prose(cells) else None
