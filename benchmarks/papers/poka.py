"""POkA (Dewri and others, CIKM 2009): which optimal nodes its search finds, and how many nodes it looks at."""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil

import numpy as np

from common import DATA, adult, cpu, need
from shoal.algorithms.knobs import suppression_limit
from shoal.algorithms.lattice.cube import Cube, labels_of, prices_of
from shoal.algorithms.lattice.evaluation import Evaluator
from shoal.algorithms.lattice.optimal import _evaluate_every_node, pareto
from shoal.algorithms.lattice.poka import _PokaSearch, poka
from shoal.base.progress import no_progress
from shoal.data import Table
from shoal.hierarchy import Hierarchies, Hierarchy

from .claims import PAPER, SHOAL, Claim, Reading, Verdict, both
from .drawing import Figure, Panel, line
from .drawn import census, evenly
from .results import Experiment, Results, Row, Rows, column, one, some, values

HEIGHTS = {"age": 6, "workclass": 3, "education": 3, "marital-status": 3, "race": 1, "sex": 1, "native-country": 4,
           "salary-class": 1}  # fmt: skip
LABEL = "salary-class"
GRADUATES = ("Masters", "Doctorate")
GROUPS = ("graduates with higher education", "graduates apart")
"""Hierarchies are not printed, only their heights: two that fit for education."""

LOSSES = {"glm": "glm", "dcn": "dm", "ce": "ce"}
SUPPRESS = 0.01
DEPTHS = range(1, 7)


def data(quick: bool) -> tuple[Table, Hierarchies]:
    """Adult with hierarchies of the heights of Table 2; drawn ones are lower."""
    if quick:
        small = {"age": (16, 4), "race": (4, 1), "sex": (2, 1), "native-country": (8, 3), LABEL: (2, 1)}
        trees = {name: evenly(name, *shape) for name, shape in small.items()}
        return census(1_000, trees), trees
    need(DATA / "adult")
    read = adult(list(HEIGHTS), DATA / "adult" / "poka")
    return read.table, read.hierarchies


def grouped(trees: Hierarchies, groups: str) -> Hierarchies:
    """The hierarchies with one of two groupings of education."""
    if groups == GROUPS[0] or "education" not in trees:
        return trees
    known = trees["education"]
    rows = [[leaf, *(known.labels[level][known.up[at, level]] for level in range(1, 4))]
            for at, leaf in enumerate(known.leaves)]  # fmt: skip
    apart = [[row[0], row[1], "Graduate education", row[3]] if row[0] in GRADUATES else row for row in rows]
    return {**trees, "education": Hierarchy.from_paths("education", apart)}


def part(table: Table, names: list[str], label: str | None = None) -> Table:
    """Only these columns, and the label that is to be predicted."""
    found = [column for column in table.columns if column.name in names]
    if label is not None:
        (told,) = (column for column in table.columns if column.name == label)
        found.append(type(told)(told.name, "sensitive", told.values, told.codes))
    return Table(tuple(found))


def truth(table: Table, trees: Hierarchies, loss: str, target: str | None) -> dict[int, float]:
    """The exact front, one k a node: for each k its loss; k = 1 is what nobody seeks."""
    front = pareto(table, trees, suppress=SUPPRESS, loss=loss, target=target, per_node=True)
    return {point.k: round(point.loss, 9) for point in front.points if point.k > 1}


def searched(
    table: Table, trees: Hierarchies, *, d: int | None = None, loss: str = "glm", target=None, **more
) -> Row:
    """POkA once, beside the exact front."""
    true = truth(table, trees, loss, target)
    seconds, found = cpu(lambda: poka(table, trees, d=d, suppress=SUPPRESS, loss=loss, target=target, **more))
    hit = sum(true.get(point.k) == round(point.loss, 9) for point in found.points)
    return {
        "maker": "poka", "records": table.n, "columns": len(found.names), "lattice": found.lattice,
        "found": len(found.points), "hit": hit, "true": len(true), "evaluated": found.evaluated,
        "share": found.evaluated / found.lattice, "seconds": seconds,
    }  # fmt: skip


