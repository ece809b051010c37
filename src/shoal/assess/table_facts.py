"""The facts that the report and the audit tell of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Column, Table
from shoal.data.arrays import I4, I8, count_codes, sum_counts
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.io.read.cells import factorize, text
from shoal.privacy import LDiversity, TCloseness
from shoal.privacy.equivalence_class import EquivalenceClasses, cells, equivalence_classes, shares
from shoal.publish.draft import Draft
from shoal.release import Published, Recoded, Sensitive
from shoal.report.facts import AttributeRisk, Audit, IdentityRisk, Report
from shoal.risks.individual import Missing, RecordRisks, risk, survey_facts
from shoal.shapes.released_values import guessed, histogram, in_order, levels_of, places_of
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import sensitive_of
from shoal.utility import class_ids, class_of_rows, loss_by_column

__all__ = ["column_disclosure", "facts_of_recoded", "table_facts"]

Counts = dict[str | None, int]
Changes = list[tuple[str | None, float, float]]

_MOST = 20  # values that a figure shows one by one


def table_facts(draft: Draft) -> Audit:
    """The facts of a table's audit."""
    people: Any = draft.dataset
    return facts_of_recoded(draft, draft.result.release, people)


def facts_of_recoded(draft: Draft, release: Recoded, people: TableData) -> Audit:
    """The facts of a recoded table: the draft's whole release, or the part of it that is a table."""
    table, hierarchies, leaves, blanks = people.table, people.hierarchies, people.leaves, people.blanks
    roles = draft.manifest["columns"]
    shown = [name for name in draft.frame.columns if roles.get(name) in ("quasi", "sensitive")]
    persons, classes = table.persons, class_of_rows(release)
    whose = None if persons is None else persons[release.rows]
    original = class_ids(list(leaves.T))
    k = max(draft.claim.crowd, 2)
    before = risk(original, persons, below=_below(k), counts=table.counts)
    after = risk(classes, whose, below=_below(k), counts=release.counts)
    if table.counts is None:
        before |= _survey(table, k, blanks)
        after |= _survey(_as_released(table, release, hierarchies), k, blanks)
    secret = [name for name in shown if roles[name] == "sensitive"]
    return Audit(
        report=_public(draft, release, hierarchies, shown, classes),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={
            name: _before_after(name, draft.frame[name], release, table, hierarchies, leaves)
            for name in shown
        },
        risk_before=before,
        risk_after=after,
        exposed=[IdentityRisk("all quasi-identifiers", 1 / k, _chances(before, k), _chances(after, k))],
        learned=column_disclosure(
            Published({"all": original}, _secrets(table, secret), persons, table.counts),
            Published(
                {"all": classes},
                {name: sensitive_of(text(draft.frame[name])) for name in secret},
                whose,
                release.counts,
            ),
        ),
        front=None if draft.front is None else draft.front["front"],
        rules=_rules(release, hierarchies),
        trace=draft.private_trace,
    )


def _chances(facts: Mapping[str, Any], k: int) -> dict[str, float]:
    """How likely whoever knows all quasi-identifiers finds people, from `risk`."""
    return {"highest": facts["highest"], "average": facts["average"], "above": facts["below"][str(k)]}


def _as_released(table: Table, release: Recoded, hierarchies: Hierarchies) -> Table:
    """The records that were released, with their published quasi-identifiers.

    Labels of the same leaves are one, and a label that covers every value is a blank.
    """
    columns = []
    for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True)):
        alike, wide = form.sets(), np.diff(form.start) >= hierarchies[name].size
        told = zip(alike.tolist(), form.labels, wide.tolist(), strict=True)
        values = {number: None if whole else label for number, label, whole in told}
        columns.append(
            Column(name, "quasi", tuple(values.values()), alike[release.codes[:, j]].astype(np.int32))
        )
    return replace(table.some(release.rows), columns=tuple(columns))


def _survey(table: Table, k: int, blanks: Missing) -> dict[str, Any]:
    """How exposed people are who stand for others, and households; nothing where no column tells of them."""
    if (table.weights is None and table.households is None) or not table.n:
        return {}
    found = survey_facts(table, RecordRisks.of(table, table.quasi, blanks), k, blanks)
    one, home = found["individual"], found["household"]
    known = None if home is None else home["size_known"]
    return {
        **({} if one is None else {"individual": one["average"], "individual_highest": one["highest"]}),
        **({} if one is None else {"individual_above": one["above"], "expected": one["expected"]}),
        **({} if home is None else {"household": home["average"], "household_expected": home["expected"]}),
        **({} if known is None else {"household_size": known["individual"]["expected"]}),
    }


def _below(k: int) -> list[int]:
    """The class sizes for which shares are told: those that all audits have, and the claim's."""
    return sorted({2, 5, 10, 20, k})


def _secrets(table: Table, names: list[str]) -> dict[str, Sensitive]:
    """Original sensitive columns as a judge sees them."""
    return {name: sensitive_of(pl.Series(table.column(name).cells(), dtype=pl.String)) for name in names}


