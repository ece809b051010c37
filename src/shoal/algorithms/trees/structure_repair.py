"""Structure repair: which relations are given up so that no knowledge of a cut fits too few records.

The paper disassociates one pair of values a ~> b at a time (`scope="pair"`), in all records. That leaves a
fingerprint: a record whose b hangs where no other b hangs had an a above it. `scope="class"` detaches b for good: it
stands under the root in every record, and where other values stand below b, so does its whole field. Then every
published record that holds the attacker's values, and shows the relations that were kept, could have come from a
record with all the relations that the attacker knows.
"""

from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms.trees.knowledge_counts import Asked, Asking, pairs_of
from shoal.algorithms.trees.search_space import Synopsis
from shoal.data.types import F8, I8
from shoal.kernels.trees.synopsis import loosen, part

__all__ = ["Repaired", "detach", "disassociate"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A cut whose relations are safe, and what was given up for it.

    loose : values that stand under the root, alone (scope "class")
    cut_relations : pairs (a, b) in the order in which they were disassociated (scope "pair")
    """

    tree: Synopsis
    loose: tuple[int, ...] = ()
    cut_relations: tuple[tuple[int, int], ...] = field(default=())


def detach(asking: Asking, cut: Synopsis, broken: Asked) -> Repaired:
    """Detach values until no broken knowledge keeps all its relations; the rarest relation's lower end is detached.

    Nothing else can break: relations of detached values are gone in all records, the others are as they were.
    """
    ends = _relations(asking, broken)
    kind = asking.space.values.kind
    codes = np.unique(cut.relations()[1])
    over = np.isin(cut.nodes, cut.nodes[codes // max(len(cut.nodes), 1)])
    loose = np.zeros(len(cut.nodes), dtype=bool)
    alive = np.ones(len(ends), dtype=bool)
    rarity = _rarity(asking, cut, ends)
    while alive.any():
        place = np.flatnonzero(alive)[rarity[alive].argmin() // ends.shape[1]]
        low = ends[place, rarity[place].argmin(), 1]
        spot = np.searchsorted(cut.nodes, low)
        loose |= (kind[cut.nodes] == kind[low]) if over[spot] else (cut.nodes == low)
        alive &= ~np.isin(ends, cut.nodes[loose]).any(axis=(1, 2))
    if not loose.any():
        return Repaired(cut)
    return Repaired(cut.rehung(loosen(cut.up, cut.ends, loose)), tuple(cut.nodes[loose].tolist()))


def disassociate(asking: Asking, cut: Synopsis, broken: Asked) -> Repaired:
    """Disassociate pairs (Definition 2) until nothing is broken: in rounds, because each pair may make others rare.

    In a round each broken knowledge that still has all its relations gives up its rarest one; the rarest of all comes
    first.
    """
    v = len(cut.nodes)
    rule = np.full((v, v), -1, dtype=np.int32)
    cut_relations: list[tuple[int, int]] = []
    tree = cut
    while len(broken.mask):
        ends = _relations(asking, broken)
        rarity = _rarity(asking, tree, ends, anew=tree is not cut)
        spots = np.searchsorted(cut.nodes, ends)
        for row in np.argsort(rarity.min(axis=1), kind="stable"):
            real = rarity[row] < np.inf
            if (rule[spots[row, real, 0], spots[row, real, 1]] < 0).all():
                high, low = spots[row, rarity[row].argmin()]
                rule[high, low] = len(cut_relations)
                cut_relations.append((int(cut.nodes[high]), int(cut.nodes[low])))
        tree = cut.rehung(part(cut.up, cut.ends, rule))
        broken = _broken_anew(asking, cut, tree)
    return Repaired(tree, cut_relations=tuple(cut_relations))


def _broken_anew(asking: Asking, cut: Synopsis, tree: Synopsis) -> Asked:
    """Broken knowledge of a tree whose relations were cut: it has a relation that fewer records show than before."""
    v = len(cut.nodes)
    everything, possible = asking.everything(tree)
    lost = np.zeros_like(possible, dtype=np.int64)
    high, low = np.nonzero(possible)
    pairs = np.stack([high, low], axis=1)
    one = np.ones(len(pairs), dtype=np.int64)
    was = asking.ask(cut, everything, pairs, one).held
    now = asking.ask(tree, everything, pairs, one, anew=True).held
    lost[high, low] = was - now
    fresh = np.asarray((lost > 0).any(axis=0), dtype=bool)
    found = Asked.none(asking.m)
    for size in range(2, min(asking.m, len(everything)) + 1):
        for places, mask in asking.knowledge(size, v, fresh, possible):
            fewer = np.zeros(len(mask), dtype=np.int64)
            for bit, (a, b) in enumerate(pairs_of(size)):
                fewer += ((mask >> bit) & 1) * lost[places[:, a], places[:, b]]
            places, mask, fewer = places[fewer > 0], mask[fewer > 0], fewer[fewer > 0]
            if not asking.l:  # what had enough records still has
                tight = asking.ask(cut, everything, places, mask).held - fewer < asking.k
                places, mask = places[tight], mask[tight]
            asked = asking.ask(tree, everything, places, mask, anew=True)
            found += asked.where(asking.wrong(asked))
    return found


def _relations(asking: Asking, broken: Asked) -> I8:
    """For each piece of knowledge, its relations, as nodes (above, below): int64[Q, n, 2], -1 behind the last."""
    found = np.full((len(broken.mask), max(asking.n, 1), 2), -1, dtype=np.int64)
    width = np.zeros(len(broken.mask), dtype=np.int64)
    for bit, (a, b) in enumerate(pairs_of(asking.m)):
        on = np.flatnonzero((broken.mask >> bit) & 1)
        found[on, width[on]] = broken.values[on][:, [a, b]]
        width[on] += 1
    return found


def _rarity(asking: Asking, cut: Synopsis, ends: I8, *, anew: bool = False) -> F8:
    """How many records show each relation, by place in `ends`; infinity where there is none."""
    rarity = np.full(ends.shape[:2], np.inf)
    real = ends[:, :, 0] >= 0
    pairs, place = np.unique(ends[real], axis=0, return_inverse=True)
    if len(pairs):
        spots = np.searchsorted(cut.nodes, pairs)
        told = asking.ask(cut, cut.nodes, spots, np.ones(len(pairs), dtype=np.int64), anew=anew)
        rarity[real] = told.held[place.ravel()]
    return rarity
