"""How identifiers and codes are written: one table, in the order in which its rows are tried."""

from shoal.publish.study.propose.patterns.codes import CODES
from shoal.publish.study.propose.patterns.contacts import NETWORK, PHONES, STREETS
from shoal.publish.study.propose.patterns.national import NATIONAL
from shoal.publish.study.propose.patterns.numbers import MONEY, TOKENS, VEHICLES
from shoal.publish.study.propose.patterns.pattern import Pattern

__all__ = ["PATTERNS", "Pattern"]

PATTERNS: tuple[Pattern, ...] = (
    *NETWORK,
    *MONEY,
    *NATIONAL,
    *CODES,
    *VEHICLES,
    *PHONES,
    *TOKENS,
    *STREETS,
)
