"""Baskets published by vote: a shape of their own within, which manifests call baskets.

Rows are votes of several records. They have three columns, of what most of these records hold, of what some do, and how
often the first two are wrong, and they are judged beside the originals.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data import Baskets, Column
from shoal.data.arrays import I8, row_of_entry, take_rows
from shoal.io.read.cells import cell_texts
from shoal.io.write.json_text import Entry, read_lists, write_lists
from shoal.privacy.nonreciprocal import Nonreciprocal, truth_of_votes
from shoal.release import Claim, PublishedBits, Result, Sensitive, Verdict, VotedBaskets
from shoal.shapes.baskets.data import (
    BasketData,
    largest_losses,
)
from shoal.shapes.baskets.shape import VOTE_COLUMNS, BasketShape
from shoal.shapes.baskets.verification import ListVerification
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.guards import guard_votes
from shoal.shapes.released_values import Cells, frame_words
from shoal.shapes.table.verification import fits_of, judge_fits, sensitive_of
from shoal.utility import VoteCase
from shoal.utility.baskets import ABSENT, count_flips

__all__ = [
    "VoteData",
    "VoteShape",
    "VoteVerification",
    "_rows_of_bits",
    "published_bits",
]


@dataclass(frozen=True, repr=False)
class VoteData(BasketData):
    """Baskets that are published by vote."""

    votes: ClassVar[bool] = True

    def guard_released(self, result: Result[Any]) -> None:
        """Refuse a label that follows from an item and tells look-alikes apart."""
        guard_votes(self.baskets, self.label, self.allow, result)

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple["VoteData", Result[Any]]:
        """Both as they are: nothing is left out, and no label of a hierarchy is published."""
        return self, result

    def shuffle_rows(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same release and proof, the rows in another order."""
        new_positions = np.empty(len(order), dtype=np.int64)
        new_positions[order] = np.arange(len(order))
        proof = new_positions[np.asarray(result.proof)]
        return replace(result, release=_rows_of_bits(result.release, order), proof=proof)

    def item_columns(self, release: Any) -> list[pl.Series]:
        """The columns items, uncertain and errors."""
        return [
            write_lists("items", release.start, release.items, release.values),
            write_lists("uncertain", release.maybe_start, release.maybe, release.values),
            pl.Series("errors", release.errors),
        ]

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim beside the originals, by proof and by possible worlds."""
        published, claim = self._publish_bits(frame), result.claim
        if isinstance(claim, Nonreciprocal) and result.proof is not None:
            proven = claim.prove(published, np.asarray(result.proof))
            if not proven:
                return proven
        return claim.check(published)

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Check every cell against the records that voted."""
        return truth_of_votes(self._publish_bits(frame), result.release.rows)

    def _publish_bits(self, frame: pl.DataFrame) -> PublishedBits:
        return published_bits(
            frame, self.baskets, self.label, None if self.label is None else self.label.name
        )

    def case(self, result: Result[Any], method: Mapping[str, Any]) -> VoteCase:
        """The release beside all that its owner knows."""
        return VoteCase(result.release, self.baskets, method["parameters"].get("absent", ABSENT))

    def released_cells(self, result: Result[Any], places: I8) -> dict[str, Cells]:
        """The columns of some released rows."""
        return frame_words(self, _rows_of_bits(result.release, places))

    def loss_by_part(self, result: Result[Any]) -> tuple[str, dict[str, float]]:
        """How often rows are wrong about the items that they are wrong about most."""
        occurrences, lost_counts, added_counts = count_flips(result.release, self.baskets)
        return "item", largest_losses(self, (lost_counts + added_counts).astype(np.float64), occurrences)


def _bind_votes(data: BasketData) -> VoteData:
    """Baskets that are to be published by vote."""
    return VoteData(**{attribute.name: getattr(data, attribute.name) for attribute in fields(BasketData)})


# --- from their folder or beside originals


# --- before and after, and which items lose most


# --- the columns


def _rows_of_bits(release: VotedBaskets, rows: I8) -> VotedBaskets:
    """Some rows in the order they are named; without all of them nothing can be judged."""
    start, items = take_rows(release.start, release.items, rows)
    maybe_start, maybe = take_rows(release.maybe_start, release.maybe, rows)
    return replace(
        release,
        start=start,
        items=items,
        maybe_start=maybe_start,
        maybe=maybe,
        errors=release.errors[rows],
        rows=release.rows[rows],
    )


