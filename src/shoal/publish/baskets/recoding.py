"""A stored recoding of baskets, applied to others."""

from collections.abc import Mapping
from typing import Any

from shoal.data import Baskets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.release import Claim, RecodedBaskets

__all__ = ["recode"]


def recode(
    recoding: Mapping[str, Any], baskets: Baskets, hierarchy: Hierarchy, claim: Claim
) -> RecodedBaskets:
    """Publish baskets under a stored cut or stored sets; under l^m-diversity sensitive items stay as they are."""
    from shoal.algorithms.itemsets.item_cuts import (
        apply_cut,  # kernels are heavy, and only this job needs them
    )
    from shoal.algorithms.itemsets.item_unions import apply_groups

    exempt = claim.exempts
    cut, groups, gone = recoding.get("cut"), recoding.get("sets"), recoding.get("suppress", [])
    if isinstance(cut, dict) and all(isinstance(label, str | None) for label in cut.values()):
        return apply_cut(baskets, hierarchy, cut, exempt=exempt)
    if isinstance(groups, list) and all(_texts(group) for group in groups) and _texts(gone):
        return apply_groups(baskets, groups, gone, exempt=exempt)
    raise InputError(
        "recoding: it holds neither a cut nor sets of items, so it cannot be applied to other baskets"
    )


def _texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(item, str) for item in found)
