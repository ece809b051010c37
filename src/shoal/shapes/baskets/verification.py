"""Baskets whose items were generalized: how they are written, seen by judges, and held against originals."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Baskets, Table
from shoal.data.arrays import F8, I4, I8, prefix_sums, row_of_entry, take_rows
from shoal.data.spelling import normalize_value
from shoal.engines import Mapper
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.cells import cell_texts, factorize
from shoal.io.read.parts import open_arrays
from shoal.io.write.groups import NO_GROUPS, Groups, name_groups, read_items
from shoal.io.write.json_text import Entry, read_lists, write_lists
from shoal.privacy import ItemsetAnonymity, KmAnonymity, LmDiversity
from shoal.privacy.support_counting import check_basket_parts
from shoal.privacy.truth import judge_unchanged_codes, match_baskets, provenance_of_baskets, truth_of_baskets
from shoal.release import Claim, PublishedBaskets, PublishedValues, RecodedBaskets, Verdict
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.hierarchies import hierarchies_in_files
from shoal.shapes.shape import Verification
from shoal.shapes.table.verification import Fit, fits_of, judge_fits, unexpected_cells

__all__ = [
    "BasketVerification",
    "ListVerification",
    "_count_different_lists",
    "_entry_meaning",
    "basket_truth",
    "drop_basket_groups",
    "exempt_items",
    "forms_of",
    "item_cells",
    "item_fits",
    "item_truth",
    "item_weights",
    "judge_basket_parts",
    "list_published_entries",
    "name_basket_groups",
    "number_entries",
    "published_baskets",
    "read_item_settings",
    "reorder_baskets",
    "unexpected_entries",
    "unexpected_items",
]


def published_baskets(
    cells: pl.Series, hierarchy: Hierarchy | None, sensitive: frozenset[str], groups: Groups = NO_GROUPS
) -> PublishedBaskets:
    """See released lists as numbers that are equal where the published items stand for the same leaves.

    A sensitive item is one in every spelling: whoever reads it learns the same.
    """
    start, items, entries = read_items(cells, groups)
    numbers, secret = number_entries(entries, hierarchy, sensitive)
    item_numbers = numbers[items] if len(items) else items.astype(np.int64)
    return PublishedBaskets(start, item_numbers, secret, _cover_items(entries, numbers, hierarchy))


def number_entries(
    entries: Sequence[Entry], hierarchy: Hierarchy | None, sensitive: frozenset[str] = frozenset()
) -> tuple[I8, frozenset[int]]:
    """A number for each entry, equal where entries stand for the same leaves, and those of the sensitive items."""
    item_by_spelling = {normalize_value(item): item for item in sorted(sensitive)}
    keys = [_entry_meaning(_spelled_item(entry, item_by_spelling, hierarchy), hierarchy) for entry in entries]
    number_of_key = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    numbers = np.array([number_of_key[key] for key in keys], dtype=np.int64)
    # A sensitive item that was left out everywhere is still one: it gets a number that no row holds.
    return numbers, frozenset(
        number_of_key.setdefault(_entry_meaning(item, hierarchy), len(number_of_key))
        for item in item_by_spelling.values()
    )


def judge_basket_parts(
    claim: KmAnonymity | LmDiversity | ItemsetAnonymity,
    parts: Sequence[Path],
    entries: Sequence[Entry],
    hierarchy: Hierarchy | None,
    sensitive: frozenset[str],
    mapper: Mapper,
) -> Verdict:
    """Judge baskets that lie in folders with the arrays start and items, places in `entries`."""
    numbers, secret = number_entries(entries, hierarchy, sensitive)
    if isinstance(claim, ItemsetAnonymity):
        return claim.check_parts(
            parts, partial(_load_part, numbers, _cover_items(entries, numbers, hierarchy))
        )
    width = max([-1, *numbers.tolist(), *secret]) + 1
    return check_basket_parts(claim, parts, partial(_load_part, numbers, {}), width, secret, mapper)


def _load_part(numbers: I8, covers: Mapping[str, frozenset[int]], part: Path) -> PublishedBaskets:
    start, items = open_arrays(part, "start", "items")
    return PublishedBaskets(start, numbers[items], covers=covers)


def _spelled_item(entry: Entry, spelled: dict[str, str], hierarchy: Hierarchy | None) -> Entry:
    """The sensitive item that an entry spells, or the entry itself; a value that covers several items spells none."""
    value = entry[0] if isinstance(entry, tuple) and len(entry) == 1 else entry
    if not spelled or not isinstance(value, str):
        return entry
    if hierarchy is not None and len(_covered_items(value, hierarchy)) > 1:
        return entry
    return spelled.get(normalize_value(value), entry)


def _cover_items(
    entries: Sequence[Entry], numbers: I8, hierarchy: Hierarchy | None
) -> dict[str, frozenset[int]]:
    """For each item, the numbers of the published items that may stand for it."""
    covering_numbers: dict[str, set[int]] = {}
    for entry, number in zip(entries, numbers.tolist(), strict=True):
        for item in _covered_items(entry, hierarchy):
            covering_numbers.setdefault(item, set()).add(number)
    return {item: frozenset(entry_numbers) for item, entry_numbers in covering_numbers.items()}


def _covered_items(entry: Entry, hierarchy: Hierarchy | None) -> tuple[str, ...]:
    if isinstance(entry, tuple):
        return entry
    if hierarchy is not None and entry in hierarchy.places:
        low, high = hierarchy.places[entry]
        return hierarchy.leaves[low:high]
    return (entry,)


def _entry_meaning(entry: Entry, hierarchy: Hierarchy | None) -> tuple[object, ...]:
    """What an entry stands for: an interval of leaves, or a set of items; an unknown word only for itself."""
    if isinstance(entry, tuple):
        return ("set", frozenset(entry)) if len(entry) > 1 else _entry_meaning(entry[0], hierarchy)
    if hierarchy is not None and entry in hierarchy.places:
        return ("span", *hierarchy.places[entry])
    return ("word", entry)


def forms_of(
    entries: tuple[Entry, ...], values: tuple[str, ...], hierarchy: Hierarchy | None
) -> PublishedValues:
    """The items of the data that each published entry stands for; an unknown word stands for none."""
    code_of_value = {value: code for code, value in enumerate(values)}
    order = None if hierarchy is None else hierarchy.look_up(values)
    members = [_leaf_codes(entry, code_of_value, order, hierarchy) for entry in entries]
    start = np.cumsum([0, *map(len, members)], dtype=np.int64)
    leaves = np.concatenate(members) if members else np.empty(0, dtype=np.int32)
    labels = tuple(entry if isinstance(entry, str) else None for entry in entries)
    return PublishedValues(labels, start, leaves.astype(np.int32))


def _leaf_codes(entry: Entry, place: dict[str, int], order: I4 | None, hierarchy: Hierarchy | None) -> I4:
    if isinstance(entry, str) and hierarchy is not None and order is not None and entry in hierarchy.places:
        low, high = hierarchy.places[entry]
        return np.flatnonzero((order >= low) & (order < high)).astype(np.int32)
    words = (entry,) if isinstance(entry, str) else entry
    return np.array(sorted(place[item] for item in words if item in place), dtype=np.int32)


# --- how they are written, and checked for truth


def item_cells(name: str, release: RecodedBaskets, values: tuple[str, ...]) -> pl.Series:
    """The released lists: a hierarchy value is its name, a set of items its group's name, or its members in a list."""
    group_of_members = {members: group for group, members in release.groups.items() if members != (group,)}
    entries = [
        entry if isinstance(entry, str) else group_of_members.get(entry, entry)
        for entry in list_published_entries(release, values)
    ]
    return write_lists(name, release.start, release.items, entries)