def exact(table: Table, trees: Hierarchies, loss: str = "glm", target: str | None = None) -> Row:
    """`pareto` once: shoal's own answer to the question."""
    seconds, front = cpu(
        lambda: pareto(table, trees, suppress=SUPPRESS, loss=loss, target=target, per_node=True)
    )
    many = sum(point.k > 1 for point in front.points)
    return {
        "maker": "pareto", "records": table.n, "columns": len(front.names), "lattice": front.lattice, "found": many,
        "hit": many, "true": many, "evaluated": front.evaluated, "share": front.evaluated / front.lattice,
        "seconds": seconds,
    }  # fmt: skip


def depths(quick: bool) -> Iterator[Row]:
    """Table 3 and Figure 5: d = 1 to 6, by GLM."""
    table, trees = data(quick)
    for groups in GROUPS:
        own = grouped(trees, groups)
        for d in DEPTHS:
            yield {"groups": groups, "d": d, **searched(table, own, d=d)}
        yield {"groups": groups, "d": 0, **exact(table, own)}


def columns(quick: bool) -> Iterator[Row]:
    """Figure 6: 2 to 8 columns, d as recommended, by each loss that needs no label."""
    table, trees = data(quick)
    names = list(trees)
    for said in ("glm", "dcn"):
        for many in range(2, len(names) + 1):
            few = part(table, names[:many])
            own = {name: trees[name] for name in names[:many]}
            for maker in (searched, exact):
                yield {"loss": said, **maker(few, own, loss=LOSSES[said])}


def losses(quick: bool) -> Iterator[Row]:
    """Figure 4 and section 6.3: GLM, DCN and CE, which predicts the salary class by the other columns."""
    table, trees = data(quick)
    for groups in GROUPS:
        for said, loss in LOSSES.items():
            target = LABEL if said == "ce" else None
            used = part(table, [name for name in trees if name != LABEL], LABEL) if target else table
            own = {name: tree for name, tree in grouped(trees, groups).items() if name != target}
            told = {"groups": groups, "loss": said}
            yield {**told, "options": "paper", **searched(used, own, loss=loss, target=target)}
            yield {**told, "options": "onward", **searched(used, own, loss=loss, target=target, onward=True)}
            yield {**told, "options": "shoal", **exact(used, own, loss, target)}


def bases(quick: bool) -> Iterator[Row]:
    """Section 6.1: what is found after a base that is not optimal, met on the way or started from."""
    table, trees = data(quick)
    cube = Cube.of("bench", table, trees, labels_of(table, "glm", None))
    allowed = suppression_limit("bench", SUPPRESS, cube.n)
    depth = ceil(sum(cube.lattice.heights) / len(cube.lattice.heights))
    for said in ("glm", "dcn"):
        prices = prices_of(LOSSES[said], cube, table)
        true = {
            p.k: round(p.loss, 9)
            for p in _evaluate_every_node(cube, prices, allowed, per_node=True)
            if p.k > 1
        }
        evaluate = Evaluator(cube, prices, allowed, per_node=True)
        for d in (1, 2, depth):
            seconds, points = cpu(
                lambda d=d, evaluate=evaluate: _PokaSearch(cube.lattice, evaluate, d, onward=False).run(
                    no_progress
                )
            )
            good = [true.get(point.k) == round(point.loss, 9) for point in points]
            reached = {point.k for point, fine in zip(points, good, strict=True) if fine}
            after = [here for here, before in pairwise(good) if not before]  # the next base has a smaller k
            yield {
                "start": "top", "loss": said, "d": d, "records": table.n, "bad": len(after), "fine after": sum(after),
                "hit": sum(good), "true": len(true), "seconds": seconds,
            }  # fmt: skip
        for levels in _started(cube.lattice.heights, 6):
            search = _PokaSearch(cube.lattice, evaluate, depth, onward=False)
            search.base = start = search.point(levels)
            if true.get(start.k) == round(start.loss, 9) or start.k <= 2:
                continue
            seconds, points = cpu(lambda search=search: search.run(no_progress))
            below = {k: loss for k, loss in true.items() if k < start.k and loss < start.loss}
            hit = sum(below.get(point.k) == round(point.loss, 9) for point in points)
            yield {
                "start": "a bad node", "loss": said, "d": depth, "records": table.n, "hit": hit, "true": len(below),
                "from the top": len(reached & below.keys()), "seconds": seconds,
            }  # fmt: skip


