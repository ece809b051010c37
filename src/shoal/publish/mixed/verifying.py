"""A released table with baskets judged from its folder."""

from typing import Any

import polars as pl

from shoal.io.config import Config
from shoal.privacy import claim_from_dict
from shoal.publish.baskets.judging import published_sets
from shoal.publish.baskets.verifying import item_facts
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.shape import Dataset
from shoal.publish.table.judging import published
from shoal.publish.table.verifying import file_trees
from shoal.release import PublishedMixed, Verdict

__all__ = ["judge_folder"]


def judge_folder(
    manifest: dict[str, Any], frame: pl.DataFrame, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge the claim class by class, on leaf sets where hierarchies are known and on labels elsewhere."""
    items = next(name for name, role in manifest["columns"].items() if role == "items")
    roles = {name: role for name, role in manifest["columns"].items() if role != "items"}
    if "l" in manifest["claim"] and config is None:
        return Verdict(False, "which items are sensitive is not told; give the configuration", judged=False)
    tree, secrets = item_facts(config)
    trees = None if config is None else file_trees(config)
    if isinstance(originals, MixedData):
        tree, trees = originals.tree, originals.people.trees
    seen = PublishedMixed(published(frame, roles, trees), published_sets(frame[items], tree, secrets))
    return claim_from_dict(manifest["claim"]).check(seen)
