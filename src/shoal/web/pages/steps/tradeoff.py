"""What each choice costs: a plot to click, and what the data would look like at the point that was clicked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from shoal.algorithms import Method, methods_for
from shoal.algorithms.knobs import cheapest_point, list_unknown_options
from shoal.privacy import SENSITIVE_KEYS
from shoal.report.words import percent
from shoal.web.pages.elements import (
    choose_point,
    empty_state,
    heading,
    losses_html,
    markup,
    notice,
    pairs_html,
    paragraph,
    tiles,
)
from shoal.web.pages.frame import address, navigation, watch_job
from shoal.web.pages.project import Project
from shoal.web.pages.steps.attacker import find_methods
from shoal.web.pages.steps.compare import draw_comparison
from shoal.web.pages.steps.what_if import draw_what_if
from shoal.web.server.job_folder import FIGURES, PREVIEWS

__all__ = ["show"]

_SWEEP = "2:100"
_HEADLINE = "ncp"
_GROUPS = (
    "Unless a method was named, each class of similar records is made coarser on its own, which mostly loses less than "
    "one rule for each column."
)
_FRONTS = {
    "k": (
        "One rule for each column",
        "Every column is made coarser by the same rule in all records. The least loss of such releases is found for "
        "every k at once. "
        "Methods that make each class coarser on its own mostly lose less.",
    ),
    "delta": (
        "Table against items",
        "The more the table may lose, the less the items have to. Every bound is tried at once.",
    ),
}
_SIDE_BY_SIDE = (
    "Several methods",
    "Several methods can promise the same. Each makes releases of these data, and all of them are thrown away.",
)
_CURVE = (
    "Each k by itself",
    "A release is made and judged at several k, as it would be made in the end, and thrown away.",
)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A point that can be taken.

    trace, point : where it stands in the plot
    words        : what the list says
    asked        : the options of a preview of it
    settings     : what taking it decides, by section and key
    """

    trace: int
    point: int
    words: str
    asked: Mapping[str, Any]
    settings: Mapping[tuple[str, str], Any]


def show(project: Project) -> None:
    """Draw the screen."""
    front_method = _find_front_method(project)
    ways = (
        {"curve": _CURVE} if front_method is None else {"front": _FRONTS[front_method.front], "curve": _CURVE}
    )
    if len(find_methods(project)) > 1:
        ways["methods"] = _SIDE_BY_SIDE
    last_way = project.kept.get("way", "front")
    way = last_way if last_way in ways else "curve"
    if len(ways) > 1:
        ui.radio(
            {name: title for name, (title, _) in ways.items()},
            value=way,
            on_change=lambda event: turn(event.value),
        ).props('inline aria-label="what to look at"')

    def turn(way: str) -> None:
        project.kept["way"] = way
        drawn.refresh(way)

    @ui.refreshable
    def drawn(way: str) -> None:
        local = any(method.theme.local for method in methods_for(project.shape))
        groups = f" {_GROUPS}" if local and way == "curve" else ""
        paragraph(f"{ways[way][1]}{groups}", "note")
        if way == "front":
            _draw_front(project)
        elif way == "methods":
            draw_comparison(project)
        else:
            _draw_curve(project)

    drawn(way)
    draw_what_if(project)
    navigation(project, "tradeoff")


def _find_front_method(project: Project) -> Method | None:
    """The usual method that traces a front of such data, if there is one."""
    return next((method for method in methods_for(project.shape) if method.front), None)


def _draw_front(project: Project) -> None:
    front_method = _find_front_method(project)
    assert front_method is not None
    table = front_method.fronts  # every k at once, and no other number of a claim

    def begin() -> None:
        if table:
            loss_key = set() if "loss" in project.section("method") else {("method", "loss")}
            apart = {("guarantee", "*"), ("method", "name"), *loss_key}
            project.begin(
                "pareto", step="tradeoff", apart=apart, trying={("method", "loss"): _front_loss(project)}
            )
        else:
            project.begin("pareto", step="tradeoff", apart={("method", front_method.front)})

    words = "See what every choice costs before you decide."
    nothing = partial(empty_state, words, "Show what each choice costs", begin)

    def done() -> None:
        facts = project.result("tradeoff")
        points = (
            _table_choices(project, front_method.point, facts["front"]) if table else _mixed_choices(facts)
        )
        previews = project.result("tradeoff", PREVIEWS)
        sensitive_keys = [name for name in SENSITIVE_KEYS if name in project.section("guarantee")]
        if table and sensitive_keys:
            key_list = ", ".join(sensitive_keys)
            notice("care", f"These points look at k alone; you also ask for {key_list}, which may cost more.")
        start = (
            cheapest_point(facts["front"], project.section("guarantee").get("k", 2))
            if table
            else previews["start"]
        )
        _draw_chooser(project, "tradeoff", points, start, previews["points"])

    watch_job(project, "tradeoff", begin=begin, again="Show it again", done=done, nothing=nothing)


def _draw_curve(project: Project) -> None:
    def begin() -> None:
        method_name = project.section("method").get("name")
        options = {"methods": ["default", *([method_name] if method_name else [])], "sweeps": {"k": _SWEEP}}
        project.begin("compare", options, step="curve", apart={("guarantee", "k"), ("method", "name")})

    words = "See what each k costs. One release is made for each k, so this takes as long as several runs."
    nothing = partial(empty_state, words, "Try several k", begin)

    def done() -> None:
        facts = project.result("curve")
        points = _curve_choices(project, facts)
        if points:
            _draw_chooser(project, "curve", points, None, {})
        holes = [
            f"k = {row['k']}, {row['maker']}: {row['message']}"
            for row in facts["points"]
            if row["status"] != "made"
        ]
        if holes:
            notice("care", "At these k no release was made:", holes)

    watch_job(project, "curve", begin=begin, again="Try again", done=done, nothing=nothing)