def published_bits(
    frame: pl.DataFrame, baskets: Baskets | None, label: Column | None, label_name: str | None
) -> PublishedBits:
    """See the three columns, and the label, as judges do; beside the originals where they are at hand."""
    codes: dict[str, int] = (
        {} if baskets is None else {value: code for code, value in enumerate(baskets.values)}
    )
    start, items = _number_items(frame["items"], codes)
    maybe_start, maybe = _number_items(frame["uncertain"], codes)
    facts: dict[str, Any] = {}
    if baskets is not None:
        facts = {"original_start": baskets.start, "original_items": baskets.items.astype(np.int64)}
    if label_name is not None:
        facts["label"] = sensitive_of(cell_texts(frame[label_name]))
    if label is not None:
        facts["original_label"] = _code_original_label(label)
    return PublishedBits(start, items, maybe_start, maybe, _read_errors(frame["errors"]), **facts)


def _number_items(cells: pl.Series, codes: dict[str, int]) -> tuple[I8, I8]:
    """Sparse rows of item numbers, ascending; an item that no original has gets a number of its own."""
    start, items, entries = read_lists(cells)
    numbers = np.array([_entry_number(entry, codes, cells.name) for entry in entries], dtype=np.int64)
    item_numbers = numbers[items] if len(items) else items.astype(np.int64)
    rows = row_of_entry(start)
    return start, item_numbers[np.lexsort((item_numbers, rows))]


def _entry_number(entry: Entry, codes: dict[str, int], name: str) -> int:
    if not isinstance(entry, str):
        raise InputError(
            f"column '{name}': a list where an item is expected; the file was changed, give it as it was released"
        )
    return codes.setdefault(entry, len(codes))


def _read_errors(cells: pl.Series) -> I8:
    numbers = cells.cast(pl.Int64, strict=False)
    if numbers.null_count() or (numbers < 0).any():
        raise InputError("column 'errors': a cell is not a whole number of at least 0; the file was changed")
    return numbers.to_numpy().astype(np.int64)


def _code_original_label(label: Column) -> Sensitive:
    """A label column of the originals: -1 where it is missing."""
    known_codes = [code for code, value in enumerate(label.values) if value is not None]
    position_of_code = np.full(len(label.values), -1, dtype=np.int64)
    position_of_code[known_codes] = np.arange(len(known_codes))
    return Sensitive(position_of_code[label.codes], tuple(v for v in label.values if v is not None))


class VoteVerification(ListVerification):
    """How baskets that were released by vote are judged again, where possible beside their originals."""

    def view_for_judge(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim) -> PublishedBits:
        """Released lists as the judges of votes see them: beside the originals, where they are at hand."""
        for name in ("items", "uncertain", "errors"):
            if name not in frame.columns:
                raise InputError(
                    f"judge: baskets by vote have a column '{name}', and there is none; give the data as they were "
                    "released"
                )
        labels = [name for name, role in known.columns.items() if role == "sensitive"]
        originals: BasketData | None = known.originals
        baskets, label = (None, None) if originals is None else (originals.baskets, originals.label)
        return published_bits(frame, baskets, label, labels[0] if labels else None)

    def judge_provenance(self, frame: pl.DataFrame, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the labels fit the originals; that lists and originals can be matched is part of the claim."""
        fits = fits_of(frame, known.originals.table, {})
        return judge_fits(fits) if fits else Verdict(True, "rows and originals can be matched one to one")

    def judge_rows(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check every row against the originals that voted for it."""
        assert known.rows is not None
        return truth_of_votes(self.view_for_judge(frame, known, claim), known.rows)


class VoteShape(BasketShape):
    """Baskets by vote, which manifests call baskets."""

    name = "votes"
    jointly = "equality"
    called = "baskets"
    verification = VoteVerification()
    columns = VOTE_COLUMNS
    gone = False

    def bind_dataset(self, dataset: BasketData, claim: Claim) -> BasketData:
        """The same baskets, to be published by vote; baskets in parts answer for both."""
        return _bind_votes(dataset) if dataset.in_memory and not dataset.votes else dataset
