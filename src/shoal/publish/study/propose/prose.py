"""Free text: many words, and hardly a text twice."""

import re
from collections.abc import Sequence

__all__ = ["prose"]

_WORDS = re.compile(r"[^\W\d_]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_FEW = 5  # texts below which nothing is said
_LONG = 6.0  # words per text, on average


def prose(values: Sequence[str]) -> bool:
    """Whether `values` are sentences that somebody wrote.

    >>> prose([f"Patient number {i} came in with pain in the left knee since {i} days." for i in range(9)])
    True
    """
    distinct = set(values)
    if len(distinct) < _FEW or len(distinct) < 0.8 * len(values):
        return False
    lengths = [_length(value) for value in distinct]
    return sum(lengths) / len(lengths) >= _LONG


def _length(value: str) -> float:
    """The words of a text; two Chinese signs count as one."""
    return len(_WORDS.findall(_HAN.sub(" ", value))) + len(_HAN.findall(value)) / 2
