"""Which rule fits a column that has none: a guess from what its values look like, for people to decide."""

import re
from collections.abc import Iterable, Sequence

from shoal.hierarchy.column_values import are_codes
from shoal.hierarchy.ladders.kinds import kind_of
from shoal.hierarchy.number_ranges import number

__all__ = ["fitting_rule", "wants_groups"]

FEW = 8
"""A column with no more different values needs no rule: each of them is a group."""

_LEVELS = '["month", "year"]'
_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+|[+-]?[0-9]+")
_CODE = re.compile(r"(?=.*[0-9])[A-Za-z0-9][A-Za-z0-9 ./-]{2,15}")
_MOSTLY = 0.8


def wants_groups(values: Sequence[str | None]) -> bool:
    """Whether a column wants groups of numbers: more than a few, and they are no codes.

    >>> wants_groups([str(age) for age in range(20, 40)]), wants_groups([f"{code:05}" for code in range(20)])
    (True, False)
    """
    present = [value for value in values if value is not None]
    return (
        len(present) > FEW and all(number(value) is not None for value in present) and not are_codes(present)
    )


def fitting_rule(values: Sequence[str | None]) -> str | None:
    """The rule that would make a column coarser step by step; None where it needs none, empty where no rule fits.

    >>> fitting_rule(["01069", "01097", "01099", "04103"])
    'hierarchy = { mask = "right" }'
    >>> fitting_rule(["05.03.1990", "31.12.1984", "07.07.2001", "01.02.1977"])
    'hierarchy = { dates = { format = "%d.%m.%Y", levels = ["month", "year"] } }'
    >>> fitting_rule(["f", "m"]) is None
    True
    """
    present = [value.strip() for value in values if value is not None and value.strip()]
    if len(present) > 3 and (rule := _dates(present) or _codes(present)):
        return f"hierarchy = {rule}"
    if len(present) <= FEW:
        return None
    if all(_COMMA.fullmatch(value) for value in present) and any("," in value for value in present):
        return 'decimal = "," in [data] and hierarchy = { ranges = [10, 100] }'
    if not are_codes(present) and _share(number(value) is not None for value in present):
        return "hierarchy = { ranges = [10, 100] }, with what is no number in missing"
    return ""


def _dates(present: Sequence[str]) -> str | None:
    kind = kind_of(present)
    if kind.name != "date":
        return None
    if kind.format is None:
        return f"{{ dates = {_LEVELS} }}"
    more = f" (or {', '.join(kind.others)})" if kind.others else ""
    return f'{{ dates = {{ format = "{kind.format}", levels = {_LEVELS} }} }}{more}'


def _codes(present: Sequence[str]) -> str | None:
    numbers = all(number(value) is not None for value in present)
    coded = are_codes(present) if numbers else _share(bool(_CODE.fullmatch(value)) for value in present)
    return '{ mask = "right" }' if coded and max(map(len, present)) > 3 else None


def _share(found: Iterable[bool]) -> bool:
    listed = list(found)
    return sum(listed) >= _MOSTLY * len(listed)
