"""Compare methods: of data in Python, or of what a configuration names."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal import __version__
from shoal.data.arrays import I8
from shoal.engines import cores
from shoal.errors import InputError, ShoalWarning
from shoal.io.config import load
from shoal.progress import Progress, silent
from shoal.publish.assess.prediction import some_records, split
from shoal.publish.assess.usefulness import check_asked
from shoal.publish.draft import Dataset
from shoal.publish.jobs import check_parameters
from shoal.publish.making import claim_asked, compiled, require_dataset
from shoal.publish.options import check_seed, is_number
from shoal.publish.shapes.base import open_dataset
from shoal.publish.study.compare.comparison import Comparison, reference
from shoal.publish.study.compare.measures import (
    SWEPT,
    Numbers,
    Originals,
    Point,
    fitting,
    floor_at,
    points_of,
    sweep,
)
from shoal.publish.study.compare.pool import (
    PASSING,
    ComparisonFolder,
    fingerprint,
    keeping,
    measure_points,
    plan_of,
)
from shoal.stopping import undone

__all__ = ["compare", "compare_config", "sampled", "what_a_sample_changes"]

_CELLS = 50_000
"""Of tables up to which attackers are played beside each release where nobody says whether."""
_SECONDS = 120.0
"""How long a method that nobody named may take at one point."""


@dataclass(frozen=True, slots=True)
class _Comparing:
    """How a comparison is made, whatever is compared.

    give_up : whether a method that takes too long at one point is not asked for others
    """

    folder: Path | None
    force: bool
    sample: int | None
    target: str | None
    jobs: int
    seconds: float | None
    seed: int | None
    progress: Progress
    give_up: bool
    attackers: bool | None = None


def compare(
    data: Dataset,
    *,
    methods: Sequence[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    sample: int | None = None,
    target: str | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    attackers: bool | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Comparison:
    """Make a release with every method at every point of a sweep, judge each, measure it, and keep the figures alone.

    Parameters
    ----------
    data
        What `read` or `read_trees` returned.
    methods
        The methods; by default those that fit the data and the claim, each until it takes too long at a point.
    folder
        Where results are kept as they come, so that an interrupted comparison goes on where it was; the name must
        end in `.private`. By default they are kept nowhere.
    force
        Replace what stands in the folder.
    sample
        Compare on so many records, drawn at random.
    target
        A column to predict: releases are then made of 70% of the records, and models that learn from them are tested on
        the others. It needs the extra `ml`.
    jobs
        How many processes work at once; by default as many as there are cores.
    seconds
        A point that takes longer is a hole; by default 120 s where no methods are named, else no limit.
    seed
        For papers and tests only: the same random choices each time.
    attackers
        Whether whoever reads more from labels than they say is played on each release of a table; by default where the
        data are small.
    progress
        A listener that is told how far the work is.
    options
        `k`, `m`, `n`, `l`, `delta` and `suppress` as a number, a list or a text such as "2:100"; further numbers of
        the guarantee and parameters of methods, which every method that has them is given.

    Raises
    ------
    InputError
        A method, a number or the folder is wrong; the message says what to do.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> table = shoal.read(pl.DataFrame({"age": [31, 33, 38, 52, 57, 58]}), roles={"age": "quasi"},
    ...                    hierarchies={"age": {"ranges": [10, 40]}})
    >>> shoal.compare(table, methods=["optimal", "mondrian"], k=[2, 3]).table()["status"].to_list()
    ['made', 'made', 'made', 'made']
    """
    require_dataset("compare", data)
    asked = {name: options.pop(name) for name in SWEPT if options.get(name) is not None}
    fixed = {name: value for name, value in asked.items() if name == "delta" and value == "knee"}
    sweeps = {name: sweep(name, value) for name, value in asked.items() if name not in fixed}
    ways = _ways(folder, force, sample, target, jobs, seconds, seed, progress, attackers, methods is None)
    return _compared(data, methods, sweeps, {**options, **fixed}, ways)


def compare_config(
    path: Path,
    folder: Path,
    *,
    methods: Sequence[str] | None = None,
    sweeps: Mapping[str, str] | None = None,
    force: bool = False,
    sample: int | None = None,
    target: str | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    attackers: bool | None = None,
    progress: Progress = silent,
) -> Comparison:
    """Compare methods on what a configuration describes; `sweeps` stand in place of its numbers."""
    config = load(path)
    check_parameters(config)
    asked = {name: sweep(name, text) for name, text in (sweeps or {}).items()}
    if not config.guarantee and not asked:
        raise InputError("configuration: no guarantee is asked for; add [guarantee] with k, or give --k")
    target = target or config.target
    ways = _ways(folder, force, sample, target, jobs, seconds, seed, progress, attackers, methods is None)
    progress("reading")
    dataset = open_dataset(config)
    return _compared(dataset, methods, asked, {**config.guarantee, **config.parameters}, ways)


def _ways(
    folder: str | os.PathLike[str] | None,
    force: bool,
    sample: int | None,
    target: str | None,
    jobs: int | None,
    seconds: float | None,
    seed: int | None,
    progress: Progress,
    attackers: bool | None,
    give_up: bool,
) -> _Comparing:
    check_seed(seed)
    for name, given in (("sample", sample), ("jobs", jobs), ("seconds", seconds)):
        if given is not None and (not is_number(given) or given <= 0):
            raise InputError(f"compare: --{name} takes a number above 0")
    place = None if folder is None else Path(folder)
    return _Comparing(
        place, force, sample, target, jobs or cores(), seconds, seed, progress, give_up, attackers
    )


def _compared(
    dataset: Dataset,
    methods: Sequence[str] | None,
    sweeps: Mapping[str, Numbers],
    options: Mapping[str, Any],
    ways: _Comparing,
) -> Comparison:
    records = dataset.records
    draw = _draw(ways)
    plan = {"fingerprint": _fingerprint(dataset, options, ways, draw), "sample": ways.sample, "draw": draw}
    whole = dataset
    if ways.sample is not None:
        dataset = sampled(dataset, ways.sample, draw)
    drawn = dataset.records
    check_asked(dataset, ways.target)
    if ways.target is not None and options.get("loss") == "ce":
        options = {"target": ways.target, **options}  # the methods that price predictions price this one
    originals, notes = _split(dataset, ways, draw)
    if originals.labels and ways.sample is not None and drawn < records:
        rest = np.setdiff1d(np.arange(records), _drawn(whole, ways.sample, np.random.default_rng(draw)))
        originals = replace(originals, others=some_records(whole, rest))
    dataset = originals.dataset
    chosen, left_out = fitting(dataset, methods, sweeps, options)
    points = points_of(chosen, sweeps, options, ways.seed)
    dataset.guard(
        claim_asked(dataset, None, points[0].options)
    )  # what no release may carry is told before any is made
    k = {**options, **reference(sweeps, options, ())}.get("k")
    notes = (*_notes(drawn, records, k), *notes)
    for note in notes:
        warnings.warn(note, ShoalWarning, stacklevel=3)
    with _keeping(ways, plan) as kept:
        rows = _rows(originals, points, kept, ways)
        found = Comparison(
            dataset.shape,
            records,
            tuple(chosen),
            dict(sweeps),
            reference(sweeps, options, rows),
            rows,
            drawn if drawn < records else None,
            left_out,
            notes,
            floor_at(dataset, chosen, options, reference(sweeps, options, rows)),
        )
        if kept is not None:
            kept.write_page(found.html)
    return found


def _draw(ways: _Comparing) -> int:
    """The number that a sample is drawn by: that of the folder, so that it goes on with the same records."""
    if ways.seed is not None:
        return ways.seed
    if ways.folder is not None and not ways.force:
        before = plan_of(ways.folder).get("draw")
        if isinstance(before, int):
            return before
    return int.from_bytes(os.urandom(6), "big")


def _split(dataset: Dataset, ways: _Comparing, draw: int) -> tuple[Originals, tuple[str, ...]]:
    """What is released, and with a target what models are tested on, with a note that says so."""
    labels = dataset.cells <= _CELLS if ways.attackers is None else ways.attackers
    labels = labels and dataset.shape == "table"
    if ways.target is None:
        return Originals(dataset, labels=labels), ()
    train, held = split(dataset, seed=draw)
    said = (
        f"releases were made from {train.records:,} of {dataset.records:,} records, and models of {ways.target} "
        f"were tested on the other {held.records:,}"
    )
    return Originals(train, held, ways.target, labels, held), (said,)


def _fingerprint(dataset: Dataset, options: Mapping[str, Any], ways: _Comparing, draw: int) -> str:
    """What must be the same for a finished point to be taken over: all that its row does not tell."""
    if ways.folder is None:
        return ""
    settings = {name: value for name, value in options.items() if name not in SWEPT}
    drawn = None if ways.sample is None else (ways.sample, draw)
    told = ways.target and (ways.target, draw)
    return fingerprint(__version__, dataset, settings, drawn, ways.seed, told, ways.attackers)


def _notes(records: int, all_records: int, k: Any) -> tuple[str, ...]:
    if records == all_records:
        return ()
    return (what_a_sample_changes(records, all_records, k if isinstance(k, int) else None),)


@contextmanager
def _keeping(ways: _Comparing, plan: Mapping[str, Any]) -> Iterator[ComparisonFolder | None]:
    if ways.folder is None:
        yield None
        return
    with keeping(ways.folder, plan, force=ways.force) as kept:
        yield kept


def _rows(
    originals: Originals, points: Sequence[Point], kept: ComparisonFolder | None, ways: _Comparing
) -> list[Mapping[str, Any]]:
    """The row of each point, in the order of the points: those that are kept, and those made now."""
    found: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row in kept.rows if kept is not None else ():
        if row["status"] not in PASSING:
            found[_key(row)] = row
    left = [point for point in points if point.key not in found]
    fresh = any(not compiled(point.method) for point in left)
    ways.progress("compiling, once" if fresh else "comparing", None if fresh else _share(points, left))
    seconds = _SECONDS if ways.seconds is None and ways.give_up else ways.seconds
    work = measure_points(originals, left, jobs=ways.jobs, seconds=seconds, give_up=ways.give_up)
    with undone(lambda: _tell_kept(kept)), closing(work):  # whatever happens, nobody works on
        for place, row in enumerate(work, start=1):
            if kept is not None:
                kept.add(row)
            found[_key(row)] = row
            ways.progress("comparing", 1 - (len(left) - place) / len(points))
    return [found[point.key] for point in points]


def _share(points: Sequence[Point], left: Sequence[Point]) -> float:
    return 1 - len(left) / len(points)


def _tell_kept(kept: ComparisonFolder | None) -> None:
    """Say, where the process is told to stop, that what is finished is kept."""
    if kept is not None:
        done = sum(row["status"] not in PASSING for row in kept.rows)
        line = "\r\x1b[2K" if os.isatty(2) else ""  # instead of the progress bar
        said = f"{line}shoal: {done:,} finished points are kept in {kept.folder}; the same command goes on from there\n"
        os.write(2, said.encode())


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells a row from others, as `Point.key` does."""
    return (row["maker"], *(row[name] for name in SWEPT))


