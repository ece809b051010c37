"""Sweeps: which numbers a comparison goes through, as people write them.

2:100      from 2 to 100 by the steps 1, 2, 5, 10, 20, 50, 100, ... with 3 after 2; both ends are always included
2:100:1    from 2 to 100 by steps of 1; both ends are always included
5          one number
2,5,7      a list; its parts may be any of the above
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any

from shoal.errors import InputError
from shoal.publish.options import is_number

__all__ = ["SWEPT", "Numbers", "crossed", "ladder", "sweep"]

Numbers = Sequence[int | float]

SWEPT: dict[str, type] = {"k": int, "m": int, "n": int, "l": int, "delta": float, "suppress": float}
"""What can be swept, and whether it is a whole number."""

_MOST = 1000  # numbers in one sweep
_MOST_POINTS = 10_000
_LARGEST = 10**9


def sweep(name: str, asked: Any) -> Numbers:
    """The numbers that somebody asks for, rising and each once: a text as above, a number, or several numbers.

    Raises
    ------
    InputError
        It is no sweep, or one of too many numbers.

    Examples
    --------
    >>> sweep("k", "2:100"), sweep("suppress", "0:0.1:0.04"), sweep("k", [5, 2])
    ((2, 3, 5, 10, 20, 50, 100), (0.0, 0.04, 0.08, 0.1), (2, 5))
    """
    kind = SWEPT[name]
    if isinstance(asked, str):
        texts = asked.split(",")
    elif isinstance(asked, Iterable):
        texts = [_written(name, one) for one in asked]
    else:
        texts = [_written(name, asked)]
    found = {number for text in texts for number in _part(name, text.strip())}
    if not found:
        raise _no_sweep(name)
    _require_few(name, len(found))
    return tuple(sorted(kind(number) for number in found))


def ladder(low: int, high: int) -> list[int]:
    """The whole numbers 1, 2, 3, 5, 10, 20, 50, 100, ... from `low` to `high`, and these two.

    >>> ladder(2, 100), ladder(4, 7)
    ([2, 3, 5, 10, 20, 50, 100], [4, 5, 7])
    """
    steps = {3} | {step * 10**power for power in range(len(str(high))) for step in (1, 2, 5)}
    return sorted({low, high} | {step for step in steps if low < step < high})


def crossed(sweeps: Mapping[str, Numbers]) -> list[dict[str, int | float]]:
    """Every choice of one number from each sweep.

    Raises
    ------
    InputError
        There are too many.
    """
    points = [dict(zip(sweeps, chosen, strict=True)) for chosen in product(*sweeps.values())]
    if len(points) > _MOST_POINTS:
        raise InputError(
            f"compare: the sweeps make {len(points):,} points; sweep fewer numbers, at most {_MOST_POINTS:,} points"
        )
    return points


def _part(name: str, text: str) -> list[Decimal]:
    """One part of a list: a number, or numbers from one to another."""
    numbers = [_number(name, part) for part in text.split(":")]
    if len(numbers) == 1:
        return numbers
    low, high, *step = numbers
    if len(step) > 1 or low > high:
        raise _no_sweep(name)
    if step:
        return _stepped(name, low, high, step[0])
    if SWEPT[name] is float:
        raise InputError(f"compare: --{name} needs a step from one share to another, such as 0:0.1:0.02")
    return [Decimal(number) for number in ladder(int(low), int(high))]


def _stepped(name: str, low: Decimal, high: Decimal, step: Decimal) -> list[Decimal]:
    """From one number to another by equal steps, and the last one."""
    if step <= 0:
        raise _no_sweep(name)
    _require_few(name, (high - low) / step)
    return [*(low + step * place for place in range(int((high - low) / step) + 1)), high]


def _number(name: str, text: str) -> Decimal:
    """A number as it is written: shares are counted in decimals, so that steps of 0.02 are that."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise _no_sweep(name) from None
    whole = SWEPT[name] is int
    if not found.is_finite() or abs(found) > _LARGEST or (whole and found != int(found)):
        raise _no_sweep(name)
    return found


def _written(name: str, number: object) -> str:
    if not is_number(number):
        raise _no_sweep(name)
    return str(number)


def _require_few(name: str, count: Decimal | int) -> None:
    if count > _MOST:
        raise InputError(f"compare: --{name} asks for more than {_MOST:,} numbers; take larger steps")


def _no_sweep(name: str) -> InputError:
    such = "2:100, 2:100:1, 5 or 2,5,7" if SWEPT[name] is int else "0:0.1:0.02, 0.05 or 0.01,0.1"
    what = "whole numbers" if SWEPT[name] is int else "numbers"
    return InputError(f"compare: --{name} takes {what}, such as {such}")
