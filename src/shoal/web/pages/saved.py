"""A project as one file: what was decided, and the hierarchies that somebody edited; no record of the data.

Whoever opens it gives the data again: they are looked at as before, and what was decided is applied to what is found.
A file may come from anywhere, so each part of it is held against its form before anything is done with it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from shoal.base.errors import InputError
from shoal.base.naming import Role
from shoal.web.server.job_folder import inner_path

__all__ = ["EDITED_FOLDER", "ENDING", "SavedProject", "read_saved"]

ENDING = ".shoal"
EDITED_FOLDER = "hierarchies/edited"
"""Where the files of edited hierarchies are; no proposal writes there."""

_VERSION = 1
_MOST_BYTES = 50 * 10**6
_DEEPEST = 12
_LONGEST = 20 * 10**6  # signs of one hierarchy
_SECTIONS = ("guarantee", "method", "release", "audit")
_READING = (
    "missing",
    "decimal",
    "thousands",
    "dates",
    "sheet",
    "header",
    "skip",
    "last",
    "records",
    "values",
    "codebook",
)
_OWN = {"data": ("person", *_READING), "tree": ("negations",)}
_WRONG = "project: this is no project that shoal saved, or it was changed; choose the file that Save the project wrote"


@dataclass(frozen=True, slots=True)
class SavedProject:
    """What is in the file of a project.

    files       : what the data's files were called
    decided     : the sections of the configuration that hold decisions about the release as a whole
    roles       : by column, what somebody said that it is
    reading     : keys of [data] that somebody stated
    own         : keys of other sections that somebody set: section, key, value
    columns     : keys of columns beside their role: column, role, keys
    edited      : by column or field, the hierarchy that somebody made, as a configuration names it
    hierarchies : by their names there, the files of these hierarchies
    settled     : the columns that somebody decided to take as they are proposed
    """

    name: str
    files: list[str]
    decided: dict[str, dict[str, Any]]
    roles: dict[str, str]
    reading: dict[str, Any]
    own: list[list[Any]]
    columns: list[list[Any]]
    edited: dict[str, Any]
    hierarchies: dict[str, str]
    settled: list[str]

    def text(self) -> str:
        """The file."""
        return json.dumps({"shoal project": _VERSION, **asdict(self)}, ensure_ascii=False, indent=1)


def read_saved(path: Path) -> SavedProject:
    """Read the file of a project, whoever made it.

    Raises
    ------
    InputError
        It is none, or something in it has another form.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise InputError(_WRONG)
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise InputError(_WRONG) from None
    if not isinstance(facts, dict) or facts.pop("shoal project", None) != _VERSION:
        raise InputError(_WRONG)
    if facts.keys() != _FORMS.keys() or not all(fits(facts[key]) for key, fits in _FORMS.items()):
        raise InputError(_WRONG)
    saved = SavedProject(**facts)
    if not all(_is_hierarchy(spec, saved.hierarchies) for spec in saved.edited.values()):
        raise InputError(_WRONG)
    return saved


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 1000


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is one of a configuration: texts, numbers, yes and no, lists and mappings of these."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner, depth + 1) for key, inner in value.items())
    if isinstance(value, list):
        return all(_is_plain(inner, depth + 1) for inner in value)
    return isinstance(value, str | int | float | bool)


def _is_role(value: Any) -> bool:
    return isinstance(value, str) and value in get_args(Role)


def _is_mapping(is_key: Callable[[Any], bool], fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, dict) and all(is_key(key) and fits(inner) for key, inner in value.items())
    )


def _is_list(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _is_own(value: Any) -> bool:
    """Whether this is section, key and value of what somebody may set on the page."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and isinstance(value[0], str)
        and value[1] in _OWN.get(value[0], ())
        and (value[2] is None or _is_plain(value[2]))
    )


_COLUMN_KEYS = ("weight", "sensitive", "level", "allow", "shared", "hidden", "importance", "release", "base")


def _is_column(value: Any) -> bool:
    """Whether this is a column, a role, and keys that the page sets beside it."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and _is_text(value[0])
        and _is_role(value[1])
        and isinstance(value[2], dict)
        and all(
            key in _COLUMN_KEYS and (inner is None or _is_plain(inner)) for key, inner in value[2].items()
        )
    )


def _is_file_name(value: Any) -> bool:
    """Whether a file of a hierarchy is where edited ones are, and nowhere else."""
    if not isinstance(value, str) or not value.startswith(f"{EDITED_FOLDER}/"):
        return False
    try:
        path = inner_path(value)
    except InputError:
        return False
    return len(path.parts) == 3 and path.suffix == ".csv"


def _is_hierarchy(spec: Any, files: Mapping[str, str]) -> bool:
    """Whether a hierarchy is a rule, or a file that is in the project."""
    if isinstance(spec, str):
        return spec in files
    if not isinstance(spec, dict):
        return False
    return spec["file"] in files if isinstance(spec.get("file"), str) else _is_plain(spec)


_FORMS: Mapping[str, Callable[[Any], bool]] = {
    "name": _is_text,
    "files": _is_list(_is_text),
    "decided": _is_mapping(lambda key: key in _SECTIONS, _is_mapping(_is_text, _is_plain)),
    "roles": _is_mapping(_is_text, _is_role),
    "reading": _is_mapping(lambda key: key in _READING, _is_plain),
    "own": _is_list(_is_own),
    "columns": _is_list(_is_column),
    "edited": _is_mapping(_is_text, lambda spec: isinstance(spec, str | dict)),
    "hierarchies": _is_mapping(_is_file_name, lambda text: isinstance(text, str) and len(text) <= _LONGEST),
    "settled": _is_list(_is_text),
}
"""By part of the file, what it must be."""
