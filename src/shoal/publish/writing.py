"""The data files of a release folder, out and back, and how a release is written and judged as written.

Which released row is which original record is kept in the private folder alone. People are known again in several
releases by the names that data have for them, or by the number of a record in one file. The rules of a preset are
judged on the data as they were read back.

A release is written at once where its records are in memory, else part by part. The door asks the same of both
(`Writing`), and chooses by the dataset, which knows nothing of it: `InMemory` is what data have in common whose records
are one part that is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from shoal.base.errors import RefusedError
from shoal.io.codebooks import codebooks_of
from shoal.io.formats import LABELLED
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.files import frame_shape, noncanonical_data, read_data, read_missing_codes, write_data
from shoal.report.facts import Audit

__all__ = ["MemoryWriting", "Writing", "open_writing"]

# --- how a release is written and judged as written


class Writing(Protocol):
    """A release on its way through the door."""

    def write(self) -> None:
        """Write the data, in an order that tells nothing."""

    def complete(self, audit: Audit) -> Audit:
        """The facts of the report and the audit, with those that only what was written shows."""

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""

    def judge(self) -> None:
        """Judge the claim and the truth of the file itself, not of what was made.

        Raises
        ------
        RefusedError
            It reads back as something else, does not keep the claim, or does not tell the truth.
        """


def open_writing(
    draft: Draft, public: Path, stage: Path, files: Mapping[str, str], format: str | None
) -> Writing:
    """How a release is written into the folder `public` and judged as written, at once or part by part.

    `files` are the formats of the shape, each with the name of its file; `stage` is a private folder that is not there
    yet, and goes when the door closes.
    """
    if draft.dataset.in_memory:
        return MemoryWriting(draft, public, files, format)
    from shoal.publish.large.writers import open_large_writing  # whose kernels are heavy

    return open_large_writing(draft, public, stage, files, format)


# --- records in memory: one part, which is loaded, and was shuffled when it was drafted


@dataclass(frozen=True, slots=True)
class MemoryWriting:
    """What the door asks of a release that is in memory.

    public : the folder of the release
    files  : the formats of its shape, each with the name of its file
    format : the one that is written; None is the usual one
    missing : by column the codes that mean no value, as they were written
    """

    draft: Draft
    public: Path
    files: Mapping[str, str]
    format: str | None
    missing: dict[str, pl.Series] = field(default_factory=dict)

    def write(self) -> None:
        """Write the data."""
        frame, variables = self.draft.frame, None
        if self.format in LABELLED:
            dataset: Any = self.draft.dataset
            self.missing.update(dataset.missing_codes(frame, self.draft.result))
            frame, variables = dataset.described(frame, self.draft.result.release)
            variables |= {
                name: replace(variables[name], missing_codes=codes) for name, codes in self.missing.items()
            }
        write_data(frame, self.public, self.format, self.draft.manifest["columns"], variables)

    def complete(self, audit: Audit) -> Audit:
        """The same: all is in memory."""
        return audit

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        if self.format not in LABELLED:
            return self.draft.manifest
        dataset: Any = self.draft.dataset
        books = dataset.codebooks(self.draft.frame.columns)
        return {**self.draft.manifest, "codebook": {name: book.as_dict() for name, book in books.items()}}

    def judge(self) -> None:
        """Read the file back, and judge its claim and its truth, beside earlier releases too."""
        columns, books = self.draft.manifest["columns"], codebooks_of(self.manifest())
        frame = read_data(self.public, self.files, columns, books)
        if frame_shape(frame) != frame_shape(self.draft.frame):
            raise RefusedError(
                "refused: the data reads back with other columns or records; nothing was written"
            )
        fault = noncanonical_data(
            self.public, self.files, columns, frame, groups=self.draft.groups, books=books
        )
        if fault is None and not _same_codes(
            read_missing_codes(self.public, self.files, books), self.missing
        ):
            fault = "other missing codes than were written"
        if fault is not None:
            raise RefusedError(f"refused: {fault}; nothing was written; please report this as a bug")
        refuse_unless(
            self.draft.judge(frame), self.draft.check_truth(frame), self.draft.judge_with_earlier(frame)
        )


def _same_codes(codes: Mapping[str, pl.Series], others: Mapping[str, pl.Series]) -> bool:
    """Whether all missing codes that were read are those that were written; some formats have none for a few."""
    return codes.keys() <= others.keys() and all(
        codes[name].fill_null(others[name]).equals(others[name]) for name in codes
    )


# --- records in parts: written in random order, read back in pieces, judged by counts
