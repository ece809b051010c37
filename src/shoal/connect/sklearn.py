"""A step of a scikit-learn pipeline that learns a recoding from records and applies it to others, judged each time."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from shoal.anonymization.run import apply_recoding
from shoal.base.errors import ExtraError, InputError
from shoal.io.read.source import from_frame
from shoal.jobs.api import anonymize, read
from shoal.jobs.keywords import MethodName

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    raise ExtraError.of("shoal.connect.sklearn", "scikit-learn", "ml") from None

__all__ = ["Anonymizer"]


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Coarsens quasi-identifiers by one rule for all records: `fit` learns it, `transform` applies and judges it.

    Rows stay as many and in their order, so that they fit the labels beside them: what comes out is for a model and
    not to be published. `shoal run` shuffles, writes the evidence and keeps a private folder.

    Parameters
    ----------
    roles, hierarchies
        What columns are and how they may be coarsened, as `shoal.read` takes them.
    k, l, t
        The guarantee.
    method
        One that finds a rule for all records: optimal, incognito, pareto or poka.

    Attributes
    ----------
    recoding_
        The rule.
    """

    def __init__(
        self,
        roles: Mapping[str, Any],
        hierarchies: Any = None,
        *,
        k: int = 5,
        l: int | None = None,  # the literature's name
        t: float | None = None,
        method: MethodName = "optimal",
    ) -> None:
        self.roles = roles
        self.hierarchies = hierarchies
        self.k = k
        self.l = l
        self.t = t
        self.method = method

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the rule that loses least on these records."""
        release = anonymize(self._read(X), method=self.method, **self._guarantee())
        if "levels" not in (release.recoding or {}):
            raise InputError(
                f"Anonymizer: {self.method} has no rule for other records; take optimal, incognito, pareto or poka"
            )
        self.recoding_ = release.recoding
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """The records by that rule, in their order; refused where they do not keep the guarantee by it."""
        release = apply_recoding(self._read(X), self.recoding_, **self._guarantee())
        order = np.argsort(release.rows)
        return from_frame(X).like(release.frame[order])

    def _read(self, X: Any) -> Any:  # noqa: N803
        return read(X, roles=self.roles, hierarchies=self.hierarchies)

    def _guarantee(self) -> dict[str, Any]:
        parameters = {"k": self.k, "l": self.l, "t": self.t}
        return {name: value for name, value in parameters.items() if value is not None}
