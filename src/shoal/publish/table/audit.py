"""The facts that the report and the audit tell of a draft."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data import Table
from shoal.data.counting import times
from shoal.data.types import I4, I8
from shoal.hierarchy import Hierarchies
from shoal.io.cells import factorize, text
from shoal.publish.draft import Draft
from shoal.release import Recoded
from shoal.report.facts import Audit, Report
from shoal.utility import class_ids, class_of_rows, loss_by_column, risk

__all__ = ["private_audit"]

Counts = dict[str | None, int]
Shares = dict[str | None, float]


def private_audit(
    draft: Draft, release: Recoded, table: Table, hierarchies: Hierarchies, leaves: I4
) -> Audit:
    """The facts of the audit, which only the data holder may read; those that anybody may read are its `report`.

    `release` is the recoded table: the draft's whole release, or the part of it that is a table.
    """
    roles = draft.manifest["columns"]
    shown = [name for name in draft.frame.columns if roles.get(name) in ("quasi", "sensitive")]
    persons, classes = table.persons, class_of_rows(release)
    return Audit(
        report=_public(draft, release, hierarchies, shown, classes),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={
            name: _before_after(*_both(name, draft.frame[name], release, table, hierarchies, leaves))
            for name in shown
        },
        risk_before=risk(class_ids(list(leaves.T)), persons, counts=table.counts),
        risk_after=risk(classes, None if persons is None else persons[release.rows], counts=release.counts),
        front=None if draft.front is None else draft.front["front"],
        rules=_rules(release, hierarchies),
        trace=draft.private_trace,
        beyond=draft.beyond,
    )


def _public(
    draft: Draft, release: Recoded, hierarchies: Hierarchies, shown: list[str], classes: I8
) -> Report:
    """What anybody may read: computed from the released frame, manifest and declared hierarchies."""
    costs = loss_by_column(release, hierarchies)
    return Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes=_histogram(times(classes, release.counts)),
        loss_by_column={name: loss for name, loss in costs.items() if hierarchies[name].public},
        marginals={name: list(_counts(draft.frame[name], release.counts).items()) for name in shown},
    )


def _histogram(sizes: I8) -> dict[int, int]:
    found, times = np.unique(sizes, return_counts=True)
    return dict(zip(found.tolist(), times.tolist(), strict=True))


def _counts(cells: pl.Series, counts: I8 | None) -> Counts:
    """How often each cell occurs, most frequent first."""
    values, codes = factorize(text(cells))
    found = times(codes, counts, len(values))
    return {values[place]: int(found[place]) for place in np.argsort(-found, kind="stable")}


def _before_after(before: Shares, after: Shares) -> list[tuple[str | None, float, float]]:
    """Both counts of each label, the most frequent originals first."""
    labels = dict.fromkeys([*sorted(before, key=lambda label: -before[label]), *after])
    return [(label, float(before.get(label, 0)), float(after.get(label, 0))) for label in labels]


def _both(
    name: str,
    cells: pl.Series,
    release: Recoded,
    table: Table,
    hierarchies: Hierarchies,
    leaves: I4,
) -> tuple[Shares, Shares]:
    """Counts before and after: of published forms where a column has one level, of original values elsewhere."""
    if name not in release.names:
        column = table.column(name)
        before = times(column.codes, table.counts, len(column.values))
        return _named(column.values, before), {**_counts(cells, release.counts)}
    j = release.names.index(name)
    hierarchy, forms = hierarchies[name], release.forms[j]
    if "levels" in release.rule:
        nodes = hierarchy.up[leaves[:, j], release.rule["levels"][name]]
        before = times(nodes, table.counts, len(forms.labels))
        return _named(forms.labels, before), {**_counts(cells, release.counts)}
    values = (*hierarchy.leaves, None)
    return _named(values, np.bincount(leaves[:, j], minlength=len(values))), _spread(release, j, values)


def _named(labels: Sequence[str | None], counts: NDArray[np.integer] | NDArray[np.floating]) -> Shares:
    return {label: float(count) for label, count in zip(labels, counts, strict=True) if count}


def _spread(release: Recoded, j: int, values: Sequence[str | None]) -> Shares:
    """What a reader would estimate of a locally recoded column: each form's records spread over its leaves."""
    forms = release.forms[j]
    width = np.diff(forms.start)
    each = np.bincount(release.codes[:, j], minlength=len(width)) / np.maximum(width, 1)
    return _named(values, np.bincount(forms.leaves, weights=np.repeat(each, width), minlength=len(values)))


def _rules(release: Recoded, hierarchies: Hierarchies) -> Mapping[str, Any]:
    """The recoding in words: the level of each column, of how many, and what that looks like."""
    examples = {
        name: [form.labels[code] for code in np.unique(release.codes[:, j])[:3]]
        for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True))
    }
    return {
        **release.rule,
        "heights": {name: hierarchies[name].height for name in release.names},
        "examples": examples,
        "suppressed": release.suppressed,
    }
