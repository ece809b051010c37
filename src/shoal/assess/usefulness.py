"""What a release is good for, measured beside its originals: for its owner alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.assess.prediction import (
    PUBLISHED,
    check_target,
    predict,
    read_originals,
    read_release,
    require_models,
    score_rehearsal,
)
from shoal.base.errors import ShoalError
from shoal.publish.draft import Draft
from shoal.release import Recoded, RecodedBaskets, VotedBaskets
from shoal.report.facts import MODELS, Prediction, Useful
from shoal.report.words import number, percent
from shoal.shapes.dataset import Dataset
from shoal.shapes.table.data import TableData
from shoal.utility.baskets import form_sizes, support_bounds, vote_support_bounds
from shoal.utility.columns import (
    Association,
    Cells,
    StatisticInterval,
    group_sizes,
    mean,
    measure_associations,
    number_bounds,
    quantile,
    sort_known_numbers,
)
from shoal.utility.queries import QueryErrors, draw_queries, table_are

__all__ = [
    "Usefulness",
    "_associations_of",
    "_groups_of",
    "_numbers_of_columns",
    "check_target_early",
    "measure_usefulness",
    "model_figures",
    "table_figures",
]

# What `release.measure_usefulness()` returns: the facts of the audit, to be looked at in Python and notebooks.


@dataclass(frozen=True, repr=False)
class Usefulness(Useful):
    """What a release is good for: `table()` to read it, `plot()` to see it, `as_dict()` for everything; private."""

    def table(self) -> pl.DataFrame:
        """One row per figure: what it is and of what, in the originals and in the release, or between what it lies."""
        rows: list[tuple[str, str, float, float | None, float | None, float | None]] = []
        if self.prediction is not None:
            for score in self.prediction.scores:
                name, target_name = MODELS[score.model], self.prediction.target
                rows.append(
                    (f"accuracy, {name}", target_name, score.accuracy_originals, score.accuracy, None, None)
                )
                rows.append((f"auc, {name}", target_name, score.auc_originals, score.auc, None, None))
        rows += [
            (p.measure, f"{p.first}, {p.second}", p.before, p.after, None, None) for p in self.associations
        ]
        if self.queries is not None:
            rows.append(("are", "counts", 0.0, self.queries.mean, None, None))
        rows += [
            (interval.what, interval.column, interval.true, None, interval.low, interval.high)
            for interval in self.numbers
        ]
        rows += [
            ("size", f"{interval.column}: {interval.what}", interval.true, None, interval.low, interval.high)
            for interval in self.groups
        ]
        kinds = {"figure": pl.String, "of": pl.String} | dict.fromkeys(
            ("originals", "release", "at least", "at most"), pl.Float64
        )
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def plot(self) -> Any:
        """Draw how well the target is predicted; without a target, the associations that changed most."""
        from shoal.report.figures import to_plotly_figure
        from shoal.report.parts import changes_figure, models_figure

        if self.prediction is None:
            return to_plotly_figure(changes_figure(self.associations))
        return to_plotly_figure(models_figure(self.prediction))


# What a release is good for, measured beside its originals: for its owner alone.

_MOST_CELLS = 20_000_000  # cells of a table, beyond which the audit would take minutes
_MOST_TO_REHEARSE = 3_000_000  # cells or items of a rehearsal, which takes its method about a minute
_MOST_COLUMNS = 400
_GROUPS, _SMALL_GROUPS = 50, 12
_PAIRS_TOLD = 200
_RANDOM = 0
"""What questions and samples are drawn with; it protects nothing."""


def measure_usefulness(draft: Draft, target: str | None = None) -> Usefulness:
    """All that can be measured of a release; with a target, models that learn from it too.

    Parameters
    ----------
    draft
        A release and its originals.
    target
        The column to predict. None takes the method's own, if it was given one.

    Raises
    ------
    ShoalError
        A target was named that no model can be trained for, or scikit-learn is not installed.
    """
    people, release = _table_part(draft)
    if people is not None and people.table.counts is not None:
        return Usefulness(notes=[_too_many_records_note(people)])
    prediction, notes = _predict_or_explain(draft, target)
    items = _supports_of(draft.dataset, draft.result.release)
    if people is not None and people.table.n * len(people.table.columns) > _MOST_CELLS:
        notes.append(_too_many_records_note(people))
        people = None
    if people is None or release is None:
        sentences = _sentences_on(prediction=prediction, groups=items)
        return Usefulness(prediction=prediction, groups=items, sentences=sentences, notes=notes)
    pairs, sample_notes = _associations_of(people, release)
    queries, numbers = _queries_of(people, release), _numbers_of_columns(people, release)
    groups = [*_groups_of(people, release), *items]
    return Usefulness(
        prediction=prediction,
        associations=pairs[:_PAIRS_TOLD],
        pairs=len(pairs),
        mean_change=float(np.mean([pair.change for pair in pairs])) if pairs else 0.0,
        queries=queries,
        numbers=numbers,
        groups=groups,
        sentences=_sentences_on(prediction, pairs, queries, numbers, groups),
        notes=[*notes, *sample_notes],
    )


def _too_many_records_note(people: TableData) -> str:
    return (
        f"{people.records:,} records are too many to measure associations, counts and intervals during a run; read "
        "some of them and see that audit"
    )


def check_target_early(dataset: Any, target: str | None) -> None:
    """Refuse at once what would be refused after a long run: a target that cannot be predicted, a missing package."""
    if target is not None:
        check_target(dataset, target)
        require_models()


def _associations_of(people: TableData, release: Recoded) -> tuple[list[Association], list[str]]:
    """How strongly columns hang together before and after, and a note where only some of the records were looked at."""
    columns = [column for column in people.table.columns if column.role in PUBLISHED]
    if len(columns) > _MOST_COLUMNS:
        return [], [f"{len(columns)} columns are too many to measure each pair of them"]
    originals = read_originals(people, max(4, min(_GROUPS, 2000 // max(len(columns), 1))))
    released = read_release(release, originals)
    width = sum(len(cells.names) for cells in originals)
    limit = int(min(100_000, max(2000, 1e10 / max(width, 1) ** 2)))
    if people.table.n <= limit:
        return measure_associations(originals, released), []
    is_picked = np.zeros(people.table.n, dtype=bool)
    is_picked[np.random.default_rng(_RANDOM).choice(people.table.n, size=limit, replace=False)] = True
    rows = np.flatnonzero(is_picked), np.flatnonzero(is_picked[release.rows])
    sampled = [
        [cells.some(row) for cells in side] for side, row in zip((originals, released), rows, strict=True)
    ]
    return measure_associations(*sampled), [
        f"associations were measured on {limit:,} of {people.table.n:,} records, drawn at random"
    ]


def _queries_of(people: TableData, release: Recoded) -> QueryErrors | None:
    """How far off counts are; None where there is nothing to ask for."""
    originals = read_originals(people)
    drawn_queries = draw_queries(
        originals, seed=_RANDOM, queries=max(50, min(500, 50_000_000 // max(people.table.n, 1)))
    )
    return table_are(drawn_queries, originals, read_release(release, originals)) if drawn_queries else None


def _numbers_of_columns(people: TableData, release: Recoded) -> list[StatisticInterval]:
    """The mean and the quartiles of each quasi-identifier that is a number."""
    intervals = []
    for old, new in _quasi_before_and_after(people, release):
        if old.numbers is None:
            continue
        true, (lows, highs) = sort_known_numbers(old), number_bounds(new, release.suppressed)
        if not len(true):
            continue
        intervals.append(StatisticInterval(old.name, "mean", mean(lows), mean(highs), mean(true)))
        for share, words in ((0.25, "lower quartile"), (0.5, "median"), (0.75, "upper quartile")):
            ends = quantile(lows, share), quantile(highs, share)
            intervals.append(StatisticInterval(old.name, words, *ends, quantile(true, share)))
    return intervals


def _groups_of(people: TableData, release: Recoded) -> list[StatisticInterval]:
    """The sizes of at most twelve groups of each quasi-identifier's values, in the order of its hierarchy."""
    intervals = []
    for old, new in _quasi_before_and_after(people, release):
        (true, _), (certain, possible) = group_sizes(old), group_sizes(new, release.suppressed)
        intervals += [
            StatisticInterval(old.name, name, float(low), float(high), float(count))
            for name, low, high, count in zip(old.names, certain, possible, true, strict=True)
        ]
    return intervals


