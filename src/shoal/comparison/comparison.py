"""Compare methods, of data in Python or of what a configuration names; what came of it, and what it recommends."""

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import __version__
from shoal.algorithms import METHODS
from shoal.anonymization.compiling import is_compiled
from shoal.anonymization.methods import claim_from_options
from shoal.anonymization.run import check_parameters, require_dataset
from shoal.assess.prediction import select_records, split
from shoal.assess.usefulness import check_target_early
from shoal.base.arguments import check_seed, is_number
from shoal.base.discreet import SafeRepr, html_table
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.former_names import FormerName
from shoal.base.progress import Progress, no_progress
from shoal.base.stopping import atomic_write
from shoal.comparison.measures import (
    COLUMN,
    MADE,
    SWEPT,
    Numbers,
    Originals,
    Point,
    compute_floor,
    cross_sweeps,
    list_points,
    parse_sweep,
    select_methods,
)
from shoal.comparison.pool import measure_points
from shoal.comparison.results import check_folder, write_results
from shoal.data.arrays import I8
from shoal.engines import cores
from shoal.io.config import load
from shoal.report.compare import compare_figure, compare_html
from shoal.report.figures import to_plotly_figure
from shoal.report.words import SHAPE_WORDS, describe_point, number, percent, percent_at_least
from shoal.shapes.dataset import Dataset
from shoal.shapes.registry import open_dataset
from shoal.utility import find_headline

__all__ = ["Comparison", "compare", "compare_config"]

# Which method to take: the one that loses least where it counts, and how far the next one is.

_USUAL = {"k": 5}
"""The number to look at where none is configured."""
_FASTER, _SLOW = 10, 1.0
"""The next method is worth a word if it is so many times faster than one that takes so many seconds at least."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The method to take, and why; `method` is None where none made a release."""

    maker: str | None
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)

    def __str__(self) -> str:
        return self.sentence


def _reference_point(
    sweeps: Mapping[str, Numbers], options: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, int | float]:
    """The point that counts: of each sweep the number nearest to the configured one, the smaller of two.

    Where none is configured it is the k nearest to 5; of other numbers the first with which a release was made.
    """
    configured = {name: options.get(name, _USUAL.get(name)) for name in sweeps}
    candidates = {
        name: [_find_nearest(numbers, configured[name])]
        if isinstance(configured[name], int | float)
        else numbers
        for name, numbers in sweeps.items()
    }
    points = cross_sweeps(candidates)
    points_made = (
        point for point in points if any(row["status"] == MADE for row in _select_rows(rows, point))
    )
    return next(points_made, points[0])


def _find_nearest(numbers: Numbers, wanted: Any) -> int | float:
    return min(numbers, key=lambda one: (abs(one - wanted), one))


