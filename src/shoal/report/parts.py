"""What the pages are made of: plots with the table of their numbers, plain tables, and sections of both.

A section has the words of the pages, so that a reader meets the same figure under the same heading everywhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from shoal.release import ColumnTelling
from shoal.report import figures
from shoal.report.facts import (
    MODELS,
    Accuracy,
    AttributeRisk,
    Audit,
    Change,
    Chart,
    IdentityRisk,
    Marginal,
    Prediction,
    Report,
    Tradeoff,
    Useful,
    WeightedFigure,
    to_json_value,
)
from shoal.report.figures import Figure
from shoal.report.svg import draw_svg
from shoal.report.words import NONE, RISKS, label, names_in_words, number, percent, value
from shoal.utility import LOSSES, sort_losses
from shoal.utility.columns import Association, StatisticInterval
from shoal.utility.queries import QueryErrors

__all__ = [
    "Plot",
    "Section",
    "ShownTable",
    "UsefulSection",
    "accuracy_table",
    "attribute_risks_table",
    "change_plot",
    "changes_figure",
    "chart_plot",
    "class_shares_plot",
    "class_sizes_plot",
    "column_losses",
    "facts_table",
    "figures_of",
    "front_plot",
    "front_sections",
    "identity_risks_table",
    "losses_table",
    "marginal_plot",
    "models_figure",
    "other_rules_table",
    "pair_accuracy_table",
    "risks_table",
    "rules_table",
    "sections_with_plots",
    "times_table",
    "tradeoff_figure",
    "tradeoff_plot",
    "useful_sections",
    "weight_figures_table",
]

_SHARES = ("highest", "average", "individual", "individual_highest", "individual_above", "household")


_ATTRIBUTE_FIGURES = {
    "l": ("fewest different values among look-alikes (distinct l)", number),
    "entropy": ("fewest values, counted by how evenly they are spread (entropy l)", number),
    "t": ("largest distance of look-alikes from all records: 0 is the same, 1 nothing in common (t)", number),
    "share": ("largest share of look-alikes that has one value", percent),
    "given_away": ("records whose look-alikes all have the same value, so that it is given away", percent),
    "hidden_overall": ("people with a hidden value or none told, of all", percent),
    "hidden_half": ("the same, of look-alikes: half of the classes have at most", percent),
    "hidden": ("the same, of look-alikes: no class has more than", percent),
}


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table to show; `numeric` holds the places of columns that align to the right."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure to show: its data, what it says to somebody who cannot see it, and its numbers as a table."""

    id: str
    figure: Figure
    alt: str
    table: ShownTable
    title: str = ""
    role: str = ""

    @classmethod
    def of(
        cls, name: str, figure: Figure, alt: str, table: ShownTable, title: str = "", role: str = ""
    ) -> "Plot":
        """Take the title out of the figure: the page has headings of its own."""
        layout = {key: setting for key, setting in figure["layout"].items() if key != "title"}
        layout["margin"] = {**layout.get("margin", {}), "t": 36 if layout.get("showlegend") else 28}
        return cls(name, to_json_value({**figure, "layout": layout}), alt, table, title, role)

    @property
    def svg(self) -> Markup:
        """The figure as a page shows it."""
        return draw_svg(self.figure, self.alt)


class Section(NamedTuple):
    """A heading, a sentence on how to read what is below it, and plots."""

    title: str
    about: str
    plots: Sequence[Plot]


def sections_with_plots(found: Iterable[tuple[str, str, Iterable[Plot | None]]]) -> list[Section]:
    """The sections that have a plot."""
    candidates = [Section(title, about, [plot for plot in plots if plot]) for title, about, plots in found]
    return [section for section in candidates if section.plots]


def class_sizes_plot(report: Report, k: int) -> Plot:
    """The histogram of class sizes."""
    sizes = {int(size): int(count) for size, count in report.sizes.items()}
    records = sum(size * count for size, count in sizes.items())
    rows = [
        (
            figures.span(lo, hi),
            number(classes),
            number(record_count),
            percent(record_count / records if records else 0),
        )
        for lo, hi, classes, record_count in figures.size_bins(sizes, k)
    ]
    alt = f"Bar chart of class sizes: {number(sum(sizes.values()))} classes"
    if sizes:
        alt += f", the smallest of {number(min(sizes))} and the largest of {number(max(sizes))} records"
    table = ShownTable(
        "How many classes have each size", ("Size", "Classes", "Records", "Share of records"), rows, (1, 2, 3)
    )
    return Plot.of("classes-figure", figures.class_sizes_figure(sizes, k), f"{alt}.", table)