def _quasi_before_and_after(people: TableData, release: Recoded) -> Sequence[tuple[Cells, Cells]]:
    """The quasi-identifiers before and after, their values in few groups."""
    originals = [cells for cells in read_originals(people, _SMALL_GROUPS) if cells.name in release.names]
    return list(zip(originals, read_release(release, originals), strict=True))


def _predict_or_explain(draft: Draft, target: str | None) -> tuple[Prediction | None, list[str]]:
    """What models learn from a rehearsal of the release, or a note why none were trained."""
    check_target_early(draft.dataset, target)
    name = draft.method["parameters"].get("target") if target is None else target
    if not isinstance(name, str):
        return None, []
    if draft.maker is None:
        return None, [
            f"no model was trained for {name}: a rehearsal needs a release that shoal.anonymize made"
        ]
    if draft.dataset.cells > _MOST_TO_REHEARSE:
        amount = f"{draft.dataset.cells:,} cells and items"
        return None, [
            f"no model was trained for {name}: releasing {amount} once more takes too long during a run"
        ]
    try:
        return score_rehearsal(draft.dataset, draft.maker, name), []
    except ShoalError as error:
        return None, [f"no model was trained for {name}: {error}"]


def _table_part(draft: Draft) -> tuple[TableData | None, Recoded | None]:
    """The part of a release that is a table, and its originals."""
    people, release = draft.dataset.table_part, draft.result.release
    return (None, None) if people is None else (people, getattr(release, "table", release))


