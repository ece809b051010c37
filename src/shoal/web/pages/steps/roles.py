"""What each column is, as it was proposed, with why; another role is a click, and what else can be said of it."""

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import background_tasks, ui

from shoal.io.settings import WHOLE_FILE
from shoal.privacy.presets import PRESETS
from shoal.report.words import ROLE_WORDS, SHAPE_WORDS, undecided_name
from shoal.web.pages import elements
from shoal.web.pages.elements import (
    details_section,
    markup,
    notice,
    options_html,
    paragraph,
    redraw_on_change,
)
from shoal.web.pages.frame import address, navigation, show_failure, show_progress
from shoal.web.pages.grouping import name_buttons
from shoal.web.pages.project import Project

__all__ = ["show"]


_ROLES = {role: words for role, words in ROLE_WORDS.items() if words.chosen}
_LOOKS = 8  # columns that are named to look at
_MANY = 30  # columns beyond which one is searched for
_OF_TREES = tuple(role for role, words in _ROLES.items() if words.field)


def show(project: Project) -> None:
    """Draw the screen."""
    searched = [""]

    def draw() -> None:
        job = project.job("propose")
        assert job is not None
        if not job.over:
            show_progress(project, job)
        elif job.state != "done":
            show_failure(job)
        proposal = project.proposal
        _draw_decisions(project, proposal)
        looks = [
            f"{column['name']}: {name_buttons(column['look'])}"
            for column in proposal["columns"]
            if column["look"] and not column["undecided"]
        ]
        if looks:
            remainder = [f"and {len(looks) - _LOOKS} more"] if len(looks) > _LOOKS else []
            notice("care", "Look at these before you publish anything:", [*looks[:_LOOKS], *remainder])
        if project.taken_back:
            notice("care", "These no longer fit your data, and were removed:", project.taken_back)
        markup(_table_html(proposal, project.roles, searched[0]))
        with details_section("What the roles mean"):
            markup(_meanings_html())
        if job.over:
            _ask_preset(project)
            _draw_details(project)
        navigation(project, "roles", ready=job.over)

    def chosen(event: Any) -> None:
        columns = project.proposal["columns"]
        column, role = event.args.get("column"), event.args.get("role")
        if isinstance(column, int) and 0 <= column < len(columns) and role in _ROLES:
            _set_role(project, columns[column]["name"], role)

    ui.on("shoal-role", chosen)
    if len(project.proposal["columns"]) > _MANY:
        elements.text("Show only names that hold", "", partial(searched.__setitem__, 0))
    redraw_on_change(draw, lambda: (project.job_state("propose"), searched[0], list(project.undecided)))


def _draw_decisions(project: Project, found: Mapping[str, Any]) -> None:
    """Draw what needs a decision, the worst first; whoever keeps what was proposed has decided, too."""
    roles = {column["name"]: column["role"] for column in found["columns"]}
    undecided = project.undecided
    if not undecided:
        return
    count_words = "1 decision is open" if len(undecided) == 1 else f"{len(undecided)} decisions are open"
    with ui.element("div").classes("said care").props("role=note"):
        paragraph(f"{count_words}: choose a role below, or keep what is proposed.")
        with ui.element("ul"):
            for name, reason in undecided.items():
                with ui.element("li").classes("decision"):
                    markup(f"<b>{escape(undecided_name(name))}</b>: {escape(name_buttons(reason))}", "span")
                    if "[data]" in reason:
                        ui.link("How the file is read", address(project, "data"))
                    if name_buttons(reason) != reason:
                        ui.link("Group under Hierarchies", address(project, "hierarchies"))
                    if name == WHOLE_FILE:
                        ui.button("Go on with this file", on_click=lambda: project.settle(WHOLE_FILE)).props(
                            "flat dense no-caps"
                        )
                        continue
                    ui.button(
                        f"Keep {name}: {_ROLES[roles[name]].short}",
                        on_click=lambda name=name: _set_role(project, name, roles[name]),
                    ).props("flat dense no-caps")


def _set_role(project: Project, column: str, role: str) -> None:
    """Have the data looked at again with this role stated; a look that is under way is of no use any more."""
    job = project.job("propose")
    if job is not None and not job.over:
        background_tasks.create(project.server.jobs.cancel(job))
    project.roles[column] = role
    project.propose()


