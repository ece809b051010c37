"""The facts that the report and the audit tell of a table."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from shoal.assess.accuracy import measure_accuracy
from shoal.assess.more_knowledge import list_more_knowledge, play_more_knowledge
from shoal.assess.weighted_figures import measure_weighted_figures
from shoal.base.naming import RECODED
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8, count_codes, sum_counts
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.io.read.cells import cell_texts, factorize
from shoal.parts.judging import CountedRows, view_rows
from shoal.privacy import HiddenValues, LDiversity, TCloseness
from shoal.privacy.core import core_claim
from shoal.privacy.equivalence_class import (
    EquivalenceClasses,
    compare_shares,
    equivalence_classes,
    number_groups,
    sensitive_codes,
)
from shoal.publish.draft import Draft
from shoal.release import Claim, Published, Recoded, Sensitive
from shoal.report.facts import AttributeRisk, Audit, IdentityRisk, Report
from shoal.risks.individual import Missing, RecordRisks, survey_facts
from shoal.risks.look_alikes import describe_classes
from shoal.shapes.released_values import guess_leaf_counts, histogram, levels_of, places_of, sort_values
from shoal.shapes.table.data import TableData, extend_hierarchy
from shoal.shapes.table.verification import sensitive_of
from shoal.utility import class_ids, class_of_rows, loss_by_column

__all__ = [
    "_column_disclosure",
    "build_released_table",
    "facts_of_recoded",
    "table_facts",
    "table_facts_from_counts",
]

Counts = dict[str | None, int]
_Changes = list[tuple[str | None, float, float]]

_MOST = 20  # values that a figure shows one by one


def table_facts(draft: Draft) -> Audit:
    """The facts of a table's audit."""
    people: Any = draft.dataset
    return facts_of_recoded(draft, draft.result.release, people)


def table_facts_from_counts(draft: Draft, data: Any = None, release: Any = None) -> Audit:
    """The facts of the audit of a table in fragments, as far as counts tell them; or of the part that is a table."""
    data, release = data or draft.dataset, release or draft.result.release
    k, whole = max(draft.claim.crowd, 2), data.whole or data
    dictionary, kept = whole.dictionary, data.dictionary
    classes = class_of_rows(release)
    sizes = np.repeat(
        *(np.array(list(part), dtype=np.int64) for part in zip(*release.sizes.items(), strict=True))
    )
    risk_before = describe_classes(np.arange(len(sizes)), below=_size_limits(k), counts=sizes)
    risk_after = describe_classes(classes, below=_size_limits(k), counts=release.counts)
    originals = data.view_originals() if data.counts_persons else None
    if originals is not None:
        seen, limits = data.view_released(release), _size_limits(k)
        risk_before = describe_classes(originals.quasi["all"], originals.persons, below=limits)
        risk_after = describe_classes(seen.quasi["class"], seen.persons, below=limits)
    changes: dict[str, _Changes] = {}
    for name, values, counts in zip(dictionary.names, dictionary.values, dictionary.counts, strict=True):
        role = data.published[name]
        if role in RECODED:
            column = Column(name, role, values, np.arange(len(values), dtype=np.int32))
            hierarchy = extend_hierarchy(data.hierarchies[name], column)
            leaf = hierarchy.encode(column)
            changes[name] = _count_changes(
                name,
                draft.frame[name],
                release,
                Table((column,), counts=counts),
                {name: hierarchy},
                np.repeat(leaf[:, None], len(release.names), axis=1),
            )
        elif role == "sensitive":
            j = kept.names.index(name)
            after = dict(zip(kept.values[j], kept.counts[j].tolist(), strict=True))
            before = dict(zip(values, counts.tolist(), strict=True))
            changes[name] = [
                (value, float(count), float(after.get(value, 0))) for value, count in sort_values(before)
            ]
    exposed = IdentityRisk(
        "all quasi-identifiers", 1 / k, _identity_chances(risk_before, k), _identity_chances(risk_after, k)
    )
    return Audit(
        report=_public_report(draft, release, data.hierarchies, list(release.names), classes),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={name: changes[name] for name in data.published if name in changes},
        risk_before=risk_before,
        risk_after=risk_after,
        exposed=[exposed],
        learned=_disclosure_from_counts(data, release)
        if originals is None
        else _column_disclosure(originals, data.view_released(release)),
        rules=_rules(release, data.hierarchies),
        trace=draft.private_trace,
    )