def _started(heights: tuple[int, ...], many: int) -> Iterator[tuple[int, ...]]:
    """Nodes one to six levels below the top, drawn with a fixed seed."""
    random = np.random.default_rng(6)
    for _ in range(many):
        levels = list(heights)
        for j in random.choice(len(heights), min(3, len(heights)), replace=False):
            levels[j] = max(levels[j] - int(random.integers(1, 3)), 0)
        yield tuple(levels)


def _told(row: Row) -> str:
    return f"{row['hit']} of {row['true']} with {row['share']:.1%}"


def _ours(results: Results, holds: bool) -> Reading:
    row = some(results["poka-depth"], d=0)[0]
    return Reading(SHOAL, f"`pareto`: {_told(row)}", holds)


def p1(results: Results) -> Verdict:
    """Holds if d = 3 finds every optimal node and evaluates at most 27% (1.2 times the paper's share)."""
    rows = some(results["poka-depth"], d=3)
    theirs = (Reading(str(row["groups"]), _told(row), _all(row, 0.27)) for row in rows)
    return (*theirs, _ours(results, _all(some(results["poka-depth"], d=0)[0], 0.27)))


def _all(row: Row, most: float) -> bool:
    return row["hit"] == row["true"] and row["share"] <= most


def p2(results: Results) -> Verdict:
    """Holds if the shares found by d = 1 and by d = 2 are within 10 points of the paper's."""
    readings = []
    for groups in values(results["poka-depth"], "groups"):
        rows = some(results["poka-depth"], groups=groups)
        found = [one(rows, "hit", d=d) / one(rows, "true", d=d) for d in (1, 2)]
        near = all(abs(share - theirs) <= 0.1 for share, theirs in zip(found, (0.488, 0.911), strict=True))
        readings.append(Reading(groups, ", ".join(f"{share:.1%}" for share in found), near))
    return (*readings, _ours(results, holds=False))


def p3(results: Results) -> Verdict:
    """Holds if the share falls, or stays, with each column."""
    ways = {"by GLM": ("poka", "glm"), "by DCN": ("poka", "dcn"), f"{SHOAL}, by GLM": ("pareto", "glm")}
    shares = {name: column(some(results["poka-columns"], maker=maker, loss=loss), "share")
              for name, (maker, loss) in ways.items()}  # fmt: skip
    return tuple(Reading(name, _path(way), _falls(way)) for name, way in shares.items())


def _path(shares: list[float]) -> str:
    return " ".join(f"{share:.1%}" for share in shares)


def _falls(shares: list[float]) -> bool:
    return all(after <= before for before, after in pairwise(shares))


def p4(results: Results) -> Verdict:
    """Holds if the mean share is 10 to 30% and each search finds at least half of the optimal nodes."""
    found = []
    for groups in values(results["poka-losses"], "groups"):
        for options, said in (("paper", ""), ("onward", ", `onward`")):
            rows = some(results["poka-losses"], options=options, groups=groups)
            found.append(Reading(groups + said, _mean(rows), _about(rows)))
    ours = some(results["poka-losses"], options="shoal", groups=GROUPS[0])
    return (*found, Reading(SHOAL, f"`pareto`: {_mean(ours)}", _about(ours)))


