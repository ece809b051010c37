"""Figures that one sees first, each with its name and a sentence."""

from collections.abc import Iterable
from html import escape

from nicegui import ui

from shoal.web.pages.parts.words import markup

__all__ = ["tiles"]


def tiles(facts: Iterable[tuple[str, str, str]]) -> ui.element:
    """Figures side by side: the name of each, the figure, what it means."""
    inner = "".join(
        f'<div><dt>{escape(name)}</dt><dd class="big">{escape(figure)}</dd><dd class="small">{escape(words)}</dd></div>'
        for name, figure, words in facts
    )
    return markup(f'<dl class="tiles">{inner}</dl>')
