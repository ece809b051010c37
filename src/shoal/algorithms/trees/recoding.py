"""A recoding of record trees: the cut, and the relations that are disassociated, in their order.

As plain JSON data:

- `cut`: for each field, the labels of the nodes that are published; null for a field that is left out.
- `disassociations`: a sequence of [above, below]. Each says: wherever `below` stands under `above`, hang it beside that
  ancestor, and hang what stood under it under its old parent (Definition 2 of the paper). Both are a value
  [field, label] or the name of a field, which means any of its values.
- `limits`, where equal siblings are kept: a sequence of [[field, label], number]. A record shows so many nodes of this
  value at most, the first ones; what stood below the others hangs under what stood above them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.algorithms.parts import RecodedParts, TreeParts, trees_of
from shoal.algorithms.trees._kernels.record_bits import disassociate_paths
from shoal.algorithms.trees.repeats import find_kept_parents, limit_nodes, number_kept_nodes
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Trees
from shoal.data.arrays import I4, I8, row_of_entry
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.io.read.parts import save_arrays
from shoal.release import RecodedTrees
from shoal.utility._kernels import number_paths, project_paths

__all__ = ["apply_tree_recoding", "recode_parts", "recoding_rule"]


def recoding_rule(
    trees: Trees,
    values: Nodes,
    specialized: Sequence[int],
    gone: Sequence[str],
    cut_relations: Sequence[tuple[Any, Any]],
) -> dict[str, Any]:
    """Write a recoding down.

    `specialized` are the nodes whose children, or nodes further down, are published; `gone` are the fields that
    are left out; `cut_relations` are the pairs that are disassociated, nodes or names of fields.
    """
    below = set(specialized)
    cut: dict[str, list[str] | None] = {}
    for kind, name in enumerate(trees.classes):
        if name in gone:
            cut[name] = None
        elif name != trees.sensitive:
            nodes = np.flatnonzero(values.kind == kind).tolist()
            cut[name] = [
                values.names[x]
                for x in nodes
                if x not in below and (values.up[x] < 0 or int(values.up[x]) in below)
            ]

    def describe_end(end: Any) -> Any:
        return end if isinstance(end, str) else [trees.classes[values.kind[end]], values.names[end]]

    return {
        "cut": cut,
        "disassociations": [[describe_end(high), describe_end(low)] for high, low in cut_relations],
    }


def apply_tree_recoding(
    method: str,
    trees: Trees,
    hierarchies: Hierarchies,
    rule: Mapping[str, Any],
    *,
    outline: Trees | None = None,
) -> RecodedTrees:
    """Publish record trees by a recoding, its own or that of other records.

    Where the trees are some of many, `outline` holds the classes and values that all of them publish together.

    Raises
    ------
    InputError
        The recoding says nothing of a field of the trees, or names what is not there.
    HierarchyError
        Values of a field are not leaves of its hierarchy.
    """
    plan = _plan_values(method, trees, hierarchies, rule)
    path, up, ends = number_paths(trees.start, trees.items, trees.parents, max(len(trees.values), 1))
    spot, over, value = project_paths(up, ends, plan.labels, max(len(plan.pairs), 1))
    start, items, parents = _hang_nodes(
        trees, path, spot, over, value, disassociate_paths(over, value, plan.order)
    )
    pairs, codes = (
        _encode_used(plan.pairs, items) if outline is None else _encode_known(plan.pairs, items, outline)
    )
    classes = None if outline is None else outline.classes
    published = Trees.build(
        pairs, start, codes, parents, trees.sensitive, classes=classes, repeats=trees.repeats
    )
    gone = _count_left_out(trees, plan.labels)
    if rule.get("limits"):
        published = limit_nodes(published, rule["limits"], codes=outline is not None)
        if outline is None and not len(published.items):
            raise InfeasibleError(f"{method}: nothing is left of these records; lower k, or merge repeats")
        gone += len(items) - len(published.items)
    return RecodedTrees(published, plan.spans(published), np.arange(trees.n), trees.n, gone, rule)


def _build_outline(
    method: str, trees: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any], tree: tuple[I4, I4]
) -> RecodedTrees:
    """What a recoding publishes of records that are not at hand: classes, values and spans, no record.

    `trees` holds their classes and values, `tree` every distinct path of all of them: the one it prolongs, its item.
    """
    plan = _plan_values(method, trees, hierarchies, rule)
    _, over, value = project_paths(*tree, plan.labels, max(len(plan.pairs), 1))
    below = disassociate_paths(over, value, plan.order)
    pairs, codes = _encode_used(plan.pairs, value)
    # all paths as one record, which knows the order of classes
    path_tree = Trees.build(pairs, np.array([0, len(value)]), codes, below, trees.sensitive)
    rows = np.zeros(0, dtype=np.int64)
    published = replace(path_tree.take(rows), repeats=trees.repeats)
    return RecodedTrees(published, plan.spans(published), rows, 0, 0, rule)


class _ValuePlan(NamedTuple):
    """How values are published.

    labels : int32[items]   the place of each item among what is published; -1: it is left out
    pairs  : class and value of each published place
    span   : int32[places, 2]   leaf codes that it stands for
    order  : for each pair of published places, when it is disassociated; -1: never
    """

    labels: I4
    pairs: list[tuple[str, str]]
    span: I4
    order: I4

    def spans(self, shown: Trees) -> I4:
        """The spans of published values, in the order of the published trees."""
        code_of_pair = {pair: code for code, pair in enumerate(self.pairs)}
        return self.span[[code_of_pair[pair] for pair in shown.pairs]].reshape(-1, 2)


def _plan_values(method: str, trees: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any]) -> _ValuePlan:
    """Nodes of the cut are published first, then sensitive items."""
    values = Nodes.of(method, trees, hierarchies)
    nodes, secret = _cut_nodes(method, trees, values, rule["cut"]), np.flatnonzero(values.leaf < 0)
    labels = values.over(values.leaf, nodes)
    labels[secret] = len(nodes) + np.arange(len(secret))
    pairs = [(trees.classes[values.kind[node]], values.names[node]) for node in nodes]
    tree_pairs = trees.pairs
    pairs += [tree_pairs[item] for item in secret]
    span = np.concatenate([values.span[nodes], np.full((len(secret), 2), -1, dtype=np.int32)])
    return _ValuePlan(labels, pairs, span, _disassociation_order(method, pairs, rule["disassociations"]))


def _encode_used(pairs: Sequence[tuple[str, str]], items: I4) -> tuple[list[tuple[str, str]], I4]:
    """The pairs that occur, and items in places of these."""
    used, codes = np.unique(items, return_inverse=True)
    return [pairs[code] for code in used], codes.astype(np.int32)


def _encode_known(
    pairs: Sequence[tuple[str, str]], items: I4, outline: Trees
) -> tuple[list[tuple[str, str]], I4]:
    """The pairs of an outline, and items in places of these."""
    outline_pairs = outline.pairs
    code_of_pair = {pair: code for code, pair in enumerate(outline_pairs)}
    return outline_pairs, np.array([code_of_pair.get(pair, -1) for pair in pairs], dtype=np.int32)[items]


def _cut_nodes(method: str, trees: Trees, values: Nodes, cut: Mapping[str, Any]) -> I8:
    """The nodes of a cut."""
    nodes: list[int] = []
    for kind, name in enumerate(trees.classes):
        if name == trees.sensitive:
            continue
        if name not in cut:
            raise InputError(f"{method}: the recoding has no field '{name}'; make one for these records")
        if cut[name] is not None:
            node_of_label = {values.names[node]: int(node) for node in np.flatnonzero(values.kind == kind)}
            if not all(label in node_of_label for label in cut[name]):
                raise InputError(
                    f"{method}: the cut of field '{name}' has labels that its hierarchy does not have; use the "
                    "hierarchy it was made with"
                )
            nodes += [node_of_label[label] for label in cut[name]]
    return np.array(nodes, dtype=np.int64)


def _disassociation_order(
    method: str, pairs: Sequence[tuple[str, str]], cut_relations: Sequence[Sequence[Any]]
) -> I4:
    """For each pair of published values, when it is disassociated; -1: never."""
    rule = np.full((max(len(pairs), 1),) * 2, -1, dtype=np.int32)

    def places(end: Any) -> list[int]:
        if isinstance(end, str):
            return [index for index, (kind, _) in enumerate(pairs) if kind == end]
        return [index for index, pair in enumerate(pairs) if pair == tuple(end)]

    for number, entry in enumerate(cut_relations):
        if len(entry) != 2:
            raise InputError(
                f"{method}: disassociation {number + 1} is not a pair [above, below]; use the file as it was written"
            )
        high, low = places(entry[0]), places(entry[1])
        fresh = rule[np.ix_(high, low)] < 0
        rule[np.ix_(high, low)] = np.where(fresh, number, rule[np.ix_(high, low)])
    return rule


def _hang_nodes(trees: Trees, path: I4, spot: I4, over: I4, value: I4, below: I4) -> tuple[I8, I4, I4]:
    """The published nodes of every record: where records start, values, places of parents.

    A path that hangs below an ancestor so many steps up takes its node's ancestor as many published steps up.
    """
    steps = np.zeros(len(over), dtype=np.int64)
    ancestor = over.copy()
    while (ancestor != below).any():
        further = ancestor != below
        steps[further] += 1
        ancestor[further] = over[ancestor[further]]
    is_published = spot[path] >= 0
    parent = find_kept_parents(trees, is_published)
    want = np.r_[steps, 0][spot[path]]
    new_parent = parent.copy()
    step = 0
    while (further := is_published & (new_parent >= 0) & (want > step)).any():
        new_parent[further] = parent[new_parent[further]]
        step += 1
    start, local = number_kept_nodes(trees, is_published, new_parent)
    return start, value[spot[path[is_published]]], local


def _count_left_out(trees: Trees, labels: I4) -> int:
    """How many values are not published, counted once per record."""
    gone = labels[trees.items] < 0
    record = row_of_entry(trees.start)[gone]
    return len(np.unique(record * max(len(trees.values), 1) + trees.items[gone]))


# Parts of record trees recoded where they lie.


def recode_parts(
    method: str, trees: TreeParts, hierarchies: Hierarchies, rule: Mapping[str, Any], tree: tuple[I4, I4]
) -> RecodedParts:
    """Apply a recoding to each part: its published records are written beside it.

    `tree` holds every distinct path of all records: the path that it prolongs, and its item.
    """
    outline = _build_outline(method, trees.outline, hierarchies, rule, tree)
    task = partial(_recode_part, method, trees.outline, hierarchies, rule, outline.trees)
    suppressed = sum(trees.map(task, trees.parts))
    return RecodedParts(replace(outline, records=trees.n, suppressed=suppressed), trees.parts)


def _recode_part(
    method: str, outline: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any], shown: Trees, part: Path
) -> int:
    """Write what a part publishes, and say how many values were left out."""
    recoded = apply_tree_recoding(method, trees_of(outline, part), hierarchies, rule, outline=shown)
    trees = recoded.trees
    save_arrays(part, out_start=trees.start, out_items=trees.items, out_parents=trees.parents)
    return recoded.suppressed
