"""The facts that the report and the audit tell of record trees, with invented examples."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.algorithms.trees.recoding import apply
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
from shoal.shapes.released_values import IN_PARTS, in_order, public_places
from shoal.shapes.trees.counts import TreeCounts, count_trees, told_of
from shoal.shapes.trees.verification import leaves_of

__all__ = [
    "invented",
    "is_real",
    "tree_facts",
    "tree_facts_from_counts",
]

# --- which values stand above which: what a release tells, and what its recoding gave up


# --- invented records: what a recoding does, shown on nobody

_SECRET = "(a sensitive value)"
_TRIES = 50

Node = list[Any]


def invented(
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
    below = _schema(trees)
    made: list[tuple[Any, ...]] = []
    for _ in range(_TRIES):
        if len(made) == count:
            break
        tree = Trees.of([_grown(trees, hierarchies, below, nodes, chance)]).tree(0)
        if tree and tree not in made and not is_real(trees, tree):
            made.append(tree)
    return [Example(tree, _recoded(trees, hierarchies, rule, tree)) for tree in made]


def is_real(trees: Trees, tree: tuple[Any, ...]) -> bool:
    """Whether some record of `trees` is this tree."""
    pairs = zip(trees.kinds.tolist(), trees.values, strict=True)
    number = {(trees.classes[kind], value): item for item, (kind, value) in enumerate(pairs)}
    paths = _paths(tree)
    items = np.sort([number.get(path[-1], -1) for path in paths])
    alike = np.flatnonzero(np.diff(trees.start) == len(items))  # as many nodes
    for place in range(len(items)):
        alike = alike[np.isin(trees.items[trees.start[alike] + place], items)]
    return any(_paths(trees.tree(record)) == paths for record in alike.tolist())


def _paths(tree: tuple[Any, ...]) -> set[tuple[tuple[str, str], ...]]:
    """The nodes of a record, each as the values from the root down to it."""
    found: set[tuple[tuple[str, str], ...]] = set()
    stack: list[tuple[Any, tuple[tuple[str, str], ...]]] = [(node, ()) for node in tree]
    while stack:
        (kind, value, *children), above = stack.pop()
        found.add((*above, (kind, value)))
        stack += [(child, (*above, (kind, value))) for child in children]
    return found


def _schema(trees: Trees) -> dict[str, list[str]]:
    """For each class ("" is the root), the classes that are mostly below it; one that repeats is listed twice."""
    width = len(trees.classes)
    times = np.zeros((width + 1) * width, dtype=np.int64)
    several = np.zeros(width, dtype=bool)
    for at in range(0, trees.n, CHUNK):
        start = trees.start[at : at + CHUNK + 1] - trees.start[at]
        inside = slice(int(trees.start[at]), int(trees.start[at]) + int(start[-1]))
        kinds = trees.kinds[trees.items[inside]].astype(np.int64)
        record = row_of_entry(start)
        node = trees.parents[inside]
        over = np.where(node < 0, -1 - record, start[:-1][record] + node)  # the parent, or a record's root
        under = np.append(kinds, width)[np.maximum(over, -1)]
        times += np.bincount(under * width + kinds, minlength=len(times))
        hung, often = np.unique(over * width + kinds, return_counts=True)
        several[hung[often > 1] % width] = True
    below: dict[str, list[str]] = {name: [] for name in ("", *trees.classes)}
    for kind, parent in enumerate(times.reshape(width + 1, width).argmax(axis=0).tolist()):
        found = below["" if parent == width else trees.classes[parent]]
        found += [trees.classes[kind]] * (2 if several[kind] else 1)
    return below


def _grown(
    trees: Trees, hierarchies: Hierarchies, below: Mapping[str, list[str]], nodes: int, chance: random.Random
) -> list[Node]:
    """One record: hang nodes, one at a time, where a class may still hang."""
    record: list[Node] = []
    free: list[tuple[list[Any], str]] = [(record, name) for name in below[""]]
    for _ in range(nodes):
        if not free:
            break
        where, name = free.pop(chance.randrange(len(free)))
        node: Node = [name, _SECRET if name == trees.sensitive else chance.choice(hierarchies[name].leaves)]
        where.append(node)
        free += [(node, lower) for lower in below[name]]
    return record


def _recoded(
    trees: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any], tree: tuple[Any, ...]
) -> tuple[Any, ...]:
    held = {path[-1][0] for path in _paths(tree)}
    one = Trees.of([tree], trees.sensitive if trees.sensitive in held else None)
    return apply("report", one, hierarchies, rule).trees.tree(0)


# --- the facts

Counts = dict[str | None, int]


def tree_facts(draft: Draft) -> Audit:
    """The facts of the audit of record trees in memory."""
    trees: Trees = draft.dataset.inputs["trees"]
    hierarchies: Hierarchies = draft.dataset.inputs["hierarchies"]
    release: RecodedTrees = draft.result.release
    counts = count_trees(trees, release.trees, hierarchies, release.rule)
    found = audit_of(draft, trees, hierarchies, release, counts)
    assert found.trees is not None
    more = replace(
        found.trees,
        insight=_insight(trees, hierarchies, draft),
        examples=invented(trees, hierarchies, release.rule) if release.rule else (),
    )
    return replace(found, uncounted=(), trees=more)


def tree_facts_from_counts(draft: Draft) -> Audit:
    """The facts of the audit of record trees in parts; what needs all records at once is not told."""
    parts: Any = draft.dataset
    release = draft.result.release
    return audit_of(draft, parts.trees, parts.hierarchies, release.outline, parts.count_once(release).facts)


def audit_of(
    draft: Draft, trees: Trees, hierarchies: Hierarchies, release: RecodedTrees, counts: TreeCounts
) -> Audit:
    """The facts of the audit from counts; of `trees` and `release` only classes, values and spans are looked at."""
    nodes = Nodes.of("report", trees, hierarchies)
    cuts = [
        _cut(nodes, kind, name, _held(release, counts.after, name), release.rule)
        for kind, name in enumerate(trees.classes)
        if name != trees.sensitive
    ]
    return Audit(
        report=_public(draft, release, counts, cuts, hierarchies),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={
            name: _both(trees, counts.before, release, counts.after, hierarchies, name)
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


def _insight(trees: Trees, hierarchies: Hierarchies, draft: Draft) -> dict[str, Any] | None:
    """What the release gives away to whoever also knows its recoding; None where the data are too large to tell."""
    claim, release = draft.result.claim, draft.result.release
    if not isinstance(claim, KMNAnonymity) or claim.counts_nodes:  # limits are not weighed
        return None
    said = judge_known_recoding(trees, leaves_of(trees, hierarchies), release, claim)
    return said.as_dict() if said.judged else None


def _public(
    draft: Draft, release: RecodedTrees, counts: TreeCounts, cuts: list[Cut], hierarchies: Hierarchies
) -> Report:
    """What anybody may read: computed from the released trees, the manifest and declared hierarchies."""
    shown = release.trees
    return Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes={},
        loss_by_column={},
        marginals={
            name: in_order(_counts(shown, counts.after, name), public_places(hierarchies.get(name)))
            for name in shown.classes
        },
        charts=(_sizes(counts.sizes),),
        trees=TreeReport(
            told=told_of(shown.classes, counts.under, counts.nodes),
            cuts=[_seen(cut) for cut in cuts if hierarchies[cut.name].public and cut.name in shown.classes],
        ),
    )


def _seen(cut: Cut) -> Cut:
    """A cut as far as the release shows it: a value that no record holds may have been published or not."""
    return Cut(cut.name, cut.labels, cut.up, [records or None for records in cut.records])


def _items(trees: Trees, name: str) -> list[int]:
    """The items of a class, none where the class does not occur."""
    kind = trees.classes.index(name) if name in trees.classes else -1
    return np.flatnonzero(trees.kinds == kind).tolist()


def _counts(trees: Trees, records: I8, name: str) -> Counts:
    """How many records hold each value of a class, most frequent first."""
    found = [(trees.values[item], int(records[item])) for item in _items(trees, name)]
    return dict(sorted(found, key=lambda pair: -pair[1]))


def _both(
    trees: Trees, before: I8, release: RecodedTrees, after: I8, hierarchies: Hierarchies, name: str
) -> list[tuple[str | None, float, float]]:
    """Records by value of a class, in the hierarchy's order, and what a reader of the release would guess."""
    old = _counts(trees, before, name)
    new: dict[str | None, float] = {**_counts(release.trees, after, name)}
    places = None
    if name != trees.sensitive:
        new = _guessed(hierarchies[name].leaves, _held(release, after, name))
        places = hierarchies[name].places
    order = in_order({value: old.get(value, 0) for value in [*old, *new]}, places)
    return [(value, float(many), float(new.get(value, 0))) for value, many in order]


