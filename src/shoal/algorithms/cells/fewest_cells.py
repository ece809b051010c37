"""The fewest cells to leave out of a small table, by branch and bound over its records."""

from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms.cells.blanking import Blanked, Known, blank_masks, price
from shoal.data.arrays import I4, I8

__all__ = ["SMALL", "fewest_cells"]

SMALL = 40
"""How many cells a table has at most of which the fewest are sought."""
_NODES = 20_000  # choices for a record that are looked at: some second
_OUT = -1


def fewest_cells(original: I4, known: Known, found: Blanked, allowed: int) -> Blanked | None:
    """The cheapest cells to leave out; `found` where nothing is cheaper, None where the search was given up.

    One record after the other loses some columns, or is left out. A branch is cut where it costs as much as the best
    that is known, the rest at its cheapest, and where rows can no longer be equal to k others.
    """
    search = _Search(original, known, allowed, price(original, found.codes, found.kept, known.importance))
    if not search.run():
        return None
    if search.best is None:
        return found
    chosen = np.array(search.best)
    codes, kept = original.copy(), chosen != _OUT
    for j in range(codes.shape[1]):
        codes[kept & (chosen >> j & 1 == 1), j] = 0
    return Blanked(codes, kept, found.floor)


@dataclass
class _Search:
    """The state of the search: of the first records it is decided which columns they lose.

    most  : what the best choice that is known costs
    best  : that choice, the mask of every record; None while it is the one that came in
    equal : int64[n, n], the columns in which two originals are equal, as bits
    """

    original: I4
    known: Known
    allowed: int
    most: float
    best: list[int] | None = None
    nodes: int = 0
    chosen: list[int] = field(default_factory=list)

    def run(self) -> bool:
        """Search everything; False where that is too much."""
        n, d = self.original.shape
        same = self.original[:, None, :] == self.original[None, :, :]
        self.equal: I8 = (same << np.arange(d)).sum(axis=2).astype(np.int64)
        self.sets = np.array([sum(1 << j for j in one) for one in self.known.sets], dtype=np.int64)
        self.gone = blank_masks(self.original)
        masks = np.arange(1 << d)
        cost = ((masks[:, None] >> np.arange(d)) & 1) @ self.known.importance
        self.options = [self._options(row, masks, cost) for row in range(n)]
        rest = [min(paid for paid, _ in options) for options in self.options]
        self.rest = np.concatenate([np.cumsum(rest[::-1])[::-1], [0.0]])
        self.all = cost
        return self._next(0, 0.0)

    def _options(self, row: int, masks: I8, cost: np.ndarray) -> list[tuple[float, int]]:
        """The masks that meet all sets in which too few originals are equal to this one, the cheapest first."""
        inside = (self.sets & ~self.equal[row][:, None]) == 0
        few = self.sets[self.known.weight @ inside < self.known.k]
        own = int(self.gone[row])
        fits = [
            (float(cost[mask]), int(mask))
            for mask in masks
            if not mask & own and all(one & (mask | own) for one in few.tolist())
        ]
        whole = float(cost[~own & (len(masks) - 1)])
        return sorted(fits) + ([(whole, _OUT)] if self.allowed else [])

    def _next(self, row: int, paid: float) -> bool:
        if row == len(self.original):
            self.most, self.best = paid, list(self.chosen)
            return True
        twin = row and self.equal[row, row - 1] == len(self.all) - 1 and self.known.weight.all()
        for cost, mask in self.options[row]:
            if paid + cost + self.rest[row + 1] >= self.most - 1e-9:
                break
            if twin and (cost, mask) < (self._cost(row - 1), self.chosen[-1]):
                continue  # of equal records the order does not matter
            if mask == _OUT and self.chosen.count(_OUT) >= self.allowed:
                continue
            self.nodes += 1
            if self.nodes > _NODES:
                return False
            self.chosen.append(mask)
            going = not self._possible() or self._next(row + 1, paid + cost)
            self.chosen.pop()
            if not going:
                return False
        return True

    def _cost(self, row: int) -> float:
        mask = self.chosen[row]
        return float(self.all[~int(self.gone[row]) & (len(self.all) - 1)] if mask == _OUT else self.all[mask])

    def _possible(self) -> bool:
        """Whether every record that is decided can still be equal to k in every set."""
        done = len(self.chosen)
        chosen = np.array(self.chosen)
        rows = np.flatnonzero(chosen != _OUT)
        if not len(rows):
            return True
        blank = (chosen | self.gone[:done])[rows]
        shown = self.sets[None, None, :] & ~blank[:, None, None]
        alike = (shown & ~self.equal[rows][:, :, None]) == 0
        apart = blank[:, None] ^ blank[None, :]
        alike[:, rows] &= (self.sets[None, None, :] & apart[:, :, None]) == 0
        alike[:, np.flatnonzero(chosen == _OUT)] = False
        return bool((np.einsum("y,xys->xs", self.known.weight, alike) >= self.known.k).all())
