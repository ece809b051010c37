"""The least-loss full-domain recoding for one claim, exact."""

from shoal.algorithms.table.cube import Cube, allowance
from shoal.algorithms.table.losses import check_loss, floors_of, labels_of, prices_of
from shoal.algorithms.table.nodes import Evaluator
from shoal.algorithms.table.search import Search
from shoal.data import Table
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.privacy import claim_of
from shoal.progress import Progress, silent
from shoal.release import Recoded, Result

__all__ = ["optimal"]


def optimal(
    table: Table,
    hierarchies: Hierarchies,
    *,
    k: int | None = None,
    l: int | None = None,
    t: float | None = None,
    diversity: str = "distinct",
    c: float = 3.0,
    distance: str = "equal",
    suppress: float = 0.0,
    loss: str = "glm",
    target: str | None = None,
    progress: Progress = silent,
) -> Result[Recoded]:
    """Generalize `table` at the least loss that meets the claim."""
    claim = claim_of(k=k, l=l, t=t, diversity=diversity, c=c, distance=distance)
    check_loss("optimal", loss, target)
    if k is None or l is not None or t is not None:
        raise InputError("optimal: l and t are not searched for yet; give k alone")
    cube = Cube.of("optimal", table, hierarchies, labels_of(table, loss, target))
    allowed = allowance("optimal", suppress, cube.n)
    if k > cube.heads:
        raise InfeasibleError(
            f"optimal: k={k} but the table has {cube.heads} records; lower k or add records"
        )
    lattice = cube.lattice
    prices = prices_of(loss, cube, table, k)
    search = Search(
        lattice, Evaluator(cube, prices, allowed), floors_of(prices, lattice), most=cube.heads, cap=k
    )
    progress("searching the lattice")
    search.resolve(beyond=k - 1)
    for point in search.points:
        if point.k >= k:
            return cube.release(point.levels, k, claim, lattice=lattice.size, evaluated=len(search.reach))
    raise InfeasibleError(
        f"optimal: no recoding reaches k={k} with at most {allowed} records suppressed; "
        f"the largest k within reach is {max(search.reach.values())}"
    )
