"""Lists of words, patterns and invented people: files beside the code that uses them, read when they are needed."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["resource_table", "resource_text"]


def resource_text(package: str, name: str) -> str:
    """A file that stands in a package, as text."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def resource_table(package: str, name: str) -> dict[str, Any]:
    """A TOML file that stands in a package; it is read once, so whoever gets it must not change it.

    >>> sorted(resource_table("shoal.hierarchy", "vocabulary/scales.toml"))
    ['between', 'date', 'scales', 'source']
    """
    return tomllib.loads(resource_text(package, name))
