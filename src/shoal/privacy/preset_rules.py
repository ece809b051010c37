"""What presets are made of: rules, the release that they are asked of, and what was found of each.

A rule is kept, broken, or cannot be told from the released data alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shoal.privacy.released_columns import ReleasedColumn

__all__ = ["NO", "UNTOLD", "YES", "Answer", "Finding", "Preset", "ReleasedCells", "Rule", "merge_answers"]

YES, NO, UNTOLD = "yes", "no", "cannot be told"
Answer = tuple[str, str]
"""The verdict, and what was found, in a sentence without a value."""


@dataclass(frozen=True)
class ReleasedCells:
    """A release as everybody sees it.

    cells : by column, or field of record trees, each text that is not empty with how many records hold it
    roles : by column, its role; none of fields
    sizes : of a table, how many records each class has; empty where there are no classes, or where persons count
    year  : in which it was made
    told  : by sensitive column of a table, the fewest different values that a class has, in one spelling
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

    @cached_property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The columns that tell something."""
        columns = (ReleasedColumn(name, self.roles.get(name), cells) for name, cells in self.cells.items())
        return tuple(column for column in columns if column.texts)


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


_NAMED = 3  # columns that a sentence names


def merge_answers(answers: Iterable[Answer], kept: str, advice: str) -> Answer:
    """One answer of several: the first no, else all that cannot be told with `advice`, else yes with `kept`.

    >>> merge_answers([("cannot be told", "a"), ("cannot be told", "b")], "all is well", "do this")
    ('cannot be told', 'a; b; do this')
    """
    untold: list[str] = []
    for verdict, sentence in answers:
        if verdict == NO:
            return NO, sentence
        if verdict == UNTOLD:
            untold.append(sentence)
    if not untold:
        return YES, kept
    remainder = [f"and {len(untold) - _NAMED} more columns"] if len(untold) > _NAMED else []
    return UNTOLD, "; ".join([*untold[:_NAMED], *remainder, advice])
