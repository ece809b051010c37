"""What a release claims, and what a judge says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["Claim", "Result", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says: truthy only when the claim was judged and holds.

    `witnesses` are row numbers of the release, counted from 1, of records that break the claim (the first
    hundred); `broken` is how many there are. `reached` holds what the data do reach, such as {"k": 3}.
    """

    holds: bool
    sentence: str
    judged: bool = True
    broken: int = 0
    witnesses: tuple[int, ...] = ()
    reached: Mapping[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.judged and self.holds

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "holds": bool(self),
            "judged": self.judged,
            "sentence": self.sentence,
            "broken": self.broken,
            "witnesses": list(self.witnesses),
            "reached": dict(self.reached),
        }


class Claim(Protocol):
    """A guarantee a release states, with the judge that checks it."""

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as the manifest holds it: model, its numbers, the attacker in words."""

    def check(self, published: Any) -> Verdict:
        """Judge a release, seen as its shape's judges see it, from the definition."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """What a maker hands to `publish`: the release, its claim, private evidence, and how the search went.

    `trace` holds counts and times, never cell values and never a seed.
    """

    release: T
    claim: Claim
    proof: object = None
    trace: Mapping[str, Any] = field(default_factory=dict)