def column_losses(columns: Mapping[str, float | None]) -> Plot | None:
    """The loss of each column, None for one that is left out; None without columns."""
    if not columns:
        return None
    losses = {name: 1.0 if loss is None else float(loss) for name, loss in columns.items()}
    order = sorted(losses, key=lambda name: -losses[name])
    rows = [(label(name), "left out" if columns[name] is None else number(losses[name])) for name in order]
    alt = f"Bar chart of the loss of {len(rows)} columns, from {rows[-1][1]} to {rows[0][1]}."
    table = ShownTable("Loss of each column", ("Column", "Loss"), rows, (1,))
    return Plot.of("loss-figure", figures.column_losses_figure(losses), alt, table)


def marginal_plot(place: int, name: str, role: str, rows: Marginal, what: str = "column") -> Plot:
    """The released values of one column, or of what else has values."""
    figure = figures.marginal_figure(name, [row[0] for row in rows], [row[1] for row in rows])
    total = sum(row[1] for row in rows)
    cells = [
        (label(text), number(count), percent(count / total if total else 0))
        for text, count in figures.fold_rows(rows)
    ]
    alt = f"Bar chart of the {number(len(rows))} released values of {what} {label(name)}."
    table = ShownTable(f"{what.capitalize()} {label(name)}", ("Value", "Records", "Share"), cells, (1, 2))
    return Plot.of(f"column-{place}", figure, alt, table, label(name), role)


def change_plot(place: int, name: str, role: str, rows: Change, what: str = "column") -> Plot:
    """The values of one column, or of what else has values, before and after."""
    figure = figures.before_after(name, [row[0] for row in rows], [r[1] for r in rows], [r[2] for r in rows])
    cells = [(label(text), number(old), number(new)) for text, old, new in figures.fold_rows(rows)]
    alt = f"Bar chart of {what} {label(name)}: records for each value, before and after."
    table = ShownTable(f"{what.capitalize()} {label(name)}", ("Value", "Before", "After"), cells, (1, 2))
    return Plot.of(f"column-{place}", figure, alt, table, label(name), role)


def chart_plot(place: int, found: Chart) -> Plot:
    """What only some shapes have to show."""
    rows = [
        (label(x) if isinstance(x, str) else number(x), *(number(float(s[i])) for s in found.series.values()))
        for i, x in enumerate(found.x)
    ]
    head = (found.x_title, *(label(name) for name in found.series))
    table = ShownTable(found.title, head, rows, tuple(range(1, len(head))))
    figure = figures.series_figure(found.series, found.x, found.x_title)
    return Plot.of(f"chart-{place}", figure, f"{found.title}: {found.about}", table)


_PAIRS_TOLD = 20


def accuracy_table(accuracy: Accuracy | None) -> ShownTable:
    """How well each generalized column says what people have."""
    return ShownTable(
        "How well columns say what people have",
        ("Column", "Left, at least", "Mean, off by less than", "Counts, off by less than"),
        [
            (
                label(column.column),
                percent(column.kept),
                NONE if column.mean is None else f"{number(column.mean)} standard deviations",
                NONE if column.counts is None else percent(column.counts),
            )
            for column in (() if accuracy is None else accuracy.columns)
        ],
        (1, 2, 3),
    )


def pair_accuracy_table(accuracy: Accuracy | None) -> ShownTable:
    """The pairs of columns that turned, then those that are related most, before and after."""
    pairs = [] if accuracy is None else sorted(accuracy.pairs, key=lambda pair: not pair.is_turned)
    return ShownTable(
        "Columns that are related (Spearman's correlation, rounded)",
        ("Columns", "Of the people", "Of the release"),
        [
            (f"{label(pair.first)}, {label(pair.second)}", number(pair.before), number(pair.after))
            for pair in pairs[:_PAIRS_TOLD]
        ],
        (1, 2),
    )


