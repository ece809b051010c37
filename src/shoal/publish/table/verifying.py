"""A released table judged from its folder, or against originals."""

from dataclasses import replace
from typing import Any

import polars as pl

from shoal.io.config import Config
from shoal.privacy import claim_from_dict
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.shape import Dataset
from shoal.publish.table.covering import covered
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import judge_frame
from shoal.release import Verdict

__all__ = ["judge_folder"]


def judge_folder(
    manifest: dict[str, Any], frame: pl.DataFrame, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge the claim on labels, on leaf sets where hierarchies are known, and beside originals where given."""
    claim = claim_from_dict(manifest["claim"])
    if not isinstance(originals, TableData):
        known = None if config is None else hierarchies_in_files(config)
        return judge_frame(frame, claim, manifest["columns"], known)
    said = judge_frame(frame, claim, manifest["columns"], originals.hierarchies)
    if not said:
        return said
    if manifest["records_in"] != originals.table.n:
        return Verdict(
            False, f"the release speaks of {manifest['records_in']} originals, there are {originals.table.n}"
        )
    over = covered(frame, originals)
    return replace(said, sentence=f"{said.sentence}; {over.sentence}") if over else over
