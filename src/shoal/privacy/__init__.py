"""The judges: each claim checked from its definition, sharing no code with any maker."""

from shoal.privacy.claims import claim_of
from shoal.privacy.kanon import KAnonymity

__all__ = ["KAnonymity", "claim_of"]
