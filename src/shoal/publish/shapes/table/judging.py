"""From released cells to what a judge sees, and from a release to its verdict."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from shoal.data import Table
from shoal.data.types import I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import leaves_of
from shoal.io.read.cells import factorize, text
from shoal.privacy.truth import truth_of_table, unchanged
from shoal.release import Claim, Forms, Published, Sensitive, Verdict

__all__ = ["judge_frame", "judge_truth", "published", "resolve", "sensitive_of"]


def resolve(cells: pl.Series, hierarchy: Hierarchy) -> tuple[Forms, I4]:
    """Read published labels through a hierarchy: the leaf set of each, and which one every row has.

    A label that is no node, range or set of its leaves stands for no leaf at all, so that `truth` refuses it.
    """
    values, codes = factorize(cells)
    return Forms.of_sets(values, [leaves_of(value, hierarchy) for value in values]), codes


def sensitive_of(cells: pl.Series) -> Sensitive:
    """A released sensitive column: codes into its values, -1 for an empty cell."""
    values, codes = factorize(cells)
    if None not in values:
        return Sensitive(codes.astype(np.int64), tuple(v for v in values if v is not None))
    gone = values.index(None)
    moved = np.where(codes == gone, -1, np.where(codes > gone, codes - 1, codes))
    return Sensitive(moved.astype(np.int64), tuple(v for v in values if v is not None))


def published(
    frame: pl.DataFrame,
    roles: Mapping[str, str],
    persons: I8 | None = None,
    counts: I8 | None = None,
) -> Published:
    """See a released frame as everybody does: rows are alike where their labels are the same text.

    Labels of the same leaves in two wordings are two: whoever sees them tells the rows apart.
    """
    return Published(
        {
            name: factorize(text(frame[name]))[1].astype(np.int64)
            for name, role in roles.items()
            if role == "quasi"
        },
        {name: sensitive_of(text(frame[name])) for name, role in roles.items() if role == "sensitive"},
        persons,
        counts,
    )


def judge_frame(
    frame: pl.DataFrame,
    claim: Claim,
    roles: Mapping[str, str],
    persons: I8 | None = None,
    counts: I8 | None = None,
) -> Verdict:
    """Judge a claim on released cells; `counts` says how many records each row stands for, None means one."""
    return claim.check(published(frame, roles, persons, counts))


def judge_truth(
    frame: pl.DataFrame,
    table: Table,
    hierarchies: Hierarchies,
    leaves: I4,
    rows: I8,
) -> Verdict:
    """Check every released cell against the record it stems from: row i against record rows[i].

    A quasi-identifier's original value must lie inside its published form; other columns must be unchanged.
    """
    names = [column.name for column in table.quasi]
    released = {name: resolve(text(frame[name]), hierarchies[name]) for name in names}
    said = truth_of_table({name: leaves[:, j] for j, name in enumerate(names)}, released, rows)
    for column in table.columns:
        if said and column.role not in ("quasi", "identifier"):
            original = pl.Series(column.values, dtype=pl.String).gather(pl.Series(column.codes[rows]))
            said = unchanged(column.name, original.to_list(), text(frame[column.name]).to_list())
    return said
