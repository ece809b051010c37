"""Several methods on the same data side by side: what each loses, how long it takes, and which one to take."""

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from shoal.jobs.options import job_option
from shoal.report.words import columns_sentences, counts_sentence, number, percent, sentence
from shoal.utility import LOSSES
from shoal.web.pages import elements
from shoal.web.pages.elements import (
    details_section,
    draw_figures,
    figures_of_step,
    grid,
    heading,
    markup,
    notice,
    paragraph,
)
from shoal.web.pages.frame import navigation, watch_job
from shoal.web.pages.project import Project
from shoal.web.pages.steps.attacker import find_methods, keep_method

__all__ = ["ComparisonForm", "draw_comparison", "show"]

Facts = Mapping[str, Any]

_MANY = 5_000  # records beyond which a sample is offered first
_SECONDS = 60.0  # for one method at one point
_LOOK_AT = (2, 5, 10, 20)


class ComparisonForm:
    """What is to be compared."""

    def __init__(self, project: Project) -> None:
        guarantee = project.section("guarantee")
        self.methods = {
            method.name
            for method in find_methods(project)
            if not (method.fronts or method.public or method.redundant)
        }
        k_values = {*_LOOK_AT, guarantee["k"]} if isinstance(guarantee.get("k"), int) else set()
        self.k = ", ".join(map(str, sorted(k_values)))
        records = int(project.proposal["records"])
        self.sample: float | None = _MANY if records > _MANY else None
        self.seconds: float | None = _SECONDS

    def options(self, order: list[str]) -> dict[str, Any]:
        """The options of the job."""
        return {
            "methods": [name for name in order if name in self.methods],
            **({"sweeps": {"k": self.k}} if self.k.strip() else {}),
            **({} if self.sample is None else {"sample": self.sample}),
            **({} if self.seconds is None else {"seconds": self.seconds}),
        }


def show(project: Project) -> None:
    """Draw the screen."""
    draw_comparison(project)
    navigation(project, "compare")


def draw_comparison(project: Project) -> None:
    """Draw what is to be compared, and what was found."""
    form = ComparisonForm(project)

    order = [method.name for method in find_methods(project)]

    def begin() -> None:
        error_box.clear()
        if len(form.methods) < 2:
            with error_box:
                notice("bad", "Choose two methods or more.")
            return
        box.props(remove="open")
        project.begin("compare", form.options(order))

    words = "Nothing was compared yet. Each method makes one release per number; all are thrown away."

    if len(order) < 2:
        subject = f"Only {order[0]}" if order else "No method"
        notice("care", f"{subject} can promise what you asked for, so there is nothing to compare.")
    else:
        with details_section("What to compare") as box:
            _draw_form(project, form)
            error_box = ui.element("div")
            ui.button("Compare them", on_click=begin).props("unelevated").classes("q-mt-md")
        if project.job("compare") is None:
            box.props("open")
        watch_job(
            project,
            "compare",
            begin=begin,
            again="Compare again",
            done=partial(_draw_results, project),
            nothing=partial(paragraph, words, "note below"),
        )


def _draw_form(project: Project, form: ComparisonForm) -> None:
    def choose(name: str, yes: bool) -> None:
        (form.methods.add if yes else form.methods.discard)(name)

    with ui.element("fieldset"):
        elements.group("The methods that can promise what you asked for")
        for method in find_methods(project):
            elements.tick_box(
                method.name, method.name in form.methods, partial(choose, method.name), about=method.about
            )

    if form.k:
        elements.text(
            "How many people must look alike: the numbers to try",
            form.k,
            partial(setattr, form, "k"),
            about="k in papers; 2:100 goes from 2 to 100 in growing steps",
        )
    few = "Fewer are faster; leave it empty to take all. People have fewer look-alikes in a sample."
    for name, question, about, empty in (
        ("sample", "Compare on this many records, drawn at random", few, "all"),
        ("seconds", "Give up a release after this many seconds", "", "never"),
    ):
        elements.number(
            question,
            getattr(form, name),
            partial(setattr, form, name),
            least=job_option("compare", name).least,
            about=about,
            placeholder=empty,
        )


