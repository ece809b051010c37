"""Records on a terminal: only where somebody asked for them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.cli.show import print_json, print_losses, print_table, printable, say, tell

if TYPE_CHECKING:
    from shoal.publish.assess.preview import Preview
    from shoal.publish.study.propose.look import Sample

__all__ = ["print_preview", "print_sample"]

_WIDEST = 12  # columns that stand side by side


def print_preview(preview: "Preview", as_json: bool) -> None:
    """Show records before and after, and what each part loses."""
    if as_json:
        print_json(preview.as_dict())
        return
    title, head, rows = preview.shown()
    _print_cells(title, head, rows)
    _print_parts(preview.part, preview.loss_by)
    left_out = f"; {preview.suppressed:,} would be left out" if preview.suppressed else ""
    say(f"preview   of {preview.records:,} records{left_out}; nothing was written")
    print_losses(preview.loss, "--json")


def print_sample(sample: "Sample") -> None:
    """Show the first records of whatever was given."""
    for part in sample.parts:
        more = ", and there are more" if part.more else ""
        _print_cells(f"{part.name}: the first {len(part.rows)} records{more}", part.columns, part.rows)


def _print_parts(part: str, losses: Mapping[str, float]) -> None:
    from shoal.report.words import percent

    if losses:
        rows = [[printable(name), percent(loss)] for name, loss in losses.items()]
        print_table(f"What each {part} loses", [part, "loss"], rows)


def _print_cells(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    shown = [[_clean(cell) for cell in row[:_WIDEST]] for row in rows]
    print_table(printable(title), [printable(name) for name in head[:_WIDEST]], shown)
    if len(head) > _WIDEST:
        tell(f"          {len(head) - _WIDEST:,} more columns are not shown; --json has all of them")


def _clean(cell: object) -> object:
    """A cell in which nothing steers a terminal; its lines stay."""
    if cell is None:
        return ""
    return "\n".join(map(printable, cell.split("\n"))) if isinstance(cell, str) else cell
