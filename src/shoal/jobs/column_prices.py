"""What each quasi-identifier costs the others: what they lose where it is left out, or made coarser by one level."""

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError, ShoalError, ShoalWarning
from shoal.base.naming import RECODED
from shoal.base.progress import Progress, no_progress
from shoal.data.arrays import I8
from shoal.io.config import Config, load
from shoal.io.read.records import read_records
from shoal.io.read.source import Source
from shoal.jobs.configured import rehearse_config
from shoal.shapes.registry import bind_source

__all__ = ["ColumnPrices", "price_columns"]

_SHAPES = ("table", "mixed")
_CELLS, _FEWEST = 40_000, 500  # of quasi-identifiers that are tried, and records at least
_SECONDS = 60.0

Change = Literal["left out", "coarser"]


@dataclass(frozen=True, slots=True)
class ColumnPrice:
    """What changes for the other columns where one is left out, or made coarser.

    name       : the column
    change     : what is done with it
    level      : the least level that it is published at then; None where it is left out
    before     : the share of their detail that the others lose with the column as it is; None where no release is made
    after      : the share that they lose then
    suppressed : the records that are left out then
    """

    name: str
    change: Change
    level: int | None
    before: float | None
    after: float
    suppressed: int

    @property
    def gain(self) -> float:
        """By how much less the others lose; where only the change makes a release, all that it keeps."""
        return (1.0 if self.before is None else self.before) - self.after


@dataclass(frozen=True, slots=True, repr=False)
class ColumnPrices(SafeRepr):
    """What each change brings, the largest gain first.

    records : how many there are
    sample  : how many of them were tried; None where all were
    prices  : the changes that were tried
    untried : the columns for which time was too short
    """

    records: int
    sample: int | None
    prices: tuple[ColumnPrice, ...]
    untried: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "records": self.records,
            "sample": self.sample,
            "prices": [{**asdict(price), "gain": price.gain} for price in self.prices],
            "untried": list(self.untried),
        }


def price_columns(
    config: str | Path | Config,
    *,
    sample: int | None = None,
    seconds: float = _SECONDS,
    progress: Progress = no_progress,
) -> ColumnPrices:
    """Try a release without each quasi-identifier, and with each of them coarser by one level; write none of them.

    Parameters
    ----------
    config
        A configuration, or its path.
    sample
        How many records are drawn at random to try it on; by default as many as take a few seconds.
    seconds
        When to stop; columns that were not tried by then are named.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        The data are of another shape, have fewer than two quasi-identifiers, or cannot be read.
    """
    config = config if isinstance(config, Config) else load(config)
    names = [name for name, spec in config.columns.items() if spec.role in RECODED]
    if config.shape not in _SHAPES or len(names) < 2:
        raise InputError(
            "what each column costs: that is asked of a table with two quasi-identifiers or more; look at the roles"
        )
    progress("reading")
    source = read_records(config)
    records = source.frame.height
    rows = _draw_rows(source, config.data.person, sample or max(_CELLS // len(names), _FEWEST))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # a release that is made tells them
        progress("trying it as it is", 0.0)
        drawn = source if len(rows) == records else source.some(rows)
        began = time.monotonic()
        now = _try_release(config, drawn)
        took = time.monotonic() - began
        changes = list(_list_changes(config, names))
        fitting = max(int(len(rows) * seconds / max(took * (len(changes) + 1), 1e-9)), _FEWEST)
        if fitting < len(rows) // 2:  # too slow for all changes: fewer records are tried
            drawn = source.some(rows[: max(fitting, len(rows) // 8)])
            now = _try_release(config, drawn)
        prices: list[ColumnPrice] = []
        untried: list[str] = []
        for index, (name, change, changed) in enumerate(changes):
            if time.monotonic() - began > seconds:
                untried.append(name)
                continue
            words = "without" if change == "left out" else "with a coarser"
            progress(f"trying it {words} {name}", (index + 1) / (len(changes) + 1))
            price = _price_change(config, changed, drawn, name, change, now)
            prices += [] if price is None else [price]
    tried = drawn.frame.height
    return ColumnPrices(
        records,
        None if tried == records else tried,
        tuple(sorted(prices, key=lambda price: (-price.gain, price.change != "left out"))),
        tuple(dict.fromkeys(untried)),
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """What columns lose in a release that is made and thrown away, and how many records it leaves out."""

    loss_by_column: Mapping[str, float]
    suppressed: int


def _list_changes(config: Config, names: list[str]) -> Iterator[tuple[str, Change, Config]]:
    """What is tried: first every column left out, then each coarser by one level."""
    for name in names:
        left_out = replace(config.columns[name], role="drop", hierarchy=None, level=None, weight=1.0)
        yield name, "left out", replace(config, columns={**config.columns, name: left_out})
    for name in names:
        spec = config.columns[name]
        if spec.hierarchy is not None:
            coarser = replace(spec, level=(spec.level or 0) + 1)
            yield name, "coarser", replace(config, columns={**config.columns, name: coarser})


def _price_change(
    config: Config, changed: Config, source: Source, name: str, change: Change, now: _Trial | None
) -> ColumnPrice | None:
    """What a change brings; None where no release is made with it, as where labels depend on all values."""
    trial = _try_release(changed, source)
    if trial is None:
        return None
    others = [other for other in config.columns if other != name and _counts(config, other)]
    return ColumnPrice(
        name,
        change,
        changed.columns[name].level,
        None if now is None else _mean_loss(config, now, others),
        _mean_loss(config, trial, others),
        trial.suppressed,
    )


def _counts(config: Config, name: str) -> bool:
    return config.columns[name].role in (*RECODED, "items")


def _mean_loss(config: Config, trial: _Trial, names: list[str]) -> float:
    """The loss of some columns together, each with its weight."""
    weights = [config.columns[name].weight for name in names]
    losses = [trial.loss_by_column[name] for name in names]
    return float(np.average(losses, weights=weights)) if sum(weights) else 0.0


def _try_release(config: Config, source: Source) -> _Trial | None:
    """Make a release and throw it away; None where none can be made."""
    try:
        release = rehearse_config(config, bind_source(config, source))
        losses = {name: loss for name, loss in release.losses_by_column.items() if loss is not None}
        return _Trial(losses, release.preview().suppressed)
    except ShoalError:
        return None


def _draw_rows(source: Source, person: str | None, most: int) -> I8:
    """About so many records at random; where people have several, all of some people's."""
    records, random = source.frame.height, np.random.default_rng(0)
    if records <= most:
        return np.arange(records)
    if person is None or person not in source.frame.columns:
        return np.sort(random.permutation(records)[:most])
    ids = source.frame[person].cast(pl.String).rank("dense").fill_null(0).to_numpy().astype(np.int64)
    order = random.permutation(int(ids.max()) + 1)
    counts = np.cumsum(np.bincount(ids)[order])
    chosen = order[: max(1, int(np.searchsorted(counts, most, side="right")))]
    return np.flatnonzero(np.isin(ids, chosen))
