"""What a release is good for, measured beside its originals: for its owner alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.errors import ShoalError
from shoal.publish.draft import Draft
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.study.useful.items import supports_of
from shoal.publish.study.useful.models import require_models
from shoal.publish.study.useful.predicting import check_target, rehearsed
from shoal.publish.study.useful.reading import read_originals, read_release
from shoal.publish.study.useful.sentences import sentences_on
from shoal.publish.study.useful.usefulness import Usefulness
from shoal.publish.table.dataset import TableData
from shoal.release import Recoded
from shoal.report.useful_facts import Prediction
from shoal.utility.associations import Association, associations
from shoal.utility.column_cells import Cells
from shoal.utility.intervals import Between, group_sizes, known_numbers, mean, possible_numbers, quantile
from shoal.utility.table_queries import QueryErrors, draw_queries, table_are

__all__ = ["associations_of", "check_asked", "groups_of", "measured", "numbers_of_columns", "queries_of"]

_MOST_CELLS = 20_000_000  # cells of a table, beyond which the audit would take minutes
_MOST_TO_REHEARSE = 3_000_000  # cells or items of a rehearsal, which takes its maker about a minute
_MOST_COLUMNS = 400
_GROUPS, _SMALL_GROUPS = 50, 12
_PAIRS_TOLD = 200
_RANDOM = 0
"""What questions and samples are drawn with; it protects nothing."""


def measured(draft: Draft, target: str | None = None) -> Usefulness:
    """All that can be measured of a release; with a target, models that learn from it too.

    Parameters
    ----------
    draft
        A release and its originals.
    target
        The column to predict. None takes the maker's own, if it was given one.

    Raises
    ------
    ShoalError
        A target was named that no model can be trained for, or scikit-learn is not installed.
    """
    people, release = _table_of(draft)
    if people is not None and people.table.counts is not None:
        return Usefulness(notes=[_too_many(people)])
    prediction, notes = _predicted(draft, target)
    items = supports_of(draft.dataset, draft.result.release)
    if people is not None and people.table.n * len(people.table.columns) > _MOST_CELLS:
        notes.append(_too_many(people))
        people = None
    if people is None or release is None:
        said = sentences_on(prediction=prediction, groups=items)
        return Usefulness(prediction=prediction, groups=items, sentences=said, notes=notes)
    pairs, more = associations_of(people, release)
    queries, numbers = queries_of(people, release), numbers_of_columns(people, release)
    groups = [*groups_of(people, release), *items]
    return Usefulness(
        prediction=prediction,
        associations=pairs[:_PAIRS_TOLD],
        pairs=len(pairs),
        mean_change=float(np.mean([pair.change for pair in pairs])) if pairs else 0.0,
        queries=queries,
        numbers=numbers,
        groups=groups,
        sentences=sentences_on(prediction, pairs, queries, numbers, groups),
        notes=[*notes, *more],
    )


def _too_many(people: TableData) -> str:
    return (
        f"{people.records:,} records are too many to measure associations, counts and intervals beside a run; read a "
        "part of them and look at its audit"
    )


def check_asked(dataset: Any, target: str | None) -> None:
    """Refuse at once what would be refused after a long run: a target that cannot be predicted, a missing package."""
    if target is not None:
        check_target(dataset, target)
        require_models()


def associations_of(people: TableData, release: Recoded) -> tuple[list[Association], list[str]]:
    """How strongly columns hang together before and after, and a note where only some of the records were looked at."""
    columns = [c for c in people.table.columns if c.role in ("quasi", "sensitive", "plain")]
    if len(columns) > _MOST_COLUMNS:
        return [], [f"{len(columns)} columns are too many to measure each pair of them"]
    before = read_originals(people, max(4, min(_GROUPS, 2000 // max(len(columns), 1))))
    after = read_release(release, before)
    width = sum(len(cells.names) for cells in before)
    few = int(min(100_000, max(2000, 1e10 / max(width, 1) ** 2)))
    if people.table.n <= few:
        return associations(before, after), []
    picked = np.zeros(people.table.n, dtype=bool)
    picked[np.random.default_rng(_RANDOM).choice(people.table.n, size=few, replace=False)] = True
    rows = np.flatnonzero(picked), np.flatnonzero(picked[release.rows])
    some = [[cells.some(row) for cells in side] for side, row in zip((before, after), rows, strict=True)]
    return associations(*some), [
        f"associations were measured on {few:,} of {people.table.n:,} records, drawn at random"
    ]


def queries_of(people: TableData, release: Recoded) -> QueryErrors | None:
    """How far off counts are; None where there is nothing to ask for."""
    before = read_originals(people)
    asked = draw_queries(
        before, seed=_RANDOM, queries=max(50, min(500, 50_000_000 // max(people.table.n, 1)))
    )
    return table_are(asked, before, read_release(release, before)) if asked else None


def numbers_of_columns(people: TableData, release: Recoded) -> list[Between]:
    """The mean and the quartiles of each quasi-identifier that is a number."""
    found = []
    for old, new in _quasi(people, release):
        if old.numbers is None:
            continue
        true, (lows, highs) = known_numbers(old), possible_numbers(new, release.suppressed)
        if not len(true):
            continue
        found.append(Between(old.name, "mean", mean(lows), mean(highs), mean(true)))
        for share, words in ((0.25, "lower quartile"), (0.5, "median"), (0.75, "upper quartile")):
            ends = quantile(lows, share), quantile(highs, share)
            found.append(Between(old.name, words, *ends, quantile(true, share)))
    return found


def groups_of(people: TableData, release: Recoded) -> list[Between]:
    """The sizes of at most twelve groups of each quasi-identifier's values, in the order of its hierarchy."""
    found = []
    for old, new in _quasi(people, release):
        (true, _), (certain, possible) = group_sizes(old), group_sizes(new, release.suppressed)
        found += [
            Between(old.name, name, float(low), float(high), float(count))
            for name, low, high, count in zip(old.names, certain, possible, true, strict=True)
        ]
    return found


def _quasi(people: TableData, release: Recoded) -> Sequence[tuple[Cells, Cells]]:
    """The quasi-identifiers before and after, their values in few groups."""
    before = [cells for cells in read_originals(people, _SMALL_GROUPS) if cells.name in release.names]
    return list(zip(before, read_release(release, before), strict=True))


def _predicted(draft: Draft, target: str | None) -> tuple[Prediction | None, list[str]]:
    """What models learn from a rehearsal of the release, or a note why none were trained."""
    check_asked(draft.dataset, target)
    name = draft.method["parameters"].get("target") if target is None else target
    if not isinstance(name, str):
        return None, []
    if draft.again is None:
        return None, [
            f"no model was trained for {name}: a rehearsal needs a release that shoal.anonymize made"
        ]
    if draft.dataset.cells > _MOST_TO_REHEARSE:
        many = f"{draft.dataset.cells:,} cells and items"
        return None, [
            f"no model was trained for {name}: releasing {many} once more takes too long beside a run"
        ]
    try:
        return rehearsed(draft.dataset, draft.again, name), []
    except ShoalError as error:
        return None, [f"no model was trained for {name}: {error}"]


def _table_of(draft: Draft) -> tuple[TableData | None, Recoded | None]:
    """The part of a release that is a table, and its originals."""
    dataset, release = draft.dataset, draft.result.release
    if isinstance(dataset, MixedData):
        return dataset.people, release.table
    return (dataset, release) if isinstance(dataset, TableData) else (None, None)