# Some records of a dataset, drawn at random, bound to the same hierarchies.


def sampled(dataset: Dataset, records: int, draw: int) -> Dataset:
    """About `records` records at random, in the order they had; of data that count persons, all rows of some persons.

    Raises
    ------
    InputError
        Fewer than two records are asked for.
    """
    if records < 2:
        raise InputError(
            "compare: a sample of fewer than two records shows nothing; give --sample a larger number"
        )
    if records >= dataset.records:
        return dataset
    return some_records(dataset, _drawn(dataset, records, np.random.default_rng(draw)))


def what_a_sample_changes(sample: int, records: int, k: int | None) -> str:
    """What the owner should know before figures of a sample are taken for those of all records."""
    most = 0 if k is None else round(k * records / sample)
    hard = (
        f": k={k} here costs about what a k between {k} and {most:,} costs there"
        if k is not None and most > k
        else ""
    )
    return (
        f"these are figures of {sample:,} of {records:,} records; in a sample people have fewer look-alikes, so a "
        f"method usually loses more than it would on all records{hard}; compare the methods with each other, and run "
        "the one you choose on all records"
    )


def _drawn(dataset: Dataset, records: int, random: np.random.Generator) -> I8:
    """The rows of a sample, rising."""
    persons = dataset.inputs["table"].persons if dataset.counts_persons else None
    if persons is None:
        return np.sort(random.permutation(dataset.records)[:records])
    who, rows = np.unique(persons, return_counts=True)
    order = random.permutation(len(who))
    few = order[: max(1, int(np.searchsorted(np.cumsum(rows[order]), records, side="right")))]
    return np.flatnonzero(np.isin(persons, who[few]))
