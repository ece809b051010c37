"""A release beside its originals, opened for attackers: what was published, what is claimed, whose row is whose."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.folders import private_of
from shoal.publish.data_files import data_file, outline, read_data
from shoal.publish.draft import Draft
from shoal.publish.expected import asked
from shoal.publish.manifests import ChangedError, changed_file, read_manifest
from shoal.publish.protocols import Dataset
from shoal.publish.rows import ROWS, read_rows
from shoal.publish.shapes import SHAPES
from shoal.publish.study.attack.ruled import WrongError, ruled_rows
from shoal.publish.table.dataset import TableData
from shoal.publish.verify import claim_stated_in
from shoal.release import Claim

__all__ = ["Scene", "WrongError", "open_scene", "scene_of"]


@dataclass(frozen=True, slots=True, repr=False)
class Scene(Discreet):
    """A release beside its originals.

    dataset  : the originals
    frame    : what was published; of record trees the trees
    claim    : what the release claims
    row_of   : int64[records]: the released row of each record, or one that equals it; -1 where it was suppressed. None
               where nobody knows whose row is whose
    left_out : how many items were left out of released rows
    changed  : a sentence where the data are not those that were judged; None where they are
    why      : where nobody knows whose row is whose, what it would need
    method   : the maker and its options
    """

    dataset: Dataset
    frame: Any
    claim: Claim
    row_of: I8 | None
    left_out: int = 0
    changed: str | None = None
    why: str = ""
    method: Mapping[str, Any] = field(default_factory=dict)


def scene_of(draft: Draft) -> Scene:
    """A release that is still in memory: it knows whose row is whose."""
    left_out = draft.dataset.counts(draft.result.release)["suppressed_items"]
    row_of = _rows_of(draft.rows, draft.dataset.records)
    return Scene(draft.dataset, draft.frame, draft.claim, row_of, left_out, method=draft.method)


def open_scene(folder: Path, originals: Dataset, config: Config) -> Scene:
    """A release folder beside its originals; its private folder may tell whose row is whose.

    Raises
    ------
    InputError
        The folder is no release at all.
    WrongError
        It was tampered with, or is a release of other originals.
    """
    asked(config)  # a guarantee that makes no sense is a fault of the configuration
    try:
        manifest = read_manifest(folder)
    except ChangedError as error:
        raise WrongError(str(error)) from None
    rows = read_rows(private_of(folder.resolve()))
    try:
        claim = claim_stated_in(manifest, config)
        file = data_file(folder, SHAPES[claim.shape].files)
        frame = read_data(folder, SHAPES[claim.shape].files, manifest["columns"])
    except InputError as error:  # of the folder's own files
        raise WrongError(str(error)) from None
    _require_same(frame, manifest, originals, rows)
    if rows is not None and isinstance(originals, TableData):
        originals = originals.made_of(np.sort(rows))  # labels that are built are made of who is released
    changed = changed_file(manifest, folder, file)
    known, why = _whose(folder, originals, frame, claim, rows)
    found = (originals, frame, claim, known, manifest["suppressed_items"])
    return Scene(*found, changed, why, manifest["method"])


def _require_same(frame: Any, manifest: Mapping[str, Any], originals: Dataset, rows: I8 | None) -> None:
    """Refuse data that the manifest does not speak of, and rows that name no originals."""
    columns, records = outline(frame)
    if columns != list(manifest["columns"]):
        raise WrongError("the data's columns are not those of manifest.json")
    if manifest["records_in"] != originals.records:
        raise WrongError(
            f"the release states {manifest['records_in']} originals, but there are {originals.records}"
        )
    if rows is None:
        return
    inside = (rows >= 0) & (rows < originals.records)
    if not len(rows) == records == len(np.unique(rows)) or not inside.all():
        raise WrongError(f"{ROWS} does not name one original record for each released row")


def _whose(
    folder: Path, originals: Dataset, frame: Any, claim: Claim, rows: I8 | None
) -> tuple[I8 | None, str]:
    """Whose row is whose by the rows that were kept, or by the rule; else a sentence on what it would need."""
    if rows is not None:
        return _rows_of(rows, originals.records), ""
    found = ruled_rows(private_of(folder.resolve()), originals, frame, claim)
    return found, "" if found is not None else _NEEDS


_NEEDS = (
    f"nobody knows whose row is whose: the private folder beside the release holds no {ROWS} and no recoding.json with "
    "a rule for all records; run again with rows = true in [release], or look at the attackers in the audit of the run"
)


def _rows_of(rows: I8, records: int) -> I8:
    """For each record its row, from the record of each row."""
    found = np.full(records, -1, dtype=np.int64)
    found[rows] = np.arange(len(rows))
    return found
