"""What goes out: recoded data, the claim they make, the verdict on it."""

from shoal.release.baskets import Bitmaps, PublishedBaskets, PublishedBits, RecodedBaskets
from shoal.release.mixed import PublishedMixed, RecodedMixed
from shoal.release.table import Forms, Published, Recoded, Sensitive
from shoal.release.trees import RecodedTrees
from shoal.release.verdict import Claim, Result, Verdict

__all__ = [
    "Bitmaps",
    "Claim",
    "Forms",
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
