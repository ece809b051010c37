"""The part of the audit that tells what a release is good for."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.report import figures, parts
from shoal.report.facts import Prediction, Useful
from shoal.report.words import label, number, percent
from shoal.utility.columns import Association, StatisticInterval
from shoal.utility.queries import QueryErrors

__all__ = ["UsefulSection", "changes_figure", "models_figure", "sections"]

_PAIRS_SHOWN = 12
_GUESS = "always guessing"
_MODELS = {"logistic": "logistic regression", "boosted": "boosted trees"}
_MEASURES = {"cramers-v": "Cramér's V", "correlation": "correlation"}


@dataclass(frozen=True, slots=True)
class UsefulSection:
    """A heading, what the figures say, how to read them, a plot and a table, each where there is one."""

    id: str
    title: str
    said: str
    about: str
    plot: parts.Plot | None = None
    table: parts.ShownTable | None = None


def sections(useful: Useful | None) -> list[UsefulSection]:
    """What there is to show, in the order to show it."""
    if useful is None:
        return []
    said = useful.sentences
    found = [
        _models(useful.prediction, said.get("prediction", "")),
        _pairs(useful.associations, useful.pairs, said.get("associations", "")),
        _queries(useful.queries, said.get("queries", "")),
        _numbers(useful.numbers, said.get("numbers", "")),
        _groups(useful.groups, said.get("groups", "")),
    ]
    return [section for section in found if section is not None]


def models_figure(found: Prediction) -> figures.Figure:
    """Draw how often each model is right, trained on the release and on the originals."""
    names = [_MODELS.get(score.model, score.model) for score in found.scores]
    guess = [100 * found.majority]
    series = {
        "trained on the release": [100 * score.accuracy for score in found.scores] + guess,
        "trained on the originals": [100 * score.accuracy_originals for score in found.scores] + guess,
    }
    colours = figures.BLUE, figures.GREY
    return figures.chart(series, [*names, _GUESS], "predicted right, in percent", colours=colours)


def changes_figure(found: Sequence[Association]) -> figures.Figure:
    """Draw the associations that changed most, before and after."""
    shown = found[:_PAIRS_SHOWN]
    series = {"before": [pair.before for pair in shown], "after": [pair.after for pair in shown]}
    pairs = [f"{pair.first}, {pair.second}" for pair in shown]
    return figures.chart(series, pairs, "strength", colours=(figures.GREY, figures.BLUE))


def _models(found: Prediction | None, said: str) -> UsefulSection | None:
    if found is None:
        return None
    rows = [
        (
            _MODELS.get(s.model, s.model),
            percent(s.accuracy),
            percent(s.accuracy_originals),
            number(s.auc),
            number(s.auc_originals),
        )
        for s in found.scores
    ]
    rows.append((_GUESS, percent(found.majority), percent(found.majority), number(0.5), number(0.5)))
    head = ("Model", "Right, release", "Right, originals", "AUC, release", "AUC, originals")
    table = parts.ShownTable(f"How well {label(found.target)} is predicted", head, rows, (1, 2, 3, 4))
    alt = f"Bar chart of how often {label(found.target)} is predicted right."
    about = (
        "70% of the records were released once more, unpublished, with the same method and claim: "
        f"{number(found.learned)} rows to learn from. {number(found.tested)} other records were predicted. AUC says "
        "how well a model puts people in order: 0.5 is guessing, 1 is perfect."
    )
    plot = parts.Plot.of("models-figure", models_figure(found), alt, table)
    return UsefulSection("models", f"Predicting {label(found.target)}", said, about, plot)


def _pairs(found: Sequence[Association], pairs: int, said: str) -> UsefulSection | None:
    if not found:
        return None
    rows = [
        (
            f"{label(pair.first)} and {label(pair.second)}",
            _MEASURES.get(pair.measure, pair.measure),
            number(pair.before),
            number(pair.after),
        )
        for pair in found[:_PAIRS_SHOWN]
    ]
    caption = (
        f"The largest changes of {number(pairs)}"
        if pairs > len(rows)
        else "All pairs, the largest change first"
    )
    table = parts.ShownTable(caption, ("Columns", "Measure", "Before", "After"), rows, (2, 3))
    about = (
        "Cramér's V, corrected for its bias, is 0 where one column says nothing about the other and 1 where it "
        "determines it; correlation goes from -1 to 1. Each released value counts as the values that it stands "
        "for, all equally likely."
    )
    return UsefulSection(
        "pairs", "How columns depend on each other, before and after", said, about, table=table
    )


def _queries(found: QueryErrors | None, said: str) -> UsefulSection | None:
    if found is None:
        return None
    about = (
        "Each question asks for one to three columns, a value or a range each, and at least one person fits it. "
        "This mean is "
        f"the average relative error (ARE); a true count below {number(found.bound)} is taken for "
        f"{number(found.bound)}."
    )
    return UsefulSection("queries", "Counting in the release", said, about)


def _numbers(found: Sequence[StatisticInterval], said: str) -> UsefulSection | None:
    if not found:
        return None
    rows = [
        (label(one.column), one.what, number(one.low), number(one.high), number(one.true)) for one in found
    ]
    head = ("Column", "Figure", "At least", "At most", "In truth")
    table = parts.ShownTable("Means and quartiles", head, rows, (2, 3, 4))
    about = (
        "Every released number is a span, so the release allows an interval and no more. A suppressed record may "
        "have had any value of the column."
    )
    return UsefulSection("numbers", "Means and quartiles", said, about, table=table)


def _groups(found: Sequence[StatisticInterval], said: str) -> UsefulSection | None:
    if not found:
        return None
    rows = [
        (
            label(one.column),
            label(one.what),
            number(int(one.low)),
            number(int(one.high)),
            number(int(one.true)),
        )
        for one in found
    ]
    head = ("Column", "Group", "For certain", "At most", "In truth")
    table = parts.ShownTable("Sizes of groups", head, rows, (2, 3, 4))
    return UsefulSection("groups", "How large groups are", said, "", table=table)