def class_shares_plot(audit: Audit) -> Plot | None:
    """The share of records by the size of their class, before and after; None where it is not known."""
    if "below" not in audit.risk_before or "below" not in audit.risk_after:
        return None
    bands_before, bands_after = figures.risk_bands(audit.risk_before), figures.risk_bands(audit.risk_after)
    names = [figures.span(lo, None if hi is None else hi - 1) for lo, hi in figures.BANDS]
    rows = [(n, percent(b), percent(a)) for n, b, a in zip(names, bands_before, bands_after, strict=True)]
    alone_words = f"{rows[0][1]} stood alone before, {rows[0][2]} do after"
    alt = f"Bar chart of how large the classes of the records are: {alone_words}."
    table = ShownTable(
        "Share of records in classes of each size", ("Class size", "Before", "After"), rows, (1, 2)
    )
    return Plot.of(
        "risk-figure", figures.class_shares_figure(audit.risk_before, audit.risk_after), alt, table
    )


def front_plot(points: Sequence[Mapping[str, Any]], k: int | None) -> Plot | None:
    """The Pareto front; None without points."""
    if not points:
        return None
    rows = [
        (
            number(point["k"]),
            number(point["loss"]),
            number(point.get("suppressed")),
            value(point.get("levels", {})),
            "yes" if figures.is_proven(point) else "no",
        )
        for point in sorted(points, key=lambda point: point["k"])
    ]
    alt = (
        f"Step line of the least loss for every k, with one level per column: {len(rows)} points, k from {rows[0][0]} "
        f"to {rows[-1][0]}."
    )
    head = ("k", "Loss", "Suppressed", "Levels", "Proven")
    return Plot.of(
        "front-figure", figures.front(points, k), alt, ShownTable("The front", head, rows, (0, 1, 2))
    )


def losses_table(found: Mapping[str, Any], caption: str, own: str | None = None) -> ShownTable:
    """Losses with a line on what each means: the headline loss first, then the method's own."""
    rows = []
    for name, loss in sort_losses(found, own).items():
        loss_facts = LOSSES.get(name)
        value = percent(loss) if loss_facts and loss_facts.headline else number(loss)
        rows.append((label(name), value, loss_facts.words if loss_facts else ""))
    return ShownTable(caption, ("Loss", "Value", "What it says"), rows, (1,))


def risks_table(before: Mapping[str, Any], after: Mapping[str, Any]) -> ShownTable:
    """Every risk that is known, before beside after; unknown names last."""
    old, new = _flatten_risks(before), _flatten_risks(after)
    names = sorted(
        {**old, **new}, key=lambda name: list(RISKS).index(name[0]) if name[0] in RISKS else len(RISKS)
    )
    rows = [
        (
            f"{RISKS.get(kind, label(kind))} {extra}".strip(),
            old.get((kind, extra), NONE),
            new.get((kind, extra), NONE),
        )
        for kind, extra in names
    ]
    return ShownTable(
        "The risk of being found by the quasi-identifiers", ("", "Before", "After"), rows, (1, 2)
    )


