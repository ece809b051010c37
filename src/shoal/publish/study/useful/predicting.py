"""How well the target is predicted by models that learned from a release, tested on originals that are not in it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shoal.data import Baskets
from shoal.data.types import I4, I8
from shoal.errors import InputError
from shoal.naming import offered
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.protocols import Dataset
from shoal.publish.study.useful.features import (
    F4,
    cell_features,
    common_items,
    drawn_items,
    held_items,
    item_features,
    labels,
)
from shoal.publish.study.useful.models import MODELS, auc, require_models, trained
from shoal.publish.study.useful.reading import other_originals, read_originals, read_release
from shoal.publish.study.useful.split import split
from shoal.publish.table.dataset import TableData
from shoal.release import Recoded, Result
from shoal.report.useful_facts import ModelScore, Prediction
from shoal.utility.column_cells import Cells

__all__ = ["check_target", "predict", "rehearsed"]

_ROWS = 20_000  # to learn from and to test on: more change the third digit and take minutes
_CLASSES = 20
_FEWEST = 20
_RANDOM = 0
"""What parts and samples are drawn with; it protects nothing."""


def check_target(dataset: Dataset, target: str) -> None:
    """Refuse a target that no model could be trained for.

    Raises
    ------
    InputError
        The data are record trees, no published column has that name, or it has one value, or too many.
    """
    people = _people(dataset)
    names = [c.name for c in people.table.columns if c.role in ("quasi", "sensitive", "plain")]
    if target not in names:
        raise InputError(f"target: no published column '{target}'; {offered(target, names)}")
    column = people.table.column(target)
    found = len({column.values[code] for code in np.unique(column.codes)} - {None})
    if not 2 <= found <= _CLASSES:
        raise InputError(
            f"target: column '{target}' has {found} different values; models predict one of 2 to {_CLASSES}, so choose "
            "another column or coarsen this one"
        )


def rehearsed(dataset: Dataset, make: Callable[[Any], Result[Any]], target: str) -> Prediction:
    """Release 70% of the records once more, unpublished, learn from that, and test on the other 30%.

    Parameters
    ----------
    dataset
        All originals.
    make
        Makes the same kind of release of other records: the maker, its parameters and its claim are settled.
    target
        The column to predict; see `check_target`.

    Raises
    ------
    ShoalError
        The part cannot be released under the claim, or there are too few records to test on.
    """
    check_target(dataset, target)
    require_models()
    train, held = split(dataset, seed=_RANDOM)
    return predict(train, make(train).release, held, target)


def predict(train: Dataset, release: Any, held: Dataset, target: str) -> Prediction:
    """Scores of models that learned from `release`, and from the originals `train` that it was made of.

    Parameters
    ----------
    train, held
        Two parts of the same data, as `split` gives them; both are originals.
    release
        What a maker made of `train`: `Result.release`.
    target
        The column to predict. Released rows that do not tell its value for certain are not learned from.

    Raises
    ------
    InputError
        No model could be trained, or there are fewer than 20 records to test on.
    ExtraError
        scikit-learn is not installed.
    """
    check_target(train, target)
    require_models()
    people, others = _people(train), _people(held)
    originals = read_originals(people)
    rng = np.random.default_rng(_RANDOM)
    sides = _Sides(
        _few(labels(_named(originals, target)), rng),
        _few(labels(_named(_released(release, originals), target)), rng),
        _few(labels(_named(other_originals(others, originals), target)), rng),
    )
    if min(len(sides.tested[0]), len(sides.learned[0])) < _FEWEST:
        raise InputError(
            f"target: {len(sides.learned[0])} released rows tell column '{target}' and {len(sides.tested[0])} records "
            f"are left to test on; at least {_FEWEST} of each are needed"
        )
    x = _features(train, release, held, originals, target, sides, rng)
    return _scored(target, sides, *x)


class _Sides:
    """Rows and labels: of the originals, of the release, and of the originals to test on."""

    def __init__(self, originals: "Side", learned: "Side", tested: "Side") -> None:
        self.originals, self.learned, self.tested = originals, learned, tested
        known = np.unique(np.concatenate([originals[1], learned[1], tested[1]]))
        self.classes = len(known)
        for name in ("originals", "learned", "tested"):
            rows, found = getattr(self, name)
            setattr(self, name, (rows, np.searchsorted(known, found).astype(np.int32)))


Side = tuple[I8, I4]


def _few(found: I4, rng: np.random.Generator) -> Side:
    """The rows whose label is known, at most so many, and their labels."""
    rows = np.flatnonzero(found >= 0)
    if len(rows) > _ROWS:
        rows = np.sort(rng.choice(rows, size=_ROWS, replace=False))
    return rows, found[rows]


def _scored(target: str, sides: _Sides, originals: F4, learned: F4, tested: F4) -> Prediction:
    truth = sides.tested[1]
    usual = int(np.bincount(sides.originals[1], minlength=sides.classes).argmax())
    scores = []
    for model in MODELS:
        beliefs = [
            trained(model, x, y, tested, sides.classes)
            for x, y in ((learned, sides.learned[1]), (originals, sides.originals[1]))
        ]
        right = [float(np.mean(belief.argmax(axis=1) == truth)) for belief in beliefs]
        scores.append(ModelScore(model, *right, *(auc(belief, truth) for belief in beliefs)))
    return Prediction(
        target,
        sides.classes,
        len(learned),
        len(originals),
        len(truth),
        float(np.mean(truth == usual)),
        scores,
    )


def _features(
    train: Dataset,
    release: Any,
    held: Dataset,
    originals: Sequence[Cells],
    target: str,
    sides: _Sides,
    rng: np.random.Generator,
) -> tuple[F4, F4, F4]:
    """The features of all three sides."""
    before = [cells for cells in originals if cells.name != target]
    columns = before, _released(release, before), other_originals(_people(held), before)
    rows = sides.originals[0], sides.learned[0], sides.tested[0]
    cells = [
        cell_features([one.some(some) for one in side], len(some), rng)
        for side, some in zip(columns, rows, strict=True)
    ]
    baskets, theirs = _baskets(train), _baskets(held)
    if baskets is None or theirs is None:
        return cells[0], cells[1], cells[2]
    width, found = len(baskets.values), drawn_items(getattr(release, "baskets", release), rng)
    items = common_items(found, width)
    sets = held_items(baskets.start, baskets.items), found, held_items(theirs.start, theirs.items)
    sizes = baskets.n, len(_rows(release)), theirs.n
    both = [
        np.hstack([one, item_features(shares, items, width, size)[some]])
        for one, shares, size, some in zip(cells, sets, sizes, rows, strict=True)
    ]
    return both[0], both[1], both[2]


def _named(columns: Sequence[Cells], name: str) -> Cells:
    return next(cells for cells in columns if cells.name == name)


def _released(release: Any, originals: Sequence[Cells]) -> list[Cells]:
    """The columns beside the items, as released."""
    table = getattr(release, "table", release)
    if isinstance(table, Recoded):
        return read_release(table, originals)
    return [cells.some(_rows(release)) for cells in originals]


def _rows(release: Any) -> I8:
    """The original record behind each released one."""
    rows: I8 = getattr(release, "table", release).rows
    return rows


def _people(dataset: Any) -> TableData:
    """The columns of a dataset that are no items."""
    match dataset:
        case TableData():
            return dataset
        case MixedData():
            return dataset.people
        case BasketData():
            return TableData(dataset.source, dataset.table, {}, dataset.given, dataset.allow)
        case _:
            raise InputError(
                "target: models are trained on tables and baskets, not on record trees; leave the target out"
            )


def _baskets(dataset: Any) -> Baskets | None:
    return dataset.baskets if isinstance(dataset, BasketData | MixedData) else None
