"""`shoal hierarchy`: build one from data, check a file, show it, edit it, count people."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.base.errors import HierarchyError, InputError
from shoal.base.stopping import atomic_write
from shoal.cli.options import FILE, as_json, ask_for_config, collect_options, job_options
from shoal.cli.show import print_escaped, print_json, print_line, progress_listener

if TYPE_CHECKING:
    from shoal.hierarchy.edit import Editable

__all__ = ["hierarchy"]

_show_values = click.option("--show-values", is_flag=True, help="Also print the values that cause a fault.")
_file = click.argument("file", type=FILE)
_labels = click.argument("labels", metavar="LABEL...", nargs=-1, required=True)
_edit_out = click.option("--out", type=FILE, help="Write to this file; FILE stays as it is.")


@click.group()
def hierarchy() -> None:
    """Build, check, show and edit hierarchies, which say how values can be made coarser."""


@hierarchy.command()
@click.argument("data", type=FILE)
@click.argument("column")
@click.option("--ranges", metavar="W,W,...", help="Widths of number ranges, such as 10,20,100.")
@click.option("--top", type=float, help="With --ranges: all values of at least this become one group.")
@click.option("--bottom", type=float, help="With --ranges: all values below this become one group.")
@click.option("--dates", metavar="UNIT,...", help="Units of dates, such as month,year.")
@click.option("--date-format", metavar="FORMAT", help="With --dates: how they are written, such as %d.%m.%Y.")
@click.option("--mask", type=click.Choice(["left", "right"]), help="Mask characters from one side.")
@click.option("--fanout", type=int, help="Group this many neighbours on each level.")
@click.option("--numbers", is_flag=True, help="Take digits that look like codes as numbers.")
@click.option(
    "--decimal", type=click.Choice([".", ","]), default=".", show_default=True, help="The decimal sign."
)
@click.option("--vocabulary", metavar="NAME", help="A public vocabulary, such as icd10 or countries.")
@click.option("--mapping", type=FILE, help="A JSON file of nested groups.")
@click.option("--out", type=FILE, required=True, help="The file to write.")
@_show_values
def build(data: Path, column: str, out: Path, show_values: bool, decimal: str, **rules: Any) -> None:
    """Build a hierarchy for COLUMN of the file DATA."""
    from shoal.hierarchy import files
    from shoal.hierarchy.rules import build as make
    from shoal.shapes.hierarchies import warn_unlisted

    if out.exists():
        raise InputError(f"{out.name}: exists already; choose another --out")
    spec = _rule_from_options(
        {name: rule for name, rule in rules.items() if rule is not None and rule is not False}
    )
    values = _read_column(data, column, decimal).values
    _report_values(show_values, lambda: warn_unlisted(column, spec, values))
    tree = _report_values(show_values, lambda: make(column, spec, values))
    with atomic_write(out, private=False) as part:
        files.write(tree, part)
    print_line(f"{out.name}: {tree.size:,} leaves, height {tree.height}")


@hierarchy.command()
@click.argument("file", type=FILE)
@click.argument("data", type=FILE, required=False)
@click.argument("column", required=False)
@_show_values
@as_json
def check(file: Path, data: Path | None, column: str | None, show_values: bool, as_json: bool) -> None:
    """Check a hierarchy FILE, and that it covers COLUMN of the file DATA if these are given."""
    from shoal.hierarchy import files
    from shoal.hierarchy.edit import problems

    if (data is None) != (column is None):
        raise InputError("hierarchy check: give DATA and COLUMN together, or neither")
    tree = _report_values(show_values, lambda: files.read(file))
    coverage = problems(tree, None if data is None or column is None else _read_column(data, column))
    facts = coverage.as_dict(values=show_values)
    if as_json:
        print_json(facts)
    if coverage and not as_json:
        shape = f"{facts['leaves']:,} leaves, height {facts['height']}, nodes on each level {facts['nodes']}"
        print_line(
            f"{file.name}: {shape}"
            + (f"; it covers the column, {coverage.unused:,} leaves are unused" if data else "")
        )
    if not coverage:
        if show_values and not as_json:
            print_line("\n".join(coverage.uncovered))
        raise HierarchyError(
            f"column '{column}': {len(coverage.uncovered):,} value(s) in {coverage.uncovered_records:,} "
            "record(s), first in "
            f"record {coverage.first:,}, are not in hierarchy '{file.name}'; add them (--show-values prints them)"
        )


@hierarchy.command()
@click.argument("file", type=FILE)
@click.option("--limit", default=40, show_default=True, help="Print at most this many lines.")
def show(file: Path, limit: int) -> None:
    """Print a hierarchy FILE, indented, root first."""
    from shoal.hierarchy import files
    from shoal.hierarchy.edit import show as draw

    print_line(draw(files.read(file), limit=limit))


@hierarchy.command()
@click.argument("config", type=FILE, default="shoal.toml", metavar="[CONFIG]")
@job_options("count")
@click.option("--limit", default=40, show_default=True, help="Print at most this many lines per column.")
@click.option("--show-values", is_flag=True, help="Also print labels that come from the data.")
@as_json
def count(config: Path, limit: int, show_values: bool, as_json: bool, **values: Any) -> None:
    """Count how many people each node covers, for all columns of CONFIG that have a hierarchy.

    Keep what is printed: small counts single people out.
    """
    from shoal.jobs.risk_counts import count as counting

    ask_for_config(config)
    with progress_listener() as progress:
        counts = counting(config, progress=progress, **collect_options("count", values))
    if as_json:
        print_json(counts.as_dict(values=show_values))
        return
    for column in counts.columns:
        print_escaped(column.sentence())
        for line in column.drawn(limit=limit, values=show_values):
            print_escaped(f"  {line}")


@hierarchy.command()
@_file
@click.argument("old")
@click.argument("new")
@_edit_out
def rename(file: Path, old: str, new: str, out: Path | None) -> None:
    """Call the group OLD of a hierarchy FILE by another name, NEW."""
    _edit_file(file, out, lambda tree: tree.rename(tree.find(old), new))


@hierarchy.command()
@_file
@_labels
@click.option("--under", metavar="LABEL", required=True, help="The group, on a higher level, to put them in.")
@_edit_out
def move(file: Path, labels: tuple[str, ...], under: str, out: Path | None) -> None:
    """Put values or groups of a hierarchy FILE, with all that is in them, under another group."""
    _edit_file(file, out, lambda tree: tree.move(list(map(tree.find, labels)), tree.find(under)))


@hierarchy.command()
@_file
@_labels
@click.option("--as", "name", metavar="NEW", required=True, help="The new group's name.")
@_edit_out
def group(file: Path, labels: tuple[str, ...], name: str, out: Path | None) -> None:
    """Put values or groups of a hierarchy FILE under a new group; a level is added where none is free."""
    _edit_file(file, out, lambda tree: tree.group(list(map(tree.find, labels)), name))


@hierarchy.command()
@_file
@_labels
@_edit_out
def ungroup(file: Path, labels: tuple[str, ...], out: Path | None) -> None:
    """Take groups out of a hierarchy FILE; what is in them stands where they stood."""
    _edit_file(file, out, lambda tree: tree.ungroup(list(map(tree.find, labels))))


@hierarchy.command("add-level")
@_file
@click.option("--above", type=int, default=0, show_default=True, help="The level below it; 0 are the values.")
@_edit_out
def add_level(file: Path, above: int, out: Path | None) -> None:
    """Add a level to a hierarchy FILE, on which each node stands as it is until you group some."""
    _edit_file(file, out, lambda tree: tree.with_level(above))


@hierarchy.command("remove-level")
@_file
@click.argument("level", type=int)
@_edit_out
def remove_level(file: Path, level: int, out: Path | None) -> None:
    """Take a LEVEL out of a hierarchy FILE; groups that stand on it alone are gone."""
    _edit_file(file, out, lambda tree: tree.without_level(level))


def _edit_file(file: Path, out: Path | None, act: "Callable[[Editable], Editable]") -> None:
    from shoal.hierarchy import files
    from shoal.hierarchy.edit import Editable

    if out is not None and out.exists():
        raise InputError(f"{out.name}: exists already; choose another --out, or leave it out to change FILE")
    tree = act(Editable.of(files.read(file)))
    target = file if out is None else out
    with atomic_write(target, private=False) as part:
        files.write(tree.hierarchy(), part)
    print_escaped(f"{target.name}: {tree.size:,} leaves, height {tree.height}")


def _rule_from_options(rules: dict[str, Any]) -> dict[str, Any]:
    """The one rule the options give, as a configuration would."""
    names = ["top", "bottom", "numbers", "date_format"]
    options = {name: rules.pop(name) for name in names if name in rules}
    if len(rules) != 1:
        raise InputError(
            "hierarchy build: give one of --ranges, --dates, --mask, --fanout, --vocabulary, --mapping"
        )
    (name, rule), *_ = rules.items()
    format = options.pop("date_format", None)
    if format is not None and name != "dates":
        raise InputError("hierarchy build: --date-format goes with --dates")
    if name == "mapping":
        rule = _read_mapping(rule)
        return {**rule, **options} if options else rule
    if name == "ranges":
        try:
            rule = [float(part) for part in rule.split(",")]
        except ValueError:
            raise InputError(
                "hierarchy build: --ranges takes numbers with commas between them, such as 10,20,100"
            ) from None
    if name == "dates":
        rule = [part.strip() for part in rule.split(",")]
        rule = rule if format is None else {"format": format, "levels": rule}
    return {name: rule, **options}


def _read_mapping(path: Path) -> dict[str, Any]:
    import json

    try:
        groups = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        groups = None
    if not isinstance(groups, dict):
        raise InputError(
            f"{path.name}: this is not a JSON object of nested groups; see the page on hierarchies"
        )
    return groups


def _read_column(data: Path, column: str, decimal: str = ".") -> Any:
    from dataclasses import replace

    from shoal.data import Role
    from shoal.io.read.cells import code_table, normalize_notation
    from shoal.io.read.notation import Notation
    from shoal.io.read.source import column_error
    from shoal.io.read.table import read

    source = read(data)
    if column not in source.frame.columns:
        raise column_error(source, column, [column])
    roles: dict[str, Role] = {name: "quasi" if name == column else "plain" for name in source.frame.columns}
    cells = normalize_notation(source, column, Notation(decimal)) if decimal == "," else None
    if cells is not None:
        source = replace(source, frame=source.frame.with_columns(cells.alias(column)))
    return code_table(source, roles).column(column)


def _report_values(show_values: bool, act: Any) -> Any:
    """Run `act`; show the values behind a fault only to somebody who asked for them."""
    try:
        return act()
    except HierarchyError as error:
        if show_values and error.value is not None:
            values = error.value if isinstance(error.value, tuple) else (error.value,)
            print_line("\n".join(str(value) for value in values))
        raise
