"""What people fill in: plain controls of the browser, each with the label that says what it is.

Each has its sentence in full, which may take several lines; so the labels that float inside a box are not used.
"""

from collections.abc import Callable, Mapping
from html import escape
from math import isfinite
from typing import Any

from nicegui import ui

__all__ = ["cards", "group", "number", "select", "text", "tick"]

_VALUE = "(event) => emit(event.target.value)"
_CHECKED = "(event) => emit(event.target.checked)"
_PAUSE = 0.25  # seconds between two changes that are told while somebody types


def cards(
    name: str,
    legend: str,
    offered: Mapping[str, tuple[str, str]],
    value: str | None,
    on_change: Callable[[str], object],
) -> None:
    """One of a few, each a card with its sentence and an example."""
    with ui.element("fieldset").classes("cards"):
        group(legend)
        for key, (sentence, example) in offered.items():
            with ui.element("label").classes("card"):
                one = _control("input", type="radio", name=name, value=key, checked=key == value)
                one.on("change", lambda event: on_change(str(event.args)), js_handler=_VALUE)
                _worded(one, sentence, example)


def group(legend: str) -> None:
    """The name of the controls in a fieldset."""
    ui.html(escape(legend), sanitize=False, tag="legend")


def number(
    sentence: str,
    value: float | None,
    on_change: Callable[[float | None], object],
    *,
    least: float | None = None,
    most: float | None = None,
    whole: bool = True,
    about: str = "",
    placeholder: str = "",
) -> ui.element:
    """A number; None is told where nothing, or no number, stands there."""
    kind = {"type": "number", "step": "1" if whole else "any", "inputmode": "numeric" if whole else "decimal"}
    box = _asked(sentence, about, "input", **kind, min=least, max=most, placeholder=placeholder, begins=value)
    _typed(box, lambda said: on_change(_number(said, whole)))
    return box


def text(
    sentence: str,
    value: str,
    on_change: Callable[[str], object],
    *,
    about: str = "",
    placeholder: str = "",
) -> ui.element:
    """A line of text."""
    box = _asked(
        sentence, about, "input", type="text", placeholder=placeholder, autocomplete="off", begins=value
    )
    _typed(box, lambda said: on_change(str(said)))
    return box


def select(
    sentence: str,
    offered: Mapping[str, str],
    value: str,
    on_change: Callable[[str], object],
    *,
    about: str = "",
) -> ui.element:
    """One of several words, each with what it means."""
    with _asked(sentence, about, "select") as box:
        for key, words in offered.items():
            one = ui.html(escape(words), sanitize=False, tag="option")
            _set(one, value=key, selected=key == value)
    box.on("change", lambda event: on_change(str(event.args)), js_handler=_VALUE)
    return box


def tick(
    sentence: str,
    value: bool,
    on_change: Callable[[bool], object],
    *,
    about: str = "",
    off: bool = False,
) -> ui.element:
    """Yes or no; `off` is whether it cannot be ticked."""
    with ui.element("label").classes("tick") as label:
        box = _control("input", type="checkbox", checked=value and not off, disabled=off)
        box.on("change", lambda event: on_change(bool(event.args)), js_handler=_CHECKED)
        _worded(box, sentence, about)
    return label


def _asked(sentence: str, about: str, tag: str, **facts: object) -> ui.element:
    """A control below its label, and below what is said about it."""
    with ui.element("div").classes("ask"):
        label = ui.html(escape(sentence), sanitize=False, tag="label")
        beside = ui.html(escape(about), sanitize=False, tag="span") if about else None
        box = _control(tag, **facts)
    label.props["for"] = box.html_id
    if beside is not None:
        _set(box, **{"aria-describedby": beside.html_id})
    return box


def _control(tag: str, *, begins: object = None, **facts: object) -> ui.element:
    """A control of the browser.

    What it `begins` with is an attribute (^): as a property it would come back whenever something near is drawn again.
    """
    made = ui.element(tag)
    _set(made, **facts, **({} if begins is None else {"^value": str(begins)}))
    return made


def _set(element: ui.element, **facts: object) -> None:
    """Set what is neither None nor False; whatever signs a text has are its own."""
    for key, value in facts.items():
        if value is not None and value is not False:
            element.props[key] = value


def _typed(box: ui.element, heard: Callable[[Any], object]) -> None:
    """Listen while somebody types, now and then, and once more when the field is left: nothing that stands is lost."""
    box.on("input", lambda event: heard(event.args), js_handler=_VALUE, throttle=_PAUSE, leading_events=False)
    box.on("change", lambda event: heard(event.args), js_handler=_VALUE)


def _worded(box: ui.element, sentence: str, about: str) -> None:
    """Beside a box to tick: its sentence is its name, what is said about it is told after that."""
    with ui.element("span"):
        name = ui.html(escape(sentence), sanitize=False, tag="b")
        _set(box, **{"aria-labelledby": name.html_id})
        if about:
            beside = ui.html(escape(about), sanitize=False, tag="small")
            _set(box, **{"aria-describedby": beside.html_id})


def _number(said: Any, whole: bool) -> float | None:
    """What stands in a field for numbers.

    >>> [_number(said, True) for said in ("5", "", "2.5", "x", None, "inf", "1e400")]
    [5, None, 2.5, None, None, None, None]
    """
    try:
        found = float(said)
    except (TypeError, ValueError):
        return None
    if not isfinite(found):
        return None
    return int(found) if whole and found.is_integer() else found
