"""The facts that the report and the audit tell of released baskets."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from shoal.data import Baskets
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchy
from shoal.io.write.groups import NO_GROUPS, Groups, read_items
from shoal.io.write.json_text import Entry
from shoal.publish.disclosure import IN_PARTS
from shoal.publish.draft import Draft
from shoal.publish.released_values import guessed, in_order, levels_of, public_places
from shoal.release import Forms, RecodedBaskets
from shoal.report.facts import Audit, Chart, Levels, Report
from shoal.utility.votes import Band

__all__ = [
    "audit_of",
    "by_frequency",
    "guesses_of",
    "item_changes",
    "item_counts",
    "item_guesses",
    "item_levels",
    "item_words",
    "original_counts",
    "private_audit",
    "wrong_items",
]

Counts = dict[str | None, int]


def private_audit(
    draft: Draft,
    baskets: Baskets,
    hierarchy: Hierarchy | None,
    guess: Mapping[str | None, float] | None,
) -> Audit:
    """The facts of the audit, which only the data holder may read; those that anybody may read are its `report`.

    `hierarchy` is the one that their owner gave; None where there is none. `guess` is how many records a reader of the
    release would guess to hold each original item; None where that is what it says.
    """
    start, items, entries = read_items(draft.frame["items"], draft.groups)
    lengths, times = np.unique(np.diff(start), return_counts=True)
    held = dict(zip(lengths.tolist(), times.tolist(), strict=True))
    after = _counts(items, item_words(entries))
    guess = after if guess is None else guess
    return audit_of(draft, original_counts(baskets), after, guess, held, hierarchy)


def audit_of(
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
    told = in_order(after, public_places(hierarchy))
    report = Report(
        manifest=draft.manifest,
        verdict=draft.shown_verdict,
        sizes={},
        loss_by_column={},
        marginals={"items": told},
        charts=(
            Chart(
                "How long the baskets are",
                "How many records have how many published items.",
                sorted(lengths),
                {"records": [float(lengths[length]) for length in sorted(lengths)]},
                "items in a basket",
            ),
        ),
        levels=item_levels("items", told, hierarchy),
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
    places = None if hierarchy is None else hierarchy.places
    items = in_order({item: before.get(item, 0) for item in [*before, *guess]}, places)
    return [(item, float(many), round(float(guess.get(item, 0)), 6)) for item, many in items]


def item_guesses(release: RecodedBaskets, values: Sequence[str]) -> dict[str | None, float]:
    """For each original item, how many records a reader of the release would guess to hold it."""
    records = np.bincount(release.items, minlength=len(release.forms.labels))
    return guesses_of(release.forms, records, values)


def guesses_of(forms: Forms, records: I8, values: Sequence[str]) -> dict[str | None, float]:
    """The same, from how many records hold each published form."""
    found = guessed(forms, records, len(values))
    return {value: float(many) for value, many in zip(values, found, strict=True) if many}


def wrong_items(bands: Sequence[Band]) -> tuple[Chart, ...]:
    """Of baskets by vote: how often rows are wrong about the items of each band."""
    title = "Wrong items, for rare and for frequent items"
    about = (
        "For every hundred times that originals hold such an item: how often their row lacks it, "
        "or another row has it."
    )
    return (
        Chart(
            title,
            about,
            [f"{band.low:.1%} to {band.high:.0%}" for band in bands],
            {
                "lacking": [100 * band.lost / max(band.held, 1) for band in bands],
                "added": [100 * band.added / max(band.held, 1) for band in bands],
            },
            "share of the records that hold an item",
        ),
    )


def item_counts(cells: pl.Series, groups: Groups = NO_GROUPS) -> Counts:
    """How many records hold each published item, most frequent first."""
    _, items, entries = read_items(cells, groups)
    return _counts(items, item_words(entries))


def original_counts(baskets: Baskets) -> Counts:
    """How many records hold each original item, most frequent first."""
    return _counts(baskets.items, list(baskets.values))


def item_words(entries: Sequence[Entry]) -> list[str]:
    """Entries in words: a set of items as its members in brackets."""
    return [entry if isinstance(entry, str) else "{" + ", ".join(entry) + "}" for entry in entries]


def _counts(items: I4, names: list[str]) -> Counts:
    """How many records hold each item, most frequent first."""
    return by_frequency(np.bincount(items, minlength=len(names)), names)


def by_frequency(times: I8, names: Sequence[str]) -> Counts:
    """Names with their numbers, the largest first; those that do not occur are left out."""
    return {names[place]: int(times[place]) for place in np.argsort(-times, kind="stable") if times[place]}
