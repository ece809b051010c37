"""Which method is taken where none is named: a fixed table, so that the same data get the same method everywhere.

Nothing here looks at a clock. The first line that fits counts; `shoal methods --all` prints the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["DEFAULTS", "DefaultMethod", "default_method"]


@dataclass(frozen=True, slots=True)
class DefaultMethod:
    """One line of the table.

    shape    : the data it is for
    method   : what is taken
    when     : in words, what the data or the configuration must be like
    asked    : keys of [guarantee] and [method] of which one must be given
    unasked  : keys of which none may be given
    columns  : quasi-identifiers, at most
    records  : at most
    vectors  : vectors of levels, one level per quasi-identifier, at most
    ruled    : whether items must have a hierarchy
    usual    : whether it is the one that people are told of first
    """

    shape: str
    method: str
    when: str
    asked: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    columns: float = float("inf")
    records: float = float("inf")
    vectors: float = float("inf")
    ruled: bool = False
    usual: bool = False

    def fits(self, given: frozenset[str], columns: int, records: int, vectors: int, ruled: bool) -> bool:
        """Whether it is for data of this size where these keys are given."""
        return (
            (not self.asked or not given.isdisjoint(self.asked))
            and given.isdisjoint(self.unasked)
            and columns <= self.columns
            and records <= self.records
            and vectors <= self.vectors
            and (ruled or not self.ruled)
        )


_OF_CLASSES = (
    "recode",
    "grid",
    "rule",
    "resplit",
    "strict",
)  # what other methods of local recoding can be told

DEFAULTS: tuple[DefaultMethod, ...] = (
    DefaultMethod("table", "blank", "subsets is given: only some columns are known", asked=("subsets",)),
    DefaultMethod("table", "mondrian", "a pseudonym links rows of a person", asked=("linked",)),
    DefaultMethod("table", "optimal", "loss or target is given: one level per column", asked=("loss", "target")),
    DefaultMethod("table", "optimal", "k_map or presence is given: one level per column",
                  asked=("k_map", "presence")),
    # Adult, 30,162 records of 8 columns and 6,480 vectors: 5 s, and 8.1% ncp where mstk loses 9.3% (k = 11).
    DefaultMethod("table", "boxes", "up to 10,000 vectors of levels and 100,000 records",
                  unasked=_OF_CLASSES, records=100_000, vectors=10_000, usual=True),
    # A million of 7 columns and 2,160 vectors: 11 s, and .37% where mondrian, in 3 s, loses 1.00% (k = 5).
    DefaultMethod("table", "boxes", "up to 2,500 vectors of levels and 1,000,000 records",
                  unasked=_OF_CLASSES, records=1_000_000, vectors=2_500),
    DefaultMethod("table", "mstk", "up to 9 quasi-identifiers and 50,000 records", columns=9, records=50_000),
    DefaultMethod("table", "mondrian", "any other table"),
    DefaultMethod("baskets", "coat", "itemsets are given", asked=("itemsets",)),
    DefaultMethod("baskets", "nonreciprocal", "no m: whole baskets are known", unasked=("m",)),
    DefaultMethod("baskets", "apriori", "m, and a hierarchy of the items", ruled=True),
    DefaultMethod("baskets", "pcta", "m, and no hierarchy", usual=True),
    DefaultMethod("mixed", "bound", "any table with baskets", usual=True),
    DefaultMethod("trees", "gcs", "any record trees", usual=True),
)  # fmt: skip


def default_method(
    shape: str,
    asked: Mapping[str, Any],
    *,
    columns: int = 0,
    records: int = 0,
    vectors: int = 1,
    ruled: bool = False,
) -> str:
    """The method of the first line that fits.

    >>> default_method("table", {"k": 5}, columns=3, records=900, vectors=60)
    'boxes'
    >>> default_method("table", {"k": 5, "recode": "span"}, columns=3, records=900, vectors=60)
    'mstk'
    """
    given = frozenset(key for key, value in asked.items() if value is not None)
    lines = (line for line in DEFAULTS if line.shape == shape)
    return next(line.method for line in lines if line.fits(given, columns, records, vectors, ruled))