def _guessed(leaves: Sequence[str], held: Mapping[tuple[int, int], int]) -> dict[str | None, float]:
    """The records of each published value spread evenly over the leaves it stands for."""
    steps = np.zeros(len(leaves) + 1)
    for (lo, hi), records in held.items():
        steps[lo] += records / (hi - lo)
        steps[hi] -= records / (hi - lo)
    shares = np.cumsum(steps)[:-1].round(6)
    return {leaf: float(share) for leaf, share in zip(leaves, shares, strict=True) if share}


def _held(release: RecodedTrees, after: I8, name: str) -> dict[tuple[int, int], int]:
    """For each published value of a class, as the leaves lo .. hi-1 that it stands for, how many records hold it."""
    spans = release.spans.tolist()
    return {(spans[item][0], spans[item][1]): int(after[item]) for item in _items(release.trees, name)}


def _cut(
    nodes: Nodes, kind: int, name: str, held: Mapping[tuple[int, int], int], rule: Mapping[str, Any]
) -> Cut:
    """The hierarchy of a class, leaves in order; what a rule publishes but no record holds counts 0."""
    ruled = set(rule.get("cut", {}).get(name) or ())
    spans = nodes.span.tolist()
    order = sorted(np.flatnonzero(nodes.kind == kind).tolist(), key=lambda x: (spans[x][0], -spans[x][1]))
    place = {node: at for at, node in enumerate(order)} | {-1: -1}
    return Cut(
        name,
        [nodes.names[node] for node in order],
        [place[int(nodes.up[node])] for node in order],
        [
            held.get((spans[node][0], spans[node][1]), 0 if nodes.names[node] in ruled else None)
            for node in order
        ],
    )


def _sizes(counts: Mapping[int, int]) -> Chart:
    sizes = sorted(counts)
    series = {"records": [float(counts[size]) for size in sizes]}
    about = "How many records have how many published nodes."
    return Chart("How large the trees are", about, sizes, series, "nodes of a tree")
