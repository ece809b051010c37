"""Released baskets as their judges see them, from their folder or beside originals."""

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from shoal.data import Baskets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.write.json_text import Entry, read_lists
from shoal.privacy import Nonreciprocal
from shoal.privacy.nonreciprocal import truth_of_votes
from shoal.privacy.provenance import basket_fits, provenance_of_baskets
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.protocols import Known
from shoal.publish.shapes.baskets.dataset import BasketData
from shoal.publish.shapes.baskets.item_cells import basket_truth
from shoal.publish.shapes.baskets.judging import forms_of, meaning, published_baskets
from shoal.publish.shapes.baskets.vote_cells import published_bits
from shoal.publish.shapes.table.verifying import Fit, fits_of, joined_fits
from shoal.publish.shapes.table.verifying import strange as strange_cells
from shoal.release import Claim, PublishedBaskets, PublishedBits, Verdict

if TYPE_CHECKING:
    from shoal.publish.shapes.baskets.dataset import BasketData

__all__ = [
    "classes",
    "covered",
    "different",
    "item_facts",
    "item_fits",
    "known",
    "seen",
    "strange",
    "strange_entries",
    "strange_items",
    "true",
]


def known(columns: Mapping[str, str], config: Config | None, originals: "BasketData | None") -> Known:
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
            raise InputError(
                f"judge: baskets by vote have a column '{name}', and there is none; give the data as they were released"
            )
    labels = [name for name, role in known.columns.items() if role == "sensitive"]
    held: BasketData | None = known.originals
    baskets, label = (None, None) if held is None else (held.baskets, held.label)
    return published_bits(frame, baskets, label, labels[0] if labels else None)


def classes(frame: pl.DataFrame, known: Known) -> int:
    """How many different baskets there are."""
    return different(frame["items"])


def strange(frame: pl.DataFrame, known: Known, config: Config) -> str | None:
    """A sentence where an item stands for nothing in the hierarchy of the items, or a column is not at its level."""
    for name, role in known.columns.items():
        odd = strange_items(name, frame[name], known.hierarchies.get("items")) if role == "items" else None
        if odd is not None:
            return odd
    return strange_cells(frame, known, config)


def strange_items(name: str, cells: pl.Series, hierarchy: Hierarchy | None) -> str | None:
    """A sentence where items are no value of their hierarchy, or one under two names; None where it is not known."""
    return None if hierarchy is None else strange_entries(name, read_lists(cells)[2], hierarchy)


def strange_entries(name: str, entries: Collection[Entry], hierarchy: Hierarchy | None) -> str | None:
    """The same of the different entries of a column."""
    if hierarchy is None:
        return None
    words = {word for entry in entries for word in ((entry,) if isinstance(entry, str) else entry)}
    odd = sum(word not in hierarchy.places for word in words)
    if odd:
        return f"column '{name}': {odd} items stand for nothing in the hierarchy of the configuration"
    twice = len(entries) - len({meaning(entry, hierarchy) for entry in entries})
    return f"column '{name}': {twice} items are published under two names" if twice else None


def covered(frame: pl.DataFrame, known: Known, left_out: int) -> Verdict:
    """Judge that the originals can have given these lists, and the labels beside them."""
    originals: BasketData = known.originals
    beside = fits_of(frame, originals.table, {})
    if "uncertain" in frame.columns:  # that lists and originals can be matched is part of the claim
        return (
            joined_fits(beside) if beside else Verdict(True, "rows and originals can be matched one to one")
        )
    said, lists = item_fits(frame["items"], originals.baskets, originals.hierarchy, left_out)
    together = [*beside, *lists]
    return joined_fits(together) if said and together else said


def true(frame: pl.DataFrame, known: Known, claim: Claim, left_out: int) -> Verdict:
    """Check every row against the original that the known rows name."""
    originals: BasketData = known.originals
    assert known.rows is not None
    if isinstance(claim, Nonreciprocal):
        bits = seen(frame, known, claim)
        assert isinstance(bits, PublishedBits)
        return truth_of_votes(bits, known.rows)
    exempt = originals.baskets.sensitive if claim.exempts else frozenset[int]()
    return basket_truth(frame, originals, known.rows, left_out, exempt)


def different(cells: pl.Series) -> int:
    """How many different lists there are, whatever the order of their entries."""
    start, items, _ = read_lists(cells)
    codes = items.tolist()
    return len({frozenset(codes[a:b]) for a, b in pairwise(start.tolist())})


def item_fits(
    cells: pl.Series, baskets: Baskets, hierarchy: Hierarchy, left_out: int
) -> tuple[Verdict, list[Fit]]:
    """Judge that no published item is in more records than originals can account for, and say which lists fit which.

    No fit is given where there are too many lists to compare.
    """
    start, items, entries = read_lists(cells)
    forms = forms_of(entries, baskets.values, hierarchy)
    original, released = (baskets.start, baskets.items), (start, items)
    said = provenance_of_baskets(original, released, forms)
    fit = basket_fits(original, released, forms, whole=left_out == 0) if said else None
    return said, [] if fit is None else [fit]


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
