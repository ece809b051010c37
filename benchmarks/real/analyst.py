"""How an analyst reads a release: cells as the values that they allow, drawn several times, and estimates combined.

It is what docs/questions/analyse.md says, for tables of any kind: a range, a group or `*` allows some of a column's
values; which one it is is drawn by what the other columns of the same row say, the outcome among them, several times;
each completed table is analysed like any other, and the estimates are combined by Rubin's rules.
"""

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["combine_estimates", "complete_tables"]

F8 = NDArray[np.float64]
_RANGE = re.compile(r"^\[(-?[\d.]+), (-?[\d.]+)([\])])$")
_SIDE = re.compile(r"^(<=|<|>=|>) ?(-?[\d.]+)$")
_ATOMS = 240  # values of a column between which a draw is made
_FIRST, _APART = 6, 2  # draws that are thrown away: before the first table, and of every so many all but one
_TURNS = 60  # of the estimate of how frequent values are


@dataclass
class _Column:
    """A column of a release as what each of its labels allows.

    atoms  : the values, numbers or texts
    labels : int[rows]: the label of each row
    allows : bool[labels, atoms]; None where each label is an atom
    number : the atoms as numbers, or their logarithms; None where they are texts
    is_log : whether `number` holds logarithms, which are taken to be about normal
    """

    atoms: list[object]
    labels: NDArray[np.int64]
    allows: NDArray[np.bool_] | None
    number: F8 | None
    is_log: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether every label allows one value."""
        return self.allows is None or bool((self.allows[np.unique(self.labels)].sum(axis=1) == 1).all())

    def frequencies(self) -> F8:
        """How frequent each value is, most likely, if which label covers a value is no matter of the value."""
        assert self.allows is not None, "nothing is to be drawn"
        count = np.bincount(self.labels, minlength=len(self.allows)).astype(float)
        share = np.full(len(self.atoms), 1.0 / len(self.atoms))
        for _ in range(_TURNS):
            inside = self.allows * share
            share = (count / np.maximum(inside.sum(axis=1), 1e-300)) @ inside / count.sum()
        return np.asarray(np.maximum(share, 1e-9))


def complete_tables(
    released: pd.DataFrame, numbers: dict[str, str], groups: dict[str, Path], times: int, seed: int
) -> list[pd.DataFrame]:
    """The release with every cell as one of the values that it allows, drawn so many times.

    Parameters
    ----------
    released
        The columns that the analysis needs, as text.
    numbers
        The columns that are numbers: "whole", "real", or "log" where the analysis takes their logarithm.
    groups
        Hierarchies by column, which tell what labels of groups stand for.
    times, seed
        How many tables, and where chance begins.
    """
    rng = np.random.default_rng(seed)
    columns = {
        name: _read_numbers(released[name], numbers[name])
        if name in numbers
        else _read_names(released[name], groups.get(name))
        for name in released
    }
    drawn = {name: _draw(column, None, rng) for name, column in columns.items()}
    tables = []
    if all(column.is_exact for column in columns.values()):
        return [_as_frame(columns, drawn)]
    designs = {name: _design(column) for name, column in columns.items()}
    for turn in range(_FIRST + _APART * times):
        for name, column in columns.items():
            if not column.is_exact:
                others = np.hstack([design for other, design in designs.items() if other != name])
                drawn[name] = _draw(column, (others, drawn[name]), rng)
        if turn >= _FIRST and (turn - _FIRST) % _APART == _APART - 1:
            tables.append(_as_frame(columns, drawn))
    return tables


def combine_estimates(estimates: list[F8], errors: list[F8]) -> tuple[F8, F8]:
    """Rubin's rules: the mean of estimates, and standard errors that count how far they differ."""
    values, variances = np.stack(estimates), np.stack(errors) ** 2
    between = values.var(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
    return values.mean(axis=0), np.sqrt(variances.mean(axis=0) + (1 + 1 / len(values)) * between)


def _as_frame(columns: dict[str, _Column], drawn: dict[str, NDArray[np.int64]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: np.exp(column.number[drawn[name]])
            if column.is_log and column.number is not None
            else column.number[drawn[name]]
            if column.number is not None
            else np.array(column.atoms, dtype=object)[drawn[name]]
            for name, column in columns.items()
        }
    )


def _design(column: _Column) -> F8:
    """What a column tells of the others: a number, or indicators of names, as is to be expected by its own cell alone.

    What was drawn is not looked at: of two columns that both are drawn, either would seem to confirm the other.
    """
    values = np.eye(len(column.atoms)) if column.number is None else column.number[:, None]
    if column.allows is not None:
        chances = column.allows * column.frequencies()
        values = chances @ values / chances.sum(axis=1, keepdims=True)
    if column.number is None:
        shares = values[column.labels].mean(axis=0)
        return np.asarray(values[column.labels][:, np.argsort(-shares)[1:12]])
    rows = values[column.labels]
    return np.asarray((rows - rows.mean()) / (rows.std() or 1.0))


def _draw(
    column: _Column, context: tuple[F8, NDArray[np.int64]] | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A value for each row among those that its label allows."""
    if column.allows is None:
        return column.labels
    if column.is_log and context is not None and column.number is not None:
        values = column.number[context[1]]
        weights = -((column.number - values.mean()) ** 2) / (2 * values.var())
    else:
        weights = np.log(column.frequencies())
    result = np.empty(len(column.labels), dtype=np.int64)
    likelihood = None if context is None else _likelihood(column, *context)
    for label in np.unique(column.labels):
        rows, atoms = np.flatnonzero(column.labels == label), np.flatnonzero(column.allows[label])
        if len(atoms) == 1:
            result[rows] = atoms[0]
            continue
        score = np.broadcast_to(weights[atoms], (len(rows), len(atoms)))
        if likelihood is not None:
            score = score + likelihood(rows, atoms)
        chance = np.exp(score - score.max(axis=1, keepdims=True)).cumsum(axis=1)
        result[rows] = atoms[(chance < rng.random(len(rows))[:, None] * chance[:, -1:]).sum(axis=1)]
    return result


def _likelihood(column: _Column, others: F8, atoms: NDArray[np.int64]):  # type: ignore[no-untyped-def]
    """How likely the other columns of rows are, by the value of this one: normal, with one spread for all."""
    if column.number is not None:
        values = column.number[atoms]
        design = np.hstack([np.ones((len(others), 1)), others])
        index = design @ np.linalg.lstsq(design, values, rcond=None)[0]
        spread = values.var()
        explained = min(max(index.var() / spread if spread > 0 else 0.0, 1e-6), 0.999)
        middle, scale = values.mean(), 2 * explained * (1 - explained) * max(spread, 1e-12)
        return lambda rows, some: (
            -((index[rows, None] - middle * (1 - explained) - explained * column.number[some][None, :]) ** 2)
            / scale
        )
    levels = np.unique(atoms)
    means = np.zeros((len(column.atoms), others.shape[1]))
    for level in range(len(column.atoms)):
        means[level] = others[atoms == level].mean(axis=0) if level in levels else others.mean(axis=0)
    residuals = others - means[atoms]
    inverse = np.linalg.pinv(residuals.T @ residuals / len(others) + 1e-6 * np.eye(others.shape[1]))
    slope, shift = means @ inverse, 0.5 * np.einsum("ij,jk,ik->i", means, inverse, means)
    return lambda rows, some: others[rows] @ slope[some].T - shift[some]


def _read_numbers(cells: pd.Series, kind: str) -> _Column:
    """A column of numbers and ranges."""
    texts, labels = np.unique(cells.to_numpy(dtype=str), return_inverse=True)
    bounds, whole, is_log = [_bounds(text) for text in texts], kind == "whole", kind == "log"
    if all(low == high for low, high, _ in bounds):
        exact = np.array([low for low, _, _ in bounds])
        return _Column(exact.tolist(), labels.reshape(-1), None, np.log(exact) if is_log else exact, is_log)
    ends = np.array([end for low, high, _ in bounds for end in (low, high) if np.isfinite(end)])
    exact = np.array([low for low, high, _ in bounds if low == high])
    least = 0.0 if len(ends) and ends.min() >= 0 else float(ends.min(initial=0.0))
    most = float(ends.max(initial=1.0))
    if len(exact) and exact.max() < most:
        most = max(most, float(exact.max()))
    inner = np.arange(np.ceil(least), np.floor(most) + 1) if whole and most - least < 4 * _ATOMS else None
    if inner is None:
        inner = np.linspace(least, most, _ATOMS + 1)
        inner = (inner[1:] + inner[:-1]) / 2
    if is_log:
        smallest = ends[ends > 0].min()
        inner = np.exp(np.linspace(np.log(smallest / 50), np.log(4 * most), _ATOMS))
    atoms = np.unique(np.r_[exact, inner]) if len(exact) <= 4 * _ATOMS or whole else np.unique(exact)
    allows = np.zeros((len(texts), len(atoms)), dtype=bool)
    for place, (low, high, closed) in enumerate(bounds):
        allows[place] = (atoms >= low) & ((atoms <= high) if closed else (atoms < high))
        if not allows[place].any():
            allows[place, np.argmin(np.abs(atoms - np.clip(low, least, most)))] = True
    number = np.log(np.maximum(atoms, 1e-300)) if is_log else atoms
    return _Column(atoms.tolist(), labels.reshape(-1), allows, number, is_log)


def _bounds(text: str) -> tuple[float, float, bool]:
    """The least and the largest number that a label allows, and whether the largest is among them."""
    if match := _RANGE.match(text):
        return float(match[1]), float(match[2]), match[3] == "]"
    if match := _SIDE.match(text):
        end = float(match[2])
        return (-np.inf, end, match[1] == "<=") if match[1][0] == "<" else (end, np.inf, True)
    try:
        return float(text), float(text), True
    except ValueError:
        return -np.inf, np.inf, True


def _read_names(cells: pd.Series, hierarchy: Path | None) -> _Column:
    """A column of names and groups of names."""
    texts, labels = np.unique(cells.to_numpy(dtype=str), return_inverse=True)
    stands_for: dict[str, set[str]] = {}
    if hierarchy is not None and hierarchy.exists():
        with hierarchy.open(encoding="utf-8", newline="") as lines:
            paths = list(csv.reader(lines, delimiter=";"))
        for leaf, *above in paths:
            for label in above:
                stands_for.setdefault(label, set()).add(leaf)
    members = []
    for text in texts.tolist():
        if text.startswith("["):
            members.append(set(json.loads(text)))
        else:
            members.append(stands_for.get(text, set() if text == "*" else {text}))
    atoms = sorted(set().union(*members))
    allows = np.array([[atom in some or not some for atom in atoms] for some in members])
    return _Column(list(atoms), labels.reshape(-1), allows, None)
