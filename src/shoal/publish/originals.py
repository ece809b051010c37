"""The originals that a release is held against, read as its configuration describes them."""

from dataclasses import replace
from pathlib import Path

from shoal.io.config import Config
from shoal.publish.protocols import Dataset
from shoal.publish.shapes.base import open_dataset

__all__ = ["originals_at"]


def originals_at(config: Config, against: str | Path) -> Dataset:
    """The data that a configuration describes, read from another file, folder or database."""
    if "://" in str(against):
        data = replace(config.data, path=None, url=_beside(str(against), config))
    else:
        data = replace(config.data, path=Path(against))
    return open_dataset(replace(config, data=data))


def _beside(url: str, config: Config) -> str:
    """A database's URL; SQLite's file is looked for here, and then where the configuration looks for it."""
    kind, _, place = url.partition(":///")
    if not kind.startswith("sqlite") or Path(place).is_absolute() or Path(place).is_file():
        return url
    return f"{kind}:///{config.folder / place}"
