"""Record trees as a configuration describes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.data import Forest
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy, build, files
from shoal.io.class_tables import require_table_names
from shoal.io.config import Config
from shoal.io.trees import TreeSpec, read_trees
from shoal.publish.trees.dataset import TreeData, TreeSource

__all__ = ["file_trees", "tree_data", "trees_from_config"]


def trees_from_config(config: Config) -> TreeData:
    """Read the trees and the hierarchies of their classes."""
    assert config.tree is not None
    data = config.data
    source = data.url if data.path is None else data.path
    assert source is not None
    forest = read_trees(
        source, config.tree, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing
    )
    if config.format == "tables":
        require_table_names(forest.classes)
    return tree_data("database" if data.path is None else data.path.name, forest, config.tree)


def tree_data(name: str, forest: Forest, spec: TreeSpec) -> TreeData:
    """Give every class of a forest its hierarchy.

    Raises
    ------
    InputError
        A class has no hierarchy, is not dropped and is not the sensitive one.
    """
    bare = [kind for kind in forest.classes if kind not in spec.hierarchies and kind != forest.sensitive]
    if bare:
        more = f" (and {len(bare) - 1} more)" if len(bare) > 1 else ""
        raise InputError(
            f"{name}: class '{bare[0]}'{more} has no hierarchy; give it one in tree.hierarchies, "
            "put it in tree.drop, or make it sensitive"
        )
    trees = {
        kind: _tree(kind, given, forest)
        for kind, given in spec.hierarchies.items()
        if kind in forest.classes and kind != forest.sensitive
    }
    return TreeData(TreeSource(name), forest, trees, tuple(spec.negations))


def file_trees(config: Config) -> Hierarchies:
    """The hierarchies that need no data to be known."""
    given = {} if config.tree is None else config.tree.hierarchies
    return {name: files.read(spec) for name, spec in given.items() if isinstance(spec, Path)}


def _tree(kind: str, given: Path | Mapping[str, Any], forest: Forest) -> Hierarchy:
    if isinstance(given, Path):
        return files.read(given)
    number = forest.classes.index(kind)
    values = [value for value, own in zip(forest.values, forest.kinds, strict=True) if own == number]
    return build.build(kind, given, values)
