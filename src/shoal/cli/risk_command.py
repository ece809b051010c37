"""`shoal risk`: how exposed people are before anything is done."""

from pathlib import Path
from typing import Any

import click

from shoal.base.stopping import atomic_write
from shoal.cli.options import (
    FILE,
    as_json,
    ask_for_config,
    ask_for_url,
    check_page,
    collect_options,
    force,
    job_options,
    key,
)
from shoal.cli.show import escape_controls, print_json, print_line, print_table, progress_listener

__all__ = ["risk"]


@click.command()
@click.argument("data", default="shoal.toml", metavar="[FILE|FOLDER|URL|CONFIG]")
@job_options("risk")
@click.option("--html", type=FILE, metavar="FILE", help="Write one html page; do not publish it.")
@click.option(
    "--records", type=FILE, metavar="FILE", help="Write the risk of each record as csv; do not publish it."
)
@force("existing files")
@key
@as_json
def risk(
    data: str,
    html: Path | None,
    records: Path | None,
    force: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Show how exposed people are before anything is done, and by which columns, items or values.

    CONFIG is a shoal.toml, by default ./shoal.toml. Of data that nobody has described yet (FILE, FOLDER or
    URL, as `shoal init` takes them) roles are proposed first.
    """
    from shoal.jobs.risk import risk as measure

    if html is not None:
        check_page(html, force)
    if records is not None:
        check_page(records, force, (b"record,look_alikes,",))
    if data.lower().endswith(".toml"):
        ask_for_config(Path(data))
    else:
        ask_for_url(data)
    with progress_listener() as progress:
        result = measure(data, progress=progress, **collect_options("risk", values))
        if html is not None:
            progress("drawing")
            with atomic_write(html) as part:
                part.write_text(result.html(), encoding="utf-8")
        if records is not None:
            with atomic_write(records) as part:
                result.record_frame().write_csv(part)
    if as_json:
        print_json(result.as_dict())
        return
    _print_risk(result.measured)
    for path in (html, records):
        if path is not None:
            print_line(f"keep      {escape_controls(str(path))}: it must not be published")


def _print_risk(facts: Any) -> None:
    from shoal.report import risk as told

    few_label = f"fewer than {facts['k']}"
    uniqueness_head = ["what is known", "unique", few_label]
    column_head = ["column", "values", "distinction", "separation", "unique by it", "share of scores"]
    for title, head, rows in (
        ("Who can be found, and by what", uniqueness_head, told.uniqueness_rows(facts)),
        ("What each column reveals", column_head, told.column_rows(facts)),
        (
            "What one value of each field reveals",
            ["field", "values", "unique", few_label],
            told.field_rows(facts),
        ),
        ("The sets that find the most people", told.set_head(facts), told.set_rows(facts)),
        (
            "The smallest sets that single people out",
            ["columns", "people", "share"],
            told.minimal_rows(facts),
        ),
    ):
        if rows:
            print_table(title, head, rows)
    for name, sentence in told.sentences(facts):
        print_line(escape_controls(f"{name:<11}{sentence}"))
