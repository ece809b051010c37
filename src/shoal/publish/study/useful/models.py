"""The two models that are trained to say what a release is good for; scikit-learn is imported when one is."""

import warnings
from typing import Any

import numpy as np

from shoal.data.types import F8, I4
from shoal.errors import ExtraError
from shoal.publish.study.useful.features import F4

__all__ = ["MODELS", "auc", "require_models", "trained"]

MODELS = {"logistic": "logistic regression", "boosted": "boosted trees"}
"""The models, and what people call them."""


def require_models() -> None:
    """Refuse to begin without scikit-learn.

    Raises
    ------
    ExtraError
        It is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise ExtraError.of("target", "scikit-learn", "ml") from None


def trained(model: str, x: F4, y: I4, tested: F4, classes: int) -> F8:
    """float64[tested, classes]: what a model trained on `x` and `y` believes of other records.

    Where all records have one class there is nothing to learn: it is believed of everybody.
    """
    seen = np.unique(y)
    belief = np.zeros((len(tested), classes))
    if len(seen) < 2 or not x.shape[1]:
        belief[:] = np.bincount(y, minlength=classes) / max(len(y), 1)
        return belief
    from threadpoolctl import threadpool_limits

    # one thread, or on a busy machine they wait for each other: a hundred seconds in place of two
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")  # a search that stops early is good enough to compare two of them
        fitted = _model(model, len(seen)).fit(x, y)
        belief[:, fitted.classes_] = fitted.predict_proba(tested)
    return belief


def auc(belief: F8, truth: I4) -> float:
    """The area under the curve, of each class against all others, weighted by how frequent it is; 0.5 is guessing.

    It is the share of pairs, one record of the class and one not, in which the first is believed to be of it more.
    """
    found, weight = 0.0, 0
    for one in np.unique(truth).tolist():
        inside = truth == one
        many, others = int(inside.sum()), int((~inside).sum())
        if others:
            found += many * _pairs_in_order(belief[:, one], inside, many, others)
            weight += many
    return found / weight if weight else 0.5


def _pairs_in_order(scores: F8, inside: Any, many: int, others: int) -> float:
    """The share of pairs in the right order, ties half, by the ranks of the scores."""
    _, place, times = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    return float((ranks[inside].sum() - many * (many + 1) / 2) / (many * others))


def _model(name: str, classes: int) -> Any:
    """A model as it comes, with what makes it the same each time; a round of boosting grows one tree per class."""
    if name == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=max(20, 200 // classes), early_stopping=False, random_state=0
    )
