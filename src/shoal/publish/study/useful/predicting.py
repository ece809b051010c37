"""How well the target is predicted by models that learned from a release, tested on originals that are not in it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.naming import offered
from shoal.publish.protocols import Dataset
from shoal.publish.study.useful.features import F4
from shoal.publish.study.useful.models import MODELS, auc, require_models, trained
from shoal.publish.study.useful.sides import Sides, columns_beside_items, features_of, sides_of
from shoal.publish.study.useful.split import split
from shoal.release import Result
from shoal.report.useful_facts import ModelScore, Prediction

__all__ = ["check_target", "predict", "rehearsed"]

_ROWS, _FEWER_ROWS = 20_000, 8_000  # to learn from: more change the third digit and take minutes
_CLASSES = 20
_FEWEST = 20
_RANDOM = 0
"""What parts and samples are drawn with; it protects nothing."""


def check_target(dataset: Dataset, target: str) -> int:
    """How many values a target has; refuse one that no model could be trained for.

    Raises
    ------
    InputError
        The data are record trees, no published column has that name, or it has one value, or too many.
    """
    people = columns_beside_items(dataset)
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
    return found


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
    values = check_target(train, target)
    require_models()
    rng = np.random.default_rng(_RANDOM)
    most = max(_FEWER_ROWS, 2 * _ROWS // values)
    sides = sides_of(train, release, held, target, (most, _ROWS), rng)
    if min(len(sides.tested[0]), len(sides.learned[0])) < _FEWEST:
        raise InputError(
            f"target: {len(sides.learned[0])} released rows tell column '{target}' and {len(sides.tested[0])} records "
            f"are left to test on; at least {_FEWEST} of each are needed"
        )
    x = features_of(train, release, held, target, sides, rng)
    return _scored(target, sides, *x)


def _scored(target: str, sides: Sides, originals: F4, learned: F4, tested: F4) -> Prediction:
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
