"""shoal: publish data about people so that every person looks like at least k-1 others, with the evidence.

The names below are all there is; each is imported when first used, so that `shoal --help` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.base.frame_accessor import register_accessors

if TYPE_CHECKING:
    from shoal.anonymization.front import Front as Front
    from shoal.anonymization.front import MixedFront as MixedFront
    from shoal.anonymization.release import Release as Release
    from shoal.assess.attack import Attack as Attack
    from shoal.base.errors import ExtraError as ExtraError
    from shoal.base.errors import HierarchyError as HierarchyError
    from shoal.base.errors import InfeasibleError as InfeasibleError
    from shoal.base.errors import InputError as InputError
    from shoal.base.errors import RefusedError as RefusedError
    from shoal.base.errors import ShoalError as ShoalError
    from shoal.base.errors import ShoalWarning as ShoalWarning
    from shoal.base.errors import UnkeptError as UnkeptError
    from shoal.comparison.comparison import Comparison as Comparison
    from shoal.hierarchy import Hierarchy as Hierarchy
    from shoal.jobs.api import anonymize as anonymize
    from shoal.jobs.api import compare as compare
    from shoal.jobs.api import judge as judge
    from shoal.jobs.api import pareto as pareto
    from shoal.jobs.api import read as read
    from shoal.jobs.api import read_trees as read_trees
    from shoal.jobs.attack import attack as attack
    from shoal.jobs.configured import verify as verify
    from shoal.jobs.risk import Risk as Risk
    from shoal.jobs.risk import risk as risk
    from shoal.privacy import AllOf as Every  # noqa: F401  # what type checkers see of the public name
    from shoal.privacy import AlphaKAnonymity as AlphaKAnonymity
    from shoal.privacy import AverageRisk as AverageRisk
    from shoal.privacy import BetaLikeness as BetaLikeness
    from shoal.privacy import CoreAnonymity as CoreAnonymity
    from shoal.privacy import DeltaDisclosure as DeltaDisclosure
    from shoal.privacy import DeltaPresence as DeltaPresence
    from shoal.privacy import HiddenValues as HiddenValues
    from shoal.privacy import ItemsetAnonymity as ItemsetAnonymity
    from shoal.privacy import KAnonymity as KAnonymity
    from shoal.privacy import KKmAnonymity as KKmAnonymity
    from shoal.privacy import KLmDiversity as KLmDiversity
    from shoal.privacy import KmAnonymity as KmAnonymity
    from shoal.privacy import KMap as KMap
    from shoal.privacy import KMNAnonymity as KMNAnonymity
    from shoal.privacy import LDiversity as LDiversity
    from shoal.privacy import LinkedAnonymity as LinkedAnonymity
    from shoal.privacy import LmDiversity as LmDiversity
    from shoal.privacy import Nonreciprocal as Nonreciprocal
    from shoal.privacy import SubsetAnonymity as SubsetAnonymity
    from shoal.privacy import TCloseness as TCloseness
    from shoal.proposal.proposal import Proposal as Proposal
    from shoal.proposal.propose import propose as propose
    from shoal.release import Verdict as Verdict

__version__ = "0.3.0.dev0"

_HOME = {
    "AlphaKAnonymity": "shoal.privacy",
    "Attack": "shoal.assess.attack",
    "AverageRisk": "shoal.privacy",
    "BetaLikeness": "shoal.privacy",
    "Comparison": "shoal.comparison.comparison",
    "DeltaDisclosure": "shoal.privacy",
    "DeltaPresence": "shoal.privacy",
    "Every": "shoal.privacy",
    "ExtraError": "shoal.base.errors",
    "Front": "shoal.anonymization.front",
    "HiddenValues": "shoal.privacy",
    "Hierarchy": "shoal.hierarchy",
    "HierarchyError": "shoal.base.errors",
    "InfeasibleError": "shoal.base.errors",
    "InputError": "shoal.base.errors",
    "ItemsetAnonymity": "shoal.privacy",
    "KAnonymity": "shoal.privacy",
    "KKmAnonymity": "shoal.privacy",
    "KLmDiversity": "shoal.privacy",
    "KMNAnonymity": "shoal.privacy",
    "KMap": "shoal.privacy",
    "KmAnonymity": "shoal.privacy",
    "LDiversity": "shoal.privacy",
    "LinkedAnonymity": "shoal.privacy",
    "LmDiversity": "shoal.privacy",
    "MixedFront": "shoal.anonymization.front",
    "Nonreciprocal": "shoal.privacy",
    "Proposal": "shoal.proposal.proposal",
    "RefusedError": "shoal.base.errors",
    "Release": "shoal.anonymization.release",
    "Risk": "shoal.jobs.risk",
    "ShoalError": "shoal.base.errors",
    "ShoalWarning": "shoal.base.errors",
    "SubsetAnonymity": "shoal.privacy",
    "CoreAnonymity": "shoal.privacy",
    "TCloseness": "shoal.privacy",
    "UnkeptError": "shoal.base.errors",
    "Verdict": "shoal.release",
    "anonymize": "shoal.jobs.api",
    "attack": "shoal.jobs.attack",
    "compare": "shoal.jobs.api",
    "judge": "shoal.jobs.api",
    "pareto": "shoal.jobs.api",
    "propose": "shoal.proposal.propose",
    "read": "shoal.jobs.api",
    "read_trees": "shoal.jobs.api",
    "risk": "shoal.jobs.risk",
    "verify": "shoal.jobs.configured",
}

_OTHERWISE = {"Every": "AllOf"}
"""Public names that are called otherwise where they are defined."""

_OTHER_WORDS = {
    "check": "judge",
    "evaluate": "judge",
    "validate": "judge",
    "is_k_anonymous": "judge",
    "load": "read",
    "open": "read",
    "from_pandas": "read",
    "from_polars": "read",
    "k_anonymize": "anonymize",
    "anonymise": "anonymize",
    "k_anonymity": "KAnonymity",
    "l_diversity": "LDiversity",
    "t_closeness": "TCloseness",
    "front": "pareto",
    "suggest": "propose",
    "allof": "Every",
}
"""What people who know other libraries look for, and the name that it has here."""

__all__ = ["__version__", *_HOME]

register_accessors()


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        plain = name.casefold().removesuffix("_csv").removesuffix("_frame").removesuffix("_excel")
        meant = next((public for public in _HOME if public.casefold() == plain), _OTHER_WORDS.get(plain))
        raise AttributeError(
            f"module 'shoal' has no attribute '{name}'" + (f"; write shoal.{meant}" if meant else "")
        )
    return getattr(import_module(_HOME[name]), _OTHERWISE.get(name, name))


def __dir__() -> list[str]:
    return sorted(__all__)
