"""The facts that the report and the audit tell of baskets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms.parts import PublishedParts
from shoal.data import Baskets
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchy
from shoal.io.write.groups import NO_GROUPS, Groups, read_items
from shoal.publish.draft import Draft
from shoal.release import PublishedValues, RecodedBaskets, VotedBaskets
from shoal.report.facts import Audit, Chart, Levels, Report
from shoal.shapes.released_values import (
    IN_PARTS,
    entry_words,
    guess_leaf_counts,
    histogram,
    levels_of,
    public_places,
    sort_values,
)
from shoal.utility.baskets import Band, er_by_frequency, split_into_bands

__all__ = [
    "basket_facts",
    "basket_facts_from_counts",
    "item_changes",
    "item_counts",
    "item_guesses",
    "item_guesses_of_counts",
    "item_levels",
    "original_counts",
    "sort_by_frequency",
]


Counts = dict[str | None, int]


def basket_facts(draft: Draft) -> Audit:
    """The facts of the audit of baskets in memory; of baskets by vote also how often rows are wrong about items."""
    data: Any = draft.dataset
    release: Any = draft.result.release
    start, items, entries = read_items(draft.frame["items"], draft.groups)
    released_counts = _count_items(items, entry_words(entries))
    votes = isinstance(release, VotedBaskets)  # whose rows say what they say
    guess: Mapping[str | None, float] = (
        released_counts if votes else item_guesses(release, data.baskets.values)
    )
    rule = data.hierarchy if data.ruled else None
    audit = _audit_of(
        draft, original_counts(data.baskets), released_counts, guess, histogram(np.diff(start)), rule
    )
    if votes:
        audit = _add_wrong_items(audit, er_by_frequency(release, data.baskets))
    return replace(audit, uncounted=())


def basket_facts_from_counts(draft: Draft) -> Audit:
    """The facts of the audit of baskets in parts or in fragments; what needs all records at once is not told."""
    data: Any = draft.dataset
    release: Any = draft.result.release
    if isinstance(release, PublishedParts):
        counts, forms = data.count_once(release).facts, release.outline.forms
        labels = [str(label) for label in forms.labels]
        original_counts_by_item, released_counts = (
            sort_by_frequency(counts.before, data.baskets.values),
            sort_by_frequency(counts.after, labels),
        )
        guess = item_guesses_of_counts(forms, counts.after, data.baskets.values)
        return _audit_of(
            draft, original_counts_by_item, released_counts, guess, counts.lengths, data.hierarchy
        )
    total = release.total.facts
    original_counts_by_item = sort_by_frequency(data.dictionary.items.counts, data.baskets.values)
    released_counts = {name: item_count for name, item_count in total.after.most_common() if item_count}
    audit = _audit_of(draft, original_counts_by_item, released_counts, released_counts, total.lengths)
    return (
        audit if total.flips is None else _add_wrong_items(audit, split_into_bands(total.flips, data.records))
    )


def _audit_of(
    draft: Draft,
    before: Counts,
    after: Counts,
    guess: Mapping[str | None, float],
    lengths: Mapping[int, int],
    hierarchy: Hierarchy | None = None,
) -> Audit:
    """The facts of the audit from counts: records by original and by published item, and by number of published items.

    `guess` is how many records a reader of the release would guess to hold each original item.
    """
    sorted_items = sort_values(after, public_places(hierarchy))
    report = Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes={},
        loss_by_column={},
        marginals={"items": sorted_items},
        charts=(
            Chart(
                "How long the baskets are",
                "How many records have how many published items.",
                sorted(lengths),
                {"records": [float(lengths[length]) for length in sorted(lengths)]},
                "items in a basket",
            ),
        ),
        levels=item_levels("items", sorted_items, hierarchy),
    )
    return Audit(
        report=report,
        losses={name: loss for name, loss in draft.loss.items() if name not in draft.manifest["loss"]},
        before_after={"items": item_changes(before, guess, hierarchy)},
        risk_before={},  # which records are alike depends on what is known of a basket
        risk_after={},
        rules=getattr(draft.result.release, "rule", {}),
        trace=draft.private_trace,
        uncounted=[IN_PARTS],  # where all records are at hand, they are counted
    )


def item_levels(
    name: str, told: Sequence[tuple[str | None, int]], hierarchy: Hierarchy | None
) -> Sequence[Levels]:
    """How exactly items are published, where their owner declared a hierarchy."""
    return [levels_of(name, dict(told), hierarchy)] if hierarchy is not None and hierarchy.public else []


def item_changes(
    before: Counts, guess: Mapping[str | None, float], hierarchy: Hierarchy | None
) -> list[tuple[str | None, float, float]]:
    """Records by original item, and what a reader of the release would guess; in the hierarchy's order."""
    span_of_item = None if hierarchy is None else hierarchy.places
    items = sort_values({item: before.get(item, 0) for item in [*before, *guess]}, span_of_item)
    return [(item, float(record_count), round(float(guess.get(item, 0)), 6)) for item, record_count in items]


def item_guesses(release: RecodedBaskets, values: Sequence[str]) -> dict[str | None, float]:
    """For each original item, how many records a reader of the release would guess to hold it."""
    records = np.bincount(release.items, minlength=len(release.forms.labels))
    return item_guesses_of_counts(release.forms, records, values)


def item_guesses_of_counts(
    forms: PublishedValues, records: I8, values: Sequence[str]
) -> dict[str | None, float]:
    """The same, from how many records hold each published form."""
    guessed_counts = guess_leaf_counts(forms, records, len(values))
    return {
        value: float(guessed_count)
        for value, guessed_count in zip(values, guessed_counts, strict=True)
        if guessed_count
    }


def _add_wrong_items(audit: Audit, found: Sequence[Band]) -> Audit:
    """The facts of baskets by vote, and how often rows are wrong about the items of each band."""
    title = "Wrong items, for rare and for frequent items"
    about = (
        "For every hundred times that originals hold such an item: how often their row lacks it, "
        "or another row has it."
    )
    chart = Chart(
        title,
        about,
        [f"{band.low:.1%} to {band.high:.0%}" for band in found],
        {
            "lacking": [100 * band.lost / max(band.held, 1) for band in found],
            "added": [100 * band.added / max(band.held, 1) for band in found],
        },
        "share of the records that hold an item",
    )
    return replace(audit, charts=(chart,))


def item_counts(cells: pl.Series, groups: Groups = NO_GROUPS) -> Counts:
    """How many records hold each published item, most frequent first."""
    _, items, entries = read_items(cells, groups)
    return _count_items(items, entry_words(entries))


def original_counts(baskets: Baskets) -> Counts:
    """How many records hold each original item, most frequent first."""
    return _count_items(baskets.items, list(baskets.values))


def sort_by_frequency(times: I8, names: Sequence[str]) -> Counts:
    """Names with their numbers, the largest first; those that do not occur are left out."""
    return {names[index]: int(times[index]) for index in np.argsort(-times, kind="stable") if times[index]}


def _count_items(items: I4, names: list[str]) -> Counts:
    """How many records hold each item, most frequent first."""
    return sort_by_frequency(np.bincount(items, minlength=len(names)), names)