def _disclosure_from_counts(data: Any, release: Any) -> list[AttributeRisk]:
    """For each sensitive column of a table in fragments, what whoever finds a person's look-alikes learns from it."""
    after = data.view_released(release)
    classes = equivalence_classes(after)
    learned = []
    for name, column in after.sensitive.items():
        task = partial(_disclosure_in_fragment, data, release, name)
        parts = list(data.room.mapper(task, range(len(release.staged))))
        before = {
            "l": min(part["l"] for part in parts),
            "entropy": min(part["entropy"] for part in parts),
            "t": max(part["t"] for part in parts),
            "share": max(part["share"] for part in parts),
            "given_away": sum(part["given_away"] * part["records"] for part in parts) / data.records,
        }
        learned.append(AttributeRisk(name, before, _class_disclosure_figures(classes, column)))
    return learned


def _disclosure_in_fragment(data: Any, release: Any, name: str, number: int) -> dict[str, float]:
    """The task: the figures of one fragment's originals, which hold whole groups of equal ones.

    They are compared with all records: the others stand beside them as one group. That group is a mixture of groups in
    other fragments, so one of these is as far from the whole.
    """
    j, codes = data.dictionary.names.index(name), release.staged[number].originals()
    values, totals = data.dictionary.values[j], data.dictionary.counts[j]
    leaves = [
        data.hierarchies[quasi].encode(
            Column(quasi, "quasi", data.dictionary.values[at], np.ascontiguousarray(codes[:, at]))
        )
        for at, quasi in enumerate(release.names)
    ]
    row, heads = number_groups((class_ids(leaves), codes[:, j]))
    groups = class_ids(leaves)[heads]
    counts = np.bincount(row, minlength=len(heads))
    own = _counted_figures(name, values, codes[heads, j], groups, counts)
    others = totals - np.bincount(codes[:, j], minlength=len(values))
    rest = np.flatnonzero(others)
    beside = _counted_figures(
        name,
        values,
        np.r_[codes[heads, j], rest],
        np.r_[groups, np.full(len(rest), groups.max() + 1)],
        np.r_[counts, others[rest]],
    )
    return {**own, "t": beside["t"], "records": len(codes)}


def _counted_figures(
    name: str, values: Sequence[str | None], codes: I4 | I8, groups: I8, counts: I8
) -> dict[str, float]:
    """The figures of a sensitive column whose different rows are counted."""
    rows = CountedRows(codes[:, None].astype(np.int32), counts.astype(np.int64), groups.astype(np.int64))
    published = view_rows(rows, {name: (0, values)})
    return _class_disclosure_figures(equivalence_classes(published), published.sensitive[name])


def facts_of_recoded(draft: Draft, release: Recoded, people: TableData) -> Audit:
    """The facts of a recoded table: the draft's whole release, or the part of it that is a table."""
    table, hierarchies, leaves, blanks = people.table, people.hierarchies, people.leaves, people.blanks
    roles = draft.manifest["columns"]
    shown_names = [name for name in draft.frame.columns if roles.get(name) in (*RECODED, "sensitive")]
    persons, classes = table.persons, class_of_rows(release)
    person_of_row = None if persons is None else persons[release.rows]
    original = class_ids(
        [
            leaves[:, j]
            for j, column in enumerate(table.quasi)
            if not release.core or column.name in release.core
        ]
    )
    k = max(draft.claim.crowd, 2)
    risk_before = describe_classes(original, persons, below=_size_limits(k), counts=table.counts)
    risk_after = describe_classes(classes, person_of_row, below=_size_limits(k), counts=release.counts)
    if table.counts is None:
        risk_before |= _survey_risks(table, k, blanks)
        risk_after |= _survey_risks(build_released_table(table, release, hierarchies), k, blanks)
    secret = [name for name in shown_names if roles[name] == "sensitive"]
    before = Published({"all": original}, _sensitive_columns(table, secret), persons, table.counts)
    after = Published(
        {"all": classes},
        {name: sensitive_of(cell_texts(draft.frame[name])) for name in secret},
        person_of_row,
        release.counts,
    )
    return Audit(
        report=replace(
            _public_report(draft, release, hierarchies, shown_names, classes),
            accuracy=measure_accuracy(people, release, k),
        ),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={
            name: _count_changes(name, draft.frame[name], release, table, hierarchies, leaves)
            for name in shown_names
        },
        risk_before=risk_before,
        risk_after=risk_after,
        exposed=[
            IdentityRisk(
                "all quasi-identifiers",
                1 / k,
                _identity_chances(risk_before, k),
                _identity_chances(risk_after, k),
            ),
            *_more_knowledge_risks(draft.claim, table, leaves, release),
        ],
        learned=[*_column_disclosure(before, after), *_hidden_disclosure(draft.claim, before, after)],
        weighted=measure_weighted_figures(people, release, draft.frame),
        front=None if draft.choices.front is None else draft.choices.front["front"],
        rules=_rules(release, hierarchies),
        trace=draft.private_trace,
    )


