"""The claim that a configuration asks for."""

from collections.abc import Mapping
from typing import Any

from shoal.io.config import Config
from shoal.privacy import METHOD_KEYS, make_claim, require_protection
from shoal.release import Claim
from shoal.shapes.hierarchies import collect_hidden_labels

__all__ = ["claim_from_config", "claim_of_config"]


def claim_of_config(config: Config) -> Claim | None:
    """The claim that a configuration asks for; None where it has no [guarantee].

    Raises
    ------
    InputError
        Its numbers make no claim.
    """
    if not config.guarantee:
        return None
    method_values = {
        METHOD_KEYS[key]: value for key, value in config.parameters.items() if key in METHOD_KEYS
    }
    return claim_from_config(config, {**config.guarantee, **method_values})


def claim_from_config(config: Config, guarantee: Mapping[str, Any]) -> Claim:
    """The claim that these numbers make for data as a configuration describes them.

    Raises
    ------
    InputError
        They make none, or promise nobody anything.
    """
    tree = config.tree
    facts: dict[str, Any] = {"linked": True} if config.pseudonyms else {}
    hidden = collect_hidden_labels(config)
    if hidden:
        facts["hidden"] = hidden
    if tree is not None:
        facts = {"sensitive": tree.sensitive, "negations": tree.negations or None}
    return require_protection(make_claim(config.shape, **guarantee, **facts))
