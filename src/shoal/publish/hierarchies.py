"""Hierarchies as they are given (a file, a recipe, one that is built), made into hierarchies."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.data import Column
from shoal.errors import InputError, ShoalWarning
from shoal.hierarchy import Hierarchies, Hierarchy, files, rules
from shoal.hierarchy.files import BuiltFile
from shoal.hierarchy.suggest import wants_groups
from shoal.hierarchy.vocabularies import outside_vocabulary
from shoal.io.config import Config, file_spec, is_file_spec

__all__ = [
    "Given",
    "Spec",
    "hierarchies_in_files",
    "hierarchy_in_file",
    "hierarchy_of",
    "hierarchy_over",
    "is_built",
    "spec_for",
    "specs_of",
    "tell_outside",
]

_FANOUT = 5

Spec = Path | BuiltFile | Hierarchy | Mapping[str, Any]
"""A file's path, a file that was made from the data, one that is built, or the recipe to build one."""

Given = str | os.PathLike[str] | Hierarchy | Mapping[str, Any]
"""The same as users of Python give it, where a text is a path."""


def hierarchy_of(name: str, spec: Spec, values: Sequence[str | None]) -> Hierarchy:
    """The hierarchy of a column or class: as given, read from its file, or built over its values."""
    if isinstance(spec, Hierarchy):
        return spec
    if isinstance(spec, Path | BuiltFile):
        return hierarchy_in_file(spec)
    return rules.build(name, spec, values)


def is_built(spec: Spec | None) -> bool:
    """Whether a hierarchy is made of the values that a column has; where nothing is given it is."""
    return spec is None or (isinstance(spec, Mapping) and rules.rule_of(spec) is not None)


def tell_outside(name: str, spec: Spec | None, values: Sequence[str | None]) -> None:
    """Say how many of all values the vocabulary of a column does not know.

    Raises
    ------
    HierarchyError
        It knows none of them.
    """
    if isinstance(spec, Mapping) and rules.rule_of(spec) == "vocabulary":
        sentence = outside_vocabulary(name, str(spec["vocabulary"]), values)
        if sentence:
            warnings.warn(sentence, ShoalWarning, stacklevel=2)


def hierarchy_over(column: Column, spec: Spec | None, missing: Sequence[str]) -> Hierarchy:
    """The hierarchy of a quasi-identifier's values, as given or by what fits them; it covers missing cells."""
    made = hierarchy_of(column.name, spec_for(column.name, column.values, spec), column.values)
    return made.covering(missing)


def spec_for(name: str, values: Sequence[str | None], spec: Spec | None) -> Spec:
    """What is given for a column; where nothing is, groups of numbers, or all or nothing."""
    if spec is not None:
        return spec
    return {"fanout": _FANOUT} if wants_groups(values) else rules.flat(name, values)


def hierarchy_in_file(spec: Path | BuiltFile) -> Hierarchy:
    """Read a hierarchy file; one that was made from the data is not public."""
    return files.read(spec.path, built=True) if isinstance(spec, BuiltFile) else files.read(spec)


def hierarchies_in_files(config: Config) -> Hierarchies:
    """The hierarchies that need no data to be known; values of a sensitive class of trees mean themselves."""
    if config.tree is not None:
        return _read({k: spec for k, spec in config.tree.hierarchies.items() if k != config.tree.sensitive})
    read = _read({name: column.recoded_by for name, column in config.columns.items()})
    return {name: hierarchy.covering(config.data.missing) for name, hierarchy in read.items()}


def specs_of(given: str | os.PathLike[str] | Mapping[str, Given] | None, names: list[str]) -> dict[str, Spec]:
    """What is given for each of some columns or classes: by name, or as the folder that holds their files."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {name: _spec(name, spec) for name, spec in given.items()}
    if not isinstance(given, str | os.PathLike):
        raise InputError("hierarchies: give a folder of files, or for each column a file or a rule")
    return _folder(Path(given), names)


def _spec(name: str, given: Given) -> Spec:
    if isinstance(given, str | os.PathLike):
        return Path(given)
    if isinstance(given, Mapping) and is_file_spec(given):
        return file_spec(name, given, Path())
    if not isinstance(given, Hierarchy | Mapping):
        raise InputError(
            f"column '{name}': its hierarchy is no file, no Hierarchy and no rule; give one of them"
        )
    return given


def _folder(folder: Path, names: list[str]) -> dict[str, Spec]:
    """A hierarchy file for each name that has one: `<name>.csv`, or ARX's `..._hierarchy_<name>.csv`."""
    if not folder.is_dir():
        raise InputError(
            f"hierarchies: '{folder.name}' is not a folder; give the folder that holds <column>.csv files"
        )
    paths = sorted(
        path for path in folder.iterdir() if path.name.removesuffix(".gz").endswith((".csv", ".txt"))
    )
    stems = {path: path.name.removesuffix(".gz").rpartition(".")[0] for path in paths}
    found: dict[str, Spec] = {}
    for name in names:
        for path, stem in stems.items():
            if stem == name or stem.endswith(f"_hierarchy_{name}"):
                found.setdefault(name, path)
    if names and not found:
        raise InputError(
            f"hierarchies: '{folder.name}' has no file for any of {', '.join(names)}; name files <column>.csv"
        )
    return found


def _read(specs: Mapping[str, Spec | None]) -> Hierarchies:
    return {
        name: hierarchy_in_file(spec) for name, spec in specs.items() if isinstance(spec, Path | BuiltFile)
    }
