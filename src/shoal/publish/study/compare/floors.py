"""What no release of a kind can lose less than, at the point that a comparison is about."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoal.algorithms import METHODS
from shoal.data import Baskets
from shoal.publish.making import claim_asked
from shoal.publish.protocols import Dataset

__all__ = ["floor_at"]

_ONE_CUT = {"apriori", "vpa"}
"""Makers that publish items by one cut for all records."""


def floor_at(
    dataset: Dataset, makers: Sequence[str], options: Mapping[str, Any], at: Mapping[str, Any]
) -> float | None:
    """The floor of the loss `ncp`; None where none of the makers is of a kind that one is known for."""
    asked = {**options, **at}
    k = asked.get("k")
    if not isinstance(k, int) or k < 2 or dataset.shape not in _FLOORS:
        return None
    return _FLOORS[dataset.shape](dataset, makers, asked)


def _of_table(dataset: Dataset, makers: Sequence[str], asked: Mapping[str, Any]) -> float | None:
    """Of local recodings; none where one of them writes more than nodes."""
    local = any(METHODS[name].kind == "local" for name in makers)
    if not local or asked.get("recode", "hierarchy") != "hierarchy":
        return None
    from shoal.algorithms.local.loss_floor import loss_floor  # kernels are heavy

    return loss_floor(dataset.inputs["table"], dataset.inputs["hierarchies"], asked["k"])


def _of_baskets(dataset: Dataset, makers: Sequence[str], asked: Mapping[str, Any]) -> float | None:
    """Of one cut for all records."""
    baskets = dataset.inputs["baskets"]
    if not _ONE_CUT & {*makers} or not isinstance(baskets, Baskets):
        return None
    from shoal.algorithms.itemsets.cut_floor import cut_floor  # kernels are heavy

    claim, suppress = claim_asked(dataset, None, asked), asked.get("suppress", 0.0)
    return cut_floor(baskets, dataset.inputs["hierarchy"], claim, suppress=suppress)


def _of_mixed(dataset: Dataset, makers: Sequence[str], asked: Mapping[str, Any]) -> float | None:
    """Of recodings along hierarchies; none where cells or items are written as more than nodes."""
    mixed, hierarchies, tree = (dataset.inputs[name] for name in ("mixed", "hierarchies", "item_hierarchy"))
    way = asked.get("items") or ("pcta" if tree is None else "apriori")
    if tree is None or way != "apriori" or asked.get("recode", "hierarchy") != "hierarchy":
        return None
    from shoal.algorithms.mixed.mixed_floor import mixed_floor  # kernels are heavy

    return mixed_floor(mixed, hierarchies, tree, claim_asked(dataset, None, asked)).ncp


_FLOORS: dict[str, Callable[[Dataset, Sequence[str], Mapping[str, Any]], float | None]] = {
    "table": _of_table,
    "baskets": _of_baskets,
    "mixed": _of_mixed,
}
