"""What all releases have in common that are written part by part: where they lie, and what is told of them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.errors import RefusedError
from shoal.publish.draft import Draft
from shoal.report.facts import Audit

__all__ = ["PartWriting", "other_records"]


@dataclass(frozen=True)
class PartWriting:
    """What the door asks of records that are not in memory, but for writing and judging them.

    place : the public file
    stage : a private folder; it goes when the door closes
    """

    draft: Draft
    place: Path
    stage: Path

    def audit(self) -> Audit:
        """The facts of the report and the audit, from counts alone."""
        found = self.draft.dataset.audit(self.draft)
        return replace(found, report=replace(found.report, manifest=self.manifest()))

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        data: Any = self.draft.dataset
        return {**self.draft.manifest, "notes": data.notes(self._release)}

    @property
    def _release(self) -> Any:
        return self.draft.result.release


def other_records() -> RefusedError:
    """Why a file is refused that does not hold what was staged."""
    return RefusedError(
        "refused: the data reads back with other records than were staged; nothing was written"
    )
