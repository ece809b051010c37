"""A reconstruction in the style of MiRaCle (Nergiz, Clifton, Nergiz): clusters of k trees, published as one."""

from dataclasses import replace
from itertools import pairwise
from typing import Annotated

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import Many, Within, require_positive
from shoal.algorithms.trees._kernels.clusters import adopt_trees, assign_clusters
from shoal.algorithms.trees.gcs import require_claim
from shoal.algorithms.trees.repeats import find_kept_parents, number_kept_nodes
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, no_progress, poll_kernel, start_step
from shoal.data import Trees
from shoal.data.arrays import I4, I8, concatenate_ranges, prefix_sums, row_of_entry, rows_by_size
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.trees import KMNAnonymity
from shoal.release import RecodedTrees, Result

__all__ = ["miracle"]


def miracle(
    trees: Trees,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    climit: Many = 150,
    threshold: Annotated[float, Within(0, 1)] = 0.1,
    progress: Progress = no_progress,
) -> Result[RecodedTrees]:
    """Publish record trees in clusters of at least `k` that all show the same tree.

    This is local recoding by generalization and suppression, without structural change. Whoever knows a whole tree
    still finds k records, so the claim holds for every m and n. It is a baseline: expect it to lose much more than
    `gcs`.

    Parameters
    ----------
    trees, hierarchies
        The trees, and for each field a hierarchy of at least the values that occur; the sensitive field needs none.
    claim
        k, m, n and negations; the clusters keep it for every m and n.
    climit
        How many clusters are open at once, at least 1.
    threshold
        What joining a cluster may cost per node, 0 to 1, while another cluster may still be opened.
    progress
        A listener that is told how far the work is.

    Raises
    ------
    HierarchyError
        Values are not in their hierarchy.
    InfeasibleError
        k exceeds the number of records, or the clusters share no value at all.
    InputError
        A number makes no sense, or a field has no hierarchy.

    Notes
    -----
    *Guarantee*  `KMNAnonymity(k, m, n)` holds for any m and n by construction: every tree is published k times or more.

    *Departures*  We could not get the original papers. This is a reconstruction from how the paper on trees [1]_ uses
    them, and the meaning of climit and threshold was decided here. Trees are taken in the order of their nodes, so that
    the order of the file does not matter. A tree joins the cheapest open cluster if that costs at most `threshold`, or
    if no more clusters may be opened; otherwise it opens one. A cluster closes at k members. Each tree that is left in
    an open cluster joins the cheapest closed one.

    *Common tree*  From the root down, children of the same field are paired; the cheapest pair comes first, and each
    pair gets the lowest value above both. A value without a partner is suppressed. A value costs the share of leaves it
    stands for; a suppressed value costs 1.

    *Sensitive values*  They stand under the root of their record, and need not be equal in a cluster.

    *Complexity*  climit comparisons of trees per record.

    *Randomness*  None.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Sec. 4.
    .. [2] Nergiz, Clifton, Nergiz. Multirelational k-anonymity. TKDE 21(8), 2009.
    """
    _require_options(claim, trees, climit, threshold)
    trees = replace(trees, repeats=True) if claim.counts_nodes else trees.merged()
    nodes = Nodes.of("miracle", trees, hierarchies)
    start, values, parents = _list_open_nodes(trees, nodes)
    width = (nodes.span[:, 1] - nodes.span[:, 0]).astype(np.int32)
    kind_width = np.array([width[root] for root in nodes.roots])[
        np.searchsorted(nodes.kind[list(nodes.roots)], nodes.kind)
    ]
    # Compiled once, however many nodes.
    up, kind = np.ascontiguousarray(nodes.up), np.ascontiguousarray(nodes.kind)
    arrays = (start, values, parents, up, kind, width, (width - 1) / np.maximum(kind_width - 1, 1))
    tell, done = start_step(progress, "clustering"), np.zeros(1, dtype=np.int64)
    order = _order_trees(start, values, parents)
    with poll_kernel(tell, lambda: done[0] / trees.n):
        cluster, members, begins, room_values, room_parents, sizes = assign_clusters(
            order, *arrays, claim.k, climit, threshold, done
        )
    short = order[members[cluster[order]] < claim.k]
    full = members >= claim.k
    full[-1] |= not full.any()  # then all join the cluster that was opened last
    rooms = (begins, room_values, room_parents, sizes, cluster)
    with poll_kernel(
        start_step(progress, "joining what is left"), lambda: float(full[cluster[short]].mean())
    ):
        adopt_trees(short, *arrays, np.flatnonzero(full), *rooms)
    release = _build_release(trees, nodes, cluster, begins, sizes, room_values, room_parents)
    if not (release.spans[:, 0] >= 0).any():
        raise InfeasibleError("miracle: no cluster keeps a value; lower k or add records")
    trace = {"clusters": len(np.unique(cluster)), "left_over": len(short)}
    return Result(release, claim, trace=trace)


