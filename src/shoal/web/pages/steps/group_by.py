"""The buttons that group all values of a column by a rule, and what each of them asks."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from shoal.base.errors import HierarchyError
from shoal.web.pages import elements
from shoal.web.pages.elements import VALUE, grid, markup, paragraph
from shoal.web.pages.grouping import (
    UNITS,
    WAYS,
    WIDTHS,
    Grouping,
    group_by_calendar,
    group_by_digits,
    group_by_order,
    group_by_quantiles,
    group_by_ranges,
    group_by_vocabulary,
    list_vocabularies,
    list_ways,
    parse_numbers,
    propose_lengths,
    propose_order,
    propose_units,
    propose_widths,
)

__all__ = ["draw_group_by"]

Make = Callable[[], Grouping]
"""Makes the tree that a form asks for."""


def draw_group_by(name: str, holders: Mapping[str, int], take: Callable[[Make], Awaitable[None]]) -> None:
    """Draw a button for each way that fits the values, and below them the form of the one that is open.

    Parameters
    ----------
    name
        The column.
    holders
        Its values, and how many people hold each.
    take
        Makes the tree that is asked for, and takes it or says what is wrong.
    """
    ways = list_ways(list(holders))
    opened: list[str] = []
    buttons: dict[str, ui.element] = {}

    def turn(way: str) -> None:
        form_box.clear()
        closed, opened[:] = opened == [way], [] if opened == [way] else [way]
        for other, button in buttons.items():
            button.props["aria-expanded"] = "true" if opened == [other] else "false"
            button.update()
        if not closed:
            with form_box:
                _draw_form(way, name, holders, take)

    if not ways:
        return
    with ui.element("div").classes("group-by").props('role=group aria-label="Group all values by"'):
        markup("Group all values by", "span").classes("group-by-label")
        for way in ways:
            button = markup(escape(WAYS[way]), "button").classes("small-button").props("type=button")
            button.props["aria-expanded"] = "false"
            button.on("click", partial(turn, way))
            buttons[way] = button
    form_box = ui.element("div")


def _draw_form(
    way: str, name: str, holders: Mapping[str, int], finish: Callable[[Make], Awaitable[None]]
) -> None:
    """The form of one way; it is sent by its button or by Enter."""
    with ui.element("form").classes("box group-form") as form:
        make, action = _FORMS[way](name, holders)
        markup(f'<button class="small-button strong">{escape(action)}</button>')
    form.on("submit.prevent", lambda: finish(make))


def _ask_units(name: str, holders: Mapping[str, int]) -> tuple[Make, str]:
    values = list(holders)
    units = set(propose_units(name, values))
    year: list[float | None] = [None]
    with ui.element("fieldset").classes("ticks"):
        elements.group("A level for each")
        for unit in UNITS:
            elements.tick_box(unit, unit in units, partial(_toggle, units, unit))
    elements.number(
        "Everything before this year is one group",
        None,
        partial(year.__setitem__, 0),
        placeholder="no such year",
    )

    def make() -> Grouping:
        bottom = None if year[0] is None else int(year[0])
        return group_by_calendar(name, values, [unit for unit in UNITS if unit in units], bottom=bottom)

    return make, "Group the dates"


def _ask_widths(name: str, holders: Mapping[str, int]) -> tuple[Make, str]:
    values = list(holders)
    widths: set[int] = set(propose_widths(values))
    stated: dict[str, Any] = {"own": "", "bottom": None, "top": None}
    with ui.element("fieldset").classes("ticks"):
        elements.group("Ranges of this width, a level for each")
        for width in WIDTHS:
            elements.tick_box(str(width), width in widths, partial(_toggle, widths, width))
    with ui.element("div").classes("asks beside"):
        elements.text(
            "Widths of your own",
            "",
            partial(stated.__setitem__, "own"),
            placeholder="such as 2 or 20, 40",
        )
        for end, words in (
            ("bottom", "Everything below this number is one group"),
            ("top", "Everything from this number on is one group"),
        ):
            elements.number(words, None, partial(stated.__setitem__, end), whole=False, placeholder="none")

    def make() -> Grouping:
        own = parse_numbers(stated["own"], f"hierarchy '{name}'")
        return group_by_ranges(name, values, [*widths, *own], bottom=stated["bottom"], top=stated["top"])

    return make, "Group the numbers"


def _ask_lengths(name: str, holders: Mapping[str, int]) -> tuple[Make, str]:
    values = list(holders)
    stated = [", ".join(map(str, propose_lengths(values)))]
    elements.text(
        "How many digits or letters are kept, from the left: a level for each",
        stated[0],
        partial(stated.__setitem__, 0),
        about="3, 2, 1 makes 80331 to 803**, then 80***, then 8****.",
    )
    return (
        lambda: group_by_digits(name, values, parse_numbers(stated[0], f"hierarchy '{name}'")),
        "Group by first digits",
    )


def _ask_vocabulary(name: str, holders: Mapping[str, int]) -> tuple[Make, str]:
    values = list(holders)
    fitting, others = list_vocabularies(name, values)
    chosen = [next(iter(fitting), "")]
    none_fits = {} if fitting else {"": "none knows nearly all of these values; choose one"}
    elements.select(
        "Public vocabulary: what stands above a value is known to everybody, and tells nothing of your data",
        fitting or none_fits,
        chosen[0],
        partial(chosen.__setitem__, 0),
        apart=("Others", others),
    )

    def make() -> Grouping:
        if not chosen[0]:
            raise HierarchyError(f"hierarchy '{name}': choose a vocabulary first")
        return group_by_vocabulary(name, values, chosen[0])

    return make, "Group by this vocabulary"


def _ask_classes(name: str, holders: Mapping[str, int]) -> tuple[Make, str]:
    classes: list[float | None] = [4]
    paragraph(
        "Classes with about as many people in each. Their bounds are rounded, and still follow from your data: look "
        "at them, and take them if everybody may know them.",
        "note",
    )

    def draw_bounds() -> None:
        shown.clear()
        with shown:
            try:
                grouping = make()
            except HierarchyError as error:
                paragraph(str(error).partition(": ")[2], "note")
            else:
                grid(["Class", "People"], _class_rows(grouping, holders), caption="The bounds", numbers={1})

    def state(value: float | None) -> None:
        classes[0] = value
        draw_bounds()

    def make() -> Grouping:
        return group_by_quantiles(name, holders, int(classes[0] or 0))

    elements.number("How many classes", 4, state, least=2, most=50)
    shown = ui.element("div").props("aria-live=polite")
    draw_bounds()
    return make, "Take these bounds, and declare them public"


def _class_rows(grouping: Grouping, holders: Mapping[str, int]) -> list[list[str]]:
    """The classes of the first level, and how many people are in each."""
    people: dict[str, int] = {}
    for value, label, *_ in grouping.tree.rows():
        people[label] = people.get(label, 0) + holders.get(value, 0)
    return [[label, f"{count:,}"] for label, count in people.items()]


def _ask_order(name: str, holders: Mapping[str, int]) -> tuple[Make, str]:
    order = ["\n".join(propose_order(name, list(holders)))]
    with ui.element("div").classes("ask"):
        label = markup("The order, one value in each line: neighbours are grouped", "label")
        lines = ui.html(escape(order[0]), sanitize=False, tag="textarea").props(
            f"rows={min(len(holders), 12)} spellcheck=false"
        )
        label.props["for"] = lines.html_id
    lines.on(
        "input",
        lambda event: order.__setitem__(0, str(event.args)),
        js_handler=VALUE,
        throttle=0.25,
        leading_events=False,
    )
    lines.on("change", lambda event: order.__setitem__(0, str(event.args)), js_handler=VALUE)
    return (
        lambda: group_by_order(
            name, holders, [line.strip() for line in order[0].splitlines() if line.strip()]
        ),
        "Group in this order",
    )


_FORMS: Mapping[str, Callable[[str, Mapping[str, int]], tuple[Make, str]]] = {
    "calendar": _ask_units,
    "ranges": _ask_widths,
    "digits": _ask_lengths,
    "vocabulary": _ask_vocabulary,
    "quantiles": _ask_classes,
    "order": _ask_order,
}
"""By way, what draws its form: it returns what makes the tree, and what the button says."""


def _toggle(chosen: set[Any], item: Any, yes: bool) -> None:
    (chosen.add if yes else chosen.discard)(item)