def name_basket_groups(release: RecodedBaskets, values: tuple[str, ...]) -> RecodedBaskets:
    """The same baskets, the sets that rows publish under names that say nothing."""
    entries = list_published_entries(release, values)
    shown = [entries[form] for form in np.unique(release.items).tolist()]
    sets = [entry for entry in shown if not isinstance(entry, str)]
    return replace(release, groups=name_groups(sets, [entry for entry in shown if isinstance(entry, str)]))


def drop_basket_groups(release: RecodedBaskets) -> RecodedBaskets:
    """The same baskets, their sets spelled out in every row."""
    return replace(
        release,
        groups={
            item: group_members for item, group_members in release.groups.items() if group_members == (item,)
        },
    )


def list_published_entries(release: RecodedBaskets, values: tuple[str, ...]) -> list[Entry]:
    """What each form publishes: its label, or the members of a set."""
    forms = release.forms
    return [
        label if label is not None else tuple(values[leaf] for leaf in forms.leaves[a:b])
        for label, a, b in zip(forms.labels, forms.start[:-1], forms.start[1:], strict=True)
    ]


def item_weights(baskets: Baskets, method: Mapping[str, Any]) -> F8 | None:
    """The weights that the method's parameters give items, 1 for the others; None where they give none."""
    weight_of_item = method["parameters"].get("weights")
    return (
        None
        if weight_of_item is None
        else np.array([float(weight_of_item.get(item, 1)) for item in baskets.values])
    )