def _identity_chances(facts: Mapping[str, Any], k: int) -> dict[str, float]:
    """How likely whoever knows all quasi-identifiers finds people, from `describe_classes`."""
    return {"highest": facts["highest"], "average": facts["average"], "above": facts["below"][str(k)]}


def build_released_table(table: Table, release: Recoded, hierarchies: Hierarchies) -> Table:
    """The records that were released, with their published quasi-identifiers.

    Labels of the same leaves are one, and a label that covers every value is a blank.
    """
    columns = []
    for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True)):
        form_sets, wide = form.sets(), np.diff(form.start) >= hierarchies[name].size
        set_facts = zip(form_sets.tolist(), form.labels, wide.tolist(), strict=True)
        values = {number: None if is_root else label for number, label, is_root in set_facts}
        columns.append(
            Column(name, "quasi", tuple(values.values()), form_sets[release.codes[:, j]].astype(np.int32))
        )
    return replace(table.some(release.rows), columns=tuple(columns))


def _survey_risks(table: Table, k: int, blanks: Missing) -> dict[str, Any]:
    """How exposed people are who stand for others, and households; nothing where no column tells of them."""
    if (table.weights is None and table.households is None) or not table.n:
        return {}
    risks = survey_facts(table, RecordRisks.of(table, table.quasi, blanks), k, blanks)
    individual, home = risks["individual"], risks["household"]
    size_known = None if home is None else home["size_known"]
    return {
        **(
            {}
            if individual is None
            else {"individual": individual["average"], "individual_highest": individual["highest"]}
        ),
        **(
            {}
            if individual is None
            else {"individual_above": individual["above"], "expected": individual["expected"]}
        ),
        **({} if home is None else {"household": home["average"], "household_expected": home["expected"]}),
        **({} if size_known is None else {"household_size": size_known["individual"]["expected"]}),
    }


def _size_limits(k: int) -> list[int]:
    """The class sizes for which shares are told: those that all audits have, and the claim's."""
    return sorted({2, 5, 10, 20, k})


def _sensitive_columns(table: Table, names: list[str]) -> dict[str, Sensitive]:
    """Original sensitive columns as a judge sees them."""
    return {name: sensitive_of(pl.Series(table.column(name).cells(), dtype=pl.String)) for name in names}


def _public_report(
    draft: Draft, release: Recoded, hierarchies: Hierarchies, shown: list[str], classes: I8
) -> Report:
    """What anybody may read: computed from the released frame, manifest and declared hierarchies."""
    costs = loss_by_column(release, hierarchies)
    counts = {name: _count_cells(draft.frame[name], release.counts) for name in shown}
    declared_forms = {
        name: forms
        for name, forms in zip(release.names, release.forms, strict=True)
        if hierarchies[name].public and not forms.centre  # which tells no leaves
    }
    span_of_label = {name: places_of(forms, hierarchies[name]) for name, forms in declared_forms.items()}
    return Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes={} if draft.claim.blanks else histogram(count_codes(classes, release.counts)),
        loss_by_column={name: loss for name, loss in costs.items() if name in declared_forms},
        marginals={name: sort_values(counts[name], span_of_label.get(name)) for name in shown},
        levels=[
            levels_of(name, dict(sort_values(counts[name], span_of_label[name])), hierarchies[name])
            for name in declared_forms
        ],
        more_knowledge=None
        if (core := core_claim(draft.claim)) is None or not len(release.rows)
        else list_more_knowledge(core, release),
    )


def _more_knowledge_risks(claim: Claim, table: Table, leaves: I4, release: Recoded) -> list[IdentityRisk]:
    """How likely people are found by more knowledge than a claim about known columns allows; none of other claims."""
    core = core_claim(claim)
    if core is None or not len(release.rows):
        return []
    return play_more_knowledge(core, [column.name for column in table.quasi], leaves, release)


def _count_cells(cells: pl.Series, counts: I8 | None) -> Counts:
    """How often each cell occurs, most frequent first."""
    values, codes = factorize(cell_texts(cells))
    counted = count_codes(codes, counts, len(values))
    return {values[index]: int(counted[index]) for index in np.argsort(-counted, kind="stable")}


