"""Record trees (Gkountouna and Terrovitis, TKDE 2015): Figures 11 to 18 on TPC-H customers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import tpch_trees
from common import cpu
from shoal.algorithms.trees.gcs import acs, gcs, ocs
from shoal.algorithms.trees.miracle import miracle
from shoal.data import Trees
from shoal.errors import InfeasibleError
from shoal.hierarchy.nodes import Nodes
from shoal.privacy import KMNAnonymity
from shoal.utility.subtree_mining import mining_loss
from shoal.utility.trees import rpd

from . import drawn
from .negative import attacked
from .results import Experiment, Row

PAPER: dict[str, Any] = {"cost": "rpd-a"}
STRUCTURE: dict[str, Any] = {
    "scope": "pair",
    "put_back": False,
}  # what the paper does to relations, for methods that do it
SEARCHES = {"gcs": gcs, "ocs": ocs, "acs": acs}
SHAPES = ("orders under the root", "orders under the nation")


@dataclass(frozen=True)
class Sizes:
    """How many records each experiment takes, and how long a search may go on.

    small : for ACS, which looks at every cut
    usual : for the curves
    large : for growth, by shoal's defaults; those up to `most` also by the paper's options
    mined : for frequent subtrees; support is the share of records that makes a subtree frequent
    """

    claim: KMNAnonymity
    small: tuple[int, ...]
    usual: int
    large: tuple[int, ...]
    most: int
    mined: int
    axes: dict[str, tuple[int, ...]]
    seconds: float | None
    support: float


FULL = Sizes(
    KMNAnonymity(20, 3, 2), (2_000, 5_000, 20_000), 10_000,
    (12_500, 25_000, 50_000, 100_000, 250_000, 1_000_000), 100_000, 20_000,
    {"k": (5, 20, 50, 100, 300), "m": (2, 3, 4, 5, 6), "n": (0, 1, 2, 3)}, 20, 0.01,
)  # fmt: skip
QUICK = Sizes(
    KMNAnonymity(5, 3, 2), (200,), 200, (200, 400), 400, 200,
    {"k": (3, 5, 10, 20), "m": (2, 3, 4, 5, 6), "n": (0, 1, 2, 3)}, 0.3, 0.2,
)  # fmt: skip


def sizes(quick: bool) -> Sizes:
    """What is asked; quick ones are drawn first."""
    if quick:
        _drawn()
    elif "shoal-tpch" not in str(tpch_trees.STORE):
        tpch_trees.STORE = _GENERATED
        population.cache_clear()
    return QUICK if quick else FULL


_GENERATED = tpch_trees.STORE


def _drawn() -> None:
    if tpch_trees.STORE == _GENERATED:
        population.cache_clear()
        drawn.customers(1_000)


@cache
def population(n: int, shape: str) -> tuple[Trees, Nodes]:
    """The first customers; with orders under the root, beside the nation, or under the nation."""
    trees = tpch_trees.trees(n)
    if shape != SHAPES[0]:
        nation = np.array([trees.classes[kind] == "nation" for kind in trees.kinds])[trees.items]
        parents = np.where((trees.parents < 0) & ~nation, 0, trees.parents).astype(np.int32)
        pairs = [(trees.classes[kind], value) for kind, value in zip(trees.kinds, trees.values, strict=True)]
        trees = Trees.build(pairs, trees.start, trees.items, parents)
    return trees, Nodes.of("bench", trees, tpch_trees.hierarchies())


def options(maker: str, which: str) -> dict[str, Any]:
    """What a method is given: the paper's price and structure, searched to the end, or RPD of the records alone."""
    if maker == "miracle":
        return {}
    if which == "shoal":
        return {"cost": "rpd"}
    return {**PAPER, "patience": None, **({} if maker == "ocs" else STRUCTURE)}


def measured(
    n: int, claim: KMNAnonymity, maker: str, which: str, asked: Sizes, *, shape: str = SHAPES[0], mine: bool = False,
    **given: Any,
) -> Row:  # fmt: skip
    """One release, judged: its losses and its time."""
    trees, nodes = population(n, shape)
    row: Row = {
        "shape": shape, "records": n, "k": claim.k, "m": claim.m, "n": claim.n, "maker": maker, "options": which,
        **given,
    }  # fmt: skip
    told = {**options(maker, which), **given}
    if maker in SEARCHES:
        told["seconds"] = asked.seconds
    act = SEARCHES.get(maker, miracle)
    try:
        took, result = cpu(lambda: act(trees, tpch_trees.hierarchies(), claim, **told))
    except InfeasibleError:
        return {**row, "rpd": 1.0, "seconds": 0.0, "stopped": "infeasible"}
    verdict = result.claim.check(result.release.trees)
    assert verdict, verdict.sentence
    row |= {"rpd": rpd(result.release, trees, nodes), "seconds": took}
    trace = result.trace
    if maker != "miracle":
        given_up = trace["detached"] + trace["disassociated"]
        row |= {"cuts": trace["cuts"], "stopped": trace["stopped"], "given up": given_up}
    if mine:
        mined = mining_loss(result.release, trees, nodes, support=asked.support)
        row |= {
            "ml2": mined.ml2,
            "dml2": mined.dml2,
            "subtrees": sum(mined.subtrees),
            "kept": sum(mined.preserved),
        }
    return row


