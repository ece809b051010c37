"""What a maker made of a fragment of baskets, kept in a private folder until it is published."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from shoal.io.array_files import keep, opened
from shoal.release import Bitmaps, Claim, Forms, RecodedBaskets, Result

__all__ = ["InFolder", "kept"]

_TEXTS = "texts.json"


@dataclass(frozen=True, slots=True)
class InFolder:
    """A result whose arrays are in a folder."""

    folder: Path
    records: int
    claim: Claim
    trace: Mapping[str, Any]

    def open(self) -> Result[Any]:
        """The result; of its arrays only what is touched is read."""
        texts = tuple(json.loads((self.folder / _TEXTS).read_text(encoding="utf-8")))
        if (self.folder / "proof.npy").exists():
            return self._bitmaps(texts)
        start, items, rows, gone = opened(self.folder, "start", "items", "rows", "suppressed")
        forms = Forms(texts, *opened(self.folder, "form_start", "form_leaves"))
        release = RecodedBaskets(forms, start, items, rows, self.records, int(gone[0]))
        return Result(release, self.claim, None, self.trace)

    def _bitmaps(self, values: tuple[str, ...]) -> Result[Any]:
        start, items, maybe_start, maybe = opened(self.folder, "start", "items", "maybe_start", "maybe")
        errors, rows, proof = opened(self.folder, "errors", "rows", "proof")
        release = Bitmaps(values, start, items, maybe_start, maybe, errors, rows, self.records)
        return Result(release, self.claim, proof, self.trace)


def kept(folder: Path, result: Result[Any]) -> InFolder:
    """Write a result to a new folder below `folder`: a task that runs twice writes two, and one of them counts."""
    place = folder / f"made-{uuid4().hex}"
    place.mkdir(mode=0o700)
    release: Bitmaps | RecodedBaskets = result.release
    keep(place, start=release.start, items=release.items, rows=release.rows)
    if isinstance(release, Bitmaps):
        texts: tuple[str | None, ...] = release.values
        keep(place, maybe_start=release.maybe_start, maybe=release.maybe, errors=release.errors)
        keep(place, proof=np.asarray(result.proof))
    else:
        texts = release.forms.labels
        keep(place, form_start=release.forms.start, form_leaves=release.forms.leaves)
        keep(place, suppressed=np.array([release.suppressed]))
    (place / _TEXTS).write_text(json.dumps(texts), encoding="utf-8")
    return InFolder(place, release.records, result.claim, result.trace)
