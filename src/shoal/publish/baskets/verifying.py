"""Released baskets judged from their folder, or beside the originals."""

from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.privacy import claim_from_dict
from shoal.privacy.whole_baskets import Nonreciprocal
from shoal.publish.baskets.bits import published_bits
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.baskets.judging import published_baskets
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.shape import Dataset
from shoal.release import Verdict

__all__ = ["item_facts", "judge_folder"]


def judge_folder(
    manifest: dict[str, Any], frame: pl.DataFrame, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge generalized items by what they stand for, baskets by vote beside the originals only."""
    found = originals if isinstance(originals, BasketData) else None
    if "uncertain" in frame.columns:
        labels = [name for name, role in manifest["columns"].items() if role == "sensitive"]
        label = labels[0] if labels else None
        seen = (
            published_bits(frame, None, None, label)
            if found is None
            else published_bits(frame, found.baskets, found.label, label)
        )
        return _vote(manifest["claim"]).check(seen)
    if found is not None:
        return claim_from_dict(manifest["claim"]).check(
            published_baskets(frame["items"], found.tree, found.secrets)
        )
    tree, secrets = item_facts(config)
    if "l" in manifest["claim"] and config is None:
        return Verdict(False, "which items are sensitive is not told; give the configuration", judged=False)
    return claim_from_dict(manifest["claim"]).check(published_baskets(frame["items"], tree, secrets))


def item_facts(config: Config | None) -> tuple[Hierarchy | None, frozenset[str]]:
    """The items' hierarchy, where it is a file, and the sensitive items a configuration names."""
    if config is None:
        return None, frozenset()
    specs = {name: spec for name, spec in config.columns.items() if spec.role == "items"}
    hierarchies = {name: tree for name, tree in hierarchies_in_files(config).items() if name in specs}
    tree = next(iter(hierarchies.values())) if len(specs) == len(hierarchies) == 1 else None
    several = len(specs) > 1  # then every item bears its column's name
    secrets = [
        f"{name}.{item}" if several else item for name, spec in specs.items() for item in spec.sensitive
    ]
    return tree, frozenset(secrets)


def _vote(stated: dict[str, Any]) -> Nonreciprocal:
    """The claim of baskets by vote as a manifest states it."""
    try:
        claim = Nonreciprocal(stated["k"], stated.get("l"), stated.get("insiders", 0))
    except (KeyError, TypeError):
        raise InputError("claim: baskets by vote need k; the manifest was changed") from None
    return claim
