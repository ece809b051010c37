"""Claims made of several, and claims as configuration and manifest spell them."""

from shoal.errors import InputError
from shoal.privacy.kanon import KAnonymity
from shoal.release import Claim

__all__ = ["claim_of"]


def claim_of(
    *,
    k: int | None = None,
    l: int | None = None,
    t: float | None = None,
    diversity: str = "distinct",
    c: float = 3.0,
    distance: str = "equal",
) -> Claim:
    """Return the claim that these numbers make together."""
    if k is None:
        raise InputError("claim: none of k, l, t is given; give at least one")
    return KAnonymity(k)
