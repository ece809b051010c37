"""What all claims have in common: how a manifest holds them, and what they say to people."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from shoal.errors import InputError
from shoal.naming import hint
from shoal.release import Claim, Verdict

__all__ = ["PROSE", "BaseClaim", "join_names", "names", "one_of", "real", "whole"]

PROSE = ("attacker", "not_covered")
"""What a manifest tells of a claim in words; it is written for people and never read."""

_SHOWN = 6


class BaseClaim:
    """A claim as people and manifests read it. Every class of claims fills in the blanks.

    model : what the manifest calls it
    shape : the data it speaks of: table, baskets, mixed or trees
    roles : the columns it sees, by role
    keys  : the keys of [guarantee] that it is made of, the one that asks for it first
    exempts : whether sensitive items stay as they are, and the claim counts only the others
    rises, falls, widens : the numbers of which a larger one, or a smaller one, promises more, and the lists of which a
              longer one does; in everything else two claims must be equal to be compared
    """

    __slots__ = ()

    model: ClassVar[str]
    shape: ClassVar[str]
    roles: ClassVar[tuple[str, ...]]
    keys: ClassVar[tuple[str, ...]]
    exempts: ClassVar[bool] = False
    rises: ClassVar[tuple[str, ...]] = ()
    falls: ClassVar[tuple[str, ...]] = ()
    widens: ClassVar[tuple[str, ...]] = ()

    @property
    def named(self) -> str:
        """The model's name, with what these numbers add to it."""
        return self.model

    @property
    def crowd(self) -> int:
        """How many records of the release look alike at least, as far as this claim says."""
        return int(getattr(self, "k", 1))

    @property
    def parts(self) -> tuple[Claim, ...]:
        """The single claims that this one is made of."""
        return (self,)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        raise NotImplementedError

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        raise NotImplementedError

    def check(self, published: Any) -> Verdict:
        """Judge a release, seen as its shape's judges see it, from the definition."""
        raise NotImplementedError

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other, by their definitions; where in doubt, not."""
        return type(other) is type(self) and all(
            self._as_much(field.name, getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
        )

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number of this claim promises as much as that of another."""
        if name in self.rises:
            return asked is None or (own is not None and own >= asked)
        if name in self.falls:
            return bool(own <= asked)
        if name in self.widens:
            return set(own) >= set(asked)
        return bool(own == asked)

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        words = self.attacker
        return f"{words[:1].upper()}{words[1:]}."

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that the claim speaks of."""
        return [name for name, role in columns.items() if role in self.roles]

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as the manifest holds it."""
        return {
            "model": self.named,
            **self.numbers(),
            "attacker": self.attacker,
            "not_covered": list(self.not_covered),
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """Return the claim that a manifest holds, as `as_dict` wrote it; its words are not read.

        Raises
        ------
        InputError
            A number is wrong or missing, or something stands there that is not this claim's.
        """
        given = {key: value for key, value in said.items() if key != "model" and key not in PROSE}
        try:
            claim = cls(**given)
        except TypeError:
            raise InputError(
                f"claim: {cls.model} is not made of {', '.join(map(str, given)) or 'nothing'}; it was changed"
            ) from None
        if claim.named != said.get("model") or claim.numbers() != given:
            raise InputError("claim: the model does not fit the other keys; write the claim again")
        return claim


def join_names(names: Sequence[str]) -> str:
    """Join names as a sentence does.

    >>> joined(["age", "sex", "zip"]), joined([str(i) for i in range(9)])
    ('age, sex and zip', '9 columns')
    """
    if len(names) > _SHOWN:
        return f"{len(names)} columns"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# Checks of the numbers a claim is made of.

_MOST = 2**53  # beyond it floating point, in which some claims are weighed, skips whole numbers


def whole(name: str, value: object) -> int:
    """Return a whole number of at least 1, whatever kind of integer it came as."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 1 <= value <= _MOST:
        return int(value)
    raise InputError(f"{name}={value!r}: {name} must be a whole number of at least 1, and at most 2**53")


def real(name: str, value: object, low: float, high: float, words: str) -> float:
    """Return a number from `low` to `high`; `words` say what is allowed."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        if low <= value <= high:
            return float(value)
    raise InputError(f"{name}={value!r}: {name} must be {words}")


def one_of(name: str, value: object, known: Sequence[str]) -> str:
    """Return one of the known words."""
    if isinstance(value, str) and value in known:
        return value
    raise InputError(f"{name}={value!r}: {name} must be one of {', '.join(known)}{hint(value, known)}")


def names(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names as it is kept."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise InputError(f"{name}: it must be a list of names")
