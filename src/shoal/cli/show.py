"""What commands print: facts to standard output, progress to standard error on a terminal.

Records are printed only where somebody asked for them.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Protocol

import click

from shoal.base.progress import Progress
from shoal.base.stopping import cleanup_on_stop
from shoal.io.formats import GROUPS

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.anonymization.release import Release
    from shoal.assess.preview import Preview
    from shoal.io.config import Config
    from shoal.proposal.look import Sample
    from shoal.release import Verdict

__all__ = [
    "OutputError",
    "ProgressBar",
    "escape_controls",
    "print_claim",
    "print_escaped",
    "print_json",
    "print_line",
    "print_preview",
    "print_sample",
    "print_saved",
    "print_table",
    "print_verdict",
    "progress_listener",
    "say_undecided",
]


class OutputError(OSError):
    """What is printed cannot be written; the work itself went well."""


def say_undecided(names: Sequence[str], as_json: bool) -> None:
    """Say what nobody decided about: what is promised rests on what it was taken for."""
    if names:
        from shoal.report.words import undecided_names

        line = f"undecided {undecided_names(names)}: taken for what shoal init proposed, though it asked you to decide"
        click.echo(escape_controls(line), err=True) if as_json else print_line(escape_controls(line))


def print_line(line: str) -> None:
    """Print a line of facts."""
    try:
        click.echo(line)
    except OSError as error:
        raise OutputError(error.errno, error.strerror) from None


def print_json(facts: Any) -> None:
    """Print facts as JSON; what a terminal would obey instead of showing it is escaped."""
    text = json.dumps(facts, indent=2, ensure_ascii=False)
    print_line(
        "".join(sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text)
    )


def escape_controls(text: str) -> str:
    r"""Text in one line in which nothing steers a terminal: names of columns, say, may be anybody's.

    >>> print(escape_controls("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


def print_escaped(text: str) -> None:
    """Print one line."""
    print_line(escape_controls(text))


def print_verdict(verdict: "Verdict") -> None:
    """Say what a judge said, and which rows are its witnesses."""
    print_escaped(f"verdict   {verdict.word}: {verdict.sentence.removeprefix('not judged: ')}")
    if verdict.witnesses:
        rows = ", ".join(map(str, verdict.witnesses[:10]))
        print_escaped(f"witnesses rows {rows}; {verdict.broken:,} rows break the claim")


class Listener(Progress, Protocol):
    """A progress listener that keeps quiet while something is printed."""

    def rest(self) -> None:
        """Leave the terminal to others until the next step."""


class _Silence:
    """Ignores all progress."""

    def __call__(self, what: str, share: float | None = None) -> None:
        """Take note of one step."""

    def rest(self) -> None:
        """Keep quiet."""


@contextmanager
def progress_listener() -> Iterator[Listener]:
    """A progress bar on standard error where somebody watches, silence elsewhere."""
    if not sys.stderr.isatty():
        yield _Silence()
        return
    from rich.console import Console

    bar = ProgressBar(Console(stderr=True))
    try:
        with cleanup_on_stop(_clear_line):
            yield bar
    finally:
        bar.rest()


class ProgressBar:
    """One line of at most 80 columns, taken away before anything is printed.

    What is being done, how long the whole has taken, and where it can be known the share done and the time left.
    """

    def __init__(self, console: "Console") -> None:
        from rich import progress as rich
        from rich.table import Column
        from rich.text import Text

        class Since(rich.ProgressColumn):
            """The time since the first step: a new step does not set it back."""

            begun: float | None = None

            def render(self, task: rich.Task) -> Text:
                if self.begun is None:
                    self.begun = task.get_time()
                seconds = int(task.get_time() - self.begun)
                return Text(f"{seconds // 60}:{seconds % 60:02}", style="progress.elapsed")

        console.width = min(console.width, _WIDTH)
        words = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        self._bar = rich.Progress(
            rich.TextColumn("{task.description}", table_column=words),
            rich.BarColumn(bar_width=14),
            rich.TaskProgressColumn(),
            rich.TimeRemainingColumn(),
            Since(),
            console=console,
            transient=True,
            expand=True,
        )
        self._task = self._bar.add_task("reading", total=None)
        self._what = "reading"

    def __call__(self, what: str, share: float | None = None) -> None:
        """Show one step; what is left of it is judged by its own pace, not by the last one's."""
        total = None if share is None else 1.0
        if what != self._what:
            self._what = what
            self._bar.reset(self._task, total=total, description=what)
        self._bar.update(self._task, total=total, completed=share or 0.0)
        self._bar.start()

    def rest(self) -> None:
        """Take the line away until there is something to show again."""
        self._bar.stop()


_WIDTH = 80  # columns of the bar, at most


def _clear_line() -> None:
    """Give the terminal back as it was: the line empty, the cursor shown."""
    os.write(sys.stderr.fileno(), b"\r\x1b[2K\x1b[?25h")


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a small table: numbers whole and to the right, long words folded.

    Where its columns do not fit side by side, those that do not come below, each time behind the first column.
    """
    from rich.console import Console

    body = [list(row) for row in rows]
    console = Console()  # as wide as the terminal, or as COLUMNS says where it is piped
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 200  # a file has no width
    limit, remaining = console.width, list(range(1, len(head)))
    while True:
        columns, remaining = [0, *remaining[:1]], remaining[1:]
        while (
            remaining
            and _min_width(console, _draw_table(title, head, body, [*columns, remaining[0]])) <= limit
        ):
            columns.append(remaining.pop(0))
        table = _draw_table(title, head, body, columns)
        console.width = max(limit, _min_width(console, table))  # or columns would be cut off
        with console.capture() as capture:  # printing, it would end the process where nobody reads
            console.print(table)
        print_line(capture.get().removesuffix("\n"))
        if not remaining:
            return
        title = ""


def _draw_table(
    title: str, head: Sequence[str], body: Sequence[Sequence[object]], places: Sequence[int]
) -> Any:
    """Some columns of a table, as rich draws them."""
    from rich.table import Table
    from rich.text import Text

    title_width = min(len(title), 80)  # or the title would stand in several short lines
    table = Table(title=title or None, title_justify="left", header_style="bold", min_width=title_width)
    for column in places:
        cells = [_format_cell(row[column]) for row in body]
        numeric = all(_is_number(row[column]) for row in body)
        is_unfolded = numeric or (
            column and max(map(len, cells), default=0) <= _SHORT
        )  # short words stay whole as well
        width = max(map(len, cells), default=0) if is_unfolded else None
        table.add_column(
            Text(head[column]), justify="right" if numeric else "left", min_width=width, overflow="fold"
        )
    for row in body:
        table.add_row(*(Text(_format_cell(row[column])) for column in places))
    return table


def _min_width(console: Any, table: Any) -> int:
    """How wide a table is at least."""
    return int(console.measure(table, options=console.options.update(max_width=10_000)).minimum)


_SHORT = 12  # signs of a cell that is not folded


def _is_number(cell: object) -> bool:
    """Whether a cell stands at the right: a number, or a share as pages write it."""
    return isinstance(cell, int | float) or (isinstance(cell, str) and cell.endswith("%"))


def _format_cell(cell: object) -> str:
    """Write a fact for people: 1,234 and 0.1234."""
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def print_claim(claim: Mapping[str, Any]) -> None:
    """Say what a release promises, one line for each claim, and against whom."""
    if not claim:
        print_escaped("claim     none that could be read")
        return
    for part in claim.get("claims", [claim]):
        if (
            "counts" in claim and "k" in part and "of" not in part
        ):  # of several claims it is said once, of them all
            part = {**part, "counts": claim["counts"]}
        numbers = ", ".join(
            f"{key}={value}"
            for key, value in part.items()
            if isinstance(value, int | float | str) or key == "presence"
            if key not in ("model", "attacker")
        )
        print_escaped(f"claim     {part['model']} ({numbers})")
    print_escaped(f"          {claim['attacker']}")


def _truth_clause(claim: Mapping[str, Any]) -> str:
    """What was judged beside the claim: rows that are votes of several baskets need not be true of any of them."""
    if any(part["model"].startswith("nonreciprocal") for part in claim.get("claims", [claim])):
        return "; rows are votes, so some of their items may be wrong"
    return ", and every published value is true"


def print_saved(release: "Release", out: Path, path: Path, config: "Config") -> None:
    """Tell of a release that was written to a folder: what was written, what it promises and what it cost.

    The last lines are the commands that judge and attack it, where rows were kept.
    """
    from shoal.io.write.folders import private_folder
    from shoal.privacy.presets import describe_rules
    from shoal.report.words import (
        SHAPE_WORDS,
        changed_columns,
        full_knowledge_sentence,
        proposed_sentences,
    )

    manifest, private = json.loads((out / "manifest.json").read_text(encoding="utf-8")), private_folder(out)
    class_word = SHAPE_WORDS[manifest["shape"]].alike  # a tree's classes are its fields
    print_line(
        f"released  {manifest['records_out']:,} of {manifest['records_in']:,} records in {manifest['classes']:,} "
        f"{class_word}; {manifest['suppressed']:,} suppressed"
    )
    print_claim(manifest["claim"])
    print_line(f"judged    the written files keep the claim{_truth_clause(manifest['claim'])}")
    if sentence := full_knowledge_sentence(release.full_knowledge):
        print_line(f"beyond    {sentence}")
    if "preset" in manifest:
        print_line(f"rules     {describe_rules(manifest['preset'])} (report.html lists them)")
    changed, losses = changed_columns(manifest), release.losses_by_column
    _print_losses(release.loss, f"{private}/audit.html", losses, manifest["shape"], changed)
    for line in proposed_sentences(manifest.get("as_proposed", [])):
        print_escaped(f"note      {line}")
    _print_notes(manifest.get("notes", []), manifest["claim"])
    _print_cheaper_methods(release, path, manifest)
    _print_overlap(release)
    if manifest.get("rehearsal"):
        print_line("rehearsal it was made with a fixed seed; do not publish it")
    _print_files(out, private)
    arguments = f"{quote(str(out))} --config {quote(str(path))}"
    has_rows = (private / "rows.parquet").exists()
    if has_rows:
        arguments += f" --against {quote(_originals_path(config))}"
    print_line(f"next      shoal verify {arguments}")
    if has_rows:
        print_line(f"          shoal attack {arguments}")


def _print_cheaper_methods(release: "Release", path: Path, manifest: Mapping[str, Any]) -> None:
    """Tell which methods would lose less, and how to compare them."""
    from shoal.report.words import percent

    command = "shoal compare" if str(path) == "shoal.toml" else f"shoal compare {quote(str(path))}"
    for name, share in release.cheaper_methods.items():
        print_line(
            f'note      {name} would lose only {percent(share)} of the detail; try name = "{name}" in [method], or see '
            f"more: {command} --methods {manifest['method']['name']},{name} --k 2:100"
        )


def _print_overlap(release: "Release") -> None:
    """Tell which columns have groups that overlap, and what groups that do not would cost."""
    from shoal.report.words import label, names_in_words, percent

    if names := release.overlapping:
        one_level = release.other_choices.one_level
        price = "" if one_level is None else f"; one level per column would lose {percent(one_level)}"
        print_escaped(
            f"note      groups overlap in {names_in_words([label(name) for name in names])}, so people cannot be "
            f"counted by them{price}; for groups that do not: shoal run --tables"
        )


def _print_files(out: Path, private: Path) -> None:
    """Tell which files may be published, and which must be kept."""
    public_files = ["data", *([GROUPS] if (out / GROUPS).exists() else []), "manifest.json", "report.html"]
    private_files = ["audit.html", "audit.json"]
    if (out / "report.pdf").exists():
        public_files.append("report.pdf")
        private_files.append("audit.pdf")
    private_files.append("recoding.json")
    if (private / "rows.parquet").exists():
        private_files.append("rows.parquet")
    print_line(f"publish   {out}: {', '.join(public_files)}")
    print_line(f"keep      {private}: {', '.join(private_files)} must not be published")


def _originals_path(config: "Config") -> str:
    """Where the records of a configuration are, as `verify --against` takes it."""
    from os.path import relpath

    from shoal.io.settings import strip_password

    data = config.data
    return strip_password(str(data.url)) if data.path is None else relpath(data.path)


def _print_notes(notes: Sequence[Mapping[str, object]], claim: Mapping[str, Any]) -> None:
    """Tell what a release shows, a few columns of each kind, and once for all what its owner may do about it."""
    from shoal.report.words import note_advice, note_sentence

    kinds: dict[object, list[Mapping[str, object]]] = {}
    for note in notes:
        kinds.setdefault(note.get("kind"), []).append(note)
    for notes_of_kind in kinds.values():
        for note in notes_of_kind[:_FEW_NOTES]:
            print_line(f"note      {note_sentence(note)}")
        if len(notes_of_kind) > _FEW_NOTES:
            print_line(f"          and the same of {len(notes_of_kind) - _FEW_NOTES:,} more columns")
    for line in note_advice(notes, claim):
        print_line(f"advice    {line}")


def _print_losses(
    loss: Mapping[str, float],
    where: str,
    columns: Mapping[str, float | None] | None = None,
    shape: str = "table",
    changed: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Tell the headline loss in words and a few others with their names; `where` has all of them.

    `columns` says what became of each column that came in, `changed` which of them have other values now.
    """
    from shoal.report.words import columns_sentences, number
    from shoal.utility import LOSSES

    headline, *sentences = columns_sentences(columns or {}, loss, shape, changed)
    print_line(f"loss      {headline}")
    for line in sentences:
        print_escaped(f"          {line}")
    other_names = [name for name in loss if not LOSSES[name].headline]
    shown_names = [name for name in other_names if name in _ASKED or name == other_names[0]][:_FEW_LOSSES]
    if shown_names:
        figures = ", ".join(f"{name} {number(float(loss[name]))}" for name in shown_names)
        print_line(
            f"          {figures}{f'; all of them are in {where}' if len(other_names) > len(shown_names) else ''}"
        )


_FEW_LOSSES = 3
_FEW_NOTES = 3
_ASKED = ("table-ncp", "items-ncp", "glm", "dm", "c_avg", "ul", "are", "rpd", "rpd-original", "ml2", "qe")
"""The losses that people ask for beside the headline loss; the method's own, where one is named, stands before them."""


_WIDEST = 12  # columns that stand side by side


def print_preview(preview: "Preview", as_json: bool) -> None:
    """Show records before and after, and what each part loses."""
    if as_json:
        print_json(preview.as_dict())
        return
    from shoal.report.words import percent

    title, head, rows = preview.printable_table()
    _print_cells(title, head, rows)
    if preview.loss_by:
        loss_rows = [[escape_controls(name), percent(loss)] for name, loss in preview.loss_by.items()]
        print_table(f"What each {preview.part} loses", [preview.part, "loss"], loss_rows)
    left_out = f"; {preview.suppressed:,} would be left out" if preview.suppressed else ""
    print_line(f"preview   of {preview.records:,} records{left_out}; nothing was written")
    _print_losses(preview.loss, "--json")


def print_sample(sample: "Sample") -> None:
    """Show the first records of whatever was given."""
    for part in sample.parts:
        note = ", and there are more" if part.more else ""
        _print_cells(f"{part.name}: the first {len(part.rows)} records{note}", part.columns, part.rows)


def _print_cells(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    cells = [[_escape_cell(cell) for cell in row[:_WIDEST]] for row in rows]
    print_table(escape_controls(title), [escape_controls(name) for name in head[:_WIDEST]], cells)
    if len(head) > _WIDEST:
        print_escaped(f"          {len(head) - _WIDEST:,} more columns are not shown; --json has all of them")


def _escape_cell(cell: object) -> object:
    """A cell in which nothing steers a terminal; its lines stay."""
    if cell is None:
        return ""
    return "\n".join(map(escape_controls, cell.split("\n"))) if isinstance(cell, str) else cell