def _select_rows(rows: Sequence[Mapping[str, Any]], at: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of one point."""
    return [row for row in rows if all(row[name] == value for name, value in at.items())]


def _recommend_method(
    rows: Sequence[Mapping[str, Any]], at: Mapping[str, Any], loss: str | None
) -> Recommendation:
    """The method of least headline loss at a point among those that made a release there; of equal ones the fastest."""
    point_rows, words = _select_rows(rows, at), describe_point(at)
    priced_rows = [
        row for row in point_rows if row["status"] == MADE and loss is not None and row.get(loss) is not None
    ]
    if not priced_rows or loss is None:
        return Recommendation(None, f"no method made a release{words}; the missing points say why")
    priced_rows = sorted(priced_rows, key=lambda row: (round(row[loss], 9), row["cpu_seconds"]))
    best, *next_rows = priced_rows
    sentence = (
        f"use {best['maker']}{words}: it loses least, {percent(best[loss])} of the detail ({loss}), in "
        f"{_format_seconds(best['cpu_seconds'])}"
    )
    if not next_rows:
        why = (
            "and no other method was compared"
            if len(point_rows) == 1
            else "and no other method made a release there"
        )
        return Recommendation(best["maker"], f"{sentence}, {why}")
    return Recommendation(best["maker"], f"{sentence}; {_describe_next(best, next_rows, loss)}")


def _describe_next(best: Mapping[str, Any], others: Sequence[Mapping[str, Any]], loss: str) -> str:
    """How far the next method is, and one that is much faster."""
    second = others[0]
    is_same = round(second[loss], 9) == round(best[loss], 9)
    loss_text = "the same" if is_same else percent(second[loss])
    sentence = f"the next, {second['maker']}, loses {loss_text} in {_format_seconds(second['cpu_seconds'])}"
    fast = [row for row in others[1:] if _is_much_faster(row, best)]
    if _is_much_faster(second, best) or not fast:
        return sentence
    return (
        f"{sentence}; {fast[0]['maker']} takes only {_format_seconds(fast[0]['cpu_seconds'])} and loses "
        f"{percent(fast[0][loss])}"
    )


def _is_much_faster(row: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
    return bool(best["cpu_seconds"] >= _SLOW and row["cpu_seconds"] * _FASTER <= best["cpu_seconds"])


def _format_seconds(seconds: float) -> str:
    """A time in words.

    >>> _format_seconds(0.04), _format_seconds(12.34), _format_seconds(600)
    ('0.04 s', '12.3 s', '10 min')
    """
    if seconds >= 120:
        return f"{number(round(seconds / 60, 1))} min"
    return f"{number(seconds) if seconds >= 10 else f'{seconds:.2g}'} s"


# What a comparison found: to read, to draw, and as plain data.


@dataclass(frozen=True, repr=False)
class Comparison(SafeRepr):
    """Methods at the points of a sweep: `table()` to read them, `plot()` to see them, `recommendation` to choose.

    It shows figures of the originals, so it stays where they are.

    rows     : one per point, in the order asked: the method, its numbers, status and message, losses, times, risks
    at       : the point that the recommendation is about
    sample   : how many records were drawn; None where all were taken
    floor    : what every recoding of a kind loses there at least (`ncp`); None where it was not sought
    left_out : methods that would fit and were not compared, with the reason
    notes    : what to know before figures are believed
    """

    shape: str
    records: int
    makers: tuple[str, ...]
    sweeps: Mapping[str, Numbers]
    at: Mapping[str, int | float]
    rows: Sequence[Mapping[str, Any]]
    sample: int | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    floor: float | None = None

    @cached_property
    def loss(self) -> str | None:
        """The headline loss that the methods are compared by; None where no release was made."""
        for row in (*_select_rows(self.rows, self.at), *self.rows):
            figures = {name: value for name, value in row.items() if value is not None and name not in SWEPT}
            if (leading := find_headline(figures)) is not None:
                return leading[0]
        return None

    @cached_property
    def recommendation(self) -> Recommendation:
        """The method to take, and why."""
        return _recommend_method(self.rows, self.at, self.loss)

    @property
    def floor_sentence(self) -> str:
        """What no release of this kind loses less than, and how many times that methods lose; or why it is not told."""
        words = SHAPE_WORDS[self.shape]
        if self.floor is None:
            return words.without_floor
        times = ", ".join(f"{name} {factor:.2f} times that" for name, factor in self.times_floor.items())
        suffix = f"; {times}" if times else ""
        return f"{words.floor} loses less than {percent_at_least(self.floor)}{describe_point(self.at)} (ncp){suffix}"

    @cached_property
    def times_floor(self) -> dict[str, float]:
        """By method of which there is a floor, how many times the floor its release loses at the point that counts."""
        ncp_of_maker = {
            row["maker"]: row.get("ncp")
            for row in _select_rows(self.rows, self.at)
            if METHODS[row["maker"]].has_floor
        }
        return {
            name: loss / self.floor for name, loss in ncp_of_maker.items() if self.floor and loss is not None
        }

    @property
    def missing_points(self) -> list[Mapping[str, Any]]:
        """The points without a release; `message` says why."""
        return [row for row in self.rows if row["status"] != MADE]

    holes = FormerName("missing_points")
    floor_said = FormerName("floor_sentence")

    def facts(self) -> dict[str, object]:
        """What may be shown: how many methods and points there are, and what to take."""
        return {
            "shape": self.shape,
            "methods": ", ".join(self.makers),
            "points": len(self.rows),
            "holes": len(self.missing_points),
            "recommendation": self.recommendation.sentence,
        }

    def _repr_html_(self) -> str:
        head = ["method", *self.sweeps, self.loss or "loss", "seconds", "status"]
        names = ["maker", *self.sweeps, self.loss or "", "cpu_seconds", "status"]
        cells = "".join(
            f"<tr>{''.join(f'<td>{_format_cell(row.get(name))}</td>' for name in names)}</tr>"
            for row in self.rows
        )
        table = f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{cells}</table>"
        return html_table("Comparison of methods (private)", self.facts(), table)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal compare --json` prints it."""
        return {
            "shoal": __version__,
            "shape": self.shape,
            "records": self.records,
            "sample": self.sample,
            "makers": list(self.makers),
            "swept": {name: list(numbers) for name, numbers in self.sweeps.items()},
            "numbers": list(SWEPT),
            "at": dict(self.at),
            "loss": self.loss,
            "floor": {"ncp": self.floor, "sentence": self.floor_sentence, "times": self.times_floor},
            "recommendation": self.recommendation.as_dict(),
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "points": [_row_as_dict(row) for row in self.rows],
        }

    def table(self) -> pl.DataFrame:
        """One row per point; what a row has no figure of is missing."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return pl.DataFrame(
            [{name: row.get(name) for name in names} for row in self.rows],
            infer_schema_length=None,
            strict=False,
        )

    def plot(self, measure: str | None = None, over: str | None = None) -> Any:
        """Draw a measure against a number that was swept, a line per method; by default the headline loss against k."""
        return to_plotly_figure(compare_figure(self.as_dict(), measure, over))

    @property
    def html(self) -> str:
        """The page, one offline file; it must not be published."""
        return compare_html(self.as_dict())

    def save(self, path: str | Path) -> Path:
        """Write the page; it must not be published."""
        with atomic_write(Path(path)) as part:
            part.write_text(self.html, encoding="utf-8")
        return Path(path)


def _row_as_dict(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as plain data; what columns lost stands in an object of its own, null where one is left out."""
    plain = {name: value for name, value in row.items() if not name.startswith(COLUMN)}
    column_losses = {
        name.removeprefix(COLUMN): value for name, value in row.items() if name.startswith(COLUMN)
    }
    return plain | {"columns": column_losses if row["status"] == MADE else {}}


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_CELLS = 50_000
"""Of tables up to which attackers are played beside each release where nobody says whether."""
_SECONDS = 120.0
"""How long a method that nobody named may take at one point."""


@dataclass(frozen=True, slots=True)
class _ComparisonSettings:
    """How a comparison is made, whatever is compared: the parameters of `compare`.

    give_up : whether a method that takes too long at one point is not asked for others
    """

    folder: Path | None
    give_up: bool
    target: str | None = None
    force: bool = False
    sample: int | None = None
    jobs: int | None = None
    seconds: float | None = None
    seed: int | None = None
    attackers: bool | None = None
    progress: Progress = no_progress

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name, value in (("sample", self.sample), ("jobs", self.jobs), ("seconds", self.seconds)):
            if value is not None and (not is_number(value) or value <= 0):
                raise InputError(f"compare: --{name} takes a number above 0")


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
    progress: Progress = no_progress,
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
        Where the results and the page are written at the end; the name must end in `.private`. By default they are
        written nowhere.
    force
        Replace a comparison that stands there.
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
    requested = {name: options.pop(name) for name in SWEPT if options.get(name) is not None}
    fixed = {name: value for name, value in requested.items() if name == "delta" and value == "knee"}
    sweeps = {name: parse_sweep(name, value) for name, value in requested.items() if name not in fixed}
    private_folder, give_up = None if folder is None else Path(folder), methods is None
    ways = _ComparisonSettings(
        private_folder, give_up, target, force, sample, jobs, seconds, seed, attackers, progress
    )
    return _run_comparison(data, methods, sweeps, {**options, **fixed}, ways)


def compare_config(
    path: Path,
    folder: Path,
    *,
    methods: Sequence[str] | None = None,
    sweeps: Mapping[str, str] | None = None,
    target: str | None = None,
    **ways: Any,
) -> Comparison:
    """Compare methods on what a configuration describes; `sweeps` stand in place of its numbers.

    `ways` are parameters of `compare`, from `force` on.
    """
    config = load(path)
    check_parameters(config)
    parsed_sweeps = {name: parse_sweep(name, text) for name, text in (sweeps or {}).items()}
    if not config.guarantee and not parsed_sweeps:
        raise InputError("configuration: no guarantee is asked for; add [guarantee] with k, or give --k")
    settings = _ComparisonSettings(folder, methods is None, target or config.target, **ways)
    settings.progress("reading")
    dataset = open_dataset(config)
    options = {**config.guarantee, **config.recode, **config.parameters}
    return _run_comparison(dataset, methods, parsed_sweeps, options, settings)


def _run_comparison(
    dataset: Dataset,
    methods: Sequence[str] | None,
    sweeps: Mapping[str, Numbers],
    options: Mapping[str, Any],
    ways: _ComparisonSettings,
) -> Comparison:
    if ways.folder is not None:
        check_folder(ways.folder, force=ways.force)
    records = dataset.records
    draw = int.from_bytes(os.urandom(6), "big") if ways.seed is None else ways.seed
    full_dataset = dataset
    if ways.sample is not None:
        dataset = _sample_dataset(dataset, ways.sample, draw)
    sample_size = dataset.records
    check_target_early(dataset, ways.target)
    if ways.target is not None and options.get("loss") == "ce":
        options = {"target": ways.target, **options}  # the methods that price predictions price this one
    originals, notes = _split_originals(dataset, ways, draw)
    if originals.labels and ways.sample is not None and sample_size < records:
        other_rows = np.setdiff1d(
            np.arange(records), _draw_rows(full_dataset, ways.sample, np.random.default_rng(draw))
        )
        originals = replace(originals, others=select_records(full_dataset, other_rows))
    dataset = originals.dataset
    selected, left_out = select_methods(dataset, methods, sweeps, options)
    points = list_points(selected, sweeps, options, ways.seed)
    dataset.guard(
        claim_from_options(dataset, None, points[0].options)
    )  # what no release may carry is told before any is made
    k = {**options, **_reference_point(sweeps, options, ())}.get("k")
    if sample_size < records:
        notes = (_describe_sample_effect(sample_size, records, k if isinstance(k, int) else None), *notes)
    for note in notes:
        warnings.warn(note, ShoalWarning, stacklevel=3)
    rows = _make_rows(originals, points, ways)
    point = _reference_point(sweeps, options, rows)
    comparison = Comparison(
        dataset.shape,
        records,
        tuple(selected),
        dict(sweeps),
        point,
        rows,
        sample_size if sample_size < records else None,
        left_out,
        notes,
        compute_floor(dataset, selected, options, point),
    )
    if ways.folder is not None:
        write_results(ways.folder, rows, comparison.html, force=ways.force)
    return comparison


def _split_originals(
    dataset: Dataset, ways: _ComparisonSettings, draw: int
) -> tuple[Originals, tuple[str, ...]]:
    """What is released, and with a target what models are tested on, with a note that says so."""
    labels = dataset.cells <= _CELLS if ways.attackers is None else ways.attackers
    labels = labels and dataset.shape == "table"
    if ways.target is None:
        return Originals(dataset, labels=labels), ()
    train, test = split(dataset, seed=draw)
    note = (
        f"releases were made from {train.records:,} of {dataset.records:,} records, and models of {ways.target} "
        f"were tested on the other {test.records:,}"
    )
    return Originals(train, test, ways.target, labels, test), (note,)


def _make_rows(
    originals: Originals, points: Sequence[Point], ways: _ComparisonSettings
) -> list[Mapping[str, Any]]:
    """The row of each point, in the order of the points."""
    row_of_point: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    fresh = any(not is_compiled(point.method) for point in points)
    ways.progress("compiling, once" if fresh else "comparing", None if fresh else 0.0)
    seconds = _SECONDS if ways.seconds is None and ways.give_up else ways.seconds
    work = measure_points(originals, points, jobs=ways.jobs or cores(), seconds=seconds, give_up=ways.give_up)
    with closing(work):  # whatever happens, nobody works on
        for done, row in enumerate(work, start=1):
            row_of_point[_row_key(row)] = row
            ways.progress("comparing", done / len(points))
    return [row_of_point[point.key] for point in points]


def _row_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells a row from others, as `Point.key` does."""
    return (row["maker"], *(row[name] for name in SWEPT))


# Some records of a dataset, drawn at random, bound to the same hierarchies.


def _sample_dataset(dataset: Dataset, records: int, draw: int) -> Dataset:
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
    return select_records(dataset, _draw_rows(dataset, records, np.random.default_rng(draw)))


def _describe_sample_effect(sample: int, records: int, k: int | None) -> str:
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


def _draw_rows(dataset: Dataset, records: int, random: np.random.Generator) -> I8:
    """The rows of a sample, rising."""
    persons = dataset.inputs["table"].persons if dataset.counts_persons else None
    if persons is None:
        return np.sort(random.permutation(dataset.records)[:records])
    person_ids, rows = np.unique(persons, return_counts=True)
    order = random.permutation(len(person_ids))
    chosen_persons = order[: max(1, int(np.searchsorted(np.cumsum(rows[order]), records, side="right")))]
    return np.flatnonzero(np.isin(persons, person_ids[chosen_persons]))
