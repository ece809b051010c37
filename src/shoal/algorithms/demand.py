"""What a claim about a table asks of every class, as makers weigh it.

This reading belongs to the makers: it shares no code with the judges, and agrees with them on every class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from shoal.data import Column, Table
from shoal.data.types import F8
from shoal.errors import InputError
from shoal.privacy import AlphaKAnonymity, BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, TCloseness
from shoal.release import Claim

__all__ = ["SLACK", "Bound", "Demand", "meant", "number_of", "only_k", "refusal"]

SLACK = 1e-9  # sums of fractions and logarithms: exactly l, t, beta or alpha must pass
_LARGEST = 500.0  # e to this is above every quotient of counts, and its inverse still above 0: no value may be absent


@dataclass(frozen=True, slots=True)
class Bound:
    """The shares that the values of a sensitive column may have in a class.

    columns : the columns that are meant; where none is named, all are
    limits  : from the share of each value in the whole, the least and the largest share in a class
    hidden  : whether an empty cell may hide any value; otherwise it is a value of its own
    words   : what is asked for, in a message
    """

    columns: tuple[str, ...]
    limits: Callable[[F8], tuple[F8, F8]]
    hidden: bool
    words: str


@dataclass(frozen=True, slots=True)
class Demand:
    """What every class must meet: persons, well-represented values, closeness to the whole, bounded shares."""

    k: int = 1
    diversity: LDiversity | None = None
    closeness: TCloseness | None = None
    bounds: tuple[Bound, ...] = ()

    @classmethod
    def of(cls, maker: str, claim: Claim, table: Table) -> "Demand":
        """Read a claim part by part.

        Raises
        ------
        InputError
            The claim is not one that makers of tables keep, or it names sensitive columns that are not there.
        """
        diversity, closeness, bounds = None, None, []
        for part in claim.parts:
            match part:
                case KAnonymity():
                    pass
                case LDiversity():
                    diversity = part
                case TCloseness():
                    closeness = part
                case BetaLikeness() | DeltaDisclosure() | AlphaKAnonymity():
                    bounds.append(_BOUNDS[type(part)](part))
                case _:
                    raise refusal(maker, part)
        demand = cls(claim.crowd, diversity, closeness, tuple(bounds))
        demand._require_columns(maker, table)
        return demand

    @property
    def sensitive(self) -> bool:
        """Whether anything is asked of sensitive values."""
        return self.diversity is not None or self.closeness is not None or bool(self.bounds)

    def _require_columns(self, maker: str, table: Table) -> None:
        there = [column.name for column in table.role("sensitive")]
        if self.sensitive and not there:
            raise InputError(
                f"{maker}: the claim is about a sensitive column, and there is none; give one column the role sensitive"
            )
        named = [part.columns for part in (self.diversity, self.closeness, *self.bounds) if part is not None]
        for name in (name for names in named for name in names):
            if name not in there:
                raise InputError(
                    f"{maker}: the claim names column '{name}', which is not among the sensitive ones; give it "
                    "the role sensitive"
                )


def refusal(maker: str, claim: Claim) -> InputError:
    """The error for a claim that a maker cannot keep."""
    return InputError(
        f"{maker}: it cannot make a release that keeps {claim.parts[-1].named}; see `shoal methods`"
    )


def only_k(maker: str, claim: Claim) -> int:
    """The k of a claim that asks for nothing else.

    Raises
    ------
    InputError
        It asks for more, which this maker does not keep.
    """
    if not isinstance(claim, KAnonymity):
        raise refusal(maker, claim)
    return claim.k


def meant(columns: tuple[str, ...], column: Column) -> bool:
    """Whether a claim about `columns` is about this column; no `columns` means all of them."""
    return not columns or column.name in columns


def number_of(text: str) -> float | None:
    """Read a text as a number; None if it is not a finite number."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _likeness(claim: BetaLikeness) -> Bound:
    def limits(whole: F8) -> tuple[F8, F8]:
        gain = np.full(len(whole), claim.beta)
        if claim.likeness == "enhanced":
            gain = np.minimum(gain, -np.log(np.maximum(whole, 1e-300)))
        return np.zeros(len(whole)), whole * (1 + gain + SLACK)

    return Bound(claim.columns, limits, False, f"beta={claim.beta:g} ({claim.likeness})")


def _disclosure(claim: DeltaDisclosure) -> Bound:
    factor = np.exp(min(claim.disclosure - SLACK, _LARGEST))

    def limits(whole: F8) -> tuple[F8, F8]:
        return whole / factor, whole * factor

    return Bound(claim.columns, limits, False, f"disclosure={claim.disclosure:g}")


def _alpha(claim: AlphaKAnonymity) -> Bound:
    def limits(whole: F8) -> tuple[F8, F8]:
        return np.zeros(len(whole)), np.full(len(whole), claim.alpha + SLACK)

    return Bound(claim.columns, limits, True, f"alpha={claim.alpha:g}")


_BOUNDS: dict[type, Callable[..., Bound]] = {
    BetaLikeness: _likeness,
    DeltaDisclosure: _disclosure,
    AlphaKAnonymity: _alpha,
}
