"""Judge a release from its folder alone, or against the originals it claims to come from."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, files
from shoal.io.config import Config
from shoal.io.write import FORMATS, read_back
from shoal.privacy import claim_from_dict
from shoal.publish.opening import open_table
from shoal.publish.table.covering import covered
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import judge_frame
from shoal.release import Verdict

__all__ = ["verify"]

_LARGEST_MANIFEST = 16 * 2**20


def verify(
    folder: Path, *, config: Config | None = None, against: Path | None = None
) -> tuple[dict[str, Any], Verdict]:
    """Judge what a release folder claims; return the claim and the verdict.

    From the folder alone, equal labels are equal; with a configuration, labels are read through its hierarchies;
    against the originals, every released record must also lie over enough of them.
    """
    if against is not None and config is None:
        raise InputError("verify: --against needs --config, for the roles and hierarchies of the originals")
    manifest, frame = _open(folder)
    stated = manifest["claim"]
    claim = claim_from_dict({key: value for key, value in stated.items() if key != "counts"})
    if stated.get("counts") == "persons":
        return stated, Verdict(
            False, "the claim counts persons, and a release does not tell whose a record is", judged=False
        )
    if config is None:
        return stated, judge_frame(frame, claim, manifest["columns"])
    if against is None:
        return stated, judge_frame(frame, claim, manifest["columns"], _file_trees(config))
    dataset = open_table(replace(config, data=replace(config.data, path=against)))
    said = judge_frame(frame, claim, manifest["columns"], dataset.trees)
    return stated, said and _stems(said, manifest, frame, dataset)


def _stems(said: Verdict, manifest: dict[str, Any], frame: pl.DataFrame, dataset: TableData) -> Verdict:
    """The verdict once more, now against the originals."""
    if manifest["records_in"] != dataset.table.n:
        return Verdict(
            False, f"the release speaks of {manifest['records_in']} originals, there are {dataset.table.n}"
        )
    over = covered(frame, dataset)
    return replace(said, sentence=f"{said.sentence}; {over.sentence}") if over else over


def _open(folder: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    """The manifest and the data of a release folder, checked against each other."""
    manifest = _manifest(folder / "manifest.json")
    found = [
        (folder / f"data.{format}", format) for format in FORMATS if (folder / f"data.{format}").is_file()
    ]
    if len(found) != 1:
        raise InputError(
            f"{folder.name}: {len(found)} data files; a release folder holds one data.csv, .parquet or .ndjson"
        )
    frame = read_back(*found[0])
    if list(manifest["columns"]) != frame.columns:
        raise InputError(
            f"{folder.name}: the data's columns are not those of manifest.json; the folder was changed"
        )
    if manifest["records_out"] != len(frame):
        raise InputError(
            f"{folder.name}: manifest.json speaks of {manifest['records_out']} records, the data holds {len(frame)}"
        )
    return manifest, frame


def _manifest(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(f"{path.parent.name}: no manifest.json; give the folder that `shoal run` wrote")
    if path.stat().st_size > _LARGEST_MANIFEST:
        raise InputError(f"{path.parent.name}: manifest.json is larger than any release's; it was not read")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        whole = (
            isinstance(facts["columns"], dict)
            and isinstance(facts["claim"], dict)
            and isinstance(facts["records_out"], int)
            and facts["shape"] == "table"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(
            f"{path.parent.name}: manifest.json is not a table release's; it was damaged or made elsewhere"
        )
    checked: dict[str, Any] = facts
    return checked


def _file_trees(config: Config) -> Hierarchies:
    """The hierarchies that need no data to be known."""
    return {
        name: files.read(spec.hierarchy).covering(config.data.missing)
        for name, spec in config.columns.items()
        if isinstance(spec.hierarchy, Path)
    }
