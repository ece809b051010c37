"""What a page says in a box: something went well, care is due, something went wrong."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Literal

from nicegui import ui

from shoal.web.pages.parts.words import markup

__all__ = ["Mood", "empty", "said"]

Mood = Literal["good", "care", "bad"]


def said(mood: Mood, text: str, more: Sequence[str] = ()) -> ui.element:
    """A box with a sentence, and further ones as a list; a screen reader is told at once where it is bad."""
    listed = "".join(f"<li>{escape(one)}</li>" for one in more)
    role = "alert" if mood == "bad" else "note"
    inner = f"<p>{escape(text)}</p>" + (f"<ul>{listed}</ul>" if listed else "")
    return markup(f'<div class="said {mood}" role="{role}">{inner}</div>')


def empty(text: str, action: str, on_click: Callable[[], object]) -> None:
    """What is shown where nothing is there yet: a sentence and the one thing to do."""
    with ui.element("div").classes("empty"):
        markup(f"<p>{escape(text)}</p>")
        ui.button(action, on_click=on_click).props("unelevated")