def item_truth(
    cells: pl.Series,
    baskets: Baskets,
    hierarchy: Hierarchy | None,
    rows: I8,
    suppressed: int,
    exempt: frozenset[int],
    groups: Groups = NO_GROUPS,
) -> Verdict:
    """Check released lists against the baskets they stem from, row i against basket rows[i].

    Items that the claim exempts are published as they are, so no wider form stands for one of them.
    """
    start, items, entries = read_items(cells, groups)
    forms = _exclude_exempt(forms_of(entries, baskets.values, hierarchy), exempt)
    original = (baskets.start, baskets.items)
    return truth_of_baskets(original, (start, items), forms, rows, suppressed=suppressed)


def basket_truth(
    frame: pl.DataFrame,
    data: Any,
    rows: I8,
    suppressed: int,
    exempt: frozenset[int],
    groups: Groups = NO_GROUPS,
) -> Verdict:
    """Check released items, and the columns beside them, against the records of `data` that they stem from."""
    verdict = item_truth(frame["items"], data.baskets, data.hierarchy, rows, suppressed, exempt, groups)
    table: Table = data.table
    for column in table.columns:
        if verdict:
            released_column = factorize(cell_texts(frame[column.name]))
            verdict = judge_unchanged_codes(column.name, (column.values, column.codes[rows]), released_column)
    return verdict


def exempt_items(baskets: Baskets, claim: Claim) -> frozenset[int]:
    """The items that a claim does not count."""
    return baskets.sensitive if claim.exempts else frozenset()


def _exclude_exempt(forms: PublishedValues, exempt: frozenset[int]) -> PublishedValues:
    """The same forms, those of several items standing for no exempt one."""
    row_of_leaf = row_of_entry(forms.start)
    is_kept = ~np.isin(forms.leaves, list(exempt)) | (np.diff(forms.start)[row_of_leaf] == 1)
    start = prefix_sums(np.bincount(row_of_leaf[is_kept], minlength=len(forms.labels)))
    return PublishedValues(forms.labels, start.astype(np.int64), forms.leaves[is_kept])


def reorder_baskets(release: RecodedBaskets, order: I8) -> RecodedBaskets:
    """The same baskets, rows in another order, and each row's items in the forms' order."""
    start, items = take_rows(release.start, release.items, order)
    return replace(release, start=start, items=items, rows=release.rows[order])


# --- from their folder or beside originals


def unexpected_items(
    name: str, cells: pl.Series, hierarchy: Hierarchy | None, groups: Groups = NO_GROUPS
) -> str | None:
    """A sentence where items are no value of their hierarchy, or one under two names; None where it is not known."""
    return None if hierarchy is None else unexpected_entries(name, read_items(cells, groups)[2], hierarchy)


