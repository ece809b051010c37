"""Free text: sentences, and hardly one of them twice."""

import re
from collections.abc import Sequence

__all__ = ["prose"]

_WORDS = re.compile(r"[^\W\d_]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SENTENCE = re.compile(
    r"(?i:\b(?:the|is|was|has|had|not|with|for|this|that|no|der|die|das|ist|war|hat|nicht|mit|und|seit|est|pas|avec"
    r"|les|une|était|el|los|que|es|con|por|una|il|che|per|non|ha|ve|bir|ile|için|var|yok)\b)"
    r"|[的了在于未伴]|[.!?。！？，]\s*$|[.!?] [^\W\d_]"
)
_FEW = 5  # texts below which nothing is said
_SOME = 20  # texts; fewer may be the long names of a few groups
_LONG, _LONGER = 6.0, 8.0  # words per text, on average


def prose(values: Sequence[str]) -> bool:
    """Whether `values` are sentences that somebody wrote.

    >>> prose([f"The patient came in with pain in the left knee since {i} days." for i in range(9)])
    True
    >>> prose([f"Acetaminophen {i} MG / Oxycodone Hydrochloride 5 MG Oral Tablet" for i in range(30)])
    False
    """
    distinct = set(values)
    if len(distinct) < _FEW or len(distinct) < 0.8 * len(values):
        return False
    words = sum(map(_length, distinct)) / len(distinct)
    spoken = sum(_SENTENCE.search(value) is not None for value in distinct)
    return words >= (_LONG if len(distinct) >= _SOME else _LONGER) and (
        spoken >= len(distinct) / 2 or words > 2 * _LONG
    )


def _length(value: str) -> float:
    """The words of a text; two Chinese signs count as one."""
    return len(_WORDS.findall(_HAN.sub(" ", value))) + len(_HAN.findall(value)) / 2
