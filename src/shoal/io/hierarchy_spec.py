"""How a hierarchy is named: a file, a file that was made from the data, or the rule to build one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.files import BuiltFile

__all__ = ["HierarchySpec", "file_spec", "hierarchy_spec", "is_file_spec"]

HierarchySpec = Path | BuiltFile | Hierarchy | Mapping[str, Any]


def is_file_spec(given: Mapping[str, Any]) -> bool:
    """Whether a table names a file; in a mapping of groups, a group called `file` is a list or a table."""
    return isinstance(given.get("file"), str)


def file_spec(name: str, given: Mapping[str, Any], folder: Path) -> Path | BuiltFile:
    """The file of `{ file = "...", built = true }`.

    Raises
    ------
    InputError
        Something else stands beside it.
    """
    built = given.get("built", False)
    if set(given) - {"file", "built"} or not isinstance(built, bool):
        raise InputError(
            f"hierarchy '{name}': a file is written as {{ file = \"...\" }}, with built = true where it was made "
            "from the data"
        )
    path = folder / given["file"]
    return BuiltFile(path) if built else path


def hierarchy_spec(name: str, given: Any, folder: Path) -> HierarchySpec | None:
    """What a configuration says of a hierarchy, its paths resolved against `folder`."""
    if isinstance(given, str):
        return folder / given
    if isinstance(given, Mapping) and is_file_spec(given):
        return file_spec(name, given, folder)
    spec: HierarchySpec | None = given
    return spec