def _public(
    draft: Draft, release: Recoded, hierarchies: Hierarchies, shown: list[str], classes: I8
) -> Report:
    """What anybody may read: computed from the released frame, manifest and declared hierarchies."""
    costs = loss_by_column(release, hierarchies)
    counts = {name: _counts(draft.frame[name], release.counts) for name in shown}
    declared = {
        name: forms
        for name, forms in zip(release.names, release.forms, strict=True)
        if hierarchies[name].public and not forms.centre  # which tells no leaves
    }
    places = {name: places_of(forms, hierarchies[name]) for name, forms in declared.items()}
    return Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes={} if draft.claim.blanks else histogram(count_codes(classes, release.counts)),
        loss_by_column={name: loss for name, loss in costs.items() if name in declared},
        marginals={name: in_order(counts[name], places.get(name)) for name in shown},
        levels=[
            levels_of(name, dict(in_order(counts[name], places[name])), hierarchies[name])
            for name in declared
        ],
    )


def _counts(cells: pl.Series, counts: I8 | None) -> Counts:
    """How often each cell occurs, most frequent first."""
    values, codes = factorize(text(cells))
    found = count_codes(codes, counts, len(values))
    return {values[place]: int(found[place]) for place in np.argsort(-found, kind="stable")}


def _before_after(
    name: str, cells: pl.Series, release: Recoded, table: Table, hierarchies: Hierarchies, leaves: I4
) -> Changes:
    """How many originals have each value, and how many records a reader of the release would guess to have it.

    Values that are too many to be shown one by one stand together, at the lowest level of the hierarchy that does.
    """
    if name not in release.names:
        column = table.column(name)
        before = count_codes(column.codes, table.counts, len(column.values))
        after = _counts(cells, release.counts)
        old = {value: int(many) for value, many in zip(column.values, before, strict=True) if many}
        both = {value: old.get(value, 0) + after.get(value, 0) for value in old | after}
        return [(value, float(old.get(value, 0)), float(after.get(value, 0))) for value, _ in in_order(both)]
    j, hierarchy = release.names.index(name), hierarchies[name]
    level = _shown_level(hierarchy, leaves[:, j])
    up, labels = hierarchy.up[:, level], _labels(hierarchy, level)
    forms = release.forms[j]
    guess = np.bincount(up, weights=guessed(forms, release.cells[j], len(up)), minlength=len(labels))
    before = count_codes(up[leaves[:, j]], table.counts, len(labels))
    return [
        (label, float(old), round(float(new), 6))
        for label, old, new in zip(labels, before, guess, strict=True)
        if old or new
    ]


def _shown_level(hierarchy: Hierarchy, leaves: I4) -> int:
    """The lowest level below the root on which the originals have few different values."""
    levels = range(max(hierarchy.height, 1))
    there = np.flatnonzero(np.bincount(leaves))
    few = (level for level in levels if len(np.unique(hierarchy.up[there, level])) <= _MOST)
    return next(few, levels[-1])


def _labels(hierarchy: Hierarchy, level: int) -> list[str | None]:
    """The labels of one level; a node of missing cells alone has none."""
    labels: list[str | None] = list(hierarchy.labels[level])
    gone = hierarchy.up[hierarchy.size, level]
    if gone not in hierarchy.up[: hierarchy.size, level]:
        labels[gone] = None
    return labels


def _rules(release: Recoded, hierarchies: Hierarchies) -> Mapping[str, Any]:
    """The recoding in words: the level of each column, of how many, and what that looks like."""
    examples = {
        name: [form.labels[code] for code in np.flatnonzero(release.cells[j])[:3]]
        for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True))
    }
    return {
        **release.rule,
        "heights": {name: hierarchies[name].height for name in release.names},
        "examples": examples,
        "suppressed": release.suppressed,
    }


# --- what look-alikes tell of sensitive columns, before and after, whatever the claim asks for


def column_disclosure(before: Published, after: Published) -> Sequence[AttributeRisk]:
    """For each sensitive column that is published, what whoever finds a person's look-alikes learns from it."""
    if not len(next(iter(after.quasi.values()), ())):
        return []
    old, new = equivalence_classes(before), equivalence_classes(after)
    return [
        AttributeRisk(name, _figures(old, before.sensitive[name]), _figures(new, after.sensitive[name]))
        for name in after.sensitive
    ]


def _figures(groups: EquivalenceClasses, column: Sensitive) -> dict[str, float]:
    """The l and t that are reached, as judges count them, and the share of records whose value their class tells."""
    counted, inside, _ = shares(groups, column)
    values, certain = cells(column) + 1, (inside >= 1) & (counted.value > 0)  # 0 is an empty cell
    width = int(values.max(initial=0)) + 1
    told = np.isin(groups.of * width + values, (counted.of * width + counted.value)[certain])
    records = len(groups.of) if groups.counts is None else int(groups.counts.sum())
    return {
        "l": LDiversity(1).weigh(groups, column)[1],
        "entropy": LDiversity(1, "entropy").weigh(groups, column)[1],
        "t": TCloseness(1.0).weigh(groups, column)[1],
        "share": float(inside[counted.value > 0].max(initial=0)),
        "given_away": sum_counts(told, groups.counts) / max(records, 1),
    }
