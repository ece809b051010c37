"""Incognito: every k-anonymous full-domain recoding, from few columns to all (LeFevre et al.)."""

from itertools import combinations, product
from math import prod

from shoal.algorithms.constraint import refuse_crowd, require_k_alone
from shoal.algorithms.knobs import Share, suppression_limit
from shoal.algorithms.lattice._kernels import quantize_loss
from shoal.algorithms.lattice.cube import Cube, Lattice, Levels, Loss, check_loss, labels_of, prices_of
from shoal.algorithms.lattice.evaluation import Evaluator
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Table
from shoal.hierarchy import Hierarchies
from shoal.privacy import KAnonymity
from shoal.release import Recoded, Result

__all__ = ["incognito"]

Columns = tuple[int, ...]


def incognito(
    table: Table,
    hierarchies: Hierarchies,
    claim: KAnonymity,
    *,
    suppress: Share = 0.0,
    loss: Loss = "glm",
    target: str | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Find all minimal k-anonymous nodes and publish the cheapest of them.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier.
    claim
        The least number of records in a class.
    suppress
        The share of records that may be left out, in [0, 1).
    loss
        What makes a node cheap.
    target
        The column that ce predicts.
    progress
        Hears how far the search is.

    Returns
    -------
    Result
        Its trace holds `minimal`, the level vectors of all minimal nodes, and `evaluated`.

    Raises
    ------
    InfeasibleError
        No node is k-anonymous.

    Guarantee   The claim holds: classes below k are suppressed, and `suppress` allows so many records.
    Complexity  A node of some columns is the node of the lattice with all other columns at their roots, and it
                takes one table. Nodes above a node that passes, and nodes with a part that fails, are not evaluated.
    Departures  Suppression counts records in classes below k, and both pruning rules still hold then. The
                cheapest of the minimal nodes is released. With suppression a node above a minimal one may be
                cheaper, which is why this is a baseline and `optimal` is not built on it.
    Randomness  None.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan. Incognito: efficient full-domain k-anonymity. SIGMOD 2005.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> table = Table((Column.of("sex", "quasi", list("MMFFF")), Column.of("zip", "quasi", list("12112"))))
    >>> hierarchies = {"sex": Hierarchy.from_paths("sex", [["M", "*"], ["F", "*"]]),
    ...          "zip": Hierarchy.from_paths("zip", [["1", "*"], ["2", "*"]])}
    >>> incognito(table, hierarchies, KAnonymity(2)).trace["minimal"]
    [(0, 1), (1, 0)]
    """
    k = require_k_alone("incognito", claim)
    check_loss("incognito", loss, target)
    cube = Cube.of("incognito", table, hierarchies, labels_of(table, loss, target))
    allowed = suppression_limit("incognito", suppress, cube.n)
    refuse_crowd("incognito", k, cube.heads, "records")
    search = _IncognitoSearch(cube.lattice, Evaluator(cube, prices_of(loss, cube, table, k), allowed), k)
    minimal = search.run(progress)
    if not minimal:
        raise InfeasibleError(
            f"incognito: no recoding reaches k={k} with at most {allowed} records suppressed; "
            "lower k or allow more suppression"
        )
    best = min(minimal, key=lambda levels: (search.loss(levels), levels))
    return cube.release(best, k, claim, minimal=minimal, evaluated=len(search.reach))


class _IncognitoSearch:
    """What is known of the nodes so far; a node of some columns has all other columns at the root."""

    def __init__(self, lattice: Lattice, evaluate: Evaluator, k: int) -> None:
        self._lattice, self._evaluate, self._k = lattice, evaluate, k
        self.reach: dict[Levels, int] = {}

    def run(self, progress: Progress) -> list[Levels]:
        """Pass from subsets of columns to larger ones; the minimal passing nodes of all columns, in order."""
        width = len(self._lattice.heights)
        tell = start_step(progress, "incognito: sets of columns")
        total, done = prod(height + 2.0 for height in self._lattice.heights) - 1, 0.0
        passing: dict[Columns, set[Levels]] = {(): {()}}
        for size in range(1, width + 1):
            passing_now = {}
            for columns in combinations(range(width), size):
                passing_now[columns] = self._test_candidates(columns, self._list_candidates(columns, passing))
                done += prod(self._lattice.heights[column] + 1.0 for column in columns)
                tell(done / total)  # of the nodes of all sets of columns
            passing = passing_now
        everything = passing[tuple(range(width))]
        return sorted(
            node for node in everything if not any(b in everything for b in self._lattice.below(node))
        )

    def loss(self, levels: Levels) -> float:
        """A node's loss at k, its smaller classes suppressed."""
        rungs = self._evaluate(levels)
        return quantize_loss(float(rungs.loss[int(rungs.ks.searchsorted(self._k))]))

    def _list_candidates(self, columns: Columns, passing: dict[Columns, set[Levels]]) -> set[Levels]:
        """The nodes of `columns` whose every part with one column less passed (subset property)."""
        shorter, last = passing[columns[:-1]], self._lattice.heights[columns[-1]]
        parts = [(i, passing[columns[:i] + columns[i + 1 :]]) for i in range(len(columns) - 1)]
        return {
            (*node, level)
            for node, level in product(shorter, range(last + 1))
            if all((*node[:i], *node[i + 1 :], level) in part for i, part in parts)
        }

    def _test_candidates(self, columns: Columns, candidates: set[Levels]) -> set[Levels]:
        """Test candidates from the bottom up; what stands above a passing node passes (generalization property)."""
        passing: set[Levels] = set()
        for node in sorted(candidates, key=lambda node: (sum(node), node)):
            if (
                any(below in passing for below in self._lattice.below(node))
                or self._node_reach(columns, node) >= self._k
            ):
                passing.add(node)
        return passing

    def _node_reach(self, columns: Columns, node: Levels) -> int:
        """The largest k of a node of `columns` within the allowance."""
        levels = list(self._lattice.heights)
        for column, level in zip(columns, node, strict=True):
            levels[column] = level
        full_levels = tuple(levels)
        if full_levels not in self.reach:
            self.reach[full_levels] = self._evaluate(full_levels).reach
        return self.reach[full_levels]