# How many people hold the most frequent items, and what a release tells of that for certain.

_SHOWN = 12


def _supports_of(dataset: Any, release: Any) -> list[StatisticInterval]:
    """The supports of the items that most originals hold, the most frequent first; none without baskets in memory."""
    baskets, released = dataset.basket_part, getattr(release, "baskets", release)
    if baskets is None:
        return []
    if not isinstance(released, VotedBaskets | RecodedBaskets):
        return []  # the records are not in memory
    width = len(baskets.values)
    true = np.bincount(baskets.items, minlength=width)
    if isinstance(released, VotedBaskets):
        low, high = vote_support_bounds(released, width)
    else:
        low, high = support_bounds(released, form_sizes(released.forms, dataset.hierarchy), width)
    order = np.argsort(-true, kind="stable")[:_SHOWN].tolist()
    return [
        StatisticInterval(
            baskets.name, baskets.values[item], float(low[item]), float(high[item]), float(true[item])
        )
        for item in order
        if true[item]
    ]


# What a release is good for, in single figures by name: what a comparison of methods puts into its table.


def table_figures(dataset: Dataset, release: Any) -> dict[str, float]:
    """Of tables, alone or with baskets: how far off counts, associations and means are; empty for other shapes.

    `table_are` is the average relative error of counts, `association_change` and `association_worst` the mean and the
    largest change of an association, `mean_width` how wide the interval of a mean is as a share of its column's
    numbers, on average.

    Parameters
    ----------
    dataset
        The originals.
    release
        What a method made of them: `Release.result.release`.
    """
    people: TableData | None = dataset.table_part
    if people is None:
        return {}
    table = getattr(release, "table", release)
    figures: dict[str, float] = {}
    queries, (pairs, _) = _queries_of(people, table), _associations_of(people, table)
    if queries is not None:
        figures["table_are"] = queries.mean
    if pairs:
        figures["association_change"] = sum(pair.change for pair in pairs) / len(pairs)
        figures["association_worst"] = pairs[0].change
    means = [interval for interval in _numbers_of_columns(people, table) if interval.what == "mean"]
    if means:
        domain_by_name = {
            cells.name: cells.domain() for cells in read_originals(people) if cells.numbers is not None
        }
        widths = [
            (interval.high - interval.low)
            / ((domain_by_name[interval.column][1] - domain_by_name[interval.column][0]) or 1.0)
            for interval in means
        ]
        figures["mean_width"] = sum(widths) / len(widths)
    return figures


