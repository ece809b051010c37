"""The paper's own structure, for comparison: a sorted list of record numbers by value and by relation of a cut.

ValueCheck intersects the lists of every set of values, StructureCheck those of every set of relations among them and of
the values outside (Algorithms 1 and 2; sizes up to m, as the paper's text has it). A set that no record holds is not
looked into further.
"""

from itertools import combinations

import numpy as np


class IdLists:
    """The lists of one cut: `nodes` of the hierarchies' `values`."""

    def __init__(self, trees, values, nodes):
        place = {node: spot for spot, node in enumerate(sorted(nodes))}
        label = np.full(len(trees.values), -1)
        for item, node in enumerate(values.leaf.tolist()):
            while node not in place and values.up[node] >= 0:
                node = int(values.up[node])
            label[item] = place.get(node, -1)
        own = label[trees.items]
        record = np.repeat(np.arange(trees.n), np.diff(trees.start))
        over = np.where(
            trees.parents < 0, -1, trees.parents + np.repeat(trees.start[:-1], np.diff(trees.start))
        )
        self.values = [np.unique(record[own == spot]) for spot in range(len(place))]
        self.relations = {}
        found = []
        up = over.copy()
        while (up >= 0).any():
            on = up >= 0
            found.append(np.stack([own[up[on]], own[on], record[on]]))
            up[on] = over[up[on]]
        high, low, whose = np.concatenate(found, axis=1)
        pair = high * len(place) + low
        for one in np.unique(pair).tolist():
            self.relations[divmod(one, len(place))] = np.unique(whose[pair == one])

    def check(self, k, m, n):
        """How many sets of values, and how many with relations (not asked again for a rare pair), are in (0, k)."""
        rare = few = 0
        apart = set()
        for size in range(1, m + 1):
            for some in combinations(range(len(self.values)), size):
                held = self._together([self.values[one] for one in some])
                if not held:
                    continue
                rare += held < k
                pairs = [
                    pair for pair in combinations(some, 2) if pair in self.relations and pair not in apart
                ]
                for number in range(1, min(n, len(pairs)) + 1):
                    for shown in combinations(pairs, number):
                        bare = set(some).difference(*shown)
                        lists = [self.relations[pair] for pair in shown] + [self.values[one] for one in bare]
                        if 0 < self._together(lists) < k:
                            few += 1
                            if size == 2:
                                apart |= {some}
        return rare, few

    def _together(self, lists):
        held = lists[0]
        for other in lists[1:]:
            held = np.intersect1d(held, other, assume_unique=True)
            if not len(held):
                return 0
        return len(held)
