"""One row of the tables of writings."""

from dataclasses import dataclass

from shoal.data import Role
from shoal.publish.study.propose.checksums import Check

__all__ = ["Pattern"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One way of writing something.

    A value has the form where `regex` matches all of it. `check` is a checksum of our own, `module` the one of
    python-stdnum. Where `alone` is false, the writing says little (a number of eleven digits): then nearly all
    values must pass a checksum, and there must be several of them.
    """

    what: str
    regex: str
    role: Role | None = "identifier"
    kind: str = ""
    check: Check | None = None
    module: str | None = None
    alone: bool = True
    share: float = 0.9
    least: int = 1  # distinct values
    some: str = ""  # a regular expression that at least one of the values matches
    varied: bool = False  # the letters differ from value to value, unlike those of "MATH 101", "MATH 102"
