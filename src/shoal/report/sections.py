"""What the pages show, piece by piece, for whoever shows it elsewhere: plots with their words, and tables.

The words are those of the pages, so that a reader meets the same figure under the same heading everywhere.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.report import attack, compare, parts, risk, useful
from shoal.report.facts import Audit
from shoal.report.pages import CHANGES, charts_of, crowd_of, holder_word, ordered_columns

__all__ = ["Section", "audit_sections", "compare_sections", "figures_of", "front_sections", "risk_sections"]

_MOST = 40  # columns of which a plot is drawn; the audit has all of them


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence on how to read what is below it, and plots."""

    title: str
    about: str
    plots: Sequence[parts.Plot]


def figures_of(sections: Sequence[Section]) -> dict[str, dict[str, Any]]:
    """Every plot by its id, in order: the figure as plotly takes it, its headings, what it says, its numbers."""
    return {
        plot.id: {
            "section": section.title,
            "title": plot.title or section.title,
            "sentence": section.about,
            "words": plot.alt,
            "figure": _clear(json.loads(plot.json)),
            "table": asdict(plot.table),
        }
        for section in sections
        for plot in section.plots
    }


def _clear(figure: dict[str, Any]) -> dict[str, Any]:
    """The figure without a background, so that it stands on light and on dark."""
    clear = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
    return {**figure, "layout": {**figure["layout"], **clear}}


def front_sections(points: Sequence[Mapping[str, Any]], *, mixed: bool = False) -> list[Section]:
    """The trade-off to choose from, no point of it taken yet."""
    if mixed:
        about = (
            "Each point is a release that can be made: to the right the table loses more and the items less. "
            "There is no best point; you choose."
        )
        plot = parts.open_tradeoff_plot(points)
    else:
        about = "Each point is a release that can be made; the line shows the least loss that reaches at least that k."
        plot = parts.front(points, None)
    return _those([("What each choice costs", about, [plot])])


def risk_sections(facts: Mapping[str, Any]) -> list[Section]:
    """How exposed people are before anything is done."""
    return _those(risk.plots(facts))


def compare_sections(facts: Mapping[str, Any]) -> list[Section]:
    """What methods lose, how long they take, how exposed people are after them."""
    return _those(compare.sections(facts))


def audit_sections(audit: Audit) -> list[Section]:
    """What was done to the records, before and after."""
    return _those(_of_audit(audit))


def _of_audit(audit: Audit) -> Iterator[tuple[str, str, Sequence[parts.Plot | None]]]:
    report, changes = audit.report, audit.before_after
    yield (
        "What it cost",
        "How much each column lost: 0 means that every value is as it was, 1 that nothing is left of it.",
        [parts.column_losses(dict(_heaviest(audit.columns or report.loss_by_column)))],
    )
    yield (
        "Risk, before and after",
        "It is hard to find the person behind a record that looks the same as many others.",
        [parts.risk(audit)],
    )
    yield attack.TITLE, attack.ABOUT, [attack.attack_plot(audit.attack)]
    crowd = crowd_of(report)
    yield (
        "How many records look the same",
        "Records that look the same to the attacker form a class. The larger a class, the better its people hide.",
        [parts.class_sizes(report, crowd) if report.sizes else None],
    )
    for title, about, plot in charts_of([*report.charts, *audit.charts]):
        yield title, about, [plot]
    for section in useful.sections(audit.useful):
        yield section.title, section.said or section.about, [section.plot]
    named = ordered_columns(report.manifest, changes)
    holder = holder_word(report.manifest)
    cut = f" Shown are the first {_MOST} of {len(named)}; the audit has all." if len(named) > _MOST else ""
    yield (
        f"The {holder}s, before and after",
        f"{CHANGES}{cut}",
        [
            parts.change(place, name, role, changes[name], holder)
            for place, (name, role) in enumerate(named[:_MOST])
        ],
    )
    yield (
        "What other choices of k would cost",
        "Each point is a release that could have been made; the line shows the least loss that reaches that k.",
        [parts.front(audit.front or (), crowd)],
    )
    yield (
        "What other bounds would cost",
        "Each point is a release that could have been made with another delta.",
        [parts.tradeoff_plot(audit.tradeoff)],
    )


def _heaviest(losses: Mapping[str, float | None]) -> list[tuple[str, float | None]]:
    return sorted(losses.items(), key=lambda row: -1.0 if row[1] is None else -row[1])[:_MOST]


def _those(found: Any) -> list[Section]:
    """The sections that have a plot."""
    made = [
        Section(title, about, [plot for plot in plots if plot is not None]) for title, about, plots in found
    ]
    return [section for section in made if section.plots]
