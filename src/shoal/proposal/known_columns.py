"""Columns that only those near a person may know: proposed for audiences who know little, priced for everybody."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.anonymization.compiling import is_compiled
from shoal.base.errors import ShoalError, ShoalWarning
from shoal.data import Table
from shoal.hierarchy import Hierarchies
from shoal.io.read.source import Source
from shoal.privacy import CoreAnonymity, KAnonymity
from shoal.proposal.decisions import list_some, offer_known_role
from shoal.proposal.proposal import Proposal
from shoal.risks.closures import tells_column

__all__ = ["propose_known_columns"]

_AT_ONCE = {"partner": 2, "team": 1}  # known columns of a person that somebody of an audience knows
_TRIED = 20_000  # records that prices are estimated on
_WORK = 300_000  # records times columns of these
_SIZES = {1: (4, 10), 2: (10, 30)}  # times k, the rows of classes that are tried


def propose_known_columns(proposal: Proposal, source: Source | None, names: tuple[str, ...]) -> None:
    """Give some columns of a proposal the role known where its audience knows few and that saves; say what it costs.

    For everybody all are taken for known, whatever that costs: less is only offered. No clock decides: where the
    methods were never used on this machine nothing is estimated.
    """
    if not names or source is None or proposal.shape != "table" or proposal.data.person is not None:
        return
    prices = _estimate_prices(proposal, source, names)
    at_once = _AT_ONCE.get(proposal.audience)
    if at_once is not None and prices and prices[at_once] >= prices[0]:
        at_once = None  # nothing is gained, so nothing less is promised
    if at_once is not None and not _give_role(proposal, source, names, at_once):
        at_once = None
    words = [] if at_once is not None else [offer_known_role(proposal.columns, names)]
    if prices:
        words.append(
            f"estimated on {min(_count_tried(proposal), proposal.records):,} of {proposal.records:,} records, k = "
            f"{proposal.guarantee['k']}: if everybody knows all columns {prices[0]:.0%} of the detail is lost, if "
            f"somebody knows any one of {list_some(names)} {prices[1]:.0%}, and if any two {prices[2]:.0%}"
        )
    if at_once is not None:
        words.append(
            f"known_at_once = {at_once} assumes that nobody knows more than {at_once} of the columns with the role "
            "known of one person; whoever knows more may find fewer than k people"
        )
    proposal.notes = (*proposal.notes, *words)


def _give_role(proposal: Proposal, source: Source, names: tuple[str, ...], at_once: int) -> bool:
    """Propose the role known for columns that do not tell the others; return whether it is proposed."""
    from shoal.shapes.registry import bind_source

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            dataset: Any = bind_source(proposal.config(), _draw(proposal, source))
    except ShoalError:
        return False
    leaves = {column.name: dataset.leaves[:, j] for j, column in enumerate(dataset.table.quasi)}
    core = [name for name in leaves if name not in names]
    fitting = [name for name in names if not any(tells_column(leaves[name], leaves[other]) for other in core)]
    if len(fitting) < 2:
        return False
    for name in fitting:
        proposal.columns[name].role = "known"
    proposal.guarantee["known_at_once"] = at_once
    return True


def _count_tried(proposal: Proposal) -> int:
    quasi = sum(column.role in ("quasi", "known") for column in proposal.columns.values())
    return min(_TRIED, _WORK // max(quasi, 1))


def _draw(proposal: Proposal, source: Source) -> Source:
    """Some records, drawn at random."""
    return source.some(np.random.default_rng(0).permutation(source.frame.height)[: _count_tried(proposal)])


def _estimate_prices(
    proposal: Proposal, source: Source, names: tuple[str, ...]
) -> tuple[float, float, float] | None:
    """The share of the detail that is lost where all columns are known, any one, and any two; None where unknown."""
    if not (is_compiled("core") and is_compiled("mondrian")):
        return None
    from shoal.shapes.registry import bind_source

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # what reading tells is told where the file is read
            dataset: Any = bind_source(proposal.config(), _draw(proposal, source))
            return _price_table(dataset.table, dataset.hierarchies, names, proposal.guarantee["k"])
    except ShoalError:
        return None


def _price_table(
    table: Table, hierarchies: Hierarchies, names: tuple[str, ...], k: int
) -> tuple[float, float, float]:
    from shoal.algorithms.local.core import estimate_loss
    from shoal.algorithms.local.mondrian import mondrian
    from shoal.utility.table import ncp

    weights = {column.name: column.weight for column in table.quasi}
    all_known = ncp(mondrian(table, hierarchies, KAnonymity(k), recode="range").release, hierarchies, weights)
    columns = tuple(
        replace(column, role="known") if column.name in names else column for column in table.columns
    )
    known = replace(table, columns=columns)
    one, two = (
        min(
            estimate_loss(known, hierarchies, CoreAnonymity(k, m), min(k * times, max(table.n // 2, k)))
            for times in _SIZES[m]
        )
        for m in (1, 2)
    )
    return all_known, min(one, all_known), min(two, all_known)
