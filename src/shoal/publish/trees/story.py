"""The facts that the report and the audit tell of released record trees."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Forest
from shoal.data.preorder import CHUNK
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.kmn import KMNAnonymity
from shoal.privacy.recoding_forest import forest_recoding
from shoal.publish.draft import Draft
from shoal.publish.shape import Dataset
from shoal.publish.trees.examples import invented
from shoal.publish.trees.judging import leaves_of
from shoal.publish.trees.relations import relations_cut, relations_told
from shoal.release import RecodedForest
from shoal.report.facts import Audit, Chart, Cut, Report, TreeAudit, TreeReport

__all__ = ["private_audit"]

Counts = dict[str | None, int]
I8 = NDArray[np.int64]


def private_audit(draft: Draft, dataset: Dataset) -> Audit:
    """What only the data holder may read, before against after, and in it what anybody may.

    `dataset` hands its makers a `forest` and `hierarchies`.
    """
    forest: Forest = dataset.inputs["forest"]
    trees: Hierarchies = dataset.inputs["hierarchies"]
    release: RecodedForest = draft.result.release
    nodes = Nodes.of("report", forest, trees)
    before, after = _records(forest), _records(release.trees)
    cuts = [
        _cut(nodes, kind, name, _held(release, after, name), release.rule)
        for kind, name in enumerate(forest.classes)
        if name != forest.sensitive
    ]
    return Audit(
        report=_public(draft, release, after, [cut for cut in cuts if trees[cut.name].public]),
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={name: _both(forest, before, release, after, trees, name) for name in forest.classes},
        risk_before={},  # who is alike depends on what is known of a tree; the verdict says how many at least
        risk_after={},
        trace=draft.result.trace,
        trees=TreeAudit(
            apart=relations_cut(forest, trees, release.rule),
            cuts=cuts,
            examples=invented(forest, trees, release.rule) if release.rule else (),
            ruled=bool(release.rule),
            insight=_insight(forest, trees, draft),
        ),
    )


def _insight(forest: Forest, trees: Hierarchies, draft: Draft) -> dict[str, Any] | None:
    """What the release gives away to who also knows its recoding; None where data are too large to tell."""
    claim, release = draft.result.claim, draft.result.release
    if not isinstance(claim, KMNAnonymity):
        return None
    said = forest_recoding(forest, leaves_of(forest, trees), release, claim)
    return said.as_dict() if said.judged else None


def _public(draft: Draft, release: RecodedForest, after: I8, declared: list[Cut]) -> Report:
    """What anybody may read: computed from the released trees, the manifest and declared hierarchies."""
    shown = release.trees
    return Report(
        manifest=draft.manifest,
        verdict=draft.verdict.as_dict(),
        sizes={},
        loss_by_column={},
        marginals={name: list(_counts(shown, after, name).items()) for name in shown.classes},
        charts=(_sizes(shown),),
        trees=TreeReport(
            told=relations_told(shown),
            cuts=[_seen(cut) for cut in declared if cut.name in shown.classes],
        ),
    )


def _seen(cut: Cut) -> Cut:
    """A cut as far as the release shows it: a value that no record holds may have been published or not."""
    return Cut(cut.name, cut.labels, cut.up, [records or None for records in cut.records])


def _records(forest: Forest) -> I8:
    """By value, how many records hold it."""
    width = max(len(forest.values), 1)
    counts = np.zeros(width, dtype=np.int64)
    for at in range(0, forest.n, CHUNK):
        start = forest.start[at : at + CHUNK + 1]
        record = np.repeat(np.arange(len(start) - 1), np.diff(start))
        held = np.sort(record * width + forest.items[start[0] : start[-1]])
        fresh = np.diff(held, prepend=-1) > 0  # sorting beats np.unique here
        counts += np.bincount(held[fresh] % width, minlength=width)
    return counts[: len(forest.values)]


def _items(forest: Forest, name: str) -> list[int]:
    """The items of a class, none where the class does not occur."""
    kind = forest.classes.index(name) if name in forest.classes else -1
    return np.flatnonzero(forest.kinds == kind).tolist()


def _counts(forest: Forest, records: I8, name: str) -> Counts:
    """How many records hold each value of a class, most frequent first."""
    found = [(forest.values[item], int(records[item])) for item in _items(forest, name)]
    return dict(sorted(found, key=lambda pair: -pair[1]))


def _both(
    forest: Forest, before: I8, release: RecodedForest, after: I8, trees: Hierarchies, name: str
) -> list[tuple[str | None, float, float]]:
    """Records by value of a class, most frequent first, and what a reader of the release would guess."""
    old = _counts(forest, before, name)
    new: dict[str | None, float] = {**_counts(release.trees, after, name)}
    if name != forest.sensitive:
        new = _guessed(trees[name].leaves, _held(release, after, name))
    return [(value, float(old.get(value, 0)), float(new.get(value, 0))) for value in {**old, **new}]


def _guessed(leaves: Sequence[str], held: Mapping[tuple[int, int], int]) -> dict[str | None, float]:
    """The records of each published value spread evenly over the leaves it stands for."""
    steps = np.zeros(len(leaves) + 1)
    for (lo, hi), records in held.items():
        steps[lo] += records / (hi - lo)
        steps[hi] -= records / (hi - lo)
    shares = np.cumsum(steps)[:-1].round(6)
    return {leaf: float(share) for leaf, share in zip(leaves, shares, strict=True) if share}


def _held(release: RecodedForest, after: I8, name: str) -> dict[tuple[int, int], int]:
    """By published value of a class, as the leaves lo .. hi-1 that it stands for, how many records hold it."""
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


def _sizes(shown: Forest) -> Chart:
    sizes, times = np.unique(np.diff(shown.start), return_counts=True)
    series = {"records": [float(count) for count in times]}
    about = "Records by the number of published nodes."
    return Chart("How large the trees are", about, [int(size) for size in sizes], series, "nodes of a tree")
