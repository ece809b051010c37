"""Structure repair: which relations are given up so that no knowledge of a cut fits too few records.

The paper disassociates one pair of values a ~> b at a time (`scope="pair"`), in all records. That leaves a
fingerprint: a record whose b hangs where no other b hangs had an a above it. `scope="class"` detaches b for good: it
stands under the root in every record, and where other values stand below b, so does its whole field. Then every
published record that holds the attacker's values, and shows the relations that were kept, could have come from a
record with all the relations that the attacker knows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms.trees._kernels.record_bits import loosen, part
from shoal.algorithms.trees.knowledge_counts import Asked, Asking, pairs_of
from shoal.algorithms.trees.search_space import Synopsis
from shoal.data.types import B1, F8, I8

__all__ = ["Repaired", "associate", "attach", "detach", "disassociate"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A cut whose relations are safe, and what was given up for it.

    loose : values that stand under the root, alone (scope "class")
    cut_relations : pairs (a, b) in the order in which they were disassociated (scope "pair")
    """

    tree: Synopsis
    loose: tuple[int, ...] = ()
    cut_relations: tuple[tuple[int, int], ...] = field(default=())

    @property
    def given_up(self) -> int:
        """How many values were detached, or relations disassociated."""
        return len(self.loose) + len(self.cut_relations)


