"""What analysts get of the releases of a comparison: the figures in words, and what they are held against."""

from collections.abc import Mapping
from typing import Any

from shoal.report.compare_figures import Line, lines_of

__all__ = ["ANALYSTS", "beside", "is_beside", "of_models", "titled"]

Facts = Mapping[str, Any]

ANALYSTS = {
    "table_are": "Error of counts",
    "association_change": "Change of associations",
    "association_worst": "Largest change of an association",
    "mean_width": "Width of means",
}
"""Figures of tables, and what they are called."""

_MAJORITY = "majority_accuracy"
_SCORES = {"_accuracy": "Accuracy", "_auc": "AUC"}


def of_models(facts: Facts) -> list[str]:
    """The scores of models that learned from the releases."""
    names = dict.fromkeys(name for row in facts["points"] for name in row)
    return [name for name in names if f"{name}_originals" in names]


def is_beside(name: str) -> bool:
    """Whether a figure only stands beside another."""
    return name == _MAJORITY or name.endswith("_originals")


def beside(facts: Facts, name: str, over: str) -> dict[str, Line]:
    """What a score is held against, as further lines: the same model on the originals, and guessing the majority."""
    against = {"on the originals": f"{name}_originals"}
    if name.endswith("_accuracy"):
        against["the majority"] = _MAJORITY
    found = {said: _first(facts, other, over) for said, other in against.items()}
    return {said: line for said, line in found.items() if line}


def _first(facts: Facts, name: str, over: str) -> Line:
    """A figure that is the same for every maker."""
    known = {x: y for line in lines_of(facts, name, over).values() for x, y in line if y is not None}
    return sorted(known.items())


def titled(name: str) -> str | None:
    """What a figure is called; None where this page does not know it.

    >>> titled("logistic_auc"), titled("table_are"), titled("ncp")
    ('AUC (logistic)', 'Error of counts', None)
    """
    for end, word in _SCORES.items():
        if name.endswith(end):
            return f"{word} ({name.removesuffix(end)})"
    return ANALYSTS.get(name)
