"""What `release.useful()` returns: the facts of the audit, to be looked at in Python and notebooks."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.publish.study.useful.models import MODELS
from shoal.report.useful_facts import Useful

__all__ = ["Usefulness"]


@dataclass(frozen=True, repr=False)
class Usefulness(Useful):
    """What a release is good for: `table()` to read it, `plot()` to see it, `as_dict()` for everything; private."""

    def table(self) -> pl.DataFrame:
        """One row per figure: what it is and of what, in the originals and in the release, or between what it lies."""
        rows: list[tuple[str, str, float, float | None, float | None, float | None]] = []
        if self.prediction is not None:
            for score in self.prediction.scores:
                name, of = MODELS[score.model], self.prediction.target
                rows.append((f"accuracy, {name}", of, score.accuracy_originals, score.accuracy, None, None))
                rows.append((f"auc, {name}", of, score.auc_originals, score.auc, None, None))
        rows += [
            (p.measure, f"{p.first}, {p.second}", p.before, p.after, None, None) for p in self.associations
        ]
        if self.queries is not None:
            rows.append(("are", "counts", 0.0, self.queries.mean, None, None))
        rows += [(one.what, one.column, one.true, None, one.low, one.high) for one in self.numbers]
        rows += [
            ("size", f"{one.column}: {one.what}", one.true, None, one.low, one.high) for one in self.groups
        ]
        kinds = {"figure": pl.String, "of": pl.String} | dict.fromkeys(
            ("originals", "release", "at least", "at most"), pl.Float64
        )
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def plot(self) -> Any:
        """Draw how well the target is predicted; without a target, the associations that changed most."""
        from shoal.report.useful_page import changes_figure, models_figure

        return (
            changes_figure(self.associations) if self.prediction is None else models_figure(self.prediction)
        )
