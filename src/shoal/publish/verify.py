"""Judge a release from its folder alone, or against the originals it claims to come from."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.config import Config
from shoal.publish.data_files import outline, read_data
from shoal.publish.shape import Dataset
from shoal.release import Verdict

__all__ = ["verify"]

_LARGEST_MANIFEST = 16 * 2**20
_SHAPES = {  # imported when met: verifying a table should not wait for what judges baskets
    "table": "shoal.publish.table.verifying",
    "baskets": "shoal.publish.baskets.verifying",
    "mixed": "shoal.publish.mixed.verifying",
    "trees": "shoal.publish.trees.verifying",
}


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
    if manifest["claim"].get("counts") == "persons":
        return manifest["claim"], Verdict(
            False, "the claim counts persons, and a release does not tell whose a record is", judged=False
        )
    if config is not None and config.shape != manifest["shape"]:
        raise InputError(
            f"verify: the configuration is of shape {config.shape}, the release of {manifest['shape']}"
        )
    judge = import_module(_SHAPES[manifest["shape"]]).judge_folder
    return manifest["claim"], judge(manifest, frame, config, _originals(config, against))


def _originals(config: Config | None, against: Path | None) -> Dataset | None:
    """The data a configuration describes, read from another file."""
    if config is None or against is None:
        return None
    from shoal.publish.opening import open_dataset  # all shapes, and they are heavy

    return open_dataset(replace(config, data=replace(config.data, path=against)))


def _open(folder: Path) -> tuple[dict[str, Any], Any]:
    """The manifest and the data of a release folder, checked against each other."""
    manifest = _manifest(folder / "manifest.json")
    frame = read_data(folder, manifest["shape"], manifest["columns"])
    columns, records = outline(frame)
    if list(manifest["columns"]) != columns:
        raise InputError(
            f"{folder.name}: the data's columns are not those of manifest.json; the folder was changed"
        )
    if manifest["records_out"] != records:
        raise InputError(
            f"{folder.name}: manifest.json speaks of {manifest['records_out']} records, the data holds {records}"
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
            and facts["shape"] in _SHAPES
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(
            f"{path.parent.name}: manifest.json is not a release's; it was damaged or made elsewhere"
        )
    checked: dict[str, Any] = facts
    return checked