def _flatten_risks(facts: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Risks by (name, threshold), written out."""
    risk_words: dict[tuple[str, str], str] = {}
    for name, item in facts.items():
        if name == "below":
            risk_words |= {(name, number(int(size))): percent(share) for size, share in item.items()}
        else:
            risk_words[name, ""] = percent(item) if name in _SHARES else value(item)
    return risk_words


def rules_table(found: Mapping[str, Any]) -> ShownTable:
    """How far up each column is published, with forms it then takes."""
    heights, examples = found.get("heights", {}), found.get("examples", {})
    rows = [
        (
            label(name),
            f"{number(level)} of {number(heights[name])}" if name in heights else number(level),
            ";  ".join(label(text) for text in examples.get(name, ())) or NONE,
        )
        for name, level in found.get("levels", {}).items()
    ]
    return ShownTable("The level of each column", ("Column", "Level", "Published as, for example"), rows)


def other_rules_table(found: Mapping[str, Any]) -> ShownTable:
    """What the rules hold beside levels."""
    return facts_table(
        {n: v for n, v in found.items() if n not in ("levels", "heights", "examples")}, "Other rules"
    )


def facts_table(found: Mapping[str, Any], caption: str) -> ShownTable:
    """Names and values whose meaning is the method's own."""
    rows = [(label(str(name)).replace("_", " "), value(item)) for name, item in found.items()]
    return ShownTable(caption, ("Fact", "Value"), rows)


def tradeoff_figure(
    points: Sequence[Mapping[str, Any]], released: tuple[float, float] | None = None
) -> Figure:
    """Draw releases by what their table loses and what their items lose; ring the one that was `released`."""
    line = {
        "type": "scatter",
        "x": [point["table-ncp"] for point in points],
        "y": [point["ul"] for point in points],
        "mode": "lines+markers",
        "line": {"color": figures.BLUE, "width": 2},
        "marker": {"size": 9, "color": figures.BLUE},
        "customdata": [[_hover(point)] for point in points],
        "hovertemplate": "%{customdata[0]}<extra></extra>",
    }
    return figures.empty_figure(
        [line] if released is None else [line, figures.ring_trace(*released, "top right")],
        "What the table and what the items lose",
        420,
        x=figures.axis("loss of the table (ncp)", rangemode="tozero"),
        y=figures.axis("loss of the items (ul)", rangemode="tozero"),
    )


def tradeoff_plot(found: Tradeoff | None) -> Plot | None:
    """The trade-off on the audit; None where it was not traced."""
    return None if found is None else _open_tradeoff_plot(found.points, (found.ncp, found.ul))


def _open_tradeoff_plot(
    points: Sequence[Mapping[str, Any]], released: tuple[float, float] | None = None
) -> Plot | None:
    """The trade-off of these points; None without any."""
    if not points:
        return None
    rows = [(number(p["table-ncp"]), number(p["ul"]), number(p["classes"])) for p in points]
    start, end = rows[0], rows[-1]
    alt = (
        f"Line of {len(rows)} releases: as the table's loss grows from {start[0]} to {end[0]}, that of the items "
        f"falls from {start[1]} to {end[1]}."
    )
    table = ShownTable(
        "The trade-off", ("Loss of the table (ncp)", "Loss of the items (ul)", "Classes"), rows, (0, 1, 2)
    )
    return Plot.of("tradeoff-figure", tradeoff_figure(points, released), alt, table)


def _hover(point: Mapping[str, Any]) -> str:
    return (
        f"table {number(point['table-ncp'])}, items {number(point['ul'])}<br>{number(point['classes'])} classes "
        f"after {number(point['merges'])} merges"
    )


def identity_risks_table(found: Sequence[IdentityRisk]) -> ShownTable:
    """The chances of a prosecutor, a journalist and a marketer, for each thing that may be known."""
    rows = [row for identity_risk in found for row in _attacker_rows(identity_risk)]
    head = ("What is known", "Attacker", "Before", "After")
    return ShownTable("The chance of finding a person, by what is known and by whom", head, rows, (2, 3))


def _attacker_rows(one: IdentityRisk) -> list[tuple[str, str, str, str]]:
    """What each of the three achieves."""

    def both(key: str, words: str = "") -> tuple[str, str]:
        sides = [percent(side.get(key)) for side in (one.before, one.after)]
        old, new = (share if share == NONE else f"{words} {share}".strip() for share in sides)
        return old, new

    limit = percent(one.threshold)
    journalist = both("outside") if "outside" in one.before else both("highest", "at most")
    return [
        (one.known, "prosecutor, for the person found most easily", *both("highest")),
        (one.known, f"prosecutor, share of people with a chance above {limit}", *both("above")),
        (one.known, "journalist, for the person found most easily", *journalist),
        (one.known, "marketer, share of people matched rightly", *both("average")),
    ]


def weight_figures_table(found: Sequence[WeightedFigure]) -> ShownTable:
    """How totals, means and shares by sampling weights move."""
    head = ("Column", "Figure", "All records", "Released records", "The same, published weights")
    rows = [
        (
            label(figure.column) if figure.column else NONE,
            figure.figure,
            *(_weighted_cell(figure, one) for one in (figure.of_all, figure.of_released, figure.published)),
        )
        for figure in found
    ]
    return ShownTable("Weighted totals, means and shares, before and after", head, rows, (2, 3, 4))


def _weighted_cell(figure: WeightedFigure, amount: float | None) -> str:
    return NONE if amount is None else percent(amount) if figure.is_share else number(amount)


def attribute_risks_table(found: Sequence[AttributeRisk]) -> ShownTable:
    """The l and t that are reached in each sensitive column, and whom one value gives away."""
    rows = [
        (
            f"{label(attribute_risk.column)} (known: {attribute_risk.known})"
            if attribute_risk.known
            else label(attribute_risk.column),
            words,
            write(attribute_risk.before[key]),
            write(attribute_risk.after[key]),
        )
        for attribute_risk in found
        for key, (words, write) in _ATTRIBUTE_FIGURES.items()
        if key in attribute_risk.before
    ]
    return ShownTable(
        "What is reached, whether or not the claim asks for it",
        ("Column", "Figure", "Before", "After"),
        rows,
        (2, 3),
    )


def columns_telling_table(found: Sequence[ColumnTelling]) -> ShownTable:
    """What each published column tells beyond k, with the quasi-identifiers with which it tells most."""
    rows = [
        (
            names_in_words([label(name) for name in telling.shown], len(telling.shown)),
            names_in_words([label(name) for name in telling.known], len(telling.known)),
            percent(telling.alone),
            percent(telling.mean),
            percent(telling.above),
        )
        for telling in found
    ]
    head = ("Column", "With", "Mean chance without it", "Mean chance with it", "People far above k")
    return ShownTable("The chance of matching a row of a class with its person", head, rows, (2, 3, 4))


def times_table(seconds: Mapping[str, float]) -> ShownTable:
    """How long each step took."""
    rows = [
        (label(step), f"{duration:.1f} s" if duration >= 0.05 else "<0.1 s")
        for step, duration in seconds.items()
    ]
    return ShownTable("Time of each step until this page was written", ("Step", "Time"), rows, (1,))


def figures_of(sections: Sequence[Section]) -> dict[str, dict[str, Any]]:
    """Every plot by its id, in order: the figure as plotly takes it, its headings, what it says, its numbers."""
    return {
        plot.id: {
            "section": section.title,
            "title": plot.title or section.title,
            "sentence": section.about,
            "words": plot.alt,
            "figure": plot.figure | {"layout": {**plot.figure["layout"], **_NO_BACKGROUND}},
            "table": asdict(plot.table),
        }
        for section in sections
        for plot in section.plots
    }


_NO_BACKGROUND = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
"""So that a figure stands on light and on dark."""


def front_sections(points: Sequence[Mapping[str, Any]], *, mixed: bool = False) -> list[Section]:
    """The trade-off to choose from, no point of it taken yet."""
    if mixed:
        about = (
            "Each point is a release that can be made: to the right the table loses more and the items less. "
            "There is no best point; you choose."
        )
        plot = _open_tradeoff_plot(points)
    else:
        about = (
            "Each point is a release that can be made, with one level per column; the line shows the least loss of "
            "these that reaches at least that k."
        )
        plot = front_plot(points, None)
    return sections_with_plots([("What each choice costs", about, [plot])])


# What a release is good for, as the audit tells it.

_PAIRS_SHOWN = 12
_GUESS = "always guessing"
_MEASURES = {"cramers-v": "Cramér's V", "correlation": "correlation"}


@dataclass(frozen=True, slots=True)
class UsefulSection:
    """A heading, what the figures say, how to read them, a plot and a table, each where there is one."""

    id: str
    title: str
    said: str
    about: str
    plot: Plot | None = None
    table: ShownTable | None = None


def useful_sections(useful: Useful | None) -> list[UsefulSection]:
    """What there is to show, in the order to show it."""
    return [] if useful is None else list(_useful_sections(useful, useful.sentences))


def _useful_sections(useful: Useful, said: Mapping[str, str]) -> Iterator[UsefulSection]:
    if useful.prediction is not None:
        yield _models_section(useful.prediction, said.get("prediction", ""))
    if useful.associations:
        yield _pairs_section(useful.associations, useful.pairs, said.get("associations", ""))
    if useful.queries is not None:
        yield _queries_section(useful.queries, said.get("queries", ""))
    if useful.numbers:
        yield _numbers_section(useful.numbers, said.get("numbers", ""))
    if useful.groups:
        yield _groups_section(useful.groups, said.get("groups", ""))


def models_figure(found: Prediction) -> Figure:
    """Draw how often each model is right, trained on the release and on the originals."""
    names = [MODELS.get(score.model, score.model) for score in found.scores]
    guess = [100 * found.majority]
    series = {
        "trained on the release": [100 * score.accuracy for score in found.scores] + guess,
        "trained on the originals": [100 * score.accuracy_originals for score in found.scores] + guess,
    }
    colours = figures.BLUE, figures.GREY
    return figures.series_figure(series, [*names, _GUESS], "predicted right, in percent", colours=colours)


def changes_figure(found: Sequence[Association]) -> Figure:
    """Draw the associations that changed most, before and after."""
    shown_pairs = found[:_PAIRS_SHOWN]
    series = {"before": [pair.before for pair in shown_pairs], "after": [pair.after for pair in shown_pairs]}
    pairs = [f"{pair.first}, {pair.second}" for pair in shown_pairs]
    return figures.series_figure(series, pairs, "strength", colours=(figures.GREY, figures.BLUE))


def _models_section(found: Prediction, said: str) -> UsefulSection:
    rows = [
        (
            MODELS.get(s.model, s.model),
            percent(s.accuracy),
            percent(s.accuracy_originals),
            number(s.auc),
            number(s.auc_originals),
        )
        for s in found.scores
    ]
    rows.append((_GUESS, percent(found.majority), percent(found.majority), number(0.5), number(0.5)))
    head = ("Model", "Right, release", "Right, originals", "AUC, release", "AUC, originals")
    table = ShownTable(f"How well {label(found.target)} is predicted", head, rows, (1, 2, 3, 4))
    alt = f"Bar chart of how often {label(found.target)} is predicted right."
    about = (
        "70% of the records were released once more, unpublished, with the same method and claim: "
        f"{number(found.learned)} rows to learn from. {number(found.tested)} other records were predicted. AUC says "
        "how well a model puts people in order: 0.5 is guessing, 1 is perfect."
    )
    plot = Plot.of("models-figure", models_figure(found), alt, table)
    return UsefulSection("models", f"Predicting {label(found.target)}", said, about, plot)


def _pairs_section(found: Sequence[Association], pairs: int, said: str) -> UsefulSection:
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
    table = ShownTable(caption, ("Columns", "Measure", "Before", "After"), rows, (2, 3))
    about = (
        "Cramér's V, corrected for its bias, is 0 where one column says nothing about the other and 1 where it "
        "determines it; correlation goes from -1 to 1. Each released value counts as the values that it stands "
        "for, all equally likely."
    )
    return UsefulSection(
        "pairs", "How columns depend on each other, before and after", said, about, table=table
    )


def _queries_section(found: QueryErrors, said: str) -> UsefulSection:
    about = (
        "Each question asks for one to three columns, a value or a range each, and at least one person fits it. "
        "This mean is "
        f"the average relative error (ARE); a true count below {number(found.bound)} is taken for "
        f"{number(found.bound)}."
    )
    return UsefulSection("queries", "Counting in the release", said, about)


def _numbers_section(found: Sequence[StatisticInterval], said: str) -> UsefulSection:
    rows = [
        (
            label(interval.column),
            interval.what,
            number(interval.low),
            number(interval.high),
            number(interval.true),
        )
        for interval in found
    ]
    head = ("Column", "Figure", "At least", "At most", "In truth")
    table = ShownTable("Means and quartiles", head, rows, (2, 3, 4))
    about = (
        "Where a released number is a span, the release allows an interval and no more; a suppressed record may have "
        "had any value of the column."
    )
    return UsefulSection("numbers", "Means and quartiles", said, about, table=table)


def _groups_section(found: Sequence[StatisticInterval], said: str) -> UsefulSection:
    rows = [
        (
            label(interval.column),
            label(interval.what),
            number(int(interval.low)),
            number(int(interval.high)),
            number(int(interval.true)),
        )
        for interval in found
    ]
    head = ("Column", "Group", "For certain", "At most", "In truth")
    table = ShownTable("Sizes of groups", head, rows, (2, 3, 4))
    return UsefulSection("groups", "How large groups are", said, "", table=table)
