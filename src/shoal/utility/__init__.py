"""Losses and risk: what a release costs, 0 is untouched, and how exposed the people in it are.

`LOSSES` holds every loss there is. Adding one is its function and one entry here; a loss that methods of the lattice
can minimize is priced in `shoal.algorithms.lattice.cube` as well.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import I4
from shoal.hierarchy import Hierarchies
from shoal.release import Recoded
from shoal.utility.baskets import (
    er,
    estimate_supports,
    item_count_error,
    ncp_items,
    ncp_published,
    qe_absent,
    qe_present,
    ul,
    ul_coat,
)
from shoal.utility.classes import class_ids, class_of_rows
from shoal.utility.loss import (
    BasketCase,
    Case,
    Loss,
    MixedCase,
    TableCase,
    TreeCase,
    VoteCase,
    loss_for_case,
)
from shoal.utility.queries import are, mixed_are
from shoal.utility.table import (
    aecs,
    c_avg,
    ce,
    dm,
    dm_star,
    entropy,
    glm,
    glm_geometric,
    height,
    il,
    il_numeric,
    loss_by_column,
    ncp,
    ncp_by_column,
    precision,
    sse,
)
from shoal.utility.trees import rpd as rpd_released
from shoal.utility.trees import rpd_original, tree_ncp

__all__ = [
    "LOSSES",
    "BasketCase",
    "Case",
    "MixedCase",
    "TableCase",
    "TreeCase",
    "VoteCase",
    "_table_losses",
    "case_headline",
    "case_losses",
    "class_ids",
    "class_of_rows",
    "find_headline",
    "loss_by_column",
    "ncp_by_column",
    "sort_losses",
]


def _table_ncp(case: TableCase) -> float:
    return ncp(case.recoded, case.hierarchies, case.weights)


def _items_ncp(case: BasketCase) -> float:
    return ncp_items(case.recoded, case.baskets, case.sizes, case.domain, exempt=case.exempt)


def _items_ncp_published(case: BasketCase) -> float:
    return ncp_published(case.recoded, case.sizes, case.domain, counted=case.counted)


def _mixed_ncp(case: MixedCase) -> float:
    return (_table_ncp(case.table) + _items_ncp(case.items)) / 2


def _items_ul(case: BasketCase) -> float:
    return ul(
        case.recoded, case.sizes, case.domain, weights=case.weights, counted=case.counted, lost=case.lost
    )


def _items_count_error(case: BasketCase) -> float | None:
    return item_count_error(
        estimate_supports(case.recoded, case.sizes, len(case.baskets.values)), case.baskets
    )


def _mixed_are(case: MixedCase) -> float | None:
    if not case.asked:
        return None
    return mixed_are(case.asked, case.recoded, case.mixed, case.table.hierarchies, case.items.hierarchy)


LOSSES: dict[str, Loss] = {
    "ncp": Loss.of(
        "The share of the detail that is lost, on average: 0 means that all is exact, 1 that nothing is left.",
        loss_for_case(TableCase, _table_ncp, "hierarchies"),
        loss_for_case(BasketCase, _items_ncp, "hierarchies", "originals"),
        loss_for_case(MixedCase, _mixed_ncp, "hierarchies", "item hierarchy", "originals"),
        loss_for_case(
            TreeCase, lambda c: tree_ncp(c.release, c.original, c.nodes), "hierarchies", "originals"
        ),
        headline=True,
    ),
    "er": Loss.of(
        "How many items of a row are wrong, per item of its record: 0 means none, 1 as many as the record has.",
        loss_for_case(VoteCase, lambda c: min(er(c.release, c.baskets), 1.0), "originals"),
        headline=True,
    ),
    "table-ncp": Loss.of(
        "The share of the table's detail that is lost, without its items: 0 is nothing, 1 everything.",
        loss_for_case(MixedCase, lambda c: _table_ncp(c.table), "hierarchies"),
    ),
    "items-ncp": Loss.of(
        "The share of the items' detail that is lost, without the table: 0 is nothing, 1 everything.",
        loss_for_case(MixedCase, lambda c: _items_ncp(c.items), "item hierarchy", "originals"),
    ),
    "glm": Loss.of(
        "How many other values a cell may stand for, as a share of all others: 0 is none, 1 all of them.",
        loss_for_case(TableCase, lambda c: glm(c.recoded, c.hierarchies), "hierarchies"),
    ),
    "glm-geometric": Loss.of(
        "The same share (glm) with a geometric mean over the columns: 0 is nothing lost, 1 everything.",
        loss_for_case(TableCase, lambda c: glm_geometric(c.recoded, c.hierarchies), "hierarchies"),
    ),
    "il": Loss.of(
        "The detail that a record lost, summed over its columns as the spanning tree paper does: 0 is nothing, "
        "the number of columns everything.",
        loss_for_case(TableCase, lambda c: il(c.recoded, c.hierarchies), "hierarchies"),
    ),
    "il-numeric": Loss.of(
        "The same sum (il) with numbers by the width of their range, as that paper has it, also where a hierarchy "
        "names the range: 0 is nothing, the number of columns everything.",
        loss_for_case(TableCase, lambda c: il_numeric(c.recoded, c.hierarchies), "hierarchies"),
    ),
    "entropy": Loss.of(
        "The share of the bits missing to know which value a cell had, frequent ones being easier to "
        "guess: 0 is none, 1 all of them.",
        loss_for_case(
            TableCase,
            lambda c: None if c.leaves is None else entropy(c.recoded, c.hierarchies, c.leaves, c.counts),
            "hierarchies",
            "originals",
        ),
    ),
    "sse": Loss.of(
        "The share of the spread of numbers that means of classes hide (SSE/SST), columns standardized: 0 is none, "
        "1 all of it.",
        loss_for_case(
            TableCase,
            lambda c: None if c.leaves is None else sse(c.recoded, c.hierarchies, c.leaves),
            "hierarchies",
            "originals",
        ),
    ),
    "precision": Loss.of(
        "How far values moved up their hierarchies, on average: 0 is not at all, 1 to the top.",
        loss_for_case(TableCase, lambda c: precision(c.recoded, c.hierarchies), "hierarchies", "levels"),
    ),
    "height": Loss.of(
        "How many levels the columns climbed, summed: 0 is none.",
        loss_for_case(TableCase, lambda c: height(c.recoded), "hierarchies", "levels"),
    ),
    "dm": Loss.of(
        "Discernibility: the sum over all records of how many records look the same, where a suppressed record counts "
        "as the whole table; the number of records is the least.",
        loss_for_case(TableCase, lambda c: dm(c.sizes, c.recoded.records)),
    ),
    "dm-star": Loss.of(
        "Discernibility, with suppressed records counted in the classes that they would have been in; "
        "the number of records is the least.",
        loss_for_case(
            TableCase, lambda c: dm_star(c.recoded, c.hierarchies, c.leaves, c.counts), "all classes"
        ),
    ),
    "aecs": Loss.of(
        "How many records look alike, on average over the classes: 1 means that everybody differs.",
        loss_for_case(TableCase, lambda c: aecs(c.sizes, c.recoded.records)),
    ),
    "c_avg": Loss.of(
        "The average class size as a multiple of k: 1 is as fine as the claim allows.",
        loss_for_case(
            TableCase,
            lambda c: None if c.k is None or not len(c.sizes) else c_avg(c.sizes, c.recoded.records, c.k),
            "k",
        ),
    ),
    "ce": Loss.of(
        "The share of records whose target differs from what most of their class have: 0 is none, 1 all of them.",
        loss_for_case(
            TableCase, lambda c: None if c.target is None else ce(c.recoded, c.classes, c.target), "target"
        ),
    ),
    "ul": Loss.of(
        "How uncertain a record's items became, against all of them merged into one: 1 is merged wholly; what is "
        "untouched is not 0.",
        loss_for_case(BasketCase, _items_ul, "hierarchies", "all items"),
        loss_for_case(MixedCase, lambda c: _items_ul(c.items), "item hierarchy", "all items"),
    ),
    "ul-coat": Loss.of(
        "How uncertain items became, as COAT weighs it: 0 is untouched, and sets far smaller than all items "
        "cost next to nothing.",
        loss_for_case(
            BasketCase,
            lambda c: ul_coat(c.recoded, c.sizes, c.domain, weights=c.weights, counted=c.counted),
            "hierarchies",
            "originals",
        ),
    ),
    "ncp-published": Loss.of(
        "How many items a published item may stand for, as a share of all: 0 means itself alone, 1 any item.",
        loss_for_case(BasketCase, _items_ncp_published, "hierarchies"),
    ),
    "items-ncp-published": Loss.of(
        "How many items a published item may stand for, as a share of all: 0 means itself alone, 1 any item.",
        loss_for_case(MixedCase, lambda c: _items_ncp_published(c.items), "item hierarchy"),
    ),
    "are": Loss.of(
        "How far off counts asked of the release are, as a share of the true count, on average: 0 is exact.",
        loss_for_case(
            BasketCase,
            lambda c: are(c.asked, c.baskets, c.recoded, sizes=c.sizes) if c.asked else None,
            "originals",
        ),
        loss_for_case(MixedCase, _mixed_are, "originals"),
    ),
    "are-items": Loss.of(
        "How far off the counts of single items are, as a share of the true count, on average over all items: 0 is "
        "exact.",
        loss_for_case(BasketCase, _items_count_error, "originals"),
        loss_for_case(MixedCase, lambda c: _items_count_error(c.items), "originals"),
        loss_for_case(
            VoteCase,
            lambda c: item_count_error(
                np.bincount(c.release.items, minlength=len(c.baskets.values)).astype(np.float64), c.baskets
            ),
            "originals",
        ),
    ),
    "qe": Loss.of(
        "How far off counts of records that hold some items are, as a share of all records: 0 is exact.",
        loss_for_case(VoteCase, lambda c: qe_present(c.release, c.baskets), "originals"),
    ),
    "qe-absent": Loss.of(
        "How far off counts of records that lack some items are, as a share of all records: 0 is exact.",
        loss_for_case(VoteCase, lambda c: qe_absent(c.release, c.baskets, c.absent), "originals"),
    ),
    "rpd": Loss.of(
        "The chance to guess a path of a record among all that its fields allow, on average: smaller is "
        "better, and it is never 0.",
        loss_for_case(TreeCase, lambda c: rpd_released(c.release, c.original, c.nodes), "hierarchies"),
    ),
    "rpd-original": Loss.of(
        "The same chance (rpd) for the records as they came in: compare rpd with it, not with 0.",
        loss_for_case(TreeCase, lambda c: rpd_original(c.original, c.nodes), "hierarchies", "originals"),
    ),
    "ml2": Loss.of(
        "The share of the frequent subtrees, at all levels, that are no longer found: 0 is none, 1 all of them.",
        loss_for_case(
            TreeCase, lambda c: None if c.mined is None else c.mined.ml2, "hierarchies", "originals"
        ),
    ),
    "dml2": Loss.of(
        "How far frequent subtrees moved, by levels climbed and relations cut: 0 is not at all, 1 all are gone.",
        loss_for_case(
            TreeCase, lambda c: None if c.mined is None else c.mined.dml2, "hierarchies", "originals"
        ),
    ),
}


def case_losses(case: Case, own: str | None = None) -> dict[str, float]:
    """Every loss that can be computed from what is at hand, by name: the headline loss first, then the method's `own`.

    Of `case.public()` it is what anyone can compute from the release and the declared hierarchies.
    """
    priced: dict[str, float] = {}
    for name, loss in LOSSES.items():
        way = loss.ways.get(case.shape)
        if way is not None and way.needs <= case.has and (value := way.price(case)) is not None:
            priced[name] = value
    for part in case.parts:
        part_losses = case_losses(part).items()
        priced |= {name: value for name, value in part_losses if case.shape not in LOSSES[name].ways}
    return sort_losses(priced, own)


def case_headline(case: Case) -> dict[str, float]:
    """The headline loss alone, by its name: what it costs to know the others is not always small."""
    ways = {name: loss.ways[case.shape] for name, loss in LOSSES.items() if _is_headline(loss, case)}
    priced = {name: way.price(case) for name, way in ways.items()}
    return {name: value for name, value in priced.items() if value is not None}


def _is_headline(loss: Loss, case: Case) -> bool:
    return loss.headline and case.shape in loss.ways and loss.ways[case.shape].needs <= case.has


def sort_losses(found: Mapping[str, float], own: str | None = None) -> dict[str, float]:
    """The headline loss first, then the method's own, then the others as they come.

    >>> list(sort_losses({"glm": 0.1, "ncp": 0.2, "dm": 9.0}, own="dm"))
    ['ncp', 'dm', 'glm']
    """
    headlines = [name for name in found if name in LOSSES and LOSSES[name].headline]
    names = dict.fromkeys([*headlines, *([own] if own in found else []), *found])
    return {name: found[name] for name in names if name is not None}


def find_headline(found: Mapping[str, Any]) -> tuple[str, float] | None:
    """The name and the share of the headline loss; None where it is not among those told.

    >>> find_headline({"dm": 9.0, "ncp": 0.2}), find_headline({"dm": 9.0})
    (('ncp', 0.2), None)
    """
    return next(((name, found[name]) for name in found if name in LOSSES and LOSSES[name].headline), None)


def _table_losses(
    recoded: Recoded,
    hierarchies: Hierarchies,
    *,
    weights: Mapping[str, float] | None = None,
    k: int | None = None,
    target: NDArray[np.integer] | None = None,
    leaves: I4 | None = None,
) -> dict[str, float]:
    """Every loss of a released table that can be computed from what is given, by name; see `TableCase`."""
    return case_losses(TableCase(recoded, hierarchies, weights, k, target, leaves))
