"""What a release is good for, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from shoal.discreet import Discreet
from shoal.report.plain_data import plain
from shoal.utility.columns import Association, StatisticInterval
from shoal.utility.queries import QueryErrors

__all__ = ["ModelScore", "Prediction", "Useful"]


@dataclass(frozen=True, slots=True, repr=False)
class ModelScore(Discreet):
    """How well a kind of model predicts, trained on the release and trained on the originals.

    model    : "logistic" or "boosted"
    accuracy : the share of test records that it gets right
    auc      : how well it puts records in order, 0.5 is guessing, 1 is perfect; the mean over the target's values
    """

    model: str
    accuracy: float
    accuracy_originals: float
    auc: float
    auc_originals: float


@dataclass(frozen=True, slots=True, repr=False)
class Prediction(Discreet):
    """How well a column is predicted by models that learned from a release.

    target            : the column
    values            : how many different values it has
    learned           : released rows that were learned from
    learned_originals : original records that were learned from
    tested            : original records, none of them in that release, that were predicted
    majority          : the share that always guessing the most frequent value gets right
    scores            : one per kind of model
    """

    target: str
    values: int
    learned: int
    learned_originals: int
    tested: int
    majority: float
    scores: Sequence[ModelScore]


@dataclass(frozen=True, slots=True, repr=False)
class Useful(Discreet):
    """What a release is good for; each part is empty where it was not measured, and `notes` say why.

    prediction   : models, where a target was named
    associations : pairs of columns, the largest change first; at most two hundred of all `pairs`
    pairs        : how many were measured
    mean_change  : the mean change of all of them
    queries      : how far off counts are
    numbers      : means and quartiles with the interval that the release allows
    groups       : sizes of groups, likewise
    sentences    : what the figures say, by part
    notes        : what was left out or measured on a sample, in sentences
    """

    prediction: Prediction | None = None
    associations: Sequence[Association] = ()
    pairs: int = 0
    mean_change: float = 0.0
    queries: QueryErrors | None = None
    numbers: Sequence[StatisticInterval] = ()
    groups: Sequence[StatisticInterval] = ()
    sentences: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: the sentences, and what was left out."""
        return {**self.sentences, **({"notes": "; ".join(self.notes)} if self.notes else {})}

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `audit.json` holds it."""
        return {item.name: plain(getattr(self, item.name)) for item in fields(self)}
