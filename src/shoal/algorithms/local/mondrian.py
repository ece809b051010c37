"""Mondrian: halve classes column by column (LeFevre, DeWitt, Ramakrishnan), along hierarchies."""

import numpy as np

from shoal.algorithms.constraint import Constraint, Whole, ask_of, keeps_average
from shoal.algorithms.knobs import Share
from shoal.algorithms.local._kernels.clustering import halve
from shoal.algorithms.local.linked_rows import keeps_linked
from shoal.algorithms.local.local_table import Grid, LocalTable, Partition, TableRecode, without_outliers
from shoal.data import Table
from shoal.hierarchy import Hierarchies
from shoal.progress import Progress, rising, silent, watching
from shoal.release import Claim, Recoded, Result

__all__ = ["mondrian"]


@keeps_average
@keeps_linked
def mondrian(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: TableRecode = "hierarchy",
    grid: Grid = None,
    strict: bool = True,
    whole: Whole | None = None,
    progress: Progress = silent,
) -> Result[Recoded]:
    """Publish `table` in classes made by halving it as long as both halves keep the claim.

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
    strict
        Whether equal values stay together. A strict cut lies between two values, as near to the median as it can. If
        the class is published as a node, these are values of two children of the node; otherwise they are any two
        neighbours in order. A relaxed cut lies at the median, and records that are equal there go to both sides.
    whole
        What t-closeness and the like compare classes with, where `table` is only a part of all records.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how many classes were merged at the end.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records, or l exceeds what a sensitive column allows.
    InputError, HierarchyError
        An argument or a hierarchy is wrong.

    Notes
    -----
    *Guarantee.* The claim holds by construction: all records together keep it, and a class is cut only where both sides
    keep it. Where persons have several rows, classes that are written alike are one class, which is checked again and,
    if needed, merged with others.

    *Complexity.* O(n log n) for each level of halving; there are about log2(n/k) levels.

    *Departures.* The column to cut is the one in which the class costs most (`ncp`, weighted), where the paper takes
    the widest normalized range. If that column allows no cut, the next one is tried. The paper's strict cut is at the
    median of an order; along a hierarchy it is between children, because a cut inside a child gains nothing.

    *Randomness.* None.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = mondrian(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2), recode="span").release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['[21, 26]', '[21, 26]', '[33, 37]', '[33, 37]']
    """
    constraint = Constraint.of("mondrian", claim, table)
    local = LocalTable.of("mondrian", table, hierarchies, recode=recode, grid=grid, mix=False, k=constraint.k)
    local = without_outliers(local, table, constraint.k, suppress)
    ask, tally = ask_of("mondrian", table, local.rows, constraint, whole)
    begin = np.cumsum([0, *(len(scale.joint) for scale in local.scales)])[:-1].astype(np.int64)
    joint = np.concatenate([scale.joint for scale in local.scales])
    done = np.zeros(1, dtype=np.int64)
    with watching(rising(progress, "halving classes"), lambda: done[0] / local.n):
        classes = Partition(*halve(local.codes, local.rates, begin, joint, strict, ask, tally, done))
    classes, merged = local.settle(classes, ask, tally)
    return local.release(classes, claim, strict=strict, merged=merged)
