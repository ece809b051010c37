"""What to say of a name that nobody knows: the nearest one there is, and all there are.

For names of configurations and columns only: a cell's value must not stand in a message.

Lists of words, patterns and invented people: files beside the code that uses them, read when they are needed.
"""

import tomllib
from collections.abc import Container, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal

__all__ = [
    "RECODED",
    "Role",
    "did_you_mean",
    "nearest",
    "resolve_name",
    "resource_table",
    "shape_of",
    "suggest_name",
]


Role = Literal[
    "identifier",
    "quasi",
    "known",
    "sensitive",
    "items",
    "plain",
    "weight",
    "household",
    "pseudonym",
    "text",
    "drop",
]
"""The roles of columns. The page's server asks for them, too, and must not load arrays for that."""

RECODED: tuple[Role, ...] = ("quasi", "known")
"""Roles of the columns of a table that a method makes coarser along hierarchies: others may know them of a person."""


def shape_of(roles: Container[str]) -> str:
    """What data are whose columns have these roles.

    >>> shape_of({"quasi", "items"}), shape_of({"items", "sensitive"}), shape_of({"quasi"})
    ('mixed', 'baskets', 'table')
    """
    if "tree" in roles:
        return "trees"
    if "items" not in roles:
        return "table"
    return "mixed" if "quasi" in roles else "baskets"


_MOST = 40  # names in a sentence
_SLIPS = 2  # letters more or fewer than in a word that was meant


def nearest(name: object, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like `name`, whatever its case; None where none is.

    >>> nearest("AGE", ["age", "sex"]), nearest("job", ["age", "sex"])
    ('age', None)
    """
    plain = {candidate.strip().casefold(): candidate for candidate in known}
    matches = get_close_matches(str(name).strip().casefold(), plain, 1, cutoff)
    return plain[matches[0]] if matches else None


def resolve_name(word: object, words: Mapping[str, str], known: Iterable[str]) -> str | None:
    """The known name that a word stands for, or a word with slips of the pen in it; None where that is not certain.

    For names that differ in how safe they are: a word that only holds another one, such as `non-sensitive`, may mean
    the opposite of it. The first letter must be right, and hardly one may be missing.

    >>> words = {"quasi-identifier": "quasi", "identifier": "identifier"}
    >>> [resolve_name(word, words, ["identifier", "quasi"]) for word in ("Quasi identifer", "non-identifier")]
    ['quasi', None]
    """
    plain = {_keep_letters(candidate): name for candidate, name in words.items()}
    spelling = _keep_letters(str(word))
    near = [
        candidate
        for candidate in plain
        if candidate[:1] == spelling[:1] and abs(len(candidate) - len(spelling)) <= _SLIPS
    ]
    matches = get_close_matches(spelling, near, 1, 0.75)
    return plain[matches[0]] if matches and plain[matches[0]] in list(known) else None


def _keep_letters(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """What to add to a sentence that lists what there is already.

    >>> did_you_mean("optimum", ["optimal", "mstk"])
    "; did you mean 'optimal'?"
    """
    near = nearest(name, known)
    return "" if near is None else f"; did you mean '{near}'?"


def suggest_name(
    name: object, known: Iterable[str], words: str = "there are", spoken: Mapping[str, str] | None = None
) -> str:
    """The nearest name, and all there are; with `spoken`, the name that is meant by one of those words.

    >>> suggest_name("agee", ["age", "sex"])
    "did you mean 'age'? there are age, sex"
    """
    listed = list(known)
    near = nearest(name, listed) if spoken is None else resolve_name(name, spoken, listed)
    addition = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    listing = f"{words} {', '.join(listed[:_MOST])}{addition}"
    return listing if near is None else f"did you mean '{near}'? {listing}"


@cache
def resource_table(package: str, name: str) -> dict[str, Any]:
    """A TOML file that stands in a package; it is read once, so whoever gets it must not change it.

    >>> sorted(resource_table("shoal.hierarchy", "vocabulary/scales.toml"))
    ['between', 'date', 'scales', 'source']
    """
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
