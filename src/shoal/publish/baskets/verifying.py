"""Released baskets as their judges see them, from their folder or beside originals."""

from collections.abc import Mapping

import polars as pl

from shoal.data import Baskets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.list_cells import read_lists
from shoal.privacy import Nonreciprocal
from shoal.privacy.covering_baskets import covering_baskets
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.baskets.judging import forms_of, published_baskets
from shoal.publish.baskets.vote_cells import published_bits
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.protocols import Known
from shoal.publish.table.verifying import covered_cells
from shoal.release import Claim, PublishedBaskets, PublishedBits, Verdict

__all__ = ["covered", "covered_items", "item_facts", "known", "seen"]


def known(columns: Mapping[str, str], config: Config | None, originals: BasketData | None) -> Known:
    """What items stand for, and which are sensitive, as far as a configuration or the originals tell."""
    if originals is not None:
        return Known(columns, {"items": originals.hierarchy}, originals.secrets, originals)
    hierarchy, secrets = item_facts(config)
    return Known(columns, {} if hierarchy is None else {"items": hierarchy}, secrets)


def seen(frame: pl.DataFrame, known: Known, claim: Claim) -> PublishedBaskets | PublishedBits:
    """Released lists as the judges of baskets see them; those by vote beside the originals, where they are at hand."""
    (items,) = [name for name in claim.sees(known.columns) if known.columns[name] == "items"][:1] or ["items"]
    if not isinstance(claim, Nonreciprocal):
        return published_baskets(frame[items], known.hierarchies.get(items), known.secrets or frozenset())
    for name in ("items", "uncertain", "errors"):
        if name not in frame.columns:
            raise InputError(f"judge: baskets by vote have a column '{name}', and there is none")
    labels = [name for name, role in known.columns.items() if role == "sensitive"]
    held: BasketData | None = known.originals
    baskets, label = (None, None) if held is None else (held.baskets, held.label)
    return published_bits(frame, baskets, label, labels[0] if labels else None)


def covered(frame: pl.DataFrame, originals: BasketData) -> Verdict:
    """Judge that the originals can have given these lists, and the labels beside them."""
    if "uncertain" in frame.columns:
        return Verdict(
            True, "the rows can be matched with the originals one to one"
        )  # or the claim had failed
    said = covered_items(frame["items"], originals.baskets, originals.hierarchy)
    if said and originals.table.columns:
        said = covered_cells(frame, originals.table, {})
    return said


def covered_items(cells: pl.Series, baskets: Baskets, hierarchy: Hierarchy) -> Verdict:
    """Judge that no published item is in more records than originals can account for."""
    start, items, entries = read_lists(cells)
    forms = forms_of(entries, baskets.values, hierarchy)
    return covering_baskets((baskets.start, baskets.items), (start, items), forms)


def item_facts(config: Config | None) -> tuple[Hierarchy | None, frozenset[str] | None]:
    """The items' hierarchy, where it is a file, and the sensitive items a configuration names."""
    if config is None:
        return None, None
    specs = {name: spec for name, spec in config.columns.items() if spec.role == "items"}
    hierarchies = {
        name: hierarchy for name, hierarchy in hierarchies_in_files(config).items() if name in specs
    }
    hierarchy = next(iter(hierarchies.values())) if len(specs) == len(hierarchies) == 1 else None
    several = len(specs) > 1  # then every item bears its column's name
    secrets = [
        f"{name}.{item}" if several else item for name, spec in specs.items() for item in spec.sensitive
    ]
    return hierarchy, frozenset(secrets)
