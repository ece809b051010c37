"""A released table with baskets judged from its folder, or against originals."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.data.lists import owners
from shoal.io.config import Config
from shoal.io.list_cells import read_lists
from shoal.privacy import claim_from_dict
from shoal.publish.baskets.judging import forms_of, published_baskets
from shoal.publish.baskets.verifying import item_facts
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.shape import Dataset
from shoal.publish.table.covering import covered
from shoal.publish.table.judging import published
from shoal.release import PublishedMixed, Verdict

__all__ = ["judge_folder"]


def judge_folder(
    manifest: dict[str, Any], frame: pl.DataFrame, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge the claim class by class, on leaf sets where hierarchies are known and on labels elsewhere.

    Beside originals, both parts of the release must also be ones that they can have given.
    """
    items = next(name for name, role in manifest["columns"].items() if role == "items")
    roles = {name: role for name, role in manifest["columns"].items() if role != "items"}
    if "l" in manifest["claim"] and config is None:
        return Verdict(False, "which items are sensitive is not told; give the configuration", judged=False)
    tree, secrets = item_facts(config)
    hierarchies = None if config is None else hierarchies_in_files(config)
    if isinstance(originals, MixedData):
        tree, hierarchies = originals.tree, originals.people.hierarchies
    seen = PublishedMixed(
        published(frame, roles, hierarchies), published_baskets(frame[items], tree, secrets)
    )
    said = claim_from_dict(manifest["claim"]).check(seen)
    if not said or not isinstance(originals, MixedData):
        return said
    if manifest["records_in"] != originals.baskets.n:
        return Verdict(
            False,
            f"the release speaks of {manifest['records_in']} originals, there are {originals.baskets.n}",
        )
    for over in (covered(frame.drop(items), originals.people), _covered_items(frame[items], originals)):
        if not over:
            return over
    return replace(said, sentence=f"{said.sentence}; every released record lies over enough originals")


def _covered_items(cells: pl.Series, originals: MixedData) -> Verdict:
    """Every published item must be in at most as many records as originals hold one of what it stands for."""
    start, items, entries = read_lists(cells)
    forms, baskets = forms_of(entries, originals.baskets.values, originals.tree), originals.baskets
    record = owners(baskets.start)
    by_item = np.argsort(baskets.items, kind="stable")
    ends = np.searchsorted(baskets.items[by_item], np.arange(len(baskets.values) + 1))
    short = np.zeros(len(entries), dtype=bool)
    times = np.bincount(items, minlength=len(entries))
    for form in range(len(entries)):
        members = forms.leaves[forms.start[form] : forms.start[form + 1]]
        holders = [record[by_item[ends[item] : ends[item + 1]]] for item in members]
        short[form] = times[form] > len(np.unique(np.concatenate([np.empty(0, dtype=np.int64), *holders])))
    bad = np.flatnonzero(np.add.reduceat(np.r_[short[items], False], start[:-1]) * (np.diff(start) > 0))
    if not len(bad):
        return Verdict(True, "every published item lies over enough originals")
    witnesses = tuple(int(row) + 1 for row in bad[:100])
    return Verdict(
        False, f"{len(bad)} released records hold items of too few originals", True, len(bad), witnesses
    )