def _mean(rows: Rows) -> str:
    said = "; ".join(f"{row['loss']} {_told(row)}" for row in rows)
    return f"{np.mean(column(rows, 'share')):.1%} on average ({said})"


def _about(rows: Rows) -> bool:
    half = all(2 * row["hit"] >= row["true"] for row in rows)
    return half and bool(0.1 <= np.mean(column(rows, "share")) <= 0.3)


def p5(results: Results) -> Verdict:
    """Holds if from bad nodes the search finds as many of the nodes below them as from the top, less 5% at most."""
    rows = some(results["poka-base"], start="a bad node")
    runs = some(results["poka-base"], start="top")
    found = [sum(column(rows, name)) / sum(column(rows, "true")) for name in ("hit", "from the top")]
    bad, fine = (int(sum(column(runs, name))) for name in ("bad", "fine after"))
    said = f"of the optimal nodes below {len(rows)} bad nodes {found[0]:.1%} are found, from the top {found[1]:.1%}"
    after = f"on the way from the top, {fine} of {bad} bad nodes are followed by an optimal one"
    by_loss = [[sum(column(some(rows, loss=loss), name)) for name in ("hit", "from the top")] for loss in LOSSES
               if some(rows, loss=loss)]  # fmt: skip
    fine_by = [hit >= 0.95 * top for hit, top in by_loss]
    names = [f"by {loss.upper()}" for loss in LOSSES if some(rows, loss=loss)]
    told = [f"{hit:.0f} of the {top:.0f} that are found from the top" for hit, top in by_loss]
    return both([f"{said}; {after}", *told], [found[0] >= 0.95 * found[1], *fine_by], [PAPER, *names])


EXPERIMENTS = (
    Experiment("poka-depth", depths),
    Experiment("poka-columns", columns),
    Experiment("poka-losses", losses),
    Experiment("poka-base", bases),
)
CLAIMS = (
    Claim("P1", "d = 3 finds all Pareto-optimal nodes and looks at a fifth of the lattice", "45 of 45, 22.5%",
          ("poka-depth",), p1, missing="the paper prints no hierarchy, and what is found turns on them"),
    Claim("P2", "d = 1 and d = 2 find part of the optimal nodes", "48.8%, 91.1%", ("poka-depth",), p2,
          missing="the paper prints no hierarchy, and the shares turn on them"),
    Claim("P3", "the share of nodes evaluated falls as the lattice grows", "falls, 2 to 8 columns",
          ("poka-columns",), p3),
    Claim("P4", "about a fifth of the nodes is evaluated, by GLM, DCN and CE", "about 20%", ("poka-losses",), p4,
          missing="by CE what is found turns on the hierarchy of education, which is not printed"),
    Claim("P5", "a base that is not optimal does not hurt later ones", "no effect", ("poka-base",), p5),
)  # fmt: skip


def figures(results: Results) -> Iterator[Figure]:
    """Figures 5 and 6."""
    if rows := results.get("poka-depth"):
        tried = some(rows, maker="poka", groups=GROUPS[0])
        yield Figure("poka-depth", "POkA, Table 3: depth d", (
            Panel("nodes evaluated", "d", "share", (line("poka", tried, "d", "share"),)),
            Panel("optimal nodes found", "d", "nodes", (
                line("found", tried, "d", "hit"), line("all", tried, "d", "true"))),
        ))  # fmt: skip
    if rows := results.get("poka-columns"):
        yield Figure("poka-columns", "POkA, Figure 6: nodes evaluated", (
            Panel("", "columns", "share", tuple(
                line(f"{maker}, {loss}", some(rows, maker=maker, loss=loss), "columns", "share")
                for maker in ("poka", "pareto") for loss in ("glm", "dcn"))),
        ))  # fmt: skip
