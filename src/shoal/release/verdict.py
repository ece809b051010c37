"""What a release claims, and what a judge says of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from shoal.discreet import Discreet

__all__ = ["Claim", "Result", "Verdict"]


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Discreet):
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

    @property
    def word(self) -> str:
        """The verdict in a word: yes, no or not judged."""
        return "yes" if self else "no" if self.judged else "not judged"

    def facts(self) -> dict[str, object]:
        """What may be shown: rows by their numbers, as everywhere in a verdict."""
        few = ", ".join(map(str, self.witnesses[:10]))
        broken = {"rows that break it": self.broken, "the first of them": few} if self.broken else {}
        return {"verdict": self.word, "sentence": self.sentence, **broken}

    def __repr__(self) -> str:
        return f"<Verdict {self.word}: {self.sentence}>"

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
    """A guarantee a release states, with the judge that checks it and its words for people."""

    @property
    def named(self) -> str:
        """The model's name, as the manifest holds it."""

    @property
    def shape(self) -> str:
        """The data it speaks of: table, baskets, mixed or trees."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns it sees, by role."""

    @property
    def crowd(self) -> int:
        """How many records of the release look alike at least, as far as this claim says."""

    @property
    def parts(self) -> "tuple[Claim, ...]":
        """The single claims that this one is made of."""

    @property
    def exempts(self) -> bool:
        """Whether sensitive items stay as they are, and the claim counts only the others."""

    @property
    def votes(self) -> bool:
        """Whether rows are votes of several records, which need not be true of any one of them."""

    @property
    def blanks(self) -> bool:
        """Whether an empty cell of a quasi-identifier stands for any value."""

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that the claim speaks of."""

    def implies(self, other: "Claim") -> bool:
        """Return whether every release that keeps this claim keeps the other; where in doubt, not."""

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as the manifest holds it: model, its numbers, the attacker in words."""

    def check(self, published: Any) -> Verdict:
        """Judge a release, seen as its shape's judges see it, from the definition."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class Result(Discreet, Generic[T]):
    """What a method hands to `publish`: the release, its claim, private evidence, and how the search went.

    `trace` holds counts and times, never cell values and never a seed.
    """

    release: T
    claim: Claim
    proof: object = None
    trace: Mapping[str, Any] = field(default_factory=dict)
