"""What is drawn again when something has changed, in this tab or in another."""

from collections.abc import Callable

from nicegui import ui

__all__ = ["PACE", "drawn_again"]

PACE = 0.3
"""Seconds between two looks."""


def drawn_again(draw: Callable[[], None], state: Callable[[], object]) -> None:
    """Draw, and draw again whenever `state` is another than it was."""
    shown = ui.refreshable(draw)
    seen = [state()]
    shown()

    def look() -> None:
        now = state()
        if now != seen[0]:
            seen[0] = now
            shown.refresh()

    ui.timer(PACE, look)
