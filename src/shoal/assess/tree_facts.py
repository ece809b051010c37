"""The facts that the report and the audit tell of record trees, with invented examples."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.data import Trees
from shoal.data.arrays import I8, row_of_entry
from shoal.data.trees import CHUNK
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.trees import KMNAnonymity, judge_known_recoding
from shoal.publish.draft import Draft
from shoal.release import RecodedTrees
from shoal.report.facts import (
    Audit,
    Chart,
    Cut,
    Example,
    Report,
    TreeAudit,
    TreeReport,
)
from shoal.shapes.released_values import IN_PARTS, public_places, sort_values
from shoal.shapes.trees.counts import TreeCounts, count_trees, list_relations
from shoal.shapes.trees.verification import code_leaves

__all__ = [
    "_invent_examples",
    "_is_real",
    "tree_facts",
    "tree_facts_from_counts",
]

# --- which values stand above which: what a release tells, and what its recoding gave up


# --- invented records: what a recoding does, shown on nobody

_SECRET = "(a sensitive value)"
_TRIES = 50

Node = list[Any]


def _invent_examples(
    trees: Trees,
    hierarchies: Hierarchies,
    rule: Mapping[str, Any],
    *,
    count: int = 3,
    nodes: int = 7,
    rng: random.Random | None = None,
) -> list[Example]:
    """Invent records and recode them.

    A record is grown node by node: classes hang as they mostly do in `trees`, two nodes of a class below one node only
    where that occurs; values are drawn evenly from the leaves of hierarchies, whether or not the data hold them. A
    record that is real is thrown away. A sensitive value is never shown.

    Parameters
    ----------
    trees, trees, rule
        The originals, their hierarchies, and the recoding.
    count, nodes
        How many records to invent at most, and of how many nodes at most.
    rng
        By default the operating system's.

    Returns
    -------
    list of Example
        Fewer than `count` where too many inventions were real.
    """
    chance = rng or random.SystemRandom()
    child_classes = _likely_children(trees)
    records: list[tuple[Any, ...]] = []
    for _ in range(_TRIES):
        if len(records) == count:
            break
        tree = Trees.of([_grow_record(trees, hierarchies, child_classes, nodes, chance)]).tree(0)
        if tree and tree not in records and not _is_real(trees, tree):
            records.append(tree)
    return [Example(tree, _recode_record(trees, hierarchies, rule, tree)) for tree in records]


def _is_real(trees: Trees, tree: tuple[Any, ...]) -> bool:
    """Whether some record of `trees` is this tree."""
    pairs = zip(trees.kinds.tolist(), trees.values, strict=True)
    number = {(trees.classes[kind], value): item for item, (kind, value) in enumerate(pairs)}
    paths = _paths(tree)
    items = np.sort([number.get(path[-1], -1) for path in paths])
    candidates = np.flatnonzero(np.diff(trees.start) == len(items))  # as many nodes
    for position in range(len(items)):
        candidates = candidates[np.isin(trees.items[trees.start[candidates] + position], items)]
    return any(_paths(trees.tree(record)) == paths for record in candidates.tolist())


def _paths(tree: tuple[Any, ...]) -> set[tuple[tuple[str, str], ...]]:
    """The nodes of a record, each as the values from the root down to it."""
    paths: set[tuple[tuple[str, str], ...]] = set()
    stack: list[tuple[Any, tuple[tuple[str, str], ...]]] = [(node, ()) for node in tree]
    while stack:
        (kind, value, *children), ancestors = stack.pop()
        paths.add((*ancestors, (kind, value)))
        stack += [(child, (*ancestors, (kind, value))) for child in children]
    return paths


def _likely_children(trees: Trees) -> dict[str, list[str]]:
    """For each class ("" is the root), the classes that are mostly below it; one that repeats is listed twice."""
    width = len(trees.classes)
    times = np.zeros((width + 1) * width, dtype=np.int64)
    several = np.zeros(width, dtype=bool)
    for offset in range(0, trees.n, CHUNK):
        start = trees.start[offset : offset + CHUNK + 1] - trees.start[offset]
        chunk = slice(int(trees.start[offset]), int(trees.start[offset]) + int(start[-1]))
        kinds = trees.kinds[trees.items[chunk]].astype(np.int64)
        record = row_of_entry(start)
        node = trees.parents[chunk]
        parent_node = np.where(
            node < 0, -1 - record, start[:-1][record] + node
        )  # the parent, or a record's root
        parent_kind = np.append(kinds, width)[np.maximum(parent_node, -1)]
        times += np.bincount(parent_kind * width + kinds, minlength=len(times))
        hung, repeats = np.unique(parent_node * width + kinds, return_counts=True)
        several[hung[repeats > 1] % width] = True
    children_of: dict[str, list[str]] = {name: [] for name in ("", *trees.classes)}
    for kind, parent in enumerate(times.reshape(width + 1, width).argmax(axis=0).tolist()):
        children = children_of["" if parent == width else trees.classes[parent]]
        children += [trees.classes[kind]] * (2 if several[kind] else 1)
    return children_of


def _grow_record(
    trees: Trees, hierarchies: Hierarchies, below: Mapping[str, list[str]], nodes: int, chance: random.Random
) -> list[Node]:
    """One record: hang nodes, one at a time, where a class may still hang."""
    record: list[Node] = []
    open_slots: list[tuple[list[Any], str]] = [(record, name) for name in below[""]]
    for _ in range(nodes):
        if not open_slots:
            break
        siblings, name = open_slots.pop(chance.randrange(len(open_slots)))
        node: Node = [name, _SECRET if name == trees.sensitive else chance.choice(hierarchies[name].leaves)]
        siblings.append(node)
        open_slots += [(node, lower) for lower in below[name]]
    return record


def _recode_record(
    trees: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any], tree: tuple[Any, ...]
) -> tuple[Any, ...]:
    field_names = {path[-1][0] for path in _paths(tree)}
    single = Trees.of([tree], trees.sensitive if trees.sensitive in field_names else None)
    return apply_tree_recoding("report", single, hierarchies, rule).trees.tree(0)


# --- the facts

Counts = dict[str | None, int]


def tree_facts(draft: Draft) -> Audit:
    """The facts of the audit of record trees in memory."""
    trees: Trees = draft.dataset.inputs["trees"]
    hierarchies: Hierarchies = draft.dataset.inputs["hierarchies"]
    release: RecodedTrees = draft.result.release
    counts = count_trees(trees, release.trees, hierarchies, release.rule)
    audit = _audit_of(draft, trees, hierarchies, release, counts)
    assert audit.trees is not None
    tree_report = replace(
        audit.trees,
        insight=_judge_insight(trees, hierarchies, draft),
        examples=_invent_examples(trees, hierarchies, release.rule) if release.rule else (),
    )
    return replace(audit, uncounted=(), trees=tree_report)


def tree_facts_from_counts(draft: Draft) -> Audit:
    """The facts of the audit of record trees in parts; what needs all records at once is not told."""
    parts: Any = draft.dataset
    release = draft.result.release
    return _audit_of(draft, parts.trees, parts.hierarchies, release.outline, parts.count_once(release).facts)


def _audit_of(
    draft: Draft, trees: Trees, hierarchies: Hierarchies, release: RecodedTrees, counts: TreeCounts
) -> Audit:
    """The facts of the audit from counts; of `trees` and `release` only classes, values and spans are looked at."""
    nodes = Nodes.of("report", trees, hierarchies)
    cuts = [
        _describe_cut(nodes, kind, name, _records_by_span(release, counts.after, name), release.rule)
        for kind, name in enumerate(trees.classes)
        if name != trees.sensitive
    ]
    return Audit(
        report=_public_report(draft, release, counts, cuts, hierarchies),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={
            name: _value_changes(trees, counts.before, release, counts.after, hierarchies, name)
            for name in trees.classes
        },
        risk_before={},  # which records are alike depends on what is known of a tree
        risk_after={},
        trace=draft.private_trace,
        uncounted=[IN_PARTS],  # where all records are at hand, they are counted
        trees=TreeAudit(
            cut_relations=list(counts.cut),
            cuts=cuts,
            examples=(),
            ruled=bool(release.rule),
            insight=None,
        ),
    )


def _judge_insight(trees: Trees, hierarchies: Hierarchies, draft: Draft) -> dict[str, Any] | None:
    """What the release gives away to whoever also knows its recoding; None where the data are too large to tell."""
    claim, release = draft.result.claim, draft.result.release
    if not isinstance(claim, KMNAnonymity) or claim.counts_nodes:  # limits are not weighed
        return None
    verdict = judge_known_recoding(trees, code_leaves(trees, hierarchies), release, claim)
    return verdict.as_dict() if verdict.judged else None


def _public_report(
    draft: Draft, release: RecodedTrees, counts: TreeCounts, cuts: list[Cut], hierarchies: Hierarchies
) -> Report:
    """What anybody may read: computed from the released trees, the manifest and declared hierarchies."""
    released = release.trees
    return Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes={},
        loss_by_column={},
        marginals={
            name: sort_values(
                _count_values(released, counts.after, name), public_places(hierarchies.get(name))
            )
            for name in released.classes
        },
        charts=(_size_chart(counts.sizes),),
        trees=TreeReport(
            told=list_relations(released.classes, counts.under, counts.nodes),
            cuts=[
                _hide_unused_cut(released_cut)
                for released_cut in cuts
                if hierarchies[released_cut.name].public and released_cut.name in released.classes
            ],
        ),
    )


def _hide_unused_cut(cut: Cut) -> Cut:
    """A cut as far as the release shows it: a value that no record holds may have been published or not."""
    return Cut(cut.name, cut.labels, cut.up, [records or None for records in cut.records])


def _class_items(trees: Trees, name: str) -> list[int]:
    """The items of a class, none where the class does not occur."""
    kind = trees.classes.index(name) if name in trees.classes else -1
    return np.flatnonzero(trees.kinds == kind).tolist()


def _count_values(trees: Trees, records: I8, name: str) -> Counts:
    """How many records hold each value of a class, most frequent first."""
    value_counts = [(trees.values[item], int(records[item])) for item in _class_items(trees, name)]
    return dict(sorted(value_counts, key=lambda pair: -pair[1]))


def _value_changes(
    trees: Trees, before: I8, release: RecodedTrees, after: I8, hierarchies: Hierarchies, name: str
) -> list[tuple[str | None, float, float]]:
    """Records by value of a class, in the hierarchy's order, and what a reader of the release would guess."""
    old = _count_values(trees, before, name)
    new: dict[str | None, float] = {**_count_values(release.trees, after, name)}
    span_of_label = None
    if name != trees.sensitive:
        new = _spread_over_leaves(hierarchies[name].leaves, _records_by_span(release, after, name))
        span_of_label = hierarchies[name].places
    order = sort_values({value: old.get(value, 0) for value in [*old, *new]}, span_of_label)
    return [(value, float(record_count), float(new.get(value, 0))) for value, record_count in order]


