"""`shoal pareto`: the least loss for every k at once, with one level per column."""

from pathlib import Path

import click

from shoal.base.stopping import atomic_write
from shoal.cli.options import (
    FILE,
    as_json,
    as_proposed,
    check_page,
    config_argument,
    force,
    job_options,
    open_config,
    out,
    pdf,
    preview,
)
from shoal.cli.show import print_json, print_line, print_preview, print_saved, print_table, progress_listener

__all__ = ["pareto"]


@click.command()
@config_argument
@as_json
@job_options("pareto", without=("seed",))
@click.option("--plot", type=FILE, metavar="FILE", help="Draw the front in one html file; do not publish it.")
@as_proposed
@pdf
@preview
@out
@force("an existing release")
@job_options("pareto", "seed")
def pareto(
    config: Path,
    as_json: bool,
    seconds: float | None,
    pick: float | None,
    allow_empty: bool | None,
    plot: Path | None,
    as_proposed: bool,
    pdf: bool,
    preview: bool,
    out: Path,
    force: bool,
    seed: int | None,
) -> None:
    """Show the least loss for every k, with one level per column; for a table with baskets, what its two parts lose.

    For a table the configured k is ignored, and no point is released where more than k is asked for; for a table with
    baskets, the configured delta is ignored.
    """
    from shoal.io.pdf import find_browser
    from shoal.io.write.folders import check_place
    from shoal.jobs.configured import front_config

    configuration = open_config(config)
    if plot is not None:
        check_page(plot, force)
    if preview and pick is None:
        raise click.UsageError("--preview shows one point; say which with --pick")
    saves_point = pick is not None and not preview
    if saves_point:
        check_place(out, force)
        if pdf:
            find_browser()
    with progress_listener() as progress:
        front, save_options = front_config(
            configuration, seconds=seconds, picked=saves_point, as_proposed=as_proposed, progress=progress
        )
        release = point_preview = None
        if pick is not None:
            progress("judging")
            release = front.pick(pick, seed=seed, allow_empty=bool(allow_empty))
        if release is not None and preview:
            point_preview = release.preview()
        elif release is not None:
            release.save(out, **save_options, pdf=pdf, force=force, progress=progress)
    if plot is not None:
        with atomic_write(plot) as part:
            front.plot(pick).write_html(part)
    if point_preview is not None:
        print_preview(point_preview, as_json)
        return
    if as_json:
        print_json(front.as_dict())
        return
    print_table(*front.printable_table())
    print_line(front.summary())
    if release is not None:
        print_saved(release, out, config, configuration)