def _draw_chooser(
    project: Project, step: str, points: list[_Choice], start: int | None, there: Mapping[str, Any]
) -> None:
    """The plot with its list, and below it the preview of what is chosen."""
    figures = project.result(step, FIGURES)
    figure = next(iter(figures.values()))
    paragraph(figure["sentence"])
    plot_points = [(point.trace, point.point, point.words) for point in points]
    kept_indices = [
        index for index, point in enumerate(points) if point.words == project.kept.get(f"point of {step}")
    ]
    start = kept_indices[0] if kept_indices else start
    plotted = ui.element("div")
    below = ui.element("div").props("aria-live=polite")

    def choose(place: int) -> None:
        project.kept[f"point of {step}"] = points[place].words
        below.clear()
        with below:
            _draw_detail(project, points[place], there.get(str(place)))

    with plotted:
        choose_point(figure["figure"], figure["words"], plot_points, start, choose)
    if start is None:
        with below:
            paragraph("Choose a point to see what the data would look like there.", "note")
    else:
        choose(start)


def _draw_detail(project: Project, choice: _Choice, preview: Mapping[str, Any] | None) -> None:
    """What the data would look like at a point: at once where that is known, else by a job."""
    heading(f"At {choice.words}")
    if preview is not None:
        _draw_preview(project, choice, preview)
        return
    step = f"preview of {choice.words}"
    apart = {("guarantee", "k"), ("method", "name"), ("method", "delta"), ("method", "loss")}

    def begin() -> None:
        project.begin("preview", choice.asked, step=step, apart=apart, trying=choice.settings)

    watch_job(
        project,
        step,
        begin=begin,
        again="Show it again",
        done=lambda: _draw_preview(project, choice, project.result(step)),
    )


def _draw_preview(project: Project, choice: _Choice, preview: Mapping[str, Any]) -> None:
    name, loss = next(iter(preview["loss"].items()), ("", None))
    suppressed = preview["suppressed"]
    share = f"of {preview['records']:,} records"
    tiles(
        [
            ("detail lost", percent(loss), f"of all detail ({name}); 0% is nothing, 100% everything"),
            ("left out", f"{suppressed:,}", share if suppressed else f"nobody {share}"),
        ]
    )
    if preview["claim"].get("k", 2) < 2:
        notice("bad", "At k = 1 people are told apart as before: such a release cannot be made.")
    else:
        use = ui.button("Use this", on_click=lambda: _take_choice(project, choice)).props("unelevated")
        use.classes("q-mt-md")
    markup(losses_html(preview))
    markup(pairs_html(preview))
    markup('<p class="note">These are originals and what would become of them. Nothing was written.</p>')


def _take_choice(project: Project, choice: _Choice) -> None:
    """Decide for a point, and go on."""
    for (section, key), value in choice.settings.items():
        project.decide(section, key, value)
    ui.navigate.to(address(project, "run"))


def _table_choices(project: Project, method: str, front: list[dict[str, Any]]) -> list[_Choice]:
    loss = _front_loss(project)

    def one(place: int, point: Mapping[str, Any]) -> _Choice:
        suppressed_words = f", {point['suppressed']:,} left out" if point["suppressed"] else ""
        loss_value = point["loss"]
        loss_words = f"{percent(loss_value)} lost" if loss == _HEADLINE else f"{loss} {loss_value:.4g}"
        words = f"k = {point['k']:,}: {loss_words}{suppressed_words}"
        settings = {
            ("guarantee", "k"): point["k"],
            **_method_settings(project, method),
            ("method", "loss"): loss,
        }
        return _Choice(0, place, words, {"pick": point["k"]}, settings)

    return [one(index, point) for index, point in enumerate(front)]


def _mixed_choices(facts: Mapping[str, Any]) -> list[_Choice]:
    bounded = "table-ncp" if facts["bound"] == "table" else "ul"

    def one(place: int, point: Mapping[str, Any]) -> _Choice:
        words = f"table loss {percent(point['table-ncp'])}, items loss {percent(point['ul'])}"
        delta = point[bounded]
        return _Choice(0, place, words, {"pick": delta}, {("method", "delta"): delta})

    return [one(index, point) for index, point in enumerate(facts["front"])]


def _curve_choices(project: Project, facts: Mapping[str, Any]) -> list[_Choice]:
    methods, swept = facts["makers"], facts["swept"]["k"]

    def one(row: Mapping[str, Any]) -> _Choice:
        words = f"k = {row['k']:,}: {percent(row[facts['loss']])} lost, by {row['maker']}"
        settings = {("guarantee", "k"): row["k"], **_method_settings(project, row["maker"])}
        return _Choice(methods.index(row["maker"]), swept.index(row["k"]), words, {}, settings)

    made_rows = [row for row in facts["points"] if row["status"] == "made"]
    return [one(row) for row in sorted(made_rows, key=lambda row: methods.index(row["maker"]))]


def _method_settings(project: Project, method: str) -> dict[tuple[str, str], Any]:
    """What names a method: of the parameters those stay that it has too."""
    cleared_keys = dict.fromkeys(
        (("method", key) for key in list_unknown_options(method, project.section("method"))), None
    )
    return {("method", "name"): method, **cleared_keys}


def _front_loss(project: Project) -> str:
    """The loss that a front makes small: the one that was named, else the one that is shown everywhere."""
    return str(project.section("method").get("loss", _HEADLINE))
