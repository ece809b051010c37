"""A released table with baskets as its judges see it, from its folder or beside originals."""

from collections.abc import Mapping

import polars as pl

from shoal.io.config import Config
from shoal.publish.baskets.item_cells import item_truth
from shoal.publish.baskets.judging import published_baskets
from shoal.publish.baskets.verifying import item_facts, item_fits, strange_items
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.protocols import Known
from shoal.publish.table.judging import judge_truth, published
from shoal.publish.table.verifying import classes, fits_of, joined_fits
from shoal.publish.table.verifying import strange as strange_cells
from shoal.release import Claim, PublishedMixed, Verdict

__all__ = ["classes", "covered", "known", "seen", "strange", "true"]


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
    return PublishedMixed(published(frame, beside), lists)


def strange(frame: pl.DataFrame, known: Known, config: Config) -> str | None:
    """A sentence where a label or an item stands for nothing in its hierarchy, or a column is not at its level."""
    items = _items(known.columns)
    odd = strange_items(items, frame[items], known.hierarchies.get(items))
    return strange_cells(frame, known, config) if odd is None else odd


def covered(frame: pl.DataFrame, known: Known, left_out: int) -> Verdict:
    """Judge that the originals can have given the release, each row both its parts."""
    held: MixedData = known.originals
    said, lists = item_fits(frame[held.baskets.name], held.baskets, held.hierarchy, left_out)
    return (
        joined_fits([*fits_of(frame, held.people.table, held.people.hierarchies), *lists]) if said else said
    )


def true(frame: pl.DataFrame, known: Known, claim: Claim, left_out: int) -> Verdict:
    """Check both parts of every row against the original that the known rows name."""
    held: MixedData = known.originals
    people, rows = held.people, known.rows
    assert rows is not None
    said = judge_truth(frame, people.table, people.hierarchies, people.leaves, rows)
    exempt = held.baskets.sensitive if claim.exempts else frozenset[int]()
    cells = frame[held.baskets.name]
    return item_truth(cells, held.baskets, held.hierarchy, rows, left_out, exempt) if said else said


def _items(columns: Mapping[str, str]) -> str:
    return next((name for name, role in columns.items() if role == "items"), "items")
