"""The search over cuts, top down: a cut is specialized by putting the children of one of its values in its place."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import combinations
from time import monotonic

from shoal.algorithms.trees.knowledge_counts import Asked, Asking
from shoal.algorithms.trees.search_space import Space, Synopsis
from shoal.algorithms.trees.structure_repair import Repaired
from shoal.progress import Progress, Tell, nobody, rising

__all__ = ["Cut", "Search", "all_cuts", "greedy_cuts"]

_SEARCHING = "searching the cuts"

Repair = Callable[[Asking, Synopsis, Asked], Repaired]
Return = Callable[[Asking, Synopsis, Asked, Repaired], Repaired]
Price = Callable[[Space, Synopsis], float]


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut that was looked at.

    cost   : the price of what it publishes
    nodes  : the published values that occur
    done   : the nodes whose children are published, or nodes further down, in the order they were specialized; -1
             stands over the roots
    broken : the knowledge that its relations would give too much of, before they are repaired
    loose, cut_relations : what the repair gave up
    good   : whether it may be released
    """

    cost: float
    nodes: tuple[int, ...]
    done: tuple[int, ...]
    broken: Asked
    loose: tuple[int, ...]
    cut_relations: tuple[tuple[int, int], ...]
    good: bool

    @property
    def given_up(self) -> int:
        """How many values were detached, or relations disassociated."""
        return len(self.loose) + len(self.cut_relations)


@dataclass
class Search:
    """Looks at cuts, keeps the best one, knows when to stop.

    Parameters
    ----------
    repair
        How relations are given up; with None, a cut that would need this is not good.
    roots
        The roots of the fields that are published at all.
    price
        What a cut costs, see `prices`.
    seconds, patience
        When to stop: after so many seconds, or after so many cuts in a row that were no better; None means never.
    put_back
        How relations that the best cut gave up without need are put back; with None, they are not.
    """

    asking: Asking
    repair: Repair | None
    roots: tuple[int, ...]
    price: Price
    seconds: float | None
    patience: int | None
    progress: Progress
    put_back: Return | None = None
    best: Cut | None = None
    looked: int = 0
    found_at: int = 0
    stopped: str = ""
    began: float = field(default_factory=monotonic)
    known: dict[tuple[int, ...], bool] = field(default_factory=dict)
    tell: Tell = nobody

    def __post_init__(self) -> None:
        """Tell shares where something but the data says when to stop."""
        if self.seconds is None and self.patience is None:
            self.progress(_SEARCHING)
        else:
            self.tell = rising(self.progress, _SEARCHING)

    def top(self) -> Cut:
        """The cut of all roots."""
        return self._look(self.roots, (-1,), self.roots, Asked.none(self.asking.m))

    def ended(self) -> None:
        """Put back what the best cut gave up without need."""
        if self.best is not None and self.put_back is not None and self.best.given_up:
            space, best = self.asking.space, self.best
            cut = space.synopsis(best.nodes)
            found = Repaired(cut, best.loose, best.cut_relations)
            less = self.put_back(self.asking, cut, best.broken, found)
            if less.given_up < best.given_up:
                cost = self.price(space, less.tree)
                self.best = replace(best, cost=cost, loose=less.loose, cut_relations=less.cut_relations)

    def below(self, cut: Cut, closed: frozenset[int]) -> Iterator[tuple[int, Cut | None]]:
        """Specialize a cut by each value that is not closed; None where 1 to k-1 records hold some values then."""
        for node in cut.nodes:
            if node in closed or not self.asking.space.values.children[node]:
                continue
            if self.halted:
                return
            yield node, self._specialized(cut, node) if self._fits(cut.done, node) else None

    @property
    def halted(self) -> bool:
        """Whether it is time to stop; then `stopped` says why."""
        if self.seconds is not None and monotonic() - self.began > self.seconds:
            self.stopped = "seconds"
        elif (
            self.best is not None
            and self.patience is not None
            and self.looked - self.found_at >= self.patience
        ):
            self.stopped = "patience"
        return bool(self.stopped)

    def _fits(self, done: tuple[int, ...], node: int) -> bool:
        """Whether at least k records hold each set of at most m values, if any do (ValueCheck).

        Such a set is made of children of at most m specialized nodes; only sets with children of the new node are new.
        """
        for size in range(self.asking.m):
            keys = [tuple(sorted((node, *others))) for others in combinations(done, size)]
            if any(self.known.get(key, False) for key in keys):
                return False
            new = [key for key in keys if key not in self.known]
            for key, clash in zip(new, self._clashing(new), strict=False):
                self.known[key] = clash
                if clash:
                    return False
        return True

    def _clashing(self, keys: Sequence[tuple[int, ...]]) -> Iterator[bool]:
        """For each set of specialized nodes, whether 1 to k-1 records hold some values, one child of each at least."""
        groups = [tuple(self._children(one) for one in key) for key in keys]
        return self.asking.space.records.clashing(groups, self.asking.m, self.asking.k)

    def _children(self, node: int) -> tuple[int, ...]:
        return self.roots if node < 0 else self.asking.space.children(node)

    def _specialized(self, cut: Cut, node: int) -> Cut:
        new = self._children(node)
        nodes = (*(other for other in cut.nodes if other != node), *new)
        kept = cut.broken.without(node, node + len(self.asking.space.values.names))
        return self._look(nodes, (*cut.done, node), new, kept)

    def _look(self, nodes: tuple[int, ...], done: tuple[int, ...], new: tuple[int, ...], kept: Asked) -> Cut:
        tree = self.asking.space.synopsis(nodes)
        broken = kept + self.asking.broken(tree, new)
        hopeless = bool((broken.mask == 0).any())  # no relation is left to give up
        good = not hopeless and (self.repair is not None or not len(broken.mask))
        repaired = (
            self.repair(self.asking, tree, broken) if good and self.repair is not None else Repaired(tree)
        )
        cost = self.price(self.asking.space, repaired.tree)
        found = Cut(cost, nodes, done, broken, repaired.loose, repaired.cut_relations, good)
        self.looked += 1
        if good and (self.best is None or cost < self.best.cost):
            self.best, self.found_at = found, self.looked
        self.tell(self._share())
        return found

    def _share(self) -> float:
        """How much is done at least, if nothing better is found from now on; 0 where the search ends by itself only."""
        by_time = 0.0
        if self.seconds:
            by_time = (monotonic() - self.began) / self.seconds
        if self.patience is None or self.best is None:
            return by_time
        return max(by_time, self.looked / (self.found_at + self.patience))


