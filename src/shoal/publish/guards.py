"""What is refused before any work: claims that say nothing, plain columns that give people away."""

from collections.abc import Set as AbstractSet

import numpy as np

from shoal.data import Column, Table
from shoal.data.types import I4
from shoal.errors import InputError
from shoal.release import Claim

__all__ = ["guard", "guard_plain"]


def guard(table: Table, leaves: I4, allow: AbstractSet[str], claim: Claim | None) -> None:
    """Refuse what no release of `table` could honestly claim or safely carry.

    `leaves` are the quasi-identifiers' leaf codes; `allow` names plain columns to publish whatever they tell.
    """
    if not table.quasi:
        raise InputError(
            "columns: no quasi-identifier, so a claim would be empty; give at least one column the role quasi"
        )
    if claim is not None and "sensitive" in claim.roles and not table.role("sensitive"):
        named = ", ".join(part.named for part in claim.parts if "sensitive" in part.roles)
        raise InputError(
            f"guarantee: {named} is about a sensitive column, and there is none; give one column the role sensitive"
        )
    for column in table.role("plain"):
        if column.name not in allow:
            guard_plain(column)
            _guard_refined(column, table, leaves)


def guard_plain(column: Column) -> None:
    """Refuse a plain column whose values single people out: it is published as it is."""
    n, distinct = len(column.codes), len(np.unique(column.codes))
    if n > 1 and distinct > n / 2:
        raise InputError(
            f"column '{column.name}': {distinct} different values in {n} records would show who people are; "
            "make it quasi or identifier, or set allow = true to publish it nevertheless"
        )


def _guard_refined(column: Column, table: Table, leaves: I4) -> None:
    """Refuse a plain column that would undo the generalization of a quasi-identifier."""
    for j, quasi in enumerate(table.quasi):
        if _refines(column, leaves[:, j]):
            raise InputError(
                f"column '{column.name}': its value tells the value of quasi-identifier '{quasi.name}'; make it "
                "quasi or identifier, or set allow = true to publish it nevertheless"
            )


def _refines(column: Column, leaves: I4) -> bool:
    """Whether equal cells of `column` always go with equal values of a quasi-identifier that varies."""
    values = len(np.unique(leaves))
    if values < 2:
        return False
    pairs = column.codes.astype(np.int64) * (int(leaves.max()) + 1) + leaves
    return len(np.unique(pairs)) == len(np.unique(column.codes))