def detach(asking: Asking, cut: Synopsis, broken: Asked) -> Repaired:
    """Detach values until no broken knowledge keeps all its relations; the rarest relation's lower end is detached.

    Nothing else can break: relations of detached values are gone in all records, the others are as they were.
    """
    ends = _relations(asking, cut, broken)
    if not len(ends):
        return Repaired(cut)
    held = _supports(asking, cut)
    rarity = _of(ends, held, np.inf)
    together = _together(asking, cut, held)
    loose = np.zeros(len(cut.nodes) + 1, dtype=bool)  # the last one stands for no value
    alive = np.ones(len(ends), dtype=bool)
    while alive.any():
        place = np.flatnonzero(alive)[rarity[alive].argmin() // ends.shape[1]]
        low = ends[place, rarity[place].argmin(), 1]
        loose[:-1] |= together == together[low]
        alive &= ~loose[ends].any(axis=(1, 2))
    return _loosened(cut, loose[:-1])


def attach(asking: Asking, cut: Synopsis, broken: Asked, found: Repaired) -> Repaired:
    """Attach again what `detach` need not have detached, the commonest first."""
    ends = _relations(asking, cut, broken)
    held = _supports(asking, cut)
    together = _together(asking, cut, held)
    loose = np.r_[np.isin(cut.nodes, found.loose), False]
    common = np.bincount(together, held.sum(axis=0))
    for group in sorted(set(together[loose[:-1]].tolist()), key=lambda group: (-common[group], group)):
        fewer = loose & np.r_[together != group, False]
        if fewer[ends].any(axis=(1, 2)).all():
            loose = fewer
    return _loosened(cut, loose[:-1])


def _together(asking: Asking, cut: Synopsis, held: I8) -> I8:
    """By value a number, one for all that are detached together: a whole field, if something stands below it."""
    kind = asking.space.values.kind[cut.nodes].astype(np.int64)
    over = np.isin(kind, kind[held.any(axis=1)])
    return np.where(over, kind, len(asking.space.trees.classes) + np.arange(len(kind)))


def _loosened(cut: Synopsis, loose: B1) -> Repaired:
    return Repaired(cut.rehung(loosen(cut.up, cut.ends, loose)), tuple(cut.nodes[loose].tolist()))


def disassociate(asking: Asking, cut: Synopsis, broken: Asked) -> Repaired:
    """Disassociate pairs (Definition 2) until nothing is broken, each for knowledge that was counted as the tree is.

    That is Algorithm 3: what is broken gives up its rarest relation. A disassociated a ~> b changes relations of b
    alone. So knowledge without a relation of a value that has moved needs no new count, and all is counted anew only
    when nothing else is left: in few rounds. The knowledge with the rarest relation comes first.
    """
    if not len(broken.mask):
        return Repaired(cut)
    given_up: list[tuple[int, int]] = []
    was = _supports(asking, cut)
    first = _relations(asking, cut, broken)
    now, ends = was, first
    while len(ends):
        more = list(_to_give_up(ends, now))
        given_up += more
        tree = _parted(cut, given_up)
        now = _supports(asking, tree, now, [low for _, low in more])
        ends = _broken(asking, cut, first, tree, was, now)
    return _told(cut, tree, given_up)


def associate(asking: Asking, cut: Synopsis, broken: Asked, found: Repaired) -> Repaired:
    """Put back relations that `disassociate` gave up, the last one first, each if nothing is broken with it."""
    given_up = [(int(a), int(b)) for a, b in np.searchsorted(cut.nodes, found.cut_relations).reshape(-1, 2)]
    was = _supports(asking, cut)
    first = _relations(asking, cut, broken)
    best = _parted(cut, given_up)
    for relation in tuple(reversed(given_up)):
        fewer = [other for other in given_up if other != relation]
        tree = _parted(cut, fewer)
        if not len(_broken(asking, cut, first, tree, was, _supports(asking, tree))):
            given_up, best = fewer, tree
    return _told(cut, best, given_up)


def _parted(cut: Synopsis, given_up: Sequence[tuple[int, int]]) -> Synopsis:
    """The tree of a cut once relations, as places in it, are disassociated in their order."""
    rule = np.full((len(cut.nodes), len(cut.nodes)), -1, dtype=np.int32)
    for number, (high, low) in enumerate(given_up):
        rule[high, low] = number
    return cut.rehung(part(cut.up, cut.ends, rule))


def _told(cut: Synopsis, tree: Synopsis, given_up: Sequence[tuple[int, int]]) -> Repaired:
    return Repaired(
        tree, cut_relations=tuple((int(cut.nodes[high]), int(cut.nodes[low])) for high, low in given_up)
    )


def _broken(asking: Asking, cut: Synopsis, first: I8, tree: Synopsis, was: I8, now: I8) -> I8:
    """The relations of what is broken in a tree: what was broken `first` and lost nothing, and what is new."""
    still = first[(_of(first, was, 0) == _of(first, now, 0)).all(axis=1)]
    return np.concatenate([still, _relations(asking, cut, _newly_broken(asking, cut, tree, was, now))])


def _to_give_up(ends: I8, held: I8) -> Iterator[tuple[int, int]]:
    """The rarest relation of each broken knowledge, as long as no value of its relations has moved.

    Of equally rare ones that with the higher field above comes first: it takes most of the others along.
    """
    rarity = _of(ends, held, np.inf) * len(held) + ends[:, :, 0]
    moved: set[int] = set()
    wide, best = ends.reshape(len(ends), -1).tolist(), rarity.argmin(axis=1).tolist()
    for row in np.argsort(rarity.min(axis=1), kind="stable").tolist():
        if moved.isdisjoint(wide[row]):
            high, low = wide[row][2 * best[row] : 2 * best[row] + 2]
            moved.add(low)
            yield high, low


def _newly_broken(asking: Asking, cut: Synopsis, tree: Synopsis, was: I8, now: I8) -> Asked:
    """Broken knowledge of a tree whose relations were cut: it has a relation that fewer records show than before."""
    v = len(cut.nodes)
    everything, possible = asking.everything(tree)
    lost = np.where(now > 0, was - now, 0)
    fresh = np.zeros(len(everything), dtype=bool)
    fresh[:v] = lost.any(axis=0)
    found = Asked.none(asking.m)
    for size in range(2, min(asking.m, len(everything)) + 1):
        for places, mask in asking.knowledge(size, v, fresh, possible):
            fewer = np.zeros(len(mask), dtype=np.int64)
            for bit, (a, b) in enumerate(pairs_of(size)):
                on = np.flatnonzero((mask >> bit) & 1)
                fewer[on] += lost[places[on, a], places[on, b]]
            places, mask, fewer = places[fewer > 0], mask[fewer > 0], fewer[fewer > 0]
            if not asking.l:  # what had enough records still has
                tight = asking.ask(cut, everything, places, mask).held - fewer < asking.k
                places, mask = places[tight], mask[tight]
            asked = asking.ask(tree, everything, places, mask, anew=True, enough=asking.k)
            found += asked.where(asking.wrong(asked))
    return found


def _supports(asking: Asking, tree: Synopsis, was: I8 | None = None, moved: Sequence[int] = ()) -> I8:
    """How many records show each relation: int64[v, v]; if this `was` known, only those of moved values are counted."""
    v = len(tree.nodes)
    high, low = np.divmod(np.unique(tree.relations()[1]), max(v, 1))
    held = np.zeros((v, v), dtype=np.int64)
    if was is not None:
        held[:] = was
        held[moved, :] = held[:, moved] = 0
        anew = np.isin(high, moved) | np.isin(low, moved)
        high, low = high[anew], low[anew]
    pairs, one = np.stack([high, low], axis=1), np.ones(len(high), dtype=np.int64)
    held[high, low] = asking.ask(tree, tree.nodes, pairs, one, anew=tree.changed).held
    return held


def _relations(asking: Asking, cut: Synopsis, broken: Asked) -> I8:
    """For each piece of knowledge, its relations, as places in the cut: int64[Q, n, 2], -1 behind the last."""
    found = np.full((len(broken.mask), max(asking.n, 1), 2), -1, dtype=np.int64)
    width = np.zeros(len(broken.mask), dtype=np.int64)
    for bit, (a, b) in enumerate(pairs_of(asking.m)):
        on = np.flatnonzero((broken.mask >> bit) & 1)
        found[on, width[on]] = np.searchsorted(cut.nodes, broken.values[on][:, [a, b]])
        width[on] += 1
    return found


def _of(ends: I8, held: I8, nothing: float) -> F8:
    """How many records show each relation, by place in `ends`; `nothing` where there is none."""
    return np.where(ends[:, :, 0] < 0, nothing, held[ends[:, :, 0], ends[:, :, 1]])
