"""Releases whose classes do not follow sensitive values: whoever knows the method learns nothing from their form.

A method that is asked for l, t, beta, delta or alpha stops generalizing where the claim is just kept. Whoever knows
that can conclude what would have broken it. Here the method sees k alone, and k is doubled until the claim is kept. All
that sensitive values decide is how often.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from shoal.algorithms._kernels.constraint import fits
from shoal.algorithms.constraint import Constraint, ask_of
from shoal.data import Table
from shoal.data.arrays import I8
from shoal.errors import InfeasibleError
from shoal.privacy import KAnonymity
from shoal.release import Claim, Recoded, Result

__all__ = ["unsteered"]


def unsteered(
    method: str, table: Table, claim: Claim, make: Callable[[KAnonymity], Result[Recoded]]
) -> Result[Recoded]:
    """Make releases for k, 2k, 4k, ... until one keeps the whole claim.

    Parameters
    ----------
    method
        Its name, for messages.
    table
        The records.
    claim
        What must be kept.
    make
        The method, which sees k alone.

    Raises
    ------
    InfeasibleError
        Not even all records in one class keep the claim.
    """
    constraint = Constraint.of(method, claim, table)
    k, heads = constraint.k, table.n if table.persons is None else len(np.unique(table.persons))
    while True:
        made = make(KAnonymity(k))
        if _kept(method, table, made.release, constraint):
            return replace(made, claim=claim, trace={**made.trace, "k that was asked of the method": k})
        if k >= heads:
            raise InfeasibleError(
                f"{method}: with minimal = false no k keeps the claim, not even one class of all records; ask for less"
            )
        k = min(2 * k, heads)


def _kept(method: str, table: Table, release: Recoded, constraint: Constraint) -> bool:
    if not len(release.rows):
        return True
    ask, tally = ask_of(method, table, release.rows, constraint)
    return all(fits(rows, ask, tally) for rows in _classes(release))


def _classes(release: Recoded) -> Iterator[I8]:
    """The places of each class's rows."""
    _, of = np.unique(release.codes, axis=0, return_inverse=True)
    order = np.argsort(of.reshape(-1), kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(of.reshape(-1)))[:-1])
