"""Each of several releases by itself: what a judge says of it, and the names of the people behind its rows."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.folders import private_of
from shoal.publish.data_files import read_data
from shoal.publish.expected import asked
from shoal.publish.manifests import ChangedError, read_manifest
from shoal.publish.protocols import Dataset
from shoal.publish.rows import names_of, read_names, read_rows, same_names
from shoal.publish.shapes import SHAPES
from shoal.publish.verify import Case, case_of, claim_stated_in
from shoal.release import Verdict

__all__ = ["One", "judge_one"]


@dataclass(frozen=True, repr=False)
class One(Discreet):
    """One of several releases.

    name  : what it is called
    said  : what a judge says of it by itself
    case  : what it is; None where it cannot be read
    own   : whether the originals that were given are its own, so that it was compared with them
    """

    name: str
    said: Verdict
    case: Case | None = None
    own: bool = True

    @property
    def told(self) -> dict[str, Any]:
        """What it promises, in our own words."""
        return {} if self.case is None else self.case.told

    @property
    def placed(self) -> bool:
        """Whether it is known whose row is whose."""
        return self.case is not None and (not self.own or self.case.known.rows is not None)

    @cached_property
    def names(self) -> list[str] | None:
        """The name of the person behind each row; None where people have none."""
        assert self.case is not None
        if not self.own:
            return read_names(private_of(self.case.folder.resolve()))
        names, rows = names_of(self.case.known.originals), np.asarray(self.case.known.rows)
        return None if names is None else [names[row] for row in rows.tolist()]

    @cached_property
    def frame(self) -> Any:
        """Its data."""
        assert self.case is not None
        return read_data(self.case.folder, SHAPES[self.case.claim.shape].files, self.case.manifest["columns"])


def judge_one(folder: Path, config: Config, originals: Dataset) -> One:
    """Judge a release as `verify` does: against the originals where they are its own, else from its folder alone.

    They are not its own where they have another number of records, or other people where rows.parquet names them.
    """
    name = folder.resolve().name
    asked(config)
    try:
        manifest = read_manifest(folder)
    except ChangedError as error:
        return One(name, Verdict(False, str(error)))
    try:
        claim = claim_stated_in(manifest, config)
    except InputError as error:
        return One(name, Verdict(False, str(error)))
    own = _is_own(folder, manifest["records_in"], originals)
    case = case_of(folder, manifest, claim, config, originals if own else None)
    try:
        said = case.verdict()
    except InputError as error:
        said = Verdict(False, str(error))
    return One(name, said, case, own)


def _is_own(folder: Path, records: int, originals: Dataset) -> bool:
    """Whether originals are those of a release, as far as names tell."""
    private = private_of(folder.resolve())
    rows, names = read_rows(private), read_names(private)
    if rows is None or names is None:
        return True
    inside = bool(((rows >= 0) & (rows < originals.records)).all())
    return records == originals.records and inside and same_names(originals, rows, names)
