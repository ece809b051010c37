"""Rules of laws and offices: what one asks, from which place of its source, and what was found of it on a release."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from shoal.data.column_names import meaning

__all__ = [
    "NO",
    "NOTHING",
    "UNTOLD",
    "YES",
    "Answer",
    "Finding",
    "Preset",
    "ReleasedCells",
    "Rule",
    "called",
    "columns_called",
]

YES, NO, UNTOLD = "yes", "no", "cannot be told"
Answer = tuple[str, str]
"""The verdict, and what was found, in a sentence without a value."""


@dataclass(frozen=True, slots=True)
class ReleasedCells:
    """A release as everybody sees it.

    cells : by column, or field of record trees, each text that is not empty with how many records hold it
    roles : by column, its role; none of fields
    sizes : of a table, how many records each class has; empty where there are no classes, or where persons count
    year  : in which it was made
    told  : by sensitive column of a table, the fewest different values that a class has
    crowd : how many must be alike by the claim, which is judged beside every preset; 1 where it says nothing of that
    about : what the owner says of the release
    """

    cells: Mapping[str, Mapping[str, int]]
    roles: Mapping[str, str]
    sizes: Sequence[int]
    year: int
    told: Mapping[str, int] = field(default_factory=dict)
    crowd: int = 1
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule asks, by which place of its source, how it is judged, and what to do where it is broken.

    `figures` names what the private audit has beside it: a criterion of attackers, or "risk".
    """

    name: str
    asks: str
    source: str
    check: Callable[[ReleasedCells], Answer]
    mend: str = ""
    figures: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of rules; `limits` says what it does not promise, `risk` the highest risk that `init` proposes."""

    title: str
    limits: str
    rules: tuple[Rule, ...]
    risk: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one rule."""

    rule: Rule
    verdict: str
    found: str

    def as_dict(self) -> dict[str, str]:
        """The finding as the manifest holds it."""
        rule = self.rule
        return {
            "rule": rule.name,
            "asks": rule.asks,
            "source": rule.source,
            "verdict": self.verdict,
            "found": self.found,
        }


# --- how columns are called

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
NOTHING = frozenset({"*", "other"})
"""Labels that tell nothing."""


def called(name: str, concepts: Sequence[str], words: Sequence[str] = ()) -> bool:
    """Whether a column's name means one of some concepts of words.toml, or nothing there and holds one of some words.

    >>> called("patientFirstName", ["first name"]), called("drug_name", ["name"]), called("admit_month", [], ["month"])
    (True, False, True)
    """
    known = meaning(name)
    if known is not None:
        return known.what in concepts
    parts = [part.lower() for part in _WORD.findall(name)]
    spaced, joined = f" {' '.join(parts)} ", "".join(parts)
    return any(f" {word} " in spaced or joined == word.replace(" ", "") for word in words)


def columns_called(
    released: ReleasedCells, concepts: Sequence[str], words: Sequence[str] = ()
) -> Iterator[tuple[str, list[str]]]:
    """The columns that are called so and tell anything, with their texts."""
    for name, cells in released.cells.items():
        texts = [text for text in cells if text not in NOTHING]
        if texts and called(name, concepts, words):
            yield name, texts
