"""A floor under the loss `ncp` of record trees: no cut for all records that keeps k^(m,n)-anonymity loses less.

Whatever relations a release gives up, and whatever n is, its values alone are k^m-anonymous: at most m of them are in k
records or in none. So the values of a record are a basket, the hierarchies of all fields stand side by side as one,
and what baskets demand of a cut (`itemsets.cut_floor`) is demanded here. Over the root of each field stands one node
more: it is closed where the field is left out.
"""

from typing import NamedTuple

import numpy as np

from shoal.algorithms.itemsets.item_codes import ItemCodes, Taxonomy
from shoal.algorithms.itemsets.optimal_cut import WORK, least_cut
from shoal.data import Trees
from shoal.data.arrays import B1, F8, I4
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.trees import KMNAnonymity

__all__ = ["tree_floor"]


def tree_floor(trees: Trees, nodes: Nodes, claim: KMNAnonymity, *, work: int = WORK) -> float | None:
    """A loss that every release of `trees` by one cut of the hierarchies has at least if its values keep `claim`.

    Parameters
    ----------
    trees, nodes
        The trees that the loss is measured on, and every value that they may be published with.
    claim
        Its k and m; n, l and negations ask for more.
    work
        How many combinations of values may be counted; the floor is what is known then. Where that is not enough to
        look at combinations of m values, there is none (None).

    Notes
    -----
    *Releases that it holds for*  Every record is published. A value is published as the node of the cut over it, in all
    records, or left out with its whole field. Relations may be given up anywhere, and nodes left out on top of that
    (`limits`): this adds to the loss. So it holds for `gcs`, `acs` and `ocs`, and not for `miracle`, which has no cut.

    Examples
    --------
    >>> from shoal.hierarchy import Hierarchy
    >>> paths = [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "gout", "*"]]
    >>> ill = Hierarchy.from_paths("ill", paths)
    >>> people = Trees.of([[("ill", value)] for value in ("flu", "cough", "gout", "gout")])
    >>> found = tree_floor(people, Nodes.of("trees", people, {"ill": ill}), KMNAnonymity(2, 1, 0))
    >>> round(found, 4)  # two of four lose 2/3
    0.3333
    """
    known = nodes.leaf[trees.items] >= 0
    leaf = nodes.leaf[trees.items[known]]
    if not len(leaf):
        return 0.0
    forest = _Forest.of(nodes, len(trees.classes))
    start = np.r_[0, np.cumsum(known)][trees.start]
    items = nodes.span[leaf, 0] + forest.first[nodes.kind[leaf]]
    codes = ItemCodes(start, items, int(forest.taxonomy.hi[0]), 0, np.empty(0, dtype=np.int32))
    found = least_cut(
        codes, forest.taxonomy, claim.k, claim.m, price=forest.price, hidden=forest.hidden, work=work
    ).floor
    return None if found is None else found * len(items) / len(trees.items)


class _Forest(NamedTuple):
    """The hierarchies of all fields as one: over each stands a node that is closed where the field is left out.

    first  : by class, where its leaves start; behind them comes one that nothing has, so that no two nodes are alike
    price  : what a node costs per value: its share of leaves, 0 as itself, 1 left out
    hidden : whether it stands for leaving out
    """

    taxonomy: Taxonomy
    first: I4
    price: F8
    hidden: B1

    @classmethod
    def of(cls, nodes: Nodes, classes: int) -> "_Forest":
        """Put them side by side."""
        leaves = np.zeros(classes, dtype=np.int32)
        np.maximum.at(leaves, nodes.kind, nodes.span[:, 1])
        room = leaves + (leaves > 0)
        first = (np.cumsum(room) - room).astype(np.int32)
        lo, hi = (nodes.span + first[nodes.kind][:, None]).T
        share = np.where(hi - lo > 1, (hi - lo) / leaves[nodes.kind], 0.0)
        prices = dict(zip(zip(lo.tolist(), (-hi).tolist(), strict=True), share.tolist(), strict=True))
        out = [(0, int(room.sum())), *((int(a), int(a + b)) for a, b in zip(first, room, strict=True) if b)]
        spans = {(a, -b): 1.0 for a, b in out} | {(b - 1, -b): 0.0 for _, b in out}
        every = prices | spans
        taxonomy = Taxonomy.joined(dict.fromkeys(every, ""))
        keys = [*zip(taxonomy.lo.tolist(), (-taxonomy.hi).tolist(), strict=True)]
        price = np.array([every[key] for key in keys])
        hidden = np.array([key in spans and key[0] + key[1] < -1 for key in keys])
        return cls(taxonomy, first, price, hidden)