def _require_options(claim: KMNAnonymity, trees: Trees, climit: int, threshold: float) -> None:
    require_claim("miracle", claim, trees)
    if claim.l is not None:
        raise refusal("miracle", claim)
    require_positive("miracle", climit=climit)
    if isinstance(threshold, bool) or not 0 <= threshold <= 1:
        raise InputError(f"miracle: threshold={threshold!r}; give a number from 0 to 1")


def _list_open_nodes(trees: Trees, nodes: Nodes) -> tuple[I8, I4, I4]:
    """The trees without sensitive nodes: where each starts, nodes of hierarchies, places of parents."""
    is_open = nodes.leaf[trees.items] >= 0
    start, local = number_kept_nodes(trees, is_open, find_kept_parents(trees, is_open))
    return start, nodes.leaf[trees.items[is_open]], local


def _order_trees(start: I8, values: I4, parents: I4) -> I8:
    """The trees by their nodes: alike ones come together, whatever the order of the file."""
    both = np.stack([values, parents + 1], axis=1).astype(">i4")
    keys = [both[first:last].tobytes() for first, last in pairwise(start.tolist())]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _build_release(
    trees: Trees, nodes: Nodes, cluster: I8, begins: I8, sizes: I8, room_values: I4, room_parents: I4
) -> RecodedTrees:
    """Publish for every record the tree of its cluster, and its sensitive values under the root."""
    size = sizes[cluster]
    spot = concatenate_ranges(begins[cluster], size)
    hidden = np.flatnonzero(nodes.leaf[trees.items] < 0)
    whose = row_of_entry(trees.start)
    record = np.r_[rows_by_size(size), whose[hidden]]
    code = np.r_[room_values[spot], len(nodes.names) + trees.items[hidden]]
    parent = np.r_[room_parents[spot], np.full(len(hidden), -1)]
    order = np.argsort(record, kind="stable")  # sensitive values behind the others, so places stay
    start = prefix_sums(np.bincount(record, minlength=trees.n))
    used, items = np.unique(code[order], return_inverse=True)
    pairs, spans = [], {}
    for label_code in used.tolist():
        item = label_code - len(nodes.names)
        kind = trees.classes[trees.kinds[item] if item >= 0 else nodes.kind[label_code]]
        pairs.append((kind, trees.values[item] if item >= 0 else nodes.names[label_code]))
        spans[pairs[-1]] = (-1, -1) if item >= 0 else tuple(nodes.span[label_code].tolist())
    places = parent[order].astype(np.int32)
    published = Trees.build(
        pairs, start, items.astype(np.int32), places, trees.sensitive, repeats=trees.repeats
    )
    suppressed = len(trees.items) - len(hidden) - int(size.sum())
    return RecodedTrees(
        published,
        np.array([spans[pair] for pair in published.pairs], dtype=np.int32).reshape(-1, 2),
        np.arange(trees.n),
        trees.n,
        suppressed,
    )
