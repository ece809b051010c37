"""Records before and after, the same record in one line, and what each part of the data loses."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui

from shoal.report.words import percent
from shoal.web.pages.parts.words import markup

__all__ = ["losses", "losses_html", "pairs", "pairs_html"]

_GONE = "left out"
_LONG = 40  # signs of a cell
_MOST = 30  # columns that stand side by side


def pairs(preview: Mapping[str, Any]) -> ui.element:
    """Some records: under each column that changes anywhere, its cell before and its cell after."""
    return markup(pairs_html(preview))


def losses(preview: Mapping[str, Any]) -> ui.element:
    """What each column, item or field loses, as bars with their numbers."""
    return markup(losses_html(preview))


def pairs_html(preview: Mapping[str, Any]) -> str:
    """The same as HTML; every cell is escaped here."""
    columns, rows = preview["columns"][:_MOST], preview["rows"]
    whole = preview["shape"] == "trees"  # one column, the record itself
    changes = [whole or _changes(rows, place) for place in range(len(columns))]
    top = "".join(
        f'<th scope="colgroup" colspan="2">{escape(name)}</th>'
        if changed
        else f'<th scope="col" rowspan="2">{escape(name)}</th>'
        for name, changed in zip(columns, changes, strict=True)
    )
    below = '<th scope="col" class="was">before</th><th scope="col">after</th>' * sum(changes)
    body = "".join(_row(row, changes) for row in rows)
    said = f"{len(rows)} of {preview['records']:,} records, spread over the data, before and after"
    more = len(preview["columns"]) - len(columns)
    note = f'<p class="note">{more:,} more columns are not shown here.</p>' if more > 0 else ""
    kind = " trees" if whole else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{said}"><table class="sheet pairs{kind}">'
        f'<caption>{said}</caption><thead><tr><th scope="col" rowspan="2" class="n">record</th>{top}</tr>'
        f"<tr>{below}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def losses_html(preview: Mapping[str, Any]) -> str:
    """The same as HTML; every name is escaped here."""
    part = preview["part"]
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="n">{percent(share)}</td>'
        f'<td class="bar" aria-hidden="true"><i style="width:{100 * min(max(share, 0), 1):.1f}%"></i></td></tr>'
        for name, share in list(preview["loss_by"].items())[: 2 * _MOST]
    )
    said = f"What each {part} loses" if part != "item" else "The items that lose most"
    head = f'<tr><th scope="col">{part}</th><th scope="col" class="n">loss</th><td></td></tr>'
    return (
        f'<div class="scroll"><table class="sheet lost"><caption>{said}: 0% is nothing, 100% everything</caption>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>"
    )


def _changes(rows: Sequence[Mapping[str, Any]], place: int) -> bool:
    """Whether a column shows something else after, in any of these records."""
    return any(row["after"] is not None and row["after"][place] != row["before"][place] for row in rows)


def _row(row: Mapping[str, Any], changes: Sequence[bool]) -> str:
    gone = row["after"] is None
    cells = [
        _two(before, None if gone else row["after"][place], changed, gone)
        for place, (before, changed) in enumerate(zip(row["before"], changes, strict=False))
    ]
    kind = ' class="gone"' if gone else ""
    left_out = f' <span class="tag">{_GONE}</span>' if gone else ""
    return f'<tr{kind}><th scope="row" class="n">{row["record"]:,}{left_out}</th>{"".join(cells)}</tr>'


def _two(before: str | None, after: str | None, changed: bool, gone: bool) -> str:
    if not changed:
        return f"<td>{_cell(before)}</td>"
    if gone:
        return f'<td class="was">{_cell(before)}</td><td>{_GONE}</td>'
    mark = ' class="changed"' if before != after else ""
    return f'<td class="was">{_cell(before)}</td><td{mark}>{_cell(after)}</td>'


def _cell(text: str | None) -> str:
    """A cell; a long one is cut to the eye, and whole for a screen reader and under the mouse."""
    if text is None:
        return "–"
    if len(text) <= _LONG:
        return escape(text)
    return f'<div class="long" title="{escape(text)}">{escape(text)}</div>'
