"""Record trees (Gkountouna and Terrovitis, TKDE 2015): Figures 11 to 18 on TPC-H customers, at the paper's own sizes.

The paper leaves open how prices became values, where the nation stands, and whether a cut was priced by RPD or by its
estimate RPD_a. So everything is measured by each of these readings, and searches are bounded by cuts, never by a clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from typing import Any

import tpch_trees
from common import cpu
from shoal.algorithms.trees.gcs import acs, gcs, ocs
from shoal.algorithms.trees.miracle import miracle
from shoal.base.errors import InfeasibleError
from shoal.data import Trees
from shoal.hierarchy.nodes import Nodes
from shoal.privacy import KMNAnonymity
from shoal.release import RecodedTrees
from shoal.utility.subtree_mining import mining_loss
from shoal.utility.trees import rpd
from tpch_trees import PRICES

from . import drawn
from .negative import attacked
from .results import Experiment, Point, Row

SHAPES = ("orders under the root", "orders under the nation")
_PAIRS: dict[str, Any] = {"scope": "pair", "put_back": False}  # what the paper does to relations
OPTIONS: dict[str, dict[str, Any]] = {
    "priced by RPD_a": {"cost": "rpd-a", **_PAIRS},
    "priced by RPD": {"cost": "rpd", **_PAIRS},
    "shoal": {"cost": "rpd"},
}
"""What GCS and ACS are given. OCS changes no structure, so that it has a price alone."""
LITERAL, BY_RPD, OURS = OPTIONS
SEARCHES = {"gcs": gcs, "ocs": ocs, "acs": acs, "miracle": miracle}


@dataclass(frozen=True)
class Sizes:
    """How many records each experiment takes, and how long a search may go on.

    small    : for ACS, which looks at every cut
    usual    : for the curves, for mining and for absent values
    grown    : for growth
    patience : a search stops after so many cuts in a row that were no better; ACS after so many `tireless` ones
    support  : the share of records that makes a subtree frequent
    """

    claim: KMNAnonymity
    small: int
    usual: int
    grown: tuple[int, ...]
    axes: dict[str, tuple[int, ...]]
    patience: int
    tireless: int
    support: float
    draws: int


FULL = Sizes(
    KMNAnonymity(20, 3, 2), 100_000, 250_000, (100_000, 250_000, 500_000, 1_000_000),
    {"k": (5, 20, 50, 100, 300), "n": (0, 1, 2, 3), "m": (2, 3, 4, 5, 6)}, 300, 30_000, 0.01, 1_500,
)  # fmt: skip
QUICK = Sizes(
    KMNAnonymity(5, 3, 2), 150, 200, (200, 400),
    {"k": (3, 5, 10, 15, 20), "n": (0, 1, 2, 3), "m": (2, 3, 4, 5, 6)}, 3, 20, 0.2, 50,
)  # fmt: skip
WIDTHS = (1, 2, 3)  # of the numbers on the axis of k, those at which ACS comes to its end
_GENERATED = tpch_trees.STORE


def sizes(quick: bool) -> Sizes:
    """What is asked; quick ones are drawn first."""
    if quick and tpch_trees.STORE == _GENERATED:
        population.cache_clear()
        drawn.customers(1_000)
    elif not quick and tpch_trees.STORE != _GENERATED:
        population.cache_clear()
        tpch_trees.STORE = _GENERATED
    return QUICK if quick else FULL


@cache
def population(n: int, prices: str, shape: str) -> tuple[Trees, Nodes]:
    """The first customers; with orders under the root, beside the nation, or under the nation."""
    trees = tpch_trees.trees(n, prices=prices, nation_above=shape != SHAPES[0])
    return trees, Nodes.of("bench", trees, tpch_trees.hierarchies())


def measured(
    asked: Sizes, n: int, claim: KMNAnonymity, maker: str, which: str, *, prices: str, shape: str = SHAPES[0],
    mine: bool = False, **given: Any,
) -> Iterator[Row]:  # fmt: skip
    """One release, judged: its losses and its time."""
    trees, nodes = population(n, prices, shape)
    row: Row = {
        "prices": prices, "shape": shape, "records": n, "k": claim.k, "m": claim.m, "n": claim.n, "maker": maker,
        "options": which, **given,
    }  # fmt: skip
    told = dict(given)
    if maker != "miracle":
        told |= OPTIONS[which] if maker != "ocs" else {"cost": OPTIONS[which]["cost"]}
        told["patience"] = asked.tireless if maker == "acs" else asked.patience
    try:
        took, result = cpu(lambda: SEARCHES[maker](trees, tpch_trees.hierarchies(), claim, **told))
    except InfeasibleError:
        yield {**row, "rpd": 1.0, "seconds": 0.0, "stopped": "infeasible"}
        return
    _judged(result.claim, result.release)
    row |= {"rpd": rpd(result.release, trees, nodes), "seconds": took}
    trace = result.trace
    if maker != "miracle":
        given_up = trace["detached"] + trace["disassociated"]
        row |= {"cuts": trace["cuts"], "stopped": trace["stopped"], "given up": given_up}
    if mine:
        mined = mining_loss(result.release, trees, nodes, support=asked.support)
        row |= {"ml2": mined.ml2, "dml2": mined.dml2}
        row |= {"subtrees": sum(mined.subtrees), "kept": sum(mined.preserved)}
    yield row


def _judged(claim: KMNAnonymity, release: RecodedTrees) -> None:
    verdict = claim.check(release.trees)
    assert verdict, verdict.sentence


def _point(asked: Sizes, n: int, claim: KMNAnonymity, maker: str, which: str, **more: Any) -> Point:
    key: Row = {"records": n, "k": claim.k, "m": claim.m, "n": claim.n, "maker": maker, "options": which}
    key |= {name: value for name, value in more.items() if name != "mine"}
    return Point(key, partial(measured, asked, n, claim, maker, which, **more))


def widest(asked: Sizes) -> int:
    """The k at which the gap of OCS to GCS is widest: n and what is mined are measured there, too."""
    return asked.axes["k"][2]


def curves(prices: str, quick: bool) -> Iterator[Point]:
    """Figures 14 to 17 (a) to (c), and the text to Figure 15: k, n and m by one reading of prices."""
    asked = sizes(quick)
    along = {axis: [replace(asked.claim, **{axis: at}) for at in some] for axis, some in asked.axes.items()}
    above = dict.fromkeys(along["k"] + along["n"])  # larger m take hours with the nation above all
    there = [replace(claim, k=widest(asked)) for claim in along["n"]]
    claims = dict.fromkeys(chain(*along.values(), there))
    nearest = sorted(claims, key=lambda claim: abs(claim.m - asked.claim.m))
    turns = [(SHAPES[0], claim) for claim in nearest] + [(SHAPES[1], claim) for claim in above]
    for shape, claim in sorted(turns, key=lambda turn: turn[1].m > 4):  # what takes long comes last
        first = shape == SHAPES[0]
        for which in (BY_RPD, OURS, LITERAL) if first else (BY_RPD, OURS):  # RPD_a is the slowest by far
            yield _point(
                asked, asked.usual, claim, "gcs", which, prices=prices, shape=shape,
                mine=first and (which == BY_RPD or claim == asked.claim),
            )  # fmt: skip
            if which != OURS:
                yield _point(
                    asked, asked.usual, claim, "ocs", which, prices=prices, shape=shape,
                    mine=first and (claim == asked.claim or (which == BY_RPD and claim.k == widest(asked))),
                )  # fmt: skip


def clusters(quick: bool) -> Iterator[Point]:
    """MiRaCle, which depends on k alone: the price readings, one place of the nation."""
    asked = sizes(quick)
    for prices in PRICES:
        for k in (asked.claim.k, asked.axes["k"][-1]):
            claim = replace(asked.claim, k=k)
            yield _point(
                asked, asked.usual, claim, "miracle", LITERAL, prices=prices, mine=k == asked.claim.k
            )


def widths(quick: bool) -> Iterator[Point]:
    """Figures 11 to 13: ACS, and GCS with g = 1 to 4, against k."""
    asked = sizes(quick)
    for k in (asked.axes["k"][place] for place in WIDTHS):
        claim = replace(asked.claim, k=k)
        for prices in PRICES:
            for which in (BY_RPD, LITERAL):
                for g in (1, 2, 3, 4):
                    yield _point(asked, asked.small, claim, "gcs", which, prices=prices, g=g)
                yield _point(asked, asked.small, claim, "acs", which, prices=prices)


def growth(quick: bool) -> Iterator[Point]:
    """Figures 14 (d) and 17 (d): against the number of records."""
    asked = sizes(quick)
    for n in asked.grown:
        for prices in PRICES:
            for which in OPTIONS:
                yield _point(asked, n, asked.claim, "gcs", which, prices=prices)
        population.cache_clear()


def absent(quick: bool) -> Iterator[Point]:
    """Figure 18: whom absent values find, against their number q and against k."""
    asked = sizes(quick)
    for k in asked.axes["k"][:2][::-1]:
        for prices in PRICES:
            for which in (BY_RPD, LITERAL):
                key: Row = {"prices": prices, "records": asked.usual, "k": k, "options": which}
                yield Point(key, partial(_absent, asked, key))


def _absent(asked: Sizes, key: Row) -> Iterator[Row]:
    claim = replace(asked.claim, k=key["k"])
    trees, nodes = population(asked.usual, str(key["prices"]), SHAPES[0])
    told = {**OPTIONS[str(key["options"])], "patience": asked.patience}
    made = gcs(trees, tpch_trees.hierarchies(), claim, **told)
    took, rows = cpu(
        lambda: list(attacked(made.release, trees, nodes, claim.k, claim.m, claim.n, asked.draws))
    )
    for row in rows:
        yield {**key, **row, "draws": asked.draws, "seconds": took / len(rows)}


EXPERIMENTS = (
    Experiment("trees-widths", widths),
    *(Experiment(f"trees-{prices}", partial(curves, prices)) for prices in PRICES),
    Experiment("trees-growth", growth),
    Experiment("trees-absent", absent),
    Experiment("trees-clusters", clusters),
)