def _count_changes(
    name: str, cells: pl.Series, release: Recoded, table: Table, hierarchies: Hierarchies, leaves: I4
) -> _Changes:
    """How many originals have each value, and how many records a reader of the release would guess to have it.

    Values that are too many to be shown one by one stand together, at the lowest level of the hierarchy that does.
    """
    if name not in release.names:
        column = table.column(name)
        original_counts = count_codes(column.codes, table.counts, len(column.values))
        released_counts = _count_cells(cells, release.counts)
        old = {
            value: int(original_count)
            for value, original_count in zip(column.values, original_counts, strict=True)
            if original_count
        }
        all_counts = {
            value: old.get(value, 0) + released_counts.get(value, 0) for value in old | released_counts
        }
        return [
            (value, float(old.get(value, 0)), float(released_counts.get(value, 0)))
            for value, _ in sort_values(all_counts)
        ]
    j, hierarchy = release.names.index(name), hierarchies[name]
    level = _shown_level(hierarchy, leaves[:, j])
    node_of_leaf, labels = hierarchy.up[:, level], _labels(hierarchy, level)
    forms = release.forms[j]
    guess = np.bincount(
        node_of_leaf,
        weights=guess_leaf_counts(forms, release.cells[j], len(node_of_leaf)),
        minlength=len(labels),
    )
    original_counts = count_codes(node_of_leaf[leaves[:, j]], table.counts, len(labels))
    return [
        (label, float(old), round(float(new), 6))
        for label, old, new in zip(labels, original_counts, guess, strict=True)
        if old or new
    ]


def _shown_level(hierarchy: Hierarchy, leaves: I4) -> int:
    """The lowest level below the root on which the originals have few different values."""
    levels = range(max(hierarchy.height, 1))
    used_leaves = np.flatnonzero(np.bincount(leaves))
    narrow_levels = (level for level in levels if len(np.unique(hierarchy.up[used_leaves, level])) <= _MOST)
    return next(narrow_levels, levels[-1])


def _labels(hierarchy: Hierarchy, level: int) -> list[str | None]:
    """The labels of one level; a node of missing cells alone has none."""
    labels: list[str | None] = list(hierarchy.labels[level])
    missing_node = hierarchy.up[hierarchy.size, level]
    if missing_node not in hierarchy.up[: hierarchy.size, level]:
        labels[missing_node] = None
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


def _column_disclosure(before: Published, after: Published) -> Sequence[AttributeRisk]:
    """For each sensitive column that is published, what whoever finds a person's look-alikes learns from it."""
    if not len(next(iter(after.quasi.values()), ())):
        return []
    old, new = equivalence_classes(before), equivalence_classes(after)
    return [
        AttributeRisk(
            name,
            _class_disclosure_figures(old, before.sensitive[name]),
            _class_disclosure_figures(new, after.sensitive[name]),
        )
        for name in after.sensitive
    ]


def _hidden_disclosure(claim: Claim, before: Published, after: Published) -> Iterator[AttributeRisk]:
    """How many look-alikes have a hidden value: in each column that has any, and in any of several together."""
    for part in claim.parts:
        if not isinstance(part, HiddenValues) or not len(next(iter(after.quasi.values()), ())):
            continue
        groups = [part.columns] if len(part.columns) > 1 else []
        for names in [*((name,) for name in part.columns), *groups]:
            figures = [_hidden_figures(part, names, side) for side in (before, after)]
            yield AttributeRisk(" or ".join(names), figures[0], figures[1])


def _hidden_figures(claim: HiddenValues, names: Collection[str], published: Published) -> dict[str, float]:
    """The share of people with a hidden value in any of some columns: of all, of half the classes, at most of one."""
    events = {name: column.codes for name, column in claim.sensitive_columns(published) if name in names}
    hidden = Sensitive(np.min(list(events.values()), axis=0), ("not hidden",))  # -1 is hidden, 0 is not
    groups = equivalence_classes(published)
    shares = claim.shares(groups, hidden)
    whole = equivalence_classes(replace(published, quasi={"all": np.zeros_like(groups.of)}))
    return {
        "hidden_overall": float(claim.shares(whole, hidden)[0]),
        "hidden_half": float(np.quantile(shares, 0.5, method="higher")),
        "hidden": float(shares.max()),
    }


def _class_disclosure_figures(groups: EquivalenceClasses, column: Sensitive) -> dict[str, float]:
    """The l and t that are reached, as judges count them, and the share of records whose value their class tells."""
    value_counts, share_of_class, _ = compare_shares(groups, column)
    values, certain = (
        sensitive_codes(column) + 1,
        (share_of_class >= 1) & (value_counts.value > 0),
    )  # 0 is an empty cell
    width = int(values.max(initial=0)) + 1
    is_certain = np.isin(groups.of * width + values, (value_counts.of * width + value_counts.value)[certain])
    records = len(groups.of) if groups.counts is None else int(groups.counts.sum())
    return {
        "l": LDiversity(1).weigh(groups, column)[1],
        "entropy": LDiversity(1, "entropy").weigh(groups, column)[1],
        "t": TCloseness(1.0).weigh(groups, column)[1],
        "share": float(share_of_class[value_counts.value > 0].max(initial=0)),
        "given_away": sum_counts(is_certain, groups.counts) / max(records, 1),
    }
