"""What a table with baskets publishes: recoded quasi-identifiers and generalized items, row by row."""

from dataclasses import dataclass

from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.release.baskets import PublishedBaskets, RecodedBaskets
from shoal.release.table import Published, Recoded

__all__ = ["PublishedMixed", "RecodedMixed"]


@dataclass(frozen=True, slots=True, repr=False)
class RecodedMixed(Discreet):
    """A recoded table and recoded baskets of the same records: row i of one belongs to row i of the other."""

    table: Recoded
    baskets: RecodedBaskets

    def __post_init__(self) -> None:
        if (
            self.table.records != self.baskets.records
            or self.table.rows.tolist() != self.baskets.rows.tolist()
        ):
            raise InputError("release: the table and the baskets are not of the same records")


@dataclass(frozen=True, slots=True, repr=False)
class PublishedMixed(Discreet):
    """A released table with baskets as a judge sees it: row i of `table` holds basket i of `sets`."""

    table: Published
    baskets: PublishedBaskets
