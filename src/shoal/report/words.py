"""Facts in plain words: numbers, labels, the claim, the names of losses and risks."""

import math
import unicodedata
from collections.abc import Mapping

__all__ = [
    "LOSSES",
    "RISKS",
    "ROLES",
    "label",
    "number",
    "percent",
    "short",
    "value",
]

NONE = "–"

LOSSES = {
    "glm": "share of a value's detail that is gone, on average: 0 nothing, 1 everything",
    "glm-geometric": "the same share as a geometric mean over the columns: 0 nothing, 1 everything",
    "ncp": "how wide a published value is against its whole domain, on average: 0 exact, 1 unknown",
    "precision": "how far values moved up their hierarchies, on average: 0 not at all, 1 to the top",
    "height": "levels climbed, summed over the columns",
    "dm": "discernibility: squared sizes of the classes, a suppressed record costing the whole table",
    "dm-star": "discernibility: squared sizes of all classes, those of suppressed records too",
    "aecs": "average number of records in a class",
    "c_avg": "average class size as a multiple of k: 1 is as fine as the claim allows",
    "ce": "share of records whose target differs from what most of their class have",
    "il": "detail gone from a record, summed over its columns (the spanning-tree paper's loss)",
    "er": "items wrong in a row, per item of its record: 0 none",
    "qe": "error of counts of records that hold some items, as a share of all records",
    "qe-absent": "error of counts of records that lack some items, as a share of all records",
    "ncp-published": "how many items a published item may stand for, as a share of all: 0 itself, 1 any",
    "items-ncp": "how much of its items' detail is gone, on average: 0 nothing, 1 everything",
    "items-ncp-published": "how many items a published item may stand for, as a share of all: 0 itself, 1 any",
    "ul": "how uncertain a record's items became, against all its items merged: 1 is merged wholly",
    "ul-coat": "the same as COAT weighs it: sets far smaller than all items cost next to nothing",
    "items-ul-coat": "the same as COAT weighs it: sets far smaller than all items cost next to nothing",
    "are": "average relative error of counts asked of the release",
    "rpd": "chance to guess a path of a record within its domain, on average: smaller is better, never 0",
    "rpd-original": "the same of the records as they came: compare rpd with it, not with 0",
    "ml2": "share of the frequent subtrees, on all levels of detail, that are no longer found: 0 none, 1 all",
    "dml2": "how far frequent subtrees moved, by levels climbed and relations cut: 0 not at all, 1 all is gone",
}

RISKS = {
    "records": "Records",
    "classes": "Classes of records that look the same",
    "unique": "Records that are the only one of their kind",
    "below": "Records in classes smaller than",
    "highest": "Highest chance of finding one person",
    "average": "Average chance of finding one person",
    "smallest": "Smallest class",
    "median": "Median class size",
    "largest": "Largest class",
}

ROLES = {
    "identifier": "names a person: left out",
    "quasi": "an attacker may know it: recoded",
    "sensitive": "an attacker wants to learn it: published as it is",
    "items": "an attacker may know some of it: recoded",
    "plain": "published as it is",
    "tree": "an attacker may know some of its values and what belongs to what: recoded",
}

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def number(value: object) -> str:
    """Write a number for reading.

    >>> [number(x) for x in (1234, 0.2149, 12.04, 12345.6, 0.0, None)]
    ['1,234', '0.215', '12', '12,346', '0', '–']
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NONE
    if not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    if value and abs(value) < 0.001:
        return f"{value:.1e}"
    text = f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"
    return text.rstrip("0").rstrip(".")


def percent(share: float | None) -> str:
    """Write a share; 0% and 100% mean exactly that.

    >>> [percent(x) for x in (0.12, 0.0449, 0.00001, 0.99999, 1.0, 0)]
    ['12%', '4.5%', '<0.1%', '>99.9%', '100%', '0%']
    """
    if share is None or not math.isfinite(share):
        return NONE
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def value(item: object) -> str:
    """Write any JSON value on one line, for parameters and traces whose names we do not know.

    >>> value({"suppress": 0.01, "loss": "glm", "weights": [1, 2]})
    'suppress 0.01, loss glm, weights 1, 2'
    """
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, Mapping):
        return ", ".join(f"{label(str(key))} {value(part)}" for key, part in item.items()) or NONE
    if isinstance(item, list | tuple):
        return ", ".join(value(part) for part in item) or NONE
    return label(item) if isinstance(item, str) else number(item)


def label(text: str | None) -> str:
    r"""Return a label of the data as it may be shown: nothing that hides, reverses or breaks the line.

    >>> label(None), label(""), label("a\nb")
    ('(missing)', '(empty)', 'a b')
    """
    if text is None:
        return "(missing)"
    seen = "".join("\ufffd" if char in _BIDI or unicodedata.category(char) == "Cs" else char for char in text)
    seen = "".join(" " if unicodedata.category(char) in {"Cc", "Zl", "Zp"} else char for char in seen)
    return seen if seen.strip() else "(empty)"


def short(text: str, most: int = 26) -> str:
    """Cut a long label for an axis; the figure's hover and table hold it whole."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
