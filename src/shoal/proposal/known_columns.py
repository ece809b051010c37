"""Columns that only those near a person may know: proposed for audiences who know little, priced for everybody."""

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import replace
from math import isqrt
from typing import Any

import numpy as np

from shoal.algorithms import find_method
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
_COMPARED = (
    1_000_000_000  # records times records times columns: some seconds of a method that compares all with all
)
_PAIRED = 60  # columns, up to which any two of them are estimated
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
    if at_once is not None and prices:
        price = prices[at_once]
        if price is None or price >= prices[0]:
            at_once = None  # nothing is gained, or nobody knows, so nothing less is promised
    if at_once is not None and not _give_role(proposal, source, names, at_once):
        at_once = None
    words = [] if at_once is not None else [offer_known_role(proposal.columns, names)]
    if prices:
        two = (
            "; of so many columns any two are not estimated"
            if prices[2] is None
            else f", and if any two {prices[2]:.0%}"
        )
        words.append(
            f"estimated on {min(_count_tried(proposal), proposal.records):,} of {proposal.records:,} records, k = "
            f"{proposal.guarantee['k']}: if everybody knows all columns {prices[0]:.0%} of the detail is lost, if "
            f"somebody knows any one of {list_some(names)} {prices[1]:.0%}{two}"
        )
    if at_once is not None:
        words.append(
            f"known_at_once = {at_once} assumes that nobody knows more than {at_once} of the columns with the role "
            "known of one person; anyone who knows more may find fewer than k people"
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


_Prices = tuple[float, float, float | None]


def _estimate_prices(proposal: Proposal, source: Source, names: tuple[str, ...]) -> _Prices | None:
    """The share of the detail that is lost where all columns are known, any one, and any two; None where unknown."""
    if not is_compiled("core"):
        return None
    from shoal.shapes.registry import bind_source

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # what reading tells is told where the file is read
            config = proposal.config()
            dataset: Any = bind_source(config, _draw(proposal, source))
            k = proposal.guarantee["k"]
            method = dataset.choose_method({**config.recode, "k": k}, proposal.records)
            if not is_compiled(method):
                return None
            all_known = _price_all_known(dataset, method, config.recode, k)
            one, two = _price_known(dataset.table, dataset.hierarchies, names, k)
    except ShoalError:
        return None
    return all_known, min(one, all_known), None if two is None else min(two, all_known)


def _price_all_known(dataset: Any, method: str, recode: Mapping[str, Any], k: int) -> float:
    """What the method loses that `run` takes by default, on as many records as can be compared with each other."""
    from shoal.utility.table import ncp

    most = isqrt(_COMPARED // max(len(dataset.table.quasi), 1))
    table = dataset.table.some(np.arange(min(dataset.table.n, most)))
    run: Any = find_method(method).load()
    options = {key: value for key, value in recode.items() if key in inspect.signature(run).parameters}
    made = run(table.in_one_spelling(), dataset.hierarchies, KAnonymity(k), **options)
    return float(
        ncp(made.release, dataset.hierarchies, {column.name: column.weight for column in table.quasi})
    )


def _price_known(
    table: Table, hierarchies: Hierarchies, names: tuple[str, ...], k: int
) -> tuple[float, float | None]:
    """What is lost where any one of some columns is known, and any two; None of two where these are too many."""
    from shoal.algorithms.local.core import estimate_losses

    columns = tuple(
        replace(column, role="known") if column.name in names else column for column in table.columns
    )
    claims = [
        (CoreAnonymity(k, m), [min(k * times, max(table.n // 2, k)) for times in sizes])
        for m, sizes in _SIZES.items()
        if m == 1 or len(names) <= _PAIRED
    ]
    one, *two = estimate_losses(replace(table, columns=columns), hierarchies, claims)
    return one, two[0] if two else None