def _table_html(found: Mapping[str, Any], stated: Mapping[str, str], searched: str = "") -> str:
    offered = _OF_TREES if SHAPE_WORDS[found["shape"]].nested else tuple(_ROLES)
    rows = "".join(
        _row_html(number, column, offered, found["records"], stated)
        for number, column in enumerate(found["columns"])
        if searched.strip().casefold() in column["name"].casefold()
    )
    holder = SHAPE_WORDS[found["shape"]].holder
    head = "".join(
        f'<th scope="col">{name}</th>' for name in (holder, "role", "why", "values", "people it singles out")
    )
    region = f'class="scroll" tabindex="0" role="region" aria-label="the role of each {holder}"'
    return (
        f'<div {region}><table class="sheet wide stacked">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _meanings_html() -> str:
    items_html = "".join(
        f"<li><b>{words.short} ({role})</b>: {words.about}</li>" for role, words in _ROLES.items()
    )
    return f"<ul>{items_html}</ul>"


def _row_html(
    number: int, one: Mapping[str, Any], offered: tuple[str, ...], records: int, stated: Mapping[str, str]
) -> str:
    name, current_role = escape(one["name"]), stated.get(one["name"], one["role"])
    options = options_html([(role, f"{_ROLES[role].short} ({role})") for role in offered], current_role)
    select_html = f'<select class="role" data-role="{number}" aria-label="role of {name}">{options}</select>'
    missing_words = f", missing in {one['missing']:,}" if one["missing"] else ""
    why = escape(name_buttons(one["why"]))
    return (
        f'<tr><th scope="row">{name}</th><td>{select_html}</td><td data-label="why">{why}</td>'
        f'<td data-label="values">{escape(one["type"])}, {one["distinct"]:,} different{missing_words}</td>'
        f'<td data-label="singles out">{_singling_words(one, records)}</td></tr>'
    )


def _singling_words(one: Mapping[str, Any], records: int) -> str:
    if one["role"] == "items":
        return ""
    alone_words = f"{one['alone']:,} of {records:,} by itself"
    group_words = f"; {one['together']:.0%} with {escape(' and '.join(one['with']))}" if one["with"] else ""
    return alone_words + group_words


def _ask_preset(project: Project) -> None:
    """Ask whether the release must keep the rules of a law or an office; columns are then proposed for these."""
    elements.select(
        "Rules that the release must keep",
        {"": "none but the guarantee", **{name: f"{name}: {about}" for name, (about, _) in PRESETS.items()}},
        project.section("release").get("preset", ""),
        lambda name: project.follow(name or None),
        about="Columns are made coarse enough for them, or left out; the report lists rule by rule what was found.",
    )


def _draw_details(project: Project) -> None:
    """Draw the keys of a column beside its role; of record trees, the fields whose absence may be known."""
    if "tree" in (project.configuration or {}):
        with details_section("More about fields"):
            _ask_absent_fields(project)
        return
    names = list(project.section("columns"))
    with details_section("More about one column"):
        shown_column = [names[0]]
        selector = ui.select(names, value=names[0], label="Column").props("outlined dense").classes("field")
        selector.on_value_change(lambda event: shown_column.__setitem__(0, event.value))
        redraw_on_change(
            lambda: _ask_keys(project, shown_column[0]),
            lambda: (shown_column[0], _column_spec(project, shown_column[0])["role"]),
        )


def _ask_keys(project: Project, column: str) -> None:
    """Ask for each key that a column of this role may have."""
    spec = _column_spec(project, column)

    def ask(field: Any, key: str, read: Callable[[Any], Any]) -> None:
        if not isinstance(field, ui.checkbox):
            field.props("outlined dense debounce=500").classes("field")
        field.on_value_change(lambda event: project.specify(column, key, read(event.value)))

    def ask_whether(sentence: str, key: str) -> None:
        ask(
            ui.checkbox(f"{sentence} ({key})", value=bool(spec.get(key))),
            key,
            lambda yes: True if yes else None,
        )

    match spec["role"]:
        case "quasi":
            words = "Weight: how much its loss counts compared with the others"
            weight = ui.number(words, value=spec.get("weight") or 1, min=0)
            ask(weight, "weight", lambda value: None if value in (None, 1) else float(value))
        case "items":
            words = "Sensitive items, with commas between them"
            ask(ui.input(words, value=", ".join(spec.get("sensitive") or [])), "sensitive", _parse_items)
        case "sensitive" | "plain":
            if spec["role"] == "sensitive" and project.shape == "table":
                words = "Values worth hiding, with commas between them; empty hides all alike"
                ask(ui.input(words, value=", ".join(spec.get("hidden") or [])), "hidden", _parse_items)
            if "hierarchy" in spec:
                words = "Level of its hierarchy that is published; empty publishes its values"
                level = ui.number(words, value=spec.get("level"), min=0, precision=0)
                ask(level, "level", lambda value: None if value is None else int(value))
            ask_whether("Publish it even where shoal would refuse to", "allow")
        case "weight":
            ways = ui.select(_WEIGHT_WAYS, value=spec.get("release") or "", label="How it is published")
            ask(ways, "release", lambda way: way or None)
            base = ui.number("Rounded weights are multiples of", value=spec.get("base"), min=0)
            ask(base, "base", lambda value: float(value) if value else None)
            ask_whether("Publish it as it is: a rare weight may show who somebody is", "allow")
        case "identifier":
            ask_whether("Different people may have the same value, as with names", "shared")
        case _:
            paragraph("There is nothing more to set for it.", "note")


_WEIGHT_WAYS = {
    "": "It is left out",
    "rounded": "Rounded, each weight being that of at least k people who look the same",
    "classes": "One of ten values, each being that of at least k people who look the same",
    "calibrated": "Calibrated to the weighted totals of what is published, and telling nothing else",
}
"""By `release`, what becomes of a sampling weight."""


def _parse_items(text: Any) -> list[str] | None:
    """The items of a line; None where there is none.

    >>> _parse_items("HIV,  hepatitis B ,"), _parse_items(" ")
    (['HIV', 'hepatitis B'], None)
    """
    return [item for item in map(str.strip, str(text or "").split(",")) if item] or None


def _ask_absent_fields(project: Project) -> None:
    tree = project.section("tree")
    field = ui.select(
        list(tree.get("hierarchies", {})),
        value=list(tree.get("negations", [])),
        multiple=True,
        label="Fields whose absence somebody may know",
    )
    field.props("outlined dense use-chips").classes("field")
    field.on_value_change(lambda event: project.decide("tree", "negations", list(event.value) or None))


def _column_spec(project: Project, column: str) -> Mapping[str, Any]:
    spec = project.section("columns").get(column, "drop")
    return {"role": spec} if isinstance(spec, str) else spec
