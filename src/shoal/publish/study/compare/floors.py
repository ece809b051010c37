"""What no local recoding of a table can lose less than, at the point that a comparison is about."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.algorithms import METHODS
from shoal.publish.protocols import Dataset

__all__ = ["floor_at"]


def floor_at(
    dataset: Dataset, makers: Sequence[str], options: Mapping[str, Any], at: Mapping[str, Any]
) -> float | None:
    """The floor of the loss `ncp`; None where no maker recodes locally, or one writes more than nodes."""
    k = {**options, **at}.get("k")
    local = any(METHODS[name].kind == "local" for name in makers)
    if not local or not isinstance(k, int) or k < 2 or options.get("recode", "hierarchy") != "hierarchy":
        return None
    from shoal.algorithms.local.loss_floor import loss_floor  # kernels are heavy

    return loss_floor(dataset.inputs["table"], dataset.inputs["hierarchies"], k)
