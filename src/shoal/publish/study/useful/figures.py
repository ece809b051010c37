"""What a release is good for, in single figures by name: what a comparison of makers puts into its table."""

from typing import Any

from shoal.publish.mixed.dataset import MixedData
from shoal.publish.protocols import Dataset
from shoal.publish.study.useful.measuring import associations_of, numbers_of_columns, queries_of
from shoal.publish.study.useful.predicting import predict
from shoal.publish.study.useful.reading import read_originals
from shoal.publish.table.dataset import TableData

__all__ = ["model_figures", "table_figures"]


def table_figures(dataset: Dataset, release: Any) -> dict[str, float]:
    """Of tables, alone or with baskets: how far off counts, associations and means are; empty for other shapes.

    `table_are` is the average relative error of counts, `association_change` and `association_worst` the mean and the
    largest change of an association, `mean_width` how wide the interval of a mean is as a share of its column's
    numbers, on average.

    Parameters
    ----------
    dataset
        The originals.
    release
        What a maker made of them: `Release.result.release`.
    """
    people: Any = dataset.people if isinstance(dataset, MixedData) else dataset
    if not isinstance(people, TableData):
        return {}
    table = getattr(release, "table", release)
    found: dict[str, float] = {}
    queries, (pairs, _) = queries_of(people, table), associations_of(people, table)
    if queries is not None:
        found["table_are"] = queries.mean
    if pairs:
        found["association_change"] = sum(pair.change for pair in pairs) / len(pairs)
        found["association_worst"] = pairs[0].change
    means = [one for one in numbers_of_columns(people, table) if one.what == "mean"]
    if means:
        whole = {cells.name: cells.domain() for cells in read_originals(people) if cells.numbers is not None}
        widths = [
            (one.high - one.low) / ((whole[one.column][1] - whole[one.column][0]) or 1.0) for one in means
        ]
        found["mean_width"] = sum(widths) / len(widths)
    return found


def model_figures(train: Dataset, release: Any, held: Dataset, target: str) -> dict[str, float]:
    """Accuracy and AUC by model, trained on a release of `train`, tested on `held`, and beside them the originals' own.

    See `predict`; `train` and `held` come from `split`.
    """
    found = predict(train, release, held, target)
    figures = {"majority_accuracy": found.majority}
    for score in found.scores:
        figures |= {
            f"{score.model}_accuracy": score.accuracy,
            f"{score.model}_accuracy_originals": score.accuracy_originals,
            f"{score.model}_auc": score.auc,
            f"{score.model}_auc_originals": score.auc_originals,
        }
    return figures
