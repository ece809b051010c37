"""Text of a page as plain elements: headings are headings, paragraphs are paragraphs."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

from nicegui import ui

__all__ = ["heading", "markup", "more", "paragraph"]


def heading(text: str, level: int = 2) -> ui.element:
    """A heading; the screen's own is the only one of level 1."""
    return markup(f"<h{level}>{escape(text)}</h{level}>")


def paragraph(text: str, kind: str = "") -> ui.element:
    """A paragraph; `kind` is `lead`, `note` or nothing."""
    return markup(f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>")


def markup(html: str, tag: str = "div") -> ui.html:
    """HTML of our own making: whoever calls this has escaped what comes from elsewhere."""
    return ui.html(html, sanitize=False, tag=tag)


@contextmanager
def more(title: str) -> Iterator[ui.element]:
    """What most people need not see: it opens with a click."""
    with ui.element("details") as details:
        with ui.element("summary"):
            ui.label(title)
        yield details
