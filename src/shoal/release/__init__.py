"""What goes out: recoded data, the claim they make, the verdict on it."""

from shoal.release.released import (
    Bitmaps,
    Forms,
    Population,
    Published,
    PublishedBaskets,
    PublishedBits,
    PublishedMixed,
    Recoded,
    RecodedBaskets,
    RecodedMixed,
    RecodedTrees,
    Sensitive,
)
from shoal.release.verdict import Claim, Result, Verdict

__all__ = [
    "Bitmaps",
    "Claim",
    "Forms",
    "Population",
    "Published",
    "PublishedBaskets",
    "PublishedBits",
    "PublishedMixed",
    "Recoded",
    "RecodedBaskets",
    "RecodedMixed",
    "RecodedTrees",
    "Result",
    "Sensitive",
    "Verdict",
]
