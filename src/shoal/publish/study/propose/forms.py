"""What the values of a column look like: mail addresses, numbers of persons, dates, codes, free text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from shoal.data import Role
from shoal.publish.study.propose.checksums import stdnum
from shoal.publish.study.propose.moments import date_format
from shoal.publish.study.propose.patterns import PATTERNS, Pattern
from shoal.publish.study.propose.people import people
from shoal.publish.study.propose.prose import prose

__all__ = ["Form", "form"]

_MOST = 2000  # values that are looked at
_PROBE = 60  # values that decide which patterns are tried on all
_CHECKED = 300  # values whose checksums are computed
_SMALL = re.compile(
    r"[-+]?\d{1,8}(?:[.,]\d*)?|[-+]?\d*[.,]\d+(?:[eE][-+]?\d+)?|[^\W\d_]+"
)  # no identifier looks like this
_ZEROS = re.compile(r"0\d{3,5}")
_DIGITS = re.compile(r"\d{4,6}")


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
    cells = _some([text for value in values if (text := value.strip())], _MOST)
    if not cells:
        return None
    probe = _some(cells, _PROBE)
    return _dated(cells, probe) or _written(cells, probe) or _spoken(cells)


def _some(values: Sequence[str], most: int) -> Sequence[str]:
    """At most `most` values, from the whole length."""
    step = max(1, -(-len(values) // most))
    return values[::step]


def _dated(cells: Sequence[str], probe: Sequence[str]) -> Form | None:
    if date_format(probe, 0.5) is None:
        return None
    found = date_format(cells)
    if found is None:
        return None
    format, share = found
    return Form("year" if format == "%Y" else "date", None, "date", share, False)


def _written(cells: Sequence[str], probe: Sequence[str]) -> Form | None:
    """The first pattern that enough values have."""
    if all(_SMALL.fullmatch(value) for value in probe):
        return _padded(cells)
    for pattern in PATTERNS:
        regex = _compiled(pattern)
        hits = sum(regex.fullmatch(value) is not None for value in probe)
        if hits < 0.2 * len(probe):
            continue
        found = _tried(pattern, cells)
        if found is not None:
            return found
    return _padded(cells)


def _tried(pattern: Pattern, cells: Sequence[str]) -> Form | None:
    regex = _compiled(pattern)
    having = [value for value in cells if regex.fullmatch(value)]
    share = len(having) / len(cells)
    if share < pattern.share or len(set(having)) < pattern.least:
        return None
    passing = _passing(pattern, having)
    checked = passing is not None and share * passing >= pattern.share
    if not checked and not pattern.alone:
        return None
    return Form(pattern.what, pattern.role, pattern.kind, share, checked)


def _passing(pattern: Pattern, values: Sequence[str]) -> float | None:
    """The share of values whose checksum fits; None where there is no checksum."""
    check = pattern.check or (stdnum(pattern.module) if pattern.module else None)
    if check is None:
        return None
    some = _some(values, _CHECKED)
    return sum(map(check, some)) / len(some)


def _padded(cells: Sequence[str]) -> Form | None:
    """Digits of one length, some with leading zeros: a code, most often a postal code."""
    lengths = {len(value) for value in cells}
    if len(lengths) != 1 or not all(map(_DIGITS.fullmatch, cells)) or not any(map(_ZEROS.fullmatch, cells)):
        return None
    return Form("postal code" if lengths == {5} else "code", None, "code", 1.0, False)


def _spoken(cells: Sequence[str]) -> Form | None:
    """Names of people, or free text."""
    named = people(cells)
    if named is not None:
        return Form("name", "identifier", "", named, False)
    return Form("free text", "drop", "text", 1.0, False) if prose(cells) else None


@cache
def _compiled(pattern: Pattern) -> re.Pattern[str]:
    return re.compile(pattern.regex)
