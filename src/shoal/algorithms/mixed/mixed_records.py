"""A table with baskets as its makers see it: one order of records for both parts, prices, and items in codes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.algorithms.itemsets.coded_baskets import Coded, coded
from shoal.algorithms.local.local_table import Grid, Local
from shoal.data import Baskets, Mixed
from shoal.data.lists import owners, take
from shoal.data.types import B1, I4, I8, U8
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchies, Hierarchy

__all__ = ["Records", "part_of", "where"]


@dataclass(frozen=True)
class Records:
    """Records by rising quasi-identifiers, those alike in them by their baskets: file order decides nothing.

    local : the quasi-identifiers, priced by `ncp`; local.rows is the original record behind each
    coded : the baskets of the same records in the same order; codes from `width` on are sensitive and exempt
    """

    local: Local
    coded: Coded

    @classmethod
    def of(
        cls,
        maker: str,
        mixed: Mixed,
        hierarchies: Hierarchies,
        items: Hierarchy | None,
        *,
        k: int,
        exempt: bool,
        recode: str,
        grid: Grid,
    ) -> "Records":
        """Sort and price the table, code the items; with `exempt`, sensitive items are coded behind the others.

        Raises
        ------
        InfeasibleError
            There are fewer than k records.
        """
        if k > mixed.n:
            raise InfeasibleError(f"{maker}: k={k} but there are {mixed.n} records; lower k or add records")
        local = Local.of(maker, mixed.table, hierarchies, recode=recode, grid=grid, mix=False, k=k)
        order = np.lexsort((_mixed_up(mixed.baskets)[local.rows], local.tuple_of))
        local = replace(local, rows=local.rows[order])  # within a tuple only, so nothing else moves
        return cls(local, part_of(coded(maker, mixed.baskets, items, exempt=exempt), local.rows))

    @property
    def n(self) -> int:
        """The number of records."""
        return self.local.n

    @property
    def secrets(self) -> int:
        """How many items are sensitive and exempt."""
        return self.coded.secrets

    @cached_property
    def known(self) -> tuple[I8, I4]:
        """The baskets without exempt items: (start, items)."""
        known = where(self.coded, self.coded.items < self.coded.width)
        return known.start, known.items

    @cached_property
    def sensitive(self) -> tuple[I8, I8]:
        """Every exempt item of a record: (record, which of them)."""
        secret = self.coded.items >= self.coded.width
        record = owners(self.coded.start)
        return record[secret], self.coded.items[secret].astype(np.int64) - self.coded.width


def _mixed_up(baskets: Baskets) -> U8:
    """A number for every basket, a function of its items alone: a sum of well mixed codes, modulo 2^64."""
    code = np.arange(1, len(baskets.values) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    before = np.r_[np.uint64(0), np.cumsum((code ^ (code >> np.uint64(31)))[baskets.items])]
    return np.asarray(before[baskets.start[1:]] - before[baskets.start[:-1]], dtype=np.uint64)


def part_of(found: Coded, rows: I8) -> Coded:
    """The baskets of some records, in the order they are named."""
    start, items = take(found.start, found.items, rows)
    return replace(found, start=start, items=items)


def where(found: Coded, some: B1) -> Coded:
    """The same records with some of their items only."""
    before = np.r_[0, np.cumsum(some)]
    return replace(found, start=before[found.start], items=found.items[some])
