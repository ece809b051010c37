"""A released table with baskets as its judges see it, from its folder or beside originals."""

from collections.abc import Mapping

import polars as pl

from shoal.io.config import Config
from shoal.publish.baskets.judging import published_baskets
from shoal.publish.baskets.verifying import covered_items, item_facts
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.protocols import Known
from shoal.publish.table.judging import published
from shoal.publish.table.verifying import covered as covered_table
from shoal.release import Claim, PublishedMixed, Verdict

__all__ = ["covered", "known", "seen"]


def known(columns: Mapping[str, str], config: Config | None, originals: MixedData | None) -> Known:
    """What labels and items stand for, and which items are sensitive, as far as anybody tells."""
    items = _items(columns)
    hierarchy, secrets = item_facts(config)
    if originals is not None:
        hierarchies = {**originals.people.hierarchies, items: originals.hierarchy}
        return Known(columns, hierarchies, secrets, originals)
    beside = {} if config is None else hierarchies_in_files(config)
    return Known(columns, beside if hierarchy is None else {**beside, items: hierarchy}, secrets)


def seen(frame: pl.DataFrame, known: Known, claim: Claim) -> PublishedMixed:
    """Released cells and lists as the judges of tables with baskets see them."""
    items = _items(known.columns)
    beside = {name: role for name, role in known.columns.items() if role != "items"}
    lists = published_baskets(frame[items], known.hierarchies.get(items), known.secrets or frozenset())
    return PublishedMixed(published(frame, beside, known.hierarchies), lists)


def covered(frame: pl.DataFrame, originals: MixedData) -> Verdict:
    """Judge that the originals can have given both parts of the release."""
    items = originals.baskets.name
    said = covered_table(frame.drop(items), originals.people)
    return covered_items(frame[items], originals.baskets, originals.hierarchy) if said else said


def _items(columns: Mapping[str, str]) -> str:
    return next((name for name, role in columns.items() if role == "items"), "items")
