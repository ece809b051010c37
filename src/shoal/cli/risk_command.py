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
    force,
    given,
    job_options,
    key,
)
from shoal.cli.show import listening, print_json, print_line, print_table, printable

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
    with listening() as progress:
        found = measure(data, progress=progress, **given("risk", values))
        if html is not None:
            progress("drawing")
            with atomic_write(html) as part:
                part.write_text(found.html(), encoding="utf-8")
        if records is not None:
            with atomic_write(records) as part:
                found.record_frame().write_csv(part)
    if as_json:
        print_json(found.as_dict())
        return
    _print(found.measured)
    for place in (html, records):
        if place is not None:
            print_line(f"keep      {printable(str(place))}: it must not be published")


def _print(facts: Any) -> None:
    from shoal.report import risk as told

    few = f"fewer than {facts['k']}"
    known = ["what is known", "unique", few]
    each = ["column", "values", "distinction", "separation", "unique by it", "share of scores"]
    for title, head, rows in (
        ("Who can be found, and by what", known, told.uniqueness_rows(facts)),
        ("What each column reveals", each, told.column_rows(facts)),
        ("What one value of each field reveals", ["field", "values", "unique", few], told.field_rows(facts)),
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
        print_line(printable(f"{name:<11}{sentence}"))
