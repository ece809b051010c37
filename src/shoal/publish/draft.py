"""A release before it leaves: shuffled, assembled, judged, with the facts that go beside it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import __version__
from shoal.errors import RefusedError, ShoalError
from shoal.io.tables import cleaned
from shoal.publish.dataset import Dataset
from shoal.publish.judging import judge_frame, judge_truth
from shoal.release import Claim, Recoded, Result, Verdict
from shoal.utility import class_of_rows, losses, public_losses

__all__ = ["Draft", "draft", "refuse_unless"]


@dataclass(frozen=True)
class Draft:
    """What may be published, with what must stay behind.

    `rows` tells the original record behind each released one; it never leaves.
    """

    dataset: Dataset
    result: Result[Recoded]
    rows: NDArray[np.int64]
    frame: pl.DataFrame
    verdict: Verdict
    method: Mapping[str, Any]
    rehearsal: bool = False
    front: Mapping[str, Any] | None = None

    @property
    def data(self) -> Any:
        """The released records, in the kind of frame that came in."""
        return self.dataset.source.like(self.frame)

    @property
    def claim(self) -> Claim:
        """The guarantee this release states."""
        return self.result.claim

    @property
    def recoding(self) -> dict[str, Any]:
        """The rule that turns new records into the same form; private."""
        return {
            "shoal": __version__,
            "shape": "table",
            "method": dict(self.method),
            "claim": self.claim.as_dict(),
            **self.result.release.rule,
        }

    @property
    def loss(self) -> dict[str, float]:
        """Every loss that can be computed from the release and its hierarchies."""
        return dict(self.manifest["loss"])

    @cached_property
    def roles(self) -> dict[str, str]:
        """The released columns' roles."""
        return {name: self.dataset.roles[name] for name in self.frame.columns}

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """Each released record's class of equal quasi-identifiers."""
        return class_of_rows(self.result.release)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data: nothing that the data and declared hierarchies do not tell."""
        recoded, claim = self.result.release, self.claim.as_dict()
        if self.dataset.table.persons is not None:
            claim["counts"] = "persons"
        facts: dict[str, Any] = {
            "shoal": __version__,
            "shape": "table",
            "columns": self.roles,
            "claim": claim,
            "judged": bool(self.verdict),
            "method": dict(self.method),
            "records_in": recoded.records,
            "records_out": len(recoded.rows),
            "suppressed": recoded.suppressed,
            "suppressed_items": 0,
            "loss": public_losses(
                recoded, self.dataset.trees, weights=self.dataset.weights, k=claim.get("k")
            ),
            "classes": int(self.classes.max()) + 1,
        }
        if self.rehearsal:
            facts["rehearsal"] = True
        return facts

    @cached_property
    def private_losses(self) -> dict[str, float]:
        """All losses, those that need the originals among them."""
        dataset = self.dataset
        return losses(
            self.result.release,
            dataset.trees,
            weights=dataset.weights,
            k=self.claim.as_dict().get("k"),
            leaves=dataset.leaves,
        )

    def judge(self, frame: pl.DataFrame) -> Verdict:
        """Judge the claim on `frame`, this release as somebody read it."""
        persons = self.dataset.table.persons
        return judge_frame(
            frame, self.claim, self.roles, self.dataset.trees, None if persons is None else persons[self.rows]
        )

    def truth(self, frame: pl.DataFrame) -> Verdict:
        """Check that every cell of `frame` tells the truth about the record it stems from."""
        return judge_truth(frame, self.dataset, self.rows)


D = TypeVar("D", bound="Draft")


def draft(
    dataset: Dataset,
    result: Result[Recoded],
    *,
    method: Mapping[str, Any],
    seed: int | None = None,
    front: Mapping[str, Any] | None = None,
    kind: type[D],
    refusal: type[ShoalError] = RefusedError,
) -> D:
    """Shuffle, assemble and judge a maker's result.

    Raises
    ------
    RefusedError
        The claim or the truth of the result does not hold; nothing leaves.
    """
    recoded = result.release
    order = _shuffled(len(recoded.rows), seed)
    frame = _assemble(dataset, recoded, order)
    moved = Recoded(
        recoded.names, recoded.forms, recoded.codes[order], recoded.rows[order], recoded.records, recoded.rule
    )
    result = Result(moved, result.claim, result.proof, result.trace)
    unjudged = Verdict(False, "not judged yet", judged=False)
    made = kind(dataset, result, moved.rows, frame, unjudged, method, seed is not None, front)
    verdict = made.judge(frame)
    refuse_unless(verdict, made.truth(frame), refusal=refusal)
    return replace(made, verdict=verdict)


def refuse_unless(*verdicts: Verdict, refusal: type[ShoalError] = RefusedError) -> None:
    """Let nothing pass that a judge did not say yes to."""
    for said in verdicts:
        if not said:
            bug = "; please report this as a bug" if refusal is RefusedError else ""
            raise refusal(f"refused: {said.sentence}; nothing was written{bug}")


def _shuffled(n: int, seed: int | None) -> NDArray[np.int64]:
    """A random order, from the operating system unless a rehearsal fixes it."""
    if seed is not None:
        return np.random.default_rng(seed).permutation(n)
    return np.argsort(np.frombuffer(os.urandom(8 * n), dtype=np.uint64), kind="stable")


def _assemble(dataset: Dataset, recoded: Recoded, order: NDArray[np.int64]) -> pl.DataFrame:
    """The released frame: input column order, identifiers left out, other columns as they came."""
    rows = pl.Series(recoded.rows[order])
    columns = []
    for name in dataset.source.frame.columns:
        role = dataset.roles[name]
        if role == "quasi":
            j = recoded.names.index(name)
            labels = pl.Series(name, recoded.forms[j].labels, dtype=pl.String)
            columns.append(labels.gather(pl.Series(recoded.codes[order, j])))
        elif role != "identifier":
            columns.append(cleaned(dataset.source.frame[name], dataset.source.missing).gather(rows))
    return pl.DataFrame(columns)
