"""What goes out: recoded data, the claim they make, the verdict on it."""

from shoal.release.forest import RecodedForest
from shoal.release.mixed import PublishedMixed, RecodedMixed
from shoal.release.sets import Bitmaps, PublishedBits, PublishedSets, RecodedSets
from shoal.release.table import Forms, Published, Recoded, Sensitive
from shoal.release.verdict import Claim, Result, Verdict

__all__ = [
    "Bitmaps",
    "Claim",
    "Forms",
    "Published",
    "PublishedBits",
    "PublishedMixed",
    "PublishedSets",
    "Recoded",
    "RecodedForest",
    "RecodedMixed",
    "RecodedSets",
    "Result",
    "Sensitive",
    "Verdict",
]