def _draw_results(project: Project) -> None:
    """What was found: the one to take, all of them at one point, plots, holes."""
    facts = project.result("compare")
    best = facts["recommendation"]["maker"]
    words = facts["recommendation"]["sentence"]
    notice("good" if best else "bad", sentence(words), facts["notes"])
    _draw_cards(project, facts, best)
    draw_figures(figures_of_step(project, "compare"))
    holes = [row for row in facts["points"] if row["status"] != "made"]
    if holes:
        with details_section(f"{number(len(holes))} releases that were not made, and why"):
            rows = [[row["maker"], _format_point(facts, row), str(row["message"])] for row in holes]
            grid(["Method", "At", "Why"], rows, caption="What a method could not do")


def _draw_cards(project: Project, facts: Facts, best: str | None) -> None:
    """Every method at the point that counts, the one to take first, each with a button that takes it."""
    point_rows = [
        row for row in facts["points"] if all(row[name] == value for name, value in facts["at"].items())
    ]
    point_words = _format_point(facts, facts["at"])
    heading(f"The methods side by side{f' at {point_words}' if point_words else ''}")
    if facts["loss"]:
        paragraph(f"{LOSSES[facts['loss']].words} Lower is better.", "note")

    @ui.refreshable
    def rows() -> None:
        current_method = project.section("method").get("name")
        with ui.element("div").classes("makers").props("role=list"):
            for row in sorted(point_rows, key=lambda row: _rank(row, facts["loss"], best)):
                _draw_method_card(project, facts, row, best, current_method, rows.refresh)

    rows()


def _draw_method_card(
    project: Project, facts: Facts, row: Facts, best: str | None, used: str | None, again: Any
) -> None:
    name = str(row["maker"])

    def use() -> None:
        keep_method(project, {**project.section("method"), "name": name})
        project.keep("compare")
        again()

    with ui.element("div").classes("box method").props("role=listitem"):
        mark = ' <span class="mark">recommended</span>' if name == best else ""
        markup(f"<h3>{escape(name)}{mark}</h3>{_figures_html(facts, row)}")
        if row["status"] == "made":
            if name == used:
                markup('<p class="mark" role="status">You use this one</p>')
            else:
                button = ui.button("Use this", on_click=use).props("outline")
                button.props["aria-label"] = f"Use {name}"


def _figures_html(facts: Facts, row: Facts) -> str:
    """The figures of one method, or why it has none."""
    if row["status"] != "made":
        return f'<p class="note">{escape(str(row["message"]))}</p>'
    loss = facts["loss"]
    figures = [("of the detail is lost", percent(row[loss]))] if loss and row.get(loss) is not None else []
    figures.append(("seconds", number(row["cpu_seconds"])))
    for key, words in (
        ("risk_average", "chance of finding a person, on average"),
        ("risk_highest", "chance of finding anyone who is worst off"),
    ):
        if row.get(key) is not None:
            figures.append((words, percent(row[key])))
    if row.get("suppressed"):
        figures.append(("records left out", number(row["suppressed"])))
    inner = "".join(
        f"<div><dd>{escape(figure)}</dd><dt>{escape(words)}</dt></div>" for words, figure in figures
    )
    losses = {key: row[key] for key in ("are-items", "are", "items-ncp") if row.get(key) is not None}
    sentences = [counts_sentence(losses), *columns_sentences(row["columns"], {}, facts["shape"])]
    lines = "".join(f'<p class="note">{escape(sentence(line))}</p>' for line in sentences if line)
    return f"<dl>{inner}</dl>{lines}"


def _rank(row: Facts, loss: str | None, best: str | None) -> tuple[bool, bool, float]:
    """The one to take first, then by what they lose; whoever made nothing comes last."""
    loss_value = row.get(loss) if loss else None
    return row["maker"] != best, loss_value is None, 0.0 if loss_value is None else float(loss_value)


def _format_point(facts: Facts, row: Facts) -> str:
    return ", ".join(f"{name} = {number(row[name])}" for name in facts["swept"] if row.get(name) is not None)