def _spread_over_leaves(
    leaves: Sequence[str], held: Mapping[tuple[int, int], int]
) -> dict[str | None, float]:
    """The records of each published value spread evenly over the leaves it stands for."""
    steps = np.zeros(len(leaves) + 1)
    for (lo, hi), records in held.items():
        steps[lo] += records / (hi - lo)
        steps[hi] -= records / (hi - lo)
    shares = np.cumsum(steps)[:-1].round(6)
    return {leaf: float(share) for leaf, share in zip(leaves, shares, strict=True) if share}


def _records_by_span(release: RecodedTrees, after: I8, name: str) -> dict[tuple[int, int], int]:
    """For each published value of a class, as the leaves lo .. hi-1 that it stands for, how many records hold it."""
    spans = release.spans.tolist()
    return {(spans[item][0], spans[item][1]): int(after[item]) for item in _class_items(release.trees, name)}


def _describe_cut(
    nodes: Nodes, kind: int, name: str, held: Mapping[tuple[int, int], int], rule: Mapping[str, Any]
) -> Cut:
    """The hierarchy of a class, leaves in order; what a rule publishes but no record holds counts 0."""
    ruled_labels = set(rule.get("cut", {}).get(name) or ())
    spans = nodes.span.tolist()
    order = sorted(np.flatnonzero(nodes.kind == kind).tolist(), key=lambda x: (spans[x][0], -spans[x][1]))
    position = {node: position_of_node for position_of_node, node in enumerate(order)} | {-1: -1}
    return Cut(
        name,
        [nodes.names[node] for node in order],
        [position[int(nodes.up[node])] for node in order],
        [
            held.get((spans[node][0], spans[node][1]), 0 if nodes.names[node] in ruled_labels else None)
            for node in order
        ],
    )


def _size_chart(counts: Mapping[int, int]) -> Chart:
    sizes = sorted(counts)
    series = {"records": [float(counts[size]) for size in sizes]}
    about = "How many records have how many published nodes."
    return Chart("How large the trees are", about, sizes, series, "nodes of a tree")
