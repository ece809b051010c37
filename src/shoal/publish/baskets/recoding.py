"""A stored recoding of baskets, applied to others."""

from collections.abc import Mapping
from typing import Any

from shoal.data import Sets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.release import Claim, RecodedSets

__all__ = ["recode"]


def recode(recoding: Mapping[str, Any], sets: Sets, tree: Hierarchy, claim: Claim) -> RecodedSets:
    """Publish baskets under a stored cut; under l^m-diversity sensitive items stay as they are."""
    from shoal.algorithms.sets.cuts import apply_cut  # kernels are heavy, and only this job needs them

    cut = recoding.get("cut")
    if not isinstance(cut, dict) or not all(isinstance(label, str | None) for label in cut.values()):
        raise InputError(
            "recoding: it holds no cut of the item hierarchy, so it does not carry over to other baskets"
        )
    return apply_cut(sets, tree, cut, exempt="l" in claim.as_dict())
