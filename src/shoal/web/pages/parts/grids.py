"""Tables to read: one piece of HTML, for thousands of cells as elements of their own would be slow."""

from collections.abc import Collection, Sequence
from html import escape

from nicegui import ui

from shoal.web.pages.parts.words import markup

__all__ = ["grid"]


def grid(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str,
    numbers: Collection[int] = (),
    changed: Collection[tuple[int, int]] = (),
) -> ui.element:
    """A table that scrolls sideways where it is wide.

    Parameters
    ----------
    head, rows
        What it says; every cell is escaped here.
    caption
        What it is: a screen reader tells it first.
    numbers
        The columns that hold numbers, counted from 0.
    changed
        The cells that are marked, by row and column.
    """

    def cell(row: int, place: int, text: str) -> str:
        kinds = " ".join(
            name for name, so in (("n", place in numbers), ("changed", (row, place) in changed)) if so
        )
        return f'<td class="{kinds}">{escape(text)}</td>' if kinds else f"<td>{escape(text)}</td>"

    top = "".join(
        f'<th scope="col"{" class=n" if place in numbers else ""}>{escape(name)}</th>'
        for place, name in enumerate(head)
    )
    body = "".join(
        f"<tr>{''.join(cell(row, place, text) for place, text in enumerate(cells))}</tr>"
        for row, cells in enumerate(rows)
    )
    return markup(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="sheet">'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