def greedy_cuts(search: Search, g: int) -> None:
    """GCS: of what a cut is specialized to, only the `g` cheapest are specialized in their turn.

    They must cost less than the cut they come from, unless that cut is not good. A value that a cheaper sibling
    specialized is closed in all that comes from the other siblings (Example 6).

    The search dives from a cut to its cheapest child, down to where no child is cheaper. Then come the cuts that were
    left waiting, in the order of their discrepancies: how often a cut departs from the cheapest child. Among cuts with
    equally many discrepancies, the one that departs further up comes first. A search that runs to its end looks at the
    same cuts as one that takes the cheapest waiting cut first. But here a bad early choice is corrected within a few
    dives, while the cheapest waiting cuts all lie around the bottom of the first dive.
    """
    queue: list[tuple[tuple[int, int, int], Cut, frozenset[int]]] = []
    heappush(queue, ((0, 0, 0), search.top(), frozenset()))
    waiting = 0
    while queue and not search.halted:
        dive, cut, closed = heappop(queue)  # each dive has one cut in the queue, so cuts are never compared
        found = []
        for node, child in search.below(cut, closed):
            if child is None:
                closed |= {node}
            elif (child.good or search.repair is not None) and (child.cost < cut.cost or not cut.good):
                found.append((child.cost, node, child))
        for rank, (_, node, child) in enumerate(sorted(found, key=lambda entry: entry[:2])[:g]):
            waiting += 1
            heappush(queue, ((dive[0] + rank, len(child.done), waiting) if rank else dive, child, closed))
            closed |= {node}


def all_cuts(search: Search) -> None:
    """ACS: every cut whose sets of values are in k records, each once."""
    stack: list[tuple[Cut, frozenset[int]]] = [(search.top(), frozenset())]
    while stack and not search.halted:
        cut, closed = stack.pop()
        found = []
        for node, child in search.below(cut, closed):
            if child is None:
                closed |= {node}
            else:
                found.append((child.cost, node, child))
        shut = closed
        later = []
        for _, node, child in sorted(found, key=lambda entry: entry[:2]):
            later.append((child, shut))
            shut |= {node}
        stack += reversed(later)
