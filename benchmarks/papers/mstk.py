"""MSTK (Ramana and Kumari): Figure 6, losses against k beside Incognito and Mondrian, with Table 5's hierarchies."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from common import DATA, cpu, need
from shoal.algorithms.lattice.incognito import incognito
from shoal.algorithms.local.mondrian import mondrian
from shoal.algorithms.local.mstk import mstk
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KAnonymity
from shoal.utility import _table_losses

from .claims import Claim, Verdict, both
from .drawing import Figure, Panel, line
from .drawn import census
from .results import Experiment, Results, Row, column, some

KS = range(3, 22, 3)
LOSSES = ("il", "il-numeric", "dm", "c_avg", "ncp")
GROUPS: dict[str, Mapping[str, Any]] = {
    "workclass": {
        "Government": {"Federal": ["Federal-gov"], "State or local": ["Local-gov", "State-gov"]},
        "Own or private": {"Private": ["Private"], "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"]},
        "Unpaid": {"Without pay": ["Without-pay"]},
    },
    "sex": {"Male": [], "Female": []},
    "education": {
        "School": {
            "Primary": {"Early": ["Preschool", "1st-4th"], "Middle": ["5th-6th", "7th-8th"]},
            "Secondary": {"Left": ["9th", "10th", "11th", "12th"], "Graduated": ["HS-grad"]},
        },
        "After school": {
            "Some": {"College": ["Some-college"], "Associate": ["Assoc-acdm", "Assoc-voc"]},
            "Degree": {"Bachelor": ["Bachelors"], "Graduate": ["Masters", "Doctorate", "Prof-school"]},
        },
    },
    "race": {
        "White": ["White"],
        "Other than white": ["Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
    },
    "occupation": {
        "Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
        "Commercial": ["Sales", "Exec-managerial", "Adm-clerical"],
        "Service": ["Other-service", "Priv-house-serv", "Protective-serv", "Armed-Forces"],
        "Manual": ["Handlers-cleaners", "Farming-fishing", "Transport-moving"],
    },
}  # the paper names heights alone, so the groups are ours
NAMES = ("age", "workclass", "sex", "education", "race", "occupation")
"""Heights as Table 5 has them: 4, 3, 1, 4, 2, 2."""


def hierarchies() -> Hierarchies:
    """Of the ages 17 to 90, and of the groups above."""
    found = {
        "age": Hierarchy.from_paths(
            "age", [[str(age), *map(str, _ranges(age)), "*"] for age in range(17, 91)]
        )
    }
    for name, groups in GROUPS.items():
        found[name] = Hierarchy.from_paths(name, [[*path, "*"] for path in _paths(groups)])
    return {name: found[name] for name in NAMES}


def _ranges(age: int) -> Iterator[str]:
    for width in (5, 10, 20):
        yield f"[{age // width * width}, {age // width * width + width})"


def _paths(groups: Mapping[str, Any] | list[str]) -> Iterator[list[str]]:
    if isinstance(groups, list):
        yield from ([value] for value in groups)
        return
    for name, below in groups.items():
        yield from ([*path, name] for path in _paths(below)) if below else iter([[name]])


def data(quick: bool) -> tuple[Table, Hierarchies]:
    """Adult's six columns of Table 5, or people drawn on the same leaves."""
    trees = hierarchies()
    if quick:
        return census(600, trees), trees
    need(DATA / "adult")
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False)
    return Table(tuple(Column.of(name, "quasi", frame[name].to_list()) for name in NAMES)), trees


PAPER: dict[str, Any] = {"rule": "paper", "resplit": False}
MAKERS = {
    "mstk, the paper's rule": lambda table, trees, claim: mstk(table, trees, claim, **PAPER),
    "mstk": mstk,
    "mondrian": mondrian,
    "incognito": incognito,
}


def against_k(quick: bool) -> Iterator[Row]:
    """Figure 6: k = 3 to 21."""
    table, trees = data(quick)
    for k in KS[:: 3 if quick else 1]:
        for name, maker in MAKERS.items():
            seconds, result = cpu(lambda maker=maker, k=k: maker(table, trees, KAnonymity(k)))
            lost = _table_losses(result.release, trees, k=k)
            yield {
                "maker": name,
                "records": table.n,
                "k": k,
                **{loss: lost[loss] for loss in LOSSES},
                "seconds": seconds,
            }


def _below(results: Results, *losses: str, most: float | None = None) -> Verdict:
    """What both rules lose, whether that is below Incognito's at every k, and never above `most`."""
    rows = results["mstk-k"]
    told, kept = [], []
    for maker, loss in zip(("mstk, the paper's rule", "mstk"), losses, strict=True):
        theirs = column(some(rows, maker="incognito"), loss)
        ours = column(some(rows, maker=maker), loss)
        told.append(f"{min(ours):.4g} to {max(ours):.4g}, Incognito {min(theirs):.4g} to {max(theirs):.4g}")
        below = all(a < b for a, b in zip(ours, theirs, strict=True))
        kept.append(below and (most is None or max(ours) <= most))
    return both(told, kept)


def m1(results: Results) -> Verdict:
    """Holds if the information loss is below Incognito's for every k; with the paper's options, ages by Equation 6."""
    return _below(results, "il-numeric", "il")


def m2(results: Results) -> Verdict:
    """Holds if discernibility is below Incognito's for every k."""
    return _below(results, "dm", "dm")


def m3(results: Results) -> Verdict:
    """Holds if C_avg is below Incognito's for every k, and at most 2 for every k."""
    return _below(results, "c_avg", "c_avg", most=2)


EXPERIMENTS = (Experiment("mstk-k", against_k),)
CLAIMS = (
    Claim("M1", "information loss is below Incognito's, k = 3 to 21", "Fig. 6a", ("mstk-k",), m1),
    Claim("M2", "discernibility is below Incognito's", "Fig. 6b", ("mstk-k",), m2),
    Claim("M3", "C_avg is below Incognito's, and low at every k", "Fig. 6c", ("mstk-k",), m3),
)  # fmt: skip


def figures(results: Results) -> Iterator[Figure]:
    """Figure 6, and NCP beside it."""
    if rows := results.get("mstk-k"):
        yield Figure("mstk-k", "MSTK, Figure 6", tuple(
            Panel(loss, "k", loss, tuple(line(maker, some(rows, maker=maker), "k", loss) for maker in MAKERS), "y")
            for loss in LOSSES
        ))  # fmt: skip
