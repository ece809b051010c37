"""What a job wrote as zip files: what may be published, what must not, and the configuration, each apart."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from shoal.stopping import in_one_piece

__all__ = ["PARCELS", "earlier_files", "pack"]

PARCELS: Mapping[str, str] = {
    "release": "release.zip",
    "private": "private.zip",
    "configuration": "configuration.zip",
}
"""What can be fetched of a job, by the name of its file."""

_OUTPUTS = ("release", "release.private", "risk.private", "compare.private", "front.private")
_READING = ("verify", "attack")  # kinds that look at a release and make none


def pack(kind: str, work: Path, folder: Path) -> None:
    """Write the zip files of a job whose data are in `work` into its folder."""
    made = [name for name in _OUTPUTS if (work / name).is_dir() and kind not in _READING]
    _zipped(folder / PARCELS["release"], work, [name for name in made if name == "release"])
    _zipped(folder / PARCELS["private"], work, [name for name in made if name.endswith(".private")])
    if (work / "shoal.toml").is_file():
        _zipped(folder / PARCELS["configuration"], work, ["shoal.toml", *_hierarchy_files(work)])


def earlier_files(work: Path, kind: str) -> Iterator[Path]:
    """The files of an earlier job that a job of this kind goes on with: data, configuration, hierarchies.

    `verify` and `attack` take what the earlier job made as well.
    """
    for path in _files(work):
        if kind in _READING or path.parts[0] not in _OUTPUTS:
            yield path


def _hierarchy_files(work: Path) -> list[str]:
    """The hierarchy files that a configuration names, as far as they lie beside it."""
    with (work / "shoal.toml").open("rb") as file:
        raw = tomllib.load(file)
    columns, tree = raw.get("columns", {}), raw.get("tree", {})
    given = [spec.get("hierarchy") for spec in columns.values() if isinstance(spec, dict)]
    given += tree.get("hierarchies", {}).values()
    names = [spec.get("file") if isinstance(spec, dict) else spec for spec in given]
    return [
        name for name in dict.fromkeys(names) if isinstance(name, str) and Path(name) in set(_files(work))
    ]


def _zipped(target: Path, work: Path, names: list[str]) -> None:
    """Pack files and folders; without any there is no zip."""
    if not names:
        return
    with in_one_piece(target) as part, ZipFile(part, "w", ZIP_DEFLATED, compresslevel=1) as parcel:
        for path in _files(work):
            if path.parts[0] in names or path.as_posix() in names:
                parcel.write(work / path, path.as_posix())


def _files(work: Path) -> list[Path]:
    """Every plain file below a folder, relative to it; links are left out."""
    found = [
        Path(place, name).relative_to(work)
        for place, _, names in os.walk(work)
        for name in names
        if not Path(place, name).is_symlink()
    ]
    return sorted(found)
