"""A released table judged from its folder, or against originals."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.hierarchy import Hierarchies, files
from shoal.io.config import Config
from shoal.privacy import claim_from_dict
from shoal.publish.shape import Dataset
from shoal.publish.table.covering import covered
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import judge_frame
from shoal.release import Verdict

__all__ = ["file_trees", "judge_folder"]


def judge_folder(
    manifest: dict[str, Any], frame: pl.DataFrame, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge the claim on labels, on leaf sets where hierarchies are known, and beside originals where given."""
    claim = claim_from_dict(manifest["claim"])
    if not isinstance(originals, TableData):
        return judge_frame(frame, claim, manifest["columns"], None if config is None else file_trees(config))
    said = judge_frame(frame, claim, manifest["columns"], originals.hierarchies)
    if not said:
        return said
    if manifest["records_in"] != originals.table.n:
        return Verdict(
            False, f"the release speaks of {manifest['records_in']} originals, there are {originals.table.n}"
        )
    over = covered(frame, originals)
    return replace(said, sentence=f"{said.sentence}; {over.sentence}") if over else over


def file_trees(config: Config) -> Hierarchies:
    """The hierarchies that need no data to be known."""
    return {
        name: files.read(spec.hierarchy).covering(config.data.missing)
        for name, spec in config.columns.items()
        if isinstance(spec.hierarchy, Path)
    }