def widths(quick: bool) -> Iterator[Row]:
    """Figures 11 to 13: ACS, and GCS with g = 1 to 4, against size and k."""
    asked = sizes(quick)
    settings = [(n, asked.claim) for n in asked.small]
    middle = asked.small[len(asked.small) // 2]
    settings += [(middle, replace(asked.claim, k=k)) for k in (asked.axes["k"][0], asked.axes["k"][-2])]
    for n, claim in settings:
        for which in ("paper", "shoal"):
            yield measured(n, claim, "acs", which, asked)
            for g in (1, 2, 3, 4):
                yield measured(n, claim, "gcs", which, asked, g=g)


def curve(axis: str, quick: bool) -> Iterator[Row]:
    """Figures 14 to 17 (a) to (c): k, m or n; both shapes of trees, one mined; MiRaCle depends on k alone."""
    asked = sizes(quick)
    for shape in SHAPES:
        for value in asked.axes[axis]:
            claim = replace(asked.claim, **{axis: value})
            for maker in ("gcs", "ocs"):
                for which in ("paper", "shoal"):
                    yield {
                        "axis": axis, "at": value,
                        **measured(asked.usual, claim, maker, which, asked, shape=shape, mine=shape == SHAPES[0]),
                    }  # fmt: skip
    for k in asked.axes["k"] if axis == "k" else ():
        claim = replace(asked.claim, k=k)
        yield {"axis": axis, "at": k, **measured(asked.usual, claim, "miracle", "paper", asked, mine=True)}


def against_k(quick: bool) -> Iterator[Row]:
    """Against k."""
    return curve("k", quick)


def against_m(quick: bool) -> Iterator[Row]:
    """Against m."""
    return curve("m", quick)


def against_n(quick: bool) -> Iterator[Row]:
    """Against n."""
    return curve("n", quick)


def against_size(quick: bool) -> Iterator[Row]:
    """Figures 14 (d) and 17 (d): against the number of records; no clock stops these searches."""
    asked = replace(sizes(quick), seconds=None)
    for n in asked.large:
        for maker in ("gcs", "ocs"):
            for which in ("paper", "shoal") if n <= asked.most else ("shoal",):
                if maker == "gcs" or n < asked.most:
                    yield measured(n, asked.claim, maker, which, asked)


def subtrees(quick: bool) -> Iterator[Row]:
    """The text to Figure 15: frequent subtrees of the largest data that both are mined at; MiRaCle on fewer."""
    asked = sizes(quick)
    for shape in SHAPES:
        for maker in ("gcs", "ocs"):
            for which in ("paper", "shoal"):
                yield measured(asked.mined, asked.claim, maker, which, asked, shape=shape, mine=True)


def negative(quick: bool) -> Iterator[Row]:
    """Figure 18: whom absent values find, against their number q and against k."""
    asked = sizes(quick)
    n, draws = (asked.usual, 100) if quick else (20_000, 5_000)
    trees, nodes = population(n, SHAPES[0])
    for which in ("paper", "shoal"):
        for k in (asked.claim.k, asked.axes["k"][0]):
            claim = replace(asked.claim, k=k)
            made = gcs(trees, tpch_trees.hierarchies(), claim, **options("gcs", which))
            seconds, rows = cpu(
                lambda made=made, claim=claim: list(
                    attacked(made.release, trees, nodes, claim.k, claim.m, claim.n, draws)
                )
            )
            for row in rows:
                yield {
                    "records": n, "k": k, "options": which, **row, "draws": draws, "seconds": seconds / len(rows),
                }  # fmt: skip


EXPERIMENTS = (
    Experiment("trees-g", widths),
    Experiment("trees-k", against_k),
    Experiment("trees-m", against_m),
    Experiment("trees-n", against_n),
    Experiment("trees-size", against_size),
    Experiment("trees-subtrees", subtrees),
    Experiment("trees-negative", negative),
)