def model_figures(train: Dataset, release: Any, held: Dataset, target: str) -> dict[str, float]:
    """Accuracy and AUC by model, trained on a release of `train`, tested on `held`, and beside them the originals' own.

    See `predict`; `train` and `held` come from `split`.
    """
    prediction = predict(train, release, held, target)
    figures = {"majority_accuracy": prediction.majority}
    for score in prediction.scores:
        figures |= {
            f"{score.model}_accuracy": score.accuracy,
            f"{score.model}_accuracy_originals": score.accuracy_originals,
            f"{score.model}_auc": score.auc,
            f"{score.model}_auc_originals": score.auc_originals,
        }
    return figures


# What the figures say, in a sentence each, for people who are no statisticians.

_LITTLE = 0.005
"""A gain over guessing that is too small to be told in shares of it."""


def _sentences_on(
    prediction: Prediction | None = None,
    associations: Sequence[Association] = (),
    queries: QueryErrors | None = None,
    numbers: Sequence[StatisticInterval] = (),
    groups: Sequence[StatisticInterval] = (),
) -> dict[str, str]:
    """A sentence or two by part, for the parts that there are."""
    return {
        **({} if prediction is None else {"prediction": _model_sentence(prediction)}),
        **({"associations": _association_sentence(associations)} if associations else {}),
        **({} if queries is None else {"queries": _query_sentence(queries)}),
        **({"numbers": _number_sentence(numbers)} if numbers else {}),
        **({"groups": _group_sentence(groups)} if groups else {}),
    }


def _model_sentence(found: Prediction) -> str:
    best = max(found.scores, key=lambda score: score.accuracy)
    comparison = (
        f"Trained on a release, a model ({MODELS[best.model]}) gets {found.target} right for "
        f"{percent(best.accuracy)} of the people who are not in it; trained on the originals, for "
        f"{percent(best.accuracy_originals)}. Always guessing the most frequent value is right for "
        f"{percent(found.majority)}."
    )
    gain, kept_gain = best.accuracy_originals - found.majority, best.accuracy - found.majority
    if gain < _LITTLE:
        return f"{comparison} The originals themselves teach hardly more than that guess."
    return (
        f"{comparison} So the release keeps {percent(min(1.0, max(0.0, kept_gain / gain)))} of what the "
        "originals teach."
    )


def _association_sentence(found: Sequence[Association]) -> str:
    strongest_change = found[0]
    kind = "correlation" if strongest_change.measure == "correlation" else "association"
    mean = sum(pair.change for pair in found) / len(found)
    if strongest_change.change == 0:
        return "No association between two columns changed."
    return (
        f"The {kind} of {strongest_change.first} and {strongest_change.second} changed most: from "
        f"{number(strongest_change.before)} in the originals to "
        f"{number(strongest_change.after)} in the release. The mean change of all {number(len(found))} figures "
        f"is {number(mean)}."
    )


def _query_sentence(found: QueryErrors) -> str:
    return (
        f"Of {number(found.queries)} questions such as how many people are of this age and sex, the answer from "
        f"the release is off by {percent(found.mean)} of the true count on average, and by at most "
        f"{percent(found.median)} for half of them."
    )


def _number_sentence(found: Sequence[StatisticInterval]) -> str:
    widest = max(
        (interval for interval in found if interval.what == "mean"),
        key=lambda one: (one.high - one.low) / (abs(one.true) or 1.0),
    )
    if widest.high == widest.low:
        return "The release gives every mean and quartile exactly."
    return (
        f"The mean of {widest.column} is the least certain: from the release alone it lies between "
        f"{number(widest.low)} and {number(widest.high)}; it is {number(widest.true)}."
    )


def _group_sentence(found: Sequence[StatisticInterval]) -> str:
    widths = sorted(interval.high - interval.low for interval in found)
    exact = sum(width == 0 for width in widths)
    if exact == len(found):
        return "The release gives the exact size of every group of people."
    return (
        f"Of {number(len(found))} groups of people, the release gives the exact size of "
        f"{number(exact) if exact else 'none'}. For half of them the least and the largest size that it allows "
        f"differ by {number(widths[len(widths) // 2])} or fewer people."
    )