def unexpected_entries(name: str, entries: Collection[Entry], hierarchy: Hierarchy | None) -> str | None:
    """The same of the different entries of a column."""
    if hierarchy is None:
        return None
    words = {item_name for entry in entries for item_name in ((entry,) if isinstance(entry, str) else entry)}
    unknown_count = sum(item_name not in hierarchy.places for item_name in words)
    if unknown_count:
        return (
            f"column '{name}': {unknown_count} items stand for nothing in the hierarchy of the configuration"
        )
    duplicate_count = len(entries) - len({_entry_meaning(entry, hierarchy) for entry in entries})
    return (
        f"column '{name}': {duplicate_count} items are published under two names" if duplicate_count else None
    )


def _count_different_lists(cells: pl.Series) -> int:
    """How many different lists there are, whatever the order of their entries."""
    start, items, _ = read_lists(cells)
    codes = items.tolist()
    return len({frozenset(codes[a:b]) for a, b in pairwise(start.tolist())})


def item_fits(
    cells: pl.Series, baskets: Baskets, hierarchy: Hierarchy, left_out: int, groups: Groups = NO_GROUPS
) -> tuple[Verdict, list[Fit]]:
    """Judge that no published item is in more records than originals can account for, and say which lists fit which.

    No fit is given where there are too many lists to compare.
    """
    start, items, entries = read_items(cells, groups)
    forms = forms_of(entries, baskets.values, hierarchy)
    original, released_items = (baskets.start, baskets.items), (start, items)
    verdict = provenance_of_baskets(original, released_items, forms)
    fit = match_baskets(original, released_items, forms, whole=left_out == 0) if verdict else None
    return verdict, [] if fit is None else [fit]


def read_item_settings(config: Config | None) -> tuple[Hierarchy | None, frozenset[str] | None]:
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


class ListVerification(Verification):
    """What judging released lists of items again has in common, generalized or by vote."""

    def make_context(
        self, columns: Mapping[str, str], config: Config | None, originals: Any
    ) -> JudgingContext:
        """What items stand for, and which are sensitive, as far as a configuration or the originals tell."""
        if originals is not None:
            return JudgingContext(columns, {"items": originals.hierarchy}, originals.secrets, originals)
        hierarchy, secrets = read_item_settings(config)
        return JudgingContext(columns, {} if hierarchy is None else {"items": hierarchy}, secrets)

    def count_classes(self, frame: pl.DataFrame, known: JudgingContext) -> int:
        """How many different baskets there are."""
        return _count_different_lists(frame["items"])

    def find_unexpected(self, frame: pl.DataFrame, known: JudgingContext, config: Config) -> str | None:
        """A sentence where an item stands for nothing in its hierarchy, or a column is not at its level."""
        for name, role in known.columns.items():
            rule = known.hierarchies.get("items")
            sentence = unexpected_items(name, frame[name], rule, known.groups) if role == "items" else None
            if sentence is not None:
                return sentence
        return unexpected_cells(frame, known, config)


class BasketVerification(ListVerification):
    """How released baskets are judged again."""

    def view_for_judge(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim) -> PublishedBaskets:
        """Released lists as the judges of baskets see them."""
        (items,) = [name for name in claim.sees(known.columns) if known.columns[name] == "items"][:1] or [
            "items"
        ]
        secrets = known.secrets or frozenset()
        return published_baskets(frame[items], known.hierarchies.get(items), secrets, known.groups)

    def judge_provenance(self, frame: pl.DataFrame, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the originals can have given these lists, and the labels beside them."""
        originals = known.originals
        column_fits = fits_of(frame, originals.table, {})
        verdict, lists = item_fits(
            frame["items"], originals.baskets, originals.hierarchy, left_out, known.groups
        )
        all_fits = [*column_fits, *lists]
        return judge_fits(all_fits) if verdict and all_fits else verdict

    def judge_rows(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check every row against the original that the known rows name."""
        originals = known.originals
        assert known.rows is not None
        exempt = exempt_items(originals.baskets, claim)
        return basket_truth(frame, originals, known.rows, left_out, exempt, known.groups)
