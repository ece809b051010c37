"""Judge a release from its folder alone, or against the originals it claims to come from."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.config import Config
from shoal.privacy import claim_from_dict
from shoal.publish.data_files import outline, read_data
from shoal.publish.protocols import Dataset
from shoal.publish.shapes import SHAPES, open_dataset
from shoal.release import Verdict

__all__ = ["verify"]

_LARGEST_MANIFEST = 16 * 2**20


def verify(
    folder: Path, *, config: Config | None = None, against: Path | None = None
) -> tuple[dict[str, Any], Verdict]:
    """Judge what a release folder claims; return the claim and the verdict.

    From the folder alone, equal labels are equal; with a configuration, labels are read through its hierarchies;
    against the originals, the release must also be one that they can have given.
    """
    if against is not None and config is None:
        raise InputError("verify: --against needs --config, for the roles and hierarchies of the originals")
    manifest, frame = _open(folder)
    if config is not None and config.shape != manifest["shape"]:
        raise InputError(
            f"verify: the configuration is of shape {config.shape}, the release of {manifest['shape']}"
        )
    return manifest["claim"], judge_folder(manifest, frame, config, _originals(config, against))


def judge_folder(
    manifest: dict[str, Any], frame: Any, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge the claim that a manifest states on its data, whatever their shape."""
    if manifest["claim"].get("counts") == "persons":
        return _unjudged("the claim counts persons, but the release does not tell whom a record belongs to")
    shape, claim = SHAPES[manifest["shape"]], claim_from_dict(manifest["claim"])
    if claim.shape != shape.name:
        words = SHAPES[claim.shape].words
        return Verdict(False, f"the claim, {claim.named}, is about {words}, but the release is {shape.words}")
    known = shape.known(manifest["columns"], config, originals)
    if claim.exempts and known.secrets is None:
        return _unjudged("it is not known which items are sensitive; give the configuration")
    said = claim.check(shape.seen(frame, known, claim))
    if not said or originals is None:
        return said
    if manifest["records_in"] != originals.records:
        came = manifest["records_in"]
        return Verdict(False, f"the release states {came} originals, but there are {originals.records}")
    over = shape.covered(frame, originals)
    return replace(said, sentence=f"{said.sentence}; {over.sentence}") if over else over


def _unjudged(why: str) -> Verdict:
    return Verdict(False, why, judged=False)


def _originals(config: Config | None, against: Path | None) -> Dataset | None:
    """The data a configuration describes, read from another file."""
    if config is None or against is None:
        return None
    return open_dataset(replace(config, data=replace(config.data, path=against)))


def _open(folder: Path) -> tuple[dict[str, Any], Any]:
    """The manifest and the data of a release folder, checked against each other."""
    manifest = _manifest(folder / "manifest.json")
    frame = read_data(folder, SHAPES[manifest["shape"]].files, manifest["columns"])
    columns, records = outline(frame)
    if list(manifest["columns"]) != columns:
        raise InputError(
            f"{folder.name}: the data's columns are not those of manifest.json; the folder was changed"
        )
    if manifest["records_out"] != records:
        raise InputError(
            f"{folder.name}: manifest.json states {manifest['records_out']} records, but the data has {records}"
        )
    return manifest, frame


def _manifest(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(f"{path.parent.name}: no manifest.json; give the folder that `shoal run` wrote")
    if path.stat().st_size > _LARGEST_MANIFEST:
        raise InputError(f"{path.parent.name}: manifest.json is too large for a release, so it was not read")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        whole = (
            isinstance(facts["columns"], dict)
            and isinstance(facts["claim"], dict)
            and isinstance(facts["records_out"], int)
            and facts["shape"] in SHAPES
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(
            f"{path.parent.name}: manifest.json does not belong to a release; it was damaged or not made by shoal"
        )
    checked: dict[str, Any] = facts
    return checked
