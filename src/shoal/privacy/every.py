"""Several claims about a table at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.errors import InputError
from shoal.privacy.about_classes import AboutClasses, together
from shoal.privacy.lookalikes import merged
from shoal.privacy.stated import Stated
from shoal.release import Claim, Published, Verdict

__all__ = ["Every", "at_least"]


@dataclass(frozen=True, slots=True)
class Every:
    """Several claims about the classes of a table: each must hold.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> Every((KAnonymity(5), LDiversity(2))).as_dict()["model"]
    'all'
    """

    model: ClassVar[str] = "all"
    shape: ClassVar[str] = "table"
    exempts: ClassVar[bool] = False

    claims: tuple[Stated, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "claims", tuple(self.claims))
        if not self.claims:
            raise InputError("claim: none is given; give at least one of k, l, t")
        if not all(isinstance(claim, AboutClasses) for claim in self.claims):
            raise InputError(
                "claim: only claims about the classes of a table can be made together; give one claim"
            )
        seen: dict[str, Any] = {}
        for claim in self.claims:
            for key, value in claim.numbers().items():
                if seen.setdefault(key, value) != value:
                    raise InputError(f"claim: two claims differ in {key}; make one release for each")
        if len({claim.named for claim in self.claims}) < len(self.claims):
            raise InputError("claim: one model occurs twice; give each one once")

    @property
    def named(self) -> str:
        """The name that manifests give to several claims."""
        return self.model

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns the claims see, by role."""
        return tuple(dict.fromkeys(role for claim in self.claims for role in claim.roles))

    @property
    def crowd(self) -> int:
        """How many records of the release look alike at least, as far as these claims say."""
        return max(claim.crowd for claim in self.claims)

    @property
    def parts(self) -> tuple[Claim, ...]:
        """The single claims."""
        return self.claims

    @property
    def attacker(self) -> str:
        """Whom the claims protect against, and how far."""
        return "; ".join(claim.attacker for claim in self.claims)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What none of the claims promises."""
        return tuple(dict.fromkeys(line for claim in self.claims for line in claim.not_covered))

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps these claims keeps the other."""
        return at_least(self, other)

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return all claims as one sentence for people, about columns of these names."""
        return together([claim for claim in self.claims if isinstance(claim, AboutClasses)], quasi, sensitive)

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that a claim speaks of."""
        seen = {name for claim in self.claims for name in claim.sees(columns)}
        return [name for name in columns if name in seen]

    def as_dict(self) -> dict[str, Any]:
        """Return the claims as the manifest holds them: one after the other, the words of all together."""
        return {
            "model": self.model,
            "claims": [{"model": claim.named, **claim.numbers()} for claim in self.claims],
            "attacker": self.attacker,
            "not_covered": list(self.not_covered),
        }

    def check(self, published: Published) -> Verdict:
        """Judge every claim and merge the verdicts."""
        return merged([claim.check(published) for claim in self.claims])


def at_least(stated: Claim, asked: Claim) -> bool:
    """Whether a claim promises all that is asked for: each part of it follows from one of its own.

    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> both = Every((KAnonymity(5), LDiversity(2)))
    >>> at_least(both, KAnonymity(4)), at_least(KAnonymity(9), both)
    (True, False)
    """
    return all(any(part.implies(want) for part in stated.parts) for want in asked.parts)
