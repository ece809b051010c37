"""The judges: each claim checked from its definition, sharing no code with any maker."""

from shoal.privacy.claims import Every, claim_from_dict, claim_of
from shoal.privacy.closeness import TCloseness
from shoal.privacy.diversity import LDiversity
from shoal.privacy.kanon import KAnonymity
from shoal.privacy.kkm import KKmAnonymity, KLmDiversity
from shoal.privacy.km import ItemsetAnonymity, KmAnonymity, LmDiversity
from shoal.privacy.truth import truth, unchanged

__all__ = [
    "Every",
    "ItemsetAnonymity",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KmAnonymity",
    "LDiversity",
    "LmDiversity",
    "TCloseness",
    "claim_from_dict",
    "claim_of",
    "truth",
    "unchanged",
]
