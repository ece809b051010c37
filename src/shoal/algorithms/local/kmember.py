"""Greedy k-member clustering (Byun, Kamra, Bertino, Li)."""

import numpy as np

from shoal.algorithms.constraint import Constraint, Whole, ask_of, keeps_average
from shoal.algorithms.knobs import Share
from shoal.algorithms.local._kernels.clustering import members
from shoal.algorithms.local.column_prices import price_order
from shoal.algorithms.local.linked_rows import keeps_linked
from shoal.algorithms.local.local_table import Grid, LocalTable, Partition, TableRecode, without_outliers
from shoal.data import Table
from shoal.data.arrays import I8
from shoal.hierarchy import Hierarchies
from shoal.progress import Progress, Tell, part, rising, silent, watching
from shoal.release import Claim, Recoded, Result

__all__ = ["kmember"]


WORK = 1 << 30  # records times distinct tuples looked at: some twenty seconds


@keeps_average
@keeps_linked
def kmember(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: TableRecode = "hierarchy",
    grid: Grid = None,
    whole: Whole | None = None,
    progress: Progress = silent,
) -> Result[Recoded]:
    """Publish `table` in clusters of k records, each grown by the record that makes it cost least.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier.
    claim
        What every class must keep: k-anonymity, l-diversity, t-closeness, beta-likeness, delta-disclosure privacy,
        (alpha,k)-anonymity, or several of them.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. A record is left out only where that
        lowers the loss `ncp`.
    recode, grid
        How a class is written; see `shoal.algorithms.local.mstk`.
    whole
        What t-closeness and the like compare classes with, where `table` is only a part of all records.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells in how many blocks the records were clustered; 1 means that the whole search was done.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records, or l exceeds what a sensitive column allows.
    InputError, HierarchyError
        An argument or a hierarchy is wrong.

    Notes
    -----
    *Guarantee.* k holds by construction. A cluster that breaks the claim, or holds fewer than k persons, is merged with
    the cluster where that adds least loss, until there is no such cluster.

    *Complexity.* O(n m d) for m distinct tuples: for every record taken, the search looks at all that are left. Beyond
    `WORK` the tuples are clustered in blocks of neighbours along `price_order`, so that the cost grows with n.

    *Departures.* The first cluster starts with the record furthest from the smallest record by code, not from a random
    one. Distance and loss are the penalty `ncp`, weighted, instead of the height of the common subtree. The furthest
    record is the one that would cost most in one class with the last start. In a tie the smaller record is taken.

    *Randomness.* None.

    References
    ----------
    .. [1] Byun, Kamra, Bertino, Li. Efficient k-anonymization using clustering techniques. DASFAA 2007.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = kmember(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['2*', '2*', '3*', '3*']
    """
    constraint = Constraint.of("kmember", claim, table)
    local = LocalTable.of("kmember", table, hierarchies, recode=recode, grid=grid, mix=False, k=constraint.k)
    local = without_outliers(local, table, constraint.k, suppress)
    ask, tally = ask_of("kmember", table, local.rows, constraint, whole)
    blocks = _blocks(local, ask.k)
    number = np.empty(local.n, dtype=np.int64)
    made, tell = 0, rising(progress, "clustering")
    for done, tuples in enumerate(blocks):
        one = part(tell, done / len(blocks), (done + 1) / len(blocks))
        made += _cluster(local, tuples, ask.k, number, made, one)
    classes, merged = local.settle(Partition.of(number), ask, tally)
    return local.release(classes, claim, blocks=len(blocks), merged=merged)


def _blocks(local: LocalTable, k: int) -> list[I8]:
    """The distinct tuples, all together or in blocks along the price order, each of at least k records."""
    m = len(local.first)
    parts = -(-local.n * m // WORK)
    if parts == 1:
        return [np.arange(m)]
    line = price_order(local.scales, local.tuples)
    whole = np.cumsum(local.counts[line])
    wanted = max(local.n // parts, 2 * k)
    ends = np.unique(np.searchsorted(whole, np.arange(1, local.n // wanted) * wanted) + 1)
    return [np.sort(part) for part in np.split(line, ends) if len(part)]


def _cluster(local: LocalTable, tuples: I8, k: int, number: I8, base: int, tell: Tell) -> int:
    """Number the clusters of these tuples' records from `base`; return how many there are."""
    taken, left = local.first[tuples].copy(), local.counts[tuples].copy()
    whole = int(left.sum())
    with watching(tell, lambda: _looked_at(int(left.sum()) / whole)):
        which, where, many = members(local.codes, taken.copy(), left, k, local.rates)
    for u, c, copies in zip(which.tolist(), where.tolist(), many.tolist(), strict=True):
        number[taken[u] : taken[u] + copies] = base + c
        taken[u] += copies
    return int(where.max()) + 1


def _looked_at(left: float) -> float:
    """The share of the work that is done when a share of the records is left: each record looks at all that are left.

    >>> _looked_at(0.5)
    0.75
    """
    return 1 - left**2
