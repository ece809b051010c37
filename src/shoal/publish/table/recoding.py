"""A stored recoding of a table, applied to other records."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.algorithms.allowance import allowance
from shoal.data import Table
from shoal.data.types import I4
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.release import Claim, Recoded
from shoal.utility import class_ids

__all__ = ["recode"]


def recode(
    recoding: Mapping[str, Any],
    table: Table,
    hierarchies: Hierarchies,
    leaves: I4,
    claim: Claim,
    suppress: float,
) -> Recoded:
    """Publish each quasi-identifier at the level the recoding gives it.

    Classes below k are left out if they are within the share `suppress`; if not, all stay, and the judge says no.
    """
    names = [column.name for column in table.quasi]
    levels = _levels(recoding, names, hierarchies)
    everybody = np.arange(table.n)
    whole = Recoded.of_levels(names, hierarchies, leaves, levels, everybody)
    classes = class_ids(list(whole.codes.T))
    small = np.bincount(classes)[classes] < claim.crowd
    if small.sum() > allowance("recoding", suppress, table.n):
        return whole
    return Recoded.of_levels(names, hierarchies, leaves, levels, everybody[~small])


def _levels(recoding: Mapping[str, Any], names: list[str], hierarchies: Hierarchies) -> list[int]:
    """The rule's level for each quasi-identifier, checked against the hierarchies."""
    levels = recoding.get("levels")
    if not isinstance(levels, dict):
        raise InputError(
            "recoding: it was local, and a local recoding cannot be applied to other records; run a maker instead"
        )
    if set(levels) != set(names):
        raise InputError(
            f"recoding: its columns are not the quasi-identifiers {', '.join(names)}; use the file of "
            "a run with the same columns"
        )
    for name in names:
        height = hierarchies[name].height
        if type(levels[name]) is not int or not 0 <= levels[name] <= height:
            raise InputError(f"recoding: the level of column '{name}' is not between 0 and {height}")
    return [levels[name] for name in names]
