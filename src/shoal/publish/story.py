"""The facts that the report and the audit tell of a draft."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.io.tables import factorize, text
from shoal.publish.draft import Draft
from shoal.report.facts import Audit, Report
from shoal.utility import class_ids, loss_by_column, risk

__all__ = ["private_audit", "public_report"]

Counts = dict[str | None, int]


def public_report(draft: Draft) -> Report:
    """What anybody may read: computed from the released frame, manifest and declared hierarchies."""
    costs = loss_by_column(draft.result.release, draft.dataset.trees)
    return Report(
        manifest=draft.manifest,
        verdict=draft.verdict.as_dict(),
        sizes=_histogram(np.bincount(draft.classes)),
        loss_by_column={name: loss for name, loss in costs.items() if draft.dataset.trees[name].public},
        marginals={
            name: list(_counts(draft.frame[name]).items())
            for name, role in draft.roles.items()
            if role in ("quasi", "sensitive")
        },
    )


def private_audit(draft: Draft) -> Audit:
    """What only the data holder may read: before against after."""
    dataset = draft.dataset
    persons = dataset.table.persons
    before = class_ids(list(dataset.leaves.T))
    after = draft.classes
    return Audit(
        report=public_report(draft),
        losses={name: v for name, v in draft.private_losses.items() if name not in draft.manifest["loss"]},
        before_after={
            name: _before_after(draft, name)
            for name, role in draft.roles.items()
            if role in ("quasi", "sensitive")
        },
        risk_before=risk(before, persons),
        risk_after=risk(after, None if persons is None else persons[draft.rows]),
        front=None if draft.front is None else draft.front["front"],
        rules=_rules(draft),
        trace=draft.result.trace,
    )


def _histogram(sizes: NDArray[np.int64]) -> dict[int, int]:
    found, times = np.unique(sizes, return_counts=True)
    return dict(zip(found.tolist(), times.tolist(), strict=True))


def _counts(cells: pl.Series) -> Counts:
    """How often each cell occurs, most frequent first."""
    values, codes = factorize(text(cells))
    times = np.bincount(codes, minlength=len(values))
    return {values[place]: int(times[place]) for place in np.argsort(-times, kind="stable")}


def _before_after(draft: Draft, name: str) -> list[tuple[str | None, float, float]]:
    """Counts of each published form: records whose original lies in it, and records released with it."""
    after = _counts(draft.frame[name])
    before = _originals(draft, name)
    labels = dict.fromkeys([*sorted(before, key=lambda label: -before[label]), *after])
    return [(label, float(before.get(label, 0)), float(after.get(label, 0))) for label in labels]


def _originals(draft: Draft, name: str) -> Counts:
    """The originals' counts, at the level the column is published at."""
    recoded, dataset = draft.result.release, draft.dataset
    if name not in recoded.names:
        column = dataset.table.column(name)
        times = np.bincount(column.codes, minlength=len(column.values))
        return {value: int(count) for value, count in zip(column.values, times, strict=True) if count}
    j, tree = recoded.names.index(name), dataset.trees[name]
    nodes = tree.up[dataset.leaves[:, j], recoded.rule["levels"][name]]
    times = np.bincount(nodes, minlength=len(recoded.forms[j].labels))
    return {label: int(count) for label, count in zip(recoded.forms[j].labels, times, strict=True) if count}


def _rules(draft: Draft) -> Mapping[str, Any]:
    """The recoding in words: the level of each column, of how many, and what that looks like."""
    recoded, trees = draft.result.release, draft.dataset.trees
    examples = {
        name: [form.labels[code] for code in np.unique(recoded.codes[:, j])[:3]]
        for j, (name, form) in enumerate(zip(recoded.names, recoded.forms, strict=True))
    }
    return {
        **recoded.rule,
        "heights": {name: trees[name].height for name in recoded.names},
        "examples": examples,
        "suppressed": recoded.suppressed,
    }
