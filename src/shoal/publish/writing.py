"""A release on its way through the door: written at once, read back and judged as written."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import RefusedError
from shoal.publish.data_files import odd_data, outline, read_data, write_data
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.shapes.base import SHAPES
from shoal.report.facts import Audit

__all__ = ["Writing"]


@dataclass(frozen=True, slots=True)
class Writing:
    """What the door asks of a release that is in memory."""

    draft: Draft
    public: Path
    format: str

    def write(self) -> None:
        """Write the data."""
        write_data(self.draft.frame, self.public, self.format, self.draft.manifest["columns"])

    def audit(self) -> Audit:
        """The facts of the report and the audit."""
        return self.draft.dataset.audit(self.draft)

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return self.draft.manifest

    def judge(self) -> None:
        """Judge the claim and the truth of the file itself, not of what was in memory.

        Raises
        ------
        RefusedError
            It reads back as something else, does not keep the claim, or does not tell the truth.
        """
        files = SHAPES[self.draft.dataset.shape].files
        frame = read_data(self.public, files, self.draft.manifest["columns"])
        if outline(frame) != outline(self.draft.frame):
            raise RefusedError(
                "refused: the data reads back with other columns or records; nothing was written"
            )
        odd = odd_data(self.public, files, self.draft.manifest["columns"], frame)
        if odd is not None:
            raise RefusedError(f"refused: {odd}; nothing was written; please report this as a bug")
        refuse_unless(self.draft.judge(frame), self.draft.truth(frame), self.draft.together(frame))
